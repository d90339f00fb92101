"""The names of openings, from files of the format that Lichess's chess-openings has.

A line of column names, then a line for each opening, with tabs between: at least `eco`, `name` and
`pgn`, the moves. An opening is recognised by its position, however that came about.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from core_ext.core import Board
from uci_engine.desk.analyse_job import Moves
from uci_engine.files import read_text

COLUMNS = ("eco", "name", "pgn")
MOVE_NUMBER = re.compile(r"\d+\.+")
LONGEST = 80  # plies in which a name is looked for


class Opening(NamedTuple):
    eco: str
    name: str


class OpeningNames:
    def __init__(self, paths: Iterable[Path]) -> None:
        self.by_key: dict[int, Opening] = {}
        for path in paths:
            self.read(path)

    def read(self, path: Path) -> None:
        lines = read_text(path).splitlines()
        columns = lines[0].lower().split("\t") if lines else []
        if not set(COLUMNS) <= set(columns):
            raise ValueError(f"{path}: its first line must name the columns {', '.join(COLUMNS)}")
        for number, line in enumerate(lines[1:], 2):
            fields = dict(zip(columns, line.split("\t"), strict=False))
            if not line.strip():
                continue
            try:
                eco, name, moves = (fields[column].strip() for column in COLUMNS)
                self.by_key[position_key(moves)] = Opening(eco, name)
            except KeyError:
                raise ValueError(f"{path}, line {number}: too few columns") from None
            except ValueError as error:
                raise ValueError(f"{path}, line {number}: {error}") from None

    def find(self, game: Moves) -> Opening | None:
        """The last named position of the game."""
        board = Board(game.fen, chess960=game.chess960)
        found = self.by_key.get(board.key)
        for move in game.moves[:LONGEST]:
            board.push_uci(move)
            found = self.by_key.get(board.key, found)
        return found


def position_key(moves: str) -> int:
    board = Board()
    for word in MOVE_NUMBER.sub(" ", moves).split():
        board.push_san(word)
    return board.key
