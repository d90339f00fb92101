"""The network: its file, its arithmetic, and accumulators that are never wrong."""

from __future__ import annotations

import binascii
import ctypes
import os
import random
import signal
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import chess
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from learn_tools import is_in_danger
from uci_process import EngineProcess, run_to_the_end

from core_ext import core
from lib.endings import random_position
from uci_engine import Board, batch
from uci_engine.learn import selfplay
from uci_engine.learn.parameters import first_parameters, quantise
from uci_engine.network import (
    CHECKSUM,
    OWN_NETWORK,
    NetworkFile,
    format_network,
    parse_network,
    read_network,
)

SCALE = 170


def make_file(
    hidden: int = 64, buckets: int = 1, seed: int = 1, *, danger: bool = False
) -> NetworkFile:
    parameters = first_parameters(hidden, buckets, seed, danger)
    if danger:  # what it sees is to make a difference
        half = 768 * hidden
        parameters[half : 2 * half] = first_parameters(hidden, buckets, seed + 1)[:half]
    weights = quantise(parameters, hidden, buckets, danger)
    notes = '{"made": "by a test"}'
    return NetworkFile(hidden, buckets, SCALE, notes, weights, sees_danger=danger)


@pytest.fixture
def net(tmp_path: Path) -> Path:
    path = tmp_path / "own.nnue"
    path.write_bytes(format_network(make_file(64)))
    return path


class Reference:
    """The network's definition in numpy, from a position as python-chess sees it."""

    def __init__(self, file: NetworkFile) -> None:
        hidden, self.buckets = file.hidden, file.buckets
        numbers = np.frombuffer(file.weights[: -4 * file.buckets], dtype="<i2").astype(np.int64)
        self.sees_danger = file.sees_danger
        count = 1536 if file.sees_danger else 768
        self.inputs = numbers[: count * hidden].reshape(count, hidden)
        self.biases = numbers[count * hidden : (count + 1) * hidden]
        self.outputs = numbers[(count + 1) * hidden :].reshape(file.buckets, 2, hidden)
        self.output_biases = np.frombuffer(file.weights[-4 * file.buckets :], dtype="<i4")
        self.scale = file.scale

    def view(self, board: chess.Board, colour: chess.Color) -> npt.NDArray[np.int64]:
        king = board.king(colour)
        assert king is not None
        sums = self.biases.copy()
        for square, piece in board.piece_map().items():
            second = 768 * (self.sees_danger and is_in_danger(board, square))
            if colour == chess.BLACK:
                square = chess.square_mirror(square)
            if chess.square_file(king) >= 4:
                square = chess.square(7 - chess.square_file(square), chess.square_rank(square))
            sums += self.inputs[
                second + 384 * (piece.color != colour) + 64 * (piece.piece_type - 1) + square
            ]
        return np.clip(sums, 0, 255)

    def evaluate(self, board: chess.Board) -> int:
        bucket = (len(board.piece_map()) - 1) * self.buckets // 32
        views = np.stack([self.view(board, board.turn), self.view(board, not board.turn)])
        total = int(np.sum(views * views * self.outputs[bucket]))
        return towards_zero(
            (towards_zero(total, 255) + int(self.output_biases[bucket])) * self.scale, 255 * 64
        )


def towards_zero(number: int, divisor: int) -> int:
    quotient = abs(number) // divisor
    return quotient if number >= 0 else -quotient


def random_boards(seed: int, count: int, *, chess960: bool = False) -> list[chess.Board]:
    """Positions of random games, about one in four, with more men than the known endings have."""
    rng = random.Random(seed)
    boards: list[chess.Board] = []
    while len(boards) < count:
        board = chess.Board.from_chess960_pos(rng.randrange(960)) if chess960 else chess.Board()
        for _ in range(120):
            moves = list(board.legal_moves)
            if not moves or len(board.piece_map()) < 9:
                break
            board.push(rng.choice(moves))
            if rng.random() < 0.25 and len(boards) < count:
                boards.append(board.copy(stack=False))
    return boards


