"""Clocks, engine settings, openings, schedules, adjudication: each by itself."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from dataclasses import asdict
from pathlib import Path

import chess
import chess.polyglot
import pytest
from syzygy_tables import TABLES, THREE_MEN, needs_four_men

from uci_engine import START_FEN, Board
from uci_engine.arena.play.adjudication import Adjudication, ScoreWatch, ending_by_rule
from uci_engine.arena.play.cluster import load_dask
from uci_engine.arena.play.engine_game import Opening
from uci_engine.arena.play.notices import Notice
from uci_engine.arena.play.openings import DEFAULT_SET, OpeningSource, load_openings
from uci_engine.arena.play.positions import parse_position
from uci_engine.arena.play.schedule import Schedule
from uci_engine.arena.play.syzygy import make_judge
from uci_engine.arena.players.clock import Clock, TimeControl
from uci_engine.arena.players.engines_file import EngineCatalogue
from uci_engine.arena.players.spec import EngineSpec, name_engines, parse_engine
from uci_engine.arena.results.json_values import rebuild

pytestmark = pytest.mark.release_only

MS = 1_000_000


# Clocks


@pytest.mark.parametrize(
    ("text", "control"),
    [
        ("3+0.03", TimeControl(0, 3000, 30)),
        ("40/60", TimeControl(40, 60_000)),
        ("40/1:30+0.5", TimeControl(40, 90_000, 500)),
        ("0.1", TimeControl(0, 100)),
        ("inf", TimeControl()),
    ],
)
def test_time_control(text: str, control: TimeControl) -> None:
    assert TimeControl().with_clock(text) == control


@pytest.mark.parametrize(
    "text", ["", "x", "0", "-1", "1+", "/1", "0/1", "1e99", "nan", "1+x", "1:x"]
)
def test_bad_time_control(text: str) -> None:
    with pytest.raises(ValueError, match="bad time control"):
        TimeControl().with_clock(text)


def test_increment_and_moves_to_go() -> None:
    clock = Clock(TimeControl(2, 1000, 100), margin_ms=0)
    assert clock.charge(400 * MS)
    assert (clock.left_ns, clock.moves_to_go) == (700 * MS, 1)
    assert clock.charge(700 * MS)
    assert (clock.left_ns, clock.moves_to_go) == (1100 * MS, 2)


def test_margin() -> None:
    clock = Clock(TimeControl(0, 100), margin_ms=20)
    assert clock.allowed_ns() == 120 * MS
    assert not Clock(TimeControl(0, 100), 20).charge(121 * MS)
    assert clock.charge(120 * MS)
    assert clock.left_ns == 0
    assert clock.left_ms == 1


def test_movetime_and_no_limit() -> None:
    assert Clock(TimeControl(movetime_ms=50), 10).allowed_ns() == 60 * MS
    assert Clock(TimeControl(nodes=50), 10).allowed_ns() is None
    assert Clock(TimeControl(depth=5), 0).charge(10**15)


# Engine settings


def test_settings() -> None:
    spec = parse_engine(
        ["cmd=a 'b c'", "arg=--x", "name=N", "dir=/tmp", "proto=xboard", "tc=1+1", "option.A b=c=d",
         "margin=0", "starttimeout=1.5", "ponder=on", "restart=off", "initstr=x y"],
        ["option.Hash=16", "nodes=5"],
    )  # fmt: skip
    assert spec.command == ("a", "b c", "--x")
    assert spec.options == (("A b", "c=d"),)
    assert spec.shared_options == (("Hash", "16"),)
    assert (spec.control.base_ms, spec.control.nodes) == (1000, 5)
    assert (spec.margin_ms, spec.start_timeout_ms) == (0, 1500)
    assert (spec.ponder, spec.restart) == (True, False)
    assert rebuild(EngineSpec, json.loads(json.dumps(asdict(spec))), "it") == spec


@pytest.mark.parametrize(
    ("setting", "complaint"),
    [
        ("x", "expected KEY=VALUE, not 'x'"),
        ("=1", "expected KEY=VALUE, not '=1'"),
        ("nix=1", "unknown engine setting 'nix'"),
        ("cmd=", "cmd must not be empty"),
        ("cmd='", 'bad cmd "\'": No closing quotation'),
        ("proto=usi", "proto is one of uci, xboard, internal, not 'usi'"),
        ("nodes=0", "nodes must be a whole number of at least 1, not '0'"),
        ("nodes=x", "nodes must be a whole number of at least 1, not 'x'"),
        ("depth=-1", "depth must be a whole number of at least 1, not '-1'"),
        ("st=x", "st must be a time in seconds, not 'x'"),
        ("st=-1", "st must be a time in seconds, not '-1'"),
        ("ponder=1", "ponder is on or off, not '1'"),
        ("margin=-1", "margin must be a whole number of at least 0, not '-1'"),
        ("tc=", "bad time control ''"),
        ("name=", "name must not be empty"),
        ("conf=x", "conf=x needs --engines FILE"),
    ],
)
def test_bad_setting(setting: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=rf"\A{re.escape(complaint)}"):
        parse_engine(["cmd=x", setting], (), EngineCatalogue())


def test_names() -> None:
    same = EngineSpec(("/usr/bin/e",))
    assert [spec.name for spec in name_engines([same, same, same])] == ["e", "e-2", "e-3"]
    named = EngineSpec(("e",), "n")
    with pytest.raises(ValueError, match="two engines"):
        name_engines([named, named])


def test_engines_file(tmp_path: Path) -> None:
    path = tmp_path / "engines.json"
    entry = {
        "command": "/opt/my engine",
        "name": "Mine",
        "protocol": "xboard",
        "workingDirectory": "/opt",
        "initStrings": ["a"],
        "restart": "on",
        "options": [
            {"name": "Hash", "value": 64, "default": 16, "type": "spin"},
            {"name": "OwnBook", "value": False, "default": True, "type": "check"},
            {"name": "Same", "value": 1, "default": 1, "type": "spin"},
        ],
    }
    path.write_text(json.dumps([entry]))
    spec = parse_engine(["conf=Mine", "option.X=1"], ["tc=1"], EngineCatalogue(path))
    assert spec.command == ("/opt/my engine",)
    assert spec.options == (("Hash", "64"), ("OwnBook", "false"), ("X", "1"))
    assert (spec.name, spec.protocol, spec.directory) == ("Mine", "xboard", "/opt")
    assert spec.restart
    with pytest.raises(ValueError, match="no engine 'Other'"):
        parse_engine(["conf=Other"], (), EngineCatalogue(path))


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[1]", '[{"name": "x"}]', "[", '[{"command": "x"}]',
     '[{"name": "x", "command": "x", "options": null}]',
     '[{"name": "x", "command": "x", "initStrings": null}]',
     '[{"name": "x", "command": "x", "workingDirectory": 5}]'],
)  # fmt: skip
def test_bad_engines_file(text: str, tmp_path: Path) -> None:
    path = tmp_path / "engines.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"engines\.json"):
        parse_engine(["conf=x"], (), EngineCatalogue(path))


# Openings


def test_epd_openings(tmp_path: Path) -> None:
    path = tmp_path / "o.epd"
    path.write_text(
        "# a comment\n"
        f"{START_FEN}\n\n"
        "4k3/8/8/8/8/8/4P3/4K3 w - -\n"
        '4k3/8/8/8/8/8/4P3/4K3 b - - hmvc 3; fmvn 7; id "x";\n'
    )
    fens = [opening.fen for opening in load_openings(OpeningSource(str(path)), 9)]
    assert fens == [
        START_FEN,
        "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
        "4k3/8/8/8/8/8/4P3/4K3 b - - 3 7",
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no openings"),
        ("x", "line 1: bad FEN"),
        ("\n8/8/8/8/8/8/8/8 w - -", "line 2"),
        ("R5k1/5ppp/8/8/8/8/8/7K b - -", "line 1: the game is over"),
    ],
)
def test_bad_epd_openings(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "o.epd"
    path.write_text(text)
    with pytest.raises(ValueError, match=words):
        load_openings(OpeningSource(str(path)), 1)


def test_pgn_openings(tmp_path: Path) -> None:
    path = tmp_path / "o.pgn"
    path.write_text(
        "1. e4 e5 2. Nf3 *\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n"
        '[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]\n[SetUp "1"]\n\n1. e4 *\n'
    )
    openings = load_openings(OpeningSource(str(path)), 3)
    assert openings[0] == Opening(START_FEN, ("e2e4", "e7e5", "g1f3"))
    assert openings[1].moves == ("f2f3", "e7e5", "g2g4")  # there must be something to play
    assert openings[2] == Opening("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", ("e2e4",))
    assert load_openings(OpeningSource(str(path), plies=1), 3)[0].moves == ("e2e4",)
    path.write_text("1. e4 e4 *\n")
    with pytest.raises(ValueError, match="game 1"):
        load_openings(OpeningSource(str(path)), 3)


def book_entry(moves: str, move: str, weight: int) -> bytes:
    board = chess.Board()
    for text in moves.split():
        board.push_uci(text)
    made = chess.Move.from_uci(move)
    code = made.to_square % 8 | made.to_square // 8 << 3
    code |= made.from_square % 8 << 6 | made.from_square // 8 << 9
    key = chess.polyglot.zobrist_hash(board)
    return key.to_bytes(8, "big") + code.to_bytes(2, "big") + weight.to_bytes(2, "big") + bytes(4)


def test_polyglot_openings(tmp_path: Path) -> None:
    path = tmp_path / "b.bin"
    entries = [
        book_entry("", "e2e4", 3), book_entry("", "d2d4", 1), book_entry("e2e4", "e7e5", 1),
        book_entry("e2e4", "c7c5", 2), book_entry("d2d4", "d7d5", 1),
    ]  # fmt: skip
    path.write_bytes(b"".join(sorted(entries)))
    lines = [opening.moves for opening in load_openings(OpeningSource(str(path)), 9)]
    assert lines == [("e2e4", "c7c5"), ("e2e4", "e7e5"), ("d2d4", "d7d5")]
    drawn = OpeningSource(str(path), order="random", seed=5)
    assert sorted(opening.moves for opening in load_openings(drawn, 9)) == sorted(lines)
    assert load_openings(drawn, 9) == load_openings(drawn, 9)
    for bad in (b"", b"x" * 17):
        path.write_bytes(bad)
        with pytest.raises(ValueError, match=r"b\.bin"):
            load_openings(OpeningSource(str(path)), 1)


def test_order_and_seed(tmp_path: Path) -> None:
    path = tmp_path / "o.epd"
    path.write_text("".join(f"4k3/8/8/8/8/8/4P3/4K3 w - - 0 {n}\n" for n in range(1, 51)))

    def order(**settings: object) -> list[str]:
        source = OpeningSource(str(path), **settings)  # type: ignore[arg-type]
        return [opening.fen.split()[-1] for opening in load_openings(source, 1)]

    assert order() == [str(n) for n in range(1, 51)]
    assert order(first=48)[:3] == ["49", "50", "1"]
    assert order(order="random", seed=1) == order(order="random", seed=1)
    assert order(order="random", seed=1) != order(order="random", seed=2)
    assert sorted(order(order="random", seed=1)) == sorted(order())


def test_default_openings() -> None:
    """At least 500, all different, none over, and none in which a side was found to be ahead."""
    openings = load_openings(OpeningSource(), 1)
    assert len(openings) >= 500
    boards = [Board(opening.fen) for opening in openings]
    assert len({board.key for board in boards}) == len(boards)
    assert all(board.legal_count() and not board.is_check() for board in boards)
    scores = re.findall(r" ce (-?\d+); id \"1 \d+\";\n", DEFAULT_SET.read_text())
    assert len(scores) == len(openings)
    assert all(abs(int(score)) <= 35 for score in scores)


def test_chess960_openings() -> None:
    openings = load_openings(OpeningSource(chess960=True), 1)
    assert len({opening.fen for opening in openings}) == 960
    assert all(Board(opening.fen, chess960=True).castling_rooks for opening in openings)


# Schedules


def test_match_schedule() -> None:
    openings = [Opening(), Opening(START_FEN, ("e2e4",))]
    tasks = list(Schedule("match", 2, 5, openings).tasks(set()))
    assert [(task.white, task.black) for task in tasks] == [(0, 1), (1, 0)] * 2 + [(0, 1)]
    assert [task.pair for task in tasks] == [0, 0, 1, 1, 2]
    assert [task.opening_number for task in tasks] == [0, 0, 1, 1, 0]
    assert [task.number for task in Schedule("match", 2, 5, openings).tasks({0, 3})] == [1, 2, 4]


@pytest.mark.parametrize("games", [1, 4, 7])
@pytest.mark.parametrize(
    ("form", "players", "meetings"), [("roundrobin", 4, 6), ("gauntlet", 4, 3)]
)
def test_everyone_meets(form: str, players: int, meetings: int, games: int) -> None:
    schedule = Schedule(form, players, games, [Opening()])
    tasks = list(schedule.tasks(set()))
    assert len(tasks) == len(schedule) == meetings * games
    met = Counter(frozenset((task.white, task.black)) for task in tasks)
    assert set(met.values()) == {games}
    assert len(met) == meetings
    if form == "gauntlet":
        assert all(0 in pair for pair in met)
    for number in {task.pair for task in tasks}:
        pair = [task for task in tasks if task.pair == number]
        assert len({task.opening_number for task in pair}) == 1
        assert len({task.white for task in pair}) == len(pair)


def test_without_repetition_each_game_has_its_opening() -> None:
    openings = [Opening(START_FEN, (move,)) for move in ("e2e4", "d2d4", "c2c4", "g1f3")]
    tasks = Schedule("match", 2, 4, openings, repeat=False).tasks(set())
    assert [task.opening_number for task in tasks] == [0, 1, 2, 3]


def test_wrong_number_of_players() -> None:
    for form, players in (("match", 3), ("match", 1), ("roundrobin", 1), ("gauntlet", 1)):
        with pytest.raises(ValueError, match="two engines"):
            Schedule(form, players, 1, [Opening()])


# The ends of games


def board_after(moves: str, fen: str = START_FEN) -> Board:
    board = Board(fen)
    for move in moves.split():
        board.push_uci(move)
    return board


@pytest.mark.parametrize(
    ("board", "result", "reason"),
    [
        (board_after("f2f3 e7e5 g2g4 d8h4"), "0-1", "checkmate"),
        (Board("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), "1/2-1/2", "stalemate"),
        (Board("7k/8/6K1/8/8/8/8/8 b - - 0 1"), "1/2-1/2", "insufficient material"),
        (Board("7k/8/6K1/8/8/8/8/R7 b - - 100 90"), "1/2-1/2", "fifty moves"),
        (board_after("g1f3 g8f6 f3g1 f6g8 " * 2), "1/2-1/2", "threefold repetition"),
        (board_after("g1f3 g8f6 f3g1 f6g8"), None, None),
        # A mate on the last of the fifty moves is a mate.
        (Board("R6k/6pp/8/8/8/8/8/K7 b - - 100 90"), "1-0", "checkmate"),
    ],
)
def test_rules(board: Board, result: str | None, reason: str | None) -> None:
    ending = ending_by_rule(board)
    assert (ending.result, ending.reason) == (result, reason) if ending else result is None


def watch(limits: Adjudication, scores: list[int | None], fen: str = START_FEN) -> str | None:
    """The verdict after moves with these scores, White's first."""
    follower = ScoreWatch(limits)
    for ply, score in enumerate(scores):
        follower.see(ply % 2 == 0, score)
    board = Board(fen)
    ending = follower.verdict(board)
    return ending.result if ending else None


