"""How the engine behaves as somebody's opponent: its time, its answer to a draw offer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chess.engine import Limit

from uci_engine.desk.pace import Moment

if TYPE_CHECKING:
    from core_ext.core import AnyMove
    from uci_engine.desk.sitting import Sitting

UNCLOCKED_SECONDS = 3.0  # for a move at full strength; a level needs less
# A draw is agreed to by a side that is not better, once there was a game; and before by one that is
# clearly worse. In centipawns, from the engine's side.
NOT_BETTER = 0
CLEARLY_WORSE = -150
PLIES_OF_A_GAME = 40
JUDGING = Limit(nodes=200_000, time=2.0)  # what is looked at before an answer is given


def search_limit(sitting: Sitting) -> Limit:
    """For the engine's next move; by the clocks, if there are any."""
    white, black = sitting.left_ms(True), sitting.left_ms(False)
    if white is None or black is None:
        return Limit(time=UNCLOCKED_SECONDS)
    increment = sitting.control.increment_ms / 1000
    return Limit(
        white_clock=white / 1000, black_clock=black / 1000, white_inc=increment, black_inc=increment
    )


def moment_of(sitting: Sitting, move: AnyMove) -> Moment:
    """What a person would see who is about to play this move; its pace is in pace.py."""
    board = sitting.board
    left_ms = sitting.left_ms(board.turn)
    last = sitting.turns[-1] if sitting.turns else None
    retaken = last is not None and "x" in last.san and last.move.to_square == move.to_square
    return Moment(
        move_number=board.fullmove_number,
        legal_moves=board.legal_count(),
        is_recapture=retaken,
        # Of a move that was begun some time ago: the whole time is what is asked for.
        left=None if left_ms is None else (left_ms + sitting.spent_ms()) / 1000,
        increment=sitting.control.increment_ms / 1000,
    )


def agrees_to_draw(sitting: Sitting, score: int) -> bool:
    """To an offer, with this score from the engine's side."""
    long_enough = len(sitting.turns) >= PLIES_OF_A_GAME
    return score <= (NOT_BETTER if long_enough else CLEARLY_WORSE)


def claims_draw(sitting: Sitting, move: AnyMove, score: int) -> bool:
    """On the engine's own turn, about to play this move, with this score from its side: by
    `sitting.claim_draw(move)`, which is good in either case."""
    return score <= NOT_BETTER and sitting.claimable_draw(move) is not None
