"""A lineage of networks as it lies in a folder: settings, and a folder for each generation.

A generation's folder holds its games, its network, the match that judged it and, last of all, its
report. Whatever is there when a program is ended is used by the next one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from uci_engine.files import read_text, replace_json
from uci_engine.network import read_network

SETTINGS = "learn.json"
REPORT = "report.json"
TIMES = "times.json"
PHASES = ("play", "train", "judge")
ZERO = "material"  # the player whose rating is 0; every generation plays it


@dataclass(frozen=True)
class Settings:
    """What a lineage is made with, from its first generation to the last."""

    begin: str = "classical"  # or rules: a network of random weights
    games: int = 20_000  # of a generation
    nodes: int = 300  # of a move
    hidden: int = 128
    window: int = 8  # generations whose games are learnt from, at the most
    samples: int = 60_000_000  # positions that a training looks at
    judging: int = 200  # games against each opponent
    seed: int = 1


@dataclass(frozen=True)
class Report:
    """What became of a generation."""

    number: int
    accepted: bool
    score: float  # against the best before it
    positions: int
    aside: float  # the error on games that were kept aside
    seconds: float  # of machine time
    results: dict[str, list[int]]  # by opponent: won, drawn, lost with White, then with Black


@dataclass
class Lineage:
    folder: Path
    settings: Settings
    reports: list[Report] = field(default_factory=list)

    @classmethod
    def open(cls, folder: Path, given: dict[str, Any]) -> Lineage:
        """What is there, or a new one. ValueError if it was begun with other settings."""
        path = folder / SETTINGS
        if not path.exists():
            folder.mkdir(parents=True, exist_ok=True)
            settings = Settings(**given)
            replace_json(path, asdict(settings))
            return cls(folder, settings)
        settings = Settings(**read_fields(path, Settings))
        for name, value in given.items():
            if getattr(settings, name) != value:
                raise ValueError(
                    f"{folder}: begun with {name} {getattr(settings, name)}, not {value}"
                )
        return cls(folder, settings, list(read_reports(folder)))

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
        replace_json(self.place(report.number) / REPORT, asdict(report))
        self.reports.append(report)

    # ---- machine time

    def times(self, number: int) -> dict[str, float]:
        path = self.place(number) / TIMES
        found = read_object(path) if path.exists() else {}
        times = dict.fromkeys(PHASES, 0.0) | found
        if len(times) > len(PHASES) or not all(isinstance(each, float) for each in times.values()):
            raise not_ours(path)
        return times

    def spend(self, number: int, phase: str, seconds: float) -> None:
        times = self.times(number)
        times[phase] += seconds
        replace_json(self.place(number) / TIMES, times)


def player_name(number: int) -> str:
    """A generation's in its matches."""
    return f"generation {number}"


def read_reports(folder: Path) -> Iterator[Report]:
    """Generation after generation, as far as they are complete."""
    number = 1
    while (path := folder / f"{number:03d}" / REPORT).exists():
        report = Report(**read_fields(path, Report))
        check_results(path, report.results)
        yield report
        number += 1


def check_results(path: Path, results: dict[str, Any]) -> None:
    if ZERO not in results:
        raise not_ours(path)
    for counts in results.values():
        if not isinstance(counts, list) or [type(each) for each in counts] != [int] * 6:
            raise not_ours(path)


def not_ours(path: Path) -> ValueError:
    return ValueError(f"{path}: not written by cythera learn")


def read_object(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(read_text(path))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise not_ours(path)
    return found


def read_fields(path: Path, kind: type[Settings] | type[Report]) -> dict[str, Any]:
    """The fields of a dataclass; ValueError if there are others, or values of another type."""
    found = read_object(path)
    types = {each.name: str(each.type).partition("[")[0] for each in fields(kind)}
    wrong = [name for name in types if type(found.get(name)).__name__ != types[name]]
    if wrong or len(found) != len(types):
        raise not_ours(path)
    return found
