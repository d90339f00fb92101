"""A page on which alpha-beta is practised: values, windows, cut branches, and why."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from uci_engine.arguments import number_between
from uci_engine.lab.findings import Outcome, Picture, Table, make_page
from uci_engine.lab.game import MAX, Game
from uci_engine.lab.games import coin_game, nim
from uci_engine.lab.pictures import draw_tree
from uci_engine.lab.studies import Tell
from uci_engine.lab.trace import trace_game
from uci_engine.lab.trees import TreeGame, error_tree, two_ply_tree

PARTS = Path(__file__).parents[1]
DEEPEST = 12

# name: (title, game)
FIXED: dict[str, tuple[str, Game[Any, Any]]] = {
    "notes": ("the notes' two-ply tree", TreeGame(two_ply_tree())),
    "error": ("the tree with 99 and 1000", TreeGame(error_tree())),
    "nim": ("Nim with 4 stones", nim(4)),
    "nim5": ("Nim with 5 stones", nim(5)),
    "coins": ("the coin game", coin_game()),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--seed", type=number_between(1, 10**6), default=1, help="of the first exercise (1)"
    )


def as_json(game: Game[Any, Any], state: Any, label: str = "") -> dict[str, Any]:
    """A tree as the page's script reads it."""
    if game.is_terminal(state):
        return {"label": label, "utility": game.utility(state, MAX)}
    actions = game.actions(state)
    names = ["" if isinstance(game, TreeGame) else str(action) for action in actions]
    return {
        "label": label,
        "player": game.to_move(state),
        "children": [
            as_json(game, game.result(state, action), name)
            for action, name in zip(actions, names, strict=True)
        ],
    }


def page(seed: int) -> str:
    trees = {
        name: {"title": title, "tree": as_json(game, game.initial)}
        for name, (title, game) in FIXED.items()
    }
    body = (PARTS / "practice.html").read_text(encoding="utf-8")
    script = (PARTS / "practice.js").read_text(encoding="utf-8")
    data = json.dumps({"trees": trees, "seed": seed}).replace("</", "<\\/")
    return make_page(
        "Practise alpha-beta",
        "Fill in what a search from left to right finds; each entry is judged at once.",
        [body, f'<script type="application/json" id="exercises">{data}</script>',
         f"<script>{script}</script>"],
    )  # fmt: skip


def run(options: argparse.Namespace, tell: Tell) -> Outcome:
    outcome = Outcome("Practice: alpha-beta by hand")
    rows = [[name, title] for name, (title, _) in FIXED.items()]
    rows.append(["random", "a random tree; the same seed makes the same one again"])
    outcome.tables = [Table(["exercise", "what it is"], rows, names=2)]
    game = FIXED["notes"][1]
    solved = trace_game(game, "alphabeta", DEEPEST, lambda _: 0.0, lambda *_: "")
    outcome.pictures = [Picture(draw_tree(solved, "Solved"), "The first exercise, solved")]
    outcome.remarks = ["The page is practice.html, written with --out DIR; open it in a browser."]
    outcome.page = page(options.seed)
    outcome.data = {"exercises": [name for name, *_ in rows], "seed": options.seed}
    return outcome
