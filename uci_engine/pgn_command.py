"""`cythera pgn`: games in bulk, counted, checked, filtered, converted."""

from __future__ import annotations

import argparse
import itertools
import json
import operator
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from core_ext.core import MAX_THREADS, Board, PgnBlock
from uci_engine import batch, pgn
from uci_engine.arguments import Parser, count_number, number_between
from uci_engine.game_writers import Selection, Writer, open_writer
from uci_engine.interrupts import EXIT_CODE, Interrupts

PROGRESS_AFTER = 1.0  # seconds
PROGRESS_EVERY = 0.5
OPENING_PLIES = 6
RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
NUMBER = re.compile(r"[0-9]{1,9}")
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    ">": operator.gt,
    "<": operator.lt,
    ">=": operator.ge,
    "<=": operator.le,
}
CONDITION = re.compile(r"([A-Za-z0-9_]+)\s*(!=|>=|<=|=|~|>|<)\s*(.*)", re.DOTALL)

Headers = dict[str, str]


def parse_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    parser = Parser(prog="cythera pgn", description="Count, check, filter and convert games.")
    add = parser.add_argument
    add("files", nargs="+", metavar="FILE", help="PGN, also compressed; - for standard input")
    add(
        "--where",
        action="append",
        default=[],
        type=parse_condition,
        metavar="CONDITION",
        help="only games whose tag is so: White=Name, White~Na, WhiteElo>=2500, Result!=1-0, "
        "Date>=2024.05",
    )
    add(
        "--position",
        type=parse_position,
        metavar="FEN",
        help="only games in which this position came up",
    )
    add("--openings", type=count_number, metavar="N", help="show the N most frequent beginnings")
    add(
        "--plies",
        type=parse_plies,
        metavar="A-B",
        help="of which plies positions are written (all; of a book the first 24), "
        "or how long beginnings are (6): 12 for the first twelve, 9-12",
    )
    add("--unique", action="store_true", help="write each position once")
    add("--least-games", type=count_number, metavar="N", help="of a move in a book (1)")
    add(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help="write .pgn, .epd, .pos (packed positions) or .bin (a PolyGlot book)",
    )
    add(
        "--threads",
        type=number_between(1, MAX_THREADS),
        default=os.cpu_count() or 1,
        metavar="N",
        help="threads to use (all cores)",
    )
    add("--json", action="store_true", help="print JSON")
    return parser.parse_args(arguments)


def parse_condition(text: str) -> Callable[[Headers], bool]:
    """A tag, a sign and a value: numbers and dates are compared as such, all else as text."""
    match = CONDITION.fullmatch(text)
    if match is None:
        raise argparse.ArgumentTypeError(f"not a condition such as White=Name: {text!r}")
    tag, sign, wanted = match.groups()
    if sign == "~":
        return lambda headers: wanted.lower() in headers.get(tag, "").lower()
    if sign in ("=", "!="):
        return lambda headers: (headers.get(tag, "") == wanted) is (sign == "=")
    limit = read_numbers(wanted)
    if len(limit) != wanted.count(".") + 1:
        told = f"{sign} needs a whole number, or a date such as 2024.01.31: {text!r}"
        raise argparse.ArgumentTypeError(told)
    compare = COMPARISONS[sign]

    def accepts(headers: Headers) -> bool:
        value = read_numbers(headers.get(tag, ""))[: len(limit)]
        return len(value) == len(limit) and compare(value, limit)

    return accepts


def read_numbers(text: str) -> tuple[int, ...]:
    """2500, or year, month and day, as far as they are known."""
    known = itertools.takewhile(NUMBER.fullmatch, text.split("."))
    return tuple(map(int, known))


