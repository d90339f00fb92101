"""What a core that counts its own steps is taken through when CYTHERA_PGO=1 builds one for release:
searches with the network, and perft. setup.py runs it.

One thread and fixed depths, so that the counts are the same each time."""

from __future__ import annotations

from core_ext.core import Board
from uci_engine.bench import DEPTH, POSITIONS, Bench

SHALLOWER = 2  # than bench: a core that counts is several times as slow
PERFT_DEPTH = 4
PERFT_EVERY = 5


def train() -> None:
    Bench(DEPTH - SHALLOWER).run(lambda line: None)
    for fen in POSITIONS[::PERFT_EVERY]:
        Board(fen).perft(PERFT_DEPTH)
        Board(fen).perft(PERFT_DEPTH, hash_mb=1)


if __name__ == "__main__":
    train()
