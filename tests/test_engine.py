"""The engine inside this process: python-chess's calls, its types, and the UCI engine's answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import chess
import chess.engine
import chess.variant
import pytest
from chess.engine import Cp, Limit, Mate, PovScore, PovWdl
from uci_process import (
    CASTLING,
    CHESS960,
    COMMAND,
    ENVIRONMENT,
    MATE_IN_ONE,
    MATE_IN_TWO,
    MATED,
    ONE_MOVE,
    STALEMATED,
    TIMEOUT,
)

from uci_engine import Board, Engine
from uci_engine.analysis import to_limits
from uci_engine.bench import POSITIONS
from uci_engine.limits import GoLimits

pytestmark = pytest.mark.release_only

START_MOVES = set(chess.Board().legal_moves)


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine(hash_mb=1) as engine:
        yield engine


@pytest.fixture(scope="module")
def client() -> Iterator[chess.engine.SimpleEngine]:
    with chess.engine.SimpleEngine.popen_uci(COMMAND, timeout=TIMEOUT, env=ENVIRONMENT) as client:
        client.configure({"UCI_ShowWDL": True})
        yield client


def repeating_game() -> chess.Board:
    """White, with a bare king against a queen, can bring a position about for the third time."""
    board = chess.Board("6k1/8/8/8/8/8/q7/7K b - - 0 1")
    for move in ("g8h8", "h1g1", "h8g8", "g1h1", "g8h8", "h1g1", "h8g8"):
        board.push_uci(move)
    return board


def played(*moves: str) -> chess.Board:
    board = chess.Board()
    for move in moves:
        board.push_san(move)
    return board


# ---- the same as through a pipe

BOARDS = [
    *(chess.Board(fen) for fen in POSITIONS[:4]),
    played("d4", "d5", "c4", "e6", "Nc3"),
    repeating_game(),
    chess.Board(CASTLING),
    chess.Board(CHESS960, chess960=True),
    chess.Board(ONE_MOVE),
    chess.Board(MATE_IN_TWO),
]


CLOCKED = {"time", "nps"}


def without_clock(info: chess.engine.InfoDict) -> dict[str, object]:
    return {key: value for key, value in info.items() if key not in CLOCKED}


@pytest.mark.parametrize("limit", [Limit(nodes=3000), Limit(depth=7)], ids=str)
@pytest.mark.parametrize("board", BOARDS, ids=chess.Board.fen)
def test_play_is_what_the_uci_engine_plays(
    client: chess.engine.SimpleEngine, board: chess.Board, limit: Limit
) -> None:
    with Engine() as engine:  # with the hash that a UCI engine begins with
        ours = engine.play(board, limit)
    theirs = client.play(board, limit, game=object(), info=chess.engine.INFO_ALL)
    assert (ours.move, ours.ponder) == (theirs.move, theirs.ponder)
    assert without_clock(ours.info) == without_clock(theirs.info)
    assert ours.draw_offered is ours.resigned is False


@pytest.mark.parametrize("nodes", [1500, 2500, 6000])
@pytest.mark.parametrize("board", BOARDS, ids=chess.Board.fen)
def test_analyse_is_what_the_uci_engine_finds(
    client: chess.engine.SimpleEngine, board: chess.Board, nodes: int
) -> None:
    with Engine() as engine:
        ours = engine.analyse(board, Limit(nodes=nodes), multipv=3)
    theirs = client.analyse(board, Limit(nodes=nodes), multipv=3, game=object())
    assert list(map(without_clock, ours)) == list(map(without_clock, theirs))


def test_a_game_is_what_the_uci_engine_plays(client: chess.engine.SimpleEngine) -> None:
    """Nothing is forgotten between the moves, and nothing else is remembered."""
    limit, game = Limit(nodes=1000), object()
    ours, theirs = chess.Board(), chess.Board()
    with Engine() as engine:
        for _ in range(30):
            ours.push(engine.play(ours, limit, game=game).move or chess.Move.null())
            theirs.push(client.play(theirs, limit, game=game).move or chess.Move.null())
    assert ours.move_stack == theirs.move_stack


# ---- what can be asked


def test_types(engine: Engine) -> None:
    result = engine.play(chess.Board(), Limit(depth=6))
    assert type(result) is chess.engine.PlayResult
    assert type(result.move) is type(result.ponder) is chess.Move
    info = engine.analyse(chess.Board(), Limit(depth=6))
    assert {key: type(value) for key, value in info.items()} == {
        "depth": int,
        "seldepth": int,
        "multipv": int,
        "score": PovScore,
        "nodes": int,
        "nps": int,
        "hashfull": int,
        "tbhits": int,
        "time": float,
        "pv": list,
        "wdl": PovWdl,
    }
    assert {type(move) for move in info["pv"]} == {chess.Move}
    with engine.analysis(chess.Board(), Limit(depth=3)) as analysis:
        assert type(analysis.wait()) is chess.engine.BestMove


def test_scores_have_a_point_of_view(engine: Engine) -> None:
    black_mates = chess.Board(MATE_IN_ONE).mirror()
    score = engine.analyse(black_mates, Limit(depth=5))["score"]
    assert score == PovScore(Mate(1), chess.BLACK)
    assert score.white() == Mate(-1)


START_FORMS: list[str | Board | chess.Board] = [chess.STARTING_FEN, Board(), chess.Board()]


@pytest.mark.parametrize("board", START_FORMS, ids=["FEN", "Board", "chess.Board"])
def test_forms_of_a_position(engine: Engine, board: str | Board | chess.Board) -> None:
    assert engine.play(board, Limit(nodes=500)).move in START_MOVES
    assert engine.analyse(board, Limit(nodes=500), multipv=2)[1]["pv"]
    with engine.analysis(board, Limit(nodes=500)) as analysis:
        assert analysis.wait().move in START_MOVES


def test_the_board_stays_as_it_was(engine: Engine) -> None:
    mine, theirs = Board("8/8/8/8/8/5k2/7r/5K2 b - - 0 1"), repeating_game()
    mine.push_uci("f3g3")
    before = mine.fen(), mine.move_stack, theirs.fen(), theirs.move_stack.copy()
    engine.play(mine, Limit(depth=5))
    engine.play(theirs, Limit(depth=5))
    assert (mine.fen(), mine.move_stack, theirs.fen(), theirs.move_stack) == before


@pytest.mark.parametrize("form", [chess.Board.copy, Board], ids=["chess.Board", "Board"])
def test_repetitions_count(engine: Engine, form: Callable[[chess.Board], chess.Board]) -> None:
    board = repeating_game()
    draw = engine.analyse(form(board), Limit(depth=8))
    assert draw["pv"] == [chess.Move.from_uci("g1h1")]  # and no move past the end of the game
    assert abs(draw["score"].relative.score(mate_score=10_000)) <= 1
    assert engine.play(form(board), Limit(depth=8)).ponder is None
    lost = engine.analyse(board.fen(), Limit(depth=8))
    assert lost["score"].relative < Cp(-300)


def test_chess960(engine: Engine) -> None:
    board = chess.Board(CHESS960, chess960=True)
    castling = chess.Move.from_uci("c1h1")
    assert engine.play(board, Limit(depth=4), root_moves=[castling]).move == castling
    assert engine.play(Board(board), Limit(depth=4), root_moves=[castling]).move == castling
    board.push(castling)
    assert engine.play(board, Limit(depth=4)).move in list(board.legal_moves)
    standard = chess.Board(CASTLING)
    castling = chess.Move.from_uci("e1g1")
    assert engine.play(standard, Limit(depth=4), root_moves=[castling]).move == castling


def test_null_moves_are_part_of_a_game(engine: Engine) -> None:
    board = chess.Board()
    board.push(chess.Move.null())
    assert engine.play(board, Limit(depth=4)).move in list(board.legal_moves)


@pytest.mark.parametrize(("fen", "score"), [(MATED, Mate(0)), (STALEMATED, Cp(0))])
def test_finished_games(engine: Engine, fen: str, score: chess.engine.Score) -> None:
    result = engine.play(fen, Limit(depth=3))
    assert (result.move, result.ponder) == (None, None)
    assert result.info["score"] == PovScore(score, chess.BLACK)
    info = engine.analyse(fen, Limit(depth=3))
    assert (info["depth"], info["pv"], info["score"]) == (0, [], PovScore(score, chess.BLACK))
    assert len(engine.analyse(fen, Limit(depth=3), multipv=4)) == 1
    with engine.analysis(fen) as analysis:
        assert [found["score"].relative for found in analysis] == [score]
        best = analysis.wait()
        assert (best.move, best.ponder) == (None, None)


# ---- limits


@pytest.mark.parametrize(
    "limit",
    [
        Limit(time=0.03),
        Limit(time=0),
        Limit(time=-1),
        Limit(nodes=400),
        Limit(depth=5),
        Limit(mate=1),
        Limit(white_clock=0.5, black_clock=0.5),
        Limit(white_clock=0.5),
        Limit(black_clock=0.5),
        Limit(white_clock=0.3, black_clock=99, white_inc=0.01, black_inc=9),
        Limit(white_clock=0.5, black_clock=0.5, remaining_moves=2),
        Limit(white_clock=-3, black_clock=5),
        Limit(white_clock=60, time=0.02, depth=20),
        Limit(depth=60, nodes=300),
        Limit(depth=0),
        Limit(nodes=0),
        Limit(mate=0),
        Limit(depth=-7, nodes=-7),
        Limit(depth=10**30, nodes=500),
        Limit(nodes=10**30, depth=3),
        Limit(time=10**30, depth=3),
    ],
    ids=str,
)
def test_every_limit_ends_a_search(engine: Engine, limit: Limit) -> None:
    board = chess.Board(MATE_IN_ONE)
    assert engine.play(board, limit).move in list(board.legal_moves)
    assert engine.analyse(board, limit)["pv"]


def test_limits_are_kept(engine: Engine) -> None:
    board = chess.Board(POSITIONS[1])
    assert engine.analyse(board, Limit(nodes=1234))["nodes"] == 1234
    assert engine.analyse(board, Limit(nodes=1e3))["nodes"] == 1000  # type: ignore[arg-type]
    assert engine.analyse(board, Limit(depth=6))["depth"] == 6
    assert engine.analyse(MATE_IN_TWO, Limit(mate=2))["score"].relative == Mate(2)


def test_limits_are_translated() -> None:
    limit = Limit(
        time=1.5,
        depth=9,
        nodes=77,
        mate=3,
        white_clock=60,
        black_clock=0.0015,
        white_inc=0.1,
        black_inc=2,
        remaining_moves=12,
    )
    assert to_limits(limit) == GoLimits(
        wtime=60_000,
        btime=2,
        winc=100,
        binc=2000,
        movestogo=12,
        depth=9,
        nodes=77,
        mate=3,
        movetime=1500,
    )
    assert to_limits(Limit()) == GoLimits()


# ---- arguments


def test_several_lines(engine: Engine) -> None:
    board = chess.Board()
    infos = engine.analyse(board, Limit(depth=6), multipv=4)
    assert [info["multipv"] for info in infos] == [1, 2, 3, 4]
    assert len({info["pv"][0] for info in infos}) == 4
    assert len(engine.analyse(board, Limit(depth=3), multipv=1)) == 1
    assert len(engine.analyse(board, Limit(depth=3), multipv=200)) == 20


def test_lines_differ_wherever_the_search_stops(engine: Engine) -> None:
    """A move that became the best in an unfinished iteration was told in its old place too."""
    for fen in POSITIONS[:6]:
        for nodes in range(500, 8000, 1500):
            infos = engine.analyse(fen, Limit(nodes=nodes), multipv=3, game=(fen, nodes))
            assert len({info["pv"][0] for info in infos}) == 3
            assert [info["multipv"] for info in infos] == [1, 2, 3]
            later = [info["score"].relative for info in infos[1:]]
            assert later == sorted(later, reverse=True)


def test_root_moves(engine: Engine) -> None:
    board = chess.Board()
    wanted = [chess.Move.from_uci("a2a3"), chess.Move.from_uci("h2h4")]
    assert engine.play(board, Limit(depth=4), root_moves=iter(wanted)).move in wanted
    infos = engine.analyse(board, Limit(depth=4), root_moves=wanted, multipv=5)
    assert {info["pv"][0] for info in infos} == set(wanted)
    # None of them means all of them, as for a UCI engine.
    assert engine.play(board, Limit(depth=4), root_moves=[]).move in list(board.legal_moves)


def test_what_is_told_can_be_selected(engine: Engine) -> None:
    for selected, keys in (
        (chess.engine.INFO_ALL, {"score", "pv"}),
        (chess.engine.INFO_SCORE, {"score"}),
        (chess.engine.INFO_PV, {"pv"}),
        (chess.engine.INFO_BASIC, set()),
    ):
        info = engine.play(chess.Board(), Limit(depth=4), info=selected).info
        assert info.keys() & {"score", "pv"} == keys
        assert info["depth"] == 4


def test_a_new_game_is_begun_with_an_empty_memory(engine: Engine) -> None:
    def count(game: object) -> int:
        return engine.analyse(chess.Board(), Limit(depth=9), game=game)["nodes"]

    first = count("a")
    assert count("a") != first
    assert count("b") == first
    assert count("b") != first
    assert count(None) == first
    engine.clear()
    assert count(None) == first


def test_threads_find_the_same_mate() -> None:
    with Engine(threads=3, hash_mb=2) as engine:
        assert engine.analyse(MATE_IN_TWO, Limit(mate=2))["score"].relative == Mate(2)


ONE_SENTENCE = r"\A[^\n]*{}[^\n]*\Z"


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"threads": 0}, "threads must be from 1 to"),
        ({"threads": 10**20}, "threads must be from 1 to"),
        ({"threads": 1.5}, "threads must be a whole number"),
        ({"hash_mb": -1}, "hash_mb must be from 1 to"),
        ({"hash_mb": 10**20}, "hash_mb must be from 1 to"),
        ({"hash_mb": "16"}, "hash_mb must be a whole number"),
        ({"hash": 16}, "'hash'"),
    ],
)
def test_wrong_options_are_named(options: dict[str, int], problem: str) -> None:
    with pytest.raises((TypeError, ValueError), match=ONE_SENTENCE.format(problem)):
        Engine(**options)  # type: ignore[arg-type]


E4, E5 = chess.Move.from_uci("e2e4"), chess.Move.from_uci("e7e5")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"board": "8/8/8/8/8/8/8/8 w - - 0 1"}, "bad FEN, board field"),
        ({"board": chess.Board(None)}, "bad FEN, board field"),
        ({"board": None}, "a FEN or a board is needed, not NoneType"),
        ({"board": chess.variant.AtomicBoard()}, "atomic"),
        ({"limit": 5}, "a chess.engine.Limit is needed, not int"),
        ({"limit": Limit(depth="5")}, "depth must be a number, not '5'"),  # type: ignore[arg-type]
        ({"limit": Limit(time=float("nan"))}, "time must be a number, not nan"),
        ({"limit": Limit(white_clock=float("inf"))}, "white_clock must be a number, not inf"),
        ({"root_moves": [E4, E5]}, "root_moves: e7e5 is not a legal move"),
        ({"root_moves": [3]}, "a move is needed, not int"),
        ({"multipv": 0}, "multipv must be from 1 to"),
        ({"multipv": -3}, "multipv must be from 1 to"),
        ({"multipv": 10**20}, "multipv must be from 1 to"),
        ({"multipv": "2"}, "multipv must be a whole number"),
        ({"pondering": True}, "'pondering'"),
    ],
)
def test_wrong_arguments_are_named(
    engine: Engine, arguments: dict[str, object], problem: str
) -> None:
    wrong: dict[str, Any] = {"board": chess.Board(), "limit": Limit(depth=2), **arguments}
    for ask in (engine.analysis, engine.analyse, engine.play):
        if ask == engine.play and "multipv" in wrong:
            continue
        with pytest.raises((TypeError, ValueError), match=ONE_SENTENCE.format(problem)):
            ask(**wrong)
    assert engine.play(chess.Board(), Limit(depth=2)).move  # nothing is left behind
