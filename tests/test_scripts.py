"""What a developer runs by hand: wrong arguments, and engines that are none, get one sentence."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from arena_tools import program
from learn_tools import own_games
from uci_process import ENVIRONMENT, TIMEOUT

from lib import ROOT
from lib.wheel_starts import compare_starts, is_slow
from uci_engine.learn.gamefiles import format_block
from uci_engine.learn.parameters import first_parameters, quantise
from uci_engine.network import OWN_NETWORK, NetworkFile, format_network

PERFT_ENGINE = """\
import sys
for line in sys.stdin:
    if line.startswith("position") and "broken" in line:
        break
    if line.startswith("go perft"):
        print("a2a3: 1\\n\\nNodes searched:", 0 if line.endswith("2\\n") else 7, flush=True)
"""
UCI_ENGINE_WITHOUT_HASH = """\
import sys
for line in sys.stdin:
    answers = {"uci": "uciok", "isready": "readyok", "quit": "bye"}
    print(answers.get(line.strip(), ""), flush=True)
    if line == "quit\\n":
        break
"""

pytestmark = pytest.mark.release_only


def run(name: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, ROOT / "scripts" / name, *arguments]
    return subprocess.run(
        command, env=ENVIRONMENT, capture_output=True, text=True, timeout=TIMEOUT, check=False
    )


def engine(directory: Path, source: str) -> Path:
    path = directory / "engine"
    path.write_text(f"#!{sys.executable}\n{source}")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("bench_perft", ["--rounds", "0"], "must be at least 1: '0'"),
        ("bench_perft", ["--stockfish", "/no/such/engine"], "/no/such/engine"),
        ("bench_perft", ["--stockfish", "/bin/true"], "/bin/true has gone"),
        ("bench_python", ["--rounds", "0"], "must be at least 1: '0'"),
        ("bench_train", ["--hidden", "0"], "must be at least 1: '0'"),
        ("bench_builds", ["native+lto"], "'native+lto' is no build"),
        ("wheels", ["--levels", "x86-64-v3"], "a wheel has two levels or more"),
        ("measure_levels", ["/tmp", "--stockfish", "/no/such"], "/no/such: no such program"),
        ("measure_levels", ["/tmp", "--levels", "800"], "none of Stockfish's levels is within 300"),
        ("measure_levels", ["/tmp", "--levels", "700"], "must be from 800 to 2800: '700'"),
        ("rate_lineage", ["/no/such/folder"], "/no/such/folder: no lineage of cythera learn"),
        ("judge_networks", [__file__, OWN_NETWORK], "test_scripts.py: no file of games"),
        ("judge_networks", [__file__, "/no/such"], "/no/such: No such file or directory"),
        ("bench_search", ["/no/such/engine"], "/no/such/engine does not answer"),
        ("bench_search", ["/bin/true", "0"], "must be from 0.01 to 3600: '0'"),
        ("draw_lab", ["no-such"], "LAB.md has no picture of 'no-such'"),
        ("differential", ["--jobs", "0"], "must be at least 1: '0'"),
        ("make_endings", ["--out", "x", "--count", "0"], "must be at least 1: '0'"),
        ("make_manual", ["page"], "unrecognized arguments: page"),
        ("win_endings", ["/no/such/tables"], "there is no directory '/no/such/tables'"),
        ("measure_desk", ["speed", "--games", "0"], "must be at least 1: '0'"),
        ("measure_desk", ["scale", "/dev/null/x"], "/dev/null/x: Not a directory"),
        ("make_perft_suite", ["/no/such/file"], "/no/such/file"),
        ("make_perft_suite", [__file__, "--engine", "/no/such/engine"], "/no/such/engine"),
        ("make_perft_suite", [sys.executable, "--engine", "/bin/true"], "not a text file"),
        ("make_perft_suite", [__file__, "--engine", "/bin/true"], "/bin/true has gone"),
        ("make_perft_suite", [__file__, "--engine", "/bin/cat", "-o", "/no/such/x"], "/no/such/x"),
        ("make_perft_suite", [__file__, "--engine", "/bin/cat", "-o", "/"], "/ is a directory"),
    ],
)
def test_what_can_not_be_done_is_one_sentence(name: str, arguments: list[str], words: str) -> None:
    answer = run(name, *arguments)
    assert answer.returncode in (1, 2)
    assert words in answer.stderr.splitlines()[-1]
    assert "Traceback" not in answer.stderr


def test_a_rival_without_a_hash_size_is_named(tmp_path: Path) -> None:
    path = engine(tmp_path, UCI_ENGINE_WITHOUT_HASH)
    answer = run("bench_search", path)
    assert answer.returncode == 1
    assert f"{path} does not answer as an engine" in answer.stderr
    assert answer.stderr.count("\n") == 1


def test_levels_are_measured_by_those_of_stockfish(tmp_path: Path) -> None:
    program("stockfish")
    answer = run("measure_levels", tmp_path, "--levels", "1200", "--games", "2")
    assert answer.returncode == 0, answer.stderr
    measured = dict(re.findall(r"^(\S+ \d+) +(-?\d+) ± \d+$", answer.stdout, re.MULTILINE))
    assert set(measured) == {"level 1050", "level 1200", "Stockfish 1350"}
    assert measured["Stockfish 1350"] == "1350"  # the only yardstick


def test_networks_are_judged_by_long_searches(tmp_path: Path) -> None:
    """One of random weights is further from them than the engine's own."""
    games, random = tmp_path / "own.games", tmp_path / "random.nnue"
    played = own_games(20, 7, soft_nodes=60, hard_nodes=100)
    games.write_bytes(b"".join(format_block(game, 1) for game in played))
    weights = quantise(first_parameters(32, 1, 1), 32, 1)
    random.write_bytes(format_network(NetworkFile(32, 1, 200, "", weights)))
    answer = run("judge_networks", games, OWN_NETWORK, random, "--nodes", "500")
    assert answer.returncode == 0, answer.stderr
    scores, own, other = answer.stdout.splitlines()
    assert scores.startswith("scores of the games ")
    assert own.endswith("+0.0% ± 0.0%")
    change = re.fullmatch(r"random.nnue +0\.\d{4}  ([+-]\d+\.\d)% ± (\d+\.\d)%", other)
    assert change is not None
    assert float(change[1]) > 100


