"""Positions in bulk: numpy arrays of 32-byte positions, all cores, no GIL.

positions = batch.pack(fens)        # FENs, Boards or chess.Boards
batch.legal_counts(positions)       # uint16
batch.perft(positions, 4)           # uint64
batch.evaluate(positions)           # int16, from the side to move
batch.search(positions, nodes=5000) # best moves and scores
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from core_ext import core
from core_ext.core import Board
from uci_engine.limits import MOST_DEPTH, MOST_NODES

if TYPE_CHECKING:
    import chess

POSITION = np.dtype(
    [
        ("occupied", "<u8"),
        ("men", "u1", (16,)),
        ("side", "u1"),
        ("rule50", "u1"),
        ("fullmove", "<u2"),
        ("score", "<i2"),
        ("result", "u1"),
        ("extra", "u1"),
    ]
)
"""One position: the occupied squares; four bits for each of them from a1 on (0 to 5 for pawn to
king, 6 for a rook that may castle, plus 8 for Black); 128 for Black to move plus the en-passant
square or 64; the counters; and three fields for the user's own data."""

Positions = npt.NDArray[np.void]

CHUNKS_PER_THREAD = 8  # positions differ in cost; small chunks even it out
SMALLEST_CHUNK = 1024
SEARCH_CHUNK = 16  # an interrupted search ends with the chunks that have begun
SEARCH_HASH_MB = 1
SEARCH_NODES = 5000


def pack(items: Iterable[str | Board | chess.Board]) -> Positions:
    """The packed positions of FENs, Boards or chess.Boards. Counters are capped at 255, 65535."""
    entries = list(items)
    positions = np.zeros(len(entries), dtype=POSITION)
    core.pack_items(entries, positions)
    return positions


def unpack(positions: Positions) -> list[Board]:
    """The Boards of packed positions."""
    positions = checked(positions)
    return core.unpack_items(positions, len(positions))


def fens(positions: Positions) -> list[str]:
    """The FENs of packed positions."""
    return [board.fen() for board in unpack(positions)]


def legal_counts(positions: Positions, threads: int | None = None) -> npt.NDArray[np.uint16]:
    """The number of legal moves of each position."""
    positions = checked(positions)
    counts = np.zeros(len(positions), dtype=np.uint16)
    share(core.count_range, positions, counts, threads, SMALLEST_CHUNK)
    return counts


def perft(positions: Positions, depth: int, threads: int | None = None) -> npt.NDArray[np.uint64]:
    """The perft of each position."""
    positions = checked(positions)
    counts = np.zeros(len(positions), dtype=np.uint64)
    share(core.perft_range, positions, counts, threads, 1, depth)
    return counts


def evaluate(positions: Positions, threads: int | None = None) -> npt.NDArray[np.int16]:
    """The static evaluation of each position, in centipawns from the side to move."""
    positions = checked(positions)
    scores = np.zeros(len(positions), dtype=np.int16)
    share(core.evaluate_range, positions, scores, threads, SMALLEST_CHUNK)
    return scores


def search(
    positions: Positions,
    *,
    nodes: int | None = None,
    depth: int | None = None,
    threads: int | None = None,
) -> tuple[npt.NDArray[np.str_], npt.NDArray[np.int16]]:
    """The best move (as UCI writes it, empty without one) and the score of each position.

    Every position is searched by itself, so the answers do not depend on their order. Without a
    limit it is 5000 nodes.
    """
    positions = checked(positions)
    legal_counts(positions, threads)  # names what is no position before the long work begins
    if nodes is None and depth is None:
        nodes = SEARCH_NODES
    nodes = checked_limit("nodes", nodes, MOST_NODES)
    depth = checked_limit("depth", depth, MOST_DEPTH)
    moves = np.zeros(len(positions), dtype="<U5")
    scores = np.zeros(len(positions), dtype=np.int16)

    def work(array: Positions, best: npt.NDArray[np.str_], _: int, first: int, end: int) -> None:
        searcher = core.Searcher(hash_mb=SEARCH_HASH_MB)
        for index, board in enumerate(core.unpack_items(array[first:end], end - first), first):
            searcher.clear()
            searcher.prepare()
            found = searcher.search(board, nodes=nodes, depth=depth)
            best[index] = str(found.best or "")
            scores[index] = found.score

    share(work, positions, moves, threads, 1, largest_chunk=SEARCH_CHUNK)
    return moves, scores


def features(
    positions: Positions, threads: int | None = None
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
    """The classical evaluation's feature counts (White's less Black's), phases and scales."""
    positions = checked(positions)
    counts = np.zeros((len(positions), core.FEATURE_COUNT), dtype=np.int8)
    phases = np.zeros(len(positions), dtype=np.uint8)
    scales = np.zeros(len(positions), dtype=np.uint8)

    def work(array: Positions, rows: npt.NDArray[np.int8], *span: int) -> None:
        core.feature_range(array, rows, phases, scales, *span)

    share(work, positions, counts, threads, SMALLEST_CHUNK)
    return counts, phases, scales


def checked(positions: Positions) -> Positions:
    """The array as the core reads it: packed, one-dimensional, contiguous."""
    if not isinstance(positions, np.ndarray) or positions.dtype != POSITION:
        raise ValueError("positions must be an array of dtype batch.POSITION, as pack() makes it")
    if positions.ndim != 1:
        raise ValueError(f"positions must have one dimension, not {positions.ndim}")
    return np.ascontiguousarray(positions)


def checked_limit(name: str, limit: int | None, most: int) -> int:
    """As the core reads it: 0 for no limit."""
    if limit is None:
        return 0
    if limit < 1:
        raise ValueError(f"{name} must be at least 1, not {limit}")
    return min(limit, most)


def share(
    work: Callable[..., None],
    positions: Positions,
    results: npt.NDArray[Any],
    threads: int | None,
    smallest_chunk: int,
    *extra: int,
    largest_chunk: int = sys.maxsize,
) -> None:
    """Let threads fill the results, a chunk at a time."""
    threads = (os.cpu_count() or 1) if threads is None else threads
    if threads < 1:
        raise ValueError(f"at least one thread is needed, not {threads}")
    count = len(positions)
    chunk = max(smallest_chunk, min(-(-count // (threads * CHUNKS_PER_THREAD)), largest_chunk))
    ranges = [(first, min(first + chunk, count)) for first in range(0, count, chunk)]
    if threads == 1 or len(ranges) <= 1:
        work(positions, results, count, 0, count, *extra)
        return
    with ThreadPoolExecutor(threads) as pool:
        tasks = [pool.submit(work, positions, results, count, *span, *extra) for span in ranges]
        try:
            for task in tasks:
                task.result()
        except BaseException:  # Ctrl-C too: what has not begun is not worth waiting for
            pool.shutdown(wait=False, cancel_futures=True)
            raise
