"""How often the first move tried causes the cut-off, with each ordering heuristic switched off."""

from __future__ import annotations

import argparse

from core_ext.core import HEURISTICS, Board
from uci_engine.arguments import number_between
from uci_engine.bench import POSITIONS
from uci_engine.lab.findings import Outcome, Picture, Table
from uci_engine.lab.studies import Tell, make_searcher, thousands
from uci_engine.pages.plots import bars

SAMPLE = 8
MOST_DEPTH = 7


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--depth", type=number_between(2, MOST_DEPTH), default=5, help="(5)")


def run(options: argparse.Namespace, tell: Tell) -> Outcome:
    boards = [Board(fen) for fen in POSITIONS[1 : 3 * SAMPLE : 3]]
    settings = {"all of them": list(HEURISTICS)}
    settings |= {f"without {name}": [h for h in HEURISTICS if h != name] for name in HEURISTICS}
    settings["none of them"] = []
    rows, data = [], {}
    for name, heuristics in settings.items():
        tell(name)
        nodes = cutoffs = first = 0
        for board in boards:
            searcher = make_searcher(
                "alphabeta-quiescence", order="engine", heuristics=heuristics, table=True
            )
            nodes += searcher.search(board, depth=options.depth).nodes
            cuts, by_first = searcher.cutoffs
            cutoffs += cuts
            first += by_first
        share = first / cutoffs
        data[name] = {"nodes": nodes, "cutoffs": cutoffs, "first": first}
        rows.append([name, thousands(nodes), thousands(cutoffs), f"{100 * share:.1f}%"])
    outcome = Outcome("Order: who causes the cut-off")
    outcome.tables = [Table(["heuristics", "nodes", "cut-offs", "by the first move"], rows)]
    shares = [(name, 100 * counts["first"] / counts["cutoffs"]) for name, counts in data.items()]
    plot = bars("Cut-offs by the first move", [(name, round(v, 1)) for name, v in shares], "%")
    outcome.pictures = [Picture(plot, "Share of the cut-offs that the first move tried causes")]
    outcome.remarks = [
        f"Alpha-beta with a table and quiescence to depth {options.depth}, {len(boards)} "
        "positions. A cut-off by the first move costs nothing: the nearer the share is to 100%, "
        "the nearer the tree is to the smallest one there is."
    ]
    outcome.data = {"depth": options.depth, "settings": data}
    return outcome
