"""Small plots as SVG text, to stand inside an HTML page. Colours come from the page's style."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 640, 260
LEFT, RIGHT, TOP, BOTTOM = 56, 12, 10, 34
ROW = 30  # height of a bar with its label
LABELS = 190  # width of the labels at the left of bars, at least
SAMPLE = 20  # of a line, beside its name


@dataclass(frozen=True)
class Axis:
    """A range of values and the pixels it is drawn on."""

    low: float
    high: float
    first: float
    last: float
    whole: bool = False  # nothing lies between whole numbers

    def at(self, value: float) -> float:
        span = self.high - self.low or 1
        return self.first + (value - self.low) / span * (self.last - self.first)

    def ticks(self, wanted: int = 5) -> list[float]:
        """Round values, about as many as wanted."""
        span = self.high - self.low
        if span <= 0:
            return [self.low]
        step = 10 ** math.floor(math.log10(span / wanted))
        step *= next(factor for factor in (1, 2, 5, 10) if span / (step * factor) <= wanted)
        if self.whole:
            step = max(step, 1)
        first = math.ceil(self.low / step)
        return [number * step for number in range(first, math.floor(self.high / step) + 1)]


@dataclass(frozen=True)
class Curve:
    """Points from left to right; `band` are the bounds of a coloured area around them."""

    points: Sequence[tuple[float, float]]
    name: str = ""
    band: Sequence[tuple[float, float, float]] = ()
    dashed: bool = False

    def kind(self, number: int) -> str:
        return f"line c{number % 6}{' dashed' if self.dashed else ''}"


def label_width(words: str) -> float:
    """About what a label needs; fonts differ."""
    return 6.5 * len(words) + 20


def svg(width: float, height: float, title: str, parts: Sequence[str]) -> str:
    return (
        f'<svg viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{escape(title)}">'
        f"<title>{escape(title)}</title>{''.join(parts)}</svg>"
    )


def text(x: float, y: float, words: str, anchor: str = "middle", kind: str = "label") -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text class="{kind}" {place}>{escape(words)}</text>'


def rule(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def grid(across: Axis, up: Axis, x_name: str) -> list[str]:
    parts = []
    for value in up.ticks():
        y = up.at(value)
        parts.append(rule(LEFT, y, WIDTH - RIGHT, y, "grid"))
        parts.append(text(LEFT - 6, y + 4, f"{value:g}", "end"))
    for value in across.ticks(8):
        parts.append(text(across.at(value), up.first + 15, f"{value:g}"))
    parts.append(text((LEFT + WIDTH - RIGHT) / 2, up.first + BOTTOM - 3, x_name))
    return parts


def legend(lines: Sequence[Curve], across: Axis) -> tuple[list[str], float]:
    """The names of the lines, side by side in rows above the plot, and the height of that."""
    parts = []
    x, y = across.first, 0.0
    for number, line in enumerate(lines):
        if line.name:
            width = SAMPLE + label_width(line.name)
            if y == 0 or x + width > across.last:
                x, y = across.first, y + 16
            parts.append(rule(x, y - 4, x + SAMPLE, y - 4, line.kind(number)))
            parts.append(text(x + SAMPLE + 6, y, line.name, "start"))
            x += width
    return parts, y


def draw_curve(line: Curve, kind: str, across: Axis, up: Axis) -> list[str]:
    parts = []
    if line.band:
        edge = [f"{across.at(x):.1f},{up.at(high):.1f}" for x, _, high in line.band]
        edge += [f"{across.at(x):.1f},{up.at(low):.1f}" for x, low, _ in reversed(line.band)]
        parts.append(f'<polygon class="band" points="{" ".join(edge)}"/>')
    points = " ".join(f"{across.at(x):.1f},{up.at(y):.1f}" for x, y in line.points)
    return [*parts, f'<polyline class="{kind}" points="{points}"/>']


def line_plot(
    title: str, lines: Sequence[Curve], x_name: str, marks: Sequence[tuple[float, str]] = ()
) -> str:
    """Lines over a common axis; `marks` are horizontal lines with their names."""
    xs = [x for line in lines for x, _ in line.points]
    ys = [y for line in lines for _, y in line.points] + [value for value, _ in marks]
    ys += [bound for line in lines for _, low, high in line.band for bound in (low, high)]
    if not xs:
        return ""
    margin = (max(ys) - min(ys)) * 0.05 or 1
    across = Axis(min(xs), max(xs), LEFT, WIDTH - RIGHT, all(x == int(x) for x in xs))
    parts, above = legend(lines, across)
    up = Axis(min(ys) - margin, max(ys) + margin, above + HEIGHT - BOTTOM, above + TOP)
    parts += grid(across, up, x_name)
    for value, name in marks:
        parts.append(rule(LEFT, up.at(value), WIDTH - RIGHT, up.at(value), "mark"))
        parts.append(text(WIDTH - RIGHT, up.at(value) - 4, name, "end"))
    for number, line in enumerate(lines):
        parts += draw_curve(line, line.kind(number), across, up)
    return svg(WIDTH, above + HEIGHT, title, parts)


def error_bars(title: str, rows: Sequence[tuple[str, float, float]]) -> str:
    """A value with its error for each name, from top to bottom."""
    reach = [value + sign * error for _, value, error in rows for sign in (-1, 1)]
    labels = max([LABELS, *(label_width(name) for name, *_ in rows)])
    across = Axis(min(reach), max(reach), labels, WIDTH - 2 * RIGHT)
    height = ROW * len(rows) + BOTTOM
    parts = []
    for value in across.ticks(6):
        x = across.at(value)
        parts.append(rule(x, TOP, x, height - BOTTOM, "grid"))
        parts.append(text(x, height - BOTTOM + 15, f"{value:g}"))
    for number, (name, value, error) in enumerate(rows):
        y = TOP + ROW * number + ROW / 2
        parts.append(text(labels - 10, y + 4, name, "end"))
        parts.append(rule(across.at(value - error), y, across.at(value + error), y, "line c0"))
        for end in (value - error, value + error):
            parts.append(rule(across.at(end), y - 5, across.at(end), y + 5, "line c0"))
        parts.append(f'<circle class="dot" cx="{across.at(value):.1f}" cy="{y:.1f}" r="4"/>')
    return svg(WIDTH, height, title, parts)


def bars(title: str, rows: Sequence[tuple[str, float]], unit: str = "") -> str:
    """A bar for each name."""
    longest = max((value for _, value in rows), default=0) or 1
    labels = max([LABELS, *(label_width(name) for name, _ in rows)])
    height = ROW * len(rows) + TOP
    parts = []
    for number, (name, value) in enumerate(rows):
        y = TOP + ROW * number
        length = value / longest * (WIDTH - labels - 90)
        parts.append(text(labels - 10, y + 16, name, "end"))
        parts.append(
            f'<rect class="bar" x="{labels:g}" y="{y + 3}" width="{length:.1f}" '
            f'height="{ROW - 12}"/>'
        )
        parts.append(text(labels + length + 6, y + 16, f"{value:g}{unit}", "start"))
    return svg(WIDTH, height, title, parts)
