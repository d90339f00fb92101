"""Positions to learn from, of files of games or of 32-byte records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import numpy as np

from uci_engine import batch
from uci_engine.learn.gamefiles import (
    Damage,
    Filter,
    count_positions,
    is_game_file,
    read_expanded,
    refuse,
)

RESULT_WHITE = 2  # the largest; 1 is a draw, 0 a win for Black

OnDamage = Callable[[Damage], None]


def check_records(path: Path, records: batch.Positions, first: int = 0) -> None:
    """ValueError names what is no record of a game; `first` is how many of the file come before."""
    where = f"{path}, behind {first} records" if first else str(path)
    try:
        batch.legal_counts(records)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    strange = np.flatnonzero(records["result"] > RESULT_WHITE)
    if len(strange):
        raise ValueError(f"{where}: item {strange[0]} has no result of a game")


def check_end(path: Path, on_damage: OnDamage) -> None:
    """A file of records that was cut off may end in the midst of one."""
    size = path.stat().st_size
    rest = size % batch.POSITION.itemsize
    if rest:
        reason = "the file ends in the midst of a position"
        remedy = "cythera data shuffle --skip"
        on_damage(Damage(path, size - rest, reason, is_end=True, remedy=remedy))


def read_records(path: Path, on_damage: OnDamage = refuse) -> batch.Positions:
    size = path.stat().st_size // batch.POSITION.itemsize
    if size == 0:
        records: batch.Positions = np.zeros(0, dtype=batch.POSITION)  # which can't be mapped
    else:
        records = np.memmap(path, dtype=batch.POSITION, mode="r", shape=(size,))
    check_records(path, records)
    check_end(path, on_damage)
    return records


def read_positions(path: Path, wanted: Filter, on_damage: OnDamage = refuse) -> batch.Positions:
    """All positions of a file, game by game in their order; of games only those that are wanted."""
    if not is_game_file(path):
        return read_records(path, on_damage)
    return join([part for _, part in read_expanded(path, wanted, on_damage)])


def join(parts: list[batch.Positions]) -> batch.Positions:
    return np.concatenate(parts) if parts else np.zeros(0, dtype=batch.POSITION)


# ---- keeping some aside


@dataclass(frozen=True)
class Split:
    """The positions of a file: those that are learnt and, from its end, those kept aside."""

    learnt: batch.Positions
    aside: batch.Positions
    by_games: bool  # no game is on both sides


def split_file(path: Path, wanted: Filter, kept_aside: int) -> Split:
    """Aside are the last games, as few as have one position in `kept_aside`, but never all of
    them. Of records, whose games are not known, it is exactly the last of so many parts."""
    if not is_game_file(path):
        records = read_records(path)
        border = len(records) - len(records) // kept_aside
        return Split(records[:border], records[border:], by_games=False)
    parts = [(block.offset, part) for block, part in read_expanded(path, wanted)]
    positions = join([part for _, part in parts])
    latest = len(positions) - len(positions) // kept_aside
    start = 0
    for offset, part in parts:
        if start <= latest < start + len(part):
            lengths = count_positions(path, offset, wanted)
            border = find_border(list(accumulate(lengths, initial=start)), latest)
            return Split(positions[:border], positions[border:], by_games=True)
        start += len(part)
    return Split(positions, positions[:0], by_games=True)


def find_border(borders: list[int], latest: int) -> int:
    """The last border between games up to a place; behind it if else nothing would be before."""
    before = max(border for border in borders if border <= latest)
    return before or min(border for border in borders if border > latest)
