"""Syzygy tables at the root of the search, read by python-chess, which is loaded only for this.

They tell which moves keep the result and how far the next capture or pawn move is; the search then
chooses among those moves. A prober in the core, for use inside the search, has its place there.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import chess
import chess.syzygy

if TYPE_CHECKING:
    from core_ext.core import Board, Move

LOSS, BLESSED_LOSS, DRAW, CURSED_WIN, WIN = range(-2, 3)

# Plies without a capture or pawn move after which a draw can be claimed.
FIFTY_MOVES = 100
# The distance to the next zeroing move when that is the move itself, by the result after it.
ZEROING_DTZ = {WIN: 1, CURSED_WIN: 101, DRAW: 0, BLESSED_LOSS: -101, LOSS: -1}


class Verdict(NamedTuple):
    """What the tables know about the root."""

    outcome: int  # LOSS to WIN, from the mover's side
    moves: list[Move]  # those that keep it, the one that makes most progress first
    probes: int


def open_tables(path: str) -> chess.syzygy.Tablebase:
    """The tables of some directories. Raises ValueError if there are none."""
    tables = chess.syzygy.Tablebase()
    for directory in path.split(os.pathsep):
        if not os.path.isdir(directory):
            raise ValueError(f"Syzygy tables: there is no directory {directory!r}")
        tables.add_directory(directory)
    if not tables.wdl:
        raise ValueError(f"there are no Syzygy tables in {path!r}")
    return tables


def most_pieces(tables: chess.syzygy.Tablebase) -> int:
    """Of the largest table. A table is named after its pieces: KQvKR."""
    return max(len(name) - 1 for name in tables.wdl)


class Tablebase:
    """The open tables of some directories. Raises ValueError if there are none."""

    def __init__(self, path: str) -> None:
        self.tables = open_tables(path)
        self.most_pieces = most_pieces(self.tables)

    def judge(
        self, board: Board, fifty_move_rule: bool, most_pieces: int, give_up: Callable[[], bool]
    ) -> Verdict | None:
        """The verdict on a position; None if the tables don't reach it, or time is up."""
        if board.castling_rooks:
            return None
        root = board.to_chess(stack=False)
        if chess.popcount(root.occupied) > min(most_pieces, self.most_pieces):
            return None
        judged: list[tuple[int, int, Move]] = []  # outcome, distance, move
        for move in board.legal_moves():
            if give_up():
                return None
            try:
                dtz, clock = self.measure(root, move)
            except chess.syzygy.MissingTableError:
                return None
            judged.append((judge_distance(dtz, clock if fifty_move_rule else None), dtz, move))
        if not judged:
            return None
        best = max(outcome for outcome, _, _ in judged)
        kept = [(dtz, move) for outcome, dtz, move in judged if outcome == best]
        # The shortest way to a win; in a lost position -60 comes before -2: the longest.
        kept.sort(key=lambda pair: pair[0])
        return Verdict(best, [move for _, move in kept], len(judged))

    def measure(self, root: chess.Board, move: Move) -> tuple[int, int]:
        """Plies to the next zeroing move after this one, this one included, at best play; and the
        fifty-move clock that they add to: what mates, captures or moves a pawn is never late."""
        clock = root.halfmove_clock
        root.push(chess.Move(move.from_square, move.to_square, move.promotion))
        try:
            if root.is_checkmate():
                return 1, 0
            if root.halfmove_clock == 0:
                return ZEROING_DTZ[-self.tables.probe_wdl(root)], 0
            dtz = -self.tables.probe_dtz(root)
            return (dtz + 1 if dtz > 0 else dtz - 1 if dtz < 0 else 0), clock
        finally:
            root.pop()


def judge_distance(dtz: int, clock: int | None) -> int:
    """The outcome of a move, by its distance and the fifty-move clock, which None switches off.

    The tables round some distances up by one ply: what is that close to the limit counts as drawn.
    """
    if dtz == 0 or clock is None:
        return WIN if dtz > 0 else LOSS if dtz < 0 else DRAW
    in_time = abs(dtz) + clock < FIFTY_MOVES
    if dtz > 0:
        return WIN if in_time else CURSED_WIN
    return LOSS if in_time else BLESSED_LOSS
