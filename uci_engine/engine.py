"""The engine inside this process: the call shapes of `chess.engine.SimpleEngine`, no subprocess.

with Engine(threads=2, hash_mb=64) as engine:
    engine.play(chess.Board(), chess.engine.Limit(time=0.1)).move
    engine.analyse(board, chess.engine.Limit(depth=18), multipv=3)
    with engine.analysis(board) as lines:
        for info in lines: ...
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Collection, Iterable, Sequence
from types import TracebackType
from typing import Any, overload

import chess
import chess.engine
from chess.engine import (
    INFO_ALL,
    INFO_PV,
    INFO_SCORE,
    AnalysisComplete,
    BestMove,
    Cp,
    Info,
    InfoDict,
    Limit,
    Mate,
    PlayResult,
    PovScore,
    Score,
)

from core_ext.core import (
    MAX_HASH_MB,
    MAX_THREADS,
    Board,
    Move,
    Searcher,
    SearchInfo,
    SearchResult,
)
from uci_engine.limits import MOST_DEPTH, MOST_NODES, GoLimits, allot_time
from uci_engine.report import cut_variation

OVERHEAD_MS = 1  # there is no pipe between the caller and the search
MOST_LINES = 256  # no position has so many moves


class Engine:
    """One engine: its searches come one after the other; several engines run side by side.

    A search that nothing limits makes way for the next one.
    """

    def __init__(self, *, threads: int = 1, hash_mb: int = 16) -> None:
        check_count("threads", threads, MAX_THREADS)
        check_count("hash_mb", hash_mb, MAX_HASH_MB)
        self._searcher = Searcher(hash_mb=hash_mb, threads=threads)
        self._searcher.allocate()  # memory that can't be had is missed here, not at the first move
        self._game: object = None
        self._turn = threading.Lock()  # held by the search that runs
        self._guard = threading.Lock()  # held while what follows is changed
        self._asked: list[Analysis] = []  # searches that have not ended
        self._running: Analysis | None = None
        self._closed = False

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the running search; nothing can be asked afterwards."""
        with self._guard:
            self._closed = True
        self.stop()

    def quit(self) -> None:
        """The same, by the name that is usual for an engine that is a process."""
        self.close()

    def stop(self) -> None:
        """End early what was asked for so far, with what is found by then; from any thread."""
        self._stop(self._asked.copy())

    def clear(self) -> None:
        """Forget everything, as before a new game."""
        self._stop([search for search in self._asked.copy() if search.is_endless])
        with self._turn:
            self._searcher.clear()

    def play(
        self,
        board: str | chess.Board | Board,
        limit: Limit,
        *,
        game: object = None,
        info: Info = INFO_ALL,
        root_moves: Iterable[chess.Move] | None = None,
    ) -> PlayResult:
        """The move to play, the expected answer, and what is known about them."""
        with Analysis(self, board, limit, 1, game, info, root_moves) as search:
            best = search.wait()
        return PlayResult(best.move, best.ponder, search.info)

    @overload
    def analyse(
        self,
        board: str | chess.Board | Board,
        limit: Limit,
        *,
        multipv: None = None,
        game: object = None,
        info: Info = INFO_ALL,
        root_moves: Iterable[chess.Move] | None = None,
    ) -> InfoDict: ...

    @overload
    def analyse(
        self,
        board: str | chess.Board | Board,
        limit: Limit,
        *,
        multipv: int,
        game: object = None,
        info: Info = INFO_ALL,
        root_moves: Iterable[chess.Move] | None = None,
    ) -> list[InfoDict]: ...

    def analyse(
        self,
        board: str | chess.Board | Board,
        limit: Limit,
        *,
        multipv: int | None = None,
        game: object = None,
        info: Info = INFO_ALL,
        root_moves: Iterable[chess.Move] | None = None,
    ) -> InfoDict | list[InfoDict]:
        """What the search finds; a list, best first, when `multipv` is given."""
        with self.analysis(
            board, limit, multipv=multipv, game=game, info=info, root_moves=root_moves
        ) as search:
            search.wait()
        return search.info if multipv is None else search.multipv

    def analysis(
        self,
        board: str | chess.Board | Board,
        limit: Limit | None = None,
        *,
        multipv: int | None = None,
        game: object = None,
        info: Info = INFO_ALL,
        root_moves: Iterable[chess.Move] | None = None,
    ) -> Analysis:
        """A search whose findings are iterated over while it runs."""
        lines = 1 if multipv is None else multipv
        return Analysis(self, board, limit or Limit(), lines, game, info, root_moves)

    # ---- what a search asks of its engine

    def _accept(self, search: Analysis) -> None:
        with self._guard:
            self._check_open()
            ahead = [other for other in self._asked if other.is_endless]
            self._asked.append(search)
        self._stop(ahead)

    def _stop(self, searches: Collection[Analysis]) -> None:
        with self._guard:
            for search in searches:
                search.is_stopped = True
            if self._running in searches:
                self._searcher.stop()

    def _run(self, search: Analysis, game: object, **arguments: Any) -> SearchResult:
        """Wait for the engine and search; in the thread of the search."""
        try:
            with self._turn:
                start_ns = time.monotonic_ns()
                with self._guard:
                    self._check_open()
                    self._running = search
                    self._searcher.prepare()
                    if search.is_stopped:
                        self._searcher.stop()
                if game != self._game:
                    self._searcher.clear()
                    self._game = game
                return self._searcher.search(start_ns=start_ns, **arguments)
        finally:
            with self._guard:
                if self._running is search:
                    self._running = None
                self._asked.remove(search)

    def _check_open(self) -> None:
        if self._closed:
            raise chess.engine.EngineTerminatedError("the engine is closed")


