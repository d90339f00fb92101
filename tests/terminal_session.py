"""`cythera play` in a real terminal: typed to, and read, as by a person."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from types import TracebackType
from typing import Any

import chess
import chess.pgn
import pexpect  # type: ignore[import-untyped]
from uci_process import ENVIRONMENT, TIMEOUT

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
PROMPT = r"(?:\d+\.+ (?:[\d:.]+ )?|\n)> "
CTRL_C, CTRL_D = "\x03", "\x04"


class TerminalSession:
    """A game that is going on; what was said since the last prompt is kept."""

    def __init__(self, folder: Path, *arguments: str, **variables: str) -> None:
        self.folder = folder
        environment = {
            **ENVIRONMENT,
            "TERM": "xterm-256color",
            "XDG_DATA_HOME": str(folder),
            "INPUTRC": os.devnull,
            "LC_ALL": "C.UTF-8",
            **variables,
        }
        for name in ("NO_COLOR", "COLORTERM"):
            if name not in variables:
                environment.pop(name, None)
        self.process: Any = pexpect.spawn(
            sys.executable,
            ["-m", "uci_engine", "play", *arguments],
            env=environment,
            encoding="utf-8",
            codec_errors="replace",
            dimensions=(50, 100),
            timeout=TIMEOUT,
        )
        self.said = ""

    def __enter__(self) -> TerminalSession:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: object, trace: TracebackType | None
    ) -> None:
        self.process.close(force=True)
        assert "Traceback" not in self.said

    # ---- talking

    def wait(self, pattern: str = PROMPT) -> str:
        """What is said up to there, without colours."""
        self.process.expect(pattern)
        raw = self.process.before + self.process.after
        self.said = ESCAPES.sub("", raw).replace("\r", "")
        return self.said

    def ask(self, line: str, pattern: str = PROMPT) -> str:
        self.process.sendline(line)
        return self.wait(pattern)

    def send(self, keys: str) -> None:
        self.process.send(keys)

    def end(self) -> int:
        """The exit code, once the program has ended by itself."""
        self.process.expect(pexpect.EOF)
        self.said = ESCAPES.sub("", self.process.before).replace("\r", "")
        self.process.close()
        assert self.process.exitstatus is not None, f"ended by signal {self.process.signalstatus}"
        return int(self.process.exitstatus)

    # ---- looking

    def board(self, *, chess960: bool = False) -> chess.Board:
        """As the program says it is."""
        said = self.ask("fen")
        found = re.search(r"^\S+/\S+ [wb] \S+ \S+ \d+ \d+$", said, re.MULTILINE)
        assert found is not None, said
        return chess.Board(found[0], chess960=chess960)

    def games(self) -> list[chess.pgn.Game]:
        """What is kept, the oldest first."""
        paths = sorted((self.folder / "cythera" / "games").glob("*.pgn"))
        return [game for path in paths for game in read_games(path)]


def read_games(path: Path) -> list[chess.pgn.Game]:
    games = []
    with path.open(encoding="utf-8") as lines:
        while (game := chess.pgn.read_game(lines)) is not None:
            assert game.errors == []
            games.append(game)
    return games


def sans(game: chess.pgn.Game) -> list[str]:
    return [node.san() for node in game.mainline()]
