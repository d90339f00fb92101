"""`cythera tune --spsa NAME`: the numbers of the search tuned by games.

Simultaneous perturbation: all numbers are moved at once, each up or down at random, and a pair of
games between the two engines that come of it says which way was the better one. Every number goes a
small step that way. One pair says next to nothing; over thousands of them luck averages out.

The state is written after each pair, so a run that was ended at any moment goes on when the same
command is given again.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from core_ext import core
from uci_engine.arena.play.adjudication import Adjudication
from uci_engine.arena.play.engine_game import GameTask, Opening
from uci_engine.arena.play.game_station import GameJob
from uci_engine.arena.play.notices import Hearer
from uci_engine.arena.play.openings import OpeningSource, load_openings
from uci_engine.arena.play.start import ENDS, make_runner
from uci_engine.arena.players.process import EngineError
from uci_engine.arena.players.spec import EngineSpec, parse_engine
from uci_engine.arena.players.uci_player import UciPlayer
from uci_engine.arena.results.record import GameRecord
from uci_engine.arguments import Parser, count_number, decimal_between, number_between
from uci_engine.files import check_writable, read_text, replace_json
from uci_engine.interrupts import EXIT_CODE, Interrupts

# How steps and perturbations shrink: the exponents and the head start that the method's author
# advises.
STEP_DECAY, SPREAD_DECAY, HEAD_START = 0.602, 0.101, 0.1
ADJUDICATION = Adjudication(win_count=4, win_score=1000, win_two_sided=True, most_moves=150)
OPENINGS = 20_000  # of a file, at the most
SECONDS_BETWEEN_REPORTS = 30.0
LARGEST_CHANGES = 5  # named in a report


def parse_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    parser = Parser(
        prog="cythera tune --spsa",
        description="Tune the numbers of the search by games, in a build with CYTHERA_TUNE=1.",
    )
    add = parser.add_argument
    add("--spsa", type=Path, required=True, metavar="NAME", help="NAME.json is the state")
    add("--numbers", nargs="+", default=[], metavar="NUMBER", help="which ones (all)")
    add("--pairs", type=count_number, default=20_000, metavar="N", help="of games (20000)")
    add("--rate", type=decimal_between(1e-5, 1), default=0.002, help="of the last steps (0.002)")
    add("--each", nargs="+", default=["nodes=10000"], metavar="KEY=VALUE", help="(nodes=10000)")
    add("--openings", default="", metavar="FILE", help="EPD, PGN or PolyGlot (the engine's own)")
    add("--seed", type=number_between(0, 2**32 - 1), default=1, metavar="N", help="(1)")
    hands = os.cpu_count() or 1
    add("--concurrency", type=count_number, default=hands, metavar="N", help="pairs at a time")
    add("--cluster", metavar="ADDRESS", help="use the workers of this Dask scheduler, or `local`")
    return parser.parse_args(arguments)


@dataclass(frozen=True)
class Number:
    """What is tuned: it stays within its range, and is moved about by its step."""

    name: str
    start: int
    low: int
    high: int
    step: int


@dataclass(frozen=True)
class Settings:
    """What must be the same for a run to go on."""

    numbers: tuple[Number, ...]
    pairs: int
    rate: float
    each: tuple[str, ...]
    openings: str
    seed: int


@dataclass(frozen=True)
class PairTask:
    """Two games, colours reversed, of the values moved by the signs against the opposite."""

    number: int
    opening: Opening
    signs: tuple[int, ...]
    values: tuple[tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True)
class PairResult:
    task: PairTask
    points: int  # of the first player: games won less games lost


class Walk:
    """Where the numbers stand, and how they are moved."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.values = np.array([number.start for number in settings.numbers], dtype=float)
        self.lows = np.array([number.low for number in settings.numbers], dtype=float)
        self.highs = np.array([number.high for number in settings.numbers], dtype=float)
        self.steps = np.array([number.step for number in settings.numbers], dtype=float)

    def spread(self, number: int) -> Any:
        """How far the values are moved for this pair; their steps at the end."""
        return self.steps * (self.settings.pairs / (number + 1)) ** SPREAD_DECAY

    def pace(self, number: int) -> float:
        """How much of the spread a won game is worth; the rate at the end."""
        head_start = HEAD_START * self.settings.pairs
        shrunk = (head_start + self.settings.pairs) / (head_start + number + 1)
        return float(
            self.settings.rate
            * shrunk**STEP_DECAY
            / (self.settings.pairs / (number + 1)) ** (2 * SPREAD_DECAY)
        )

    def perturb(self, number: int, opening: Opening) -> PairTask:
        chance = np.random.default_rng([self.settings.seed, number])
        signs = chance.choice((-1, 1), len(self.values))
        # Rounded up or down at random: a small move of a small number has to show now and then.
        dither = chance.random(len(self.values))
        moved = (
            np.clip(self.values + sign * signs * self.spread(number), self.lows, self.highs)
            for sign in (1, -1)
        )
        first, second = (tuple(map(int, np.floor(each + dither))) for each in moved)
        return PairTask(number, opening, tuple(map(int, signs)), (first, second))

    def learn(self, result: PairResult) -> None:
        number = result.task.number
        step = self.pace(number) * self.spread(number) * result.points
        self.values = np.clip(
            self.values + step * np.array(result.task.signs), self.lows, self.highs
        )


