"""Lint, format and types, run as tests so that one command checks everything."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.release_only

ROOT = Path(__file__).parent.parent


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


def test_python_types() -> None:
    check(sys.executable, "-m", "mypy")


@pytest.mark.parametrize("script", scripts_in("bash", ".bash"))
def test_bash_style(script: str) -> None:
    check("bash", "-n", script)
    if shutil.which("shellcheck"):
        check("shellcheck", "--exclude=SC1091", script)
