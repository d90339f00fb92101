"""Endings of five, six and seven men, numbered and read as python-chess does it."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import chess
import chess.syzygy
import pytest
from syzygy_writer import write_wdl

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
