"""UCB1 in numbers: C turns exploitation into exploration; a result is propagated back."""

from __future__ import annotations

import argparse

from uci_engine.lab.findings import Outcome, Picture, Table
from uci_engine.lab.game import MAX, MIN
from uci_engine.lab.mcts import Node, back_propagate, ucb1
from uci_engine.lab.studies import Tell
from uci_engine.pages.plots import Curve, line_plot

PARENT_VISITS = 100
CHILDREN = ((60, 79), (1, 10), (2, 11))  # wins and visits
NOTED = (1.4, 1.5)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    pass


def scores(c: float) -> list[float]:
    return [ucb1(wins, visits, PARENT_VISITS, c) for wins, visits in CHILDREN]


def turning_point() -> float:
    """The C above which the child that was seen less is chosen; by halving."""
    low, high = 1.0, 2.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        first, _, second = scores(middle)
        low, high = (middle, high) if first > second else (low, middle)
    return low


def run(options: argparse.Namespace, tell: Tell) -> Outcome:
    names = [f"{wins}/{visits}" for wins, visits in CHILDREN]
    rows = []
    for c in (0.5, 1.0, 1.2, *NOTED, 1.6, 2.0):
        values = scores(c)
        rows.append([f"{c:g}", *(f"{value:.2f}" for value in values),
                     names[values.index(max(values))]])  # fmt: skip
    turn = turning_point()
    steps = [0.02 * step for step in range(101)]
    curves = [
        Curve([(c, scores(c)[number]) for c in steps], name) for number, name in enumerate(names)
    ]
    outcome = Outcome("UCB1 and back-propagation")
    outcome.tables = [
        Table(["C", *names, "chosen"], rows, title="UCB1, parent visited 100 times"),
        back_propagation_table(),
    ]
    outcome.pictures = [
        Picture(line_plot("UCB1 over C", curves, "C"), "UCB1 of the three children")
    ]
    outcome.remarks = [
        f"Up to C = {turn:.3f} the child with 60 wins of 79 is chosen, above it the one with 2 of "
        "11: between the notes' 1.4 and 1.5 the choice flips.",
    ]
    outcome.data = {
        "turning_point": turn,
        "scores": {f"{c:g}": dict(zip(names, scores(c), strict=True)) for c in NOTED},
    }
    return outcome


def back_propagation_table() -> Table:
    """Black (MIN) wins a playout below four nodes of the notes' tree."""
    nodes: list[Node[str, int]] = []
    for player, wins, visits in ((MAX, 37, 100), (MIN, 60, 79), (MAX, 16, 53), (MIN, 27, 35)):
        parent = nodes[-1] if nodes else None
        nodes.append(Node("", player, parent, wins=wins, visits=visits))
    before = [f"{node.wins:g}/{node.visits}" for node in nodes]
    back_propagate(nodes[-1], wins_of_max=0)
    after = [f"{node.wins:g}/{node.visits}" for node in nodes]
    owners = ["White, the root", "Black", "White", "Black"]
    rows = [list(row) for row in zip(owners, before, after, strict=True)]
    return Table(["node of", "before", "after"], rows, title="Black wins a playout")
