"""Move: what it says, what it equals, and which of all encodings a board calls legal."""

from __future__ import annotations

import pickle

import chess
import pytest

from lib.suites import PerftLine, all_positions
from uci_engine import Board, Move

ALL_CODES = range(1 << 16)
CASTLING_FEN = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
PROMOTION_FEN = "1n5k/P7/8/8/8/8/8/K7 w - - 0 1"

each_position = pytest.mark.parametrize("line", all_positions(), ids=str)


def find_move(board: Board, uci: str) -> Move:
    return next(move for move in board.legal_moves() if move.uci() == uci)


@each_position
def test_moves_equal_python_chess_moves(line: PerftLine) -> None:
    ours = Board(line.fen, chess960=line.chess960).legal_moves()
    theirs = {
        move.uci(): move for move in chess.Board(line.fen, chess960=line.chess960).legal_moves
    }
    assert len(ours) == len(theirs)
    for move in ours:
        same = theirs[move.uci()]
        assert move == same
        assert same == move
        assert hash(move) == hash(same)
        assert str(move) == same.uci()
        assert (move.from_square, move.to_square) == (same.from_square, same.to_square)
        assert move.promotion == same.promotion


@each_position
def test_legal_encodings_are_those_of_the_legal_moves(line: PerftLine) -> None:
    """A hash table hands a search moves of other positions: none may pass that isn't legal here."""
    board = Board(line.fen, chess960=line.chess960)
    legal = {move.code for move in board.legal_moves()}
    assert {code for code in ALL_CODES if board._is_legal_code(code)} == legal


def test_castling_is_written_as_the_board_plays_it() -> None:
    standard, chess960 = Board(CASTLING_FEN), Board(CASTLING_FEN, chess960=True)
    assert {"e1g1", "e1c1"} <= {move.uci() for move in standard.legal_moves()}
    assert {"e1h1", "e1a1"} <= {move.uci() for move in chess960.legal_moves()}
    assert find_move(standard, "e1g1") == chess.Move.from_uci("e1g1")
    assert find_move(chess960, "e1h1") == chess.Move.from_uci("e1h1")
    assert find_move(standard, "e1g1") != find_move(chess960, "e1h1")


@pytest.mark.parametrize("chess960", [False, True])
@pytest.mark.parametrize(
    ("castling", "after"),
    [
        (("e1g1", "e1h1"), "r3k2r/8/8/8/8/8/8/R4RK1 b kq - 1 1"),
        (("e1c1", "e1a1"), "r3k2r/8/8/8/8/8/8/2KR3R b kq - 1 1"),
    ],
)
def test_both_castling_spellings_are_understood(
    castling: tuple[str, str], after: str, chess960: bool
) -> None:
    """GUIs send either, as chess.Board.push_uci accepts either."""
    for spelling in castling:
        board = Board(CASTLING_FEN, chess960=chess960)
        board.push_uci(spelling)
        assert board.fen() == after


def test_king_step_is_not_castling_in_chess960() -> None:
    """The king on f1 has both: a step to g1, and castling that ends on g1."""
    fen = "4k3/8/8/8/8/8/8/5K1R w K - 0 1"
    board = Board(fen, chess960=True)
    board.push_uci("f1g1")
    assert board.fen().startswith("4k3/8/8/8/8/8/8/6KR ")
    board.pop()
    board.push_uci("f1h1")
    assert board.fen().startswith("4k3/8/8/8/8/8/8/5RK1 ")


def test_promotions_are_four_moves_to_each_square() -> None:
    moves = Board(PROMOTION_FEN).legal_moves()
    spelled = {move.uci(): move.promotion for move in moves if move.promotion}
    names = {"n": chess.KNIGHT, "b": chess.BISHOP, "r": chess.ROOK, "q": chess.QUEEN}
    assert spelled == {
        target + letter: piece for target in ("a7a8", "a7b8") for letter, piece in names.items()
    }


def test_moves_are_not_other_things() -> None:
    move = find_move(Board(), "e2e4")
    assert move != "e2e4"
    assert move != 5
    assert move is not None
    assert move != chess.Move(chess.E2, chess.E4, drop=chess.PAWN)
    assert move != chess.Move(chess.E2, chess.E4, promotion=chess.QUEEN)


def test_moves_are_interned() -> None:
    first, second = find_move(Board(), "e2e4"), find_move(Board(), "e2e4")
    assert first is second
    assert pickle.loads(pickle.dumps(first)) is first


@pytest.mark.parametrize("chess960", [False, True])
def test_castling_moves_survive_pickling(chess960: bool) -> None:
    for move in Board(CASTLING_FEN, chess960=chess960).legal_moves():
        again = pickle.loads(pickle.dumps(move))
        assert (again, again.uci(), again.code) == (move, move.uci(), move.code)


@pytest.mark.parametrize("name", ["from_square", "to_square", "promotion", "code"])
def test_moves_cannot_be_changed(name: str) -> None:
    with pytest.raises(AttributeError):
        setattr(find_move(Board(), "e2e4"), name, 1)


def test_moves_come_from_boards_only() -> None:
    with pytest.raises(TypeError):
        Move()  # type: ignore[call-arg]


def test_is_legal_takes_every_kind_of_move() -> None:
    board = Board()
    assert board.is_legal("e2e4")
    assert board.is_legal(chess.Move.from_uci("e2e4"))
    assert board.is_legal(find_move(board, "e2e4"))
    assert not board.is_legal("e2e5")
    assert not board.is_legal("e7e5")
    assert not board.is_legal("e2e4q")
    assert not board.is_legal(chess.Move.from_uci("e2e5"))
    assert not board.is_legal(chess.Move.null())


def test_is_legal_of_another_boards_move() -> None:
    board = Board()
    capture = find_move(Board("k7/8/8/8/4p3/8/4Q3/4K3 w - - 0 1"), "e2e4")
    double_push = find_move(board, "e2e4")
    other = Board("k7/8/8/8/8/8/4Q3/4K3 w - - 0 1")
    assert capture == double_push
    assert board.is_legal(capture)
    assert not other.is_legal("e2e1")
    assert other.is_legal(double_push)


def spell_castling_by_king(reference: chess.Board) -> set[tuple[int, int]]:
    """The king's way in each legal castling: some programs write Chess960 castling so, too."""
    kingside, queenside = (chess.G1, chess.C1) if reference.turn else (chess.G8, chess.C8)
    return {
        (move.from_square, kingside if reference.is_kingside_castling(move) else queenside)
        for move in reference.generate_castling_moves()
    }


@each_position
def test_is_legal_agrees_with_python_chess(line: PerftLine) -> None:
    board = Board(line.fen, chess960=line.chess960)
    reference = chess.Board(line.fen, chess960=line.chess960)
    by_king = spell_castling_by_king(reference)
    for origin in chess.SQUARES:
        for target in chess.SQUARES:
            move = chess.Move(origin, target)
            expected = bool(move) and (reference.is_legal(move) or (origin, target) in by_king)
            assert board.is_legal(move) is expected, move


@each_position
def test_noisy_and_quiet_moves_are_all_moves(line: PerftLine) -> None:
    board = Board(line.fen, chess960=line.chess960)
    reference = chess.Board(line.fen, chess960=line.chess960)
    noisy, quiet, every = (board._generate(part) for part in (1, 2, 3))
    assert set(noisy) == {
        move for move in reference.legal_moves if reference.is_capture(move) or move.promotion
    }
    assert len(noisy) + len(quiet) == len(every)
    assert set(noisy) | set(quiet) == set(every)
