"""The options: what is offered, what is taken, what is refused."""

from __future__ import annotations

import os
import re
import resource
import time
from collections.abc import Iterator
from pathlib import Path

import chess
import pytest
from uci_process import MATE_IN_ONE, EngineProcess, assert_answer, best_move, field

from lib import ROOT
from uci_engine.limits import CLOCK_SHARE, INCREMENT_SHARE, RESERVE_MS, allot_clock
from uci_engine.options import ALL_OPTIONS, Options, find_option

pytestmark = pytest.mark.release_only

NEEDED = """Hash, Threads, Ponder, MultiPV, Clear Hash, Move Overhead, UCI_Chess960, UCI_ShowWDL,
UCI_AnalyseMode, UCI_Opponent, UCI_EngineAbout, UCI_LimitStrength, UCI_Elo, Skill Level, SyzygyPath,
SyzygyProbeDepth, SyzygyProbeLimit, Syzygy50MoveRule, OwnBook, BookFile, Book Depth, Evaluation,
Algorithm, Debug Log File, nodestime"""
NODES_PER_MS = 20
RESERVED_WORDS = {"name", "type", "default", "min", "max", "var", "value"}


@pytest.fixture
def engine(shared: EngineProcess) -> EngineProcess:
    assert shared.ask("ucinewgame", "position startpos") == []
    return shared


# ---- what is offered


@pytest.fixture(scope="module")
def offered() -> dict[str, str]:
    """The option lines by name."""
    with EngineProcess() as engine:
        engine.send("uci")
        lines = [line for line in engine.read_until("uciok") if line.startswith("option ")]
    parsed = [re.fullmatch(r"option name (.+?) type (\w+.*)", line) for line in lines]
    assert all(parsed)
    return {match[1]: match[2] for match in parsed if match}


def test_every_option_that_clients_need_is_there(offered: dict[str, str]) -> None:
    needed = {name.strip() for name in NEEDED.split(",")}
    assert needed <= offered.keys()


def test_every_option_has_its_row_in_the_docs(offered: dict[str, str]) -> None:
    text = (ROOT / "docs" / "GUIS.md").read_text(encoding="utf-8")
    rows = text.partition("\n## Options\n")[2].partition("\n## ")[0]
    told = [name for cell in re.findall(r"^\| (.+?) \|", rows, re.M) for name in cell.split(", ")]
    assert sorted(told[1:]) == sorted(offered)  # the first row is the table's head


def test_names_are_free_of_the_words_of_the_protocol(offered: dict[str, str]) -> None:
    for name in offered:
        assert not RESERVED_WORDS & set(name.lower().split())
    assert len({name.lower() for name in offered}) == len(offered)


def test_facts_have_the_form_that_clients_read(offered: dict[str, str]) -> None:
    for name, facts in offered.items():
        spin = re.fullmatch(r"spin default (-?\d+) min (-?\d+) max (-?\d+)", facts)
        combo = re.fullmatch(r"combo default (\S+)((?: var \S+)+)", facts)
        if spin:
            default, low, high = map(int, spin.groups())
            assert -(2**31) <= low <= default <= high < 2**31, name
        elif combo:
            assert combo[1] in combo[2].split(" var "), name
        else:
            assert re.fullmatch(r"check default (true|false)|button|string default \S.*", facts)
    assert not RESERVED_WORDS & set(
        offered["UCI_EngineAbout"].removeprefix("string default").split()
    )


def test_each_option_is_declared_once() -> None:
    options = Options()
    for option in ALL_OPTIONS:
        assert find_option(option.name.upper()) is option
        assert (
            getattr(options, option.attribute) == option.default if option.kind != "button" else 1
        )
    changed = options.copy()
    changed.values["hash_mb"] = 99
    assert (options.hash_mb, changed.hash_mb) == (16, 99)


# ---- what is taken


@pytest.mark.parametrize(
    "text",
    [
        "name Hash value 32",
        "name hash value 16",
        "name HASH value 0016",
        "name Hash value +16",
        "name   MOVE   overhead   value   100",
        "name Move Overhead value 10",
        "nonsense name Threads value 1",
        "name UCI_ShowWDL value TRUE",
        "name UCI_ShowWDL value false",
        "name Algorithm value PVS",
        "name Evaluation value classical",
        "name Clear Hash",
        "name clear hash value anything",
        "name SyzygyPath value <empty>",
        "name BookFile value <empty>",
        "name BookFile value",
        "name BookFile",
        "name Debug Log File value <empty>",
        "name UCI_Opponent value GM 2800 human Gary Kasparov",
        "name UCI_Opponent value name value type",
        "name UCI_EngineAbout value whatever",
        "name Ponder value true",
        "name UCI_AnalyseMode value false",
        "name nodestime value 0",
    ],
)
def test_a_good_value_is_taken_in_silence(engine: EngineProcess, text: str) -> None:
    assert engine.ask(f"setoption {text}") == []