@pytest.mark.parametrize(("hidden", "buckets"), [(32, 1), (64, 8), (128, 1), (128, 8), (256, 1)])
@pytest.mark.parametrize("danger", [False, True])
def test_the_whole_numbers_are_those_of_the_definition(
    hidden: int, buckets: int, danger: bool
) -> None:
    file = make_file(hidden, buckets, danger=danger)
    reference, evaluator = Reference(file), core.Evaluator(file.network)
    for board in random_boards(hidden + buckets, 150):
        assert evaluator.evaluate(Board(board)) == reference.evaluate(board), board.fen()


class TreeWalk:
    """A way through the tree of moves, as a search takes it: down, and back to try another move.
    Rare kinds of moves are taken where there are some, and counted."""

    def __init__(self, seed: int, chess960: bool) -> None:
        self.rng = random.Random(seed)
        self.chess960 = chess960
        self.kinds: Counter[str] = Counter()
        self.line = [self.start()]
        self.steps = [(0, self.line[0], True)]

    def start(self) -> chess.Board:
        """Without minor pieces there is room for castling; some pawns are about to be promoted,
        some to be taken in passing."""
        while True:
            number = self.rng.randrange(960) if self.chess960 else 518
            board = chess.Board.from_chess960_pos(number)
            for square in chess.SquareSet(board.pawns | board.knights | board.bishops):
                board.remove_piece_at(square)
            for pawns, colour in (("a2 b2 d2 f2 h2 e5 b7", True), ("a7 c7 f7 h7 d5 g2", False)):
                for name in pawns.split():
                    square = chess.parse_square(name)
                    board.set_piece_at(square, chess.Piece(chess.PAWN, colour))
            board.ep_square = chess.D6
            if board.is_valid():
                return board

    def kind_of(self, board: chess.Board, move: chess.Move) -> str:
        if board.is_castling(move):
            return "castling"
        if move.promotion:
            return "promotion"
        if board.is_en_passant(move):
            return "en passant"
        return "capture" if board.is_capture(move) else "quiet"

    def step(self) -> None:
        if len(self.line) > LONGEST_LINE or self.rng.random() < 0.1:
            del self.line[self.rng.randrange(1, len(self.line) + 1) :]
        board = self.line[-1].copy(stack=False)
        moves = list(board.legal_moves)
        if not moves or board.is_insufficient_material():
            del self.line[1:]
            return
        kinds = [self.kind_of(board, move) for move in moves]
        rare = [move for move, kind in zip(moves, kinds, strict=True) if kind not in COMMON]
        move = self.rng.choice(rare if rare and self.rng.random() < 0.5 else moves)
        kind = self.kind_of(board, move)
        if self.rng.random() < 0.1 and not board.is_check():
            move, kind = chess.Move.null(), "null"
        self.kinds[kind] += 1
        board.push(move)
        self.line.append(board)
        self.steps.append((len(self.line) - 1, board, self.rng.random() < 0.4))


COMMON = ("quiet", "capture")
LONGEST_LINE = 60  # longer than the plies that are looked back


@pytest.mark.parametrize("chess960", [False, True])
@pytest.mark.parametrize("danger", [False, True])
@pytest.mark.parametrize("hidden", [64, 128])
def test_accumulators_on_a_walk_through_the_tree_are_never_wrong(
    chess960: bool, hidden: int, danger: bool
) -> None:
    """Most plies are passed by unevaluated, so that an accumulator is derived over several moves of
    any kind; each value is that of the definition, from scratch."""
    file = make_file(hidden, danger=danger)._replace(stands_alone=True)
    evaluator, reference = core.Evaluator(file.network), Reference(file)
    kinds: Counter[str] = Counter()
    for seed in range(8):
        walk = TreeWalk(seed, chess960)
        for _ in range(300):
            walk.step()
        kinds += walk.kinds
        steps = [(ply, Board(board, chess960=chess960), asked) for ply, board, asked in walk.steps]
        values = evaluator.evaluate_walk(steps)
        for (_, board, asked), value in zip(walk.steps, values, strict=True):
            assert value == (reference.evaluate(board) if asked else None), board.fen()
    assert min(kinds[kind] for kind in ("quiet", "capture", "castling", "promotion", "null")) >= 10
    assert kinds["en passant"] >= 3


