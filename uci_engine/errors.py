"""How a program ends: what users can cause is one line and an exit code, never a traceback."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Callable, Sequence

from core_ext import NoCoreError
from uci_engine.interrupts import EXIT_CODE
from uci_engine.text import tame

LONGEST_MESSAGE = 1000  # characters: what was wrong may itself be the trouble


class ClosedOutput(io.TextIOBase):
    """The stdout of a program that was started without one: what can't arrive is an error, also at
    the end, should somebody have passed over it."""

    has_lost = False

    def write(self, text: str) -> int:
        self.has_lost = True
        return self.fileno()

    def flush(self) -> None:
        if self.has_lost:
            self.fileno()

    def fileno(self) -> int:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF), "stdout")


def run_quietly(command: Callable[[Sequence[str]], int], arguments: Sequence[str]) -> int:
    """Turn what users can cause into one line and an exit code."""
    replace_missing_streams()
    try:
        try:
            return command(arguments)
        finally:
            flush_output()
    except (ValueError, MemoryError, OSError, NoCoreError) as error:
        return tell_error(error)
    except KeyboardInterrupt:
        return EXIT_CODE


def tell_error(error: Exception) -> int:
    """In one line; the exit code."""
    if isinstance(error, BrokenPipeError):
        return 1  # the reader has gone; there is nobody left to tell
    print(f"cythera: {tame(describe(error), LONGEST_MESSAGE)}", file=sys.stderr)
    return 2


def lacking(what: str, package: str, extra: str) -> ValueError:
    """An optional package that is not here. The quotes are for zsh, to which brackets are a
    pattern; the environment of a checkout, which scripts/engine makes, is on nobody's path."""
    return ValueError(
        f"{what} needs the package {package}: pip install 'cythera[{extra}]'"
        f" (in a checkout: .venv/bin/pip install {package})"
    )


def replace_missing_streams() -> None:
    """Where a stream was closed at the start Python has None, which print() takes for stdout."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    if sys.stdout is None:
        sys.stdout = ClosedOutput()


def flush_output() -> None:
    """Here, where a failure is heard: at the end of the program Python would complain about it."""
    if sys.stdout is None:
        return
    try:
        sys.stdout.flush()
    except OSError as error:
        sys.stdout = None  # nor must what is left be tried once more at the end
        error.filename = error.filename or "stdout"
        raise


def describe(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror is not None:
        return error.strerror if error.filename is None else f"{error.filename}: {error.strerror}"
    return str(error) or type(error).__name__
