"""`cythera perft` from outside: what it prints, how it ends, what it says about bad input."""

from __future__ import annotations

import functools
import json
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from arena_tools import run as run_here
from uci_process import COMMAND, ENVIRONMENT, run_to_the_end

from lib.suites import CHESS960_SUITE, STANDARD_SUITE, read_suite
from uci_engine.cli import COMMANDS, UCI_WORDS

pytestmark = pytest.mark.release_only

KIWIPETE = read_suite(STANDARD_SUITE, False)[1]
CHESS960_LINE = read_suite(CHESS960_SUITE, True)[4]
TIMEOUT = 60
# Deep enough to outlive any test, and not so deep that there is no progress to report.
ENDLESS = "9"


def start(*arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    )


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    process = start(*arguments)
    out, err = process.communicate(timeout=TIMEOUT)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def write_suite(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def printed_nodes(text: str) -> int:
    found = re.search(r"(\d+) nodes", text)
    assert found, text
    return int(found[1])


def printed_divide(text: str) -> dict[str, int]:
    return {
        move: int(nodes)
        for move, nodes in re.findall(r"^\s*([a-h]\d[a-h]\d[nbrq]?): (\d+)", text, re.MULTILINE)
    }


# ---- counts


@pytest.mark.parametrize(
    "manner", [[], ["--threads", "2"], ["--hash", "4"], ["--threads", "3", "--hash", "1"]], ids=str
)
def test_count(manner: list[str]) -> None:
    answer = run("perft", 4, "--fen", KIWIPETE.fen, *manner)
    assert (answer.returncode, answer.stderr) == (0, "")
    assert printed_nodes(answer.stdout) == KIWIPETE.counts[3]


def test_count_of_the_start_position() -> None:
    answer = run("perft", 4)
    assert answer.returncode == 0
    assert printed_nodes(answer.stdout) == 197281


def test_count_of_a_chess960_position() -> None:
    answer = run("perft", 3, "--chess960", "--fen", CHESS960_LINE.fen)
    assert answer.returncode == 0
    assert printed_nodes(answer.stdout) == CHESS960_LINE.counts[2]


def test_divide() -> None:
    answer = run("perft", 3, "--divide", "--fen", KIWIPETE.fen)
    assert answer.returncode == 0
    divided = printed_divide(answer.stdout)
    assert len(divided) == KIWIPETE.counts[0]
    assert sum(divided.values()) == KIWIPETE.counts[2]
    assert printed_nodes(answer.stdout) == KIWIPETE.counts[2]


def test_json() -> None:
    answer = run("perft", 3, "--json", "--divide", "--fen", KIWIPETE.fen)
    assert (answer.returncode, answer.stderr) == (0, "")
    value = json.loads(answer.stdout)
    assert value["fen"] == KIWIPETE.fen
    assert value["depth"] == 3
    assert value["nodes"] == KIWIPETE.counts[2]
    assert value["complete"] is True
    assert sum(value["divide"].values()) == KIWIPETE.counts[2]


@pytest.mark.parametrize("fen", ["8/8/8/8/8/5k2/5p2/5K2 w - - 0 1"])
def test_positions_without_moves_count_nothing(fen: str) -> None:
    answer = run("perft", 3, "--divide", "--fen", fen)
    assert answer.returncode == 0
    assert printed_nodes(answer.stdout) == 0


def test_importing_needs_neither_numpy_nor_python_chess() -> None:
    code = "import sys, uci_engine.perft; print({'numpy', 'chess'} & set(sys.modules))"
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=ENVIRONMENT, check=True
    )
    assert answer.stdout.strip() == "set()"


# ---- suites


@pytest.mark.parametrize(
    ("path", "options"),
    [(STANDARD_SUITE, []), (CHESS960_SUITE, ["--chess960"])],
    ids=["std", "960"],
)
def test_suite_passes(path: Path, options: list[str]) -> None:
    answer = run("perft", 3, "--suite", path, *options)
    assert answer.returncode == 0, answer.stdout
    positions = len(read_suite(path, bool(options)))
    assert f"{positions} of {positions}" in answer.stdout


