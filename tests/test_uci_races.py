"""Commands that come in bursts, at awkward moments, or while something goes wrong."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time

import chess
import pytest
from uci_process import ENVIRONMENT, ONE_MOVE, TIMEOUT, EngineProcess, assert_answer

pytestmark = pytest.mark.release_only

BURSTS = int(os.environ.get("CYTHERA_UCI_BURSTS", "150"))


def answers(lines: list[str]) -> list[str]:
    return [line for line in lines if line.startswith("bestmove")]


def test_a_burst_leaks_neither_stops_nor_answers() -> None:
    with EngineProcess() as engine:
        engine.send(
            "stop",
            "position startpos",
            "go infinite",
            "stop",
            "position startpos moves e2e4",
            "go infinite",
            "stop",
            "stop",
            "go depth 3",
        )
        for _ in range(3):
            engine.read_until("bestmove")
        assert engine.ask() == []
        # No stop is left over: this one is stopped by the next `stop` only.
        engine.send("go infinite")
        time.sleep(0.1)
        assert answers(engine.ask()) == []
        engine.send("stop")
        engine.read_until("bestmove")
        engine.assert_silent(0.1)


@pytest.mark.parametrize("go", ["go infinite", "go ponder wtime 500 btime 500"])
@pytest.mark.parametrize("end", ["stop", "ponderhit", "go depth 1", "ucinewgame"])
def test_an_end_at_any_moment(go: str, end: str) -> None:
    generator = random.Random(1)
    with EngineProcess() as engine:
        engine.ask()
        for _ in range(10):
            engine.send("position startpos", go)
            time.sleep(generator.choice([0, 0, 0.0003, 0.001, 0.003]))
            engine.send(end)
            if end == "ponderhit" and "infinite" in go:
                engine.send("stop")
            engine.read_until("bestmove")
            if end == "go depth 1":
                engine.read_until("bestmove")
            assert answers(engine.ask()) == []


@pytest.mark.parametrize("go", ["go infinite", "go ponder wtime 500 btime 500", "go depth 1"])
@pytest.mark.parametrize("end", ["quit", "end of input"])
@pytest.mark.parametrize("delay", [0, 0.0005, 0.003])
def test_the_program_ends_at_any_moment(go: str, end: str, delay: float) -> None:
    with EngineProcess() as engine:
        engine.ask()
        engine.send(go)
        time.sleep(delay)
        if end == "quit":
            engine.send("quit")
            engine.wait()
        else:
            engine.close()
        lines = engine.read_rest()
        assert len(answers(lines)) <= 1
        assert all(line.startswith(("info depth ", "bestmove ")) for line in lines)


@pytest.mark.parametrize("threads", [1, 4])
def test_a_ponderhit_in_the_same_write_as_its_go(threads: int) -> None:
    """Without the clock that it starts, these searches would not end."""
    with EngineProcess() as engine:
        engine.ask(f"setoption name Threads value {threads}")
        for _ in range(40):
            engine.send("go ponder wtime 100 btime 100", "ponderhit")
            engine.read_until("bestmove")
        assert engine.ask() == []


def test_as_many_answers_as_questions_in_random_bursts() -> None:
    generator = random.Random(2)
    choices = [
        "go depth 2",
        "go nodes 500",
        "go movetime 2",
        "go wtime 20 btime 20",
        "go infinite",
        "go ponder wtime 50 btime 50",
        "stop",
        "stop",
        "ponderhit",
        "isready",
        "position startpos moves e2e4",
        f"position fen {ONE_MOVE}",
        "ucinewgame",
        "setoption name Clear Hash",
        "setoption name MultiPV value 2",
        "setoption name Threads value 2",
        "setoption name Threads value 1",
        "setoption name Hash value 2",
        "setoption name Hash value 1",
        "d",
        "go perft 2",
        "bench 1",
        "bench 20",
        "flip",
    ]
    with EngineProcess() as engine:
        for _ in range(BURSTS):
            burst = generator.choices(choices, k=generator.randint(1, 12))
            asked = len([line for line in burst if line.startswith("go ") and "perft" not in line])
            engine.send(*burst, "stop", "isready", "go nodes 1", "isready")
            lines: list[str] = []
            while len(answers(lines)) < asked + 1 or lines.count("readyok") < 2 + burst.count(
                "isready"
            ):
                lines.append(engine.read())
            assert len(answers(lines)) == asked + 1
        assert engine.ask() == []


def test_searches_one_after_another_without_a_pause() -> None:
    with EngineProcess() as engine:
        engine.ask()
        for _ in range(200):
            lines = engine.go("go nodes 50")
            assert_answer(lines, chess.Board())


def test_isready_behind_a_stop_comes_back() -> None:
    with EngineProcess() as engine:
        for _ in range(30):
            engine.send("go infinite", "stop", "isready")
            got = {engine.read_until("bestmove")[-1].split()[0]}
            assert got == {"bestmove"}
            engine.ask()


CRASHING = """
import sys
from core_ext import core
from uci_engine import session, uci

class BrokenSearch:
    def __init__(self, search, board, limits):
        self.stop, self.ponderhit = search.stop, search.ponderhit
        self.board, self.limits = board, limits

    def run(self):
        {trouble}

class Broken(core.Searcher):
    def begin(self, board, **limits):
        return BrokenSearch(super().begin(board, **limits), board, limits)

session.Searcher = Broken
sys.exit(uci.main())
"""


@pytest.mark.parametrize(
    "trouble",
    [
        "raise RuntimeError('out of order')",
        "self.limits['on_report'](None)",
        "return core.Searcher().search(self.board, **{**self.limits, 'multipv': 'x'})",
        "return None",
    ],
)
def test_a_search_that_fails_still_gives_a_move(trouble: str) -> None:
    answer = subprocess.run(
        [sys.executable, "-c", CRASHING.format(trouble=trouble)],
        input="position startpos moves e2e4\ngo depth 3\nisready\ngo depth 2\n",
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=True,
    )
    board = chess.Board()
    board.push_uci("e2e4")
    moves = [line.split()[1] for line in answer.stdout.splitlines() if "bestmove" in line]
    assert len(moves) == 2
    assert all(chess.Move.from_uci(move) in board.legal_moves for move in moves)
    assert answer.stdout.count("info string the search failed") == 2
    assert answer.stderr == ""
