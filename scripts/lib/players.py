"""Players of a match, in the words of `cythera match --engine`."""

from __future__ import annotations

import sys

OWN_LIMITS = "st=10"  # a level's own number of nodes ends its searches


def python_player(name: str, *words: str) -> list[str]:
    """A program of this environment's Python."""
    return ["--engine", f"name={name}", f"cmd={sys.executable}", *(f"arg={word}" for word in words)]


def limited(level: int) -> list[str]:
    return ["option.UCI_LimitStrength=true", f"option.UCI_Elo={level}"]


def own_level(level: int) -> list[str]:
    """The engine of this checkout at a level of UCI_Elo."""
    return [*python_player(f"level {level}", "-m", "uci_engine"), OWN_LIMITS, *limited(level)]
