"""`cythera lab`: the experiments, one by one or all on one page."""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from uci_engine.arguments import Parser
from uci_engine.files import replace_text
from uci_engine.lab.findings import Outcome, contents, make_page

# name: (module, what it shows)
EXPERIMENTS = {
    "pruning": (
        "pruning",
        "nodes against depth, of minimax, alpha-beta in every order, the engine",
    ),
    "horizon": ("horizon", "a search that throws pawns away so as not to see the loss of a piece"),
    "ordering": ("ordering", "how often the first move cuts off, with each heuristic switched off"),
    "evaluation-error": ("evaluation_error", "what errors of the leaves do to minimax's choice"),
    "ucb1": ("bandit", "the balance of exploiting and exploring, and back-propagation, in numbers"),
    "mcts": ("duel", "Monte Carlo tree search against alpha-beta at equal time"),
    "depth": ("depths", "the depth that a budget of nodes reaches, and Deep Blue beside it"),
    "ladder": ("ladder", "all algorithms and evaluations in a round robin, with ratings"),
    "tree": ("tree", "draws a game tree with values, windows and cut branches"),
    "practice": ("practice", "a page on which alpha-beta is practised by hand"),
    "opponents": ("opponents", "minimax against players who err, and who knows how they err"),
    "explain": ("explain", "how the engine's choice in a position changes with depth"),
}
PROGRESS_AFTER = 1.0  # seconds; what is quick stays silent
ALL = "all"


def main(arguments: Sequence[str]) -> int:
    if not arguments or arguments[0] in ("-h", "--help"):
        print(overview())
        return 0
    name, *rest = arguments
    if name == ALL:
        return run_all(rest)
    if name not in EXPERIMENTS:
        raise ValueError(f"lab: no experiment {name!r}; there are {', '.join(EXPERIMENTS)}, all")
    options = parse(name, rest)
    if options.out is not None:
        options.out.mkdir(parents=True, exist_ok=True)
    outcome = run(name, options)
    print(outcome.text())
    if options.out is not None:
        for path in outcome.write(name, options.out):
            print(f"{path} is written", file=sys.stderr)
    return 0


def overview() -> str:
    return "\n".join(
        [
            "usage: cythera lab NAME [settings] [--out DIR]    a picture and JSON into a directory",
            "       cythera lab NAME --help",
            "       cythera lab all --out DIR                  all of them on one page",
            "",
            *(f"  {name:<17} {purpose}" for name, (_, purpose) in EXPERIMENTS.items()),
        ]
    )


def load(name: str) -> Any:
    return importlib.import_module(f"uci_engine.lab.experiments.{EXPERIMENTS[name][0]}")


def parse(name: str, arguments: Sequence[str]) -> argparse.Namespace:
    parser = Parser(prog=f"cythera lab {name}", description=EXPERIMENTS[name][1])
    parser.add_argument("--out", type=Path, metavar="DIR", help="write picture and JSON there")
    load(name).add_arguments(parser)
    return parser.parse_args(arguments)


def run(name: str, options: argparse.Namespace) -> Outcome:
    start = time.monotonic()

    def tell(text: str) -> None:
        if time.monotonic() - start >= PROGRESS_AFTER:
            print(f"{name}: {text}", file=sys.stderr, flush=True)

    outcome: Outcome = load(name).run(options, tell)
    return outcome


def run_all(arguments: Sequence[str]) -> int:
    """Each is written as soon as it is done; one that was interrupted leaves the others."""
    parser = Parser(prog="cythera lab all", description="All experiments on one page.")
    parser.add_argument("--out", type=Path, metavar="DIR", required=True, help="where to")
    place: Path = parser.parse_args(arguments).out
    place.mkdir(parents=True, exist_ok=True)
    sections = []
    start = time.monotonic()
    for number, name in enumerate(EXPERIMENTS, 1):
        print(f"{number} of {len(EXPERIMENTS)}: {name}", file=sys.stderr, flush=True)
        options = parse(name, [])
        outcome = run(name, options)
        outcome.write(name, place)
        sections.append(outcome.html(name))
        seconds = time.monotonic() - start
        introduction = (
            f"Every algorithm of the lecture notes, at work: {number} of {len(EXPERIMENTS)} "
            f"experiments, {seconds:.0f} seconds on this machine."
        )
        done = contents(list(EXPERIMENTS)[:number])
        page = make_page("Cythera's lab", introduction, [done, *sections])
        replace_text(place / "index.html", [page])
    print(f"{place / 'index.html'} is written")
    return 0
