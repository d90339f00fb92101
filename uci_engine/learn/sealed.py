"""JSON files for people to read whose damage is noticed: their last field is a checksum."""

from __future__ import annotations

import binascii
import json
from pathlib import Path
from typing import Any

from uci_engine.files import read_text, replace_json

CHECKSUM = "checksum"


def checksum_of(values: dict[str, Any]) -> str:
    """However they are laid out in a file. ValueError for numbers that JSON does not know."""
    text = json.dumps(values, sort_keys=True, allow_nan=False)
    return f"{binascii.crc32(text.encode()):08x}"


def write_sealed(path: Path, values: dict[str, Any]) -> None:
    replace_json(path, {**values, CHECKSUM: checksum_of(values)})


def read_sealed(path: Path) -> dict[str, Any]:
    """The values. ValueError if the checksum is not theirs."""
    try:
        values = json.loads(read_text(path))
        is_whole = isinstance(values, dict) and values.pop(CHECKSUM, None) == checksum_of(values)
    except (ValueError, RecursionError):
        is_whole = False
    if not is_whole:
        raise ValueError(f"{path}: damaged, or not written by this version of cythera learn")
    found: dict[str, Any] = values
    return found
