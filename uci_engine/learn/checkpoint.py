"""Checkpoints of a training: its numbers and how far they have come.

A file is a header, the settings that a run must share to go on (JSON), the arrays of numbers, and a
checksum of all that. Whatever is wrong with one is a sentence, and none of its numbers is used.
"""

from __future__ import annotations

import binascii
import struct
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from uci_engine.files import refuse_irregular, replace_bytes

Floats = npt.NDArray[np.float32]

MAGIC = b"CYTHCKP\n"
VERSION = 1
HEADER = struct.Struct("<8sIIQ")  # magic, version, length of the settings, steps done
CHECKSUM = struct.Struct("<I")


def checkpoint_of(network: Path) -> Path:
    """By its whole name: networks may differ only behind a dot."""
    return network.with_name(network.name + ".checkpoint")


def write_checkpoint(path: Path, settings: str, step: int, arrays: Sequence[Floats]) -> None:
    words = settings.encode()
    parts = [HEADER.pack(MAGIC, VERSION, len(words), step), words]
    body = b"".join([*parts, *(array.tobytes() for array in arrays)])
    replace_bytes(path, body + CHECKSUM.pack(binascii.crc32(body)))


def read_checkpoint(path: Path, settings: str, arrays: Sequence[Floats]) -> int:
    """Fill the arrays; how many steps were done. ValueError if it is damaged or another run's."""
    refuse_irregular(path)
    try:
        return parse_checkpoint(path.read_bytes(), settings, arrays)
    except ValueError as error:
        raise ValueError(f"{path}: {error} (remove it to begin anew)") from None


def parse_checkpoint(data: bytes, settings: str, arrays: Sequence[Floats]) -> int:
    if len(data) < HEADER.size + CHECKSUM.size or not data.startswith(MAGIC):
        raise ValueError("not a checkpoint of a training")
    body, checksum = data[: -CHECKSUM.size], data[-CHECKSUM.size :]
    if CHECKSUM.unpack(checksum)[0] != binascii.crc32(body):
        raise ValueError("a damaged checkpoint: its checksum is wrong")
    _, version, length, step = HEADER.unpack_from(body)
    if version != VERSION:
        raise ValueError(f"a checkpoint of version {version}, but {VERSION} is read here")
    numbers = body[HEADER.size + length :]
    if body[HEADER.size : HEADER.size + length] != settings.encode():
        raise ValueError("made with other settings or data, with which it would go on")
    if len(numbers) != sum(array.nbytes for array in arrays):
        raise ValueError("a checkpoint whose size does not fit its network")
    for array in arrays:
        array[:] = np.frombuffer(numbers[: array.nbytes], dtype=np.float32)
        numbers = numbers[array.nbytes :]
    return int(step)
