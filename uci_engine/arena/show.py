"""A tournament's course in plain lines."""

from __future__ import annotations

import sys
import time
from typing import TextIO

from uci_engine.arena.game import GameRecord
from uci_engine.arena.stats import Tally, elo_estimate, likelihood_of_superiority, normalized_elo
from uci_engine.arena.tournament import Tournament


def figures(first: str, second: str, tally: Tally) -> list[str]:
    """The score of one player against another, and what it is worth."""
    moments = tally.moments()
    elo, nelo = elo_estimate(moments), normalized_elo(moments)
    los = likelihood_of_superiority(moments)
    return [
        f"Score of {first} vs {second}: {tally.wins} - {tally.losses} - {tally.draws}"
        f"  [{tally.score:.3f}] {tally.games}",
        f"Elo: {elo}, nElo: {nelo}, LOS: {100 * los:.1f} %, draws: {100 * tally.draw_ratio:.1f} %",
        f"Pairs (0 to 2 points): {tally.pairs}",
    ]


def sprt_line(tournament: Tournament) -> str:
    sprt = tournament.description.sprt
    assert sprt is not None
    llr = tournament.llr()
    verdict = f", {tournament.decision} accepted" if tournament.decision else ""
    return (
        f"SPRT: LLR {llr:.2f} ({sprt.lower:.2f}, {sprt.upper:.2f})"
        f" [{sprt.elo0:g}, {sprt.elo1:g}] {sprt.model}{verdict}"
    )


def fault_lines(tournament: Tournament) -> list[str]:
    standings = tournament.standings
    return [
        f"{name}: " + ", ".join(f"{count} x {reason}" for reason, count in faults.items())
        for name, faults in zip(standings.names, standings.faults, strict=True)
        if faults
    ]


class PlainWatcher:
    """A line for each game, the figures now and then."""

    def __init__(self, every: int = 10, out: TextIO | None = None) -> None:
        self.every = every
        self.out = out or sys.stdout
        self.start = 0.0

    def print(self, *lines: str) -> None:
        print("\n".join(lines), file=self.out, flush=True)

    def begin(self, tournament: Tournament) -> None:
        self.start = time.monotonic()
        names = ", ".join(
            f"{spec.name} ({spec.control})" for spec in tournament.description.engines
        )
        self.print(f"{names}: {tournament.total} games")
        if tournament.resumed:
            self.print(f"{tournament.resumed} games were finished before")

    def game(self, tournament: Tournament, record: GameRecord) -> None:
        names, done = tournament.standings.names, tournament.standings.games
        detail = f" ({record.detail})" if record.detail else ""
        self.print(
            f"{done}/{tournament.total}  game {record.number + 1}: {names[record.white]} - "
            f"{names[record.black]} {record.result}  {record.reason}{detail}, "
            f"{len(record.moves)} plies"
        )
        if done % self.every == 0 and done != tournament.total and not tournament.decision:
            self.print(*self.summary(tournament))

    def summary(self, tournament: Tournament) -> list[str]:
        standings = tournament.standings
        lines = []
        for (first, second), tally in sorted(standings.tallies.items()):
            lines += figures(standings.names[first], standings.names[second], tally)
        if tournament.description.sprt is not None:
            lines.append(sprt_line(tournament))
        lines += fault_lines(tournament)
        lines.append(self.pace(tournament))
        return lines

    def pace(self, tournament: Tournament) -> str:
        played = tournament.standings.games - tournament.resumed
        minutes = (time.monotonic() - self.start) / 60
        speed = played / minutes if minutes > 0 else 0.0
        left = (tournament.total - tournament.standings.games) / speed if speed else 0.0
        return f"{speed:.1f} games a minute, at most {left:.0f} minutes left"

    def end(self, tournament: Tournament) -> None:
        self.print("", *self.summary(tournament)[:-1])
        reasons = tournament.standings.reasons.most_common()
        self.print("Ends: " + ", ".join(f"{count} x {reason}" for reason, count in reasons))
