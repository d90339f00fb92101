"""Positions in bulk: numpy arrays of 32-byte positions, all cores, no GIL.

positions = batch.pack(fens)        # FENs, Boards or chess.Boards
batch.legal_counts(positions)       # uint16
batch.perft(positions, 4)           # uint64
batch.evaluate(positions)           # int16, from the side to move
batch.search(positions, nodes=5000) # best moves and scores
batch.probe_wdl(positions, path)    # int8, from Syzygy tables
for games in batch.from_pgn(path):  # the positions and moves of a file of games

A position is an item of the dtype POSITION, with these fields:

occupied  the occupied squares, a bit for each from a1 on
men       four bits for each of them, in that order: 0 to 5 for pawn to king, 6 for a rook that may
          castle, plus 8 for Black
side      128 for Black to move, plus the en-passant square or 64
rule50    plies since the last capture or move of a pawn
fullmove  the number of the move
score, result, extra   for data of the user's own
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from core_ext import core
from core_ext.core import NO_PGN_SCORE, UNKNOWN_WDL, Board, Move, Network, Tablebase
from uci_engine import pgn
from uci_engine.interrupts import Interrupts
from uci_engine.limits import LONGEST_MS, MOST_DEPTH, MOST_NODES, GoLimits
from uci_engine.network import find_network
from uci_engine.searching import Request, begin_search

if TYPE_CHECKING:
    import chess

    from core_ext.core import SearchInfo

__all__ = [
    "EVALUATIONS",
    "NO_SCORE",
    "POSITION",
    "UNKNOWN_WDL",
    "Features",
    "GameArrays",
    "Positions",
    "evaluate",
    "features",
    "fens",
    "found_dtype",
    "from_pgn",
    "legal_counts",
    "pack",
    "perft",
    "probe_wdl",
    "search",
    "to_moves",
    "uci",
    "unpack",
]

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

Positions = npt.NDArray[np.void]

CHUNKS_PER_THREAD = 8  # positions differ in cost; small chunks even it out
EVALUATIONS = ("nnue", "classical")
SMALLEST_CHUNK = 1024
SEARCH_CHUNK = 16  # an interrupted search ends with the chunks that have begun
SEARCH_HASH_MB = 1
SEARCH_NODES = 5000
MOST_LINES = 256  # no position has so many moves


def pack(items: Iterable[str | Board | chess.Board]) -> Positions:
    """The packed positions of FENs, Boards or chess.Boards. Counters are capped at 255, 65535."""
    if isinstance(items, str):
        raise TypeError("FENs or boards are needed, not a single text")
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


def evaluate(
    positions: Positions,
    threads: int | None = None,
    *,
    evaluation: str = "nnue",
    eval_file: str | os.PathLike[str] = "",
) -> npt.NDArray[np.int16]:
    """The static evaluation of each position, in centipawns from the side to move: by the engine's
    network, by that of a file, or by the "classical" evaluation."""
    positions = checked(positions)
    scores = np.zeros(len(positions), dtype=np.int16)
    network = choose_network(evaluation, eval_file)
    share(core.evaluate_range, positions, scores, threads, SMALLEST_CHUNK, network)
    return scores


def choose_network(evaluation: str, eval_file: str | os.PathLike[str]) -> Network | None:
    """The network of an evaluation, by the names that the UCI options have; None for none."""
    if evaluation not in EVALUATIONS:
        raise ValueError(f"the evaluation is one of {', '.join(EVALUATIONS)}, not {evaluation!r}")
    return find_network(evaluation, os.fspath(eval_file))


def search(
    positions: Positions,
    *,
    nodes: int | None = None,
    depth: int | None = None,
    time: float | None = None,
    multipv: int = 1,
    pv: int = 0,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    evaluation: str = "nnue",
    eval_file: str | os.PathLike[str] = "",
) -> npt.NDArray[np.void]:
    """What a search of each position finds, as an array with the fields of `found_dtype`.

    Without a limit it is 5000 nodes; `time` is in seconds for each position. With `multipv` above 1
    there is a row of so many lines for each position, best first; lines that there are no moves
    for are empty. `progress` is told now and then how many are done, of how many. `evaluation` and
    `eval_file` are those of `evaluate`. Every position is searched by itself, so the answers do not
    depend on their order.
    """
    positions = checked(positions)
    legal_counts(positions, threads)  # names what is no position before the long work begins
    if nodes is None and depth is None and time is None:
        nodes = SEARCH_NODES
    limits = GoLimits(
        nodes=checked_limit("nodes", nodes, MOST_NODES),
        depth=checked_limit("depth", depth, MOST_DEPTH),
        movetime=None if time is None else to_milliseconds(time),
    )
    lines = checked_limit("multipv", multipv, MOST_LINES)
    if not 0 <= pv <= MOST_DEPTH:
        raise ValueError(f"pv must be from 0 to {MOST_DEPTH} moves, not {pv}")
    found = np.zeros((len(positions), lines), dtype=found_dtype(pv))
    bulk = BulkSearch(limits, lines, choose_network(evaluation, eval_file))
    share(
        bulk.work,
        positions,
        found,
        threads,
        1,
        largest_chunk=SEARCH_CHUNK,
        stop=bulk.stop,
        progress=progress,
    )
    return found[:, 0] if multipv == 1 else found


def found_dtype(pv: int = 0) -> np.dtype[np.void]:
    """The fields of what `search` finds.

    move: as UCI writes it; empty for a game that is over, or a line that there is no move for
    score: centipawns from the side to move; a mate is 32000 less the plies to it
    mate: the moves to mate, below 0 for the side that is mated; 0 if none is seen
    depth, nodes: how far the search came, and what it took
    pv: the first moves of the variation, if so many were asked for
    """
    fields: list[Any] = [
        ("move", "<U5"),
        ("score", "<i2"),
        ("mate", "<i2"),
        ("depth", "<u2"),
        ("nodes", "<u8"),
    ]
    return np.dtype(fields + ([("pv", "<U5", (pv,))] if pv else []))


class BulkSearch:
    """The searches of one call, which all threads share."""

    def __init__(self, limits: GoLimits, lines: int, network: Network | None) -> None:
        self.limits = limits
        self.lines = lines
        self.network = network
        self.is_stopped = False
        self.running: dict[int, core.Search] = {}  # by thread

    def stop(self) -> None:
        """End what runs, at once."""
        self.is_stopped = True
        for running in list(self.running.values()):
            running.stop()

    def work(
        self, array: Positions, found: npt.NDArray[np.void], _: int, first: int, end: int
    ) -> None:
        """Search some of the positions, in a thread of its own."""
        searcher = core.Searcher(hash_mb=SEARCH_HASH_MB, network=self.network)
        for index, board in enumerate(core.unpack_items(array[first:end], end - first), first):
            searcher.clear()
            lines = min(self.lines, max(1, board.legal_count()))
            search = begin_search(searcher, Request(board, self.limits, 0, lines))
            self.running[threading.get_ident()] = search
            if self.is_stopped:
                return
            for row, info in zip(found[index], search.run().infos, strict=False):
                keep(row, info)


def keep(row: np.void, info: SearchInfo) -> None:
    moves = [move.uci() for move in info.pv]
    row["move"] = moves[0] if moves else ""
    row["score"] = info.score
    row["mate"] = info.mate or 0
    row["depth"] = info.depth
    row["nodes"] = info.nodes
    if row.dtype.names is not None and "pv" in row.dtype.names:
        kept = moves[: len(row["pv"])]
        row["pv"][: len(kept)] = kept


def probe_wdl(
    positions: Positions, tables: str | os.PathLike[str] | Tablebase, threads: int | None = None
) -> npt.NDArray[np.int8]:
    """2, 1, 0, -1 or -2 for each position, as Tablebase.wdl() says; UNKNOWN_WDL where the tables
    don't reach. They are a Tablebase or directories, as in SyzygyPath."""
    positions = checked(positions)
    results = np.full(len(positions), UNKNOWN_WDL, dtype=np.int8)
    tablebase = tables if isinstance(tables, Tablebase) else Tablebase(tables)
    share(core.probe_wdl_range, positions, results, threads, SMALLEST_CHUNK, tablebase)
    return results


