"""A light UCI client: as little work as possible between an engine's line and the next one."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from itertools import pairwise

from uci_engine.arena.players.declared_options import DeclaredOption, parse_uci_option
from uci_engine.arena.players.player import Answer, PipePlayer, Situation, deadline_after
from uci_engine.arena.players.process import EngineError
from uci_engine.arena.players.said import (
    LONGEST_MATE,
    MOST_DEPTH,
    MOST_NODES,
    MOST_SCORE,
    bounded,
)
from uci_engine.arena.players.spec import EngineSpec

BOUNDS = (b" lowerbound", b" upperbound")


class UciPlayer(PipePlayer):
    def __init__(self, spec: EngineSpec) -> None:
        super().__init__(spec)
        self.chess960 = False
        self.pondering = ""  # the position line that the engine is thinking about
        # Who wants to see info lines as they come, with the time since `go` in nanoseconds.
        self.on_info: Callable[[bytes, int], None] | None = None

    # Starting and ending

    def start(self) -> None:
        self.start_process()
        self.chess960 = False
        self.pondering = ""
        deadline = deadline_after(self.spec.start_timeout_ms)
        self.send("uci")
        while True:
            line = self.read(deadline, "uciok")
            if line.startswith(b"uciok"):
                break
            text = line.decode("utf-8", "replace").strip()
            option = parse_uci_option(text)
            if option is not None:
                self.declare(option, text)
        if self.spec.ponder:
            self.switch("Ponder", True)
        self.send_options()
        self.wait_ready()

    def set_option(self, option: DeclaredOption, value: str) -> None:
        words = f"setoption name {option.name}"
        self.send(f"{words} value {value}" if value else words)

    def switch(self, name: str, value: bool) -> bool:
        """False when the engine has no such option."""
        option = self.find_option(name)
        if option is not None:
            self.set_option(option, "true" if value else "false")
        return option is not None

    def close(self) -> None:
        self.pondering = ""
        super().close()

    # Playing

    def wait_ready(self) -> None:
        self.send("isready")
        deadline = deadline_after(self.spec.start_timeout_ms)
        while not self.read(deadline, "readyok").startswith(b"readyok"):
            pass

    def new_game(self, situation: Situation) -> None:
        if situation.chess960 != self.chess960:
            if not self.switch("UCI_Chess960", situation.chess960):
                raise EngineError("bad option", "it has no option 'UCI_Chess960'")
            self.chess960 = situation.chess960
        self.send("ucinewgame")
        self.wait_ready()

    def play(self, situation: Situation) -> Answer:
        """The engine's move: the clock runs from the write of `go` to the read of `bestmove`."""
        assert self.process is not None
        position = position_line(situation)
        clock = situation.clock
        if self.pondering and self.pondering == position:
            command = "ponderhit\n"
        else:
            self.stop_pondering()
            self.process.discard_input()
            command = f"{position}\n{go_line(situation)}\n"
        self.pondering = ""
        start = time.monotonic_ns()
        self.process.write(command.encode())
        return self.read_answer(start, self.time_limit_ns(clock))

    def read_answer(self, start: int, limit_ns: int) -> Answer:
        """Wait for `bestmove`. One that comes too late still counts as an answer: the caller
        sees by its time that it was late, and the engine need not be killed."""
        process = self.process
        assert process is not None
        exact, last = b"", b""
        deadline = start + limit_ns
        stopped = False
        while True:
            line = process.read_line(deadline)
            if line is None:
                if stopped:
                    raise EngineError("hang", "no bestmove, not even after stop")
                stopped = True
                deadline = deadline_after(self.spec.stop_grace_ms)
                self.send("stop")
            elif line.startswith(b"bestmove"):
                break
            elif b" score " in line:
                last = line
                if self.on_info is not None:
                    self.on_info(line, process.arrived_ns - start)
                if not (BOUNDS[0] in line or BOUNDS[1] in line or later_pv(line)):
                    exact = line
        words = line.decode("utf-8", "replace").split()
        answer = Answer(words[1] if len(words) > 1 else "", process.arrived_ns - start)
        answer.stopped = stopped
        if len(words) > 3 and words[2] == "ponder":
            answer.ponder = words[3]
        read_info(exact or last, answer)
        return answer

    def ponder(self, situation: Situation) -> None:
        """Think about the position that the expected reply would give."""
        self.pondering = position_line(situation)
        self.send(f"{self.pondering}\n{go_line(situation, ponder=True)}")

    def stop_pondering(self) -> None:
        if not self.pondering:
            return
        self.pondering = ""
        self.send("stop")
        deadline = deadline_after(self.spec.stop_grace_ms)
        while not self.read(deadline, "bestmove after stop").startswith(b"bestmove"):
            pass

    def end_game(self, result: str) -> None:
        with contextlib.suppress(EngineError):  # the next game will notice
            self.stop_pondering()


def later_pv(line: bytes) -> bool:
    return b" multipv " in line and b" multipv 1 " not in line


def position_line(situation: Situation) -> str:
    start = "startpos" if situation.standard_start else f"fen {situation.fen}"
    moves = situation.moves
    return f"position {start} moves {' '.join(moves)}" if moves else f"position {start}"


def go_line(situation: Situation, ponder: bool = False) -> str:
    """All limits of the side to move; the other side's clock when there is one."""
    control = situation.clock.control
    parts = ["go ponder" if ponder else "go"]
    white, black = situation.white_clock, situation.black_clock
    if control.has_clock:
        for letter, clock in (("w", white), ("b", black)):
            if clock.control.has_clock:
                parts.append(f"{letter}time {clock.left_ms}")
        for letter, clock in (("w", white), ("b", black)):
            if clock.control.has_clock and clock.control.increment_ms:
                parts.append(f"{letter}inc {clock.control.increment_ms}")
        if control.moves:
            parts.append(f"movestogo {situation.clock.moves_to_go}")
    if control.movetime_ms:
        parts.append(f"movetime {control.movetime_ms}")
    if control.nodes:
        parts.append(f"nodes {control.nodes}")
    if control.depth:
        parts.append(f"depth {control.depth}")
    return " ".join(parts) if control.limits_something else f"{parts[0]} infinite"


def read_info(line: bytes, answer: Answer) -> None:
    """Score, depth and nodes of an info line. Nonsense in it is passed over."""
    words = line.split()
    for key, value in pairwise(words):
        if key == b"pv":
            break
        try:
            if key == b"depth":
                answer.depth = bounded(value, 0, MOST_DEPTH)
            elif key == b"nodes":
                answer.nodes = bounded(value, 0, MOST_NODES)
            elif key == b"cp":
                answer.score = bounded(value, -MOST_SCORE, MOST_SCORE)
            elif key == b"mate":
                answer.mate = bounded(value, -LONGEST_MATE, LONGEST_MATE)
        except ValueError:
            continue
