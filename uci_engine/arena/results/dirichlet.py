"""The mean of values whose shares are uncertain: what a few observations say about a distribution.

The shares of the values have a Dirichlet distribution. With shares w_j in proportion to independent
gamma variables G_j, the mean sum(w_j * v_j) is below m just when sum(G_j * (v_j - m)) is negative,
and the chance of that is an integral over the characteristic function of the sum (Gil-Pelaez).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

# The integral is taken over the logarithm of the frequency, where all of it is smooth: by equal
# steps, from where nothing has begun to where nothing is left.
STEP = 0.05
FIRST, LAST = -20.0, 6.0
TAIL = 24.0  # natural logarithm of what may be left out
FARTHEST = 12.0  # standard deviations beyond which there is nothing
PRECISION = 1e-6  # of a quantile, in standard deviations
TINY = 1e-12  # chances nearer to 0 or 1 are as good as that
NORMAL = NormalDist()


def chance_below(mean: float, values: Sequence[float], shapes: Sequence[float]) -> float:
    """That the mean of the values is below this; `shapes` are the Dirichlet distribution's."""
    centre, spread = moments(values, shapes)
    if abs(centre - mean) > FARTHEST * spread or spread == 0:
        return 0.5 if centre == mean else float(centre < mean)
    weights, offsets = np.array(shapes, float), np.array(values) - mean
    counts = (weights > 0) & (offsets != 0)
    weights, offsets = weights[counts], offsets[counts]
    scale = 1 / math.sqrt(float(weights @ offsets**2))
    last = max(LAST, TAIL / float(weights.sum()) - math.log(scale * float(abs(offsets).min())))
    frequencies = scale * np.exp(np.arange(FIRST, last, STEP))
    turns: npt.NDArray[np.float64] = np.outer(frequencies, offsets)
    angle = np.arctan(turns) @ weights
    size = np.exp(-0.5 * (np.log1p(turns**2) @ weights))
    chance = 0.5 - STEP / math.pi * float((np.sin(angle) * size).sum())
    return min(max(chance, 0.0), 1.0)


def moments(values: Sequence[float], shapes: Sequence[float]) -> tuple[float, float]:
    """Expectation and standard deviation of the mean."""
    total = sum(shapes)
    centre = sum(v * s for v, s in zip(values, shapes, strict=True)) / total
    variance = sum(s * (v - centre) ** 2 for v, s in zip(values, shapes, strict=True)) / total
    return centre, math.sqrt(variance / (total + 1))


def quantile(chance: float, values: Sequence[float], shapes: Sequence[float]) -> float:
    """The mean below which it lies with this chance. Measured in normal deviates the chance grows
    nearly as a straight line: a few secants find the place, halving where one would lead astray."""
    centre, spread = moments(values, shapes)
    # Cantelli's inequality: no distribution has its quantiles farther away.
    low = max(min(values), centre - spread * math.sqrt((1 - chance) / chance))
    high = min(max(values), centre + spread * math.sqrt(chance / (1 - chance)))
    wanted = NORMAL.inv_cdf(chance)
    mean, slope = centre + wanted * spread, 1 / spread if spread else 0.0
    before: tuple[float, float] | None = None
    while high - low > PRECISION * spread:
        if not low < mean < high:
            mean = (low + high) / 2
        deviate = NORMAL.inv_cdf(min(max(chance_below(mean, values, shapes), TINY), 1 - TINY))
        if abs(deviate - wanted) < PRECISION:
            return mean
        low, high = (mean, high) if deviate < wanted else (low, mean)
        if before is not None and mean != before[0]:
            slope = max((deviate - before[1]) / (mean - before[0]), 0.1 / spread)
        before = mean, deviate
        mean += (wanted - deviate) / slope
    return (low + high) / 2
