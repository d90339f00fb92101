"""FENs in and out: bad ones are refused by field, good ones round-trip, nothing crashes."""

from __future__ import annotations

import re
import string

import chess
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lib.suites import DATA, all_positions, read_labelled_fens
from uci_engine import Board

BAD_FENS = read_labelled_fens(DATA / "bad_fens.txt")
GOOD_FENS = read_labelled_fens(DATA / "good_fens.txt")
FIELDS = ("board", "side", "castling", "en passant", "halfmove", "fullmove", "whole")
COMPLAINT = re.compile(rf"bad FEN, ({'|'.join(FIELDS)}) field: [^\n]+: ['\"][^\n]*['\"]")


def blamed_field(fen: str, chess960: bool = False) -> str | None:
    """The field that the parser complains about, None when it takes the FEN."""
    try:
        Board(fen, chess960=chess960)
    except ValueError as error:
        message = str(error)
    else:
        return None
    complaint = COMPLAINT.fullmatch(message)
    assert complaint, f"not a complaint about a field: {message}"
    return complaint[1]


@pytest.mark.parametrize(("field", "fen"), BAD_FENS, ids=ascii)
def test_bad_fen_is_refused_by_field(field: str, fen: str) -> None:
    assert field in FIELDS
    assert blamed_field(fen) == field
    assert blamed_field(fen, chess960=True) == field


def test_enough_bad_fens_for_every_field() -> None:
    assert len(BAD_FENS) >= 80
    assert {field for field, _ in BAD_FENS} == set(FIELDS)


@pytest.mark.parametrize("fen", ["", "k" * 100_000, chess.STARTING_FEN + " " * 100_000 + "x"])
def test_empty_and_endless_fens_are_refused(fen: str) -> None:
    assert blamed_field(fen) in ("whole", "board")


def test_complaint_about_an_endless_fen_is_short() -> None:
    with pytest.raises(ValueError, match="bad FEN") as caught:
        Board("k" * 100_000)
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("fen", [None, 5, b"8/8/8/8/8/8/8/8 w - - 0 1", ["8"]], ids=repr)
def test_what_is_not_text_is_refused(fen: object) -> None:
    with pytest.raises(TypeError, match=r"\Aa FEN or a board is needed, not \w+\Z"):
        Board(fen)  # type: ignore[arg-type]


@pytest.mark.parametrize(("mode", "fen"), GOOD_FENS, ids=ascii)
def test_good_fen_is_read_as_python_chess_reads_it(mode: str, fen: str) -> None:
    chess960 = mode == "chess960"
    board, reference = Board(fen, chess960=chess960), chess.Board(fen, chess960=chess960)
    board._check()
    assert board.fen() == reference.fen()
    assert board.fen(shredder=True) == reference.fen(shredder=True)
    assert set(board.legal_moves()) == set(reference.legal_moves)


@pytest.mark.parametrize(("mode", "fen"), GOOD_FENS, ids=ascii)
def test_written_fens_read_back_as_the_same_board(mode: str, fen: str) -> None:
    board = Board(fen, chess960=mode == "chess960")
    for written in (board.fen(), board.fen(shredder=True)):
        again = Board(written, chess960=board.chess960)
        assert again == board
        assert again._state_bytes() == board._state_bytes()


def test_all_chess960_arrays_round_trip() -> None:
    for number in range(960):
        reference = chess.Board.from_chess960_pos(number)
        board = Board(reference.fen(), chess960=True)
        assert board.fen() == reference.fen()
        assert board.fen(shredder=True) == reference.fen(shredder=True)


@pytest.mark.parametrize(
    ("fen", "kept"),
    [
        ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", None),
        ("rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3", chess.E3),
        ("8/8/8/8/k2Pp2R/8/8/3K4 b - d3 0 1", None),
    ],
)
def test_en_passant_square_is_kept_only_for_a_legal_capture(fen: str, kept: int | None) -> None:
    assert Board(fen).ep_square == kept


def agrees_with_python_chess(board: Board, fen: str) -> bool:
    """Whether python-chess finds the same position possible; what it can't read it can't judge."""
    try:
        reference = chess.Board(fen, chess960=board.chess960)
    except ValueError:
        return True
    # An impossible history (two checkers that can't have come about) is none of a FEN's fields.
    if reference.status() & ~chess.STATUS_IMPOSSIBLE_CHECK:
        return False
    return set(board.legal_moves()) == set(reference.legal_moves)


def try_fen(fen: str) -> None:
    """Either one of the complaints, or a sound board."""
    for chess960 in (False, True):
        if blamed_field(fen, chess960) is not None:
            continue
        board = Board(fen, chess960=chess960)
        board._check()
        assert agrees_with_python_chess(board, fen)
        assert Board(board.fen(), chess960=chess960) == board
        board.perft(2)


@given(st.text(max_size=100))
@example("\x00")
@example("\ud800")
def test_any_text_is_survived(text: str) -> None:
    try_fen(text)


@given(st.binary(max_size=100))
def test_any_bytes_are_survived(data: bytes) -> None:
    try_fen(data.decode("latin-1"))


FEN_LETTERS = string.ascii_letters + string.digits + " /-\t\n\x00é"
Edit = tuple[str, int, str]
edits = st.tuples(
    st.sampled_from(["replace", "insert", "delete", "swap"]),
    st.integers(0, 99),
    st.sampled_from(FEN_LETTERS),
)


def edit_text(text: str, edit: Edit) -> str:
    kind, where, letter = edit
    if not text:
        return letter
    at = where % len(text)
    if kind == "insert":
        return text[:at] + letter + text[at:]
    if kind == "delete":
        return text[:at] + text[at + 1 :]
    if kind == "swap":
        return text[:at] + text[at : at + 2][::-1] + text[at + 2 :]
    return text[:at] + letter + text[at + 1 :]


@settings(max_examples=1000)
@given(
    st.sampled_from([line.fen for line in all_positions()]),
    st.lists(edits, min_size=1, max_size=4),
)
def test_damaged_fens_are_refused_or_sound(fen: str, damage: list[Edit]) -> None:
    for edit in damage:
        fen = edit_text(fen, edit)
    try_fen(fen)


@st.composite
def scattered_men(draw: st.DrawFn) -> str:
    """A FEN whose grammar is right and whose position is whatever comes up."""
    men = draw(st.dictionaries(st.integers(0, 63), st.sampled_from("PNBRQpnbrq"), max_size=20))
    kings = draw(st.lists(st.integers(0, 63), min_size=2, max_size=2, unique=True))
    board = chess.BaseBoard(None)
    for square, symbol in [*men.items(), *zip(kings, "Kk", strict=True)]:
        board.set_piece_at(square, chess.Piece.from_symbol(symbol))
    side = draw(st.sampled_from("wb"))
    castling = draw(st.sampled_from(["-", "-", "KQkq", "K", "q", "HAha", "Bg"]))
    en_passant = draw(st.sampled_from(["-", "-", "-", "a3", "e3", "d6", "h6"]))
    return f"{board.board_fen()} {side} {castling} {en_passant} 0 1"


@settings(max_examples=500)
@given(scattered_men())
def test_scattered_men_are_refused_or_sound(fen: str) -> None:
    try_fen(fen)
