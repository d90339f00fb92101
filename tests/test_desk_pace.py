"""The pace of a level: believable times that no clock is lost by."""

from __future__ import annotations

from random import Random
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uci_engine.desk.pace import LONGEST_S, Moment, think_time

pytestmark = pytest.mark.release_only


def times(moment: Moment) -> list[float]:
    random = Random(1)
    return [think_time(moment, random) for _ in range(400)]


@given(
    move_number=st.integers(1, 6000),
    legal_moves=st.integers(1, 218),
    is_recapture=st.booleans(),
    left=st.none() | st.floats(0, 1e7),
    increment=st.floats(0, 1e7),
    seed=st.integers(0, 100),
)
def test_no_move_takes_what_the_clock_lacks(
    move_number: int,
    legal_moves: int,
    is_recapture: bool,
    left: float | None,
    increment: float,
    seed: int,
) -> None:
    moment = Moment(move_number, legal_moves, is_recapture, left, increment)
    seconds = think_time(moment, Random(seed))
    assert 0 <= seconds <= LONGEST_S
    assert left is None or seconds <= left / 2


def test_the_same_seed_has_the_same_times() -> None:
    moment = Moment(20, 30)
    assert think_time(moment, Random(7)) == think_time(moment, Random(7))
    assert think_time(moment, Random(7)) != think_time(moment, Random(8))


def test_what_is_easy_is_quick() -> None:
    usual = median(times(Moment(20, 30)))
    assert median(times(Moment(1, 20))) < usual
    assert median(times(Moment(20, 1))) < usual
    assert median(times(Moment(20, 30, is_recapture=True))) < usual
    assert median(times(Moment(20, 30, left=20.0))) < median(times(Moment(20, 30, left=200.0)))


def test_most_moves_take_seconds_and_they_differ() -> None:
    seconds = times(Moment(20, 30))
    assert sum(1 < time < 15 for time in seconds) > 300
    assert len(set(seconds)) > 300


@pytest.mark.parametrize(("base", "increment"), [(60.0, 0.0), (300.0, 3.0), (10.0, 0.1)])
def test_a_whole_game_of_such_moves_stays_within_its_clock(base: float, increment: float) -> None:
    random, left = Random(3), base
    for number in range(1, 200):
        left -= think_time(Moment(number, 30, left=left, increment=increment), random)
        assert left > 0
        left += increment
