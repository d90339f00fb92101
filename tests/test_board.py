"""Board as a Python object: what it tells, how it changes, how it meets python-chess and numpy."""

from __future__ import annotations

import copy
import gc
import pickle

import chess
import numpy as np
import pytest

from lib.suites import PerftLine, all_positions
from uci_engine import Board

ITALIAN = ["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "f8c5", "e1g1"]
MATE_FEN = "R5k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1"
STALEMATE_FEN = "8/8/8/8/8/5k2/5p2/5K2 w - - 0 1"
CHESS960_FEN = "r1k4r/p6p/8/8/8/8/P6P/R1K4R b KQkq - 0 1"
CHECK_FEN = "4k3/8/8/8/8/8/4r3/4K3 w - - 0 1"

each_position = pytest.mark.parametrize("line", all_positions(), ids=str)


def play(*moves: str, fen: str = chess.STARTING_FEN) -> Board:
    board = Board(fen)
    for move in moves:
        board.push_uci(move)
    return board


def raises_one_sentence(pattern: str = "", *errors: type[Exception]) -> pytest.RaisesExc:
    """A ValueError (or another of those named) whose message is one line with the pattern in it."""
    return pytest.raises(errors or ValueError, match=rf"\A[^\n]*{pattern}[^\n]*\Z")


# ---- what a board tells


def test_start_position() -> None:
    board = Board()
    assert board.fen() == chess.STARTING_FEN
    assert board.turn is True
    assert board.chess960 is False
    assert (board.halfmove_clock, board.fullmove_number, board.ply()) == (0, 1, 0)
    assert board.ep_square is None
    assert board.checkers_mask() == 0
    assert board.castling_rooks == chess.BB_CORNERS
    assert board.legal_count() == 20
    assert board.move_stack == []


@each_position
def test_attributes_agree_with_python_chess(line: PerftLine) -> None:
    board = Board(line.fen, chess960=line.chess960)
    reference = chess.Board(line.fen, chess960=line.chess960)
    assert board.turn == reference.turn
    assert board.chess960 == reference.chess960
    assert board.halfmove_clock == reference.halfmove_clock
    assert board.fullmove_number == reference.fullmove_number
    for square in chess.SQUARES:
        piece = reference.piece_at(square)
        assert board.piece_at(square) == piece
        assert board.symbol_at(square) == (piece.symbol() if piece else None)


@pytest.mark.parametrize("square", [-1, 64, 1000])
def test_piece_at_refuses_squares_off_the_board(square: int) -> None:
    with raises_one_sentence(str(square)):
        Board().piece_at(square)


def test_str_and_repr_show_the_board() -> None:
    board = play("e2e4")
    assert str(board) == str(chess.Board(board.fen()))
    assert repr(board) == repr(chess.Board(board.fen()))


def test_repr_tells_chess960() -> None:
    assert "chess960=True" in repr(Board(CHESS960_FEN, chess960=True))
    assert "chess960" not in repr(Board())


def test_pawn_key_depends_on_pawns_only() -> None:
    board = Board()
    key = board.pawn_key
    board.push_uci("g1f3")
    assert board.pawn_key == key
    board.push_uci("e7e5")
    assert board.pawn_key != key


def test_key_is_that_of_the_position_not_of_the_way_there() -> None:
    one = play("g1f3", "g8f6", "b1c3", "b8c6")
    other = play("b1c3", "b8c6", "g1f3", "g8f6")
    assert one.key == other.key
    assert one.key != Board().key


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "4k3/8/8/8/8/8/8/R3K3 w - - 0 1"),
        ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "4k3/8/8/8/8/8/8/R3K3 b - - 0 1"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1"),
        ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "4k3/8/8/8/8/8/8/1R2K3 w - - 0 1"),
    ],
    ids=["castling right", "side to move", "en passant", "placement"],
)
def test_different_positions_have_different_keys(one: str, other: str) -> None:
    assert Board(one).key != Board(other).key
    assert Board(one) != Board(other)


# ---- moves made and taken back


def test_push_and_pop_return_to_the_start() -> None:
    board = Board()
    before = board._state_bytes()
    played = [board.push_uci(move) for move in ITALIAN]
    assert board.ply() == len(ITALIAN)
    assert [move.uci() for move in board.move_stack] == ITALIAN
    assert [board.pop() for _ in ITALIAN] == played[::-1]
    assert board._state_bytes() == before
    assert board.move_stack == []


