"""What the experiments share: searchers, positions, slopes, and how long a search would take."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from math import exp, log
from typing import Any

from core_ext.core import START_FEN, Board, Searcher, SearchInfo, SearchResult
from uci_engine.network import find_network

Tell = Callable[[str], None]  # progress, for people who wait

# One of each phase of the game.
POSITIONS = {
    "start": START_FEN,
    "middlegame": "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 0 8",
    "ending": "8/2p2pk1/1p1p2p1/p2P3p/P3P2P/1P3KP1/5P2/8 w - - 0 30",
}
LONGEST_S = 600
PLAIN_SPEED = 10_000_000  # nodes a second that a plain search reaches anywhere


def make_searcher(
    algorithm: str, evaluation: str | None = None, hash_mb: int = 16, **study: Any
) -> Searcher:
    """With the engine's network, by counting (material, turing), or by the classical evaluation."""
    network = find_network(evaluation or "", "")
    searcher = Searcher(hash_mb=hash_mb, network=network)
    searcher.set_points(None if network else evaluation)
    searcher.set_algorithm(algorithm, **study)
    return searcher


def add_position(parser: argparse.ArgumentParser, default: str) -> None:
    parser.add_argument("--fen", default=default, help="the position")


def read_position(fen: str) -> Board:
    board = Board(fen)
    if board.legal_count() == 0:
        raise ValueError(f"the game is over in this position: {fen}")
    return board


def refuse_long(
    board: Board,
    depth: int,
    nodes_a_second: float = PLAIN_SPEED,
    search: str = "minimax",
    power: float = 1.0,
) -> None:
    """A search to this depth that visits so large a power of the tree, by the tree's growth so far;
    a ValueError if nobody would wait."""
    known = min(depth, 3)
    width = board.perft(known) ** (1 / known)
    nodes = width ** (depth * power)
    seconds = nodes / nodes_a_second
    if seconds > LONGEST_S:
        raise ValueError(
            f"{search} to depth {depth} would visit about {nodes:.1e} positions and take about "
            f"{spell_time(seconds)}; choose a smaller depth"
        )


def spell_time(seconds: float) -> str:
    for unit, length in (("years", 31_557_600.0), ("days", 86_400.0), ("hours", 3600.0)):
        if seconds >= length:
            return f"{seconds / length:,.0f} {unit}"
    return f"{seconds / 60:.0f} minutes"


def growth(points: Sequence[tuple[int, float]]) -> float:
    """The factor by which values grow from one depth to the next: least squares of logarithms."""
    xs = [float(depth) for depth, _ in points]
    ys = [log(value) for _, value in points]
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    spread = sum((x - mean_x) ** 2 for x in xs)
    return exp(sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True)) / spread)


def depth_counts(searcher: Searcher, board: Board, depth: int) -> list[tuple[int, int, int]]:
    """(depth, nodes of that iteration alone, score) for each depth."""
    told: dict[int, tuple[int, int]] = {}

    def hear(infos: list[Any]) -> None:
        told[infos[0].depth] = (infos[0].nodes, infos[0].score)

    searcher.clear()
    searcher.search(board, depth=depth, on_report=hear)
    counts, before = [], 0
    for reached in sorted(told):
        nodes, score = told[reached]
        counts.append((reached, nodes - before, score))
        before = nodes
    return counts


def show_score(info: SearchInfo | SearchResult) -> str:
    return f"{info.score / 100:+.2f}" if info.mate is None else f"mate {info.mate}"


def thousands(value: float) -> str:
    return f"{value:,.0f}".replace(",", " ")
