"""Adjudication by Syzygy tables, through python-chess."""

from __future__ import annotations

import functools
from collections.abc import Callable

import chess.syzygy

from uci_engine import Board, tablebase
from uci_engine.arena.rules import DRAW, Adjudication, Ending, win_for

Judge = Callable[[Board], Ending | None]

# All games of a process share the tables.
open_tables = functools.lru_cache(maxsize=1)(tablebase.open_tables)


def make_judge(limits: Adjudication) -> Judge:
    tables = open_tables(limits.syzygy_path)
    most = limits.syzygy_pieces or tablebase.most_pieces(tables)

    def judge(board: Board) -> Ending | None:
        pieces = board.bitboards[6] | board.bitboards[7]
        if int(pieces).bit_count() > most or board.castling_rooks:
            return None
        return verdict(tables, board)

    return judge


def verdict(tables: chess.syzygy.Tablebase, board: Board) -> Ending | None:
    """What perfect play brings under the fifty-move rule, where the tables are sure of it."""
    position = board.to_chess(stack=False)
    clock = position.halfmove_clock
    value = tables.get_wdl(position)
    if value is None:
        return None
    if value not in (tablebase.LOSS, tablebase.WIN):  # also what the fifty-move rule makes a draw
        if value != tablebase.DRAW and clock:
            return None  # a clock that has run may matter either way
        return Ending(DRAW, "tablebase")
    if clock:
        distance = tables.get_dtz(position)
        if distance is None or tablebase.judge_distance(distance, clock) != value:
            return None
    return Ending(win_for((value > 0) == board.turn), "tablebase")