def test_push_takes_moves_of_both_kinds() -> None:
    ours, theirs = Board(), Board()
    ours.push(ours.parse_uci("e2e4"))
    theirs.push(chess.Move.from_uci("e2e4"))
    assert ours == theirs


def test_a_long_game_keeps_its_start() -> None:
    board = Board()
    for _ in range(300):
        for move in ("g1f3", "g8f6", "f3g1", "f6g8"):
            board.push_uci(move)
    assert board.ply() == 1200
    assert board.halfmove_clock == 1200
    while board.move_stack:
        board.pop()
    assert board == Board()


def test_push_san() -> None:
    board = Board()
    for san in ("e4", "e5", "Nf3", "Nc6", "Bc4", "Bc5", "O-O"):
        board.push_san(san)
    assert board == play(*ITALIAN)
    assert board.push_san("Nf6").uci() == "g8f6"


@each_position
def test_san_agrees_with_python_chess(line: PerftLine) -> None:
    board = Board(line.fen, chess960=line.chess960)
    reference = chess.Board(line.fen, chess960=line.chess960)
    for move in list(reference.legal_moves)[:12]:
        assert board.san(move) == reference.san(move)


def test_null_move_passes() -> None:
    board = play("e2e4")
    before = board._state_bytes()
    board.push_null()
    reference = chess.Board(play("e2e4").fen())
    reference.push(chess.Move.null())
    assert board.fen() == reference.fen()
    board._check()
    assert not board.pop()
    assert board._state_bytes() == before


def test_null_move_takes_the_en_passant_right_away() -> None:
    board = Board("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1")
    board.push_null()
    board._check()
    board.push_null()
    board._check()
    assert board.ep_square is None


def test_null_move_in_check_is_refused() -> None:
    board = Board(CHECK_FEN)
    with raises_one_sentence("check"):
        board.push_null()
    assert board.move_stack == []


@pytest.mark.parametrize(
    "text",
    ["e2e5", "e7e5", "e1g1", "e2e4q", "a2a1", "", "e2", "e2e9", "i2i4", "e2e4x", "e2e4qq", "♙"],
)
def test_bad_uci_moves_are_refused(text: str) -> None:
    board = Board()
    for method in (board.push_uci, board.parse_uci):
        with raises_one_sentence():
            method(text)
    assert board == Board()
    assert board.move_stack == []


@pytest.mark.parametrize("text", ["e5", "Nd2", "O-O", "", "Zf3", "exd5", "e9", "♙"])
def test_bad_san_moves_are_refused(text: str) -> None:
    board = Board()
    with raises_one_sentence():
        board.push_san(text)
    assert board.move_stack == []


def test_ambiguous_san_is_refused() -> None:
    with raises_one_sentence():
        Board("4k3/8/8/8/8/8/8/R3K2R w - - 0 1").push_san("Rb1x")


@pytest.mark.parametrize("move", [None, "", "e2e4", 0, 5, (12, 28)], ids=repr)
def test_push_refuses_what_is_not_a_move(move: object) -> None:
    board = Board()
    with pytest.raises(TypeError, match=r"\Aa move is needed, not \w+\Z"):
        board.push(move)  # type: ignore[arg-type]
    assert board.move_stack == []


def test_push_refuses_illegal_moves() -> None:
    board = Board()
    for uci in ("e2e5", "e7e5", "a1a8"):
        with raises_one_sentence(uci):
            board.push(chess.Move.from_uci(uci))
    assert board == Board()


def test_pop_of_nothing_is_refused() -> None:
    with raises_one_sentence("", IndexError, ValueError):
        Board().pop()


# ---- equality, copies, pickles


def test_boards_are_equal_by_their_positions_and_have_no_hash() -> None:
    assert Board() == Board(chess.STARTING_FEN)
    assert Board() != play("e2e4")
    with pytest.raises(TypeError, match="unhashable"):
        hash(Board())


def test_boards_with_other_clocks_differ() -> None:
    assert Board("4k3/8/8/8/8/8/8/4K3 w - - 0 1") != Board("4k3/8/8/8/8/8/8/4K3 w - - 5 1")


