"""Which Syzygy tables the tests read: those of three men, or the larger set of CYTHERA_SYZYGY."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lib.suites import DATA

THREE_MEN = DATA / "syzygy"
TABLES = Path(os.environ.get("CYTHERA_SYZYGY") or THREE_MEN)

needs_four_men = pytest.mark.skipif(
    not (TABLES / "KBNvK.rtbw").exists(),
    reason="CYTHERA_SYZYGY does not name a folder with Syzygy tables of four men",
)
