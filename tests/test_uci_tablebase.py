"""Syzygy tables at the root, with the small tables that may lie next to the checkout."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import chess
import chess.syzygy
import pytest
from uci_process import ROOT, EngineProcess, assert_answer, field

from core_ext.core import Board
from uci_engine.tablebase import BLESSED_LOSS, CURSED_WIN, LOSS, WIN, Tablebase

pytestmark = pytest.mark.release_only

TABLES = Path(os.environ.get("CYTHERA_SYZYGY", ROOT.parent / "shared" / "syzygy"))
needs_tables = pytest.mark.skipif(
    not list(TABLES.glob("KQvK.rtb*")), reason=f"no Syzygy tables in {TABLES}"
)

KBNK = "8/8/8/4k3/8/8/8/KBN5 w - - 0 1"
KPK_WON = "8/8/3k4/8/3K4/8/3P4/8 w - - 0 1"


@pytest.fixture(scope="module")
def shared() -> Iterator[EngineProcess]:
    with EngineProcess() as engine:
        assert engine.ask(f"setoption name SyzygyPath value {TABLES}") == []
        yield engine


@pytest.fixture
def engine(shared: EngineProcess) -> EngineProcess:
    shared.ask(
        "setoption name SyzygyProbeLimit value 7",
        "setoption name Syzygy50MoveRule value true",
        "ucinewgame",
    )
    return shared


def ask(engine: EngineProcess, fen: str, command: str = "go nodes 300") -> list[str]:
    engine.ask(f"position fen {fen}")
    lines = engine.go(command)
    assert_answer(lines, chess.Board(fen))
    return lines


@needs_tables
@pytest.mark.parametrize(
    ("fen", "score"),
    [
        (KBNK, "cp 20000"),
        (KBNK.replace(" w ", " b "), "cp -20000"),
        ("8/8/8/3k4/8/8/3P4/3K4 b - - 0 1", "cp 0"),
        ("8/8/8/5k2/8/8/r7/3KR3 w - - 0 1", "cp 0"),
    ],
)
def test_the_score_is_the_tables(engine: EngineProcess, fen: str, score: str) -> None:
    last = ask(engine, fen)[-2]
    assert f"score {score} " in last
    assert field(last, "tbhits") == chess.Board(fen).legal_moves.count()


@needs_tables
def test_a_mate_that_the_search_sees_is_told(engine: EngineProcess) -> None:
    last = ask(engine, "7k/8/5KQ1/8/8/8/8/8 w - - 0 1", "go depth 6")[-2]
    assert "score mate 1 " in last


@needs_tables
def test_only_moves_that_keep_the_result_are_played(engine: EngineProcess) -> None:
    """With one node to think, in endings where most moves throw half a point away."""
    with chess.syzygy.open_tablebase(str(TABLES)) as tables:
        for fen in (
            "8/8/8/4k3/8/4K3/4P3/8 w - - 0 1",
            "8/8/8/8/1k6/8/1P1K4/8 w - - 0 1",
            "8/5k2/8/8/4p3/4K3/8/8 w - - 0 1",
            "8/8/1KP5/3r4/8/8/8/k7 w - - 0 1",
            "k7/p7/8/K7/8/8/8/Q7 b - - 0 1",
            "8/8/8/8/8/k7/p7/K3Q3 w - - 0 1",
        ):
            board = chess.Board(fen)
            expected = tables.probe_wdl(board)
            board.push_uci(ask(engine, fen, "go nodes 1")[-1].split()[1])
            assert -tables.probe_wdl(board) == expected, fen


@needs_tables
@pytest.mark.parametrize("fen", [KBNK, KPK_WON, "8/8/8/8/4k3/8/8/K2Q3r w - - 0 1"])
def test_a_won_ending_is_won(engine: EngineProcess, fen: str) -> None:
    """By a searcher that sees almost nothing; the defender plays the tables' best."""
    board = chess.Board(fen)
    with chess.syzygy.open_tablebase(str(TABLES)) as tables:
        assert tables.probe_wdl(board) == 2
        while not board.is_game_over(claim_draw=False):
            engine.ask(f"position fen {fen} moves " + " ".join(map(str, board.move_stack)))
            board.push_uci(engine.best("go nodes 50"))
            if not board.is_game_over():
                board.push(longest_defence(board, tables))
    assert board.is_checkmate()
    assert not board.turn


def longest_defence(board: chess.Board, tables: chess.syzygy.Tablebase) -> chess.Move:
    def distance(move: chess.Move) -> int:
        board.push(move)
        value = tables.probe_dtz(board)
        board.pop()
        return value

    return max(board.legal_moves, key=distance)


@needs_tables
def test_a_win_that_comes_too_late_is_a_draw_by_the_fifty_move_rule(engine: EngineProcess) -> None:
    late = KBNK.replace(" 0 1", " 90 80")
    assert "score cp 0 " in ask(engine, late)[-2]
    engine.ask("setoption name Syzygy50MoveRule value false")
    assert "score cp 20000 " in ask(engine, late)[-2]


