"""SAN in the core: the same moves, texts and kinds of error as python-chess's."""

from __future__ import annotations

import itertools
import pickle
import random
import subprocess
import sys
from collections import Counter

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

import uci_engine
from lib.comparison import choose_lively, random_starts
from lib.suites import PerftLine, all_positions
from uci_engine import Board

POSITIONS = all_positions()
PIECES = ("", "N", "B", "R", "Q", "K")
ORIGINS = ("", *"aceh", *"1278", "a1", "e2", "h7")
TARGETS = ("e4", "a1", "h8", "d5", "c8", "g1", "f6")
ODD_TEXTS = [
    *("O-O", "0-0", "O-O-O", "0-0-0", "O-O+", "0-0-0#", "o-o", "O-0", "0-O-0", "OO", "O-O-O-O"),
    *("--", "Z0", "0000", "@@@@", "e8", "e9", "", "+", "#", "=", "=Q", "Q", "x", "-", "e", "4"),
    *("e4!", "e4 ", " e4", "e4\n", "e4+#", "e4++", "Pe4", "ne4", "Nxe", "N@e4", "e8=", "e8==Q"),
    *("♘f3", "\ud800", "é4", "e4\0", "\0", "Ng1,f3", "e2e4e5"),
]
ERRORS = (chess.InvalidMoveError, chess.IllegalMoveError, chess.AmbiguousMoveError)

each_position = pytest.mark.parametrize("line", POSITIONS, ids=str)


def boards(line: PerftLine) -> tuple[Board, chess.Board]:
    return (
        Board(line.fen, chess960=line.chess960),
        chess.Board(line.fen, chess960=line.chess960),
    )


def answer(board: Board | chess.Board, text: str) -> object:
    """The move that the text names, or python-chess's name for what is wrong with it."""
    try:
        return board.parse_san(text)
    except ERRORS as error:
        return next(kind for kind in ERRORS if isinstance(error, kind))


@each_position
def test_every_move_is_written_and_read_as_by_python_chess(line: PerftLine) -> None:
    board, reference = boards(line)
    for move in reference.legal_moves:
        san, lan = reference.san(move), reference.lan(move)
        assert (board.san(move), board.lan(move)) == (san, lan)
        for text in (san, lan, san.rstrip("+#"), san.replace("=", ""), san.replace("x", "")):
            assert answer(board, text) == answer(reference, text), text
        assert board.parse_san(san) == move
        assert board.uci(move) == reference.uci(move)
        assert board.xboard(move) == reference.xboard(move)


@pytest.mark.parametrize("line", POSITIONS[::12], ids=str)
def test_texts_that_fit_some_move_or_none(line: PerftLine) -> None:
    """Over- and under-specified moves of every shape: the same move or the same kind of error."""
    board, reference = boards(line)
    kinds: Counter[object] = Counter()
    for piece, origin, sign, target, promotion in itertools.product(
        PIECES, ORIGINS, ("", "x", "-"), TARGETS, ("", "=Q", "n")
    ):
        text = piece + origin + sign + target + promotion
        theirs = answer(reference, text)
        assert answer(board, text) == theirs, text
        kinds[theirs] += 1
    assert kinds[chess.IllegalMoveError]


@pytest.mark.parametrize("text", ODD_TEXTS)
@pytest.mark.parametrize("line", POSITIONS[::12], ids=str)
def test_odd_texts(line: PerftLine, text: str) -> None:
    board, reference = boards(line)
    assert answer(board, text) == answer(reference, text)


@given(st.sampled_from(POSITIONS), st.text("NBRQKPabcdefgh12345678x-=+#O0nq", max_size=8))
def test_random_texts(line: PerftLine, text: str) -> None:
    board, reference = boards(line)
    assert answer(board, text) == answer(reference, text)


