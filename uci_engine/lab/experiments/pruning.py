"""Nodes against depth: what alpha-beta saves, and how much of it depends on the moves' order."""

from __future__ import annotations

import argparse
from math import log, log10
from random import Random
from typing import Any

from core_ext.core import Board
from uci_engine.arguments import number_between
from uci_engine.lab.algorithms import alphabeta
from uci_engine.lab.findings import Outcome, Picture, Table
from uci_engine.lab.game import Visits
from uci_engine.lab.studies import (
    POSITIONS,
    Tell,
    add_position,
    depth_counts,
    growth,
    make_searcher,
    read_position,
    refuse_long,
    thousands,
)
from uci_engine.lab.trees import TreeGame, random_tree
from uci_engine.pages.plots import Curve, line_plot

# The first seven look at the same tree, so that their values must agree.
FIXED: dict[str, tuple[str, dict[str, Any]]] = {
    "minimax": ("minimax", {}),
    "alpha-beta, worst order": ("alphabeta", {"order": "worst"}),
    "alpha-beta, random order": ("alphabeta", {"order": "random"}),
    "alpha-beta, as generated": ("alphabeta", {}),
    "alpha-beta, the engine's order": ("alphabeta", {"order": "engine"}),
    "alpha-beta, perfect order": ("alphabeta", {"order": "perfect"}),
    "... engine's order and a table": ("alphabeta", {"order": "engine", "table": True}),
}
DEEPER: dict[str, tuple[str, dict[str, Any]]] = {
    "... and quiescence": ("alphabeta-quiescence", {"order": "engine", "table": True}),
    "the whole engine": ("pvs", {"evaluation": "nnue"}),
}
FULL_SPEED = 3_000_000  # nodes a second, with the classical evaluation
TREES = 10
WIDTHS = (3, 10, 35, 100, 1000, 10_000, 1_000_000)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_position(parser, POSITIONS["middlegame"])
    parser.add_argument("--depth", type=number_between(2, 20), default=4, help="(4)")


def run(options: argparse.Namespace, tell: Tell) -> Outcome:
    board = read_position(options.fen)
    refuse_long(board, options.depth, FULL_SPEED)
    counts: dict[str, list[tuple[int, int, int]]] = {}
    for name, (algorithm, study) in {**FIXED, **DEEPER}.items():
        tell(name)
        searcher = make_searcher(algorithm, **study)
        counts[name] = depth_counts(searcher, board, options.depth)
    outcome = Outcome("Pruning: nodes against depth")
    outcome.tables = [count_table(counts, options.depth), uniform_table(tell), factor_table()]
    outcome.pictures = [picture(counts, branching(board))]
    outcome.remarks = remarks(counts, board)
    outcome.data = {
        "fen": options.fen,
        "branching": branching(board),
        "nodes": {name: [nodes for _, nodes, _ in rows] for name, rows in counts.items()},
        "scores": {name: [score for *_, score in rows] for name, rows in counts.items()},
        "growth": {name: round(factor(rows), 3) for name, rows in counts.items()},
        "agree": agree(counts),
        "depth_ratio": round(depth_ratio(counts), 2),
    }
    return outcome


def branching(board: Board) -> float:
    """Of the tree's first plies."""
    return float(board.perft(3) ** (1 / 3))


def factor(rows: list[tuple[int, int, int]]) -> float:
    return growth([(depth, nodes) for depth, nodes, _ in rows if depth > 1])


def depth_ratio(counts: dict[str, list[tuple[int, int, int]]]) -> float:
    """Of perfect order and minimax, with as many nodes: logarithms of their factors."""
    best = factor(counts["alpha-beta, perfect order"])
    return log(factor(counts["minimax"])) / log(best) if best > 1 else 1.0


def agree(counts: dict[str, list[tuple[int, int, int]]]) -> bool:
    scores = {name: [score for *_, score in counts[name]] for name in FIXED}
    return len({tuple(values) for values in scores.values()}) == 1


def count_table(counts: dict[str, list[tuple[int, int, int]]], depth: int) -> Table:
    head = ["search", *(f"depth {d}" for d in range(1, depth + 1)), "factor", "value"]
    rows = [
        [
            name,
            *(thousands(nodes) for _, nodes, _ in rows),
            f"{factor(rows):.1f}",
            f"{rows[-1][2]:+d}",
        ]
        for name, rows in counts.items()
    ]
    return Table(head, rows, title="Positions visited in each iteration")


def uniform_table(tell: Tell) -> Table:
    """Trees of one shape with random leaves: the leaves that are visited, against theory."""
    tell("random trees")
    rng = Random(1)
    rows = []
    for width, depth in ((3, 8), (4, 6), (6, 4), (10, 4)):
        seen = []
        for _ in range(TREES):
            tree = random_tree(rng, width, depth, 10**9)
            visits = Visits()
            alphabeta(TreeGame(tree), tree, visits)
            seen.append(visits.leaves)
        least = width ** ((depth + 1) // 2) + width ** (depth // 2) - 1
        rows.append(
            [
                f"b = {width}, d = {depth}",
                thousands(width**depth),
                thousands(sum(seen) / TREES),
                thousands(width ** (3 * depth / 4)),
                thousands(least),
            ]
        )
    head = ["uniform trees", "all leaves", "random order", "b^(3d/4)", "perfect order"]
    return Table(head, rows, title=f"Leaves visited in random trees, mean of {TREES}")


def random_order_factor(width: int) -> float:
    """By which alpha-beta grows with each ply of a deep uniform tree in random order, after Pearl:
    x / (1 - x) for the root x of x^b + x = 1, here found by halving."""
    low, high = 0.0, 1.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if middle**width + middle < 1 else (low, middle)
    return low / (1 - low)


def factor_table() -> Table:
    """The notes' two approximations, for reasonable b and for large."""
    rows = [
        [thousands(width), *(f"{factor:.1f}" for factor in (
            random_order_factor(width), width**0.75, width / log(width)))]
        for width in WIDTHS
    ]  # fmt: skip
    head = ["b", "random order", "b^(3/4)", "b/ln b"]
    return Table(head, rows, names=0, title="The factor of a ply in deep uniform trees, by theory")


def picture(counts: dict[str, list[tuple[int, int, int]]], width: float) -> Picture:
    chosen = ["minimax", "alpha-beta, worst order", "alpha-beta, random order",
              "alpha-beta, the engine's order", "alpha-beta, perfect order",
              "the whole engine"]  # fmt: skip
    curves = [
        Curve([(depth, log10(max(nodes, 1))) for depth, nodes, _ in counts[name]], name)
        for name in chosen
    ]
    depths = [depth for depth, *_ in counts["minimax"]]
    curves += [
        Curve([(depth, share * depth * log10(width)) for depth in depths], name, dashed=True)
        for name, share in (("b^d", 1), ("b^(3d/4)", 0.75), ("b^(d/2)", 0.5))
    ]
    plot = line_plot("Nodes against depth", curves, "depth")
    return Picture(plot, "Powers of ten of the nodes visited; dashed: theory")


def remarks(counts: dict[str, list[tuple[int, int, int]]], board: Board) -> list[str]:
    width = branching(board)
    verdict = "agree" if agree(counts) else "DO NOT AGREE"
    return [
        f"b is about {width:.1f} here: theory says a factor of {width:.1f} for minimax, "
        f"{width**0.75:.1f} for random order, {width**0.5:.1f} for perfect order.",
        f"Minimax and every alpha-beta {verdict} on the value of every depth.",
        f"By the factors, perfect order reaches {depth_ratio(counts):.1f} times minimax's depth "
        "with as many nodes.",
    ]
