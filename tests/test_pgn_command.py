"""`cythera pgn`, and games as arrays: counts, checks, filters, EPD, packed positions, books."""

from __future__ import annotations

import io
import json
import random
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

import chess
import chess.pgn
import chess.polyglot
import numpy as np
import pytest

from lib.comparison import choose_lively
from uci_engine import batch, pgn
from uci_engine.cli import main

BROKEN = '[Event "broken"]\n[Result "1-0"]\n\n1. e4 e5 2. Ke3 1-0\n\n'
RESULTS = ("1-0", "0-1", "1/2-1/2", "*")


@pytest.fixture(scope="module")
def games() -> list[chess.pgn.Game]:
    """Lively games from the start position, with tags to tell them apart; one of them twice."""
    rng = random.Random(11)
    found = []
    for number in range(60):
        board = chess.Board()
        game = chess.pgn.Game()
        game.headers.update(
            White=rng.choice(["Anna", "Boris"]),
            Result=rng.choice(RESULTS),
            WhiteElo=str(2000 + 10 * number),
            BlackElo=str(2400),
            Date=f"{2023 + number % 3}.05.{number % 4:02}"
            if number % 5
            else rng.choice(["2024.??.??", "????.??.??"]),
        )
        node: chess.pgn.GameNode = game
        for _ in range(rng.randrange(4, 60)):
            moves = list(board.legal_moves)[:4] if board.ply() < 4 else list(board.legal_moves)
            if not moves:
                break
            move = rng.choice(moves) if board.ply() < 4 else choose_lively(board, rng)
            node = node.add_variation(move)
            board.push(move)
        found.append(game)
    return [*found, found[0]]


@pytest.fixture(scope="module")
def path(games: list[chess.pgn.Game], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pgn") / "games.pgn"
    path.write_text("\n\n".join(map(str, games)) + "\n", encoding="utf-8")
    return path


def plies(game: chess.pgn.Game) -> int:
    return sum(1 for _ in game.mainline_moves())


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str, str]:
    code = main(["pgn", *map(str, arguments)])
    out, err = capsys.readouterr()
    return code, out, err


