"""Where a game is kept: written after each move as a whole, so that no end of the program loses it.

A file may hold other games, also such as come while this one is played; they stay as they are.
"""

from __future__ import annotations

import os
import shlex
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from uci_engine import pgn
from uci_engine.desk.sitting import UNFINISHED, Sitting
from uci_engine.errors import describe
from uci_engine.files import check_writable, replace_bytes
from uci_engine.text import tame

LARGEST_FILE = 1 << 25
LONGEST_PATH = 4096
PGN_BEGINS_WITH = b"[{;%0123456789*\xef"  # the last one is of a byte-order mark


class GameFile:
    """The place of one game in a file."""

    def __init__(self, path: Path, written: bytes = b"") -> None:
        self.path = Path(os.path.realpath(path))  # a link stays one
        self.written = written  # of this game, as it stands there

    def check(self) -> None:
        """An error if nothing could be written, or if the file is something else."""
        if self.path.exists() and not self.path.is_file():
            raise ValueError(f"{self.path}: not a file")
        check_pgn(self.path, self.read())
        check_writable(self.path)

    def save(self, sitting: Sitting) -> None:
        """An OSError or a ValueError leaves the file as it was."""
        text = sitting.pgn().encode()
        data = self.read()
        before, found, after = data.rpartition(self.written) if self.written else (b"", b"", b"")
        if not found:
            before, after = end_with_empty_line(data), b""
        check_pgn(self.path, before)
        replace_bytes(self.path, before + text + after)
        self.written = text

    def read(self) -> bytes:
        try:
            if self.path.stat().st_size > LARGEST_FILE:
                raise ValueError(f"{self.path}: too large to be written anew after each move")
            return self.path.read_bytes()
        except FileNotFoundError:
            return b""


def check_pgn(path: Path, data: bytes) -> None:
    start = data.lstrip()[:1]
    if start and start not in PGN_BEGINS_WITH:
        raise ValueError(f"{path}: not a PGN file")


def end_with_empty_line(data: bytes) -> bytes:
    if not data or data.endswith((b"\n\n", b"\n\r\n")):
        return data
    return data + (b"\n" if data.endswith(b"\n") else b"\n\n")


class Store:
    """Where the games of one person go: each to a file of its own in a folder, or to one file."""

    def __init__(
        self, folder: Path, file: GameFile | None = None, *, is_one_file: bool = False
    ) -> None:
        self.folder = folder
        self.is_one_file = is_one_file
        self.file = file
        self.problem = ""

    def begin_game(self) -> None:
        """The next one does not replace the last."""
        self.file = GameFile(self.file.path) if self.file and self.is_one_file else None

    def save(self, sitting: Sitting) -> str:
        """After each move. A sentence if it went wrong, once: the game goes on nevertheless."""
        if self.file is None and not sitting.turns:
            return ""  # nothing has been played
        problem = ""
        try:
            if self.file is None:
                self.file = new_game_file(self.folder)
            self.file.save(sitting)
        except (OSError, ValueError) as error:
            problem = f"The game can't be saved: {tame(describe(error))}."
        is_news, self.problem = problem != self.problem, problem
        return problem if is_news else ""

    def tell(self) -> list[str]:
        if self.problem or self.file is None:
            return [self.problem] if self.problem else []
        return [f"The game is saved in {tame(str(self.file.path), LONGEST_PATH)}"]

    def tell_continuation(self) -> list[str]:
        """How to go on with a game that is not over."""
        if self.problem or self.file is None:
            return []
        path = shlex.quote(tame(str(self.file.path), LONGEST_PATH))
        place = f" {path}" if self.is_one_file else ""
        return [f"Go on with it by: cythera play --continue{place}"]


# ---- the user's own folder


def games_folder(environment: Mapping[str, str]) -> Path:
    """As the freedesktop.org's base directories have it."""
    data = environment.get("XDG_DATA_HOME", "")
    if not os.path.isabs(data):
        data = os.path.expanduser("~/.local/share")
    if not os.path.isabs(data):  # a user without a home
        data = tempfile.gettempdir()
    return Path(data) / "cythera" / "games"


def new_game_file(folder: Path) -> GameFile:
    """A file of a name that no other game has."""
    folder.mkdir(parents=True, exist_ok=True)
    stem = time.strftime("%Y-%m-%d-%H%M%S")
    number = 0
    while True:
        path = folder / (f"{stem}-{number}.pgn" if number else f"{stem}.pgn")
        try:
            path.touch(exist_ok=False)
            return GameFile(path)
        except FileExistsError:
            number += 1


def newest_unfinished(folder: Path) -> Path:
    """The file whose game was played last."""
    paths = sorted(folder.glob("*.pgn"), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in paths:
        if any(game.result == UNFINISHED for game in pgn.read(path)):
            return path
    raise ValueError(f"there is no unfinished game in {folder}")


# ---- going on


def open_unfinished(path: Path) -> tuple[Sitting, GameFile]:
    """The last game of a file that has no result yet, and its place there."""
    if path.exists() and not path.is_file():
        raise ValueError(f"{path}: not a file")
    found: tuple[pgn.Game, bytes] | None = None
    for block, text, line in pgn.read_blocks(path, threads=1, numbers=True):
        for index in range(len(block)):
            if block.result(index) == UNFINISHED:
                game = pgn.make_game(block, index, annotated=False)
                first_line = line + text.count(b"\n", 0, block.start(index))
                game.problem = pgn.describe_problem(block, index, str(path), text, first_line)
                end = block.start(index + 1) if index + 1 < len(block) else len(text)
                found = game, text[block.start(index) : end]
    if found is None:
        raise ValueError(f"{path}: there is no unfinished game in it")
    sitting = Sitting.from_game(found[0])
    if sitting.is_over:
        raise ValueError(f"{path}: the game is over: {sitting.ending}")
    # What others have written, comments and all, stays; the game goes on in a copy behind it.
    is_ours = sitting.pgn().encode().strip() == found[1].strip()
    return sitting, GameFile(path, found[1] if is_ours else b"")
