"""Cythera: a chess engine and toolkit. Python in front, a Cython core behind.

Nothing here imports numpy or python-chess until it is used: a GUI waits for the engine to start.
"""

from __future__ import annotations

from core_ext import __version__
from core_ext.core import START_FEN, Board, Move

TYPE_CHECKING = False  # importing typing for it would cost start-up time
if TYPE_CHECKING:
    from uci_engine import batch
    from uci_engine.engine import Engine

__all__ = ["START_FEN", "Board", "Engine", "Move", "__version__", "batch"]


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name == "batch":
        return import_module("uci_engine.batch")
    if name == "Engine":
        return import_module("uci_engine.engine").Engine
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
