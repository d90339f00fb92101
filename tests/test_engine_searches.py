"""Searches of the engine inside this process while they run: read, stopped, several at a time."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from unittest.mock import ANY

import chess
import chess.engine
import pytest
from chess.engine import Limit
from uci_process import ENVIRONMENT, MATE_IN_ONE, TIMEOUT

from uci_engine import AsyncEngine, Engine
from uci_engine.analysis import Analysis
from uci_engine.bench import POSITIONS

pytestmark = pytest.mark.release_only

START_MOVES = set(chess.Board().legal_moves)
MANY_NODES = Limit(nodes=10**15)  # a limit, so that it makes way for nobody; it never ends


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine(hash_mb=1) as engine:
        yield engine


def run_script(script: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    )


# ---- findings while they come


def test_iterating(engine: Engine) -> None:
    with engine.analysis(chess.Board(), Limit(depth=8)) as analysis:
        infos = list(analysis)
    depths = [info["depth"] for info in infos]
    assert depths == sorted(depths)
    assert set(depths) == set(range(1, 9))
    best = analysis.wait()
    assert infos[-1]["pv"][:2] == [best.move, best.ponder]
    assert analysis.info == {**infos[-1], "time": ANY, "nps": ANY}
    assert analysis.multipv == [analysis.info]
    assert list(analysis) == []  # all has been read, and asking again does not hang


def test_the_last_finding_has_the_counts_of_the_whole_search(engine: Engine) -> None:
    with engine.analysis(POSITIONS[2], Limit(nodes=4321)) as analysis:
        assert list(analysis)[-1]["nodes"] == 4321


def test_lines_come_one_by_one(engine: Engine) -> None:
    with engine.analysis(chess.Board(), Limit(depth=5), multipv=3) as analysis:
        numbers = [info["multipv"] for info in analysis]
    assert numbers == [1, 2, 3] * 5
    assert [info["multipv"] for info in analysis.multipv] == [1, 2, 3]


def test_reading_one_by_one(engine: Engine) -> None:
    analysis = engine.analysis(chess.Board(), Limit(depth=2))
    analysis.wait()
    assert not analysis.empty()
    assert not analysis.would_block()
    assert analysis.get()["depth"] == 1
    second = analysis.next()
    assert second is not None
    assert second["depth"] == 2
    assert analysis.empty()
    assert not analysis.would_block()
    assert analysis.next() is None
    for _ in range(2):
        with pytest.raises(chess.engine.AnalysisComplete):
            analysis.get()


def test_leaving_the_loop_early_ends_the_search(engine: Engine) -> None:
    with engine.analysis(chess.Board()) as analysis:
        for info in analysis:
            if info["depth"] == 5:
                break
    assert analysis.wait().move in START_MOVES
    assert analysis.info["depth"] >= 5
    assert engine.play(chess.Board(), Limit(depth=2)).move


def test_an_error_in_the_loop_ends_the_search(engine: Engine) -> None:
    analysis = engine.analysis(chess.Board())

    def fail_at_the_first_finding() -> None:
        with analysis:
            analysis.get()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_at_the_first_finding()
    assert analysis.wait().move


def test_stopping(engine: Engine) -> None:
    analysis = engine.analysis(chess.Board())
    analysis.get()
    analysis.stop()
    best = analysis.wait()
    assert best.move == analysis.info["pv"][0]
    analysis.stop()  # once more does no harm


@pytest.mark.parametrize("who", ["engine", "analysis"])
def test_a_stop_that_comes_at_once_is_not_lost(engine: Engine, who: str) -> None:
    for _ in range(50):
        analysis = engine.analysis(chess.Board())
        stop = engine.stop if who == "engine" else analysis.stop
        stop()
        assert analysis.wait().move in START_MOVES


def test_stopping_from_another_thread(engine: Engine) -> None:
    with ThreadPoolExecutor() as pool:
        search = pool.submit(engine.play, chess.Board(), MANY_NODES)
        while not search.done():
            engine.stop()
    assert search.result().move in START_MOVES


# ---- one engine, several searches


def is_going_on(analysis: Analysis) -> bool:
    """Is there news after what has been found by now?"""
    while not analysis.empty():
        analysis.get()
    return analysis.next() is not None


def read_to_depth(analysis: Analysis, depth: int) -> None:
    while analysis.get()["depth"] < depth:
        pass


def test_searches_come_one_after_the_other(engine: Engine) -> None:
    with ThreadPoolExecutor(4) as pool:
        tasks = [pool.submit(engine.analyse, fen, Limit(nodes=2000)) for fen in POSITIONS[:12]]
    for fen, task in zip(POSITIONS[:12], tasks, strict=True):
        assert task.result()["nodes"] == 2000
        assert task.result()["pv"][0] in chess.Board(fen).legal_moves


def test_a_search_without_a_limit_makes_way(engine: Engine) -> None:
    endless = engine.analysis(chess.Board())
    endless.get()
    next_one = engine.analysis(chess.Board(MATE_IN_ONE))
    assert engine.play(chess.Board(), Limit(nodes=500)).move in START_MOVES
    assert endless.wait().move in START_MOVES
    assert next_one.wait().move in list(chess.Board(MATE_IN_ONE).legal_moves)
    endless = engine.analysis(chess.Board())
    engine.clear()
    assert endless.wait().move


def test_a_search_that_waits_is_stopped_alone(engine: Engine) -> None:
    first = engine.analysis(chess.Board(), MANY_NODES)
    second = engine.analysis(chess.Board(MATE_IN_ONE), Limit(nodes=10**14))
    read_to_depth(first, 9)
    second.stop()
    assert is_going_on(first)
    first.stop()
    assert second.wait().move == chess.Move.from_uci("a1a8")
    assert len(list(second)) == 1  # it was told to stop before it began


def test_stopping_an_ended_search_does_not_end_the_next(engine: Engine) -> None:
    with engine.analysis(chess.Board(), Limit(depth=2)) as first:
        first.wait()
        second = engine.analysis(chess.Board(), MANY_NODES)
        read_to_depth(second, 9)
    assert is_going_on(second)
    second.stop()


# ---- the end


def test_closing_in_mid_search(engine: Engine) -> None:
    running = engine.analysis(chess.Board(), MANY_NODES)
    waiting = engine.analysis(chess.Board(), MANY_NODES)
    running.get()
    engine.close()
    assert running.wait().move in START_MOVES
    with pytest.raises(chess.engine.EngineTerminatedError, match=r"^the engine is closed$"):
        waiting.wait()
    with pytest.raises(chess.engine.EngineTerminatedError):
        list(waiting)


@pytest.mark.parametrize("end", [Engine.close, Engine.quit])
def test_use_after_the_end(end: Callable[[Engine], None]) -> None:
    with Engine(hash_mb=1) as engine:
        assert engine.play(chess.Board(), Limit(depth=2)).move
        end(engine)
    for ask in (engine.play, engine.analyse, engine.analysis):
        with pytest.raises(chess.engine.EngineTerminatedError, match=r"^the engine is closed$"):
            ask(chess.Board(), Limit(depth=1))
    engine.close()
    engine.stop()


def test_leaving_with_ends_the_search() -> None:
    with Engine(hash_mb=1) as engine:
        analysis = engine.analysis(chess.Board())
        analysis.get()
    assert analysis.wait().move


def test_a_program_may_end_in_mid_search() -> None:
    script = run_script(
        "import chess; from uci_engine import Engine\n"
        "analysis = Engine(threads=2).analysis(chess.Board())\n"
        "print(analysis.get()['depth'])"
    )
    assert script.communicate(timeout=TIMEOUT) == ("1\n", "")
    assert script.returncode == 0


def test_ctrl_c_ends_a_search() -> None:
    script = run_script(
        "import chess, chess.engine, signal; from uci_engine import Engine\n"
        # The tests may run where Ctrl-C is ignored, which programs hand on to those they start.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "engine = Engine()\n"
        "try:\n"
        "    print('begun', flush=True)\n"
        "    engine.play(chess.Board(), chess.engine.Limit(nodes=10**15))\n"
        "except KeyboardInterrupt:\n"
        "    print(engine.play(chess.Board(), chess.engine.Limit(nodes=900)).info['nodes'])"
    )
    assert script.stdout is not None
    assert script.stdout.readline() == "begun\n"
    script.send_signal(signal.SIGINT)
    try:
        assert script.communicate(timeout=TIMEOUT) == ("900\n", "")
    finally:
        script.kill()


# ---- several engines


def play_game(seed: int) -> list[chess.Move]:
    board = chess.Board.from_chess960_pos(seed)
    with Engine(hash_mb=1) as engine:
        for _ in range(12):
            move = engine.play(board, Limit(nodes=1500)).move
            assert move is not None
            board.push(move)
    return board.move_stack


def test_engines_in_threads_play_as_if_alone() -> None:
    seeds = range(0, 960, 160)
    with ThreadPoolExecutor(len(seeds)) as pool:
        together = list(pool.map(play_game, seeds))
    assert together == [play_game(seed) for seed in seeds]


def test_an_engine_does_not_wait_for_another(engine: Engine) -> None:
    with Engine(hash_mb=1) as busy, busy.analysis(chess.Board(), MANY_NODES) as analysis:
        analysis.get()
        for fen in POSITIONS[:10]:
            assert engine.analyse(fen, Limit(nodes=1000))["nodes"] == 1000
        assert is_going_on(analysis)


def test_python_goes_on_while_an_engine_searches() -> None:
    """Were the GIL held, the count would not end: each iteration takes longer than the last."""
    script = run_script(
        "import chess; from uci_engine import Engine\n"
        "analysis = Engine().analysis(chess.Board())\n"
        "while analysis.get()['depth'] < 11: pass\n"
        "print(sum(1 for _ in range(3_000_000)))"
    )
    assert script.communicate(timeout=TIMEOUT) == ("3000000\n", "")


def test_no_thread_is_left_behind() -> None:
    before = threading.enumerate()
    with Engine(hash_mb=1, threads=2) as engine:
        for _ in range(20):
            engine.play(chess.Board(), Limit(nodes=200))
            with engine.analysis(chess.Board()) as analysis:
                analysis.get()
    for thread in set(threading.enumerate()) - set(before):
        thread.join(TIMEOUT)
        assert not thread.is_alive()


# ---- what nobody holds, what nobody waits for, and what is forked


def wait_for_threads_to_end(known: Collection[threading.Thread]) -> None:
    for thread in set(threading.enumerate()) - set(known):
        thread.join(TIMEOUT)
        assert not thread.is_alive()


def test_a_search_that_nobody_holds_ends() -> None:
    before = threading.enumerate()
    for _ in range(30):
        Engine(hash_mb=1).analysis(chess.Board())
    wait_for_threads_to_end(before)


def test_a_loop_that_is_left_ends_its_search(engine: Engine) -> None:
    before = threading.enumerate()
    for info in engine.analysis(chess.Board(), MANY_NODES):
        if info["depth"] == 3:
            break
    wait_for_threads_to_end(before)
    assert engine.play(chess.Board(), Limit(depth=2)).move


def test_an_engine_that_nobody_holds_thinks_no_longer() -> None:
    """In its opponent's time, when there is no analysis to hold either."""
    before = threading.enumerate()
    engine = Engine(hash_mb=1)
    assert engine.play(chess.Board(), Limit(time=0.2), ponder=True).move
    assert set(threading.enumerate()) - set(before)
    del engine
    wait_for_threads_to_end(before)


