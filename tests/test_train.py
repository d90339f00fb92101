"""Training: the gradient, the descent, checkpoints, and a small chain from games to a network."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from learn_tools import is_in_danger, own_games
from uci_process import COMMAND, ENVIRONMENT, TIMEOUT

from core_ext import core
from uci_engine import Board, batch, cli
from uci_engine.learn.checkpoint import HEADER, checkpoint_of, read_checkpoint, write_checkpoint
from uci_engine.learn.gamefiles import Filter, expand, format_block, read_blocks
from uci_engine.learn.parameters import (
    dequantise,
    first_parameters,
    in_blocks,
    in_rows,
    quantise,
)
from uci_engine.learn.records import read_positions, split_file
from uci_engine.learn.train import ANY_ERROR, FEW_NODES_ERROR, KEPT_ASIDE, LARGEST_WEIGHT
from uci_engine.network import NetworkFile, format_network, read_network

pytestmark = pytest.mark.release_only

SHARE, STEEPNESS = 0.3, 0.006
TARGETS = (SHARE, STEEPNESS)


def make_games(count: int, seed: int) -> bytes:
    return b"".join(own_games(count, seed, soft_nodes=60, hard_nodes=100))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("train") / "own.games"
    path.write_bytes(b"".join(format_block(make_games(20, seed), 20) for seed in range(6)))
    return path


@pytest.fixture(scope="module")
def positions() -> batch.Positions:
    return expand(make_games(4, 99), Filter())


def error_of(
    parameters: npt.NDArray[np.float32],
    positions: batch.Positions,
    hidden: int,
    buckets: int,
    danger: bool,
    largest: float,
) -> float:
    order = np.arange(len(positions), dtype=np.uint32)
    span = (0, len(order))
    return core.learn_range(
        None, parameters, positions, order, hidden, buckets, danger, *TARGETS, largest, *span
    )


# ---- the gradient


def reference_gradient(
    parameters: npt.NDArray[np.float64],
    positions: batch.Positions,
    hidden: int,
    buckets: int,
    danger: bool,
    largest: float,
) -> tuple[float, npt.NDArray[np.float64]]:
    """Loss and gradient by the chain rule over whole arrays, written down from the definition."""
    count = 768 * (1 + danger)
    first = count * hidden
    inputs, biases = parameters[:first].reshape(count, hidden), parameters[first : first + hidden]
    outputs = parameters[first + hidden : -buckets].reshape(buckets, 2 * hidden)
    gradient = np.zeros_like(parameters)
    loss = 0.0
    for board, record in zip(batch.unpack(positions), positions, strict=True):
        black = not board.turn
        men = list(board.to_chess().piece_map().items())
        active = np.zeros((2, count))
        for view in range(2):
            colour = bool(view) if black else not view
            king = board.to_chess().king(colour)
            assert king is not None
            flip = (0 if colour else 56) ^ (7 if king % 8 > 3 else 0)
            for square, man in men:
                other = man.color != colour
                place = 384 * other + 64 * (man.piece_type - 1) + (square ^ flip)
                active[view, place] = 1
                if danger and is_in_danger(board.to_chess(), square):
                    active[view, 768 + place] = 1
        sums = active @ inputs + biases
        clipped = np.clip(sums, 0, 1)
        bucket = (len(men) - 1) * buckets // 32
        total = float((clipped**2).reshape(-1) @ outputs[bucket] + parameters[-buckets + bucket])
        chance = 1 / (1 + np.exp(-total))
        target = SHARE * record["result"] / 2 + (1 - SHARE) / (
            1 + np.exp(-STEEPNESS * float(record["score"]))
        )
        error = chance - (1 - target if black else target)
        loss += (
            error**2 if abs(error) <= largest else largest**2 + 2 * largest * (abs(error) - largest)
        )
        slope = 2 * np.clip(error, -largest, largest) * chance * (1 - chance)
        start = first + hidden + bucket * 2 * hidden
        gradient[start : start + 2 * hidden] += slope * (clipped**2).reshape(-1)
        gradient[len(gradient) - buckets + bucket] += slope
        inside = (sums > 0) & (sums < 1)
        back = slope * outputs[bucket].reshape(2, hidden) * 2 * clipped * inside
        gradient[first : first + hidden] += back.sum(axis=0)
        gradient[:first] += (active.T @ back).reshape(-1)
    return loss, gradient


def random_parameters(shape: tuple[int, int, bool]) -> npt.NDArray[np.float32]:
    """As a training begins, but danger and the biases have a say, too."""
    hidden, buckets, danger = shape
    chance = np.random.default_rng(7)
    parameters = first_parameters(hidden, buckets, 5, danger)
    silent = parameters == 0
    parameters[silent] = chance.normal(0, 0.1, np.count_nonzero(silent))
    return parameters


@pytest.mark.parametrize("largest", [ANY_ERROR, FEW_NODES_ERROR])
@pytest.mark.parametrize("danger", [False, True])
@pytest.mark.parametrize(("hidden", "buckets"), [(32, 1), (64, 8), (128, 1)])
def test_the_gradient_is_that_of_the_chain_rule(
    positions: batch.Positions, hidden: int, buckets: int, danger: bool, largest: float
) -> None:
    some = positions[:: max(1, len(positions) // 40)].copy()
    shape = (hidden, buckets, danger)
    parameters = random_parameters(shape)
    gradient = np.zeros_like(parameters)
    order = np.arange(len(some), dtype=np.uint32)
    blocks = in_blocks(parameters, shape)
    np.testing.assert_array_equal(in_rows(blocks, shape), parameters)
    loss = core.learn_range(gradient, blocks, some, order, *shape, *TARGETS, largest, 0, len(order))
    expected_loss, expected = reference_gradient(
        parameters.astype(np.float64), some, hidden, buckets, danger, largest
    )
    assert loss == pytest.approx(expected_loss, rel=1e-5)
    assert np.abs(expected).max() > 1e-3
    np.testing.assert_allclose(in_rows(gradient, shape), expected, rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize("largest", [ANY_ERROR, FEW_NODES_ERROR])
def test_the_gradient_is_that_of_finite_differences(
    positions: batch.Positions, largest: float
) -> None:
    shape = (32, 1, True)
    parameters = random_parameters(shape)
    gradient = np.zeros_like(parameters)
    order = np.arange(len(positions), dtype=np.uint32)
    core.learn_range(
        gradient, parameters, positions, order, *shape, *TARGETS, largest, 0, len(order)
    )
    for index in np.argsort(-np.abs(gradient))[:20]:
        errors = []
        for step in (-1e-2, 1e-2):
            moved = parameters.copy()
            moved[index] += step
            errors.append(error_of(moved, positions, *shape, largest))
        assert (errors[1] - errors[0]) / 2e-2 == pytest.approx(gradient[index], rel=0.05)


def test_a_step_of_adam_is_that_of_its_definition() -> None:
    rng = np.random.default_rng(3)
    size = 1000
    values, means, squares = (rng.normal(size=size).astype(np.float32) for _ in range(3))
    squares = np.abs(squares)
    gradients = [rng.normal(size=size).astype(np.float32) for _ in range(2)]
    slope = (gradients[0] + gradients[1]).astype(np.float64) * 0.25
    expected_mean = 0.9 * means + 0.1 * slope
    expected_square = 0.999 * squares + 0.001 * slope**2
    step = (expected_mean / (1 - 0.9**3)) / (np.sqrt(expected_square / (1 - 0.999**3)) + 1e-8)
    expected = np.clip(values - 0.1 * (step + 0.05 * values), -1.5, 1.5)
    core.adam_step(
        values, means, squares, gradients, scale=0.25, rate=0.1, decay=0.05, limit=1.5, step=3
    )
    np.testing.assert_allclose(values, expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(means, expected_mean, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(squares, expected_square, rtol=1e-4, atol=1e-6)
    assert not any(gradient.any() for gradient in gradients)


def test_what_is_no_position_is_named(positions: batch.Positions) -> None:
    damaged = positions[:10].copy()
    damaged["men"][3] = 0xFF
    order = np.arange(10, dtype=np.uint32)
    parameters = first_parameters(32, 1, 1)
    shape = (32, 1, False)
    with pytest.raises(ValueError, match="item 3 is not a chess position"):
        core.learn_range(None, parameters, damaged, order, *shape, *TARGETS, ANY_ERROR, 0, 10)
    with pytest.raises(ValueError, match="no position 10 among 10"):
        core.learn_range(
            None, parameters, positions[:10].copy(), order + 1, *shape, *TARGETS, ANY_ERROR, 0, 10
        )


# ---- the command


def train(out: Path, *arguments: object) -> int:
    return cli.main(["train", str(out), *map(str, arguments)])


def test_from_games_to_a_network_that_plays(data: Path, tmp_path: Path) -> None:
    """On games kept aside it does better than a constant and than the untrained network."""
    out = tmp_path / "own.nnue"
    assert (
        train(out, data, "--hidden", 32, "--epochs", 30, "--batch", 256, "--steepness", STEEPNESS)
        == 0
    )
    network = read_network(str(out)).network
    aside = expand(make_games(20, 1234), Filter())
    results = aside["result"] / 2
    mover = np.where(aside["side"] >> 7, -1, 1)
    chances = 1 / (1 + np.exp(-STEEPNESS * aside["score"].astype(float)))
    targets = 0.2 * results + 0.8 * chances

    def loss(evaluations: npt.NDArray[np.int16]) -> float:
        guesses = 1 / (1 + np.exp(-STEEPNESS * (evaluations * mover).astype(float)))
        return float(np.mean((guesses - targets) ** 2))

    def loss_of(network: core.Network) -> float:
        scores = np.zeros(len(aside), dtype=np.int16)
        core.evaluate_range(aside, scores, len(aside), 0, len(aside), network)
        return loss(scores)

    untrained = quantise(first_parameters(32, 1, 1), 32, 1)
    constant = float(np.mean((targets.mean() - targets) ** 2))
    assert loss_of(network) < 0.9 * constant
    assert loss_of(network) < 0.9 * loss_of(core.Network(untrained, 32, 1, network.scale))
    searcher = core.Searcher(hash_mb=1, network=network)
    assert searcher.search(batch.unpack(aside[:1])[0], depth=5).best is not None


def test_the_same_command_makes_the_same_network(data: Path, tmp_path: Path) -> None:
    outs = [tmp_path / name for name in ("a.nnue", "b.nnue")]
    for out in outs:
        assert train(out, data, "--hidden", 32, "--epochs", 2, "--threads", 1) == 0
    first, second = (read_network(str(out)) for out in outs)
    assert first.weights == second.weights


def test_a_network_knows_its_command_but_no_folders(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "own.nnue"
    assert train(out, data, "--hidden", 32, "--epochs", 1) == 0
    command = json.loads(read_network(str(out)).notes)["command"]
    assert command == f"cythera train own.nnue {data.name} --hidden 32 --epochs 1"


def test_weights_of_what_never_happens_decay(data: Path, tmp_path: Path) -> None:
    """Pawns on the first rank: nothing else changes their weights."""
    first = first_parameters(32, 1, 1)[:32]
    words = [data, "--hidden", 32, "--epochs", 2, "--batch", 64]
    rows = {}
    for decay in (0, 0.1, 1):
        out = tmp_path / f"{decay}.nnue"
        assert train(out, *words, "--decay", decay) == 0
        rows[decay] = np.abs(dequantise(read_network(str(out)))[:32])
    np.testing.assert_allclose(rows[0], np.abs(first), atol=0.5 / core.ACTIVATION_UNIT)
    assert rows[1].sum() < rows[0.1].sum() < rows[0].sum()


@pytest.mark.parametrize("danger", [False, True])
def test_a_training_goes_on_from_a_network(data: Path, tmp_path: Path, danger: bool) -> None:
    """Its first weights are the network's: rounded again they are the same."""
    first, second, last = (tmp_path / f"{name}.nnue" for name in ("first", "second", "last"))
    size = ["--hidden", 32, "--buckets", 2, "--threads", 1, *["--danger"] * danger]
    assert train(first, data, *size, "--epochs", 2) == 0
    network = read_network(str(first))
    assert quantise(dequantise(network), 32, 2, danger) == network.weights
    assert train(second, data, *size, "--epochs", 2, "--from", first) == 0
    assert train(last, data, *size, "--epochs", 2, "--from", first, "--rate", 1e-6) == 0
    assert read_network(str(second)).weights != network.weights
    assert read_network(str(last)).weights == network.weights


