"""XBoard, through PolyGlot, as Debian ships them. XBoard's own match needs a display: Xvfb."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import chess
import chess.pgn
import pytest
from uci_process import TIMEOUT

from lib.uci_pipe import PATH, find_program

pytestmark = pytest.mark.release_only

POLYGLOT, XBOARD, XVFB = map(find_program, ("polyglot", "xboard", "Xvfb"))

# Two games through PolyGlot, with nothing that waits for somebody to look or listen.
PROTOCOL = ["-fUCI", "-sUCI", "-mg", "2", "-tc", "0:05", "-inc", "0", "-matchPause", "100"]
SILENCE = ["-noGUI", "-xanimate", "-xexit", "-xpopup", "-soundProgram", "", "-soundMove", ""]


def processes_of(session: int) -> list[int]:
    """What a process that leads a session has started, and itself; zombies aside."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, _, _, its_session, *_ = path.read_text().rsplit(")", 1)[1].split()
            if int(its_session) == session and state != "Z":
                found.append(int(path.parent.name))
    return found


def end_session(session: int) -> None:
    for process in processes_of(session):
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


@contextlib.contextmanager
def started(*command: str, **how: object) -> Iterator[subprocess.Popen[str]]:
    """A process that is dead in the end, with all that it has started, whatever happens."""
    process: subprocess.Popen[str] = subprocess.Popen(  # type: ignore[call-overload]
        command, start_new_session=True, text=True, **how
    )
    # Reading from a program that hangs ends when it is gone.
    guard = threading.Timer(TIMEOUT, end_session, [process.pid])
    guard.start()
    try:
        yield process
    finally:
        guard.cancel()
        end_session(process.pid)
        process.communicate()


def assert_nothing_is_left(session: int) -> None:
    deadline = time.monotonic() + TIMEOUT
    while processes_of(session) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert processes_of(session) == []


@pytest.mark.skipif(POLYGLOT is None, reason="PolyGlot is not installed")
def test_polyglot_plays_for_xboard(tmp_path: Path, starter: Path) -> None:
    """What XBoard would say is said here."""
    settings = tmp_path / "polyglot.ini"
    settings.write_text(
        f"[PolyGlot]\nEngineCommand = {starter}\nEngineDir = {tmp_path}\n[Engine]\n"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with started(str(POLYGLOT), str(settings), cwd=tmp_path, **pipes) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("xboard\nprotover 2\nnew\nlevel 40 0:05 0\npost\neasy\n")
        board = chess.Board()
        for reply in ("e2e4", "g1f3", "f1c4"):
            process.stdin.write(f"time 500\notim 500\n{reply}\n")
            process.stdin.flush()
            board.push_uci(reply)
            for line in process.stdout:
                if line.startswith("move "):
                    board.push_uci(line.split()[1])
                    break
        assert board.ply() == 6
        process.stdin.write("quit\n")
        process.stdin.flush()
        assert process.wait(TIMEOUT) == 0
        assert_nothing_is_left(process.pid)


@contextlib.contextmanager
def screen() -> Iterator[str]:
    """The name of a display that nobody sees."""
    number, end = os.pipe()
    command = [str(XVFB), "-displayfd", str(end), "-screen", "0", "800x600x24"]
    with started(*command, pass_fds=[end], stderr=subprocess.DEVNULL) as server:
        os.close(end)
        with os.fdopen(number) as numbers:
            display = numbers.readline().strip()
        assert display, "Xvfb has not started"
        yield f":{display}"
        server.terminate()  # so that it removes its socket
        server.wait(TIMEOUT)


@pytest.mark.skipif(None in (POLYGLOT, XBOARD, XVFB), reason="XBoard, PolyGlot or Xvfb is missing")
def test_xboard_plays_a_match(tmp_path: Path, starter: Path) -> None:
    games, start = tmp_path / "games.pgn", tmp_path / "start.fen"
    start.write_text("4k3/8/8/8/8/8/8/QQ2K3 w - - 0 1\n")
    engines = ["-fcp", str(starter), "-scp", str(starter)]
    files = ["-lpf", str(start), "-sgf", str(games)]
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with screen() as display:
        where = {**os.environ, "PATH": PATH, "DISPLAY": display, "HOME": str(tmp_path)}
        command = [str(XBOARD), *PROTOCOL, *SILENCE, *engines, *files]
        with started(*command, env=where, cwd=tmp_path, **pipes) as xboard:
            said, _ = xboard.communicate(timeout=TIMEOUT)
            assert xboard.returncode == 0, said
            assert_nothing_is_left(xboard.pid)
    with games.open() as text:
        played = list(iter(lambda: chess.pgn.read_game(text), None))
    assert len(played) == 2
    for game in played:
        assert game.errors == []
        board = game.end().board()
        assert board.is_checkmate(), (game.headers, board.fen())
