"""Readers for the positions in tests/data."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from pathlib import Path

from lib import ROOT

DATA = ROOT / "tests" / "data"
STANDARD_SUITE = DATA / "perft_standard.epd"
CHESS960_SUITE = DATA / "perft_chess960.epd"


@dataclass(frozen=True)
class PerftLine:
    """A position and its counts; counts[0] belongs to depth 1."""

    fen: str
    chess960: bool
    counts: tuple[int, ...]

    def deepest(self, limit: int) -> tuple[int, int]:
        """The greatest depth whose count is within the limit, and that count."""
        within = [(depth, count) for depth, count in enumerate(self.counts, 1) if count <= limit]
        return within[-1]

    def __str__(self) -> str:
        return self.fen


def read_lines(path: Path) -> list[str]:
    lines = path.read_text(encoding="ascii").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def read_suite(path: Path, chess960: bool) -> list[PerftLine]:
    return [parse_line(line, chess960) for line in read_lines(path)]


def parse_line(line: str, chess960: bool) -> PerftLine:
    fen, *counts = line.split(";")
    for depth, count in enumerate(counts, 1):
        assert count.split()[0] == f"D{depth}", line
    return PerftLine(fen.strip(), chess960, tuple(int(count.split()[1]) for count in counts))


def all_positions() -> list[PerftLine]:
    return read_suite(STANDARD_SUITE, False) + read_suite(CHESS960_SUITE, True)


def read_labelled_fens(path: Path) -> list[tuple[str, str]]:
    """Lines `label<TAB>FEN` with the escapes in the FEN undone."""
    pairs = (line.split("\t", 1) for line in read_lines(path))
    return [(label, codecs.decode(fen, "unicode_escape")) for label, fen in pairs]
