"""Times of rivals: all take turns, and the median of the rounds counts."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping


def timed(work: Callable[[], object], clock: Callable[[], float]) -> float:
    start = clock()
    work()
    return clock() - start


def medians(
    rivals: Mapping[str, Callable[[], object]],
    rounds: int,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, float]:
    """Seconds of each rival; they take turns, so that a slow moment of the machine hits all."""
    times: dict[str, list[float]] = {name: [] for name in rivals}
    for _ in range(rounds):
        for name, work in rivals.items():
            times[name].append(timed(work, clock))
    return {name: statistics.median(values) for name, values in times.items()}
