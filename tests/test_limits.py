"""The budgets for a move. Pure functions: no clock is read here."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uci_engine.limits import LONGEST_MS, Budget, GoLimits, NodeClock, allot_clock, allot_time

pytestmark = pytest.mark.release_only

OVERHEAD = 10
times = st.integers(-(10**7), 10**9)
increments = st.integers(0, 10**6)
overheads = st.integers(0, 10_000)
moves_to_go = st.integers(0, 1000)


@given(times, increments, moves_to_go, overheads)
def test_no_budget_is_larger_than_what_the_clock_shows(
    time: int, increment: int, moves: int, overhead: int
) -> None:
    budget = allot_clock(time, increment, moves, overhead)
    assert 1 <= budget.soft_ms <= budget.hard_ms
    assert budget.hard_ms <= max(1, time - overhead)


@given(st.integers(100, 10**8), increments, overheads)
def test_half_of_the_clock_is_always_left_in_sudden_death(
    time: int, increment: int, overhead: int
) -> None:
    budget = allot_clock(time, increment, 0, overhead)
    assert budget.hard_ms <= max(1, (time - overhead) / 2)


@given(times, st.integers(0, 10**6), increments, moves_to_go)
def test_more_time_never_means_a_smaller_budget(
    time: int, more: int, increment: int, moves: int
) -> None:
    less = allot_clock(time, increment, moves, OVERHEAD)
    longer = allot_clock(time + more, increment, moves, OVERHEAD)
    assert longer.soft_ms >= less.soft_ms
    assert longer.hard_ms >= less.hard_ms


@pytest.mark.parametrize(
    ("limits", "white", "expected"),
    [
        pytest.param(GoLimits(), True, Budget(), id="nothing"),
        pytest.param(GoLimits(depth=5, nodes=3, mate=2), True, Budget(), id="no-time"),
        pytest.param(GoLimits(movetime=500), True, Budget(0, 490), id="movetime"),
        pytest.param(GoLimits(movetime=1), True, Budget(0, 1), id="tiny-movetime"),
        pytest.param(GoLimits(movetime=-5), True, Budget(0, 1), id="negative-movetime"),
        pytest.param(GoLimits(wtime=-100, btime=10**6), True, Budget(1, 1), id="negative-clock"),
        pytest.param(GoLimits(wtime=0, btime=10**6), True, Budget(1, 1), id="empty-clock"),
        pytest.param(GoLimits(wtime=1, winc=10**6), True, Budget(1, 1), id="only-increment"),
    ],
)
def test_budgets(limits: GoLimits, white: bool, expected: Budget) -> None:
    assert allot_time(limits, white, OVERHEAD) == expected


def test_each_side_has_its_own_clock() -> None:
    limits = GoLimits(wtime=60_000, btime=1_000, winc=0, binc=100)
    assert allot_time(limits, True, 0) == allot_clock(60_000, 0, 0, 0)
    assert allot_time(limits, False, 0) == allot_clock(1_000, 100, 0, 0)


def test_one_clock_serves_both_sides() -> None:
    limits = GoLimits(wtime=60_000, winc=500)
    assert allot_time(limits, True, 0) == allot_clock(60_000, 500, 0, 0)
    assert allot_time(limits, False, 0) == allot_clock(60_000, 0, 0, 0)


def test_movetime_bounds_what_the_clock_would_allow() -> None:
    limits = GoLimits(wtime=600_000, movetime=100)
    assert allot_time(limits, True, OVERHEAD) == Budget(90, 90)
    assert allot_time(GoLimits(wtime=2_000, movetime=10**6), True, OVERHEAD) == allot_clock(
        2_000, 0, 0, OVERHEAD
    )


def test_the_share_of_a_move_is_a_few_percent() -> None:
    budget = allot_clock(60_000, 0, 0, 0)
    assert 0.02 <= budget.soft_ms / 60_000 <= 0.05
    assert budget.hard_ms == pytest.approx(5 * budget.soft_ms, rel=0.01)


def test_the_last_move_before_the_time_control_may_use_most_of_the_clock() -> None:
    last, second_last = allot_clock(10_000, 0, 1, 0), allot_clock(10_000, 0, 2, 0)
    assert 5_000 < last.soft_ms <= last.hard_ms <= 8_000
    assert 3_000 < second_last.soft_ms <= second_last.hard_ms < 7_000


def test_huge_numbers_fit_the_core() -> None:
    for limits in (
        GoLimits(wtime=10**30, winc=10**30),
        GoLimits(wtime=10**30, winc=10**30, movestogo=1000),
        GoLimits(movetime=10**30),
    ):
        assert max(allot_time(limits, True, 0)) <= LONGEST_MS


@pytest.mark.parametrize("lag", [0, 2, 5])
@pytest.mark.parametrize(
    ("time", "increment", "moves"),
    [(100, 10, 0), (100, 0, 0), (1_000, 10, 0), (3_000, 30, 0), (60_000, 0, 40), (1_000, 0, 40)],
)
def test_a_game_at_the_hard_limit_does_not_lose_on_time(
    time: int, increment: int, moves: int, lag: int
) -> None:
    """The worst case: every move takes all that it may, and is a little late."""
    overhead = OVERHEAD
    clock, left = time, moves
    for _ in range(moves or 40):
        clock -= allot_clock(clock, increment, left, overhead).hard_ms + lag
        if increment == 0 and moves == 0 and clock < 2 * overhead:
            return  # a clock that only falls runs out in the end
        assert clock >= 0
        clock += increment
        left = max(left - 1, 0)


@pytest.mark.parametrize("lag", [1, 3])
@pytest.mark.parametrize("time", [1_000, 2_000, 5_000])
def test_a_clock_without_increment_lasts_for_a_long_game(time: int, lag: int) -> None:
    """Late by `lag` each time, there is half a second left after 60 moves but for what was lost
    on the way, and a move's overhead even after 150."""
    clocks = [time]
    for _ in range(150):
        clocks.append(clocks[-1] - allot_clock(clocks[-1], 0, 0, OVERHEAD).soft_ms - lag)
    assert clocks[60] >= 500 - 60 * lag
    assert clocks[150] >= OVERHEAD


