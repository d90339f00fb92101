"""What is said about a search: how often, and in which order."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from core_ext.core import Board, SearchInfo
from uci_engine.report import LINES_AT_ONCE, LONGEST_WAIT_S, Output, Reporter

pytestmark = pytest.mark.release_only


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for end in ends:
        os.close(end)


def block(depth: int, lines: int) -> list[SearchInfo]:
    moves = Board().legal_moves()
    return [
        SearchInfo(depth, multipv=number, nodes=depth, time_ms=1, pv=[moves[number % len(moves)]])
        for number in range(1, lines + 1)
    ]


def heads(said: bytes) -> list[tuple[int, int]]:
    """Depth and number of each line."""
    words = [line.split() for line in said.decode().splitlines()]
    return [(int(line[2]), int(line[6])) for line in words]


@pytest.mark.parametrize("lines", [1, 3])
def test_what_waits_goes_out_by_itself(pipe: tuple[int, int], lines: int) -> None:
    """The newest block, whole, and nothing that it has overtaken."""
    reading, writing = pipe
    reporter = Reporter(Output(writing), Board(), show_wdl=False)
    depth = 0
    while reporter.allowance >= 1:
        depth += 1
        reporter.add(block(depth, lines))
    assert depth * lines <= LINES_AT_ONCE + lines
    told = heads(os.read(reading, 100_000))
    assert told == [(d, n) for d in range(1, depth + 1) for n in range(1, lines + 1)]
    for _ in range(3):
        depth += 1
        reporter.add(block(depth, lines))
    assert heads(os.read(reading, 100_000)) == [(depth, n) for n in range(1, lines + 1)]


@pytest.mark.parametrize("lines", [1, 19, 200])
def test_nothing_waits_long(pipe: tuple[int, int], lines: int) -> None:
    _, writing = pipe
    reporter = Reporter(Output(writing), Board(), show_wdl=False)
    depth = 0
    while reporter.timer is None:
        depth += 1
        reporter.add(block(depth, lines))
    assert 0 < reporter.timer.interval <= LONGEST_WAIT_S
    reporter.finish(block(depth, lines))


def test_nothing_goes_out_behind_the_last_word(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    reporter = Reporter(Output(writing), Board(), show_wdl=False)
    for depth in range(1, LINES_AT_ONCE + 5):
        reporter.add(block(depth, 1))
    timer = reporter.timer
    assert timer is not None
    reporter.finish(block(99, 2))
    timer.join()
    told = heads(os.read(reading, 100_000))
    assert told[-2:] == [(99, 1), (99, 2)]
    assert reporter.best_pv == [Board().legal_moves()[1]]
    os.set_blocking(reading, False)
    with pytest.raises(BlockingIOError):
        os.read(reading, 1)


def test_the_same_is_not_said_twice(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    reporter = Reporter(Output(writing), Board(), show_wdl=False)
    reporter.add(block(3, 2))
    reporter.finish([info._replace(time_ms=7) for info in block(3, 2)])
    assert heads(os.read(reading, 100_000)) == [(3, 1), (3, 2)]
