"""Tuning: what is learnt from, the mathematics, and the file that it writes."""

from __future__ import annotations

import re
import signal
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from learn_tools import own_games
from uci_process import COMMAND, ENVIRONMENT, TIMEOUT

from core_ext import core
from uci_engine import Board, batch, cli
from uci_engine.learn import tune
from uci_engine.learn.gamefiles import Filter, expand, format_block
from uci_engine.learn.sigmoid import Floats, sigmoid

pytestmark = pytest.mark.release_only

WEIGHTS_FILE = Path(__file__).parent.parent / "core_ext" / "evaluation" / "weights.pxi"
NODES = 150
GAMES = 160


def start(*arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, *map(str, arguments)], stderr=subprocess.PIPE, text=True, env=ENVIRONMENT
    )


def run(*arguments: object) -> tuple[int, str]:
    """The exit code and what was said."""
    process = start(*arguments)
    _, errors = process.communicate(timeout=TIMEOUT)
    return process.returncode, errors


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The positions of some games: enough for those kept aside to be like the others."""
    path = tmp_path_factory.mktemp("learn") / "games.bin"
    games = own_games(GAMES, seed=7, soft_nodes=0, hard_nodes=NODES)
    expand(b"".join(games), Filter()).tofile(path)
    return path


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
    """To a centipawn: the evaluation rounds. Also where an ending is known to be won."""
    won = ["8/8/4k3/8/8/3QK3/8/8 w - - 0 1", "8/8/4K3/8/8/3bkn2/8/8 w - - 0 1"]
    won += ["8/4k3/8/4K3/4P3/8/8/8 b - - 0 1", "8/P6k/8/8/8/8/5P2/6K1 w - - 0 1"]
    positions = np.concatenate([np.fromfile(data, dtype=batch.POSITION), batch.pack(won)])
    model = tune.Model.of(positions)
    assert model.extra[-len(won) :].all()
    scores = model.scores(core.weights().astype(np.float64), slice(None))
    mover = np.where(positions["side"] & 128, -1, 1)
    assert np.abs(scores * mover - batch.evaluate(positions, evaluation="classical")).max() < 1.05


def test_the_gradient_is_the_derivative(data: Path) -> None:
    positions = tune.read_positions(data, 300)
    model = tune.Model.of(positions)
    weights = core.weights().astype(np.float64)
    steepness, opinion, everything = 0.004, 0.3, slice(None)
    targets = tune.mix_targets(positions, steepness, opinion).astype(np.float64)

    def squares(weights: Floats) -> float:
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
    return tune.Model(counts, phase, 1 - phase, np.zeros_like(phase))


@pytest.mark.parametrize(
    ("drawn", "tolerance"), [(False, 3.0), (True, 12.0)], ids=["exact", "drawn"]
)
def test_known_weights_are_found_again(drawn: bool, tolerance: float) -> None:
    """From the chances that they give, and from results drawn by these chances."""
    rng = np.random.default_rng(4)
    model = synthetic_model(rng, 40_000, 6)
    truth = rng.integers(-150, 150, (6, 2)).astype(np.float32)
    steepness = 0.005
    targets = sigmoid(steepness * model.scores(truth, slice(None)))
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


def test_a_firm_pull_keeps_the_weights() -> None:
    rng = np.random.default_rng(1)
    model = synthetic_model(rng, 4000, 40)
    truth = rng.integers(-50, 50, (40, 2)).astype(np.float32)
    targets = sigmoid(0.005 * model.scores(truth, slice(None)))
    weights = truth / LESSON

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
    targets = sigmoid(0.005 * model.scores(truth, slice(None)))
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
    assert tune.fit_slope(model, weights, positions) == pytest.approx(0.006, abs=0.0005)


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


def test_games_are_read_as_their_positions_are(data: Path, tmp_path: Path) -> None:
    games = tmp_path / "own.games"
    played = own_games(GAMES, seed=7, soft_nodes=0, hard_nodes=NODES)
    games.write_bytes(format_block(b"".join(played), len(played)))
    records = np.fromfile(data, dtype=batch.POSITION)
    chosen = tune.read_positions(games, 500)
    assert len(chosen) == 500
    assert {each.tobytes() for each in chosen} <= {each.tobytes() for each in records}
    # Those kept aside are of the last games, as many as are needed.
    last = len(expand(b"".join(played[-GAMES // tune.VALIDATION_SHARE - 4 :]), Filter()))
    assert {each.tobytes() for each in chosen[:25]} <= {each.tobytes() for each in records[-last:]}


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
        (["{data}", "{folder}/part.pxi"], "part.pxi: there is such a file, and it is no weights"),
        (["{data}", "{folder}"], "Is a directory"),
        (["{data}", "/dev/full"], "/dev/full: a device, not a file"),
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
    part = tmp_path / "part.pxi"
    part.write_text("# The evaluation's weights\n")
    before = text.read_bytes(), data.read_bytes(), part.read_bytes()
    names = {"data": data, "folder": tmp_path, "out": out}
    assert cli.main(["tune", *(each.format(**names) for each in arguments)]) == 2
    assert problem in capfd.readouterr().err.splitlines()[-1]
    assert not out.exists()
    assert (text.read_bytes(), data.read_bytes(), part.read_bytes()) == before
