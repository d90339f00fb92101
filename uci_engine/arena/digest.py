"""What a report needs of a tournament's games, gathered in one pass over its journal."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from uci_engine.arena.game import GameRecord
from uci_engine.arena.sprt import Sprt
from uci_engine.arena.standings import Standings
from uci_engine.arena.stats import elo_estimate

MOST_POINTS = 400  # on a plot
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
class Digest:
    standings: Standings
    times: list[TimeUse]
    elo: list[tuple[int, float, float, float]] = field(default_factory=list)  # games, value, bounds
    llr: list[tuple[int, float]] = field(default_factory=list)
    longest: GameRecord | None = None
    shortest: GameRecord | None = None

    def take_game(self, record: GameRecord) -> None:
        self.standings.add(record)
        if self.longest is None or len(record.moves) > len(self.longest.moves):
            self.longest = record
        # A game that an engine broke off is no short game.
        if record.guilty is None and (
            self.shortest is None or len(record.moves) < len(self.shortest.moves)
        ):
            self.shortest = record
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
        estimate = elo_estimate(tally.moments())
        if max(abs(estimate.low), abs(estimate.high)) < 2000:
            self.elo.append((self.standings.games, estimate.value, estimate.low, estimate.high))
        if sprt is not None:
            self.llr.append((self.standings.games, sprt.llr(tally)))


def make_digest(
    names: list[str], games: Iterable[GameRecord], total: int, sprt: Sprt | None
) -> Digest:
    digest = Digest(Standings(names), [TimeUse() for _ in names])
    step = max(1, total // MOST_POINTS)
    for record in games:
        digest.take_game(record)
        done = digest.standings.games
        if len(names) == 2 and (done % step == 0 or done == total):
            digest.take_figures(sprt)
    return digest
