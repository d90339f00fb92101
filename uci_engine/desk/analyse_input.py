"""What is to be analysed: games of a PGN file, positions of an EPD or FEN file, or one position.

All become games; that of a position has no moves. What is broken is read up to there.
"""

from __future__ import annotations

import io
import os
import re
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from uci_engine import Board, pgn
from uci_engine.arena.play.openings import epd_position
from uci_engine.arena.play.positions import parse_operations
from uci_engine.desk.analyse_job import Moves
from uci_engine.files import LONGEST_TEXT

LARGEST_STREAM = 1 << 31  # bytes of what can be read only once, and is therefore kept
HEAD = 1 << 12  # bytes in which the kind of a file is to be seen
PLACEMENT = re.compile(r"[1-8pnbrqkPNBRQK~]+(/[1-8pnbrqkPNBRQK~]+){7}")
STREAM_NAMES = {pgn.STANDARD_INPUT: "standard input"}


@dataclass(frozen=True)
class Entry:
    """A game of the source. Without `moves` it can't be analysed: it has no position to begin from;
    `problem` says so, or why its moves end early."""

    number: int  # from 1
    game: pgn.Game
    moves: Moves | None
    is_position: bool
    problem: str | None = None


class Source:
    """Games that can be read as often as they are wanted."""

    def __init__(self, name: str, origin: pgn.Source, holds_positions: bool) -> None:
        self.name = name
        self.origin = origin
        self.holds_positions = holds_positions

    def entries(self) -> Iterator[Entry]:
        if isinstance(self.origin, io.BytesIO):
            self.origin.seek(0)
        if self.holds_positions:
            return self.positions()
        games = pgn.read(self.origin, comments=True, variations=True)
        return (make_entry(number, game, game.problem) for number, game in enumerate(games, 1))

    def positions(self) -> Iterator[Entry]:
        text = read_text(self.origin, self.name, LONGEST_TEXT + 1)
        if len(text) > LONGEST_TEXT:
            raise ValueError(f"{self.name}: more than {LONGEST_TEXT} characters")
        number = 0
        for place, line in enumerate(text.splitlines(), 1):
            if line.strip() and not line.startswith("#"):
                number += 1
                yield read_position(number, line.strip(), f"{self.name}, line {place}")


def open_source(argument: str) -> Source:
    """A file, standard input (`-`), or a position that is written where a file's name could be."""
    if not os.path.exists(argument) and PLACEMENT.match(argument):
        return Source("the position", io.BytesIO(argument.encode()), True)
    name = STREAM_NAMES.get(argument, argument)
    origin: pgn.Source = argument
    if argument == pgn.STANDARD_INPUT:
        origin = keep_stream(sys.stdin.buffer, name)
    elif not stat.S_ISREG(os.stat(argument).st_mode):
        with Path(argument).open("rb") as stream:
            origin = keep_stream(stream, name)
    return Source(name, origin, begins_with_position(read_text(origin, name, HEAD)))


def keep_stream(stream: IO[bytes], name: str) -> io.BytesIO:
    data = stream.read(LARGEST_STREAM + 1)
    if len(data) > LARGEST_STREAM:
        raise ValueError(f"{name}: more than {LARGEST_STREAM} bytes; give them as a file")
    kept = io.BytesIO(data)
    kept.name = name
    return kept


def read_text(origin: pgn.Source, name: str, most: int) -> str:
    """The first bytes, uncompressed."""
    if isinstance(origin, io.BytesIO):
        origin.seek(0)
    with pgn.open_source(origin) as stream:
        data = b"".join(pgn.told_damage((stream.read(most) for _ in range(1)), name))
    return data.decode("utf-8-sig", "replace")


def begins_with_position(head: str) -> bool:
    lines = head.splitlines()
    first = next((line for line in lines if line.strip() and not line.startswith("#")), "")
    return PLACEMENT.match(first.strip()) is not None


def make_entry(number: int, game: pgn.Game, problem: str | None) -> Entry:
    try:
        board = game.board()
    except ValueError as error:
        return Entry(number, game, None, False, problem or f"game {number}: {error}")
    moves = tuple(move.uci() for move in game.moves)
    fen = board.fen(shredder=game.chess960)
    return Entry(number, game, Moves(fen, game.chess960, moves), False, problem)


def read_position(number: int, line: str, place: str) -> Entry:
    name = parse_operations(" ".join(line.split()[4:])).get("id", "")
    headers = {"Event": name} if name else {}
    game = pgn.Game(headers=headers, number=number)
    try:
        board = make_board(epd_position(line))
    except ValueError as error:
        return Entry(number, game, None, True, f"{place}: {error}")
    game.chess960 = board.chess960
    fen = board.fen(shredder=board.chess960)
    game.headers |= {"SetUp": "1", "FEN": fen}
    return Entry(number, game, Moves(fen, board.chess960, ()), True)


def make_board(fen: str) -> Board:
    """Where the castling rights are none of ordinary chess, it is Chess960."""
    try:
        return Board(fen)
    except ValueError as error:
        try:
            return Board(fen, chess960=True)
        except ValueError:
            raise error from None
