"""What results are worth: score, Elo with error bars, normalised Elo, likelihood of superiority.

A score is a fraction of the points. Games from the same opening with colours reversed are not
independent, so whole pairs are counted where there are any: the five counts (pentanomial) are the
pairs that brought 0, 1/2, 1, 1 1/2 and 2 points.

Intervals hold the truth in at least 95 of 100 matches, be they of two games or of thousands: they
take the shares of the results as a Dirichlet distribution leaves them (Rubin's Bayesian bootstrap),
with a part of one more result at either bound's worst. With wins and losses alone the bounds lie
between those of Clopper and Pearson and those of Jeffreys.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import NamedTuple

from uci_engine.arena.results.dirichlet import chance_below, quantile
from uci_engine.arena.results.tilt import fit_score

ELO_PER_NAT = 400 / math.log(10)
NORMALIZED_PER_SIGMA = 800 / math.log(10)  # nElo of a mean one standard deviation above 1/2
TAIL = 0.025  # the chance of the truth beyond either end of an interval
CONFIDENCE_95 = NormalDist().inv_cdf(1 - TAIL)
UNSEEN = 0.5  # how much of a result is reckoned with that was not seen
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
class Estimate:
    """A value with its 95% interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.1f} ({self.low:.1f} to {self.high:.1f})"


@dataclass(frozen=True)
class Figures:
    """What results are worth."""

    elo: Estimate
    normalized: Estimate
    superiority: float  # the likelihood that the first player is the stronger one


@functools.lru_cache(maxsize=16)
def figures_of(counts: tuple[int, ...]) -> Figures:
    """Of three counts (games) or five (pairs), from the worst result to the best."""
    points = TRINOMIAL if len(counts) == 3 else PENTANOMIAL
    total = sum(counts)
    shares = [count / total for count in counts] if total else [0.5, *counts[1:-1], 0.5]
    score = mean_of(points, shares)
    low, high = score_bound(counts, points, 0), score_bound(counts, points, len(points) - 1)
    scale = NORMALIZED_PER_SIGMA / math.sqrt(len(counts) // 2)  # a pair varies less than a game
    doubted = [counts[0] + UNSEEN, *counts[1:-1], counts[-1] + UNSEEN]
    if 0 < score < 1 and max(counts) == total:  # one kind of result shows no spread
        shares = fit_score(points, [d / sum(doubted) for d in doubted], score)
    return Figures(
        Estimate(*map(elo_of_score, (score, low.mean, high.mean))),
        Estimate(scale * in_sigmas(points, shares), scale * low.sigmas, scale * high.sigmas),
        1 - chance_below(0.5, points, doubted),
    )


class Bound(NamedTuple):
    """One end of the interval: the mean, and the same in standard deviations above 1/2."""

    mean: float
    sigmas: float


def score_bound(counts: Sequence[int], points: Sequence[float], worst: int) -> Bound:
    """With the shares of the results as uncertain as so few of them leave them, and a part of one
    more of the worst kind: after nothing but wins, a loss is still to be reckoned with."""
    shapes = [count + UNSEEN * (place == worst) for place, count in enumerate(counts)]
    mean = quantile(TAIL if worst == 0 else 1 - TAIL, points, shapes)
    seen = [(point, shape) for point, shape in zip(points, shapes, strict=True) if shape]
    if len(seen) == 1:
        return Bound(mean, math.copysign(math.inf, mean - 0.5))
    values, weights = zip(*seen, strict=True)
    fitted = fit_score(values, [weight / sum(weights) for weight in weights], mean)
    return Bound(mean, in_sigmas(values, fitted))


def in_sigmas(points: Sequence[float], shares: Sequence[float]) -> float:
    """The mean above 1/2 in standard deviations."""
    mean = mean_of(points, shares)
    spread = math.sqrt(mean_of([(point - mean) ** 2 for point in points], shares))
    return (mean - 0.5) / spread if spread else math.copysign(math.inf, mean - 0.5)


def mean_of(values: Sequence[float], shares: Sequence[float]) -> float:
    return sum(value * share for value, share in zip(values, shares, strict=True))


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
    def counts(self) -> list[int]:
        return [self.wins, self.draws, self.losses]

    @property
    def games(self) -> int:
        return sum(self.counts)

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

    @property
    def figures(self) -> Figures:
        """By pairs as soon as there are any."""
        return figures_of(tuple(self.pairs if any(self.pairs) else self.trinomial))
