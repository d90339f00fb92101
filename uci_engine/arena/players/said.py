"""Numbers that engines say: bounded where they are read, so that no engine can spoil a file."""

from __future__ import annotations

import re

MATE_SCORE = 100_000  # centipawns, where a mate must be a score
# Nothing beyond these is believed.
MOST_SCORE = MATE_SCORE - 1
LONGEST_MATE = 1_000
MOST_DEPTH = 1_000
MOST_NODES = 2**60
NUMBER = re.compile(rb"[+-]?[0-9]+")
LONGEST_NUMBER = 20  # digits: a number of more is out of every range


def bounded(word: bytes, low: int, high: int) -> int:
    """The nearest number in a range to the one that an engine wrote; a ValueError if it is none."""
    if NUMBER.fullmatch(word) is None:
        raise ValueError("not a whole number")
    if len(word) > LONGEST_NUMBER:
        return low if word.startswith(b"-") else high
    return min(max(int(word), low), high)
