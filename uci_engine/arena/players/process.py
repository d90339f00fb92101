"""An engine's process and its pipes: lines out, lines in, with deadlines.

Written for low cost: one poll and one read per burst of lines, nothing decoded until it is needed.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import select
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence

from uci_engine.text import tame

CHUNK = 1 << 16
LONGEST_LINE = 1 << 20
MOST_LATE_BURSTS = 16
QUIT_SECONDS = 1.0
WRITE_SECONDS = 10.0
LONGEST_POLL_MS = 1 << 30  # poll() takes a C int; who waits for longer polls again


class EngineError(Exception):
    """An engine did what it must not do. `kind` is the reason that a result records."""

    def __init__(self, kind: str, detail: str) -> None:
        detail = tame(detail)  # it may quote what the engine said
        super().__init__(detail)
        self.kind = kind
        self.detail = detail


def find_prctl() -> Callable[..., int] | None:
    """Loaded here: between the fork and the engine there is no time for it."""
    if not sys.platform.startswith("linux"):
        return None
    prctl: Callable[..., int] | None = getattr(ctypes.CDLL(None), "prctl", None)
    return prctl


PRCTL = find_prctl()
PR_SET_PDEATHSIG = 1


def die_with(parent: int) -> None:
    """In the new process: however the runner ends, no engine outlives it that does not care for the
    end of its input. For Linux the parent is the thread that starts the engine, and that thread
    also closes it."""
    if PRCTL is not None:
        PRCTL(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it has ended already
            os._exit(1)


class EngineProcess:
    """Times are nanoseconds of time.monotonic_ns()."""

    def __init__(self, command: Sequence[str], directory: str | None) -> None:
        # Its own session: Ctrl-C is for the runner, which then ends its engines; and the whole
        # group can be killed when the command is a wrapper script.
        self.child = subprocess.Popen(
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            cwd=directory,
            start_new_session=True,
            preexec_fn=functools.partial(die_with, os.getpid()),
        )
        assert self.child.stdin is not None
        assert self.child.stdout is not None
        self.input = self.child.stdin.fileno()
        self.output = self.child.stdout.fileno()
        os.set_blocking(self.input, False)
        os.set_blocking(self.output, False)
        self.readable = select.poll()
        self.readable.register(self.output, select.POLLIN)
        self.lines: deque[bytes] = deque()
        self.partial = b""
        self.arrived_ns = 0  # when the last burst of lines was read
        self.closed = False

    def write(self, data: bytes) -> None:
        try:
            written = os.write(self.input, data)
        except BlockingIOError:
            written = 0
        except OSError:
            raise EngineError("crash", self.epitaph()) from None
        if written < len(data):
            self.write_slowly(data[written:])

    def write_slowly(self, data: bytes) -> None:
        """The pipe is full: the engine is not reading."""
        deadline = time.monotonic() + WRITE_SECONDS
        writable = select.poll()
        writable.register(self.input, select.POLLOUT)
        while data:
            left = deadline - time.monotonic()
            if left <= 0 or not writable.poll(left * 1000):
                raise EngineError("hang", "it does not read its input")
            try:
                data = data[os.write(self.input, data) :]
            except BlockingIOError:
                continue
            except OSError:
                raise EngineError("crash", self.epitaph()) from None

    def read_line(self, deadline_ns: int | None) -> bytes | None:
        """The next line without its end, or None when the deadline comes first."""
        while not self.lines:
            if deadline_ns is None:
                wait_ms = None
            else:
                left = deadline_ns - time.monotonic_ns()
                if left < 0:
                    return None
                wait_ms = min(left // 1_000_000 + 1, LONGEST_POLL_MS)
            if self.readable.poll(wait_ms):
                self.fill()
        return self.lines.popleft()

    def fill(self) -> None:
        """Read what is there. Waits only if nothing is."""
        try:
            chunk = os.read(self.output, CHUNK)
        except BlockingIOError:
            return
        except OSError:
            chunk = b""
        if not chunk:
            raise EngineError("crash", self.epitaph())
        self.arrived_ns = time.monotonic_ns()
        parts = (self.partial + chunk).split(b"\n")
        self.partial = parts.pop()
        if len(self.partial) > LONGEST_LINE:
            raise EngineError("protocol", f"it wrote a line of more than {LONGEST_LINE} bytes")
        self.lines.extend(parts)

    def discard_input(self) -> None:
        """Forget lines that came late: they answer nothing any more."""
        self.lines.clear()
        for _ in range(MOST_LATE_BURSTS):  # one that never stops writing must not hold us up
            if not self.readable.poll(0):
                break
            self.fill()
            self.lines.clear()

    def epitaph(self) -> str:
        """How the process ended, in words."""
        try:
            code = self.child.wait(QUIT_SECONDS)
        except subprocess.TimeoutExpired:
            return "it closed its output"
        if code < 0:
            with contextlib.suppress(ValueError):
                return f"it was ended by {signal.Signals(-code).name}"
        return f"it ended with exit code {code}"

    def kill(self) -> None:
        """May be called from another thread; the reader then meets the end of the output."""
        if self.child.returncode is None:  # else the number may belong to another by now
            with contextlib.suppress(OSError):
                os.killpg(self.child.pid, signal.SIGKILL)

    def close(self, farewell: bytes = b"") -> None:
        """Let it go, by force if it will not."""
        if self.closed:
            return
        self.closed = True
        if farewell:
            with contextlib.suppress(EngineError, OSError):
                os.write(self.input, farewell)
        assert self.child.stdin is not None
        assert self.child.stdout is not None
        with contextlib.suppress(OSError):
            self.child.stdin.close()
        try:
            self.child.wait(QUIT_SECONDS if farewell else 0)
        except subprocess.TimeoutExpired:
            self.kill()
            self.child.wait()
        self.child.stdout.close()
