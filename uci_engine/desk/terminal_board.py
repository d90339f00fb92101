"""A board for a terminal: what it can show is found out, and drawn in it.

With colours the squares are coloured; without them, and in ASCII, the board still says everything:
the last move stands in brackets, a king in check between exclamation marks.
"""

from __future__ import annotations

import codecs
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TextIO

if TYPE_CHECKING:
    from core_ext.core import AnyMove, Board

OUTLINES = dict(zip("KQRBNPkqrbnp", "♔♕♖♗♘♙♚♛♜♝♞♟", strict=True))
FILLED = {letter: OUTLINES[letter.lower()] for letter in OUTLINES}
RESET = "\x1b[0m"
GAP = "   "  # between the board and what is written beside it


FEW, MANY = 16, 256


class Look(NamedTuple):
    """What a terminal can show."""

    unicode: bool = False
    colours: int = 0  # none, FEW or MANY


class Palette(NamedTuple):
    """Escape codes for squares, light and dark each, and for pieces, White's and Black's."""

    empty: tuple[str, str]
    moved: tuple[str, str]
    check: tuple[str, str]
    pieces: tuple[str, str]


# Squares of middling brightness: white and black pieces both stand out, so their colour can tell
# them apart.
MANY_COLOURS = Palette(
    empty=("48;5;137", "48;5;94"),
    moved=("48;5;143", "48;5;100"),
    check=("48;5;167", "48;5;124"),
    pieces=("1;38;5;231", "38;5;16"),
)
# Nobody knows what sixteen colours look like. Black on light ones can be read anywhere, and the
# shapes of the pieces tell their colours.
FEW_COLOURS = Palette(
    empty=("47", "46"), moved=("43", "43"), check=("41", "41"), pieces=("30", "30")
)


def find_look(stream: TextIO, environment: Mapping[str, str], *, ascii_only: bool = False) -> Look:
    """By the stream's encoding, the terminal's name, and the user's wish for no colours."""
    terminal = environment.get("TERM", "")
    places = ("LC_ALL", "LC_CTYPE", "LANG")
    language = next((environment[name] for name in places if environment.get(name)), "")
    # Python writes UTF-8 for a locale that has ASCII only. The Linux console lacks the pieces.
    is_plain = ascii_only or language in ("C", "POSIX") or terminal == "linux"
    unicode = not is_plain and can_encode(stream.encoding)
    if not stream.isatty() or terminal in ("", "dumb") or environment.get("NO_COLOR"):
        return Look(unicode, 0)
    many = "256color" in terminal or "direct" in terminal or environment.get("COLORTERM")
    return Look(unicode, MANY if many else FEW)


def can_encode(encoding: str | None) -> bool:
    try:
        "".join(OUTLINES.values()).encode(codecs.lookup(encoding or "ascii").name)
    except (LookupError, UnicodeError):
        return False
    return True


def draw_board(
    board: Board,
    look: Look,
    *,
    flipped: bool = False,
    last: AnyMove | None = None,
    beside: Sequence[str] = (),
) -> list[str]:
    """Eight ranks and the letters of the files; `beside` is written to the right of the ranks."""
    ranks = range(8) if flipped else range(7, -1, -1)
    files = range(7, -1, -1) if flipped else range(8)
    marked = marked_squares(board, last)
    rows = []
    for row, rank in enumerate(ranks):
        cells = "".join(
            draw_square(board.symbol_at(8 * rank + file), 8 * rank + file, marked, look)
            for file in files
        )
        note = GAP + beside[row] if row < len(beside) and beside[row] else ""
        rows.append(f" {rank + 1} {cells}{note}".rstrip())
    letters = "".join(f" {'abcdefgh'[file]} " for file in files)
    return [*rows, f"   {letters}".rstrip()]


def marked_squares(board: Board, last: AnyMove | None) -> dict[int, str]:
    """The squares of the last move and of a king in check, by the name of what they are."""
    marked = {}
    if last is not None:
        marked = {last.from_square: "moved", last.to_square: "moved"}
    if board.is_check():
        marked[board.king(board.turn)] = "check"
    return marked


def draw_square(symbol: str | None, square: int, marked: Mapping[int, str], look: Look) -> str:
    mark = marked.get(square, "empty")
    is_dark = (square // 8 + square % 8) % 2 == 0
    piece = symbol or " "
    if look.unicode:
        piece = (FILLED if look.colours > FEW else OUTLINES).get(piece, " ")
    if not look.colours:
        empty = ("·" if look.unicode else ".") if is_dark else " "
        brackets = {"empty": "  ", "moved": "[]", "check": "!!"}[mark]
        return brackets[0] + (piece if symbol else empty) + brackets[1]
    palette = MANY_COLOURS if look.colours > FEW else FEW_COLOURS
    codes = getattr(palette, mark)[is_dark]
    if symbol:
        codes += f";{palette.pieces[symbol.islower()]}"
    return f"\x1b[{codes}m {piece} {RESET}"
