"""`cythera play` in a real terminal and in a pipe."""

from __future__ import annotations

import io
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import chess
import pytest
from chess.engine import Limit
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from syzygy_tables import THREE_MEN
from terminal_session import CTRL_C, CTRL_D, TerminalSession, read_games, sans
from uci_process import CHESS960, COMMAND, ENVIRONMENT, TIMEOUT

from uci_engine import Engine
from uci_engine.cli import main
from uci_engine.desk import conversation
from uci_engine.desk.conversation import WORDS
from uci_engine.desk.pace import SHORTEST_S
from uci_engine.interrupts import EXIT_CODE

pytestmark = pytest.mark.release_only

FLAGS = ["--eval", "--flip", "--ascii", "--chess960", "--clock=1+1", "--color=black", "--elo=full"]
FAST = ("--fast", "--hash", "1")
CASTLING = "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1"
# Queen checks on e8 and h5 are without end: each time the king has one square.
PERPETUAL = "6k1/6p1/8/4Q3/8/8/rr6/7K w - - 0 1"


class Converse(Protocol):
    def __call__(self, lines: Sequence[str | bytes], *arguments: str) -> str: ...


@pytest.fixture
def converse(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Converse:
    """The program in this process, at the end of something like a pipe; what it says."""

    def run(lines: Sequence[str | bytes], *arguments: str) -> str:
        data = b"\n".join(line.encode() if isinstance(line, str) else line for line in lines)
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
            patch.setenv("XDG_DATA_HOME", str(tmp_path))
            assert main(["play", "--hash", "1", *arguments]) == 0
        said = capsys.readouterr()
        assert said.err == ""
        return said.out

    return run


def pipe(folder: Path, data: bytes, *arguments: str) -> str:
    """What the program says to what comes through a real pipe."""
    answer = subprocess.run(
        [*COMMAND, "play", "--hash", "1", *arguments],
        input=data,
        env={**ENVIRONMENT, "XDG_DATA_HOME": str(folder)},
        capture_output=True,
        timeout=TIMEOUT,
        check=True,
    )
    assert answer.stderr == b""
    return answer.stdout.decode()


# ---- whole games in a terminal


@pytest.mark.parametrize(
    ("colour", "arguments", "chess960"),
    [("white", (), False), ("black", ("--chess960", "3", "--clock", "9+9"), True)],
)
def test_a_whole_game(
    tmp_path: Path, colour: str, arguments: tuple[str, ...], chess960: bool
) -> None:
    """To its end, against a player who is far better than the level."""
    choose = random.Random(1)
    arguments = (*FAST, "--elo", "800", "--color", colour, *arguments)
    with TerminalSession(tmp_path, *arguments) as session, Engine(hash_mb=1) as player:
        said = session.wait()
        while " wins by " not in said and "drawn" not in said:
            board = session.board(chess960=chess960)
            assert board.turn == (colour == "white")
            move = player.play(board, Limit(nodes=3000)).move
            assert move is not None
            said = session.ask(choose.choice([board.san(move), board.uci(move)]))
        session.process.sendline("quit")
        assert session.end() == 0
    (game,) = session.games()
    assert game.headers["Result"] == game.end().board().result(claim_draw=True) != "*"
    assert (game.headers.get("Variant") == "Chess960") == chess960
    assert game.headers["White" if colour == "black" else "Black"] == "Cythera"


@pytest.mark.parametrize(
    ("fen", "moves", "ending"),
    [
        ("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1", "ra8", "White wins by checkmate."),
        ("7k/5K2/8/6Q1/8/8/8/8 w - - 0 1", "Qg6", "The game is drawn by stalemate."),
        ("7k/8/8/8/8/8/6p1/6K1 w - - 0 1", "kxg2", "drawn by insufficient material."),
        # The only move, and the answer that no level misses.
        ("1r2k3/8/8/8/8/8/r7/7K w - - 0 1", "Kg1", "Black wins by checkmate."),
        ("7k/8/8/8/8/8/R7/6K1 w - - 99 80", "draw Ra3", "The game is drawn by fifty moves."),
        ("7k/8/8/8/8/8/R7/6K1 w - - 149 80", "Ra3", "drawn by seventy-five moves."),
        (PERPETUAL, "Qe8; Qh5; Qe8; Qh5; draw Qe8", "drawn by threefold repetition."),
        # A side that is not better claims what it can.
        (PERPETUAL, "Qe8; Qh5; Qe8; Qh5; Qe8", "drawn by threefold repetition."),
        ("7k/8/8/8/8/8/R7/6K1 w - - 98 80", "Ra3", "Cythera claims a draw."),
        # A rook is no reason to play on for a side without one.
        ("7k/8/8/8/8/8/R7/6K1 w - - 0 80", "draw", "The game is drawn by agreement."),
    ],
)
def test_how_games_end(
    converse: Converse, tmp_path: Path, fen: str, moves: str, ending: str
) -> None:
    lines = moves.split("; ")
    said = converse([*lines[:-1], "fen", lines[-1], "Kh2"], "--fen", fen)
    before, after = re.split(r"^\S+/\S+ [wb] .*$", said, maxsplit=1, flags=re.MULTILINE)
    assert "new begins another game" not in before
    assert ending in after
    assert "The game is over" in after
    for path in tmp_path.glob("cythera/games/*.pgn"):
        (game,) = read_games(path)
        result = {"White": "1-0", "Black": "0-1"}.get(ending.split()[0], "1/2-1/2")
        assert game.headers["Result"] == result


def test_promotion_castling_and_what_is_wrong_with_a_move(tmp_path: Path) -> None:
    with TerminalSession(tmp_path, *FAST, "--fen", "8/P6k/8/8/8/8/8/K7 w - - 0 1") as session:
        session.wait()
        assert "what does the pawn become? a8=Q, a8=R" in session.ask("a8")
        assert "no knight of yours can go to e5" in session.ask("ne5")
        assert "'castle' is not a move" in session.ask("castle")
        assert "did you mean hint?" in session.ask("hnt")
        session.ask("a8n")
        assert session.board().piece_at(chess.A8) == chess.Piece.from_symbol("N")
    with TerminalSession(tmp_path, *FAST, "--fen", CASTLING) as session:
        session.wait()
        session.ask("0-0")
        board = session.board()
        assert (board.king(chess.WHITE), board.piece_type_at(chess.F1)) == (chess.G1, chess.ROOK)
    with TerminalSession(tmp_path, *FAST, "--fen", CHESS960, "--chess960") as session:
        session.wait()
        session.ask("o-o")
        board = session.board(chess960=True)
        assert (board.king(chess.WHITE), board.piece_type_at(chess.F1)) == (chess.G1, chess.ROOK)


def test_taking_back_and_what_else_can_be_said(tmp_path: Path) -> None:
    with TerminalSession(tmp_path, *FAST, "--clock", "5+3", "--elo", "1200") as session:
        session.wait()
        session.ask("e4")
        session.ask("d4")
        session.ask("back")
        assert session.board().fullmove_number == 2
        session.ask("undo")
        assert session.board() == chess.Board()
        assert "You have played no move" in session.ask("back")
        session.ask("nf3")
        assert re.search(r"^1\. Nf3 \S+$", session.ask("moves"), re.MULTILINE)
        assert "looks best: 2. " in session.ask("hint")
        assert re.search(r"Evaluation: \S+ at depth \d+: White wins", session.ask("eval"))
        assert "Evaluation is off" in session.ask("eval off")
        assert re.search(r"White +5:0\d\nBlack +5:0\d", session.ask("clock"))
        assert "\n 1  R" in session.ask("flip").replace("♜", "R")
        assert "Cythera plays at 2000 Elo" in session.ask("level 2000")
        assert "from 800 to 2800" in session.ask("level 1")
        assert "declines" in session.ask("draw")
        assert "already" in session.ask("draw")
        assert "take back" in session.ask("help")
        assert "e2" not in session.ask("legal g1")
        assert '[BlackElo "2000"]' in session.ask("pgn")
        assert "You play Black" in session.ask("new black")
        session.ask("resign")
        assert "You play White" in session.ask("new")
    assert [game.headers["Result"] for game in session.games()] == ["*", "1-0"]


def test_a_mate_can_be_taken_back(tmp_path: Path) -> None:
    with TerminalSession(tmp_path, *FAST, "--fen", "6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1") as session:
        session.wait()
        assert "checkmate" in session.ask("Ra8")
        session.ask("back")
        assert session.board().piece_at(chess.A1) is not None
        assert "Black wins by resignation." in session.ask("resign")
        assert "Black wins by resignation." in session.ask("resign")
        assert "Black wins" not in session.ask("back")
        assert session.board().turn == chess.WHITE
    assert session.games()[0].headers["Result"] == "*"


# ---- clocks


def test_a_flag_falls_while_the_person_thinks(tmp_path: Path) -> None:
    with TerminalSession(tmp_path, *FAST, "--clock", "0:01.5+0") as session:
        said = session.wait("quit leaves")
        assert "Black wins by time forfeit." in said


def test_believable_times_are_taken_and_told(tmp_path: Path) -> None:
    with TerminalSession(tmp_path, "--hash", "1", "--clock", "5+3") as session:
        session.wait()
        session.ask("e4")
    (game,) = session.games()
    spent = game.variations[0].variations[0].emt()
    assert spent is not None
    assert spent >= SHORTEST_S


# ---- Ctrl-C, Ctrl-D, kill


def test_ctrl_c_makes_the_engine_move(tmp_path: Path) -> None:
    arguments = ("--hash", "1", "--elo", "full", "--seconds", "3600")
    with TerminalSession(tmp_path, *arguments) as session:
        session.wait()
        session.ask("e4", "thinks")
        session.send(CTRL_C)
        assert "Cythera plays 1..." in session.wait()


def test_ctrl_c_and_ctrl_d_ask_before_they_leave(tmp_path: Path) -> None:
    with TerminalSession(tmp_path, *FAST) as session:
        session.wait()
        session.ask("e4")
        for key in (CTRL_C, CTRL_D):
            session.send(key)
            session.wait(r"Leave\?.*\[y/n\] ")
            session.ask("n")
        session.send(CTRL_C)
        session.wait(r"\[y/n\] ")
        session.send(CTRL_C)
        assert session.end() == EXIT_CODE
        assert "--continue" in session.said
    with TerminalSession(tmp_path, *FAST, "--continue") as session:
        session.wait()
        session.send(CTRL_D)
        session.wait(r"\[y/n\] ")
        session.send(CTRL_D)
        assert session.end() == 0


def test_a_game_that_was_not_begun_is_left_at_once(tmp_path: Path) -> None:
    for key, code in ((CTRL_C, EXIT_CODE), (CTRL_D, 0)):
        with TerminalSession(tmp_path, *FAST) as session:
            session.wait()
            session.send(key)
            assert session.end() == code
    assert session.games() == []


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGHUP, signal.SIGTERM])
def test_killed_and_continued(tmp_path: Path, number: signal.Signals) -> None:
    with TerminalSession(tmp_path, *FAST, "--clock", "5+3", "--color", "black") as session:
        session.wait()
        session.ask("a6")
        board = session.board()
        session.process.kill(number)
    with TerminalSession(tmp_path, *FAST, "--continue") as session:
        assert "You play Black" in session.wait()
        assert session.board() == board
        session.ask("h6")
    (game,) = session.games()
    assert sans(game)[1::2] == ["a6", "h6"]
    assert game.end().clock() is not None