def test_ambiguity_is_told_apart() -> None:
    """Two knights on one rank, and two on one file, of which one is pinned."""
    board = Board("4k3/8/8/2N3N1/8/8/8/4K3 w - - 0 1")
    assert answer(board, "Ne4") is chess.AmbiguousMoveError
    assert board.parse_san("Nce4").uci() == "c5e4"
    assert board.san(chess.Move.from_uci("g5e4")) == "Nge4"
    pinned = Board("4r1k1/8/8/8/8/4N3/8/4K1N1 w - - 0 1")
    assert pinned.san(chess.Move.from_uci("g1e2")) == "Ne2"
    three_queens = Board("8/7k/8/8/Q2Q4/8/8/Q3K3 w - - 0 1")
    assert three_queens.san(chess.Move.from_uci("a4b4")) == "Qab4"
    assert three_queens.san(chess.Move.from_uci("a4d1")) == "Qa4d1"
    rooks = Board("8/7k/8/8/R7/8/8/R3K3 w - - 0 1")
    assert rooks.san(chess.Move.from_uci("a1a3")) == "R1a3"


@pytest.mark.parametrize(
    ("text", "name"),
    [("Nf9", "InvalidMoveError"), ("Nf4", "IllegalMoveError"), ("Ne2", "AmbiguousMoveError")],
)
def test_errors_are_caught_by_either_name(text: str, name: str) -> None:
    board = Board("4k3/8/8/8/8/2N5/8/4K1N1 w - - 0 1")
    for kind in (getattr(chess, name), getattr(uci_engine, name), ValueError):
        with pytest.raises(kind, match=rf"\A[^\n]*{text}[^\n]*\Z") as caught:
            board.push_san(text)
        again = pickle.loads(pickle.dumps(caught.value))
        assert type(again) is type(caught.value)
        assert str(again) == str(caught.value)
    assert board.move_stack == []


def test_errors_do_not_load_python_chess() -> None:
    """Nor does anything about SAN."""
    code = """
import sys
from uci_engine import Board, IllegalMoveError
board = Board()
board.push_san("e4")
assert board.san(board.parse_uci("b8a6")) == "Na6"
assert board.variation_san([board.parse_uci("b8a6")]) == "1...Na6"
try:
    board.push_san("Ke3")
except IllegalMoveError as error:
    assert type(error) is IllegalMoveError
assert "chess" not in sys.modules and "numpy" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_games_by_san_alone() -> None:
    """Whole random games, Chess960 too: each move written, read, played, and told as a line."""
    rng = random.Random(7)
    seen: Counter[str] = Counter()
    for start in itertools.islice(random_starts(rng), 40):
        board, reference = start.boards()
        root = board.copy(stack=False)
        while any(reference.legal_moves) and len(reference.move_stack) < 80:
            mates = [move for move in reference.legal_moves if reference.san(move)[-1] == "#"]
            move = mates[0] if mates else choose_lively(reference, rng)
            san = reference.san(move)
            assert board.san(move) == san
            assert board.push_san(san) == move
            reference.push(move)
            seen.update(character for character in "+#=xO" if character in san)
            assert board.fen() == reference.fen()
        line = reference.root().variation_san(reference.move_stack)
        assert root.variation_san(board.move_stack) == line
    assert all(seen[character] > 3 for character in "+#=xO"), seen


def test_a_variation_begins_where_the_board_is() -> None:
    board = Board()
    board.push_san("e4")
    moves = [chess.Move.from_uci(text) for text in ("e7e5", "g1f3", "b8c6")]
    assert board.variation_san(moves) == "1...e5 2. Nf3 Nc6"
    assert board.variation_san([]) == ""
    with pytest.raises(chess.IllegalMoveError):
        board.variation_san([*moves, chess.Move.from_uci("b8c6")])
    assert len(board.move_stack) == 1


def test_a_null_move_has_a_san() -> None:
    board, reference = Board(), chess.Board()
    assert board.san(chess.Move.null()) == reference.san(chess.Move.null()) == "--"
    assert not board.push_san("--")
    assert board.turn is False
    with pytest.raises(chess.IllegalMoveError, match="check"):
        Board("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1").push_san("--")
