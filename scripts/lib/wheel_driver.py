"""Run by the Python of an environment that has nothing but the wheel and what it asks for: does all
of it work, without a compiler? What comes out wrong is an AssertionError.

Counts and values are those that every chess program agrees about."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import uci_engine
from core_ext import core


def check_place() -> None:
    for compiler in ("cc", "gcc", "clang"):
        assert shutil.which(compiler) is None, f"{compiler} is on the path"
    for module in (uci_engine, core):
        assert Path(str(module.__file__)).is_relative_to(sys.prefix), module.__file__


def check_board() -> None:
    board = uci_engine.Board()
    assert board.perft(5, threads=2) == 4_865_609
    assert len(board.legal_moves()) == 20
    board.push_san("e4")
    assert board.bitboards.sum() > 0


def check_batch() -> None:
    positions = uci_engine.batch.pack([uci_engine.START_FEN] * 3)
    assert uci_engine.batch.legal_counts(positions).tolist() == [20, 20, 20]
    assert uci_engine.batch.perft(positions, 3).tolist() == [8902, 8902, 8902]


def check_engine() -> None:
    """With the network that is in the wheel, and a mate in one."""
    import chess
    import chess.engine

    with uci_engine.Engine(threads=1, hash_mb=4) as engine:
        mate = chess.Board("6k1/5ppp/8/8/8/8/r4PPP/1R4K1 w - - 0 1")
        assert engine.play(mate, chess.engine.Limit(nodes=5000)).move == chess.Move.from_uci("b1b8")
        opening = engine.analyse(chess.Board(), chess.engine.Limit(depth=6))
        assert abs(opening["score"].relative.score(mate_score=32000)) < 200


def check_uci() -> None:
    """The installed command, as a GUI starts it."""
    import chess
    import chess.engine

    with chess.engine.SimpleEngine.popen_uci(str(Path(sys.prefix, "bin", "cythera"))) as engine:
        assert engine.id["name"].startswith("Cythera"), engine.id
        info = engine.analyse(chess.Board(), chess.engine.Limit(depth=8))
        assert info["depth"] == 8
        assert info["pv"][0] in chess.Board().legal_moves


if __name__ == "__main__":
    check_place()
    check_board()
    check_batch()
    check_engine()
    check_uci()
    print("works")
