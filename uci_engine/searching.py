"""The one way to search: what is asked for in the words of a `go` becomes a search of the core."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from uci_engine.limits import Budget, GoLimits, allot_time
from uci_engine.network import find_network
from uci_engine.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from core_ext.core import AnyMove, Board, Search, Searcher, SearchInfo, Tablebase
    from uci_engine.options import Options


class Probing(Value):
    """Tablebases, and what is asked of them: the options that begin with Syzygy."""

    tablebase: Tablebase
    probe_depth: int
    probe_limit: int
    fifty_move_rule: bool


class Request(Value):
    """A search as it was asked for; nothing that happens later changes it."""

    board: Board
    limits: GoLimits
    overhead_ms: int
    multipv: int = 1
    root_moves: Sequence[AnyMove] | None = None  # legal ones; None for all
    start_ns: int = 0  # from when on the time counts; 0: when it runs
    probing: Probing | None = None

    @property
    def budget(self) -> Budget:
        """The time that it may take; nothing limits an open search before its `ponderhit`."""
        if self.limits.is_open:
            return Budget()
        return allot_time(self.limits, self.board.turn, self.overhead_ms)


def choose_search(searcher: Searcher, options: Options) -> None:
    """What searches and what evaluates, for a searcher that is idle."""
    searcher.set_network(find_network(options.evaluation, options.eval_file))
    points = options.evaluation if options.evaluation in ("material", "turing") else None
    searcher.set_points(points)
    searcher.set_algorithm(options.algorithm)
    searcher.set_tree(
        c=options.mcts_c / 100,
        playouts=options.mcts_simulation == "random",
        priors=options.mcts_priors,
    )


def begin_search(
    searcher: Searcher,
    request: Request,
    on_report: Callable[[list[SearchInfo]], None] | None = None,
) -> Search:
    """The search, to be run in any thread; from now on it can be stopped."""
    limits, budget = request.limits, request.budget
    return searcher.begin(
        request.board,
        depth=limits.depth,
        nodes=limits.nodes,
        mate=limits.mate,
        soft_ms=budget.soft_ms,
        hard_ms=budget.hard_ms,
        start_ns=request.start_ns or None,
        multipv=request.multipv,
        searchmoves=request.root_moves,
        infinite=limits.is_open,
        on_report=on_report,
        **(request.probing._asdict() if request.probing else {}),
    )


def say_the_same(infos: Sequence[SearchInfo], others: Sequence[SearchInfo]) -> bool:
    """Is it the same news, clock aside?"""
    return [info._replace(time_ms=0) for info in infos] == [
        other._replace(time_ms=0) for other in others
    ]
