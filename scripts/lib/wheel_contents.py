"""What a wheel has to hold, from the sources: not a file less and not a file more."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable
from pathlib import Path

# Of the core's folder; the rest of it is for the compiler.
CORE_FILES = ("__init__.py", "core.py", "core.pyi", "py.typed")
DIST_INFO = (
    "METADATA",
    "RECORD",
    "WHEEL",
    "entry_points.txt",
    "licenses/LICENSE",
    "top_level.txt",
)
OWN_FOLDER = re.compile(r"cythera-[^/]+\.(?:dist-info|data)/")
CORE = re.compile(r"core_ext/levels/(x86_64\w*)/core\.\S+\.so")


def expected_files(sources: Path, levels: Iterable[str]) -> set[str]:
    """A core is named by its level; the wheel's own folders, which have its version, by nothing."""
    program = {
        path.relative_to(sources).as_posix()
        for path in (sources / "uci_engine").rglob("*")
        if path.is_file() and path.parent.name != "__pycache__"
    }
    core = {f"core_ext/{name}" for name in CORE_FILES}
    manual = {f"data/share/man/man1/{path.name}" for path in sources.glob("docs/*.1")}
    return program | core | manual | {f"core for {level}" for level in levels} | set(DIST_INFO)


def wheel_files(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/")]
    return {OWN_FOLDER.sub("", CORE.sub(r"core for \1", name)) for name in names}


def compare_contents(wheel: Path, sources: Path, levels: Iterable[str]) -> list[str]:
    """A sentence for each file that is missing or too much."""
    expected, found = expected_files(sources, levels), wheel_files(wheel)
    missing = [f"{wheel.name} lacks {name}" for name in sorted(expected - found)]
    return missing + [f"{wheel.name} should not have {name}" for name in sorted(found - expected)]


def find_own_paths(wheel: Path, places: Iterable[Path]) -> list[str]:
    """A sentence for each file that names a folder of the machine which built it."""
    with zipfile.ZipFile(wheel) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    return [
        f"{wheel.name}: {name} names {place}"
        for place in places
        for name, data in files.items()
        if bytes(place) + b"/" in data
    ]
