"""`cythera perft`: counts, divide, suites."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core_ext.core import (
    MAX_DEPTH,
    MAX_HASH_MB,
    MAX_THREADS,
    START_FEN,
    Board,
    PerftRun,
    PerftTable,
)
from uci_engine.arguments import Parser, number_between
from uci_engine.files import read_positions
from uci_engine.interrupts import EXIT_CODE, Interrupts

PROGRESS_AFTER = 1.0  # seconds; a short run stays silent
PROGRESS_EVERY = 0.5


def parse_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    parser = Parser(prog="cythera perft", description="Count the move sequences of a length.")
    add = parser.add_argument
    add(
        "depth",
        type=number_between(0, MAX_DEPTH),
        nargs="?",
        metavar="DEPTH",
        help="length of the sequences",
    )
    add("--fen", default=START_FEN, help="the position (default: the start position)")
    add("--chess960", action="store_true", help="the position is one of Chess960")
    add("--divide", action="store_true", help="show the count of each move")
    add(
        "--threads",
        type=number_between(1, MAX_THREADS),
        default=1,
        metavar="N",
        help="threads to use (1)",
    )
    add(
        "--hash",
        type=number_between(0, MAX_HASH_MB),
        default=0,
        metavar="MB",
        help="hash table size (0: none)",
    )
    add("--suite", type=Path, metavar="FILE", help="check the lines `FEN ;D1 20 ;D2 400` of a file")
    add("--json", action="store_true", help="print JSON")
    options = parser.parse_args(arguments)
    if options.depth is None and options.suite is None:
        parser.error("DEPTH or --suite FILE is needed")
    if options.suite is not None and (options.fen != START_FEN or options.divide):
        parser.error("--suite goes with neither --fen nor --divide")
    return options


def main(arguments: Sequence[str]) -> int:
    options = parse_arguments(arguments)
    if options.suite is not None:
        return run_suite(options)
    board = Board(options.fen, chess960=options.chess960)
    count = Count.of(board, options.depth, options.threads, PerftTable(options.hash))
    print_json(count.as_dict()) if options.json else count.show(options.divide)
    return 0 if count.complete else EXIT_CODE


@dataclass(frozen=True)
class Count:
    """A finished or interrupted perft."""

    fen: str
    depth: int
    nodes: int
    seconds: float
    moves: list[tuple[str, int, bool]]
    complete: bool

    @classmethod
    def of(cls, board: Board, depth: int, threads: int, table: PerftTable) -> Count:
        run = PerftRun(board, depth, table)
        start = time.monotonic()
        complete = run_watched(run, threads)
        seconds = time.monotonic() - start
        moves = [(move.uci(), nodes, done) for move, nodes, done in run.divide()]
        return cls(board.fen(), depth, run.nodes, seconds, moves, complete)

    def as_dict(self) -> dict[str, Any]:
        return {
            "fen": self.fen,
            "depth": self.depth,
            "nodes": self.nodes,
            "seconds": round(self.seconds, 6),
            "complete": self.complete,
            "divide": {move: nodes for move, nodes, _ in self.moves},
        }

    def show(self, divide: bool) -> None:
        if divide or not self.complete:
            for move, nodes, done in self.moves:
                print(f"{move}: {nodes}" + ("" if done else "  (not complete)"))
            print()
        speed = self.nodes / self.seconds if self.seconds > 0 else 0
        state = "" if self.complete else ", interrupted"
        print(
            f"perft {self.depth}: {self.nodes} nodes, {self.seconds:.3f} s, {speed:.0f} nps{state}"
        )


def run_watched(run: PerftRun, threads: int) -> bool:
    """Run, with progress on stderr when it takes long. False when Ctrl-C came first."""
    progress = Progress(run)
    try:
        with Interrupts() as interrupts:
            return interrupts.watch(run.start(threads).wait, run.stop, progress.show)
    finally:
        progress.clear()


class Progress:
    """How far a run is: rewritten in place on a terminal, a line now and then elsewhere."""

    def __init__(self, run: PerftRun) -> None:
        self.run = run
        self.start = time.monotonic()
        self.due = self.start + PROGRESS_AFTER
        self.terminal = sys.stderr.isatty()
        self.shown = False

    def show(self) -> None:
        now = time.monotonic()
        done, total = self.run.progress
        if now < self.due or done == total:
            return
        elapsed = now - self.start
        left = f"{elapsed * (total - done) / done:.0f} s left" if done else "a long time left"
        text = f"{100 * done / total:5.1f}%  {self.run.nodes} nodes  {left}"
        if self.terminal:
            print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
            self.due = now + PROGRESS_EVERY
        else:
            print(text, file=sys.stderr, flush=True)
            self.due = now + max(10.0, elapsed / 4)
        self.shown = True

    def clear(self) -> None:
        if self.terminal and self.shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


@dataclass(frozen=True)
class SuiteLine:
    """A position and its known counts by depth."""

    number: int
    fen: str
    counts: dict[int, int]


def parse_suite_line(text: str, path: Path, number: int) -> SuiteLine:
    fen, *fields = text.split(";")
    counts = {}
    for field in fields:
        name, _, value = field.strip().partition(" ")
        depth, value = name[1:], value.strip()
        if name[:1] != "D" or not depth.isdecimal() or not value.isdecimal():
            raise ValueError(f"{path}, line {number}: expected `;D<depth> <count>`, not {field!r}")
        if len(depth) > 2 or int(depth) > MAX_DEPTH:
            raise ValueError(
                f"{path}, line {number}: the depth is more than {MAX_DEPTH}: {field!r}"
            )
        counts[int(depth)] = int(value)
    if not counts:
        raise ValueError(f"{path}, line {number}: no `;D<depth> <count>` after the position")
    return SuiteLine(number, fen.strip(), counts)


def read_suite(path: Path) -> list[SuiteLine]:
    lines = [parse_suite_line(line, path, number) for number, line in read_positions(path)]
    if not lines:
        raise ValueError(f"{path}: no positions in it")
    return lines


def suite_board(line: SuiteLine, path: Path, chess960: bool) -> Board:
    try:
        return Board(line.fen, chess960=chess960)
    except ValueError as error:
        raise ValueError(f"{path}, line {line.number}: {error}") from None


def suite_counts(
    board: Board, line: SuiteLine, options: argparse.Namespace, table: PerftTable
) -> Iterator[tuple[int, Count]]:
    """Each known count, up to the depth asked for, with ours."""
    for depth, expected in sorted(line.counts.items()):
        if options.depth is None or depth <= options.depth:
            yield expected, Count.of(board, depth, options.threads, table)


def run_suite(options: argparse.Namespace) -> int:
    """Check every line. All positions are read before the first is counted."""
    lines = read_suite(options.suite)
    boards = [suite_board(line, options.suite, options.chess960) for line in lines]
    table = PerftTable(options.hash)
    failures: list[dict[str, Any]] = []
    nodes, seconds = 0, 0.0
    for line, board in zip(lines, boards, strict=True):
        failed = False
        for expected, count in suite_counts(board, line, options, table):
            if not count.complete:
                print(f"interrupted in line {line.number}; {nodes} nodes so far", file=sys.stderr)
                return EXIT_CODE
            nodes, seconds = nodes + count.nodes, seconds + count.seconds
            if count.nodes != expected:
                failed = True
                failures.append({"line": line.number, "expected": expected} | count.as_dict())
                if not options.json:
                    show_failure(line, expected, count)
                break
        if not options.json and not failed:
            print(f"ok    line {line.number}: {line.fen}", flush=True)
    summary = {"positions": len(lines), "failed": failures, "nodes": nodes, "seconds": seconds}
    if options.json:
        print_json(summary)
    else:
        print(f"{len(lines) - len(failures)} of {len(lines)} positions right, {nodes} nodes")
    return 1 if failures else 0


def show_failure(line: SuiteLine, expected: int, count: Count) -> None:
    print(f"WRONG line {line.number}: {line.fen}")
    print(f"depth {count.depth}: {count.nodes} nodes, not {expected}")
    for move, nodes, _ in count.moves:
        print(f"  {move}: {nodes}")


def print_json(value: dict[str, Any]) -> None:
    print(json.dumps(value, indent=2))
