"""Time that is written down while it passes."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable


def machine_time(threads: int) -> float:
    """Seconds in which so many threads do what this program and its children have done so far.
    A program that was stopped, or shared its processors, has not used them."""
    times = os.times()
    used = times.user + times.system + times.children_user + times.children_system
    return used / threads


class Stopwatch:
    """Tells the seconds as they pass: a killed program has lost a minute of them at most."""

    def __init__(
        self,
        spend: Callable[[float], None],
        every: float = 60.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.spend = spend
        self.clock = clock
        self.every = every
        self.told = 0.0
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.watch, daemon=True)

    def __enter__(self) -> Stopwatch:
        self.told = self.clock()
        self.spend(0.0)  # what can't be written is said before the work
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self.thread.join()
        self.tell()

    def watch(self) -> None:
        while not self.ended.wait(self.every):
            with contextlib.suppress(OSError, ValueError):  # the end will tell
                self.tell()

    def tell(self) -> None:
        now = self.clock()
        self.spend(now - self.told)
        self.told = now
