"""What a game needs of a player, whatever protocol it speaks."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Protocol

from uci_engine import Board
from uci_engine.arena.clock import Clock
from uci_engine.arena.process import EngineError, EngineProcess
from uci_engine.arena.spec import EngineSpec


@dataclass
class Answer:
    """A move in UCI's notation and what the engine said about it. Scores are the mover's."""

    move: str
    used_ns: int
    ponder: str = ""
    score: int | None = None  # centipawns
    mate: int | None = None
    depth: int | None = None
    nodes: int | None = None
    resigns: bool = False


@dataclass
class Situation:
    """The game so far, as a player is told about it."""

    fen: str
    standard_start: bool
    chess960: bool
    moves: list[str]
    board: Board  # after the moves
    white_to_move: bool
    white_clock: Clock
    black_clock: Clock

    @property
    def clock(self) -> Clock:
        return self.white_clock if self.white_to_move else self.black_clock

    @property
    def other_clock(self) -> Clock:
        return self.black_clock if self.white_to_move else self.white_clock


class Player(Protocol):
    """Every method may raise EngineError; the player is then closed and started afresh."""

    missing: list[str]  # shared options that it does not have

    def start(self) -> None: ...
    def new_game(self, situation: Situation) -> None: ...
    def play(self, situation: Situation) -> Answer: ...
    def ponder(self, situation: Situation) -> None: ...
    def end_game(self, result: str) -> None: ...
    def kill(self) -> None: ...
    def close(self) -> None: ...


class PipePlayer:
    """A player that is a process: what the protocols have in common."""

    def __init__(self, spec: EngineSpec) -> None:
        self.spec = spec
        self.process: EngineProcess | None = None
        self.id_name = ""
        self.options: dict[str, str] = {}  # lower-case name: name as the engine spells it
        self.missing: list[str] = []

    def start_process(self) -> None:
        try:
            self.process = EngineProcess(self.spec.command, self.spec.directory)
        except OSError as error:
            place = error.filename or self.spec.command[0]
            raise EngineError("does not start", f"{place}: {error.strerror}") from None

    def send(self, line: str) -> None:
        assert self.process is not None
        self.process.write(line.encode() + b"\n")

    def read(self, deadline_ns: int, wanted: str) -> bytes:
        assert self.process is not None
        line = self.process.read_line(deadline_ns)
        if line is None:
            raise EngineError("hang", f"no {wanted} in time")
        return line

    def time_limit_ns(self, clock: Clock) -> int:
        """How long to wait for a move before it is asked to stop."""
        allowed = clock.allowed_ns()
        timeout = self.spec.move_timeout_ms * 1_000_000
        return timeout if allowed is None else min(allowed, timeout)

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()

    def close(self) -> None:
        if self.process is not None:
            self.process.close(b"quit\n")
            self.process = None


def deadline_after(milliseconds: int) -> int:
    return time.monotonic_ns() + milliseconds * 1_000_000
