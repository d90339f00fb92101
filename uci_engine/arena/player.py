"""What a game needs of a player, whatever protocol it speaks."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Protocol

from uci_engine.arena.clock import Clock


@dataclass
class Answer:
    """A move, as the engine wrote it, and what it said about it. Scores are the mover's."""

    move: str
    used_ns: int
    ponder: str = ""
    score: int | None = None  # centipawns
    mate: int | None = None
    depth: int | None = None
    nodes: int | None = None


@dataclass
class Situation:
    """The game so far, as a player is told about it."""

    fen: str
    standard_start: bool
    chess960: bool
    moves: list[str]
    white_to_move: bool
    white_clock: Clock
    black_clock: Clock

    @property
    def clock(self) -> Clock:
        return self.white_clock if self.white_to_move else self.black_clock


class Player(Protocol):
    """Every method may raise EngineError; the player is then closed and started afresh."""

    def start(self) -> None: ...
    def new_game(self, situation: Situation) -> None: ...
    def play(self, situation: Situation) -> Answer: ...
    def ponder(self, situation: Situation) -> None: ...
    def end_game(self, result: str) -> None: ...
    def kill(self) -> None: ...
    def close(self) -> None: ...


def deadline_after(milliseconds: int) -> int:
    return time.monotonic_ns() + milliseconds * 1_000_000