def test_a_board_is_not_something_else() -> None:
    assert Board() != chess.STARTING_FEN
    assert Board() is not None
    assert Board() != 5


@pytest.mark.parametrize("duplicate", [Board.copy, copy.copy, copy.deepcopy, Board])
def test_copies_are_independent(duplicate: object) -> None:
    board = play(*ITALIAN)
    twin = duplicate(board)  # type: ignore[operator]
    assert twin == board
    assert twin.move_stack == board.move_stack
    twin.push_uci("g8f6")
    board.pop()
    assert board == play(*ITALIAN[:-1])
    assert twin == play(*ITALIAN, "g8f6")


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickle_keeps_the_game(protocol: int) -> None:
    board = play(*ITALIAN)
    board.push_null()
    again = pickle.loads(pickle.dumps(board, protocol))
    assert again == board
    assert again.move_stack == board.move_stack
    assert again._state_bytes() == board._state_bytes()
    again.pop()
    assert again == play(*ITALIAN)


@each_position
def test_pickle_keeps_the_position(line: PerftLine) -> None:
    board = Board(line.fen, chess960=line.chess960)
    again = pickle.loads(pickle.dumps(board))
    assert again._state_bytes() == board._state_bytes()
    assert again.chess960 == board.chess960


# ---- python-chess


def test_from_chess_takes_the_moves_along() -> None:
    reference = chess.Board()
    for uci in ITALIAN:
        reference.push_uci(uci)
    for board in (Board(reference), Board.from_chess(reference)):
        assert board.fen() == reference.fen()
        assert board.move_stack == reference.move_stack
        board.pop()
        assert board == play(*ITALIAN[:-1])


def test_to_chess_takes_the_moves_along() -> None:
    board = play(*ITALIAN)
    reference = board.to_chess()
    assert isinstance(reference, chess.Board)
    assert reference.fen() == board.fen()
    assert [move.uci() for move in reference.move_stack] == ITALIAN
    reference.pop()
    assert reference.fen() == play(*ITALIAN[:-1]).fen()


def test_chess960_game_goes_both_ways() -> None:
    reference = chess.Board(CHESS960_FEN, chess960=True)
    for uci in ("c8h8", "c1a1", "a7a5"):
        reference.push_uci(uci)
    board = Board(reference)
    assert board.chess960
    assert board.fen() == reference.fen()
    assert [move.uci() for move in board.move_stack] == ["c8h8", "c1a1", "a7a5"]
    again = board.to_chess()
    assert again == reference
    assert again.chess960
    assert again.move_stack == reference.move_stack


def test_null_moves_go_both_ways() -> None:
    board = play("e2e4")
    board.push_null()
    reference = board.to_chess()
    assert reference.move_stack[-1] == chess.Move.null()
    assert Board(reference) == board


@each_position
def test_positions_go_both_ways(line: PerftLine) -> None:
    reference = chess.Board(line.fen, chess960=line.chess960)
    board = Board(reference)
    assert board == Board(line.fen, chess960=line.chess960)
    assert board.to_chess() == reference


def test_impossible_chess_boards_are_refused() -> None:
    with raises_one_sentence("bad FEN, board field"):
        Board(chess.Board(None))


def test_chess960_castling_rights_need_chess960() -> None:
    with raises_one_sentence("bad FEN, castling field"):
        Board(CHESS960_FEN)


# ---- verdicts


@pytest.mark.parametrize(
    ("fen", "termination", "result"),
    [
        (MATE_FEN, chess.Termination.CHECKMATE, "1-0"),
        (STALEMATE_FEN, chess.Termination.STALEMATE, "1/2-1/2"),
        (
            "4k3/8/8/8/8/8/8/4KB2 w - - 0 1",
            chess.Termination.INSUFFICIENT_MATERIAL,
            "1/2-1/2",
        ),
        (
            "4k3/8/8/8/8/8/8/R3K3 w - - 150 99",
            chess.Termination.SEVENTYFIVE_MOVES,
            "1/2-1/2",
        ),
        ("4k3/8/8/8/8/8/8/R3K3 w - - 100 99", None, "*"),
        (chess.STARTING_FEN, None, "*"),
    ],
)
def test_outcomes(fen: str, termination: chess.Termination | None, result: str) -> None:
    board, reference = Board(fen), chess.Board(fen)
    assert board.outcome() == reference.outcome()
    assert board.outcome(claim_draw=True) == reference.outcome(claim_draw=True)
    outcome = board.outcome()
    assert (outcome.termination if outcome else None) == termination
    assert board.result() == result
    assert board.is_game_over() is (termination is not None)


