"""One search of the UCI engine: book, tablebases, playing strength, the core's search.

Runs in the search thread. What comes out is the variation that was told last; its first move is
the one to play.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

from core_ext.core import SearchInfo
from uci_engine.report import format_no_move
from uci_engine.searching import Probing, Request, begin_search

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from core_ext.core import Move, Search, Searcher, SearchResult
    from uci_engine.aids import Aids
    from uci_engine.limits import GoLimits
    from uci_engine.options import Options
    from uci_engine.report import Output

    class Listener(Protocol):
        """Who hears what is found: a Reporter writes it, a program's Findings keep it."""

        best_pv: Sequence[Move]

        def add(self, block: Sequence[SearchInfo]) -> None: ...
        def finish(self, block: Sequence[SearchInfo]) -> None: ...


class Thinker:
    """Works on one request."""

    def __init__(
        self,
        request: Request,
        options: Options,
        searcher: Searcher,
        aids: Aids,
        output: Output,
        reporter: Listener,
    ) -> None:
        self.request = request
        self.options = options
        self.searcher = searcher
        self.aids = aids
        self.output = output
        self.reporter = reporter
        self.nodes = 0  # of the search that had a limit; pondering is free
        # What the thread that reads commands has said, and whether it can still be heard.
        self.turn = threading.Lock()  # held while what follows is changed
        self.search: Search | None = None
        self.is_stopped = False
        self.clock = (request.budget, request.start_ns)  # what may be used, since when
        self.clock_is_hit = False  # by a ponderhit
        self.granted: GoLimits | None = None  # by a ponderhit that gives nodes
        self.is_over = False  # too late for such a one

    def think(self) -> Sequence[Move]:
        """The best variation; empty if there is no legal move."""
        board = self.request.board
        if board.legal_count() == 0:
            self.output.write(format_no_move(board))
            return ()
        if not self.play_from_book():
            self.finish(self.run())
        return self.reporter.best_pv

    # ---- while it runs: called from the thread that reads commands

    def stop(self) -> None:
        """Answer soon."""
        with self.turn:
            self.is_stopped = True
            if self.search is not None:
                self.search.stop()

    @property
    def nodes_so_far(self) -> int:
        """Of the search that runs; 0 before and after."""
        search = self.search
        return 0 if search is None else search.nodes

    def ponderhit(self, limits: GoLimits, start_ns: int) -> None:
        """From now on there are these limits."""
        with self.turn:
            if limits.nodes == self.request.limits.nodes:
                self.clock = (self.request._replace(limits=limits).budget, start_ns)
                self.clock_is_hit = True
                self.start_clock()
            elif not self.is_over:
                # The core can't give a limit of nodes to a search that runs: that one ends, and
                # another begins with the table that it filled.
                self.granted = limits
                if self.search is not None:
                    self.search.stop()

    def start_clock(self) -> None:
        budget, start_ns = self.clock
        if self.search is not None and self.clock_is_hit:
            self.search.ponderhit(budget.soft_ms, budget.hard_ms, start_ns)

    # ---- before the search

    def play_from_book(self) -> bool:
        request, options, book = self.request, self.options, self.aids.book
        if book is None or request.limits.is_open or request.root_moves is not None:
            return False
        if options.analyse_mode or request.board.fullmove_number > options.book_depth:
            return False
        try:
            move = book.choose(request.board)
        except Exception as error:
            self.output.tell(f"the book can't be read: {error}")
            return False
        if move is None:
            return False
        self.output.tell("this move is from the book")
        self.reporter.finish([describe_book_move(move, request.start_ns)])
        return True

    # ---- the search

    def run(self) -> SearchResult:
        """Search; once more if a ponderhit gave nodes meanwhile."""
        asked = self.request.limits
        while True:
            with self.turn:
                limits = self.granted or asked
                search = self.search = begin_search(self.searcher, self.limited(limits), self.hear)
                self.start_clock()
                if self.is_stopped:
                    search.stop()
            result = search.run()
            with self.turn:
                if self.granted is None or self.granted is limits or self.is_stopped:
                    self.is_over = True
                    break
        self.nodes = 0 if limits.is_open else result.nodes
        return result

    def limited(self, limits: GoLimits) -> Request:
        """The request with these limits, at the strength and with the tables that are wanted."""
        request = self.request._replace(limits=limits)
        strength = self.aids.strength
        if strength is not None:
            from uci_engine.strength import CANDIDATES

            nodes = min(limits.nodes or strength.nodes, strength.nodes)
            request = request._replace(limits=limits._replace(nodes=nodes))
            if strength.margin:  # else there is nothing to choose, and more lines cost depth
                request = request._replace(multipv=max(request.multipv, CANDIDATES))
        elif self.aids.tablebase is not None:
            request = request._replace(
                probing=Probing(
                    self.aids.tablebase,
                    self.options.syzygy_probe_depth,
                    self.options.syzygy_probe_limit,
                    self.options.syzygy_50_move_rule,
                )
            )
        return request

    def hear(self, block: list[SearchInfo]) -> None:
        """The core's callback."""
        self.reporter.add(block[: self.request.multipv])

    # ---- after the search

    def finish(self, result: SearchResult) -> None:
        """Choose a move, and see to it that the last lines told begin with it."""
        if self.aids.tablebase is not None:
            for refusal in self.aids.tablebase.refusals():
                self.output.warn(refusal)
        lines = result.infos
        best = self.choose(lines)
        others = [line for line in lines if line.pv[0] != best.pv[0]]
        ranked = enumerate([best, *others][: self.request.multipv], 1)
        self.reporter.finish([line._replace(multipv=number) for number, line in ranked])

    def choose(self, lines: list[SearchInfo]) -> SearchInfo:
        best, strength, random = lines[0], self.aids.strength, self.aids.random
        if strength is not None and random is not None:
            from uci_engine.strength import choose_line

            return choose_line(lines, strength, random)
        return best


def describe_book_move(move: Move, start_ns: int) -> SearchInfo:
    return SearchInfo(depth=1, seldepth=1, time_ms=milliseconds_since(start_ns), pv=[move])


def milliseconds_since(start_ns: int) -> int:
    return (time.monotonic_ns() - start_ns) // 1_000_000