def parse_position(text: str) -> Board:
    try:
        return Board(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def parse_plies(text: str) -> range:
    """`12` for the first twelve plies, `9-12` for those in between."""
    first, dash, last = text.partition("-")
    low, high = (first, last) if dash else ("1", first)
    if not (low.isdecimal() and high.isdecimal() and 1 <= int(low) <= int(high)):
        raise argparse.ArgumentTypeError(f"not plies such as 12 or 9-12: {text!r}")
    return range(int(low) - 1, int(high))


def refuse_idle(options: argparse.Namespace) -> None:
    """What would have no effect was meant otherwise."""
    kind = "" if options.output is None else options.output.suffix
    if options.unique and kind not in (".epd", ".pos"):
        raise ValueError("pgn: --unique is about positions, so it needs -o FILE.epd or FILE.pos")
    if options.least_games is not None and kind != ".bin":
        raise ValueError("pgn: --least-games is about a book, so it needs -o FILE.bin")
    if options.plies is not None and not options.openings and kind in ("", ".pgn"):
        raise ValueError("pgn: --plies needs --openings, or -o with positions or a book")


@dataclass
class Summary:
    """What was in the files."""

    read: int = 0
    games: int = 0
    moves: int = 0
    broken: int = 0
    results: Counter[str] = field(default_factory=Counter)
    openings: Counter[bytes] = field(default_factory=Counter)
    points: Counter[bytes] = field(default_factory=Counter)  # White's, twice
    complete: bool = True

    def add(self, games: Selection, opening_plies: int | None) -> None:
        self.read += len(games.block)
        self.games += len(games.chosen)
        self.moves += int(games.wanted.sum())
        for index in games.chosen:
            result = games.block.result(index)
            self.results[result if result in RESULTS else "*"] += 1
        if opening_plies:
            self.add_openings(games, opening_plies)

    def add_openings(self, games: Selection, plies: int) -> None:
        for index in games.chosen:
            if "FEN" in games.block.headers(index):
                continue  # it begins somewhere else
            moves = games.moves[games.games == index][:plies].tobytes()
            self.openings[moves] += 1
            self.points[moves] += {"1-0": 2, "0-1": 0}.get(games.block.result(index), 1)

    def best_openings(self, count: int) -> list[tuple[str, int, float]]:
        """The line, how often, and White's score."""
        rows = []
        for moves, games in self.openings.most_common(count):
            codes = np.frombuffer(moves, dtype=np.uint16)
            line = Board().variation_san(batch.to_moves(codes))
            rows.append((line or "(no moves)", games, self.points[moves] / 2 / games))
        return rows

    def as_dict(self, openings: int | None) -> dict[str, Any]:
        found: dict[str, Any] = {
            "read": self.read,
            "games": self.games,
            "moves": self.moves,
            "broken": self.broken,
            "results": {result: self.results[result] for result in RESULTS},
            "complete": self.complete,
        }
        if openings:
            found["openings"] = [
                {"moves": line, "games": games, "score": round(score, 4)}
                for line, games, score in self.best_openings(openings)
            ]
        return found

    def show(self, openings: int | None) -> None:
        of = f" of {self.read}" if self.read != self.games else ""
        mean = self.moves / 2 / self.games if self.games else 0.0
        state = "" if self.complete else ", interrupted"
        print(f"{self.games}{of} games, {self.moves} plies, {mean:.1f} moves a game{state}")
        shares = (f"{result} {self.results[result]}" for result in RESULTS if self.results[result])
        print(", ".join(shares) or "no results")
        print(f"{self.broken} broken" if self.broken else "none broken")
        if openings:
            print()
            for line, games, score in self.best_openings(openings):
                print(f"{games:8} {score:6.1%}  {line}")


class Filter:
    """Which games are wanted."""

    def __init__(
        self, conditions: Sequence[Callable[[Headers], bool]], board: Board | None
    ) -> None:
        self.conditions = conditions
        self.position = None if board is None else batch.pack([board])[0]

    def choose(self, block: PgnBlock) -> list[int]:
        chosen = list(range(len(block)))
        if self.conditions:
            chosen = [index for index in chosen if self.accepts(block.headers(index))]
        if self.position is not None:
            reached = self.games_with_position(block)
            chosen = [index for index in chosen if index in reached]
        return chosen

    def accepts(self, headers: Headers) -> bool:
        return all(condition(headers) for condition in self.conditions)

    def games_with_position(self, block: PgnBlock) -> set[int]:
        games = Selection(block, b"", range(len(block)))
        last = np.frombuffer(block.all_last_positions(), dtype=batch.POSITION)
        return {
            *games.games[self.same(games.positions)].tolist(),
            *np.flatnonzero(self.same(last)).tolist(),
        }

    def same(self, positions: batch.Positions) -> Any:
        """The same men, castling and en-passant rights, and side to move."""
        assert self.position is not None
        return (
            (positions["occupied"] == self.position["occupied"])
            & (positions["side"] == self.position["side"])
            & (positions["men"] == self.position["men"]).all(axis=1)
        )


class Progress:
    """How much was read, on a terminal, when it takes long."""

    def __init__(self) -> None:
        self.start = time.monotonic()
        self.due = self.start + PROGRESS_AFTER
        self.megabytes = 0.0
        self.terminal = sys.stderr.isatty()

    def show(self, text: bytes, games: int) -> None:
        self.megabytes += len(text) / 1e6
        now = time.monotonic()
        if self.terminal and now >= self.due:
            speed = self.megabytes / (now - self.start)
            told = f"{games} games, {self.megabytes:.0f} MB, {speed:.0f} MB a second"
            print(f"\r\x1b[K{told}", end="", file=sys.stderr, flush=True)
            self.due = now + PROGRESS_EVERY

    def clear(self) -> None:
        if self.terminal:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def main(arguments: Sequence[str]) -> int:
    options = parse_arguments(arguments)
    refuse_idle(options)
    writer = None
    if options.output is not None:
        least = options.least_games or 1
        writer = open_writer(options.output, options.plies, options.unique, least)
    try:
        summary = run(options, writer)
        if writer is not None and summary.complete:
            writer.finish()
    finally:
        if writer is not None:
            writer.give_up()
    if options.json:
        print(json.dumps(summary.as_dict(options.openings), indent=2))
    else:
        summary.show(options.openings)
    if not summary.complete:
        return EXIT_CODE
    return 1 if summary.broken else 0


def run(options: argparse.Namespace, writer: Writer | None) -> Summary:
    summary = Summary()
    wanted = Filter(options.where, options.position)
    opening_plies = None
    if options.openings:
        opening_plies = options.plies.stop if options.plies else OPENING_PLIES
    progress = Progress()
    with Interrupts() as interrupts:
        for block, text, problems in read_all(options.files, options.threads):
            if interrupts.count:
                summary.complete = False
                break
            progress.show(text, summary.read)
            games = Selection(block, text, wanted.choose(block))
            summary.add(games, opening_plies)
            summary.broken += len(problems)
            if problems:
                progress.clear()
                print(*problems, sep="\n", file=sys.stderr)
            if writer is not None:
                writer.add(games)
    progress.clear()
    return summary


def read_all(files: Sequence[str], threads: int) -> Iterator[tuple[PgnBlock, bytes, list[str]]]:
    """The blocks of all files, each with what is wrong with its games."""
    for name in files:
        for block, text, line in pgn.read_blocks(name, threads=threads, positions=True):
            broken = [index for index, row in enumerate(block.all_games()) if row[4]]
            problems = pgn.describe_problems(block, broken, pgn.source_name(name), text, line)
            yield block, text, problems
