"""Openings: where the games start. From EPD, PGN and PolyGlot files, or from our own set."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from uci_engine import START_FEN, Board
from uci_engine.arena.play.engine_game import Opening
from uci_engine.arena.players.clock import check_count
from uci_engine.arena.players.spec import check_choice
from uci_engine.files import read_games, read_positions

if TYPE_CHECKING:
    import chess
    import chess.polyglot

COUNTER = re.compile(r"\b(hmvc|fmvn) (\d+);")
DEFAULT_SET = Path(__file__).parents[2] / "data" / "openings.epd"
ORDERS = ("sequential", "random")
START_POSITION = "start"  # instead of a file's name
BOOK_PLIES = 8
MOST_BOOK_LINES = 100_000
WALKS_PER_LINE = 50  # how often a random walk may repeat a known line before we give up


@dataclass(frozen=True)
class OpeningSource:
    """Where openings come from and in which order; plain values."""

    path: str = ""  # empty: our own set
    plies: int = 0  # of PGN and PolyGlot lines; 0: all, or BOOK_PLIES
    order: str = "sequential"
    seed: int = 0
    first: int = 0  # so many are skipped
    chess960: bool = False

    def __post_init__(self) -> None:
        check_choice("order", self.order, ORDERS)
        check_count("plies", self.plies)

    @property
    def is_book(self) -> bool:
        return self.path.lower().endswith(".bin")


def epd_position(text: str) -> str:
    """The FEN in a line that is a FEN or an EPD; there the counters are operations."""
    fields = text.split(";")[0].split()
    if len(fields) >= 6 and fields[4].isdecimal() and fields[5].isdecimal():
        return " ".join(fields[:6])
    counters = dict(COUNTER.findall(text))
    return " ".join([*fields[:4], counters.get("hmvc", "0"), counters.get("fmvn", "1")])


def read_epd(path: Path, chess960: bool) -> Iterator[Opening]:
    for number, line in read_positions(path):
        try:
            board = Board(epd_position(line), chess960=chess960)
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}") from None
        if not board.legal_count():
            raise ValueError(f"{path}, line {number}: the game is over in this position")
        yield Opening(board.fen(shredder=chess960), (), chess960)


def read_pgn(path: Path, plies: int, chess960: bool) -> Iterator[Opening]:
    import chess

    for number, game in enumerate(read_games(path), 1):
        if game.next() is None and "FEN" not in game.headers:
            continue  # what a reader makes of text that is no game
        board = game.board()
        board.chess960 = chess960 or board.chess960
        moves = [move.uci() for move in game.mainline_moves()]
        if chess.Move.null().uci() in moves:
            raise ValueError(f"{path}, game {number}: a null move is none to play")
        yield playable(board, moves[: plies or None])


def playable(board: chess.Board, moves: Sequence[str]) -> Opening:
    """An opening after which there is something left to play."""
    own = Board(board)
    kept: list[str] = []
    for move in moves:
        own.push_uci(move)
        if not own.legal_count():
            break
        kept.append(move)
    fen = board.shredder_fen() if board.chess960 else board.fen()
    return Opening(fen, tuple(kept), board.chess960)


def read_polyglot(path: Path, source: OpeningSource, wanted: int) -> Iterator[Opening]:
    import chess

    from uci_engine.book import open_reader

    plies = source.plies or BOOK_PLIES
    with open_reader(str(path)) as book:
        if source.order == "random":
            yield from walk_book(book, plies, wanted, source.seed)
        else:
            yield from book_lines(book, chess.Board(), plies)


def book_lines(
    book: chess.polyglot.MemoryMappedReader, board: chess.Board, plies: int
) -> Iterator[Opening]:
    """Every line of the book up to a length, the weightier moves first."""
    if len(board.move_stack) < plies:
        entries = sorted(book.find_all(board), key=lambda entry: -entry.weight)
        for entry in entries:
            board.push(entry.move)
            yield from book_lines(book, board, plies)
            board.pop()
        if entries:
            return
    if board.move_stack:
        yield Opening(START_FEN, tuple(move.uci() for move in board.move_stack))


def walk_book(
    book: chess.polyglot.MemoryMappedReader, plies: int, wanted: int, seed: int
) -> Iterator[Opening]:
    """Different lines, each drawn by the weights of its moves."""
    import chess

    choice = random.Random(seed)
    seen: set[tuple[str, ...]] = set()
    misses = 0
    while len(seen) < wanted and misses < WALKS_PER_LINE:
        board = chess.Board()
        while len(board.move_stack) < plies:
            entries = list(book.find_all(board))
            if not entries:
                break
            weights = [entry.weight for entry in entries]
            board.push(choice.choices(entries, weights if any(weights) else None)[0].move)
        line = tuple(move.uci() for move in board.move_stack)
        if not line or line in seen:
            misses += 1
            continue
        misses = 0
        seen.add(line)
        yield Opening(START_FEN, line)


def chess960_starts() -> list[Opening]:
    import chess

    boards = [chess.Board.from_chess960_pos(number) for number in range(960)]
    return [Opening(board.shredder_fen(), (), True) for board in boards]


def read_openings(source: OpeningSource, wanted: int) -> list[Opening]:
    if source.path == START_POSITION:
        fen = Board(chess960=source.chess960).fen(shredder=source.chess960)
        return [Opening(fen, (), source.chess960)]
    if not source.path and source.chess960:
        return chess960_starts()
    path = Path(source.path) if source.path else DEFAULT_SET
    if path.suffix.lower() == ".pgn":
        openings = read_pgn(path, source.plies, source.chess960)
    elif source.is_book:
        if source.chess960:
            raise ValueError(f"{path}: a PolyGlot book has no Chess960 openings")
        openings = read_polyglot(path, source, wanted)
    else:
        openings = read_epd(path, source.chess960)
    found = [opening for opening, _ in zip(openings, range(MOST_BOOK_LINES), strict=False)]
    if not found:
        raise ValueError(f"{path}: no openings in it")
    return found


def load_openings(source: OpeningSource, wanted: int) -> list[Opening]:
    """The openings in the order of play; the same seed gives the same order."""
    openings = read_openings(source, wanted)
    if source.order == "random" and not source.is_book:  # whose lines are drawn already
        random.Random(source.seed).shuffle(openings)
    first = source.first % len(openings)
    return openings[first:] + openings[:first]
