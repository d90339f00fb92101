"""Tuning by games: the walk finds what is better, and a run that was ended goes on."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from uci_process import ENVIRONMENT, TIMEOUT

from core_ext import core
from uci_engine import cli
from uci_engine.arena.play.engine_game import Opening
from uci_engine.learn.spsa import Number, PairResult, Settings, Walk

tuning_build = pytest.mark.skipif(not core.TUNING, reason="this build is not for tuning")

NUMBERS = (Number("FIRST", 50, 0, 200, 8), Number("SECOND", 150, 0, 200, 8))


def settings(pairs: int, rate: float = 0.02) -> Settings:
    return Settings(NUMBERS, pairs, rate, ("nodes=1",), "", 1)


def test_the_walk_finds_the_better_values_through_the_noise() -> None:
    """Whoever is nearer to a hidden optimum wins a little more often than he loses."""
    best = np.array([120.0, 60.0])
    chance = np.random.default_rng(7)
    walk = Walk(settings(8000))
    for number in range(8000):
        task = walk.perturb(number, Opening())
        first, second = (np.sum(((np.array(each) - best) / 100) ** 2) for each in task.values)
        games = chance.random(2) < 1 / (1 + np.exp(first - second))
        walk.learn(PairResult(task, int(2 * games.sum()) - 2))
    assert np.abs(walk.values - best).max() < 20
    assert np.abs(np.array([50, 150]) - best).max() > 60


def test_the_players_of_a_pair_differ_by_the_spread_both_ways() -> None:
    walk = Walk(settings(100))
    for number in range(100):
        task = walk.perturb(number, Opening())
        first, second = (np.array(each) for each in task.values)
        expected = 2 * walk.spread(number) * np.array(task.signs)
        assert np.abs(first - second - expected).max() <= 1
        assert walk.spread(number)[0] >= 8
    assert walk.spread(99)[0] == pytest.approx(8)


def test_values_stay_within_their_range() -> None:
    walk = Walk(settings(50, rate=1.0))
    for number in range(50):
        task = walk.perturb(number, Opening())
        assert all(0 <= value <= 200 for values in task.values for value in values)
        walk.learn(PairResult(task, 2 * task.signs[0]))
    assert walk.values[0] == 200


def test_rounding_is_fair() -> None:
    """A value between two whole numbers is given out as both of them, in its proportion."""
    walk = Walk(Settings((Number("FIRST", 50, 50, 51, 1),), 10**6, 0.1, (), "", 3))
    walk.values[:] = 50.25
    walk.lows[:] = walk.highs[:] = 50.25  # nothing is moved
    given = [walk.perturb(number, Opening()).values[0][0] for number in range(4000)]
    assert np.mean(given) == pytest.approx(50.25, abs=0.03)


@pytest.mark.skipif(core.TUNING, reason="this build is one for tuning")
@pytest.mark.parametrize("words", [["--spsa", "{name}"], ["--spsa={name}"]])
def test_a_build_whose_numbers_stand_fast_says_so(
    words: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["tune", *(word.format(name=tmp_path / "run") for word in words)]) == 2
    assert "build with CYTHERA_TUNE=1" in capfd.readouterr().err


def command(name: Path, pairs: int) -> list[str]:
    words = ["--numbers", "LMR_QUIET_BASE", "DELTA_MARGIN", "--pairs", str(pairs)]
    words += ["--each", "nodes=50", "--concurrency", "1"]
    return [sys.executable, "-m", "uci_engine", "tune", "--spsa", str(name), *words]


@tuning_build
def test_a_killed_run_goes_on(tmp_path: Path) -> None:
    name = tmp_path / "run"
    state = tmp_path / "run.json"
    process = subprocess.Popen(
        command(name, 6), cwd=tmp_path, env=ENVIRONMENT, stderr=subprocess.DEVNULL
    )
    while not state.exists():
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait(TIMEOUT)
    before = json.loads(state.read_text())["pairs"]
    done = subprocess.run(
        command(name, 6),
        cwd=tmp_path,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
    )
    assert done.returncode == 0
    assert f"going on after {before} pairs" in done.stderr
    assert json.loads(state.read_text())["pairs"] == 6
    rows = [line.split() for line in done.stdout.splitlines()]
    assert [row[0] for row in rows] == ["number", "LMR_QUIET_BASE", "DELTA_MARGIN"]
    assert [row[1] for row in rows[1:]] == [
        str(core.tunables()[name][0]) for name in ("LMR_QUIET_BASE", "DELTA_MARGIN")
    ]


@tuning_build
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "not the state of a tuning"),
        ("[" * 100_000, "not the state of a tuning"),
        ('{"settings": {}, "values": [], "pairs": 1, "course": []}', "made with other settings"),
    ],
)
def test_a_wrong_state_is_refused(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], text: str, problem: str
) -> None:
    (tmp_path / "run.json").write_text(text)
    assert cli.main(["tune", "--spsa", str(tmp_path / "run")]) == 2
    assert problem in capfd.readouterr().err
    assert (tmp_path / "run.json").read_text() == text


@tuning_build
@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--numbers", "NONE"], "there is no number 'NONE'"),
        (["--each", "option.Hash=1"], "needs a limit"),
        (["--openings", "/nowhere.epd"], "No such file"),
    ],
)
def test_wrong_arguments_are_one_sentence(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], words: list[str], problem: str
) -> None:
    assert cli.main(["tune", "--spsa", str(tmp_path / "run"), *words]) == 2
    assert problem in capfd.readouterr().err
