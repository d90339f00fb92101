"""The compiled searches of the lecture notes: against the short functions, and the rules."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Sequence
from math import inf
from typing import Any

import chess
import pytest
from uci_process import KIWIPETE

from core_ext import core
from lib.suites import all_positions
from uci_engine import Board
from uci_engine.bench import POSITIONS
from uci_engine.lab import chess_game
from uci_engine.lab.algorithms import (
    Horizon,
    heuristic_alphabeta,
    heuristic_minimax,
    quiescence,
    static,
)
from uci_engine.lab.chess_game import Chess, Position, is_drawn
from uci_engine.lab.game import Visits

PLAIN = ["minimax", "alphabeta", "alphabeta-quiescence"]
EVALUATIONS = ["material", "turing", None]
NARROW = [  # few moves: these are searched deeper
    "8/8/8/3k4/8/8/4R3/3K4 w - - 0 1",
    "8/8/3k4/8/3KP3/8/8/8 w - - 0 1",
    "8/8/1p1k4/1P6/3K4/8/8/8 b - - 0 1",
    "8/5p2/3k1P2/8/3K4/8/8/8 w - - 96 90",
    "k7/2Q5/K7/8/8/8/1r6/8 b - - 0 1",
]
MOST_NODES = 1000 if core.DEBUG else 2500  # of a tree that Python walks through


def make_searcher(
    algorithm: str, evaluation: str | None = None, hash_mb: int = 1, **study: Any
) -> core.Searcher:
    searcher = core.Searcher(hash_mb=hash_mb)
    searcher.set_points(evaluation)
    searcher.set_algorithm(algorithm, **study)
    return searcher


def evaluation_for_max(name: str | None) -> Callable[[Board], float]:
    if name is not None:
        return {"material": chess_game.material, "turing": chess_game.turing}[name]
    searcher = core.Searcher(hash_mb=1)
    return lambda board: searcher.evaluate(board) * (1 if board.turn else -1)


def random_positions(count: int, seed: int) -> list[Board]:
    """Out of random games from all kinds of positions, with their moves: repetitions included."""
    rng = random.Random(seed)
    starts = [line.fen for line in all_positions() if not line.chess960 and line.counts[0]]
    boards = [Board(fen) for fen in NARROW]
    while len(boards) < count:
        board = Board(rng.choice([*starts, *POSITIONS, core.START_FEN]))
        for _ in range(rng.randrange(30)):
            if board.legal_count() == 0:
                break
            board.push(rng.choice(board.legal_moves()))
        if board.legal_count() and not is_drawn(board):
            boards.append(board)
    return boards


def depth_for(board: Board, most_nodes: int, deepest: int = 4) -> int:
    depth = 1
    while depth < deepest and board.perft(depth + 1) <= most_nodes:
        depth += 1
    return depth


def compiled_value(
    searcher: core.Searcher, board: Board, depth: int
) -> tuple[float, core.Move | None]:
    """For White, with the move."""
    found = searcher.search(board, depth=depth)
    return found.score * (1 if board.turn else -1), found.best


def beyond(horizon: int) -> Callable[[Board, int], bool]:
    return lambda _, depth: depth >= horizon


@pytest.mark.parametrize("evaluation", EVALUATIONS)
def test_compiled_minimax_is_the_minimax_of_the_notes(evaluation: str | None) -> None:
    """Value, move and count; at depths from 1 to 4, as large as the tree allows."""
    evaluate = evaluation_for_max(evaluation)
    searcher = make_searcher("minimax", evaluation)
    depths = []
    for board in random_positions(70, EVALUATIONS.index(evaluation)):
        deepest = depth_for(board, MOST_NODES)
        depths.append(deepest)
        game = Chess(board)
        nodes = 0
        for depth in range(1, deepest + 1):
            visits = Visits()
            expected = heuristic_minimax(game, game.initial, beyond(depth), evaluate, visits)
            nodes += visits.nodes - 1  # the root is not counted
            found = searcher.search(board, depth=depth)
            assert found.score * (1 if board.turn else -1) == expected[0]
            assert found.best == expected[1]
            assert found.nodes == nodes
    assert {1, 2, 3, 4} >= set(depths) >= ({2, 3} if core.DEBUG else {2, 3, 4})


@pytest.mark.parametrize("evaluation", EVALUATIONS)
@pytest.mark.parametrize("algorithm", ["alphabeta", "alphabeta-quiescence"])
def test_compiled_alpha_beta_is_that_of_the_notes(algorithm: str, evaluation: str | None) -> None:
    evaluate = evaluation_for_max(evaluation)
    searcher = make_searcher(algorithm, evaluation)
    for board in random_positions(30, 10 + EVALUATIONS.index(evaluation)):
        game = Chess(board)
        horizon: Horizon[Position] = static(evaluate)
        if algorithm == "alphabeta-quiescence":
            horizon = quiescence(game, chess_game.unsettled, Board.is_check, evaluate)
        depth = depth_for(board, MOST_NODES // (2 if algorithm == "alphabeta" else 20))
        expected = heuristic_alphabeta(game, game.initial, depth, horizon, Visits())
        assert compiled_value(searcher, board, depth) == expected


@pytest.mark.parametrize("evaluation", EVALUATIONS)
def test_minimax_and_alpha_beta_agree_with_every_order(evaluation: str | None) -> None:
    orders = [
        make_searcher("alphabeta", evaluation),
        make_searcher("alphabeta", evaluation, table=True),
        *(
            make_searcher("alphabeta", evaluation, order=order, table=table)
            for order in core.ORDERS
            for table in (False, True)
        ),
        *(
            make_searcher("alphabeta", evaluation, order="engine", heuristics=[name])
            for name in core.HEURISTICS
        ),
    ]
    plain = make_searcher("minimax", evaluation)
    for board in random_positions(25, 3):
        depth = depth_for(board, 20_000)
        expected = plain.search(board, depth=depth)
        for searcher in orders:
            searcher.clear()
            found = searcher.search(board, depth=depth)
            assert found.score == expected.score
            assert found.nodes <= expected.nodes


def test_good_order_prunes_more_than_bad_order() -> None:
    counts = {}
    for order in core.ORDERS:
        searcher = make_searcher("alphabeta", order=order)
        counts[order] = searcher.search(Board(KIWIPETE), depth=3).nodes
        cutoffs, first = searcher.cutoffs
        assert first <= cutoffs
        if order == "perfect":
            assert first == cutoffs
    plain = make_searcher("minimax").search(Board(KIWIPETE), depth=3).nodes
    assert max(counts["perfect"], counts["engine"]) < counts["random"] < counts["worst"] <= plain


def test_lines_of_minimax_and_alpha_beta_are_the_values_of_all_moves() -> None:
    board = Board(KIWIPETE)
    plain = make_searcher("minimax").search(board, depth=2, multipv=48)
    pruned = make_searcher("alphabeta").search(board, depth=2, multipv=48)
    values = {info.pv[0]: info.score for info in plain.infos}
    assert len(values) == 48
    assert {info.pv[0]: info.score for info in pruned.infos} == values
    for found in (plain, pruned):
        assert [info.score for info in found.infos] == sorted(values.values(), reverse=True)


LIMITS: list[dict[str, Any]] = [{"depth": 3}, {"nodes": 5000}, {"soft_ms": 20, "hard_ms": 40}]


@pytest.mark.parametrize("algorithm", [*PLAIN, "mcts"])
def test_searches_keep_to_their_limits_and_tell_legal_lines(algorithm: str) -> None:
    searcher = make_searcher(algorithm, hash_mb=4)
    for fen in [*POSITIONS[:6], "7k/8/6K1/8/8/8/8/5Q2 b - - 0 1", "k7/8/1K6/8/8/8/8/7R w - - 0 1"]:
        board = Board(fen)
        for limits in LIMITS:
            told: list[core.SearchInfo] = []
            found = searcher.search(board, on_report=told.extend, multipv=2, **limits)
            assert board.is_legal(found.pv[0])
            assert found.nodes <= limits.get("nodes", inf)
            assert told[-1].pv
            for info in told:
                follow = Board(fen)
                for move in info.pv:
                    follow.push(move)
                if info.mate is not None:
                    assert follow.is_checkmate()
                    assert len(info.pv) == (2 * info.mate - 1 if info.mate > 0 else -2 * info.mate)


@pytest.mark.parametrize("algorithm", [*PLAIN, "mcts"])
def test_a_stop_is_heard(algorithm: str) -> None:
    searcher = make_searcher(algorithm)
    if algorithm == "mcts":
        searcher.set_tree(playouts=True)
    search = searcher.begin(Board(KIWIPETE), infinite=True)
    threading.Timer(0.1, search.stop).start()
    assert search.run().best is not None


@pytest.mark.parametrize("algorithm", [*PLAIN, "mcts"])
def test_searchmoves_are_kept_to(algorithm: str) -> None:
    board = Board("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4")
    wanted = [board.parse_uci("a2a3"), board.parse_uci("h5e5")]  # and not the mate
    found = make_searcher(algorithm).search(board, nodes=3000, searchmoves=wanted, multipv=5)
    assert {info.pv[0] for info in found.infos} == set(wanted)


@pytest.mark.parametrize("algorithm", [*PLAIN, "mcts"])
def test_the_same_search_is_the_same_again(algorithm: str) -> None:
    searcher = make_searcher(algorithm)
    if algorithm == "mcts":
        searcher.set_tree(playouts=True, priors=False)
    counts = []
    for _ in range(2):
        searcher.clear()
        found = searcher.search(Board(KIWIPETE), nodes=400)
        counts.append((found.nodes, found.score, [str(move) for move in found.pv]))
    assert counts[0] == counts[1]


def test_what_there_is_not_is_refused() -> None:
    searcher = core.Searcher(hash_mb=1)
    with pytest.raises(ValueError, match=r"the algorithm must be one of pvs, minimax, .*'maximin'"):
        searcher.set_algorithm("maximin")
    with pytest.raises(ValueError, match="the evaluation must be one of material, turing"):
        searcher.set_points("hope")
    with pytest.raises(ValueError, match="the order of moves must be one of"):
        searcher.set_algorithm("alphabeta", order="nice")
    with pytest.raises(ValueError, match="C must be from 0 to 100"):
        searcher.set_tree(c=-1)


def test_the_engine_searches_with_any_evaluation_and_comes_back_to_its_own() -> None:
    searcher = core.Searcher(hash_mb=4)
    own = searcher.search(Board(KIWIPETE), depth=6)
    searcher.set_points("material")
    assert searcher.evaluate(Board(KIWIPETE)) == chess_game.material(Board(KIWIPETE))
    searcher.clear()  # what was learned of the other evaluation's errors
    assert searcher.search(Board(KIWIPETE), depth=6).score % 100 in (0, 1, 99)  # draws differ by 1
    searcher.set_algorithm("mcts")
    searcher.search(Board(KIWIPETE), nodes=1000)
    searcher.set_algorithm("pvs")
    searcher.set_points(None)
    searcher.clear()
    again = searcher.search(Board(KIWIPETE), depth=6)
    assert (again.nodes, again.score, again.pv) == (own.nodes, own.score, own.pv)


# ---- Monte Carlo

# From games of the engine against itself, one of each; the first two are endings.
MATES_IN_3 = [
    "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1",
    "7k/8/8/8/8/8/5R2/4R1K1 w - - 0 1",
    "r1bqk1nr/p1pp1ppp/2nbp3/1P6/8/R4P2/1PPPP1PP/1NBQKBNR b Kkq - 0 6",
    "2Q5/1rp2p2/2k1p3/1p2P1n1/4P3/2P5/PP2KP2/3R1B2 w - - 0 28",
    "2k5/2p5/1p1p4/3P4/P1P1bP2/4p3/1B5r/3K4 b - - 0 65",
    "8/3k4/4q2p/2q5/8/5PB1/6P1/7K b - - 3 51",
    "1k1r3r/pbp3pp/2n2pq1/p1pB4/4p3/1QP4P/5PP1/RN2NRK1 w - - 2 24",
    "1R3bk1/5p1r/8/1p1Q3p/3P4/1Pq5/5PP1/2B3K1 w - - 0 25",
    "8/8/7p/1K3n2/3k4/5q2/8/8 b - - 3 49",
    "6K1/8/8/4q1k1/4n3/8/8/8 b - - 15 82",
    "2Q5/8/P7/k7/6P1/8/5P1K/8 w - - 3 48",
    "8/5p2/4p3/4Q1Pp/2q2Pk1/7N/3K4/3R4 w - - 4 43",
    "r3b2r/1Q4pp/p1p1k3/4N3/5PP1/2p4P/4q1BK/3R1R2 w - - 1 30",
    "7k/p5pp/1p6/2p3N1/8/PP1r4/K1n4P/5r2 b - - 0 38",
    "8/3N2R1/4k3/P5R1/5P2/3r4/1K6/8 w - - 7 61",
    "5k2/8/1R6/6K1/2B5/8/8/8 w - - 33 69",
    "1r4k1/2p3p1/7p/p1p2p2/q7/1PP5/2K5/8 b - - 1 44",
    "3R4/2P1pk2/b6p/4Qr2/4nPP1/5B1P/8/6K1 w - - 3 42",
    "8/3k4/8/8/5Q1p/4pK2/R5P1/8 w - - 1 62",
    "8/p5k1/2P5/6pp/1PB2Q2/8/P4PPP/6K1 w - - 0 43",
    "4QQ2/1r6/3RK3/8/8/2k2N2/8/8 w - - 1 88",
    "3R4/3n1P2/p4Rpp/2k5/8/2BP2P1/P5KP/8 w - - 5 51",
    "5k2/5p1b/p1Q5/8/2B5/6K1/PP4P1/7R w - - 1 32",
    "8/7p/p7/6p1/2p1k1P1/2Pp1p1P/4p3/6K1 b - - 0 51",
    "8/8/8/3pk2K/3n4/8/8/1q6 b - - 1 55",
    "7R/8/2Qrk3/6K1/P5PP/8/8/8 w - - 3 70",
]


def mates_in(board: Board, moves: int) -> bool:
    found = make_searcher("alphabeta", "material").search(board, depth=2 * moves - 1)
    return found.mate == moves


def finds_mate(fen: str, priors: bool) -> bool:
    """With a variation that mates."""
    searcher = make_searcher("mcts", hash_mb=64)
    searcher.set_tree(priors=priors)
    found = searcher.search(Board(fen), nodes=100_000)
    if found.mate is None:
        return False
    board = chess.Board(fen)
    for move in found.pv:
        board.push(chess.Move.from_uci(str(move)))
    assert board.is_checkmate()
    assert len(found.pv) == 2 * found.mate - 1
    return True


@pytest.mark.release_only
@pytest.mark.parametrize("fen", MATES_IN_3)
def test_monte_carlo_search_proves_mates_in_three(fen: str) -> None:
    assert mates_in(Board(fen), 3)
    assert finds_mate(fen, priors=False)


@pytest.mark.release_only
def test_priors_help_to_prove_mates_but_for_one_that_does_not_look_like_one() -> None:
    assert sum(finds_mate(fen, priors=True) for fen in MATES_IN_3) >= len(MATES_IN_3) - 1


def test_being_mated_is_proven_too() -> None:
    found = make_searcher("mcts", hash_mb=4).search(Board("7k/8/6K1/8/8/8/8/R7 b - - 0 1"))
    assert found.mate == -1


def test_memory_is_bounded_by_the_hash() -> None:
    searcher = make_searcher("mcts", hash_mb=1)
    found = searcher.search(Board(), nodes=60_000)
    assert found.nodes == 60_000
    assert found.infos[0].hashfull >= 990


def test_the_tree_is_kept_for_the_next_move() -> None:
    """What was found below the moves played is there at once."""

    def start() -> core.Searcher:
        searcher = make_searcher("mcts", hash_mb=16)
        searcher.set_tree(c=0.3)  # deep and narrow
        return searcher

    searcher, board = start(), Board()
    before = searcher.search(board, nodes=3000)
    board.push(before.pv[0])
    board.push(before.pv[1])
    kept = searcher.search(board, nodes=20)
    new = start().search(Board(board.fen()), nodes=20)
    assert len(kept.pv) > len(new.pv)
    assert before.infos[0].hashfull > kept.infos[0].hashfull > new.infos[0].hashfull
    board.pop()
    assert board.is_legal(searcher.search(board, nodes=20).pv[0])  # going back: nothing is there


def play_game(seed: int, searchers: Sequence[core.Searcher], nodes: int) -> Board:
    rng = random.Random(seed)
    board = Board()
    for _ in range(6):
        board.push(rng.choice(board.legal_moves()))
    while board.legal_count() and not is_drawn(board):
        searcher = searchers[board.ply() % 2]
        board.push(searcher.search(board, nodes=nodes).pv[0])
    return board


def test_a_game_with_a_tree_that_fills_its_memory_again_and_again() -> None:
    """Reuse, cutting back and running full, in a game to its end."""
    players = [make_searcher("mcts", "material"), make_searcher("mcts", "turing")]
    for player in players:
        player.set_tree(c=0.7)
    nodes = 200 if core.DEBUG else 2000
    board = play_game(4, players, nodes)
    assert board.to_chess().outcome(claim_draw=True) is not None