def test_suite_without_a_depth_checks_every_count(tmp_path: Path) -> None:
    path = write_suite(tmp_path / "short.epd", f"{KIWIPETE.fen} ;D1 48 ;D2 2039 ;D3 97863")
    assert run("perft", 2, "--suite", path).returncode == 0
    assert run("perft", "--suite", path).returncode == 1


def test_suite_failure_shows_the_line_and_a_divide(tmp_path: Path) -> None:
    path = write_suite(
        tmp_path / "wrong.epd",
        "# the second count of the second position is wrong",
        "4k3/8/8/8/8/8/8/4K3 w - - 0 1 ;D1 5 ;D2 25",
        f"{KIWIPETE.fen} ;D1 48 ;D2 2040",
        "4k3/8/8/8/8/8/8/4K3 b - - 0 1 ;D1 5",
    )
    answer = run("perft", "--suite", path)
    assert answer.returncode == 1
    assert "line 3" in answer.stdout
    assert KIWIPETE.fen in answer.stdout
    assert "2040" in answer.stdout
    assert sum(printed_divide(answer.stdout).values()) == 2039
    assert "2 of 3" in answer.stdout


def test_suite_failure_in_json(tmp_path: Path) -> None:
    path = write_suite(tmp_path / "wrong.epd", f"{KIWIPETE.fen} ;D1 47 ;D2 2039")
    answer = run("perft", "--suite", path, "--json")
    assert answer.returncode == 1
    value = json.loads(answer.stdout)
    assert value["positions"] == 1
    (failure,) = value["failed"]
    assert (failure["line"], failure["expected"], failure["nodes"]) == (1, 47, 48)
    assert len(failure["divide"]) == 48


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_suite_lines_may_have_any_end_and_spacing(tmp_path: Path, line_end: str) -> None:
    path = tmp_path / "spaced.epd"
    text = f"# comment{line_end}{line_end}{KIWIPETE.fen};D1 48  ;D2   2039 ;{line_end}"
    path.write_bytes(text.replace(" ;\r", "\r").replace(" ;\n", "\n").encode())
    answer = run("perft", "--suite", path)
    assert answer.returncode == 0, answer.stderr


# ---- bad input


def assert_one_complaint(answer: subprocess.CompletedProcess[str], *mentions: str) -> None:
    assert answer.returncode == 2, answer
    assert answer.stdout == ""
    assert "Traceback" not in answer.stderr
    assert answer.stderr.count("\n") == 1, answer.stderr
    assert answer.stderr.endswith("\n")
    for mention in mentions:
        assert mention.lower() in answer.stderr.lower()


@pytest.mark.parametrize(
    ("arguments", "mention"),
    [
        ([], "DEPTH"),
        (["x"], "x"),
        (["-1"], "-1"),
        (["1.5"], "1.5"),
        ([""], "''"),
        (["65"], "depth"),
        (["99999999999999999999"], "depth"),
        (["3", "4"], "4"),
        (["3", "--fen"], "--fen"),
        (["3", "--fen", "nonsense"], "bad FEN, whole field"),
        (["3", "--fen", "8/8/8/8/8/8/8/8 w - - 0 1"], "bad FEN, board field"),
        (["3", "--fen", "4k3/8/8/8/8/8/8/4K3 w - e3 0 1"], "bad FEN, en passant field"),
        (["3", "--fen", CHESS960_LINE.fen], "bad FEN, castling field"),
        (["3", "--threads", "0"], "thread"),
        (["3", "--threads", "-2"], "thread"),
        (["3", "--threads", "x"], "x"),
        (["3", "--threads", "99999999999999999999"], "thread"),
        (["3", "--hash", "-1"], "hash"),
        (["3", "--hash", "x"], "x"),
        (["3", "--hash", "99999999999999999999"], "hash"),
        (["3", "--nonsense"], "--nonsense"),
        (["3", "--suite", "no such file.epd"], "no such file.epd"),
        (["3", "--suite", "."], "."),
        (["3", "--suite", str(STANDARD_SUITE), "--fen", KIWIPETE.fen], "--fen"),
    ],
    ids=str,
)
def test_bad_arguments_get_one_line(arguments: list[str], mention: str) -> None:
    assert_one_complaint(run_here("perft", *arguments), mention)


