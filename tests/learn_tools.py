"""Games of the engine against itself, and what networks see, for the tests of all that learns."""

from __future__ import annotations

from typing import Any

import chess

from core_ext import core

WORTH = {
    chess.PAWN: 1,
    chess.KNIGHT: 2,
    chess.BISHOP: 2,
    chess.ROOK: 3,
    chess.QUEEN: 4,
    chess.KING: 5,
}


def is_in_danger(board: chess.Board, square: chess.Square) -> bool:
    """Is the man there attacked by a lesser one, or by any one while nothing defends it? As
    python-chess sees it."""
    man = board.piece_at(square)
    if man is None or man.piece_type == chess.KING:
        return False
    kinds = [board.piece_type_at(each) for each in board.attackers(not man.color, square)]
    is_defended = bool(board.attackers(man.color, square))
    return any(WORTH[kind] < WORTH[man.piece_type] for kind in kinds if kind) or (
        bool(kinds) and not is_defended
    )


def own_games(count: int, seed: int = 1, **limits: Any) -> list[bytes]:
    """A few games of few nodes a move; those of another seed are others."""
    chosen: dict[str, Any] = {"soft_nodes": 100, "hard_nodes": 400, **limits}
    player = core.SelfPlayer(**chosen)
    games = [player.play(1000 * seed + number) for number in range(count)]
    return [game for game in games if game is not None]
