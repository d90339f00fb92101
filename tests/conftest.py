from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# The helper modules here are imported by their bare names, whatever import mode pytest runs in, and
# those of the scripts from `lib`.
TESTS = Path(__file__).parent
sys.path[:0] = [str(TESTS), str(TESTS.parent / "scripts")]

# Under nohup, or in a shell's background, signals are ignored, and programs inherit that: tests
# that send signals would wait for good. What is handled here is not inherited.
for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, lambda *_: None)

# A run that fails must fail again: no random seeds, no database of earlier examples, no clocks.
settings.register_profile("repeatable", derandomize=True, database=None, deadline=None)
settings.load_profile("repeatable")

from uci_process import COMMAND, ENVIRONMENT, EngineProcess  # noqa: E402

RELEASE_NODES = 20_000_000
DEBUG_NODES = 200_000


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--perft-nodes",
        type=int,
        help="leave out perft counts above this (default: all of them; fewer in a debug build)",
    )


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Which tests were skipped and why: a program that is not installed is easily overlooked."""
    tests: dict[str, list[str]] = {}
    for report in terminalreporter.stats.get("skipped", []):
        reason = str(report.longrepr[2]).removeprefix("Skipped: ")
        tests.setdefault(reason, []).append(report.nodeid.removeprefix("tests/"))
    for reason, names in sorted(tests.items()):
        terminalreporter.write_line(f"skipped, since {reason}: {', '.join(names)}")


@pytest.fixture(scope="session")
def node_limit(pytestconfig: pytest.Config) -> int:
    """The largest perft count that a test should spend time on."""
    from core_ext import core

    chosen = pytestconfig.getoption("--perft-nodes")
    if chosen is not None:
        return int(chosen)
    return DEBUG_NODES if getattr(core, "DEBUG", False) else RELEASE_NODES


@pytest.fixture
def starter(tmp_path: Path) -> Path:
    """The engine as a program without arguments, which is all that some clients can start."""
    path = tmp_path / "cythera"
    command = " ".join(COMMAND)
    path.write_text(f"#!/bin/sh\nPYTHONPATH={ENVIRONMENT['PYTHONPATH']} exec {command}\n")
    path.chmod(0o755)
    return path


@pytest.fixture(scope="module")
def shared() -> Iterator[EngineProcess]:
    """One started engine for the tests of a module."""
    with EngineProcess() as engine:
        yield engine
