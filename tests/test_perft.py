"""Perft in every manner against counts from Stockfish (tests/data) and python-chess."""

from __future__ import annotations

import functools

import chess
import pytest

from core_ext import core
from lib.suites import PerftLine, all_positions
from uci_engine import Board

# Enough to reach every rule a position is in the suite for, and cheap for the many variants.
SMALL_NODES = 300_000

each_position = pytest.mark.parametrize("line", all_positions(), ids=str)


def load(line: PerftLine) -> Board:
    return Board(line.fen, chess960=line.chess960)


@each_position
def test_counts(line: PerftLine, node_limit: int) -> None:
    board = load(line)
    before = board._state_bytes()
    for depth, count in enumerate(line.counts, 1):
        if count <= node_limit:
            assert board.perft(depth) == count, f"depth {depth}"
    assert board._state_bytes() == before


@each_position
def test_counts_with_colours_exchanged(line: PerftLine, node_limit: int) -> None:
    """Both colours run through their own code, so each position is worth two."""
    mirrored = chess.Board(line.fen, chess960=line.chess960).mirror()
    depth, count = line.deepest(min(SMALL_NODES, node_limit))
    assert Board(mirrored).perft(depth) == count


@each_position
@pytest.mark.parametrize(
    "manner",
    [
        {"threads": 2},
        {"threads": 7},
        {"hash_mb": 1},
        {"hash_mb": 8},
        {"threads": 2, "hash_mb": 1},
    ],
    ids=str,
)
def test_hash_and_threads_change_nothing(
    line: PerftLine, manner: dict[str, int], node_limit: int
) -> None:
    depth, count = line.deepest(min(SMALL_NODES, node_limit))
    assert load(line).perft(depth, **manner) == count


@each_position
def test_deep_counts_with_hash(line: PerftLine, node_limit: int) -> None:
    """Only deep trees meet a position again with other rights, or with another depth left."""
    depth, count = line.deepest(node_limit)
    assert load(line).perft(depth, hash_mb=16) == count


@each_position
def test_divide_is_the_sum_of_the_replies(line: PerftLine) -> None:
    board = load(line)
    depth, count = line.deepest(20_000)
    divided = board.divide(depth)
    assert set(divided) == set(board.legal_moves())
    assert sum(divided.values()) == count
    for move, nodes in divided.items():
        board.push(move)
        assert nodes == board.perft(depth - 1), move
        board.pop()


@pytest.mark.parametrize("manner", [{"threads": 3}, {"hash_mb": 1}], ids=str)
@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_divide_is_the_same_in_every_manner(depth: int, manner: dict[str, int]) -> None:
    for line in all_positions()[:10]:
        board = load(line)
        assert board.divide(depth, **manner) == board.divide(depth)


def test_depth_zero_is_the_position_itself() -> None:
    assert Board().perft(0) == 1


def test_divide_depth_one_counts_each_move_once() -> None:
    assert set(Board().divide(1).values()) == {1}


# Two bare kings: so few positions that exact counts of any depth come from adding up
# python-chess's moves over all of them.
KINGS_FEN = "8/8/8/8/8/8/8/K1k5 w - - 0 1"


def count_king_walks(depth: int) -> int:
    """Perft of KINGS_FEN: how many walks reach each placement, move by move."""
    walks = {position_of(chess.Board(KINGS_FEN)): 1}
    for _ in range(depth):
        following: dict[str, int] = {}
        for position, number in walks.items():
            for reply in list_replies(position):
                following[reply] = following.get(reply, 0) + number
        walks = following
    return sum(walks.values())


def position_of(board: chess.Board) -> str:
    return f"{board.board_fen()} {'w' if board.turn else 'b'} - - 0 1"


@functools.cache
def list_replies(position: str) -> list[str]:
    board = chess.Board(position)
    replies = []
    for move in list(board.legal_moves):
        board.push(move)
        replies.append(position_of(board))
        board.pop()
    return replies


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(("depth", "bits"), [(15, 32), (21, 48)])
def test_counts_that_32_bits_cannot_hold(depth: int, bits: int, threads: int) -> None:
    expected = count_king_walks(depth)
    assert expected > 2**bits
    board = Board(KINGS_FEN)
    assert board.perft(depth, threads=threads, hash_mb=16) == expected
    assert sum(board.divide(depth, threads=threads, hash_mb=16).values()) == expected


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ({"depth": -1}, "depth"),
        ({"depth": 10_000}, "depth"),
        ({"depth": 3, "threads": 0}, "number of threads"),
        ({"depth": 3, "threads": -1}, "number of threads"),
        ({"depth": 3, "hash_mb": -1}, "hash size in MB"),
        ({"depth": 3, "hash_mb": 2**21}, "hash size in MB"),
    ],
    ids=str,
)
def test_impossible_arguments_are_refused(arguments: dict[str, int], what: str) -> None:
    value = list(arguments.values())[-1]
    complaint = rf"\Athe {what} must be from \d+ to \d+, not {value}\Z"
    for count in (Board().perft, Board().divide):
        with pytest.raises(ValueError, match=complaint):
            count(**arguments)


def test_perft_knows_nothing_of_draws() -> None:
    """A game is over after 75 moves or by bare kings; a perft tree is not."""
    late = Board("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 150 120")
    fresh = Board("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    assert late.perft(3) == fresh.perft(3) == 13744


def test_runs_share_a_table_and_no_counts(node_limit: int) -> None:
    """Each count with one small table, one after the other and two at a time."""
    table = core.PerftTable(1)
    for line in all_positions()[:20]:
        depth, count = line.deepest(min(node_limit, 2_000_000))
        runs = [core.PerftRun(load(line), depth, table) for _ in range(2)]
        crews = [run.start(1) for run in runs]
        assert all(crew.wait() for crew in crews)
        assert [run.nodes for run in runs] == [count, count]


def test_a_table_of_no_size_is_none() -> None:
    run = core.PerftRun(Board(), 4, core.PerftTable(0))
    run.run()
    assert run.nodes == 197_281
