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
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Any, Literal, overload

import chess
import chess.engine
from chess.engine import BestMove, Cp, InfoDict, Limit, Mate, PlayResult, PovScore, Score

from core_ext.core import Board, Move, Searcher, SearchInfo, SearchResult
from uci_engine.limits import GoLimits, allot_time

OVERHEAD_MS = 1  # there is no pipe between the caller and the search


class Engine:
    """One engine: its searches come one after the other; several engines run side by side."""

    def __init__(self, *, threads: int = 1, hash_mb: int = 16) -> None:
        self._searcher = Searcher(hash_mb=hash_mb, threads=threads)
        self._lock = threading.Lock()
        self._game: object = None
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
        """End a running search; nothing can be asked afterwards."""
        self._closed = True
        self.stop()

    def stop(self) -> None:
        """End the running search early; from any thread."""
        self._searcher.stop()

    def clear(self) -> None:
        """Forget everything, as before a new game."""
        with self._lock:
            self._searcher.clear()

    def play(
        self,
        board: chess.Board | Board,
        limit: Limit,
        *,
        game: object = None,
        root_moves: Iterable[chess.Move] | None = None,
    ) -> PlayResult:
        """The move to play, the expected answer, and what is known about them."""
        position = Board(board)
        found = self._search(position, limit, game, root_moves, 1)
        info = to_info(found.infos[0], position.turn)
        return PlayResult(to_chess(found.best), to_chess(found.ponder), info)

    @overload
    def analyse(
        self,
        board: chess.Board | Board,
        limit: Limit,
        *,
        multipv: None = None,
        game: object = None,
        root_moves: Iterable[chess.Move] | None = None,
    ) -> InfoDict: ...

    @overload
    def analyse(
        self,
        board: chess.Board | Board,
        limit: Limit,
        *,
        multipv: int,
        game: object = None,
        root_moves: Iterable[chess.Move] | None = None,
    ) -> list[InfoDict]: ...

    def analyse(
        self,
        board: chess.Board | Board,
        limit: Limit,
        *,
        multipv: int | None = None,
        game: object = None,
        root_moves: Iterable[chess.Move] | None = None,
    ) -> InfoDict | list[InfoDict]:
        """What the search finds; a list, best first, when `multipv` is given."""
        position = Board(board)
        found = self._search(position, limit, game, root_moves, multipv or 1)
        infos = [to_info(info, position.turn) for info in found.infos]
        return infos[0] if multipv is None else infos

    def analysis(
        self,
        board: chess.Board | Board,
        limit: Limit | None = None,
        *,
        multipv: int | None = None,
        game: object = None,
        root_moves: Iterable[chess.Move] | None = None,
    ) -> Analysis:
        """A search whose findings are iterated over while it runs."""
        self._check_open()
        return Analysis(self, Board(board), limit or Limit(), multipv or 1, game, root_moves)

    def _check_open(self) -> None:
        if self._closed:
            raise chess.engine.EngineTerminatedError("the engine is closed")

    def _search(
        self,
        board: Board,
        limit: Limit,
        game: object,
        root_moves: Iterable[chess.Move] | None,
        multipv: int,
        on_info: Any = None,
    ) -> SearchResult:
        start_ns = time.monotonic_ns()
        self._check_open()
        with self._lock:
            if game is not None and game != self._game:
                self._searcher.clear()
                self._game = game
            self._searcher.prepare()
            self._check_open()  # closed while this search was waiting
            budget = allot_time(to_limits(limit), board.turn, OVERHEAD_MS)
            return self._searcher.search(
                board,
                depth=limit.depth or 0,
                nodes=limit.nodes or 0,
                mate=limit.mate or 0,
                soft_ms=budget.soft_ms,
                hard_ms=budget.hard_ms,
                start_ns=start_ns,
                multipv=multipv,
                searchmoves=None if root_moves is None else list(root_moves),
                on_info=on_info,
            )


class Analysis:
    """A running search: iterate over it, or wait for it. Leaving the `with` block stops it."""

    def __init__(
        self,
        engine: Engine,
        board: Board,
        limit: Limit,
        multipv: int,
        game: object,
        root_moves: Iterable[chess.Move] | None,
    ) -> None:
        self.multipv: list[InfoDict] = [{} for _ in range(multipv)]
        self._engine = engine
        self._turn = board.turn
        self._queue: queue.SimpleQueue[InfoDict | None] = queue.SimpleQueue()
        self._result: SearchResult | None = None
        self._error: BaseException | None = None
        self._stopped = False
        arguments = (board, limit, game, root_moves, multipv, self._take)
        self._thread = threading.Thread(target=self._run, args=arguments, daemon=True)
        self._thread.start()

    @property
    def info(self) -> InfoDict:
        """The newest word on the best line."""
        return self.multipv[0]

    def stop(self) -> None:
        """End the search; what it has found can still be read."""
        self._stopped = True
        self._engine.stop()

    def wait(self) -> BestMove:
        """The best move and the expected answer, once the search has ended."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        assert self._result is not None
        return BestMove(to_chess(self._result.best), to_chess(self._result.ponder))

    def __iter__(self) -> Iterator[InfoDict]:
        while (info := self._queue.get()) is not None:
            yield info

    def __enter__(self) -> Analysis:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> Literal[False]:
        self.stop()
        self._thread.join()
        return False

    def _run(self, *arguments: Any) -> None:
        try:
            self._result = self._engine._search(*arguments)
        except BaseException as error:
            self._error = error
        finally:
            self._queue.put(None)

    def _take(self, info: SearchInfo) -> None:
        if info.bound:
            return  # python-chess has no place for it
        if self._stopped:
            self._engine.stop()  # a stop that came before the search had begun
        told = to_info(info, self._turn)
        self.multipv[info.multipv - 1] = told
        self._queue.put(told)


def to_limits(limit: Limit) -> GoLimits:
    def milliseconds(seconds: float | None) -> int | None:
        return None if seconds is None else int(seconds * 1000)

    return GoLimits(
        wtime=milliseconds(limit.white_clock),
        btime=milliseconds(limit.black_clock),
        winc=milliseconds(limit.white_inc) or 0,
        binc=milliseconds(limit.black_inc) or 0,
        movestogo=limit.remaining_moves or 0,
        movetime=milliseconds(limit.time),
    )


def to_chess(move: Move | None) -> chess.Move | None:
    return None if move is None else chess.Move(move.from_square, move.to_square, move.promotion)


def to_info(info: SearchInfo, turn: bool) -> InfoDict:
    score: Score = Cp(info.score) if info.mate is None else Mate(info.mate)
    seconds = info.time_ms / 1000
    return {
        "depth": info.depth,
        "seldepth": info.seldepth,
        "multipv": info.multipv,
        "score": PovScore(score, turn),
        "nodes": info.nodes,
        "nps": int(info.nodes / seconds) if seconds else 0,
        "hashfull": info.hashfull,
        "tbhits": info.tbhits,
        "time": seconds,
        "pv": [chess.Move(m.from_square, m.to_square, m.promotion) for m in info.pv],
    }
