"""`cythera match` from outside: its files, its resumption, its complaints."""

from __future__ import annotations

import itertools
import json
import os
import random
import re
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import chess.polyglot
import pytest
from arena_tools import command, games, match, play, run, stub
from syzygy_tables import THREE_MEN
from uci_process import ENVIRONMENT, TIMEOUT

pytestmark = pytest.mark.release_only

SHORT: list[str | Path] = ["--openings", "start", "--maxmoves", "6"]
HUGE = 10**20  # no integer of the core's
PAIR = (stub(name="a"), stub(name="b"))


def read_pgn(path: Path) -> list[chess.pgn.Game]:
    found = []
    with path.open() as text:
        while (game := chess.pgn.read_game(text)) is not None:
            assert not game.errors
            found.append(game)
    return found


def test_files_agree(tmp_path: Path) -> None:
    out = tmp_path / "m"
    results = play(*PAIR, out=out, extra=["--games", "6", "--concurrency", "2", "--maxmoves", "6"])
    played = games(out)
    assert results["games"] == results["of"] == len(played) == 6
    pgn = {game.headers["Round"].split(".")[1]: game for game in read_pgn(tmp_path / "m.pgn")}
    assert len(pgn) == 6
    for record in played:
        game = pgn[str(record["number"] + 1)]
        assert game.headers["White"] == "ab"[record["white"]]
        assert game.headers["Result"] == record["result"]
        assert game.headers["FEN"] == record["fen"]
        assert [move.uci() for move in game.mainline_moves()] == record["moves"]
    first, second = (r for r in sorted(played, key=lambda r: r["number"]) if r["pair"] == 0)
    assert first["fen"] == second["fen"]
    assert (first["white"], first["black"]) == (second["black"], second["white"])


@pytest.mark.parametrize("style", ["tags", "cutechess", "none"])
def test_comments(style: str, tmp_path: Path) -> None:
    out = tmp_path / "m"
    play(*PAIR, out=out, extra=["--games", "1", *SHORT, "--comments", style])
    game = read_pgn(tmp_path / "m.pgn")[0]
    record = games(out)[0]
    node = game.next()
    assert node is not None
    if style == "tags":
        score = node.eval()
        assert score is not None
        assert score.white().score() == record["scores"][0]
        assert node.eval_depth() == 1
        emt = node.emt()
        assert emt is not None
        assert abs(emt - record["times_ms"][0] / 1000) < 0.002
    elif style == "cutechess":
        assert re.fullmatch(r"[+-]\d+\.\d\d/1 \d+\.\d{3}s", node.comment)
    else:
        assert node.comment == ""


def test_pgn_openings_are_marked(tmp_path: Path) -> None:
    book = tmp_path / "book.pgn"
    book.write_text("1. e4 e5 2. Nf3 *\n")
    play(*PAIR, out=tmp_path / "m", extra=["--games", "1", "--openings", book, "--maxmoves", "4"])
    game = read_pgn(tmp_path / "m.pgn")[0]
    nodes = list(game.mainline())
    assert [node.comment for node in nodes[:3]] == ["book"] * 3
    assert "%eval" in nodes[3].comment
    assert game.headers["PlyCount"] == "8"


def test_round_robin_in_full(tmp_path: Path) -> None:
    out = tmp_path / "m"
    engines = [stub(name=name) for name in "abc"]
    answer = run(*match(*engines, extra=["--games", "2", "--out", out, *SHORT]))
    assert answer.returncode == 0, answer.stderr
    assert re.search(r"1 +a +- +1/2 +1/2", answer.stdout)
    assert len(json.loads((tmp_path / "m.json").read_text())["pairings"]) == 3


def test_chess960(tmp_path: Path) -> None:
    out = tmp_path / "m"
    play(*PAIR, out=out, extra=["--games", "2", "--chess960", "--maxmoves", "2"])
    game = read_pgn(tmp_path / "m.pgn")[0]
    assert game.headers["Variant"] == "Chess960"


