"""Opening books in PolyGlot's format, read by python-chess, which is loaded only for this."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING

import chess.polyglot

if TYPE_CHECKING:
    from core_ext.core import Board, Move

ENTRY_SIZE = 16  # bytes


def open_reader(path: str) -> chess.polyglot.MemoryMappedReader:
    size = os.stat(path).st_size
    if size == 0 or size % ENTRY_SIZE:
        raise ValueError(f"not a PolyGlot book: {path!r}")
    return chess.polyglot.open_reader(path)


class Book:
    """An open book. Raises ValueError or OSError if the file is none."""

    def __init__(self, path: str) -> None:
        self.reader = open_reader(path)
        # Variety is what a book is for: this is the one choice that differs from run to run.
        self.random = random.Random()

    def choose(self, board: Board) -> Move | None:
        """One of the book's legal moves here, as often as its weight says; None out of book."""
        entries = list(self.reader.find_all(board.to_chess(stack=False), minimum_weight=1))
        if not entries:
            return None
        (entry,) = self.random.choices(entries, [entry.weight for entry in entries])
        return next((move for move in board.legal_moves() if move == entry.move), None)
