"""Move: it goes wherever a chess.Move goes."""

from __future__ import annotations

import copy
import io
import pickle

import chess
import chess.pgn
import pytest

import uci_engine
from lib.suites import PerftLine, all_positions
from uci_engine import Board, Move

each_position = pytest.mark.parametrize("line", all_positions(), ids=str)


@each_position
def test_a_python_chess_board_takes_our_moves(line: PerftLine) -> None:
    board = Board(line.fen, chess960=line.chess960)
    reference = chess.Board(line.fen, chess960=line.chess960)
    for move in board.legal_moves:
        same = move.to_chess()
        assert type(same) is chess.Move
        assert reference.is_legal(move)
        assert reference.san(move) == reference.san(same)
        reference.push(move)
        assert reference.peek() == move
        reference.pop()
        assert move in list(reference.legal_moves)


def test_a_game_tree_takes_our_moves() -> None:
    game = chess.pgn.Game()
    board = Board()
    node: chess.pgn.GameNode = game
    for san in ("e4", "e5", "Nf3"):
        node = node.add_variation(board.push_san(san))
    game.add_variation(Move.from_uci("d2d4"))
    assert str(game).endswith("1. e4 ( 1. d4 ) 1... e5 2. Nf3 *")
    again = chess.pgn.read_game(io.StringIO(str(game)))
    assert again is not None
    assert list(again.mainline_moves()) == board.move_stack


def test_python_chess_takes_our_moves_where_it_asks_for_its_own() -> None:
    """In the operations of an EPD line it looks at the class."""
    move = Board().parse_san("e4")
    assert isinstance(move, chess.Move)
    assert isinstance(move, Move)
    assert type(move) is Move
    reference = chess.Board()
    for operations in ({"bm": move}, {"am": [move]}, {"pv": [move]}):
        same = {name: chess.Move.from_uci("e2e4") if name == "bm" else [move.to_chess()]
                for name in operations}  # fmt: skip
        assert reference.epd(**operations) == reference.epd(**same)  # type: ignore[arg-type]


def test_a_copied_python_chess_board_keeps_our_moves() -> None:
    reference = chess.Board()
    reference.push(Move.from_uci("e2e4"))
    assert reference.copy().move_stack == [chess.Move.from_uci("e2e4")]


@pytest.mark.parametrize("text", ["e2e4", "a7a8q", "a7b8n", "e1g1", "h1h8", "0000"])
def test_from_uci(text: str) -> None:
    move, same = Move.from_uci(text), chess.Move.from_uci(text)
    assert (move.uci(), move.xboard(), repr(move)) == (same.uci(), same.xboard(), repr(same))
    assert move == same
    assert same == move
    assert hash(move) == hash(same)
    assert bool(move) is bool(same)
    assert move == Move(same.from_square, same.to_square, same.promotion)
    assert (move.from_square, move.to_square, move.promotion, move.drop) == (
        same.from_square,
        same.to_square,
        same.promotion,
        same.drop,
    )


@pytest.mark.parametrize(
    "text", ["", "e2", "e2e", "e2e9", "i2e4", "e2e4x", "e2e4qq", "e2e2", "E2E4", "e2e4Q", "♙2e4"]
)
def test_what_is_no_uci_text_is_refused_as_python_chess_does(text: str) -> None:
    with pytest.raises(chess.InvalidMoveError):
        chess.Move.from_uci(text)
    for error in (chess.InvalidMoveError, uci_engine.InvalidMoveError, ValueError):
        with pytest.raises(error, match=r"\Anot a move in UCI notation: [^\n]*\Z"):
            Move.from_uci(text)


def test_a_null_move_is_false_and_goes_both_ways() -> None:
    null = Move.null()
    assert not null
    assert null == chess.Move.null()
    board, reference = Board(), chess.Board()
    board.push(null)
    reference.push(null)
    assert board.fen() == reference.fen()
    assert board.peek() == reference.peek() == null


@pytest.mark.parametrize("text", ["e2e4", "e1g1", "a7a8r", "0000"])
def test_made_moves_can_be_played_copied_and_pickled(text: str) -> None:
    move = Move.from_uci(text)
    made = Move(move.from_square, move.to_square, move.promotion)
    for again in (pickle.loads(pickle.dumps(made)), copy.copy(made), copy.deepcopy(made)):
        assert again == move
        assert again.uci() == text


def test_made_moves_fit_whatever_board() -> None:
    """Castling, a capture and a double step look alike until there is a board."""
    board = Board("r3k2r/8/8/8/8/8/P7/R3K2R w KQkq - 0 1")
    for text in ("e1g1", "e1h1", "a1b1", "h1h8", "a2a4"):
        move = Move.from_uci(text)
        assert board.is_legal(move)
        board.push(move)
        reference = chess.Board("r3k2r/8/8/8/8/8/P7/R3K2R w KQkq - 0 1")
        reference.push_uci(text)
        assert board.fen() == reference.fen()
        board.pop()


@pytest.mark.parametrize(
    "arguments", [(64, 0), (0, -1), (8, 16, 1), (8, 16, 6), (8, 16, 7), (8, 16, None, 1)]
)
def test_moves_that_chess_does_not_know(arguments: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"\A[^\n]+\Z"):
        Move(*arguments)  # type: ignore[arg-type]


def test_a_move_can_be_taken_apart_by_a_match() -> None:
    match Move.from_uci("a7a8q"):
        case Move(origin, target, promotion, drop):
            assert (origin, target, promotion, drop) == (48, 56, chess.QUEEN, None)
