"""Moves as people write them: understood, or told apart by what is wrong."""

from __future__ import annotations

import random

import chess
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from uci_engine import AmbiguousMoveError, Board, IllegalMoveError, InvalidMoveError
from uci_engine.desk.spoken_moves import understand_move

CASTLING = "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1"
TWO_KNIGHTS = "4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1"
PROMOTING = "1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1"
# The pawn of the b-file and the bishop can both take on c4; on a6 only the bishop goes.
PAWN_AND_BISHOP = "4k3/8/8/8/2n5/1P6/8/4KB2 w - - 0 1"


@pytest.mark.parametrize(
    ("fen", "text", "uci"),
    [
        (chess.STARTING_FEN, "e4", "e2e4"),
        (chess.STARTING_FEN, "E4", "e2e4"),
        (chess.STARTING_FEN, "1. e4!?", "e2e4"),
        (chess.STARTING_FEN, "1.e4", "e2e4"),
        (chess.STARTING_FEN, " e2-e4 ", "e2e4"),
        (chess.STARTING_FEN, "e2 e4", "e2e4"),
        (chess.STARTING_FEN, "E2E4", "e2e4"),
        (chess.STARTING_FEN, "nf3", "g1f3"),
        (chess.STARTING_FEN, "NF3", "g1f3"),
        (chess.STARTING_FEN, "Ng1-f3", "g1f3"),
        (chess.STARTING_FEN, "ng1f3", "g1f3"),
        (chess.STARTING_FEN, "♘f3", "g1f3"),
        (chess.STARTING_FEN, "♙e4", "e2e4"),
        (CASTLING, "0-0", "e1g1"),
        (CASTLING, "o-o", "e1g1"),
        (CASTLING, "OO", "e1g1"),
        (CASTLING, "0-0-0", "e1c1"),
        (CASTLING, "O–O–O+", "e1c1"),  # noqa: RUF001
        (CASTLING, "e1g1", "e1g1"),
        (PROMOTING, "a8=Q", "a7a8q"),
        (PROMOTING, "a8q+", "a7a8q"),
        (PROMOTING, "a8(N)", "a7a8n"),
        (PROMOTING, "axb8=R", "a7b8r"),
        (PROMOTING, "a7xb8r", "a7b8r"),
        (PROMOTING, "A7A8Q", "a7a8q"),
        (TWO_KNIGHTS, "nbd2", "b1d2"),
        (TWO_KNIGHTS, "N3d2", "f3d2"),
        (PAWN_AND_BISHOP, "bc4", "b3c4"),
        (PAWN_AND_BISHOP, "bxc", "b3c4"),
        (PAWN_AND_BISHOP, "b:c4", "b3c4"),
        (PAWN_AND_BISHOP, "Bc4", "f1c4"),
        (PAWN_AND_BISHOP, "bd3", "f1d3"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", "exd6 e.p.", "e5d6"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", "ed6ep", "e5d6"),
    ],
)
def test_what_people_write(fen: str, text: str, uci: str) -> None:
    assert understand_move(Board(fen), text).uci() == uci


@pytest.mark.parametrize(
    ("fen", "text", "message"),
    [
        (TWO_KNIGHTS, "Nd2", "Nbd2 or Nfd2"),
        (TWO_KNIGHTS, "nd2", "Nbd2 or Nfd2"),
        (PROMOTING, "a8", "a8=Q, a8=R, a8=B or a8=N"),
        (PROMOTING, "a7a8", "a7a8q, a7a8r, a7a8b or a7a8n"),
        (PROMOTING, "axb8", "axb8=Q, axb8=R"),
        ("4k3/8/3n4/3np3/2P1P3/8/8/4K3 w - - 0 1", "cxd", None),
        ("4k3/8/3n4/2P1P3/8/3n4/2P1P3/7K w - - 0 1", "exd", "exd3 or exd6"),
    ],
)
def test_what_may_mean_several_moves(fen: str, text: str, message: str | None) -> None:
    if message is None:
        assert understand_move(Board(fen), text).uci() == "c4d5"
        return
    with pytest.raises(AmbiguousMoveError) as error:
        understand_move(Board(fen), text)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("fen", "text", "message"),
    [
        (chess.STARTING_FEN, "Nd4", "no knight of yours can go to d4"),
        (chess.STARTING_FEN, "e5", "no pawn of yours can go to e5"),
        (chess.STARTING_FEN, "e3e4", "there is nothing on e3"),
        (chess.STARTING_FEN, "e7e5", "your opponent's"),
        (chess.STARTING_FEN, "g1g3", "the knight on g1 can't go to g3"),
        (chess.STARTING_FEN, "exd", "no pawn takes"),
        (chess.STARTING_FEN, "O-O", "in the way"),
        (chess.STARTING_FEN, "e4=Q", "on the last rank only"),
        (chess.STARTING_FEN, "e2e4q", "does not become"),
        (chess.STARTING_FEN, "Nf3=Q", "does not become"),
        ("4k3/8/8/8/8/8/8/4K2R w - - 0 1", "0-0", "lost the right"),
        ("4k3/8/8/8/8/4r3/8/4K2R w K - 0 1", "0-0", "in check does not castle"),
        ("4k3/8/8/8/4r3/8/4N3/4K3 w - - 0 1", "Nc3", "leave your king in check"),
        ("4k3/8/8/8/4r3/8/4N3/4K3 w - - 0 1", "e2c3", "leave your king in check"),
        ("4k3/8/8/8/4r3/8/8/N3K3 w - - 0 1", "Nb3", "you are in check"),
        ("4k3/8/8/8/4r3/8/8/N3K3 w - - 0 1", "a1b3", "you are in check"),
    ],
)
def test_what_can_not_be_played(fen: str, text: str, message: str) -> None:
    with pytest.raises(IllegalMoveError) as error:
        understand_move(Board(fen), text)
    assert message in str(error.value)


@pytest.mark.parametrize(
    "text",
    ["", " ", "e", "e9", "i4", "hello", "--", "0000", "Nf3 Nf6", "\0", "é4", "e" * 99],
)
def test_what_is_no_move(text: str) -> None:
    with pytest.raises(InvalidMoveError):
        understand_move(Board(), text)


@given(
    text=st.text(alphabet="KQRBNPkqrbnabcdefgh12345678x-=+#Oo0!?. :()♘", max_size=12) | st.text()
)
@example("0-0-0-0")
@example("1...")
def test_any_text_is_a_legal_move_or_one_of_the_three(text: str) -> None:
    board = Board("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1")
    try:
        move = understand_move(board, text)
    except (AmbiguousMoveError, IllegalMoveError, InvalidMoveError) as error:
        told = str(error)
    else:
        told = board.san(move)
    assert told.isprintable()


@pytest.mark.parametrize("number", [518, 0, 959, 400])
def test_all_moves_of_whole_games_in_every_spelling(number: int) -> None:
    """As python-chess writes them; small letters may also be a pawn's."""
    choose = random.Random(number)
    reference = chess.Board.from_chess960_pos(number)
    while not reference.is_game_over() and reference.ply() < 120:
        board = Board(reference)
        for move in reference.legal_moves:
            san = reference.san(move)
            small = san.lower()
            assert understand_move(board, san) == move
            assert understand_move(board, san.rstrip("+#").replace("x", "")) == move
            assert understand_move(board, reference.lan(move)) == move
            if not reference.is_castling(move):
                assert understand_move(board, reference.uci(move)) == move
            if not small.startswith("b"):
                assert understand_move(board, small) == move
        reference.push(choose.choice(list(reference.legal_moves)))
