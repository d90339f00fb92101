"""`cythera train`: a network learns from the positions of own games.

The loop over positions is the core's (core_ext/learn); this file reads the data, keeps whole games
aside, lets the rate fall, writes checkpoints and exports. A run that was ended at any moment goes
on from its last checkpoint when the same command is given again; with one thread what comes out is
the same to the bit as without the interruption.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import time
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from core_ext import core
from uci_engine import batch
from uci_engine.arena.play.start import ENDS
from uci_engine.arguments import Parser, count_number, decimal_between, number_between
from uci_engine.files import alone_replacing, check_writable, replace_bytes
from uci_engine.interrupts import EXIT_CODE, Interrupts
from uci_engine.learn.checkpoint import (
    Floats,
    checkpoint_of,
    read_checkpoint,
    write_checkpoint,
)
from uci_engine.learn.gamefiles import Filter
from uci_engine.learn.parameters import (
    Shape,
    dequantise,
    first_parameters,
    in_blocks,
    in_rows,
    output_borders,
    quantise,
)
from uci_engine.learn.records import join, read_positions, split_file
from uci_engine.learn.sigmoid import fit_steepness, results_of
from uci_engine.network import NetworkFile, format_network, is_network_file, read_network

# A score of few nodes that is further from the evaluation's has mostly seen a tactic. Results are
# another matter: they are meant to be averaged, which is what squares do.
FEW_NODES_ERROR = 0.1
ANY_ERROR = 1.0
# Times 64 this is the largest whole number that the engine's products allow. By it the sums of 32
# men, 30 of them in danger, and the bias fit 16 bits, too.
LARGEST_WEIGHT = 1.98
LOWEST_RATE = 0.01  # of the first one, at the end of the cosine
KEPT_ASIDE = 50  # one position in so many
MOST_ASIDE = 500_000
SECONDS_BETWEEN_REPORTS = 10.0

BUCKETS = "outputs, by the number of men (1)"
DANGER = "men in danger have a second input"
SCALE = "centipawns of an output that wins 73%% (those of the data)"


def parse_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    parser = Parser(prog="cythera train", description="Train a network on own games.")
    add = parser.add_argument
    add("out", type=Path, metavar="NETWORK", help="the network to write")
    add("data", type=Path, nargs="+", metavar="FILE", help="positions or games of own play")
    add(
        "--aside",
        type=Path,
        nargs="+",
        default=[],
        metavar="FILE",
        help="to judge by, not learnt from (the last games of the data)",
    )
    add("--hidden", type=count_number, default=128, metavar="N", help="units a view (128)")
    buckets = number_between(1, core.MOST_BUCKETS)
    add("--buckets", type=buckets, default=1, metavar="N", help=BUCKETS)
    add("--danger", action="store_true", help=DANGER)
    add("--epochs", type=count_number, default=20, metavar="N", help="times through the data (20)")
    add("--batch", type=count_number, default=4096, metavar="N", help="positions a step (4096)")
    add("--rate", type=decimal_between(1e-6, 0.1), default=0.004, help="of the first steps (0.004)")
    add("--decay", type=decimal_between(0, 1), default=0.1, help="of the weights (0.1)")
    share = decimal_between(0, 1)
    add("--share", type=share, default=0.0, help="of the result in the target, at first (0)")
    add("--last-share", type=share, default=None, help="the same at the end (as at first)")
    add(
        "--largest-error",
        type=decimal_between(0.001, 1),
        default=None,
        metavar="E",
        help=f"larger ones pull no harder ({FEW_NODES_ERROR}; 1 if the result has a share)",
    )
    add("--steepness", type=decimal_between(1e-4, 0.1), default=None, help="(fitted)")
    add("--scale", type=number_between(1, core.LARGEST_NETWORK_SCALE), metavar="CP", help=SCALE)
    threads = number_between(1, core.MAX_THREADS)
    add("--threads", type=threads, default=os.cpu_count() or 1, metavar="N", help="(all)")
    add(
        "--checkpoint", type=decimal_between(0, 1e6), default=60.0, metavar="S", help="seconds (60)"
    )
    add("--seed", type=number_between(0, 2**32 - 1), default=1, metavar="N", help="(1)")
    add("--from", dest="begin", type=Path, metavar="NETWORK", help="go on with its weights")
    add("--alone", action="store_true", help="what is known of endings does not correct it")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str], end: float | None = None) -> int:
    """At the moment `end` of the monotonic clock it is interrupted."""
    options = parse_arguments(arguments)
    core.network_size(*shape_of(options))  # a wrong size is told before the reading
    with alone_replacing(options.out):
        refuse_other_kinds(options.out)
        check_writable(options.out)
        return train(options, arguments, end)


def shape_of(options: argparse.Namespace) -> Shape:
    return options.hidden, options.buckets, options.danger


def refuse_other_kinds(out: Path) -> None:
    """Who forgets the network has named the first of the data in its place."""
    if out.exists() and out.stat().st_size and not is_network_file(str(out)):
        raise ValueError(f"{out}: there is such a file, and it is no network")


def train(options: argparse.Namespace, arguments: Sequence[str], end: float | None) -> int:
    begin = first_weights(options)
    data = read_data(options.data, options.aside)
    steepness = options.steepness or fit_slope(data.learnt)
    training = Training(options, data, steepness, begin)
    training.resume()
    try:
        with Interrupts(*ENDS, end=end) as interrupts:
            training.run(interrupts)
    except KeyboardInterrupt:
        training.save()
        done = f"interrupted after step {training.step:,}"
        print(f"{done}; the same command goes on", file=sys.stderr)
        return EXIT_CODE
    training.export(arguments)
    return 0


def bare_name(word: str) -> str:
    """Of a path only the last part: who is given a network need not know the folders of whoever
    made it."""
    return word.rpartition("/")[2]


@dataclass(frozen=True)
class Data:
    learnt: batch.Positions
    aside: batch.Positions


def read_data(paths: Sequence[Path], aside: Sequence[Path]) -> Data:
    """Of `paths`, and of `aside` what is kept aside; without such files some of the positions."""
    refuse_twice(paths)
    refuse_twice(aside)
    both = {each.resolve() for each in paths} & {each.resolve() for each in aside}
    if both:
        raise ValueError(f"{both.pop()}: can't be both learnt from and kept aside")
    if aside:
        parts = [read_positions(path, Filter()) for path in (*paths, *aside)]
        learnt, kept = join(parts[: len(paths)]), join(parts[len(paths) :])
        by_games = True
    else:
        splits = [split_file(path, Filter(), KEPT_ASIDE) for path in paths]
        learnt, kept = join([each.learnt for each in splits]), join([each.aside for each in splits])
        by_games = all(each.by_games for each in splits)
    check_amounts(paths, aside, len(learnt), len(kept))
    kept = kept[:: -(-len(kept) // MOST_ASIDE)]
    print(f"{len(learnt):,} positions, {len(kept):,} kept aside", file=sys.stderr)
    if not by_games:
        print(
            "the games of records are not known: those kept aside may be learnt from as well "
            "(--aside names files of other games)",
            file=sys.stderr,
        )
    return Data(learnt, np.ascontiguousarray(kept))


def refuse_twice(paths: Sequence[Path]) -> None:
    """Its positions would count double, and those kept aside would be learnt from."""
    for path, count in Counter(each.resolve() for each in paths).items():
        if count > 1:
            raise ValueError(f"{path}: named twice")


def check_amounts(paths: Sequence[Path], aside: Sequence[Path], learnt: int, kept: int) -> None:
    """ValueError if there is too little to learn from, or to judge by."""
    names = ", ".join(map(str, paths))
    if learnt + kept < KEPT_ASIDE or learnt == 0:
        raise ValueError(f"{names}: at least {KEPT_ASIDE} positions, not {learnt}")
    if kept == 0 and aside:
        raise ValueError(f"{', '.join(map(str, aside))}: no positions")
    if kept == 0:
        raise ValueError(f"{names}: at least two games, one of them to be kept aside")


def fit_slope(positions: batch.Positions) -> float:
    """Of the sigmoid with which the searches' scores predict the results best."""
    sample = positions[:: max(1, len(positions) // 1_000_000)]
    return fit_steepness(sample["score"].astype(np.float32), results_of(sample))[0]


class Training:
    """The parameters and how far they have come."""

    def __init__(
        self, options: argparse.Namespace, data: Data, steepness: float, begin: Floats
    ) -> None:
        self.options = options
        self.data = data
        self.steepness = steepness
        self.shape = shape_of(options)
        first, last = options.share, options.last_share
        self.shares = (first, first if last is None else last)
        self.largest_error = options.largest_error or (
            ANY_ERROR if any(self.shares) else FEW_NODES_ERROR
        )
        size = core.network_size(*self.shape)
        self.parameters = in_blocks(begin, self.shape)
        self.means = np.zeros(size, dtype=np.float32)
        self.squares = np.zeros(size, dtype=np.float32)
        self.gradients = [np.zeros(size, dtype=np.float32) for _ in range(options.threads)]
        self.step = 0
        self.steps_per_epoch = max(1, len(data.learnt) // options.batch)
        self.total_steps = self.steps_per_epoch * options.epochs
        self.pool = ThreadPoolExecutor(options.threads)
        self.checkpoint = checkpoint_of(options.out)
        self.identity = json.dumps(self.settings())  # before the first step changes the weights
        self.saved = self.reported = time.monotonic()
        self.losses: list[float] = []

    def run(self, interrupts: Interrupts) -> None:
        start, first = time.monotonic(), self.step
        while self.step < self.total_steps:
            epoch = self.step // self.steps_per_epoch
            order = self.order_of(epoch)
            while self.step < (epoch + 1) * self.steps_per_epoch:
                interrupts.check()
                self.losses.append(self.learn(order))
                now = time.monotonic()
                if now - self.reported >= SECONDS_BETWEEN_REPORTS:
                    self.report(epoch, (self.step - first) / (now - start))
                if now - self.saved >= self.options.checkpoint:
                    self.save()
            error = self.error(self.data.aside)
            print(f"epoch {epoch + 1}: aside {error:.6f}", file=sys.stderr, flush=True)
        self.save()

    def order_of(self, epoch: int) -> npt.NDArray[np.uint32]:
        chance = np.random.default_rng([self.options.seed, epoch])
        return chance.permutation(len(self.data.learnt)).astype(np.uint32)

    def learn(self, order: npt.NDArray[np.uint32]) -> float:
        """One batch; its mean loss."""
        first = self.step % self.steps_per_epoch * self.options.batch
        end = min(first + self.options.batch, len(order))
        progress = self.step / self.total_steps
        targets = self.targets(progress)
        loss = self.add_up(self.data.learnt, order, first, end, self.gradients, targets)
        self.step += 1
        falling = 0.5 + 0.5 * math.cos(math.pi * progress)
        rate = self.options.rate * (LOWEST_RATE + (1 - LOWEST_RATE) * falling)
        self.improve(rate, scale=1 / (end - first))
        return float(loss / (end - first))

    def improve(self, rate: float, scale: float) -> None:
        """A step by the gradients' sum times `scale`, each thread with a share of the weights."""
        jobs = [
            self.pool.submit(
                core.adam_step,
                self.parameters[low:high],
                self.means[low:high],
                self.squares[low:high],
                [gradient[low:high] for gradient in self.gradients],
                scale=scale,
                rate=rate,
                decay=self.options.decay,
                limit=LARGEST_WEIGHT,
                step=self.step,
            )
            for low, high in shares(0, len(self.parameters), self.options.threads)
        ]
        for job in jobs:
            job.result()

    def targets(self, progress: float) -> tuple[float, float]:
        """The result's share at this point of the training, and the steepness."""
        first, last = self.shares
        return first + (last - first) * progress, self.steepness

    def add_up(
        self,
        positions: batch.Positions,
        order: npt.NDArray[np.uint32],
        first: int,
        end: int,
        gradients: Sequence[Floats | None],
        targets: tuple[float, float],
        largest_error: float | None = None,
    ) -> float:
        """The sum of the losses over a part of the order, each thread with a share of it."""
        fixed = (self.parameters, positions, order, *self.shape, *targets)
        largest = largest_error or self.largest_error
        jobs = [
            self.pool.submit(core.learn_range, gradient, *fixed, largest, low, high)
            for gradient, (low, high) in zip(
                gradients, shares(first, end, len(gradients)), strict=True
            )
        ]
        return float(sum(job.result() for job in jobs))

    def error(self, positions: batch.Positions) -> float:
        """The mean square, whatever is learnt by."""
        order = np.arange(len(positions), dtype=np.uint32)
        nothing = [None] * self.options.threads
        targets = self.targets(1.0)
        total = self.add_up(positions, order, 0, len(order), nothing, targets, ANY_ERROR)
        return total / len(order)

    def report(self, epoch: int, pace: float) -> None:
        self.reported = time.monotonic()
        left = (self.total_steps - self.step) / pace
        print(
            f"epoch {epoch + 1} of {self.options.epochs}, step {self.step:,}, "
            f"error {sum(self.losses) / len(self.losses):.6f}, "
            f"{pace * self.options.batch:,.0f} positions/s, {left:.0f} s left",
            file=sys.stderr,
            flush=True,
        )
        self.losses.clear()

    def export(self, arguments: Sequence[str]) -> None:
        notes = {
            "command": " ".join(["cythera train", *map(bare_name, map(str, arguments))]),
            "positions": len(self.data.learnt),
            "epochs": self.options.epochs,
            "aside": round(self.error(self.data.aside), 6),
        }
        weights = quantise(in_rows(self.parameters, self.shape), *self.shape)
        scale = self.options.scale or round(1 / self.steepness)
        hidden, buckets, danger = self.shape
        kind = (self.options.alone, danger)
        file = NetworkFile(hidden, buckets, scale, json.dumps(notes), weights, *kind)
        replace_bytes(self.options.out, format_network(file))
        self.checkpoint.unlink(missing_ok=True)

    # ---- checkpoints

    def settings(self) -> dict[str, Any]:
        """What must be the same for a run to go on: files by what they hold, not by their names."""
        names = ("out", "data", "aside", "begin", "threads", "checkpoint")
        return {
            **{name: value for name, value in vars(self.options).items() if name not in names},
            "positions": len(self.data.learnt),
            "data": zlib.crc32(np.ascontiguousarray(self.data.learnt).view(np.uint8).data),
            "weights": zlib.crc32(self.parameters.data),
        }

    def save(self) -> None:
        arrays = (self.parameters, self.means, self.squares)
        write_checkpoint(self.checkpoint, self.identity, self.step, arrays)
        self.saved = time.monotonic()

    def resume(self) -> None:
        """Go on from a checkpoint, if there is one. ValueError if it is another training's."""
        if not self.checkpoint.exists():
            return
        arrays = (self.parameters, self.means, self.squares)
        self.step = read_checkpoint(self.checkpoint, self.identity, arrays)
        print(f"going on from step {self.step:,}", file=sys.stderr)


def shares(first: int, end: int, count: int) -> Iterator[tuple[int, int]]:
    """A range in so many parts of about the same size."""
    borders = [first + (end - first) * part // count for part in range(count + 1)]
    return pairwise(borders)


def first_weights(options: argparse.Namespace) -> Floats:
    """Another network's, or random ones. ValueError if that network is larger. A single output
    becomes as many as are wanted, which may learn to differ from now on; danger that it did not see
    adds nothing yet; units that are added begin with random weights, but without a say in the
    outputs."""
    hidden, buckets, danger = shape_of(options)
    first = first_parameters(hidden, buckets, options.seed, danger)
    if options.begin is None:
        return first
    network = read_network(str(options.begin))
    if network.hidden > hidden or network.buckets not in (1, buckets):
        raise ValueError(
            f"{options.begin}: {network.hidden} units and {network.buckets} outputs, "
            f"not {hidden} and {buckets}"
        )
    if network.sees_danger and not danger:
        raise ValueError(f"{options.begin}: sees danger, so --danger must be given")
    old_inputs, old_outputs, old_biases = np.split(
        dequantise(network), output_borders(*network.shape)
    )
    rows, old_bias = np.split(old_inputs.reshape(-1, network.hidden), [-1])
    if danger and not network.sees_danger:
        rows = np.concatenate([rows, np.zeros_like(rows)])
    copies = buckets // network.buckets
    inputs, outputs, biases = np.split(first, output_borders(hidden, buckets, danger))
    outputs[:] = 0
    biases[:] = np.tile(old_biases, copies)
    old_rows = np.concatenate([rows, old_bias])
    for new, old in ((inputs, old_rows), (outputs, np.tile(old_outputs, copies))):
        new.reshape(-1, hidden)[:, : network.hidden] = old.reshape(-1, network.hidden)
    return first
