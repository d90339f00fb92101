"""`cythera analyse`: what it writes is read back by python-chess and held against what it found."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import signal
import subprocess
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import pytest
from arena_tools import command, run
from uci_process import ENVIRONMENT, MATE_IN_TWO, MATED, STALEMATED, TIMEOUT

pytestmark = pytest.mark.release_only

GAMES = """\
[Event "a game with everything"]
[White "Weiß, A."]
[Black "\\"B\\" <b>"]
[Result "0-1"]
[TimeControl "180+2"]

{ before the game } 1. f3 { [%clk 0:03:00] a "strange" move } 1... e5 { [%clk 0:03:01] }
2. g4?? $22 { [%eval 12.0] [%clk 0:02:50.5] why? } ( 2. e4 Nf6 ( 2... Nc6 3. Nc3 ) 3. Nc3 )
2... Qh4# { [%clk 0:02:58] } 0-1

[Event "castling and captures"]
[White "C"]
[Black "D"]
[Result "1/2-1/2"]

1. e4 e5 2. Nf3 Nc6 3. Bc4 Nf6 4. O-O Nxe4 5. d3 Nf6 6. Nxe5 Qe7 7. Nxc6 dxc6 8. Qd2 Be6
9. Bxe6 Qxe6 10. Re1 1/2-1/2

[Event "Black begins"]
[White "E"]
[Black "F"]
[Result "*"]
[SetUp "1"]
[FEN "4k3/1P6/8/8/8/8/6p1/4K3 b - - 0 31"]

31... g1=Q+ { [%emt 0:00:07] } 32. Kd2 { [%emt 0:00:02.5] } 32... Qg7 33. b8=N *

[Event "Chess960"]
[White "G"]
[Black "H"]
[Result "*"]
[Variant "Chess960"]
[SetUp "1"]
[FEN "rk5r/pppppppp/8/8/8/8/PPPPPPPP/RK5R w HAha - 0 1"]

1. O-O O-O-O 2. g4 h5 *

[Event "no moves"]
[White "I"]
[Black "J"]
[Result "1-0"]

