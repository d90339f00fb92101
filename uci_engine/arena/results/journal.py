"""The journal of a tournament: a line of JSON for its description, then one for each game.

A line is appended in one write when its game has ended, so a runner that is killed loses no
finished game; at most its last line is torn, and a torn line is cut off when it is read again.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from uci_engine.arena.results.json_values import rebuild
from uci_engine.arena.results.record import GameRecord
from uci_engine.files import replacement

BLOCK = 1 << 16
FORMAT = "cythera tournament 1"


class Journal:
    format = FORMAT

    def __init__(self, path: Path, handle: int) -> None:
        self.path = path
        self.handle = handle

    @classmethod
    def create(cls, path: Path, description: dict[str, Any]) -> Journal:
        """A new file; it is an error if there is one already. It appears with its first line
        complete, so that a run which is killed right now can be resumed or begun anew."""
        journal = cls.begin(path)
        journal.append({"format": cls.format} | description)
        try:
            os.link(replacement(path), path)
        finally:
            os.unlink(replacement(path))
        return journal

    @classmethod
    def begin(cls, path: Path) -> Journal:
        """Beside its place, locked."""
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_TRUNC
        handle = os.open(replacement(path), flags, 0o666)
        journal = cls(path, handle)
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return journal

    @classmethod
    def reopen(cls, path: Path) -> Journal:
        """A file to go on with; nothing in it is changed yet."""
        journal = cls(path, os.open(path, os.O_RDWR | os.O_APPEND))
        journal.lock()
        return journal

    def cut_torn_line(self) -> None:
        """What a killed runner left half written."""
        os.ftruncate(self.handle, end_of_last_line(self.handle))

    def rewrite(self, description: dict[str, Any], records: Iterable[GameRecord]) -> Journal:
        """With another description; the old file is there until the new one is complete."""
        journal = type(self).begin(self.path)
        journal.append({"format": self.format} | description)
        for record in records:
            journal.add(record)
        os.replace(replacement(self.path), self.path)
        self.close()
        return journal

    def lock(self) -> None:
        """Two runners would play the same games into the same file, or one into a file that the
        other has just replaced."""
        try:
            fcntl.flock(self.handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            is_ours = os.path.samestat(os.fstat(self.handle), os.stat(self.path))
        except BlockingIOError:
            is_ours = False
        if not is_ours:
            raise ValueError(f"{self.path}: another run is writing to it")

    def append(self, value: dict[str, Any]) -> None:
        line = json.dumps(value, separators=(",", ":")).encode() + b"\n"
        while line:
            line = line[os.write(self.handle, line) :]

    def add(self, record: GameRecord) -> None:
        self.append(asdict(record))

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
            except (ValueError, RecursionError):
                value = None
            if not isinstance(value, dict):
                raise ValueError(f"{path}, line {number}: not a line of a journal")
            yield number, value


@contextlib.contextmanager
def at_line(path: Path, number: int) -> Iterator[None]:
    """What is found wrong with a line is told with its place."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{path}, line {number}: {error}") from None


def read_description(path: Path) -> dict[str, Any]:
    for _, value in read_lines(path):
        if value.pop("format", None) != FORMAT:
            break
        return value
    raise ValueError(f"{path}: not the journal of a tournament")


def read_records(path: Path) -> Iterator[tuple[int, GameRecord]]:
    """The finished games with their lines, one at a time: a long tournament does not fit in
    memory."""
    for number, value in read_lines(path):
        if number == 1:
            continue
        with at_line(path, number):
            record = rebuild(GameRecord, value, "the game")
        yield number, record


def read_games(path: Path) -> Iterator[GameRecord]:
    return (record for _, record in read_records(path))