def test_a_perft_suite_is_counted_again_in_its_place(tmp_path: Path) -> None:
    suite = tmp_path / "suite.epd"
    suite.write_text("# a comment\n\none ;D1 5\ntwo\n")
    path = engine(tmp_path, PERFT_ENGINE)
    assert run("make_perft_suite", "--engine", path, "-o", suite, suite).returncode == 0
    counted = "# a comment\n\none ;D1 7 ;D2 0\ntwo ;D1 7 ;D2 0\n"
    assert suite.read_text() == counted
    assert sorted(tmp_path.iterdir()) == [path, suite]
    answer = run("make_perft_suite", "--engine", path, suite)
    assert (answer.returncode, answer.stdout) == (0, counted)


def test_an_engine_that_goes_keeps_what_is_counted(tmp_path: Path) -> None:
    suite = tmp_path / "suite.epd"
    suite.write_text("one ;D1 5\nbroken ;D1 5\n")
    path = engine(tmp_path, PERFT_ENGINE)
    answer = run("make_perft_suite", "--engine", path, "-o", suite, suite)
    assert answer.returncode == 2
    assert f"make_perft_suite: line 2: {path} has gone" in answer.stderr
    assert suite.read_text() == "one ;D1 5\nbroken ;D1 5\n"
    assert (tmp_path / "suite.epd.new").read_text() == "one ;D1 7 ;D2 0\n"


def test_a_reader_that_has_seen_enough_of_a_perft_suite(tmp_path: Path) -> None:
    positions = tmp_path / "positions"
    positions.write_text("one\n" * 5000)
    path = engine(tmp_path, PERFT_ENGINE)
    with subprocess.Popen(
        [sys.executable, ROOT / "scripts" / "make_perft_suite", "--engine", path, positions],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr is not None
        errors = process.stderr.read()
    assert process.returncode == 1
    assert "Error" not in errors


def test_a_wheel_that_starts_slowly_is_a_problem(tmp_path: Path) -> None:
    """In the place of its Python, one that thinks first."""
    checkout, wheel = Path(sys.executable), tmp_path / "python"
    wheel.write_text(f'#!/bin/sh\nsleep 0.3\nexec "{checkout}" "$@"\n')
    wheel.chmod(0o755)
    lines, problems = compare_starts(wheel, checkout, rounds=3)
    assert [line.split("wheel")[0].strip() for line in lines] == ["to uciok", "import"]
    assert [problem.partition(":")[0] for problem in problems] == [
        "the wheel starts too slowly (to uciok)",
        "the wheel starts too slowly (import)",
    ]


@pytest.mark.parametrize(
    ("seconds", "than", "is_too_much"),
    [
        (0.050, 0.050, False),
        (0.022, 0.018, False),  # many parts of little
        (0.110, 0.100, False),  # few parts of much
        (0.116, 0.100, True),
        (0.024, 0.018, True),
        (0.050, 0.100, False),
    ],
)
def test_what_is_slow(seconds: float, than: float, is_too_much: bool) -> None:
    assert is_slow(seconds, than) == is_too_much


@pytest.mark.parametrize("home", ["", "https://example.org/cythera"])
def test_wheels_without_a_home_are_told_of(home: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ENVIRONMENT, "CYTHERA_HOME", home)
    said = run("wheels", "--levels", "x86-64-v3").stderr
    assert said.count("CYTHERA_HOME is not set: ") == (home == "")