def test_draw_by_score() -> None:
    limits = Adjudication(draw_after_move=10, draw_count=2, draw_score=5)
    late = START_FEN.replace(" 0 1", " 0 11")
    assert watch(limits, [5, -5, 0, 3], late) == "1/2-1/2"
    assert watch(limits, [5, -5, 0, 3], START_FEN) is None
    assert watch(limits, [5, -5, 0, 6], late) is None
    assert watch(limits, [5, None, 0, 0], late) is None


def test_win_by_score() -> None:
    both = Adjudication(win_count=2, win_score=300)
    assert watch(both, [300, -300, 400, -500]) == "1-0"
    assert watch(both, [-300, 300, -400, 500]) == "0-1"
    assert watch(both, [300, 0, 400, -500]) is None
    assert watch(both, [300, 300, 400, 400]) is None
    loser = Adjudication(win_count=2, win_score=300, win_two_sided=False)
    assert watch(loser, [0, -300, 0, -500]) == "1-0"
    assert watch(loser, [300, 0, 400, 0]) is None


def test_longest_game() -> None:
    limits = Adjudication(most_moves=50)
    assert watch(limits, [0], START_FEN.replace(" 0 1", " 0 51")) == "1/2-1/2"
    assert watch(limits, [0], START_FEN.replace(" 0 1", " 0 50")) is None