def test_fifty_moves_are_a_claim() -> None:
    board = Board("4k3/8/8/8/8/8/8/R3K3 w - - 100 99")
    assert board.is_fifty_moves()
    assert not board.is_game_over()
    assert board.is_game_over(claim_draw=True)
    assert board.result(claim_draw=True) == "1/2-1/2"


def test_mate_comes_before_the_move_counters() -> None:
    board = Board("R5k1/5ppp/8/8/8/8/5PPP/6K1 b - - 150 90")
    assert board.is_checkmate()
    assert not board.is_fifty_moves()
    assert not board.is_seventyfive_moves()
    assert board.result() == "1-0"


@pytest.mark.parametrize(
    "men",
    ["", "N", "n", "B", "b", "NN", "Nn", "Bb", "BB", "NB", "P", "p", "R", "r", "Q", "q", "Bn"],
)
def test_insufficient_material(men: str) -> None:
    """Each set on dark squares, on light ones and on both, which bishops care about."""
    dark, light, both = ([chess.C3, chess.E3], [chess.D3, chess.F3], [chess.C3, chess.D3])
    for squares in (dark, light, both):
        reference = chess.Board("1k6/8/8/8/8/8/8/7K w - - 0 1")
        for square, symbol in zip(squares, men, strict=False):
            reference.set_piece_at(square, chess.Piece.from_symbol(symbol))
        expected = reference.is_insufficient_material()
        assert Board(reference.fen()).is_insufficient_material() is expected


def test_repetition_counts_positions_not_moves() -> None:
    there_and_back = ("g1f3", "g8f6", "f3g1", "f6g8")
    board = Board()
    for round_number in range(1, 5):
        for move in there_and_back:
            board.push_uci(move)
        assert board.is_repetition(round_number + 1)
        assert not board.is_repetition(round_number + 2)
    assert board.is_repetition(3)
    assert board.is_fivefold_repetition()
    assert board.outcome() == chess.Outcome(chess.Termination.FIVEFOLD_REPETITION, None)


def test_positions_with_other_castling_rights_do_not_repeat() -> None:
    board = Board("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    for move in ("e1f1", "e8f8", "f1e1", "f8e8"):
        board.push_uci(move)
    assert not board.is_repetition(2)
    for move in ("e1f1", "e8f8", "f1e1", "f8e8"):
        board.push_uci(move)
    assert board.is_repetition(2)
    assert not board.is_repetition(3)


# ---- bitboards


def reference_bitboards(reference: chess.Board) -> list[int]:
    return [
        reference.pawns,
        reference.knights,
        reference.bishops,
        reference.rooks,
        reference.queens,
        reference.kings,
        reference.occupied_co[chess.WHITE],
        reference.occupied_co[chess.BLACK],
    ]


@each_position
def test_bitboards_agree_with_python_chess(line: PerftLine) -> None:
    bitboards = Board(line.fen, chess960=line.chess960).bitboards
    assert bitboards.dtype == np.uint64
    assert bitboards.shape == (8,)
    assert [int(bitboard) for bitboard in bitboards] == reference_bitboards(chess.Board(line.fen))


def test_bitboards_are_a_live_view() -> None:
    board, reference = Board(), chess.Board()
    view = board.bitboards
    board.push_uci("e2e4")
    reference.push_uci("e2e4")
    assert view.tolist() == reference_bitboards(reference)
    board.pop()
    assert view.tolist() == reference_bitboards(chess.Board())


def test_bitboards_are_not_copied() -> None:
    board = Board()
    assert not board.bitboards.flags.owndata
    assert np.shares_memory(board.bitboards, board.bitboards)
    assert not np.shares_memory(board.bitboards, board.copy().bitboards)


def test_bitboards_cannot_be_written() -> None:
    view = Board().bitboards
    assert not view.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 0
    with pytest.raises(ValueError, match="WRITEABLE"):
        view.flags.writeable = True


def test_bitboards_outlive_the_board() -> None:
    view = Board().bitboards
    gc.collect()
    assert view.tolist() == reference_bitboards(chess.Board())
