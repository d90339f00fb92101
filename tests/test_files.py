"""Files that are read or written as a whole."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from arena_tools import run
from learn_tools import own_games

from uci_engine.files import read_games, read_text, replace_json, replace_text, try_lock
from uci_engine.learn.gamefiles import format_block

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


def test_a_lock_that_was_just_removed_locks_nothing(tmp_path: Path) -> None:
    """By a run that ended between the opening and the locking; the next one makes another."""
    path = tmp_path / "f.lock"
    path.touch()
    with path.open() as lock:
        assert try_lock(lock.fileno(), path)
        path.unlink()
        assert not try_lock(lock.fileno(), path)
        path.touch()
        assert not try_lock(lock.fileno(), path)


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


ENGINES = ["--engine", "cmd=a", "--engine", "cmd=b", "--each", "st=1"]


@pytest.mark.parametrize("name", ["", ".", "..", "/"])
@pytest.mark.parametrize(
    "arguments",
    [
        ["match", *ENGINES, "--out", "{}"],
        ["match", *ENGINES, "--pgn", "{}"],
        ["match", "--resume", "{}"],
        ["suite", "x.epd", "--each", "st=1", "--json", "{}"],
        ["pgn", "x.pgn", "--output", "{}"],
        ["selfplay", "{}"],
        ["train", "{}", "x"],
        ["tune", "x", "{}"],
        ["data", "merge", "{}", "x"],
    ],
    ids=lambda arguments: " ".join(arguments[:2]),
)
def test_names_that_no_file_can_have_are_refused(
    arguments: list[str], name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever something is to be written, and before anything is."""
    monkeypatch.chdir(tmp_path)
    answer = run(*(argument.format(name) for argument in arguments))
    assert answer.returncode == 2
    assert answer.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["train", "{pipe}", "{games}"],
        ["train", "{folder}/out", "{pipe}"],
        ["train", "{folder}/out", "{games}", "--from", "{pipe}"],
        ["tune", "{games}", "{pipe}"],
        ["tune", "{pipe}", "{folder}/out"],
        ["selfplay", "{pipe}"],
        ["data", "merge", "{pipe}", "{games}"],
        ["data", "merge", "{folder}/out", "{pipe}"],
        ["data", "split", "{pipe}", "--aside", "{folder}/out", "{games}"],
        ["data", "split", "{folder}/out", "--aside", "{pipe}", "{games}"],
        ["data", "shuffle", "{pipe}", "{games}"],
        ["data", "show", "{pipe}"],
        ["pgn", "{games}", "--output", "{pipe}"],
        ["match", *ENGINES, "--pgn", "{pipe}"],
        ["suite", "{games}", "--each", "st=1", "--json", "{pipe}"],
    ],
    ids=" ".join,
)
def test_a_pipe_is_neither_waited_for_nor_replaced(arguments: list[str], tmp_path: Path) -> None:
    """As root, /dev/null was once replaced by a file of games."""
    pipe, games = tmp_path / "pipe", tmp_path / "games"
    os.mkfifo(pipe)
    games.write_bytes(format_block(b"".join(own_games(2)), 2))
    words = {"pipe": str(pipe), "games": str(games), "folder": str(tmp_path)}
    answer = run(*(argument.format(**words) for argument in arguments))
    assert answer.returncode == 2
    assert answer.stderr.count("\n") == 1
    assert str(pipe) in answer.stderr
    assert pipe.is_fifo()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["games", "pipe"]


def test_a_pipe_is_what_a_check_names(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    answer = run("data", "check", tmp_path / "pipe")
    assert answer.returncode == 1
    assert answer.stdout.endswith("pipe: a pipe or a socket, not a file\n")


@pytest.mark.parametrize("arguments", [["learn", ""], ["lab", "all", "--out", ""]], ids=str)
def test_no_name_is_not_the_directory_one_is_in(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = run(*arguments)
    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr.endswith("the name is empty\n")
    assert list(tmp_path.iterdir()) == []
