"""How a choice of the engine comes about: depth by depth, and which replies refute the others."""

from __future__ import annotations

import argparse
from itertools import pairwise
from typing import Any

from core_ext.core import Board, SearchInfo
from uci_engine.arguments import number_between
from uci_engine.lab.findings import Outcome, Picture, Table
from uci_engine.lab.studies import (
    LONGEST_S,
    POSITIONS,
    Tell,
    add_position,
    make_searcher,
    read_position,
    show_score,
)
from uci_engine.pages.plots import Curve, line_plot

MOST_DEPTH = 30
LINES = 6


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_position(parser, POSITIONS["middlegame"])
    parser.add_argument(
        "--depth",
        type=number_between(2, MOST_DEPTH),
        default=10,
        help="(10); in ten minutes at most",
    )


def run(options: argparse.Namespace, tell: Tell) -> Outcome:
    board = read_position(options.fen)
    lines = min(LINES, board.legal_count())
    told: dict[int, list[SearchInfo]] = {}

    def hear(infos: list[Any]) -> None:
        told[infos[0].depth] = infos
        tell(f"depth {infos[0].depth}")

    make_searcher("pvs", "nnue").search(
        board, depth=options.depth, hard_ms=1000 * LONGEST_S, multipv=lines, on_report=hear
    )
    outcome = Outcome("How the choice comes about")
    outcome.tables = [course_table(board, told)]
    if lines > 1:
        outcome.tables.append(refutation_table(board, told[max(told)]))
    outcome.pictures = [picture(board, told)]
    changes = [board.san(told[depth][0].pv[0]) for depth in sorted(told)]
    turns = sum(a != b for a, b in pairwise(changes))
    outcome.remarks = [
        f"Changes of the choice on the way to depth {max(told)}: {turns}. Thinking is worth its "
        "time where it may change the move: a lead that grows with depth needs little of it.",
    ]
    outcome.data = {
        "fen": options.fen,
        "depths": {
            str(depth): [{"move": str(info.pv[0]), "score": info.score} for info in infos]
            for depth, infos in told.items()
        },
    }
    return outcome


def course_table(board: Board, told: dict[int, list[SearchInfo]]) -> Table:
    rows = []
    for depth in sorted(told):
        first, *others = told[depth]
        cells = [str(depth), board.san(first.pv[0]), show_score(first)]
        if others:
            cells += [board.san(others[0].pv[0]), show_score(others[0])]
            cells += [f"{(first.score - others[0].score) / 100:.2f}"]
        else:
            cells += ["-", "-", "-"]
        rows.append([*cells, board.variation_san(first.pv[:6])])
    head = ["depth", "best", "score", "second", "score", "lead", "variation"]
    return Table(head, rows, names=0, title="The two best moves of each depth")


def refutation_table(board: Board, infos: list[SearchInfo]) -> Table:
    rows = []
    for info in infos[1:]:
        after = board.copy()
        after.push(info.pv[0])
        reply = after.san(info.pv[1]) if len(info.pv) > 1 else "-"
        rest = board.variation_san(info.pv[:6])
        rows.append([board.san(info.pv[0]), show_score(info), reply, rest])
    head = ["move", "score", "best reply", "variation"]
    return Table(head, rows, names=4, title="What speaks against the others")


def picture(board: Board, told: dict[int, list[SearchInfo]]) -> Picture:
    best = [info.pv[0] for info in told[max(told)][:3]]
    curves = []
    for move in best:
        points = [
            (float(depth), info.score / 100)
            for depth in sorted(told)
            for info in told[depth]
            if info.pv[0] == move
        ]
        curves.append(Curve(points, board.san(move)))
    plot = line_plot("Scores by depth", curves, "depth")
    return Picture(plot, "Scores of the three best moves by depth, where they are among the best")
