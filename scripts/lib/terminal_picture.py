"""What commands say in a terminal, as a picture."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from html import escape

COLUMNS = 92
LETTER, LINE, MARGIN, BAR = 7.8, 19, 18, 30
STYLE = (
    "text { font: 13px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; "
    "fill: #d7dde5; white-space: pre; } .typed { fill: #fff; font-weight: bold; } "
    ".prompt { fill: #6cc795; } .frame { fill: #14181e; } .light { fill: #4a5562; }"
)
LIGHTS = "".join(f'<circle class="light" cx="{x}" cy="16" r="5"/>' for x in (20, 38, 56))


def draw_terminal(title: str, sessions: Sequence[tuple[str, str]]) -> str:
    """Of commands and their output, one after the other."""
    rows = [row for command, output in sessions for row in session_rows(command, output)]
    width = COLUMNS * LETTER + 2 * MARGIN
    height = BAR + LINE * len(rows) + MARGIN
    lines = "".join(
        f'<text x="{MARGIN}" y="{BAR + LINE * number}" xml:space="preserve">{row}</text>'
        for number, row in enumerate(rows, 1)
        if row
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{escape(title)}">'
        f"<title>{escape(title)}</title><style>{STYLE}</style>"
        f'<rect class="frame" width="100%" height="100%" rx="8"/>{LIGHTS}{lines}</svg>\n'
    )


def session_rows(command: str, output: str) -> Iterator[str]:
    prompt = '<tspan class="prompt">$</tspan>'
    yield f'{prompt} <tspan class="typed">{escape(command)}</tspan>'
    for line in output.rstrip("\n").split("\n"):
        for part in textwrap.wrap(line, COLUMNS, subsequent_indent="    ") or [""]:
            yield escape(part)
    yield ""