1-0
"""
LIMIT = ("--nodes", "400")


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that nobody gave a name are written where one is."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def games(tmp_path: Path) -> Path:
    path = tmp_path / "games.pgn"
    path.write_text(GAMES)
    return path


def analyse(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return run("analyse", *arguments)


def analysed(*arguments: str | Path) -> dict[str, Any]:
    answer = analyse(*arguments, "--json")
    assert answer.returncode == 0, answer.stderr
    found: dict[str, Any] = json.loads(answer.stdout)
    return found


def read_games(text: str) -> list[chess.pgn.Game]:
    lines = io.StringIO(text)
    games = []
    while (game := chess.pgn.read_game(lines)) is not None:
        assert game.errors == []
        games.append(game)
    return games


# ---- the annotated PGN


def test_every_annotation_is_what_was_found(games: Path, tmp_path: Path) -> None:
    found = analysed(games, *LIMIT, "--out", tmp_path / "x")["games"]
    written = read_games((tmp_path / "x.pgn").read_text())
    assert len(written) == len(found) == 5
    judged = 0
    for game, value in zip(written, found, strict=True):
        assert list(game.headers)[:7] == list(chess.pgn.Game().headers)
        for name, text in value["headers"].items():
            assert game.headers[name] == text
        assert game.headers["Annotator"].startswith("Cythera ")
        for side in ("White", "Black"):
            accuracy = value["accuracy"][side.lower()]
            told = game.headers.get(f"{side}Accuracy")
            assert told == (None if accuracy is None else f"{accuracy:.1f}")
        nodes = list(game.mainline())
        assert [node.move.uci() for node in nodes] == [move["uci"] for move in value["moves"]]
        positions = [value["start"], *value["moves"]]
        for node, before, move in zip(nodes, positions, value["moves"], strict=False):
            check_evaluation(node, move)
            judged += check_judgement(node, before, move)
    assert judged >= 3  # the fool's mate alone has two


def check_evaluation(node: chess.pgn.ChildNode, found: dict[str, Any]) -> None:
    told = node.eval()
    if found["mate"] == 0:
        assert node.board().is_checkmate()
        assert told is None
        return
    assert told is not None
    assert told.white().mate() == found["mate"]
    assert node.eval_depth() == found["depth"]
    if found["mate"] is None:
        assert told.white().score() == found["centipawns"]
    assert found["nodes"] <= 400


def check_judgement(
    node: chess.pgn.ChildNode, before: dict[str, Any], move: dict[str, Any]
) -> bool:
    judgement = move["judgement"]
    signs = {"inaccuracy": 6, "mistake": 2, "blunder": 4}
    assert node.nags & set(range(1, 7)) == ({signs[judgement]} if judgement else set())
    assert ("was best" in node.comment) == (judgement is not None)
    if judgement is None:
        return False
    parent = node.parent
    assert parent is not None
    better = parent.variations[1]
    best = parent.board().san(better.move)
    assert node.comment.endswith(f"{judgement.capitalize()}. {best} was best.")
    line = [better.move.uci(), *(child.move.uci() for child in better.mainline())]
    assert line == before["line"][:12]
    assert line[0] != move["uci"]
    # The better line is worth what the position before was.
    told = better.eval()
    assert told is not None
    assert told.white().mate() == before["mate"]
    return True


def test_what_people_wrote_stays(games: Path, tmp_path: Path) -> None:
    analysed(games, *LIMIT, "--out", tmp_path / "x")
    game = read_games((tmp_path / "x.pgn").read_text())[0]
    assert game.comment == "before the game"
    first, _, third, _ = game.mainline()
    assert 'a "strange" move' in first.comment
    assert first.clock() == 180
    assert third.clock() == 170.5
    assert "why?" in third.comment
    assert third.comment.count("%eval") == 1
    assert "12.0" not in third.comment
    assert third.nags == {4, 22}
    lines = [str(node.move) for node in third.parent.variations[1:]] if third.parent else []
    assert "e2e4" in lines
    kept = next(node for node in third.parent.variations[1:] if len(node.variations) > 1)
    assert [child.move.uci() for child in kept.variations] == ["g8f6", "b8c6"]


def test_analysing_again_replaces_what_was_written(games: Path, tmp_path: Path) -> None:
    analysed(games, *LIMIT, "--out", tmp_path / "x")
    analysed(tmp_path / "x.pgn", *LIMIT, "--out", tmp_path / "y")
    assert (tmp_path / "y.pgn").read_text() == (tmp_path / "x.pgn").read_text()


def test_times_come_from_comments_or_clocks(games: Path) -> None:
    first, _, third, *_ = analysed(games, *LIMIT)["games"]
    # 3:00 at White's first move, 2:50.5 at the second, two seconds added: 11.5 s.
    assert [move["seconds"] for move in first["moves"]] == [None, None, 11.5, 5.0]
    assert [move["seconds"] for move in third["moves"]] == [7.0, 2.5, None, None]


def test_opening_names(games: Path, tmp_path: Path) -> None:
    names = tmp_path / "names.tsv"
    names.write_text(
        "eco\tname\tpgn\nC20\tOpen\t1. e4 e5\nC50\tItalian Game\t1. e4 e5 2. Nf3 Nc6 3. Bc4\n"
        "A00\tBarnes Opening\t1. f3\nC55\tTwo Knights\t1. e4 e5 2. Bc4 Nf6 3. Nf3 Nc6\n"
    )
    found = analysed(games, *LIMIT, "--openings", names, "--out", tmp_path / "x")["games"]
    openings = [value["opening"] and value["opening"]["name"] for value in found]
    assert openings == ["Barnes Opening", "Two Knights", None, None, None]
    written = read_games((tmp_path / "x.pgn").read_text())
    assert (written[1].headers["ECO"], written[1].headers["Opening"]) == ("C55", "Two Knights")
    assert "Opening" not in written[2].headers
    assert "Two Knights" in (tmp_path / "x.html").read_text()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "must name the columns eco, name, pgn"),
        ("eco\tname\n", "must name the columns"),
        ("eco\tname\tpgn\nA00\n", "line 2: too few columns"),
        ("eco\tname\tpgn\nA00\tx\t1. e5\n", "line 2: "),
        ("\x00\xff", "must name the columns"),
    ],
)
def test_files_that_name_no_openings(text: str, words: str, games: Path, tmp_path: Path) -> None:
    names = tmp_path / "names.tsv"
    names.write_text(text)
    answer = analyse(games, "--openings", names)
    check_refusal(answer, words)


def test_own_chances_judge_otherwise(games: Path, tmp_path: Path) -> None:
    lichess = analysed(games, *LIMIT, "--out", tmp_path / "x")
    # The searches are those of the journal: nothing is analysed twice.
    before = (tmp_path / "x.jsonl").read_bytes()
    fitted = analysed(games, *LIMIT, "--out", tmp_path / "x", "--chances", "fitted")
    assert (tmp_path / "x.jsonl").read_bytes() == before
    one, other = lichess["games"][1]["moves"], fitted["games"][1]["moves"]
    assert [move["centipawns"] for move in one] == [move["centipawns"] for move in other]
    assert [move["win_percent"] for move in one] != [move["win_percent"] for move in other]
    assert "fitted to games of this engine" in (tmp_path / "x.html").read_text()


# ---- what is read


def test_compressed_files_standard_input_and_one_core(games: Path, tmp_path: Path) -> None:
    wanted = analysed(games, *LIMIT)["games"]
    compressed = tmp_path / "games.pgn.gz"
    compressed.write_bytes(gzip.compress(GAMES.encode()))
    assert analysed(compressed, *LIMIT, "--threads", "1", "--out", "x")["games"] == wanted
    answer = subprocess.run(
        command("analyse", "-", *LIMIT, "--json"), input=GAMES.encode(), env=ENVIRONMENT,
        capture_output=True, timeout=TIMEOUT, check=True,
    )  # fmt: skip
    assert json.loads(answer.stdout)["games"] == wanted


@pytest.mark.skipif(find_spec("zstandard") is None, reason="the package zstandard is not installed")
def test_zstd(games: Path, tmp_path: Path) -> None:
    import zstandard

    compressed = tmp_path / "games.pgn.zst"
    compressed.write_bytes(zstandard.compress(GAMES.encode()))
    assert len(analysed(compressed, *LIMIT)["games"]) == 5


def test_standard_input_gives_pgn_and_leaves_no_files(tmp_path: Path) -> None:
    answer = subprocess.run(
        command("analyse", *LIMIT), input=GAMES, env=ENVIRONMENT, capture_output=True, text=True,
        timeout=TIMEOUT, check=True, cwd=tmp_path,
    )  # fmt: skip
    assert len(read_games(answer.stdout)) == 5
    assert list(tmp_path.iterdir()) == []


def test_one_position() -> None:
    answer = analyse(MATE_IN_TWO, "--nodes", "1000000")
    assert answer.returncode == 0
    assert answer.stdout.startswith("position 1: #2, depth ")
    assert ": 1. Ra6 " in answer.stdout
    timed = analyse(MATE_IN_TWO, "--time", "0.05")
    assert timed.returncode == 0
    assert timed.stdout.startswith("position 1: ")


def test_positions_of_an_epd_file(tmp_path: Path) -> None:
    path = tmp_path / "positions.epd"
    path.write_text(
        f'# mates\n\n{MATE_IN_TWO[:-4]} bm Ra6; id "two; moves";\n{MATED}\n{STALEMATED}\n'
        "rk5r/pppppppp/8/8/8/8/PPPPPPPP/RK5R w HAha -\n"
    )
    found = analysed(path, "--nodes", "1000000", "--out", tmp_path / "x")["games"]
    assert [value["start"]["mate"] for value in found] == [2, 0, None, None]
    assert found[0]["headers"]["Event"] == "two; moves"
    assert found[2]["start"]["centipawns"] == 0
    assert found[3]["chess960"]
    games = read_games((tmp_path / "x.pgn").read_text())
    for game, value in zip(games, found, strict=True):
        moves = [move.uci() for move in game.mainline_moves()]
        assert moves == value["start"]["line"][:12]
    told = games[0].eval()
    assert told is not None
    assert told.white().mate() == 2
    assert games[0].end().board().is_checkmate()


def test_broken_games_are_told_and_kept_up_to_there(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(
        '[White "a"]\n\n1. e4 e5 2. Ke3 Nc6 *\n\n[White "b"]\n[SetUp "1"]\n[FEN "nonsense"]\n\n'
        '1. e4 *\n\n[White "c"]\n\n1. d4 *\n'
    )
    answer = analyse(path, *LIMIT, "--out", tmp_path / "x")
    assert answer.returncode == 1
    assert f"{path}, line 3: " in answer.stderr
    assert answer.stderr.count("\n") == 2
    games = read_games((tmp_path / "x.pgn").read_text())
    assert [game.headers["White"] for game in games] == ["a", "b", "c"]
    assert [len(list(game.mainline())) for game in games] == [2, 0, 1]
    assert "not analysed" in games[1].comment


@pytest.mark.parametrize(
    "text",
    [b"", b"\n\n", b"\x00" * 1000, bytes(range(256)) * 20, b"[Event", b"[Event \"x\"]\n\n1. e4 (((",
     b"8/8/8/8/8/8/8/8 w - - 0 1\n", b"\x1f\x8bnot gzip", b"{" * 5000, b"1. e4 e5 \xff\xfe 2. Nf3",
     b'[White "\xff\x80\x1b[2J"]\n\n1. e4 { \xe9 \x00 <script> } e5 *\n',
     b'[FEN "\x1b[2J\x07"]\n[SetUp "1"]\n\n1. e4 *\n', b"1. e4 -- 2. d4 Z0 *",
     b'[Variant "Atomic"]\n\n1. e4 e5 2. Qh5 *'],
)  # fmt: skip
def test_any_bytes(text: bytes, tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_bytes(text)
    answer = analyse(path, "--nodes", "50", "--out", tmp_path / "x")
    assert answer.returncode in (0, 1, 2)
    assert "Traceback" not in answer.stderr
    if answer.returncode:
        assert answer.stderr.startswith(("cythera: ", str(path), "game "))
    assert answer.stderr.replace("\n", "").isprintable()
    assert answer.stdout.replace("\n", "").isprintable()


# ---- what is refused


def check_refusal(answer: subprocess.CompletedProcess[str], words: str) -> None:
    assert answer.returncode == 2
    assert answer.stderr.startswith("cythera: ")
    assert answer.stderr.count("\n") == 1
    assert words in answer.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["/no/such/file"], "/no/such/file"),
        (["/"], "directory"),
        (["8/8/8/8/8/8/8/9 w - - 0 1"], "8/8"),
        (["--nodes", "0"], "must be from 1"),
        (["--time", "-1"], "must be from 0.001"),
        (["--chances", "luck"], "luck"),
        (["--threads", "0"], "must be from 1"),
    ],
)
def test_wrong_arguments(arguments: Sequence[str], words: str) -> None:
    check_refusal(analyse(*arguments), words)


def test_a_file_of_somebody_else_is_not_overwritten(games: Path, tmp_path: Path) -> None:
    check_refusal(analyse(games, *LIMIT, "--out", tmp_path / "games"), "is there already")
    assert games.read_text() == GAMES
    (tmp_path / "y.jsonl").write_text("{}\n")
    for extra in ([], ["--anew"]):
        answer = analyse(games, *LIMIT, "--out", tmp_path / "y", *extra)
        check_refusal(answer, "no analysis in it")
    assert (tmp_path / "y.jsonl").read_text() == "{}\n"


def test_other_settings_do_not_mix(games: Path, tmp_path: Path) -> None:
    analysed(games, *LIMIT, "--out", tmp_path / "x")
    answer = analyse(games, "--nodes", "500", "--out", tmp_path / "x")
    check_refusal(answer, "an analysis with nodes 400, not 500; --anew")
    assert analysed(games, "--nodes", "500", "--out", tmp_path / "x", "--anew")
    assert json.loads((tmp_path / "x.jsonl").read_text().splitlines()[0])["nodes"] == 500


def test_a_damaged_journal_is_named(games: Path, tmp_path: Path) -> None:
    analysed(games, *LIMIT, "--out", tmp_path / "x")
    journal = tmp_path / "x.jsonl"
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join([lines[0], "{}\n", *lines[2:]]))
    check_refusal(analyse(games, *LIMIT, "--out", tmp_path / "x"), "x.jsonl, line 2")


# ---- ended and resumed


def longer_games(path: Path, count: int) -> None:
    """Games that differ in one move, so that each has to be searched."""
    board = chess.Board()
    texts = []
    for move in list(board.legal_moves)[:count]:
        board.push(move)
        game = chess.pgn.Game.from_board(board)
        for san in ("Nf6", "Nc3", "Nc6", "Nf3", "g6", "Rb1", "Bg7", "Rg1", "O-O", "Ra1",
                    "a6", "a3", "b6", "b3", "d6", "d3", "h6", "h3"):  # fmt: skip
            node = game.end()
            with contextlib.suppress(ValueError):
                node.add_variation(node.board().parse_san(san))
        texts.append(f"{game}\n\n")
        board.pop()
    path.write_text("".join(texts))


def files(place: Path) -> dict[str, bytes]:
    return {
        ending: place.with_name(place.name + ending).read_bytes() for ending in (".pgn", ".html")
    }


def stretches(journal: Path) -> list[tuple[str, int]]:
    lines = journal.read_text().splitlines()[1:]
    return [(value["key"], value["first"]) for value in map(json.loads, lines)]


@pytest.mark.parametrize("stop", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_stopped_at_any_moment_it_goes_on_to_the_same_files(
    stop: signal.Signals, tmp_path: Path
) -> None:
    games = tmp_path / "games.pgn"
    longer_games(games, 10)
    limit = ["--nodes", "3000"]
    assert analyse(games, *limit, "--out", tmp_path / "whole").returncode == 0
    arguments = command("analyse", games, *limit, "--out", tmp_path / "parts")
    journal = tmp_path / "parts.jsonl"
    for least in (0, 1, 4, 9):
        with subprocess.Popen(
            arguments, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        ) as process:
            wait_for_lines(journal, least, process)
            process.send_signal(stop)
            assert process.stderr is not None
            told = process.stderr.read().decode()
        if stop is not signal.SIGKILL and process.returncode == 130:
            assert told.startswith("interrupted after ") or told == ""
        assert "Traceback" not in told
    with journal.open("ab") as file:
        file.write(b'{"key":"to')  # torn
    assert analyse(games, *limit, "--out", tmp_path / "parts").returncode == 0
    assert files(tmp_path / "parts") == files(tmp_path / "whole")
    found = stretches(journal)
    assert len(found) == len(set(found))
    assert set(found) == set(stretches(tmp_path / "whole.jsonl"))


def wait_for_lines(journal: Path, least: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + TIMEOUT
    while process.poll() is None and time.monotonic() < deadline:
        with contextlib.suppress(FileNotFoundError):
            if journal.read_bytes().count(b"\n") > least:
                return
        time.sleep(0.002)


def test_only_what_is_new_is_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where many games are searched in longer stretches than a few."""
    monkeypatch.setattr("uci_engine.desk.analyse.SHORT_STRETCH", 5)
    monkeypatch.setattr("uci_engine.desk.analyse.MANY_GAMES", 5)
    games = tmp_path / "games.pgn"
    longer_games(games, 3)
    analysed(games, *LIMIT, "--out", tmp_path / "x")
    before = stretches(tmp_path / "x.jsonl")
    old = games.read_text()
    longer_games(games, 4)
    games.write_text(games.read_text() + old)  # another game, and the old ones a second time
    assert len(analysed(games, *LIMIT, "--out", tmp_path / "x")["games"]) == 7
    after = stretches(tmp_path / "x.jsonl")
    assert after[: len(before)] == before
    assert len(after) == len(before) + 1
    assert len({key for key, _ in after}) == len({key for key, _ in before}) + 1
    assert len(after) == len(set(after))


