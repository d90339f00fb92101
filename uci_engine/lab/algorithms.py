"""The searches of the lecture notes, as functions that read like their pseudocode.

Values are MAX's. Each returns the value of a state and the best action there, and tells its visits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import inf
from operator import itemgetter

from uci_engine.lab.game import CHANCE, MAX, A, ChanceGame, Game, S, Visits

value_of = itemgetter(0)


# ---- to the end of the game


def minimax(game: Game[S, A], state: S, visits: Visits) -> tuple[float, A | None]:
    """What both can be sure of: MAX takes the largest value, MIN the smallest."""
    visits.enter(state)
    if game.is_terminal(state):
        return visits.leaf(game.utility(state, MAX))
    options = [
        (minimax(game, game.result(state, action), visits)[0], action)
        for action in game.actions(state)
    ]
    best = max if game.to_move(state) == MAX else min
    return visits.leave(*best(options, key=value_of))


def alphabeta(
    game: Game[S, A], state: S, visits: Visits, alpha: float = -inf, beta: float = inf
) -> tuple[float, A | None]:
    """Minimax without the branches that can't matter: MAX has alpha elsewhere, MIN has beta."""
    visits.enter(state, alpha, beta)
    if game.is_terminal(state):
        return visits.leaf(game.utility(state, MAX))
    move = None
    if game.to_move(state) == MAX:
        value = -inf
        for action in game.actions(state):
            reply, _ = alphabeta(game, game.result(state, action), visits, alpha, beta)
            if reply > value or move is None:
                value, move = reply, action
            alpha = max(alpha, value)
            if alpha >= beta:
                visits.cut()
                break
    else:
        value = inf
        for action in game.actions(state):
            reply, _ = alphabeta(game, game.result(state, action), visits, alpha, beta)
            if reply < value or move is None:
                value, move = reply, action
            beta = min(beta, value)
            if alpha >= beta:
                visits.cut()
                break
    return visits.leave(value, move)


def negamax(
    game: Game[S, A],
    state: S,
    visits: Visits,
    alpha: float = -inf,
    beta: float = inf,
    sign: int = 1,
) -> tuple[float, A | None]:
    """Alpha-beta as one case instead of two: values are the mover's, whose sign is 1 for MAX and -1
    for MIN."""
    visits.enter(state, alpha, beta)
    if game.is_terminal(state):
        return visits.leaf(sign * game.utility(state, MAX))
    value, move = -inf, None
    for action in game.actions(state):
        child = game.result(state, action)
        reply, _ = negamax(game, child, visits, -beta, -max(alpha, value), -sign)
        if -reply > value or move is None:
            value, move = -reply, action
        if value >= beta:
            visits.cut()
            break
    return visits.leave(value, move)


def minimax_n(
    game: Game[S, A], state: S, players: Sequence[str], visits: Visits
) -> tuple[tuple[float, ...], A | None]:
    """Any number of players: each takes the vector of utilities that is best for itself."""
    visits.enter(state)
    if game.is_terminal(state):
        return visits.leaf(tuple(game.utility(state, player) for player in players))
    own = players.index(game.to_move(state))
    options = [
        (minimax_n(game, game.result(state, action), players, visits)[0], action)
        for action in game.actions(state)
    ]
    return visits.leave(*max(options, key=lambda option: option[0][own]))


# ---- down to a horizon


def heuristic_minimax(
    game: Game[S, A],
    state: S,
    is_cutoff: Callable[[S, int], bool],
    evaluate: Callable[[S], float],
    visits: Visits,
    depth: int = 0,
) -> tuple[float, A | None]:
    """Minimax with an estimate where it is cut off: Eval for Utility, IsCutoff for IsTerminal."""
    visits.enter(state)
    if game.is_terminal(state):
        return visits.leaf(game.utility(state, MAX))
    if is_cutoff(state, depth):
        return visits.leaf(evaluate(state))
    options = []
    for action in game.actions(state):
        child = game.result(state, action)
        value, _ = heuristic_minimax(game, child, is_cutoff, evaluate, visits, depth + 1)
        options.append((value, action))
    best = max if game.to_move(state) == MAX else min
    return visits.leave(*best(options, key=value_of))


Horizon = Callable[[S, Visits, float, float], float]  # the value of a state where depth is used up


