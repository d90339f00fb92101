"""Adjudication by Syzygy tables, through python-chess."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from uci_engine import Board
from uci_engine.arena.rules import DRAW, Adjudication, Ending, win_for

if TYPE_CHECKING:
    import chess.syzygy

FIFTY_MOVES = 100  # plies
Judge = Callable[[Board], Ending | None]


@functools.lru_cache(maxsize=1)
def open_tables(path: str) -> chess.syzygy.Tablebase:
    """All tables of the directories; shared by all games of a process."""
    import chess.syzygy

    tables = chess.syzygy.Tablebase()
    for directory in path.split(os.pathsep):
        if not os.path.isdir(directory):
            raise ValueError(f"{directory}: not a directory with Syzygy tables")
        tables.add_directory(directory)
    if not tables.wdl:
        raise ValueError(f"{path}: no Syzygy tables in it")
    return tables


def largest_table(tables: chess.syzygy.Tablebase) -> int:
    return max(len(name.replace("v", "")) for name in tables.wdl)


def make_judge(limits: Adjudication) -> Judge | None:
    if not limits.syzygy_path:
        return None
    tables = open_tables(limits.syzygy_path)
    most = limits.syzygy_pieces or largest_table(tables)

    def judge(board: Board) -> Ending | None:
        pieces = board.bitboards[6] | board.bitboards[7]
        if int(pieces).bit_count() > most or board.castling_rooks:
            return None
        return verdict(tables, board)

    return judge


def verdict(tables: chess.syzygy.Tablebase, board: Board) -> Ending | None:
    """What perfect play brings under the fifty-move rule, where the tables are sure of it."""
    position = board.to_chess(stack=False)
    value = tables.get_wdl(position)
    if value is None:
        return None
    if abs(value) < 2:  # also what the fifty-move rule makes a draw
        if abs(value) == 1 and position.halfmove_clock:
            return None  # a clock that has run may matter either way
        return Ending(DRAW, "tablebase")
    if position.halfmove_clock:
        distance = tables.get_dtz(position)
        if distance is None or abs(distance) + position.halfmove_clock >= FIFTY_MOVES:
            return None
    return Ending(win_for((value > 0) == board.turn), "tablebase")
