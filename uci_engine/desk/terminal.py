"""The person's side of a game in a terminal or a pipe: lines in, lines out, Ctrl-C and Ctrl-D.

While a line is read Ctrl-C is raised, and the end of a time is; at any other moment Ctrl-C is only
noted. A line is edited with readline where there is a terminal and this Python has it.
"""

from __future__ import annotations

import contextlib
import enum
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence

from uci_engine.errors import LONGEST_MESSAGE
from uci_engine.interrupts import Interrupts
from uci_engine.text import tame

LONGEST_LINE = 4096  # bytes; the rest of a longer one is passed over
# A signal that comes just before a wait begins is noted and wakes nobody up. A timer that goes off
# again and again does.
HEARTBEAT_S = 0.25
# In the history, which nobody needs here: readline 8.2 crashes there on bytes that are no UTF-8.
SEARCHES = (r"\C-r", r"\C-s", r"\ep", r"\en")
WIPE = "\r\x1b[K"


class Heard(enum.Enum):
    """What may come in place of a line."""

    END = "end of input"
    INTERRUPTED = "Ctrl-C"
    TIME_UP = "time is up"


class TimeUp(Exception):
    """The time to read a line in is over."""


class Listening(Interrupts):
    """Ctrl-C is raised while a line is read, and noted otherwise."""

    is_reading = False

    def note(self, *_: object) -> None:
        self.count += 1
        if self.is_reading:
            raise KeyboardInterrupt

    def forget(self) -> None:
        """What was noted has been obeyed."""
        self.count = 0


class Terminal:
    """Used in a `with`, in the main thread."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.has_keyboard = sys.stdin is not None and sys.stdin.isatty()
        self.is_interactive = self.has_keyboard and sys.stdout.isatty()
        self.can_wipe = self.is_interactive and environment.get("TERM", "") not in ("", "dumb")
        self.interrupts = Listening()
        self.deadline: float | None = None
        self.choices: Callable[[], Sequence[str]] = lambda: ()  # what Tab completes a word to

    def __enter__(self) -> Terminal:
        for stream in (sys.stdin, sys.stdout):
            with contextlib.suppress(AttributeError):  # a stream that is none, or not of text
                stream.reconfigure(errors="replace")  # type: ignore[union-attr]
        if self.is_interactive:
            with contextlib.suppress(ImportError):
                self.edit_lines()
        self.interrupts.__enter__()
        self.alarm_before = signal.signal(signal.SIGALRM, self.look_at_clock)
        return self

    def edit_lines(self) -> None:
        """By readline: `input` uses it from now on. An ImportError where there is none."""
        import readline

        readline.set_completer(self.complete)
        readline.set_completer_delims(" ")
        readline.parse_and_bind("tab: complete")
        for keys in SEARCHES:
            readline.parse_and_bind(f'"{keys}": redraw-current-line')

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self.alarm_before)
        self.interrupts.__exit__()

    # ---- out

    def write(self, *lines: str) -> None:
        print("\n".join(lines), flush=True)

    def warn(self, message: object) -> None:
        """A sentence aside, which may come while a remark is shown."""
        wipe = WIPE if self.can_wipe and sys.stderr.isatty() else ""
        sentence = tame(str(message), LONGEST_MESSAGE)
        print(f"{wipe}cythera: {sentence}", file=sys.stderr, flush=True)

    @contextlib.contextmanager
    def remark(self, text: str) -> Iterator[None]:
        """Shown while something is waited for, where it can be wiped out again."""
        if not self.can_wipe:
            yield
            return
        print(text, end="", flush=True)
        try:
            yield
        finally:
            print(WIPE, end="", flush=True)

    # ---- in

    def read(self, prompt: str, seconds: float | None = None) -> str | Heard:
        """A line without its end, within so many seconds."""
        self.deadline = None if seconds is None else time.monotonic() + seconds
        listening = self.interrupts
        try:
            listening.is_reading = True
            listening.check()
            signal.setitimer(signal.ITIMER_REAL, *self.beats(seconds))
            try:
                line = self.read_line(prompt)
            finally:
                listening.is_reading = False
                signal.setitimer(signal.ITIMER_REAL, 0)
            return line
        except (EOFError, OSError):  # the terminal may be gone, which some systems call an error
            return self.broken_off(Heard.END)
        except TimeUp:
            return self.broken_off(Heard.TIME_UP)
        except KeyboardInterrupt:
            listening.is_reading = False
            listening.forget()
            return self.broken_off(Heard.INTERRUPTED)

    def beats(self, seconds: float | None) -> tuple[float, float]:
        first = HEARTBEAT_S if seconds is None else min(max(seconds, 0.001), HEARTBEAT_S)
        return first, HEARTBEAT_S

    def look_at_clock(self, *_: object) -> None:
        if self.interrupts.is_reading and self.deadline is not None:
            left = self.deadline - time.monotonic()
            if left <= 0:
                raise TimeUp
            if left < HEARTBEAT_S:
                signal.setitimer(signal.ITIMER_REAL, left, HEARTBEAT_S)

    def read_line(self, prompt: str) -> str:
        if self.is_interactive:
            return input(prompt)
        if self.has_keyboard:
            print(prompt, end="", flush=True)
        if sys.stdin is None:
            raise EOFError
        stream = sys.stdin.buffer
        line = stream.readline(LONGEST_LINE)
        if not line:
            raise EOFError
        rest = line
        while len(rest) == LONGEST_LINE and not rest.endswith(b"\n"):
            rest = stream.readline(LONGEST_LINE)
        return line.decode(sys.stdin.encoding or "utf-8", "replace").rstrip("\r\n")

    def broken_off(self, heard: Heard) -> Heard:
        if self.has_keyboard:
            self.write("")  # the cursor stands behind the prompt
        return heard

    def complete(self, start: str, number: int) -> str | None:
        words = [word for word in self.choices() if word.startswith(start)]
        return words[number] if number < len(words) else None
