"""UCI_LimitStrength, UCI_Elo and Skill Level."""

from __future__ import annotations

from random import Random

import chess
import pytest
from uci_process import MATE_IN_ONE, EngineProcess, assert_answer, field

from core_ext.core import Board, SearchInfo
from uci_engine.options import Options
from uci_engine.strength import (
    MATING,
    TABLE,
    Strength,
    choose_line,
    choose_strength,
    interpolate,
)

pytestmark = pytest.mark.release_only

KRK = "8/8/8/3k4/8/8/8/R3K3 w - - 0 1"


@pytest.fixture
def engine(shared: EngineProcess) -> EngineProcess:
    shared.ask(
        "setoption name UCI_LimitStrength value false",
        "setoption name Skill Level value 20",
        "setoption name UCI_Elo value 800",
        "setoption name MultiPV value 1",
        "ucinewgame",
        "position startpos",
    )
    return shared


def line(score: int, mate: int | None = None) -> SearchInfo:
    return SearchInfo(1, 1, 1, score, mate, "", 1, 0, 0, 1, [])


def options(**values: object) -> Options:
    made = Options()
    made.values.update(values)
    return made


# ---- the table


def test_more_elo_means_more_nodes_and_a_smaller_margin() -> None:
    rows = [interpolate(elo) for elo in range(TABLE[0].elo, TABLE[-1].elo + 1, 25)]
    assert [row.nodes for row in rows] == sorted(row.nodes for row in rows)
    assert [row.margin for row in rows] == sorted((row.margin for row in rows), reverse=True)
    for row in TABLE:
        assert interpolate(row.elo) == row


def test_the_options_range_is_the_tables() -> None:
    assert Options.__dict__["elo"].low == TABLE[0].elo
    assert Options.__dict__["elo"].high == TABLE[-1].elo


def test_who_decides() -> None:
    board = Board()
    assert choose_strength(options(), board) is None
    assert choose_strength(options(elo=800), board) is None
    assert choose_strength(options(limit_strength=True, elo=800), board) == TABLE[0]
    assert choose_strength(options(skill_level=0), board) == TABLE[0]
    limited = options(skill_level=0, limit_strength=True, elo=2000)
    assert choose_strength(limited, board) == interpolate(2000)
    assert choose_strength(options(skill_level=0, analyse_mode=True), board) is None


def test_a_lone_king_is_mated_with_some_care() -> None:
    weak = options(limit_strength=True, elo=800)
    assert choose_strength(weak, Board(KRK)) == MATING
    assert choose_strength(weak, Board(KRK.replace(" w ", " b "))) == TABLE[0]


# ---- the choice


def test_only_lines_within_the_margin_are_chosen() -> None:
    lines = [line(50), line(45), line(0), line(-60)]
    chosen = {choose_line(lines, Strength(1500, 1, 50), Random(seed)).score for seed in range(300)}
    assert chosen == {50, 45, 0}
    assert choose_line(lines, Strength(1500, 1, 0), Random(1)).score == 50


def test_better_lines_are_likelier() -> None:
    lines = [line(50), line(20)]
    picks = [choose_line(lines, Strength(1500, 1, 50), Random(seed)).score for seed in range(500)]
    assert picks.count(50) > 1.5 * picks.count(20) > 0


def test_mates_are_given_and_not_walked_into() -> None:
    margin = Strength(800, 1, 100_000)
    for seed in range(50):
        assert choose_line([line(31_999, 1), line(90)], margin, Random(seed)).mate == 1
        assert choose_line([line(-300), line(-31_998, -1)], margin, Random(seed)).mate is None


# ---- in play


def test_few_nodes_are_searched(engine: EngineProcess) -> None:
    engine.ask("setoption name UCI_LimitStrength value true")
    lines = engine.go("go wtime 60000 btime 60000")
    assert_answer(lines, chess.Board())
    assert max(field(line, "nodes") for line in lines[:-1]) < 2000
    assert {field(line, "multipv") for line in lines[:-1]} == {1}


def test_play_is_varied_legal_and_the_same_after_ucinewgame(engine: EngineProcess) -> None:
    engine.ask("setoption name Skill Level value 0")
    games = []
    for _ in range(2):
        engine.ask("ucinewgame")
        board = chess.Board()
        while not board.is_game_over() and board.ply() < 60:
            engine.send("position startpos moves " + " ".join(map(str, board.move_stack)))
            board.push(board.parse_uci(engine.best("go movetime 1000")))
        games.append(board.move_stack)
    assert games[0] == games[1]


def test_a_weak_engine_differs_from_a_strong_one(engine: EngineProcess) -> None:
    engine.ask("setoption name Skill Level value 0")
    moves = {engine.best("go movetime 1000") for _ in range(12)}
    assert len(moves) > 1


def test_a_mate_in_one_is_given(engine: EngineProcess) -> None:
    engine.ask("setoption name Skill Level value 0", f"position fen {MATE_IN_ONE}")
    assert {engine.best("go movetime 1000") for _ in range(5)} == {"a1a8"}


def test_analysis_of_several_lines_at_limited_strength(engine: EngineProcess) -> None:
    engine.ask("setoption name Skill Level value 5", "setoption name MultiPV value 2")
    lines = engine.go("go movetime 1000")
    assert {field(line, "multipv") for line in lines[:-1]} == {1, 2}
    first = [line for line in lines[:-1] if field(line, "multipv") == 1][-1]
    assert first.split(" pv ")[1].split()[0] == lines[-1].split()[1]


def test_an_open_search_at_limited_strength_waits(engine: EngineProcess) -> None:
    engine.ask("setoption name Skill Level value 0")
    engine.send("go infinite")
    assert not [line for line in engine.ask() if line.startswith("bestmove")]
    engine.send("stop")
    engine.read_until("bestmove")


def test_the_weakest_mates_with_king_and_rook(engine: EngineProcess) -> None:
    engine.ask("setoption name UCI_LimitStrength value true")
    board = chess.Board(KRK)
    defender = Random(3)
    while not board.is_game_over() and board.fullmove_number < 60:
        engine.ask(f"position fen {KRK} moves " + " ".join(map(str, board.move_stack)))
        board.push_uci(engine.best("go movetime 1000"))
        if not board.is_game_over():
            board.push(escape(board, defender))
    assert board.is_checkmate(), board.fen()
    assert not board.turn


def escape(board: chess.Board, generator: Random) -> chess.Move:
    """To the middle if possible: not the best defence, but no help either."""

    def distance(move: chess.Move) -> tuple[int, float]:
        file, rank = chess.square_file(move.to_square), chess.square_rank(move.to_square)
        return max(abs(2 * file - 7), abs(2 * rank - 7)), generator.random()

    return min(board.legal_moves, key=distance)