@pytest.mark.parametrize("lag", [1, 3, OVERHEAD])
def test_a_time_control_is_reached_with_time_in_hand(lag: int) -> None:
    clock = 1_000
    for left in range(40, 0, -1):
        clock -= allot_clock(clock, 0, left, OVERHEAD).soft_ms + lag
        assert clock >= 5 * OVERHEAD


@given(st.integers(1, 10**7), st.integers(0, 1000), st.integers(0, 1000))
def test_an_increment_that_pays_for_the_overhead_needs_nothing_set_aside(
    time: int, increment: int, overhead: int
) -> None:
    """Then a larger overhead costs no more than itself."""
    increment += overhead
    assert allot_clock(time + overhead, increment, 0, overhead) == allot_clock(
        time, increment, 0, 0
    )


@pytest.mark.parametrize(("time", "increment"), [(100, 10), (1_000, 10), (3_000, 30)])
def test_a_long_game_keeps_some_increments_in_hand(time: int, increment: int) -> None:
    clock = time
    for _ in range(300):
        clock += increment - allot_clock(clock, increment, 0, OVERHEAD).soft_ms - 1
    assert clock >= 5 * increment


def test_a_node_clock_counts_nodes_and_not_time() -> None:
    clock = NodeClock()
    first = clock.allot(GoLimits(wtime=10_000, winc=100), True, 0, 50)
    assert first == 50 * allot_clock(10_000, 100, 0, 0).soft_ms
    clock.take(first)
    # The real clock is not looked at any more.
    second = clock.allot(GoLimits(wtime=1, winc=100), True, 0, 50)
    left = (10_000 * 50 - first + 100 * 50) // 50
    assert second == 50 * allot_clock(left, 100, 0, 0).soft_ms


def test_a_node_clock_is_charged_only_for_what_it_gave() -> None:
    clock = NodeClock()
    clock.allot(GoLimits(wtime=1_000), True, 0, 50)
    clock.take(5_000)
    assert clock.left == 45_000
    clock.take(700)  # of a search that was given nothing
    clock.allot(GoLimits(depth=3), True, 0, 50)
    clock.take(700)
    assert clock.left == 45_000


def test_a_node_clock_without_a_clock() -> None:
    assert NodeClock().allot(GoLimits(movetime=100), True, 20, 7) == 80 * 7
    assert NodeClock().allot(GoLimits(depth=3), True, 20, 7) == 0
