"""Cythera: a chess engine and toolkit. Python in front, a Cython core behind.

Nothing is imported until it is used: numpy and python-chess because a GUI waits for the engine to
start, and the core so that the program's first import is one that Ctrl-C can hardly hit.
"""

from __future__ import annotations

from core_ext import __version__

TYPE_CHECKING = False  # importing typing for it would cost start-up time
if TYPE_CHECKING:
    from core_ext.core import (
        START_FEN,
        AmbiguousMoveError,
        Board,
        IllegalMoveError,
        InvalidMoveError,
        Move,
        Tablebase,
    )
    from uci_engine import batch, pgn
    from uci_engine.async_engine import AsyncEngine
    from uci_engine.engine import Engine

__all__ = [
    "START_FEN",
    "AmbiguousMoveError",
    "AsyncEngine",
    "Board",
    "Engine",
    "IllegalMoveError",
    "InvalidMoveError",
    "Move",
    "Tablebase",
    "__version__",
    "batch",
    "pgn",
]


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name in ("batch", "pgn"):
        return import_module(f"uci_engine.{name}")
    if name in __all__:
        homes = {"Engine": "uci_engine.engine", "AsyncEngine": "uci_engine.async_engine"}
        value: object = getattr(import_module(homes.get(name, "core_ext.core")), name)
        globals()[name] = value  # from now on it is found without asking here
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Also what has not been imported yet."""
    return sorted({*globals(), *__all__})
