"""Cythera: a chess engine and toolkit. Python in front, a Cython core behind.

Nothing here imports numpy or python-chess until it is used: a GUI waits for the engine to start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from core_ext import __version__
from core_ext.core import START_FEN, Board, Move

if TYPE_CHECKING:
    from uci_engine import batch

__all__ = ["START_FEN", "Board", "Move", "__version__", "batch"]


def __getattr__(name: str) -> object:
    if name == "batch":
        import importlib

        return importlib.import_module("uci_engine.batch")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
