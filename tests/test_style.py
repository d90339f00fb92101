"""Lint, format, layers and types, run as tests so that one command checks everything."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lib import ROOT

pytestmark = pytest.mark.release_only


def scripts_in(language: str, suffix: str) -> list[str]:
    """The files in the script directories in one language; by their first line if need be."""
    files = [*ROOT.glob(".ci/*"), *ROOT.glob("scripts/*"), *ROOT.glob("scripts/lib/*")]
    return [
        str(path.relative_to(ROOT))
        for path in sorted(files)
        if path.suffix == suffix or (path.is_file() and language in shebang(path))
    ]


def shebang(path: Path) -> str:
    with path.open(encoding="utf-8") as lines:
        line = lines.readline()
    return line if line.startswith("#!") else ""


def check(*command: str) -> None:
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, f"\n{answer.stdout}{answer.stderr}"


@pytest.mark.parametrize("task", [["check"], ["format", "--check"]], ids=["lint", "format"])
def test_python_style(task: list[str]) -> None:
    places = ["setup.py", "core_ext", "uci_engine", "tests", *scripts_in("python", ".py")]
    check(sys.executable, "-m", "ruff", *task, "--quiet", *places)


def test_python_layers() -> None:
    """The contracts in pyproject.toml: nothing below imports from above."""
    check(str(Path(sys.executable).with_name("lint-imports")), "--no-cache")


def test_python_types() -> None:
    places = ["core_ext", "uci_engine", "tests", *scripts_in("python", ".py")]
    check(sys.executable, "-m", "mypy", *places)


def test_the_stub_has_what_the_core_has() -> None:
    allowed = ["--allowlist", "tests/data/core_names.txt", "--ignore-unused-allowlist"]
    options = [*allowed, "--ignore-disjoint-bases"]
    check(sys.executable, "-m", "mypy.stubtest", *options, "core_ext.core")


@pytest.mark.parametrize("script", scripts_in("bash", ".bash"))
def test_bash_syntax(script: str) -> None:
    check("bash", "-n", script)


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not installed")
def test_bash_style() -> None:
    check("shellcheck", "--external-sources", *scripts_in("bash", ".bash"))
