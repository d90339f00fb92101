"""Syzygy tables in the engine: at the root, and inside the search."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import chess
import chess.syzygy
import pytest
from syzygy_tables import TABLES, THREE_MEN, needs_four_men
from uci_process import EngineProcess, assert_answer, field

from core_ext.core import Searcher
from uci_engine import Board, Tablebase

pytestmark = pytest.mark.release_only

KBNK = "8/8/8/4k3/8/8/8/KBN5 w - - 0 1"
KRK = "8/8/8/4k3/8/8/8/KR6 w - - 0 1"
KPK_WON = "8/8/3k4/8/3K4/8/3P4/8 w - - 0 1"


@pytest.fixture(scope="module")
def shared() -> Iterator[EngineProcess]:
    with EngineProcess() as engine:
        (found,) = engine.ask(f"setoption name SyzygyPath value {TABLES}")
        count = len(list(TABLES.glob("*.rtbw")))
        assert found.startswith(f"info string {count} Syzygy tables of up to ")
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


@pytest.mark.parametrize(
    ("fen", "score"),
    [
        (KRK, "cp 20000"),
        (KRK.replace(" w ", " b "), "cp -20000"),
        ("8/8/8/3k4/8/8/3P4/3K4 b - - 0 1", "cp 0"),
        pytest.param(KBNK, "cp 20000", marks=needs_four_men),
        pytest.param("8/8/8/5k2/8/8/r7/3KR3 w - - 0 1", "cp 0", marks=needs_four_men),
    ],
)
def test_the_score_is_the_tables(engine: EngineProcess, fen: str, score: str) -> None:
    last = ask(engine, fen)[-2]
    assert f"score {score} " in last
    assert field(last, "tbhits") == chess.Board(fen).legal_moves.count()


def test_a_mate_that_the_search_sees_is_told(engine: EngineProcess) -> None:
    last = ask(engine, "7k/8/5KQ1/8/8/8/8/8 w - - 0 1", "go depth 6")[-2]
    assert "score mate 1 " in last


@pytest.mark.parametrize(
    "fen",
    [
        "8/8/8/4k3/8/4K3/4P3/8 w - - 0 1",
        "8/8/8/8/1k6/8/1P1K4/8 w - - 0 1",
        "8/5k2/8/8/4p3/4K3/8/8 w - - 0 1",
        pytest.param("8/8/1KP5/3r4/8/8/8/k7 w - - 0 1", marks=needs_four_men),
        pytest.param("k7/p7/8/K7/8/8/8/Q7 b - - 0 1", marks=needs_four_men),
        pytest.param("8/8/8/8/8/k7/p7/K3Q3 w - - 0 1", marks=needs_four_men),
    ],
)
def test_only_moves_that_keep_the_result_are_played(engine: EngineProcess, fen: str) -> None:
    """With one node to think, in endings where most moves throw half a point away."""
    with chess.syzygy.open_tablebase(str(TABLES)) as tables:
        board = chess.Board(fen)
        expected = tables.probe_wdl(board)
        board.push_uci(ask(engine, fen, "go nodes 1")[-1].split()[1])
        assert -tables.probe_wdl(board) == expected


@pytest.mark.parametrize(
    "fen",
    [
        KRK,
        KPK_WON,
        pytest.param(KBNK, marks=needs_four_men),
        pytest.param("8/8/8/8/4k3/8/8/K2Q3r w - - 0 1", marks=needs_four_men),
    ],
)
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


def test_a_win_that_comes_too_late_is_a_draw_by_the_fifty_move_rule(engine: EngineProcess) -> None:
    late = KRK.replace(" 0 1", " 90 80")
    assert "score cp 0 " in ask(engine, late)[-2]
    engine.ask("setoption name Syzygy50MoveRule value false")
    assert "score cp 20000 " in ask(engine, late)[-2]


@pytest.mark.parametrize(
    ("fen", "told"),
    [
        pytest.param(
            "8/8/8/8/4k3/8/8/K2Q3r w - - 99 80",
            "cp 20000",
            id="winning-capture",
            marks=needs_four_men,
        ),
        pytest.param(
            "kR6/6Q1/2K5/8/8/8/8/8 b - - 99 80",
            "mate -1",
            id="losing-capture",
            marks=needs_four_men,
        ),
        pytest.param("8/5k1P/8/8/8/8/8/K7 w - - 99 80", "cp 20000", id="promotion"),
        pytest.param("7k/8/5KQ1/8/8/8/8/8 w - - 99 80", "mate 1", id="mate"),
        pytest.param("8/8/8/8/4k3/8/8/K2Q4 w - - 99 80", "cp 0", id="nothing-to-zero"),
        pytest.param("8/8/8/8/4k3/8/8/K2Q4 b - - 99 80", "cp 0", id="saved-by-the-clock"),
    ],
)
def test_the_last_move_of_fifty_may_zero_the_clock(
    engine: EngineProcess, fen: str, told: str
) -> None:
    assert f"score {told} " in ask(engine, fen)[-2]


@pytest.mark.parametrize("limit", [0, 2])
def test_the_probe_limit(engine: EngineProcess, limit: int) -> None:
    engine.ask(f"setoption name SyzygyProbeLimit value {limit}")
    assert field(ask(engine, KRK)[-2], "tbhits") == 0
    engine.ask("setoption name SyzygyProbeLimit value 3")
    assert field(ask(engine, KRK)[-2], "tbhits") > 0


@pytest.mark.parametrize(
    "fen",
    [
        chess.STARTING_FEN,
        "4k3/8/8/8/8/8/8/4K2R w K - 0 1",  # castling is possible
        "4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1",  # too many pieces, at every leaf
    ],
)
def test_positions_that_the_tables_do_not_have(engine: EngineProcess, fen: str) -> None:
    assert field(ask(engine, fen)[-2], "tbhits") == 0


def test_finished_and_restricted_searches(engine: EngineProcess) -> None:
    assert ask(engine, "7k/5KQ1/8/8/8/8/8/8 b - - 0 1")[-1] == "bestmove (none)"
    assert ask(engine, KPK_WON, "go depth 3 searchmoves d4c4")[-1].startswith("bestmove d4c4")


def test_chess960_mode(engine: EngineProcess) -> None:
    engine.ask("setoption name UCI_Chess960 value true")
    assert "score cp 20000 " in ask(engine, KRK)[-2]
    engine.ask("setoption name UCI_Chess960 value false")


def test_several_lines_agree_on_the_result(engine: EngineProcess) -> None:
    engine.ask("setoption name MultiPV value 3", f"position fen {KRK}")
    lines = engine.go("go nodes 300")
    engine.ask("setoption name MultiPV value 1")
    (best,) = [line for line in lines[-4:-1] if " multipv 1 " in line]
    assert lines[-1].split()[1] == best.split(" pv ")[1].split()[0]
    assert all("score cp 20000 " in line for line in lines[:-1])


def test_a_missing_table_means_no_verdict(tmp_path: Path) -> None:
    for kind in ("rtbw", "rtbz"):
        shutil.copy(THREE_MEN / f"KPvK.{kind}", tmp_path)
    with EngineProcess() as engine:
        engine.ask(f"setoption name SyzygyPath value {tmp_path}")
        assert field(ask(engine, KPK_WON)[-2], "tbhits") == 6
        # A promotion leads to tables that are not here.
        assert field(ask(engine, "8/5k1P/8/8/8/8/8/K7 w - - 0 1")[-2], "tbhits") == 0
        assert field(ask(engine, KRK)[-2], "tbhits") == 0


def test_a_directory_without_tables_is_refused(tmp_path: Path) -> None:
    with EngineProcess() as engine:
        (complaint,) = engine.ask(f"setoption name SyzygyPath value {tmp_path}")
        assert "no Syzygy tables" in complaint
        (complaint,) = engine.ask(f"setoption name SyzygyPath value {tmp_path / 'absent'}")
        assert "absent" in complaint


def test_several_directories(tmp_path: Path) -> None:
    with EngineProcess() as engine:
        assert len(engine.ask(f"setoption name SyzygyPath value {tmp_path}:{TABLES}")) == 1
        assert "score cp 20000 " in ask(engine, KRK)[-2]
        assert engine.ask("setoption name SyzygyPath value <empty>") == []
        assert field(ask(engine, KRK)[-2], "tbhits") == 0


def test_a_damaged_table_does_not_stop_a_game(tmp_path: Path) -> None:
    for path in THREE_MEN.glob("KRvK.*"):
        (tmp_path / path.name).write_bytes(path.read_bytes()[:100])
    with EngineProcess() as engine:
        engine.ask(f"setoption name SyzygyPath value {tmp_path}")
        lines = ask(engine, KRK)
        named = [line for line in lines if f"{tmp_path / 'KRvK.rtbw'} is of no use" in line]
        assert len(named) == 1
        assert not any("of no use" in line for line in ask(engine, KRK))  # it is said once


# ---- results without distances


@pytest.fixture(scope="module")
def without_distances(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EngineProcess]:
    folder = tmp_path_factory.mktemp("results")
    for path in [*THREE_MEN.glob("*.rtbw"), THREE_MEN / "KQvK.rtbz"]:
        shutil.copy(path, folder)
    with EngineProcess() as engine:
        said = engine.ask(f"setoption name SyzygyPath value {folder}")
        assert said == [
            "info string 5 Syzygy tables of up to 3 pieces, 4 of them without distances"
        ]
        yield engine


def test_results_alone_tell_which_moves_keep_them(without_distances: EngineProcess) -> None:
    """All positions of a king and a pawn against a king on some squares, with a node to think."""
    with chess.syzygy.open_tablebase(str(THREE_MEN)) as tables:
        for pawn in (chess.B3, chess.D5, chess.G6):
            for white, black in ((chess.C6, chess.D8), (chess.E4, chess.C5), (chess.F7, chess.H8)):
                for side in chess.COLORS:
                    board = chess.Board(None)
                    board.set_piece_map(
                        {
                            pawn: chess.Piece.from_symbol("P"),
                            white: chess.Piece.from_symbol("K"),
                            black: chess.Piece.from_symbol("k"),
                        }
                    )
                    board.turn = side
                    if not board.is_valid() or board.is_game_over():
                        continue
                    expected = tables.probe_wdl(board)
                    last, answer = ask(without_distances, board.fen(), "go nodes 1")[-2:]
                    assert f"score cp {10_000 * expected} " in last or "mate" in last
                    board.push_uci(answer.split()[1])
                    assert -tables.probe_wdl(board) == expected


def win_by_search(engine: EngineProcess, start: str, nodes: int) -> chess.Board:
    """The game's end, with the engine against the longest defence."""
    board = chess.Board(start)
    with chess.syzygy.open_tablebase(str(THREE_MEN)) as tables:
        while not board.is_game_over(claim_draw=False):
            engine.ask(f"position fen {start} moves " + " ".join(map(str, board.move_stack)))
            board.push_uci(engine.best(f"go nodes {nodes}"))
            if not board.is_game_over():
                board.push(longest_defence(board, tables))
    return board


