"""The journal of a tournament: a line of JSON for its description, then one for each game.

A line is appended in one write when its game has ended, so a runner that is killed loses no
finished game; at most its last line is torn, and a torn line is cut off when it is read again.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from uci_engine.arena.game import GameRecord

BLOCK = 1 << 16
FORMAT = "cythera tournament 1"


class Journal:
    def __init__(self, path: Path, handle: int) -> None:
        self.path = path
        self.handle = handle

    @classmethod
    def create(cls, path: Path, description: dict[str, Any]) -> Journal:
        """A new file; it is an error if there is one already. It appears with its first line
        complete, so that a run which is killed right now can be resumed or begun anew."""
        new = path.with_name(path.name + ".new")
        handle = os.open(new, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_TRUNC, 0o666)
        journal = cls(path, handle)
        journal.lock()
        journal.append({"format": FORMAT} | description)
        try:
            os.link(new, path)
        finally:
            os.unlink(new)
        return journal

    @classmethod
    def reopen(cls, path: Path) -> Journal:
        """Go on with a file, after cutting off what a killed runner left half written."""
        journal = cls(path, os.open(path, os.O_RDWR | os.O_APPEND))
        journal.lock()
        os.ftruncate(journal.handle, end_of_last_line(journal.handle))
        return journal

    def lock(self) -> None:
        """Two runners would play the same games into the same file."""
        try:
            fcntl.flock(self.handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ValueError(f"{self.path}: another run is writing to it") from None

    def append(self, value: dict[str, Any]) -> None:
        line = json.dumps(value, separators=(",", ":")).encode() + b"\n"
        while line:
            line = line[os.write(self.handle, line) :]

    def add(self, record: GameRecord) -> None:
        self.append(record.as_dict())

    def close(self) -> None:
        os.close(self.handle)


def end_of_last_line(handle: int) -> int:
    """Where the last complete line ends, found from the end of the file."""
    end = os.fstat(handle).st_size
    while end > 0:
        start = max(0, end - BLOCK)
        place = os.pread(handle, end - start, start).rfind(b"\n")
        if place >= 0:
            return start + place + 1
        end = start
    return 0


def read_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.endswith(b"\n"):
                return  # torn
            try:
                value = json.loads(line)
            except ValueError:
                value = None
            if not isinstance(value, dict):
                raise ValueError(f"{path}, line {number}: not a line of a tournament's journal")
            yield number, value


def read_description(path: Path) -> dict[str, Any]:
    for _, value in read_lines(path):
        if value.pop("format", None) != FORMAT:
            break
        return value
    raise ValueError(f"{path}: not the journal of a tournament")


def read_games(path: Path) -> Iterator[GameRecord]:
    """The finished games, one at a time: a long tournament does not fit in memory."""
    for number, value in read_lines(path):
        if number == 1:
            continue
        try:
            yield GameRecord(**value)
        except TypeError:
            raise ValueError(f"{path}, line {number}: not a game") from None