class Features(NamedTuple):
    """What the classical evaluation is made of, from White's side.

    counts: a row for each position, White's features less Black's
    phases: how much of the middlegame is left, of core.LARGEST_PHASE
    scales: how far the endgame counts, of core.LARGEST_SCALE
    wins: what is added where the ending is known to be won
    """

    counts: npt.NDArray[np.int8]
    phases: npt.NDArray[np.uint8]
    scales: npt.NDArray[np.uint8]
    wins: npt.NDArray[np.int16]


def features(positions: Positions, threads: int | None = None) -> Features:
    """The classical evaluation's feature counts (White's less Black's) and what is made of them."""
    positions = checked(positions)
    count = len(positions)
    found = Features(
        np.zeros((count, core.FEATURE_COUNT), dtype=np.int8),
        np.zeros(count, dtype=np.uint8),
        np.zeros(count, dtype=np.uint8),
        np.zeros(count, dtype=np.int16),
    )

    def work(array: Positions, rows: npt.NDArray[np.int8], *span: int) -> None:
        core.feature_range(array, rows, *found[1:], *span)

    share(work, positions, found.counts, threads, SMALLEST_CHUNK)
    return found


class GameArrays(NamedTuple):
    """Games as arrays with a row for each move, and a line for each game that is broken.

    positions: the position before the move
    moves: the move: 6 bits for the square it comes from, 6 for the one it goes to (castling: that
        of the rook), 4 for its kind; see `uci` and `to_moves`
    games: the number of the game in the file, from 0
    results: 1 if White has won, 0 for a draw, -1 if Black has won, 2 if that is not known
    elos: the ratings of White and Black, 0 if not known
    scores: what [%eval] in the move's comment says, in centipawns from White; a mate in n is 32000
        less n; NO_SCORE without
    clocks: what [%clk] in the move's comment says, in seconds; NaN without
    problems: file, line and reason of each broken game; its moves up to there are among the rows
    """

    positions: Positions
    moves: npt.NDArray[np.uint16]
    games: npt.NDArray[np.int64]
    results: npt.NDArray[np.int8]
    elos: npt.NDArray[np.int16]
    scores: npt.NDArray[np.int16]
    clocks: npt.NDArray[np.float32]
    problems: list[str]


