"""Tables of endings for which there are no files here, of up to seven men, filled by chance.

They say nothing true about chess, but where both probers find the same value in each position,
both number the positions of such an ending alike and read the file alike. The index of a file may
lead to the same few blocks again and again, so a table of thirty billion values needs little room.
"""

from __future__ import annotations

import itertools
import math
import random
import struct
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import chess.syzygy
import numpy as np

WDL_MAGIC, DTZ_MAGIC = bytes.fromhex("71e8235d"), bytes.fromhex("d7660ca5")
CHECKSUM = bytes(16)
LETTERS = ".PNBRQK"  # a man's number is its place here, and 8 more for the second side
SPLIT, WITH_PAWNS = 1, 2
# A block holds 32 symbols of a byte each, and each stands for 2,048 values: 65,536 together, as
# many as there are between two entries of the index.
BLOCK_BITS, BLOCK_COUNT, SPAN_BITS, CODE_BITS = 5, 64, 16, 8
LEVELS, SYMBOLS_A_LEVEL = 11, 20
LEAF = 0xFFF
# How many values there are: results, or numbers of distances, as many as symbols of a byte allow.
RESULTS, DISTANCES = 5, 30
# The flags of distances, as they are for each file of the first pawn.
STORES_BLACK, IS_MAPPED, WINS_IN_PLIES, LOSSES_IN_PLIES, IS_WIDE = 1, 2, 4, 8, 16
FARTHEST = 2000  # plies or moves; beyond a byte where the maps are wide


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


def write_layouts(name: str, sides: int, chance: random.Random) -> tuple[bytes, list[int]]:
    """The orders of the men, and how many values each series of them has."""
    data = bytearray()
    sizes: list[int] = []
    for file in range(count_files(name)):
        orders, men = [], []
        for groups, with_pawns in (lay_out(name, file, chance) for _ in range(sides)):
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
    return bytes(data), sizes


def count_files(name: str) -> int:
    """Of the first pawn, which each have their values."""
    return 4 if "P" in name else 1


def is_symmetric(name: str) -> bool:
    first, second = name.split("v")
    return first == second


def symbol_tree(leaves: int, chance: random.Random) -> bytes:
    """Values first, then pairs of symbols that stand for 2, 4, 8 ... of them."""
    pairs = [(value, LEAF) for value in range(leaves)]
    below = range(leaves)
    for _ in range(LEVELS):
        start = len(pairs)
        pairs += [(chance.choice(below), chance.choice(below)) for _ in range(SYMBOLS_A_LEVEL)]
        below = range(start, len(pairs))
    packed = (left | right << 12 for left, right in pairs)
    tree = b"".join(number.to_bytes(3, "little") for number in packed)
    return struct.pack("<H", len(pairs)) + tree + bytes(len(pairs) & 1)


def values_header(flags: int, leaves: int, chance: random.Random) -> bytes:
    head = struct.pack(
        "<BBBBIBB", flags, BLOCK_BITS, SPAN_BITS, 0, BLOCK_COUNT, CODE_BITS, CODE_BITS
    )
    return head + struct.pack("<H", 0) + symbol_tree(leaves, chance)


def values_index(size: int, chance: random.Random) -> bytes:
    """Of each span of values, the block and the place in it of the middle one."""
    entries = np.zeros(-(-size >> SPAN_BITS), dtype=[("block", "<u4"), ("place", "<u2")])
    numbers = np.random.default_rng(chance.getrandbits(32))
    entries["block"] = numbers.integers(0, BLOCK_COUNT, len(entries))
    entries["place"] = 1 << (SPAN_BITS - 1)
    return entries.tobytes()


def values_blocks(leaves: int, chance: random.Random) -> bytes:
    last = leaves + LEVELS * SYMBOLS_A_LEVEL
    symbols = range(last - SYMBOLS_A_LEVEL, last)
    return bytes(chance.choices(symbols, k=BLOCK_COUNT << BLOCK_BITS))


def distance_flags(name: str, width: int, chance: random.Random) -> int:
    """A width of 0: the values are the distances."""
    flags = chance.choice([0, WINS_IN_PLIES]) | chance.choice([0, LOSSES_IN_PLIES])
    if not is_symmetric(name):
        flags |= chance.choice([0, STORES_BLACK])
    return flags | (IS_MAPPED if width else 0) | (IS_WIDE if width == 2 else 0)


def distance_maps(width: int, chance: random.Random) -> bytes:
    """Of wins, losses, and both where the fifty-move rule saves half a point. Together they have an
    odd number of entries, so that maps of two bytes that follow narrow ones have to be aligned."""
    maps = bytearray()
    for size in (DISTANCES, DISTANCES + 1, DISTANCES + 2, DISTANCES + 4) if width else ():
        farthest = min(FARTHEST, (1 << 8 * width) - 1)
        for number in (size, *(chance.randrange(farthest + 1) for _ in range(size))):
            maps += number.to_bytes(width, "little")
    return bytes(maps)


def align(data: bytearray, step: int) -> None:
    data += bytes(-len(data) % step)


def append_values(data: bytearray, sizes: list[int], leaves: int, chance: random.Random) -> None:
    """Indices, blocks and what is behind them."""
    data += b"".join(values_index(size, chance) for size in sizes)
    data += struct.pack("<H", (1 << SPAN_BITS) - 1) * BLOCK_COUNT * len(sizes)
    for _ in sizes:
        align(data, 64)
        data += values_blocks(leaves, chance)
    align(data, 64)
    data += CHECKSUM


def write_wdl(directory: Path, name: str, seed: int) -> Path:
    """NAME.rtbw, made of this seed."""
    chance = random.Random(f"{name} {seed}")
    sides = 1 if is_symmetric(name) else 2
    layouts, sizes = write_layouts(name, sides, chance)
    data = bytearray(WDL_MAGIC)
    data.append((sides == 2) * SPLIT + ("P" in name) * WITH_PAWNS)
    data += layouts
    align(data, 2)
    data += b"".join(values_header(0, RESULTS, chance) for _ in sizes)
    append_values(data, sizes, RESULTS, chance)
    path = directory / f"{name}.rtbw"
    path.write_bytes(data)
    return path


def write_dtz(directory: Path, name: str, seed: int, widths: Sequence[int]) -> Path:
    """NAME.rtbz, made of this seed. The maps of distances have so many bytes an entry, for each
    file of the first pawn in turn; 0 for no maps."""
    chance = random.Random(f"{name} {seed}")
    layouts, sizes = write_layouts(name, 1, chance)
    used = [width for width, _ in zip(itertools.cycle(widths), sizes, strict=False)]
    data = bytearray(DTZ_MAGIC)
    data.append(("P" in name) * WITH_PAWNS)
    data += layouts
    align(data, 2)
    for width in used:
        data += values_header(distance_flags(name, width, chance), DISTANCES, chance)
    for width in used:
        if width == 2:
            align(data, 2)
        data += distance_maps(width, chance)
    align(data, 2)
    append_values(data, sizes, DISTANCES, chance)
    path = directory / f"{name}.rtbz"
    path.write_bytes(data)
    return path
