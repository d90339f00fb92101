"""Game trees as SVG; colours come from the page's style."""

from __future__ import annotations

from math import isinf
from typing import Any

from uci_engine.lab.game import CHANCE, MAX, MIN
from uci_engine.lab.trace import Drawn
from uci_engine.pages.plots import svg, text

LEAF_WIDTH, LEVEL, SIDE, TOP = 34, 78, 12, 30
RADIUS = 15
HALF = RADIUS + 7  # of a node's width
LETTER = 6.5  # a window's
MINUS = "\N{MINUS SIGN}"


def number(value: Any) -> str:
    """As it stands in a tree; with many players, a number for each."""
    if isinstance(value, tuple):
        return f"({', '.join(map(number, value))})"
    if isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    return f"{value:g}".replace("-", MINUS)


def window(node: Drawn) -> str:
    """With which the search entered, if it had one."""
    seen = node.seen
    if seen is None or seen.alpha is None or seen.beta is None:
        return ""
    return f"[{number(seen.alpha)}, {number(seen.beta)}]"


def draw_tree(root: Drawn, title: str) -> str:
    """Triangles up are MAX, down MIN, circles chance, boxes have the names of other players; what
    was cut off is pale and dashed."""
    drawing = TreeDrawing(max(LEAF_WIDTH, 8 * widest(root) + 14))
    drawing.draw(root, 0, SIDE)
    width = drawing.room(root) + 2 * SIDE
    height = TOP + drawing.deepest * LEVEL + 24
    picture = svg(width, height, title, drawing.parts)
    return picture.replace("<svg", f'<svg style="max-width: {width:g}px"', 1)


def widest(node: Drawn) -> int:
    """The characters of the longest label at the bottom."""
    own = len(number(node.utility)) if node.utility is not None else 0
    return max([own, *(max(widest(child), len(child.label)) for child in node.children)])


class TreeDrawing:
    """Every subtree has a strip of its own, so that nothing meets anything."""

    def __init__(self, leaf: float) -> None:
        self.leaf = leaf
        self.parts: list[str] = []
        self.deepest = 0

    def room(self, node: Drawn) -> float:
        """The width of a node's strip; its window stands at its right."""
        if not node.children:
            return self.leaf
        below = sum(map(self.room, node.children))
        reach = HALF + LETTER * len(window(node))
        return max(below, max(below / 2, HALF) + reach)

    def draw(self, node: Drawn, level: int, left: float) -> float:
        """Edges first, then the children, then the node above their middle; where that is."""
        self.deepest = max(self.deepest, level)
        y = TOP + level * LEVEL
        if not node.children:
            x = left + self.leaf / 2
            draw_leaf(node, x, y, self.parts, self.leaf)
            return x
        mark = len(self.parts)
        start = left + max(0, HALF - sum(map(self.room, node.children)) / 2)
        points = []
        for child in node.children:
            points.append(self.draw(child, level + 1, start))
            start += self.room(child)
        x = (points[0] + points[-1]) / 2
        edges: list[str] = []
        for child, at in zip(node.children, points, strict=True):
            edges += draw_edge(node, child, x, y, at, y + LEVEL)
        self.parts[mark:mark] = edges
        draw_inner(node, x, y, self.parts)
        return x


def draw_edge(node: Drawn, child: Drawn, x1: float, y1: float, x2: float, y2: float) -> list[str]:
    cut = child.seen is None
    first_cut = cut and node.seen is not None
    best = not cut and child is best_child(node)
    kind = "edge cut" if cut else "edge best" if best else "edge"
    parts = [
        f'<line class="{kind}" x1="{x1:.1f}" y1="{y1 + RADIUS:.1f}" '
        f'x2="{x2:.1f}" y2="{y2 - RADIUS:.1f}"/>'
    ]
    xm, ym = (x1 + x2) / 2, (y1 + y2) / 2
    if first_cut:
        parts.append(
            f'<line class="slash" x1="{xm - 8:.1f}" y1="{ym + 4:.1f}" '
            f'x2="{xm + 8:.1f}" y2="{ym - 4:.1f}"/>'
        )
    if child.label:
        words = text(x1 + 0.62 * (x2 - x1) + 4, y1 + 0.62 * (y2 - y1), child.label, "start",
                     "action cut" if cut else "action")  # fmt: skip
        parts.append(words)
    return parts


def best_child(node: Drawn) -> Drawn | None:
    """The first that has the node's value."""
    if node.seen is None:
        return None
    for child in node.children:
        if child.seen is not None and child.seen.value == node.seen.value:
            return child
    return None


def draw_leaf(node: Drawn, x: float, y: float, parts: list[str], room: float) -> None:
    words = number(node.utility or 0)
    width = min(room - 6, 10 + 8 * len(words))
    kind = " cut" if node.seen is None else ""
    parts.append(
        f'<rect class="leaf{kind}" x="{x - width / 2:.1f}" y="{y - 13:.1f}" '
        f'width="{width:.1f}" height="26" rx="4"/>'
    )
    parts.append(text(x, y + 5, words, kind=f"value{kind}"))


def draw_inner(node: Drawn, x: float, y: float, parts: list[str]) -> None:
    kind = "node cut" if node.seen is None else "node"
    r = RADIUS
    if node.player == MAX:
        points = f"{x:.1f},{y - r - 3:.1f} {x + r + 5:.1f},{y + r:.1f} {x - r - 5:.1f},{y + r:.1f}"
        parts.append(f'<polygon class="{kind}" points="{points}"/>')
    elif node.player == MIN:
        points = f"{x:.1f},{y + r + 3:.1f} {x + r + 5:.1f},{y - r:.1f} {x - r - 5:.1f},{y - r:.1f}"
        parts.append(f'<polygon class="{kind}" points="{points}"/>')
    elif node.player == CHANCE:
        parts.append(f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{r}"/>')
    else:
        draw_named(node, x, y, parts)
        return
    if node.seen is None:
        return
    low = 9 if node.player == MAX else 1
    parts.append(text(x, y + low, number(node.seen.value), kind="value"))
    if window(node):
        parts.append(text(x + HALF + 1, y - 4, window(node), "start", "window"))


def draw_named(node: Drawn, x: float, y: float, parts: list[str]) -> None:
    """One of many players, each of whom takes what is best for itself."""
    words = f"{node.player}: {number(node.seen.value)}" if node.seen else node.player
    half = 4 * len(words) + 6
    parts.append(
        f'<rect class="node" x="{x - half:.1f}" y="{y - RADIUS:.1f}" width="{2 * half:.1f}" '
        f'height="{2 * RADIUS}" rx="4"/>'
    )
    parts.append(text(x, y + 5, words, kind="value"))
