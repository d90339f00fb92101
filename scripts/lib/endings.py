"""Random positions of few men, for which Tablebase and python-chess's prober must say the same.

Used by tests/test_tablebase.py for thousands of positions, by scripts/differential_syzygy for
millions.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

import chess
import chess.syzygy

from uci_engine import Board, Tablebase

EN_PASSANT_SHARE = 0.5  # of the positions in which both sides have pawns


class Disagreement(AssertionError):
    """What the two probers say about a position."""


def table_folder(text: str) -> str:
    """For argparse: a directory in which there are tables."""
    try:
        Tablebase(text).close()
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def ending_names(directory: str | Path) -> list[str]:
    """The endings that there are tables of, each from both sides."""
    names = sorted(path.stem for path in Path(directory).glob("*.rtbw"))
    return sorted({*names, *("v".join(reversed(name.split("v"))) for name in names)})


def random_position(name: str, rng: random.Random) -> chess.Board:
    """A legal position of an ending like KQvKR, White's men first; any side to move."""
    while True:
        board = place_men(name, rng)
        if name.count("P") > 1 and rng.random() < EN_PASSANT_SHARE:
            advance_pawn(board, rng)
        if board.is_valid():
            return board


def place_men(name: str, rng: random.Random) -> chess.Board:
    board = chess.Board(None)
    board.turn = rng.random() < 0.5
    men = [chess.Piece.from_symbol(letter) for letter in name.split("v")[0]]
    men += [chess.Piece.from_symbol(letter.lower()) for letter in name.split("v")[1]]
    for man, square in zip(men, rng.sample(chess.SQUARES, len(men)), strict=True):
        board.set_piece_at(square, man)
    return board


def advance_pawn(board: chess.Board, rng: random.Random) -> None:
    """Put two pawns beside one another, as if one had just come two squares."""
    theirs, ours = board.pieces(chess.PAWN, not board.turn), board.pieces(chess.PAWN, board.turn)
    if not theirs or not ours:
        return
    file, step = rng.randrange(8), rng.choice((-1, 1))
    rank = 4 if board.turn else 3
    if not 0 <= file + step <= 7:
        return
    targets = chess.square(file, rank), chess.square(file + step, rank)
    for pawns, target in zip((theirs, ours), targets, strict=True):
        if board.piece_at(target) is None:
            board.set_piece_at(target, board.remove_piece_at(rng.choice(list(pawns))))
    board.ep_square = chess.square(file, 5 if board.turn else 2)


def compare(board: chess.Board, tables: Tablebase, oracle: chess.syzygy.Tablebase) -> None:
    """Raises Disagreement."""
    ours = Board(board)
    said = tables.wdl(ours), tables.dtz(ours)
    expected = oracle.probe_wdl(board), oracle.probe_dtz(board)
    if said != expected:
        raise Disagreement(
            f"WDL and DTZ: Tablebase says {said}, python-chess says {expected} of '{board.fen()}'"
        )