@pytest.mark.parametrize(
    ("text", "mention"),
    [
        ("", "name"),
        ("name", "option ''"),
        ("value 3", "name"),
        ("name Hash", "Hash takes"),
        ("name Hash value", "Hash takes"),
        ("name Hash value 0", "from 1"),
        ("name Hash value -5", "'-5'"),
        ("name Hash value 99999999999999999999", "from 1"),
        ("name Hash value 1e3", "'1e3'"),
        ("name Hash value 16 32", "'16 32'"),
        ("name Hash value 1_6", "'1_6'"),
        ("name Hash value \N{FULLWIDTH DIGIT ONE}", "Hash takes"),
        ("name Hash value +", "'+'"),
        ("name Hash value \xff", "Hash takes"),
        ("name Threads value many", "'many'"),
        ("name Ponder value yes", "true or false"),
        ("name Ponder", "true or false"),
        ("name Algorithm value negamax", "pvs"),
        ("name Algorithm", "pvs"),
        ("name Hash Size value 16", "'Hash Size'"),
        ("name NoSuchOption value 1", "'NoSuchOption'"),
        ("name UCI_Elo value 100", "from 800"),
        ("name BookFile value /no/such/book.bin", "/no/such/book.bin"),
        ("name SyzygyPath value /no/such/tables", "/no/such/tables"),
        ("name Debug Log File value /no/such/directory/log", "/no/such/directory/log"),
        ("name BookFile value a\0b", "null"),
        ("name Debug Log File value a\0b", "null"),
    ],
)
def test_a_bad_value_is_refused_in_one_line(engine: EngineProcess, text: str, mention: str) -> None:
    (complaint,) = engine.ask(f"setoption {text}")
    assert complaint.startswith("info string ")
    assert mention in complaint


def test_the_old_value_stays_when_a_new_one_is_refused(engine: EngineProcess) -> None:
    engine.ask("setoption name MultiPV value 3", "setoption name MultiPV value 0")
    lines = [line for line in engine.go("go depth 4") if line.startswith("info depth 4 ")]
    assert len(lines) == 3
    engine.ask("setoption name MultiPV value 1")


def test_options_during_a_search_apply_to_the_next_one(engine: EngineProcess) -> None:
    engine.send("go infinite")
    remarks = engine.ask(
        "setoption name MultiPV value 2",
        "setoption name Hash value 4",
        "setoption name Threads value 2",
        "setoption name UCI_ShowWDL value true",
        "setoption name Clear Hash",
        "setoption name Hash value 0",
    )
    assert len([line for line in remarks if line.startswith("info string")]) == 1
    time.sleep(0.1)
    engine.send("stop")
    lines = remarks + engine.read_until("bestmove")
    assert not [line for line in lines if " multipv 2 " in line or " wdl " in line]
    lines = engine.go("go depth 5")
    assert [line for line in lines if " multipv 2 " in line]
    assert all(" wdl " in line for line in lines[:-1])
    for option in (
        "MultiPV value 1",
        "Hash value 16",
        "Threads value 1",
        "UCI_ShowWDL value false",
    ):
        assert engine.ask(f"setoption name {option}") == []


def test_hash_memory_that_can_not_be_had_is_refused() -> None:
    program_memory = 2**30
    with LimitedEngine(program_memory) as engine:
        remarks = engine.ask("setoption name Hash value 4096")
        assert len(remarks) == 1
        assert "4096 MB" in remarks[0]
        assert best_move(engine.go("go depth 5")) != "(none)"
        # Now there is a table, which stays.
        assert len(engine.ask("setoption name Hash value 4096")) == 1
        assert engine.ask("setoption name Hash value 32") == []
        assert best_move(engine.go("go depth 5")) != "(none)"


def test_a_refused_hash_leaves_the_table_as_it_was() -> None:
    """The searches after it are those of an engine that was never asked."""
    counts = []
    for asked in (False, True):
        with LimitedEngine(2**30) as engine:
            nodes = [field(engine.go("go depth 9")[-2], "nodes")]
            if asked:
                assert len(engine.ask("setoption name Hash value 4096")) == 1
            nodes.append(field(engine.go("go depth 9")[-2], "nodes"))
            counts.append(nodes)
    assert counts[0] == counts[1]