def test_each_engine_its_own_limit(tmp_path: Path) -> None:
    engines = ([*stub(name="a"), "tc=9+1"], [*stub(name="b"), "nodes=5"])
    play(*engines, out=tmp_path / "m", extra=["--games", "1", *SHORT], each=["option.Hash=2"])
    headers = read_pgn(tmp_path / "m.pgn")[0].headers
    assert (headers["WhiteTimeControl"], headers["BlackTimeControl"]) == ("9+1", "-")


@pytest.mark.parametrize(
    "limits",
    [["depth=1", f"nodes={HUGE}"], ["nodes=50", f"depth={HUGE}"],
     ["depth=1", "tc=9999999", f"margin={HUGE}", "movetimeout=9999999"]],
)  # fmt: skip
def test_limits_beyond_all_integers_are_no_limits(limits: list[str], tmp_path: Path) -> None:
    engines = (["proto=internal", "name=inside"], stub(name="outside"))
    results = play(*engines, out=tmp_path / "m", extra=["--games", "2", *SHORT], each=limits)
    assert results["reasons"] == {"adjudicated draw": 2}


def test_a_damaged_table_is_told_of_once(tmp_path: Path) -> None:
    table = tmp_path / "KRvK.rtbw"
    table.write_bytes((THREE_MEN / table.name).read_bytes()[:100])
    book = tmp_path / "o.epd"
    book.write_text("8/8/8/4k3/8/8/8/KR6 w - - 0 1\n")
    extra: list[str | Path] = ["--openings", book, "--games", "2", "--maxmoves", "3"]
    said = run(*match(stub(name="a"), stub(name="b"), extra=[*extra, "--tb", tmp_path]))
    assert said.returncode == 0
    assert said.stdout.count(f"{table} is of no use: ") == 1


def test_sprt_stops_the_match(tmp_path: Path) -> None:
    engines = (stub(name="a"), stub("illegal", 0, name="b"))
    extra: list[str | Path] = ["--games", "5000", *SHORT, "--concurrency", "2"]
    sprt = ["--sprt", "elo0=0", "elo1=400", "alpha=0.1", "beta=0.1", "model=logistic"]
    results = play(*engines, out=tmp_path / "m", extra=[*extra, *sprt])
    assert results["sprt"]["decision"] == "H1"
    assert results["sprt"]["llr"] >= results["sprt"]["upper"]
    assert results["games"] < 200
    again = run("match", "--resume", tmp_path / "m")
    assert again.returncode == 0
    assert "H1 accepted" in again.stdout
    assert len(games(tmp_path / "m")) == results["games"]


# Going on after an interruption


