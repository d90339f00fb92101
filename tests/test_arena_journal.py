"""An edited journal is refused, by file, line and reason, before anything is written."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from arena_tools import play, run, stub
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.release_only


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The lines of a journal with games of all kinds: from a book, lost by a fault, with mates."""
    directory = tmp_path_factory.mktemp("journal")
    book = directory / "book.pgn"
    book.write_text("1. e4 e5 2. Nf3 *\n\n1. d4 d5 2. c4 *\n")
    extra: list[str | Path] = ["--games", "4", "--openings", book, "--maxmoves", "5"]
    engines = (stub(name="a"), stub("illegal", 6, name="b"))
    play(*engines, out=directory / "m", extra=extra)
    return (directory / "m.jsonl").read_text().splitlines()


def resume(lines: list[str], directory: Path) -> tuple[int, str, dict[str, bytes]]:
    """The exit code, the complaint, and what is written anew beside the journal."""
    for path in directory.iterdir():
        path.unlink()
    journal = directory / "m.jsonl"
    journal.write_text("\n".join(lines) + "\n")
    before = journal.read_bytes()
    answer = run("match", "--resume", directory / "m")
    if answer.returncode:
        assert journal.read_bytes() == before
    others = {path.name: path.read_bytes() for path in directory.iterdir() if path != journal}
    return answer.returncode, answer.stderr, others


def refused(lines: list[str], directory: Path, line: int) -> str:
    """The reason of a refusal that names the line and leaves everything as it is."""
    code, errors, others = resume(lines, directory)
    assert code == 2, errors
    assert others == {}
    assert errors.count("\n") == 1
    assert len(errors) < 1100
    head = f"cythera: {directory}/m.jsonl, line {line}: "
    assert errors.startswith(head), errors
    return errors.removeprefix(head).rstrip()


def change(lines: list[str], line: int, **fields: Any) -> list[str]:
    values = json.loads(lines[line - 1]) | fields
    return [*lines[: line - 1], json.dumps(values), *lines[line:]]


def test_as_it_is(finished: list[str], tmp_path: Path) -> None:
    code, errors, others = resume(finished, tmp_path)
    assert (code, errors) == (0, "")
    assert set(others) == {"m.pgn", "m.json", "m.html"}


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("white", 99, "white is not what the schedule has"),
        ("white", 1, "white is not what the schedule has"),
        ("black", 0, "black is not what the schedule has"),
        ("number", 4, "number is not in the schedule: 4"),
        ("number", -1, "number is not in the schedule: -1"),
        ("number", 10**400, "number is not in the schedule"),
        ("pair", 7, "pair is not what"),
        ("opening_number", 1, "opening_number is not what"),
        ("fen", "8/8/8/8/8/8/8/8 w - - 0 1", "fen is not what"),
        ("chess960", True, "chess960 is not what"),
        ("opening_plies", 0, "opening_plies is not what"),
        ("result", "2-0", "result is not one of a finished game: '2-0'"),
        ("result", "*", "result is not one of"),
        ("reason", "", "reason is empty"),
        ("reason", "checkmate", "reason is not how the moves end"),
        ("reason", "x" * 10**6, "reason is no short line of text"),
        ("detail", "\x1b[2J", "detail is no short line of text"),
        ("guilty", 5, "guilty is none of the players: 5"),
        ("moves", [5], "an item of moves has the wrong type: 5"),
        ("moves", ["e2e5"], "the opening's moves is not what"),
        ("started", 1e308, "started is out of range: 1e+308"),
        ("started", float("inf"), "started has the wrong type"),
        ("started", float("nan"), "started has the wrong type"),
        ("seconds", -1, "seconds is out of range: -1"),
        ("times_ms", [1.0], "times_ms must have 4 items, as many as moves, not 1"),
        ("times_ms", [1, 2, 3, -4], "times_ms is out of range: -4"),
        ("scores", [10**9, 0, 0, 0], "scores is out of range: 1e+09"),
        ("scores", [10**400, 0, 0, 0], "scores is out of range: 10000000000000000000…"),
        ("scores", [True, 0, 0, 0], "an item of scores has the wrong type: True"),
        ("depths", [1, 2, 3, -1], "depths is out of range"),
        ("nodes", [1], "nodes must have 2 items, not 1"),
        ("nodes", [1, 10**30], "nodes is out of range"),
        ("mates", {"0": 3}, "mates has '0', which is no move with such a score"),
        ("mates", {"x": 3}, "mates has 'x'"),
        ("colour", "green", "the game has an unknown field 'colour'"),
    ],
)
def test_one_field_of_a_game(
    field: str, value: Any, reason: str, finished: list[str], tmp_path: Path
) -> None:
    assert reason in refused(change(finished, 2, **{field: value}), tmp_path, 2)


def test_a_game_twice(finished: list[str], tmp_path: Path) -> None:
    reason = refused([*finished[:3], finished[1]], tmp_path, 4)
    number = json.loads(finished[1])["number"] + 1
    assert reason == f"game {number} is there twice"


def test_the_guilty_can_not_win(finished: list[str], tmp_path: Path) -> None:
    line = next(n for n, text in enumerate(finished, 1) if '"guilty":1' in text)
    won = "1-0" if json.loads(finished[line - 1])["white"] == 1 else "0-1"
    lines = change(finished, line, result=won)
    assert refused(lines, tmp_path, line) == "result is a gain for the guilty player"


@pytest.mark.parametrize(
    "text",
    ["[" * 200_000 + "]" * 200_000, '{"a":' * 100_000 + "1" + "}" * 100_000, "null", "[]", "{}", "",
     '{"number": 1e999}', '{"number": ' + "1" * 5000 + "}", "\x00", "{" * 10**6],
)  # fmt: skip
def test_lines_that_are_none(text: str, finished: list[str], tmp_path: Path) -> None:
    assert refused([*finished[:2], text, *finished[2:]], tmp_path, 3)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The ways to all the values in a value."""
    found = [path] if path else []
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            found += places(inner, (*path, key))
    return found


@settings(max_examples=300, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_value_anywhere(data: st.DataObject, finished: list[str], tmp_path: Path) -> None:
    """Every field of every line may hold anything: then it is refused by its line; or, where the
    value is as good as the old one, all the games are there afterwards."""
    line = data.draw(st.integers(1, len(finished)))
    values = json.loads(finished[line - 1])
    # More games would have to be played; that a tournament may be longer is tried elsewhere.
    place = data.draw(st.sampled_from([way for way in places(values) if way != ("games",)]))
    value = data.draw(JSON)
    changed = copy.deepcopy(values)
    inner = changed
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    lines = [*finished[: line - 1], json.dumps(changed), *finished[line:]]
    code, errors, others = resume(lines, tmp_path)
    assert errors.count("\n") == (1 if code else errors.count("goes without it"))
    if code:
        assert code == 2
        assert others == {}
        # Openings and tables are files themselves, and then the ones to name.
        if place[0] not in ("openings", "openings_digest", "adjudication"):
            assert errors.startswith(f"cythera: {tmp_path}/m.jsonl"), errors
            words = "not the journal" if place == ("format",) else f", line {line}: "
            assert words in errors
    else:
        played = (tmp_path / "m.jsonl").read_text().splitlines()[1:]
        assert sorted(json.loads(text)["number"] for text in played) == [0, 1, 2, 3]
        assert json.loads(others["m.json"])["games"] == 4
