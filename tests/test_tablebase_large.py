"""Endings of up to seven men, numbered and read as python-chess does it."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import chess
import chess.syzygy
import pytest
from syzygy_writer import count_files, write_dtz, write_wdl

from lib.endings import random_position
from uci_engine import Board, Tablebase

pytestmark = pytest.mark.release_only

POSITIONS = 100
ENDINGS = [
    # No pawns: three different men lead, or the kings.
    "KQRvKB", "KRRvKB", "KBBvKNN", "KRBvKRB", "KQQQvKRR", "KNNNNNvK",
    # Pawns of one side; the last has as many as may lead.
    "KRPvKN", "KQRvKBP", "KRPPvK", "KPPPPPvK",
    # Pawns of both sides; those of the side with fewer lead.
    "KPPvKP", "KRPvKP", "KPPvKPP", "KBPvKNP", "KPPPvKPP", "KPPPPvKP",
]  # fmt: skip


@pytest.mark.parametrize("name", ENDINGS)
def test_both_probers_number_positions_alike(name: str, tmp_path: Path) -> None:
    write_wdl(tmp_path, name, seed=1)
    rng = random.Random(name)
    seen: Counter[int] = Counter()
    with Tablebase(tmp_path) as tables, chess.syzygy.open_tablebase(str(tmp_path)) as oracle:
        assert tables.most_men == len(name) - 1
        while seen.total() < POSITIONS:
            board = random_position(rng.choice([name, "v".join(reversed(name.split("v")))]), rng)
            if any(board.generate_legal_captures()):
                continue  # these lead to tables that are not here
            expected = oracle.probe_wdl(board)
            assert tables.wdl(Board(board)) == expected, board.fen()
            seen[expected] += 1
    assert len(seen) == 5  # every result, so that chance can't have made them agree


def leads_elsewhere(board: chess.Board) -> bool:
    """To other endings, of which there are no tables, by a move or as an answer to a pawn's."""
    for move in board.legal_moves:
        if board.is_capture(move) or move.promotion:
            return True
        if board.piece_type_at(move.from_square) == chess.PAWN:
            after = board.copy(stack=False)
            after.push(move)
            if any(after.generate_legal_captures()):
                return True
    return False


@pytest.mark.parametrize("widths", [(0,), (1,), (2,), (1, 2)], ids=["none", "1", "2", "1 and 2"])
@pytest.mark.parametrize("name", ["KRBvKN", "KRvKR", "KRPvKN", "KPPvKP"])
def test_both_probers_read_distances_alike(
    name: str, widths: tuple[int, ...], tmp_path: Path
) -> None:
    """With maps of one byte an entry, of two bytes as in some tables of six men, without them, or
    as they come for one file of the first pawn and the next."""
    write_wdl(tmp_path, name, seed=1)
    write_dtz(tmp_path, name, seed=1, widths=widths)
    rng = random.Random(name)
    seen: Counter[int] = Counter()
    with Tablebase(tmp_path) as tables, chess.syzygy.open_tablebase(str(tmp_path)) as oracle:
        assert tables.dtz_count == 1
        while seen.total() < POSITIONS:
            board = random_position(rng.choice([name, "v".join(reversed(name.split("v")))]), rng)
            if board.is_game_over() or leads_elsewhere(board):
                continue
            result = oracle.probe_wdl(board)
            if result == 0 or oracle.probe_dtz_table(board, result)[1] < 0:
                continue  # of the other side to move the table has nothing
            expected = oracle.probe_dtz(board)
            assert tables.dtz(Board(board)) == expected, board.fen()
            seen[expected] += 1
    assert len(seen) > 30
    has_wide_maps = 2 in widths[: count_files(name)]
    assert (max(map(abs, seen)) > 2 * 255 + 101) == has_wide_maps