def spoil_accumulators() -> None:
    """Weights are changed behind the back of an evaluator whose accumulators were made of them. The
    last word of a Network is where they are."""
    file = make_file(32)
    network = file.network
    evaluator = core.Evaluator(network)
    evaluator.evaluate(Board())
    pointer = ctypes.c_void_p.from_address(id(network) + type(network).__basicsize__ - 8)
    assert pointer.value is not None
    assert ctypes.string_at(pointer.value, len(file.weights)) == file.weights
    ctypes.memset(pointer.value, 1, len(file.weights) // 2)
    evaluator.evaluate(Board())


def test_the_debug_build_finds_a_wrong_accumulator() -> None:
    paths = [str(Path(core.__file__).parents[1]), *sys.path]  # the same core as here comes first
    program = f"import sys; sys.path[:] = {paths}; from test_network import *; "
    done = run_to_the_end(sys.executable, "-c", program + "spoil_accumulators()")
    if core.DEBUG:
        assert done.returncode == -signal.SIGABRT
        assert done.stderr.endswith(f"inconsistent accumulator: {Board().fen(shredder=True)}\n")
    else:
        assert (done.returncode, done.stderr) == (0, "")


def test_a_walk_has_no_holes() -> None:
    evaluator = core.Evaluator(make_file(32).network)
    for plies in ([1], [0, 2], [0, -1], [*range(1000)]):
        with pytest.raises(ValueError, match="no way from"):
            evaluator.evaluate_walk([(ply, Board(), True) for ply in plies])
    nothing: Any = None
    with pytest.raises(TypeError, match="needs a board"):
        evaluator.evaluate_walk([(0, nothing, True)])


@pytest.mark.parametrize("danger", [False, True])
def test_colours_changed_make_no_difference(danger: bool) -> None:
    evaluator = core.Evaluator(make_file(128, danger=danger).network)
    for board in random_boards(3, 200):
        assert evaluator.evaluate(Board(board)) == evaluator.evaluate(Board(board.mirror()))


@pytest.mark.parametrize("danger", [False, True])
def test_a_mirror_makes_no_difference(danger: bool) -> None:
    """Where castling allows one."""
    evaluator = core.Evaluator(make_file(128, danger=danger).network)
    seen = 0
    for board in random_boards(4, 300):
        if board.castling_rights:
            continue
        other = board.transform(chess.flip_horizontal)
        assert evaluator.evaluate(Board(board)) == evaluator.evaluate(Board(other))
        seen += 1
    assert seen > 100


# How many random positions, so that what is known of the ending speaks in some of them.
ENDINGS = {
    **dict.fromkeys(("KvK", "KNvK", "KNNvK", "KPvK", "KPPvK", "KRvK", "KBBvK", "KBNvK"), 150),
    "KBPvK": 3000,  # of which only the wrong bishop is known
}


@pytest.mark.parametrize("name", ENDINGS)
def test_what_is_known_of_endings_holds_for_either_colour_and_in_a_mirror(name: str) -> None:
    file = make_file(64, 8)
    evaluator, uncorrected = core.Evaluator(file.network), core.Evaluator(alone(file))
    chance = random.Random(name)
    corrected = 0
    for _ in range(ENDINGS[name]):
        board = random_position(name, chance)
        mirror = board.transform(chess.flip_horizontal)
        twins = [Board(each) for each in (board, board.mirror(), mirror, mirror.mirror())]
        values = {evaluator.evaluate(each) for each in twins}
        assert len(values) == 1, board.fen()
        corrected += uncorrected.evaluate(twins[0]) not in values
    assert corrected >= 10


def test_positions_in_bulk_have_the_same_values(net: Path) -> None:
    network = make_file(64).network
    boards = random_boards(6, 3000)
    positions = batch.pack(boards)
    evaluator = core.Evaluator(network)
    expected = [evaluator.evaluate(Board(board)) for board in boards]
    assert batch.evaluate(positions, eval_file=net).tolist() == expected
    assert batch.evaluate(positions).tolist() != expected


KNOWN_ENDINGS = {
    "bare kings": ("8/8/4k3/8/8/3K4/8/8 w - - 0 1", 0, 0),
    "a lone knight": ("8/8/4k3/8/8/3K1N2/8/8 w - - 0 1", 0, 0),
    "the wrong bishop": ("k7/8/8/P7/8/2B5/1K6/8 w - - 0 1", 0, 0),
    "a drawn pawn": ("8/8/8/4k3/8/4K3/4P3/8 w - - 0 1", 0, 0),
    "a won pawn": ("8/8/4k3/8/4K3/8/4P3/8 b - - 0 1", -10_000, -400),
    "bishop and knight": ("7k/8/8/8/8/3K4/3BN3/8 w - - 0 1", 1, 10_000),
    "two knights": ("7k/8/8/8/8/3K4/3NN3/8 w - - 0 1", 0, 0),
}


@pytest.mark.parametrize("name", KNOWN_ENDINGS)
def test_known_endings_stand_above_the_network(name: str) -> None:
    fen, low, high = KNOWN_ENDINGS[name]
    assert low <= core.Evaluator(make_file(64).network).evaluate(Board(fen)) <= high


LONE_KINGS = ("7k/8/8/8/8/3K4/3BN3/8", "7k/8/8/8/8/3K4/3R4/8", "7k/8/8/8/8/3K4/3BB3/8")


@pytest.mark.parametrize("men", LONE_KINGS)
@pytest.mark.parametrize("side", "wb")
def test_a_lone_king_is_lost_whatever_the_network_says(men: str, side: str) -> None:
    """Some networks of random weights take it for the stronger side."""
    board = Board(f"{men} {side} - - 0 1")
    sign = 1 if side == "w" else -1
    signs = set()
    for seed in range(10):
        file = make_file(32, seed=seed)
        signs.add(sign * core.Evaluator(alone(file)).evaluate(board) > 0)
        assert sign * core.Evaluator(file.network).evaluate(board) > 0
    assert signs == {True, False}


@pytest.mark.parametrize("men", ["BN", "BB", "R", "Q"])
def test_a_lone_king_is_lost_wherever_it_stands(men: str) -> None:
    """To the engine's own network, which hardly ever played such endings to their end."""
    rng = random.Random(men)
    evaluator = core.Evaluator(read_network(OWN_NETWORK).network)
    for _ in range(300):
        board = chess.Board(None)
        while not board.is_valid():
            squares = rng.sample(chess.SQUARES, 2 + len(men))
            pieces = map(chess.Piece.from_symbol, "kK" + men)
            board.set_piece_map(dict(zip(squares, pieces, strict=True)))
            board.turn = rng.random() < 0.5
        if men == "BB" and not is_mating_pair(board):
            continue
        value = evaluator.evaluate(Board(board))
        assert (value if board.turn else -value) > 300, board.fen()


def is_mating_pair(board: chess.Board) -> bool:
    return bool(board.bishops & chess.BB_DARK_SQUARES and board.bishops & chess.BB_LIGHT_SQUARES)


def alone(file: NetworkFile) -> core.Network:
    return file._replace(stands_alone=True).network


def test_a_network_that_stands_alone_is_not_corrected(tmp_path: Path) -> None:
    """In all places where one evaluates: the number is that of the definition, also in endings."""
    file = make_file(64)._replace(stands_alone=True)
    path = tmp_path / "alone.nnue"
    path.write_bytes(format_network(file))
    assert read_network(str(path)) == file
    boards = [chess.Board(fen) for fen, _, _ in KNOWN_ENDINGS.values()]
    expected = [Reference(file).evaluate(board) for board in boards]
    assert 0 not in expected
    assert batch.evaluate(batch.pack(boards), eval_file=path).tolist() == expected
    searcher = core.Searcher(hash_mb=1, network=read_network(str(path)).network)
    assert [searcher.evaluate(Board(board)) for board in boards] == expected
    assert parse_network(selfplay.read_player(str(path))) == file


def test_a_man_s_value_is_what_the_evaluation_loses_without_it() -> None:
    evaluator = core.Evaluator(make_file(64).network)
    board = chess.Board("r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P4/2PBPN2/PP1N1PPP/R1BQ1RK1 b - - 0 8")
    whole = -evaluator.evaluate(Board(board))
    values = evaluator.piece_values(Board(board))
    assert set(values) == {sq for sq, man in board.piece_map().items() if man.piece_type != 6}
    for square, value in values.items():
        less = board.copy(stack=False)
        less.remove_piece_at(square)
        assert value == whole + evaluator.evaluate(Board(less.fen()))


# ---- files


@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize("danger", [False, True])
def test_a_file_comes_back_as_it_was(tmp_path: Path, danger: bool, alone: bool) -> None:
    file = make_file(64, 8, danger=danger)._replace(stands_alone=alone)
    path = tmp_path / "own.nnue"
    path.write_bytes(format_network(file))
    assert read_network(str(path)) == file
    assert (file.network.hidden, file.network.buckets, file.network.scale) == (64, 8, SCALE)
    assert (file.network.sees_danger, file.network.stands_alone) == (danger, alone)


def test_every_cut_is_refused() -> None:
    whole = format_network(make_file(32))
    lengths = [*range(200), *range(200, len(whole), 977), len(whole) - 1]
    for length in lengths:
        with pytest.raises(ValueError, match=r"network file"):
            parse_network(whole[:length])


@settings(max_examples=300)
@given(place=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
def test_every_flipped_bit_is_refused(place: float, bit: int) -> None:
    damaged = bytearray(WHOLE)
    damaged[int(place * len(damaged))] ^= 1 << bit
    with pytest.raises(ValueError, match=r"network file"):
        parse_network(bytes(damaged))


WHOLE = format_network(make_file(32))


@given(data=st.binary(max_size=300))
def test_other_files_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"network file"):
        parse_network(data)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"hidden": 33}, "multiple of 32 units"),
        ({"hidden": 2048}, "at most 1024"),
        ({"buckets": 9}, "output buckets must be from 1 to 8"),
        ({"scale": 0}, "scale must be from 1 to"),
        ({"weights": b"short"}, "bytes"),
    ],
)
def test_what_the_core_can_not_use_is_refused(change: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        _ = make_file()._replace(**change).network


def overflowing_file() -> NetworkFile:
    file = make_file(64)
    weights = np.frombuffer(file.weights[:-4], dtype="<i2").copy()
    weights[-1] = 129  # times 255 it does not fit 16 bits
    return file._replace(weights=weights.tobytes() + file.weights[-4:])


def test_weights_that_could_overflow_are_refused() -> None:
    with pytest.raises(ValueError, match="too large for its arithmetic"):
        _ = overflowing_file().network
    large = make_file(1024)
    weights = np.frombuffer(large.weights[:-4], dtype="<i2").copy()
    weights[-2048:] = 100  # each fits, their sum does not
    with pytest.raises(ValueError, match="too large for its arithmetic"):
        _ = large._replace(weights=weights.tobytes() + large.weights[-4:]).network


# ---- the engine's options


def test_the_engine_plays_by_a_network_from_a_file(net: Path) -> None:
    with EngineProcess() as engine:

        def last_words(*settings: str) -> str:
            options = [f"setoption name {setting}" for setting in settings]
            engine.send(*options, "ucinewgame", "go nodes 2000")
            return engine.read_until("bestmove")[-2].split(" nps ")[0]

        engine.send("position startpos moves e2e4")
        own = last_words()
        classical = last_words("Evaluation value classical")
        other = last_words(f"EvalFile value {net}", "Evaluation value nnue")
        assert len({own, classical, other}) == 3
        assert last_words("Evaluation value classical") == classical
        assert last_words("Evaluation value nnue", "EvalFile value <empty>") == own


def test_the_engine_s_own_network_is_small_and_evaluates() -> None:
    assert os.path.getsize(OWN_NETWORK) <= 3_000_000
    network = read_network(OWN_NETWORK).network
    board = Board("r3k3/8/8/8/8/8/8/Q3K3 w - - 0 1")
    assert core.Evaluator(network).evaluate(board) > 200
    assert batch.evaluate(batch.pack([board])).tolist() == [core.Evaluator(network).evaluate(board)]


def test_a_network_that_was_read_outlives_its_file(net: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.nnue"
    copy.write_bytes(net.read_bytes())
    with EngineProcess() as engine:
        engine.send(f"setoption name EvalFile value {copy}", "go nodes 2000")
        before = engine.read_until("bestmove")[-1]
        copy.unlink()
        engine.send("ucinewgame", "go nodes 2000")
        assert engine.read_until("bestmove")[-1] == before


def test_eval_shows_what_each_man_is_worth(net: Path) -> None:
    fen = "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P4/2PBPN2/PP1N1PPP/R1BQ1RK1 b - - 0 8"
    evaluator = core.Evaluator(make_file(64).network)
    with EngineProcess() as engine:
        engine.send(f"setoption name EvalFile value {net}", f"position fen {fen}", "eval")
        said = engine.read_until("Evaluation:")
    cells = [line.split("|")[1:-1] for line in said if line.startswith(" |")]
    board, expected = chess.Board(fen), evaluator.piece_values(Board(fen))
    for rank, (men, values) in enumerate(zip(cells[::2], cells[1::2], strict=True)):
        for file in range(8):
            square = chess.square(file, 7 - rank)
            piece = board.piece_at(square)
            assert men[file].strip() == (piece.symbol() if piece else "")
            value = expected.get(square)
            assert values[file].strip() == ("" if value is None else f"{value / 100:+.2f}")
    assert said[-1].startswith(f"Evaluation: {-evaluator.evaluate(Board(fen)):+} centipawns")


def flip_bit(data: bytes, place: int) -> bytes:
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


def with_checksum(body: bytes) -> bytes:
    return body + CHECKSUM.pack(binascii.crc32(body))


WRONG_FILES = {
    "empty": (b"", "not a network file"),
    "another format": (b"\x89PNG\r\n\x1a\n" + bytes(5000), "not a network file"),
    "a flipped bit in its first word": (flip_bit(WHOLE, 3), "not a network file"),
    "cut in the header": (WHOLE[:20], "not a network file"),
    "cut in the weights": (WHOLE[:-999], "its checksum is wrong"),
    "cut in the checksum": (WHOLE[:-1], "its checksum is wrong"),
    "a byte more": (WHOLE + b"\0", "its checksum is wrong"),
    "a flipped bit in the size": (flip_bit(WHOLE, 12), "its checksum is wrong"),
    "a flipped bit in the notes": (flip_bit(WHOLE, 30), "its checksum is wrong"),
    "a flipped bit in the weights": (flip_bit(WHOLE, 9999), "its checksum is wrong"),
    "a flipped bit in the checksum": (flip_bit(WHOLE, -1), "its checksum is wrong"),
    "a byte more and its checksum": (with_checksum(WHOLE[:-4] + b"\0"), "size does not fit"),
    "another version": (WHOLE[:8] + b"\x05" + WHOLE[9:], "version 5, but this engine reads 4"),
    "no scale": (format_network(make_file(32)._replace(scale=0)), "scale must be from 1"),
    "weights too large": (format_network(overflowing_file()), "too large for its arithmetic"),
}


def test_a_wrong_network_is_refused_in_one_line_and_the_old_one_stays(
    net: Path, tmp_path: Path
) -> None:
    wrong = {tmp_path: "not a file with a network", tmp_path / "none": "No such file"}
    for name, (data, words) in WRONG_FILES.items():
        path = tmp_path / f"{name}.nnue"
        path.write_bytes(data)
        wrong[path] = words
    with EngineProcess() as engine:
        own = engine.ask("eval")
        assert engine.ask(f"setoption name EvalFile value {net}") == []
        before = engine.ask("eval")
        assert before != own
        for path, words in wrong.items():
            (complaint,) = engine.ask(f"setoption name EvalFile value {path}")
            assert complaint.startswith("info string ")
            assert str(path) in complaint
            assert words in complaint
            assert engine.ask("eval") == before
            assert not [line for line in engine.go() if line.startswith("info string")]
