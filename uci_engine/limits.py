"""How long to think: from the limits of a `go` to a soft and a hard budget. All of it is pure.

The soft budget is what a move of ordinary difficulty should take: the search stretches and shrinks
it. The hard budget is never passed, whatever happens on the board.
"""

from __future__ import annotations

from uci_engine.values import Value

# Of the clock, and of the increment. More goes at first than the increment brings, so that little
# but the reserve is left when most games are decided; a clock that is low gives less and recovers.
CLOCK_SHARE = 0.04
INCREMENT_SHARE = 1.2
# Not spent by plan: a busy machine may keep an answer waiting for longer than any overhead says.
RESERVE_MS = 150
# A clock without an increment only falls: what so many moves to come lose on the way is set aside,
# but no more than this part of what there is.
MOVES_TO_COME = 50
MOST_SET_ASIDE = 0.9
# With moves to go, of an equal share; the rest is left to the later and more difficult moves.
EQUAL_SHARE = 0.9
# Clocks with many moves to go are managed as if they had this many.
MOST_MOVES_TO_GO = 40
# The hard budget: so many times the soft one, but no more than this part of the clock. With few
# moves to go before the next time control more of the clock may go.
HARD_FACTOR = 5.0
HARD_CLOCK_SHARE = 0.3
LAST_MOVE_CLOCK_SHARE = 0.8

# What is larger than this is as good as no limit, and fits the core's integers.
LONGEST_MS = 2**40
MOST_NODES = 2**60
MOST_DEPTH = 1000


class GoLimits(Value):
    """What a `go` asked for. Times are in milliseconds; None or 0 where nothing was said."""

    wtime: int | None = None
    btime: int | None = None
    winc: int = 0
    binc: int = 0
    movestogo: int = 0
    depth: int = 0
    nodes: int = 0
    mate: int = 0
    movetime: int | None = None
    infinite: bool = False
    ponder: bool = False
    searchmoves: tuple[str, ...] | None = None
    perft: int | None = None

    @property
    def is_open(self) -> bool:
        """Does nothing but a `stop` or a `ponderhit` end this search?"""
        return self.infinite or self.ponder

    @property
    def is_limited(self) -> bool:
        """Is there anything that ends this search, unless it is open?"""
        clocks = (self.wtime, self.btime, self.movetime, self.perft)
        counts = (self.depth, self.nodes, self.mate)
        return any(clock is not None for clock in clocks) or any(counts)

    def clock(self, white: bool) -> tuple[int | None, int]:
        """The mover's time and increment. The other clock, if only that is known, is a guess."""
        own, other = (self.wtime, self.btime) if white else (self.btime, self.wtime)
        increment = self.winc if white else self.binc
        return (other if own is None else own), max(increment, 0)


class Budget(Value):
    """Milliseconds from when `go` was read; 0 means that there is no such limit."""

    soft_ms: int = 0
    hard_ms: int = 0


def allot_time(limits: GoLimits, white: bool, overhead: int) -> Budget:
    """The budgets for the side to move."""
    budget = Budget()
    time, increment = limits.clock(white)
    if time is not None:
        budget = allot_clock(time, increment, limits.movestogo, overhead)
    if limits.movetime is not None:
        most = max(1, min(limits.movetime, LONGEST_MS) - overhead)
        budget = Budget(
            min(budget.soft_ms, most), min(budget.hard_ms, most) if budget.hard_ms else most
        )
    return budget


def allot_clock(time: int, increment: int, moves_to_go: int, overhead: int) -> Budget:
    """The share of one move. Nothing is counted on that the clock does not show already: the
    increment comes only after the move."""
    left = max(1, min(time, LONGEST_MS) - overhead)
    usable = left - min(RESERVE_MS, left // 2)
    increment = min(increment, LONGEST_MS)
    if moves_to_go > 0:
        moves = min(moves_to_go, MOST_MOVES_TO_GO)
        later = (increment - overhead) * (moves - 1)
        soft = EQUAL_SHARE * (usable + later) / moves
        cap = HARD_CLOCK_SHARE + (LAST_MOVE_CLOCK_SHARE - HARD_CLOCK_SHARE) / moves
    else:
        lost = MOVES_TO_COME * max(0, overhead - increment)
        usable -= min(lost, int(MOST_SET_ASIDE * usable))
        plenty = min(1.0, usable / RESERVE_MS)
        soft = CLOCK_SHARE * usable + INCREMENT_SHARE * increment * plenty
        cap = HARD_CLOCK_SHARE
    hard = max(1.0, min(HARD_FACTOR * max(soft, 1.0), cap * usable))
    return Budget(int(max(1.0, min(soft, hard))), int(hard))


class NodeClock:
    """A clock that counts nodes instead of time, for games that can be repeated exactly.

    So many nodes count as a millisecond. The first clock of a game tells how many there are; from
    then on nodes are taken off and increments added here, whatever the real clock shows.
    """

    def __init__(self) -> None:
        self.left: int | None = None
        self.is_running = False  # for a search that was given nodes by the clock

    def allot(self, limits: GoLimits, white: bool, overhead: int, nodes_per_ms: int) -> int:
        """The number of nodes for this move; 0 if nothing limits the time."""
        time, increment = limits.clock(white)
        self.is_running = time is not None
        if time is not None:
            if self.left is None:
                self.left = time * nodes_per_ms
            else:
                self.left += increment * nodes_per_ms
            shown = self.left // nodes_per_ms
            limits = limits._replace(wtime=shown, btime=shown)
        budget = allot_time(limits, white, overhead)
        return (budget.soft_ms or budget.hard_ms) * nodes_per_ms

    def convert(self, limits: GoLimits, white: bool, overhead: int, nodes_per_ms: int) -> GoLimits:
        """The same limits with nodes in place of time."""
        nodes = self.allot(limits, white, overhead, nodes_per_ms)
        nodes = min(nodes or limits.nodes, limits.nodes or nodes)
        return limits._replace(wtime=None, btime=None, movetime=None, nodes=nodes)

    def take(self, nodes: int) -> None:
        """The search is over. One that had nothing from this clock costs it nothing."""
        if self.left is not None and self.is_running:
            self.left -= nodes
        self.is_running = False
