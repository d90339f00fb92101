"""The staged move picker gives out what the generator makes, each once, whatever it is told."""

from __future__ import annotations

import random

import pytest

from core_ext import core
from lib.suites import PerftLine, all_positions
from uci_engine import Board

NOISY = 1
HINTS = 6  # pairs of a table move and a killer for each position


def random_hint(board: Board, rng: random.Random) -> int:
    """A move that is legal here, no move, or what another position's table entry left: anything."""
    legal = [move.code for move in board.legal_moves()]
    return rng.choice([rng.choice(legal or [0]), 0, rng.randrange(65536)])


def codes(moves: list[core.Move]) -> list[int]:
    return sorted(move.code for move in moves)


def check_picker(searcher: core.Searcher, board: Board, rng: random.Random) -> None:
    legal, noisy = codes(board.legal_moves()), set(codes(board._generate(NOISY)))
    for _ in range(HINTS):
        hints = random_hint(board, rng), random_hint(board, rng)
        picked = searcher._picked_moves(board, *hints)
        assert codes(picked) == legal, (board.fen(), hints)
        if hints[0] in legal:
            assert picked[0].code == hints[0], (board.fen(), hints)
        some = codes(searcher._picked_moves(board, *hints, noisy_only=True))
        if board.is_check():
            assert some == legal, (board.fen(), hints)
        else:
            assert len(set(some)) == len(some), (board.fen(), hints)
            assert set(some) <= noisy, (board.fen(), hints)


def experienced_searcher() -> core.Searcher:
    """Its histories are filled, so that the moves are in an order of their own."""
    searcher = core.Searcher(hash_mb=1)
    searcher.search(Board(), nodes=20_000)
    return searcher


@pytest.mark.parametrize("line", all_positions(), ids=str)
def test_perft_through_the_picker(line: PerftLine) -> None:
    """Two plies of it: the position and all its children."""
    searcher, rng = experienced_searcher(), random.Random(line.fen)
    board = Board(line.fen, chess960=line.chess960)
    check_picker(searcher, board, rng)
    leaves = 0
    for move in searcher._picked_moves(board, random_hint(board, rng), random_hint(board, rng)):
        board.push(move)
        check_picker(searcher, board, rng)
        leaves += len(searcher._picked_moves(board, 0, 0))
        board.pop()
    assert leaves == line.counts[1]


def test_the_picker_along_random_games() -> None:
    searcher, rng = experienced_searcher(), random.Random(9)
    for _ in range(2 if core.DEBUG else 20):
        board = Board()
        while board.outcome() is None:
            check_picker(searcher, board, rng)
            board.push(rng.choice(board.legal_moves()))
