"""What the scripts that compare millions of positions share: progress, the first fault, the end."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterable

PROGRESS_SECONDS = 2.0
INTERRUPTED = 130

# A round's number, what came up in it, and what is wrong in it, if something is.
Round = tuple[int, Counter[str], str]


def compare_all(rounds: Iterable[Round], wanted: int, where: str) -> int:
    """The exit code; what came up is printed at the end. `where` names a round: `game {} of …`."""
    tally: Counter[str] = Counter()
    try:
        code = add_rounds(rounds, wanted, where, tally)
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
        code = INTERRUPTED
    print("\n" + ", ".join(f"{what} {number:,}" for what, number in tally.most_common()))
    return code


def add_rounds(rounds: Iterable[Round], wanted: int, where: str, tally: Counter[str]) -> int:
    """Until enough positions are compared, or a fault is found."""
    started = shown = time.monotonic()
    for number, found, complaint in rounds:
        tally += found
        if complaint:
            print(f"\n{where.format(number)}: {complaint}", file=sys.stderr)
            return 1
        if tally["positions"] >= wanted:
            break
        if time.monotonic() - shown > PROGRESS_SECONDS:
            shown = time.monotonic()
            show_progress(tally["positions"], wanted, shown - started)
    return 0


def show_progress(done: int, wanted: int, elapsed: float) -> None:
    left = elapsed * (wanted - done) / done if done else 0.0
    print(
        f"\r{done:,} of {wanted:,} positions, {done / elapsed:,.0f} a second, {left:,.0f} s left ",
        end="",
        file=sys.stderr,
        flush=True,
    )
