"""`cythera analyse FILE`: every move of every game evaluated, as annotated PGN and as a page.

The searches go to all cores, or to the workers of a Dask cluster; what they find is kept in a
journal, and all that is written is made from it and from the games.
"""

from __future__ import annotations

import argparse
import binascii
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core_ext.core import MAX_HASH_MB, MAX_THREADS
from uci_engine import __version__
from uci_engine.arena.play.start import ENDS, make_runner
from uci_engine.arguments import Parser, decimal_between, number_between
from uci_engine.desk.analyse_input import Source, open_source
from uci_engine.desk.analyse_job import (
    LONG_STRETCH,
    MANY_GAMES,
    SHORT_STRETCH,
    AnalysisJob,
    Task,
)
from uci_engine.desk.analyse_journal import Findings
from uci_engine.desk.analyse_report import Progress, summary_lines, write_json
from uci_engine.desk.analysed import Analysis
from uci_engine.desk.analysis_page import write_page
from uci_engine.desk.annotate import write_pgn
from uci_engine.desk.judging import CHANCES
from uci_engine.desk.opening_names import OpeningNames
from uci_engine.errors import LONGEST_MESSAGE
from uci_engine.files import check_name, replace_text
from uci_engine.interrupts import EXIT_CODE, Interrupts
from uci_engine.limits import MOST_DEPTH, MOST_NODES
from uci_engine.network import OWN_NETWORK
from uci_engine.pgn import STANDARD_INPUT
from uci_engine.text import tame

NODES = 100_000
LONGEST_SECONDS = 86_400
USUAL_GAME = 64  # positions
HASH_OF_A_NODE = 16  # bytes that it can use
MOST_HASH_MB = 64  # unless told otherwise
SUFFIXES = {".zst", ".gz", ".bz2", ".xz", ".pgn", ".epd", ".fen", ".txt"}


def parse_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    parser = Parser(
        prog="cythera analyse",
        description="Evaluate every move of games, or positions; see docs/DESK.md.",
    )
    add = parser.add_argument
    add(
        "source",
        nargs="?",
        default=STANDARD_INPUT,
        metavar="FILE",
        help="games (PGN) or positions (EPD, FEN), perhaps compressed; a FEN itself; "
        "or - for standard input (the default)",
    )
    add("--nodes", type=number_between(1, MOST_NODES), metavar="N", help=f"a move ({NODES})")
    add("--depth", type=number_between(1, MOST_DEPTH), metavar="N", help="of a move's search")
    seconds = decimal_between(0.001, LONGEST_SECONDS)
    add("--time", type=seconds, metavar="S", help="seconds a move")
    threads = number_between(1, MAX_THREADS)
    add("--threads", type=threads, default=os.cpu_count() or 1, metavar="N", help="(all cores)")
    add("--hash", type=number_between(1, MAX_HASH_MB), metavar="MB", help="of each (by the limit)")
    add("--out", type=Path, metavar="NAME", help="NAME.pgn, NAME.html and the journal NAME.jsonl")
    add("--anew", action="store_true", help="do not go on with an earlier analysis")
    add("--openings", type=Path, action="append", default=[], metavar="FILE",
        help="names of openings: a table with eco, name and pgn; may be repeated")  # fmt: skip
    add("--chances", choices=list(CHANCES), default="lichess", help="what judges moves (lichess)")
    add("--cluster", metavar="ADDRESS", help="search on a Dask cluster; `local` starts one here")
    add("--json", action="store_true", help="print all that was found as JSON")
    return parser.parse_args(arguments)


@dataclass(frozen=True)
class Plan:
    """What there is to do: known before it begins, so that the time left can be told."""

    games: int
    positions: int
    problems: Sequence[str]

    @property
    def stretch(self) -> int:
        """By the games alone and not by the machine, so that every machine finds the same."""
        return SHORT_STRETCH if self.games < MANY_GAMES else LONG_STRETCH


def survey(source: Source) -> Plan:
    games = positions = 0
    problems = []
    for entry in source.entries():
        games += 1
        positions += len(entry.moves.moves) + 1 if entry.moves is not None else 0
        if entry.problem is not None:
            problems.append(entry.problem)
    if not games:
        raise ValueError(f"{source.name}: no games in it")
    return Plan(games, positions, problems)


def main(arguments: Sequence[str]) -> int:
    options = parse_arguments(arguments)
    names = OpeningNames(options.openings)
    if options.source == STANDARD_INPUT and (sys.stdin is None or sys.stdin.isatty()):
        raise ValueError("analyse: give a file or a position, or games on standard input")
    source = open_source(options.source)
    place = output_name(options)
    plan = survey(source)
    for problem in plan.problems:
        print(tame(problem, LONGEST_MESSAGE), file=sys.stderr)
    job = make_job(options, plan)
    findings = (
        Findings.temporary()
        if place is None
        else Findings.open(with_ending(place, ".jsonl"), settings_of(job), options.anew)
    )
    try:
        if not search(source, plan, job, findings, options):
            return EXIT_CODE
        analysis = Analysis(source, findings, names, options.chances, annotator(job))
        write_results(analysis, place, options.json)
    finally:
        findings.close()
    return 1 if plan.problems else 0


