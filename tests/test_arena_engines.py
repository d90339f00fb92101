"""Real engines of Debian's packages, and our own as a process and inside the runner."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import chess.pgn
import pytest
from arena_tools import command, games, play, program, run, stub
from syzygy_tables import THREE_MEN
from uci_process import ENVIRONMENT, ROOT, TIMEOUT

pytestmark = pytest.mark.release_only

UCI = ["stockfish", "ethereal-chess", "toga2", "glaurung", "fairy-stockfish"]
XBOARD = ["fairymax", "phalanx", "hoichess"]
# The engines' own books would answer instead of a search.
BOOK_OFF = {"toga2": ["option.OwnBook=false"], "glaurung": ["option.OwnBook=false"]}
FAULTLESS = {
    *("checkmate", "stalemate", "threefold repetition", "fifty moves", "insufficient material"),
    *("adjudicated draw", "adjudicated win", "resignation"),
}
PATIENT = "margin=60000"  # a busy machine may let any clock run out
FEW: list[str | Path] = ["--games", "2", "--concurrency", "2", "--maxmoves", "15"]


def ours(name: str = "cythera") -> list[str]:
    return [f"cmd={sys.executable} -m uci_engine", f"name={name}", f"dir={ROOT}"]


@pytest.mark.parametrize("name", UCI)
def test_uci_engine_plays(name: str, tmp_path: Path) -> None:
    engine = [f"cmd={program(name)}", *BOOK_OFF.get(name, [])]
    each = ["tc=5+0.1", PATIENT, "option.Hash=16", "option.Threads=1", "depth=4"]
    results = play(engine, stub(), out=tmp_path / "m", extra=FEW, each=each)
    assert set(results["reasons"]) <= FAULTLESS
    game = games(tmp_path / "m")[0]
    own = [game["scores"][0], game["depths"][0]] if game["white"] == 0 else [game["scores"][1]]
    assert None not in own


@pytest.mark.parametrize("name", XBOARD)
def test_xboard_engine_plays(name: str, tmp_path: Path) -> None:
    engine = [f"cmd={program(name)}", "proto=xboard"]
    each = ["tc=1+0.1", PATIENT, "option.Hash=16"]
    results = play(engine, stub(), out=tmp_path / "m", extra=FEW, each=each)
    assert set(results["reasons"]) <= FAULTLESS
    assert results["players"][0]["faults"] == {}


@pytest.mark.parametrize("engine", [ours(), ["proto=internal"]], ids=["process", "internal"])
def test_our_engine_plays(engine: list[str], tmp_path: Path) -> None:
    each = ["tc=1+0.05", PATIENT, "option.Hash=4"]
    results = play(engine, stub(), out=tmp_path / "m", extra=["--games", "2"], each=each)
    assert results["pairings"][0]["score"] == 1
    assert results["reasons"] == {"checkmate": 2}


def test_inside_and_outside_play_the_same_moves(tmp_path: Path) -> None:
    """At fixed nodes there is one game only, whoever asks."""
    played = []
    for number, engine in enumerate((ours(), ["proto=internal", "name=cythera"])):
        out = tmp_path / str(number)
        each = ["nodes=3000", "option.Hash=4"]
        play(engine, stub(), out=out, extra=["--games", "2", "--maxmoves", "20"], each=each)
        played.append({game["number"]: game["moves"] for game in games(out)})
    assert played[0] == played[1]


def test_the_same_seed_gives_the_same_games(tmp_path: Path) -> None:
    played = []
    for concurrency in ("1", "2"):
        out = tmp_path / concurrency
        extra: list[str | Path] = ["--order", "random", "--seed", "3", "--games", "6"]
        engines = ([f"cmd={program('stockfish')}", "name=s"], ours())
        play(*engines, out=out, extra=[*extra, "--concurrency", concurrency, "--maxmoves", "30"],
             each=["nodes=400", "option.Hash=4"])  # fmt: skip
        played.append({game["number"]: game["moves"] for game in games(out)})
    assert played[0] == played[1]
    assert len(played[0]) == 6


def test_ponderers_ponder(tmp_path: Path) -> None:
    engines = ([f"cmd={program('stockfish')}", "name=s"], ours())
    each = ["tc=0.3+0.05", PATIENT, "option.Hash=4", "option.Threads=1", "ponder=on"]
    results = play(
        *engines, out=tmp_path / "m", extra=["--games", "2", "--maxmoves", "15"], each=each
    )
    assert set(results["reasons"]) <= FAULTLESS


def test_chess960_with_castling(tmp_path: Path) -> None:
    """Both castle, each in its own words; another program reads the game."""
    book = tmp_path / "o.epd"
    book.write_text("nrk1brnb/pp1ppppp/8/2p5/3P4/1N1Q1N2/1PP1PPPP/qRK1BR1B w FBfb -\n")
    engines = ([f"cmd={program('stockfish')}", "name=s"], ours())
    extra: list[str | Path] = ["--chess960", "--openings", book, "--games", "2", "--maxmoves", "40"]
    results = play(*engines, out=tmp_path / "m", extra=extra, each=["nodes=2000", "option.Hash=4"])
    assert set(results["reasons"]) <= FAULTLESS
    with (tmp_path / "m.pgn").open() as text:
        while (game := chess.pgn.read_game(text)) is not None:
            assert not game.errors
            assert game.end().ply() > 4


def test_syzygy_adjudication(tmp_path: Path) -> None:
    book = tmp_path / "o.epd"
    book.write_text("4k3/8/8/8/8/8/1p6/K6R w - - 0 1\n")
    engines = ([f"cmd={program('stockfish')}", "name=s"], ours())
    extra: list[str | Path] = ["--openings", book, "--games", "2", "--tb", THREE_MEN]
    results = play(*engines, out=tmp_path / "m", extra=extra, each=["nodes=500"])
    assert results["reasons"] == {"tablebase": 2}


def test_engines_file_of_cutechess(tmp_path: Path) -> None:
    entries = [
        {"name": "S", "command": program("stockfish"), "protocol": "uci",
         "options": [{"name": "Hash", "value": 4, "default": 16}]},
        {"name": "P", "command": program("phalanx"), "protocol": "xboard"},
    ]  # fmt: skip
    path = tmp_path / "engines.json"
    path.write_text(json.dumps(entries))
    extra: list[str | Path] = ["--engines", path, "--games", "2", "--maxmoves", "5"]
    results = play(
        ["conf=S"], ["conf=P"], out=tmp_path / "m", extra=extra, each=["tc=1+0.1", PATIENT]
    )
    assert [player["name"] for player in results["players"]] == ["S", "P"]
    assert results["reasons"] == {"adjudicated draw": 2}


# Suites

POSITIONS = """\
6k1/5ppp/8/8/8/8/8/R6K w - - bm Ra8#; id "mate in one";
6k1/5ppp/8/8/8/8/8/R6K w - - dm 1; id "announced";
k7/8/1QK5/8/8/8/8/8 w - - am Qc7; id "no stalemate";
"""


def test_suite(tmp_path: Path) -> None:
    path, out = tmp_path / "s.epd", tmp_path / "s.json"
    path.write_text(POSITIONS)
    answer = run(
        "suite", path, "--engine", *ours(), "--engine", f"cmd={program('stockfish')}", "name=s",
        "--engine", *stub("crash"), "--each", "depth=4", "--concurrency", "2", "--json", out,
    )  # fmt: skip
    assert answer.returncode == 0, answer.stderr
    assert re.search(r"cythera +3 +3 +100\.0%", answer.stdout)
    assert re.search(r"s +3 +3 +100\.0%", answer.stdout)
    assert re.search(r"crash +0 +3 +0\.0% .* 3\n", answer.stdout)
    results = json.loads(out.read_text())
    assert [row["solved"] for row in results["summary"]] == [3, 3, 0]
    assert results["complete"]
    first = results["solutions"][0]
    assert (first["name"], first["move"], first["solved"]) == ("cythera", "a1a8", True)
    assert 0 <= first["solved_after"] <= first["seconds"]
    again = run("suite", path, "--each", "depth=4", "--json", out)
    assert again.returncode == 2
    assert "exists" in again.stderr


def test_an_interrupted_suite_keeps_what_is_solved(tmp_path: Path) -> None:
    path, out = tmp_path / "s.epd", tmp_path / "s.json"
    path.write_text(POSITIONS * 1000)
    with subprocess.Popen(
        command("suite", path, "--engine", *stub(), "--each", "depth=1", "--json", out),
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as runner:
        assert runner.stdout is not None
        runner.stdout.readline()
        runner.send_signal(signal.SIGINT)
        shown, errors = runner.communicate(timeout=TIMEOUT)
    assert runner.returncode == 130
    results = json.loads(out.read_text())
    done = len(results["solutions"])
    assert 0 < done < 3000
    assert not results["complete"]
    assert results["summary"][0]["positions"] == done
    assert errors == f"interrupted after {done} of 3000 positions\n"
    assert re.search(rf"^ok +\d+ +{done} ", shown, re.MULTILINE)


def test_suite_with_our_engine_by_default(tmp_path: Path) -> None:
    path = tmp_path / "s.epd"
    path.write_text(POSITIONS)
    answer = run("suite", path, "--each", "nodes=2000", "--quiet")
    assert re.search(r"cythera +3 +3 +100\.0%", answer.stdout), answer.stderr
    assert answer.stdout.count("\n") == 3
    assert "PYTHONPATH" in ENVIRONMENT