def test_a_won_ending_is_won_without_distances(without_distances: EngineProcess) -> None:
    assert win_by_search(without_distances, KRK, nodes=5000).is_checkmate()


def test_where_there_are_distances_they_are_used(without_distances: EngineProcess) -> None:
    """A queen's mate by a search that sees almost nothing."""
    board = win_by_search(without_distances, KRK.replace("R", "Q"), nodes=50)
    assert board.is_checkmate()
    assert board.ply() <= 2 * 10  # no mate with the queen takes more moves


# ---- at the root, more closely


@pytest.fixture(scope="module")
def tables() -> Iterator[Tablebase]:
    with Tablebase(THREE_MEN) as opened:
        yield opened


def test_a_third_repetition_is_no_win(tables: Tablebase) -> None:
    """Of two ways to win, the one that has been on the board twice is a draw now."""
    board = Board("8/8/8/8/8/2k5/7R/K7 w - - 0 1")
    searcher = Searcher()
    first = searcher.search(board, nodes=500, tablebase=tables)
    assert first.score == 20_000
    repeated = str(first.best)
    answer = first.pv[1].uci() if len(first.pv) > 1 else board_after(board, repeated)
    back = {repeated: repeated[2:4] + repeated[0:2], answer: answer[2:4] + answer[0:2]}
    for _ in range(2):
        for move in (repeated, answer, back[repeated], back[answer]):
            board.push_uci(move)
    searcher.clear()
    again = searcher.search(board, nodes=500, tablebase=tables, multipv=256)
    scores = {str(info.pv[0]): info.score for info in again.infos}
    assert scores[repeated] == 0
    assert again.score == 20_000
    assert str(again.best) != repeated


