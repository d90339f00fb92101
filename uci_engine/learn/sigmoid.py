"""From scores to results: the curve that learning takes for the chance of a point."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from uci_engine import batch

Floats = npt.NDArray[np.floating[Any]]

SLOPES = np.linspace(0.001, 0.012, 111, dtype=np.float32)


def sigmoid(scores: Floats) -> Floats:
    result: Floats = 0.5 + 0.5 * np.tanh(0.5 * scores)  # which no score can make overflow
    return result


def results_of(positions: batch.Positions) -> Floats:
    """White's points."""
    points: Floats = positions["result"].astype(np.float32) / 2
    return points


def fit_steepness(scores: Floats, results: Floats) -> tuple[float, float]:
    """The slope with which the scores predict the results best, and the squared error then."""
    errors = [float(np.mean((sigmoid(slope * scores) - results) ** 2)) for slope in SLOPES]
    best = int(np.argmin(errors))
    return float(SLOPES[best]), errors[best]
