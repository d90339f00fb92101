"""Handshake, output, input and lifetime, as clients rely on them."""

from __future__ import annotations

import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from uci_process import COMMAND, ENVIRONMENT, TIMEOUT, EngineProcess, best_move

pytestmark = pytest.mark.release_only


@pytest.fixture
def engine() -> Iterator[EngineProcess]:
    with EngineProcess() as engine:
        yield engine


# ---- handshake and output


def test_uci_is_answered_with_name_author_options_and_uciok(engine: EngineProcess) -> None:
    engine.send("uci")
    lines = engine.read_until("uciok")
    assert lines[0].startswith("id name Cythera")
    assert lines[1].startswith("id author ")
    assert all(line.startswith("option name ") for line in lines[2:-1])
    assert lines[-1] == "uciok"


def test_nothing_is_said_unless_asked_for(engine: EngineProcess) -> None:
    engine.assert_silent(0.3)
    assert engine.ask("ucinewgame", "position startpos") == []


def test_isready_is_answered_before_uci(engine: EngineProcess) -> None:
    engine.send("isready")
    assert engine.read() == "readyok"


def test_isready_is_answered_during_a_search(engine: EngineProcess) -> None:
    engine.send("go infinite")
    for _ in range(3):
        engine.send("isready")
        engine.read_until("readyok")
    engine.send("stop")
    engine.read_until("bestmove")


def test_memory_for_the_hash_is_not_taken_at_the_start(engine: EngineProcess) -> None:
    engine.send("uci", "setoption name Hash value 256")
    engine.read_until("uciok")
    assert resident_mb(engine) < 100


def resident_mb(engine: EngineProcess) -> float:
    pages = int(Path(f"/proc/{engine.process.pid}/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def test_lines_of_different_threads_never_mix(engine: EngineProcess) -> None:
    """A search talks while the reading thread answers hundreds of questions."""
    engine.send("setoption name MultiPV value 8", "go infinite")
    for _ in range(20):
        engine.send(*["isready", "uci"] * 20)
        time.sleep(0.01)
    engine.send("stop")
    lines = engine.read_until("bestmove")
    known = re.compile(
        r"(readyok|uciok|id name .*|id author .*|option name \S.* type .*"
        r"|info depth \d+ seldepth \d+ multipv \d+ score .* pv( [a-h][1-8][a-h][1-8][nbrq]?)+"
        r"|bestmove .*)"
    )
    assert [line for line in lines if not known.fullmatch(line)] == []
    assert lines.count("readyok") + engine.read_rest().count("readyok") <= 400


def test_the_engine_loads_neither_numpy_nor_python_chess() -> None:
    program = (
        "import sys; from uci_engine.uci import main; main();"
        "print(sorted({'numpy', 'chess', 'argparse', 'dataclasses'} & sys.modules.keys()))"
    )
    answer = subprocess.run(
        [sys.executable, "-c", program],
        input="uci\nposition startpos moves e2e4\ngo depth 2\n",
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert answer.stdout.splitlines()[-1] == "[]"


# ---- input


@pytest.mark.parametrize(
    "data",
    [
        b"isready\r\n",
        b"\n\n  \n\t\n\r\nisready\n",
        b"  \t isready \t \n",
        b"joho isready\n",
        b"\xff\xfe \x80 isready\n",
        b"\x00 isready\n",
        b"nonsense\nuci2\nISREADY\nisready\n",
        b"xboard\nprotover 2\nregister later\ndebug on\ndebug off\nisready\n",
    ],
    ids=repr,
)
def test_what_is_not_understood_is_passed_over(engine: EngineProcess, data: bytes) -> None:
    engine.send_bytes(data)
    assert engine.read() == "readyok"


def test_runs_of_spaces_and_tabs_between_words(engine: EngineProcess) -> None:
    engine.send_bytes(b"position \t startpos   moves\te2e4  e7e5\r\nd\r\nisready\r\n")
    assert "Fen: rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2" in (
        engine.read_until("readyok")
    )


def test_debug_names_what_was_not_understood(engine: EngineProcess) -> None:
    assert engine.ask("debug on", "nonsense") == ["info string no command in 'nonsense'"]
    assert engine.ask("debug off", "nonsense") == []


def test_a_game_of_six_hundred_moves(engine: EngineProcess) -> None:
    cycle = ["g1f3", "g8f6", "f3g1", "f6g8"]
    engine.send("position startpos moves " + " ".join(cycle * 300))
    lines = engine.go("go depth 3")
    assert best_move(lines) != "(none)"
    assert not [line for line in lines if "info string" in line]


def test_a_line_of_a_million_unknown_words(engine: EngineProcess) -> None:
    engine.send_bytes(b"x " * 1_000_000 + b"isready\n")
    assert engine.read() == "readyok"


def test_commands_in_one_write_and_in_single_bytes(engine: EngineProcess) -> None:
    for byte in b"position startpos\ngo depth 1\n":
        engine.send_bytes(bytes([byte]))
    engine.read_until("bestmove")
    engine.send("position startpos", "go depth 1", "isready")
    engine.read_until("bestmove")


# ---- the end


@pytest.mark.parametrize(
    "before",
    [
        [],
        ["uci"],
        ["go infinite"],
        ["go ponder wtime 1000"],
        ["go perft 12"],
        ["go depth 3"],
        ["bench 100"],
    ],
    ids=str,
)
@pytest.mark.parametrize("how", ["quit", "end of input", "SIGINT"])
def test_it_ends_at_once_and_in_silence(before: list[str], how: str) -> None:
    with EngineProcess() as engine:
        engine.ask(*before)
        started = time.monotonic()
        if how == "quit":
            engine.send("quit")
        elif how == "end of input":
            engine.close()
        else:
            engine.process.send_signal(signal.SIGINT)
        engine.wait(5)
        assert time.monotonic() - started < 2


@pytest.mark.parametrize("delay", [0.0, 0.001, 0.01, 0.1])
def test_quit_in_the_same_write_as_go(delay: float) -> None:
    with EngineProcess() as engine:
        engine.ask()
        engine.send("position startpos", "go infinite")
        time.sleep(delay)
        engine.send("quit")
        engine.wait(5)
        assert [line for line in engine.read_rest() if line.startswith("bestmove")][1:] == []


@pytest.mark.parametrize("going", [False, True], ids=["idle", "searching"])
def test_a_closed_output_ends_it(going: bool) -> None:
    process = subprocess.Popen(
        COMMAND,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    if going:
        process.stdin.write(b"go infinite\n")
        process.stdin.flush()
        process.stdout.readline()
    process.stdout.close()
    process.stdin.write(b"uci\n")
    process.stdin.flush()
    process.wait(TIMEOUT)
    assert process.stderr.read() == b""


def test_the_last_line_needs_no_line_end() -> None:
    answer = subprocess.run(
        COMMAND, input=b"isready", env=ENVIRONMENT, capture_output=True, check=True
    )
    assert answer.stdout == b"readyok\n"
    assert answer.stderr == b""


def test_it_works_from_any_directory(tmp_path: Path) -> None:
    with EngineProcess(cwd=tmp_path) as engine:
        engine.send("uci")
        engine.read_until("uciok")
        engine.go("go depth 2")
    assert os.listdir(tmp_path) == []
