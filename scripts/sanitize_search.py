"""The searches that scripts/sanitize_driver.py takes the core through.

Each walk says what it did. Searches are short: under a sanitizer, in the debug core, a second is
some ten thousand nodes.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from threading import Thread

import suites

from core_ext import core

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
                {"depth": 2, "selective": False},
                {"soft_ms": 20, "hard_ms": 40},
            ):
                nodes += search(searcher, board, **limits).nodes
        for _ in range(PICKS):  # with hints of which few are moves
            searcher._picked_moves(board, chance.randrange(65536), chance.randrange(65536))
        searcher.set_hash(chance.randint(1, 5))
        searcher.clear()
    return f"searches: {12 * POSITIONS}, {nodes:,} nodes"


def search(searcher: core.Searcher, board: core.Board, **limits: object) -> core.SearchResult:
    searcher.prepare()
    found = searcher.search(board, **limits)
    assert found.best is None or board.is_legal(found.best)
    return found


def run_game(lines: list[suites.PerftLine], chance: random.Random) -> str:
    """A game with its history: repetitions, the fifty-move rule, an aging table."""
    searcher = core.Searcher(hash_mb=1, threads=THREADS)
    board = core.Board()
    while board.outcome() is None and board.ply < 120:
        moves = board.legal_moves()
        if chance.random() < 0.6:
            moves = [search(searcher, board, nodes=200).best]
        board.push(chance.choice(moves))
    return f"a game: {board.ply} plies"


def run_interrupted(lines: list[suites.PerftLine], chance: random.Random) -> str:
    """Another thread stops, hits a ponder move or evaluates while a search runs."""
    searcher = core.Searcher(hash_mb=1, threads=THREADS)
    boards = [core.Board(line.fen, chess960=line.chess960) for line in lines if line.counts[0]]
    chosen = chance.sample(boards, 8)
    for board in chosen:
        likely = likely_positions(board, chance)

        def evaluate(positions: list[core.Board] = likely) -> None:
            for position in positions:
                searcher.evaluate(position)
                searcher.eval_table(position)
            searcher.stop()

        def hit_ponder_move() -> None:
            searcher.ponderhit(10, 20, time.monotonic_ns())

        for act in (searcher.stop, hit_ponder_move, evaluate):
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


def interrupt(searcher: core.Searcher, board: core.Board, act: Callable[[], None]) -> None:
    """Acts in a thread of its own, once the search tells so seldom that this is no meeting point.

    The interpreter's lock, taken to tell, would hide a race from the sanitizer.
    """
    actor = Thread(target=act)

    def begin(info: core.SearchInfo) -> None:
        check_guards(searcher)
        if info.depth == ACTOR_DEPTH and actor.ident is None:
            actor.start()

    searcher.prepare()
    searcher.search(board, infinite=True, on_info=begin)
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

    run_together((work,), (work,))
    return f"two searchers at once: {len(boards)} positions"


def run_together(*work: tuple[Callable[..., object], ...]) -> None:
    """Each function with its arguments in a thread of its own."""
    threads = [Thread(target=function, args=arguments) for function, *arguments in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
