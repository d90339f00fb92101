"""Does an installed wheel start as quickly as the checkout?"""

from __future__ import annotations

import subprocess
from functools import partial
from pathlib import Path

from lib.timing import medians

IMPORT = "from uci_engine import Board"
STARTS = {"to uciok": ["-m", "uci_engine"], "import": ["-c", IMPORT]}
# What the machine's moods don't explain; both have to be passed.
SLOW_RATIO, SLOW_S = 1.15, 0.005


def is_slow(seconds: float, than: float) -> bool:
    return seconds > SLOW_RATIO * than and seconds > than + SLOW_S


def compare_starts(wheel: Path, checkout: Path, rounds: int) -> tuple[list[str], list[str]]:
    """Lines of a table and what is wrong, by the two Pythons, which take turns."""
    lines, problems = [], []
    for label, program in STARTS.items():
        starts = {
            name: partial(subprocess.check_output, [python, "-I", *program], input=b"uci\nquit\n")
            for name, python in (("wheel", wheel), ("checkout", checkout))
        }
        times = medians(starts, rounds)
        told = ", ".join(f"{name} {1000 * seconds:.0f} ms" for name, seconds in times.items())
        lines.append(f"{label:<12}{told}")
        if is_slow(times["wheel"], times["checkout"]):
            problems.append(f"the wheel starts too slowly ({label}): {told}")
    return lines, problems
