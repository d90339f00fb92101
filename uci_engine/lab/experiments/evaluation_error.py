"""What errors of an evaluation do to minimax: the notes' tree of two moves and eight leaves."""

from __future__ import annotations

import argparse
from math import erf, sqrt

import numpy as np
import numpy.typing as npt

from uci_engine.arguments import decimal_between, number_between
from uci_engine.lab.findings import Outcome, Picture, Table
from uci_engine.lab.studies import Tell
from uci_engine.pages.plots import Curve, line_plot

LEFT = (99.0, 1000.0, 1000.0, 1000.0)
RIGHT = (100.0, 101.0, 102.0, 100.0)
NOTES = {5.0: 0.71, 2.0: 0.58}
STEPS = 2001
AT_ONCE = 1_000_000  # samples: more would only need more memory


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--samples", type=number_between(100, 10**8), default=200_000, help="(200000)")
    add("--sigma", type=decimal_between(0.01, 1000), nargs="+", default=[2.0, 5.0], help="(2 5)")
    add("--seed", type=number_between(0, 2**32 - 1), default=1, help="(1)")


def simulate(sigma: float, samples: int, chance: np.random.Generator, tell: Tell) -> float:
    """The share of worlds in which the left move is really the better one."""
    better = 0
    for done in range(0, samples, AT_ONCE):
        tell(f"sigma {sigma:g}: {done} of {samples}")
        size = min(AT_ONCE, samples - done)
        left, right = (
            (np.array(leaves) + chance.normal(0, sigma, (size, len(leaves)))).min(axis=1)
            for leaves in (LEFT, RIGHT)
        )
        better += int((left > right).sum())
    return better / samples


def exact(sigma: float) -> float:
    """The same by integration: the density of the left minimum times the chance that the right one
    is smaller."""
    xs = np.linspace(80 - 8 * sigma, 120 + 8 * sigma, STEPS)
    right = 1 - survivals(xs, RIGHT, sigma)
    left = survivals(xs, LEFT, sigma)
    return float(((right[:-1] + right[1:]) / 2 * (left[:-1] - left[1:])).sum())


def survivals(
    xs: npt.NDArray[np.float64], leaves: tuple[float, ...], sigma: float
) -> npt.NDArray[np.float64]:
    """The chance that the smallest leaf is larger than each x."""
    product = np.ones_like(xs)
    for leaf in leaves:
        product *= [0.5 - 0.5 * erf((x - leaf) / (sigma * sqrt(2))) for x in xs]
    return product


def run(options: argparse.Namespace, tell: Tell) -> Outcome:
    chance = np.random.default_rng(options.seed)
    rows, data = [], {}
    for sigma in options.sigma:
        share = simulate(sigma, options.samples, chance, tell)
        error = 1.96 * sqrt(share * (1 - share) / options.samples)
        noted = f"{100 * NOTES[sigma]:.0f}%" if sigma in NOTES else "-"
        rows.append(
            [f"{sigma:g}", noted, f"{100 * share:.2f}%", f"±{100 * error:.2f}%",
             f"{100 * exact(sigma):.2f}%"]
        )  # fmt: skip
        data[f"{sigma:g}"] = {"share": share, "error": error, "exact": exact(sigma)}
    sigmas = [0.25, 0.5, *range(1, 21)]
    points = [(float(sigma), 100 * exact(float(sigma))) for sigma in sigmas]
    outcome = Outcome("Errors of an evaluation")
    outcome.tables = [
        Table(["sigma", "notes", "simulated", "95%", "by integration"], rows),
    ]
    plot = line_plot("Left is better", [Curve(points)], "sigma", [(50.0, "50%")])
    outcome.pictures = [Picture(plot, "How often the left move is really better, in percent")]
    outcome.remarks = [
        "Minimax chooses right, for 100 against 99. If each leaf is wrong by a normal error of the "
        "spread sigma, and sigma is more than about 1.5, the left move is really the better one in "
        "most worlds: on the right one of four leaves is likely to be bad, on the left only one "
        "counts.",
    ]
    outcome.data = {"samples": options.samples, "seed": options.seed, "sigma": data}
    return outcome