@dataclass(frozen=True)
class PairJob:
    """What all pairs have in common. Plain values: it travels to other machines."""

    spec: EngineSpec
    names: tuple[str, ...]

    def station(self) -> PairStation:
        return PairStation(self)


class PairStation:
    """Plays pairs of games, with the numbers set anew for each."""

    def __init__(self, job: PairJob) -> None:
        self.job = job
        specs = tuple(replace(job.spec, name=name) for name in ("first", "second"))
        self.games = GameJob(specs, ADJUDICATION).station()

    def do(self, task: PairTask, cancelled: Callable[[], bool], tell: Hearer) -> PairResult:
        points = 0
        for white in (0, 1):
            for player, values in enumerate(task.values):
                self.set_numbers(player, values)
            number = 2 * task.number + white
            game = GameTask(number, task.number, white, 1 - white, task.opening, task.number)
            points += points_of(self.games.do(game, cancelled, tell))
        return PairResult(task, points)

    def set_numbers(self, number: int, values: Sequence[int]) -> None:
        """ValueError if the engine can't be started or has no such numbers."""
        try:
            player = self.games.seats.seat(number)
            assert isinstance(player, UciPlayer)
            for name, value in zip(self.job.names, values, strict=True):
                option = player.find_option(name)
                if option is None:
                    raise EngineError("bad option", f"it has no option {name!r}")
                player.set_option(option, str(value))
        except EngineError as error:
            raise ValueError(f"{self.job.spec.name}: {error.kind}: {error.detail}") from None

    def kill(self) -> None:
        self.games.kill()

    def close(self) -> None:
        self.games.close()


def points_of(record: GameRecord) -> int:
    """The first player's."""
    if record.result == "1/2-1/2":
        return 0
    return 1 if (record.result == "1-0") == (record.white == 0) else -1


