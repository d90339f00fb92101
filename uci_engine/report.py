"""What the engine says: one locked, flushed write a line, and the lines about a search."""

from __future__ import annotations

import contextlib
import math
import os
import threading
import time
from collections.abc import Iterable, Sequence

from uci_engine.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from core_ext.core import Board, Move

# A burst for the first, quick iterations, then a steady rate: a GUI can't show more.
LINES_AT_ONCE = 30
LINES_PER_SECOND = 20

# The chance to win with a score of so many centipawns is 1 / (1 + exp((EVEN_CHANCE - score) /
# CHANCE_SLOPE)), the chance to lose is that of the other side; the rest are draws. Fitted to games
# by scripts/fit_chances.
EVEN_CHANCE = 129.0
CHANCE_SLOPE = 76.0


class Output:
    """Where lines go. Written to directly, because a reader may wait for each line."""

    def __init__(self, descriptor: int = 1) -> None:
        self.descriptor = descriptor
        self.lock = threading.Lock()
        self.log_descriptor: int | None = None

    def write(self, *lines: str) -> None:
        """Some lines, with nothing of another thread's between them."""
        data = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")
        with self.lock:
            self._log("<", lines)
            try:
                write_all(self.descriptor, data)
            except OSError:
                # The reader has gone. Nobody is left to tell, and the thread that reads stdin may
                # be waiting for good: this ends all threads.
                os._exit(0)

    def tell(self, message: object) -> None:
        """A remark for people; always one line."""
        self.write("info string " + " ".join(str(message).split()))

    def log_to(self, path: str) -> None:
        """Copy what is said and heard to a file from now on; an empty path ends that."""
        descriptor = None
        if path:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
        with self.lock:
            if self.log_descriptor is not None:
                os.close(self.log_descriptor)
            self.log_descriptor = descriptor

    def log_input(self, line: str) -> None:
        if self.log_descriptor is not None:
            with self.lock:
                self._log(">", [line])

    def _log(self, mark: str, lines: Iterable[str]) -> None:
        if self.log_descriptor is None:
            return
        stamp = f"{time.time():.3f}"
        text = "".join(f"{stamp} {mark} {line}\n" for line in lines)
        try:
            write_all(self.log_descriptor, text.encode("utf-8", "surrogateescape"))
        except OSError:  # a full disk must not end a game
            self.log_descriptor = None


def write_all(descriptor: int, data: bytes) -> None:
    while data:
        try:
            data = data[os.write(descriptor, data) :]
        except BlockingIOError:  # the other end made the pipe so, and is slow
            time.sleep(0.001)


class Line(Value):
    """One variation of a search, in the order in which its facts are told."""

    depth: int
    seldepth: int
    multipv: int
    score: int  # centipawns, from the mover's side
    mate: int | None
    bound: str  # "", "lowerbound" or "upperbound"
    nodes: int
    hashfull: int
    tbhits: int
    time_ms: int
    pv: Sequence[Move]

    def format(self, pv: Sequence[Move], show_wdl: bool) -> str:
        score = f"cp {self.score}" if self.mate is None else f"mate {self.mate}"
        if self.bound:
            score += f" {self.bound}"
        if show_wdl:
            score += " wdl {} {} {}".format(*win_draw_loss(self.score, self.mate))
        nps = self.nodes * 1000 // max(self.time_ms, 1)
        moves = " ".join(move.uci() for move in pv)
        return (
            f"info depth {self.depth} seldepth {self.seldepth} multipv {self.multipv}"
            f" score {score} nodes {self.nodes} nps {nps} hashfull {self.hashfull}"
            f" tbhits {self.tbhits} time {self.time_ms} pv {moves}"
        )

    def says_the_same(self, other: Line | None) -> bool:
        """Is it the same news, clock aside?"""
        return other is not None and self._replace(time_ms=0) == other._replace(time_ms=0)


def win_draw_loss(score: int, mate: int | None) -> tuple[int, int, int]:
    """Chances in permille; their sum is 1000."""
    if mate is not None:
        return (1000, 0, 0) if mate > 0 else (0, 0, 1000)
    win, loss = win_chance(score), win_chance(-score)
    return win, 1000 - win - loss, loss


def win_chance(score: int) -> int:
    exponent = (EVEN_CHANCE - score) / CHANCE_SLOPE
    return int(1000 / (1 + math.exp(min(exponent, 50.0))))


def format_no_move(board: Board) -> str:
    """The line for a position without a legal move."""
    return f"info depth 0 score {'mate' if board.is_check() else 'cp'} 0"


class Reporter:
    """Tells about one search: not too often, and no variation past the end of the game."""

    def __init__(self, output: Output, board: Board, show_wdl: bool) -> None:
        self.output = output
        self.board = board.copy()
        self.show_wdl = show_wdl
        self.waiting: dict[int, Line] = {}
        self.told: dict[int, Line] = {}
        self.best_pv: Sequence[Move] = ()  # as it was last told
        self.allowance = float(LINES_AT_ONCE)
        self.refilled = time.monotonic()

    def add(self, line: Line) -> None:
        """News; told at once unless there was too much of it lately."""
        self.waiting[line.multipv] = line
        now = time.monotonic()
        earned = (now - self.refilled) * LINES_PER_SECOND
        self.allowance = min(self.allowance + earned, LINES_AT_ONCE)
        self.refilled = now
        if self.allowance >= 1:
            self.flush()

    def flush(self) -> None:
        """Tell what has waited."""
        for number in sorted(self.waiting):
            self.tell(self.waiting[number])
        self.waiting.clear()

    def tell(self, line: Line) -> None:
        pv = cut_variation(self.board, line.pv)
        self.output.write(line.format(pv, self.show_wdl))
        self.allowance -= 1
        self.told[line.multipv] = line
        if line.multipv == 1:
            self.best_pv = pv

    def finish(self, best: Line) -> None:
        """The last word: after this the best line told is this one."""
        self.flush()
        if not best.says_the_same(self.told.get(1)):
            self.tell(best)


def cut_variation(board: Board, moves: Iterable[Move]) -> list[Move]:
    """The moves up to the one that ends the game. The board is the same afterwards."""
    played: list[Move] = []
    with contextlib.suppress(ValueError):  # a move that can't be played is not shown either
        for move in moves:
            board.push(move)
            played.append(move)
            if is_over(board):
                break
    for _ in played:
        board.pop()
    return played


def is_over(board: Board) -> bool:
    return (
        board.legal_count() == 0
        or board.is_repetition(3)
        or board.is_fifty_moves()
        or board.is_insufficient_material()
    )
