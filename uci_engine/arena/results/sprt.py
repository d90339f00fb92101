"""The sequential probability ratio test: stop as soon as the games have decided.

The likelihood ratio is the generalised one: each hypothesis is given the distribution of results
that fits the games best among those with the hypothesis's strength.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from uci_engine.arena.results.stats import (
    NORMALIZED_PER_SIGMA,
    PENTANOMIAL,
    TRINOMIAL,
    Tally,
    score_of_elo,
)
from uci_engine.arena.results.tilt import MOST_STEPS, fit_constrained, fit_score

MODELS = ("logistic", "normalized")
EMPTY_COUNT = 1e-3  # what an outcome not seen yet counts, so that no logarithm is infinite


def fit_normalized(points: Sequence[float], weights: Sequence[float], t: float) -> list[float]:
    """The most likely distribution whose mean is t standard deviations above 1/2. The constraint
    is made linear around the last solution, and solved again until that stays. It begins with all
    outcomes alike: around a distribution with hardly any spread the linear one is far off."""
    fitted = [1 / len(points)] * len(points)
    for _ in range(MOST_STEPS):
        values = linear_constraint(points, fitted, t)
        if max(values) <= 0 or min(values) >= 0:
            break
        before, fitted = fitted, fit_constrained(values, weights)
        if max(abs(a - b) for a, b in zip(before, fitted, strict=True)) < 1e-9:
            break
    return fitted


def linear_constraint(points: Sequence[float], fitted: Sequence[float], t: float) -> list[float]:
    """Values whose mean is zero where, near the fitted distribution, the constraint holds."""
    mean = sum(w * p for p, w in zip(points, fitted, strict=True))
    variance = sum(w * (p - mean) ** 2 for p, w in zip(points, fitted, strict=True))
    half = t * math.sqrt(variance) / 2
    return [p - 0.5 - half * (1 + (p - mean) ** 2 / variance) for p in points]


def log_likelihood_ratio(counts: Sequence[int], elo0: float, elo1: float, model: str) -> float:
    """Of elo1 over elo0, from three counts (games) or five (pairs)."""
    if sum(counts) == 0:
        return 0.0
    points = TRINOMIAL if len(counts) == 3 else PENTANOMIAL
    filled = [count or EMPTY_COUNT for count in counts]
    total = sum(filled)
    weights = [count / total for count in filled]
    fits = []
    for elo in (elo0, elo1):
        if model == "logistic":
            fits.append(fit_score(points, weights, score_of_elo(elo)))
        else:
            # A pair's mean varies less than a game: by the square root of its games.
            t = elo / NORMALIZED_PER_SIGMA * math.sqrt(len(counts) // 2)
            fits.append(fit_normalized(points, weights, t))
    return total * sum(
        w * math.log(b / a) for w, a, b in zip(weights, fits[0], fits[1], strict=True)
    )


@dataclass(frozen=True)
class Sprt:
    """H0: the strength is elo0; H1: it is elo1."""

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    model: str = "normalized"
    pairs: bool = True

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise ValueError(f"SPRT needs elo0 < elo1, not {self.elo0:g} and {self.elo1:g}")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise ValueError("SPRT's alpha and beta must lie between 0 and 0.5")
        if self.model not in MODELS:
            raise ValueError(f"SPRT's model is one of {', '.join(MODELS)}, not {self.model!r}")

    @property
    def unit(self) -> str:
        return "nElo" if self.model == "normalized" else "Elo"

    @property
    def lower(self) -> float:
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        return math.log((1 - self.beta) / self.alpha)

    def llr(self, tally: Tally) -> float:
        counts = tally.pairs if self.pairs else tally.trinomial
        return log_likelihood_ratio(counts, self.elo0, self.elo1, self.model)

    def decision(self, llr: float) -> str:
        """H1, H0 or nothing yet."""
        if llr >= self.upper:
            return "H1"
        return "H0" if llr <= self.lower else ""


def parse_sprt(settings: Sequence[str]) -> Sprt:
    """`elo0=0 elo1=5 alpha=0.05 beta=0.05 model=normalized|logistic stat=pairs|games`."""
    values: dict[str, Any] = {}
    for text in settings:
        key, _, value = text.partition("=")
        if key in ("elo0", "elo1", "alpha", "beta"):
            try:
                values[key] = float(value)
            except ValueError:
                raise ValueError(f"sprt: {key} must be a number, not {value!r}") from None
            if not math.isfinite(values[key]):
                raise ValueError(f"sprt: {key} must be a number, not {value!r}")
        elif key == "model":
            values[key] = value
        elif key == "stat" and value in ("pairs", "games"):
            values["pairs"] = value == "pairs"
        else:
            raise ValueError(f"sprt: unknown setting {text!r}")
    if not {"elo0", "elo1"} <= values.keys():
        raise ValueError("sprt: elo0 and elo1 are needed")
    return Sprt(**values)
