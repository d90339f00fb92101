"""Draws a game tree with its values, windows and cut branches."""

from __future__ import annotations

import argparse
from functools import partial
from random import Random
from typing import Any

from core_ext.core import START_FEN, Move, Searcher
from uci_engine.arguments import number_between
from uci_engine.lab.chess_game import Chess, Position, is_drawn
from uci_engine.lab.findings import Outcome, Picture, Table
from uci_engine.lab.game import CHANCE, Game, Visits
from uci_engine.lab.games import EMPTY, DiceRace, TicTacToe, coin_game, nim, open_lines
from uci_engine.lab.many_players import alliance_table, show_prisoners
from uci_engine.lab.pictures import draw_tree, number
from uci_engine.lab.studies import Tell
from uci_engine.lab.trace import ALGORITHMS, Drawn, trace_game
from uci_engine.lab.trees import (
    THREE_PLAYERS,
    Tree,
    TreeGame,
    chance_tree,
    error_tree,
    random_tree,
    read_tree,
    three_player_tree,
    two_ply_tree,
)

GAMES = (
    "notes, error, random, chance, three, prisoners, dice:N, nim:N, coins:N, tictactoe:CELLS, "
    "chess, chess:FEN, or lists of numbers"
)
DEEPEST = 12
MOST_STONES = 12
MOST_POINTS = 2
TO_THE_END = 100  # plies: no tree is so deep
TO_THE_END_ONLY = ("expectiminimax", "minimax-n")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("game", nargs="?", default="notes", help=GAMES)
    add(
        "--algorithm",
        choices=ALGORITHMS,
        help="(alphabeta; with chance, expectiminimax; with three players, minimax-n)",
    )
    add("--depth", type=number_between(1, DEEPEST), help="the horizon (of chess 2, else the end)")
    add("--seed", type=number_between(0, 2**32 - 1), default=1, help="of a random tree (1)")


def choose_game(text: str, seed: int) -> Game[Any, Any]:
    kind, _, detail = text.partition(":")
    if kind == "notes":
        return TreeGame(two_ply_tree())
    if kind == "error":
        return TreeGame(error_tree())
    if kind == "random":
        return TreeGame(random_tree(Random(seed), 3, 3))
    if kind == "chance":
        return TreeGame(chance_tree())
    if kind == "three":
        return TreeGame(three_player_tree(), THREE_PLAYERS)
    if kind == "dice":
        return DiceRace(read_size(kind, detail, MOST_POINTS))
    if kind in ("nim", "coins"):
        size = read_size(kind, detail, MOST_STONES)
        return nim(size) if kind == "nim" else coin_game(size)
    if kind == "tictactoe":
        return Cells(detail)
    if kind == "chess":
        return Chess(detail or START_FEN)
    if text.lstrip().startswith("["):
        return TreeGame(read_tree(text))
    raise ValueError(f"there is no game {text!r}; there are {GAMES}")


def read_size(kind: str, detail: str, most: int) -> int:
    if not detail.isdecimal() or not 1 <= int(detail) <= most:
        raise ValueError(f"{kind} needs a number from 1 to {most}, not {detail!r}")
    return int(detail)


def choose_algorithm(kind: str, wanted: str | None) -> str:
    """The one that was asked for, if it is one for this kind of game."""
    needed = {"chance": "expectiminimax", "dice": "expectiminimax", "three": "minimax-n"}.get(kind)
    if needed is not None and wanted not in (None, needed):
        lacks = "third player" if kind == "three" else "chance"
        raise ValueError(f"{wanted} knows no {lacks}: {kind} needs {needed}")
    if wanted == "minimax-n" and needed != wanted:
        raise ValueError("minimax-n is for more than two players: see three")
    return wanted or needed or "alphabeta"


class Cells(TicTacToe):
    """Tic-tac-toe from a position on."""

    def __init__(self, cells: str) -> None:
        marks = cells.lower()
        balance = marks.count("x") - marks.count("o")
        if len(marks) != 9 or set(marks) - set("xo" + EMPTY) or balance not in (0, 1):
            raise ValueError(f"nine cells of x, o and . in turn are needed, not {cells!r}")
        self.initial = marks


def evaluation_of(game: Game[Any, Any]) -> Any:
    if isinstance(game, TicTacToe):
        return open_lines
    if isinstance(game, Chess):
        searcher = Searcher(hash_mb=1)
        return lambda board: searcher.evaluate(board) * (1 if board.turn else -1)
    return lambda state: 0.0


def label_of(game: Game[Any, Any]) -> Any:
    if isinstance(game, Chess):
        return name_move
    if isinstance(game, TreeGame):
        return partial(name_chance, game)
    return lambda state, action: str(action)


def name_chance(game: TreeGame, state: Tree, action: int) -> str:
    """How likely it is; what a player chooses has no name."""
    return f"{game.probability(state, action):g}" if game.to_move(state) == CHANCE else ""


def name_move(state: Position, action: Move) -> str:
    return state.san(action)


def run(options: argparse.Namespace, tell: Tell) -> Outcome:
    if options.game == "prisoners":
        return show_prisoners()
    game = choose_game(options.game, options.seed)
    if isinstance(game, Chess) and is_drawn(game.initial):
        raise ValueError("the game is drawn in this position")
    algorithm = choose_algorithm(options.game.partition(":")[0], options.algorithm)
    if algorithm in TO_THE_END_ONLY and (options.depth or isinstance(game, Chess)):
        raise ValueError(f"{algorithm} goes to the end of a game, not to a depth")
    depth = options.depth or (2 if isinstance(game, Chess) else TO_THE_END)
    root = trace_game(game, algorithm, depth, evaluation_of(game), label_of(game))
    if root.seen is None or not root.children:
        raise ValueError("the game is over before it begins: there is no tree to draw")
    counts = Counts(root)
    title = f"The tree of {options.game}, by {algorithm}"
    outcome = Outcome(title)
    rows = [
        ["value", number(root.seen.value)],
        ["nodes", str(counts.nodes)],
        ["visited", str(counts.visited)],
        ["cut off", str(counts.nodes - counts.visited)],
    ]
    outcome.tables = [Table([options.game, ""], rows)]
    caption = (
        "Triangles up are MAX, down MIN, circles chance; in brackets the windows on entering; "
        "slashes cut off"
    )
    if isinstance(game, TreeGame) and algorithm == "minimax-n":
        caption = "The player to move, and what each of them gets"
        outcome.tables.append(alliance_table(game))
        outcome.remarks = [
            "Each player takes the vector in which its own number is largest. Where two would both "
            "gain by serving their common sum instead, an alliance arises."
        ]
    outcome.pictures = [Picture(draw_tree(root, title), caption)]
    outcome.data = {"game": options.game, "value": root.seen.value, "nodes": counts.nodes,
                    "visited": counts.visited}  # fmt: skip
    return outcome


class Counts(Visits):
    """Of a tree that was drawn."""

    def __init__(self, root: Drawn) -> None:
        super().__init__()
        self.visited = 0
        self.add(root)

    def add(self, node: Drawn) -> None:
        self.nodes += 1
        self.visited += node.seen is not None
        for child in node.children:
            self.add(child)