def heuristic_alphabeta(
    game: Game[S, A],
    state: S,
    depth: int,
    horizon: Horizon[S],
    visits: Visits,
    alpha: float = -inf,
    beta: float = inf,
    best: dict[S, A] | None = None,
) -> tuple[float, A | None]:
    """Alpha-beta to a depth; the horizon is an evaluation, or a quiescence search. `best`, if there
    is one, says what was best in each state before: that is tried first, and renewed."""
    if depth == 0 and not game.is_terminal(state):
        return horizon(state, visits, alpha, beta), None
    visits.enter(state, alpha, beta)
    if game.is_terminal(state):
        return visits.leaf(game.utility(state, MAX))
    first = None if best is None else best.get(state)
    maximising = game.to_move(state) == MAX
    value, move = (-inf if maximising else inf), None
    for action in best_first(game.actions(state), first):
        child = game.result(state, action)
        reply, _ = heuristic_alphabeta(game, child, depth - 1, horizon, visits, alpha, beta, best)
        if move is None or (reply > value if maximising else reply < value):
            value, move = reply, action
        if maximising:
            alpha = max(alpha, value)
        else:
            beta = min(beta, value)
        if alpha >= beta:
            visits.cut()
            break
    if best is not None and move is not None:
        best[state] = move
    return visits.leave(value, move)


def best_first(actions: Sequence[A], first: A | None) -> Sequence[A]:
    return sorted(actions, key=lambda action: action != first)


def static(evaluate: Callable[[S], float]) -> Horizon[S]:
    """The plain horizon: whatever hangs there is not seen."""

    def horizon(state: S, visits: Visits, alpha: float, beta: float) -> float:
        visits.enter(state, alpha, beta)
        return visits.leaf(evaluate(state))[0]

    return horizon


def quiescence(
    game: Game[S, A],
    unsettled: Callable[[S], Sequence[A]],
    is_forced: Callable[[S], bool],
    evaluate: Callable[[S], float],
) -> Horizon[S]:
    """The horizon where nothing hangs: what is unsettled is played out, or declined by standing
    pat, which a player who is forced can't do."""

    def settle(state: S, visits: Visits, alpha: float, beta: float) -> float:
        visits.enter(state, alpha, beta)
        if game.is_terminal(state):
            return visits.leaf(game.utility(state, MAX))[0]
        maximising = game.to_move(state) == MAX
        value = -inf if maximising else inf
        if not is_forced(state):
            value = evaluate(state)
        best = max if maximising else min
        for action in unsettled(state):
            alpha, beta = (max(alpha, value), beta) if maximising else (alpha, min(beta, value))
            if alpha >= beta:
                visits.cut()
                break
            value = best(value, settle(game.result(state, action), visits, alpha, beta))
        return visits.leave(value, None)[0]

    return settle


def iterative_deepening(
    game: Game[S, A], state: S, deepest: int, horizon: Horizon[S], visits: Visits
) -> Iterator[tuple[int, float, A | None]]:
    """Depth 1, 2, 3, ...: there is an answer at any time, and each depth tries first what was best
    in the one before."""
    best: dict[S, A] = {}
    for depth in range(1, deepest + 1):
        found = heuristic_alphabeta(game, state, depth, horizon, visits, best=best)
        yield depth, found[0], found[1]


# ---- with chance


def expectimax(game: ChanceGame[S, A], state: S, visits: Visits) -> tuple[float, A | None]:
    """One player against chance: a chance node is worth the mean of its outcomes."""
    visits.enter(state)
    if game.is_terminal(state):
        return visits.leaf(game.utility(state, MAX))
    options = [
        (expectimax(game, game.result(state, action), visits)[0], action)
        for action in game.actions(state)
    ]
    if game.to_move(state) == CHANCE:
        mean = sum(game.probability(state, action) * value for value, action in options)
        return visits.leave(mean, None)
    return visits.leave(*max(options, key=value_of))


def expectiminimax(game: ChanceGame[S, A], state: S, visits: Visits) -> tuple[float, A | None]:
    """MAX, MIN and CHANCE: the largest, the smallest, the mean."""
    visits.enter(state)
    if game.is_terminal(state):
        return visits.leaf(game.utility(state, MAX))
    options = [
        (expectiminimax(game, game.result(state, action), visits)[0], action)
        for action in game.actions(state)
    ]
    if game.to_move(state) == CHANCE:
        mean = sum(game.probability(state, action) * value for value, action in options)
        return visits.leave(mean, None)
    best = max if game.to_move(state) == MAX else min
    return visits.leave(*best(options, key=value_of))
