"""Who plays whom, from which opening: a pure function of the tournament's description.

A game's number is its name. Resuming and clusters rest on that: any process can say what
game 17 is, and a finished number is never played again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from uci_engine.arena.play.engine_game import GameTask, Opening
from uci_engine.arena.players.spec import check_choice

FORMATS = ("match", "gauntlet", "roundrobin")


def pairings(form: str, players: int) -> list[tuple[int, int]]:
    check_choice("format", form, FORMATS)
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

    def place(self, number: int) -> tuple[int, int, int]:
        """Of a game: the round, the pairing, and whether it is the pair's second game. Round by
        round every pairing plays its two games; one if the last round has no more."""
        turn, rest = divmod(number, 2 * len(self.pairings))
        last_and_odd = self.per_pairing % 2 and turn == self.per_pairing // 2
        index, reverse = (rest, 0) if last_and_odd else divmod(rest, 2)
        return turn, index, reverse

    def number_in(self, longer: Schedule, number: int) -> int:
        """Of the same game in a schedule of more games."""
        turn, index, reverse = self.place(number)
        last_and_odd = longer.per_pairing % 2 and turn == longer.per_pairing // 2
        rest = index if last_and_odd else 2 * index + reverse
        return turn * 2 * len(self.pairings) + rest

    def task(self, number: int) -> GameTask:
        turn, index, reverse = self.place(number)
        first, second = self.pairings[index]
        white, black = (second, first) if reverse else (first, second)
        round_number = turn if self.repeat else 2 * turn + reverse
        opening = round_number % len(self.openings)
        pair = turn * len(self.pairings) + index
        return GameTask(number, pair, white, black, self.openings[opening], opening)

    def tasks(self, finished: set[int]) -> Iterator[GameTask]:
        return (self.task(number) for number in range(len(self)) if number not in finished)
