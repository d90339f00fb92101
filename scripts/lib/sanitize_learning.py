"""Networks, games of self-play and training, through which lib.sanitize_driver takes the core.

The accumulators need no checks of their own here: the debug core compares each with one from
scratch.
"""

from __future__ import annotations

import contextlib
import random
import tempfile
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from threading import Event

import numpy as np
import numpy.typing as npt

from core_ext import core
from lib import suites
from lib.sanitize_search import NODES, THREADS, run_together, search
from uci_engine import batch
from uci_engine.learn.checkpoint import Floats
from uci_engine.learn.parameters import first_parameters, quantise
from uci_engine.learn.train import LARGEST_WEIGHT
from uci_engine.network import OWN_NETWORK, NetworkFile, format_network, read_network

# Units, outputs, and whether it sees danger.
SHAPES = ((32, 1, True), (64, 8, False), (256, 1, True), (512, 8, False), (1024, 2, True))
SCALE = 200
POSITIONS = 6
LONGEST_WALK = 129  # to the last ply that has accumulators
DAMAGED_NETWORKS = 50
COPIES = 12  # of the positions, so that threads have to share them
BULK_NODES = 100
GAMES = 6
LONGEST_GAME = 80
DAMAGED_GAMES = 5_000
EVERY_SCORE = 2**15
STEPS = 3
DAMAGED_RECORDS = 20_000


def make_file(hidden: int, buckets: int, danger: bool) -> NetworkFile:
    weights = quantise(first_parameters(hidden, buckets, 1, danger), hidden, buckets, danger)
    return NetworkFile(hidden, buckets, SCALE, "{}", weights, sees_danger=danger)


def read_boards(lines: list[suites.PerftLine]) -> list[core.Board]:
    return [core.Board(line.fen, chess960=line.chess960) for line in lines]


def damage(whole: bytes, chance: random.Random) -> bytes:
    """Cut, longer, with some bits flipped, or with other bytes from some place on."""
    place = chance.randrange(len(whole))
    kind = chance.randrange(6)
    if kind == 0:
        return whole[:place]
    if kind == 1:
        return whole + chance.randbytes(chance.randint(1, 64))
    if kind == 2:
        return whole[:place] + chance.randbytes(len(whole) - place)
    content = bytearray(whole)
    for _ in range(chance.randint(1, 4)):
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    return bytes(content)


# ---- networks


def run_networks(lines: list[suites.PerftLine], chance: random.Random) -> str:
    """Weights that are damaged, and some that are all as wild as the core takes them."""
    boards = read_boards(lines)
    networks = []
    for shape in SHAPES:
        file = make_file(*shape)
        networks.append(make_wild(file, chance))
        for _ in range(DAMAGED_NETWORKS):
            with contextlib.suppress(ValueError):
                networks.append(file._replace(weights=damage(file.weights, chance)).network)
    for network in networks:
        ask_evaluator(network, boards, chance)
    return f"networks: {len(networks)} taken, of {len(SHAPES) * (DAMAGED_NETWORKS + 1)}"


def make_wild(file: NetworkFile, chance: random.Random) -> core.Network:
    """A first layer whose sums don't fit 16 bits, and biases of any size."""
    inputs = core.network_inputs(file.sees_danger)
    first, last = 2 * file.hidden * (inputs + 1), 4 * file.buckets  # bytes
    outputs = file.weights[first:-last]
    return file._replace(weights=chance.randbytes(first) + outputs + chance.randbytes(last)).network


def ask_evaluator(network: core.Network, boards: list[core.Board], chance: random.Random) -> None:
    """Single positions, what their men are worth, and a way down the tree."""
    evaluator = core.Evaluator(network)
    for board in chance.sample(boards, POSITIONS):
        evaluator.evaluate(board)
        evaluator.piece_values(board)
    board = chance.choice(boards).copy()
    steps = [(0, board.copy(), True)]
    while (moves := board.legal_moves()) and len(steps) < LONGEST_WALK:
        board.push(chance.choice(moves))
        steps.append((len(steps), board.copy(), chance.random() < 0.4))
    evaluator.evaluate_walk(steps)


def run_network_searches(lines: list[suites.PerftLine], chance: random.Random) -> str:
    """One searcher that is given one network after the other, alone and with helpers."""
    files = [read_network(OWN_NETWORK), *(make_file(*shape) for shape in SHAPES)]
    files.append(files[1]._replace(stands_alone=True))
    boards = read_boards(lines)
    searcher = core.Searcher(hash_mb=1)
    nodes = 0
    for file in files:
        searcher.set_network(file.network)
        for threads in (1, THREADS):
            searcher.set_threads(threads)
            for board in chance.sample(boards, POSITIONS):
                nodes += search(searcher, board, nodes=NODES).nodes
                searcher.evaluate(board)
    return f"searches with {len(files)} networks: {nodes:,} nodes"


def run_network_batches(lines: list[suites.PerftLine], chance: random.Random) -> str:
    """Evaluated and searched by two threads: by the engine's own network, and by one of a file."""
    boards = read_boards(lines)
    positions = np.tile(batch.pack(boards), COPIES)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "own.nnue")
        path.write_bytes(format_network(make_file(64, 8, True)))
        for eval_file in (OWN_NETWORK, path):
            evaluator = core.Evaluator(read_network(str(eval_file)).network)
            values = [evaluator.evaluate(board) for board in boards]
            assert batch.evaluate(positions, 2, eval_file=eval_file).tolist() == COPIES * values
            batch.search(
                positions[: len(boards)], nodes=BULK_NODES, pv=3, threads=2, eval_file=eval_file
            )
    return f"batches with networks: {len(positions):,} positions"


