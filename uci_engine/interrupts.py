"""Ctrl-C, as every command hears it: noted, never raised where it happens to come.

An exception in the midst of threading's own code, where a thread is started or waited for, may
leave a lock taken for good. So the work is done by other threads, and the main thread waits for
them and looks at what was noted.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

EXIT_CODE = 130  # of a command that was interrupted
DELAY_S = 0.05  # how long an interruption may go unnoticed


def obey_while_reading(leave: Callable[[], object]) -> None:
    """From now on Ctrl-C ends a program whose main thread waits for input.

    Python would only note it there: if another thread was running, or if the wait began a moment
    later, nothing wakes the wait up. So the signal itself is written to a pipe, and a thread that
    reads it leaves.
    """
    import signal
    import threading

    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing)

    def wait() -> None:
        os.read(reading, 1)
        leave()

    with contextlib.suppress(RuntimeError):  # no memory for a thread; Python's own way has to do
        threading.Thread(target=wait, daemon=True).start()


class Interrupts:
    """A block in which Ctrl-C is noted, and other signals if they are to mean the same."""

    def __init__(self, *others: int, end: float | None = None) -> None:
        self.others = others
        self.end = end
        self.count = 0
        self.before: dict[int, Any] = {}

    def __enter__(self) -> Interrupts:
        import signal
        import threading

        if threading.current_thread() is threading.main_thread():  # no other can set handlers
            # What is ignored stays so: under nohup the end of the terminal is nobody's business.
            others = [n for n in self.others if signal.getsignal(n) is not signal.SIG_IGN]
            for number in (signal.SIGINT, *others):
                self.before[number] = signal.signal(number, self.note)
        return self

    def __exit__(self, *_: object) -> None:
        import signal

        for number, handler in self.before.items():
            signal.signal(number, handler)

    def note(self, *_: object) -> None:
        self.count += 1

    def check(self) -> None:
        """Raise what was noted: here it can do no harm."""
        if self.has_to_end:
            raise KeyboardInterrupt

    @property
    def has_to_end(self) -> bool:
        return self.count > 0 or (self.end is not None and time.monotonic() >= self.end)

    def watch(
        self,
        wait: Callable[[float], bool],
        stop: Callable[[], object],
        meanwhile: Callable[[], object] = lambda: None,
    ) -> bool:
        """Wait for the work of other threads; False if it was interrupted, and stopped for that.

        `wait` waits so many seconds and tells whether the work has ended. Work that does not want
        to stop is left by a second Ctrl-C.
        """
        while not wait(DELAY_S):
            if self.has_to_end:
                stop()
                self.leave_when_asked_again(wait)
                return False
            meanwhile()
        return True

    def leave_when_asked_again(self, wait: Callable[[float], bool]) -> None:
        asked = self.count
        while not wait(DELAY_S):
            if self.count > asked:
                raise KeyboardInterrupt
