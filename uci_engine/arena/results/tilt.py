"""The distribution nearest to what was observed among those with a given mean."""

from __future__ import annotations

from collections.abc import Sequence

MOST_STEPS = 200


def solve_tilt(values: Sequence[float], weights: Sequence[float]) -> float:
    """The x with sum w*v/(1 + x*v) = 0. The sum falls as x grows, between the two poles nearest to
    zero: Newton's method, and halving where a step would leave the bracket."""
    low, high = -1 / max(values), -1 / min(values)
    x = 0.0
    for _ in range(MOST_STEPS):
        total = slope = 0.0
        for value, weight in zip(values, weights, strict=True):
            part = value / (1 + x * value)
            total += weight * part
            slope -= weight * part * part
        if total > 0:
            low = x
        else:
            high = x
        step = x - total / slope
        step = step if low < step < high else (low + high) / 2
        if abs(step - x) <= 1e-13 * (1 + abs(x)):
            return step
        x = step
    return x


def fit_constrained(values: Sequence[float], weights: Sequence[float]) -> list[float]:
    """The most likely distribution under which the values have mean zero (by Lagrange)."""
    tilt = solve_tilt(values, weights)
    return [w / (1 + tilt * v) for v, w in zip(values, weights, strict=True)]


def fit_score(points: Sequence[float], weights: Sequence[float], score: float) -> list[float]:
    """The most likely distribution under which the points have this mean."""
    return fit_constrained([p - score for p in points], weights)
