"""Positions in bulk: the 32-byte array, and counts over it."""

from __future__ import annotations

import random

import chess
import numpy as np
import pytest

from lib.suites import all_positions
from uci_engine import Board, batch

LINES = all_positions()
FENS = [line.fen for line in LINES]


def boards_of_random_games(count: int) -> list[chess.Board]:
    """Positions with clocks, move numbers, lost rights and en-passant squares of all kinds."""
    rng = random.Random(3)
    boards = []
    for _ in range(count):
        board = chess.Board.from_chess960_pos(rng.randrange(960))
        for _ in range(rng.randrange(60)):
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(rng.choice(moves))
        boards.append(board)
    return boards


def test_array_has_32_bytes_a_position() -> None:
    packed = batch.pack(FENS)
    assert packed.dtype.itemsize == 32
    assert packed.dtype.names
    assert packed.shape == (len(FENS),)


def test_fens_survive_packing() -> None:
    expected = [Board(line.fen, chess960=line.chess960).fen() for line in LINES]
    assert batch.fens(batch.pack(FENS)) == expected


def test_boards_survive_packing() -> None:
    boards = [Board(line.fen, chess960=line.chess960) for line in LINES]
    assert batch.unpack(batch.pack(boards)) == boards


def test_positions_of_games_survive_packing() -> None:
    games = boards_of_random_games(200)
    packed = batch.pack(games)
    assert batch.fens(packed) == [board.fen() for board in games]
    for board, reference in zip(batch.unpack(packed), games, strict=True):
        board._check()
        assert board.fen() == reference.fen()
        assert board.move_stack == []


def test_unpacked_boards_castle_as_before() -> None:
    lines = [line for line in LINES if line.chess960]
    for board, line in zip(batch.unpack(batch.pack([x.fen for x in lines])), lines, strict=True):
        assert board.perft(3) == line.counts[2]


@pytest.mark.parametrize(
    "fen",
    [
        "4k3/8/8/8/8/8/8/R3K3 w Q - 255 1",
        "4k3/8/8/8/8/8/8/R3K3 b - - 7 65535",
        "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 40",
        "r1r1kr1r/8/8/8/8/8/8/R1R1KR1R w FCfc - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w Kq - 3 4",
    ],
)
def test_every_field_survives_packing(fen: str) -> None:
    assert batch.fens(batch.pack([fen])) == [chess.Board(fen, chess960=True).fen()]


def test_mixed_items_are_packed() -> None:
    items: list[str | Board | chess.Board] = [chess.STARTING_FEN, Board(), chess.Board()]
    assert batch.fens(batch.pack(items)) == [chess.STARTING_FEN] * 3


def test_any_iterable_is_packed() -> None:
    assert len(batch.pack(fen for fen in FENS)) == len(FENS)


def test_packed_arrays_are_like_any_other(tmp_path) -> None:  # type: ignore[no-untyped-def]
    """Slices, saved files, concatenations: it is numpy's array, not ours."""
    packed = batch.pack(FENS)
    np.save(tmp_path / "positions.npy", packed)
    loaded = np.load(tmp_path / "positions.npy")
    assert batch.fens(loaded[5:9]) == batch.fens(packed)[5:9]
    assert batch.fens(packed[::-2]) == batch.fens(packed)[::-2]
    assert len(batch.legal_counts(np.concatenate([packed, packed[::3]]))) > len(packed)


@pytest.mark.parametrize("threads", [None, 1, 2, 5])
def test_legal_counts(threads: int | None) -> None:
    counts = batch.legal_counts(batch.pack(FENS), threads=threads)
    assert counts.dtype == np.uint16
    assert counts.tolist() == [line.counts[0] for line in LINES]


@pytest.mark.parametrize("threads", [None, 1, 2, 5])
@pytest.mark.parametrize("depth", [0, 1, 2, 3])
def test_perft(depth: int, threads: int | None) -> None:
    lines = [line for line in LINES if len(line.counts) >= depth]
    counts = batch.perft(batch.pack([line.fen for line in lines]), depth, threads=threads)
    assert counts.dtype == np.uint64
    assert counts.tolist() == [line.counts[depth - 1] if depth else 1 for line in lines]


