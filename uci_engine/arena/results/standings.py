"""The results so far, kept small: counts, and the games whose pair is not complete."""

from __future__ import annotations

from collections import Counter
from typing import Any

from uci_engine.arena.results.record import BLACK_WINS, WHITE_WINS, GameRecord
from uci_engine.arena.results.stats import Tally


def points_of_white(result: str) -> float:
    return {WHITE_WINS: 1.0, BLACK_WINS: 0.0}.get(result, 0.5)


class Standings:
    def __init__(self, names: list[str]) -> None:
        self.names = names
        self.tallies: dict[tuple[int, int], Tally] = {}  # lower number first
        self.by_colour: dict[tuple[int, int], Tally] = {}  # (White, Black), as White sees it
        self.half_pairs: dict[int, float] = {}  # pair: points of the lower number
        self.reasons: Counter[str] = Counter()
        self.faults: list[Counter[str]] = [Counter() for _ in names]
        self.finished: set[int] = set()

    def add(self, record: GameRecord) -> None:
        white_points = points_of_white(record.result)
        players = (record.white, record.black)
        self.by_colour.setdefault(players, Tally()).add_game(white_points)
        first, second = sorted(players)
        points = white_points if record.white == first else 1 - white_points
        tally = self.tallies.setdefault((first, second), Tally())
        tally.add_game(points)
        if record.pair in self.half_pairs:
            tally.add_pair(self.half_pairs.pop(record.pair) + points)
        else:
            self.half_pairs[record.pair] = points
        self.reasons[record.reason] += 1
        if record.guilty is not None:
            self.faults[record.guilty][record.reason] += 1
        self.finished.add(record.number)

    @property
    def games(self) -> int:
        return len(self.finished)

    def tally(self, first: int = 0, second: int = 1) -> Tally:
        return self.tallies.get((first, second), Tally())

    def against(self, player: int, other: int) -> Tally:
        """The tally as `player` sees it."""
        first, second = sorted((player, other))
        tally = self.tally(first, second)
        return tally if player == first else tally.reversed()

    def total(self, player: int) -> Tally:
        total = Tally()
        for other in range(len(self.names)):
            if other != player:
                total = total + self.against(player, other)
        return total


def tally_dict(tally: Tally) -> dict[str, Any]:
    """The figures of a tally for a JSON file; no number there is infinite."""
    figures = tally.figures
    return {
        "games": tally.games,
        "wins": tally.wins,
        "draws": tally.draws,
        "losses": tally.losses,
        "score": tally.score,
        "pentanomial": tally.pairs,
        "elo": finite(figures.elo.value),
        "elo_low": finite(figures.elo.low),
        "elo_high": finite(figures.elo.high),
        "normalized_elo": finite(figures.normalized.value),
        "normalized_elo_low": finite(figures.normalized.low),
        "normalized_elo_high": finite(figures.normalized.high),
        "los": figures.superiority,
        "draw_ratio": tally.draw_ratio,
    }


def finite(value: float) -> float | None:
    return round(value, 3) if abs(value) < 1e9 else None
