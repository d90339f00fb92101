"""A tournament from its description to its last line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from uci_engine.arena.play.check import check_record
from uci_engine.arena.play.description import Description, digest
from uci_engine.arena.play.engine_game import GameTask
from uci_engine.arena.play.notices import show_once
from uci_engine.arena.play.runner import Runner
from uci_engine.arena.results.game_pgn import PgnWriter
from uci_engine.arena.results.journal import Journal, at_line, read_games, read_records
from uci_engine.arena.results.record import GameRecord
from uci_engine.arena.results.standings import Standings, tally_dict
from uci_engine.files import check_name, check_writable, replace_json, replace_text

SUMMARY_EVERY = 50  # games between two writings of the results file


class Watcher(Protocol):
    """Who shows a tournament's course."""

    def begin(self, tournament: Tournament) -> None: ...
    def game(self, tournament: Tournament, record: GameRecord) -> None: ...
    def notice(self, tournament: Tournament, text: str) -> None: ...
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
        check_name(name)
        return cls(*(Path(f"{name}.{kind}") for kind in ("jsonl", "json", "pgn", "html")))

    def refuse_existing(self) -> None:
        for path in (self.journal, self.results, self.pgn, self.report):
            if path is not None:
                if path.exists():
                    raise ValueError(f"{path} exists already; --resume goes on with a tournament")
                check_writable(path)


class Tournament:
    def __init__(
        self, description: Description, files: Files, earlier: Description | None = None
    ) -> None:
        """`earlier` is what the journal says of a tournament that goes on."""
        self.description = description
        self.files = files
        self.earlier = earlier
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

    def load(self) -> None:
        """The games of an earlier run, each held against the schedule. Nothing is written yet."""
        assert self.files.journal is not None
        self.journal = Journal.reopen(self.files.journal)
        for record in self.earlier_games(self.files.journal):
            self.standings.add(record)
        self.resumed = self.standings.games
        self.decide()

    def earlier_games(self, path: Path) -> Iterator[GameRecord]:
        """As this tournament numbers them."""
        assert self.earlier is not None
        before = self.earlier.schedule()
        seen: set[int] = set()
        for line, record in read_records(path):
            with at_line(path, line):
                if not 0 <= record.number < len(before):
                    raise ValueError(f"number is not in the schedule: {record.number}")
                if record.number in seen:
                    raise ValueError(f"game {record.number + 1} is there twice")
                seen.add(record.number)
                check_record(record, before.task(record.number))
                record.number = before.number_in(self.schedule, record.number)
                check_record(record, self.schedule.task(record.number))
            yield record

    def open_files(self) -> None:
        """What was read is written anew where it has to be: the old PGN may lack a game or end in
        the middle of one, the journal of a tournament that is made longer says how long it is."""
        digested = replace(self.description, openings_digest=digest(self.schedule.openings))
        if self.earlier is None:
            self.files.refuse_existing()
            if self.files.journal is not None:
                self.journal = Journal.create(self.files.journal, asdict(digested))
            return
        assert self.journal is not None
        assert self.files.pgn is not None
        self.journal.cut_torn_line()
        path = self.journal.path
        if digested != self.earlier:
            self.journal = self.journal.rewrite(asdict(digested), self.earlier_games(path))
            self.earlier = digested
        replace_text(self.files.pgn, (self.writer.text(record) for record in read_games(path)))

    def run(self, runner: Runner[GameTask, GameRecord], watcher: Watcher) -> None:
        """Play what is left to play. Ends early by the SPRT, or by what interrupts the runner."""
        watcher.begin(self)
        hear = show_once(lambda text: watcher.notice(self, text))
        try:
            for record in runner.run(self.open_tasks(), hear):
                self.take(record)
                watcher.game(self, record)
                if self.decision:
                    break
        finally:
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
            "tournament": asdict(self.description),
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


def resume(name: str, games: int | None) -> Tournament:
    """Go on, with more games per pairing if so many are wanted."""
    files = Files.named(name)
    assert files.journal is not None
    earlier = Description.read(files.journal)
    if games is not None and games < earlier.games:
        raise ValueError(
            f"{files.journal}: the tournament has {earlier.games} games per pairing already, "
            f"so --games {games} would make it shorter"
        )
    longer = replace(earlier, games=games or earlier.games, openings_digest="")
    tournament = Tournament(longer, files, earlier)
    tournament.load()
    return tournament
