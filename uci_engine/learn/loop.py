"""`cythera learn`: play, train, judge by a match, and again, until told to stop.

Each step is one of the other commands, which all go on where they were ended; so does this one.
From the rules means: the first player is a network of random weights, to which nothing that is
known of endings is added; the first generations' games are played to the end that the rules know;
the first one learns from results alone, the next ones more and more from the search's scores.
What remains is the search, with the values by which it sorts and prunes captures.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from core_ext.core import MAX_THREADS, MOST_BUCKETS
from uci_engine.arena import match
from uci_engine.arena.play.cluster import load_dask
from uci_engine.arena.results.json_values import rebuild
from uci_engine.arena.results.standings import Standings
from uci_engine.arena.results.stats import Tally
from uci_engine.arguments import Parser, count_number, decimal_between, number_between
from uci_engine.files import alone_with, replace_bytes
from uci_engine.learn import selfplay, train
from uci_engine.learn.checkpoint import checkpoint_of
from uci_engine.learn.gamefiles import Filter, read_blocks, read_expanded, repair_end
from uci_engine.learn.lineage import (
    BEGINNINGS,
    RANGES,
    ZERO,
    Lineage,
    Report,
    Settings,
    is_lineage,
    player_name,
)
from uci_engine.learn.lineage_page import PAGE, read_standings, write_page
from uci_engine.learn.parameters import first_parameters, quantise
from uci_engine.learn.stopwatch import Stopwatch, machine_time
from uci_engine.network import NetworkFile, format_network, read_network

# A pawn is to be worth about 100: this is the slope that the classical evaluation's scores have.
# Results say what scores are worth: left to themselves they shrink from generation to generation,
# as what is learnt of uncertain scores is their mean.
STEEPNESS = 0.005
SCALE = round(1 / STEEPNESS)
BYTES_A_POSITION = 7  # of a file of games, about: not every ply is learnt from
FEWEST_EPOCHS, MOST_EPOCHS = 4, 12
BY_THE_RULES = 2  # so many generations play every game to its end
ANCHORS = (ZERO, "classical")  # evaluations that every generation is measured against
MATCH_HASH_MB = 8

FOLDER = (
    "what was begun there goes on; games, hidden, buckets, danger, window, samples and judging "
    "may be given anew, from the next generation on"
)
JUDGING = (
    "games against each opponent (200); accepted is who has more than half of the points and one "
    "standard error against the best"
)
CLUSTER = (
    "games on a Dask cluster, whose workers must see DIR under the same name; `local` starts one"
)


def parse_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    parser = Parser(
        prog="cythera learn",
        description="Let networks learn from own games, generation after generation.",
    )
    add = parser.add_argument
    add("folder", type=Path, metavar="DIR", help=FOLDER)
    add("--from", dest="begin", choices=BEGINNINGS, help="first player (classical)")
    add("--games", type=in_range("games"), metavar="N", help="of a generation (20000)")
    add("--nodes", type=in_range("nodes"), metavar="N", help="soft limit of a move (300)")
    add("--hidden", type=count_number, metavar="N", help="units a view (128)")
    add("--buckets", type=number_between(1, MOST_BUCKETS), metavar="N", help=train.BUCKETS)
    add("--danger", action="store_true", default=None, help=train.DANGER)
    add("--window", type=in_range("window"), metavar="N", help="generations learnt from (8)")
    add("--samples", type=in_range("samples"), metavar="N", help="positions a training (60000000)")
    add("--judging", type=in_range("judging"), metavar="N", help=JUDGING)
    add("--seed", type=in_range("seed"), metavar="N", help="(1)")
    add("--hours", type=decimal_between(0, 1e6), metavar="N", help="it ends after so long")
    add("--generations", type=count_number, metavar="N", help="that there are at the end")
    threads = number_between(1, MAX_THREADS)
    add("--threads", type=threads, default=os.cpu_count() or 1, metavar="N", help="(all)")
    add("--cluster", metavar="ADDRESS", help=CLUSTER)
    return parser.parse_args(arguments)


def in_range(name: str) -> Callable[[str], int]:
    """A type of argument: a number that this setting may be."""
    return number_between(*RANGES[name])


SETTINGS = tuple(field.name for field in fields(Settings))


def main(arguments: Sequence[str]) -> int:
    options = parse_arguments(arguments)
    given = {name: value for name in SETTINGS if (value := getattr(options, name)) is not None}
    # Settings stand fast once they are written: what would fail later must be told before.
    Settings(**given)
    if options.cluster is not None:
        load_dask()
    options.folder.mkdir(parents=True, exist_ok=True)
    with alone_with(options.folder):
        refuse_foreign_page(options.folder)
        lineage = Lineage.open(options.folder, given)
        loop = Loop(lineage, options)
        if lineage.settings.begin == "rules":
            loop.make_first_network()
        write_page(lineage)
        try:
            return loop.run()
        finally:
            write_page(lineage)


def refuse_foreign_page(folder: Path) -> None:
    """A lineage may begin in a folder with other files, games to learn from among them; but its
    page must not take the place of another one."""
    page = folder / PAGE
    if os.path.lexists(page) and not is_lineage(folder):
        raise ValueError(f"{page}: there already, and not a page of cythera learn")


class Loop:
    def __init__(self, lineage: Lineage, options: argparse.Namespace) -> None:
        self.lineage = lineage
        self.settings = lineage.settings
        self.options = options
        self.end = None if options.hours is None else time.monotonic() + 3600 * options.hours

    def run(self) -> int:
        """0, or the exit code of a step that was interrupted before the time was over."""
        while self.goes_on():
            code = self.make_generation(self.lineage.next)
            if code and not self.is_late:
                return code
        return 0

    @property
    def is_late(self) -> bool:
        return self.end is not None and time.monotonic() >= self.end

    def goes_on(self) -> bool:
        most = self.options.generations
        return not self.is_late and (most is None or self.lineage.next <= most)

    def make_first_network(self) -> None:
        """Random weights: no material values, no knowledge of endings."""
        path = self.lineage.network(0)
        if path.exists():
            return
        path.parent.mkdir(exist_ok=True)
        hidden, buckets, danger = shape = self.settings.shape
        parameters = first_parameters(hidden, buckets, self.settings.seed, danger)
        weights = quantise(parameters, *shape)
        notes = json.dumps({"weights": "random", "seed": self.settings.seed})
        stands_alone = True
        file = NetworkFile(hidden, buckets, SCALE, notes, weights, stands_alone, danger)
        replace_bytes(path, format_network(file))

    def make_generation(self, number: int) -> int:
        """Step by step; 0, or the exit code of a step that was interrupted."""
        self.lineage.place(number).mkdir(exist_ok=True)
        steps = {"play": self.play, "train": self.train, "judge": self.judge}
        for phase, step in steps.items():
            if not self.goes_on():
                return 0
            print(f"generation {number}: {phase}", file=sys.stderr, flush=True)
            code = self.timed(number, phase, step)
            if code:
                return code
        self.report(number)
        return 0

    def timed(self, number: int, phase: str, step: Callable[[int], int]) -> int:
        with Stopwatch(
            lambda seconds: self.lineage.spend(number, phase, seconds), clock=self.machine_time
        ):
            return step(number)

    def machine_time(self) -> float:
        """What a cluster does can't be seen from here: its time is the clock's on the wall."""
        if self.options.cluster is not None:
            return time.monotonic()
        return machine_time(self.options.threads)

    # ---- the steps

    def play(self, number: int) -> int:
        if self.lineage.network(number).exists():
            return 0  # it has learnt from these games, and from no others
        path = self.lineage.games(number)
        repair_end(path)
        played = sum(block.games for block in read_blocks(path)) if path.exists() else 0
        if played >= self.settings.games:
            return 0
        arguments: list[Any] = [path, "--games", self.settings.games - played]
        arguments += ["--nodes", self.settings.nodes, "--threads", self.options.threads]
        arguments += ["--seed", 1000 * self.settings.seed + number]
        arguments += ["--network", self.best_network or selfplay.CLASSICAL]
        if self.settings.begin == "rules" and number <= BY_THE_RULES:
            arguments += ["--rules"]
        return selfplay.main([*map(str, arguments), *self.cluster], self.end)

    def train(self, number: int) -> int:
        path = self.lineage.network(number)
        if path.exists():
            learnt_by(path)  # a network that no report could tell of need not be judged
            checkpoint_of(path).unlink(missing_ok=True)  # it was killed before it could do so
            return 0
        games = self.lineage.learnt_from(number)
        positions = sum(each.stat().st_size for each in games) // BYTES_A_POSITION
        epochs = self.settings.samples // max(positions, 1)
        arguments: list[Any] = [path, *games, "--hidden", self.settings.hidden]
        arguments += ["--buckets", self.settings.buckets]
        arguments += ["--danger"] if self.settings.danger else []
        arguments += ["--epochs", min(max(epochs, FEWEST_EPOCHS), MOST_EPOCHS)]
        seed = (self.settings.seed + number) % 2**32
        arguments += ["--seed", seed, "--threads", self.options.threads, "--scale", SCALE]
        if self.settings.begin == "rules":
            arguments += ["--share", max(0, 1.25 - 0.25 * number)]
            arguments += ["--alone"] if self.lineage.stands_alone else []
        return train.main([str(each) for each in arguments], self.end)

    def judge(self, number: int) -> int:
        """A gauntlet against the best so far and against evaluations that never change."""
        out = str(self.lineage.match(number))
        hands = ["--concurrency", str(self.options.threads), *self.cluster]
        if self.lineage.journal(number).exists():
            return match.main(["--resume", out, *hands], self.end)
        arguments = [
            *network_player(self.lineage.network(number), number),
            *(
                network_player(self.best_network, self.lineage.best)
                if self.best_network is not None
                else []
            ),
            *(word for name in ANCHORS for word in evaluation_player(name)),
            *("--each", f"nodes={self.settings.nodes}", f"option.Hash={MATCH_HASH_MB}"),
            *("--format", "gauntlet", "--games", str(self.settings.judging)),
            *("--order", "random", "--seed", str(number), "--maxmoves", "150"),
            *("--win", "movecount=4", "score=1000", "twosided=on"),
            *("--event", "Cythera learns", "--every", str(self.settings.judging), "--out", out),
        ]
        return match.main([*arguments, *hands], self.end)

    @property
    def cluster(self) -> list[str]:
        return [] if self.options.cluster is None else ["--cluster", self.options.cluster]

    @property
    def best_network(self) -> Path | None:
        """None is the classical evaluation."""
        if self.lineage.best == 0 and self.settings.begin == "classical":
            return None
        return self.lineage.network(self.lineage.best)

    def report(self, number: int) -> None:
        # The first opponent is the best so far, but for the first generation from the classical
        # evaluation: there the best is the last of the anchors.
        opponent = 1 if self.best_network is not None else len(ANCHORS)
        standings = read_standings(self.lineage.journal(number))
        tally = standings.against(0, opponent)
        positions, aside = learnt_by(self.lineage.network(number))
        report = Report(
            number=number,
            accepted=is_better(tally),
            score=tally.score,
            positions=positions,
            own_positions=count_own_positions(self.lineage.games(number)),
            aside=aside,
            seconds=round(sum(self.lineage.times(number).values()), 3),
            results=results_of(standings),
        )
        self.lineage.add(report)
        write_page(self.lineage)
        verdict = "accepted" if report.accepted else "not accepted"
        print(
            f"generation {number}: {100 * tally.score:.1f}% against the best before it, {verdict}",
            file=sys.stderr,
            flush=True,
        )


def learnt_by(path: Path) -> tuple[int, float]:
    """From how many positions a network was made, and its error on those kept aside, by its notes.
    ValueError if they are no training's."""
    notes = read_network(str(path)).notes
    try:
        values = json.loads(notes)
        positions: int = rebuild(int, values["positions"], "positions")
        aside: float = rebuild(float, values["aside"], "aside")
        is_possible = positions >= 0 and 0 <= aside <= 1
    except (ValueError, TypeError, KeyError, RecursionError):
        is_possible = False
    if not is_possible:
        raise ValueError(f"{path}: a network without the notes of a training")
    return positions, aside


def count_own_positions(games: Path) -> int:
    """Those that trainings learn from or keep aside."""
    return sum(len(positions) for _, positions in read_expanded(games, Filter()))


def is_better(tally: Tally) -> bool:
    """By more than one standard error. Of two equal players one is taken for the better one in a
    sixth of all matches then, and not in half of them."""
    squares = (tally.wins + tally.draws / 4) / tally.games
    error = math.sqrt((squares - tally.score**2) / tally.games)
    return tally.score > 0.5 + error


def results_of(standings: Standings) -> dict[str, list[int]]:
    """Of the first player against each other one, as a report has them."""
    results = {}
    for other, name in enumerate(standings.names[1:], start=1):
        white = standings.by_colour.get((0, other), Tally())
        black = standings.by_colour.get((other, 0), Tally()).reversed()
        results[name] = [*white.counts, *black.counts]
    return results


def network_player(path: Path, number: int) -> list[str]:
    options = ["option.Evaluation=nnue", f"option.EvalFile={path.absolute()}"]
    return ["--engine", "proto=internal", f"name={player_name(number)}", *options]


def evaluation_player(name: str) -> list[str]:
    return ["--engine", "proto=internal", f"name={name}", f"option.Evaluation={name}"]
