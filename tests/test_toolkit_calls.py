"""Any method with any arguments, right or wrong: python-chess's answer or its kind of error."""

from __future__ import annotations

import random

import pytest
from board_calls import METHODS, call_both, choose_arguments, is_understood_by_us_alone

from lib.comparison import random_starts


@pytest.mark.parametrize("seed", range(4))
def test_any_call_is_answered_as_by_python_chess(seed: int) -> None:
    rng = random.Random(seed)
    starts = random_starts(rng)
    refused = 0
    for _ in range(2500):
        name = rng.choice(METHODS)
        arguments = choose_arguments(name, rng)
        board, reference = next(starts).boards()
        if not reference.has_legal_en_passant():
            reference.ep_square = None  # ours is kept only while it can be used
        if not is_understood_by_us_alone(reference, arguments):
            refused += not call_both(board, reference, name, arguments)
    assert refused > 300
