"""Files that are read or written as a whole."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ValueError(f"{path}: not a text file") from None


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
