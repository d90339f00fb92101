"""How deep a budget of nodes reaches: 'a decent program', and Deep Blue beside it."""

from __future__ import annotations

import argparse
import time
from math import log

from uci_engine.arguments import number_between
from uci_engine.lab.findings import Outcome, Picture, Table
from uci_engine.lab.studies import POSITIONS, Tell, make_searcher, read_position, thousands
from uci_engine.pages.plots import bars

SEARCHES = {
    "minimax, material": ("minimax", "material", {}),
    "alphabeta, material": ("alphabeta", "material", {}),
    "alphabeta, material, engine's order": ("alphabeta", "material", {"order": "engine"}),
    "alphabeta-quiescence, classical": ("alphabeta-quiescence", None, {}),
    "mcts, classical": ("mcts", None, {}),
    "pvs, classical": ("pvs", None, {}),
    "pvs, nnue (the engine)": ("pvs", "nnue", {}),
}
DEEP_BLUE = 200_000_000  # positions a second, 1997


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--nodes", type=number_between(1000, 10**8), default=1_000_000, help="(1000000)"
    )


def run(options: argparse.Namespace, tell: Tell) -> Outcome:
    boards = {name: read_position(fen) for name, fen in POSITIONS.items()}
    rows, data, means = [], {}, []
    for name, (algorithm, evaluation, study) in SEARCHES.items():
        tell(name)
        depths, nodes, seconds, longest = [], 0, 0.0, 0
        for board in boards.values():
            searcher = make_searcher(algorithm, evaluation, hash_mb=64, **study)
            start = time.process_time()
            found = searcher.search(board, nodes=options.nodes)
            seconds += time.process_time() - start
            nodes += found.nodes
            depths.append(found.depth)
            longest = max(longest, found.infos[0].seldepth)
        speed = nodes / max(seconds, 1e-6)
        means.append((name, round(sum(depths) / len(depths), 1)))
        data[name] = {"depths": depths, "longest": longest, "nodes_a_second": round(speed)}
        rows.append([name, *map(str, depths), str(longest), f"{speed / 1e6:.2f}",
                     f"{DEEP_BLUE / speed:.0f}"])  # fmt: skip
    board = boards["middlegame"]
    width = board.perft(3) ** (1 / 3)
    decent = 2 * log(10_000 * 100) / log(width)
    outcome = Outcome(f"Depth reached with {thousands(options.nodes)} nodes")
    head = ["search", *boards, "longest line", "million nodes/s", "Deep Blue is faster by"]
    outcome.tables = [Table(head, rows)]
    outcome.pictures = [Picture(bars("Depth reached", means), "Depth reached, mean of the three")]
    outcome.remarks = [
        f"10 000 nodes a second for 100 seconds are a million nodes: with b = {width:.0f} and "
        f"perfect order that is depth {decent:.1f}, the notes' 'about 8'.",
        "A node of mcts is a visit; the depth told is the length of its best variation.",
        "Deep Blue looked at 200 million positions a second and extended lines to 40 plies.",
    ]
    outcome.data = {"nodes": options.nodes, "searches": data, "decent_depth": decent}
    return outcome