def test_strided_arrays_are_counted() -> None:
    packed = batch.pack(FENS)
    assert batch.legal_counts(packed[::2]).tolist() == [line.counts[0] for line in LINES[::2]]
    assert batch.perft(packed[::-1], 2).tolist() == [line.counts[1] for line in LINES[::-1]]


def test_arrays_are_not_changed_by_counting() -> None:
    packed = batch.pack(FENS)
    before = packed.tobytes()
    packed.flags.writeable = False
    batch.legal_counts(packed)
    batch.perft(packed, 2)
    batch.unpack(packed)
    assert packed.tobytes() == before


def test_large_arrays_are_counted_by_many_threads() -> None:
    packed = np.tile(batch.pack(FENS), 200)
    expected = np.tile([line.counts[0] for line in LINES], 200)
    assert np.array_equal(batch.legal_counts(packed, threads=4), expected)


def test_empty_arrays() -> None:
    packed = batch.pack([])
    assert packed.shape == (0,)
    assert packed.dtype == batch.pack(FENS).dtype
    assert batch.unpack(packed) == []
    assert batch.fens(packed) == []
    assert batch.legal_counts(packed).tolist() == []
    assert batch.perft(packed, 3).tolist() == []


@pytest.mark.parametrize(
    "array",
    [
        np.zeros(4, dtype=np.uint64),
        np.zeros((4, 32), dtype=np.uint8),
        np.zeros(4, dtype="V32"),
        np.zeros((2, 2), dtype=batch.pack([]).dtype),
        ["not an array"],
        None,
    ],
    ids=["uint64", "bytes", "void", "two-dimensional", "list", "None"],
)
def test_other_arrays_are_refused(array: object) -> None:
    for function in (batch.unpack, batch.fens, batch.legal_counts, lambda a: batch.perft(a, 2)):
        with pytest.raises(ValueError, match=r"\Apositions must (be an array of|have one) "):
            function(array)  # type: ignore[arg-type]


def test_a_bad_fen_is_named_by_its_index() -> None:
    fens = [*FENS[:3], "8/8/8/8/8/8/8/8 w - - 0 1", *FENS[3:6]]
    with pytest.raises(ValueError, match=r"\A[^\n]*\b3\b[^\n]*bad FEN, board field[^\n]*\Z"):
        batch.pack(fens)


def test_bytes_that_are_no_position_are_named_by_their_index() -> None:
    packed = np.concatenate([batch.pack(FENS[:4]), np.zeros(1, dtype=batch.pack([]).dtype)])
    for function in (batch.unpack, batch.fens, batch.legal_counts, lambda a: batch.perft(a, 2)):
        with pytest.raises(ValueError, match=r"\A[^\n]*\b4\b[^\n]*\Z"):
            function(packed)


def test_random_bytes_are_refused_or_positions() -> None:
    """A damaged file must not crash the reader."""
    rng = np.random.default_rng(5)
    packed = batch.pack(FENS)
    damaged = np.tile(packed, 100)
    raw = damaged.view(np.uint8).reshape(-1, 32)
    raw[np.arange(len(raw)), rng.integers(0, 32, len(raw))] ^= 1 << rng.integers(
        0, 8, len(raw), dtype=np.uint8
    )
    refused = 0
    for index in range(len(damaged)):
        try:
            board = batch.unpack(damaged[index : index + 1])[0]
        except ValueError:
            refused += 1
            continue
        board._check()
        assert Board(board.fen(), chess960=True) == board
    assert 0 < refused < len(damaged)


@pytest.mark.parametrize("threads", [0, -1])
def test_impossible_thread_counts_are_refused(threads: int) -> None:
    with pytest.raises(ValueError, match=r"\A[^\n]*thread[^\n]*\Z"):
        batch.legal_counts(batch.pack(FENS), threads=threads)


@pytest.mark.parametrize("depth", [-1, 1000])
def test_impossible_depths_are_refused(depth: int) -> None:
    with pytest.raises(ValueError, match=r"\A[^\n]*depth[^\n]*\Z"):
        batch.perft(batch.pack(FENS), depth)