def test_a_network_with_one_output_may_be_given_more(data: Path, tmp_path: Path) -> None:
    """It evaluates as before, until it learns to tell the outputs apart."""
    first, same, other = (tmp_path / f"{name}.nnue" for name in ("first", "same", "other"))
    words = [data, "--hidden", 32, "--threads", 1, "--epochs", 1]
    assert train(first, *words) == 0
    more = [*words, "--buckets", 8, "--from", first]
    assert train(same, *more, "--rate", 1e-6) == 0
    assert train(other, *more, "--batch", 64) == 0
    positions = read_positions(data, Filter())
    values = [batch.evaluate(positions, eval_file=path) for path in (first, same, other)]
    np.testing.assert_array_equal(values[0], values[1])
    outputs = dequantise(read_network(str(other)))[-8 * 65 : -8].reshape(8, 64)
    assert len({row.tobytes() for row in outputs}) > 4


def test_a_network_may_become_wider(data: Path, tmp_path: Path) -> None:
    """It evaluates as before, until its new units learn to say something."""
    first, same, other = (tmp_path / f"{name}.nnue" for name in ("first", "same", "other"))
    words = [data, "--threads", 1, "--epochs", 1, "--decay", 0]
    assert train(first, *words, "--hidden", 32) == 0
    more = [*words, "--hidden", 96, "--buckets", 2, "--from", first]
    assert train(same, *more, "--rate", 1e-6) == 0
    assert train(other, *more, "--batch", 64) == 0
    positions = read_positions(data, Filter())
    values = [batch.evaluate(positions, eval_file=path) for path in (first, same, other)]
    np.testing.assert_array_equal(values[0], values[1])
    outputs = dequantise(read_network(str(other)))[-2 * (192 + 1) : -2].reshape(4, 96)
    assert np.count_nonzero(outputs[:, 32:]) > 64


