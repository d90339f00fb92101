"""Games between the lab's searches, through the arena, inside this process."""

from __future__ import annotations

import os
from collections.abc import Sequence

from uci_engine.arena.play.adjudication import Adjudication
from uci_engine.arena.play.description import Description
from uci_engine.arena.play.game_station import GameJob
from uci_engine.arena.play.openings import OpeningSource
from uci_engine.arena.play.runner import LocalRunner
from uci_engine.arena.play.tournament import Files, Tournament
from uci_engine.arena.players.clock import TimeControl
from uci_engine.arena.players.spec import EngineSpec
from uci_engine.arena.results.record import GameRecord
from uci_engine.arena.results.standings import Standings
from uci_engine.interrupts import Interrupts
from uci_engine.lab.studies import Tell

MARGIN_MS = 60_000  # what is compared is play, not punctuality: a busy machine forfeits nothing
MOST_MOVES = 120
# A side that is a queen and more ahead for so long, by both searches' scores, has won.
CERTAIN = Adjudication(win_count=4, win_score=1000, win_two_sided=True, most_moves=MOST_MOVES)
HASH_MB = 32


def make_spec(name: str, move_ms: int, **options: str) -> EngineSpec:
    settings = {"Hash": str(HASH_MB), **{key.replace("_", " "): v for key, v in options.items()}}
    return EngineSpec(
        name=name,
        protocol="internal",
        options=tuple(settings.items()),
        control=TimeControl(movetime_ms=move_ms),
        margin_ms=MARGIN_MS,
    )


class Progress:
    """Tells how many games are done."""

    def __init__(self, tell: Tell, title: str) -> None:
        self.tell = tell
        self.title = title

    def begin(self, tournament: Tournament) -> None:
        pass

    def game(self, tournament: Tournament, record: GameRecord) -> None:
        self.tell(f"{self.title}: {tournament.standings.games} of {tournament.total} games")

    def notice(self, tournament: Tournament, text: str) -> None:
        self.tell(text)

    def end(self, tournament: Tournament) -> None:
        pass


def play(specs: Sequence[EngineSpec], games: int, seed: int, watcher: Progress) -> Standings:
    """Every pairing from the same openings, with colours changed."""
    form = "match" if len(specs) == 2 else "roundrobin"
    openings = OpeningSource(order="random", seed=seed)
    description = Description(tuple(specs), form, games, openings, adjudication=CERTAIN)
    tournament = Tournament(description, Files())
    job = GameJob(description.engines, description.adjudication)
    with Interrupts() as interrupts:
        runner = LocalRunner(job, os.cpu_count() or 1, interrupts.check)
        tournament.open_files()
        tournament.run(runner, watcher)
    return tournament.standings
