"""What helps a search of the UCI engine: a book, tablebases, a limit of its strength."""

from __future__ import annotations

import os
import stat

from uci_engine.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from random import Random

    from core_ext.core import Board, Tablebase
    from uci_engine.book import Book
    from uci_engine.options import Options
    from uci_engine.strength import Strength

STRENGTH_SEED = 1


class Aids(Value):
    """The help for one search; None where it is not wanted."""

    book: Book | None = None
    tablebase: Tablebase | None = None
    strength: Strength | None = None
    random: Random | None = None


class Shelf:
    """What is open, from one search to the next. Each kind is loaded when it is first wanted."""

    def __init__(self) -> None:
        self.book: Book | None = None
        self.tablebase: Tablebase | None = None
        self.random: Random | None = None
        self.seed = STRENGTH_SEED

    def start_game(self) -> None:
        """Weak play is random play, and the same in each game."""
        self.random = None

    def open_book(self, wanted: bool, path: str) -> None:
        """A wrong name is refused when it is given, not when it is used."""
        if path:
            if not stat.S_ISREG(os.stat(path).st_mode):  # one might wait for a pipe for good
                raise ValueError(f"not a file with a book: {path!r}")
            with open(path, "rb"):
                pass
        book = None
        if wanted and path:
            from uci_engine.book import Book

            book = Book(path)
        self.book = book  # a search that uses the old one keeps it open

    def open_tablebase(self, path: str) -> None:
        tablebase = None
        if path:
            from core_ext.core import Tablebase

            tablebase = Tablebase(path)
        self.tablebase = tablebase

    def aids(self, options: Options, board: Board) -> Aids:
        strength = None
        if options.is_limited:
            import random

            from uci_engine.strength import choose_strength

            strength = choose_strength(options, board)
            self.random = self.random or random.Random(self.seed)
        return Aids(self.book, self.tablebase, strength, self.random)
