"""Evaluations, searches and features in bulk: the same as one by one."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import chess
import chess.engine
import numpy as np
import numpy.typing as npt
import pytest
from chess.engine import Limit
from suites import all_positions
from uci_process import ENVIRONMENT, MATE_IN_ONE, MATED, STALEMATED, TIMEOUT

from core_ext import core
from uci_engine import Board, Engine, batch
from uci_engine.bench import POSITIONS

FENS = [*(line.fen for line in all_positions()), *POSITIONS]
BOARDS = batch.unpack(batch.pack(FENS))
SEARCHED = [*POSITIONS[:10], MATE_IN_ONE, MATED, STALEMATED]
THREADS = [None, 1, 3]
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
    scores = batch.evaluate(batch.pack(FENS), threads=threads)
    assert scores.dtype == np.int16
    searcher = core.Searcher(hash_mb=1)
    assert scores.tolist() == [searcher.evaluate(board) for board in BOARDS]


def test_large_arrays_are_evaluated_by_many_threads() -> None:
    packed = batch.pack(FENS)
    many = batch.evaluate(np.tile(packed, 60), threads=4)
    assert np.array_equal(many, np.tile(batch.evaluate(packed), 60))
    assert np.array_equal(batch.evaluate(packed[::-3]), batch.evaluate(packed)[::-3])


# ---- features


def has_two_armies(fen: str) -> bool:
    return all(men.bit_count() > 1 for men in chess.Board(fen, chess960=True).occupied_co)


@pytest.mark.parametrize("threads", THREADS)
def test_features_times_weights_are_the_evaluation(threads: int | None) -> None:
    """Except against a lone king, where the evaluation also says which way to drive it."""
    positions = batch.pack([fen for fen in FENS if has_two_armies(fen)])
    counts, phases, scales = batch.features(positions, threads=threads)
    middlegame, endgame = (counts.astype(np.int64) @ core.weights()).T
    phase, scale = phases.astype(np.int64), scales.astype(np.int64)
    late = divide(endgame * (FULL_PHASE - phase) * scale, FULL_SCALE)
    score = divide(middlegame * phase + late, FULL_PHASE)
    mover = np.where(positions["side"] & 128, -1, 1)
    assert np.array_equal(score * mover, batch.evaluate(positions))
    assert len(np.unique(scales)) > 3  # drawish endgames were among them


def test_features_count_material() -> None:
    counts, phases, _ = batch.features(batch.pack(FENS))
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
    counts, phases, _ = batch.features(batch.pack(boards))
    mirrored, same_phases, _ = batch.features(batch.pack([board.mirror() for board in boards]))
    assert np.array_equal(mirrored, -counts)
    assert np.array_equal(phases, same_phases)


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
def test_searches_are_those_of_single_engines(limits: dict[str, int], threads: int | None) -> None:
    moves, scores = batch.search(batch.pack(SEARCHED), threads=threads, **limits)
    for fen, move, score in zip(SEARCHED, moves, scores, strict=True):
        with Engine(hash_mb=batch.SEARCH_HASH_MB) as engine:
            result = engine.play(fen, Limit(**limits))
        assert move == (result.move.uci() if result.move else "")
        assert score == to_number(result.info["score"].relative)


def test_search_results() -> None:
    moves, scores = batch.search(batch.pack([MATE_IN_ONE, MATED, STALEMATED]), depth=3)
    assert moves.tolist() == ["a1a8", "", ""]
    assert moves.dtype == np.dtype("<U5")
    assert scores.dtype == np.int16
    assert scores.tolist() == [31_999, -32_000, 0]


def test_the_order_of_positions_does_not_matter() -> None:
    packed = batch.pack(POSITIONS[:12])
    moves, scores = batch.search(packed, nodes=600, threads=1)
    backwards = batch.search(packed[::-1], nodes=600, threads=2)
    assert np.array_equal(backwards[0][::-1], moves)
    assert np.array_equal(backwards[1][::-1], scores)


def test_limits_of_a_search() -> None:
    packed = batch.pack(POSITIONS[:4])
    usual, five_thousand = batch.search(packed), batch.search(packed, nodes=5000)
    assert np.array_equal(usual[0], five_thousand[0])
    assert np.array_equal(usual[1], five_thousand[1])
    # A depth is reached however many nodes it takes.
    _, scores = batch.search(packed, depth=9)
    searcher = core.Searcher(hash_mb=1)
    for board, score in zip(batch.unpack(packed), scores, strict=True):
        searcher.clear()
        searcher.prepare()
        found = searcher.search(board, depth=9)
        assert (found.depth, found.score) == (9, score)
    batch.search(packed, nodes=10**30, depth=1)


@pytest.mark.parametrize("limits", [{"nodes": 0}, {"nodes": -1}, {"depth": 0}, {"depth": -2}])
def test_impossible_limits_are_refused(limits: dict[str, int]) -> None:
    name = next(iter(limits))
    with pytest.raises(ValueError, match=rf"\A{name} must be at least 1, not -?\d\Z"):
        batch.search(batch.pack(POSITIONS[:2]), **limits)


@pytest.mark.release_only
def test_ctrl_c_does_not_wait_for_all_positions() -> None:
    script = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import numpy, threading\n"
            "from uci_engine import batch; from uci_engine.bench import POSITIONS\n"
            "positions = numpy.tile(batch.pack(POSITIONS), 20)\n"
            "def tell():\n"
            "    while threading.active_count() < 4: pass\n"
            "    print('begun', flush=True)\n"
            "threading.Thread(target=tell, daemon=True).start()\n"
            "try:\n"
            "    batch.search(positions, nodes=100_000, threads=2)\n"
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
    assert script.communicate(timeout=TIMEOUT)[0] == "interrupted\n"


# ---- arrays


def test_empty_arrays() -> None:
    nothing = batch.pack([])
    assert batch.evaluate(nothing).tolist() == []
    assert [len(array) for array in batch.search(nothing)] == [0, 0]
    counts, phases, scales = batch.features(nothing)
    assert counts.shape == (0, core.FEATURE_COUNT)
    assert len(phases) == len(scales) == 0


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
