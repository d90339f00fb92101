"""The parameters of a network in training: floats in one array, and what becomes of them.

In rows: the first layer's weights, a row for each input, and its biases; for each output the
weights of both views, the mover's first; the biases of the outputs. A network file has them in this
order, as whole numbers, but for a man in danger its whole row, where in training it is what danger
adds to the row of the man: what the one learns of its place is true of the other. The training loop
wants the first layer in blocks of some units, one behind another.
"""

from __future__ import annotations

import math

import numpy as np

from core_ext import core
from uci_engine.learn.checkpoint import Floats
from uci_engine.network import NetworkFile

Shape = tuple[int, int, bool]  # units, outputs, whether it sees danger


def in_blocks(rows: Floats, shape: Shape) -> Floats:
    """As the training loop takes them."""
    return _transposed(rows, shape, (-1, shape[0] // core.BLOCK_UNITS, core.BLOCK_UNITS))


def in_rows(blocks: Floats, shape: Shape) -> Floats:
    return _transposed(blocks, shape, (shape[0] // core.BLOCK_UNITS, -1, core.BLOCK_UNITS))


def _transposed(parameters: Floats, shape: Shape, parts: tuple[int, int, int]) -> Floats:
    hidden, _, sees_danger = shape
    first, rest = np.split(parameters, [core.network_inputs(sees_danger) * hidden])
    return np.concatenate([first.reshape(parts).transpose(1, 0, 2).reshape(-1), rest])


def quantise(parameters: Floats, hidden: int, buckets: int, sees_danger: bool = False) -> bytes:
    """The weights as whole numbers, in the form that the engine reads."""
    borders = output_borders(hidden, buckets, sees_danger)
    inputs, outputs, biases = np.split(parameters, borders)
    if sees_danger:
        inputs = _with_danger(inputs, hidden, 1)
    return b"".join(
        [
            np.rint(inputs * core.ACTIVATION_UNIT).astype("<i2").tobytes(),
            np.rint(outputs * core.WEIGHT_UNIT).astype("<i2").tobytes(),
            np.rint(biases * core.ACTIVATION_UNIT * core.WEIGHT_UNIT).astype("<i4").tobytes(),
        ]
    )


def dequantise(network: NetworkFile) -> Floats:
    """The parameters that `quantise` makes these weights of."""
    biases = 4 * network.buckets
    first, _ = output_borders(*network.shape)
    shorts = np.frombuffer(network.weights[:-biases], dtype="<i2").astype(np.float32)
    longs = np.frombuffer(network.weights[-biases:], dtype="<i4").astype(np.float32)
    inputs = shorts[:first] / np.float32(core.ACTIVATION_UNIT)
    if network.sees_danger:
        inputs = _with_danger(inputs, network.hidden, -1)
    return np.concatenate(
        [
            inputs,
            shorts[first:] / core.WEIGHT_UNIT,
            longs / (core.ACTIVATION_UNIT * core.WEIGHT_UNIT),
        ],
        dtype=np.float32,
    )


def _with_danger(inputs: Floats, hidden: int, sign: int) -> Floats:
    """The rows of men in danger with those of the same men added, or taken away."""
    plain = core.network_inputs(False) * hidden
    changed = inputs.copy()
    changed[plain : 2 * plain] += sign * inputs[:plain]
    return changed


def output_borders(hidden: int, buckets: int, sees_danger: bool) -> tuple[int, int]:
    """Where the outputs' weights begin among the parameters, and their biases."""
    first = (core.network_inputs(sees_danger) + 1) * hidden
    return first, first + buckets * 2 * hidden


def first_parameters(hidden: int, buckets: int, seed: int, sees_danger: bool = False) -> Floats:
    """Small random weights, no biases; danger adds nothing yet."""
    chance = np.random.default_rng(seed)
    parameters = np.zeros(core.network_size(hidden, buckets, sees_danger), dtype=np.float32)
    plain = core.network_inputs(False) * hidden
    parameters[:plain] = chance.normal(0, 1 / math.sqrt(32), plain)
    first, end = output_borders(hidden, buckets, sees_danger)
    parameters[first:end] = chance.normal(0, 1 / math.sqrt(hidden), end - first)
    return parameters
