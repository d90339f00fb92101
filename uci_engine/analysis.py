"""One search of an Engine: it runs in a thread of its own, and is read while it runs."""

from __future__ import annotations

import os
import queue
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import chess
from chess.engine import (
    INFO_PV,
    INFO_SCORE,
    AnalysisComplete,
    BestMove,
    Cp,
    EngineTerminatedError,
    Info,
    InfoDict,
    Limit,
    Mate,
    PovScore,
    PovWdl,
    Score,
    Wdl,
)

from core_ext.core import Board, SearchInfo
from uci_engine.limits import MOST_DEPTH, MOST_NODES, GoLimits
from uci_engine.report import win_draw_loss
from uci_engine.rules import cut_variation
from uci_engine.searching import Request, say_the_same
from uci_engine.think import Thinker

if TYPE_CHECKING:
    from core_ext.core import AnyMove, Move, Searcher
    from uci_engine.aids import Aids
    from uci_engine.options import Options
    from uci_engine.report import Output

News = Callable[[InfoDict | None], object]


class Findings:
    """What a search has found so far: a Thinker reports to it, an Analysis reads it."""

    def __init__(self, request: Request, options: Options, selected: Info) -> None:
        self.request = request
        self.options = options
        self.board = request.board.copy()
        self.selected = selected
        self.tell_news: News = lambda info: None
        self.is_endless = request.limits.is_open or not request.limits.is_limited
        self.lines: list[InfoDict] = [{}]
        self.told: Sequence[SearchInfo] = ()
        self.best_pv: Sequence[Move] = ()
        self.has_ended = threading.Event()
        self.error: BaseException | None = None
        self.process = os.getpid()
        self.guard = threading.Lock()  # held while what follows is changed
        self.thinker: Thinker | None = None
        self.is_stopped = False
        self.hit: GoLimits | None = None  # by a ponderhit that came before the search began

    # ---- in the thread of the search

    def find(self, searcher: Searcher, aids: Aids, output: Output) -> None:
        """Search."""
        request = self.request._replace(start_ns=time.monotonic_ns())
        thinker = Thinker(request, self.options, searcher, aids, output, self)
        with self.guard:
            self.thinker = thinker
            if self.is_stopped:
                thinker.stop()
            if self.hit is not None:
                thinker.ponderhit(self.hit, request.start_ns)
        if not thinker.think() and not self.told:
            self.add([describe_no_move(self.board)])

    def end(self, error: BaseException | None) -> None:
        self.error = error
        self.has_ended.set()
        self.tell_news(None)

    # ---- what the Thinker reports

    def add(self, block: Sequence[SearchInfo]) -> None:
        """The lines of one depth."""
        self.told = block
        self.lines = [self.describe(info) for info in block]
        for line in self.lines:
            self.tell_news(line)

    def finish(self, block: Sequence[SearchInfo]) -> None:
        """The last word."""
        if not say_the_same(block, self.told):
            self.add(block)
        self.best_pv = cut_variation(self.board, block[0].pv)

    def describe(self, info: SearchInfo) -> InfoDict:
        told: InfoDict = {
            "depth": info.depth,
            "seldepth": info.seldepth,
            "multipv": info.multipv,
            "nodes": info.nodes,
            "nps": info.nodes * 1000 // max(info.time_ms, 1),
            "hashfull": info.hashfull,
            "tbhits": info.tbhits,
            "time": info.time_ms / 1000,
        }
        if self.selected & INFO_SCORE:
            score: Score = Cp(info.score) if info.mate is None else Mate(info.mate)
            told["score"] = PovScore(score, self.board.turn)
            told["wdl"] = PovWdl(Wdl(*win_draw_loss(info.score, info.mate)), self.board.turn)
            if info.bound:
                told[info.bound] = True  # type: ignore[literal-required]  # as python-chess does
        if self.selected & INFO_PV:
            told["pv"] = [move.to_chess() for move in cut_variation(self.board, info.pv)]
        return told

    # ---- from any thread

    def stop(self) -> None:
        if self.process != os.getpid():
            return  # its thread stayed with the parent
        with self.guard:
            self.is_stopped = True
            if self.thinker is not None:
                self.thinker.stop()

    def ponderhit(self, limits: GoLimits) -> None:
        """The expected move was played: from now on there are these limits."""
        with self.guard:
            self.is_endless = False
            self.hit = limits
            if self.thinker is not None:
                self.thinker.ponderhit(limits, time.monotonic_ns())

    @property
    def best(self) -> BestMove:
        """The best move and the expected answer; None where there is none."""
        if self.error is not None:
            raise self.error
        moves = [move.to_chess() for move in self.best_pv[:2]]
        return BestMove(*moves, *[None] * (2 - len(moves)))


def describe_no_move(board: Board) -> SearchInfo:
    """Of a game that is over."""
    return SearchInfo(depth=0, mate=0 if board.is_check() else None, pv=[])


class Readable:
    """What can be read of a search at any time, and ending it.

    The thread of the search does not know of this object: when nobody holds it any more, nobody
    will read what is found, and the search ends.
    """

    def __init__(self, engine: object, findings: Findings) -> None:
        self._engine = engine  # which would end its searches if nobody held it
        self._findings = findings
        weakref.finalize(self, findings.stop)

    @property
    def multipv(self) -> list[InfoDict]:
        """The newest word on each line."""
        return self._findings.lines

    @property
    def info(self) -> InfoDict:
        """The newest word on the best line."""
        return self.multipv[0]

    @property
    def nodes(self) -> int:
        """Searched so far, also between two findings."""
        thinker, told = self._findings.thinker, self.info.get("nodes", 0)
        return told if thinker is None else max(told, thinker.nodes_so_far)

    def stop(self) -> None:
        """End the search; what it has found can still be read."""
        self._findings.stop()


class Analysis(Readable):
    """A search in its own thread: iterate over it, or wait for it. Leaving `with` stops it."""

    def __init__(self, engine: object, findings: Findings) -> None:
        super().__init__(engine, findings)
        self._news: queue.SimpleQueue[InfoDict | None] = queue.SimpleQueue()
        findings.tell_news = self._news.put

    def wait(self) -> BestMove:
        """The best move and the expected answer, once the search has ended."""
        check_process(self._findings.process)
        self._findings.has_ended.wait()
        return self._findings.best

    def get(self) -> InfoDict:
        """The next finding, waited for; AnalysisComplete if there will be none."""
        check_process(self._findings.process)
        info = self._news.get()
        if info is None:
            self._news.put(None)  # for whoever asks again
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
        return self._news.empty()

    def empty(self) -> bool:
        """Is everything read that has been found so far?"""
        # The end is in the queue too.
        return self._news.qsize() <= self._findings.has_ended.is_set()

    def __iter__(self) -> Analysis:
        return self

    def __next__(self) -> InfoDict:
        try:
            return self.get()
        except AnalysisComplete:
            raise StopIteration from None

    def __enter__(self) -> Analysis:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        if self._findings.process == os.getpid():
            self._findings.has_ended.wait()


def check_process(process: int) -> None:
    """Nothing of its parent's searches goes on in a forked child; who waits for one would hang."""
    if process != os.getpid():
        raise EngineTerminatedError(
            "this engine belongs to the process that was forked; make another one here"
        )


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
    board: Board, root_moves: Iterable[AnyMove | chess.Move] | None
) -> Sequence[AnyMove] | None:
    """The moves to search; None, for all, if there are none."""
    moves = list(root_moves or ())
    for move in moves:
        if not board.is_legal(move):
            raise ValueError(f"root_moves: {move} is not a legal move in {board.fen()}")
    return moves or None
