"""XBoard, through PolyGlot, as Debian ships them. XBoard's own match needs a display: Xvfb."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import chess
import chess.pgn
import pytest
from uci_process import COMMAND, ENVIRONMENT, TIMEOUT

pytestmark = pytest.mark.release_only

PATH = os.environ.get("PATH", "") + ":/usr/games"
POLYGLOT, XBOARD, XVFB = (shutil.which(name, path=PATH) for name in ("polyglot", "xboard", "Xvfb"))

# Two games through PolyGlot, with nothing that waits for somebody to look or listen.
PROTOCOL = ["-fUCI", "-sUCI", "-mg", "2", "-tc", "0:05", "-inc", "0", "-matchPause", "100"]
SILENCE = ["-noGUI", "-xanimate", "-xexit", "-xpopup", "-soundProgram", "", "-soundMove", ""]


@pytest.fixture
def starter(tmp_path: Path) -> Path:
    """A program without arguments, which is all that these can start."""
    path = tmp_path / "cythera"
    command = " ".join(COMMAND)
    path.write_text(f"#!/bin/sh\nPYTHONPATH={ENVIRONMENT['PYTHONPATH']} exec {command}\n")
    path.chmod(0o755)
    return path


@pytest.mark.skipif(POLYGLOT is None, reason="PolyGlot is not installed")
def test_polyglot_plays_for_xboard(tmp_path: Path, starter: Path) -> None:
    """What XBoard would say is said here."""
    settings = tmp_path / "polyglot.ini"
    settings.write_text(
        f"[PolyGlot]\nEngineCommand = {starter}\nEngineDir = {tmp_path}\n[Engine]\n"
    )
    process = subprocess.Popen(
        [str(POLYGLOT), str(settings)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=tmp_path,
        text=True,
    )
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
    process.stdin.close()
    assert process.wait(TIMEOUT) == 0


@pytest.mark.skipif(None in (POLYGLOT, XBOARD, XVFB), reason="XBoard, PolyGlot or Xvfb is missing")
def test_xboard_plays_a_match(tmp_path: Path, starter: Path) -> None:
    games, start = tmp_path / "games.pgn", tmp_path / "start.fen"
    start.write_text("4k3/8/8/8/8/8/8/QQ2K3 w - - 0 1\n")
    display_number, display_end = os.pipe()
    server = subprocess.Popen(
        [str(XVFB), "-displayfd", str(display_end), "-screen", "0", "800x600x24"],
        pass_fds=[display_end],
        stderr=subprocess.DEVNULL,
    )
    os.close(display_end)
    try:
        display = f":{os.read(display_number, 16).decode().strip()}"
        engines = ["-fcp", str(starter), "-scp", str(starter)]
        files = ["-lpf", str(start), "-sgf", str(games)]
        subprocess.run(
            [str(XBOARD), *PROTOCOL, *SILENCE, *engines, *files],
            env={**os.environ, "PATH": PATH, "DISPLAY": display, "HOME": str(tmp_path)},
            cwd=tmp_path,
            capture_output=True,
            timeout=120,
            check=True,
        )
    finally:
        server.terminate()
        server.wait(TIMEOUT)
        os.close(display_number)
    with games.open() as text:
        played = list(iter(lambda: chess.pgn.read_game(text), None))
    assert len(played) == 2
    for game in played:
        assert game.errors == []
        board = game.end().board()
        assert board.is_checkmate(), (game.headers, board.fen())
