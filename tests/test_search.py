"""The search: right values, right mates, right draws, and always the same count."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import chess
import pytest
from uci_process import KIWIPETE

from core_ext import core
from uci_engine import Board
from uci_engine.bench import POSITIONS

ENOUGH_MATES = 8


def search(fen: str, **limits: Any) -> core.SearchResult:
    searcher = core.Searcher(hash_mb=4)
    return searcher.search(Board(fen), **limits)


def sample_positions() -> list[str]:
    rng = random.Random(5)
    standard = [fen for fen in POSITIONS if Board(fen).legal_count() < 45]
    narrow = [fen for fen in standard if Board(fen).legal_count() < 8]
    return [*rng.sample(standard, 20), *narrow]


# With these the search prunes, reduces, extends and corrects nothing. What is left of it is
# alpha-beta in its own way: windows of all kinds, a table, staged moves, and captures behind the
# horizon.
NEVER, ALWAYS = 1000, 0
NOTHING_LEFT_OUT = {
    "ASPIRATION_WIDTH": 40_000,
    "RAZOR_DEPTH": ALWAYS,
    "REVERSE_FUTILITY_DEPTH": ALWAYS,
    "NULL_DEPTH": NEVER,
    "PROBCUT_DEPTH": NEVER,
    "IIR_DEPTH": NEVER,
    "PRUNING_DEPTH": ALWAYS,
    "SINGULAR_DEPTH": NEVER,
    "HINDSIGHT_MUCH": NEVER,
    "HINDSIGHT_SOME": NEVER,
    "RAISED_LEAST_DEPTH": NEVER,
    "DELTA_MARGIN": 40_000,
    "QUIESCENCE_EXCHANGE": -40_000,
    "QUIESCENCE_EVASIONS": 256,
    "QUIESCENCE_CAPTURES": 256,
    "CORRECTION_DIVISOR": 1 << 30,
    "LMR_HISTORY_DIVISOR": 1 << 30,
    **{name: 0 for name in core.tunables() if name.startswith("LMR_") and "DIVISOR" not in name},
}


@pytest.fixture
def nothing_left_out() -> Iterator[None]:
    before = {name: core.tunables()[name][0] for name in NOTHING_LEFT_OUT}
    for name, value in NOTHING_LEFT_OUT.items():
        core.set_tunable(name, value, beyond=True)
    yield
    for name, value in before.items():
        core.set_tunable(name, value)


@pytest.mark.skipif(not core.TUNING, reason="this build is not for tuning; the debug build is")
@pytest.mark.usefixtures("nothing_left_out")
@pytest.mark.parametrize("fen", sample_positions())
def test_with_nothing_left_out_the_search_is_plain_alpha_beta(fen: str) -> None:
    """Down to depth 3, from where on the table may know a position from nearer to the root."""
    plain, own = core.Searcher(hash_mb=1), core.Searcher(hash_mb=1)
    plain.set_algorithm("alphabeta-quiescence")
    for depth in (1, 2, 3):
        scores = []
        for searcher in (plain, own):
            scores.append(searcher.search(Board(fen), depth=depth).score)
        assert scores[0] == scores[1]


MATES = [
    ("6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - 0 1", 1),
    ("k7/8/1K6/8/8/8/8/7R w - - 0 1", 1),
    ("2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - 0 1", 2),
    ("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1", 3),
    ("7k/8/8/8/8/8/5R2/4R1K1 w - - 0 1", 3),
    ("8/8/8/8/8/5k2/7r/5K2 b - - 0 1", 1),
    ("8/8/q1R5/7p/8/2P5/1p3K1k/4R3 w - - 0 1", 4),
    ("8/3k3q/2n5/8/2P5/1K4P1/1P4R1/8 b - - 0 1", 4),
    ("4K1k1/1p6/5P2/6B1/8/6R1/5r2/8 w - - 0 1", 5),
    ("8/7k/7P/Q1r2r2/8/P7/K3p3/8 b - - 0 1", 5),
    ("8/4r1R1/8/8/1k6/6K1/P1p1b3/8 b - - 0 1", 6),
    ("8/5R2/8/6P1/8/3kP3/3q2P1/nK6 b - - 0 1", 6),
]

BEING_MATED = [
    ("7k/8/6K1/8/8/8/8/R7 b - - 0 1", 1),
    ("8/8/8/7p/R7/2P4k/5K2/1R6 b - - 0 3", 1),
    ("8/3k4/2n5/8/K1q5/6P1/1P4R1/8 w - - 0 3", 2),
    ("8/8/8/7p/R7/2P4k/1p3K2/4R3 b - - 2 2", 2),
    ("8/3k4/2n5/8/2P5/1K1q2P1/1P4R1/8 w - - 1 2", 3),
    ("8/8/R7/7p/8/2P5/1p3K1k/4R3 b - - 0 1", 3),
]


@pytest.mark.release_only
@pytest.mark.parametrize(("fen", "moves"), MATES + BEING_MATED)
def test_the_distances_of_these_mates_are_proved(fen: str, moves: int) -> None:
    prover = MateProver()
    prove = prover.forces_mate if (fen, moves) in MATES else prover.is_lost
    assert prove(Board(fen), moves)
    assert not prove(Board(fen), moves - 1)


@pytest.mark.parametrize(("fen", "moves"), MATES)
def test_mates_are_found_with_their_distance(fen: str, moves: int) -> None:
    found = search(fen, mate=moves, nodes=5_000_000)
    assert found.mate == moves
    assert_line_mates(fen, found.pv, 2 * moves - 1)


@pytest.mark.parametrize(("fen", "moves"), BEING_MATED)
def test_being_mated_is_seen_with_its_distance(fen: str, moves: int) -> None:
    assert search(fen, depth=24).mate == -moves


@pytest.mark.parametrize("lines", [1, 3])
@pytest.mark.parametrize("fen", [fen for fen, _ in MATES + BEING_MATED])
def test_every_mate_that_is_told_is_shown_to_the_end(fen: str, lines: int) -> None:
    """Also one that is longer than need be, on the way to the shortest."""
    searcher = core.Searcher(hash_mb=4)
    mates: list[core.SearchInfo] = []

    def listen(infos: list[core.SearchInfo]) -> None:
        mates.extend(info for info in infos if info.mate is not None)
        if len(mates) >= ENOUGH_MATES:
            running.stop()

    running = searcher.begin(Board(fen), nodes=lines * 1_000_000, multipv=lines, on_report=listen)
    listen(running.run().infos)
    assert mates
    assert_mates_are_shown(fen, mates)


@pytest.mark.parametrize("lines", [1, 3])
def test_a_search_that_is_cut_short_tells_no_mate_that_it_cannot_show(lines: int) -> None:
    """Within an iteration a score may be a bound: it is told as one, and never as a mate."""
    bounds = 0
    for fen, _ in MATES + BEING_MATED:
        for nodes in range(150, 9000, 300):
            told: list[core.SearchInfo] = []
            searcher = core.Searcher(hash_mb=1)
            result = searcher.search(Board(fen), nodes=nodes, multipv=lines, on_report=told.extend)
            assert_mates_are_shown(fen, told + result.infos)
            bounds += bool(result.infos[0].bound)
    assert bounds > 0


def assert_mates_are_shown(fen: str, infos: list[core.SearchInfo]) -> None:
    for info in infos:
        if info.mate is not None:
            assert not info.bound
            assert_line_mates(fen, info.pv, 2 * info.mate - 1 if info.mate > 0 else -2 * info.mate)


def assert_line_mates(fen: str, line: Sequence[core.Move], plies: int) -> None:
    board = chess.Board(fen)
    for move in line:
        board.push(chess.Move.from_uci(str(move)))
    assert len(line) == plies
    assert board.is_checkmate()


class MateProver:
    """Tries everything, with nothing but the rules; what was proved once is remembered."""

    def __init__(self) -> None:
        self.known: dict[tuple[int, int], bool] = {}
        self.refutations: dict[int, core.Move] = {}

    def forces_mate(self, board: Board, moves: int) -> bool:
        question = (board.key, moves)
        if question not in self.known:
            self.known[question] = moves > 0 and self.find_mate(board, moves)
        return self.known[question]

    def find_mate(self, board: Board, moves: int) -> bool:
        """Moves that leave few replies come first: they are the likeliest to mate."""
        tries = []
        for number, move in enumerate(board.legal_moves()):
            board.push(move)
            replies, is_check = board.legal_count(), board.is_check()
            board.pop()
            if replies == 0 and is_check:
                return True
            if replies > 0 and moves > 1:
                tries.append((replies, number, move))
        return any(self.loses_after(board, move, moves - 1) for *_, move in sorted(tries))

    def loses_after(self, board: Board, move: core.Move, moves: int) -> bool:
        board.push(move)
        loses = self.is_lost(board, moves)
        board.pop()
        return loses

    def is_lost(self, board: Board, moves: int) -> bool:
        """Is the side to move, which has a move, mated in so many?"""
        refutation = self.refutations.get(moves)
        for reply in sorted(board.legal_moves(), key=lambda reply: reply is not refutation):
            board.push(reply)
            loses = self.forces_mate(board, moves)
            board.pop()
            if not loses:
                self.refutations[moves] = reply
                return False
        return True


@pytest.mark.parametrize(
    "fen",
    [
        "7k/8/6QK/8/8/8/8/r7 b - - 0 1",
        "k7/2Q5/K7/8/8/8/1r6/8 b - - 0 1",
        "k7/2Q5/8/8/1K6/4r3/8/8 b - - 0 1",
    ],
)
def test_a_stalemate_trap_saves_the_game(fen: str) -> None:
    """Black offers the rook again and again: taking it is stalemate. Syzygy tables say draw."""
    assert abs(search(fen, depth=18).score) <= 1


def test_the_fifty_move_rule_ends_a_won_game() -> None:
    found = search("7k/8/8/8/8/8/4R3/4K3 w - - 99 80", depth=8)
    assert abs(found.score) <= 1


def test_a_mate_on_the_hundredth_ply_counts() -> None:
    found = search("7k/8/6K1/8/8/8/8/R7 w - - 99 80", depth=6)
    assert found.mate == 1


def test_a_lost_side_repeats_for_the_third_time() -> None:
    """White, with a bare king against a queen, has one move that brings a position back again."""
    board = Board("6k1/8/8/8/8/8/q7/7K b - - 0 1")
    for move in ("g8h8", "h1g1", "h8g8", "g1h1", "g8h8", "h1g1", "h8g8"):
        board.push_uci(move)
    searcher = core.Searcher(hash_mb=1)
    found = searcher.search(board, depth=8)
    assert str(found.best) == "g1h1"
    assert abs(found.score) <= 1
    without_history = core.Searcher(hash_mb=1)
    assert without_history.search(Board(board.fen()), depth=8).score < -300


def test_no_legal_move_is_a_result() -> None:
    mated = search("R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1", depth=3)
    assert (mated.best, mated.mate) == (None, 0)
    stalemated = search("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", depth=3)
    assert (stalemated.best, stalemated.mate, stalemated.score) == (None, None, 0)


def test_the_same_games_give_the_same_counts() -> None:
    searcher = core.Searcher(hash_mb=2)

    def play() -> list[tuple[int, core.Move]]:
        searcher.clear()
        board = Board()
        found_so_far = []
        for _ in range(12):
            found = searcher.search(board, nodes=4000)
            assert found.best is not None
            found_so_far.append((found.nodes, found.best))
            board.push(found.best)
        return found_so_far

    first = play()
    assert play() == first


@pytest.mark.parametrize("nodes", [500, 1000, 4321, 50_000])
def test_node_limits_are_exact(nodes: int) -> None:
    assert search(chess.STARTING_FEN, nodes=nodes).nodes == nodes


@pytest.mark.parametrize("threads", [2, 4, 8])
def test_node_limits_are_for_all_threads_together(threads: int) -> None:
    searcher = core.Searcher(hash_mb=4, threads=threads)
    for nodes in (5_000, 50_000):
        found = searcher.search(Board(), nodes=nodes)
        # A thread that comes late still finishes its depth 1.
        assert nodes <= found.nodes <= nodes + 200 * threads


def test_a_ponderhit_is_kept_for_the_search_that_it_is_said_to() -> None:
    """It comes before the search runs, which would not end without it."""
    enough = 1_000_000
    searcher = core.Searcher(hash_mb=4)
    begin = time.monotonic_ns()
    hour_ns = 3_600_000_000_000
    search = searcher.begin(Board(), start_ns=begin - hour_ns, infinite=True, nodes=enough)
    search.ponderhit(1, 1, begin)
    found = search.run()
    assert found.nodes < enough
    assert found.time_ms * 1_000_000 >= hour_ns  # what is told counts from the `go`
    assert searcher.search(Board(), hard_ms=1, infinite=True, nodes=enough).nodes == enough


def test_searchmoves_are_kept_to() -> None:
    board = Board()
    searcher = core.Searcher(hash_mb=1)
    wanted = [board.parse_uci("a2a3"), board.parse_uci("h2h4")]
    found = searcher.search(board, depth=6, searchmoves=wanted, multipv=5)
    assert {info.pv[0] for info in found.infos} == set(wanted)


def test_lines_are_different_and_in_order() -> None:
    board = Board()
    searcher = core.Searcher(hash_mb=4)
    infos = searcher.search(board, depth=8, multipv=5).infos
    assert [info.multipv for info in infos] == [1, 2, 3, 4, 5]
    assert len({info.pv[0] for info in infos}) == 5
    scores = [info.score for info in infos]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("fen", [KIWIPETE, *POSITIONS[:20]])
def test_a_line_of_an_iteration_is_no_bound(fen: str) -> None:
    """A move of which the iteration knew no more than a bound once stood among its lines."""
    told: list[list[core.SearchInfo]] = []
    searcher = core.Searcher(hash_mb=4)
    searcher.search(Board(fen), nodes=60_000, multipv=20, on_report=told.append)
    assert told
    for infos in told:
        assert not [info for info in infos if info.bound]
        scores = [info.score for info in infos]
        assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("threads", [1, 2])
def test_variations_are_legal(threads: int) -> None:
    searcher = core.Searcher(hash_mb=2, threads=threads)
    for fen in POSITIONS[:12]:
        lines: list[core.SearchInfo] = []
        searcher.search(Board(fen), depth=8, on_report=lines.extend)
        for info in lines:
            board = Board(fen)
            for move in info.pv:
                board.push(move)


def test_a_running_search_keeps_its_memory() -> None:
    """Clearing or resizing the table under a search once took it away."""
    searcher = core.Searcher(hash_mb=1)
    refused = []

    def disturb(_: list[core.SearchInfo]) -> None:
        for change in (
            searcher.clear,
            searcher.allocate,
            lambda: searcher.set_hash(2),
            lambda: searcher.search(Board(), depth=1),
        ):
            with pytest.raises(RuntimeError, match=r"\Aa search is running\Z"):
                change()
            refused.append(change)

    found = searcher.search(Board(), depth=4, on_report=disturb)
    assert len(refused) >= 16
    assert found.depth == 4
    searcher.clear()
    searcher.set_hash(2)
    assert searcher.search(Board(), depth=4).best == found.best


def test_evaluating_does_not_disturb_a_running_search() -> None:
    """The two once shared a table of pawn structures."""
    board = Board()
    alone = search(board.fen(), depth=8)
    searcher = core.Searcher(hash_mb=4)
    others = [Board(fen) for fen in POSITIONS]
    expected = [core.Searcher().evaluate(other) for other in others]
    watched = []

    def evaluate(_: list[core.SearchInfo]) -> None:
        watched.append([searcher.evaluate(other) for other in others])

    found = searcher.search(board, depth=8, on_report=evaluate)
    assert all(scores == expected for scores in watched)
    assert (found.nodes, found.pv) == (alone.nodes, alone.pv)


@pytest.mark.parametrize("number", [0, -1, 1 << 31, 1 << 200, 1.5, "1", None])
@pytest.mark.parametrize(
    ("argument", "change"),
    [("hash_mb", core.Searcher.set_hash), ("threads", core.Searcher.set_threads)],
)
def test_sizes_are_whole_numbers_in_their_range(
    argument: str, change: Callable[[core.Searcher, Any], None], number: Any
) -> None:
    kind = ValueError if isinstance(number, int) else TypeError
    with pytest.raises(kind, match=r"^the (hash size in MB|number of threads) must be "):
        core.Searcher(**{argument: number})
    searcher = core.Searcher(hash_mb=1)
    searcher.allocate()
    with pytest.raises(kind, match=r"^the (hash size in MB|number of threads) must be "):
        change(searcher, number)
    assert searcher.search(Board(), depth=3).best
