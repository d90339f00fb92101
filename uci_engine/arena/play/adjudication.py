"""When a game ends: the laws of chess, and the adjudications that save time."""

from __future__ import annotations

from dataclasses import dataclass

from uci_engine import Board
from uci_engine.arena.players.clock import check_count
from uci_engine.arena.results.record import DRAW, win_for
from uci_engine.rules import CHECKMATE, how_it_ended


@dataclass(frozen=True)
class Adjudication:
    """Zero counts mean: never."""

    draw_after_move: int = 0  # not before this move number
    draw_count: int = 0  # so many moves of each side in a row
    draw_score: int = 0  # within so many centipawns of zero
    win_count: int = 0
    win_score: int = 0
    win_two_sided: bool = True  # both engines must agree
    most_moves: int = 0
    syzygy_path: str = ""
    syzygy_pieces: int = 0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if isinstance(value, int):
                check_count(name, value)

    def __str__(self) -> str:
        parts = []
        if self.draw_count:
            parts.append(
                f"draws within {self.draw_score} centipawns for {self.draw_count} moves"
                f" from move {self.draw_after_move}"
            )
        if self.win_count:
            agreed = "both engines'" if self.win_two_sided else "the loser's"
            parts.append(
                f"wins by {agreed} scores of {self.win_score} centipawns for {self.win_count} moves"
            )
        if self.most_moves:
            parts.append(f"draws after move {self.most_moves}")
        if self.syzygy_path:
            parts.append("Syzygy tables")
        return ", ".join(parts) or "none"


@dataclass(frozen=True)
class Ending:
    result: str
    reason: str
    detail: str = ""


def ending_by_rule(board: Board) -> Ending | None:
    """Mate, stalemate and the draws that need no claim between engines."""
    rule = how_it_ended(board)
    if rule is None:
        return None
    return Ending(win_for(not board.turn) if rule == CHECKMATE else DRAW, rule)


class ScoreWatch:
    """Follows what the engines say about the game."""

    def __init__(self, limits: Adjudication) -> None:
        self.limits = limits
        self.drawish = 0  # plies in a row
        # Plies in a row in which the mover saw White (first) or Black (second) winning.
        self.winning = [0, 0]
        self.by_mover = {True: [0, 0], False: [0, 0]}

    def see(self, white_moved: bool, score: int | None) -> None:
        """A move's score, from the mover's side. A mate counts as MATE_SCORE."""
        limits = self.limits
        if score is None:
            self.drawish = 0
            self.winning = [0, 0]
            self.by_mover[white_moved] = [0, 0]
            return
        self.drawish = self.drawish + 1 if abs(score) <= limits.draw_score else 0
        for_white = score if white_moved else -score
        for index, value in enumerate((for_white, -for_white)):
            wins = value >= limits.win_score
            self.winning[index] = self.winning[index] + 1 if wins else 0
            streak = self.by_mover[white_moved]
            streak[index] = streak[index] + 1 if wins else 0

    def verdict(self, board: Board) -> Ending | None:
        """To be asked after the move was made on the board."""
        limits = self.limits
        moves_done = board.fullmove_number - (1 if board.turn else 0)
        if limits.win_count and (white := self.winner()) is not None:
            return Ending(win_for(white), "adjudicated win", "by score")
        if (
            limits.draw_count
            and self.drawish >= 2 * limits.draw_count
            and moves_done >= limits.draw_after_move
        ):
            return Ending(DRAW, "adjudicated draw", "by score")
        if limits.most_moves and board.turn and moves_done >= limits.most_moves:
            return Ending(DRAW, "adjudicated draw", f"after move {moves_done}")
        return None

    def winner(self) -> bool | None:
        """White, Black or nobody. One-sided, the loser's own scores must admit it."""
        limits = self.limits
        for index, white in ((0, True), (1, False)):
            if limits.win_two_sided:
                if self.winning[index] >= 2 * limits.win_count:
                    return white
            elif self.by_mover[not white][index] >= limits.win_count:
                return white
        return None
