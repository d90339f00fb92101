"""When a game is over: the laws of chess, and the draws that need no claim between engines."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from core_ext.core import Board, Move

CHECKMATE = "checkmate"


def how_it_ended(board: Board) -> str | None:
    """The rule by which the game is over; None while it goes on. Only checkmate is not a draw."""
    if board.legal_count() == 0:
        return CHECKMATE if board.is_check() else "stalemate"
    if board.is_insufficient_material():
        return "insufficient material"
    if board.is_fifty_moves():
        return "fifty moves"
    if board.is_repetition(3):
        return "threefold repetition"
    return None


def cut_variation(board: Board, moves: Iterable[Move]) -> list[Move]:
    """The moves up to the one that ends the game. The board is the same afterwards."""
    played: list[Move] = []
    with contextlib.suppress(ValueError):  # a move that can't be played is not shown either
        for move in moves:
            board.push(move)
            played.append(move)
            if how_it_ended(board) is not None:
                break
    for _ in played:
        board.pop()
    return played
