"""Pages as another program reads them, and as a real browser shows them."""

from __future__ import annotations

import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import chess
import pytest


class Page(HTMLParser):
    """What a page would fetch, the data in it, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.data: dict[str, str] = {}
        self.texts: list[str] = []
        self.inside = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = dict(attributes)
        for name in ("href", "src", "xlink:href", "action", "data", "poster", "srcset"):
            value = values.get(name)
            if value and not value.startswith("#"):
                self.links.append(value)
        assert tag not in ("link", "img", "iframe", "object", "embed", "base", "form")
        self.inside = (values.get("id") or tag) if tag in ("script", "style", "pre") else ""

    def handle_endtag(self, tag: str) -> None:
        self.inside = ""

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.data[self.inside] = self.data.get(self.inside, "") + data
        else:
            self.texts.append(data)


def browse(path: Path) -> str:
    """The page as a browser has it after its scripts have run, which must not complain."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("there is no Chromium to open the page in")
    answer = subprocess.run(
        [browser, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
         "--virtual-time-budget=20000", "--dump-dom", path.as_uri()],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert answer.returncode == 0, answer.stderr
    complaints = [line for line in answer.stderr.splitlines() if ":CONSOLE" in line]
    assert complaints == []
    return answer.stdout


def placed(board: chess.Board) -> dict[str, str]:
    """The pieces by their squares, as the shapes on a page are named."""
    return {
        chess.square_name(square): f"{chess.COLOR_NAMES[piece.color]}-"
        f"{chess.piece_name(piece.piece_type)}"
        for square, piece in board.piece_map().items()
    }
