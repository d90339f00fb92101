"""One search from beginning to end: book, tablebases, playing strength, the core's search.

Runs in the search thread. What comes out is the variation that was told last; its first move is
the one to play.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

from uci_engine.limits import Budget, GoLimits
from uci_engine.report import Line, Output, Reporter, format_no_move
from uci_engine.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from random import Random

    from core_ext.core import Board, Move, Searcher, SearchInfo, SearchResult
    from uci_engine.book import Book
    from uci_engine.options import Options
    from uci_engine.strength import Strength
    from uci_engine.tablebase import Tablebase, Verdict

# The score of a position that the tablebases call won, as other engines give it.
TABLEBASE_WIN = 20_000
# The tablebases may use this part of the hard budget before the search begins.
TABLEBASE_TIME_SHARE = 0.3


class Task(Value):
    """A search as it was asked for; nothing that happens later changes it."""

    board: Board
    limits: GoLimits
    searchmoves: list[Move] | None  # legal ones; None for all
    budget: Budget
    nodes: int  # 0: no limit
    options: Options
    start_ns: int


class Aids(Value):
    """What helps a search; None where it is not wanted."""

    book: Book | None
    tablebase: Tablebase | None
    strength: Strength | None
    random: Random | None


class Thinker:
    """Works on one task."""

    def __init__(self, task: Task, searcher: Searcher, aids: Aids, output: Output) -> None:
        self.task = task
        self.searcher = searcher
        self.aids = aids
        self.output = output
        self.stopped = threading.Event()
        self.reporter = Reporter(output, task.board, task.options.show_wdl)
        self.verdict: Verdict | None = None
        self.nodes = 0  # of the search that had a limit; pondering is free
        self.clock = (task.budget, task.start_ns)  # what may be used, and since when
        self.turn = threading.Lock()  # held by who decides how a ponder search goes on
        self.granted_nodes = 0  # by a ponderhit
        self.is_over = False  # the search that such a ponderhit would end

    def think(self) -> Sequence[Move]:
        """The best variation; empty if there is no legal move."""
        board = self.task.board
        if board.legal_count() == 0:
            self.output.write(format_no_move(board))
            return ()
        if not self.play_from_book():
            self.ask_tablebase()
            self.finish(self.search())
        return self.reporter.best_pv

    # ---- while it runs: called from the thread that reads commands

    def stop(self) -> None:
        """Answer soon."""
        self.stopped.set()
        self.searcher.stop()

    def ponderhit(self, budget: Budget, start_ns: int) -> None:
        """From now on there is a clock."""
        self.clock = (budget, start_ns)
        self.searcher.ponderhit(budget.soft_ms, budget.hard_ms, start_ns)

    def ponderhit_by_nodes(self, nodes: int) -> None:
        """From now on there are so many nodes. The core can't give a limit of nodes to a search
        that runs: that one ends, and another begins with the table that it filled."""
        with self.turn:
            if not self.is_over:
                self.granted_nodes = nodes
                self.searcher.stop()

    # ---- before the search

    def play_from_book(self) -> bool:
        task, book = self.task, self.aids.book
        if book is None or task.limits.is_open or task.searchmoves is not None:
            return False
        if task.options.analyse_mode or task.board.fullmove_number > task.options.book_depth:
            return False
        try:
            move = book.choose(task.board)
        except Exception as error:
            self.output.tell(f"the book can't be read: {error}")
            return False
        if move is None:
            return False
        self.output.tell("this move is from the book")
        time_ms = milliseconds_since(task.start_ns)
        self.reporter.tell(Line(1, 1, 1, 0, None, "", 0, 0, 0, time_ms, [move]))
        return True

    def ask_tablebase(self) -> None:
        """With a verdict, only the moves that keep the result are searched."""
        tablebase, options = self.aids.tablebase, self.task.options
        if tablebase is None or self.aids.strength is not None:
            return
        if self.task.searchmoves is not None:
            return
        try:
            self.verdict = tablebase.judge(
                self.task.board,
                options.syzygy_50_move_rule,
                options.syzygy_probe_limit,
                self.must_hurry,
            )
        except Exception as error:  # whatever a damaged file leads to
            self.output.tell(f"the tablebases can't be read: {type(error).__name__}: {error}")

    def must_hurry(self) -> bool:
        budget, start_ns = self.clock
        most = TABLEBASE_TIME_SHARE * budget.hard_ms
        return self.stopped.is_set() or (0 < most < milliseconds_since(start_ns))

    # ---- the search

    def search(self) -> SearchResult:
        is_open = self.task.limits.is_open
        result = self.run(self.task.nodes, is_open)
        if is_open:
            if not self.must_begin_again():
                return result
            result = self.run(self.granted_nodes, is_open=False)
        self.nodes = result.nodes
        return result

    def must_begin_again(self) -> bool:
        """Did a ponderhit end the search to give nodes to the next one?"""
        with self.turn:
            self.is_over = True
            if self.granted_nodes:
                self.searcher.prepare()
        # Looked at after prepare(), which forgets the stops before it.
        return self.granted_nodes > 0 and not self.stopped.is_set()

    def run(self, nodes: int, is_open: bool) -> SearchResult:
        task, strength = self.task, self.aids.strength
        limits, multipv = task.limits, task.options.multipv
        if strength is not None:
            from uci_engine.strength import CANDIDATES

            nodes = min(nodes or strength.nodes, strength.nodes)
            if strength.margin:  # else there is nothing to choose, and more lines cost depth
                multipv = max(multipv, CANDIDATES)
        return self.searcher.search(
            task.board,
            depth=limits.depth,
            nodes=nodes,
            mate=limits.mate,
            soft_ms=task.budget.soft_ms,
            hard_ms=task.budget.hard_ms,
            start_ns=task.start_ns,
            multipv=multipv,
            searchmoves=self.verdict.moves if self.verdict else task.searchmoves,
            infinite=is_open,
            on_info=self.hear,
        )

    def hear(self, info: SearchInfo) -> None:
        """The core's callback."""
        if info.multipv <= self.task.options.multipv:
            self.reporter.add(self.adopt(info))

    def adopt(self, info: SearchInfo) -> Line:
        """The line to tell for a line of the core: where the tablebases know better, they speak."""
        line = Line(
            info.depth,
            info.seldepth,
            info.multipv,
            info.score,
            info.mate,
            info.bound,
            info.nodes,
            info.hashfull,
            info.tbhits,
            info.time_ms,
            info.pv,
        )
        if self.verdict is None:
            return line
        line = line._replace(tbhits=line.tbhits + self.verdict.probes)
        if line.mate is not None and line.mate * self.verdict.outcome > 0:
            return line
        return line._replace(score=score_verdict(self.verdict), mate=None, bound="")

    # ---- after the search

    def finish(self, result: SearchResult) -> None:
        """Choose a move, and see to it that the last best line told begins with it."""
        best = self.choose([self.adopt(info) for info in result.infos])
        self.reporter.finish(best._replace(multipv=1, nodes=result.nodes, time_ms=result.time_ms))

    def choose(self, lines: list[Line]) -> Line:
        best, strength, random = lines[0], self.aids.strength, self.aids.random
        if strength is not None and random is not None:
            from uci_engine.strength import choose_line

            return choose_line(lines, strength, random)
        if self.verdict is not None and self.verdict.outcome > 0 and best.mate is None:
            # The search sees no mate yet: play what brings one nearer for certain.
            surest = self.verdict.moves[0]
            same = [line for line in lines if line.pv[0] == surest]
            return same[0] if same else best._replace(pv=[surest])
        return best


def milliseconds_since(start_ns: int) -> int:
    return (time.monotonic_ns() - start_ns) // 1_000_000


def score_verdict(verdict: Verdict) -> int:
    """Half a win or loss, one that the fifty-move rule spoils, is a draw."""
    return TABLEBASE_WIN * int(verdict.outcome / 2)
