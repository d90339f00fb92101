"""Monte Carlo tree search against alpha-beta, at equal time, over a ladder of budgets."""

from __future__ import annotations

import argparse

from uci_engine.arguments import number_between
from uci_engine.lab.findings import Outcome, Picture, Table
from uci_engine.lab.matches import Progress, make_spec, play
from uci_engine.lab.studies import Tell
from uci_engine.pages.plots import Curve, line_plot


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    milliseconds = number_between(1, 10_000)
    add("--budgets", type=milliseconds, nargs="+", default=[5, 20, 80], help="ms a move (5 20 80)")
    add("--games", type=number_between(2, 10_000), default=12, help="at each budget (12)")
    add("--seed", type=number_between(0, 2**32 - 1), default=1, help="of the openings (1)")


def run(options: argparse.Namespace, tell: Tell) -> Outcome:
    rows, data, points = [], {}, []
    for budget in options.budgets:
        specs = [
            make_spec(
                f"{algorithm}, {evaluation}", budget, Algorithm=algorithm, Evaluation=evaluation
            )
            for algorithm, evaluation in (("mcts", "classical"), ("alphabeta", "material"))
        ]
        progress = Progress(tell, f"{budget} ms a move")
        tally = play(specs, options.games, options.seed, progress).tally()
        rows.append([str(budget), str(tally.wins), str(tally.draws), str(tally.losses),
                     f"{100 * tally.score:.1f}%", str(tally.figures.elo)])  # fmt: skip
        data[str(budget)] = {"wins": tally.wins, "draws": tally.draws, "losses": tally.losses}
        points.append((float(budget), 100 * tally.score))
    outcome = Outcome("Monte Carlo tree search against alpha-beta at equal time")
    head = ["ms a move", "wins", "draws", "losses", "score", "Elo, 95% interval"]
    outcome.tables = [Table(head, rows, names=0)]
    plot = line_plot("Score", [Curve(points)], "milliseconds a move", [(50.0, "even")])
    outcome.pictures = [Picture(plot, "The score of mcts in percent, over the time of a move")]
    outcome.remarks = [
        "mcts with the classical evaluation, quiescence in place of playouts and priors, against "
        "alpha-beta that counts material, without order, table or quiescence.",
    ]
    outcome.data = {"games": options.games, "seed": options.seed, "budgets": data}
    return outcome
