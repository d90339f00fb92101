"""Completion in real shells, the manual page in a real man, and the workflow against its schema."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from uci_process import ENVIRONMENT, TIMEOUT

from lib import ROOT
from lib.manual import manual_page
from uci_engine import cli
from uci_engine.lab.command import EXPERIMENTS
from uci_engine.shell.commands import all_commands, every_command

pytestmark = pytest.mark.release_only

MANUAL = ROOT / "docs" / "cythera.1"
WORKFLOW = ROOT / ".github" / "workflows" / "ci.yml"


def needs(program: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"{program} is not installed")


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """What `cythera completion` prints, in a file."""
    place = tmp_path_factory.mktemp("completion")

    def write(shell: str) -> Path:
        path = place / shell
        if not path.exists():
            command = [sys.executable, "-m", "uci_engine", "completion", shell]
            answer = subprocess.run(command, env=ENVIRONMENT, capture_output=True, check=True)
            path.write_bytes(answer.stdout)
        return path

    return write


SHOW = "cythera() { printf '<%s>' \"$@\"; echo '|'; }"
SHOWN = re.compile(rb"^((?:<[^>]*>)+)\|\r?$", re.MULTILINE)


def type_into(shell: list[str], start: str, lines: list[str], place: Path) -> list[list[str]]:
    """Type into a shell in a terminal, in which `cythera` shows its arguments; what each was."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(place)
        os.execvpe(shell[0], shell, {**os.environ, "PS1": "", "TERM": "dumb", "HISTFILE": ""})
    said = b""
    try:
        for count, line in enumerate([f"{SHOW}; {start}; cythera ready", *lines], 1):
            os.write(terminal, line.encode() + b"\r")
            while len(SHOWN.findall(said)) < count:
                assert select.select([terminal], [], [], TIMEOUT)[0], said
                said += os.read(terminal, 65536)
    finally:
        os.kill(pid, signal.SIGKILL)
        os.close(terminal)
        os.waitpid(pid, 0)
    arguments = [found.decode().strip("<>").split("><") for found in SHOWN.findall(said)]
    return arguments[1:]


ALL = "\x1b*"  # readline puts all that is possible into the line

# What is typed, and the words that it becomes.
COMPLETIONS = [
    ("ben", ["bench"]),
    ("--ver", ["--version"]),
    ("help ben", ["help", "bench"]),
    ("match --fo", ["match", "--format"]),
    ("match --format ga", ["match", "--format", "gauntlet"]),
    ("data shu", ["data", "shuffle"]),
    ("data shuffle --se", ["data", "shuffle", "--seed"]),
    ("lab tree --algorithm alphab", ["lab", "tree", "--algorithm", "alphabeta"]),
    ("go movet", ["go", "movetime"]),
    ("tune --sp", ["tune", "--spsa"]),
    ("pgn gam", ["pgn", "games.pgn"]),
    ("match --openings gam", ["match", "--openings", "games.pgn"]),
    ("completion fi", ["completion", "fish"]),
]


BASH = ["bash", "--norc", "--noprofile", "-i"]
TYPED = [f"cythera {typed}\t" for typed, _ in COMPLETIONS]
BECOMES = [words for _, words in COMPLETIONS]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "games.pgn").touch()
    return tmp_path


@needs("bash")
def test_bash_completes(script: Callable[[str], Path], place: Path) -> None:
    assert type_into(BASH, f". {script('bash')}", TYPED, place) == BECOMES


@needs("bash")
def test_bash_offers_all_that_there_is(script: Callable[[str], Path], place: Path) -> None:
    typed = [
        *("", "lab ", "learn --from ", "match --games ", "match --engine cmd=gam"),
        *("play --name gam", "serve --name gam", "match --out gam"),
    ]
    lines = [f"cythera {each}{ALL}" for each in typed]
    answers = type_into(BASH, f". {script('bash')}", lines, place)
    commands, experiments, begin, games, engine, player, host, out = answers
    assert {*cli.purposes(), "help", "--version"} <= {*commands}
    assert {*EXPERIMENTS, "all"} == {*experiments[1:]}
    assert begin == ["learn", "--from", "classical", "rules"]
    assert games == ["match", "--games"]  # nobody knows how many
    assert engine == ["match", "--engine", "cmd=games.pgn"]
    assert player == ["play", "--name", "gam"]  # a person's
    assert host == ["serve", "--name", "gam"]
    assert out == ["match", "--out", "games.pgn"]