def test_unknown_command_gets_one_line() -> None:
    assert_one_complaint(run("nonsense"), "nonsense", *COMMANDS, *UCI_WORDS, "help")


@pytest.mark.parametrize(
    ("content", "mention"),
    [
        (b"", "no positions"),
        (b"# nothing but a comment\n", "no positions"),
        (b"\xff\xfe\x00\x81", "text"),
        (b"4k3/8/8/8/8/8/8/4K3 w - - 0 1\n", "line 1"),
        (b"\n4k3/8/8/8/8/8/8/4K3 w - - 0 1 ;D1\n", "line 2"),
        (b"4k3/8/8/8/8/8/8/4K3 w - - 0 1 ;D1 x\n", "line 1"),
        (b"4k3/8/8/8/8/8/8/4K3 w - - 0 1 ;D1 -5\n", "line 1"),
        (b"4k3/8/8/8/8/8/8/4K3 w - - 0 1 ;Dx 5\n", "line 1"),
        (b"4k3/8/8/8/8/8/8/4K3 w - - 0 1 ;bm e4\n", "line 1"),
        (b"4k3/8/8/8/8/8/8/4K3 w - - 0 1 ;D1 5\n8/8/8/8/8/8/8/8 w - - 0 1 ;D1 0\n", "line 2"),
        (b"4k3/8/8/8/8/8/8/4K3 w - - 0 1 ;D1 5 ;D999 5\n", "line 1"),
    ],
)
def test_bad_suites_get_one_line(tmp_path: Path, content: bytes, mention: str) -> None:
    path = tmp_path / "suite.epd"
    path.write_bytes(content)
    assert_one_complaint(run_here("perft", "--suite", path), mention, "suite.epd")


SPEAKING = [
    ["perft", "1"],
    ["perft", "3", "--divide"],
    ["perft", "--help"],
    ["perft", "2", "--json"],
    ["d"],
    ["eval"],
    ["flip"],
    ["go", "depth", "2"],
    ["go", "perft", "2"],
    ["compiler"],
    ["uci"],
    ["--help"],
    ["--version"],
]


@pytest.mark.parametrize("arguments", SPEAKING, ids=str)
def test_a_reader_that_goes_away_is_no_error_to_shout_about(arguments: list[str]) -> None:
    process = start(*arguments)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    err = process.stderr.read()
    assert (process.wait(TIMEOUT), err) == (1, "")


