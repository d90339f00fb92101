"""What the scripts share, and some of it the tests."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