def test_an_awaited_search_that_nobody_holds_ends() -> None:
    async def drop_some() -> None:
        for _ in range(5):
            analysis = await AsyncEngine(hash_mb=1).analysis(chess.Board())
            await analysis.get()

    before = threading.enumerate()
    asyncio.run(drop_some())
    wait_for_threads_to_end(before)


def test_an_analysis_keeps_its_engine() -> None:
    analysis = Engine(hash_mb=1).analysis(chess.Board(), MANY_NODES)
    read_to_depth(analysis, 5)
    assert is_going_on(analysis)
    analysis.stop()
    assert analysis.wait().move in START_MOVES


ENDINGS = [
    "held = [Engine(threads=2, hash_mb=1).analysis(chess.Board()) for _ in range(3)]",
    "for _ in range(5): Engine(hash_mb=1).analysis(chess.Board())",
    "engine = Engine(hash_mb=1)\n"
    "held = [engine.analysis(chess.Board(), Limit(nodes=10**15)) for _ in range(3)]",
    "for _ in range(3): Thread(target=lambda: Searcher(1, 2).search(Board()), daemon=True).start()",
    "PerftRun(Board(), 9).start(3)",
]
EXITS = int(os.environ.get("CYTHERA_EXITS", "3"))


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_interpreter_ends_in_mid_search(ending: str) -> None:
    """At different moments, and without a word. CYTHERA_EXITS=200 makes it a thousand times."""
    for number in range(EXITS):
        script = run_script(
            "import chess, time; from threading import Thread\n"
            "from chess.engine import Limit; from core_ext.core import PerftRun, Searcher\n"
            f"from uci_engine import Board, Engine\n{ending}\n"
            f"time.sleep({(0, 0.001, 0.05, 0, 0.01)[number % 5]})"
        )
        assert script.communicate(timeout=TIMEOUT) == ("", "")
        assert script.returncode == 0


