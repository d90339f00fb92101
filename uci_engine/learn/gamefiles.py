"""Files of whole games: blocks, each with a version, its length and a checksum, one after another.

Self-play appends a block for each game that ends, so a killed run loses only games that were being
played, and files are merged by writing one behind the other. A damaged block, or one whose checksum
is right but which does not hold its games, is named by its offset in the file, and is never learned
from.
"""

from __future__ import annotations

import binascii
import os
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from core_ext import core
from uci_engine import batch
from uci_engine.files import refuse_irregular

MAGIC = b"CYGM"
VERSION = 1
HEADER = struct.Struct("<4sIIII")  # magic, version, games, length, checksum of what is checked
CHECKED = struct.Struct("<II")  # games and length, before the games themselves
LARGEST_BLOCK = 64 << 20
READ_AT_ONCE = 1 << 20


@dataclass(frozen=True)
class Block:
    offset: int
    games: int
    data: bytes


@dataclass(frozen=True)
class Damage:
    """Something in a file that is no block."""

    path: Path
    offset: int
    reason: str
    is_end: bool = False  # a block that was being written when its program was ended
    remedy: str = "cythera data merge --skip"  # the command that leaves it out

    def __str__(self) -> str:
        return f"{self.path}: at byte {self.offset}: {self.reason}"


@dataclass(frozen=True)
class Filter:
    """Which positions of a game are worth learning from."""

    first_ply: int = 0
    largest_score: int = 3000
    noisy: bool = False


def is_game_file(path: Path) -> bool:
    """Also if it is empty, or torn in its first word: so a run leaves it that was killed there. Or
    if its beginning is damaged, but a whole block is found behind that."""
    refuse_irregular(path)
    with path.open("rb") as file:
        head = file.read(batch.POSITION.itemsize)
    if MAGIC.startswith(head[: len(MAGIC)]):
        return True
    # Records are told by their first one: looking for a block would take long in a large file.
    return not is_position(head) and any(read_blocks(path, on_damage=pass_over))


def refuse_foreign(path: Path) -> None:
    if not is_game_file(path):
        raise ValueError(f"{path}: not a file of games")


def is_position(record: bytes) -> bool:
    try:
        batch.legal_counts(np.frombuffer(record, dtype=batch.POSITION))
    except ValueError:
        return False
    return True


def pass_over(damage: Damage) -> None:
    """What is looked for may stand behind it."""


def format_block(games: bytes, count: int) -> bytes:
    checksum = binascii.crc32(CHECKED.pack(count, len(games)) + games)
    return HEADER.pack(MAGIC, VERSION, count, len(games), checksum) + games


def read_block(file: BinaryIO, path: Path, offset: int) -> Block | Damage | None:
    """What begins at this offset; None at the file's end."""
    file.seek(offset)
    head = file.read(HEADER.size)
    if not head:
        return None
    if not head.startswith(MAGIC[: len(head)]):
        return Damage(path, offset, "no block of games begins here")
    if len(head) < HEADER.size:
        return Damage(path, offset, "the file ends in the midst of a block", is_end=True)
    _, version, count, length, checksum = HEADER.unpack(head)
    if version != VERSION:
        return Damage(
            path, offset, f"a block of version {version}, but this program reads {VERSION}"
        )
    if length > LARGEST_BLOCK:
        return Damage(path, offset, "a damaged block")
    games = file.read(length)
    if len(games) < length:
        # Or its length is damaged, and other blocks stand in what it claims.
        is_end = MAGIC not in games
        return Damage(path, offset, "the file ends in the midst of a block", is_end)
    if binascii.crc32(CHECKED.pack(count, length) + games) != checksum:
        return Damage(path, offset, "a damaged block: its checksum is wrong")
    return check_count(path, Block(offset, count, games))


def check_count(path: Path, block: Block) -> Block | Damage:
    """That it holds as many games as it says. Whether their moves are legal is not looked at, which
    would take a hundred times as long: `read_expanded` does."""
    try:
        count, _ = core.check_games(block.data)
    except ValueError as error:
        return Damage(path, block.offset, str(error))
    if count != block.games:
        reason = f"its count of games is {block.games}, but it holds {count}"
        return Damage(path, block.offset, reason)
    return block


def refuse(damage: Damage) -> None:
    raise ValueError(f"{damage} (`{damage.remedy}` leaves it out)")


def read_blocks(path: Path, on_damage: Callable[[Damage], None] = refuse) -> Iterator[Block]:
    """The blocks of a file, their moves unchecked. Where one is damaged and `on_damage` returns,
    what follows is looked for."""
    offset = 0
    with path.open("rb") as file:
        while True:
            block = read_block(file, path, offset)
            if block is None:
                return
            if isinstance(block, Block):
                yield block
                offset += HEADER.size + len(block.data)
                continue
            on_damage(block)
            offset = find_magic(file, offset + 1)


def find_magic(file: BinaryIO, offset: int) -> int:
    """Where the next block may begin; the file's end if nowhere."""
    while True:
        file.seek(offset)
        chunk = file.read(READ_AT_ONCE)
        place = chunk.find(MAGIC)
        if place >= 0:
            return offset + place
        if len(chunk) < READ_AT_ONCE:
            return offset + len(chunk)
        offset += len(chunk) - len(MAGIC) + 1


def expand(games: bytes, wanted: Filter) -> batch.Positions:
    """The wanted positions of some games, in their order."""
    _, plies = core.check_games(games)
    room = np.zeros(plies, dtype=batch.POSITION)
    count = core.expand_games(games, room, wanted.first_ply, wanted.largest_score, wanted.noisy)
    return room[:count]


def read_expanded(
    path: Path, wanted: Filter, on_damage: Callable[[Damage], None] = refuse
) -> Iterator[tuple[Block, batch.Positions]]:
    """Each block, all of whose moves are legal, and its wanted positions."""
    for block in read_blocks(path, on_damage):
        try:
            positions = expand(block.data, wanted)
        except ValueError as error:
            on_damage(Damage(path, block.offset, str(error)))
            continue
        yield block, positions


def single_games(block: Block) -> Iterator[bytes]:
    """The games of a block one by one."""
    data = memoryview(block.data)
    while data:
        size = core.first_game_size(data)
        yield bytes(data[:size])
        data = data[size:]


def count_positions(path: Path, offset: int, wanted: Filter) -> list[int]:
    """How many positions are wanted of each game of the block at this offset."""
    with path.open("rb") as file:
        block = read_block(file, path, offset)
    assert isinstance(block, Block)
    return [len(expand(game, wanted)) for game in single_games(block)]


def repair_end(path: Path) -> int:
    """Take off a block that was being written when its program was ended; how long the file is.
    ValueError for a file of another kind."""
    if not path.exists():
        return 0
    refuse_foreign(path)
    end = 0

    def cut(damage: Damage) -> None:
        if not damage.is_end:
            refuse(damage)
        os.truncate(path, damage.offset)

    for block in read_blocks(path, cut):
        end = block.offset + HEADER.size + len(block.data)
    return end
