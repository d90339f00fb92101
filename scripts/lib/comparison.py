"""Random games in which a Board and a chess.Board must agree about everything.

Used by tests/test_differential.py for thousands of positions, by scripts/differential for millions.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import chess

from lib.suites import all_positions
from uci_engine import Board

# python-chess tries every move to find a claim, so claims are compared in one position of so many.
CLAIM_INTERVAL = 16


class Disagreement(AssertionError):
    """What the two boards say, and the game that leads there."""

    def __init__(self, what: str, ours: object, theirs: object, reference: chess.Board) -> None:
        moves = " ".join(move.uci() for move in reference.move_stack)
        super().__init__(
            f"{what}: Board says {ours}, python-chess says {theirs}\n"
            f"in '{reference.fen()}' (chess960={reference.chess960})\n"
            f"from '{reference.root().fen()}' moves {moves or '-'}"
        )


@dataclass(frozen=True)
class Start:
    fen: str
    chess960: bool

    def boards(self) -> tuple[Board, chess.Board]:
        reference = chess.Board(self.fen, chess960=self.chess960)
        return Board(self.fen, chess960=self.chess960), reference


# What is compared in every position. Sets of moves compare Move with chess.Move, by == and hash.
QUESTIONS: dict[str, tuple[Callable[[Board], object], Callable[[chess.Board], object]]] = {
    "FEN": (lambda b: b.fen(), lambda r: r.fen()),
    "Shredder-FEN": (lambda b: b.fen(shredder=True), lambda r: r.fen(shredder=True)),
    "legal moves": (lambda b: set(b.legal_moves()), lambda r: set(r.legal_moves)),
    "length of legal moves": (lambda b: len(b.legal_moves()), lambda r: r.legal_moves.count()),
    "legal count": (lambda b: b.legal_count(), lambda r: r.legal_moves.count()),
    "checkers": (lambda b: b.checkers_mask(), lambda r: r.checkers_mask()),
    "castling rooks": (lambda b: b.castling_rooks, lambda r: r.clean_castling_rights()),
    "en-passant square": (
        lambda b: b.ep_square,
        lambda r: r.ep_square if r.has_legal_en_passant() else None,
    ),
    "check": (lambda b: b.is_check(), lambda r: r.is_check()),
    "checkmate": (lambda b: b.is_checkmate(), lambda r: r.is_checkmate()),
    "stalemate": (lambda b: b.is_stalemate(), lambda r: r.is_stalemate()),
    "insufficient material": (
        lambda b: b.is_insufficient_material(),
        lambda r: r.is_insufficient_material(),
    ),
    "fifty moves": (lambda b: b.is_fifty_moves(), lambda r: r.is_fifty_moves()),
    "seventy-five moves": (lambda b: b.is_seventyfive_moves(), lambda r: r.is_seventyfive_moves()),
    "twofold repetition": (lambda b: b.is_repetition(2), lambda r: r.is_repetition(2)),
    "threefold repetition": (lambda b: b.is_repetition(), lambda r: r.is_repetition()),
    "fivefold repetition": (
        lambda b: b.is_fivefold_repetition(),
        lambda r: r.is_fivefold_repetition(),
    ),
    "outcome": (lambda b: b.outcome(), lambda r: r.outcome()),
}


def compare_position(board: Board, reference: chess.Board) -> None:
    """Ask both boards every question, and check Board's own book-keeping."""
    for what, (ask, ask_reference) in QUESTIONS.items():
        ours, theirs = ask(board), ask_reference(reference)
        if ours != theirs:
            raise Disagreement(what, ours, theirs, reference)
    check_keys(board, reference)
    check_unmake(board, reference)


def check_keys(board: Board, reference: chess.Board) -> None:
    try:
        board._check()
    except AssertionError as error:
        raise Disagreement("state from scratch", error, "", reference) from error


def check_unmake(board: Board, reference: chess.Board) -> None:
    """Every move, and the null move, must leave no trace when taken back."""
    before = board._state_bytes()
    for move in board.legal_moves():
        board.push(move)
        board.pop()
        if board._state_bytes() != before:
            raise Disagreement("state after unmake", move, "no difference", reference)
    if not board.is_check():
        board.push_null()
        check_keys(board, reference)
        board.pop()
        if board._state_bytes() != before:
            raise Disagreement("state after a null move", "changed", "no difference", reference)


def compare_claims(board: Board, reference: chess.Board) -> None:
    ours, theirs = board.outcome(claim_draw=True), reference.outcome(claim_draw=True)
    if ours != theirs:
        raise Disagreement("outcome with claims", ours, theirs, reference)


