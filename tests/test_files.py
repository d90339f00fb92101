"""Files that are read or written as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from uci_engine.files import read_games, read_text, replace_json, replace_text

pytestmark = pytest.mark.release_only


def test_a_file_is_replaced_by_its_pieces(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("old")
    replace_text(path, (piece for piece in ("new ", "½\n")))
    assert read_text(path) == "new ½\n"
    replace_json(path, {"a": [1]})
    assert read_text(path) == '{\n  "a": [\n    1\n  ]\n}\n'
    assert list(tmp_path.iterdir()) == [path]


def test_a_failure_leaves_the_old_file(tmp_path: Path) -> None:
    def pieces() -> Iterator[str]:
        yield "half of the new one"
        raise KeyboardInterrupt

    path = tmp_path / "f"
    path.write_text("old")
    with pytest.raises(KeyboardInterrupt):
        replace_text(path, pieces())
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_what_is_no_text_is_named(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"\xff")
    with pytest.raises(ValueError, match="/f: not a text file"):
        read_text(path)


@pytest.mark.parametrize("text", ["# Notes (1)\n\n(a) b) [c\n\n1. e5) (\n", "1. e4 e5 2. Ke3 *\n"])
def test_games_that_cannot_be_read_are_one_sentence(
    text: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"games\.pgn.*(not a PGN file|illegal san)"):
        list(read_games(path))
    assert capfd.readouterr().err == ""


def test_games_are_read_one_after_the_other(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text("1. e4 e5 *\n\n1. d4 1-0\n")
    played = [[move.uci() for move in game.mainline_moves()] for game in read_games(path)]
    assert played == [["e2e4", "e7e5"], ["d2d4"]]
