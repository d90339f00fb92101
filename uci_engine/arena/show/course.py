"""What a report needs of a tournament's games, gathered in one pass over its journal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from uci_engine.arena.results.record import GameRecord
from uci_engine.arena.results.sprt import Sprt
from uci_engine.arena.results.standings import Standings

MOST_POINTS = 200  # on a plot
LAST_MOVE = 80  # of the plot of time use


@dataclass
class TimeUse:
    """How an engine spends its time."""

    moves: int = 0
    seconds: float = 0.0
    nodes: int = 0
    depths: int = 0
    deep_moves: int = 0  # moves whose depth is known
    longest_ms: float = 0.0
    sums: list[float] = field(default_factory=lambda: [0.0] * LAST_MOVE)
    counts: list[int] = field(default_factory=lambda: [0] * LAST_MOVE)

    def add(self, move_number: int, time_ms: float, depth: int | None) -> None:
        self.moves += 1
        self.seconds += time_ms / 1000
        self.longest_ms = max(self.longest_ms, time_ms)
        if depth is not None:
            self.depths += depth
            self.deep_moves += 1
        if move_number < LAST_MOVE:
            self.sums[move_number] += time_ms
            self.counts[move_number] += 1

    @property
    def mean_ms(self) -> float:
        return 1000 * self.seconds / self.moves if self.moves else 0.0

    @property
    def mean_depth(self) -> float:
        return self.depths / self.deep_moves if self.deep_moves else 0.0

    @property
    def speed(self) -> float:
        """Nodes a second."""
        return self.nodes / self.seconds if self.seconds else 0.0

    def curve(self) -> list[tuple[float, float]]:
        """The mean time by the number of the move after the opening."""
        return [
            (number + 1, total / count)
            for number, (total, count) in enumerate(zip(self.sums, self.counts, strict=True))
            if count
        ]


@dataclass
class Course:
    standings: Standings
    times: list[TimeUse]
    elo: list[tuple[int, float, float, float]] = field(default_factory=list)  # games, value, bounds
    llr: list[tuple[int, float]] = field(default_factory=list)
    starts: Counter[str] = field(default_factory=Counter)  # positions that games begin from

    def take_game(self, record: GameRecord) -> None:
        self.standings.add(record)
        self.starts[record.fen] += 1
        white_begins = " w " in record.fen
        for index, time_ms in enumerate(record.times_ms):
            ply = record.opening_plies + index
            white = (ply % 2 == 0) == white_begins
            use = self.times[record.white if white else record.black]
            use.add(index // 2, time_ms, record.depths[index])
        self.times[record.white].nodes += record.nodes[0]
        self.times[record.black].nodes += record.nodes[1]

    def take_figures(self, sprt: Sprt | None) -> None:
        tally = self.standings.tally()
        estimate = tally.figures.elo
        if max(abs(estimate.low), abs(estimate.high)) < 2000:
            self.elo.append((self.standings.games, estimate.value, estimate.low, estimate.high))
        if sprt is not None:
            self.llr.append((self.standings.games, sprt.llr(tally)))


def follow_course(
    names: list[str], games: Iterable[GameRecord], total: int, sprt: Sprt | None
) -> Course:
    course = Course(Standings(names), [TimeUse() for _ in names])
    step = max(1, total // MOST_POINTS)
    for record in games:
        course.take_game(record)
        done = course.standings.games
        if len(names) == 2 and (done % step == 0 or done == total):
            course.take_figures(sprt)
    return course
