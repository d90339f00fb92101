"""Evaluations, searches and features in bulk: the same as one by one."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Callable
from math import nan
from typing import Any

import chess
import chess.engine
import numpy as np
import numpy.typing as npt
import pytest
from chess.engine import Limit
from uci_process import ENVIRONMENT, MATE_IN_ONE, MATED, ONE_MOVE, STALEMATED, TIMEOUT

from core_ext import core
from lib.suites import all_positions
from uci_engine import Board, Engine, batch
from uci_engine.bench import POSITIONS
from uci_engine.network import find_network

FENS = [*(line.fen for line in all_positions()), *POSITIONS]
BOARDS = batch.unpack(batch.pack(FENS))
SEARCHED = [*POSITIONS[:10], MATE_IN_ONE, MATED, STALEMATED]
THREADS = [None, 1, 3]
MATED_IN_ONE = "7k/5K2/8/8/8/8/8/R7 b - - 0 1"
FULL_PHASE, FULL_SCALE = 24, 64

FUNCTIONS: list[Callable[..., Any]] = [
    batch.evaluate,
    batch.features,
    lambda positions, **options: batch.search(positions, nodes=50, **options),
]


def divide(dividend: npt.NDArray[np.int64], divisor: int) -> npt.NDArray[np.int64]:
    """As C does it, towards zero."""
    quotient: npt.NDArray[np.int64] = np.sign(dividend) * (np.abs(dividend) // divisor)
    return quotient


# ---- evaluations


@pytest.mark.parametrize("threads", THREADS)
def test_evaluations_are_those_of_single_boards(threads: int | None) -> None:
    for evaluation in batch.EVALUATIONS:
        scores = batch.evaluate(batch.pack(FENS), threads=threads, evaluation=evaluation)
        assert scores.dtype == np.int16
        searcher = core.Searcher(hash_mb=1, network=find_network(evaluation, ""))
        assert scores.tolist() == [searcher.evaluate(board) for board in BOARDS]


def test_evaluations_that_there_are_none_of_are_refused() -> None:
    for function in (batch.evaluate, batch.search):
        with pytest.raises(ValueError, match="one of nnue, classical, not 'turing'"):
            function(batch.pack(FENS[:1]), evaluation="turing")
        with pytest.raises(FileNotFoundError):
            function(batch.pack(FENS[:1]), eval_file="no such file")


def test_large_arrays_are_evaluated_by_many_threads() -> None:
    packed = batch.pack(FENS)
    many = batch.evaluate(np.tile(packed, 60), threads=4)
    assert np.array_equal(many, np.tile(batch.evaluate(packed), 60))
    assert np.array_equal(batch.evaluate(packed[::-3]), batch.evaluate(packed)[::-3])


# ---- features


@pytest.mark.parametrize("threads", THREADS)
def test_features_times_weights_are_the_evaluation(threads: int | None) -> None:
    """With what is added against a lone king, to drive it."""
    positions = batch.pack(FENS)
    counts, phases, scales, wins = batch.features(positions, threads=threads)
    middlegame, endgame = (counts.astype(np.int64) @ core.weights()).T
    phase, scale = phases.astype(np.int64), scales.astype(np.int64)
    late = divide(endgame * (FULL_PHASE - phase) * scale, FULL_SCALE)
    score = divide(middlegame * phase + late, FULL_PHASE) * (scale > 0) + wins
    mover = np.where(positions["side"] & 128, -1, 1)
    assert np.array_equal(score * mover, batch.evaluate(positions, evaluation="classical"))
    assert len(np.unique(scales)) > 3  # drawish endgames were among them
    assert 0 < np.count_nonzero(wins) < len(wins)


def test_features_count_material() -> None:
    counts, phases, *_ = batch.features(batch.pack(FENS))
    assert dict(core.FEATURE_GROUPS)["material"] == 0
    for fen, row, phase in zip(FENS, counts, phases, strict=True):
        board = chess.Board(fen, chess960=True)
        for piece in range(chess.PAWN, chess.KING):
            white, black = (len(board.pieces(piece, colour)) for colour in chess.COLORS)
            assert row[piece - 1] == white - black
        pieces = [piece.piece_type for piece in board.piece_map().values()]
        values = {chess.KNIGHT: 1, chess.BISHOP: 1, chess.ROOK: 2, chess.QUEEN: 4}
        assert phase == min(FULL_PHASE, sum(values.get(piece, 0) for piece in pieces))


def test_features_of_a_mirrored_board_change_their_sign() -> None:
    boards = [chess.Board(fen, chess960=True) for fen in FENS]
    counts, phases, scales, wins = batch.features(batch.pack(boards))
    mirrored, *same, opposite = batch.features(batch.pack([board.mirror() for board in boards]))
    assert np.array_equal(mirrored, -counts)
    assert np.array_equal([phases, scales], same)
    assert np.array_equal(wins, -opposite)


# ---- searches


def to_number(score: chess.engine.Score) -> int | None:
    """A mate is worth 32,000 less its distance in plies."""
    mate = score.mate()
    if mate is None:
        return score.score()
    return 32_001 - 2 * mate if mate > 0 else -32_000 - 2 * mate


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize(
    "limits", [{"nodes": 700}, {"depth": 4}, {"nodes": 900, "depth": 3}], ids=str
)
def test_searches_are_those_of_single_engines(limits: dict[str, Any], threads: int | None) -> None:
    found = batch.search(batch.pack(SEARCHED), threads=threads, **limits)
    for fen, move, score in zip(SEARCHED, found["move"], found["score"], strict=True):
        with Engine(hash_mb=batch.SEARCH_HASH_MB) as engine:
            result = engine.play(fen, Limit(**limits))
        assert move == (result.move.uci() if result.move else "")
        assert score == to_number(result.info["score"].relative)


def test_search_results() -> None:
    found = batch.search(batch.pack([MATE_IN_ONE, MATED, STALEMATED]), depth=3)
    assert found.dtype == batch.found_dtype()
    assert found["move"].tolist() == ["a1a8", "", ""]
    assert found["score"].tolist() == [31_999, -32_000, 0]
    assert found["mate"].tolist() == [1, 0, 0]


def test_mates_are_told_as_mates() -> None:
    for fen, mate in ((MATE_IN_ONE, 1), (MATED_IN_ONE, -1)):
        (found,) = batch.search(batch.pack([fen]), depth=8)
        assert found["mate"] == mate
        assert found["score"] == to_number(chess.engine.Mate(mate))


def test_lines_and_variations_are_those_of_single_engines() -> None:
    fens = [*POSITIONS[:6], ONE_MOVE, MATED]
    found = batch.search(batch.pack(fens), nodes=800, multipv=3, pv=4)
    assert found.shape == (len(fens), 3)
    for fen, rows in zip(fens, found, strict=True):
        with Engine(hash_mb=batch.SEARCH_HASH_MB) as engine:
            infos = engine.analyse(fen, Limit(nodes=800), multipv=3)
        for row, info in zip(rows, infos, strict=False):
            moves = [move.uci() for move in info["pv"]]
            assert [move for move in row["pv"] if move][: len(moves)] == moves[:4]
            assert row["move"] == (moves[0] if moves else "")
            assert (row["depth"], row["nodes"]) == (info["depth"], info["nodes"])
            assert row["score"] == to_number(info["score"].relative)
        assert not any(row["move"] for row in rows[len(infos) :])


def test_time_is_a_limit_too() -> None:
    found = batch.search(batch.pack(POSITIONS[:3]), time=0.02)
    assert all(found["move"])
    assert (found["depth"] > 1).all()


def test_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    positions = np.tile(batch.pack(POSITIONS[:5]), 10)
    batch.search(positions, nodes=50, progress=lambda *counts: told.append(counts))
    assert told[-1] == (50, 50)
    assert told == sorted(told)
    assert len(told) > 2


def test_the_order_of_positions_does_not_matter() -> None:
    packed = batch.pack(POSITIONS[:12])
    found = batch.search(packed, nodes=600, threads=1)
    backwards = batch.search(packed[::-1], nodes=600, threads=2)
    assert np.array_equal(backwards[::-1], found)


def test_limits_of_a_search() -> None:
    packed = batch.pack(POSITIONS[:4])
    usual, five_thousand = batch.search(packed), batch.search(packed, nodes=5000)
    assert np.array_equal(usual, five_thousand)
    # A depth is reached however many nodes it takes.
    scores = batch.search(packed, depth=9)["score"]
    searcher = core.Searcher(hash_mb=1, network=find_network("nnue", ""))
    for board, score in zip(batch.unpack(packed), scores, strict=True):
        searcher.clear()
        found = searcher.search(board, depth=9)
        assert (found.depth, found.score) == (9, score)
    batch.search(packed, nodes=10**30, depth=1)


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({"nodes": 0}, "nodes must be at least 1, not 0"),
        ({"nodes": -1}, "nodes must be at least 1, not -1"),
        ({"depth": 0}, "depth must be at least 1, not 0"),
        ({"multipv": -1}, "multipv must be at least 1, not -1"),
        ({"time": 0}, "time must be more than 0 seconds, not 0"),
        ({"time": -0.5}, "time must be more than 0 seconds, not -0.5"),
        ({"time": nan}, "time must be more than 0 seconds, not nan"),
        ({"pv": -1}, "pv must be from 0 to 1000 moves, not -1"),
    ],
)
def test_impossible_limits_are_refused(limits: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=rf"\A{re.escape(words)}\Z"):
        batch.search(batch.pack(POSITIONS[:2]), **limits)


def test_a_little_time_is_a_limit() -> None:
    found = batch.search(batch.pack(POSITIONS[:2]), time=1e-9)
    assert (found["depth"] >= 1).all()


def test_a_text_is_no_list_of_positions() -> None:
    with pytest.raises(TypeError, match="not a single text"):
        batch.pack(POSITIONS[0])


@pytest.mark.release_only
def test_ctrl_c_ends_the_searches_that_run() -> None:
    script = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import numpy, signal, threading\n"
            # The tests may run where Ctrl-C is ignored, which programs hand on to those they start.
            "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
            "from uci_engine import batch; from uci_engine.bench import POSITIONS\n"
            "positions = numpy.tile(batch.pack(POSITIONS), 2)\n"
            "def tell():\n"
            "    while threading.active_count() < 4: pass\n"
            "    print('begun', flush=True)\n"
            "threading.Thread(target=tell, daemon=True).start()\n"
            "try:\n"
            "    batch.search(positions, nodes=10**15, threads=2)\n"
            "except KeyboardInterrupt:\n"
            "    print('interrupted')",
        ],
        stdout=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    )
    assert script.stdout is not None
    assert script.stdout.readline() == "begun\n"
    script.send_signal(signal.SIGINT)
    try:
        assert script.communicate(timeout=TIMEOUT)[0] == "interrupted\n"
    finally:
        script.kill()


# ---- arrays


def test_empty_arrays() -> None:
    nothing = batch.pack([])
    assert batch.evaluate(nothing).tolist() == []
    assert len(batch.search(nothing)) == 0
    counts, phases, scales, wins = batch.features(nothing)
    assert counts.shape == (0, core.FEATURE_COUNT)
    assert len(phases) == len(scales) == len(wins) == 0


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize(
    "array",
    [
        np.zeros(4, dtype=np.uint64),
        np.zeros((4, 32), dtype=np.uint8),
        np.zeros((2, 2), dtype=batch.POSITION),
        np.zeros((), dtype=batch.POSITION),
        [Board()],
        None,
    ],
    ids=["uint64", "bytes", "two-dimensional", "one position", "list", "None"],
)
def test_other_arrays_are_refused(function: Callable[..., Any], array: object) -> None:
    with pytest.raises(ValueError, match=r"\Apositions must [^\n]+\Z"):
        function(array)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("threads", THREADS)
def test_what_is_no_position_is_named_by_its_index(
    function: Callable[..., Any], threads: int | None
) -> None:
    packed = np.tile(batch.pack(POSITIONS[:10]), 3)
    packed[27] = np.zeros((), dtype=batch.POSITION)
    with pytest.raises(ValueError, match=r"\Aitem 27 is not a chess position\Z"):
        function(packed, threads=threads)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("threads", [0, -1])
def test_impossible_thread_counts_are_refused(function: Callable[..., Any], threads: int) -> None:
    with pytest.raises(ValueError, match=r"\Aat least one thread is needed, not -?\d\Z"):
        function(batch.pack(POSITIONS[:2]), threads=threads)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_arrays_are_not_changed(function: Callable[..., Any]) -> None:
    packed = batch.pack(POSITIONS[:5])
    packed["score"], packed["result"] = 17, 2
    before = packed.tobytes()
    packed.flags.writeable = False
    function(packed)
    assert packed.tobytes() == before