@pytest.mark.parametrize(
    ("fen", "result"),
    [
        ("8/8/8/4k3/8/8/8/KQ6 w - - 0 1", "1-0"),
        ("8/8/8/4k3/8/8/8/Kq6 w - - 0 1", "1/2-1/2"),  # Kxb1
        ("8/8/8/4k3/8/2q5/8/K7 w - - 0 1", "0-1"),
        ("8/8/8/8/4k3/8/8/KN6 w - - 5 1", "1/2-1/2"),
        pytest.param("8/8/8/8/4k3/8/8/KN5n w - - 5 1", "1/2-1/2", marks=needs_four_men),
        ("8/8/8/4k3/8/8/8/KQ6 w - - 99 90", None),  # no mate in time
        ("8/8/8/4k3/8/8/8/KQ6 w - - 40 90", "1-0"),
        ("4k2r/8/8/8/8/8/8/4K3 b k - 0 1", None),  # castling is not in the tables
        (START_FEN, None),
    ],
)
def test_tables(fen: str, result: str | None) -> None:
    judge = make_judge(Adjudication(syzygy_path=str(TABLES), syzygy_pieces=4))
    notices: list[Notice] = []
    assert judge is not None
    ending = judge(Board(fen), notices.append)
    assert (ending.result if ending else None) == result
    assert not notices