NO_SCORE = NO_PGN_SCORE


def from_pgn(source: pgn.Source, *, threads: int | None = None) -> Iterator[GameArrays]:
    """The games of a PGN file (see `pgn.read`) as arrays, a few thousand games at a time."""
    name = pgn.source_name(source)
    first = 0
    for block, text, line in pgn.read_blocks(
        source, threads=thread_count(threads), positions=True, numbers=True
    ):
        lengths, results, white, black, broken = to_columns(block.all_games())
        yield GameArrays(
            positions=np.frombuffer(block.all_positions(), dtype=POSITION),
            moves=np.frombuffer(block.all_moves(), dtype=np.uint16),
            games=np.repeat(np.arange(first, first + len(block)), lengths),
            results=np.repeat(results.astype(np.int8), lengths),
            elos=np.repeat(np.stack([white, black], axis=1).astype(np.int16), lengths, axis=0),
            scores=np.frombuffer(block.all_scores(), dtype=np.int16),
            clocks=np.frombuffer(block.all_clocks(), dtype=np.float32),
            problems=pgn.describe_problems(
                block, np.flatnonzero(broken).tolist(), name, text, line
            ),
        )
        first += len(block)


def to_columns(rows: list[tuple[int, int, int, int, bool]]) -> npt.NDArray[np.int64]:
    return np.array(rows, dtype=np.int64).reshape(-1, 5).T


def to_moves(codes: npt.NDArray[np.uint16], *, chess960: bool = False) -> list[Move]:
    """The Moves that `from_pgn` gives as numbers."""
    return [core.move_of_code(code, chess960) for code in codes.tolist()]


def uci(codes: npt.NDArray[np.uint16], *, chess960: bool = False) -> npt.NDArray[np.str_]:
    """The UCI texts of moves that `from_pgn` gives as numbers."""
    different, places = np.unique(codes, return_inverse=True)
    texts = [move.uci() for move in to_moves(different, chess960=chess960)]
    return np.array(texts, dtype="<U5")[places]


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


def to_milliseconds(seconds: float) -> int:
    """At least one, as no time would be no limit."""
    if not seconds > 0:
        raise ValueError(f"time must be more than 0 seconds, not {seconds}")
    return max(1, round(min(1000 * seconds, LONGEST_MS)))


def thread_count(threads: int | None) -> int:
    """As asked for, or one for each core."""
    threads = (os.cpu_count() or 1) if threads is None else threads
    if threads < 1:
        raise ValueError(f"at least one thread is needed, not {threads}")
    return threads


def share(
    work: Callable[..., None],
    positions: Positions,
    results: npt.NDArray[Any],
    threads: int | None,
    smallest_chunk: int,
    *extra: object,
    largest_chunk: int = sys.maxsize,
    stop: Callable[[], object] | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> None:
    """Let threads fill the results, a chunk at a time.

    With `stop`, which ends what runs, all of it is done by other threads, so that Ctrl-C is heard.
    """
    threads = thread_count(threads)
    count = len(positions)
    chunk = max(smallest_chunk, min(-(-count // (threads * CHUNKS_PER_THREAD)), largest_chunk))
    ranges = [(first, min(first + chunk, count)) for first in range(0, count, chunk)]
    if stop is None and (threads == 1 or len(ranges) <= 1):
        work(positions, results, count, 0, count, *extra)
        return
    with Interrupts() as interrupts, ThreadPoolExecutor(threads) as pool:
        tasks = [pool.submit(work, positions, results, count, *span, *extra) for span in ranges]

        def leave() -> None:
            """What has not begun is not worth waiting for."""
            pool.shutdown(wait=False, cancel_futures=True)
            if stop is not None:
                stop()

        try:
            for (_, end), task in zip(ranges, tasks, strict=True):
                if not interrupts.watch(partial(has_ended, task), leave):
                    break
                task.result()
                if progress is not None:
                    progress(end, count)
            interrupts.check()
        except BaseException:
            leave()
            raise


def has_ended(task: Future[None], within_s: float) -> bool:
    """Wait so many seconds for a task."""
    return bool(wait([task], within_s).done)
