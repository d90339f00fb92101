"""What others wrote: numbers and words of engines, files of other programs, names."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import chess.pgn
import pytest
from arena_stub import HUGE
from arena_tools import command, games, match, play, run, stub
from hypothesis import example, given, settings
from hypothesis import strategies as st
from uci_process import ENVIRONMENT, TIMEOUT

from uci_engine import Board
from uci_engine.arena.play.description import Description
from uci_engine.arena.play.openings import OpeningSource, load_openings
from uci_engine.arena.players.player import Answer
from uci_engine.arena.players.said import LONGEST_MATE, MOST_DEPTH, MOST_NODES, MOST_SCORE
from uci_engine.arena.players.spec import EngineSpec, name_engines
from uci_engine.arena.players.uci_player import read_info
from uci_engine.arena.players.xboard_player import as_uci, move_in, read_thought
from uci_engine.arena.results.game_pgn import COMMENT_STYLES, PgnWriter
from uci_engine.arena.results.journal import read_games
from uci_engine.text import LONGEST, is_tame, tame

pytestmark = pytest.mark.release_only

FEW: list[str | Path] = ["--games", "2", "--openings", "start", "--maxmoves", "5"]
MATE = "6k1/5ppp/8/8/8/8/8/R6K w - -"


# Numbers that an engine says


NUMBERS = (
    st.integers().map(str)
    | st.integers(5, 500).map(lambda count: "9" * count)
    | st.integers(5, 500).map(lambda count: "-" + "9" * count)
    | st.floats().map(str)
    | st.text(max_size=10)
    | st.sampled_from(["", "+5", "1_0", "0x10", "\u0663", "--1", "1e9", "nan", "-"])
)


def check_bounds(answer: Answer) -> None:
    assert answer.score is None or abs(answer.score) <= MOST_SCORE
    assert answer.mate is None or abs(answer.mate) <= LONGEST_MATE
    assert answer.depth is None or 0 <= answer.depth <= MOST_DEPTH
    assert answer.nodes is None or 0 <= answer.nodes <= MOST_NODES


@settings(max_examples=300)
@given(
    st.lists(st.tuples(st.sampled_from(["depth", "nodes", "cp", "mate", "score", "x"]), NUMBERS))
)
@example([("cp", "9" * 400)])
def test_numbers_in_uci(pairs: list[tuple[str, str]]) -> None:
    answer = Answer("e2e4", 1)
    line = "info " + " ".join(f"{key} {number}" for key, number in pairs)
    read_info(line.encode("utf-8", "replace"), answer)
    check_bounds(answer)


@settings(max_examples=300)
@given(st.lists(NUMBERS, max_size=6))
@example(["9" * 400, "9" * 400, "9" * 400, "9" * 400])
@example(["5", "1" + "0" * 400, "1", "1"])
def test_numbers_in_xboard(numbers: list[str]) -> None:
    answer = Answer("e2e4", 1)
    read_thought(" ".join(numbers).encode("utf-8", "replace"), answer)
    check_bounds(answer)


@given(st.binary(max_size=80))
def test_words_in_xboard(line: bytes) -> None:
    """Anything may come as a move; what it is not is an exception."""
    assert isinstance(as_uci(move_in(b"move " + line), Board()), str)


def test_numbers_that_are_read_exactly() -> None:
    answer = Answer("e2e4", 1)
    read_info(b"info depth 12 seldepth 20 score cp -345 nodes 123456789 nps 5 pv e2e4", answer)
    assert (answer.depth, answer.score, answer.nodes) == (12, -345, 123456789)
    read_thought(b"9 100003 12 77 e2e4", answer)
    assert (answer.depth, answer.mate, answer.nodes) == (9, 3, 77)


@pytest.mark.parametrize("behaviour", HUGE)
def test_no_number_ends_a_match(behaviour: str, tmp_path: Path) -> None:
    out = tmp_path / "m"
    results = play(stub(), stub(behaviour, name="it"), out=out, extra=FEW, each=["tc=60"])
    assert results["reasons"] == {"adjudicated draw": 2}
    specs = Description.read(out.with_suffix(".jsonl")).engines
    for style in COMMENT_STYLES:
        writer = PgnWriter(specs, comments=style)
        text = "".join(writer.text(game) for game in read_games(out.with_suffix(".jsonl")))
        assert style != "tags" or text == out.with_suffix(".pgn").read_text()
        assert max(len(line) for line in text.splitlines()) < 120
        stream = io.StringIO(text)
        while (game := chess.pgn.read_game(stream)) is not None:
            assert not game.errors
    again = run("match", "--resume", out, "--games", "4")
    assert again.returncode == 0, again.stderr
    assert len(games(out)) == 4


@pytest.mark.parametrize("behaviour", HUGE)
def test_no_number_bends_a_suite(behaviour: str, tmp_path: Path) -> None:
    path = tmp_path / "s.epd"
    path.write_text(f"{MATE} bm Ra8#;\n")
    answer = run("suite", path, "--engine", *stub(behaviour), "--each", "st=1")
    assert answer.returncode == 0, answer.stderr
    assert max(len(line) for line in answer.stdout.splitlines()) < 120


# Words


@given(st.text())
def test_tamed_text_is_one_short_line(text: str) -> None:
    assert is_tame(tame(text))
    assert len(tame(text)) <= LONGEST
    assert tame(text) == text or not is_tame(text)


@given(st.lists(st.text(min_size=1), min_size=1, max_size=4, unique_by=tame))
def test_names_are_tame(names: list[str]) -> None:
    specs = [EngineSpec(("x",), name) for name in names]
    with contextlib.suppress(ValueError):  # two that begin alike
        assert all(is_tame(spec.name) for spec in name_engines(specs))


def test_control_characters_go_nowhere(tmp_path: Path) -> None:
    out = tmp_path / "m"
    rude = stub("garbage", 4, name="\x1b[2Jbell\x07\u202ename\r\n")
    arguments = match(stub(), rude, each=["tc=60"], extra=[*FEW, "--out", out])
    answer = run(*arguments)
    assert answer.returncode == 0, answer.stderr
    written = [out.with_suffix(kind).read_text() for kind in (".pgn", ".json", ".html", ".jsonl")]
    for text in (answer.stdout, answer.stderr, *written):
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text)
    assert games(out)[0]["guilty"] == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["match", "--engine", "x" * 2_000_000],
        ["match", "--engine", "cmd=x", "tc=" + "9" * 2_000_000],
        ["match", "--openings", "x" * 2_000_000, "--engine", "cmd=a", "--engine", "cmd=b",
         "--each", "st=1"],
        ["match", "--engine", "cmd=" + "x" * 2_000_000, "--engine", "cmd=b", "--each", "st=1"],
        ["suite", "x" * 2_000_000],
        ["match", "--draw", "\x1b[2J" * 1000],
    ],
)  # fmt: skip
def test_long_values_are_shortened(arguments: list[str]) -> None:
    answer = run(*arguments)
    assert answer.returncode == 2
    assert answer.stderr.count("\n") == 1
    assert len(answer.stderr) < 1100
    assert answer.stderr.rstrip("\n").isprintable()


# Files


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom", "/dev/null"])
@pytest.mark.parametrize("option", ["--openings", "--engines", "suite"])
def test_devices_are_refused(device: str, option: str) -> None:
    arguments = ["suite", device, "--each", "st=1"]
    if option == "--openings":
        arguments = [str(a) for a in match(stub(), ["cmd=x"], extra=["--openings", device])]
    elif option == "--engines":
        arguments = [str(a) for a in match(stub(), ["conf=x"], extra=["--engines", device])]
    answer = run(*arguments)
    assert answer.returncode == 2
    assert answer.stderr == f"cythera: {device}: a device, not a file\n"


def test_byte_order_marks(tmp_path: Path) -> None:
    path = tmp_path / "o.epd"
    path.write_bytes(b"\xef\xbb\xbf" + f"{MATE} bm Ra8#;\r\n".encode())
    (opening,) = load_openings(OpeningSource(str(path)), 1)
    assert opening.fen == f"{MATE} 0 1"
    answer = run("suite", path, "--each", "depth=2", "--quiet")
    assert "100.0%" in answer.stdout
    pgn = tmp_path / "o.pgn"
    pgn.write_bytes(b'\xef\xbb\xbf[Event "x"]\n\n1. e4 e5 *\n')
    assert load_openings(OpeningSource(str(pgn)), 1)[0].moves == ("e2e4", "e7e5")
    engines = tmp_path / "engines.json"
    engines.write_bytes(b'\xef\xbb\xbf[{"name": "x", "command": "/none/x"}]')
    answer = run(*match(stub(), ["conf=x"], extra=["--engines", engines]))
    assert "/none/x: No such file" in answer.stderr


@pytest.mark.parametrize("letter", ["[", "(", "{", "]", "}", "<", ";", "%", "\n"])
def test_a_million_brackets_are_no_opening(letter: str, tmp_path: Path) -> None:
    path = tmp_path / "o.pgn"
    path.write_text(letter * 1_000_000)
    with pytest.raises(ValueError, match=r"o\.pgn"):
        load_openings(OpeningSource(str(path)), 1)


def test_a_null_move_is_no_opening(tmp_path: Path) -> None:
    path = tmp_path / "o.pgn"
    path.write_text("1. e4 e5 *\n\n1. e4 -- 2. d4 *\n")
    with pytest.raises(ValueError, match=r"o\.pgn, game 2: a null move"):
        load_openings(OpeningSource(str(path)), 2)


@settings(max_examples=200)
@given(st.text(alphabet='[](){}<>;%"*01-/.\n eNfKOx=+#$"', max_size=120) | st.binary(max_size=80))
def test_any_text_as_openings(tmp_path_factory: pytest.TempPathFactory, text: str | bytes) -> None:
    """Openings from which there is something to play, or a ValueError."""
    directory = tmp_path_factory.getbasetemp()
    for kind in ("pgn", "epd", "bin"):
        path = directory / f"any.{kind}"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        openings = []
        with contextlib.suppress(ValueError):
            openings = load_openings(OpeningSource(str(path)), 4)
        for opening in openings:
            board = Board(opening.fen)
            for move in opening.moves:
                board.push_uci(move)
            assert board.legal_count()


@pytest.mark.parametrize(
    "text",
    ["[" * 200_000, '[{"name": "x", "command": "x\\u0000"}]',
     '[{"name": "x", "command": "\\ud800"}]',
     '[{"name": "\\u001b", "command": "/none"}]', '[{"name": ' + "9" * 5000 + "}]"],
)  # fmt: skip
def test_hostile_engines_file(text: str, tmp_path: Path) -> None:
    path = tmp_path / "engines.json"
    path.write_text(text)
    name = "\x1b" if "001b" in text else "x"
    answer = run(*match(stub(), [f"conf={name}"], extra=["--engines", path]))
    assert answer.returncode == 2
    assert answer.stderr.count("\n") == 1
    assert answer.stderr.rstrip("\n").isprintable()


# The end


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc to look at")
@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGHUP, signal.SIGTERM])
def test_no_engine_outlives_the_runner(sign: signal.Signals, tmp_path: Path) -> None:
    """Not even one that is deaf to the end of its input."""
    note = tmp_path / "pid"
    arguments = match(
        stub(), [*stub("deaf"), f"arg={note}"], each=["tc=99"],
        extra=["--games", "9", "--openings", "start", "--out", tmp_path / "m"],
    )  # fmt: skip
    with subprocess.Popen(
        command(*arguments), env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as runner:
        while not note.exists() or not note.read_text():
            assert runner.poll() is None
            time.sleep(0.05)
        time.sleep(0.2)
        engine = int(note.read_text().split()[-1])
        assert alive(engine)
        runner.send_signal(sign)
        runner.wait(TIMEOUT)
    for _ in range(200):
        if not alive(engine):
            break
        time.sleep(0.05)
    try:
        assert not alive(engine)
    finally:
        if alive(engine):
            os.kill(engine, signal.SIGKILL)


def test_nohup_is_respected(tmp_path: Path) -> None:
    out = tmp_path / "m"
    arguments = match(
        stub(name="a"), stub(name="b"), extra=["--games", "40", "--out", out, *FEW[2:]]
    )
    with subprocess.Popen(
        ["nohup", *command(*arguments)], env=ENVIRONMENT, stdout=subprocess.PIPE, text=True,
        stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as runner:  # fmt: skip
        assert runner.stdout is not None
        while "3/40 " not in runner.stdout.readline():
            assert runner.poll() is None
        runner.send_signal(signal.SIGHUP)
        runner.communicate(timeout=TIMEOUT)
    assert runner.returncode == 0
    assert json.loads(out.with_suffix(".json").read_text())["games"] == 40
