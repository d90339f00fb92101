"""The engine inside this process: python-chess's calls, its types, and the UCI engine's answers."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import chess
import chess.engine
import chess.variant
import pytest
from chess.engine import Cp, Limit, Mate, PovScore
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
from uci_engine.bench import POSITIONS
from uci_engine.engine import Analysis, to_limits
from uci_engine.limits import GoLimits

pytestmark = pytest.mark.release_only

START_MOVES = set(chess.Board().legal_moves)
MANY_NODES = Limit(nodes=10**15)  # a limit, so that it makes way for nobody; it never ends


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine(hash_mb=1) as engine:
        yield engine


@pytest.fixture(scope="module")
def client() -> Iterator[chess.engine.SimpleEngine]:
    with chess.engine.SimpleEngine.popen_uci(COMMAND, timeout=TIMEOUT, env=ENVIRONMENT) as client:
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


def run_script(script: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    )


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
        Engine(**options)


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


# ---- findings while they come


def test_iterating(engine: Engine) -> None:
    with engine.analysis(chess.Board(), Limit(depth=8)) as analysis:
        infos = list(analysis)
    depths = [info["depth"] for info in infos]
    assert depths == sorted(depths)
    assert set(depths) == set(range(1, 9))
    best = analysis.wait()
    assert infos[-1]["pv"][:2] == [best.move, best.ponder]
    assert without_clock(analysis.info) == without_clock(infos[-1])
    assert analysis.multipv == [analysis.info]
    assert list(analysis) == []  # all has been read, and asking again does not hang


def test_the_last_finding_has_the_counts_of_the_whole_search(engine: Engine) -> None:
    with engine.analysis(POSITIONS[2], Limit(nodes=4321)) as analysis:
        assert list(analysis)[-1]["nodes"] == 4321


def test_lines_come_one_by_one(engine: Engine) -> None:
    with engine.analysis(chess.Board(), Limit(depth=5), multipv=3) as analysis:
        numbers = [info["multipv"] for info in analysis]
    assert numbers == [1, 2, 3] * 5
    assert [info["multipv"] for info in analysis.multipv] == [1, 2, 3]


def test_reading_one_by_one(engine: Engine) -> None:
    analysis = engine.analysis(chess.Board(), Limit(depth=2))
    analysis.wait()
    assert not analysis.empty()
    assert not analysis.would_block()
    assert analysis.get()["depth"] == 1
    second = analysis.next()
    assert second is not None
    assert second["depth"] == 2
    assert analysis.empty()
    assert not analysis.would_block()
    assert analysis.next() is None
    for _ in range(2):
        with pytest.raises(chess.engine.AnalysisComplete):
            analysis.get()


def test_leaving_the_loop_early_ends_the_search(engine: Engine) -> None:
    with engine.analysis(chess.Board()) as analysis:
        for info in analysis:
            if info["depth"] == 5:
                break
    assert analysis.wait().move in START_MOVES
    assert analysis.info["depth"] >= 5
    assert engine.play(chess.Board(), Limit(depth=2)).move


def test_an_error_in_the_loop_ends_the_search(engine: Engine) -> None:
    analysis = engine.analysis(chess.Board())

    def fail_at_the_first_finding() -> None:
        with analysis:
            analysis.get()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_at_the_first_finding()
    assert analysis.wait().move


def test_stopping(engine: Engine) -> None:
    analysis = engine.analysis(chess.Board())
    analysis.get()
    analysis.stop()
    best = analysis.wait()
    assert best.move == analysis.info["pv"][0]
    analysis.stop()  # once more does no harm


@pytest.mark.parametrize("stop", [Analysis.stop, lambda analysis: analysis._engine.stop()])
def test_a_stop_that_comes_at_once_is_not_lost(
    engine: Engine, stop: Callable[[Analysis], None]
) -> None:
    for _ in range(50):
        analysis = engine.analysis(chess.Board())
        stop(analysis)
        assert analysis.wait().move in START_MOVES


def test_stopping_from_another_thread(engine: Engine) -> None:
    with ThreadPoolExecutor() as pool:
        search = pool.submit(engine.play, chess.Board(), Limit())
        while not search.done():
            engine.stop()
    assert search.result().move in START_MOVES


# ---- one engine, several searches


def is_going_on(analysis: Analysis) -> bool:
    """Is there news after what has been found by now?"""
    while not analysis.empty():
        analysis.get()
    return analysis.next() is not None


def read_to_depth(analysis: Analysis, depth: int) -> None:
    while analysis.get()["depth"] < depth:
        pass


def test_searches_come_one_after_the_other(engine: Engine) -> None:
    with ThreadPoolExecutor(4) as pool:
        tasks = [pool.submit(engine.analyse, fen, Limit(nodes=2000)) for fen in POSITIONS[:12]]
    for fen, task in zip(POSITIONS[:12], tasks, strict=True):
        assert task.result()["nodes"] == 2000
        assert task.result()["pv"][0] in chess.Board(fen).legal_moves


def test_a_search_without_a_limit_makes_way(engine: Engine) -> None:
    endless = engine.analysis(chess.Board())
    endless.get()
    next_one = engine.analysis(chess.Board(MATE_IN_ONE))
    assert engine.play(chess.Board(), Limit(nodes=500)).move in START_MOVES
    assert endless.wait().move in START_MOVES
    assert next_one.wait().move in list(chess.Board(MATE_IN_ONE).legal_moves)
    endless = engine.analysis(chess.Board())
    engine.clear()
    assert endless.wait().move


def test_a_search_that_waits_is_stopped_alone(engine: Engine) -> None:
    first = engine.analysis(chess.Board(), MANY_NODES)
    second = engine.analysis(chess.Board(MATE_IN_ONE), Limit(nodes=10**14))
    read_to_depth(first, 9)
    second.stop()
    assert is_going_on(first)
    first.stop()
    assert second.wait().move == chess.Move.from_uci("a1a8")
    assert len(list(second)) == 1  # it was told to stop before it began


def test_stopping_an_ended_search_does_not_end_the_next(engine: Engine) -> None:
    with engine.analysis(chess.Board(), Limit(depth=2)) as first:
        first.wait()
        second = engine.analysis(chess.Board(), MANY_NODES)
        read_to_depth(second, 9)
    assert is_going_on(second)
    second.stop()


# ---- the end


def test_closing_in_mid_search(engine: Engine) -> None:
    running = engine.analysis(chess.Board(), MANY_NODES)
    waiting = engine.analysis(chess.Board(), MANY_NODES)
    running.get()
    engine.close()
    assert running.wait().move in START_MOVES
    with pytest.raises(chess.engine.EngineTerminatedError, match=r"^the engine is closed$"):
        waiting.wait()
    with pytest.raises(chess.engine.EngineTerminatedError):
        list(waiting)


@pytest.mark.parametrize("end", [Engine.close, Engine.quit])
def test_use_after_the_end(end: Callable[[Engine], None]) -> None:
    with Engine(hash_mb=1) as engine:
        assert engine.play(chess.Board(), Limit(depth=2)).move
        end(engine)
    for ask in (engine.play, engine.analyse, engine.analysis):
        with pytest.raises(chess.engine.EngineTerminatedError, match=r"^the engine is closed$"):
            ask(chess.Board(), Limit(depth=1))
    engine.close()
    engine.stop()


def test_leaving_with_ends_the_search() -> None:
    with Engine(hash_mb=1) as engine:
        analysis = engine.analysis(chess.Board())
        analysis.get()
    assert analysis.wait().move


def test_a_program_may_end_in_mid_search() -> None:
    script = run_script(
        "import chess; from uci_engine import Engine\n"
        "analysis = Engine(threads=2).analysis(chess.Board())\n"
        "print(analysis.get()['depth'])"
    )
    assert script.communicate(timeout=TIMEOUT) == ("1\n", "")
    assert script.returncode == 0


def test_ctrl_c_ends_a_search() -> None:
    script = run_script(
        "import chess, chess.engine; from uci_engine import Engine\n"
        "engine = Engine()\n"
        "try:\n"
        "    print('begun', flush=True)\n"
        "    engine.play(chess.Board(), chess.engine.Limit())\n"
        "except KeyboardInterrupt:\n"
        "    print(engine.play(chess.Board(), chess.engine.Limit(nodes=900)).info['nodes'])"
    )
    assert script.stdout is not None
    assert script.stdout.readline() == "begun\n"
    script.send_signal(signal.SIGINT)
    assert script.communicate(timeout=TIMEOUT) == ("900\n", "")


# ---- several engines


def play_game(seed: int) -> list[chess.Move]:
    board = chess.Board.from_chess960_pos(seed)
    with Engine(hash_mb=1) as engine:
        for _ in range(12):
            move = engine.play(board, Limit(nodes=1500)).move
            assert move is not None
            board.push(move)
    return board.move_stack


def test_engines_in_threads_play_as_if_alone() -> None:
    seeds = range(0, 960, 160)
    with ThreadPoolExecutor(len(seeds)) as pool:
        together = list(pool.map(play_game, seeds))
    assert together == [play_game(seed) for seed in seeds]


def test_an_engine_does_not_wait_for_another(engine: Engine) -> None:
    with Engine(hash_mb=1) as busy, busy.analysis(chess.Board(), MANY_NODES) as analysis:
        analysis.get()
        for fen in POSITIONS[:10]:
            assert engine.analyse(fen, Limit(nodes=1000))["nodes"] == 1000
        assert is_going_on(analysis)


def test_python_goes_on_while_an_engine_searches() -> None:
    """Were the GIL held, the count would not end: each iteration takes longer than the last."""
    script = run_script(
        "import chess; from uci_engine import Engine\n"
        "analysis = Engine().analysis(chess.Board())\n"
        "while analysis.get()['depth'] < 11: pass\n"
        "print(sum(1 for _ in range(3_000_000)))"
    )
    assert script.communicate(timeout=TIMEOUT) == ("3000000\n", "")


def test_no_thread_is_left_behind() -> None:
    before = threading.enumerate()
    with Engine(hash_mb=1, threads=2) as engine:
        for _ in range(20):
            engine.play(chess.Board(), Limit(nodes=200))
            with engine.analysis(chess.Board()) as analysis:
                analysis.get()
    for thread in set(threading.enumerate()) - set(before):
        thread.join(TIMEOUT)
        assert not thread.is_alive()