class Analysis:
    """A search in its own thread: iterate over it, or wait for it. Leaving `with` stops it."""

    def __init__(
        self,
        engine: Engine,
        board: str | chess.Board | Board,
        limit: Limit,
        lines: int,
        game: object,
        selected: Info,
        root_moves: Iterable[chess.Move] | None,
    ) -> None:
        position = Board(board)
        limits = to_limits(limit)
        budget = allot_time(limits, position.turn, OVERHEAD_MS)
        check_count("multipv", lines, MOST_LINES)
        self.multipv: list[InfoDict] = [{}]
        self.is_endless = limits == GoLimits()
        self.is_stopped = False
        self._engine = engine
        self._board = position.copy()
        self._selected = selected
        self._findings: queue.SimpleQueue[InfoDict | None] = queue.SimpleQueue()
        self._ended = threading.Event()
        self._best = BestMove(None, None)
        self._error: BaseException | None = None
        arguments = {
            "board": position,
            "depth": limits.depth,
            "nodes": limits.nodes,
            "mate": limits.mate,
            "soft_ms": budget.soft_ms,
            "hard_ms": budget.hard_ms,
            "multipv": min(lines, max(1, position.legal_count())),
            "searchmoves": to_root_moves(position, root_moves),
            "on_info": self._hear,
        }
        engine._accept(self)
        # A thread of its own also for `play`: Ctrl-C is heard by a main thread that only waits.
        threading.Thread(target=self._work, args=(game, arguments), daemon=True).start()

    @property
    def info(self) -> InfoDict:
        """The newest word on the best line."""
        return self.multipv[0]

    def stop(self) -> None:
        """End the search; what it has found can still be read."""
        self._engine._stop([self])

    def wait(self) -> BestMove:
        """The best move and the expected answer, once the search has ended."""
        self._ended.wait()
        if self._error is not None:
            raise self._error
        return self._best

    def get(self) -> InfoDict:
        """The next finding, waited for; AnalysisComplete if there will be none."""
        info = self._findings.get()
        if info is None:
            self._findings.put(None)  # for whoever asks again
            self.wait()
            raise AnalysisComplete("the analysis is complete")
        return info

    def next(self) -> InfoDict | None:
        """The next finding, waited for; None if there will be none."""
        try:
            return self.get()
        except AnalysisComplete:
            return None

    def would_block(self) -> bool:
        """Would the next finding have to be waited for?"""
        return self._findings.empty()

    def empty(self) -> bool:
        """Is everything read that has been found so far?"""
        return self._findings.qsize() <= self._ended.is_set()  # the end is in the queue too

    def __iter__(self) -> Analysis:
        return self

    def __next__(self) -> InfoDict:
        try:
            return self.get()
        except AnalysisComplete:
            raise StopIteration from None

    def __enter__(self) -> Analysis:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
        self._ended.wait()

    # ---- in the thread of the search

    def _work(self, game: object, arguments: dict[str, Any]) -> None:
        try:
            self._finish(self._engine._run(self, game, **arguments))
        except BaseException as error:
            self._error = error
        finally:
            self._ended.set()
            self._findings.put(None)

    def _hear(self, info: SearchInfo) -> None:
        self._tell(self._describe(info, info.nodes, info.time_ms))

    def _finish(self, result: SearchResult) -> None:
        """The last word on each line; the best one's counts are those of the whole search."""
        best = self._describe(result.infos[0], result.nodes, result.time_ms)
        if best != {**self.info, "time": best["time"], "nps": best["nps"]}:
            self._tell(best)
        others = [self._describe(info, info.nodes, info.time_ms) for info in result.infos[1:]]
        self.multipv = [best, *others]
        moves = [to_chess(move) for move in cut_variation(self._board, result.pv)[:2]]
        self._best = BestMove(*moves, *[None] * (2 - len(moves)))

    def _tell(self, told: InfoDict) -> None:
        number = told["multipv"]
        self.multipv += [{} for _ in range(len(self.multipv), number)]
        self.multipv[number - 1] = told
        self._findings.put(told)

    def _describe(self, info: SearchInfo, nodes: int, time_ms: int) -> InfoDict:
        told: InfoDict = {
            "depth": info.depth,
            "seldepth": info.seldepth,
            "multipv": info.multipv,
            "nodes": nodes,
            "nps": nodes * 1000 // max(time_ms, 1),
            "hashfull": info.hashfull,
            "tbhits": info.tbhits,
            "time": time_ms / 1000,
        }
        if self._selected & INFO_SCORE:
            score: Score = Cp(info.score) if info.mate is None else Mate(info.mate)
            told["score"] = PovScore(score, self._board.turn)
            if info.bound:
                told[info.bound] = True  # type: ignore[literal-required]  # as python-chess does
        if self._selected & INFO_PV:
            told["pv"] = [to_chess(move) for move in cut_variation(self._board, info.pv)]
        return told


