"""What a search did, node by node: for drawing it, and for practising it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

from uci_engine.lab.algorithms import (
    alphabeta,
    expectiminimax,
    heuristic_alphabeta,
    heuristic_minimax,
    minimax_n,
    static,
)
from uci_engine.lab.game import MAX, B, Game, V, Visits

ALGORITHMS = ("minimax", "alphabeta", "expectiminimax", "minimax-n")
MOST_DRAWN = 400  # leaves; a picture with more of them shows nothing


@dataclass
class Seen:
    """A visit to a state."""

    alpha: float | None = None
    beta: float | None = None
    value: Any = 0.0
    action: Any = None
    children: list[Seen] = field(default_factory=list)


class Trace(Visits):
    """Remembers every visit as a tree."""

    def __init__(self) -> None:
        super().__init__()
        self.root: Seen | None = None
        self.path: list[Seen] = []

    def enter(self, state: Hashable, alpha: float | None = None, beta: float | None = None) -> None:
        super().enter(state, alpha, beta)
        seen = Seen(alpha, beta)
        if self.path:
            self.path[-1].children.append(seen)
        else:
            self.root = seen
        self.path.append(seen)

    def leave(self, value: V, action: B) -> tuple[V, B]:
        seen = self.path.pop()
        seen.value, seen.action = value, action
        return super().leave(value, action)


@dataclass
class Drawn:
    """A node to be drawn: what it is, and what the search saw of it; None if it was cut off."""

    player: str  # of a leaf, nobody
    label: str  # the action that leads here
    seen: Seen | None
    utility: Any = None  # of a leaf: a number, or one for each player
    children: list[Drawn] = field(default_factory=list)


def trace_game(
    game: Any,
    algorithm: str,
    depth: int,
    evaluate: Callable[[Any], float],
    label: Callable[[Any, Any], str] = lambda state, action: str(action),
) -> Drawn:
    """A search, and the whole tree around it. A game with chance is gone through to its end."""
    trace = Trace()
    state = game.initial
    if count_leaves(game, state, depth, MOST_DRAWN + 1) > MOST_DRAWN:
        raise ValueError(f"this tree has more than {MOST_DRAWN} leaves, too many to be drawn")
    if algorithm == "minimax":
        heuristic_minimax(game, state, lambda _, ply: ply >= depth, evaluate, trace)
    elif algorithm == "alphabeta":
        heuristic_alphabeta(game, state, depth, static(evaluate), trace)
    elif algorithm == "minimax-n":
        minimax_n(game, state, game.players, trace)
    else:
        expectiminimax(game, state, trace)
    return unfold(game, state, trace.root, depth, evaluate, label, "")


def count_leaves(game: Game[Any, Any], state: Any, depth: int, enough: int) -> int:
    """Down to a depth, and only until there are enough of them."""
    if depth == 0 or game.is_terminal(state):
        return 1
    leaves = 0
    for action in game.actions(state):
        leaves += count_leaves(game, game.result(state, action), depth - 1, enough - leaves)
        if leaves >= enough:
            break
    return leaves


def worth(game: Any, end: Any) -> Any:
    """The end of a game: what it is worth to MAX, or to each of more than two players."""
    players = getattr(game, "players", ())
    if len(players) <= 2:
        return game.utility(end, MAX)
    return tuple(game.utility(end, player) for player in players)


def unfold(
    game: Game[Any, Any],
    state: Any,
    seen: Seen | None,
    depth: int,
    evaluate: Callable[[Any], float],
    label: Callable[[Any, Any], str],
    name: str,
) -> Drawn:
    if game.is_terminal(state) or depth == 0:
        ends = game.is_terminal(state)
        value = worth(game, state) if ends else evaluate(state)
        return Drawn("", name, seen, value)
    node = Drawn(game.to_move(state), name, seen)
    for number, action in enumerate(game.actions(state)):
        # Actions are tried in their order, so that what was seen comes first and the rest was cut.
        child = seen.children[number] if seen and number < len(seen.children) else None
        below = game.result(state, action)
        node.children.append(
            unfold(game, below, child, depth - 1, evaluate, label, label(state, action))
        )
    return node


def trace_alphabeta(game: Game[Any, Any]) -> Seen:
    """To the end of the game, with no horizon."""
    trace = Trace()
    alphabeta(game, game.initial, trace)
    assert trace.root is not None
    return trace.root
