"""A lineage of networks as it lies in a folder: settings, and a folder for each generation.

A generation's folder holds its games, its network, the match that judged it and, last of all, its
report. Whatever is there when a program is ended is used by the next one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from core_ext.core import network_size
from uci_engine.arena.play.check import check_range
from uci_engine.arena.play.description import MOST_GAMES
from uci_engine.arena.players.spec import check_choice
from uci_engine.arena.results.json_values import rebuild
from uci_engine.learn.checkpoint import checkpoint_of
from uci_engine.learn.sealed import read_sealed, write_sealed
from uci_engine.learn.selfplay import MOST_SOFT_NODES
from uci_engine.network import read_network

SETTINGS = "learn.json"
REPORT = "report.json"
TIMES = "times.json"
ZERO = "material"  # the player whose rating is 0; every generation plays it
COUNTS = 6  # of a match: won, drawn, lost with White, then with Black

BEGINNINGS = ("classical", "rules")
# A training needs fifty positions and a game to keep aside: of fewer games there may be too little.
FEWEST_GAMES = 10
MOST = 10**12  # of anything: nobody has the time for more
RANGES = {
    "games": (FEWEST_GAMES, MOST),
    "nodes": (1, MOST_SOFT_NODES),
    "window": (1, MOST),
    "samples": (1, MOST),
    "judging": (1, MOST_GAMES),
    "seed": (0, 2**32 - 1),
}
# What may be another from the next generation on: a small network soon knows what it can, and a
# larger one wants more games. The rest is what makes generations comparable.
CHANGEABLE = ("games", "hidden", "buckets", "danger", "window", "samples", "judging")
ONCE_UNNAMED = {"buckets": 1, "danger": False}  # settings that older lineages don't name


@dataclass(frozen=True)
class Settings:
    """What a lineage is made with."""

    begin: str = "classical"  # or rules: a network of random weights
    games: int = 20_000  # of a generation
    nodes: int = 300  # of a move
    hidden: int = 128
    buckets: int = 1
    danger: bool = False
    window: int = 8  # generations whose games are learnt from, at the most
    samples: int = 60_000_000  # positions that a training looks at
    judging: int = 200  # games against each opponent
    seed: int = 1

    def __post_init__(self) -> None:
        check_choice("begin", self.begin, BEGINNINGS)
        for name, (low, high) in RANGES.items():
            check_range(name, [getattr(self, name)], low, high)
        network_size(*self.shape)

    @property
    def shape(self) -> tuple[int, int, bool]:
        """Of its networks."""
        return self.hidden, self.buckets, self.danger


@dataclass(frozen=True)
class Report:
    """What became of a generation."""

    number: int
    accepted: bool
    score: float  # against the best before it
    positions: int  # learnt from, those of earlier generations' games among them
    own_positions: int  # of its own games, those kept aside among them
    aside: float  # the error on games that were kept aside
    seconds: float  # of machine time
    results: dict[str, list[int]]  # the counts, by opponent

    def __post_init__(self) -> None:
        check_range("number", [self.number], 1, MOST)
        check_range("score", [self.score], 0, 1)
        check_range("positions", [self.positions], 0, MOST)
        check_range("own_positions", [self.own_positions], 0, MOST)
        check_range("aside", [self.aside], 0, 1)
        check_range("seconds", [self.seconds], 0, MOST)
        if ZERO not in self.results:
            raise ValueError(f"results has no games against {ZERO}")
        for counts in self.results.values():
            if len(counts) != COUNTS:
                raise ValueError(f"an item of results must have {COUNTS} items, not {len(counts)}")
            check_range("results", counts, 0, MOST_GAMES)


@dataclass(frozen=True)
class Times:
    """Seconds of machine time that a generation has had, by its steps."""

    play: float = 0.0
    train: float = 0.0
    judge: float = 0.0

    def __post_init__(self) -> None:
        for step, seconds in vars(self).items():
            check_range(step, [seconds], 0, MOST)


Values = TypeVar("Values", Settings, Report, Times)


@dataclass
class Lineage:
    folder: Path
    settings: Settings
    reports: list[Report] = field(default_factory=list)

    @classmethod
    def open(cls, folder: Path, given: dict[str, Any]) -> Lineage:
        """What is there, or a new one. ValueError if it was begun with other settings that can't
        change any more."""
        path = folder / SETTINGS
        if not is_lineage(folder):
            settings = Settings(**given)
            folder.mkdir(parents=True, exist_ok=True)
            write_sealed(path, asdict(settings))
            return cls(folder, settings)
        settings = read_values(path, Settings, **ONCE_UNNAMED)
        lineage = cls(folder, settings, list(read_reports(folder)))
        lineage.change({name: new for name, new in given.items() if vars(settings)[name] != new})
        return lineage

    def change(self, given: dict[str, Any]) -> None:
        """From the next generation on. ValueError if it can't go on so."""
        before = self.settings
        for name, value in given.items():
            if name not in CHANGEABLE:
                old = getattr(before, name)
                raise ValueError(f"{self.folder}: begun with {name} {old}, not {value}")
        after = replace(before, **given)
        if given:
            write_sealed(self.folder / SETTINGS, asdict(after))
            self.settings = after
        if given.keys() - {"judging"}:
            checkpoint_of(self.network(self.next)).unlink(missing_ok=True)  # of another training

    def place(self, number: int) -> Path:
        return self.folder / f"{number:03d}"

    def network(self, number: int) -> Path:
        return self.place(number) / "network.nnue"

    @property
    def stands_alone(self) -> bool:
        """Nothing is added to its networks: those from rules know what they learned. Lineages that
        were begun before networks could stand alone go on as they are."""
        return self.settings.begin == "rules" and read_network(str(self.network(0))).stands_alone

    def games(self, number: int) -> Path:
        return self.place(number) / "own.games"

    def match(self, number: int) -> Path:
        """Without the ending: the arena gives its files several."""
        return self.place(number) / "match"

    def journal(self, number: int) -> Path:
        return self.match(number).with_suffix(".jsonl")

    @property
    def best(self) -> int:
        """The last generation that was accepted; 0 is what the lineage began with."""
        return max((report.number for report in self.reports if report.accepted), default=0)

    @property
    def next(self) -> int:
        return len(self.reports) + 1

    def learnt_from(self, number: int) -> list[Path]:
        """The games that a generation learns from. Those of the first ones are soon forgotten:
        their players knew nothing. Old ones need not be there any more: they are large, and a
        lineage can go on in another place without them."""
        count = min(self.settings.window, 1 + number // 2)
        old = (self.games(each) for each in range(number - count + 1, number))
        return [*(path for path in old if path.exists()), self.games(number)]

    def add(self, report: Report) -> None:
        write_sealed(self.place(report.number) / REPORT, asdict(report))
        self.reports.append(report)

    # ---- machine time

    def times(self, number: int) -> dict[str, float]:
        path = self.place(number) / TIMES
        return asdict(read_values(path, Times) if path.exists() else Times())

    def spend(self, number: int, phase: str, seconds: float) -> None:
        times = self.times(number)
        times[phase] += seconds
        write_sealed(self.place(number) / TIMES, asdict(Times(**times)))


def is_lineage(folder: Path) -> bool:
    """Its settings are what is written first."""
    return (folder / SETTINGS).exists()


def player_name(number: int) -> str:
    """A generation's in its matches."""
    return f"generation {number}"


def read_reports(folder: Path) -> Iterator[Report]:
    """Generation after generation, as far as they are complete."""
    number = 1
    while (path := folder / f"{number:03d}" / REPORT).exists():
        report = read_values(path, Report)
        if report.number != number:
            raise ValueError(f"{path}: the report of generation {report.number}")
        yield report
        number += 1


def read_values(path: Path, kind: type[Values], **unnamed: Any) -> Values:
    """What a file holds, and these for values that it does not name. ValueError if it is damaged,
    or if its values can't be."""
    values = {**unnamed, **read_sealed(path)}
    try:
        found: Values = rebuild(kind, values, "the file")
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    return found
