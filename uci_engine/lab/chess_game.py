"""Chess as a game of the lab, and evaluations of its positions. White is MAX."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from core_ext.core import START_FEN, Board, Move
from uci_engine.lab.game import MAX, MIN

MATE = 32_000  # less the plies to it, so that the nearer mate is the better one

POINTS = {"p": 1, "n": 3, "b": 3, "r": 5, "q": 9, "k": 0}
BISHOP_PAIR = 7  # instead of 6
TURING_SCALE = 4000  # makes the forty-first of forty points about a hundred centipawns
BARE_KING = 0.5  # points: the ratio of nothing to something would be infinite


class Position(Board):
    """A state of the game: a board that nobody changes, so that it can be looked up."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(self.key)


class Chess:
    """The game from a board on."""

    def __init__(self, board: Board | str = START_FEN) -> None:
        self.initial = Position(board)

    def to_move(self, state: Position) -> str:
        return MAX if state.turn else MIN

    def actions(self, state: Position) -> Sequence[Move]:
        return state.legal_moves()

    def result(self, state: Position, action: Move) -> Position:
        child = Position(state)
        child.push(action)
        return child

    def is_terminal(self, state: Position) -> bool:
        return state.legal_count() == 0 or is_drawn(state)

    def utility(self, state: Position, player: str) -> float:
        if not state.is_checkmate():
            return 0
        value = MATE - (state.ply() - self.initial.ply())
        return value if player != self.to_move(state) else -value


def is_drawn(board: Board) -> bool:
    """By the rules that need no claim inside a search."""
    return board.is_insufficient_material() or board.is_fifty_moves() or board.is_repetition(3)


def unsettled(board: Board) -> Sequence[Move]:
    """What a quiescence search plays out: captures, the most valuable first, and promotions; in
    check everything."""
    victims = {move: captured_points(board, move) for move in board.legal_moves()}
    moves = sorted(victims, key=lambda move: -victims[move])
    if board.is_check():
        return moves
    return [move for move in moves if victims[move] or move.promotion is not None]


def captured_points(board: Board, move: Move) -> int:
    """0 if nothing is captured."""
    if not board.is_capture(move):
        return 0
    return POINTS[(board.symbol_at(move.to_square) or "p").lower()]  # en passant: a pawn


def count_points(board: Board, white: bool) -> int:
    placement = board.board_fen()
    letters = {letter.upper() if white else letter: points for letter, points in POINTS.items()}
    return sum(points * placement.count(letter) for letter, points in letters.items())


def material(board: Board) -> float:
    """A weighted linear evaluation: the sum of the points, in hundredths of a pawn."""
    return 100 * (count_points(board, True) - count_points(board, False))


def turing_points(board: Board, white: bool) -> int:
    bishops = board.board_fen().count("B" if white else "b")
    pair = BISHOP_PAIR - 2 * POINTS["b"] if bishops >= 2 else 0
    return count_points(board, white) + pair


def turing_ratio(board: Board) -> float:
    """White's points over Black's."""
    white, black = (turing_points(board, side) or BARE_KING for side in (True, False))
    return white / black


def turing(board: Board) -> float:
    """The logarithm of Turing's ratio, as whole centipawns: minimax chooses alike, as it asks only
    which value is larger, and the sides' values sum to zero."""
    return round(TURING_SCALE * log(turing_ratio(board)))