def test_progress_with_the_time_left_on_a_terminal(tmp_path: Path) -> None:
    games = tmp_path / "games.pgn"
    longer_games(games, 8)
    leader, follower = os.openpty()
    arguments = command("analyse", games, "--nodes", "50000", "--out", tmp_path / "x")
    with subprocess.Popen(
        arguments, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=follower
    ) as process:
        os.close(follower)
        seen = b""
        with contextlib.suppress(OSError):
            while data := os.read(leader, 65536):
                seen += data
        assert process.wait(TIMEOUT) == 0
    os.close(leader)
    text = seen.decode()
    assert "[....." in text
    assert "a second, 0:0" in text
    assert " left" in text
    assert text.endswith("\r\x1b[K")


@pytest.mark.skipif(find_spec("distributed") is None, reason="Dask distributed is not installed")
def test_a_cluster_finds_the_same(games: Path, tmp_path: Path) -> None:
    wanted = analysed(games, *LIMIT)["games"]
    # A process of its own: Dask starts workers that import the main module.
    answer = subprocess.run(
        command("analyse", games, *LIMIT, "--cluster", "local", "--threads", "2", "--json",
                "--out", tmp_path / "x"),
        env=ENVIRONMENT, capture_output=True, text=True, timeout=TIMEOUT, check=False,
    )  # fmt: skip
    assert answer.returncode == 0, answer.stderr
    assert json.loads(answer.stdout)["games"] == wanted
