"""Engines that misbehave: each fault is recorded and scored, and the match goes on."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from arena_tools import command, games, match, play, program, run, stub
from uci_process import ENVIRONMENT, TIMEOUT

from uci_engine.arena.players import xboard_player

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
    late = behaviour in ("hang", "slow")
    results = play(
        [*stub(), "tc=60"],
        [*stub(behaviour, 4), "tc=1" if late else "tc=60"],
        out=tmp_path / "m",
        extra=[*FEW, "--concurrency", "2"],
        each=["stopgrace=0.3" if behaviour == "hang" else "stopgrace=60"],
    )
    assert results["pairings"][0]["wins"] == 2
    assert results["reasons"] == {reason: 2}
    assert results["players"][1]["faults"] == {reason: 2}
    for game in games(tmp_path / "m"):
        assert game["guilty"] == 1
        assert detail in game["detail"]
        assert len(game["moves"]) in (4, 5)


def test_chatter_is_no_fault(tmp_path: Path) -> None:
    results = play(stub(), stub("chatty", 4), out=tmp_path / "m", extra=FEW, each=["tc=60"])
    assert results["reasons"] == {"adjudicated draw": 2}


@pytest.mark.parametrize("concurrency", ["1", "2"])
def test_an_ignored_limit_is_told_once(concurrency: str, tmp_path: Path) -> None:
    arguments = match(
        stub(name="good"),
        stub("ignore", name="bad"),
        each=["nodes=3000"],
        extra=[*FEW, "--concurrency", concurrency, "--out", tmp_path / "m"],
    )
    lines = run(*arguments).stdout.splitlines()
    assert lines.count("bad ignores nodes=3000: 99999 nodes in one move") == 1
    assert not any(line.startswith("good ignores") for line in lines)
    # At once, not when the game is over.
    first_game = next(index for index, line in enumerate(lines) if line.startswith("1/2 "))
    assert lines.index("bad ignores nodes=3000: 99999 nodes in one move") < first_game


@pytest.mark.parametrize(
    ("behaviour", "limits", "words"),
    [
        ("ignore", ["depth=2"], "it ignores depth=2: depth 3 in one move"),
        ("until-stopped", ["nodes=50", "movetimeout=0.2"],
         "it ignores nodes=50: no move before it was told to stop"),
    ],
)  # fmt: skip
def test_other_ways_to_ignore_a_limit(
    behaviour: str, limits: list[str], words: str, tmp_path: Path
) -> None:
    path = tmp_path / "s.epd"
    path.write_text("6k1/5ppp/8/8/8/8/8/R6K w - - bm Ra8#;\n" * 2)
    engine = [*stub(behaviour, name="it")]
    answer = run("suite", path, "--engine", *engine, "--each", *limits, "option.Hash=1")
    assert answer.returncode == 0
    assert answer.stderr == f"{words}\n"


def test_toga_ignores_nodes(tmp_path: Path) -> None:
    """A real one; it stops at our word only."""
    toga = [f"cmd={program('toga2')}", "option.OwnBook=false", "movetimeout=0.5", "name=toga"]
    extra: list[str | Path] = ["--games", "1", "--openings", "start", "--maxmoves", "2"]
    answer = run(*match(toga, stub(), each=["nodes=3000"], extra=extra))
    assert answer.returncode == 0
    assert answer.stdout.count("toga ignores nodes=3000: ") == 1


def test_an_engine_that_is_late_once_is_not_killed(tmp_path: Path) -> None:
    """It answers, if too late: it stays and plays the next game."""
    engines = ([*stub(), "tc=60"], [*stub("slow", 8), "tc=1"])
    play(*engines, out=tmp_path / "m", extra=FEW, each=["stopgrace=60"])
    assert [game["reason"] for game in games(tmp_path / "m")] == ["time forfeit"] * 2


def test_the_margin_forgives_an_overrun(tmp_path: Path) -> None:
    extra: list[str | Path] = ["--games", "1", "--openings", "start", "--maxmoves", "3"]
    each = ["st=0.3", "margin=60000"]
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
        each=["tc=60+0.1"],
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


@pytest.mark.parametrize(
    ("behaviour", "protocol", "seconds", "words"),
    [
        ("options", "uci", 120, "it declares options without end"),
        ("options", "xboard", 2, "no `feature done=1` in time"),
        ("features", "xboard", 2, "no `feature done=1` in time"),
    ],
)
def test_an_engine_that_declares_without_end_does_not_start(
    behaviour: str, protocol: str, seconds: int, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each word of it is good, and none the last."""
    monkeypatch.setattr(xboard_player, "MOST_TIMEOUTS", 1)
    monkeypatch.setattr(xboard_player, "FEATURES_MS", 10**6)  # silence is no sign of an old engine
    engine = [*stub(behaviour, protocol=protocol), f"starttimeout={seconds}"]
    answer = run(*match(stub(), engine, extra=FEW))
    assert answer.returncode == 2
    assert re.fullmatch(rf"cythera: {behaviour}: .*({words}).*\n", answer.stderr)


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
        command(*arguments), env=ENVIRONMENT, stdout=subprocess.PIPE, text=True
    ) as runner:
        assert runner.stdout is not None
        while "1/60 " not in runner.stdout.readline():
            assert runner.poll() is None
        for _ in range(5):
            for child in children(runner.pid)[:1]:
                os.kill(child, signal.SIGKILL)
            time.sleep(0.1)
        runner.communicate(timeout=TIMEOUT)
        assert runner.returncode == 0
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
