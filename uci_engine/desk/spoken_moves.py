"""Moves as people write them: SAN, UCI's squares, and what comes near to either.

One legal move comes out, or an error that tells which of three things is wrong: an
AmbiguousMoveError names the moves that could be meant, an IllegalMoveError says why the move can't
be played, an InvalidMoveError that it is no move at all.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import chess

from core_ext.core import (
    AmbiguousMoveError,
    Board,
    IllegalMoveError,
    InvalidMoveError,
)
from uci_engine.text import tame

if TYPE_CHECKING:
    from core_ext.core import Move

LONGEST_MOVE = 40  # characters, spaces and remarks included
FIGURINES = dict(zip("♔♕♖♗♘♙♚♛♜♝♞♟", "KQRBN KQRBN ", strict=True))
OTHER_SIGNS = {"–": "-", "—": "-", "−": "-", "×": "x", "\N{VARIATION SELECTOR-15}": " "}  # noqa: RUF001
SIGNS = str.maketrans(FIGURINES | OTHER_SIGNS)
NUMBER = re.compile(r"^\d+\s*(?:\.+|…)\s*")
REMARKS = re.compile(r"(?:[!?+#.,;]|e\.?p\.?)+$", re.IGNORECASE)
CASTLING = re.compile(r"[oO0]-?[oO0](-?[oO0])?")
SQUARES = re.compile(r"([a-h][1-8])[-x]?([a-h][1-8])=?([nbrqk]?)", re.IGNORECASE)
PAWN_TAKES = re.compile(r"([a-h])x?([a-h])")
SAN = re.compile(r"([KQRBN]?)([a-h]?)([1-8]?)[-x]?([a-h][1-8])(?:=?([KQRBNkqrbn]))?")


def understand_move(board: Board, text: str) -> Move:
    """The legal move that is meant."""
    cleaned = clean(text)
    if not cleaned:
        raise malformed(text)
    castling = CASTLING.fullmatch(cleaned)
    if castling:
        return read_castling(board, "O-O-O" if castling[1] else "O-O")
    squares = SQUARES.fullmatch(cleaned)
    if squares:
        return read_squares(board, *(part.lower() for part in squares.groups()))
    takes = PAWN_TAKES.fullmatch(cleaned.lower())
    if takes:
        return read_pawn_takes(board, cleaned, takes[1], takes[2])
    return read_san(board, cleaned)


def clean(text: str) -> str:
    """Without move numbers, remarks, spaces and brackets; figurines are letters."""
    if len(text) > LONGEST_MOVE:
        raise malformed(text)
    text = NUMBER.sub("", text.strip().translate(SIGNS))
    text = re.sub(r"[\s()/]", "", text)  # Ng1 f3, e8(Q), e8/Q
    text = REMARKS.sub("", text)
    return text.replace(":", "x")


def malformed(text: str) -> InvalidMoveError:
    return InvalidMoveError(f"{tame(text.strip(), LONGEST_MOVE)!r} is not a move")


# ---- castling, squares, files


def read_castling(board: Board, san: str) -> Move:
    try:
        return board.parse_san(san)
    except IllegalMoveError:
        pass
    has_right = (
        board.has_kingside_castling_rights(board.turn)
        if san == "O-O"
        else board.has_queenside_castling_rights(board.turn)
    )
    if not has_right:
        raise IllegalMoveError(f"{san} is illegal: the king or that rook has lost the right")
    if board.is_check():
        raise IllegalMoveError(f"{san} is illegal: a king in check does not castle")
    raise IllegalMoveError(f"{san} is illegal: something is in the way, or attacks the king's way")


def read_squares(board: Board, origin: str, target: str, promotion: str) -> Move:
    text = origin + target + promotion
    try:
        return board.parse_uci(text)
    except (IllegalMoveError, InvalidMoveError):
        pass
    start, end = chess.parse_square(origin), chess.parse_square(target)
    if not promotion and board.is_legal(f"{text}q"):
        raise missing_promotion(text, [text + letter for letter in "qrbn"])
    colour = board.color_at(start)
    if colour is None:
        raise IllegalMoveError(f"{text} is illegal: there is nothing on {origin}")
    if colour != board.turn:
        raise IllegalMoveError(f"{text} is illegal: what stands on {origin} is your opponent's")
    kind = chess.piece_name(board.piece_type_at(start) or chess.PAWN)
    wanted = chess.Move(start, end)
    pseudo = [move for move in pseudo_legal(board) if squares_of(move) == squares_of(wanted)]
    if promotion and any(board.is_legal(move) for move in pseudo):
        raise IllegalMoveError(f"{text} is illegal: the {kind} does not become anything else there")
    raise illegal(board, text, f"the {kind} on {origin} can't go to {target}", bool(pseudo))


def read_pawn_takes(board: Board, text: str, origin: str, target: str) -> Move:
    """Only the files are said: exd."""
    files = "abcdefgh".index(origin), "abcdefgh".index(target)
    meant = [
        move
        for move in board.legal_moves()
        if board.piece_type_at(move.from_square) == chess.PAWN
        and files[0] != files[1]
        and (chess.square_file(move.from_square), chess.square_file(move.to_square)) == files
    ]
    if len(meant) == 1:
        return meant[0]
    if not meant:
        raise IllegalMoveError(f"{text} is illegal: no pawn takes from {origin} to {target}")
    raise ambiguous(board, text, meant)


# ---- SAN


def read_san(board: Board, text: str) -> Move:
    """In the first of its readings that is a legal move."""
    readings = [reading for reading in spellings(text) if SAN.fullmatch(reading)]
    for reading in readings:
        try:
            return board.parse_san(reading)
        except AmbiguousMoveError:
            raise ambiguous(board, text, candidates(board, reading)) from None
        except (IllegalMoveError, InvalidMoveError):
            continue
    if not readings:
        raise malformed(text)
    raise explain_san(board, text, readings[-1])


def spellings(text: str) -> list[str]:
    """As it stands; and, unless a capital says which piece is meant, as a pawn's move and then as a
    piece's: bc4 may be a pawn that takes or a bishop."""
    if SAN.fullmatch(text) and text[0].isupper():
        return [text]
    small = text.lower()
    return [small, small[:1].upper() + small[1:]]


