"""The board in a terminal: in what it can show, and readable in all of it."""

from __future__ import annotations

import io
import re

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from uci_engine import Board
from uci_engine.desk.terminal_board import FEW, MANY, Look, draw_board, find_look

pytestmark = pytest.mark.release_only

LOOKS = [Look(unicode, colours) for unicode in (False, True) for colours in (0, FEW, MANY)]
ESCAPES = re.compile("\x1b\\[[0-9;]*m")


class Screen(io.TextIOWrapper):
    """A stream of an encoding that may be a terminal's."""

    def __init__(self, encoding: str = "utf-8", terminal: bool = True) -> None:
        super().__init__(io.BytesIO(), encoding=encoding)
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


@pytest.mark.parametrize(
    ("screen", "environment", "look"),
    [
        (Screen(), {"TERM": "xterm-256color"}, Look(True, MANY)),
        (Screen(), {"TERM": "xterm", "COLORTERM": "truecolor"}, Look(True, MANY)),
        (Screen(), {"TERM": "vt100"}, Look(True, FEW)),
        (Screen(), {"TERM": "linux"}, Look(False, FEW)),
        (Screen(), {"TERM": "dumb"}, Look(True, 0)),
        (Screen(), {}, Look(True, 0)),
        (Screen(), {"TERM": "xterm", "LC_ALL": "C", "LANG": "en_US.UTF-8"}, Look(False, FEW)),
        (Screen(), {"TERM": "xterm", "LC_ALL": "", "LANG": "C.UTF-8"}, Look(True, FEW)),
        (Screen(), {"TERM": "xterm-256color", "NO_COLOR": "1"}, Look(True, 0)),
        (Screen(), {"TERM": "xterm-256color", "NO_COLOR": ""}, Look(True, MANY)),
        (Screen(terminal=False), {"TERM": "xterm-256color"}, Look(True, 0)),
        (Screen("ascii"), {"TERM": "xterm-256color"}, Look(False, MANY)),
        (Screen("latin-1"), {"TERM": "xterm-256color"}, Look(False, MANY)),
    ],
)
def test_what_a_terminal_can_show(screen: Screen, environment: dict[str, str], look: Look) -> None:
    assert find_look(screen, environment) == look
    assert find_look(screen, environment, ascii_only=True) == look._replace(unicode=False)


@pytest.mark.parametrize("look", LOOKS, ids=str)
@pytest.mark.parametrize("flipped", [False, True])
@given(moves=st.lists(st.integers(0, 200), max_size=40))
def test_the_picture_is_the_position(look: Look, flipped: bool, moves: list[int]) -> None:
    """Read back: each piece stands where python-chess has it."""
    board = Board()
    for choice in moves:
        legal = board.legal_moves()
        if not legal:
            break
        board.push(legal[choice % len(legal)])
    last = board.peek() if board.move_stack else None
    lines = [ESCAPES.sub("", line) for line in draw_board(board, look, flipped=flipped, last=last)]
    reference = board.to_chess()
    letters = lines[8][3:]
    for line in lines[:8]:
        for column in range(8):
            square = chess.parse_square(letters[3 * column + 1] + line[1])
            shown = line.ljust(27)[3 + 3 * column + 1]
            piece = reference.piece_at(square)
            if piece is None:
                assert shown in " .·"
            elif not look.unicode:
                assert shown == piece.symbol()
            else:
                shape = piece.symbol().lower() if look.colours == MANY else piece.symbol()
                assert shown == chess.UNICODE_PIECE_SYMBOLS[shape]


def test_the_same_shapes_have_other_colours() -> None:
    rows = draw_board(Board(), Look(unicode=True, colours=MANY))
    assert "38;5;16m ♜" in rows[0]
    assert "38;5;231m ♜" in rows[7]


def test_the_last_move_and_a_check_are_marked_without_colours() -> None:
    board = Board()
    for san in ("e4", "f6", "Qh5"):
        board.push_san(san)
    lines = draw_board(board, Look(), last=board.peek(), beside=["them", *[""] * 6, "you"])
    assert lines == [
        " 8  r  n  b  q !k! b  n  r    them",
        " 7  p  p  p  p  p     p  p",
        " 6     .     .     p     .",
        " 5  .     .     .     . [Q]",
        " 4     .     .  P  .     .",
        " 3  .     .     .     .",
        " 2  P  P  P  P     P  P  P",
        " 1  R  N  B [ ] K  B  N  R    you",
        "    a  b  c  d  e  f  g  h",
    ]
    coloured = draw_board(board, Look(colours=MANY), last=board.peek())
    assert "48;5;167" in coloured[0] or "48;5;124" in coloured[0]
