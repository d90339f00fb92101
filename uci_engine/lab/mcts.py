"""Monte Carlo tree search: selection, expansion, simulation, back-propagation."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf, log, sqrt
from random import Random
from typing import Generic

from uci_engine.lab.game import MAX, MIN, A, Game, S

ROOT_2 = sqrt(2)


@dataclass
class Node(Generic[S, A]):
    """A state in the tree. `wins` are those of the player whose action led here."""

    state: S
    player: str
    parent: Node[S, A] | None = None
    action: A | None = None
    wins: float = 0.0
    visits: int = 0
    prior: float = 1.0
    children: list[Node[S, A]] = field(default_factory=list)


def ucb1(wins: float, visits: int, parent_visits: int, c: float = ROOT_2) -> float:
    """What a child has brought so far, and a bonus for knowing little about it."""
    if visits == 0:
        return inf
    return wins / visits + c * sqrt(log(parent_visits) / visits)


def puct(wins: float, visits: int, parent_visits: int, prior: float, c: float = ROOT_2) -> float:
    """AlphaZero's: the bonus is larger for moves that looked good before any search."""
    mean = wins / visits if visits else 0.5
    return mean + c * prior * sqrt(parent_visits) / (1 + visits)


def select(node: Node[S, A], c: float) -> Node[S, A]:
    """Down to a leaf of the tree, always to the child with the largest bound."""
    while node.children:
        parent = node
        node = max(
            node.children, key=lambda child: ucb1(child.wins, child.visits, parent.visits, c)
        )
    return node


def expand(game: Game[S, A], node: Node[S, A], rng: Random) -> Node[S, A]:
    """Grow the leaf's children once it has been visited, and go to one of them."""
    if node.visits == 0 or game.is_terminal(node.state):
        return node
    player = game.to_move(node.state)
    for action in game.actions(node.state):
        child = game.result(node.state, action)
        node.children.append(Node(child, player, node, action))
    return rng.choice(node.children)


def simulate(game: Game[S, A], state: S, rng: Random) -> S:
    """A playout: random actions to the end of the game."""
    while not game.is_terminal(state):
        state = game.result(state, rng.choice(game.actions(state)))
    return state


def back_propagate(node: Node[S, A] | None, wins_of_max: float) -> None:
    """Every node on the way up gains a visit, and the winner's own nodes a win."""
    while node is not None:
        node.visits += 1
        node.wins += wins_of_max if node.player == MAX else 1 - wins_of_max
        node = node.parent


def mcts(game: Game[S, A], state: S, playouts: int, rng: Random, c: float = ROOT_2) -> Node[S, A]:
    """The tree after so many playouts; the move to play is `most_visited` of its root."""
    root: Node[S, A] = Node(state, MIN if game.to_move(state) == MAX else MAX)
    for _ in range(playouts):
        leaf = expand(game, select(root, c), rng)
        end = simulate(game, leaf.state, rng)
        back_propagate(leaf, (1 + game.utility(end, MAX)) / 2)
    return root


def most_visited(root: Node[S, A]) -> Node[S, A]:
    return max(root.children, key=lambda child: child.visits)


def is_decided(root: Node[S, A], playouts_left: int) -> bool:
    """Metareasoning: when no playout that is left can change the move, thinking on is in vain."""
    first, *others = sorted((child.visits for child in root.children), reverse=True)
    return not others or first - others[0] > playouts_left


def pure_mcts(game: Game[S, A], state: S, playouts: int, rng: Random) -> dict[A, float]:
    """No tree: so many playouts after each action, and the share of wins of the mover."""
    player = game.to_move(state)
    shares = {}
    for action in game.actions(state):
        child = game.result(state, action)
        ends = [simulate(game, child, rng) for _ in range(playouts)]
        shares[action] = sum((1 + game.utility(end, player)) / 2 for end in ends) / playouts
    return shares