# ---- looks


@pytest.mark.parametrize(
    ("variables", "colours", "pieces"),
    [
        ({}, True, True),
        ({"NO_COLOR": "1"}, False, True),
        ({"TERM": "dumb"}, False, True),
        ({"TERM": "dumb", "PYTHONIOENCODING": "ascii"}, False, False),
        ({"PYTHONIOENCODING": "latin-1"}, True, False),
        ({"LC_ALL": "C"}, True, False),
    ],
)
def test_what_the_terminal_can_show(
    tmp_path: Path, variables: dict[str, str], colours: bool, pieces: bool
) -> None:
    with TerminalSession(tmp_path, *FAST, **variables) as session:
        session.wait()
        raw = session.process.before
        assert ("\x1b[48;5;" in raw) == colours
        assert ("♞" in raw) == pieces
        assert ("n  b" in session.said) != pieces
        if variables.get("TERM") == "dumb":
            assert "\x1b" not in raw


@pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")
def test_the_screen_as_a_person_sees_it(tmp_path: Path) -> None:
    tmux = ["tmux", "-S", str(tmp_path / "socket"), "-f", os.devnull]

    def screen(wanted: str) -> str:
        deadline = time.monotonic() + TIMEOUT
        while time.monotonic() < deadline:
            shown = subprocess.run(
                [*tmux, "capture-pane", "-p"], capture_output=True, check=True
            ).stdout.decode()
            if re.search(wanted, shown):
                return shown
            time.sleep(0.05)
        raise AssertionError(f"no {wanted!r} in\n{shown}")

    command = " ".join([*COMMAND, "play", *FAST, "--fen", f"'{CASTLING}'"])
    folders = f"PYTHONPATH={ENVIRONMENT['PYTHONPATH']} XDG_DATA_HOME={tmp_path}"
    variables = f"LC_ALL=C.UTF-8 {folders}"
    size = ["-x", "60", "-y", "30"]
    subprocess.run([*tmux, "-u", "new-session", "-d", *size, f"{variables} {command}"], check=True)
    try:
        screen(r"1\. >\n")
        subprocess.run([*tmux, "send-keys", "O-O", "Tab", "Enter"], check=True)
        shown = screen(r"2\. >\n").rstrip().splitlines()
    finally:
        subprocess.run([*tmux, "kill-server"], check=True)
    assert shown[-11].startswith(" 8 ")
    assert (shown[-4][19], shown[-4][22]) == ("♜", "♚")  # on f1 and g1, under their letters
    assert (shown[-3][19], shown[-3][22]) == ("f", "g")
    assert "thinks" not in "\n".join(shown)