def test_killed_at_random_moments(tmp_path: Path) -> None:
    """All games in the end, each once, whatever was killed meanwhile."""
    out, count = tmp_path / "m", 150
    chance = random.Random(8)
    first = match(*PAIR, extra=["--games", str(count), "--out", out, "--maxmoves", "60"])
    for lines in (0, 2, 9, 14, 25, None):  # to be read before the end; None: until it comes
        begun = out.with_suffix(".jsonl").exists()
        arguments = ["match", "--resume", out] if begun else first
        with subprocess.Popen(
            command(*arguments, "--concurrency", "2"),
            env=ENVIRONMENT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as runner:
            assert runner.stdout is not None
            said = "".join(itertools.islice(runner.stdout, lines))
            if lines is not None:
                time.sleep(chance.uniform(0, 0.1))
                runner.kill()
    assert runner.returncode == 0, said
    played = games(out)
    assert sorted(game["number"] for game in played) == list(range(count))
    rounds = [game.headers["Round"].split(".")[1] for game in read_pgn(out.with_suffix(".pgn"))]
    assert sorted(map(int, rounds)) == list(range(1, count + 1))
    assert json.loads(out.with_suffix(".json").read_text())["games"] == count


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interruption_is_clean(sign: signal.Signals, tmp_path: Path) -> None:
    out = tmp_path / "m"
    arguments = match(*PAIR, extra=["--games", "9999", "--out", out, *SHORT])
    runner = subprocess.Popen(
        command(*arguments),
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with runner:
        assert runner.stdout is not None
        while "game 3" not in runner.stdout.readline():
            pass
        runner.send_signal(sign)
        _, errors = runner.communicate(timeout=TIMEOUT)
    assert runner.returncode == 130
    assert re.fullmatch(r"interrupted after \d+ games; go on with --resume \S+/m\n", errors)
    assert len(games(out)) == json.loads(out.with_suffix(".json").read_text())["games"]
    assert out.with_suffix(".html").exists()


def test_a_torn_last_line_is_played_again(tmp_path: Path) -> None:
    out = tmp_path / "m"
    play(*PAIR, out=out, extra=["--games", "3", *SHORT])
    journal = out.with_suffix(".jsonl")
    journal.write_bytes(journal.read_bytes()[:-20])
    out.with_suffix(".pgn").write_text("nonsense")
    assert run("match", "--resume", out, "--concurrency", "2", "--every", "1").returncode == 0
    assert sorted(game["number"] for game in games(out)) == [0, 1, 2]
    assert len(read_pgn(out.with_suffix(".pgn"))) == 3


@pytest.mark.parametrize(
    ("players", "first", "then"), [(2, 2, 6), (2, 3, 8), (2, 4, 4), (3, 2, 4), (3, 3, 5)]
)
def test_a_finished_tournament_is_made_longer(
    players: int, first: int, then: int, tmp_path: Path
) -> None:
    """In the end it is what it would have been from the beginning."""
    engines = [stub(name=name) for name in "abc"[:players]]
    extra: list[str | Path] = ["--order", "random", "--maxmoves", "4"]
    play(*engines, out=tmp_path / "m", extra=["--games", str(first), *extra])
    answer = run("match", "--resume", tmp_path / "m", "--games", str(then), "--concurrency", "2")
    assert answer.returncode == 0, answer.stderr
    pairings = players * (players - 1) // 2
    assert f"{first * pairings} games were finished before" in answer.stdout
    whole = play(*engines, out=tmp_path / "n", extra=["--games", str(then), *extra])
    longer = json.loads((tmp_path / "m.json").read_text())
    assert longer["tournament"]["games"] == then
    assert {k: longer[k] for k in ("games", "of", "pairings", "reasons")} == {
        k: whole[k] for k in ("games", "of", "pairings", "reasons")
    }
    fields = ("number", "pair", "white", "black", "fen", "moves")
    both = [sorted([g[f] for f in fields] for g in games(tmp_path / name)) for name in "mn"]
    assert both[0] == both[1]
    assert len(read_pgn(tmp_path / "m.pgn")) == whole["games"]
    again = run("match", "--resume", tmp_path / "m", "--games", str(then - 1))
    assert again.returncode == 2
    assert f"has {then} games per pairing already" in again.stderr


def test_a_book_of_drawn_lines_is_made_longer(tmp_path: Path) -> None:
    """The first lines stay the first when more are drawn."""
    book = tmp_path / "b.bin"
    board = chess.Board()
    key = chess.polyglot.zobrist_hash(board).to_bytes(8, "big")
    codes = sorted(m.to_square | m.from_square << 6 for m in board.legal_moves)
    book.write_bytes(b"".join(key + c.to_bytes(2, "big") + b"\0\1" + bytes(4) for c in codes))
    extra: list[str | Path] = ["--openings", book, "--order", "random", "--maxmoves", "3"]
    play(*PAIR, out=tmp_path / "m", extra=["--games", "4", *extra])
    answer = run("match", "--resume", tmp_path / "m", "--games", "12")
    assert answer.returncode == 0, answer.stderr
    play(*PAIR, out=tmp_path / "n", extra=["--games", "12", *extra])
    both = [sorted((g["number"], g["moves"]) for g in games(tmp_path / name)) for name in "mn"]
    assert both[0] == both[1]


def test_two_runs_of_one_tournament(tmp_path: Path) -> None:
    out = tmp_path / "m"
    arguments = match(*PAIR, extra=["--games", "9999", "--out", out, *SHORT])
    with subprocess.Popen(command(*arguments), env=ENVIRONMENT, stdout=subprocess.PIPE) as runner:
        assert runner.stdout is not None
        runner.stdout.readline()
        answer = run("match", "--resume", out)
        runner.kill()
    assert answer.returncode == 2
    assert "another run" in answer.stderr


def test_changed_openings_are_noticed(tmp_path: Path) -> None:
    book = tmp_path / "o.epd"
    book.write_text(chess.STARTING_FEN + "\n")
    play(*PAIR, out=tmp_path / "m", extra=["--games", "1", "--openings", book, "--maxmoves", "2"])
    book.write_text("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n")
    answer = run("match", "--resume", tmp_path / "m")
    assert answer.returncode == 2
    assert "not the openings" in answer.stderr


# Bad input: one line, exit code 2, nothing overwritten


def no_change(directory: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in directory.iterdir()}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["match"], "two engines"),
        (["match", "--engine", "cmd=x"], "limit is needed"),
        (["match", "--engine", "name=x", "--engine", "cmd=y", "--each", "tc=1"], "needs cmd"),
        (match(*PAIR, extra=["--games", "0"]), "at least 1"),
        (match(*PAIR, extra=["--games", "x"]), "whole number"),
        (match(*PAIR, extra=["--format", "swiss"]), "invalid choice"),
        (match(*PAIR, extra=["--openings", "none.epd"]), "none.epd: No such file"),
        (match(*PAIR, extra=["--draw", "x=1"]), "--draw: unknown"),
        (match(*PAIR, extra=["--win", "score=x"]), "whole number"),
        (match(*PAIR, extra=["--tb", "nowhere"]), "nowhere"),
        (match(*PAIR, extra=["--sprt", "elo0=1"]), "sprt"),
        (match(*PAIR, stub(name="c"), extra=["--sprt", "elo0=0", "elo1=1"]), "two engines"),
        (match(*PAIR, each=["tc=x"]), "bad time control"),
        (match(*PAIR, each=["cmd=x"]), "each"),
        (match(PAIR[0], ["cmd=/none/x", "name=x"]), "/none/x: No such file"),
        (match(PAIR[0], [*PAIR[1], "dir=/none"]), "/none: No such file"),
        (match(PAIR[0], [*PAIR[1], "option.None=1"]), "no option 'None'"),
        (match(PAIR[0], ["conf=x"]), "--engines"),
        (match(PAIR[0], ["proto=internal", f"option.Hash={HUGE}"]), "Hash must be from 1 to"),
        (match(PAIR[0], ["proto=internal", "option.Threads=x"]), "Threads must be a whole number"),
        (
            match(PAIR[0], ["proto=internal", "name=x", "option.EvalFile=/none"]),
            "x: does not start: /none: No such file",
        ),
        (["match", "--resume", "nothing"], "nothing.jsonl"),
        (match(*PAIR, extra=["--resume", "x"]), "so --engine, --each can't go with it"),
        (["match", "--resume", "x", "--order", "random"], "so --order can't go with it"),
        (match(*PAIR, extra=["--games", str(10**30)]), "games must be from 1 to"),
        (match(*PAIR, each=["nodes=" + "9" * 400]), "nodes must be a whole number"),
        (["match", "--resume", "x", "--norepeat", "--pgn", "y"], "so --norepeat, --pgn can't go"),
        (match(*PAIR, extra=["--event", "\x1b[2J"]), "the event and the engines' names must be"),
        (match(*PAIR, extra=["--event", "x" * 201]), "must be short lines of text"),
        (match(*PAIR, extra=["--out", "/none/m"]), "/none/m"),
        (match(*PAIR, extra=["--pgn", "/none/m.pgn"]), "/none/m.pgn"),
        (match(*PAIR, extra=["--out", "nul\0"]), "null"),
        *(
            (match(*PAIR, extra=["--out", name]), f"{name!r} is no name that files could have")
            for name in ("", "/", ".", "..", "x/", "/tmp/", "./", "x/.", "x/..")
        ),
        (["match", "--resume", ""], "'' is no name that files could have"),
        (["match", "--resume", "/"], "'/' is no name that files could have"),
        (["suite"], "FILE"),
        (["suite", "none.epd", "--each", "st=1"], "none.epd"),
        (["suite", "none.epd", "--each", "st=1", "--json", "/none/s"], "/none/s: No such file"),
        (["suite", __file__, "--each", "st=1"], "line 1"),
    ],
)
def test_bad_input(
    arguments: list[str | Path], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = run(*arguments)
    assert answer.returncode == 2
    assert answer.stderr.startswith("cythera: ")
    assert answer.stderr.count("\n") == 1
    assert words in answer.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["jsonl", "json", "pgn", "html"])
