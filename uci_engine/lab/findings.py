"""What an experiment found: tables for a terminal, pictures, plain values, a section of a page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

from uci_engine.files import replace_json, replace_text
from uci_engine.pages.html import (
    PAGE_END,
    figure,
    html_table,
    page_head,
    picture_style,
    read_part,
    section,
)

LAB_STYLE = Path(__file__).parent / "lab.css"


@dataclass(frozen=True)
class Table:
    """The first `names` columns are words, the others figures."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    names: int = 1
    title: str = ""

    def text(self) -> str:
        cells = [self.head, *self.rows]
        widths = [max(len(row[column]) for row in cells) for column in range(len(self.head))]

        def line(row: Sequence[str]) -> str:
            parts = [
                f"{cell:<{width}}" if column < self.names else f"{cell:>{width}}"
                for column, (cell, width) in enumerate(zip(row, widths, strict=True))
            ]
            return "  ".join(parts).rstrip()

        return "\n".join([*([self.title] if self.title else []), *map(line, cells)])

    def html(self) -> str:
        title = f"<h3>{escape(self.title)}</h3>" if self.title else ""
        return title + html_table(self.head, self.rows, self.names)


@dataclass(frozen=True)
class Picture:
    svg: str
    caption: str


@dataclass
class Outcome:
    """`remarks` say in words what is to be seen; `data` is all of it as plain values."""

    title: str
    remarks: list[str] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    data: dict[str, Any] = field(default_factory=dict)
    page: str = ""  # of its own, if it is one to work with

    def text(self) -> str:
        return "\n\n".join(
            [self.title, *(table.text() for table in self.tables), "\n".join(self.remarks)]
        ).rstrip()

    def html(self, name: str) -> str:
        return section(
            self.title,
            f'<p class="note" id="{name}"><code>cythera lab {name}</code></p>',
            *(f"<p>{escape(remark)}</p>" for remark in self.remarks),
            f'<p><a href="{name}.html">{escape(self.title)}</a></p>' if self.page else "",
            *(figure(picture.svg, picture.caption) for picture in self.pictures),
            *(table.html() for table in self.tables),
        )

    def write(self, name: str, place: Path) -> list[Path]:
        """NAME.json, NAME.svg and, if there are several pictures, NAME-2.svg and so on."""
        paths = [place / f"{name}.json"]
        replace_json(paths[0], {"title": self.title, "remarks": self.remarks, **self.data})
        for number, picture in enumerate(self.pictures, 1):
            paths.append(place / (f"{name}.svg" if number == 1 else f"{name}-{number}.svg"))
            replace_text(paths[-1], [stand_alone(picture.svg)])
        if self.page:
            paths.append(place / f"{name}.html")
            replace_text(paths[-1], [self.page])
        return paths


def stand_alone(svg: str) -> str:
    """A picture as a file of its own: with its name space, its colours and its paper."""
    opening = re.match(r'<svg[^>]* viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    assert opening is not None
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{opening[1]}" height="{opening[2]}"'
    style = picture_style() + read_part(LAB_STYLE)
    within = svg.index(">") + 1
    paper = '<rect width="100%" height="100%" style="fill: var(--paper)"/>'
    return f"{head}{svg[4:within]}<style>{style}</style>{paper}{svg[within:]}\n"


def contents(names: Sequence[str]) -> str:
    links = " · ".join(f'<a href="#{name}">{name}</a>' for name in names)
    return f'<p class="note">{links}</p>'


def make_page(title: str, introduction: str, sections: Sequence[str]) -> str:
    """One HTML page with nothing in it to be fetched."""
    return (
        page_head(title, read_part(LAB_STYLE))
        + f'<h1>{escape(title)}</h1>\n<p class="note">{escape(introduction)}</p>\n'
        + "\n".join(sections)
        + PAGE_END
    )
