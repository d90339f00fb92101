"""A started engine, talked to through its pipes as a GUI would."""

from __future__ import annotations

import contextlib
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

import chess

import uci_engine

ROOT = Path(uci_engine.__file__).parent.parent
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
# Output must be flushed by the program itself, not by the settings of whoever runs the tests.
ENVIRONMENT.pop("PYTHONUNBUFFERED", None)
COMMAND = [sys.executable, "-m", "uci_engine"]

TIMEOUT = 120.0  # seconds, on the busiest machine; what takes longer hangs

MATED = "7k/5KQ1/8/8/8/8/8/8 b - - 0 1"
STALEMATED = "7k/5K2/6Q1/8/8/8/8/8 b - - 0 1"
ONE_MOVE = "k5r1/8/8/8/8/8/8/7K w - - 0 1"
MATE_IN_ONE = "6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1"
MATE_IN_TWO = "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1"
KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
CASTLING = "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1"
CHESS960 = "1rk4r/pppppppp/8/8/8/8/PPPPPPPP/1RK4R w HBhb - 0 1"


def run_to_the_end(*command: str) -> subprocess.CompletedProcess[str]:
    """With nothing to read, and whatever its exit code is."""
    return subprocess.run(
        command,
        env=ENVIRONMENT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )


def run_on_a_full_disk(kilobytes: int, *arguments: object) -> subprocess.CompletedProcess[str]:
    """A shell that allows files of no more than this stands for it."""
    limited = ("bash", "-c", f'ulimit -f {kilobytes}; "$@"', "bash")
    return run_to_the_end(*limited, *COMMAND, *map(str, arguments))


class EngineProcess:
    """Every line that the engine writes is kept, with the moment in which it came."""

    def __init__(
        self,
        *arguments: str,
        cwd: Path | None = None,
        env: Mapping[str, str] = ENVIRONMENT,
        user: int | None = None,
    ) -> None:
        self.process = subprocess.Popen(
            [*COMMAND, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env=env,
            user=user,
        )
        self.lines: queue.Queue[tuple[float, str]] = queue.Queue()
        self.errors = b""
        self.read_at = 0.0  # when the line came that was last returned
        self.readers = [threading.Thread(target=self._read), threading.Thread(target=self._listen)]
        for reader in self.readers:
            reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            assert line.endswith(b"\n")
            self.lines.put((time.monotonic(), line.decode().rstrip("\n")))

    def _listen(self) -> None:
        assert self.process.stderr is not None
        self.errors = self.process.stderr.read()

    def __enter__(self) -> EngineProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: object, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self.process.kill()
        self.close()
        if kind is None:
            assert self.errors == b""
            assert self.process.returncode == 0

    def close(self) -> None:
        """End of input, which ends the engine."""
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.wait()

    def wait(self, timeout: float = TIMEOUT) -> int:
        try:
            code = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        for reader in self.readers:
            reader.join()
        return code

    # ---- talking

    def send(self, *lines: str) -> None:
        """All in one write."""
        self.send_bytes("".join(f"{line}\n" for line in lines).encode())

    def send_bytes(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def read(self, timeout: float = TIMEOUT) -> str:
        try:
            self.read_at, line = self.lines.get(timeout=timeout)
        except queue.Empty:
            raise TimeoutError(f"no line within {timeout} s") from None
        return line

    def read_until(self, start: str, timeout: float = TIMEOUT) -> list[str]:
        """The lines up to the first that begins so, which is the last of them."""
        deadline = time.monotonic() + timeout
        lines: list[str] = []
        while not lines or not lines[-1].startswith(start):
            try:
                lines.append(self.read(max(0.0, deadline - time.monotonic())))
            except TimeoutError:
                raise TimeoutError(f"no {start!r} in {lines}") from None
        return lines

    def read_rest(self) -> list[str]:
        """What is there already."""
        lines = []
        while not self.lines.empty():
            lines.append(self.lines.get()[1])
        return lines

    def ask(self, *lines: str) -> list[str]:
        """What is said up to the answer to an `isready` that follows; that is left out."""
        self.send(*lines, "isready")
        return self.read_until("readyok")[:-1]

    def go(self, command: str = "go depth 1", timeout: float = TIMEOUT) -> list[str]:
        """The lines of a search, `bestmove` included."""
        self.send(command)
        return self.read_until("bestmove", timeout)

    def best(self, command: str = "go depth 1") -> str:
        return best_move(self.go(command))

    def assert_silent(self, seconds: float) -> None:
        time.sleep(seconds)
        assert self.read_rest() == []


def best_move(lines: list[str]) -> str:
    return lines[-1].split()[1]


def variation(line: str) -> list[str]:
    return line.split(" pv ")[1].split() if " pv " in line else []


def last_variation(lines: list[str]) -> list[str]:
    """The last word on the best line."""
    return variation([line for line in lines if " multipv 1 " in line][-1])


def field(line: str, name: str) -> int:
    words = line.split()
    return int(words[words.index(name) + 1])


def assert_answer(lines: list[str], board: chess.Board) -> None:
    """Scored lines, then one legal `bestmove` that is the last variation's."""
    assert [line for line in lines if line.startswith("bestmove")] == lines[-1:]
    answer = lines[-1].split()
    scored = [line for line in lines if " score " in line]
    assert scored
    if board.is_checkmate() or board.is_stalemate():
        assert answer == ["bestmove", "(none)"]
        return
    pv = last_variation(lines)
    board = board.copy()
    for move in pv:
        board.push(board.parse_uci(move))
    assert answer[1] == pv[0]
    assert answer[2:] == (["ponder", pv[1]] if len(pv) > 1 else [])
