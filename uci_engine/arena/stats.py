"""What results are worth: score, Elo with error bars, normalised Elo, likelihood of superiority.

A score is a fraction of the points. Games from the same opening with colours reversed are not
independent, so whole pairs are counted where there are any: the five counts (pentanomial) are the
pairs that brought 0, 1/2, 1, 1 1/2 and 2 points.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import NormalDist

ELO_PER_NAT = 400 / math.log(10)
NORMALIZED_PER_SIGMA = 800 / math.log(10)  # nElo of a mean one standard deviation above 1/2
CONFIDENCE_95 = NormalDist().inv_cdf(0.975)
TRINOMIAL = (0.0, 0.5, 1.0)
PENTANOMIAL = (0.0, 0.25, 0.5, 0.75, 1.0)


def elo_of_score(score: float) -> float:
    """The Elo difference at which this score is expected; infinite at 0 and 1."""
    if score <= 0:
        return -math.inf
    if score >= 1:
        return math.inf
    return ELO_PER_NAT * math.log(score / (1 - score))


def score_of_elo(elo: float) -> float:
    return 1 / (1 + math.exp(-elo / ELO_PER_NAT))


@dataclass(frozen=True)
class Moments:
    """Mean and variance of what one observation (a game, or a pair) brings per game."""

    count: float
    mean: float
    variance: float
    games_each: int

    @classmethod
    def of(cls, counts: Sequence[float]) -> Moments:
        values = TRINOMIAL if len(counts) == 3 else PENTANOMIAL
        total = sum(counts)
        if total == 0:
            return cls(0, 0.5, 0.0, len(counts) // 2)
        mean = sum(c * v for c, v in zip(counts, values, strict=True)) / total
        variance = sum(c * (v - mean) ** 2 for c, v in zip(counts, values, strict=True)) / total
        return cls(total, mean, variance, len(counts) // 2)

    @property
    def standard_error(self) -> float:
        return math.sqrt(self.variance / self.count) if self.count else math.inf

    @property
    def sigma_per_game(self) -> float:
        """The standard deviation of a game whose pairs would vary like these."""
        return math.sqrt(self.variance * self.games_each)


@dataclass(frozen=True)
class Estimate:
    """A value with its 95% interval."""

    value: float
    low: float
    high: float

    @property
    def error(self) -> float:
        if math.isinf(self.low) or math.isinf(self.high):
            return math.inf
        return (self.high - self.low) / 2

    def __str__(self) -> str:
        return f"{self.value:.2f} +/- {self.error:.2f}"


def elo_estimate(moments: Moments) -> Estimate:
    spread = CONFIDENCE_95 * moments.standard_error
    return Estimate(
        elo_of_score(moments.mean),
        elo_of_score(moments.mean - spread),
        elo_of_score(moments.mean + spread),
    )


def normalized_elo(moments: Moments) -> Estimate:
    """The mean over 1/2 in standard deviations of a game, scaled like Elo. Its error depends on
    the number of games only, to first order."""
    if moments.count == 0 or moments.variance == 0:
        return Estimate(0.0, -math.inf, math.inf)
    value = NORMALIZED_PER_SIGMA * (moments.mean - 0.5) / moments.sigma_per_game
    games = moments.count * moments.games_each
    spread = NORMALIZED_PER_SIGMA * CONFIDENCE_95 / math.sqrt(games)
    return Estimate(value, value - spread, value + spread)


def likelihood_of_superiority(moments: Moments) -> float:
    """The chance that the first player is the stronger one, by the normal approximation."""
    if moments.count == 0 or moments.variance == 0:
        return 0.5 if moments.mean == 0.5 else float(moments.mean > 0.5)
    return NormalDist().cdf((moments.mean - 0.5) / moments.standard_error)


@dataclass
class Tally:
    """The results of one player against another."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    pairs: list[int] = field(default_factory=lambda: [0] * 5)

    def add_game(self, points: float) -> None:
        if points == 1:
            self.wins += 1
        elif points == 0:
            self.losses += 1
        else:
            self.draws += 1

    def reversed(self) -> Tally:
        """As the other player sees it."""
        return Tally(self.losses, self.draws, self.wins, self.pairs[::-1])

    def __add__(self, other: Tally) -> Tally:
        pairs = [a + b for a, b in zip(self.pairs, other.pairs, strict=True)]
        return Tally(
            self.wins + other.wins, self.draws + other.draws, self.losses + other.losses, pairs
        )

    def add_pair(self, points: float) -> None:
        self.pairs[round(2 * points)] += 1

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        return self.wins + self.draws / 2

    @property
    def score(self) -> float:
        return self.points / self.games if self.games else 0.5

    @property
    def draw_ratio(self) -> float:
        return self.draws / self.games if self.games else 0.0

    @property
    def trinomial(self) -> list[int]:
        return [self.losses, self.draws, self.wins]

    def moments(self) -> Moments:
        """By pairs as soon as there are enough of them to say something."""
        counts = self.pairs if sum(self.pairs) > 0 else self.trinomial
        return Moments.of(counts)
