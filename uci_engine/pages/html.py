"""Pages and pieces of HTML; text of others is always escaped."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

ROOM = Path(__file__).parent


def read_part(path: Path) -> str:
    """A style or a script, to stand inside a page."""
    return path.read_text(encoding="utf-8")


def picture_style() -> str:
    """What a picture needs, on a page or as a file of its own."""
    return read_part(ROOM / "picture.css")


def page_style() -> str:
    return picture_style() + read_part(ROOM / "page.css")


def page_head(title: str, style: str = "") -> str:
    """Up to where the body's text begins; `style` is added to that of all pages."""
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{page_style()}{style}</style>\n</head>\n<body>\n"
    )


PAGE_END = "\n</body>\n</html>\n"


def embed(value: Any) -> str:
    """JSON that can stand in a page: no tag can begin in it."""
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")


def data_element(name: str, value: Any) -> str:
    """What a script of the page reads."""
    return f'<script type="application/json" id="{name}">{embed(value)}</script>\n'


def scripts(*paths: Path) -> str:
    return "".join(f"<script>{read_part(path)}</script>\n" for path in paths)


def html_table(head: Sequence[str], rows: Sequence[Sequence[str]], names: int = 1) -> str:
    """The first `names` columns are words, the others figures."""

    def line(tag: str, cells: Sequence[str]) -> str:
        parts = []
        for index, cell in enumerate(cells):
            kind = ' class="name"' if index < names else ' class="self"' if cell == "-" else ""
            parts.append(f"<{tag}{kind}>{escape(cell)}</{tag}>")
        return f"<tr>{''.join(parts)}</tr>"

    body = "".join(line("td", row) for row in rows)
    return f'<div class="scroll"><table>{line("th", head)}{body}</table></div>'


def section(title: str, *parts: str) -> str:
    return f"<section><h2>{escape(title)}</h2>{''.join(parts)}</section>"


def figure(picture: str, caption: str = "") -> str:
    words = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return f"<figure>{picture}{words}</figure>" if picture else ""