# ---- pipes


def test_moves_through_a_pipe(tmp_path: Path) -> None:
    said = pipe(tmp_path, b"e4\n")
    assert "You play 1. e4\nCythera plays 1... " in said
    assert "\x1b" not in said
    assert "> " not in said
    said = pipe(tmp_path, b"moves\nnf3", "--continue")
    assert "\n1. e4 " in said
    assert "You play 2. Nf3" in said


def test_one_file_for_all_games_and_what_others_wrote_there(
    converse: Converse, tmp_path: Path
) -> None:
    path = tmp_path / "games.pgn"
    theirs = '[Event "?"]\n[White "A"]\n[Black "B"]\n\n1. d4 {a comment} (1. c4) 1... d5 *\n'
    path.write_text(theirs)
    converse(["e4", "new", "d4"], "--save", str(path))
    assert path.read_text().startswith(theirs)
    games = read_games(path)
    assert [sans(game)[0] for game in games] == ["d4", "e4", "d4"]
    # Theirs is copied, not changed; ours goes on in its place.
    converse(["c4"], "--continue", str(path))
    assert [len(sans(game)) for game in read_games(path)] == [2, 2, 4]
    copy = tmp_path / "theirs.pgn"
    copy.write_text(theirs)
    converse(["c4"], "--continue", str(copy))
    assert copy.read_text().startswith(theirs)
    assert [len(sans(game)) for game in read_games(copy)] == [2, 4]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--elo", "5"], "levels are from 800 to 2800"),
        (["--clock", "x"], "expected MINUTES"),
        (["--fen", "x"], "bad FEN"),
        (["--fen", "7k/5K2/6Q1/8/8/8/8/8 b - - 0 1"], "nothing is left to play"),
        (["--chess960", "960"], "must be from 0 to 959"),
        (["--continue", os.devnull], "not a file"),
        (["--save", os.devnull], "not a file"),
        (["--continue", "no such file"], "No such file"),
        (["--continue"], "no unfinished game"),
        (["--continue", "--clock", "5"], "--clock is for a new one"),
        (["--save", __file__], "not a PGN file"),
        (["--save", "no such folder/x.pgn"], "No such file"),
        (["--name", "\n"], "not a name"),
    ],
)
def test_arguments_that_can_not_be(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert main(["play", *arguments]) == 2
    told = capsys.readouterr().err
    assert message in told
    assert told.count("\n") == 1


def test_a_folder_that_can_not_be_written_to_does_not_end_the_game(
    converse: Converse, tmp_path: Path
) -> None:
    (tmp_path / "cythera").write_text("a file where the folder should be")
    said = converse(["e4", "d4"])
    assert said.count("can't be saved") == 2  # when it is first found out, and at the end
    assert "Cythera plays 2..." in said


def test_odd_bytes_in_a_terminal(tmp_path: Path) -> None:
    """Ctrl-R after such bytes would be the end of readline, and of the program with it."""
    with TerminalSession(tmp_path, *FAST) as session:
        session.wait()
        for data in (
            b"\xff\xfe\x80",
            b"\xe2\x99",
            b"\xbf|\x12+",
            b"#)`\\+!",
            b"\x1bp\xc3",
            b"\0\x1b[",
        ):
            os.write(session.process.child_fd, data + b"\r")
        assert session.ask("\x15flip", r"h  g  f").count("is not a move") >= 3


def test_odd_bytes_and_endless_lines_in_a_pipe(tmp_path: Path) -> None:
    said = pipe(tmp_path, b"\xff\xfe\0\x1b[31m\n" + b"e" * 1_000_000 + b"\ne4\r\n\n\n  \nd4")
    assert said.count("is not a move") == 2
    assert "You play 2. d4" in said
    assert "\x1b" not in said


# ---- whatever comes

MOVES = ["e4", "nf3", "e2e4", "a6", "O-O", "d4", "Nc3", "h3", "exd5", "g8f6", "Qxf7"]
SAYINGS = [*WORDS, "back 2", "back x", "new black", "new x", "level 800", "level full", "eval on"]
SAYINGS += [
    "draw Nf3",
    "legal e2",
    "legal x",
    "hint hint",
    "quit now",
    "1. e4",
    "level 99999999999",
]
LINES = st.sampled_from(MOVES) | st.sampled_from(SAYINGS) | st.binary(max_size=30) | st.text()


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists(LINES, max_size=12), flags=st.lists(st.sampled_from(FLAGS), unique=True))
def test_any_lines_leave_games_that_can_be_read(
    converse: Converse,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    lines: list[str | bytes],
    flags: list[str],
) -> None:
    for name in ("HINTING", "EVALUATING", "JUDGING"):  # nobody looks at how good they are
        monkeypatch.setattr(conversation, name, Limit(nodes=100))
    said = converse(lines, "--elo", "800", "--seconds", "0.01", *flags)
    assert said.startswith("You play ")
    assert all(letter.isprintable() or letter == "\n" for letter in said)
    for path in tmp_path.glob("cythera/games/*.pgn"):
        for game in read_games(path):
            assert game.headers["Event"] == "Game against Cythera"
        path.unlink()


def test_a_damaged_table_is_told_of_in_one_sentence(tmp_path: Path) -> None:
    """By the opponent and by the coach, who both meet it, together."""
    table = tmp_path / "KRvK.rtbw"
    table.write_bytes((THREE_MEN / table.name).read_bytes()[:100])
    start = ["--fen", "8/8/8/4k3/8/8/8/KR6 w - - 0 1", "--color", "black"]
    engine = ["--elo", "full", "--seconds", "0.05", "--syzygy", str(tmp_path)]
    answer = subprocess.run(
        [*COMMAND, "play", "--hash", "1", "--eval", *start, *engine],
        input=b"Ke4\nquit\n",
        env={**ENVIRONMENT, "XDG_DATA_HOME": str(tmp_path)},
        capture_output=True,
        timeout=TIMEOUT,
        check=True,
    )
    assert re.fullmatch(r"cythera: \S*KRvK\.rtbw is of no use: .*\n", answer.stderr.decode())
