"""Positions to learn from, of files of games or of 32-byte records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from uci_engine import batch
from uci_engine.learn.gamefiles import Damage, Filter, expand, is_game_file, read_blocks, refuse

RESULT_WHITE = 2  # the largest; 1 is a draw, 0 a win for Black


def check_records(path: Path, records: batch.Positions) -> None:
    """ValueError names what is no record of a game."""
    try:
        batch.legal_counts(records)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    strange = np.flatnonzero(records["result"] > RESULT_WHITE)
    if len(strange):
        raise ValueError(f"{path}: item {strange[0]} has no result of a game")


def read_positions(
    path: Path,
    wanted: Filter,
    on_damage: Callable[[Damage], None] = refuse,
    foresight: float = 0.0,
) -> batch.Positions:
    """All positions of a file, game by game in their order; of games only those that are wanted,
    and with foresight, which records can't have."""
    if is_game_file(path):
        parts = [expand(block.data, wanted, foresight) for block in read_blocks(path, on_damage)]
        return np.concatenate(parts) if parts else np.zeros(0, dtype=batch.POSITION)
    size = path.stat().st_size // batch.POSITION.itemsize
    if size == 0:
        return np.zeros(0, dtype=batch.POSITION)  # which can't be mapped
    records = np.memmap(path, dtype=batch.POSITION, mode="r", shape=(size,))
    check_records(path, records)
    return records


def split_games(records: Sequence[batch.Positions], kept_aside: int) -> tuple[batch.Positions, ...]:
    """What is learnt and what is kept aside: of each file's positions the last of `kept_aside`
    parts. A game's positions lie together, so that but for the one at the border no game is on both
    sides."""
    borders = [len(each) - len(each) // kept_aside for each in records]
    learnt = np.concatenate([each[:border] for each, border in zip(records, borders, strict=True)])
    aside = np.concatenate([each[border:] for each, border in zip(records, borders, strict=True)])
    return learnt, aside