@pytest.mark.parametrize("arguments", SPEAKING, ids=str)
def test_a_full_disk_is_told_in_one_line(arguments: list[str]) -> None:
    with open("/dev/full", "w") as full:
        answer = subprocess.run(
            [*COMMAND, *arguments],
            env=ENVIRONMENT,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
    assert answer.returncode == 2
    assert answer.stderr.count("\n") == 1
    assert "No space left on device" in answer.stderr
    assert "Errno" not in answer.stderr


def run_without(stream: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Started by a shell that has closed stdin, stdout or stderr."""
    number = {"stdin": "0<", "stdout": "1>", "stderr": "2>"}[stream]
    return run_to_the_end("sh", "-c", f'exec "$@" {number}&-', "sh", *COMMAND, *arguments)


@pytest.mark.parametrize("arguments", [*SPEAKING, []], ids=str)
def test_an_output_that_is_closed_is_told(arguments: list[str]) -> None:
    answer = run_without("stdout", *arguments)
    assert answer.returncode == 2
    assert answer.stderr.splitlines()[-1] == "cythera: stdout: Bad file descriptor"


@pytest.mark.parametrize("arguments", SPEAKING, ids=str)
@pytest.mark.parametrize("stream", ["stdin", "stderr"])
def test_what_is_said_does_not_need_the_other_streams(arguments: list[str], stream: str) -> None:
    """Nor does what is meant for one of them go to another."""
    answer = run_without(stream, *arguments)
    assert answer.returncode == 0
    assert without_times(answer.stdout) == said_with_all_streams(*arguments)


@functools.cache
def said_with_all_streams(*arguments: str) -> str:
    return without_times(run(*arguments).stdout)


def without_times(text: str) -> str:
    return re.sub(r'nps \d+|time \d+|[\d.]+ s, \d+ nps|"seconds": .*', "", text)


@pytest.mark.parametrize("stream", ["stdin", "stdout", "stderr"])
def test_errors_without_a_stream(stream: str) -> None:
    answer = run_without(stream, "perft", "x")
    assert answer.returncode == 2
    assert answer.stdout == ""


# ---- Ctrl-C while the program starts

# Runs the program as `python -m` does, and interrupts it where a module begins to be imported.
INTERRUPTED_IMPORT = """
import runpy, sys

class Interrupter:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupter())
sys.argv = ["cythera", *{arguments!r}]
runpy.run_module("uci_engine", run_name="__main__")
"""


@pytest.mark.parametrize(
    ("arguments", "module"),
    [
        ([], "uci_engine.cli"),
        ([], "core_ext.core"),
        ([], "uci_engine.uci"),
        (["d"], "uci_engine.session"),
        (["perft", "1"], "uci_engine.perft"),
        (["bench", "1"], "uci_engine.arguments"),
        (["match"], "uci_engine.arena.match"),
    ],
)
def test_an_interrupt_during_the_imports_is_no_traceback(arguments: list[str], module: str) -> None:
    program = INTERRUPTED_IMPORT.format(module=module, arguments=arguments)
    answer = run_to_the_end(sys.executable, "-c", program)
    assert (answer.returncode, answer.stdout, answer.stderr) == (130, "", "")


# ---- long runs


def interrupt_after_progress(process: subprocess.Popen[str]) -> tuple[str, str]:
    """Wait for the first sign of progress on stderr, press Ctrl-C, and collect the rest."""
    assert process.stderr is not None
    too_late = threading.Timer(TIMEOUT, process.kill)
    too_late.start()
    try:
        progress = process.stderr.readline()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    finally:
        too_late.cancel()
    return out, progress + err


@pytest.mark.parametrize("manner", [[], ["--threads", "2"], ["--hash", "1"]], ids=str)
def test_interrupt_prints_what_is_done(manner: list[str]) -> None:
    process = start("perft", ENDLESS, *manner)
    out, err = interrupt_after_progress(process)
    assert process.returncode == 130
    assert re.search(r"\d%.*nodes.*left", err)
    assert "Traceback" not in err
    assert "interrupted" in out
    assert printed_nodes(out) == sum(printed_divide(out).values()) > 0


def test_interrupted_json_says_that_it_is_not_complete() -> None:
    process = start("perft", ENDLESS, "--json")
    out, _ = interrupt_after_progress(process)
    value = json.loads(out)
    assert value["complete"] is False
    assert value["nodes"] == sum(value["divide"].values()) > 0


def test_interrupted_suite_keeps_the_lines_that_are_done(tmp_path: Path) -> None:
    path = write_suite(
        tmp_path / "long.epd",
        "4k3/8/8/8/8/8/8/4K3 w - - 0 1 ;D1 5 ;D2 25",
        f"{KIWIPETE.fen} ;D1 48 ;D7 1",
    )
    process = start("perft", "--suite", path)
    out, err = interrupt_after_progress(process)
    assert process.returncode == 130
    assert "line 1" in out
    assert "interrupted" in out + err
    assert "Traceback" not in err
