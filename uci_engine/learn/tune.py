"""`cythera tune`: fit the weights of the classical evaluation to own games.

The evaluation is a weighted sum, so a position is a row of feature counts and fitting the weights
is a logistic regression: the sigmoid of the score should be the result of the game, mixed with the
search's own opinion.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from core_ext import core
from uci_engine import batch
from uci_engine.arguments import Parser, count_number, decimal_between
from uci_engine.files import check_writable, open_text, replace_text
from uci_engine.learn.gamefiles import Filter
from uci_engine.learn.records import split_file
from uci_engine.learn.sigmoid import Floats, fit_steepness, results_of, sigmoid

VALIDATION_SHARE = 20  # one position in so many is kept aside
PATIENCE = 3
CHUNK = 1 << 16


def parse_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    parser = Parser(
        prog="cythera tune",
        description="Fit the evaluation's weights.",
        epilog="`cythera tune --spsa NAME` tunes the search's numbers by games instead.",
    )
    add = parser.add_argument
    add("data", type=Path, metavar="FILE", help="games or positions of own play")
    add("out", type=Path, metavar="WEIGHTS", help="the weights file to write")
    add("--epochs", type=count_number, default=400, metavar="N", help="at the most (400)")
    add("--limit", type=count_number, default=800_000, metavar="N", help="positions (800000)")
    rate, pull, share = (decimal_between(*span) for span in ((0.001, 100), (0, 100), (0, 1)))
    add("--rate", type=rate, default=1.0, help="step size in centipawns (1.0)")
    add("--pull", type=pull, default=0.03, help="how firmly rare features stay as they are (0.03)")
    add(
        "--opinion", type=share, default=0.3, help="share of the search's score in the target (0.3)"
    )
    return parser.parse_args(arguments)


def main(arguments: Sequence[str]) -> int:
    if any(word.split("=")[0] == "--spsa" for word in arguments):
        from uci_engine.learn import spsa

        return spsa.main(arguments)
    options = parse_arguments(arguments)
    check_writable(options.out)
    if options.out.exists() and not is_weights_file(options.out):
        raise ValueError(f"{options.out}: there is such a file, and it is no weights file")
    positions = read_positions(options.data, options.limit)
    print(f"{len(positions)} positions", file=sys.stderr)
    model = Model.of(positions)
    weights = core.weights().astype(np.float32)
    steepness = fit_slope(model, weights, positions)
    targets = mix_targets(positions, steepness, options.opinion)
    for better in fit(model, weights, targets, steepness, options):
        # At once: whoever has seen enough may interrupt.
        replace_text(options.out, [format_weights(np.rint(better).astype(int))])
    return 0


def read_positions(path: Path, limit: int) -> batch.Positions:
    """Some of them, shuffled, those to be kept aside first: one in VALIDATION_SHARE, of other games
    than those that are learnt."""
    parts = split_file(path, Filter(), VALIDATION_SHARE)
    total = min(len(parts.learnt) + len(parts.aside), limit)
    if total < VALIDATION_SHARE:
        raise ValueError(f"{path}: at least {VALIDATION_SHARE} positions, not {total}")
    if len(parts.aside) == 0:
        raise ValueError(f"{path}: at least two games, one of them to be kept aside")
    total = min(total, len(parts.learnt) * VALIDATION_SHARE // (VALIDATION_SHARE - 1))
    chance = np.random.default_rng(1)
    aside = chance.permutation(parts.aside)[: kept_aside(total)]
    learnt = chance.permutation(parts.learnt)[: total - len(aside)]
    return np.concatenate([aside, learnt])


def kept_aside(positions: int) -> int:
    return positions // VALIDATION_SHARE


@dataclass(frozen=True)
class Model:
    """Feature counts and, for each position, how much middlegame and endgame weights count and what
    the evaluation adds to their sum."""

    counts: npt.NDArray[np.int8]
    middlegame: Floats
    endgame: Floats
    extra: Floats

    @classmethod
    def of(cls, positions: batch.Positions) -> Model:
        counts, phases, scales, wins = batch.features(positions)
        phase = phases.astype(np.float32) / core.LARGEST_PHASE
        scale = scales.astype(np.float32) / core.LARGEST_SCALE
        return cls(counts, phase * (scale > 0), (1 - phase) * scale, wins.astype(np.float32))

    def scores(self, weights: Floats, chunk: slice) -> Floats:
        return self.blend(self.counts[chunk].astype(np.float32) @ weights, chunk)

    def blend(self, sums: Floats, chunk: slice) -> Floats:
        """The scores from the sums of the middlegame and the endgame."""
        shares = self.middlegame[chunk], self.endgame[chunk]
        result: Floats = sums[:, 0] * shares[0] + sums[:, 1] * shares[1] + self.extra[chunk]
        return result

    def chunks(self, first: int = 0, end: int | None = None) -> list[slice]:
        """The positions from `first` to `end`, in parts that fit the memory as floats."""
        end = len(self.counts) if end is None else end
        return [slice(start, min(start + CHUNK, end)) for start in range(first, end, CHUNK)]


def fit_slope(model: Model, weights: Floats, positions: batch.Positions) -> float:
    """The sigmoid's slope that makes today's scores predict the results best."""
    scores = np.concatenate([model.scores(weights, chunk) for chunk in model.chunks()])
    best, error = fit_steepness(scores, results_of(positions))
    print(f"slope {best:.5f}, error {error:.6f}", file=sys.stderr)
    return best


def mix_targets(positions: batch.Positions, steepness: float, opinion: float) -> Floats:
    results = results_of(positions)
    opinions = sigmoid(np.float32(steepness) * positions["score"].astype(np.float32))
    mixed: Floats = (1 - opinion) * results + opinion * opinions
    return mixed


def gradient(
    model: Model, weights: Floats, targets: Floats, steepness: float, chunk: slice
) -> tuple[Floats, float]:
    """Of the sum of squared errors, but for a factor of 2 * steepness; and that sum."""
    counts = model.counts[chunk].astype(np.float32)
    guess = sigmoid(steepness * model.blend(counts @ weights, chunk))
    error = guess - targets[chunk]
    slope = error * guess * (1 - guess)
    sides = np.stack([slope * model.middlegame[chunk], slope * model.endgame[chunk]], axis=1)
    return counts.T @ sides, float(np.sum(error**2))


def validation_error(
    model: Model, weights: Floats, targets: Floats, steepness: float, chunks: list[slice]
) -> float:
    total = sum(
        float(np.sum((sigmoid(steepness * model.scores(weights, chunk)) - targets[chunk]) ** 2))
        for chunk in chunks
    )
    return total / sum(len(targets[chunk]) for chunk in chunks)


def fit(
    model: Model, weights: Floats, targets: Floats, steepness: float, options: argparse.Namespace
) -> Iterator[Floats]:
    """Adam over chunks of the data; the weights that do better on the part kept aside, as they
    are found. The first ones are those to begin with."""
    kept = kept_aside(len(targets))
    aside, chunks = model.chunks(0, kept), model.chunks(kept)
    first = np.zeros_like(weights)
    second = np.zeros_like(weights)
    start, worse, step = weights, 0, 0
    best_error = validation_error(model, weights, targets, steepness, aside)
    print(f"at first: aside {best_error:.6f}", file=sys.stderr, flush=True)
    yield weights
    for epoch in range(1, options.epochs + 1):
        loss, seen = 0.0, 0
        pace = options.rate * (1 - 0.9 * epoch / options.epochs)
        for chunk in chunks:
            step += 1
            slope, squares = gradient(model, weights, targets, steepness, chunk)
            slope = slope + options.pull * (weights - start)
            first = 0.9 * first + 0.1 * slope
            second = 0.999 * second + 0.001 * slope**2
            unbiased = first / (1 - 0.9**step), second / (1 - 0.999**step)
            weights = weights - pace * unbiased[0] / (np.sqrt(unbiased[1]) + 1e-9)
            loss, seen = loss + squares, seen + len(targets[chunk])
        if epoch % 10 and epoch != options.epochs:
            continue
        error = validation_error(model, weights, targets, steepness, aside)
        print(f"epoch {epoch}: {loss / seen:.6f}, aside {error:.6f}", file=sys.stderr, flush=True)
        if error < best_error:
            best_error, worse = error, 0
            yield weights
        else:
            worse += 1
            if worse == PATIENCE:
                break


HEAD = """# The evaluation's weights, middlegame and endgame, in the order of features.pxi.

cdef int[2 * WEIGHT_COUNT] WEIGHT_PAIRS
WEIGHT_PAIRS[:] = [
"""


def is_weights_file(path: Path) -> bool:
    with open_text(path, errors="replace") as text:
        return text.read(len(HEAD)) == HEAD


def format_weights(weights: npt.NDArray[np.int_]) -> str:
    lines = []
    groups = [*core.FEATURE_GROUPS, ("", len(weights))]
    for (name, first), (_, end) in pairwise(groups):
        lines.append(f"    # {name}")
        for row in range(first, end, 8):
            pairs = (f"{int(mg)}, {int(eg)}," for mg, eg in weights[row : min(row + 8, end)])
            lines.append("    " + " ".join(pairs))
    return HEAD + "\n".join(lines) + "\n]\n"
