"""Games and test positions on the workers of a real Dask scheduler, on the loopback address."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from arena_tools import command, games, match, play, run, stub
from uci_process import ENVIRONMENT, TIMEOUT

pytestmark = [
    pytest.mark.release_only,
    pytest.mark.skipif(
        find_spec("distributed") is None, reason="Dask distributed is not installed"
    ),
]

PAIR = (stub(name="a"), stub(name="b"))
QUICK: list[str | Path] = ["--maxmoves", "40", "--order", "random", "--seed", "4"]
CONFIGURATION = {
    **ENVIRONMENT,
    "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "5s",
    "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "10s",
}


def start_worker(address: str) -> subprocess.Popen[bytes]:
    # Without a nanny: nobody starts it again when it is killed.
    words = ["worker", address, "--no-nanny", "--nthreads", "1", "--no-dashboard"]
    return subprocess.Popen(
        [sys.executable, "-m", "distributed.cli.dask_worker", *words[1:]],
        env=CONFIGURATION,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a scheduler."""
    note = tmp_path_factory.mktemp("dask") / "scheduler.json"
    words = ["--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(note), "--no-dashboard"]
    process = subprocess.Popen(
        [sys.executable, "-m", "distributed.cli.dask_scheduler", *words],
        env=CONFIGURATION,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    for _ in range(300):
        if note.exists() and note.stat().st_size:
            break
        time.sleep(0.1)
    yield json.loads(note.read_text())["address"]
    process.terminate()
    process.wait(TIMEOUT)


@pytest.fixture(scope="module")
def workers(scheduler: str) -> Iterator[list[subprocess.Popen[bytes]]]:
    started = [start_worker(scheduler) for _ in range(2)]
    yield started
    for worker in started:
        worker.kill()
        worker.wait(TIMEOUT)


@pytest.mark.usefixtures("workers")
def test_the_same_games_as_on_one_machine(scheduler: str, tmp_path: Path) -> None:
    extra: list[str | Path] = ["--games", "20", *QUICK]
    alone = play(*PAIR, out=tmp_path / "alone", extra=extra)
    spread = play(*PAIR, out=tmp_path / "spread", extra=[*extra, "--cluster", scheduler])
    assert alone["pairings"] == spread["pairings"]
    moves = [{g["number"]: g["moves"] for g in games(tmp_path / n)} for n in ("alone", "spread")]
    assert moves[0] == moves[1]
    assert len(moves[0]) == 20


def test_killed_workers_lose_no_game(
    scheduler: str, workers: list[subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    """One worker and then another is killed while games are running; new ones take over."""
    out = tmp_path / "m"
    arguments = match(*PAIR, extra=["--games", "100", *QUICK, "--cluster", scheduler, "--out", out])
    with subprocess.Popen(
        command(*arguments), env=ENVIRONMENT, stdout=subprocess.PIPE, text=True
    ) as runner:
        assert runner.stdout is not None
        for done in (10, 40):
            while f"{done}/100 " not in runner.stdout.readline():
                assert runner.poll() is None
            workers.append(start_worker(scheduler))
            os.kill(workers.pop(0).pid, signal.SIGKILL)
        runner.communicate(timeout=TIMEOUT)
        assert runner.returncode == 0
    played = games(out)
    assert sorted(game["number"] for game in played) == list(range(100))
    assert {game["reason"] for game in played} <= {"adjudicated draw", "checkmate", "stalemate",
        "threefold repetition", "insufficient material", "fifty moves"}  # fmt: skip


@pytest.mark.usefixtures("workers")
def test_sprt_cancels_the_rest(scheduler: str, tmp_path: Path) -> None:
    engines = (stub(name="a"), stub("illegal", 0, name="b"))
    sprt = ["--sprt", "elo0=0", "elo1=400", "alpha=0.1", "beta=0.1", "model=logistic"]
    extra: list[str | Path] = ["--games", "100000", *QUICK, "--cluster", scheduler, *sprt]
    results = play(*engines, out=tmp_path / "m", extra=extra)
    assert results["sprt"]["decision"] == "H1"
    assert results["games"] < 200


@pytest.mark.usefixtures("workers")
def test_a_worker_without_the_engine_is_named(scheduler: str, tmp_path: Path) -> None:
    arguments = match(PAIR[0], ["cmd=/none/x", "name=x"], extra=["--cluster", scheduler])
    answer = run(*arguments)
    assert answer.returncode == 2
    assert answer.stderr.startswith("cythera: worker tcp://127.0.0.1")
    assert "/none/x" in answer.stderr
    assert answer.stderr.count("\n") == 1


def test_a_cluster_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "s.epd"
    path.write_text("6k1/5ppp/8/8/8/8/8/R6K w - - bm Ra8#;\n" * 4)
    answer = run("suite", path, "--each", "depth=3", "--cluster", "local", "--concurrency", "2")
    assert answer.returncode == 0, answer.stderr
    assert "100.0%" in answer.stdout
    assert answer.stderr == ""


def test_no_scheduler_there() -> None:
    answer = run(*match(*PAIR, extra=["--cluster", "tcp://127.0.0.1:1", *QUICK]))
    assert answer.returncode == 2
    assert "no scheduler there" in answer.stderr
    assert answer.stderr.count("\n") == 1
