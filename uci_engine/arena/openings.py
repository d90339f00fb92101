"""Openings: where the games start."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from uci_engine import START_FEN, Board
from uci_engine.arena.game import Opening


def read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ValueError(f"{path}: not a text file") from None


def epd_position(text: str) -> str:
    """The FEN in a line that is a FEN or an EPD with operations."""
    fields = text.split(";")[0].split()
    clocks = fields[4:6] if len(fields) >= 6 and all(f.isdecimal() for f in fields[4:6]) else []
    return " ".join([*fields[:4], *(clocks or ["0", "1"])])


def read_epd(path: Path, chess960: bool) -> list[Opening]:
    openings = []
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        fen = epd_position(line)
        try:
            board = Board(fen, chess960=chess960)
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}") from None
        openings.append(Opening(board.fen(shredder=chess960), (), chess960))
    if not openings:
        raise ValueError(f"{path}: no positions in it")
    return openings


def load_openings(path: Path | None, chess960: bool) -> list[Opening]:
    if path is None:
        return [Opening(START_FEN, (), chess960)]
    return read_epd(path, chess960)


def arrange(openings: Sequence[Opening], order: str, seed: int, start: int = 0) -> list[int]:
    """The numbers of the openings in the order of play; the same seed gives the same order."""
    numbers = list(range(len(openings)))
    if order == "random":
        random.Random(seed).shuffle(numbers)
    return numbers[start:] + numbers[:start]
