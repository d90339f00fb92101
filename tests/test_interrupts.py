"""Ctrl-C: noted, told to the work, and at the second time obeyed at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from uci_process import COMMAND, ENVIRONMENT, TIMEOUT

from uci_engine.interrupts import Interrupts

pytestmark = pytest.mark.release_only


def test_work_is_stopped_once_and_waited_for() -> None:
    ended, stops = threading.Event(), []

    def stop() -> None:
        stops.append(1)
        threading.Timer(0.2, ended.set).start()

    with Interrupts() as interrupts:
        os.kill(os.getpid(), signal.SIGINT)
        assert not interrupts.watch(ended.wait, stop)
    assert ended.is_set()
    assert len(stops) == 1


def test_work_that_ends_by_itself_is_not_stopped() -> None:
    ended, looks = threading.Event(), []

    def look() -> None:
        looks.append(1)
        if len(looks) == 3:
            ended.set()

    with Interrupts() as interrupts:
        assert interrupts.watch(ended.wait, pytest.fail, look)


def test_a_second_time_leaves_work_that_does_not_stop() -> None:
    def ask_again() -> None:
        os.kill(os.getpid(), signal.SIGINT)

    with Interrupts() as interrupts:
        os.kill(os.getpid(), signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            interrupts.watch(threading.Event().wait, threading.Timer(0.1, ask_again).start)


def test_work_ends_at_a_given_moment() -> None:
    ended = threading.Event()
    start = time.monotonic()
    with Interrupts(end=start + 0.2) as interrupts:
        interrupts.check()
        assert not interrupts.watch(ended.wait, ended.set)
        assert 0.2 <= time.monotonic() - start < 5
        with pytest.raises(KeyboardInterrupt):
            interrupts.check()


def test_other_signals_and_what_was_before() -> None:
    before = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)
    with Interrupts(signal.SIGTERM) as interrupts:
        interrupts.check()
        os.kill(os.getpid(), signal.SIGTERM)
        with pytest.raises(KeyboardInterrupt):
            interrupts.check()
    assert before == (signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT))


def processor_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return int(fields[11]) / os.sysconf("SC_CLK_TCK")


def test_games_without_end_are_broken_off(tmp_path: Path) -> None:
    arguments = ["selfplay", str(tmp_path / "games"), "--nodes", str(10**9), "--threads", "1"]
    with subprocess.Popen(
        [*COMMAND, *arguments], env=ENVIRONMENT, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        while processor_seconds(process.pid) < 1:  # more than the start takes: it plays
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert process.stderr.readline() == "interrupted: the games that had begun are lost\n"
        assert process.wait(TIMEOUT) == 130
        assert process.stderr.read().startswith("0 of 1000 games, 0 plies")


MINIMAX = """\
from core_ext.core import Board, Searcher
board = Board("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -")
searcher = Searcher()
searcher.set_algorithm("minimax")
def hear(infos):
    if infos[0].depth == 4:
        print("begun", flush=True)
try:
    searcher.search(board, depth=6, on_report=hear)
except KeyboardInterrupt:
    print(searcher.search(board, depth=2).infos[-1].depth)
"""


def test_a_search_of_the_main_thread_is_broken_off_within_an_iteration() -> None:
    """After depth 4 comes one of 193 million positions, in which nothing is told."""
    with subprocess.Popen(
        [sys.executable, "-c", MINIMAX], env=ENVIRONMENT, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        process.send_signal(signal.SIGINT)
        try:
            assert process.communicate(timeout=TIMEOUT)[0] == "2\n"
        finally:
            process.kill()
