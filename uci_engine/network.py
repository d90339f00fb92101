"""Network files: the weights that evaluate, and where they come from.

A file is a header, notes for people (JSON: data, settings, commands), the weights in the order that
`core.Network` takes, and a checksum of all that. Whatever is wrong with a file is one sentence.
"""

from __future__ import annotations

import binascii
import os
import stat
import struct

from core_ext.core import Network, network_size
from uci_engine.values import Value

MAGIC = b"CYTHNET\n"
# A file's version tells what its network is: one of these more than the first.
FIRST_VERSION = 1
ALONE = 1  # it stands alone: what is known of endings is not added
DANGER = 2  # it sees danger: men in danger have rows of their own
LAST_VERSION = FIRST_VERSION + ALONE + DANGER
HEADER = struct.Struct("<8s5I")  # magic, version, hidden, buckets, scale, length of the notes
CHECKSUM = struct.Struct("<I")
LARGEST_FILE = 16 << 20
OWN_NETWORK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "network.nnue")

_networks: dict[str, tuple[tuple[int, int], Network]] = {}  # the last one: path, time and size


class NetworkFile(Value):
    """What a network file holds."""

    hidden: int
    buckets: int
    scale: int
    notes: str
    weights: bytes
    stands_alone: bool = False
    sees_danger: bool = False

    @property
    def shape(self) -> tuple[int, int, bool]:
        return self.hidden, self.buckets, self.sees_danger

    @property
    def network(self) -> Network:
        kind = (self.stands_alone, self.sees_danger)
        return Network(self.weights, self.hidden, self.buckets, self.scale, *kind)


def find_network(evaluation: str, path: str) -> Network | None:
    """The network that evaluates, the engine's own without a path; None where another evaluation is
    meant. ValueError or OSError say what is wrong with its file."""
    if evaluation != "nnue":
        return None
    path = path or OWN_NETWORK
    try:
        facts = os.stat(path)
    except OSError:
        if path in _networks:  # one that was read stays, whatever became of its file
            return _networks[path][1]
        raise
    version = (facts.st_mtime_ns, facts.st_size)
    if path not in _networks or _networks[path][0] != version:
        network = read_network(path).network
        _networks.clear()
        _networks[path] = (version, network)
    return _networks[path][1]


def weights_size(hidden: int, buckets: int, sees_danger: bool) -> int:
    """In bytes: 16 bits a weight, but 32 for each output's bias."""
    return 2 * network_size(hidden, buckets, sees_danger) + 2 * buckets


def format_network(file: NetworkFile) -> bytes:
    notes = file.notes.encode()
    version = FIRST_VERSION + ALONE * file.stands_alone + DANGER * file.sees_danger
    header = HEADER.pack(MAGIC, version, file.hidden, file.buckets, file.scale, len(notes))
    body = header + notes + file.weights
    return body + CHECKSUM.pack(binascii.crc32(body))


def parse_network(data: bytes) -> NetworkFile:
    """ValueError says why this is no network."""
    if len(data) < HEADER.size + CHECKSUM.size or not data.startswith(MAGIC):
        raise ValueError("not a network file of this engine")
    _, version, hidden, buckets, scale, length = HEADER.unpack_from(data)
    if not FIRST_VERSION <= version <= LAST_VERSION:
        raise ValueError(
            f"a network file of version {version}, but this engine reads {LAST_VERSION}"
        )
    alone, danger = (bool((version - FIRST_VERSION) & kind) for kind in (ALONE, DANGER))
    body, checksum = data[: -CHECKSUM.size], data[-CHECKSUM.size :]
    if CHECKSUM.unpack(checksum)[0] != binascii.crc32(body):
        raise ValueError("a damaged network file: its checksum is wrong")
    weights = body[HEADER.size + length :]
    if len(weights) != weights_size(hidden, buckets, danger):
        raise ValueError("a network file whose size does not fit its network")
    notes = body[HEADER.size : HEADER.size + length].decode(errors="replace")
    file = NetworkFile(hidden, buckets, scale, notes, weights, alone, danger)
    _ = file.network  # or the core says what it can't use, when nobody knows the file any more
    return file


def is_network_file(path: str) -> bool:
    """By its beginning, whatever is wrong with the rest."""
    with open(path, "rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def read_network(path: str) -> NetworkFile:
    """ValueError or OSError say what is wrong with the file."""
    if not stat.S_ISREG(os.stat(path).st_mode):  # one might wait for a pipe for good
        raise ValueError(f"{path}: not a file with a network")
    with open(path, "rb") as file:
        data = file.read(LARGEST_FILE)
    try:
        return parse_network(data)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
