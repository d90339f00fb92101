"""Boards and evaluations as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from uci_engine.report import win_draw_loss

TYPE_CHECKING = False
if TYPE_CHECKING:
    from core_ext.core import Board

    Term = tuple[str, tuple[int, int], tuple[int, int], int]  # as Searcher.eval_table() gives it


RANKS = [range(8 * rank, 8 * rank + 8) for rank in range(7, -1, -1)]  # as White sees them


def draw_board(board: Board) -> list[str]:
    """The board as White sees it, and the facts about it."""
    rule = " +" + "---+" * 8
    lines = [rule]
    for rank in RANKS:
        pieces = [board.symbol_at(square) or " " for square in rank]
        lines += [f" | {' | '.join(pieces)} | {rank[0] // 8 + 1}", rule]
    checkers = [square for square in range(64) if board.checkers_mask() >> square & 1]
    return [
        *lines,
        "   a   b   c   d   e   f   g   h",
        "",
        f"Fen: {board.fen()}",
        f"Key: {board.key:016X}",
        " ".join(
            ["Checkers:", *("abcdefgh"[square % 8] + str(square // 8 + 1) for square in checkers)]
        ),
    ]


def draw_evaluation(board: Board, rows: Sequence[Term], score: int) -> list[str]:
    """The terms of the evaluation that count for somebody, and the whole, from White's side."""
    told = [row for row in rows if any(row[1] + row[2])]
    width = max(len(name) for name, *_ in told)
    return [
        f"{'term':<{width}}  {'White':^15}  {'Black':^15}    sum",
        f"{'':<{width}}  {'middle':>6} {'endgame':>8}  {'middle':>6} {'endgame':>8}    now",
        *(
            f"{name:<{width}}  {white[0]:>+6} {white[1]:>+8}  {black[0]:>+6} {black[1]:>+8}"
            f" {now:>+6}"
            for name, white, black, now in told
        ),
        tell_evaluation(board, score),
    ]


def draw_values(board: Board, values: Mapping[int, int], score: int) -> list[str]:
    """Each man with what the evaluation loses without it, in pawns; and the whole."""
    rule = " +" + "-------+" * 8
    lines = [rule]
    for rank in RANKS:
        pieces = [f"{board.symbol_at(square) or ' ':^7}" for square in rank]
        worth = [f"{values[at] / 100:^+7.2f}" if at in values else " " * 7 for at in rank]
        lines += [f" |{'|'.join(pieces)}| {rank[0] // 8 + 1}", f" |{'|'.join(worth)}|", rule]
    return [
        *lines,
        "     a       b       c       d       e       f       g       h",
        "",
        "What the evaluation loses without each man, in pawns, from White's side.",
        tell_evaluation(board, score),
    ]


def tell_evaluation(board: Board, score: int) -> str:
    is_dead = board.is_insufficient_material()
    win, draw, loss = (0, 1000, 0) if is_dead else win_draw_loss(score, None)
    return (
        f"Evaluation: {score:+} centipawns, from White's side:"
        f" White wins {win / 10:.1f} %, draw {draw / 10:.1f} %, Black wins {loss / 10:.1f} %"
    )


def flip_fen(fen: str) -> str:
    """Turn the board round and change the colours of everything."""
    pieces, side, castling, en_passant, *counters = fen.split()
    pieces = "/".join(reversed(pieces.swapcase().split("/")))
    side = "b" if side == "w" else "w"
    castling = "".join(sorted(castling.swapcase(), key=str.islower))
    en_passant = en_passant.translate(str.maketrans("36", "63"))
    return " ".join([pieces, side, castling, en_passant, *counters])
