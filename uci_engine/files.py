"""Files: read and written as a whole, and games in PGN."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    import chess.pgn

LONGEST_TEXT = 1 << 28  # of what is read as a whole


def refuse_device(path: str | os.PathLike[str]) -> None:
    """What is read from one has no end, what is written to it is lost."""
    if stat.S_ISCHR(mode := os.stat(path).st_mode) or stat.S_ISBLK(mode):
        raise ValueError(f"{os.fspath(path)}: a device, not a file")


def refuse_irregular(path: str | os.PathLike[str]) -> None:
    """What is replaced or read more than once. A pipe would be waited for without end, and where
    the new file takes the place of a device, other programs have lost it."""
    refuse_device(path)
    if not stat.S_ISREG(mode := os.stat(path).st_mode):
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
        raise ValueError(f"{os.fspath(path)}: a pipe or a socket, not a file")


def open_text(path: Path, errors: str = "strict") -> TextIO:
    """To be read. Other programs put a byte-order mark at the beginning."""
    refuse_device(path)
    return path.open(encoding="utf-8-sig", errors=errors)


def read_text(path: Path) -> str:
    with open_text(path) as lines:
        try:
            text = lines.read(LONGEST_TEXT + 1)
        except UnicodeDecodeError:
            raise ValueError(f"{path}: not a text file") from None
    if len(text) > LONGEST_TEXT:
        raise ValueError(f"{path}: more than {LONGEST_TEXT} characters")
    return text


def read_positions(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a file of positions with their numbers, without comments and empty ones."""
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            yield number, line


def read_games(path: Path) -> Iterator[chess.pgn.Game]:
    """The games of a PGN file; a ValueError names the one that can't be read."""
    import logging

    import chess.pgn

    logging.getLogger("chess.pgn").setLevel(logging.CRITICAL)  # it would tell errors as tracebacks
    number = 0
    with open_text(path, errors="replace") as text:
        while True:
            number += 1
            try:
                game = chess.pgn.read_game(text)
            except IndexError:  # python-chess stumbles over brackets in other kinds of text
                raise ValueError(f"{path}: not a PGN file") from None
            if game is None:
                return
            if game.errors:
                raise ValueError(f"{path}, game {number}: {game.errors[0]}")
            yield game


@contextlib.contextmanager
def errors_about(path: Path) -> Iterator[None]:
    """What fails in writing names no file, or one that only we know of."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def check_writable(path: Path) -> None:
    """For long work that writes at its end: an OSError at its beginning."""
    with errors_about(path):
        replacement(path).touch()
    replacement(path).unlink()


def check_name(name: str) -> None:
    if os.path.basename(name) in ("", ".", ".."):
        raise ValueError(f"{name!r} is no name that files could have")


@contextlib.contextmanager
def alone_with(path: Path, flags: int = os.O_RDONLY, lock: Path | None = None) -> Iterator[None]:
    """A file or folder that one program at a time may work on; ValueError for a second one. What is
    locked is the thing itself, or a file that stands for it."""
    lock = lock or path
    with errors_about(path):
        handle = os.open(lock, flags, 0o666)
    try:
        if not try_lock(handle, lock):
            raise ValueError(f"{path}: another run is writing to it")
        yield
    finally:
        os.close(handle)


def try_lock(handle: int, path: Path) -> bool:
    """False also if the run before removed the file just now: the next one would lock another."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.path.samestat(os.fstat(handle), os.stat(path))
    except (BlockingIOError, FileNotFoundError):
        return False


@contextlib.contextmanager
def alone_replacing(path: Path) -> Iterator[None]:
    """The same for a file that long work replaces at its end. It may not be there before, and its
    being there may mean that the work is done; so the lock is a file beside it."""
    check_replaceable(path)
    lock = path.with_name(path.name + ".lock")
    with alone_with(path, os.O_RDWR | os.O_CREAT, lock):
        try:
            yield
        finally:
            lock.unlink(missing_ok=True)


def check_replaceable(path: Path) -> None:
    """An error if no file could take its place."""
    check_name(str(path))
    if path.exists():
        refuse_irregular(path)


def replacement(path: Path) -> Path:
    """Where the new text is until it is complete. An error if no file could take its place."""
    check_replaceable(path)
    return path.with_name(path.name + ".new")


def replace_bytes(path: Path, data: bytes) -> None:
    """All of it or nothing: whenever the program is ended, the old file or the new one is there."""
    new = replacement(path)
    try:
        new.write_bytes(data)
        os.replace(new, path)
    finally:
        new.unlink(missing_ok=True)


def replace_text(path: Path, pieces: Iterable[str]) -> None:
    replace_bytes(path, "".join(pieces).encode())


def replace_json(path: Path, value: Any) -> None:
    replace_text(path, [json.dumps(value, indent=2), "\n"])
