"""The searches that lib.sanitize_driver takes the core through.

Each walk says what it did. Searches are short: under a sanitizer, in the debug core, a second is
some ten thousand nodes.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Thread
from typing import Any

from core_ext import core
from lib import suites

NODES = 2_000
POSITIONS = 12
THREADS = 3
ACTOR_DEPTH = 5
PICKS = 200


def run_searches(lines: list[suites.PerftLine], chance: random.Random) -> str:
    """Every limit and every way to ask, alone and with helpers, one table for all of them."""
    searcher = core.Searcher(hash_mb=1)
    nodes = 0
    for line in chance.sample(lines, POSITIONS):
        board = core.Board(line.fen, chess960=line.chess960)
        moves = chance.sample(board.legal_moves(), min(3, board.legal_count()))
        for threads in (1, THREADS):
            searcher.set_threads(threads)
            for limits in (
                {"nodes": NODES},
                {"depth": 5, "multipv": 3},
                {"depth": 4, "searchmoves": moves},
                {"mate": 2, "nodes": NODES},
                {"soft_ms": 20, "hard_ms": 40},
            ):
                nodes += search(searcher, board, **limits).nodes
        for _ in range(PICKS):  # with hints of which few are moves
            searcher._picked_moves(board, chance.randrange(65536), chance.randrange(65536))
        searcher.set_hash(chance.randint(1, 5))
        searcher.clear()
    return f"searches: {10 * POSITIONS}, {nodes:,} nodes"


def run_studies(lines: list[suites.PerftLine], chance: random.Random) -> str:
    """The searches of the lecture notes, with every order of moves and every kind of tree."""
    nodes = 0
    searcher = core.Searcher(hash_mb=1)
    for line in chance.sample(lines, POSITIONS):
        board = core.Board(line.fen, chess960=line.chess960)
        searcher.set_points(chance.choice([*core.POINTS]))
        for algorithm in core.ALGORITHMS:
            searcher.set_algorithm(algorithm)
            nodes += search(searcher, board, depth=2, multipv=2).nodes
        for order in core.ORDERS:
            searcher.set_algorithm("alphabeta", order=order, table=chance.random() < 0.5)
            nodes += search(searcher, board, depth=2).nodes
        searcher.set_algorithm("mcts")
        for playouts in (False, True):
            searcher.set_tree(playouts=playouts, priors=chance.random() < 0.5)
            nodes += search(searcher, board, nodes=20 if playouts else NODES).nodes
            game = board.copy()  # goes on: the tree is cut back
            while game.outcome() is None and game.ply() < 4:
                game.push(search(searcher, game, nodes=20).pv[0])
    return f"studies: {nodes:,} nodes"


def search(searcher: core.Searcher, board: core.Board, **limits: Any) -> core.SearchResult:
    found = searcher.search(board, **limits)
    assert found.best is None or board.is_legal(found.best)
    return found


def run_game(lines: list[suites.PerftLine], chance: random.Random) -> str:
    """A game with its history: repetitions, the fifty-move rule, an aging table."""
    searcher = core.Searcher(hash_mb=1, threads=THREADS)
    board = core.Board()
    while board.outcome() is None and board.ply() < 120:
        move = search(searcher, board, nodes=200).best if chance.random() < 0.6 else None
        board.push(move or chance.choice(board.legal_moves()))
    return f"a game: {board.ply()} plies"


def run_interrupted(lines: list[suites.PerftLine], chance: random.Random) -> str:
    """Another thread stops, hits a ponder move or evaluates while a search runs."""
    searcher = core.Searcher(hash_mb=1, threads=THREADS)
    boards = [core.Board(line.fen, chess960=line.chess960) for line in lines if line.counts[0]]
    chosen = chance.sample(boards, 8)
    for board in chosen:
        likely = likely_positions(board, chance)

        def evaluate(search: core.Search, positions: list[core.Board] = likely) -> None:
            for position in positions:
                searcher.evaluate(position)
                searcher.eval_table(position)
            search.stop()

        def hit_ponder_move(search: core.Search) -> None:
            search.ponderhit(10, 20, time.monotonic_ns())

        for act in (core.Search.stop, hit_ponder_move, evaluate):
            interrupt(searcher, board, act)
    return f"interrupted searches: {3 * len(chosen)}"


def likely_positions(board: core.Board, chance: random.Random) -> list[core.Board]:
    """Positions that a search of the board comes to as well."""
    positions = []
    for _ in range(100):
        child = board.copy()
        for _ in range(3):
            if moves := child.legal_moves():
                child.push(chance.choice(moves))
        positions.append(child)
    return positions


def interrupt(
    searcher: core.Searcher, board: core.Board, act: Callable[[core.Search], None]
) -> None:
    """Acts in a thread of its own, once the search tells so seldom that this is no meeting point.

    The interpreter's lock, taken to tell, would hide a race from the sanitizer.
    """

    def begin(infos: list[core.SearchInfo]) -> None:
        check_guards(searcher)
        if infos[0].depth == ACTOR_DEPTH and actor.ident is None:
            actor.start()

    search = searcher.begin(board, infinite=True, on_report=begin)
    actor = Thread(target=act, args=(search,))
    search.run()
    actor.join()


def check_guards(searcher: core.Searcher) -> None:
    """What a running search uses can't be taken away from it."""
    for disturb in (searcher.clear, searcher.allocate, lambda: searcher.set_hash(7)):
        try:
            disturb()
        except RuntimeError:
            continue
        raise AssertionError("a search lost its memory")


def run_two_searchers(lines: list[suites.PerftLine], chance: random.Random) -> str:
    """Searchers share nothing but the tables that never change."""
    boards = [core.Board(line.fen, chess960=line.chess960) for line in chance.sample(lines, 8)]

    def work() -> None:
        searcher = core.Searcher(hash_mb=1, threads=2)
        for board in boards:
            search(searcher, board.copy(), nodes=NODES)

    run_together(work, work)
    return f"two searchers at once: {len(boards)} positions"


def run_together(*work: Callable[[], Any]) -> list[Any]:
    """Each in a thread of its own; what they return."""
    with ThreadPoolExecutor(len(work)) as pool:
        return [task.result() for task in [pool.submit(function) for function in work]]
