"""Tables of endings for which there are no files here, of up to seven men, filled by chance.

They say nothing true about chess, but where both probers find the same value in each position,
both number the positions of such an ending alike and read the file alike. The index of a file may
lead to the same few blocks again and again, so a table of thirty billion values needs little room.
"""

from __future__ import annotations

import math
import random
import struct
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import chess.syzygy
import numpy as np

MAGIC = bytes.fromhex("71e8235d")
CHECKSUM = bytes(16)
LETTERS = ".PNBRQK"  # a man's number is its place here, and 8 more for the second side
SPLIT, WITH_PAWNS = 1, 2
# A block holds 32 symbols of a byte each, and each stands for 2,048 values: 65,536 together, as
# many as there are between two entries of the index.
BLOCK_BITS, BLOCK_COUNT, SPAN_BITS, CODE_BITS = 5, 64, 16, 8
LEVELS, SYMBOLS_A_LEVEL = 11, 20
RESULTS = 5
LEAF = 0xFFF


@dataclass(frozen=True)
class Group:
    """Men of one kind and colour, or those that lead."""

    men: list[int]
    choices: int  # how many ways there are to place it


def men_of(name: str) -> Counter[int]:
    first, second = name.split("v")
    return Counter(
        [LETTERS.index(letter) for letter in first]
        + [8 + LETTERS.index(letter) for letter in second]
    )


def lay_out(name: str, file: int, chance: random.Random) -> tuple[list[Group], int]:
    """The groups of an ending, the leaders first, and how many of them have pawns."""
    left = men_of(name)
    pawns = sorted((left[man], man) for man in (1, 9) if left[man])
    groups: list[Group] = []
    free = 64
    if pawns:
        for number, (count, man) in enumerate(pawns):
            size = chess.syzygy.PFACTOR[count - 1][file] if number == 0 else 0
            groups.append(Group([man] * count, size or math.comb(64 - 16 - pawns[0][0], count)))
    else:
        single = [man for man in left if left[man] == 1]
        chance.shuffle(single)
        leaders = single[:3] if len(single) >= 3 else [6, 14]
        groups.append(Group(leaders, 31_332 if len(leaders) == 3 else 462))
    for group in groups:
        free -= len(group.men)
        for man in group.men:
            left[man] -= 1
    others = [man for man in left if left[man]]
    chance.shuffle(others)
    for man in others:
        groups.append(Group([man] * left[man], math.comb(free, left[man])))
        free -= left[man]
    return groups, len(pawns)


def symbol_tree(chance: random.Random) -> bytes:
    """Results first, then pairs of symbols that stand for 2, 4, 8 ... values."""
    pairs = [(result, LEAF) for result in range(RESULTS)]
    below = range(RESULTS)
    for _ in range(LEVELS):
        start = len(pairs)
        pairs += [(chance.choice(below), chance.choice(below)) for _ in range(SYMBOLS_A_LEVEL)]
        below = range(start, len(pairs))
    packed = (left | right << 12 for left, right in pairs)
    tree = b"".join(number.to_bytes(3, "little") for number in packed)
    return struct.pack("<H", len(pairs)) + tree + bytes(len(pairs) & 1)


def values_header(chance: random.Random) -> bytes:
    flags = 0
    head = struct.pack(
        "<BBBBIBB", flags, BLOCK_BITS, SPAN_BITS, 0, BLOCK_COUNT, CODE_BITS, CODE_BITS
    )
    return head + struct.pack("<H", 0) + symbol_tree(chance)


def values_index(size: int, chance: random.Random) -> bytes:
    """Of each span of values, the block and the place in it of the middle one."""
    entries = np.zeros(-(-size >> SPAN_BITS), dtype=[("block", "<u4"), ("place", "<u2")])
    numbers = np.random.default_rng(chance.getrandbits(32))
    entries["block"] = numbers.integers(0, BLOCK_COUNT, len(entries))
    entries["place"] = 1 << (SPAN_BITS - 1)
    return entries.tobytes()


def values_blocks(chance: random.Random) -> bytes:
    last = RESULTS + LEVELS * SYMBOLS_A_LEVEL
    symbols = range(last - SYMBOLS_A_LEVEL, last)
    return bytes(chance.choices(symbols, k=BLOCK_COUNT << BLOCK_BITS))


def write_wdl(directory: Path, name: str, seed: int) -> Path:
    """NAME.rtbw, made of this seed."""
    chance = random.Random(f"{name} {seed}")
    first, second = name.split("v")
    sides = 1 if first == second else 2
    files = 4 if "P" in name else 1
    data = bytearray(MAGIC + bytes([(sides == 2) * SPLIT + (files == 4) * WITH_PAWNS]))
    sizes: list[int] = []
    for file in range(files):
        layouts = [lay_out(name, file, chance) for _ in range(sides)]
        orders, men = [], []
        for groups, with_pawns in layouts:
            order = (
                chance.sample(range(len(groups)), 2)
                if with_pawns == 2
                else [chance.randrange(len(groups))]
            )
            orders.append(order)
            men.append([man for group in groups for man in group.men])
            sizes.append(math.prod(group.choices for group in groups))
        for row in (*zip(*orders, strict=True), *zip(*men, strict=True)):
            data.append(row[0] | row[-1] << 4)
    data += bytes(len(data) & 1)
    data += b"".join(values_header(chance) for _ in sizes)
    data += b"".join(values_index(size, chance) for size in sizes)
    data += struct.pack("<H", (1 << SPAN_BITS) - 1) * BLOCK_COUNT * len(sizes)
    for _ in sizes:
        data += bytes(-len(data) % 64) + values_blocks(chance)
    path = directory / f"{name}.rtbw"
    path.write_bytes(data + bytes(-len(data) % 64) + CHECKSUM)
    return path
