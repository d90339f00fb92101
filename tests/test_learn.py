"""Self-play and tuning: the files that they write, and the mathematics in between."""

from __future__ import annotations

import random
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import chess
import chess.engine
import numpy as np
import numpy.typing as npt
import pytest
from chess.engine import Limit
from uci_process import COMMAND, ENVIRONMENT, TIMEOUT

from core_ext import core
from uci_engine import Board, batch, cli
from uci_engine.learn import selfplay, tune

pytestmark = pytest.mark.release_only

WEIGHTS_FILE = Path(__file__).parent.parent / "core_ext" / "weights.pxi"
NODES = 150


def start(*arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, *map(str, arguments)], stderr=subprocess.PIPE, text=True, env=ENVIRONMENT
    )


def run(*arguments: object) -> tuple[int, str]:
    """The exit code and what was said."""
    process = start(*arguments)
    _, errors = process.communicate(timeout=TIMEOUT)
    return process.returncode, errors


def play(path: Path, games: int, *, seed: int) -> batch.Positions:
    """By one thread, so that the order of the games is the same every time."""
    arguments = ("--games", games, "--nodes", NODES, "--seed", seed, "--threads", 1)
    code, errors = run("selfplay", path, *arguments)
    assert code == 0, errors
    assert f"{games} of {games} games" in errors
    return np.fromfile(path, dtype=batch.POSITION)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A few games."""
    path = tmp_path_factory.mktemp("learn") / "games.bin"
    play(path, 12, seed=7)
    return path


@pytest.fixture
def client() -> Iterator[chess.engine.SimpleEngine]:
    with chess.engine.SimpleEngine.popen_uci(COMMAND, timeout=TIMEOUT, env=ENVIRONMENT) as client:
        client.configure({"Hash": selfplay.HASH_MB})
        yield client


# ---- self-play


def test_records_are_quiet_positions_of_games(data: Path) -> None:
    records = np.fromfile(data, dtype=batch.POSITION)
    assert data.stat().st_size == 32 * len(records)
    assert len(records) > 100
    for fen in batch.fens(records):
        board = chess.Board(fen)
        assert board.is_valid()
        assert not board.is_check()
        assert any(board.legal_moves)
    assert set(records["result"]) <= {0, 1, 2}
    assert np.abs(records["score"]).max() < 3000
    assert len(set(records["result"])) > 1
    # Who is far ahead mostly wins.
    ahead = records[np.abs(records["score"]) > 600]
    agreeing = (ahead["result"].astype(int) - 1) * np.sign(ahead["score"]) == 1
    assert agreeing.mean() > 0.8


def replay(client: chess.engine.SimpleEngine, rng: random.Random) -> list[tuple[str, int, int]]:
    """What a game's records should say: the same game, played by the UCI engine."""
    game, limit = object(), Limit(nodes=NODES)
    board = selfplay.random_opening(rng, 8).to_chess()
    while abs(score_of(client.analyse(board, limit, game=game), board)) > 400:
        board = selfplay.random_opening(rng, 8).to_chess()
    kept = []
    winning, even = 0, 0
    while True:
        played = client.play(board, limit, game=game, info=chess.engine.INFO_ALL)
        score = score_of(played.info, board)
        assert played.move is not None
        noisy = board.is_check() or board.is_capture(played.move) or played.move.promotion
        if not noisy and abs(score) < 3000:
            kept.append((board.fen(), score))
        board.push(played.move)
        winning = winning + 1 if abs(score) >= 1500 else 0
        even = even + 1 if abs(score) <= 8 else 0
        if board.is_checkmate():
            result = 0 if board.turn else 2
        elif (
            board.is_stalemate()
            or board.is_repetition(3)
            or board.halfmove_clock >= 100
            or board.is_insufficient_material()
            or board.ply() >= 400
        ):
            result = 1
        elif winning >= 6:
            result = 2 if score > 0 else 0
        elif even >= 12 and board.ply() >= 80:
            result = 1
        else:
            continue
        return [(fen, score, result) for fen, score in kept]


