"""Files: read and written as a whole, and games in PGN."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import chess.pgn


def read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ValueError(f"{path}: not a text file") from None


def read_games(path: Path) -> Iterator[chess.pgn.Game]:
    """The games of a PGN file; a ValueError names the one that can't be read."""
    import logging

    import chess.pgn

    logging.getLogger("chess.pgn").setLevel(logging.CRITICAL)  # it would tell errors as tracebacks
    number = 0
    with path.open(encoding="utf-8", errors="replace") as text:
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


def check_writable(path: Path) -> None:
    """For long work that writes at its end: an OSError at its beginning."""
    try:
        replacement(path).touch()
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    replacement(path).unlink()


def replacement(path: Path) -> Path:
    """Where the new text is until it is complete."""
    return path.with_name(path.name + ".new")


def replace_text(path: Path, pieces: Iterable[str]) -> None:
    """All of it or nothing: whenever the program is ended, the old file or the new one is there."""
    new = replacement(path)
    try:
        with new.open("w", encoding="utf-8") as out:
            out.writelines(pieces)
        os.replace(new, path)
    finally:
        new.unlink(missing_ok=True)


def replace_json(path: Path, value: Any) -> None:
    replace_text(path, [json.dumps(value, indent=2), "\n"])