def test_a_network_may_learn_to_see_danger(
    data: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """It evaluates as before, until it learns to tell men in danger from safe ones; then there is
    no way back."""
    first, same, other = (tmp_path / f"{name}.nnue" for name in ("first", "same", "other"))
    words = [data, "--hidden", 32, "--threads", 1, "--epochs", 1]
    assert train(first, *words) == 0
    more = [*words, "--danger", "--from", first]
    assert train(same, *more, "--rate", 1e-6) == 0
    assert train(other, *more, "--batch", 64) == 0
    positions = read_positions(data, Filter())
    values = [batch.evaluate(positions, eval_file=path) for path in (first, same, other)]
    np.testing.assert_array_equal(values[0], values[1])
    rows = dequantise(read_network(str(other)))[: 2 * 768 * 32].reshape(2, 768, 32)
    assert np.count_nonzero(np.any(rows[1], axis=1)) > 100
    assert train(same, *words, "--from", other) == 2
    assert "other.nnue: sees danger, so --danger must be given" in capfd.readouterr().err


def test_networks_do_not_become_smaller(
    data: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    first = tmp_path / "first.nnue"
    assert train(first, data, "--hidden", 64, "--epochs", 1, "--buckets", 8) == 0
    for hidden, buckets in ((32, 8), (64, 1), (64, 4), (96, 4)):
        size = ["--hidden", hidden, "--buckets", buckets]
        assert train(tmp_path / "second.nnue", data, *size, "--from", first) == 2
        problem = f"first.nnue: 64 units and 8 outputs, not {hidden} and {buckets}"
        assert problem in capfd.readouterr().err


@pytest.mark.parametrize("together", [1, 7, 30])
@pytest.mark.parametrize("kept_aside", [2, 3, 50])
def test_no_game_is_both_learnt_and_kept_aside(
    tmp_path: Path, together: int, kept_aside: int
) -> None:
    """However many games a block has."""
    games = own_games(30, 5, soft_nodes=60, hard_nodes=100)
    blocks = [games[first : first + together] for first in range(0, 30, together)]
    path = tmp_path / "own.games"
    path.write_bytes(b"".join(format_block(b"".join(each), len(each)) for each in blocks))
    split = split_file(path, Filter(), kept_aside)
    everything = expand(b"".join(games), Filter())
    assert split.by_games
    assert split.learnt.tobytes() + split.aside.tobytes() == everything.tobytes()
    ends = np.cumsum([len(expand(game, Filter())) for game in games])
    assert len(split.learnt) in ends[:-1]
    wanted = len(everything) // kept_aside
    longest = max(len(expand(game, Filter())) for game in games)
    assert wanted <= len(split.aside) <= wanted + longest


def test_a_single_game_is_not_all_kept_aside(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    game = max(own_games(10, 5, soft_nodes=60, hard_nodes=100), key=len)
    path = tmp_path / "own.games"
    path.write_bytes(format_block(game, 1))
    assert len(expand(game, Filter())) >= 50
    assert len(split_file(path, Filter(), 50).aside) == 0
    assert train(tmp_path / "own.nnue", path) == 2
    assert "at least two games" in capfd.readouterr().err


def test_records_that_are_kept_aside_may_be_of_games_that_are_learnt(
    data: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Which is said; whole games can be named instead."""
    records, out = tmp_path / "records.bin", tmp_path / "own.nnue"
    words = ["--hidden", 32, "--epochs", 1, "--threads", 1]
    assert cli.main(["data", "shuffle", str(records), str(data)]) == 0
    size = records.stat().st_size // 32
    assert train(out, records, *words) == 0
    said = capfd.readouterr().err
    assert said.count("the games of records are not known") == 1
    assert f"{size - size // 50:,} positions, {size // 50:,} kept aside" in said
    others = tmp_path / "others.games"
    others.write_bytes(format_block(make_games(4, 77), 4))
    count = len(expand(make_games(4, 77), Filter()))
    assert train(out, records, *words, "--aside", others) == 0
    said = capfd.readouterr().err
    assert "not known" not in said
    assert f"{size:,} positions, {count:,} kept aside" in said


def steps_of(checkpoint: Path) -> int:
    """That were done when it was written."""
    return int(HEADER.unpack_from(checkpoint.read_bytes())[3])


def is_newer(checkpoint: Path, before: bytes) -> bool:
    return checkpoint.exists() and checkpoint.read_bytes() != before


@pytest.mark.parametrize(("batch_size", "epochs"), [("8192", "40"), ("64", "8")])
def test_an_interrupted_training_ends_as_one_that_was_not(
    data: Path, tmp_path: Path, batch_size: str, epochs: str
) -> None:
    """Bit for bit, with one thread, however often and wherever it is killed: between two epochs,
    and in the midst of one."""
    whole, cut = tmp_path / "whole.nnue", tmp_path / "cut.nnue"
    arguments = [str(data), "--hidden", "32", "--threads", "1"]
    arguments += ["--batch", batch_size, "--epochs", epochs]
    assert train(whole, *arguments) == 0
    checkpoint, kills = checkpoint_of(cut), []
    command = [*COMMAND, "train", str(cut), *arguments, "--checkpoint", "0"]
    steps_per_epoch = len(split_file(data, Filter(), KEPT_ASIDE).learnt) // int(batch_size)
    for _ in range(3):
        before = checkpoint.read_bytes() if checkpoint.exists() else b""
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL, env=ENVIRONMENT)
        while process.poll() is None and not is_newer(checkpoint, before):
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.wait(TIMEOUT)
        if checkpoint.exists():  # which it is not if it was faster than we
            kills.append(steps_of(checkpoint) % max(1, steps_per_epoch))
    assert any(kills) == (steps_per_epoch > 1)
    subprocess.run(command, stderr=subprocess.DEVNULL, env=ENVIRONMENT, check=True, timeout=TIMEOUT)
    assert not checkpoint.exists()
    assert read_network(str(cut)).weights == read_network(str(whole)).weights


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_training_keeps_what_it_has(
    data: Path, tmp_path: Path, how: signal.Signals
) -> None:
    out = tmp_path / "own.nnue"
    process = subprocess.Popen(
        [*COMMAND, "train", str(out), str(data), *BEGUN, "--checkpoint", "1000000"],
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    )
    assert process.stderr is not None
    while not process.stderr.readline().startswith("epoch 1:"):
        assert process.poll() is None
    process.send_signal(how)
    _, said = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 130
    assert re.fullmatch(r"interrupted after step [\d,]+; .*", said.splitlines()[-1])
    assert checkpoint_of(out).exists()


def test_two_trainings_do_not_write_the_same_network(
    data: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Nor does the second one disturb the first, whose end removes its lock."""
    out = tmp_path / "own.nnue"
    command = [*COMMAND, "train", str(out), str(data), *BEGUN, "--checkpoint", "0"]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, env=ENVIRONMENT)
    while not checkpoint_of(out).exists():
        assert process.poll() is None
        time.sleep(0.02)
    assert train(out, data, *BEGUN) == 2
    assert capfd.readouterr().err == f"cythera: {out}: another run is writing to it\n"
    assert train(tmp_path / "other.nnue", data, "--hidden", 32, "--epochs", 1) == 0
    process.send_signal(signal.SIGINT)
    assert process.wait(TIMEOUT) == 130
    names = ["other.nnue", "own.nnue.checkpoint"]
    assert sorted(path.name for path in tmp_path.iterdir()) == names


@pytest.fixture
def checkpoint(data: Path, tmp_path: Path) -> Path:
    """Of a training to `own.nnue` beside it, with BEGUN, that was killed."""
    out = tmp_path / "own.nnue"
    command = [*COMMAND, "train", str(out), str(data), *BEGUN, "--checkpoint", "0"]
    path = checkpoint_of(out)
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, env=ENVIRONMENT)
    while not path.exists():
        assert process.poll() is None
        time.sleep(0.02)
    process.kill()
    process.wait(TIMEOUT)
    return path


BEGUN = ["--hidden", "32", "--epochs", "1000", "--threads", "1"]


def test_a_checkpoint_of_another_training_is_refused(
    data: Path, checkpoint: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Also where only the data are others, or the network that it began with."""
    out = checkpoint.with_name("own.nnue")
    before = checkpoint.read_bytes()
    games = [block.data for block in read_blocks(data)]
    others = checkpoint.with_name("others.games")
    others.write_bytes(b"".join(format_block(each, 20) for each in reversed(games)))
    first = checkpoint.with_name("first.nnue")
    file = NetworkFile(32, 1, 200, "{}", quantise(first_parameters(32, 1, 9), 32, 1))
    first.write_bytes(format_network(file))
    for arguments in (
        [data, "--hidden", 32, "--epochs", 2],
        [others, *BEGUN],
        [data, *BEGUN, "--from", first],
    ):
        assert train(out, *arguments) == 2
        remedy = "with which it would go on (remove it to begin anew)"
        problem = f"{checkpoint}: made with other settings or data, {remedy}\n"
        assert capfd.readouterr().err.endswith(f"cythera: {problem}")
        assert checkpoint.read_bytes() == before


def test_damaged_checkpoints_are_refused(
    data: Path, checkpoint: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    out = checkpoint.with_name("own.nnue")
    whole = checkpoint.read_bytes()
    for damaged in (whole[:-9], b"", b"PK\3\4 of another kind", whole + b"\0"):
        checkpoint.write_bytes(damaged)
        assert train(out, data, *BEGUN) == 2
        said = capfd.readouterr().err
        assert said.splitlines()[-1].startswith(f"cythera: {checkpoint}: ")
        assert said.endswith(" (remove it to begin anew)\n")
        assert "Traceback" not in said


ARRAYS = [np.arange(size, dtype=np.float32) for size in (50, 50, 50)]


def assert_refused(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    arrays = [np.zeros_like(each) for each in ARRAYS]
    with pytest.raises(ValueError, match=r"own\.checkpoint: .*checkpoint"):
        read_checkpoint(path, "settings", arrays)
    assert not any(each.any() for each in arrays)


def test_every_cut_and_every_flipped_bit_of_a_checkpoint_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "own.checkpoint"
    write_checkpoint(path, "settings", 7, ARRAYS)
    arrays = [np.zeros_like(each) for each in ARRAYS]
    assert read_checkpoint(path, "settings", arrays) == 7
    assert all(np.array_equal(*pair) for pair in zip(arrays, ARRAYS, strict=True))
    whole = path.read_bytes()
    for length in range(len(whole)):
        assert_refused(path, whole[:length])
    for place in range(8 * len(whole)):
        damaged = bytearray(whole)
        damaged[place // 8] ^= 1 << place % 8
        assert_refused(path, bytes(damaged))


def test_networks_that_differ_behind_a_dot_have_checkpoints_of_their_own(tmp_path: Path) -> None:
    assert checkpoint_of(tmp_path / "net.64") != checkpoint_of(tmp_path / "net.128")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ([], "NETWORK"),
        (["{out}"], "FILE"),
        (["{out}", "{folder}/none.games"], "No such file"),
        (["{out}", "{folder}/text"], "text: item 0 is not a chess position"),
        (["{out}", "{folder}/empty"], "empty: at least 50 positions, not 0"),
        (["{out}", "{folder}/few"], "few: at least 50 positions, not 9"),
        (["{out}", "/dev/zero"], "/dev/zero: a device, not a file"),
        (["{out}", "{folder}/cut"], "cut: at byte 256: the file ends in the midst of a position"),
        (["{out}", "{folder}/torn"], "(`cythera data merge --skip` leaves it out)"),
        (["{out}", "{data}", "--aside", "{data}"], "both learnt from and kept aside"),
        (["{out}", "{data}", "{folder}/few", "{folder}/./few"], "few: named twice"),
        (["{out}", "{data}", "--aside", "{folder}/few", "{folder}/few"], "few: named twice"),
        (["{folder}/few", "{data}"], "few: there is such a file, and it is no network"),
        (["{out}", "{data}", "--aside", "{folder}/empty"], "empty: no positions"),
        (["{out}", "{data}", "--hidden", "33"], "multiple of 32"),
        (["{out}", "{data}", "--share", "2"], "--share: must be from 0 to 1"),
        (["{folder}/none/own.nnue", "{data}"], "No such file or directory"),
        (["{out}", "{data}", "--from", "{data}"], "not a network file"),
    ],
)
def test_wrong_training_is_refused(
    data: Path,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    arguments: list[str],
    problem: str,
) -> None:
    (tmp_path / "text").write_text("Not everything that is called a file holds games.\n" * 2)
    (tmp_path / "empty").touch()
    (tmp_path / "few").write_bytes(batch.pack([Board()] * 9).tobytes())
    (tmp_path / "cut").write_bytes(batch.pack([Board()] * 9).tobytes()[:-1])
    (tmp_path / "torn").write_bytes(data.read_bytes()[:-1])
    words = {"out": tmp_path / "own.nnue", "folder": tmp_path, "data": data}
    before = sorted((path, path.read_bytes()) for path in tmp_path.iterdir())
    assert cli.main(["train", *(each.format(**words) for each in arguments)]) == 2
    errors = capfd.readouterr().err
    assert errors.count("\n") == 1
    assert problem in errors
    assert sorted((path, path.read_bytes()) for path in tmp_path.iterdir()) == before


def test_weights_stay_within_what_the_engine_s_arithmetic_allows() -> None:
    assert LARGEST_WEIGHT * core.WEIGHT_UNIT * core.ACTIVATION_UNIT <= 32767
