"""Many games against an engine that changes its manner at random: all are accounted for.

CYTHERA_HOSTILE_GAMES says how many; ten thousand take about half an hour.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import chess.pgn
import pytest
from arena_tools import command, games, match, run
from uci_process import ENVIRONMENT

pytestmark = pytest.mark.release_only

GAMES = int(os.environ.get("CYTHERA_HOSTILE_GAMES", "40"))
HOSTILE = Path(__file__).parent / "arena_hostile.py"
# After so many games the runner has all the memory that it ever needs.
SETTLED = 1000


def resident_mb(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="there is no /proc to look at")
def test_every_game_is_accounted_for(tmp_path: Path) -> None:
    out = tmp_path / "m"
    normal = [f"cmd={sys.executable} -m uci_engine", "name=normal", "option.Hash=4"]
    hostile = [f"cmd={sys.executable} -E -s {HOSTILE} 1", "name=hostile",
               "movetimeout=0.5", "stopgrace=0.2"]  # fmt: skip
    arguments = match(
        normal, hostile,
        each=["depth=1", "starttimeout=20"],
        extra=["--games", str(GAMES), "--concurrency", "2", "--maxmoves", "25", "--out", out],
    )  # fmt: skip
    memory: dict[int, float] = {}
    errors: list[str] = []
    # The hostile engine may spoil its trial; that is told, and not what is tried here.
    for _ in range(50):
        with subprocess.Popen(
            command(*arguments), env=ENVIRONMENT, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        ) as runner:  # fmt: skip
            assert runner.stdout is not None
            assert runner.stderr is not None
            reader = threading.Thread(target=lambda p=runner.stderr: errors.extend(p))
            reader.start()
            for line in runner.stdout:
                done = line.partition("/")[0]
                if done.isdecimal() and int(done) % 500 == 0:
                    memory[int(done)] = resident_mb(runner.pid)
            reader.join()
        if out.with_suffix(".jsonl").exists():
            break
        assert runner.returncode == 2
        assert errors.pop().startswith("cythera: hostile: ")
    assert runner.returncode == 0, errors
    assert errors == []
    check_games(out)
    check_pgn(out.with_suffix(".pgn"))
    settled = [size for done, size in memory.items() if done >= SETTLED]
    if settled:
        print(f"memory in MB by games: {memory}")
        assert max(settled) < 1.15 * settled[0] + 4


def check_games(out: Path) -> None:
    played = games(out)
    assert sorted(game["number"] for game in played) == list(range(GAMES))
    results = json.loads(out.with_suffix(".json").read_text())
    assert results["games"] == GAMES
    reasons = Counter(game["reason"] for game in played)
    assert results["reasons"] == dict(reasons)
    tally = results["pairings"][0]
    assert tally["wins"] + tally["draws"] + tally["losses"] == GAMES
    assert sum(tally["pentanomial"]) == GAMES // 2
    assert results["players"][0]["faults"] == {}
    blamed = sum(game["guilty"] == 1 for game in played)
    assert sum(results["players"][1]["faults"].values()) == blamed > 0
    print(f"ends: {dict(reasons)}")
    # The journal is one that a resumption takes.
    answer = run("match", "--resume", out)
    assert answer.returncode == 0, answer.stderr
    assert f"{GAMES} games were finished before" in answer.stdout


def check_pgn(path: Path) -> None:
    with path.open(encoding="utf-8") as text:
        count = 0
        while (headers := chess.pgn.read_headers(text)) is not None:
            count += 1
            assert headers["Result"] in ("1-0", "0-1", "1/2-1/2")
    assert count == GAMES
