"""Cythera: a chess engine and toolkit. Python in front, a Cython core behind.

Nothing is imported until it is used: numpy and python-chess because a GUI waits for the engine to
start, and the core so that the program's first import is one that Ctrl-C can hardly hit.
"""

from __future__ import annotations

from core_ext import __version__

TYPE_CHECKING = False  # importing typing for it would cost start-up time
if TYPE_CHECKING:
    from core_ext.core import START_FEN, Board, Move
    from uci_engine import batch
    from uci_engine.engine import Engine

__all__ = ["START_FEN", "Board", "Engine", "Move", "__version__", "batch"]


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name == "batch":
        return import_module("uci_engine.batch")
    if name in __all__:
        home = "uci_engine.engine" if name == "Engine" else "core_ext.core"
        value: object = getattr(import_module(home), name)
        globals()[name] = value  # from now on it is found without asking here
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