def board_after(board: Board, move: str) -> str:
    copy = board.copy()
    copy.push_uci(move)
    return copy.legal_moves()[0].uci()


def test_all_lines_are_told_each_with_its_own_result(tables: Tablebase) -> None:
    board = Board(KPK_WON)
    with chess.syzygy.open_tablebase(str(THREE_MEN)) as oracle:
        expected = {}
        for move in chess.Board(board.fen()).legal_moves:
            after = chess.Board(board.fen())
            after.push(move)
            expected[move.uci()] = -oracle.probe_wdl(after) * 10_000
    infos = Searcher().search(board, depth=6, tablebase=tables, multipv=256).infos
    assert {str(info.pv[0]): info.score for info in infos} == expected
    assert len({info.score for info in infos}) > 1
    assert [info.score for info in infos] == sorted((info.score for info in infos), reverse=True)


def test_threads_know_the_ranks(tables: Tablebase) -> None:
    result = Searcher(threads=3).search(Board(KPK_WON), nodes=20_000, tablebase=tables)
    assert result.score == 20_000 or (result.mate or 0) > 0


def test_tables_in_use_are_not_closed() -> None:
    tables = Tablebase(THREE_MEN)
    searcher = Searcher()
    begun = threading.Event()
    search = searcher.begin(
        Board(), infinite=True, on_report=lambda _: begun.set(), tablebase=tables
    )
    thread = threading.Thread(target=search.run)
    thread.start()
    begun.wait()
    with pytest.raises(RuntimeError, match="running"):
        tables.close()
    search.stop()
    thread.join()
    tables.close()
    with pytest.raises(ValueError, match="closed"):
        searcher.search(Board(), nodes=10, tablebase=tables)


