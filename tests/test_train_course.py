"""Training: its course from the first step to the last, and what is told of it."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from learn_tools import own_games

from core_ext import core
from uci_engine import batch, cli
from uci_engine.arena.play.start import ENDS
from uci_engine.interrupts import Interrupts
from uci_engine.learn import train
from uci_engine.learn.gamefiles import Filter, expand
from uci_engine.learn.train import ANY_ERROR, Data, Training, first_weights, parse_arguments
from uci_engine.network import read_network

pytestmark = pytest.mark.release_only

STEEPNESS = 0.006
BATCH, EPOCHS = 64, 3


@pytest.fixture(scope="module")
def positions() -> batch.Positions:
    return expand(b"".join(own_games(30, 3, soft_nodes=20, hard_nodes=40)), Filter())


def begin(out: Path, positions: batch.Positions, *words: str) -> Training:
    fixed = ["--hidden", "32", "--threads", "1", "--batch", f"{BATCH}", "--epochs", f"{EPOCHS}"]
    options = parse_arguments([str(out), "own.games", *fixed, *words])
    data = Data(positions, positions[:100].copy())
    return Training(options, data, STEEPNESS, first_weights(options))


def learn_a_step(training: Training) -> float:
    return training.learn(training.order_of(training.step // training.steps_per_epoch))


def test_the_rate_falls_by_a_cosine(positions: batch.Positions, tmp_path: Path) -> None:
    """It is what a decay of 1 takes off the weights of pawns on the first rank, which nothing else
    changes."""
    training = begin(tmp_path / "own.nnue", positions, "--rate", "0.05", "--decay", "1")
    rates = []
    for _ in range(training.total_steps):
        before = training.parameters[:32].copy()
        learn_a_step(training)
        rates.append(1 - float(np.mean(training.parameters[:32] / before)))
    assert training.total_steps == EPOCHS * (len(positions) // BATCH) > 30
    progress = np.arange(len(rates)) / len(rates)
    expected = 0.05 * (0.01 + 0.99 * (1 + np.cos(math.pi * progress)) / 2)
    np.testing.assert_allclose(rates, expected, atol=1e-6)


@pytest.mark.parametrize(
    ("words", "first", "last"),
    [
        (["--share", "0.1", "--last-share", "0.9"], 0.1, 0.9),
        (["--share", "0.9", "--last-share", "0"], 0.9, 0.0),
        (["--share", "0.4"], 0.4, 0.4),
    ],
)
def test_the_share_of_the_result_goes_from_the_first_to_the_last(
    positions: batch.Positions, tmp_path: Path, words: list[str], first: float, last: float
) -> None:
    """Those kept aside are judged by the last one from the beginning."""
    training = begin(tmp_path / "own.nnue", positions, *words)

    def error(some: batch.Positions, order: list[int], share: float) -> float:
        chosen = np.array(order, dtype=np.uint32)
        rest = (*training.shape, share, STEEPNESS, ANY_ERROR, 0, len(chosen))
        total = core.learn_range(None, training.parameters, some, chosen, *rest)
        return total / len(chosen)

    for step in range(training.total_steps):
        epoch, number = divmod(step, training.steps_per_epoch)
        order = training.order_of(epoch)[BATCH * number : BATCH * (number + 1)].tolist()
        share = first + (last - first) * step / training.total_steps
        assert abs(error(positions, order, share) - error(positions, order, 1.0)) > 1e-4
        expected = error(positions, order, share)
        assert learn_a_step(training) == pytest.approx(expected, rel=1e-6)
    aside = training.data.aside
    expected = error(aside, list(range(len(aside))), last)
    assert training.error(aside) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(
    ("words", "largest"),
    [
        ([], 0.1),
        (["--share", "0.2"], 1.0),
        (["--last-share", "0.2"], 1.0),
        (["--share", "0.2", "--largest-error", "0.3"], 0.3),
    ],
)
def test_large_errors_pull_no_harder_unless_results_are_learnt_from(
    positions: batch.Positions, tmp_path: Path, words: list[str], largest: float
) -> None:
    """Those kept aside are judged by their squares all the same."""
    training = begin(tmp_path / "own.nnue", positions, *words)
    order = training.order_of(0)[:BATCH]
    aside = training.data.aside

    def loss(
        some: batch.Positions, chosen: npt.NDArray[np.uint32], share: float, e: float
    ) -> float:
        rest = (*training.shape, share, STEEPNESS, e, 0, len(chosen))
        total = core.learn_range(None, training.parameters, some, chosen, *rest)
        return total / len(chosen)

    first, last = training.shares
    expected = loss(aside, np.arange(len(aside), dtype=np.uint32), last, ANY_ERROR)
    assert training.error(aside) == pytest.approx(expected, rel=1e-6)
    losses = [loss(positions, order, first, e) for e in (largest, 0.05)]
    assert learn_a_step(training) == pytest.approx(losses[0], rel=1e-6)
    assert losses[1] < losses[0]


@pytest.mark.parametrize("steepness", [0.003, 0.01])
def test_scores_of_a_network_are_as_steep_as_those_that_it_learnt_from(
    positions: batch.Positions, tmp_path: Path, steepness: float
) -> None:
    """Here the results were drawn by lot, with the chances of a known slope."""
    chance = np.random.default_rng(5)
    drawn = np.resize(positions, 20_000)
    drawn["score"] = chance.integers(-600, 601, len(drawn))
    wins = chance.random(len(drawn)) < 1 / (1 + np.exp(-steepness * drawn["score"].astype(float)))
    drawn["result"] = np.where(wins, 2, 0)
    data, out = tmp_path / "drawn.bin", tmp_path / "own.nnue"
    drawn.tofile(data)
    words = ["train", str(out), str(data), "--hidden", "32", "--epochs", "1"]
    assert cli.main(words) == 0
    assert read_network(str(out)).scale == pytest.approx(1 / steepness, rel=0.05)
    assert cli.main([*words, "--steepness", "0.004"]) == 0
    assert read_network(str(out)).scale == 250
    assert cli.main([*words, "--steepness", "0.004", "--scale", "200"]) == 0
    assert read_network(str(out)).scale == 200


def test_a_line_of_progress(
    positions: batch.Positions, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The error is the mean since the last line."""
    training = begin(tmp_path / "own.nnue", positions)
    training.step = training.total_steps - 50
    training.losses = [0.1, 0.3]
    training.report(epoch=1, pace=20.0)
    said = f"epoch 2 of {EPOCHS}, step {training.step:,}, error 0.200000, 1,280 positions/s"
    assert capsys.readouterr().err == f"{said}, 2 s left\n"
    training.losses.append(0.5)
    training.report(epoch=2, pace=25.0)
    assert ", error 0.500000, 1,600 positions/s, 2 s left\n" in capsys.readouterr().err


def test_progress_is_told_while_a_training_runs(
    positions: batch.Positions,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """After each step if no time need pass between two lines, never if the time is not over."""
    expected = begin(tmp_path / "expected.nnue", positions)
    errors = [f"{learn_a_step(expected):.6f}" for _ in range(expected.total_steps)]
    for seconds, told in ((0.0, errors), (1e6, [])):
        monkeypatch.setattr(train, "SECONDS_BETWEEN_REPORTS", seconds)
        with Interrupts(*ENDS) as interrupts:
            begin(tmp_path / "own.nnue", positions).run(interrupts)
        said = capsys.readouterr().err
        pattern = r"^epoch (\d) of 3, step (\d+), error (\S+), [\d,]+ positions/s, (\d+) s left$"
        lines = re.findall(pattern, said, re.MULTILINE)
        assert [error for _, _, error, _ in lines] == told
        assert [int(step) for _, step, _, _ in lines] == list(range(1, len(told) + 1))
        epochs = [str(1 + step // expected.steps_per_epoch) for step in range(len(told))]
        assert [epoch for epoch, _, _, _ in lines] == epochs
        assert re.findall(r"^epoch (\d): aside 0\.\d{6}$", said, re.MULTILINE) == ["1", "2", "3"]
