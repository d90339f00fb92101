"""Test positions from EPD files: best moves, moves to avoid, mates."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from uci_engine import Board
from uci_engine.arena.play.openings import epd_position
from uci_engine.files import read_positions

# An operation: a name, then what is not a semicolon, or stands in quotes.
OPERATION = re.compile(r'\s*([A-Za-z]\w*)((?:[^;"]|"[^"]*")*);?')


@dataclass(frozen=True)
class TestPosition:
    """`best`, `avoid` are moves in UCI's notation; `mate` is a number of moves, or 0."""

    number: int
    name: str
    fen: str
    best: tuple[str, ...] = ()
    avoid: tuple[str, ...] = ()
    mate: int = 0
    chess960: bool = False

    __test__ = False  # pytest: this is no test class

    def solved_by(self, move: str, mate: int | None) -> bool:
        if self.best and move not in self.best:
            return False
        if self.avoid and move in self.avoid:
            return False
        return not self.mate or (mate is not None and 0 < mate <= self.mate)


def parse_operations(text: str) -> dict[str, str]:
    return {match[1]: match[2].strip().strip('"').strip() for match in OPERATION.finditer(text)}


def parse_moves(board: Board, text: str) -> tuple[str, ...]:
    """SAN, as the standard wants it, or UCI's notation, as some files have it."""
    moves = []
    for word in text.replace(",", " ").split():
        try:
            moves.append(board.parse_san(word).uci())
        except ValueError:
            moves.append(board.parse_uci(word.lower()).uci())
    return tuple(moves)


def parse_position(line: str, number: int, chess960: bool) -> TestPosition:
    fields = line.split(None, 4)
    operations = parse_operations(re.sub(r"^\d+\s+\d+\s*", "", fields[4] if fields[4:] else ""))
    board = Board(epd_position(line), chess960=chess960)
    best = parse_moves(board, operations.get("bm", ""))
    avoid = parse_moves(board, operations.get("am", ""))
    mate = operations.get("dm", "0")
    if not mate.isdecimal():
        raise ValueError(f"dm must be a number of moves, not {mate!r}")
    if not (best or avoid or int(mate)):
        raise ValueError("neither bm nor am nor dm")
    name = operations.get("id") or f"line {number}"
    return TestPosition(number, name, board.fen(), best, avoid, int(mate), chess960)


def read_test_positions(path: Path, chess960: bool = False) -> list[TestPosition]:
    positions = []
    for number, line in read_positions(path):
        try:
            positions.append(parse_position(line, number, chess960))
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}") from None
    if not positions:
        raise ValueError(f"{path}: no positions in it")
    return positions