# ---- below the root


# The capture or promotion that decides leads into the tables, which have one man less.
FOUR_MEN = "8/8/8/4k3/7p/8/8/KR6 w - - 0 1"
FIVE_MEN = "8/8/8/4k3/7p/8/8/KRN5 w - - 0 1"


@pytest.mark.parametrize(
    ("directory", "fen", "told"),
    [
        pytest.param(THREE_MEN, FOUR_MEN, 19_900, id="3-wins-a-pawn"),
        pytest.param(THREE_MEN, "8/8/8/8/3k4/8/2p5/K6R b - - 0 1", -19_900, id="3-loses-it"),
        pytest.param(TABLES, FIVE_MEN, 19_900, id="4-wins-a-pawn", marks=needs_four_men),
        pytest.param(
            TABLES, FIVE_MEN.replace(" w ", " b "), -19_900, id="4-loses-it", marks=needs_four_men
        ),
    ],
)
def test_the_search_finds_wins_in_the_tables(directory: Path, fen: str, told: int) -> None:
    with Tablebase(directory) as tables:
        found = Searcher().search(Board(fen), nodes=100_000, tablebase=tables)
        assert found.infos[0].tbhits > 0
        assert abs(found.score) >= abs(told)
        assert (found.score > 0) == (told > 0)
        without = Searcher().search(Board(fen), nodes=2_000)
        assert abs(without.score) < 19_000


def count_hits(directory: Path, fen: str, limit: int = 7, depth: int = 1) -> int:
    with Tablebase(directory) as tables:
        found = Searcher().search(
            Board(fen), depth=8, tablebase=tables, probe_limit=limit, probe_depth=depth
        )
        return found.infos[0].tbhits


def test_depth_and_limit_mean_what_they_do_elsewhere() -> None:
    """Four men, tables of three: the depth counts for positions with as many men as the limit, and
    for none if the limit is beyond the tables."""

    def hits(limit: int = 7, depth: int = 1) -> int:
        return count_hits(THREE_MEN, FOUR_MEN, limit, depth)

    assert hits(2) == 0
    assert hits(3) > hits(3, 4) > hits(3, 100) == 0
    assert hits(4, 100) == hits(3) == hits()


@needs_four_men
def test_depth_does_not_count_for_fewer_men_than_the_limit() -> None:
    def hits(limit: int = 7, depth: int = 1) -> int:
        return count_hits(TABLES, FIVE_MEN, limit, depth)

    assert hits(2) == 0
    assert 0 < hits(3) < hits(4)
    assert hits(4, 100) == hits(3)
    assert hits(4, 1) > hits(4, 4)
    assert hits(5, 100) == hits(4) == hits()


@pytest.mark.parametrize(
    ("limit", "depth", "are_some"), [(2, 1, False), (3, 1, True), (3, 100, False), (7, 100, True)]
)
def test_depth_and_limit_are_options(limit: int, depth: int, are_some: bool) -> None:
    with EngineProcess() as engine:
        engine.ask(
            f"setoption name SyzygyPath value {THREE_MEN}",
            f"setoption name SyzygyProbeLimit value {limit}",
            f"setoption name SyzygyProbeDepth value {depth}",
        )
        assert (field(ask(engine, FOUR_MEN, "go depth 8")[-2], "tbhits") > 0) == are_some


def test_the_hits_of_all_threads_are_counted() -> None:
    """One in four threads finds about as much as a thread alone in a fourth of the nodes."""
    pawns = Board("8/3k4/8/3p4/8/3P4/3K4/8 w - - 0 1")
    nodes = 160_000

    def hits(threads: int, nodes: int) -> int:
        with Tablebase(THREE_MEN) as tables:
            found = Searcher(threads=threads).search(pawns, nodes=nodes, tablebase=tables)
            return found.infos[0].tbhits

    assert hits(4, nodes) > 1.5 * hits(1, nodes // 4) > 0


def test_a_search_without_tables_is_the_same(tables: Tablebase) -> None:
    """Where no position of three men comes up, they change nothing."""
    board = Board()
    plain = Searcher().search(board, depth=7)
    assert Searcher().search(board, depth=7, tablebase=tables).infos[0][:-2] == plain.infos[0][:-2]