def test_hash_refused_after_a_search_does_not_take_the_threads_with_it() -> None:
    with LimitedEngine(2**30) as engine:
        engine.send("go infinite")
        engine.ask("setoption name Threads value 2", "setoption name Hash value 4096")
        engine.send("stop")
        engine.read_until("bestmove")
        assert len(engine.ask()) == 1  # the hash is refused when the next search needs it
        engine.send("go infinite")
        engine.read_until("info depth 3 ")
        assert thread_count(engine) == 4  # one reads, one hears Ctrl-C, two search
        engine.send("stop")
        engine.read_until("bestmove")


def test_memory_that_is_gone_when_it_is_needed() -> None:
    with EngineProcess() as engine:
        engine.send("uci", "setoption name Hash value 512")
        engine.read_until("uciok")
        limit_memory(engine, used_memory(engine) + 2**27)
        (complaint,) = engine.ask()
        assert "512 MB" in complaint
        assert engine.ask() == []
        assert best_move(engine.go("go depth 3")) != "(none)"


@pytest.mark.parametrize(
    ("sizes", "remarks"),
    [
        ([64, 512], ["stays at 64"]),
        ([512], ["stays at 16"]),
        ([8, 512, 1024], ["stays at 512", "stays at 8"]),
        ([512, 64], []),
    ],
)
def test_a_size_that_can_not_be_had_gives_way_to_the_one_before(
    sizes: list[int], remarks: list[str]
) -> None:
    with EngineProcess() as engine:
        engine.send(*(f"setoption name Hash value {size}" for size in sizes), "uci")
        engine.read_until("uciok")
        # Beside the table, a thread that begins now has up to 128 MB of addresses set aside for it.
        limit_memory(engine, used_memory(engine) + 3 * 2**27)
        assert [line.rpartition("it ")[2] for line in engine.ask()] == remarks
        assert engine.ask() == []
        assert_answer(engine.go("go depth 3"), chess.Board())


def test_more_threads_than_there_is_memory_for() -> None:
    """A thread needs megabytes for its stack: some start, and the search goes on with them."""
    with EngineProcess() as engine:
        engine.ask("setoption name Threads value 64", "setoption name Hash value 1")
        limit_memory(engine, used_memory(engine) + 2**27)
        for limits in ("depth 5", "movetime 50", "nodes 5000"):
            lines = engine.go(f"go {limits}")
            assert not [line for line in lines if line.startswith("info string")]
            assert_answer(lines, chess.Board())


@pytest.mark.parametrize(
    ("command", "answers"), [("go depth 3", 1), ("go infinite", 1), ("go perft 5", 0)]
)
def test_no_memory_for_a_single_thread(command: str, answers: int) -> None:
    with EngineProcess() as engine:
        engine.ask()
        limit_memory(engine, used_memory(engine) + 2**20)
        lines = engine.ask(command)
        assert [line for line in lines if line.startswith("info string")] == [
            "info string no memory for a thread"
        ]
        moves = [best_move([line]) for line in lines if line.startswith("bestmove")]
        assert len(moves) == answers
        assert all(chess.Move.from_uci(move) in chess.Board().legal_moves for move in moves)
        limit_memory(engine, resource.RLIM_INFINITY)
        assert_answer(engine.go("go depth 3"), chess.Board())


