"""Boards and games inside a page: the pieces' shapes, moves in few letters, the scripts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from uci_engine import Board
from uci_engine.pages.html import ROOM
from uci_engine.pages.plots import WIDTH, svg, text

BOARD_SCRIPT = ROOM / "board.js"
REPLAY_SCRIPT = ROOM / "replay.js"
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"  # by square
NULL_MOVE = "0000"
MATE = 100_000  # a score beyond this is a mate: in so many moves more

# The buttons have the names by which replay.js knows what they do.
BUTTONS = """<div class="buttons"><button id="begin" title="to the start (Home)">|◀</button>
<button id="back" title="a move back (←)">◀</button>
<button id="next" title="a move on (→)">▶</button>
<button id="end" title="to the end (End)">▶|</button>
<button id="run" title="a move every now and then">play</button>
<button id="flip" title="turn the board (f)">turn</button></div>"""

NO_SCRIPT = "<noscript><p>A browser without JavaScript can't replay them.</p></noscript>"


def replay_view(notes: str) -> str:
    """A board with its buttons; beside it title, curve and moves. `notes` explain the curve."""
    return f"""
<div id="replay">
<div><svg id="board" class="board" viewBox="0 0 80 80" role="img" aria-label="the position"></svg>
{BUTTONS}</div>
<div><p id="title"></p><p class="note" id="said" aria-live="polite"></p>
<svg id="curve" viewBox="0 0 400 100" role="img" aria-label="the evaluation over the game"></svg>
{notes}
<div id="moves"></div></div>
</div>
"""


def piece_shapes() -> str:
    """Drawn once, used for every board."""
    import chess.svg

    shapes = "".join(chess.svg.PIECES.values())
    return f'<svg width="0" height="0" style="position:absolute"><defs>{shapes}</defs></svg>'


COLUMNS, SIDE, MARGIN, CAPTION = 2, 280, 20, 48  # of boards side by side
CELL = SIDE / 8
SHAPE = 45  # units of python-chess's pieces


def draw_boards(title: str, boards: Sequence[tuple[Board, str]]) -> str:
    """Boards with a caption below each, as one picture; last move and check are marked."""
    import chess.svg

    symbols = {symbol for board, _ in boards for symbol in board.board_fen() if symbol.isalpha()}
    parts = [f"<defs>{''.join(chess.svg.PIECES[symbol] for symbol in sorted(symbols))}</defs>"]
    for number, (board, caption) in enumerate(boards):
        x = MARGIN + number % COLUMNS * WIDTH / COLUMNS
        y = 4 + number // COLUMNS * (SIDE + CAPTION)
        parts.append(f'<g class="board" transform="translate({x:g} {y:g})">')
        parts += [*draw_squares(board), *draw_men(board), "</g>"]
        parts.append(text(x + SIDE / 2, y + SIDE + 30, caption))
    rows = -(-len(boards) // COLUMNS)
    return svg(WIDTH, 4 + rows * (SIDE + CAPTION), title, parts)


def draw_squares(board: Board) -> list[str]:
    """The dark ones are one path, row by row."""
    dark = "".join(
        f"M{file * CELL:g} {row * CELL:g}h{CELL:g}v{CELL:g}h-{CELL:g}z"
        for row in range(8)
        for file in range(1 - row % 2, 8, 2)
    )
    parts = [
        f'<rect class="light" width="{SIDE}" height="{SIDE}"/>',
        f'<path class="dark" d="{dark}"/>',
        *(text(CELL * (file + 0.5), SIDE + 12, "abcdefgh"[file]) for file in range(8)),
        *(text(-8, SIDE - CELL * (rank + 0.5) + 4, str(rank + 1)) for rank in range(8)),
    ]
    last = board.move_stack[-1:]
    marked = [("last", square) for move in last for square in (move.from_square, move.to_square)]
    king = board.king(board.turn)
    if board.is_check() and king is not None:
        marked.append(("check", king))
    for kind, square in marked:
        x, y = corner(square)
        parts.append(
            f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{CELL:g}" height="{CELL:g}"/>'
        )
    return parts


def draw_men(board: Board) -> list[str]:
    import chess

    scale = f"scale({CELL / SHAPE:.4g})"
    men = []
    for square, piece in board.piece_map().items():
        x, y = corner(square)
        name = f"{chess.COLOR_NAMES[piece.color]}-{chess.piece_name(piece.piece_type)}"
        men.append(f'<use href="#{name}" transform="translate({x:g} {y:g}) {scale}"/>')
    return men


def corner(square: int) -> tuple[float, float]:
    """The upper left one, as White sees the board."""
    return square % 8 * CELL, (7 - square // 8) * CELL


def pack_moves(board: Board, moves: Iterable[str]) -> tuple[str, str]:
    """Moves in UCI's notation as SAN, and as the squares that board.js reads. Who passes, as notes
    do, moves his king to where it is."""
    board = board.copy()
    sans, squares = [], []
    for move in moves:
        if move == NULL_MOVE:
            stays = ALPHABET[board.king(board.turn) or 0]
            squares.append(stays + stays)
        else:
            promotion = f"={move[4]}" if len(move) > 4 else ""
            squares.append(f"{letter(move[:2])}{letter(move[2:4])}{promotion}")
        sans.append(board.san_and_push(board.parse_uci(move)))
    return " ".join(sans), "".join(squares)


def letter(square: str) -> str:
    """For a square by its name; of castling it is the one that the move was written with."""
    return ALPHABET["abcdefgh".index(square[0]) + 8 * (int(square[1]) - 1)]


def page_score(score: int, mate: int | None, sign: int) -> int:
    """From White's side; `sign` is 1 if White is the one who has it. A mate in N is N more than a
    mate's score, so that it can be told."""
    if mate is None:
        return sign * score
    return sign * ((MATE + mate) if mate > 0 else (mate - MATE))
