"""Ctrl-C and SIGTERM, held back where something must be done in full."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType


class Shield:
    """A block in which an interruption waits for the block's end. One for the whole process,
    since signals are, too; blocks may be nested."""

    def __init__(self) -> None:
        self.depth = 0
        self.pending = False

    def install(self) -> None:
        """From now on SIGTERM does what Ctrl-C does: end the engines, keep the results."""
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, self.interrupt)
            signal.signal(signal.SIGTERM, self.interrupt)

    def interrupt(self, number: int, frame: FrameType | None) -> None:
        if self.depth:
            self.pending = True
        else:
            raise KeyboardInterrupt

    def __enter__(self) -> None:
        self.depth += 1

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.depth -= 1
        if self.pending and not self.depth:
            self.pending = False
            raise KeyboardInterrupt


SHIELD = Shield()
