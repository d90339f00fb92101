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


def replace_text(path: Path, pieces: Iterable[str]) -> None:
    """All of it or nothing: whenever the program is ended, the old file or the new one is there."""
    new = path.with_name(path.name + ".new")
    try:
        with new.open("w", encoding="utf-8") as out:
            out.writelines(pieces)
        os.replace(new, path)
    finally:
        new.unlink(missing_ok=True)


def replace_json(path: Path, value: Any) -> None:
    replace_text(path, [json.dumps(value, indent=2), "\n"])
