"""Explicit game trees: the notes' small ones, and random ones."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Union

from uci_engine.lab.game import CHANCE, MAX, MIN

DEEPEST = 60  # of a tree that is read
LARGEST = 10**12  # of its numbers


@dataclass(frozen=True)
class Leaf:
    """The end of a game: a utility for each player."""

    utilities: tuple[float, ...]


@dataclass(frozen=True)
class Branch:
    """A choice of a player; of CHANCE, with a probability for each outcome."""

    player: str
    children: tuple[Tree, ...]
    chances: tuple[float, ...] = ()


Tree = Union[Leaf, Branch]  # noqa: UP007 (of names that are not there yet)


class TreeGame:
    """The game that a tree is. States are its subtrees, actions the numbers of their children."""

    def __init__(self, tree: Tree, players: Sequence[str] = (MAX, MIN)) -> None:
        self.initial = tree
        self.players = tuple(players)

    def to_move(self, state: Tree) -> str:
        return state.player if isinstance(state, Branch) else self.players[0]

    def actions(self, state: Tree) -> Sequence[int]:
        return range(len(state.children)) if isinstance(state, Branch) else ()

    def result(self, state: Tree, action: int) -> Tree:
        assert isinstance(state, Branch)
        return state.children[action]

    def is_terminal(self, state: Tree) -> bool:
        return isinstance(state, Leaf)

    def utility(self, state: Tree, player: str) -> float:
        """A single number is MAX's, and MIN has the negative of it."""
        assert isinstance(state, Leaf)
        if len(state.utilities) == 1:
            return state.utilities[0] if player == MAX else -state.utilities[0]
        return state.utilities[self.players.index(player)]

    def probability(self, state: Tree, action: int) -> float:
        assert isinstance(state, Branch)
        return state.chances[action] if state.chances else 1 / len(state.children)


def grow(nested: Any, players: Sequence[str] = (MAX, MIN), depth: int = 0) -> Tree:
    """A tree from nested lists of numbers; the players take turns, and a tuple is a leaf with a
    utility for each of them."""
    if isinstance(nested, (int, float)) and not isinstance(nested, bool):
        if not -LARGEST <= nested <= LARGEST:  # nor is it a number at all
            raise ValueError(f"no tree: its numbers must be from {-LARGEST:.0e} to {LARGEST:.0e}")
        return Leaf((nested,))
    if isinstance(nested, tuple):
        return Leaf(nested)
    if not isinstance(nested, list) or not nested:
        raise ValueError(f"no tree: a number or a list with something in it is needed: {nested!r}")
    if depth > DEEPEST:
        raise ValueError(f"no tree: it is deeper than {DEEPEST}")
    player = players[depth % len(players)]
    return Branch(player, tuple(grow(child, players, depth + 1) for child in nested))


def read_tree(text: str) -> Tree:
    """A tree as people write it: `[[3, 12, 8], [2, 4, 6], [14, 5, 2]]`."""
    try:
        return grow(json.loads(text))
    except (json.JSONDecodeError, RecursionError):
        raise ValueError(f"no tree: lists of numbers are needed: {text[:60]!r}") from None


def two_ply_tree(x: float = 4, y: float = 6) -> Tree:
    """The notes' first tree: its value is 3 whatever x and y are."""
    return grow([[3, 12, 8], [2, x, y], [14, 5, 2]])


def error_tree() -> Tree:
    """Minimax goes right, for 100; with errors in the leaves left is often the better choice."""
    return grow([[99, 1000, 1000, 1000], [100, 101, 102, 100]])


THREE_PLAYERS = ("A", "B", "C")


def three_player_tree() -> Tree:
    """A tree of the notes' form: a utility vector at each leaf."""
    return grow(
        [
            [[(1, 2, 6), (4, 2, 3)], [(6, 1, 2), (7, 4, 1)]],
            [[(5, 1, 1), (1, 5, 2)], [(7, 7, 1), (5, 4, 5)]],
        ],
        THREE_PLAYERS,
    )


def chance_tree() -> Tree:
    """A choice, a chance node, a reply: the risky side looks better and is not."""

    def toss(chances: Sequence[float], *replies: Sequence[float]) -> Branch:
        children = tuple(Branch(MIN, tuple(Leaf((v,)) for v in values)) for values in replies)
        return Branch(CHANCE, children, tuple(chances))

    return Branch(MAX, (toss((0.9, 0.1), (2, 3), (1, 4)), toss((0.9, 0.1), (1, 20), (4, 30))))


def random_tree(rng: Random, branching: int, depth: int, largest: int = 20) -> Tree:
    """Uniform, with leaves from 0 to the largest; many of them are equal if that is small."""

    def nested(depth: int) -> Any:
        if depth == 0:
            return rng.randint(0, largest)
        return [nested(depth - 1) for _ in range(branching)]

    return grow(nested(depth))


def ragged_tree(rng: Random, widest: int, deepest: int, largest: int = 20) -> Tree:
    """Of any shape within these limits."""

    def nested(depth: int) -> Any:
        if depth == 0 or (depth < deepest and rng.random() < 0.2):
            return rng.randint(0, largest)
        return [nested(depth - 1) for _ in range(rng.randint(1, widest))]

    return grow(nested(deepest))
