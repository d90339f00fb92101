"""The numbers of the search, which only a build for tuning lets change; the debug build is one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from uci_process import EngineProcess

from core_ext import core
from uci_engine import session
from uci_engine.options import find_option
from uci_engine.report import Output

NAME = "LMR_QUIET_BASE"


def test_each_is_within_its_range() -> None:
    for name, (value, low, high, step) in core.tunables().items():
        assert low <= value <= high, name
        assert 0 < step <= high - low, name


@pytest.mark.skipif(core.TUNING, reason="this build is one for tuning")
def test_other_builds_refuse_to_change_them() -> None:
    with pytest.raises(RuntimeError, match="not built for tuning"):
        core.set_tunable(NAME, 300)
    with EngineProcess() as engine:
        said = engine.ask(f"setoption name {NAME} value 300")
    assert said == [f"info string there is no option '{NAME}'"]


def test_only_those_that_changed_are_set(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = {"FIRST": 1, "SECOND": 2}
    made: list[tuple[str, int]] = []

    def set_tunable(name: str, value: int) -> None:
        made.append((name, value))
        numbers[name] = value

    monkeypatch.setattr(session, "TUNABLES", list(numbers))
    monkeypatch.setattr(
        session, "tunables", lambda: {name: (value, 0, 9, 1) for name, value in numbers.items()}
    )
    monkeypatch.setattr(session, "set_tunable", set_tunable)
    tuned = session.Session(Output())
    tuned.options.values.update(numbers)
    tuned.get_ready()
    assert made == []
    tuned.options.values["SECOND"] = 3
    tuned.get_ready()
    tuned.get_ready()
    assert made == [("SECOND", 3)]


@pytest.mark.skipif(not core.TUNING, reason="this build is not for tuning (CYTHERA_TUNE=1)")
def test_a_build_for_tuning_offers_them_as_options() -> None:
    with pytest.raises(ValueError, match="no tunable number 'NONE'"):
        core.set_tunable("NONE", 1)
    value, low, high, _ = core.tunables()[NAME]
    offered = f"option name {NAME} type spin default {value} min {low} max {high}"
    assert find_option(NAME).describe() == offered
    tuned = session.Session(Output())
    counts = []
    for number in (value, low, value):
        tuned.set_option(NAME, str(number))
        tuned.searcher.clear()
        counts.append(tuned.searcher.search(core.Board(), depth=8).nodes)
    assert counts[0] == counts[2] != counts[1]


def test_each_is_declared_to_cython_and_read_by_the_search() -> None:
    """A name only in the list of values would be offered to the tuner and change nothing."""
    folder = Path(__file__).parent.parent / "core_ext" / "search"
    declarations = (folder / "tunables.pxi").read_text(encoding="utf-8").rpartition('"""')[2]
    parts = [path for path in folder.glob("*.pxi") if path.name != "tunables.pxi"]
    code = "\n".join(path.read_text(encoding="utf-8") for path in parts)
    declared = set(re.findall(r"\b[A-Z][A-Z0-9_]+\b", declarations))
    assert declared - {"TUNABLE_TABLE", "TUNABLE_COUNT", "CAN_TUNE"} == core.tunables().keys()
    assert core.tunables().keys() <= set(re.findall(r"\w+", code))