def test_a_damaged_table_is_told_of(tmp_path: Path) -> None:
    table = tmp_path / "KRvK.rtbw"
    table.write_bytes((THREE_MEN / table.name).read_bytes()[:100])
    judge = make_judge(Adjudication(syzygy_path=str(tmp_path)))
    notices: list[Notice] = []
    assert judge(Board("8/8/8/4k3/8/8/8/KR6 w - - 0 1"), notices.append) is None
    assert judge(Board("8/8/8/3k4/8/8/8/KR6 w - - 0 1"), notices.append) is None
    assert f"{table} is of no use" in notices[0].text
    assert notices[0].about == notices[1].about  # so it is shown once


def test_no_tables(tmp_path: Path) -> None:
    for path in (str(tmp_path), str(tmp_path / "none")):
        with pytest.raises(ValueError, match="Syzygy"):
            make_judge(Adjudication(syzygy_path=path))


# Test positions


def test_test_position() -> None:
    line = 'r1bqk2r/p1pp1ppp/2p2n2/8/1b2P3/2N5/PPP2PPP/R1BQKB1R w KQkq - bm Bd3 e5; id "a; b";'
    position = parse_position(line, 3, False)
    assert (position.best, position.name) == (("f1d3", "e4e5"), "a; b")
    assert position.solved_by("e4e5", None)
    assert not position.solved_by("c1g5", None)
    mate = parse_position("6k1/5ppp/8/8/8/8/8/R6K w - - dm 1;", 1, False)
    assert mate.solved_by("a1a8", 1)
    assert not mate.solved_by("a1a8", 2)
    assert not mate.solved_by("a1a8", None)
    avoid = parse_position("6k1/5ppp/8/8/8/8/8/R6K w - - 0 1 am Ra8+;", 1, False)
    assert avoid.solved_by("a1a7", None)
    assert not avoid.solved_by("a1a8", None)
    with pytest.raises(ValueError, match="not a move in UCI notation: 'qa8'"):
        parse_position("6k1/5ppp/8/8/8/8/8/R6K w - - bm Qa8;", 1, False)
    with pytest.raises(ValueError, match="neither bm nor am nor dm"):
        parse_position("6k1/5ppp/8/8/8/8/8/R6K w - - id 3;", 1, False)


# Clusters


def test_without_dask_there_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ValueError, match=r"\A--cluster needs .* pip install 'cythera\[cluster\]'"):
        load_dask()