# ---- settings


def output_name(options: argparse.Namespace) -> Path | None:
    """None if no files are wanted. What is not ours is not overwritten."""
    place: Path | None = options.out
    if place is None:
        if options.source == STANDARD_INPUT or not os.path.exists(options.source):
            return None
        path = Path(options.source)
        while path.suffix.lower() in SUFFIXES:
            path = path.with_suffix("")
        place = Path(f"{path.name}-analysed")
    check_name(str(place))
    if not with_ending(place, ".jsonl").exists():
        for ending in (".pgn", ".html"):
            if (path := with_ending(place, ending)).exists():
                raise ValueError(f"{path} is there already, and not from an analysis")
    return place


def with_ending(place: Path, ending: str) -> Path:
    return place.with_name(place.name + ending)


def make_job(options: argparse.Namespace, plan: Plan) -> AnalysisJob:
    nodes, depth = options.nodes or 0, options.depth or 0
    time_ms = None if options.time is None else max(1, round(1000 * options.time))
    if not (nodes or depth or time_ms):
        nodes = NODES
    hash_mb = options.hash
    if hash_mb is None:
        hash_mb = MOST_HASH_MB
        while nodes and hash_mb > 1 and (hash_mb << 19) >= nodes * USUAL_GAME * HASH_OF_A_NODE:
            hash_mb //= 2
    # One position is all that there is for all cores; a count of nodes is to give the same always.
    alone = plan.positions == 1 and time_ms and not nodes and options.cluster is None
    threads = options.threads if alone else 1
    return AnalysisJob(nodes, depth, time_ms, hash_mb, threads)


def settings_of(job: AnalysisJob) -> dict[str, Any]:
    """What findings depend on; those of other settings can't be mixed with them."""
    return {
        "version": __version__,
        "network": binascii.crc32(Path(OWN_NETWORK).read_bytes()),
        "nodes": job.nodes,
        "depth": job.depth,
        "milliseconds": job.time_ms,
        "hash": job.hash_mb,
    }


def annotator(job: AnalysisJob) -> str:
    limits = [f"{job.nodes} nodes"] if job.nodes else []
    limits += [f"depth {job.depth}"] if job.depth else []
    limits += [f"{job.time_ms / 1000:g} s"] if job.time_ms else []
    return f"Cythera {__version__}, {' or '.join(limits)} a move"


# ---- searches


def open_tasks(source: Source, findings: Findings, longest: int) -> Iterator[Task]:
    """What is not known yet; of the same game twice it is there once."""
    seen: set[str] = set()
    for entry in source.entries():
        if entry.moves is None or (key := entry.moves.key) in seen:
            continue
        seen.add(key)
        for positions in entry.moves.stretches(longest):
            if not findings.has(key, positions):
                yield Task(key, entry.moves, positions)


def search(
    source: Source, plan: Plan, job: AnalysisJob, findings: Findings, options: argparse.Namespace
) -> bool:
    """Find what is missing; False if it was interrupted."""
    missing = sum(len(task.positions) for task in open_tasks(source, findings, plan.stretch))
    if not missing:
        return True
    hands = argparse.Namespace(
        cluster=options.cluster, concurrency=1 if job.threads > 1 else options.threads
    )
    progress = Progress(plan.positions, missing)
    try:
        with Interrupts(*ENDS) as interrupts:
            runner = make_runner(job, (), hands, interrupts)
            try:
                tasks = open_tasks(source, findings, plan.stretch)
                for stretch in runner.run(tasks, progress.hear):
                    findings.add(stretch)
                    progress.keep(len(stretch.findings))
            finally:
                runner.stop()
    except KeyboardInterrupt:
        progress.clear()
        kept = "; the same command goes on from there" if findings.are_kept else ""
        print(f"interrupted after {progress.told()}{kept}", file=sys.stderr)
        return False
    progress.clear()
    return True


# ---- results


def write_results(analysis: Analysis, place: Path | None, as_json: bool) -> None:
    if place is not None:
        replace_text(with_ending(place, ".pgn"), write_pgn(analysis))
        title = f"Analysis of {os.path.basename(analysis.source.name)}"
        write_page(with_ending(place, ".html"), title, analysis)
    if as_json:
        write_json(analysis, sys.stdout)
    elif place is None and not analysis.source.holds_positions:
        sys.stdout.writelines(write_pgn(analysis))
    else:
        for line in summary_lines(analysis.games()):
            print(line)
    if place is not None and not as_json:
        print(f"written: {with_ending(place, '.pgn')}, {with_ending(place, '.html')}")