# ---- games of self-play


def play_games(network: core.Network | None, seeds: Iterable[int]) -> list[bytes]:
    player = core.SelfPlayer(
        network=network, hash_mb=1, soft_nodes=40, hard_nodes=120, longest=LONGEST_GAME
    )
    return [game for game in map(player.play, seeds) if game is not None]


def run_self_play(lines: list[suites.PerftLine], chance: random.Random) -> str:
    """Two players at once with one network; another thread stops a third one."""
    network = read_network(OWN_NETWORK).network
    seeds = range(GAMES)
    halves = run_together(
        partial(play_games, network, seeds[::2]), partial(play_games, network, seeds[1::2])
    )
    assert play_games(network, seeds[:1]) == halves[0][:1]
    player = core.SelfPlayer(network=network, hash_mb=1)
    ended = Event()

    def play() -> bytes | None:
        try:
            return player.play(GAMES)
        finally:
            ended.set()

    def stop() -> None:
        while not ended.wait(0.02):
            player.stop()

    assert run_together(play, stop)[0] is None
    games, plies = core.check_games(b"".join(halves[0] + halves[1]))
    assert games == GAMES
    return f"self-play: {games} games, {plies} plies"


def expand_games(data: bytes) -> batch.Positions:
    """All their positions, in memory that has room for no more; the games begin at an odd place."""
    games = memoryview(b"?" + data)[1:]
    _, plies = core.check_games(games)
    room = bytearray(core.PACKED_SIZE * plies)
    count = core.expand_games(games, room, 0, EVERY_SCORE, True)
    return np.frombuffer(room, dtype=batch.POSITION)[:count]


def run_game_bytes(lines: list[suites.PerftLine], chance: random.Random) -> str:
    """Games in one piece of memory, which they must not leave when they are damaged."""
    games = play_games(None, range(GAMES))
    whole = b"".join(games)
    assert core.first_game_size(whole) == len(games[0])
    assert len(expand_games(whole)) == core.check_games(whole)[1]
    taken = 0
    for _ in range(DAMAGED_GAMES):
        data = damage(whole, chance)
        with contextlib.suppress(ValueError):
            core.first_game_size(data)
            expand_games(data)
            taken += 1
    return f"games: {len(games)} whole, {taken:,} of {DAMAGED_GAMES:,} damaged taken"


# ---- training


def run_training(lines: list[suites.PerftLine], chance: random.Random) -> str:
    """A few steps with networks of every shape; two threads learn, each with its gradient."""
    positions = expand_games(b"".join(play_games(None, range(GAMES))))
    size, half = len(positions), len(positions) // 2
    order = np.array(chance.sample(range(size), size), dtype=np.uint32)
    for hidden, buckets, danger in SHAPES:
        parameters = first_parameters(hidden, buckets, 1, danger)
        means, squares, *gradients = (np.zeros_like(parameters) for _ in range(4))
        learn = learner(parameters, positions, order, (hidden, buckets, danger))
        before = learn(None, first=0, end=size)
        improve = partial(core.adam_step, parameters, means, squares, gradients, scale=1 / size)
        for step in range(1, STEPS + 1):
            run_together(
                partial(learn, gradients[0], first=0, end=half),
                partial(learn, gradients[1], first=half, end=size),
            )
            improve(rate=0.004, decay=0.1, limit=LARGEST_WEIGHT, step=step)
        assert learn(None, first=0, end=size) < before
    return f"training: {len(SHAPES)} networks, {size} positions"


def learner(
    parameters: Floats,
    positions: batch.Positions,
    order: npt.NDArray[np.uint32],
    shape: tuple[int, int, bool],
) -> Callable[..., float]:
    """To be called with a gradient and a range of the order."""
    hidden, buckets, sees_danger = shape
    return partial(
        core.learn_range,
        parameters=parameters,
        source=positions,
        order=order,
        hidden=hidden,
        buckets=buckets,
        sees_danger=sees_danger,
        result_share=0.3,
        steepness=0.005,
        largest_error=0.1,
    )


def run_records(lines: list[suites.PerftLine], chance: random.Random) -> str:
    """Learning from what may be no position."""
    packed = batch.pack(read_boards(lines))
    hidden, buckets, danger = shape = SHAPES[0]
    parameters = first_parameters(hidden, buckets, 1, danger)
    gradient, order = np.zeros_like(parameters), np.zeros(1, dtype=np.uint32)
    taken = 0
    for _ in range(DAMAGED_RECORDS):
        record = damage(chance.choice(packed).tobytes(), chance)
        record = record[: core.PACKED_SIZE].ljust(core.PACKED_SIZE, b"\0")
        learn = learner(parameters, np.frombuffer(record, dtype=batch.POSITION), order, shape)
        with contextlib.suppress(ValueError):
            learn(gradient, first=0, end=1)
            taken += 1
    return f"records to learn from: {taken:,} of {DAMAGED_RECORDS:,} damaged taken"
