"""What a game is: states, who is to move, actions, their results, the end and what it is worth."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Protocol, TypeVar

MAX, MIN, CHANCE = "MAX", "MIN", "CHANCE"

S = TypeVar("S", bound=Hashable)
A = TypeVar("A")
B = TypeVar("B")
V = TypeVar("V")


class Game(Protocol[S, A]):
    """Two players, MAX and MIN, or more with names of their own. Utilities of MAX and MIN sum to
    zero; with more players each has its own."""

    @property
    def initial(self) -> S: ...
    def to_move(self, state: S) -> str: ...
    def actions(self, state: S) -> Sequence[A]: ...
    def result(self, state: S, action: A) -> S: ...
    def is_terminal(self, state: S) -> bool: ...
    def utility(self, state: S, player: str) -> float: ...


class ChanceGame(Game[S, A], Protocol[S, A]):
    """A game with dice: where CHANCE is to move, its actions are the outcomes."""

    def probability(self, state: S, action: A) -> float: ...


class Visits:
    """Counts what an algorithm looks at. Each tells when it enters a state and what it leaves with;
    subclasses remember more."""

    def __init__(self) -> None:
        self.nodes = 0
        self.leaves = 0
        self.cutoffs = 0

    def enter(self, state: Hashable, alpha: float | None = None, beta: float | None = None) -> None:
        self.nodes += 1

    def leaf(self, value: V) -> tuple[V, None]:
        """The search ends here. A value is a number, or with many players a vector of them."""
        self.leaves += 1
        return self.leave(value, None)

    def leave(self, value: V, action: B) -> tuple[V, B]:
        """The value of a state and the best action there."""
        return value, action

    def cut(self) -> None:
        """The actions not tried yet can't matter any more."""
        self.cutoffs += 1
