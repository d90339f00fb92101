"""A tournament's course: a table that renews itself on a terminal, plain lines elsewhere."""

from __future__ import annotations

import shutil
import sys
import time
from typing import TextIO

from uci_engine.arena.play.tournament import Tournament
from uci_engine.arena.results.record import GameRecord
from uci_engine.arena.show.figures import duration, final_tables, llr_bar, progress_bar, summary

REDRAW_EVERY = 0.25  # seconds


def game_line(tournament: Tournament, record: GameRecord) -> str:
    names, done = tournament.standings.names, tournament.standings.games
    return (
        f"{done}/{tournament.total}  game {record.number + 1}: {names[record.white]} - "
        f"{names[record.black]} {record.result}  {record.ending}, "
        f"{len(record.moves)} plies"
    )


class Pace:
    """How fast the games go, not counting those from before a resumption."""

    def __init__(self) -> None:
        self.start = time.monotonic()

    def line(self, tournament: Tournament) -> str:
        done = tournament.standings.games
        played = done - tournament.resumed
        minutes = (time.monotonic() - self.start) / 60
        if not played or not minutes:
            return "no game finished yet"
        speed = played / minutes
        most = "at most " if tournament.description.sprt is not None else ""
        left = duration(60 * (tournament.total - done) / speed)
        return f"{speed:.1f} games a minute, {most}{left} left"


class PlainWatcher:
    """A line for each game, the figures now and then."""

    def __init__(self, every: int = 10, out: TextIO | None = None) -> None:
        self.every = every
        self.out = out or sys.stdout
        self.pace = Pace()

    def print(self, *lines: str) -> None:
        print("\n".join(lines), file=self.out, flush=True)

    def begin(self, tournament: Tournament) -> None:
        self.pace = Pace()
        engines = tournament.description.engines
        names = ", ".join(f"{spec.name} ({spec.control})" for spec in engines)
        self.print(f"{names}: {tournament.total} games")
        if tournament.resumed:
            self.print(f"{tournament.resumed} games were finished before")

    def game(self, tournament: Tournament, record: GameRecord) -> None:
        self.print(game_line(tournament, record))
        done = tournament.standings.games
        if done % self.every == 0 and done != tournament.total and not tournament.decision:
            self.print(*summary(tournament), self.pace.line(tournament))

    def notice(self, tournament: Tournament, text: str) -> None:
        self.print(text)

    def end(self, tournament: Tournament) -> None:
        self.print("", *summary(tournament), *final_tables(tournament))


class LiveWatcher(PlainWatcher):
    """The figures in place; only faults scroll by."""

    def __init__(self, out: TextIO | None = None) -> None:
        super().__init__(out=out)
        self.drawn = 0  # lines on the screen that the next drawing replaces
        self.due = 0.0

    def begin(self, tournament: Tournament) -> None:
        super().begin(tournament)
        self.draw(tournament)

    def game(self, tournament: Tournament, record: GameRecord) -> None:
        if record.guilty is not None:
            self.wipe()
            self.print(game_line(tournament, record))
        if record.guilty is not None or time.monotonic() >= self.due:
            self.draw(tournament)

    def notice(self, tournament: Tournament, text: str) -> None:
        self.wipe()
        super().notice(tournament, text)
        self.draw(tournament)

    def draw(self, tournament: Tournament) -> None:
        width = shutil.get_terminal_size().columns - 1
        lines = [progress_bar(tournament.standings.games, tournament.total), *summary(tournament)]
        if tournament.description.sprt is not None:
            lines.append(llr_bar(tournament))
        lines.append(self.pace.line(tournament))
        self.wipe()
        self.print(*(line[:width] for line in lines))
        self.drawn = len(lines)
        self.due = time.monotonic() + REDRAW_EVERY

    def wipe(self) -> None:
        if self.drawn:
            self.out.write(f"\x1b[{self.drawn}F\x1b[J")
            self.drawn = 0

    def end(self, tournament: Tournament) -> None:
        self.wipe()
        super().end(tournament)


def make_watcher(every: int) -> PlainWatcher:
    return LiveWatcher() if sys.stdout.isatty() else PlainWatcher(every)
