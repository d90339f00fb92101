"""scripts/compare: commits of a small repository are built beside each other and play."""

from __future__ import annotations

import shutil
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest
from uci_process import ENVIRONMENT

from core_ext import core
from lib import ROOT

PROGRAM = Path("uci_engine", "__main__.py")
STUB = ROOT / "tests" / "arena_stub.py"  # legal moves without sense
# Compiling takes a minute, and is the matter of the real setup.py.
SETUP = f"import shutil\nshutil.copy({core.__file__!r}, 'core_ext')\n"
GAMES = ("--", "--each", "nodes=300", "--games", "4")

pytestmark = pytest.mark.release_only


def git(repository: Path, *arguments: str) -> str:
    who = ("-c", "user.name=Someone", "-c", "user.email=someone@example.org")
    command = ["git", *who, *arguments]
    answer = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=True)
    return answer.stdout.strip()


def commit(repository: Path, subject: str) -> str:
    git(repository, "add", "--all")
    git(repository, "commit", "--quiet", "--message", subject)
    return git(repository, "rev-parse", "--short", "HEAD")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A checkout with our environment, whose first commit plays anything and whose second plays
    as we do."""
    place = tmp_path / "a checkout"
    unwanted = shutil.ignore_patterns("__pycache__", "*.so", "*.c", "*.pxi")
    for package in ("scripts", "uci_engine", "core_ext"):
        shutil.copytree(ROOT / package, place / package, ignore=unwanted)
    (place / ".venv").symlink_to(sys.prefix)
    (place / ".gitignore").write_text("/.venv\n/data/\n*.so\n__pycache__/\n")
    (place / "setup.py").write_text(SETUP)
    git(tmp_path, "init", "--quiet", str(place))
    shutil.copy(STUB, place / PROGRAM)
    commit(place, "Plays anything")
    shutil.copy(ROOT / PROGRAM, place / PROGRAM)
    commit(place, "Searches")
    return place


def compare(repository: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, repository / "scripts" / "compare", *arguments],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def table_row(answer: subprocess.CompletedProcess[str]) -> list[str]:
    assert answer.returncode == 0, answer.stderr
    return [cell.strip() for cell in answer.stdout.splitlines()[-1].strip("|").split("|")]


def test_each_commit_plays_with_its_own_program(repository: Path) -> None:
    old, new = git(repository, "log", "--format=%h", "--reverse").split()
    answer = compare(repository, "HEAD~1", "HEAD", *GAMES)
    assert f"Score of {new} vs {old}: 4 - 0 - 0" in answer.stdout
    assert f"\nundecided whether {new} is stronger (LLR " in answer.stdout
    assert table_row(answer) == [
        str(date.today()),
        f"Searches ({new} against {old})",
        "300 nodes a move, 4 games",
        "100.0%, no Elo yet; SPRT [0, 10] undecided",
    ]
    assert git(repository, "status", "--porcelain") == ""


def test_the_same_command_goes_on_and_another_begins_anew(repository: Path) -> None:
    first = compare(repository, "HEAD~1", "HEAD", *GAMES)
    second = compare(repository, "HEAD~1", "HEAD", *GAMES, "--concurrency", "1")
    assert "4 games were finished before" in second.stdout
    assert table_row(first) == table_row(second)
    other = compare(repository, "HEAD~1", "HEAD", *GAMES, "--first", "2")
    assert "finished before" not in other.stdout


def test_a_changed_working_tree_plays_as_it_stands(repository: Path) -> None:
    """The change is in a file that git does not know yet."""
    shutil.copy(STUB, repository / "uci_engine" / "stub.py")
    (repository / PROGRAM).write_text("from uci_engine.stub import main\nmain()\n")
    head = git(repository, "rev-parse", "--short", "HEAD")
    answer = compare(repository, "HEAD", *GAMES)
    assert f"Score of working tree vs {head}: 0 - 4 - 0" in answer.stdout
    assert table_row(answer)[1] == f"changes on top of {head} (working tree against {head})"
    assert sorted(git(repository, "status", "--porcelain").split()) == [
        "??",
        "M",
        str(PROGRAM),
        "uci_engine/stub.py",
    ]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "the following arguments are required: OLD"),
        (["nosuch"], "no commit is called 'nosuch' here"),
        (["HEAD", "HEAD"], ": there is nothing to compare"),
        (["HEAD"], ": there is nothing to compare"),  # nothing is changed
        (["HEAD~1", "--", "--engine", "cmd=x"], "--engine is not for the match of two commits"),
        (["HEAD~1", "--", "--each", "nodes=x"], "nodes must be a whole number"),
        (["HEAD~1", "--", "--nosuch"], "unrecognized arguments: --nosuch"),
    ],
)
def test_what_can_not_be_played_is_one_sentence(
    repository: Path, arguments: list[str], words: str
) -> None:
    answer = compare(repository, *arguments)
    assert answer.returncode == 2
    assert words in answer.stderr.splitlines()[-1]
    assert "Traceback" not in answer.stderr


def test_a_commit_that_can_not_be_built_is_named(repository: Path) -> None:
    (repository / "setup.py").write_text("raise SystemExit('no compiler here')\n")
    broken = commit(repository, "Does not build")
    answer = compare(repository, "HEAD~1", *GAMES)
    assert answer.returncode == 2
    assert "no compiler here\n" in answer.stderr
    assert answer.stderr.endswith(f"compare: {broken} can't be built: the reasons are above\n")


def test_a_commit_never_plays_with_the_core_of_the_checkout(repository: Path) -> None:
    (repository / "setup.py").write_text("")
    commit(repository, "Builds nothing")
    shutil.rmtree(repository / "core_ext")
    commit(repository, "Has no core")
    answer = compare(repository, "HEAD~2", *GAMES)
    assert answer.returncode == 2
    assert "would be played by" in answer.stderr.splitlines()[-1]
