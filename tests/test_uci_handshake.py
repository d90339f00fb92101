"""Handshake, output, input and lifetime, as clients rely on them."""

from __future__ import annotations

import ctypes
import fcntl
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

SEARCH_LINE = re.compile(
    r"info depth \d+ seldepth \d+ multipv \d+ score .* pv( [a-h][1-8][a-h][1-8][nbrq]?)+"
    r"|bestmove [a-h][1-8][a-h][1-8].*"
)


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


def test_uciok_comes_before_clients_give_up() -> None:
    started = time.monotonic()
    with EngineProcess() as engine:
        engine.send("uci")
        engine.read_until("uciok")
        assert engine.read_at - started < 10


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
    known = re.compile(r"readyok|uciok|id name .*|id author .*|option name \S.* type .*")
    others = [line for line in lines if not SEARCH_LINE.fullmatch(line)]
    assert [line for line in others if not known.fullmatch(line)] == []
    assert lines.count("readyok") + engine.read_rest().count("readyok") <= 400


def start_with_a_narrow_pipe() -> tuple[subprocess.Popen[bytes], int]:
    """The engine, and the end to read from of a pipe that is soon full and that does not wait."""
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)
    os.set_blocking(writing, False)
    process = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=writing, env=ENVIRONMENT)
    os.close(writing)
    return process, reading


def read_slowly(source: int, last: bytes) -> list[str]:
    """All lines up to the first that begins so."""
    said = b""
    deadline = time.monotonic() + TIMEOUT
    while not re.search(rb"(^|\n)%b[^\n]*\n" % last, said[-8192:]):
        assert time.monotonic() < deadline
        said += os.read(source, 1000)
        time.sleep(0.001)
    return said.decode().splitlines()


def test_a_line_that_a_full_pipe_breaks_is_not_mixed_with_others() -> None:
    """The search talks while remarks that no pipe takes at once have to be written in parts."""
    process, reading = start_with_a_narrow_pipe()
    assert process.stdin is not None
    names = [letter * 900 for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" * 2]
    process.stdin.write(b"setoption name MultiPV value 20\ngo infinite\n")
    process.stdin.writelines(f"setoption name {name}\n".encode() for name in names)
    process.stdin.write(b"stop\n")
    process.stdin.close()
    lines = read_slowly(reading, b"bestmove")
    assert process.wait(TIMEOUT) == 0
    os.close(reading)
    others = [line for line in lines if not SEARCH_LINE.fullmatch(line)]
    assert others == [f"info string there is no option '{name}'" for name in names]
    assert len(lines) - len(others) > 20


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
def test_it_ends_in_silence(before: list[str], how: str) -> None:
    """In the midst of whatever would go on for hours."""
    with EngineProcess() as engine:
        engine.ask(*before)
        if how == "quit":
            engine.send("quit")
        elif how == "end of input":
            engine.close()
        else:
            engine.process.send_signal(signal.SIGINT)
        engine.wait()


@pytest.mark.parametrize("command", ["isready", "go infinite", "go perft 12", "bench 100"])
def test_ctrl_c_is_obeyed_whichever_thread_gets_it(command: str) -> None:
    """The system gives it to any. The one that reads went on waiting when it was another's."""
    with EngineProcess() as engine:
        engine.ask(command)
        main = engine.process.pid
        others = [int(each) for each in os.listdir(f"/proc/{main}/task") if int(each) != main]
        assert ctypes.CDLL(None).tgkill(main, max(others), signal.SIGINT) == 0
        engine.wait()


@pytest.mark.parametrize("delay", [0.0, 0.001, 0.01, 0.1])
def test_quit_in_the_same_write_as_go(delay: float) -> None:
    with EngineProcess() as engine:
        engine.ask()
        engine.send("position startpos", "go infinite")
        time.sleep(delay)
        engine.send("quit")
        engine.wait()
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


NOBODY = 65534
BARE_ENVIRONMENT = {"PYTHONPATH": ENVIRONMENT["PYTHONPATH"]}


def find_stranger() -> int | None:
    """A user without rights, if we may become one that can run Python and read the engine."""
    if os.geteuid() != 0:
        return None
    try:
        subprocess.run(
            [sys.executable, "-c", "import core_ext.core"],
            env=BARE_ENVIRONMENT,
            user=NOBODY,
            capture_output=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return NOBODY


def test_it_needs_neither_a_home_nor_rights() -> None:
    with EngineProcess(cwd=Path("/"), env=BARE_ENVIRONMENT, user=find_stranger()) as engine:
        engine.send("uci")
        engine.read_until("uciok")
        assert engine.ask("ucinewgame", "position startpos") == []
        assert best_move(engine.go("go depth 5")) != "(none)"


def test_stderr_stays_open_during_a_search(engine: EngineProcess) -> None:
    engine.send("go infinite")
    engine.read_until("info depth 3 ")
    assert os.readlink(f"/proc/{engine.process.pid}/fd/2").startswith("pipe:")
    engine.send("stop")
    engine.read_until("bestmove")


def test_it_works_from_any_directory(tmp_path: Path) -> None:
    with EngineProcess(cwd=tmp_path) as engine:
        engine.send("uci")
        engine.read_until("uciok")
        engine.go("go depth 2")
    assert os.listdir(tmp_path) == []
