"""Searches of the engine inside this process while they run: read, stopped, several at a time."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from unittest.mock import ANY

import chess
import chess.engine
import pytest
from chess.engine import Limit
from uci_process import ENVIRONMENT, MATE_IN_ONE, TIMEOUT

from uci_engine import Engine
from uci_engine.bench import POSITIONS
from uci_engine.engine import Analysis

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


@pytest.mark.parametrize("stop", [Analysis.stop, lambda analysis: analysis._engine.stop()])
def test_a_stop_that_comes_at_once_is_not_lost(
    engine: Engine, stop: Callable[[Analysis], None]
) -> None:
    for _ in range(50):
        analysis = engine.analysis(chess.Board())
        stop(analysis)
        assert analysis.wait().move in START_MOVES


def test_stopping_from_another_thread(engine: Engine) -> None:
    with ThreadPoolExecutor() as pool:
        search = pool.submit(engine.play, chess.Board(), Limit())
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
        "import chess, chess.engine; from uci_engine import Engine\n"
        "engine = Engine()\n"
        "try:\n"
        "    print('begun', flush=True)\n"
        "    engine.play(chess.Board(), chess.engine.Limit())\n"
        "except KeyboardInterrupt:\n"
        "    print(engine.play(chess.Board(), chess.engine.Limit(nodes=900)).info['nodes'])"
    )
    assert script.stdout is not None
    assert script.stdout.readline() == "begun\n"
    script.send_signal(signal.SIGINT)
    assert script.communicate(timeout=TIMEOUT) == ("900\n", "")


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
