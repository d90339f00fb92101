"""Adjudication by Syzygy tables."""

from __future__ import annotations

import functools
from collections.abc import Callable

from uci_engine import Board, Tablebase
from uci_engine.arena.play.adjudication import Adjudication, Ending
from uci_engine.arena.play.notices import Hearer, Notice
from uci_engine.arena.results.record import DRAW, win_for
from uci_engine.errors import LONGEST_MESSAGE
from uci_engine.text import tame

Judge = Callable[[Board, Hearer], Ending | None]

LOSS, DRAWN, WIN = -2, 0, 2
FIFTY_MOVES = 100  # plies

# All games of a process share the tables.
open_tables = functools.lru_cache(maxsize=1)(Tablebase)


def make_judge(limits: Adjudication) -> Judge:
    tables = open_tables(limits.syzygy_path)
    most = limits.syzygy_pieces or tables.most_men

    def judge(board: Board, tell: Hearer) -> Ending | None:
        pieces = board.bitboards[6] | board.bitboards[7]
        if int(pieces).bit_count() > most:
            return None
        try:
            return verdict(tables, board)
        except ValueError as error:  # a damaged file: the game is played to its end
            damage = tame(str(error), LONGEST_MESSAGE)
            tell(Notice(damage, damage))
            return None

    return judge


def verdict(tables: Tablebase, board: Board) -> Ending | None:
    """What perfect play brings under the fifty-move rule, where the tables are sure of it."""
    clock = board.halfmove_clock
    value = tables.wdl(board)
    if value is None:
        return None
    if value not in (LOSS, WIN):  # also what the fifty-move rule makes a draw
        if value != DRAWN and clock:
            return None  # a clock that has run may matter either way
        return Ending(DRAW, "tablebase")
    if clock:
        distance = tables.dtz(board)
        # Tables round some distances by one ply: what is that close to the limit is not sure.
        if distance is None or abs(distance) + clock >= FIFTY_MOVES:
            return None
    return Ending(win_for((value > 0) == board.turn), "tablebase")