class Run:
    """The walk, its file, and how far it has come."""

    def __init__(self, path: Path, settings: Settings) -> None:
        self.path = path
        self.walk = Walk(settings)
        self.learnt = 0
        self.course: list[list[float]] = []  # the values after each hundredth of the pairs
        self.start = self.reported = time.monotonic()
        self.first = 0

    def resume(self) -> None:
        """Go on from the state, if there is one. ValueError if it is another run's."""
        if not self.path.exists():
            check_writable(self.path)
            return
        try:
            state = json.loads(read_text(self.path))
            settings, values = state["settings"], np.array(state["values"], dtype=float)
            self.learnt, self.course = int(state["pairs"]), list(state["course"])
        except (ValueError, TypeError, KeyError, RecursionError):
            raise ValueError(f"{self.path}: not the state of a tuning") from None
        if settings != json.loads(json.dumps(asdict(self.walk.settings))):
            raise ValueError(f"{self.path}: made with other settings")
        if values.shape != self.walk.values.shape or not np.isfinite(values).all():
            raise ValueError(f"{self.path}: not the state of a tuning")
        self.walk.values = np.clip(values, self.walk.lows, self.walk.highs)
        self.first = self.learnt
        print(f"going on after {self.learnt} pairs", file=sys.stderr)

    def tasks(self, openings: Sequence[Opening]) -> Iterator[PairTask]:
        for number in range(self.learnt, self.walk.settings.pairs):
            yield self.walk.perturb(number, openings[number % len(openings)])

    def keep(self, result: PairResult) -> None:
        self.walk.learn(result)
        self.learnt += 1
        if self.learnt % max(1, self.walk.settings.pairs // 100) == 0:
            self.course.append([round(value, 3) for value in self.walk.values])
        state = {
            "settings": asdict(self.walk.settings),
            "pairs": self.learnt,
            "values": list(self.walk.values),
            "course": self.course,
        }
        replace_json(self.path, state)
        now = time.monotonic()
        if now - self.reported >= SECONDS_BETWEEN_REPORTS:
            self.reported = now
            self.report(now - self.start)

    def report(self, seconds: float) -> None:
        settings = self.walk.settings
        left = (settings.pairs - self.learnt) * seconds / max(self.learnt - self.first, 1)
        moves = [
            (abs(value - number.start) / number.step, number, value)
            for number, value in zip(settings.numbers, self.walk.values, strict=True)
        ]
        named = sorted(moves, key=lambda move: -move[0])[:LARGEST_CHANGES]
        changes = ", ".join(f"{number.name} {value:.1f}" for _, number, value in named)
        print(
            f"{self.learnt} of {settings.pairs} pairs, {left:.0f} s left; {changes}",
            file=sys.stderr,
            flush=True,
        )

    def show(self) -> None:
        print(f"{'number':<28}{'before':>10}{'now':>10}{'in steps':>10}")
        for number, value in zip(self.walk.settings.numbers, self.walk.values, strict=True):
            moved = (value - number.start) / number.step
            print(f"{number.name:<28}{number.start:>10}{round(value):>10}{moved:>10.1f}")


def choose_numbers(names: Sequence[str]) -> tuple[Number, ...]:
    """ValueError for a name that is none, or in a build whose numbers stand fast."""
    if not core.TUNING:
        raise ValueError("the numbers of this build stand fast: build with CYTHERA_TUNE=1")
    numbers = {name: Number(name, *values) for name, values in core.tunables().items()}
    for name in names:
        if name not in numbers:
            raise ValueError(f"there is no number {name!r}: {', '.join(numbers)}")
    return tuple(numbers[name] for name in (dict.fromkeys(names) or numbers))


def make_spec(each: Sequence[str]) -> EngineSpec:
    spec = parse_engine([], each)
    if not spec.control.limits_something:
        raise ValueError("--each needs a limit: tc, st, nodes or depth")
    return replace(spec, command=(sys.executable, "-m", "uci_engine"), name="cythera")


def main(arguments: Sequence[str]) -> int:
    options = parse_arguments(arguments)
    numbers = choose_numbers(options.numbers)
    spec = make_spec(options.each)
    settings = Settings(
        numbers, options.pairs, options.rate, tuple(options.each), options.openings, options.seed
    )
    source = OpeningSource(path=options.openings, order="random", seed=options.seed)
    openings = load_openings(source, min(options.pairs, OPENINGS))
    run = Run(options.spsa.with_name(options.spsa.name + ".json"), settings)
    run.resume()
    job = PairJob(spec, tuple(number.name for number in numbers))
    try:
        with Interrupts(*ENDS) as interrupts:
            runner = make_runner(job, (spec,), options, interrupts)
            try:
                for result in runner.run(run.tasks(openings), lambda notice: None):
                    run.keep(result)
            finally:
                runner.stop()
    except KeyboardInterrupt:
        print(f"interrupted after {run.learnt} pairs", file=sys.stderr)
        return EXIT_CODE
    finally:
        run.show()
    return 0
