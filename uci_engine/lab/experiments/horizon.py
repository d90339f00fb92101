"""The horizon effect: a loss that is certain, pushed out of sight by checks that cost pawns."""

from __future__ import annotations

import argparse

from core_ext.core import Board, Move, SearchResult
from uci_engine.arguments import number_between
from uci_engine.lab.findings import Outcome, Picture, Table
from uci_engine.lab.studies import (
    Tell,
    add_position,
    make_searcher,
    read_position,
    refuse_long,
    show_score,
)
from uci_engine.pages.boards import draw_boards

# Black's bishop is lost: the rook takes it next, wherever it goes. Taking on b3 first gets a pawn
# for it. Two checks with pawns lose these, and the bishop all the same, but later.
TRAPPED_BISHOP = "8/p3k3/7p/4Pp2/4p2P/1P4P1/b1P2K2/R7 b - - 0 1"
# Both count material alone, so that nothing but quiescence can make the difference.
SEARCHES = {
    "fixed depth": ("alphabeta", "material"),
    "with quiescence": ("alphabeta-quiescence", "material"),
    "the engine, classical": ("pvs", None),
}
QUIESCENCE_SPEED = 1_000_000  # nodes of the depth asked for a second, with all that hangs below
RANDOM_ORDER = 0.75  # the power of the tree that alpha-beta visits, about
SHOWN = 4  # plies of a variation on its board
ENGINE_DEPTH = 14


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_position(parser, TRAPPED_BISHOP)
    parser.add_argument("--depth", type=number_between(1, 12), default=4, help="(4)")


def run(options: argparse.Namespace, tell: Tell) -> Outcome:
    board = read_position(options.fen)
    refuse_long(board, options.depth, QUIESCENCE_SPEED, "alpha-beta", RANDOM_ORDER)
    outcome = Outcome("The horizon effect")
    rows, boards = [], [(board, "the position")]
    found: dict[str, SearchResult] = {}
    for name, (algorithm, evaluation) in SEARCHES.items():
        depth = ENGINE_DEPTH if algorithm == "pvs" else options.depth
        tell(name)
        result = make_searcher(algorithm, evaluation).search(board, depth=depth)
        found[name] = result
        chosen = board.san(result.pv[0])
        rows.append([name, str(depth), chosen, show_score(result), board.variation_san(result.pv)])
        after = board.copy()
        for move in result.pv[:SHOWN]:
            after.push(move)
        boards.append((after, f"{name}: {board.variation_san(result.pv[:SHOWN])}"))
    outcome.tables = [
        Table(["search", "depth", "move", "score", "variation"], rows, names=5),
        price_table(board, [result.pv[0] for result in found.values()]),
    ]
    caption = f"The position, and where each search leads in {SHOWN} plies"
    outcome.pictures = [Picture(draw_boards(outcome.title, boards), caption)]
    outcome.remarks = [
        ", ".join(f"{name}: {move}" for name, _, move, *_ in rows) + ".",
        "At its horizon a search of fixed depth takes a piece that is still on the board for safe: "
        "to delay its loss looks like a success. Quiescence plays captures out before it believes "
        "a score.",
        "The cure has its limits: whoever is to move at the horizon may decline to capture, and a "
        "deeper search has a horizon, too.",
    ]
    outcome.data = {
        "fen": options.fen,
        "searches": {
            name: {"move": str(result.best), "score": result.score,
                   "pv": [str(move) for move in result.pv]}
            for name, result in found.items()
        },
    }  # fmt: skip
    return outcome


def price_table(board: Board, moves: list[Move]) -> Table:
    """What the engine, looking further, thinks of the moves that were chosen."""
    rows = []
    for move in dict.fromkeys(moves):
        found = make_searcher("pvs").search(board, depth=ENGINE_DEPTH, searchmoves=[move])
        rows.append([board.san(move), show_score(found)])
    return Table(["move", f"the engine at depth {ENGINE_DEPTH}"], rows)
