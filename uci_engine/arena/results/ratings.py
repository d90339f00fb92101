"""Ratings of players by maximum likelihood: Bradley and Terry's model with Davidson's draws.

With ratings r, the advantage a of having White and the drawishness d, the outcomes of a game have
the utilities

    White wins  (r_white - r_black + a) / 2
    draw         d
    Black wins -(r_white - r_black + a) / 2

and each outcome's probability is proportional to the exponential of its utility. That is a
multinomial logit: its likelihood is concave, and Newton's method finds the maximum in a few steps.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from uci_engine.arena.results.stats import CONFIDENCE_95, ELO_PER_NAT, Tally

Floats = npt.NDArray[np.float64]

# A player without a loss would get an infinite rating. A little prior belief keeps it finite, and
# moves nothing that games speak about: what each parameter is, give or take.
RATING_SPREAD = 1000 / ELO_PER_NAT
ADVANTAGE_SPREAD = 200 / ELO_PER_NAT
DRAWISHNESS_SPREAD = 2.0
MOST_STEPS = 100


@dataclass(frozen=True)
class Rating:
    player: int
    elo: float  # above the mean of all players
    error: float  # half the 95% interval


@dataclass(frozen=True)
class Fit:
    ratings: list[Rating]  # the best player first
    white_advantage: float  # Elo
    draw_chance: float  # between equal players without an advantage


def design(white: int, black: int, players: int) -> Floats:
    """How the utilities of win, draw and loss depend on the parameters."""
    rows = np.zeros((3, players + 2))
    rows[0, white], rows[0, black], rows[0, players] = 0.5, -0.5, 0.5
    rows[1, players + 1] = 1.0
    rows[2] = -rows[0]
    return rows


def fit_ratings(results: Mapping[tuple[int, int], Tally], players: int) -> Fit:
    """From the tallies by (White, Black), each as White saw it."""
    rows = np.array([design(white, black, players) for white, black in results])
    rows = rows.reshape(-1, 3, players + 2)
    counts = np.array([tally.counts for tally in results.values()], dtype=float)
    counts = counts.reshape(-1, 3)
    parameters, information = climb(rows, counts, players)
    # Elo is about expected scores. Draws flatten the curve between two ratings, so that a unit of
    # r is worth less than in the model without draws, by the ratio of the slopes at equality.
    drawishness = math.exp(parameters[players + 1])
    scale = ELO_PER_NAT * 2 / (2 + drawishness)
    covariance = np.linalg.inv(information)[:players, :players]
    centring = np.eye(players) - 1 / players
    values = centring @ parameters[:players] * scale
    variances = np.diag(centring @ covariance @ centring) * scale**2
    ratings = [
        Rating(player, float(values[player]), CONFIDENCE_95 * math.sqrt(variances[player]))
        for player in range(players)
    ]
    ratings.sort(key=lambda rating: -rating.elo)
    return Fit(ratings, float(parameters[players] * scale), drawishness / (2 + drawishness))


def climb(rows: Floats, counts: Floats, players: int) -> tuple[Floats, Floats]:
    """Newton's method, with halved steps where a full one would lead down."""
    parameters = np.zeros(players + 2)
    spreads = [RATING_SPREAD] * players + [ADVANTAGE_SPREAD, DRAWISHNESS_SPREAD]
    precision = np.array(spreads) ** -2

    def value(at: Floats) -> float:
        utilities = rows @ at
        logs = utilities - np.logaddexp.reduce(utilities, axis=1, keepdims=True)
        return float((counts * logs).sum() - (precision * at**2).sum() / 2)

    information = np.diag(precision)
    for _ in range(MOST_STEPS):
        gradient, information = slopes(rows, counts, parameters, precision)
        step = np.linalg.solve(information, gradient)
        before = value(parameters)
        while value(parameters + step) < before and np.abs(step).max() > 1e-12:
            step /= 2
        parameters = parameters + step
        if np.abs(step).max() < 1e-10:
            break
    return parameters, information


def slopes(
    rows: Floats, counts: Floats, parameters: Floats, precision: Floats
) -> tuple[Floats, Floats]:
    """The gradient of the log-likelihood with its prior, and its negative second derivative."""
    gradient = -precision * parameters
    information = np.diag(precision)
    for design_rows, observed in zip(rows, counts, strict=True):
        utilities = design_rows @ parameters
        chances = np.exp(utilities - utilities.max())
        chances /= chances.sum()
        games = observed.sum()
        gradient += (observed - games * chances) @ design_rows
        spread = np.diag(chances) - np.outer(chances, chances)
        information += games * design_rows.T @ spread @ design_rows
    return gradient, information