class LimitedEngine(EngineProcess):
    """An engine that can't have more memory than this."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        limit_memory(self, limit)


def limit_memory(engine: EngineProcess, limit: int) -> None:
    hard = resource.RLIM_INFINITY
    resource.prlimit(engine.process.pid, resource.RLIMIT_AS, (limit, hard))


def used_memory(engine: EngineProcess) -> int:
    pages = int(Path(f"/proc/{engine.process.pid}/statm").read_text().split()[0])
    return pages * resource.getpagesize()


def thread_count(engine: EngineProcess) -> int:
    return len(list(Path(f"/proc/{engine.process.pid}/task").iterdir()))


# ---- what some of them do


def test_wdl_is_shown_when_wanted(engine: EngineProcess) -> None:
    engine.ask("setoption name UCI_ShowWDL value true")
    for line in engine.go("go depth 5")[:-1]:
        chances = re.search(r"score cp -?\d+ wdl (\d+) (\d+) (\d+) nodes", line)
        assert chances
        assert sum(map(int, chances.groups())) == 1000
    engine.ask("position fen 6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1")
    assert "score mate 1 wdl 1000 0 0 nodes" in engine.go("go depth 3")[-2]
    engine.ask("setoption name UCI_ShowWDL value false")


def test_clear_hash_forgets_what_was_searched(engine: EngineProcess) -> None:
    first = field(engine.go("go depth 8")[-2], "nodes")
    again = field(engine.go("go depth 8")[-2], "nodes")
    engine.ask("setoption name Clear Hash")
    cleared = field(engine.go("go depth 8")[-2], "nodes")
    assert again != first
    assert cleared == first


def test_nodestime_makes_a_timed_game_repeatable(engine: EngineProcess) -> None:
    engine.ask("setoption name nodestime value 20")
    counts = []
    for clock in (10_000, 7):
        engine.ask("ucinewgame")
        # After the first move the clocks of the GUI are not looked at.
        engine.send("position startpos")
        first = field(engine.go("go wtime 10000 btime 10000 winc 100 binc 100")[-2], "nodes")
        second = field(engine.go(f"go wtime {clock} btime 10000 winc 100 binc 100")[-2], "nodes")
        counts.append((first, second))
    assert counts[0] == counts[1]
    soft_ms = CLOCK_SHARE * (10_000 - 10 - RESERVE_MS) + INCREMENT_SHARE * 100
    assert counts[0][0] == pytest.approx(20 * soft_ms, abs=40)
    engine.ask("setoption name nodestime value 0")


def granted_nodes(time: int, **others: int) -> int:
    """What the node clock gives for one move at the nodestime of these tests."""
    arguments = {"increment": 0, "moves_to_go": 0, "overhead": 10, **others}
    return NODES_PER_MS * allot_clock(time, **arguments).soft_ms


def used_nodes(lines: list[str], granted: int) -> int:
    """Of a search by the node clock: what it was given, to the last node."""
    used = field(lines[-2], "nodes")
    assert granted <= used <= granted + 5
    return used


@pytest.fixture
def by_nodes(engine: EngineProcess) -> Iterator[EngineProcess]:
    engine.ask(f"setoption name nodestime value {NODES_PER_MS}")
    yield engine
    engine.ask("setoption name nodestime value 0", "setoption name Move Overhead value 10")


@pytest.mark.parametrize(
    ("overhead", "moves", "limits", "granted"),
    [
        (0, "", "wtime 10000 btime 1", granted_nodes(10_000, overhead=0)),
        (5_000, "", "wtime 10000 btime 1", granted_nodes(10_000, overhead=5_000)),
        (10, "", "wtime 4000 movestogo 1", granted_nodes(4_000, moves_to_go=1)),
        (10, "", "wtime 4000 movestogo 40", granted_nodes(4_000, moves_to_go=40)),
        (10, " moves e2e4", "wtime 1 btime 8000", granted_nodes(8_000)),
        (
            10,
            " moves e2e4",
            "wtime 1 winc 9 btime 8000 binc 200",
            granted_nodes(8_000, increment=200),
        ),
    ],
)
def test_the_time_for_a_move_to_the_last_node(
    by_nodes: EngineProcess, overhead: int, moves: str, limits: str, granted: int
) -> None:
    by_nodes.ask(f"setoption name Move Overhead value {overhead}")
    by_nodes.send(f"position startpos{moves}")
    used_nodes(by_nodes.go(f"go {limits}"), granted)


def test_a_ponderhit_is_given_nodes_and_pondering_is_free(by_nodes: EngineProcess) -> None:
    left = 10_000 * NODES_PER_MS
    for move in range(3):
        by_nodes.send("go ponder wtime 10000 btime 10000" if move < 2 else "go wtime 1 btime 1")
        if move < 2:
            time.sleep(0.2)
            by_nodes.send("ponderhit")
        lines = by_nodes.read_until("bestmove")
        assert_answer(lines, chess.Board())
        left -= used_nodes(lines, granted_nodes(left // NODES_PER_MS))
        # Neither is an analysis on the clock, nor a ponder search that ends without a hit.
        for limits in ("infinite", "ponder wtime 10000 btime 10000"):
            by_nodes.send(f"go {limits}")
            time.sleep(0.05)
            by_nodes.send("stop", "ponderhit")
            by_nodes.read_until("bestmove")


@pytest.mark.parametrize("limits", ["depth 3", "movetime 500", "nodes 300", "mate 1"])
def test_a_ponderhit_by_nodes_with_other_limits(by_nodes: EngineProcess, limits: str) -> None:
    """Also where the ponder search has ended before."""
    for fen, delay in ((chess.STARTING_FEN, 0.0), (chess.STARTING_FEN, 0.1), (MATE_IN_ONE, 0.1)):
        by_nodes.send(f"position fen {fen}", f"go ponder {limits} wtime 10000 btime 10000")
        time.sleep(delay)
        by_nodes.send("ponderhit")
        assert_answer(by_nodes.read_until("bestmove"), chess.Board(fen))
    assert by_nodes.ask() == []


def test_the_log_has_both_sides(tmp_path: Path) -> None:
    log = tmp_path / "a log.txt"
    with EngineProcess() as engine:
        assert engine.ask(f"setoption name Debug Log File value {log}") == []
        engine.ask("position startpos moves e2e4")
        engine.go("go depth 2")
        engine.ask("setoption name Debug Log File value")
        engine.ask("d")
    lines = [line.split(" ", 1)[1] for line in log.read_text().splitlines()]
    assert "> position startpos moves e2e4" in lines
    assert "> go depth 2" in lines
    assert [line for line in lines if line.startswith("< bestmove ")]
    assert "< readyok" in lines
    assert "> d" not in lines


def test_log_of_bytes_that_are_no_text(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    with EngineProcess() as engine:
        engine.ask(f"setoption name Debug Log File value {log}")
        engine.send_bytes(b"setoption name UCI_Opponent value J\xf6rg\n\xff\xfe\n")
        engine.send_bytes(b"position fen \xe9\xff\n")
        engine.ask()
    assert b"J\xf6rg" in log.read_bytes()


def test_threads(engine: EngineProcess) -> None:
    engine.ask("setoption name Threads value 2")
    assert best_move(engine.go("go movetime 100")) != "(none)"
    assert best_move(engine.go("go nodes 5000")) != "(none)"
    engine.ask("setoption name Threads value 1")


# ---- what is no file, and text without end


TEXTS = [option.name for option in ALL_OPTIONS if option.kind == "string"]


@pytest.mark.parametrize("option", TEXTS)
@pytest.mark.parametrize("own_book", ["false", "true"])
def test_a_pipe_is_not_waited_for(tmp_path: Path, option: str, own_book: str) -> None:
    """Whatever takes a text may be given the name of one."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with EngineProcess() as engine:
        engine.ask(f"setoption name OwnBook value {own_book}")
        complaints = engine.ask(f"setoption name {option} value {pipe}")
        assert len(complaints) == (option not in ("UCI_Opponent", "UCI_EngineAbout"))
        assert all(complaint.startswith("info string ") for complaint in complaints)
        assert all(str(pipe) in complaint for complaint in complaints)
        assert_answer(engine.go("go depth 2"), chess.Board())
        assert engine.ask(f"setoption name {option} value <empty>") == []