@needs("zsh")
def test_zsh_completes(script: Callable[[str], Path], place: Path) -> None:
    start = f"autoload -Uz compinit; compinit -u -D; . {script('zsh')}"
    assert type_into(["zsh", "-f", "-i"], start, TYPED, place) == BECOMES


@needs("fish")
def test_fish_completes(script: Callable[[str], Path], place: Path) -> None:
    asked = "; ".join(f"complete -C 'cythera {typed}'" for typed, _ in COMPLETIONS)
    answer = subprocess.run(
        ["fish", "--no-config", "-c", f"source {script('fish')}; {asked}"],
        cwd=place, capture_output=True, text=True, timeout=TIMEOUT, check=True,
    )  # fmt: skip
    offered = [line.partition("\t")[0] for line in answer.stdout.splitlines()]
    assert offered == [words[-1] for words in BECOMES]


def test_every_command_and_option_is_known(capsys: pytest.CaptureFixture[str]) -> None:
    """What the parsers print when they are asked is what the tables have."""
    assert {command.name for command in all_commands()} == {*cli.COMMANDS, *cli.UCI_WORDS}
    for command in every_command():
        if command.parts:
            continue
        with pytest.raises(SystemExit):
            cli.run([*command.words, "--help"])
        said = capsys.readouterr().out
        listed = re.findall(r"^  (-[-\w]+)(?:.*?, (--[-\w]+))?", said, re.MULTILINE)
        assert listed
        assert {flag for flags in listed for flag in flags if flag} <= {*command.flags}, command


# ---- the manual page


def test_the_manual_page_is_the_program_s() -> None:
    assert MANUAL.read_text(encoding="utf-8") == manual_page(), "scripts/make_manual writes it anew"


@needs("man")
def test_man_shows_it_without_a_complaint() -> None:
    answer = subprocess.run(
        ["man", "--warnings", "--local-file", MANUAL],
        env={**os.environ, "MANWIDTH": "100", "MANPAGER": "cat", "LC_ALL": "C.UTF-8"},
        capture_output=True, text=True, timeout=TIMEOUT, check=True,
    )  # fmt: skip
    assert answer.stderr == ""
    text = re.sub(".\b", "", answer.stdout)  # bold is typed twice
    for words in ("CYTHERA(1)", "--sprt KEY=VALUE ...", "cythera data shuffle", "EXIT STATUS"):
        assert words in text


# ---- the workflow


def test_the_workflow_is_one() -> None:
    checker = Path(sys.executable).with_name("check-jsonschema")
    if not checker.exists():
        pytest.skip("check-jsonschema is not installed")
    command = [str(checker), "--builtin-schema", "vendor.github-workflows", str(WORKFLOW)]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stdout


def test_what_the_workflow_runs_is_there() -> None:
    scripts = re.findall(r"- run: (\S+)", WORKFLOW.read_text(encoding="utf-8"))
    assert ".ci/run" in scripts
    for script in scripts:
        assert os.access(ROOT / script, os.X_OK), script


# ---- the version


def test_the_version_comes_with_the_facts_of_the_build() -> None:
    answer = subprocess.run(
        [sys.executable, "-m", "uci_engine", "--version"],
        env=ENVIRONMENT, capture_output=True, text=True, timeout=TIMEOUT, check=True,
    )  # fmt: skip
    first, *facts = answer.stdout.splitlines()
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.findall(r"^## \[(\d[^]]*)\]", changes, re.MULTILINE)[0]
    assert first == f"Cythera {newest}"
    assert any("core" in fact for fact in facts)
    assert any(sys.version.split()[0] in fact for fact in facts)
