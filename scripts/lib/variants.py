"""Builds of the core that differ in how they are compiled, each in a folder of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lib import ROOT

PLACE = ROOT / "build" / "variants"
# What is set for another build, or another Python, must not leak into these.
FOREIGN = re.compile(r"CYTHERA_(ARCH|DEBUG|LEVEL|PGO|SANITIZE|TUNE)|PYTHON(HOME|PATH)")
ENVIRONMENT = {name: value for name, value in os.environ.items() if not FOREIGN.fullmatch(name)}
OUTCOME = re.compile(r"(\d+) nodes (\d+) nps")


@dataclass(frozen=True)
class Outcome:
    """Of a bench."""

    nodes: int
    speed: int  # nodes a second


@dataclass(frozen=True)
class Variant:
    """Named as on the command line: `native`, `x86-64-v3+pgo`, `native+clang`."""

    arch: str
    is_profiled: bool = False
    is_clang: bool = False

    @classmethod
    def parse(cls, name: str) -> Variant:
        arch, *marks = name.split("+")
        if not arch or len(set(marks)) < len(marks) or not {*marks} <= {"pgo", "clang"}:
            raise ValueError(
                f"{name!r} is no build: an architecture, and +pgo or +clang where they are wanted"
            )
        return cls(arch, "pgo" in marks, "clang" in marks)

    @property
    def name(self) -> str:
        return self.arch + "+pgo" * self.is_profiled + "+clang" * self.is_clang

    @property
    def place(self) -> Path:
        return PLACE / self.name

    @property
    def environment(self) -> dict[str, str]:
        settings = {"CYTHERA_ARCH": self.arch, "CYTHERA_PGO": str(int(self.is_profiled))}
        if self.is_clang:
            settings |= {"CC": "clang", "LDSHARED": "clang -shared"}
        return {**ENVIRONMENT, **settings}

    def build(self) -> None:
        folders = ["--build-lib", str(self.place), "--build-temp", f"{self.place}-temp"]
        run([sys.executable, "setup.py", "--quiet", "build", *folders], self.environment)

    def cythera(self, *arguments: str) -> str:
        """What the command says on stdout."""
        environment = {**ENVIRONMENT, "PYTHONPATH": str(self.place)}
        return run([sys.executable, "-m", "uci_engine", *arguments], environment, self.place)

    def bench(self, depth: int) -> Outcome:
        return read_outcome(self.cythera("bench", str(depth)))


def read_outcome(text: str) -> Outcome:
    found = OUTCOME.fullmatch(text.strip().rpartition("\n")[2])
    if not found:
        raise ValueError(f"bench ended with {text[-80:]!r}")
    return Outcome(int(found[1]), int(found[2]))


def run(command: Sequence[str | Path], environment: dict[str, str], place: Path = ROOT) -> str:
    """A ValueError with the last of what it said when it fails."""
    answer = subprocess.run(
        command,
        env=environment,
        cwd=place,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if answer.returncode:
        said = (answer.stderr or answer.stdout).strip()[-2000:]
        raise ValueError(
            f"{' '.join(map(str, command[:4]))} ended with {answer.returncode}: {said}"
        )
    return answer.stdout
