"""`cythera suite`: engines side by side at test positions."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from uci_engine.arena.play.notices import show_once
from uci_engine.arena.play.positions import TestPosition, read_test_positions
from uci_engine.arena.play.runner import Runner
from uci_engine.arena.play.start import ENDS, make_runner
from uci_engine.arena.play.suite_station import Solution, SuiteJob, SuiteTask
from uci_engine.arena.players.engine_arguments import add_engine_arguments, parse_engines
from uci_engine.arena.players.spec import OWN_NAME, EngineSpec
from uci_engine.arena.show.figures import columns
from uci_engine.arguments import Parser
from uci_engine.files import check_writable, replace_json
from uci_engine.interrupts import EXIT_CODE, Interrupts

EXAMPLE = """\
example:
  cythera suite wac.epd --each st=1 option.Hash=16 --engine cmd=cythera \\
      --engine cmd=/usr/games/stockfish --concurrency 2 --json wac.json

Engines and their settings are as in `cythera match`; with no --engine it is this one.
A line's operations: bm (best moves), am (moves to avoid), dm (a mate in so many moves), id.
"""


def make_parser() -> Parser:
    parser = Parser(
        prog="cythera suite",
        description="Let engines solve the positions of an EPD file.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("file", type=Path, metavar="FILE", help="EPD positions with bm, am or dm")
    add_engine_arguments(parser, "positions")
    add("--json", type=Path, metavar="FILE", help="write all solutions there")
    add("--quiet", action="store_true", help="only the table")
    return parser


def parse_specs(options: argparse.Namespace) -> tuple[EngineSpec, ...]:
    """Clocks are for games: here each position has the same limit."""
    ourselves = ["cmd=" + shlex.join([sys.executable, "-m", "uci_engine"]), f"name={OWN_NAME}"]
    return parse_engines(
        options, ("st", "nodes", "depth"), lambda spec: spec.control.limits_move, ourselves
    )


class Suite:
    """Positions, who solves them, and the solutions so far."""

    def __init__(self, positions: Sequence[TestPosition], specs: tuple[EngineSpec, ...]) -> None:
        self.positions = positions
        self.specs = specs
        self.names = [spec.name for spec in specs]
        self.solutions: list[Solution] = []

    @property
    def total(self) -> int:
        return len(self.specs) * len(self.positions)

    def solve(self, runner: Runner[SuiteTask, Solution], quiet: bool) -> None:
        """Engine by engine, so that none is started more often than needed."""
        tasks = (SuiteTask(engine, p) for engine in range(len(self.specs)) for p in self.positions)
        hear = show_once(lambda text: print(text, file=sys.stderr))
        by_number = {position.number: position for position in self.positions}
        try:
            for solution in runner.run(tasks, hear):
                self.solutions.append(solution)
                if not quiet:
                    line = solution_line(solution, by_number[solution.number], self.names)
                    print(line, flush=True)
        finally:
            runner.stop()

    def report(self, source: Path, target: Path | None) -> None:
        """The file, if one is wanted, and the table: of what there is, if it is not all."""
        self.solutions.sort(key=lambda solution: (solution.engine, solution.number))
        rows = summarize(self.solutions, self.names)
        if target is not None:
            found = [{"name": self.names[s.engine]} | asdict(s) for s in self.solutions]
            replace_json(
                target,
                {
                    "suite": str(source),
                    "engines": [asdict(spec) for spec in self.specs],
                    "complete": len(self.solutions) == self.total,
                    "summary": rows,
                    "solutions": found,
                },
            )
        print_table(rows)


def solution_line(solution: Solution, position: TestPosition, names: Sequence[str]) -> str:
    if solution.fault:
        verdict = solution.fault
    elif solution.solved:
        verdict = f"solved by {solution.move} after {solution.solved_after:.3f} s"
    else:
        verdict = f"not solved: {solution.move}"
    return f"{names[solution.engine]}  {position.name}: {verdict}"


def summarize(solutions: Sequence[Solution], names: Sequence[str]) -> list[dict[str, Any]]:
    rows = []
    for engine, name in enumerate(names):
        own = [solution for solution in solutions if solution.engine == engine]
        times = sorted(s.solved_after for s in own if s.solved_after is not None)
        rows.append(
            {
                "engine": name,
                "positions": len(own),
                "solved": len(times),
                "mean_seconds": round(sum(times) / len(times), 4) if times else None,
                "median_seconds": times[len(times) // 2] if times else None,
                "nodes": sum(solution.nodes or 0 for solution in own),
                "faults": sum(bool(solution.fault) for solution in own),
            }
        )
    return rows


def print_table(rows: Sequence[dict[str, Any]]) -> None:
    lines = [["engine", "solved", "of", "", "mean s", "median s", "nodes", "faults"]]
    for row in rows:
        share = 100 * row["solved"] / row["positions"] if row["positions"] else 0.0
        times = [row["mean_seconds"], row["median_seconds"]]
        lines.append(
            [
                row["engine"],
                str(row["solved"]),
                str(row["positions"]),
                f"{share:.1f}%",
                *("-" if value is None else f"{value:.3f}" for value in times),
                str(row["nodes"]),
                str(row["faults"]),
            ]
        )
    print("\n".join(["", *columns(lines, left=(0,))]))


def main(arguments: Sequence[str]) -> int:
    options = make_parser().parse_args(arguments)
    if options.json is not None:
        if options.json.exists():
            raise ValueError(f"{options.json} exists already")
        check_writable(options.json)
    suite = Suite(read_test_positions(options.file, options.chess960), parse_specs(options))
    try:
        with Interrupts(*ENDS) as interrupts:
            runner = make_runner(SuiteJob(suite.specs), suite.specs, options, interrupts)
            suite.solve(runner, options.quiet)
    except KeyboardInterrupt:
        done = f"{len(suite.solutions)} of {suite.total} positions"
        print(f"interrupted after {done}", file=sys.stderr)
        return EXIT_CODE
    finally:
        if suite.solutions:
            suite.report(options.file, options.json)
    return 0
