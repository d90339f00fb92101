"""Values of engine options: held against what the engine declared, before the first game."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import chess.engine
import pytest
from arena_tools import match, program, run, stub
from hypothesis import given
from hypothesis import strategies as st

from uci_engine.arena.players.declared_options import parse_uci_option, parse_xboard_option
from uci_engine.arena.players.spec import EngineSpec
from uci_engine.arena.players.uci_player import UciPlayer

pytestmark = pytest.mark.release_only

OURS = [sys.executable, "-m", "uci_engine"]
ENGINES = ["stockfish", "ethereal-chess", "toga2", "glaurung", "fairy-stockfish", "cythera"]


@pytest.mark.parametrize("name", ENGINES)
def test_options_as_python_chess_reads_them(name: str) -> None:
    command = OURS if name == "cythera" else [program(name)]
    with chess.engine.SimpleEngine.popen_uci(command) as engine:
        theirs = dict(engine.options)
    player = UciPlayer(EngineSpec(tuple(command)))
    player.start()
    player.close()
    assert set(player.options) == {name.lower() for name in theirs}
    for option in theirs.values():
        ours = player.options[option.name.lower()]
        assert (ours.name, ours.kind) == (option.name, option.type)
        assert list(ours.choices) == list(option.var or [])
        if option.type == "spin":
            assert (ours.low, ours.high) == (option.min, option.max)


@given(st.integers(-50, 50), st.integers(0, 60), st.integers(-200, 200) | st.text(max_size=5))
def test_spins_as_python_chess_judges_them(low: int, width: int, value: int | str) -> None:
    high = low + width
    line = f"option name A b type spin default {low} min {low} max {high}"
    option = parse_uci_option(line)
    assert option is not None
    judge = chess.engine.Option("A b", "spin", low, low, high, [])
    try:
        is_good = str(value).isascii() and str(judge.parse(value)) == str(value)
    except (chess.engine.EngineError, ValueError):
        is_good = False
    assert (option.check(str(value)) == "") == is_good


@pytest.mark.parametrize(
    ("line", "good", "bad"),
    [
        ("option name X type spin default 1 min 1 max 9", ["1", "9"], ["0", "10", "x", "", "1.5"]),
        ("option name X type spin min 9 max 1", ["0", "5"], ["x"]),  # upside down: no range
        ("option name X type spin default 5", ["-7", "99999"], ["five"]),
        ("option name X type check default true", ["true", "False"], ["1", "on", ""]),
        ("option name X type combo default a b var a b var C", ["a b", "c"], ["a", "b", ""]),
        ("option name X type button", [""], ["now"]),
        ("option name X type string default <empty>", ["", "a b", "<empty>"], ["a\nquit"]),
        ("option name X type novelty", ["anything"], ["a\rb"]),
    ],
)
def test_values(line: str, good: list[str], bad: list[str]) -> None:
    option = parse_uci_option(line)
    assert option is not None
    assert option.name == "X"
    assert [option.check(value) for value in good] == [""] * len(good)
    for value in bad:
        assert option.check(value).startswith("X ")
        assert repr(value)[1:-1] in option.check(value)


def test_what_is_no_declaration() -> None:
    for line in ("", "id name X", "option name X", "option type spin", "info option name X type x"):
        assert parse_uci_option(line) is None


@pytest.mark.parametrize(
    ("text", "good", "bad"),
    [
        ("Bold play -spin 3 1 9", ["1", "9"], ["10", "x"]),
        ("Bold play -slider 3 1 9", ["1"], ["0"]),
        ("Bold play -combo low /// *high", ["low", "HIGH"], ["*high", "middle"]),
        ("Bold play -check 1", ["true", "false"], ["2"]),
        ("Bold play -button", [""], ["x"]),
        ("Bold play -path /tmp", ["/x y"], ["a\nb"]),
        ("Bold play", ["x"], ["a\nb"]),
    ],
)
def test_values_of_xboard_engines(text: str, good: list[str], bad: list[str]) -> None:
    option = parse_xboard_option(text)
    assert option.name == "Bold play"
    assert [option.check(value) for value in good] == [""] * len(good)
    assert all(option.check(value).startswith("Bold play ") for value in bad)


CASES = [
    (OURS, "Hash=abc", "Hash must be a whole number, not 'abc'"),
    (OURS, "UCI_Elo=500", "UCI_Elo must be from 800 to"),
    (OURS, "Threads=2000000", "Threads must be from 1 to"),
    (OURS, "OwnBook=maybe", "OwnBook is true or false, not 'maybe'"),
    (OURS, "Clear Hash=now", "Clear Hash is a button"),
]


@pytest.mark.parametrize(("command", "option", "words"), CASES)
@pytest.mark.parametrize("given_to", ["--engine", "--each"])
def test_match_refuses(
    command: list[str], option: str, words: str, given_to: str, tmp_path: Path
) -> None:
    settings = [f"cmd={shlex.join(command)}", "name=it"]
    each = ["depth=1"]
    (settings if given_to == "--engine" else each).append(f"option.{option}")
    answer = run(*match(settings, stub(), each=each, extra=["--out", tmp_path / "m"]))
    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr.startswith(f"cythera: it: bad option: {words}")
    assert answer.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_suite_refuses(tmp_path: Path) -> None:
    path = tmp_path / "s.epd"
    path.write_text("6k1/5ppp/8/8/8/8/8/R6K w - - bm Ra8#;\n")
    answer = run("suite", path, "--each", "depth=1", "option.Hash=0")
    assert answer.returncode == 2
    assert answer.stderr.startswith("cythera: cythera: bad option: Hash must be from 1 to")


def test_xboard_engines_refuse(tmp_path: Path) -> None:
    """Phalanx announces `memory`; what `option.Hash` becomes is a number of megabytes."""
    engine = [f"cmd={program('phalanx')}", "proto=xboard", "option.Hash=lots"]
    answer = run(*match(stub(), engine, each=["tc=9"], extra=["--out", tmp_path / "m"]))
    assert answer.returncode == 2
    assert "memory must be a whole number, not 'lots'" in answer.stderr