def test_a_forked_child_is_told_at_once() -> None:
    """Everything that would wait for the parent's thread; and the child ends by itself."""
    script = run_script(
        "import chess, os, sys, warnings; from chess.engine import EngineTerminatedError, Limit\n"
        "warnings.simplefilter('ignore')  # newer versions of Python warn of the fork itself\n"
        "from uci_engine import Engine\n"
        "engine = Engine(hash_mb=1)\n"
        "analysis = engine.analysis(chess.Board(), Limit(nodes=10**15))\n"
        "analysis.get()\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    for ask in (\n"
        "        lambda: engine.play(chess.Board(), Limit(depth=1)),\n"
        "        lambda: engine.analyse(chess.Board(), Limit(depth=1)),\n"
        "        lambda: engine.analysis(chess.Board()),\n"
        "        engine.clear, analysis.wait, analysis.get, lambda: list(analysis),\n"
        "    ):\n"
        "        try:\n"
        "            ask()\n"
        "        except EngineTerminatedError as error:\n"
        "            assert 'forked' in str(error)\n"
        "        else:\n"
        "            sys.exit(3)\n"
        "    with analysis, engine: pass\n"
        "    engine.stop()\n"
        "    with Engine(hash_mb=1) as own: assert own.play(chess.Board(), Limit(depth=2)).move\n"
        "    sys.exit(7)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
        "analysis.stop()\n"
        "print(analysis.wait().move in chess.Board().legal_moves)"
    )
    assert script.communicate(timeout=TIMEOUT) == ("7\nTrue\n", "")
