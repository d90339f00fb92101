"""The prober of Syzygy tables against python-chess's, and against files that are none."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import chess
import chess.syzygy
import numpy as np
import pytest
from syzygy_tables import TABLES, THREE_MEN, needs_four_men
from syzygy_writer import write_wdl

from core_ext.core import UNKNOWN_WDL
from lib.endings import compare, ending_names, random_position
from uci_engine import Board, Tablebase, batch

POSITIONS_OF_AN_ENDING = 30
KINDS = [pytest.param(THREE_MEN, id="3 men"), pytest.param(TABLES, id="4", marks=needs_four_men)]
# Where all is drawn nobody asks for distances.
FILES = sorted({path.name for path in THREE_MEN.glob("*.rtb?")} - {"KBvK.rtbz", "KNvK.rtbz"})
KRK = "8/8/8/4k3/8/8/8/K6R w - - 0 1"


@pytest.fixture(scope="module")
def tables() -> Iterator[Tablebase]:
    with Tablebase(THREE_MEN) as opened:
        yield opened


@pytest.mark.parametrize("directory", KINDS)
def test_both_probers_say_the_same(directory: Path) -> None:
    rng = random.Random(1)
    en_passants = 0
    with Tablebase(directory) as tables, chess.syzygy.open_tablebase(str(directory)) as oracle:
        for name in ending_names(directory):
            for _ in range(POSITIONS_OF_AN_ENDING * (5 if name.count("P") > 1 else 1)):
                board = random_position(name, rng)
                compare(board, tables, oracle)
                en_passants += board.has_legal_en_passant()
    assert en_passants > 10 or directory == THREE_MEN


EN_PASSANTS = pytest.mark.parametrize(
    "fen",
    [
        pytest.param("8/8/8/8/1pP5/8/K7/2k5 b - c3 0 1", id="possible"),
        pytest.param("8/8/8/8/kpP4K/8/8/8 b - c3 0 1", id="pinned-on-the-rank"),
        pytest.param("8/8/8/2k5/1pP5/8/8/K7 b - c3 0 1", id="answers-nothing"),
        pytest.param("8/8/8/3k4/1pP5/8/8/3K4 b - c3 0 1", id="answers-a-check"),
        pytest.param("8/8/8/8/pP6/k7/8/K7 b - b3 0 1", id="wins"),
        pytest.param("8/8/8/8/2pP4/2K5/8/k7 b - d3 0 1", id="checks"),
    ],
)


@needs_four_men
@EN_PASSANTS
def test_en_passant(fen: str) -> None:
    with Tablebase(TABLES) as tables, chess.syzygy.open_tablebase(str(TABLES)) as oracle:
        compare(chess.Board(fen), tables, oracle)
        compare(chess.Board(fen).mirror(), tables, oracle)


@EN_PASSANTS
def test_en_passant_leads_into_tables_of_three_men(copies: Path, fen: str) -> None:
    """Whatever the table of four men says, which is made up."""
    for seed in range(20):
        write_wdl(copies, "KPvKP", seed)
        with Tablebase(copies) as tables, chess.syzygy.open_tablebase(str(copies)) as oracle:
            for board in (chess.Board(fen), chess.Board(fen).mirror()):
                assert tables.wdl(Board(board)) == oracle.probe_wdl(board)


# ---- what there is


def test_the_tables_are_counted(tables: Tablebase) -> None:
    assert (tables.wdl_count, tables.dtz_count, tables.most_men) == (5, 5, 3)
    assert repr(str(THREE_MEN)) in repr(tables)


def test_other_files_are_passed_over(tmp_path: Path) -> None:
    for name in ("KRvK.rtbw", "KRvK.rtbz"):
        shutil.copy(THREE_MEN / name, tmp_path)
    for name in ("KvKR", "KvK", "RvK", "KRvKQ", "KXvK", "KRQvK", "KRvKvK", "KQQQQQQQvK", "K", "v"):
        shutil.copy(THREE_MEN / "KRvK.rtbw", tmp_path / f"{name}.rtbw")
    shutil.copy(THREE_MEN / "KRvK.rtbw", tmp_path / "KQvK.rtb")
    with Tablebase(tmp_path) as tables:
        assert (tables.wdl_count, tables.dtz_count) == (1, 1)
        assert tables.wdl(Board(KRK)) == 2


def test_distances_whose_results_are_missing_are_not_counted(tmp_path: Path) -> None:
    """Nor do they make up for the distances of another ending, or for its men."""
    shutil.copy(THREE_MEN / "KQvK.rtbw", tmp_path)
    for name in ("KRvK", "KRRvK"):
        shutil.copy(THREE_MEN / "KRvK.rtbz", tmp_path / f"{name}.rtbz")
    with Tablebase(tmp_path) as tables:
        assert (tables.wdl_count, tables.dtz_count, tables.most_men) == (1, 0, 3)
        assert tables.describe().endswith(", 1 of them without distances")
        assert tables.dtz(Board(KRK)) is None


def test_several_directories_and_the_first_file_counts(tmp_path: Path) -> None:
    (tmp_path / "KRvK.rtbw").write_bytes(b"no table")
    with Tablebase(os.pathsep.join([str(THREE_MEN), str(tmp_path)])) as tables:
        assert tables.wdl(Board(KRK)) == 2
    with Tablebase(os.pathsep.join([str(tmp_path), str(THREE_MEN)])) as tables:
        with pytest.raises(ValueError, match=str(tmp_path)):
            tables.wdl(Board(KRK))
        assert tables.wdl(Board(KRK.replace("R", "Q"))) == 2


def test_directories_without_tables_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="there are no Syzygy tables"):
        Tablebase(tmp_path)
    with pytest.raises(ValueError, match=r"there is no directory .*absent"):
        Tablebase(tmp_path / "absent")


def test_a_path_that_is_not_ascii(tmp_path: Path) -> None:
    place = tmp_path / "таблицы ä\udcff"
    shutil.copytree(THREE_MEN, place)
    with Tablebase(place) as tables:
        assert tables.dtz(Board(KRK)) is not None


@pytest.mark.parametrize(
    "fen",
    [
        pytest.param("4k3/8/8/8/8/8/8/4K2R w K - 0 1", id="castling"),
        pytest.param("4k3/8/8/8/8/8/8/K5RR w - - 0 1", id="too-many-men"),
        pytest.param(chess.STARTING_FEN, id="start"),
    ],
)
def test_what_tables_do_not_have_is_none(tables: Tablebase, fen: str) -> None:
    assert tables.wdl(Board(fen)) is None
    assert tables.dtz(Board(fen)) is None


def test_bare_kings_need_no_table(tables: Tablebase) -> None:
    assert tables.wdl(Board("8/8/8/4k3/8/8/8/K7 w - - 0 1")) == 0
    assert tables.dtz(Board("8/8/8/4k3/8/8/8/K7 b - - 0 1")) == 0


def test_a_missing_table_is_none(tmp_path: Path) -> None:
    """A pawn may promote to what has no table; a result may be known without a distance."""
    for name in ("KPvK.rtbw", "KPvK.rtbz", "KRvK.rtbw"):
        shutil.copy(THREE_MEN / name, tmp_path)
    with Tablebase(tmp_path) as tables:
        assert tables.wdl(Board(KRK)) == 2
        assert tables.dtz(Board(KRK)) is None
        assert tables.wdl(Board(KRK.replace("R", "Q"))) is None
        assert tables.dtz(Board("8/7P/8/4k3/8/8/8/K7 w - - 0 1")) is None


def test_closed_tables_say_so() -> None:
    tables = Tablebase(THREE_MEN)
    assert tables.wdl(Board(KRK)) == 2
    tables.close()
    tables.close()
    assert tables.closed
    with pytest.raises(ValueError, match="closed"):
        tables.wdl(Board(KRK))
    with pytest.raises(ValueError, match="closed"):
        batch.probe_wdl(batch.pack([KRK]), tables)


# ---- arrays


def test_arrays_are_as_single_positions(tables: Tablebase) -> None:
    rng = random.Random(5)
    boards = [random_position(name, rng) for name in ending_names(THREE_MEN) for _ in range(50)]
    positions = batch.pack([*boards, chess.STARTING_FEN])
    expected = [*(tables.wdl(Board(board)) for board in boards), UNKNOWN_WDL]
    results = batch.probe_wdl(positions, THREE_MEN)
    assert results.dtype == np.int8
    assert results.tolist() == expected
    assert batch.probe_wdl(positions, tables, threads=3).tolist() == expected


def test_arrays_name_what_is_wrong(tmp_path: Path, tables: Tablebase) -> None:
    positions = batch.pack([KRK] * 3)
    positions["occupied"][1] = 0
    with pytest.raises(ValueError, match="item 1 is not a chess position"):
        batch.probe_wdl(positions, tables)
    (tmp_path / "KRvK.rtbw").write_bytes(b"no table")
    with pytest.raises(ValueError, match=r"KRvK\.rtbw"):
        batch.probe_wdl(batch.pack([KRK]), tmp_path)


def test_threads_open_a_table_once_and_agree() -> None:
    rng = random.Random(7)
    boards = [random_position(name, rng) for name in ending_names(THREE_MEN) * 300]
    positions = batch.pack(boards)
    expected = batch.probe_wdl(positions, THREE_MEN, threads=1)
    for _ in range(10):
        with Tablebase(THREE_MEN) as fresh, ThreadPoolExecutor(4) as pool:
            results = [pool.submit(batch.probe_wdl, positions, fresh, 1) for _ in range(4)]
        assert all((each.result() == expected).all() for each in results)


# ---- files that are no tables, or not any more


def ask_for_everything(directory: Path, name: str) -> list[str]:
    """Probe positions of an ending; the complaints. Answers may be wrong, but there are some."""
    rng = random.Random(11)
    complaints = []
    with Tablebase(directory) as tables:
        for _ in range(25):
            board = Board(random_position(name, rng))
            for ask in (tables.wdl, tables.dtz):
                try:
                    value = ask(board)
                except ValueError as error:
                    complaints.append(str(error))
                else:
                    assert value is None or isinstance(value, int)
        told = tables.refusals()
        assert tables.refusals() == []
        assert set(complaints) <= set(told)
    return complaints


@pytest.fixture
def copies(tmp_path: Path) -> Path:
    return Path(shutil.copytree(THREE_MEN, tmp_path / "copies"))


@pytest.mark.parametrize("file", FILES)
def test_a_truncated_file_is_refused_by_name(copies: Path, file: str) -> None:
    whole = (copies / file).read_bytes()
    lengths = {0, 1, 4, 5, 6, 16, 80, len(whole) - 1, len(whole) - 16, len(whole) - 64}
    lengths |= {*range(16, len(whole), 64 * max(1, len(whole) // 1024))}
    for length in sorted(each for each in lengths if 0 <= each < len(whole)):
        (copies / file).write_bytes(whole[:length])
        complaints = ask_for_everything(copies, file[:-5])
        assert complaints, length
        assert all(str(copies / file) in each for each in complaints)


@pytest.mark.parametrize("file", FILES)
def test_flipped_bits_never_crash(copies: Path, file: str) -> None:
    """In the headers, where every bit decides about others; then anywhere."""
    whole = (copies / file).read_bytes()
    rng = random.Random(13)
    refused = 0
    for round_ in range(60):
        damaged = bytearray(whole)
        for _ in range(1 + round_ % 3):
            damaged[rng.randrange(len(whole) if round_ % 2 else min(120, len(whole)))] ^= (
                1 << rng.randrange(8)
            )
        (copies / file).write_bytes(damaged)
        complaints = ask_for_everything(copies, file[:-5])
        assert all(str(copies / file) in each for each in complaints)
        refused += bool(complaints)
    assert refused


def test_foreign_files_are_refused_by_name(copies: Path) -> None:
    shutil.copy(THREE_MEN / "KQvK.rtbw", copies / "KRvK.rtbw")
    assert "KRvK.rtbw is of no use: its men are not" in ask_for_everything(copies, "KRvK")[0]
    shutil.copy(THREE_MEN / "KRvK.rtbz", copies / "KRvK.rtbw")
    assert "not a Syzygy table of this kind" in ask_for_everything(copies, "KRvK")[0]
    shutil.copy(THREE_MEN / "KPvK.rtbw", copies / "KRvK.rtbw")
    assert "KRvK.rtbw" in ask_for_everything(copies, "KRvK")[0]
    (copies / "KRvK.rtbw").write_bytes(Path(__file__).read_bytes())
    assert "KRvK.rtbw" in ask_for_everything(copies, "KRvK")[0]
    (copies / "KRvK.rtbw").unlink()
    os.mkfifo(copies / "KRvK.rtbw")
    assert "KRvK.rtbw is of no use: it can't be opened" in ask_for_everything(copies, "KRvK")[0]
    (copies / "KRvK.rtbw").unlink()
    (copies / "KRvK.rtbw").mkdir()
    assert "it can't be opened" in ask_for_everything(copies, "KRvK")[0]


def test_a_file_that_has_gone_is_refused_by_name(copies: Path) -> None:
    with Tablebase(copies) as tables:
        (copies / "KRvK.rtbw").unlink()
        with pytest.raises(ValueError, match=r"KRvK\.rtbw is of no use: it can't be opened"):
            tables.wdl(Board(KRK))
