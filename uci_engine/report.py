"""What the engine says: one locked, flushed write a line, and the lines about a search."""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence

from uci_engine.errors import LONGEST_MESSAGE
from uci_engine.rules import cut_variation
from uci_engine.searching import say_the_same
from uci_engine.text import tame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from core_ext.core import Board, Move, SearchInfo

# A burst for the first, quick iterations, then a steady rate: a GUI can't show more.
LINES_AT_ONCE = 30
LINES_PER_SECOND = 20
LONGEST_WAIT_S = 0.5  # of a block, however many lines went out before it
LEAST_ALLOWANCE = 1 - LONGEST_WAIT_S * LINES_PER_SECOND

# The chance to win with a score of so many centipawns is 1 / (1 + exp((EVEN_CHANCE - score) /
# CHANCE_SLOPE)), the chance to lose is that of the other side; the rest are draws. Fitted to games
# by scripts/fit_chances.
EVEN_CHANCE = 118.0
CHANCE_SLOPE = 72.0


class Output:
    """Where lines go. Written to directly, because a reader may wait for each line."""

    def __init__(
        self, descriptor: int = 1, fail: Callable[[OSError], object] | None = None
    ) -> None:
        self.descriptor = descriptor
        self.fail = fail  # what a thread that can't write does, if there is more than to raise
        self.lock = threading.Lock()
        self.log_descriptor: int | None = None

    def write(self, *lines: str) -> None:
        """Some lines, with nothing of another thread's between them."""
        data = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")
        with self.lock:
            self._log("<", lines)
            try:
                write_all(self.descriptor, data)
            except OSError as error:
                if self.fail is None:
                    raise
                self.fail(error)

    def tell(self, message: object) -> None:
        """A remark for people; always one line."""
        self.write("info string " + tame(" ".join(str(message).split()), LONGEST_MESSAGE))

    def warn(self, message: object) -> None:
        """What is wrong although there is an answer."""
        self.tell(message)

    def log_to(self, path: str) -> None:
        """Copy what is said and heard to a file from now on; an empty path ends that."""
        descriptor = None
        if path:
            # Without waiting, should it be a pipe: for somebody to read it, or for room in it.
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NONBLOCK
            descriptor = os.open(path, flags, 0o666)
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
        data = "".join(f"{stamp} {mark} {line}\n" for line in lines)
        left = data.encode("utf-8", "surrogateescape")
        try:
            while left:
                left = left[os.write(self.log_descriptor, left) :]
        except OSError:  # a full disk, or a full pipe, must not end a game
            os.close(self.log_descriptor)
            self.log_descriptor = None


def write_all(descriptor: int, data: bytes) -> None:
    while data:
        try:
            data = data[os.write(descriptor, data) :]
        except BlockingIOError:  # the other end made the pipe so, and is slow
            time.sleep(0.001)


def format_info(info: SearchInfo, pv: Sequence[Move], show_wdl: bool) -> str:
    """The line about a variation, which may have been cut."""
    score = f"cp {info.score}" if info.mate is None else f"mate {info.mate}"
    if info.bound:
        score += f" {info.bound}"
    if show_wdl:
        score += " wdl {} {} {}".format(*win_draw_loss(info.score, info.mate))
    nps = info.nodes * 1000 // max(info.time_ms, 1)
    moves = " ".join(move.uci() for move in pv)
    return (
        f"info depth {info.depth} seldepth {info.seldepth} multipv {info.multipv}"
        f" score {score} nodes {info.nodes} nps {nps} hashfull {info.hashfull}"
        f" tbhits {info.tbhits} time {info.time_ms} pv {moves}"
    )


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
    """Tells about one search: not too often, and no variation past the end of the game.

    What comes is a block, the lines of one depth. It is told whole or not at all; the newest one
    that had to wait is told as soon as it may be, whether or not something follows.
    """

    def __init__(self, output: Output, board: Board, show_wdl: bool) -> None:
        self.output = output
        self.board = board.copy()
        self.show_wdl = show_wdl
        self.lock = threading.Lock()  # held while what follows is changed
        self.waiting: Sequence[SearchInfo] = ()
        self.told: Sequence[SearchInfo] = ()
        self.best_pv: Sequence[Move] = ()  # as it was last told
        self.allowance = float(LINES_AT_ONCE)
        self.refilled = time.monotonic()
        self.timer: threading.Timer | None = None

    def add(self, block: Sequence[SearchInfo]) -> None:
        """News; told at once unless there was too much of it lately."""
        with self.lock:
            self.waiting = block
            now = time.monotonic()
            earned = (now - self.refilled) * LINES_PER_SECOND
            self.allowance = min(self.allowance + earned, LINES_AT_ONCE)
            self.refilled = now
            if self.allowance >= 1:
                self._flush()
            elif self.timer is None:
                self._tell_in((1 - self.allowance) / LINES_PER_SECOND)

    def finish(self, block: Sequence[SearchInfo]) -> None:
        """The last word: after this the lines told last are these."""
        with self.lock:
            if self.timer is not None:
                self.timer.cancel()
            if not say_the_same(block, self.waiting or self.told):
                self.waiting = block
            self._flush()

    def _tell_in(self, seconds: float) -> None:
        self.timer = threading.Timer(seconds, self._wake)
        self.timer.daemon = True
        try:
            self.timer.start()
        except RuntimeError:  # no memory for a thread; it goes out with what comes next
            self.timer = None

    def _wake(self) -> None:
        with self.lock:
            self.timer = None
            self._flush()

    def _flush(self) -> None:
        """Tell what has waited."""
        if not self.waiting:
            return
        variations = [cut_variation(self.board, info.pv) for info in self.waiting]
        self.output.write(
            *(
                format_info(info, pv, self.show_wdl)
                for info, pv in zip(self.waiting, variations, strict=True)
            )
        )
        self.allowance = max(self.allowance - len(self.waiting), LEAST_ALLOWANCE)
        self.told, self.waiting = self.waiting, ()
        self.best_pv = variations[0]
