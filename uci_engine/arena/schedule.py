"""Who plays whom, from which opening: a pure function of the tournament's description.

A game's number is its name. Resuming and clusters rest on that: any process can say what
game 17 is, and a finished number is never played again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from uci_engine.arena.game import GameTask, Opening

FORMATS = ("match", "gauntlet", "roundrobin")


def pairings(form: str, players: int) -> list[tuple[int, int]]:
    if form == "match" and players != 2:
        raise ValueError(f"a match has two engines, not {players}")
    if players < 2:
        raise ValueError("a tournament needs at least two engines")
    if form == "roundrobin":
        return list(combinations(range(players), 2))
    return [(0, other) for other in range(1, players)]


class Schedule:
    def __init__(
        self,
        form: str,
        players: int,
        games_per_pairing: int,
        openings: Sequence[Opening],
        repeat: bool = True,
    ) -> None:
        self.pairings = pairings(form, players)
        self.openings = openings  # in the order of play
        self.repeat = repeat  # each opening twice, colours reversed
        self.per_pairing = games_per_pairing

    def __len__(self) -> int:
        return self.per_pairing * len(self.pairings)

    def task(self, number: int) -> GameTask:
        """Round by round: in each, every pairing plays its two games."""
        full_round = 2 * len(self.pairings)
        turn, place = divmod(number, full_round)
        last_and_odd = self.per_pairing % 2 and turn == self.per_pairing // 2
        index, reverse = (place, 0) if last_and_odd else divmod(place, 2)
        first, second = self.pairings[index]
        white, black = (second, first) if reverse else (first, second)
        round_number = turn if self.repeat else 2 * turn + reverse
        opening = round_number % len(self.openings)
        pair = turn * len(self.pairings) + index
        return GameTask(number, pair, white, black, self.openings[opening], opening)

    def tasks(self, finished: set[int]) -> Iterator[GameTask]:
        return (self.task(number) for number in range(len(self)) if number not in finished)
