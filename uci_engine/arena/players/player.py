"""What a game needs of a player, whatever protocol it speaks."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from uci_engine import Board
from uci_engine.arena.players.clock import Clock
from uci_engine.arena.players.declared_options import DeclaredOption
from uci_engine.arena.players.process import LONGEST_LINE, EngineError, EngineProcess
from uci_engine.arena.players.spec import EngineSpec


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
    stopped: bool = False  # it had to be told to move


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
        self.options: dict[str, DeclaredOption] = {}  # by lower-case name
        self.declared = 0  # letters of them
        self.missing: list[str] = []

    def start_process(self) -> None:
        self.options, self.declared = {}, 0
        try:
            self.process = EngineProcess(self.spec.command, self.spec.directory)
        except OSError as error:
            place = error.filename or self.spec.command[0]
            raise EngineError("does not start", f"{place}: {error.strerror}") from None
        except ValueError as error:  # a name that no file can have
            raise EngineError("does not start", str(error)) from None

    def send(self, line: str) -> None:
        assert self.process is not None
        self.process.write(line.encode("utf-8", "surrogateescape") + b"\n")

    def send_options(self) -> None:
        wanted, self.missing = settle_options(self.spec, self.find_option)
        for option, value in wanted:
            self.set_option(option, option.spell(value))
        for line in self.spec.init_strings:
            self.send(line)

    def declare(self, option: DeclaredOption, text: str) -> None:
        """Keep what the engine says of an option; no engine has so many that they fill memory."""
        self.declared += len(text)
        if self.declared > LONGEST_LINE:
            raise EngineError("protocol", "it declares options without end")
        self.options[option.name.lower()] = option

    def find_option(self, name: str) -> DeclaredOption | None:
        return self.options.get(name.lower())

    def set_option(self, option: DeclaredOption, value: str) -> None:
        raise NotImplementedError

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


def settle_options(
    spec: EngineSpec, find: Callable[[str], DeclaredOption | None]
) -> tuple[list[tuple[DeclaredOption, str]], list[str]]:
    """What to set, in order, and what the engine lacks of that which all were to have. Every value
    has been held against what the engine declares."""
    wanted, missing = [], []
    for name, value in spec.shared_options:
        if (option := find(name)) is None:
            missing.append(name)
        else:
            wanted.append((option, value))
    for name, value in spec.options:
        if (option := find(name)) is None:
            raise EngineError("bad option", f"it has no option {name!r}")
        wanted.append((option, value))
    for option, value in wanted:
        if trouble := option.check(value):
            raise EngineError("bad option", trouble)
    return wanted, missing


def deadline_after(milliseconds: int) -> int:
    return time.monotonic_ns() + milliseconds * 1_000_000
