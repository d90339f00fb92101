"""Minimax against players who err: its value is a floor, and somebody who knows the weakness of the
other may get more."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import cache
from typing import Any

from uci_engine.lab.findings import Outcome, Picture, Table
from uci_engine.lab.game import MAX, Game
from uci_engine.lab.games import MARKS, TicTacToe, other
from uci_engine.lab.studies import Tell
from uci_engine.pages.plots import Curve, line_plot

SHARES = (0.0, 0.1, 0.25, 0.5, 0.75, 1.0)

State = Any
Value = Callable[[State], float]


class SecondPlayer(TicTacToe):
    """Tic-tac-toe in which MIN begins."""

    def to_move(self, state: str) -> str:
        return other(super().to_move(state))

    def result(self, state: str, action: int) -> str:
        return state[:action] + MARKS[super().to_move(state)] + state[action + 1 :]

    def utility(self, state: str, player: str) -> float:
        return super().utility(state, other(player))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    pass


class Contest:
    """A game between MAX, with some policy, and MIN, who moves at random with some chance and else
    by minimax. Expectations are exact."""

    def __init__(self, game: Game[Any, Any]) -> None:
        self.game = game
        self.truth = cache(self.find_truth)

    def children(self, state: State) -> list[State]:
        return [self.game.result(state, action) for action in self.game.actions(state)]

    def find_truth(self, state: State) -> float:
        """The minimax value."""
        if self.game.is_terminal(state):
            return self.game.utility(state, MAX)
        best = max if self.game.to_move(state) == MAX else min
        return best(map(self.truth, self.children(state)))

    def by_minimax(self, state: State, value: Value) -> float:
        """The first of the moves that minimax calls best, whoever the other is."""
        return value(max(self.children(state), key=self.truth))

    def by_best_reply(self, state: State, value: Value) -> float:
        """Expectimax, by somebody who knows how the other errs."""
        return max(map(value, self.children(state)))

    def at_random(self, state: State, value: Value) -> float:
        values = [value(child) for child in self.children(state)]
        return sum(values) / len(values)

    def expected(self, policy: Callable[[State, Value], float], errs: float) -> float:
        @cache
        def value(state: State) -> float:
            if self.game.is_terminal(state):
                return self.game.utility(state, MAX)
            if self.game.to_move(state) == MAX:
                return policy(state, value)
            wise = value(min(self.children(state), key=self.truth))
            return errs * self.at_random(state, value) + (1 - errs) * wise

        return value(self.game.initial)


def measure(game: Game[Any, Any]) -> dict[str, dict[str, float]]:
    contest = Contest(game)
    policies = {
        "minimax": contest.by_minimax,
        "knows the weakness": contest.by_best_reply,
        "at random": contest.at_random,
    }
    return {
        name: {f"{errs:g}": contest.expected(policy, errs) for errs in SHARES}
        for name, policy in policies.items()
    }


def result_table(title: str, data: dict[str, dict[str, float]]) -> Table:
    rows = [
        [f"{100 * errs:.0f}%", *(f"{values[f'{errs:g}']:+.3f}" for values in data.values())]
        for errs in SHARES
    ]
    return Table(["MIN errs", *data], rows, title=title)


def plot(title: str, data: dict[str, dict[str, float]]) -> Picture:
    curves = [
        Curve([(100 * errs, values[f"{errs:g}"]) for errs in SHARES], name)
        for name, values in data.items()
    ]
    picture = line_plot("Expected result", curves, "percent of MIN's moves at random")
    return Picture(picture, f"What MAX gets at {title}, by how often MIN errs")


def run(options: argparse.Namespace, tell: Tell) -> Outcome:
    games: dict[str, Game[Any, Any]] = {
        "tic-tac-toe": TicTacToe(),
        "tic-tac-toe, MIN begins": SecondPlayer(),
    }
    outcome = Outcome("Players who err")
    for title, game in games.items():
        tell(title)
        data = measure(game)
        outcome.tables.append(result_table(title, data))
        outcome.pictures.append(plot(title, data))
        outcome.data[title] = data
    outcome.remarks = [
        "Minimax never gets less than its value, whoever it plays: a floor. Who knows how the "
        "other errs may get more: of moves that are all worth the same to minimax, it chooses the "
        "one after which the most replies are wrong.",
    ]
    return outcome
