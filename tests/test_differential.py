"""Board against python-chess over seeded random games; scripts/differential plays many more."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import chess
import pytest

from lib.comparison import Start, compare_claims, compare_game, compare_position, random_starts
from lib.suites import PerftLine, all_positions

GAMES = 100
MAX_PLIES = 80

# A run of random games proves something about a rule only if the rule came up in it.
RULES = (
    "capture",
    "castling",
    "en passant",
    "promotion",
    "underpromotion",
    "check",
    "double check",
    "checkmate",
    "stalemate",
    "insufficient material",
    "threefold repetition",
    "fivefold repetition",
    "fifty moves",
    "seventyfive moves",
)


@pytest.mark.parametrize("line", all_positions(), ids=str)
def test_suite_positions_agree(line: PerftLine) -> None:
    board, reference = Start(line.fen, line.chess960).boards()
    compare_position(board, reference)
    compare_claims(board, reference)


def test_random_games_agree_and_meet_every_rule() -> None:
    rng = random.Random(2)
    tally: Counter[str] = Counter()
    for start in itertools.islice(random_starts(rng), GAMES):
        tally += compare_game(start, rng, MAX_PLIES)
    assert tally["positions"] > 3000
    assert [rule for rule in RULES if not tally[rule]] == []


@pytest.mark.parametrize("number", [0, 100, 518, 777, 959])
def test_games_from_chess960_arrays_agree(number: int) -> None:
    start = Start(chess.Board.from_chess960_pos(number).fen(), True)
    compare_game(start, random.Random(number), MAX_PLIES)
