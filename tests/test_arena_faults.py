"""Engines that misbehave: each fault is recorded and scored, and the match goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from arena_tools import ENVIRONMENT, command, games, match, play, run, stub

pytestmark = pytest.mark.release_only

FEW: list[str | Path] = ["--games", "2", "--openings", "start", "--maxmoves", "12"]
FAULTS = {
    "crash": ("crash", "exit code 3"),
    "hang": ("hang", "not even after stop"),
    "slow": ("time forfeit", "used 1"),
    "illegal": ("illegal move", "e2e5"),
    "null": ("illegal move", "0000"),
    "garbage": ("illegal move", ""),
    "empty": ("illegal move", "''"),
    "flood": ("protocol", "bytes"),
}


@pytest.mark.parametrize("behaviour", FAULTS)
def test_fault_loses_and_the_match_goes_on(behaviour: str, tmp_path: Path) -> None:
    reason, detail = FAULTS[behaviour]
    results = play(
        stub(),
        stub(behaviour, 4),
        out=tmp_path / "m",
        extra=[*FEW, "--concurrency", "2"],
        each=["tc=1", "stopgrace=0.3" if behaviour == "hang" else "stopgrace=5"],
    )
    assert results["pairings"][0]["wins"] == 2
    assert results["reasons"] == {reason: 2}
    assert results["players"][1]["faults"] == {reason: 2}
    for game in games(tmp_path / "m"):
        assert game["guilty"] == 1
        assert detail in game["detail"]
        assert len(game["moves"]) in (4, 5)


def test_chatter_is_no_fault(tmp_path: Path) -> None:
    results = play(stub(), stub("chatty", 4), out=tmp_path / "m", extra=FEW, each=["tc=5"])
    assert results["reasons"] == {"adjudicated draw": 2}


def test_an_engine_that_is_late_once_is_not_killed(tmp_path: Path) -> None:
    """It answers, if too late: it stays and plays the next game."""
    play(stub(), stub("slow", 8), out=tmp_path / "m", extra=FEW, each=["tc=1"])
    assert [game["reason"] for game in games(tmp_path / "m")] == ["time forfeit"] * 2


def test_the_margin_forgives_an_overrun(tmp_path: Path) -> None:
    extra: list[str | Path] = ["--games", "1", "--openings", "start", "--maxmoves", "3"]
    each = ["st=0.3", "margin=5000"]
    results = play(stub(), stub("slow", 4), out=tmp_path / "m", extra=extra, each=each)
    assert results["reasons"] == {"adjudicated draw": 1}


@pytest.mark.parametrize(
    ("behaviour", "reason", "wins"),
    [
        ("resign", "resignation", 2),
        ("claim", "false claim", 2),
        ("reject", "protocol", 2),
        ("illegal", "illegal move", 2),
        ("crash", "crash", 2),
        ("version-1", "adjudicated draw", 0),
    ],
)
def test_xboard_faults(behaviour: str, reason: str, wins: int, tmp_path: Path) -> None:
    results = play(
        stub(),
        stub(behaviour, 4, "xboard"),
        out=tmp_path / "m",
        extra=FEW,
        each=["tc=2+0.1", "stopgrace=0.3"],
    )
    assert results["reasons"] == {reason: 2}
    assert results["pairings"][0]["wins"] == wins


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        ("dead", "exit code 4"),
        ("silent", "no uciok"),
        ("never-ready", "no readyok"),
        ("wrong-protocol", "no uciok"),
    ],
)
def test_an_engine_that_does_not_start_is_found_before_the_first_game(
    behaviour: str, words: str, tmp_path: Path
) -> None:
    arguments = match(
        stub(),
        [*stub(behaviour), "starttimeout=0.7"],
        extra=[*FEW, "--out", tmp_path / "m"],
        each=["tc=1"],
    )
    answer = run(*arguments)
    assert answer.returncode == 2
    assert answer.stderr.count("\n") == 1
    assert words in answer.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("behaviour", ["predict", "mispredict"])
def test_pondering(behaviour: str, tmp_path: Path) -> None:
    """The one ends itself when it is not told of a ponderhit; the other is always surprised, has
    to be stopped, and must not have its old answer taken for a new one."""
    engines = (stub(behaviour, name="a"), stub(behaviour, name="b"))
    results = play(*engines, out=tmp_path / "m", extra=FEW, each=["depth=1", "ponder=on"])
    assert results["reasons"] == {"adjudicated draw": 2}
    plain = play(stub(name="a"), stub(name="b"), out=tmp_path / "n", extra=FEW)
    assert plain["reasons"] == {"adjudicated draw": 2}
    both = [{game["number"]: game["moves"] for game in games(tmp_path / n)} for n in "mn"]
    assert both[0] == both[1]


def test_an_engine_killed_from_outside_is_started_again(tmp_path: Path) -> None:
    arguments = match(
        stub(name="a"),
        stub(name="b"),
        extra=["--games", "60", "--openings", "start", "--maxmoves", "30", "--out", tmp_path / "m"],
    )
    with subprocess.Popen(
        command(*arguments), env=ENVIRONMENT, stdout=subprocess.DEVNULL
    ) as runner:
        time.sleep(0.8)
        for _ in range(5):
            for child in children(runner.pid)[:1]:
                os.kill(child, signal.SIGKILL)
            time.sleep(0.1)
        assert runner.wait(60) == 0
    played = games(tmp_path / "m")
    assert sorted(game["number"] for game in played) == list(range(60))
    assert {game["reason"] for game in played} <= {
        "crash",
        "adjudicated draw",
        "checkmate",
        "does not start",
        "threefold repetition",
    }
    assert any(game["reason"] == "crash" for game in played)


def children(pid: int) -> list[int]:
    """The processes that a process has started."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == pid:
                found.append(int(entry.name))
    return sorted(found)