def score_of(info: chess.engine.InfoDict, board: chess.Board) -> int:
    """From White's side; a mate is worth 32,000 less its distance in plies."""
    score = info["score"].relative
    mate = score.mate()
    if mate is None:
        number = score.score()
        assert number is not None
    else:
        number = 32_001 - 2 * mate if mate > 0 else -32_000 - 2 * mate
    return number if board.turn else -number


def test_the_uci_engine_plays_the_same_games(
    tmp_path: Path, client: chess.engine.SimpleEngine
) -> None:
    records = play(tmp_path / "games.bin", 4, seed=3)
    rng = random.Random("3 0 0")
    expected = [record for _ in range(4) for record in replay(client, rng)]
    found = zip(
        batch.fens(records), records["score"].tolist(), records["result"].tolist(), strict=True
    )
    assert list(found) == expected


def test_a_seed_repeats_the_games(tmp_path: Path) -> None:
    first = play(tmp_path / "first.bin", 2, seed=5)
    assert np.array_equal(play(tmp_path / "second.bin", 2, seed=5), first)
    assert not np.array_equal(play(tmp_path / "third.bin", 2, seed=6), first)


def test_a_run_goes_on_behind_what_is_there(tmp_path: Path) -> None:
    """With new games, also for an old seed; a record that was cut off is dropped."""
    path = tmp_path / "games.bin"
    first = play(path, 2, seed=5)
    with path.open("ab") as file:
        file.write(b"a part of one")
    both = play(path, 2, seed=5)
    assert np.array_equal(both[: len(first)], first)
    added = both[len(first) :]
    assert len(added)
    assert not np.array_equal(added[:20], first[:20])
    assert len(batch.legal_counts(both)) == len(both)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_run_can_be_ended_at_any_moment(tmp_path: Path, how: signal.Signals) -> None:
    path = tmp_path / "games.bin"
    process = start("selfplay", path, "--games", 10**6, "--nodes", NODES, "--threads", 2)
    while not path.exists() or not path.stat().st_size:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(how)
    _, errors = process.communicate(timeout=TIMEOUT)
    if how == signal.SIGINT:
        assert process.returncode == 130
        assert re.fullmatch(r"interrupted[^\n]*\n\d+ of 1000000 games[^\n]*\n", errors)
    records = np.fromfile(path, dtype=batch.POSITION)
    assert len(batch.legal_counts(records)) == len(records) > 0
    more = play(path, 1, seed=1)
    assert np.array_equal(more[: len(records)], records)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ([], "FILE"),
        (["{folder}"], "Is a directory"),
        (["{folder}/none/games.bin"], "No such file or directory"),
        (["{folder}/text"], "text: item 0 is not a chess position"),
        (["{folder}/games.bin", "--games", "0"], "--games: must be at least 1: '0'"),
        (["{folder}/games.bin", "--nodes", "many"], "--nodes: not a whole number: 'many'"),
        (["{folder}/games.bin", "--nodes", "9" * 20], "--nodes: must be from 1 to"),
        (["{folder}/short"], "short: there is such a file, and it is too short for a position"),
        (["{folder}/games.bin", "--threads", "99999"], "--threads: must be from 1 to"),
        (["{folder}/games.bin", "--plies", "5000"], "--plies: must be from 1 to"),
        (["{folder}/games.bin", "--seed", "x"], "--seed: not a whole number: 'x'"),
    ],
)
def test_wrong_self_play_is_refused(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], arguments: list[str], problem: str
) -> None:
    text, short = tmp_path / "text", tmp_path / "short"
    text.write_text("Not everything that is called a file holds positions.\n")
    short.write_text("precious\n")
    before = text.read_bytes(), short.read_bytes()
    code = cli.main(["selfplay", *(each.format(folder=tmp_path) for each in arguments)])
    errors = capfd.readouterr().err
    assert (code, errors.count("\n")) == (2, 1)
    assert problem in errors
    assert (text.read_bytes(), short.read_bytes()) == before