def test_nothing_is_overwritten(kind: str, tmp_path: Path) -> None:
    (tmp_path / f"m.{kind}").write_text("precious")
    answer = run(*match(*PAIR, extra=["--out", tmp_path / "m", *SHORT]))
    assert answer.returncode == 2
    assert f"m.{kind} exists" in answer.stderr
    assert no_change(tmp_path) == {f"m.{kind}": "precious"}


@pytest.fixture(scope="module")
def finished_match(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Its files and what is in them."""
    folder = tmp_path_factory.mktemp("finished")
    play(*PAIR, out=folder / "m", extra=["--games", "2", *SHORT])
    return no_change(folder)


def break_header(text: str) -> str:
    return text.replace("cythera tournament", "other")


def break_game(text: str) -> str:
    return text.replace('"number"', '"nimber"')


def break_json(text: str) -> str:
    return text.replace('"number"', "number")


def change_field(*keys: str | int, value: Any = None) -> Callable[[str], str]:
    """A journal whose description has another value there; None takes the field away."""

    def change(text: str) -> str:
        head, rest = text.split("\n", 1)
        description = json.loads(head)
        inner = description
        for key in keys[:-1]:
            inner = inner[key]
        if value is None:
            del inner[keys[-1]]
        else:
            inner[keys[-1]] = value
        return json.dumps(description) + "\n" + rest

    return change


@pytest.mark.parametrize(
    "change",
    [
        break_header,
        break_game,
        break_json,
        lambda text: "",
        lambda text: "\n",
        change_field("engines"),
        change_field("engines", 0, "name"),
        change_field("engines", 0, "name", value="\x1b[2J"),
        change_field("event", value="x\n[White"),
        change_field("engines", 0, "colour", value="green"),
        change_field("engines", 0, "options", value=[["Hash"]]),
        change_field("engines", value=[]),
        change_field("sprt"),
        change_field("sprt", value={"elo0": 0}),
        change_field("games", value="many"),
        change_field("openings", value="book.epd"),
        change_field("adjudication", "weather", value=1),
    ],
)
def test_bad_journals(
    change: Callable[[str], str], finished_match: dict[str, str], tmp_path: Path
) -> None:
    for name, text in finished_match.items():
        (tmp_path / name).write_text(change(text) if name == "m.jsonl" else text)
    before = no_change(tmp_path)
    answer = run("match", "--resume", tmp_path / "m")
    assert answer.returncode == 2
    assert answer.stderr.count("\n") == 1
    assert "m.jsonl" in answer.stderr
    assert no_change(tmp_path) == before


# The live table


def test_live_table_on_a_terminal(tmp_path: Path) -> None:
    """In a pseudo-terminal: bars, figures that replace themselves, and the summary at the end."""
    leader, follower = os.openpty()
    arguments = match(*PAIR, extra=["--games", "1500", *SHORT, "--sprt", "elo0=0", "elo1=5"])
    with subprocess.Popen(
        command(*arguments), env=ENVIRONMENT, stdout=follower, stderr=follower
    ) as runner:
        os.close(follower)
        seen = b""
        while True:
            try:
                chunk = os.read(leader, 65536)
            except OSError:
                break
            if not chunk:
                break
            seen += chunk
        assert runner.wait(TIMEOUT) == 0
    os.close(leader)
    text = seen.decode()
    assert "[....." in text
    assert "H0 [" in text
    assert "games a minute" in text
    assert "\x1b[" in text
    assert "Score of a vs b" in text.rpartition("\x1b[J")[2]
