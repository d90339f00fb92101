"""Calls of any method that Board shares with chess.Board, with any arguments: the same answer, or
the same kind of error."""

from __future__ import annotations

import inspect
import random
from collections.abc import Mapping
from typing import Any

import chess

from uci_engine import Board

NONE = object()  # the argument is left out
SQUARES = [0, 4, 12, 28, 52, 63, 64, -1, 2**70, "e4", 3.5]
TEXTS = ["e2e4", "e1g1", "a7a8q", "0000", "e4", "Nf3", "O-O", "e8=Q", "", "x", "e9", None]
MOVES = [chess.Move.from_uci(text) for text in ("e2e4", "e7e5", "e1g1", "a7a8q", "a1a8", "0000")]
BOTH = [True, False]
EMPTY_BOARD = "4k3/8/8/8/8/8/8/4K3"
ARGUMENTS: dict[str, list[Any]] = {
    **dict.fromkeys(["square", "from_square", "to_square"], SQUARES),
    **dict.fromkeys(["uci", "san", "xboard"], TEXTS),
    **dict.fromkeys(["color", "shredder", "claim_draw"], BOTH),
    "move": [*MOVES, None, "e2e4"],
    "piece_type": [1, 2, 6, 0, 7, None],
    "promotion": [NONE, None, 5, 2],
    "fen": ["", "x", EMPTY_BOARD, f"{EMPTY_BOARD} w - - 0 1", "8/8/8/8/8/8/8/8 w - - 0 1"],
    "epd": ["x", f'{EMPTY_BOARD} w - - id "a";', f"{EMPTY_BOARD} w - - bm e9;", None],
    "count": [1, 3, 0, -1, "a"],
    "variation": [MOVES[:1], MOVES[:2], MOVES[4:5], [], None],
    "from_mask": [NONE, chess.BB_ALL, 0, 255],
    "to_mask": [NONE, chess.BB_ALL, 255],
    "mask": [NONE, 255, 0],
    "occupied": [NONE, None, 0],
    "scharnagl": [0, 518, 959, 960, -1, None],
    "piece": [None, chess.Piece(1, True), chess.Piece(6, False), "P"],
    "pieces": [{0: chess.Piece(6, True)}, {0: chess.Piece(6, True), 63: chess.Piece(6, False)}],
    "castling_fen": ["KQ", "-", "x", None],
    "stack": [NONE, True, False, 2, "x"],
    "chess960": [NONE, None, True, False],
    "en_passant": [NONE, "legal", "fen", "xfen", "x"],
    "promoted": [NONE],
    "f": [chess.flip_vertical, None],
    "operations": [NONE],
}
METHODS = [
    name
    for name, function in inspect.getmembers(chess.Board, inspect.isfunction)
    if not name.startswith("_") and hasattr(Board, name)
    if name not in ("unicode", "chess960_pos")  # handed on as they are
]


def choose_arguments(name: str, rng: random.Random) -> dict[str, Any]:
    """For each of the parameters something right or wrong."""
    parameters = list(inspect.signature(getattr(chess.Board, name)).parameters)[1:]
    chosen = {parameter: rng.choice(ARGUMENTS[parameter]) for parameter in parameters}
    return {parameter: value for parameter, value in chosen.items() if value is not NONE}


def plain(value: Any) -> Any:
    """What can be compared: boards by FEN, moves in no order."""
    if isinstance(value, (Board, chess.Board)):
        return value.fen()
    if hasattr(value, "__next__"):
        return sorted(move.uci() for move in value)
    return value


def ask(board: Any, name: str, arguments: Mapping[str, Any]) -> tuple[Any, Exception | None]:
    try:
        answer = plain(getattr(board, name)(**arguments))
    except Exception as error:
        return None, error
    return (answer, board.fen()), None


def is_excused(error: Exception, board: chess.Board, arguments: Mapping[str, Any]) -> bool:
    """Where we say no and python-chess goes on, or stumbles over something else: see PYTHON.md."""
    if isinstance(error, TypeError):
        return any(value is None or isinstance(value, (str, float)) for value in arguments.values())
    if isinstance(error, IndexError):
        return any(arguments.get(name) in (64, -1, 2**70) for name in arguments)
    if isinstance(error, chess.IllegalMoveError):
        move = arguments.get("move", chess.Move.null())
        return not board.is_legal(move)
    edits = {"fen", "piece", "pieces", "castling_fen", "en_passant", "piece_type", "f", "square"}
    return isinstance(error, ValueError) and not edits.isdisjoint(arguments)


def call_both(board: Board, reference: chess.Board, name: str, arguments: dict[str, Any]) -> bool:
    """Call a method of both boards; false if ours says no, and then its board is as before."""
    before, untouched = board.fen(), reference.copy()
    (ours, error), (theirs, other) = (ask(b, name, arguments) for b in (board, reference))
    told = f"{name}({arguments}) of {before}: {error!r}, not {theirs} or {other!r}"
    if error is None:
        takes_text = name == "is_legal" and isinstance(arguments["move"], str)
        assert ours == theirs or takes_text, told
        return True
    assert board.fen() == before, told
    assert str(error), told
    assert "\n" not in str(error), told
    same_kind = other is not None and isinstance(error, type(other))
    assert same_kind or is_excused(error, untouched, arguments), told
    return False


def is_understood_by_us_alone(reference: chess.Board, arguments: Mapping[str, Any]) -> bool:
    """Castling is written otherwise in Chess960; we take both ways."""
    return reference.chess960 and "e1g1" in map(str, arguments.values())
