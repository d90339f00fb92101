"""`go` in all its forms, and what a search says."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

import chess
import pytest
from uci_process import (
    CHESS960,
    KIWIPETE,
    MATE_IN_ONE,
    MATE_IN_TWO,
    MATED,
    ONE_MOVE,
    STALEMATED,
    EngineProcess,
    assert_answer,
    best_move,
    field,
    last_variation,
    variation,
)

pytestmark = pytest.mark.release_only

START = chess.STARTING_FEN
MATE_IN_THREE = "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1"
MATED_IN_ONE = "k7/8/1K6/8/8/8/8/7R b - - 0 1"
MATED_IN_TWO = "r5rk/5p1p/R7/4B3/8/8/7P/7K b - - 0 1"

INFO = re.compile(
    r"info depth \d+ seldepth \d+ multipv \d+ score (cp|mate) -?\d+( (lowerbound|upperbound))?"
    r"( wdl \d+ \d+ \d+)? nodes \d+ nps \d+ hashfull \d+ tbhits \d+ time \d+"
    r" pv( [a-h][1-8][a-h][1-8][nbrq]?)+"
)


@pytest.fixture
def engine(shared: EngineProcess) -> Iterator[EngineProcess]:
    """The same process for many tests; each leaves it idle and silent."""
    shared.ask("setoption name MultiPV value 1", "ucinewgame", "position startpos")
    yield shared
    assert shared.ask() == []


# ---- forms


@pytest.mark.parametrize(
    "limits",
    [
        "depth 4",
        "nodes 1000",
        "nodes 1",
        "mate 1 depth 3",
        "movetime 30",
        "movetime 0",
        "movetime -5",
        "wtime 1000 btime 1000",
        "wtime 1000 btime 1000 winc 10 binc 10",
        "btime 1000 wtime 1000 binc 10 winc 10 movestogo 1",
        "wtime 1000 movestogo 30",
        "wtime 500",
        "btime 500",
        "winc 5 wtime 100",
        "wtime 1 btime 1",
        "wtime 0 btime 0",
        "wtime -50 btime -1000",
        "wtime -50 btime 1000 winc 0 binc 0 movestogo 0",
        "wtime 60000 depth 3 movetime 50",
        "depth 3 nonsense 7 searchmoves",
        "searchmoves e2e4 d2d4 depth 3",
        "depth 3 searchmoves e2e4",
        "searchmoves 0000 depth 2",
        "searchmoves e2e5 e1g1 nonsense depth 2",
        "searchmoves depth 2",
        "depth 0",
        "depth 99999999999999999999 nodes 10",
        "nodes 99999999999999999999 depth 2",
        "depth",
        "depth x",
        "depth depth 2",
        "wtime x btime y",
        "movetime 1.5",
        "depth 1 depth 2",
    ],
)
def test_one_answer_to_every_form(engine: EngineProcess, limits: str) -> None:
    assert_answer(engine.go(f"go {limits}"), chess.Board())


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_one_answer_with_several_threads(threads: int) -> None:
    with EngineProcess() as engine:
        assert engine.ask(f"setoption name Threads value {threads}") == []
        for fen in (START, KIWIPETE, MATE_IN_TWO, ONE_MOVE, MATED, STALEMATED):
            engine.ask(f"position fen {fen}")
            for limits in (
                "depth 6",
                "nodes 1",
                "nodes 3000",
                "mate 2 nodes 20000",
                "movetime 0",
                "movetime 1",
                "movetime 20",
                "wtime 1 btime 1",
                "wtime -5 btime -5",
                "wtime 300 btime 300 winc 5 binc 5",
            ):
                assert_answer(engine.go(f"go {limits}"), chess.Board(fen))


@pytest.mark.parametrize(
    ("limits", "count"),
    [
        ("depth x", 1),
        ("depth", 1),
        ("depth 1_0", 1),
        ("depth \N{ARABIC-INDIC DIGIT TWO}", 1),
        ("wtime x btime y", 2),
        ("depth 1", 0),
        ("depth +1", 0),
    ],
)
def test_what_is_no_number_is_named(engine: EngineProcess, limits: str, count: int) -> None:
    remarks = [line for line in engine.go(f"go {limits}") if line.startswith("info string")]
    assert len(remarks) == count


def test_a_bare_go_searches_until_stop(engine: EngineProcess) -> None:
    engine.send("go")
    time.sleep(0.2)
    lines = engine.ask()
    assert not [line for line in lines if line.startswith("bestmove")]
    engine.send("stop")
    assert_answer(lines + engine.read_until("bestmove"), chess.Board())


def test_searchmoves_are_the_only_ones_considered(engine: EngineProcess) -> None:
    lines = engine.go("go searchmoves a2a3 h2h3 e2e5 depth 5")
    assert best_move(lines) in ("a2a3", "h2h3")
    assert next(line for line in lines if "e2e5" in line).startswith("info string")
    firsts = {variation(line)[0] for line in lines if " pv " in line}
    assert firsts <= {"a2a3", "h2h3"}


def test_depth_is_reached_and_not_passed(engine: EngineProcess) -> None:
    lines = engine.go("go depth 6")
    assert [field(line, "depth") for line in lines[:-1]] == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("nodes", [500, 5000, 50_000])
def test_the_last_line_tells_that_the_nodes_were_used(engine: EngineProcess, nodes: int) -> None:
    line = engine.go(f"go nodes {nodes}")[-2]
    assert nodes <= field(line, "nodes") <= nodes + 5


@pytest.mark.parametrize("clock", [1, 10, 100, 300])
def test_a_low_clock_still_gives_a_scored_answer(engine: EngineProcess, clock: int) -> None:
    """At any clock at least depth 1 is finished, and a scored line comes first."""
    assert_answer(engine.go(f"go wtime {clock} btime {clock}"), chess.Board())


@pytest.mark.parametrize(
    ("fen", "limits", "score", "plies"),
    [
        (MATE_IN_ONE, "mate 1", "mate 1", 1),
        (MATE_IN_TWO, "mate 2", "mate 2", 3),
        (MATE_IN_TWO, "mate 5", "mate 2", 3),
        (MATE_IN_THREE, "mate 3", "mate 3", 5),
        (MATED_IN_ONE, "mate 1", "mate -1", 2),
    ],
)
def test_mates_end_a_search_for_them(
    engine: EngineProcess, fen: str, limits: str, score: str, plies: int
) -> None:
    engine.ask(f"position fen {fen}")
    lines = engine.go(f"go {limits}")
    assert f"score {score} " in lines[-2]
    assert len(last_variation(lines)) == plies
    board = chess.Board(fen)
    for move in last_variation(lines):
        board.push_uci(move)
    assert board.is_checkmate()


@pytest.mark.parametrize(
    ("fen", "moves", "score"),
    [
        (MATE_IN_ONE, 1, "mate 1"),
        (MATE_IN_TWO, 2, "mate 2"),
        (MATED_IN_ONE, 1, "mate -1"),
        (MATED_IN_TWO, 2, "mate -2"),
    ],
)
def test_the_mate_that_is_asked_for_ends_a_search_of_two_lines(
    engine: EngineProcess, fen: str, moves: int, score: str
) -> None:
    """With the iteration that finds it. That a mate won't get shorter ends only one line's."""
    engine.ask("setoption name MultiPV value 2", f"position fen {fen}")
    best = [line for line in engine.go(f"go mate {moves}")[:-1] if " multipv 1 " in line]
    found = [field(line, "depth") for line in best if f"score {score} " in line]
    assert set(found) == {field(best[-1], "depth")}


@pytest.mark.parametrize(("fen", "score"), [(MATED, "mate 0"), (STALEMATED, "cp 0")])
def test_no_legal_move(engine: EngineProcess, fen: str, score: str) -> None:
    engine.ask(f"position fen {fen}")
    for limits in ("depth 3", "wtime 1000 btime 1000", "movetime 100"):
        first, second = engine.go(f"go {limits}")
        assert first == f"info depth 0 score {score}"
        assert second == "bestmove (none)"


# ---- without an end of their own


@pytest.mark.parametrize(
    "mode",
    [
        "infinite",
        "infinite depth 1 nodes 1 mate 1 movetime 1 wtime 1 btime 1",
        "ponder wtime 100 btime 100",
        "ponder depth 2",
        "ponder movetime 1",
        "ponder infinite",
    ],
)
@pytest.mark.parametrize(
    "position",
    [
        "startpos",
        f"fen {ONE_MOVE}",
        f"fen {MATE_IN_ONE}",
        f"fen {MATED}",
        f"fen {STALEMATED}",
        "fen 8/8/4k3/8/8/4K3/8/8 w - - 0 1",
    ],
)
def test_open_searches_wait_for_stop(engine: EngineProcess, mode: str, position: str) -> None:
    engine.ask(f"position {position}")
    engine.send(f"go {mode}")
    time.sleep(0.15)
    lines = engine.ask()
    assert not [line for line in lines if line.startswith("bestmove")]
    engine.send("stop")
    lines += engine.read_until("bestmove")
    board = chess.Board() if position == "startpos" else chess.Board(position[4:])
    assert_answer(lines, board)


@pytest.mark.parametrize("limits", ["infinite depth 2", "ponder depth 2", "infinite mate 1"])
def test_waiting_takes_no_processor_time(engine: EngineProcess, limits: str) -> None:
    engine.ask(f"position fen {MATE_IN_ONE}")
    engine.send(f"go {limits}")
    time.sleep(0.1)
    before = processor_ticks(engine)
    time.sleep(0.4)
    assert processor_ticks(engine) - before <= 3
    engine.send("stop")
    engine.read_until("bestmove")


def processor_ticks(engine: EngineProcess) -> int:
    """In hundredths of a second."""
    with open(f"/proc/{engine.process.pid}/stat", encoding="ascii") as stat:
        words = stat.read().rsplit(")", 1)[1].split()
    return int(words[11]) + int(words[12])


def test_ponderhit_lets_the_clock_run(engine: EngineProcess) -> None:
    engine.ask("position startpos moves e2e4 e7e5")
    engine.send("go ponder wtime 2000 btime 2000 winc 0 binc 0")
    time.sleep(0.3)
    engine.send("ponderhit")
    lines = engine.read_until("bestmove")
    board = chess.Board()
    board.push_uci("e2e4")
    board.push_uci("e7e5")
    assert_answer(lines, board)


def seconds_to_answer(engine: EngineProcess, command: str) -> float:
    """From before the write of a command to the read of the `bestmove`."""
    sent = time.monotonic()
    engine.send(command)
    engine.read_until("bestmove")
    return engine.read_at - sent


def test_the_time_of_a_move_is_kept(engine: EngineProcess) -> None:
    """By one of some: on a busy machine any single one may have had to wait."""
    engine.ask(f"position fen {KIWIPETE}")
    assert any(0.05 <= seconds_to_answer(engine, "go movetime 100") <= 0.1 for _ in range(100))


def test_the_clock_is_kept_after_a_ponderhit(engine: EngineProcess) -> None:
    engine.ask(f"position fen {KIWIPETE}")

    def seconds_after_ponderhit() -> float:
        engine.send("go ponder wtime 300 btime 300")
        time.sleep(0.35)  # longer than the clock, which does not run yet
        return seconds_to_answer(engine, "ponderhit")

    assert any(seconds_after_ponderhit() <= 0.3 for _ in range(30))


def test_after_a_ponderhit_the_time_told_does_not_go_back(engine: EngineProcess) -> None:
    engine.send("go ponder wtime 1000 btime 1000")
    time.sleep(0.3)
    engine.send("ponderhit")
    times = [field(line, "time") for line in engine.read_until("bestmove")[:-1]]
    assert times == sorted(times)
    assert times[-1] >= 300


@pytest.mark.parametrize("limits", ["depth 3", "nodes 2000", "movetime 50", "mate 1 depth 4"])
def test_ponderhit_with_other_limits(engine: EngineProcess, limits: str) -> None:
    engine.send(f"go ponder {limits}")
    time.sleep(0.05)
    engine.send("ponderhit")
    assert_answer(engine.read_until("bestmove"), chess.Board())


def test_an_infinite_search_is_not_ended_by_ponderhit(engine: EngineProcess) -> None:
    engine.send("go infinite", "ponderhit")
    time.sleep(0.1)
    assert not [line for line in engine.ask() if line.startswith("bestmove")]
    engine.send("stop")
    engine.read_until("bestmove")


# ---- what is said


@pytest.mark.parametrize("fen", [START, KIWIPETE, MATE_IN_TWO, ONE_MOVE])
@pytest.mark.parametrize("lines", [1, 3])
def test_info_lines(engine: EngineProcess, fen: str, lines: int) -> None:
    engine.ask(f"setoption name MultiPV value {lines}", f"position fen {fen}")
    said = engine.go("go depth 7")
    assert [line for line in said[:-1] if not INFO.fullmatch(line)] == []
    board = chess.Board(fen)
    last = [line for line in said if line.startswith("info depth 7 ")]
    numbers = [field(line, "multipv") for line in last]
    assert numbers[: min(lines, board.legal_moves.count())] == list(
        range(1, min(lines, board.legal_moves.count()) + 1)
    )
    assert best_move(said) == variation([line for line in said if " multipv 1 " in line][-1])[0]
    for line in said[:-1]:
        copy = board.copy()
        for move in variation(line):
            copy.push(copy.parse_uci(move))


def test_bounds_are_told_in_a_long_search(engine: EngineProcess) -> None:
    """From the first second on: how many nodes that takes depends on the machine."""
    engine.ask(f"position fen {KIWIPETE}")
    engine.send("go infinite")
    bound = None
    while bound is None:
        match = INFO.fullmatch(engine.read())
        assert match
        bound = match[3]
    assert bound in ("lowerbound", "upperbound")
    engine.send("stop")
    engine.read_until("bestmove")


@pytest.mark.parametrize("count", [1, 3, 20, 48])
def test_lines_come_in_whole_blocks_of_one_depth(engine: EngineProcess, count: int) -> None:
    """Each move once, in order, and no older depth after a newer one, however much there is."""
    engine.ask(f"setoption name MultiPV value {count}", f"position fen {KIWIPETE}")
    said = engine.go("go nodes 500000")[:-1]
    assert len(said) % count == 0
    blocks = [said[start : start + count] for start in range(0, len(said), count)]
    depths = [field(block[0], "depth") for block in blocks]
    assert depths == sorted(depths)
    assert depths[-1] > 4
    for block, depth in zip(blocks, depths, strict=True):
        assert [field(line, "multipv") for line in block] == list(range(1, count + 1))
        assert {field(line, "depth") for line in block} == {depth}
        assert len({variation(line)[0] for line in block}) == count
        assert not [line for line in block[1:] if "bound" in line]


def test_several_lines_begin_with_different_moves(engine: EngineProcess) -> None:
    engine.ask("setoption name MultiPV value 5")
    lines = [line for line in engine.go("go depth 6") if line.startswith("info depth 6 ")]
    assert len({variation(line)[0] for line in lines}) == 5
    scores = [field(line, "cp") for line in lines]
    assert scores == sorted(scores, reverse=True)


def test_more_lines_than_moves(engine: EngineProcess) -> None:
    engine.ask("setoption name MultiPV value 256", f"position fen {MATED_IN_ONE}")
    lines = engine.go("go depth 2")
    assert {field(line, "multipv") for line in lines[:-1]} == {1}


def test_more_lines_than_searchmoves(engine: EngineProcess) -> None:
    engine.ask("setoption name MultiPV value 5")
    lines = engine.go("go depth 4 searchmoves a2a3 h2h3 e2e5 a2a3")
    last = [line for line in lines if line.startswith("info depth 4 ")]
    assert sorted(variation(line)[0] for line in last) == ["a2a3", "h2h3"]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    "fen",
    [
        MATE_IN_ONE,
        MATE_IN_THREE,
        MATED_IN_ONE,
        "8/8/8/8/8/4k3/4q3/6K1 w - - 0 1",
        "4k3/8/8/8/8/8/R7/K6R w - - 0 1",
        "6k1/pp4p1/2p5/2bp4/8/P5Pb/1P3rrP/2BRRN1K b - - 0 1",
    ],
)
def test_a_mate_comes_with_all_its_moves(engine: EngineProcess, fen: str, threads: int) -> None:
    """Mating in N takes 2N - 1 plies, being mated in N takes 2N."""
    for lines in (1, 4):
        engine.ask(
            f"setoption name Threads value {threads}",
            f"setoption name MultiPV value {lines}",
            "ucinewgame",
            f"position fen {fen}",
        )
        told = [line for line in engine.go("go depth 14") if " score mate " in line]
        assert told
        for line in told:
            board = chess.Board(fen)
            for move in variation(line):
                board.push_uci(move)
            mate = field(line, "mate")
            assert len(variation(line)) == (2 * mate - 1 if mate > 0 else -2 * mate), line
            assert board.is_checkmate(), line
    engine.ask("setoption name Threads value 1")


def test_scores_are_from_the_movers_side(engine: EngineProcess) -> None:
    extra_queen = "4k3/8/8/8/8/8/8/3QK3 {} - - 0 1"
    for side, sign in (("w", 1), ("b", -1)):
        engine.ask(f"position fen {extra_queen.format(side)}")
        words = engine.go("go depth 3")[-2].split()
        assert sign * int(words[words.index("score") + 2]) > 0


def test_a_variation_stops_where_the_game_is_over(engine: EngineProcess) -> None:
    """One move before the fifty-move draw nothing but that move can be shown."""
    engine.ask("position fen 7k/8/8/8/8/8/R7/K7 w - - 98 80")
    for line in engine.go("go depth 8")[:-1]:
        board = chess.Board("7k/8/8/8/8/8/R7/K7 w - - 98 80")
        for move in variation(line):
            assert not board.is_game_over()
            assert not board.is_fifty_moves()
            board.push_uci(move)


def test_a_variation_stops_at_the_third_repetition(engine: EngineProcess) -> None:
    moves = ["g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1"]
    engine.ask("position startpos moves " + " ".join(moves))
    lines = engine.go("go depth 5 searchmoves f6g8")
    assert [variation(line) for line in lines[:-1]] == [["f6g8"]] * len(lines[:-1])
    assert lines[-1] == "bestmove f6g8"


def test_not_more_than_a_few_dozen_lines_a_second(engine: EngineProcess) -> None:
    """Blocks are told whole: two in the first burst, one each half second, and the last word."""
    engine.ask("setoption name MultiPV value 20", f"position fen {KIWIPETE}")
    lines = engine.go("go movetime 1000")
    assert 20 <= len(lines[:-1]) <= 20 * (2 + 2 + 1)
    assert not [line for line in lines if "currmove" in line]


def test_chess960_search(engine: EngineProcess) -> None:
    engine.ask("setoption name UCI_Chess960 value true", f"position fen {CHESS960}")
    assert_answer(engine.go("go depth 6"), chess.Board(CHESS960, chess960=True))
    engine.ask("setoption name UCI_Chess960 value false", "position startpos")


def test_a_new_game_brings_back_the_same_search(engine: EngineProcess) -> None:
    counts = []
    for _ in range(3):
        engine.ask("ucinewgame")
        game = []
        for moves in ("", " moves e2e4", " moves e2e4 e7e5 g1f3"):
            engine.send(f"position startpos{moves}")
            game.append(field(engine.go("go depth 8")[-2], "nodes"))
        counts.append(game)
    assert counts[0] == counts[1] == counts[2]


# ---- perft


@pytest.mark.parametrize(
    ("position", "depth", "moves", "nodes"),
    [
        ("startpos", 3, 20, 8902),
        (f"fen {KIWIPETE}", 2, 48, 2039),
        ("startpos", 1, 20, 20),
        ("startpos", 0, 0, 1),
        (f"fen {MATED}", 2, 0, 0),
    ],
)
def test_perft(engine: EngineProcess, position: str, depth: int, moves: int, nodes: int) -> None:
    engine.send(f"position {position}", f"go perft {depth}")
    lines = engine.read_until("Nodes searched")
    assert lines[-1] == f"Nodes searched: {nodes}"
    counts = [line for line in lines if re.fullmatch(r"[a-h][1-8][a-h][1-8][nbrq]?: \d+", line)]
    assert len(counts) == moves
    assert engine.read() == ""


def test_perft_can_be_stopped(engine: EngineProcess) -> None:
    engine.send("go perft 12")
    engine.ask()
    engine.send("stop")
    assert "stopped" in engine.read()
    engine.send("go perft x")
    assert "perft" in engine.read()
    engine.read_until("bestmove")


@pytest.mark.parametrize(
    "fen",
    [
        "8/8/4k3/8/8/4K3/8/8 w - - 0 1",
        "8/8/4k3/8/8/4KB2/8/8 b - - 0 1",
        "8/8/4k3/8/8/3nK3/8/8 w - - 0 1",
        "8/8/4k3/8/8/3qK3/8/8 w - - 0 1",  # it can only take the queen
    ],
)
def test_a_dead_draw_is_zero(engine: EngineProcess, fen: str) -> None:
    engine.ask(f"position fen {fen}")
    scores = [line.split(" score ")[1].split(" nodes ")[0] for line in engine.go("go depth 6")[:-1]]
    assert set(scores) == {"cp 0"}