@needs_tables
@pytest.mark.parametrize(
    ("fen", "outcome"),
    [
        pytest.param("8/8/8/8/4k3/8/8/K2Q3r w - - 99 80", WIN, id="winning-capture"),
        pytest.param("kR6/6Q1/2K5/8/8/8/8/8 b - - 99 80", LOSS, id="losing-capture"),
        pytest.param("8/5k1P/8/8/8/8/8/K7 w - - 99 80", WIN, id="promotion"),
        pytest.param("7k/8/5KQ1/8/8/8/8/8 w - - 99 80", WIN, id="mate"),
        pytest.param("8/8/8/8/4k3/8/8/K2Q4 w - - 99 80", CURSED_WIN, id="nothing-to-zero"),
        pytest.param("8/8/8/8/4k3/8/8/K2Q4 b - - 99 80", BLESSED_LOSS, id="saved-by-the-clock"),
    ],
)
def test_the_last_move_of_fifty_may_zero_the_clock(fen: str, outcome: int) -> None:
    verdict = Tablebase(str(TABLES)).judge(Board(fen), True, 7, lambda: False)
    assert verdict is not None
    assert verdict.outcome == outcome


@needs_tables
@pytest.mark.parametrize("limit", [0, 3])
def test_the_probe_limit(engine: EngineProcess, limit: int) -> None:
    engine.ask(f"setoption name SyzygyProbeLimit value {limit}")
    assert field(ask(engine, KBNK)[-2], "tbhits") == 0


@needs_tables
@pytest.mark.parametrize(
    "fen",
    [
        chess.STARTING_FEN,
        "4k3/8/8/8/8/8/8/4K2R w K - 0 1",  # castling is possible
        "8/8/8/3kp3/8/3KPP2/8/8 w - - 0 1",  # too many pieces
    ],
)
def test_positions_that_the_tables_do_not_have(engine: EngineProcess, fen: str) -> None:
    assert field(ask(engine, fen)[-2], "tbhits") == 0


@needs_tables
def test_finished_and_restricted_searches(engine: EngineProcess) -> None:
    assert ask(engine, "7k/5KQ1/8/8/8/8/8/8 b - - 0 1")[-1] == "bestmove (none)"
    assert ask(engine, KPK_WON, "go depth 3 searchmoves d4c4")[-1].startswith("bestmove d4c4")


@needs_tables
def test_chess960_mode(engine: EngineProcess) -> None:
    engine.ask("setoption name UCI_Chess960 value true")
    assert "score cp 20000 " in ask(engine, KBNK)[-2]
    engine.ask("setoption name UCI_Chess960 value false")


@needs_tables
def test_several_lines_agree_on_the_result(engine: EngineProcess) -> None:
    engine.ask("setoption name MultiPV value 3")
    lines = ask(engine, KBNK)
    engine.ask("setoption name MultiPV value 1")
    assert all("score cp 20000 " in line for line in lines[:-1])


@needs_tables
def test_a_missing_table_means_no_verdict(tmp_path: Path) -> None:
    for kind in ("rtbw", "rtbz"):
        shutil.copy(TABLES / f"KBNvK.{kind}", tmp_path)
    with EngineProcess() as engine:
        engine.ask(f"setoption name SyzygyPath value {tmp_path}")
        # Captures lead to tables that are not here.
        ask(engine, "8/8/8/8/8/1k6/1N6/K3B3 w - - 0 1")
        ask(engine, "8/8/8/8/8/2k5/8/K6Q w - - 0 1")


def test_a_directory_without_tables_is_refused(tmp_path: Path) -> None:
    with EngineProcess() as engine:
        (complaint,) = engine.ask(f"setoption name SyzygyPath value {tmp_path}")
        assert "no Syzygy tables" in complaint
        (complaint,) = engine.ask(f"setoption name SyzygyPath value {tmp_path / 'absent'}")
        assert "absent" in complaint


@needs_tables
def test_several_directories(tmp_path: Path) -> None:
    with EngineProcess() as engine:
        assert engine.ask(f"setoption name SyzygyPath value {tmp_path}:{TABLES}") == []
        assert "score cp 20000 " in ask(engine, KBNK)[-2]
        assert engine.ask("setoption name SyzygyPath value <empty>") == []
        assert field(ask(engine, KBNK)[-2], "tbhits") == 0


@needs_tables
def test_a_damaged_table_does_not_stop_a_game(tmp_path: Path) -> None:
    for path in TABLES.glob("KBNvK.*"):
        (tmp_path / path.name).write_bytes(path.read_bytes()[:100])
    with EngineProcess() as engine:
        engine.ask(f"setoption name SyzygyPath value {tmp_path}")
        lines = ask(engine, KBNK)
        assert "tablebases can't be read" in lines[0]
