"""Text of others: of bounded length, without control characters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uci_engine.text import LONGEST, is_tame, tame

pytestmark = pytest.mark.release_only


@given(st.text(st.characters(), max_size=3 * LONGEST))
def test_whatever_it_is_it_can_be_shown(text: str) -> None:
    shown = tame(text)
    assert len(shown) == min(len(text), LONGEST)
    assert len(shown.splitlines()) <= 1
    assert not {letter for letter in shown if ord(letter) < 32 or 127 <= ord(letter) < 160}
    assert is_tame(shown)
    assert tame(shown) == shown


@given(st.text("abc XYZ -'é漢", max_size=LONGEST))
def test_what_can_be_shown_stays(text: str) -> None:
    assert tame(text) == text


def test_a_terminal_is_not_spoken_to() -> None:
    assert tame("\x1b[2Jred\r\nalert\x07\x9b") == "�[2Jred��alert��"