def candidates(board: Board, san: str) -> list[Move]:
    """The legal moves of that kind of piece to that square, from where it is said to come."""
    kind, file, rank, target, promotion = split(san)
    return [
        move
        for move in board.legal_moves()
        if board.piece_type_at(move.from_square) == kind
        and move.to_square == chess.parse_square(target)
        and chess.square_name(move.from_square)[0] in (file or "abcdefgh")
        and chess.square_name(move.from_square)[1] in (rank or "12345678")
        and move.promotion == promotion
    ]


def split(san: str) -> tuple[int, str, str, str, int | None]:
    found = SAN.fullmatch(san)
    assert found is not None
    letter, file, rank, target, promotion = found.groups()
    kind = chess.PIECE_SYMBOLS.index(letter.lower()) if letter else chess.PAWN
    becomes = chess.PIECE_SYMBOLS.index(promotion.lower()) if promotion else None
    return kind, file, rank, target, becomes


def explain_san(board: Board, text: str, san: str) -> IllegalMoveError | AmbiguousMoveError:
    kind, file, rank, target, promotion = split(san)
    name = chess.piece_name(kind)
    if promotion is None and candidates(board, f"{san}=Q"):
        return missing_promotion(text, [f"{san}={letter}" for letter in "QRBN"])
    if promotion is not None and kind != chess.PAWN:
        return IllegalMoveError(f"{text} is illegal: a {name} does not become anything else")
    if promotion is not None and target[1] not in "18":
        return IllegalMoveError(f"{text} is illegal: pawns become pieces on the last rank only")
    origin = f" on {file}{rank}" if file and rank else f" of the {file}-file" if file else ""
    origin = origin or (f" of rank {rank}" if rank else "")
    pseudo = [
        move
        for move in pseudo_legal(board)
        if board.piece_type_at(move.from_square) == kind
        and chess.square_name(move.to_square) == target
        and chess.square_name(move.from_square)[0] in (file or "abcdefgh")
        and chess.square_name(move.from_square)[1] in (rank or "12345678")
    ]
    why = f"no {name} of yours{origin} can go to {target}"
    if kind == chess.KING:
        why = f"your king can't go to {target}"
    return illegal(board, text, why, bool(pseudo))


# ---- what is wrong


def pseudo_legal(board: Board) -> list[chess.Move]:
    """Moves by the way the pieces go, also those that leave the king in check."""
    return list(board.to_chess(stack=False).pseudo_legal_moves)


def squares_of(move: chess.Move) -> tuple[int, int]:
    return move.from_square, move.to_square


def illegal(board: Board, text: str, why: str, goes_there: bool) -> IllegalMoveError:
    if goes_there and board.is_check():
        why = "you are in check, and it does not help"
    elif goes_there:
        why = "it would leave your king in check"
    return IllegalMoveError(f"{text} is illegal: {why}")


def ambiguous(board: Board, text: str, moves: list[Move]) -> AmbiguousMoveError:
    readings = either(sorted(board.san(move) for move in moves))
    return AmbiguousMoveError(f"{text} is ambiguous: {readings}?")


def missing_promotion(text: str, readings: list[str]) -> AmbiguousMoveError:
    return AmbiguousMoveError(f"{text} is ambiguous: what does the pawn become? {either(readings)}")


def either(choices: list[str]) -> str:
    *others, last = choices
    return f"{', '.join(others)} or {last}"
