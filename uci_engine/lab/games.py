"""The games of the lecture notes that are small enough to be searched to their end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import inf

from uci_engine.lab.game import CHANCE, MAX, MIN


def other(player: str) -> str:
    return MIN if player == MAX else MAX


# ---- tic-tac-toe

LINES = ("012", "345", "678", "036", "147", "258", "048", "246")
EMPTY = "."
MARKS = {MAX: "x", MIN: "o"}


class TicTacToe:
    """A state is its nine cells; MAX, who plays x, begins."""

    initial = EMPTY * 9

    def to_move(self, state: str) -> str:
        return MAX if state.count("x") == state.count("o") else MIN

    def actions(self, state: str) -> Sequence[int]:
        return [cell for cell, mark in enumerate(state) if mark == EMPTY]

    def result(self, state: str, action: int) -> str:
        return state[:action] + MARKS[self.to_move(state)] + state[action + 1 :]

    def is_terminal(self, state: str) -> bool:
        return EMPTY not in state or winner_of(state) is not None

    def utility(self, state: str, player: str) -> float:
        winner = winner_of(state)
        return 0 if winner is None else 1 if winner == player else -1


@cache
def winner_of(state: str) -> str | None:
    for player, mark in MARKS.items():
        if any(all(state[int(cell)] == mark for cell in line) for line in LINES):
            return player
    return None


def open_lines(state: str) -> float:
    """The notes' evaluation: lines of three still open for MAX less those open for MIN."""
    winner = winner_of(state)
    if winner is not None:
        return inf if winner == MAX else -inf
    lines = ["".join(state[int(cell)] for cell in line) for line in LINES]
    return sum("o" not in line for line in lines) - sum("x" not in line for line in lines)


# ---- stones and coins


@dataclass(frozen=True)
class Heap:
    left: int
    player: str


class TakingGame:
    """A heap from which the players take in turn; who takes the last one wins, or loses."""

    def __init__(self, size: int, most: int, last_wins: bool) -> None:
        if size < 0 or most < 1:
            raise ValueError(f"a heap of {size} with {most} taken at most is no game")
        self.initial = Heap(size, MAX)
        self.most = most
        self.last_wins = last_wins

    def to_move(self, state: Heap) -> str:
        return state.player

    def actions(self, state: Heap) -> Sequence[int]:
        return range(1, min(self.most, state.left) + 1)

    def result(self, state: Heap, action: int) -> Heap:
        return Heap(state.left - action, other(state.player))

    def is_terminal(self, state: Heap) -> bool:
        return state.left == 0

    def utility(self, state: Heap, player: str) -> float:
        took_last = other(state.player)
        return 1 if (player == took_last) == self.last_wins else -1


def nim(stones: int) -> TakingGame:
    """One, two or three stones are taken; who takes the last one wins."""
    return TakingGame(stones, 3, last_wins=True)


def coin_game(coins: int = 4) -> TakingGame:
    """One or two coins are taken; who takes the last one loses."""
    return TakingGame(coins, 2, last_wins=False)


# ---- a dice game


@dataclass(frozen=True)
class Race:
    """Points of MAX and MIN, and whose turn it is; `tossed` while the die is in the air."""

    points: tuple[int, int]
    player: str
    tossed: bool = False


STEP, TOSS = "step", "toss"
STEADY_POINTS = 2
DIE = (1, 2, 3, 4, 5, 6)
LEAST_THROW = 5  # what is thrown below counts as one point


class DiceRace:
    """The first to reach the goal wins. A turn is a sure step of two points, or a toss of a die:
    five and six count as they are, all else as one. That is more on average, and mostly less."""

    def __init__(self, goal: int) -> None:
        if goal < 1:
            raise ValueError(f"a race to {goal} points is no game")
        self.goal = goal
        self.initial = Race((0, 0), MAX)

    def to_move(self, state: Race) -> str:
        return CHANCE if state.tossed else state.player

    def actions(self, state: Race) -> Sequence[str]:
        return [str(face) for face in DIE] if state.tossed else [STEP, TOSS]

    def result(self, state: Race, action: str) -> Race:
        if action == TOSS:
            return Race(state.points, state.player, tossed=True)
        gain = STEADY_POINTS if action == STEP else int(action)
        if state.tossed and gain < LEAST_THROW:
            gain = 1
        own, theirs = state.points if state.player == MAX else reversed(state.points)
        own = min(own + gain, self.goal)
        points = (own, theirs) if state.player == MAX else (theirs, own)
        return Race(points, other(state.player))

    def is_terminal(self, state: Race) -> bool:
        return max(state.points) == self.goal

    def utility(self, state: Race, player: str) -> float:
        winner = MAX if state.points[0] == self.goal else MIN
        return 1 if player == winner else -1

    def probability(self, state: Race, action: str) -> float:
        return 1 / len(DIE)


# ---- choices at the same time


@dataclass(frozen=True)
class MatrixGame:
    """Two players choose at once. There is no state in which one knows the other's choice, so there
    is no tree of turns and no minimax: what is left is dominance and best replies."""

    actions: tuple[str, ...]
    payoffs: dict[tuple[str, str], tuple[float, float]]

    def payoff(self, player: int, own: str, theirs: str) -> float:
        choices = (own, theirs) if player == 0 else (theirs, own)
        return self.payoffs[choices][player]

    def best_replies(self, player: int, theirs: str) -> list[str]:
        best = max(self.payoff(player, own, theirs) for own in self.actions)
        return [own for own in self.actions if self.payoff(player, own, theirs) == best]

    def dominates(self, player: int, better: str, worse: str, strictly: bool = False) -> bool:
        """Never worse and sometimes better; strictly: always better."""
        gains = [
            self.payoff(player, better, theirs) - self.payoff(player, worse, theirs)
            for theirs in self.actions
        ]
        return min(gains) > 0 if strictly else min(gains) >= 0 and max(gains) > 0

    def equilibria(self) -> list[tuple[str, str]]:
        """Pairs of choices of which each is a best reply to the other."""
        return [
            (first, second)
            for first in self.actions
            for second in self.actions
            if first in self.best_replies(0, second) and second in self.best_replies(1, first)
        ]


ACCEPT, DENY = "accept", "deny"


def prisoners() -> MatrixGame:
    """Years in prison, as losses."""
    return MatrixGame(
        (ACCEPT, DENY),
        {
            (DENY, DENY): (-10, -10),
            (ACCEPT, ACCEPT): (-5, -5),
            (DENY, ACCEPT): (0, -10),
            (ACCEPT, DENY): (-10, 0),
        },
    )