def to_limits(limit: Limit) -> GoLimits:
    """What is asked for; as in python-chess, a limit below the smallest is the smallest."""
    if not isinstance(limit, Limit):
        raise TypeError(f"a chess.engine.Limit is needed, not {type(limit).__name__}")

    def number(name: str, unit: int = 1) -> int | None:
        value = getattr(limit, name)
        try:
            return None if value is None else round(value * unit)
        except (TypeError, ValueError, OverflowError):
            raise ValueError(f"the limit's {name} must be a number, not {value!r}") from None

    def at_least_one(name: str, most: int) -> int:
        value = number(name)
        return 0 if value is None else min(max(value, 1), most)

    return GoLimits(
        wtime=number("white_clock", 1000),
        btime=number("black_clock", 1000),
        winc=number("white_inc", 1000) or 0,
        binc=number("black_inc", 1000) or 0,
        movestogo=number("remaining_moves") or 0,
        depth=at_least_one("depth", MOST_DEPTH),
        nodes=at_least_one("nodes", MOST_NODES),
        mate=at_least_one("mate", MOST_DEPTH),
        movetime=number("time", 1000),
    )


def to_root_moves(
    board: Board, root_moves: Iterable[chess.Move] | None
) -> Sequence[chess.Move] | None:
    """The moves to search; None, for all, if there are none."""
    moves = list(root_moves or ())
    for move in moves:
        if not board.is_legal(move):
            raise ValueError(f"root_moves: {move} is not a legal move in {board.fen()}")
    return moves or None


def to_chess(move: Move) -> chess.Move:
    return chess.Move(move.from_square, move.to_square, move.promotion)


def check_count(name: str, value: int, most: int) -> None:
    if not isinstance(value, int):
        raise TypeError(f"{name} must be a whole number, not {value!r}")
    if not 1 <= value <= most:
        raise ValueError(f"{name} must be from 1 to {most}, not {value}")
