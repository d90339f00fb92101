"""The Syzygy tables that lib.sanitize_driver takes the core through, whole and damaged.

CYTHERA_SYZYGY names a directory with more tables than the tests carry.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import tempfile
from functools import partial
from pathlib import Path

from core_ext import core
from lib import suites
from lib.endings import ending_names, random_position
from lib.sanitize_search import run_together, search

TABLES = Path(os.environ.get("CYTHERA_SYZYGY") or suites.DATA / "syzygy")
POSITIONS = 2_000
DAMAGED_FILES = 3_000
PROBES_OF_A_FILE = 6
HEADER = 160  # bytes, most of which decide about others
OPENINGS = 30
NODES = 2_000


def make_boards(names: list[str], count: int, chance: random.Random) -> list[core.Board]:
    return [core.Board(random_position(chance.choice(names), chance)) for _ in range(count)]


def run_tables(lines: list[suites.PerftLine], chance: random.Random) -> str:
    """Every ending, one position after the other and as an array."""
    boards = make_boards(ending_names(TABLES), POSITIONS, chance)
    with core.Tablebase(TABLES) as tables:
        results = [tables.wdl(board) for board in boards]
        for board in boards:
            tables.dtz(board)
        packed, found = bytearray(core.PACKED_SIZE * len(boards)), bytearray(len(boards))
        core.pack_items(boards, packed)
        core.probe_wdl_range(packed, found, len(boards), 0, len(boards), tables)
        assert list(memoryview(found).cast("b")) == results
        assert tables.refusals() == []
    return f"tables: {len(boards):,} positions"


def run_damaged_tables(lines: list[suites.PerftLine], chance: random.Random) -> str:
    """Files cut short, with bits flipped, and under the name of another."""
    whole = {path.name: path.read_bytes() for path in TABLES.glob("*.rtb?")}
    boards = {name[:-5]: make_boards([name[:-5]], 50, chance) for name in whole}
    refused = 0
    with tempfile.TemporaryDirectory() as name:
        directory = Path(shutil.copytree(TABLES, name, dirs_exist_ok=True))
        for _ in range(DAMAGED_FILES):
            file = chance.choice(sorted(whole))
            (directory / file).chmod(0o644)
            (directory / file).write_bytes(damage(whole, file, chance))
            refused += probe_all(directory, chance.sample(boards[file[:-5]], PROBES_OF_A_FILE))
            (directory / file).write_bytes(whole[file])
    return f"damaged tables: {DAMAGED_FILES:,}, of which {refused:,} were refused"


def damage(whole: dict[str, bytes], file: str, chance: random.Random) -> bytes:
    content = bytearray(whole[file])
    kind = chance.randrange(8)
    if kind == 0:
        return bytes(whole[chance.choice(sorted(whole))])
    if kind == 1:
        return bytes(content[: chance.randrange(len(content))])
    if kind == 2:  # as long as a table may be
        return bytes(content[: 16 + 64 * chance.randrange(len(content) // 64)])
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(min(HEADER, len(content)) if kind < 6 else len(content))
        content[place] = chance.choice((content[place] ^ 1 << chance.randrange(8), 0, 255))
    return bytes(content)


def probe_all(directory: Path, boards: list[core.Board]) -> bool:
    """Was a file refused?"""
    with core.Tablebase(directory) as tables:
        for board in boards:
            for ask in (tables.wdl, tables.dtz):
                with contextlib.suppress(ValueError):
                    ask(board)
        return bool(tables.refusals())


def run_shared_tables(lines: list[suites.PerftLine], chance: random.Random) -> str:
    """Threads that come to closed tables at the same time, and searches that share open ones."""
    boards = make_boards(ending_names(TABLES), 200, chance)
    size = len(boards)
    packed = bytearray(core.PACKED_SIZE * size)
    core.pack_items(boards, packed)
    for _ in range(OPENINGS):
        with core.Tablebase(TABLES) as tables:
            results = [bytearray(size) for _ in range(3)]
            run_together(
                *(
                    partial(core.probe_wdl_range, packed, each, size, 0, size, tables)
                    for each in results
                )
            )
            assert results[0] == results[1] == results[2]
    with core.Tablebase(TABLES) as tables:
        searches = [
            partial(search, core.Searcher(1, 2), board, nodes=NODES, tablebase=tables, multipv=2)
            for board in (*boards[:8], core.Board("8/8/8/4k3/7p/8/8/KRN5 w - - 0 1"))
        ]
        run_together(*searches)
    return f"shared tables: {3 * OPENINGS} threads, {len(searches)} searches"