def test_a_file_that_can_not_be_written_ends_the_run() -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no full device")
    run_of_games = selfplay.Run(full, 3)
    run_of_games.play(50, 8, random.Random(1))
    assert isinstance(run_of_games.error, OSError)
    assert run_of_games.begun == 1


# ---- tuning


@pytest.mark.parametrize("limit", [1000, 200, 20, 10**6])
def test_what_is_kept_aside_is_of_games_not_learnt_from(tmp_path: Path, limit: int) -> None:
    """The positions of a game lie together in the file: here they are 40 games of 25."""
    positions = batch.pack([Board()] * 1000)
    positions["result"] = 1
    positions["score"] = np.arange(1000)
    path = tmp_path / "games.bin"
    positions.tofile(path)
    chosen = tune.read_positions(path, limit)["score"]
    total = min(limit, 1000)
    assert len(chosen) == len(set(chosen)) == total
    aside, learnt = chosen[: total // 20], chosen[total // 20 :]
    assert not set(aside // 25) & set(learnt // 25)
    for part in (aside, learnt):
        assert len(part) < 2 or (np.diff(part) < 0).any()  # shuffled


def test_the_model_is_the_evaluation(data: Path) -> None:
    """To a centipawn: the evaluation rounds."""
    positions = np.fromfile(data, dtype=batch.POSITION)
    boards = [board.to_chess() for board in batch.unpack(positions)]
    two_armies = [all(men.bit_count() > 1 for men in board.occupied_co) for board in boards]
    positions = positions[two_armies]
    model = tune.Model.of(positions)
    scores = model.scores(core.weights().astype(np.float64), slice(None))
    mover = np.where(positions["side"] & 128, -1, 1)
    assert np.abs(scores * mover - batch.evaluate(positions)).max() < 1.05


def test_the_gradient_is_the_derivative(data: Path) -> None:
    positions = tune.read_positions(data, 300)
    model = tune.Model.of(positions)
    weights = core.weights().astype(np.float64)
    steepness, opinion, everything = 0.004, 0.3, slice(None)
    targets = tune.mix_targets(positions, steepness, opinion).astype(np.float64)

    def squares(weights: tune.Floats) -> float:
        guess = 1 / (1 + np.exp(-steepness * model.scores(weights, everything)))
        return float(np.sum((guess - targets) ** 2))

    slope, total = tune.gradient(model, weights, targets, steepness, everything)
    assert total == pytest.approx(squares(weights))
    used = np.flatnonzero(np.abs(slope).sum(axis=1))
    assert len(used) > 200
    for feature in used[::7]:
        for half in (0, 1):
            step = np.zeros_like(weights)
            step[feature, half] = 0.01
            numeric = (squares(weights + step) - squares(weights - step)) / 0.02
            assert 2 * steepness * slope[feature, half] == pytest.approx(
                numeric, rel=1e-4, abs=1e-9
            )


def synthetic_model(rng: np.random.Generator, positions: int, features: int) -> tune.Model:
    counts = rng.integers(-3, 4, (positions, features)).astype(np.int8)
    phase = rng.random(positions).astype(np.float32)
    return tune.Model(counts, phase, 1 - phase)


@pytest.mark.parametrize(
    ("drawn", "tolerance"), [(False, 3.0), (True, 12.0)], ids=["exact", "drawn"]
)
def test_known_weights_are_found_again(drawn: bool, tolerance: float) -> None:
    """From the chances that they give, and from results drawn by these chances."""
    rng = np.random.default_rng(4)
    model = synthetic_model(rng, 40_000, 6)
    truth = rng.integers(-150, 150, (6, 2)).astype(np.float32)
    steepness = 0.005
    targets = tune.sigmoid(steepness * model.scores(truth, slice(None)))
    if drawn:
        targets = (rng.random(len(targets)) < targets).astype(np.float32)
    start = truth + rng.integers(-60, 60, truth.shape).astype(np.float32)
    options = tune.parse_arguments(["data", "out", "--pull", "0", "--epochs", "300"])
    *_, found = tune.fit(model, start, targets, steepness, options)
    assert np.abs(start - truth).max() > 40
    assert np.abs(found - truth).max() < tolerance


LESSON = 1.5  # by so much all the weights are too small for the positions of `exaggerated`


@pytest.fixture(scope="module")
def exaggerated(data: Path) -> Path:
    """The games again, with scores that the weights could give: a few games teach nothing else that
    holds for the games kept aside."""
    positions = np.fromfile(data, dtype=batch.POSITION)
    model = tune.Model.of(positions)
    scores = LESSON * model.scores(core.weights().astype(np.float32), slice(None))
    positions["score"] = np.rint(scores)
    path = data.with_name("exaggerated.bin")
    positions.tofile(path)
    return path


def test_a_firm_pull_keeps_the_weights(exaggerated: Path) -> None:
    positions = tune.read_positions(exaggerated, 400)
    model, weights = tune.Model.of(positions), core.weights().astype(np.float32)
    targets = tune.mix_targets(positions, 0.005, 1)

    def change(pull: str) -> float:
        options = tune.parse_arguments(["data", "out", "--pull", pull, "--epochs", "40"])
        *_, found = tune.fit(model, weights, targets, 0.005, options)
        return float(np.abs(found - weights).mean())

    assert change("100") < 0.2 * change("0")
    assert change("0") > 1


def test_weights_that_only_get_worse_are_not_taken() -> None:
    """Noise teaches nothing: what does worse on the part kept aside is thrown away."""
    rng = np.random.default_rng(1)
    model = synthetic_model(rng, 400, 40)
    truth = rng.integers(-50, 50, (40, 2)).astype(np.float32)
    targets = tune.sigmoid(0.005 * model.scores(truth, slice(None)))
    targets[20:] = rng.random(380) < 0.5  # all but the part kept aside
    options = tune.parse_arguments(["data", "out", "--epochs", "100"])
    found = list(tune.fit(model, truth, targets, 0.005, options))
    assert len(found) == 1
    assert np.array_equal(found[0], truth)


def test_steepness_is_found_again() -> None:
    rng = np.random.default_rng(8)
    positions = np.zeros(20_000, dtype=batch.POSITION)
    model = synthetic_model(rng, len(positions), 5)
    weights = rng.integers(-150, 150, (5, 2)).astype(np.float32)
    chances = 1 / (1 + np.exp(-0.006 * model.scores(weights, slice(None))))
    positions["result"] = 2 * (rng.random(len(positions)) < chances)
    assert tune.fit_steepness(model, weights, positions) == pytest.approx(0.006, abs=0.0005)


def test_targets_mix_result_and_opinion() -> None:
    positions = np.zeros(3, dtype=batch.POSITION)
    positions["result"] = [0, 1, 2]
    positions["score"] = [0, 100, -30_000]
    assert tune.mix_targets(positions, 0.01, 0).tolist() == [0, 0.5, 1]
    opinions = [0.5, 1 / (1 + np.exp(-1)), 0]
    assert tune.mix_targets(positions, 0.01, 1) == pytest.approx(opinions, abs=1e-6)
    assert tune.mix_targets(positions, 0.01, 0.25)[2] == pytest.approx(0.75)


def test_todays_weights_are_written_as_they_are() -> None:
    assert tune.format_weights(core.weights().astype(int)) == WEIGHTS_FILE.read_text(
        encoding="ascii"
    )


def read_weights(path: Path) -> tuple[list[str], npt.NDArray[np.int_]]:
    """The names of the groups, and the pairs."""
    head, body = path.read_text(encoding="ascii").split("= [\n")
    assert head == WEIGHTS_FILE.read_text(encoding="ascii").split("= [\n")[0]
    assert body.endswith(",\n]\n")
    lines = [line.strip() for line in body.splitlines()[:-1]]
    names = [line for line in lines if line.startswith("#")]
    numbers = "".join(line for line in lines if not line.startswith("#")).rstrip(",").split(",")
    return names, np.array([int(number) for number in numbers]).reshape(-1, 2)


def test_tuning_lowers_the_error_and_writes_weights(exaggerated: Path, tmp_path: Path) -> None:
    out = tmp_path / "weights.pxi"
    code, errors = run("tune", exaggerated, out, "--epochs", 40, "--opinion", 1)
    assert code == 0
    aside = [float(number) for number in re.findall(r"aside (\S+)", errors)]
    trained = [float(number) for number in re.findall(r"epoch \d+: (\S+),", errors)]
    assert min(aside[1:]) < 0.9 * aside[0]
    assert trained[-1] < 0.5 * aside[0]
    names, pairs = read_weights(out)
    assert names == read_weights(WEIGHTS_FILE)[0]
    assert pairs.shape == core.weights().shape
    assert (pairs != core.weights()).any()
    assert np.abs(pairs - core.weights()).max() < 100
    assert [path.name for path in tmp_path.iterdir()] == ["weights.pxi"]
    # What is in the file is what does better.
    positions = np.fromfile(exaggerated, dtype=batch.POSITION)
    model = tune.Model.of(positions)

    def error(weights: npt.NDArray[Any]) -> float:
        scores = model.scores(weights.astype(np.float32), slice(None))
        return float(np.mean(np.abs(scores - positions["score"])))

    assert error(pairs) < error(core.weights())


def test_an_interrupted_tuning_leaves_the_best_weights(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "weights.pxi"
    process = start("tune", data, out, "--epochs", 10**6, "--rate", 0.01)
    assert process.stderr is not None
    while not process.stderr.readline().startswith("epoch 20:"):
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=TIMEOUT)
    assert process.returncode == 130
    assert read_weights(out)[1].shape == core.weights().shape


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["{data}"], "WEIGHTS"),
        (["{folder}/none.bin", "{out}"], "none.bin: No such file or directory"),
        (["{folder}", "{out}"], "Is a directory"),
        (["{folder}/text", "{out}"], "text: item 0 is not a chess position"),
        (["{folder}/empty", "{out}"], "empty: at least 20 positions, not 0"),
        (["{folder}/unplayed", "{out}"], "unplayed: item 3 has no result of a game"),
        (["{data}", "{out}", "--limit", "5"], "at least 20 positions, not 5"),
        (["{data}", "{folder}/text"], "text: there is such a file, and it is no weights file"),
        (["{data}", "{folder}/none/w.pxi"], "No such file or directory"),
        (["{data}", "{out}", "--epochs", "0"], "--epochs: must be at least 1: '0'"),
        (["{data}", "{out}", "--rate", "nan"], "--rate: must be from 0.001 to 100: 'nan'"),
        (["{data}", "{out}", "--pull", "-1"], "--pull: must be from 0 to 100: '-1'"),
        (["{data}", "{out}", "--opinion", "2"], "--opinion: must be from 0 to 1: '2'"),
        (["{data}", "{out}", "--opinion", "x"], "--opinion: not a number: 'x'"),
    ],
)
def test_wrong_tuning_is_refused(
    data: Path,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    arguments: list[str],
    problem: str,
) -> None:
    text, out = tmp_path / "text", tmp_path / "w.pxi"
    text.write_text("Not everything that is called a file holds positions.\n")
    (tmp_path / "empty").touch()
    positions = batch.pack([Board()] * 30)
    positions["result"][3] = 255
    positions.tofile(tmp_path / "unplayed")
    before = text.read_bytes(), data.read_bytes()
    names = {"data": data, "folder": tmp_path, "out": out}
    assert cli.main(["tune", *(each.format(**names) for each in arguments)]) == 2
    assert problem in capfd.readouterr().err.splitlines()[-1]
    assert not out.exists()
    assert (text.read_bytes(), data.read_bytes()) == before
