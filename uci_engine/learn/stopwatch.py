"""Time that is written down while it passes."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable


class Stopwatch:
    """Tells the seconds as they pass: a killed program has lost a minute of them at most."""

    def __init__(self, spend: Callable[[float], None], every: float = 60.0) -> None:
        self.spend = spend
        self.every = every
        self.told = 0.0
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.watch, daemon=True)

    def __enter__(self) -> Stopwatch:
        self.told = time.monotonic()
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
        now = time.monotonic()
        self.spend(now - self.told)
        self.told = now
