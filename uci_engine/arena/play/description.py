"""What a tournament is, in plain values: the first line of its journal."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from uci_engine.arena.play.adjudication import Adjudication
from uci_engine.arena.play.engine_game import Opening
from uci_engine.arena.play.openings import OpeningSource, load_openings
from uci_engine.arena.play.schedule import Schedule, pairings
from uci_engine.arena.players.spec import EngineSpec, check_choice
from uci_engine.arena.results.game_pgn import COMMENT_STYLES
from uci_engine.arena.results.journal import at_line, read_description
from uci_engine.arena.results.json_values import rebuild
from uci_engine.arena.results.sprt import Sprt
from uci_engine.text import is_tame

MOST_GAMES = 10**9


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

    def __post_init__(self) -> None:
        pairings(self.form, len(self.engines))
        if not 1 <= self.games <= MOST_GAMES:
            raise ValueError(f"games must be from 1 to {MOST_GAMES}, not {self.games}")
        names = [spec.name for spec in self.engines]
        if len(set(names)) < len(names) or not all(names):
            raise ValueError("each engine must have a name of its own")
        if not all(map(is_tame, [self.event, *names])):
            raise ValueError("the event and the engines' names must be short lines of text")
        if self.sprt is not None and len(self.engines) != 2:
            raise ValueError("an SPRT is for two engines")
        check_choice("comments", self.comments, COMMENT_STYLES)

    @classmethod
    def read(cls, journal: Path) -> Description:
        """That of the tournament whose journal it is."""
        values = read_description(journal)
        with at_line(journal, 1):
            description: Description = rebuild(cls, values, "the tournament")
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
