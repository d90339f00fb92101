"""The files of a lineage: whatever is in them, they are read as they were written or refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from uci_engine import cli
from uci_engine.learn.lineage import Lineage, Report, Settings, Times
from uci_engine.learn.sealed import read_sealed, write_sealed

pytestmark = pytest.mark.release_only

SETTINGS = {"games": 20, "nodes": 10, "hidden": 32}
REPORT = Report(1, False, 0.5, 900, 950, 0.1, 1e-05, {"material": [1, 0, 0, 0, 1, 0]})
FILES = ("learn.json", "001/report.json", "002/times.json")


@pytest.fixture
def lineage(tmp_path: Path) -> Lineage:
    """With a complete generation, and one in hand."""
    made = Lineage.open(tmp_path, SETTINGS)
    for number in (1, 2):
        made.place(number).mkdir()
    made.add(REPORT)
    made.spend(2, "play", 1.25)
    return made


def read(folder: Path) -> tuple[Settings, list[Report], dict[str, float]]:
    """All that is in the files."""
    found = Lineage.open(folder, {})
    return found.settings, found.reports, found.times(2)


def refusal(folder: Path) -> str:
    """Why the files are not read; nothing if they are."""
    try:
        read(folder)
    except ValueError as error:
        return str(error)
    return ""


def changed(data: bytes) -> Iterator[bytes]:
    """Cut off anywhere, and with any bit turned over."""
    for length in range(len(data)):
        yield data[:length]
    for place in range(len(data)):
        for bit in range(8):
            yield data[:place] + bytes([data[place] ^ 1 << bit]) + data[place + 1 :]


@pytest.mark.parametrize("name", FILES)
def test_every_damage_is_noticed(lineage: Lineage, name: str) -> None:
    """Or it is none: the last line's end is missing, or an exponent has a capital E."""
    path = lineage.folder / name
    before, harmless = read(lineage.folder), 0
    for data in changed(path.read_bytes()):
        path.write_bytes(data)
        if said := refusal(lineage.folder):
            assert said.startswith(f"{path}: damaged, or not written by"), data
        else:
            harmless += 1
            assert read(lineage.folder) == before, data
    assert harmless <= 2


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("text", ["", "[]", "{", "{}", '{"begin": 5}', "[" * 100_000, "\0", "1"])
def test_damaged_files_are_named(
    lineage: Lineage, capfd: pytest.CaptureFixture[str], name: str, text: str
) -> None:
    path = lineage.folder / name
    path.write_text(text)
    assert cli.main(["learn", str(lineage.folder), "--generations", "2"]) == 2
    errors = capfd.readouterr().err.splitlines()
    said = f"cythera: {path}: damaged, or not written by this version of cythera learn"
    assert errors[-1] == said


@pytest.mark.parametrize(
    ("name", "field", "value", "problem"),
    [
        ("learn.json", "begin", "sules", "begin is one of classical, rules, not 'sules'"),
        ("learn.json", "games", 1, "games is out of range: 1"),
        ("learn.json", "nodes", 10**30, "nodes is out of range: 1e+30"),
        ("learn.json", "hidden", 33, "multiple of 32 units"),
        ("learn.json", "seed", -1, "seed is out of range: -1"),
        ("learn.json", "seed", True, "seed has the wrong type: True"),
        ("learn.json", "colour", "red", "the file has an unknown field 'colour'"),
        ("001/report.json", "number", 2, "the report of generation 2"),
        ("001/report.json", "score", 1.5, "score is out of range: 1.5"),
        ("001/report.json", "accepted", 1, "accepted has the wrong type: 1"),
        ("001/report.json", "positions", -1, "positions is out of range: -1"),
        ("001/report.json", "own_positions", -1, "own_positions is out of range: -1"),
        ("001/report.json", "aside", -0.1, "aside is out of range: -0.1"),
        ("001/report.json", "results", {}, "results has no games against material"),
        ("001/report.json", "results", {"material": [1]}, "must have 6 items, not 1"),
        ("001/report.json", "results", {"material": [0] * 5 + [-1]}, "results is out of range"),
        ("002/times.json", "judge", -1.0, "judge is out of range: -1"),
        ("002/times.json", "play", "x", "play has the wrong type: 'x'"),
        ("002/times.json", "rest", 1.0, "the file has an unknown field 'rest'"),
    ],
)
def test_values_that_can_not_be(
    lineage: Lineage, name: str, field: str, value: Any, problem: str
) -> None:
    """Though the checksum is theirs."""
    path = lineage.folder / name
    write_sealed(path, read_sealed(path) | {field: value})
    said = refusal(lineage.folder)
    assert said.startswith(f"{path}: ")
    assert problem in said


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1.0])
@pytest.mark.parametrize(
    "make",
    [
        lambda value: replace(REPORT, seconds=value),
        lambda value: replace(REPORT, aside=value),
        lambda value: Times(play=value),
    ],
)
def test_numbers_that_are_none_are_never_written(
    make: Callable[[float], object], value: float
) -> None:
    with pytest.raises(ValueError, match="is out of range"):
        make(value)


def test_the_files_are_for_people(lineage: Lineage) -> None:
    """A line for each setting, and the checksum as the last."""
    lines = (lineage.folder / "learn.json").read_text().splitlines()
    assert lines[1] == '  "begin": "classical",'
    assert lines[-2].startswith('  "checksum": "')
    assert len(lines) == 2 + len(asdict(lineage.settings)) + 1
