"""The engine file for Cutechess."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from uci_process import ROOT, EngineProcess

pytestmark = pytest.mark.release_only

SCRIPT = ROOT / "scripts" / "cutechess_engines"
FIELDS = {
    "button": set(),
    "check": {"value", "default"},
    "combo": {"value", "default", "choices"},
    "file": {"value", "default"},
    "folder": {"value", "default"},
    "spin": {"value", "default", "min", "max"},
    "text": {"value", "default"},
}


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, SCRIPT, *arguments], capture_output=True, text=True, check=False
    )


def test_the_file_has_the_form_that_cutechess_reads(starter: Path) -> None:
    (entry,) = json.loads(run(str(starter)).stdout)
    assert entry["name"].startswith("Cythera")
    assert entry["command"] == str(starter)
    assert entry["protocol"] == "uci"
    assert set(entry["variants"]) == {"standard", "fischerandom"}
    names = {option["name"] for option in entry["options"]}
    assert {"Hash", "Threads", "MultiPV", "Move Overhead", "SyzygyPath", "Algorithm"} <= names
    for option in entry["options"]:
        assert option.keys() == {"name", "type", "alias"} | FIELDS[option["type"]]
        if option["type"] == "spin":
            assert option["min"] <= option["value"] <= option["max"]
        if option["type"] == "combo":
            assert option["value"] in option["choices"]


def test_the_engine_takes_every_value_in_the_file(starter: Path) -> None:
    (entry,) = json.loads(run(str(starter)).stdout)
    with EngineProcess() as engine:
        for option in entry["options"]:
            value = str(option.get("value", "")).replace("True", "true").replace("False", "false")
            assert engine.ask(f"setoption name {option['name']} value {value}") == []


def test_a_program_that_is_no_engine_gets_one_line() -> None:
    for program in ("/bin/true", "/no/such/program"):
        answer = run(program)
        assert answer.returncode == 2
        assert answer.stderr.count("\n") == 1
        assert program in answer.stderr