@pytest.mark.parametrize("place", ["/", "/dev/zero", "/dev/tty"])
def test_a_book_is_a_file(place: str) -> None:
    with EngineProcess() as engine:
        (complaint,) = engine.ask(f"setoption name BookFile value {place}")
        assert complaint == f"info string not a file with a book: '{place}'"


def test_a_log_that_nobody_reads_on_is_given_up(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with EngineProcess() as engine:
        assert engine.ask(f"setoption name Debug Log File value {pipe}") == []
        engine.ask()
        assert b"readyok" in os.read(reading, 1000)
        for _ in range(300):  # more than a pipe holds
            engine.ask("setoption name UCI_Opponent value " + "x" * 1000)
        assert_answer(engine.go("go depth 2"), chess.Board())
    os.close(reading)


LONG = 20_000_000


@pytest.mark.parametrize(
    "line",
    [
        b"setoption name " + b"x" * LONG,
        b"setoption name Hash value " + b"9" * LONG,
        b"setoption name UCI_Chess960 value " + b"y" * LONG,
        b"setoption name BookFile value /" + b"z" * LONG,
        b"setoption name SyzygyPath value /" + b"z" * LONG,
        b"setoption name Evaluation value " + b"e" * LONG,
        b"position fen " + b"k" * LONG,
        b"position startpos moves " + b"e" * LONG,
        b"go depth " + b"7" * LONG,
        b"bench " + b"b" * LONG,
    ],
    ids=lambda line: line[:30].decode(),
)
def test_a_long_text_is_not_said_back(line: bytes) -> None:
    with EngineProcess() as engine:
        engine.send_bytes(line + b"\nisready\n")
        said = engine.read_until("readyok")
        if line[:2] == b"go" and not any(text.startswith("bestmove") for text in said):
            said += engine.read_until("bestmove")
        assert len(said) > 1
        assert max(map(len, said)) <= 1100
        assert_answer(engine.go(), chess.Board())
