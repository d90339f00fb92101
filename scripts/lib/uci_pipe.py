"""A UCI engine behind a pipe, for the scripts that count with one or measure one."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Sequence

# Debian installs games here and leaves it off root's PATH.
PATH = os.environ.get("PATH", os.defpath) + os.pathsep + "/usr/games"
QUIT_SECONDS = 10


class EngineGone(OSError):
    """The engine ended, or closed its pipe, before it answered."""


def find_program(name: str) -> str | None:
    return shutil.which(name, path=PATH)


class UciPipe:
    """Use it in a `with` statement; an OSError says what is wrong with the program."""

    def __init__(self, command: Sequence[str]) -> None:
        self.name = command[0]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            errors="replace",
            bufsize=1,
        )

    def __enter__(self) -> UciPipe:
        return self

    def __exit__(self, *_: object) -> None:
        """By force if `quit` is not enough."""
        try:
            with contextlib.suppress(BrokenPipeError):
                self.process.communicate("quit\n", timeout=QUIT_SECONDS)
            self.process.wait(QUIT_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def send(self, line: str) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(line + "\n")
        except BrokenPipeError:
            raise EngineGone(f"{self.name} has gone before {line!r}") from None

    def ask(self, line: str, answer: str) -> str:
        """Send a line; the rest of the first line that begins with the answer."""
        self.send(line)
        assert self.process.stdout is not None
        for reply in self.process.stdout:
            if reply.startswith(answer):
                return reply.removeprefix(answer).strip()
        raise EngineGone(f"{self.name} has gone without an answer to {line!r}")