def compare_game(start: Start, rng: random.Random, max_plies: int) -> Counter[str]:
    """Play one random game, comparing every position of it; a tally of what came up."""
    board, reference = start.boards()
    choose = rng.choice([choose_lively, choose_lively, choose_shuffling])
    compare_position(board, reference)
    tally = tally_position(reference)
    for ply in range(1, max_plies + 1):
        if not any(reference.legal_moves):
            break
        move = choose(reference, rng)
        tally += tally_move(reference, move)
        play(board, reference, move, rng)
        compare_position(board, reference)
        tally += tally_position(reference)
        if ply % CLAIM_INTERVAL == 0:
            compare_claims(board, reference)
    return tally


def tally_position(reference: chess.Board) -> Counter[str]:
    outcome = reference.outcome()
    return Counter(
        {
            "positions": 1,
            "check": reference.is_check(),
            "double check": len(reference.checkers()) == 2,
            "threefold repetition": reference.is_repetition(),
            "fifty moves": reference.is_fifty_moves(),
            **({outcome.termination.name.lower().replace("_", " "): 1} if outcome else {}),
        }
    )


def tally_move(reference: chess.Board, move: chess.Move) -> Counter[str]:
    return Counter(
        {
            "capture": reference.is_capture(move),
            "castling": reference.is_castling(move),
            "en passant": reference.is_en_passant(move),
            "promotion": move.promotion is not None,
            "underpromotion": move.promotion not in (None, chess.QUEEN),
        }
    )


def play(board: Board, reference: chess.Board, move: chess.Move, rng: random.Random) -> None:
    """Make the move on both boards, on ours in any of the ways that there are."""
    way = rng.randrange(8)
    if way == 0:
        board.push_san(reference.san(move))
    elif way == 1:
        board.push_uci(move.uci())
    else:
        board.push(move)
    reference.push(move)


def choose_lively(reference: chess.Board, rng: random.Random) -> chess.Move:
    """Any move, but often one of those that the rules make complicated."""
    moves = list(reference.legal_moves)
    special = [move for move in moves if is_special(reference, move)]
    if special and rng.random() < 0.4:
        return rng.choice(special)
    captures = [move for move in moves if reference.is_capture(move)]
    if captures and rng.random() < 0.15:
        return rng.choice(captures)
    return rng.choice(moves)


def is_special(reference: chess.Board, move: chess.Move) -> bool:
    if move.promotion or reference.is_castling(move) or reference.is_en_passant(move):
        return True
    double_push = abs(move.from_square - move.to_square) == 16
    return double_push and reference.piece_type_at(move.from_square) == chess.PAWN


def choose_shuffling(reference: chess.Board, rng: random.Random) -> chess.Move:
    """Mostly there and back again: repetitions, and clocks that run up to the draw rules."""
    moves = list(reference.legal_moves)
    if len(reference.move_stack) >= 2 and rng.random() < 0.7:
        last = reference.move_stack[-2]
        back = chess.Move(last.to_square, last.from_square)
        if back in moves:
            return back
    reversible = [move for move in moves if not reference.is_zeroing(move)]
    return rng.choice(reversible or moves)


def random_starts(rng: random.Random) -> Iterator[Start]:
    """Without end: suite positions, starting arrays, some with a clock close to the draw rules."""
    suite = [line for line in all_positions() if line.counts[0]]
    while True:
        kind = rng.randrange(4)
        if kind == 0:
            yield Start(double_fischer_fen(rng), True)
        elif kind == 1:
            yield Start(chess.STARTING_FEN, rng.random() < 0.5)
        else:
            line = rng.choice(suite)
            yield Start(set_clock(line.fen, rng), line.chess960)


def double_fischer_fen(rng: random.Random) -> str:
    """A Chess960 starting position, half of the time with another array for each side."""
    white = chess.Board.from_chess960_pos(rng.randrange(960))
    if rng.random() < 0.5:
        return white.fen(shredder=True)
    black = chess.Board.from_chess960_pos(rng.randrange(960))
    board = chess.Board(None, chess960=True)
    ours, theirs = chess.BB_RANK_1 | chess.BB_RANK_2, chess.BB_RANK_7 | chess.BB_RANK_8
    for source, squares in ((white, ours), (black, theirs)):
        for square in chess.SquareSet(squares):
            board.set_piece_at(square, source.piece_at(square))
    board.castling_rights = (white.castling_rights & ours) | (black.castling_rights & theirs)
    return board.fen(shredder=True)


def set_clock(fen: str, rng: random.Random) -> str:
    """Sometimes move the clock close to the draw rules; en passant needs it at zero."""
    board, side, castling, en_passant, *_ = fen.split()
    if en_passant != "-" or rng.random() < 0.6:
        return fen
    clock = rng.choice([rng.randrange(85, 100), rng.randrange(135, 150)])
    return f"{board} {side} {castling} - {clock} {clock}"
