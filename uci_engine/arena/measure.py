"""What the runner itself costs: any command of the arena, with its own processor time and memory.

    python -m uci_engine.arena.measure match --engine … --games 10000

RUSAGE_CHILDREN counts engines that have ended, and all have when the command is over.
"""

from __future__ import annotations

import resource
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from uci_engine.cli import main as run_command

SAMPLE_EVERY = 1.0  # seconds


def resident_kb() -> int:
    """This process's memory now, from the kernel's books."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0


def processor_seconds(who: int) -> float:
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def main(arguments: Sequence[str]) -> int:
    samples: list[tuple[float, int]] = []
    done = threading.Event()
    start = time.monotonic()

    def sample() -> None:
        while not done.wait(SAMPLE_EVERY):
            samples.append((time.monotonic() - start, resident_kb()))

    watcher = threading.Thread(target=sample)
    watcher.start()
    try:
        code = run_command(list(arguments))
    finally:
        done.set()
        watcher.join()
    wall = time.monotonic() - start
    own = processor_seconds(resource.RUSAGE_SELF)
    engines = processor_seconds(resource.RUSAGE_CHILDREN)
    print(f"runner {own:.2f} s, engines {engines:.2f} s of processor time in {wall:.1f} s")
    print(f"the engines' share is {100 * engines / (own + engines):.1f} %")
    for tenth in range(0, 11, 2):
        if samples:
            when, memory = samples[min(len(samples) - 1, len(samples) * tenth // 10)]
            print(f"after {when:6.1f} s: {memory / 1024:.1f} MB")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
