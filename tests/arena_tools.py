"""What the arena's tests share: command lines, engines, results."""

from __future__ import annotations

import contextlib
import io
import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from uci_process import COMMAND

from lib.uci_pipe import find_program
from uci_engine import cli

STUB = Path(__file__).parent / "arena_stub.py"


def stub(behaviour: str = "ok", ply: int = 0, protocol: str = "uci", name: str = "") -> list[str]:
    """The settings of a stub engine."""
    words = [sys.executable, str(STUB), behaviour, str(ply)]
    if protocol == "xboard":
        words.append("xboard")
    return [f"cmd={shlex.join(words)}", f"name={name or behaviour}", f"proto={protocol}"]


def program(name: str) -> str:
    """The path of one of Debian's engines."""
    path = find_program(name)
    if path is None:
        pytest.skip(f"the engine {name} is not installed")
    return path


def command(*arguments: str | Path) -> list[str]:
    return [*COMMAND, *map(str, arguments)]


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """A command in this process: that saves the start of another."""
    out, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        code = cli.main([str(argument) for argument in arguments])
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), errors.getvalue())


def match(
    *engines: list[str], extra: list[str | Path] | None = None, each: list[str] | None = None
) -> list[str | Path]:
    """The arguments of a match between engines given by their settings."""
    arguments: list[str | Path] = ["match"]
    for engine in engines:
        arguments += ["--engine", *engine]
    arguments += ["--each", *(each or ["depth=1"])]
    return arguments + (extra or [])


def play(
    *engines: list[str], out: Path, extra: list[str | Path], each: list[str] | None = None
) -> Any:
    """Play a match and read its results file."""
    answer = run(*match(*engines, extra=[*extra, "--out", out], each=each))
    assert answer.returncode == 0, answer.stderr
    return json.loads(out.with_suffix(".json").read_text())


def games(out: Path) -> list[dict[str, Any]]:
    """The games of a journal."""
    lines = out.with_suffix(".jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines[1:]]
