"""A tournament from its description to its last line."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from uci_engine.arena.game import GameRecord, GameTask, Opening
from uci_engine.arena.interrupts import SHIELD
from uci_engine.arena.journal import Journal, read_description, read_games
from uci_engine.arena.openings import OpeningSource, load_openings
from uci_engine.arena.pgn import PgnWriter
from uci_engine.arena.plain import rebuild
from uci_engine.arena.rules import Adjudication
from uci_engine.arena.schedule import Schedule, pairings
from uci_engine.arena.spec import EngineSpec
from uci_engine.arena.sprt import Sprt
from uci_engine.arena.standings import Standings, tally_dict
from uci_engine.files import replace_json, replace_text

SUMMARY_EVERY = 50  # games between two writings of the results file


@dataclass(frozen=True)
class Description:
    """Everything that decides which games are played. Two runs with the same one are the same
    tournament, whatever the number of cores or machines."""

    engines: tuple[EngineSpec, ...]
    form: str = "match"
    games: int = 100  # per pairing
    openings: OpeningSource = field(default_factory=OpeningSource)
    openings_digest: str = ""
    repeat: bool = True
    adjudication: Adjudication = field(default_factory=Adjudication)
    sprt: Sprt | None = None
    event: str = "Cythera arena"
    comments: str = "tags"

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def read(cls, journal: Path) -> Description:
        """That of the tournament whose journal it is."""
        values = read_description(journal)
        try:
            description: Description = rebuild(cls, values, "the tournament")
            pairings(description.form, len(description.engines))
        except ValueError as error:
            raise ValueError(f"{journal}, line 1: {error}") from None
        return description

    def schedule(self) -> Schedule:
        wanted = (self.games + 1) // 2 if self.repeat else self.games
        openings = load_openings(self.openings, wanted)
        if self.openings_digest and digest(openings) != self.openings_digest:
            place = self.openings.path or "the default openings"
            raise ValueError(f"{place}: not the openings that the tournament began with")
        return Schedule(self.form, len(self.engines), self.games, openings, self.repeat)


def digest(openings: Sequence[Opening]) -> str:
    """A resumed tournament must go on with the same openings."""
    lines = "\n".join(f"{opening.fen} {' '.join(opening.moves)}" for opening in openings)
    return hashlib.sha256(lines.encode()).hexdigest()[:16]


class Runner(Protocol):
    def run(self, tasks: Iterator[GameTask]) -> Iterator[GameRecord]: ...
    def stop(self) -> None: ...


class Watcher(Protocol):
    """Who shows a tournament's course."""

    def begin(self, tournament: Tournament) -> None: ...
    def game(self, tournament: Tournament, record: GameRecord) -> None: ...
    def end(self, tournament: Tournament) -> None: ...


@dataclass(frozen=True)
class Files:
    """Where a tournament leaves its traces; None is nowhere."""

    journal: Path | None = None
    results: Path | None = None
    pgn: Path | None = None
    report: Path | None = None

    @classmethod
    def named(cls, name: str) -> Files:
        return cls(*(Path(f"{name}.{kind}") for kind in ("jsonl", "json", "pgn", "html")))

    def refuse_existing(self) -> None:
        for path in (self.journal, self.results, self.pgn, self.report):
            if path is not None and path.exists():
                raise ValueError(f"{path} exists already; --resume goes on with a tournament")


class Tournament:
    def __init__(self, description: Description, files: Files) -> None:
        self.description = description
        self.files = files
        self.schedule = description.schedule()
        self.standings = Standings([spec.name for spec in description.engines])
        self.writer = PgnWriter(description.engines, description.event, description.comments)
        self.journal: Journal | None = None
        self.decision = ""  # of the SPRT
        self.resumed = 0

    @property
    def total(self) -> int:
        return len(self.schedule)

    def llr(self) -> float:
        sprt = self.description.sprt
        return sprt.llr(self.standings.tally()) if sprt else 0.0

    def open_files(self, resume: bool) -> None:
        if not resume:
            self.files.refuse_existing()
            if self.files.journal is not None:
                digested = replace(self.description, openings_digest=digest(self.schedule.openings))
                self.journal = Journal.create(self.files.journal, digested.as_dict())
            return
        assert self.files.journal is not None
        self.journal = Journal.reopen(self.files.journal)
        for record in read_games(self.files.journal):
            self.standings.add(record)
        self.resumed = self.standings.games
        self.rewrite_pgn()
        self.decide()

    def rewrite_pgn(self) -> None:
        """From the journal: the old file may lack a game or end in the middle of one."""
        if self.files.pgn is None or self.files.journal is None:
            return
        games = read_games(self.files.journal)
        replace_text(self.files.pgn, (self.writer.text(record) for record in games))

    def run(self, runner: Runner, watcher: Watcher) -> None:
        """Play what is left to play. Ends early by the SPRT; Ctrl-C comes through."""
        watcher.begin(self)
        try:
            for record in runner.run(self.open_tasks()):
                with SHIELD:
                    self.take(record)
                watcher.game(self, record)
                if self.decision:
                    break
        finally:
            with SHIELD:
                runner.stop()
                self.write_results()
                if self.journal is not None:
                    self.journal.close()
        watcher.end(self)

    def open_tasks(self) -> Iterator[GameTask]:
        return iter(()) if self.decision else self.schedule.tasks(set(self.standings.finished))

    def take(self, record: GameRecord) -> None:
        """The journal comes first: what it holds is finished, the rest follows from it."""
        if self.journal is not None:
            self.journal.add(record)
        if self.files.pgn is not None:
            with self.files.pgn.open("a", encoding="utf-8") as out:
                out.write(self.writer.text(record))
        self.standings.add(record)
        self.decide()
        if self.standings.games % SUMMARY_EVERY == 0:
            self.write_results()

    def decide(self) -> None:
        if self.description.sprt is not None:
            self.decision = self.description.sprt.decision(self.llr())

    def write_results(self) -> None:
        if self.files.results is not None:
            replace_json(self.files.results, self.results())

    def results(self) -> dict[str, Any]:
        standings, names = self.standings, self.standings.names
        values: dict[str, Any] = {
            "tournament": self.description.as_dict(),
            "games": standings.games,
            "of": self.total,
            "pairings": [
                {"first": names[a], "second": names[b]} | tally_dict(tally)
                for (a, b), tally in sorted(standings.tallies.items())
            ],
            "players": [
                {"name": name, "faults": dict(standings.faults[number])}
                | tally_dict(standings.total(number))
                for number, name in enumerate(names)
            ],
            "reasons": dict(standings.reasons.most_common()),
        }
        sprt = self.description.sprt
        if sprt is not None:
            values["sprt"] = {
                "llr": self.llr(),
                "lower": sprt.lower,
                "upper": sprt.upper,
                "decision": self.decision,
            }
        return values


def resume(name: str) -> Tournament:
    files = Files.named(name)
    assert files.journal is not None
    return Tournament(Description.read(files.journal), files)
