"""The commands beyond the standard, also as words of the command line."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import time
from collections.abc import Iterator

import chess
import pytest
from uci_process import (
    CHESS960,
    COMMAND,
    ENVIRONMENT,
    MATE_IN_ONE,
    TIMEOUT,
    EngineProcess,
    field,
    run_to_the_end,
)

from uci_engine.bench import POSITIONS
from uci_engine.cli import COMMANDS as PROGRAM_COMMANDS
from uci_engine.cli import UCI_WORDS
from uci_engine.cli import main as run_program
from uci_engine.uci import COMMANDS, Interface

pytestmark = pytest.mark.release_only

CHECKED = "4k3/8/8/8/7b/8/4r3/4K3 w - - 5 30"


@pytest.fixture
def engine() -> Iterator[EngineProcess]:
    with EngineProcess() as engine:
        yield engine


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return run_to_the_end(*COMMAND, *arguments)


def test_d_shows_board_fen_key_and_checkers(engine: EngineProcess) -> None:
    lines = engine.ask(f"position fen {CHECKED}", "d")
    assert " |   |   |   |   | r |   |   |   | 2" in lines
    assert f"Fen: {CHECKED}" in lines
    assert any(line.startswith("Key: ") and len(line) == 21 for line in lines)
    assert "Checkers: e2 h4" in lines
    assert "Checkers:" in engine.ask("position startpos", "d")


TERM = re.compile(r"(\S.*?) +([+-]\d+) +([+-]\d+) +([+-]\d+) +([+-]\d+) +([+-]\d+)")
TOTAL = re.compile(
    r"Evaluation: ([+-]\d+) centipawns, from White's side:"
    r" White wins (\d+\.\d) %, draw (\d+\.\d) %, Black wins (\d+\.\d) %"
)


@pytest.fixture
def classical(engine: EngineProcess) -> EngineProcess:
    engine.send("setoption name Evaluation value classical")
    return engine


def parse_eval(lines: list[str]) -> tuple[dict[str, list[int]], int, list[float]]:
    """Each term (White's middlegame and endgame, Black's, what counts now), the whole, and the
    chances of White, of a draw and of Black."""
    title, subtitle, *rows, last = lines
    assert title.split() == ["term", "White", "Black", "sum"]
    assert subtitle.split() == ["middle", "endgame", "middle", "endgame", "now"]
    terms = [TERM.fullmatch(row) for row in rows]
    total = TOTAL.fullmatch(last)
    assert all(terms)
    assert total
    values = {term[1]: [int(number) for number in term.groups()[1:]] for term in terms if term}
    return values, int(total[1]), [float(chance) for chance in total.groups()[1:]]


@pytest.mark.parametrize(
    ("pieces", "sign"),
    [
        ("4k3/8/8/8/8/8/8/3QK3", 1),
        ("3qk3/8/8/8/8/8/8/4K3", -1),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RN1QKBNR", -1),
    ],
)
def test_eval_tells_a_score_from_whites_side(
    classical: EngineProcess, pieces: str, sign: int
) -> None:
    for side in "wb":
        lines = classical.ask(f"position fen {pieces} {side} - - 0 1", "eval")
        terms, total, chances = parse_eval(lines)
        assert sign * total > 100
        assert sign * terms["material"][-1] > 100
        assert sign * (terms["material"][0] - terms["material"][2]) > 100
        assert sign * (chances[0] - chances[2]) > 20
        assert sum(chances) == pytest.approx(100)


def test_eval_has_the_sides_apart(classical: EngineProcess) -> None:
    """With the colours changed the columns change places; a term of neither side is left out."""
    for fen in POSITIONS[:20]:
        terms, total, chances = parse_eval(classical.ask(f"position fen {fen}", "eval"))
        mirrored = parse_eval(classical.ask("flip", "eval"))
        swapped = {
            name: [*black, *white, -now]
            for name, (*white, _, _, now) in terms.items()
            for black in [terms[name][2:4]]
        }
        assert mirrored == (swapped, -total, chances[::-1])
        assert abs(sum(now for *_, now in terms.values()) - total) <= len(terms) / 2
        assert all(any(sides) for *sides, _ in terms.values())


def test_nobody_wins_a_dead_position(classical: EngineProcess) -> None:
    _, total, chances = parse_eval(classical.ask("position fen 8/8/4k3/8/8/4K3/8/8 w - -", "eval"))
    assert (total, chances) == (0, [0, 100, 0])


def test_eval_in_check(engine: EngineProcess) -> None:
    assert engine.ask(f"position fen {CHECKED}", "eval")


def without_search(lines: list[str]) -> list[str]:
    return [line for line in lines if not line.startswith("info depth ")]


def test_eval_and_others_are_answered_during_a_search(engine: EngineProcess) -> None:
    asked = ["eval", "d", "compiler", "help"]
    answers = engine.ask(*asked)
    engine.send("go infinite")
    for _ in range(10):
        assert without_search(engine.ask(*asked)) == answers
    engine.send("stop")
    engine.read_until("bestmove")


def test_eval_does_not_disturb_a_search(engine: EngineProcess) -> None:
    counts = []
    for questions in ([], ["eval"] * 50):
        engine.ask("ucinewgame")
        engine.send("go depth 12", *questions)
        told = [line for line in engine.read_until("bestmove") if line.startswith("info depth ")]
        counts.append(field(told[-1], "nodes"))
        engine.ask()
    assert counts[0] == counts[1]


def test_help_names_every_command(engine: EngineProcess) -> None:
    text = "\n".join(engine.ask("help"))
    assert all(f"{word} " in text for word in COMMANDS)


def test_every_command_has_its_method() -> None:
    for method, purpose in COMMANDS.values():
        assert callable(getattr(Interface, method))
        assert purpose


def test_compiler_names_the_build(engine: EngineProcess) -> None:
    text = "\n".join(engine.ask("compiler"))
    assert "Cythera" in text
    assert "Python" in text


def bench_nodes(text: str) -> int:
    """The signature, from the last line of a bench."""
    found = re.fullmatch(r"([1-9]\d*) nodes [1-9]\d* nps", text.splitlines()[-1])
    assert found
    return int(found[1])


def test_bench_is_a_signature(engine: EngineProcess) -> None:
    """The same in each program, in the engine and on the command line."""
    engine.send("bench 5")
    said = [engine.read()]
    while not said[-1].endswith(" nps"):
        said.append(engine.read())
    answers = [run("bench", "5") for _ in range(2)]
    assert [answer.returncode for answer in answers] == [0, 0]
    assert {bench_nodes(answer.stdout) for answer in answers} == {bench_nodes(said[-1])}


@pytest.mark.parametrize("sizes", [["2", "4"], ["1", "1"], ["3"]], ids=str)
def test_bench_with_other_threads_and_hash(sizes: list[str]) -> None:
    answer = run("bench", "4", *sizes)
    assert answer.returncode == 0
    assert bench_nodes(answer.stdout) > 0
    assert len(answer.stderr.splitlines()) == len(POSITIONS)


BAD_BENCHES = [
    "x",
    "0",
    "-1",
    "1 2 3 4",
    "-x",
    "99999999999",
    "1 9999",
    "1 99999999999",
    "1 1 9999999",
    "1 1 99999999999",
]


@pytest.mark.parametrize("words", [*BAD_BENCHES, "-h"])
def test_bench_with_words_that_it_does_not_take(engine: EngineProcess, words: str) -> None:
    (complaint,) = engine.ask(f"bench {words}")
    assert complaint.startswith("info string ")
    assert "error in the engine" not in complaint


@pytest.mark.parametrize("words", BAD_BENCHES)
def test_a_bench_that_can_not_be_is_one_line(capfd: pytest.CaptureFixture[str], words: str) -> None:
    assert run_program(["bench", *words.split()]) == 2
    said = capfd.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert said.err.startswith("cythera: bench: ")


@pytest.mark.parametrize("threads", [1, 2])
def test_bench_is_ended_by_stop(engine: EngineProcess, threads: int) -> None:
    """The command is heard, and what was asked about the board before is answered."""
    engine.send(f"bench 100 {threads}")
    assert f"Fen: {chess.STARTING_FEN}" in engine.ask("d")
    engine.send("stop")
    said = engine.read_until("info string ")
    assert re.fullmatch(r"info string bench was stopped after \d+ nodes \d+ nps", said[-1])
    assert engine.ask() == []


def test_bench_is_ended_by_go(engine: EngineProcess) -> None:
    engine.ask("bench 100")
    lines = engine.go("go depth 2")
    assert lines.index(next(line for line in lines if "bench was stopped" in line)) < len(lines) - 1
    assert engine.ask() == []


# ---- as words of the command line


def start(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, *arguments],
        env=ENVIRONMENT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def interrupt(process: subprocess.Popen[str]) -> tuple[str, str]:
    """Press Ctrl-C; what is said from then on."""
    process.send_signal(signal.SIGINT)
    return process.communicate(timeout=TIMEOUT)


def wait_for_threads(process: subprocess.Popen[str], count: int) -> None:
    """Until the program has come so far that it does its work in the background."""
    deadline = time.monotonic() + TIMEOUT
    while len(os.listdir(f"/proc/{process.pid}/task")) < count and time.monotonic() < deadline:
        time.sleep(0.01)


def test_an_interrupted_bench_prints_what_is_done() -> None:
    """In the middle of a search that would go on for hours."""
    process = start("bench", "100", "1", "1")
    wait_for_threads(process, 2)
    time.sleep(0.2)
    out, err = interrupt(process)
    assert (process.returncode, err) == (130, "")
    assert re.fullmatch(r"bench was stopped after \d+ nodes \d+ nps\n", out)


@pytest.mark.parametrize(
    ("arguments", "mention"),
    [
        (["d"], f"Fen: {chess.STARTING_FEN}"),
        (["d", *CHECKED.split()], f"Fen: {CHECKED}"),
        (["d", CHECKED], f"Fen: {CHECKED}"),
        (["eval"], "Evaluation"),
        (["flip", CHECKED], f"Fen: {chess.Board(CHECKED).mirror().fen()}"),
        (["compiler"], "Cythera"),
        (["help"], "usage"),
        (["uci"], "uciok"),
        (["d", "--fen", CHECKED], f"Fen: {CHECKED}"),
        (["eval", "--fen", CHECKED], "Evaluation"),
        (["flip", "--fen", CHECKED], f"Fen: {chess.Board(CHECKED).mirror().fen()}"),
        (["go", "depth", "3"], "bestmove"),
        (["go", "depth", "3", "--fen", MATE_IN_ONE], "bestmove a1a8"),
        (["go", "--fen", CHESS960, "--chess960", "depth", "1", "searchmoves", "c1b1"], "c1b1"),
        (["help", "go"], "usage: cythera go"),
        (["go", "perft", "3"], "Nodes searched: 8902"),
    ],
    ids=str,
)
def test_one_shot(arguments: list[str], mention: str) -> None:
    answer = run(*arguments)
    assert (answer.returncode, answer.stderr) == (0, "")
    assert mention in answer.stdout


@pytest.mark.parametrize(
    ("words", "mention"),
    [
        ("d nonsense", "nonsense"),
        ("d --fen nonsense", "nonsense"),
        ("d --nonsense", "nonsense"),
        ("d --fen 8 8", "twice"),
        ("uci --fen 8", "fen"),
        ("help nonsense", "nonsense"),
        ("go depth 1 --fen nonsense", "nonsense"),
        ("eval nonsense", "nonsense"),
        ("uci nonsense", "nonsense"),
        ("compiler nonsense", "nonsense"),
        ("go", "end"),
        ("go infinite", "end"),
        ("go ponder depth 3", "end"),
        ("go infinite depth 3", "end"),
        ("go winc 5", "end"),
        ("go depth x", "'x'"),
        ("go depth", "depth"),
        ("go perft x", "'x'"),
        ("go dpth 10", "'dpth'"),
        ("go depth 3 now", "'now'"),
        ("go depth 3 searchmoves e2e4 e2e5", "e2e5"),
        ("go searchmoves dpth 10", "dpth"),
    ],
)
def test_bad_words_get_one_line_and_an_exit_code(
    capfd: pytest.CaptureFixture[str], words: str, mention: str
) -> None:
    assert run_program(words.split()) == 2
    said = capfd.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert said.err.startswith("cythera: ")
    assert mention in said.err


@pytest.mark.parametrize("word", [*PROGRAM_COMMANDS, *UCI_WORDS])
@pytest.mark.parametrize("wish", ["-h", "--help"])
def test_every_command_has_help(capfd: pytest.CaptureFixture[str], word: str, wish: str) -> None:
    code: object = 0
    try:
        code = run_program([word, wish])
    except SystemExit as end:  # as argparse ends a program
        code = end.code
    said = capfd.readouterr()
    assert code == 0
    assert said.out.startswith(f"usage: cythera {word} ")
    assert said.err == ""


def test_an_interrupted_search_gives_its_move() -> None:
    process = start("go", "nodes", "100000000000")
    assert process.stdout is not None
    assert process.stdout.readline().startswith("info depth 1 ")
    out, err = interrupt(process)
    assert (process.returncode, err) == (130, "")
    assert re.fullmatch(r"bestmove [a-h][1-8][a-h][1-8]( ponder \S+)?", out.splitlines()[-1])
    assert out.count("bestmove") == 1


def test_an_interrupted_perft_tells_how_far_it_came() -> None:
    process = start("go", "perft", "12")
    wait_for_threads(process, 2)
    out, err = interrupt(process)
    assert (process.returncode, err) == (130, "")
    assert re.fullmatch(r"info string perft was stopped after \d+ nodes\n", out)


def test_program_commands_and_words_of_the_protocol_do_not_clash() -> None:
    assert not PROGRAM_COMMANDS.keys() & UCI_WORDS.keys()
    assert UCI_WORDS.keys() <= COMMANDS.keys()


def test_a_terminal_is_a_fine_place_to_talk() -> None:
    """Typed by hand: the answer comes at once, and Ctrl-D ends it."""
    terminal, end = pty.openpty()
    process = subprocess.Popen(COMMAND, stdin=end, stdout=end, stderr=end, env=ENVIRONMENT)
    os.close(end)
    os.write(terminal, b"isready\n")
    seen = b""
    deadline = time.monotonic() + TIMEOUT
    while b"readyok" not in seen and time.monotonic() < deadline:
        seen += os.read(terminal, 1024)
    greeting = [line for line in seen.splitlines() if b"Cythera" in line]
    assert len(greeting) == 1
    assert b"help" in greeting[0]
    os.write(terminal, b"\x04")
    assert process.wait(TIMEOUT) == 0
    os.close(terminal)
