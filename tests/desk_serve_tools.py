"""The server of the desk as a process of its own, and its page in a real browser."""

from __future__ import annotations

import contextlib
import re
import signal
import subprocess
from collections.abc import Iterator

import pytest
from uci_process import COMMAND, ENVIRONMENT, TIMEOUT

from lib.chromium import Browser, Tab, find_browser


class ServerProcess:
    """`cythera serve` on a free port of this machine."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [*COMMAND, "serve", "--port", "0", *arguments],
            env=ENVIRONMENT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.is_interrupted = False
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.fullmatch(r"Cythera is at (http://(\S+):(\d+)/) .*\n", line)
        assert found is not None, line
        self.url, self.host, self.port = found[1], found[2], int(found[3])

    def __enter__(self) -> ServerProcess:
        return self

    def __exit__(self, *_: object) -> None:
        assert self.end() == (0, "", "")

    def interrupt(self) -> None:
        if not self.is_interrupted:
            self.process.send_signal(signal.SIGINT)
        self.is_interrupted = True

    def end(self) -> tuple[int, str, str]:
        """By Ctrl-C: its exit code, and what else it wrote."""
        self.interrupt()
        try:
            out, errors = self.process.communicate(timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        return self.process.returncode, out, errors


@contextlib.contextmanager
def started_browser() -> Iterator[Browser]:
    if find_browser() is None:
        pytest.skip("there is no Chromium to open the page in")
    with Browser() as browser:
        yield browser


class Table:
    """The page as somebody sees it who plays there."""

    def __init__(self, tab: Tab) -> None:
        self.tab = tab
        self.wait_until_known()

    def wait_for(self, condition: str) -> None:
        self.tab.wait(condition)

    def wait_until_known(self) -> None:
        """What the server says about a position comes a moment after it."""
        self.wait_for("desk.setUp !== null || desk.node.info !== null")

    @property
    def status(self) -> str:
        return self.tab.text("#status")

    @property
    def fen(self) -> str:
        self.wait_until_known()
        return str(self.tab.run("desk.node.info.fen"))

    @property
    def sans(self) -> list[str]:
        words = self.tab.run("[...document.querySelectorAll('.move')].map((w) => w.textContent)")
        return list(words)

    def square(self, name: str) -> tuple[float, float]:
        """Where the middle of a square is on the screen."""
        self.wait_until_known()
        left, top, width, flipped = self.tab.run("""(() => {
            const board = document.getElementById("board");
            board.scrollIntoView({ block: "nearest", behavior: "instant" });
            const box = board.getBoundingClientRect();
            return [box.left, box.top, box.width, desk.flipped];
        })()""")
        file, rank = "abcdefgh".index(name[0]), int(name[1]) - 1
        column, row = (7 - file, rank) if flipped else (file, 7 - rank)
        return left + width * (column + 0.5) / 8, top + width * (row + 0.5) / 8

    def drag(self, start: str, end: str) -> None:
        self.tab.drag(self.square(start), self.square(end))

    def click(self, *squares: str) -> None:
        for square in squares:
            self.tab.press(*self.square(square))

    def set_up(self, fen: str, *, chess960: bool = False) -> None:
        """By typing a FEN."""
        self.tab.run("document.getElementById('set-up').open = true")
        if self.tab.run("document.getElementById('chess960').checked") != chess960:
            self.tab.click("#chess960")
        self.tab.type("#fen", fen)
        self.tab.click("#use-fen")
        placement = fen.split()[0]
        self.wait_for(f"desk.node.info?.fen.startsWith({placement!r}) && !desk.node.parent")

    def begin_game(self, level: str = "800", colour: str = "white", clock: str = "") -> None:
        """That the engine answers at once in."""
        self.tab.choose("#level", level)
        self.tab.choose("#colour", colour)
        self.tab.choose("#clock", clock)
        if not self.tab.run("document.getElementById('at-once').checked"):
            self.tab.click("#at-once")
        self.tab.run("void (window.before = desk.game)")
        self.tab.click("#new-game")
        self.wait_for("desk.game !== before && desk.playing !== null")

    def wait_for_turn(self) -> None:
        """Until it is our move, or the game is over."""
        self.wait_for("desk.playing.over || (desk.node === lastNode() && mayMove(desk.node)"
                      " && desk.node.info !== null)")  # fmt: skip
