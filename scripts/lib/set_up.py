"""Imported first by a script, runs it in the checkout's own environment, set up if need be.

`scripts/bench_perft` is all that has to be typed then, in a fresh clone too. A script that is given
to the environment's Python already goes on with what is there.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from lib import ROOT

ENVIRONMENT = ROOT / ".venv"


def enter_environment() -> None:
    if Path(sys.prefix).resolve() == ENVIRONMENT.resolve():
        return
    prepare = ("bash", "-euc", 'source "$0" && prepare')
    status = subprocess.run([*prepare, ROOT / "scripts/lib/setup.bash"], check=False).returncode
    if status:
        sys.exit(status)
    python = str(ENVIRONMENT / "bin" / "python")
    os.execv(python, [python, *sys.argv])


enter_environment()