def run_json(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> dict[str, object]:
    code, out, _ = run(capsys, *arguments, "--json")
    assert code == 0
    summary: dict[str, object] = json.loads(out)
    return summary


# ---- games as arrays


def test_games_as_arrays(games: list[chess.pgn.Game], path: Path) -> None:
    (arrays,) = batch.from_pgn(path, threads=2)
    row = 0
    boards = batch.unpack(arrays.positions)
    texts = batch.uci(arrays.moves)
    for number, game in enumerate(games):
        board = game.board()
        for move in game.mainline_moves():
            assert boards[row].fen() == board.fen()
            assert texts[row] == move.uci()
            assert arrays.games[row] == number
            assert arrays.elos[row].tolist() == [int(game.headers["WhiteElo"]), 2400]
            wanted = {"1-0": 1, "0-1": -1, "1/2-1/2": 0, "*": 2}[game.headers["Result"]]
            assert arrays.results[row] == wanted
            board.push(move)
            row += 1
    assert row == len(arrays.moves) == len(arrays.positions)
    assert arrays.problems == []
    assert batch.to_moves(arrays.moves[:5]) == list(games[0].mainline_moves())[:5]


def test_arrays_of_evaluations_clocks_and_broken_games() -> None:
    text = "1. e4 {[%eval 0.2] [%clk 0:01:30]} e5 {[%eval #-2]} 2. Nf3 *\n\n" + BROKEN
    (arrays,) = batch.from_pgn(io.BytesIO(text.encode()))
    assert arrays.scores.tolist() == [20, 2 - 32000, *[batch.NO_SCORE] * 3]
    assert arrays.clocks[0] == 90
    assert np.isnan(arrays.clocks[1:]).all()
    assert arrays.games.tolist() == [0, 0, 0, 1, 1]
    assert arrays.problems == [
        "the stream, line 6: illegal move: 'Ke3' in "
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
    ]


def test_arrays_come_in_chunks_in_the_order_of_the_file(path: Path) -> None:
    data = (path.read_bytes() + b"\n") * 60
    chunks = list(batch.from_pgn(io.BytesIO(data), threads=3))
    assert len(chunks) > 1
    numbers = np.concatenate([chunk.games for chunk in chunks])
    assert (np.diff(numbers) >= 0).all()
    assert numbers[-1] == 61 * 60 - 1
    (whole,) = batch.from_pgn(path)
    assert sum(len(chunk.moves) for chunk in chunks) == 60 * len(whole.moves)


def test_no_games_are_no_arrays() -> None:
    assert list(batch.from_pgn(io.BytesIO(b""))) == []
    with pytest.raises(ValueError, match="at least one thread"):
        next(batch.from_pgn(io.BytesIO(b"1. e4"), threads=0))


# ---- the command


def test_counts_and_results(
    games: list[chess.pgn.Game], path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    summary = run_json(capsys, path)
    results = Counter(game.headers["Result"] for game in games)
    assert summary == {
        "read": 61,
        "games": 61,
        "moves": sum(plies(game) for game in games),
        "broken": 0,
        "results": {result: results[result] for result in RESULTS},
        "complete": True,
    }
    code, out, err = run(capsys, path, path)
    assert (code, err) == (0, "")
    assert out.startswith("122 games, ")
    assert "none broken" in out


def test_broken_games_are_told_by_file_line_and_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "broken.pgn"
    path.write_text("1. e4 *\n\n" + BROKEN + "1. d4 *\n")
    code, out, err = run(capsys, path)
    assert code == 1
    assert out.splitlines()[0] == "3 games, 4 plies, 0.7 moves a game"
    assert out.splitlines()[-1] == "1 broken"
    assert err.startswith(f"{path}, line 6: illegal move: 'Ke3' in ")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("condition", "test"),
    [
        ("White=Anna", lambda h: h["White"] == "Anna"),
        ("White!=Anna", lambda h: h["White"] != "Anna"),
        ("White~ORI", lambda h: "ori" in h["White"].lower()),
        ("WhiteElo>=2300", lambda h: int(h["WhiteElo"]) >= 2300),
        ("WhiteElo<2300", lambda h: int(h["WhiteElo"]) < 2300),
        ("Result=1/2-1/2", lambda h: h["Result"] == "1/2-1/2"),
        ("Date>=2024.05", lambda h: h["Date"] >= "2024.05" and "?" not in h["Date"]),
        ("Date<2024.05.02", lambda h: h["Date"] < "2024.05.02" and "?" not in h["Date"]),
        ("Date<=2024", lambda h: h["Date"][0] != "?" and h["Date"] < "2025"),
        ("Opening=x", lambda h: False),
        ("Opening>=1", lambda h: False),
        ("BlackElo>=1.2", lambda h: False),
    ],
)
def test_filters_by_header(
    condition: str,
    test: object,
    games: list[chess.pgn.Game],
    path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    summary = run_json(capsys, path, "--where", condition)
    assert summary["games"] == sum(test(game.headers) for game in games)  # type: ignore[operator]
    assert summary["read"] == 61


def test_several_conditions_hold_together(
    games: list[chess.pgn.Game], path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    summary = run_json(capsys, path, "--where", "White=Anna", "--where", "WhiteElo>2200")
    assert summary["games"] == sum(
        game.headers["White"] == "Anna" and int(game.headers["WhiteElo"]) > 2200 for game in games
    )


def test_filter_by_position_also_at_the_end_of_a_game(
    games: list[chess.pgn.Game], path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for target in (games[5].end().board(), games[5].next().board(), chess.Board()):  # type: ignore[union-attr]
        wanted = 0
        for game in games:
            boards = [game.board(), *(node.board() for node in game.mainline())]
            wanted += any(board.epd() == target.epd() for board in boards)
        assert wanted
        assert run_json(capsys, path, "--position", target.fen())["games"] == wanted


def test_openings(
    games: list[chess.pgn.Game], path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    counts: Counter[str] = Counter()
    points: defaultdict[str, float] = defaultdict(float)
    for game in games:
        line = game.board().variation_san(list(game.mainline_moves())[:2])
        counts[line] += 1
        points[line] += {"1-0": 1, "0-1": 0}.get(game.headers["Result"], 0.5)
    summary = run_json(capsys, path, "--openings", "100", "--plies", "2")
    found = {row["moves"]: (row["games"], row["score"]) for row in summary["openings"]}  # type: ignore[attr-defined]
    assert found == {
        line: (count, round(points[line] / count, 4)) for line, count in counts.items()
    }
    _, out, _ = run(capsys, path, "--openings", "1", "--plies", "2")
    line, count = counts.most_common(1)[0]
    assert out.splitlines()[-1].split(maxsplit=2) == [
        str(count),
        f"{points[line] / count:.1%}",
        line,
    ]


def test_pgn_out(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "anna.pgn"
    run_json(capsys, path, "--where", "White=Anna", "-o", target)
    found = list(pgn.read(target))
    assert [game.moves for game in found] == [
        game.moves for game in pgn.read(path) if game.headers["White"] == "Anna"
    ]
    assert all(game.headers["White"] == "Anna" for game in found)


def epds(games: list[chess.pgn.Game], first: int, last: int) -> list[str]:
    found = []
    for game in games:
        board = game.board()
        for ply, move in enumerate(game.mainline_moves(), 1):
            if first <= ply <= last:
                found.append(board.epd())
            board.push(move)
    return found


def test_epd_and_packed_positions_out(
    games: list[chess.pgn.Game], path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "positions.epd"
    run_json(capsys, path, "-o", target)
    assert target.read_text().splitlines() == epds(games, 1, 10_000)
    run_json(capsys, path, "-o", target, "--plies", "3-6", "--unique")
    assert target.read_text().splitlines() == list(dict.fromkeys(epds(games, 3, 6)))
    target = tmp_path / "positions.pos"
    run_json(capsys, path, "-o", target, "--plies", "4")
    boards = batch.unpack(np.fromfile(target, dtype=batch.POSITION))
    assert [board.epd() for board in boards] == epds(games, 1, 4)


def test_a_book_is_what_the_games_have_brought(
    games: list[chess.pgn.Game], path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each position and move once; weights by points; the game that is there twice counts once."""
    points: Counter[tuple[int, chess.Move]] = Counter()
    for game in games[:-1]:
        result = {"1-0": 1, "0-1": -1, "1/2-1/2": 0, "*": 2}[game.headers["Result"]]
        board = game.board()
        for ply, move in enumerate(game.mainline_moves()):
            if ply < 30 and result != 2:
                key = chess.polyglot.zobrist_hash(board)
                points[key, move] += 1 + (result if board.turn else -result)
            board.push(move)
    target = tmp_path / "book.bin"
    run_json(capsys, path, "-o", target, "--plies", "30")
    with chess.polyglot.open_reader(target) as reader:
        entries = list(reader)
        found = {(entry.key, entry.raw_move): entry.weight for entry in entries}
    assert len(found) == len(entries)
    assert [entry.key for entry in entries] == sorted(entry.key for entry in entries)
    assert sorted(found.values()) == sorted(weight for weight in points.values() if weight)
    board = chess.Board()
    with chess.polyglot.open_reader(target) as reader:
        for entry in reader.find_all(board):
            assert entry.weight == points[chess.polyglot.zobrist_hash(board), entry.move]


def test_book_keys_are_those_of_python_chess(games: list[chess.pgn.Game], path: Path) -> None:
    """Castling rights and en passant included, also where the capture would lay the king bare."""
    from uci_engine.game_writers import Selection, passed_files, polyglot_keys

    pinned = '[FEN "8/8/8/8/k2p3R/8/4P3/4K3 w - - 0 1"]\n\n1. e4 Kb5 2. e5 Kc5 *\n\n'
    text = pinned.encode() + path.read_bytes()
    ((block, _, _),) = pgn.read_blocks(io.BytesIO(text), threads=1, positions=True)
    selection = Selection(block, text, range(len(block)))
    keys = polyglot_keys(selection.positions, passed_files(selection))
    row = 0
    passing = 0
    first = chess.pgn.read_game(io.StringIO(pinned))
    assert first is not None
    for game in [first, *games]:
        board = game.board()
        for move in game.mainline_moves():
            assert int(keys[row]) == chess.polyglot.zobrist_hash(board), board.fen()
            passing += board.has_pseudo_legal_en_passant()
            board.push(move)
            row += 1
    assert passing > 5


def test_least_games_of_a_book_move(
    games: list[chess.pgn.Game], path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "book.bin"
    run_json(capsys, path, "-o", target, "--least-games", "3", "--plies", "1")
    firsts = Counter(
        next(iter(game.mainline_moves())) for game in games[:-1] if game.headers["Result"] != "*"
    )
    with chess.polyglot.open_reader(target) as reader:
        found = {entry.move for entry in reader.find_all(chess.Board())}
    assert found <= {move for move, count in firsts.items() if count >= 3}
    assert found


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["no/such/file"], "no/such/file: No such file"),
        (["/dev/zero"], "/dev/zero: a device, not a file"),
        (["FILE", "--where", "White"], "not a condition"),
        (["FILE", "--where", "WhiteElo>x"], "needs a whole number"),
        (["FILE", "--where", "Date>2024.x"], "or a date such as 2024.01.31"),
        (["FILE", "--where", f"WhiteElo>{'9' * 5000}"], "needs a whole number"),
        (["FILE", "--position", "8/8"], "--position: bad FEN"),
        (["FILE", "--plies", "x"], "not plies"),
        (["FILE", "--plies", "0-4"], "not plies"),
        (["FILE", "--plies", "9-3"], "not plies"),
        (["FILE", "--plies", "0"], "not plies"),
        (["FILE", "--plies", "9"], "--plies needs --openings, or -o"),
        (["FILE", "--unique", "-o", "games.pgn"], "--unique is about positions"),
        (["FILE", "--least-games", "2", "-o", "games.epd"], "--least-games is about a book"),
        (["FILE", "-o", "games.txt"], "must end in .pgn, .epd, .pos, .bin"),
        (["FILE", "-o", "no/such/games.pgn"], "no/such/games.pgn"),
        ([], "required"),
    ],
)
def test_bad_arguments_are_one_sentence(
    arguments: list[str], words: str, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [str(path) if argument == "FILE" else argument for argument in arguments]
    code, out, err = run(capsys, *given)
    assert (code, out) == (2, "")
    assert words in err
    assert err.count("\n") == 1


def test_nothing_is_left_of_an_output_that_failed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "out.epd"
    target.write_text("as before\n")
    code, _, _ = run(capsys, "no/such/file", "-o", target)
    assert code == 2
    assert target.read_text() == "as before\n"
    assert list(tmp_path.iterdir()) == [target]


def test_standard_input(path: Path) -> None:
    command = [sys.executable, "-m", "uci_engine", "pgn", "-", "--json"]
    answer = subprocess.run(command, input=path.read_bytes(), capture_output=True, check=True)
    assert json.loads(answer.stdout)["games"] == 61
