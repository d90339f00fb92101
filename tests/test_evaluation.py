"""The classical evaluation: symmetric, in range, the sum of its terms, and wise about endgames.

Placements are numpy arrays of 64 men for each position, so that they can be turned and mirrored
without any code of the engine: 0 to 5 for pawn to king, plus 8 for Black, as in packed positions.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

import chess
import numpy as np
import numpy.typing as npt
import pytest

from core_ext import core
from lib.suites import all_positions
from uci_engine import Board, batch

Men = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int64]

EMPTY = 255
PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = range(6)
BLACK = 8
DARK = np.array([(square // 8 + square % 8) % 2 == 0 for square in range(64)])

FULL_PHASE, FULL_SCALE = 24, 64
LARGEST_EVALUATION = 32_000 - 2 * 128 - 1  # what comes above it is a mate

# In centipawns; each of the other terms stays below 600.
LARGEST_TERMS = {
    "material": 15_000,
    "passed": 1_500,
    "passed own king": 1_500,
    "passed enemy king": 1_800,
    "passed free": 800,
}

PLACEMENTS = 4_000 if core.DEBUG else 100_000  # about half of them are legal
SEEDS = 1 if core.DEBUG else 4


# ---- positions in bulk


@dataclass(frozen=True)
class Crowd:
    """Placements with a side to move, all legal."""

    men: Men
    black_to_move: Flags

    @classmethod
    def of_legal(cls, men: Men, black_to_move: Flags) -> Crowd:
        """Without those in which the side not to move is in check, or no game comes to."""
        legal = are_legal(pack_men(men, black_to_move))
        return cls(men[legal], black_to_move[legal])

    @property
    def positions(self) -> batch.Positions:
        return pack_men(self.men, self.black_to_move)

    def mirrored(self) -> Crowd:
        """The king's wing becomes the queen's."""
        return Crowd(self.turned(slice(None), slice(None, None, -1)), self.black_to_move)

    def with_colours_changed(self) -> Crowd:
        turned = self.turned(slice(None, None, -1), slice(None))
        return Crowd(np.where(turned == EMPTY, EMPTY, turned ^ BLACK), ~self.black_to_move)

    def turned(self, ranks: slice, files: slice) -> Men:
        return self.men.reshape(-1, 8, 8)[:, ranks, files].reshape(-1, 64)


def pack_men(men: Men, black_to_move: Flags) -> batch.Positions:
    there = men != EMPTY
    rows, squares = np.nonzero(there)
    places = (np.cumsum(there, axis=1, dtype=np.int8) - 1)[rows, squares]
    nibbles = np.zeros((len(men), 32), dtype=np.uint8)
    nibbles[rows, places] = men[rows, squares]
    positions = np.zeros(len(men), dtype=batch.POSITION)
    positions["occupied"] = np.packbits(there, axis=1, bitorder="little").view("<u8")[:, 0]
    positions["men"] = nibbles[:, ::2] | nibbles[:, 1::2] << 4
    positions["side"] = chess.SQUARES[-1] + 1 + 128 * black_to_move
    positions["fullmove"] = 1
    return positions


def are_legal(positions: batch.Positions) -> Flags:
    legal = np.ones(len(positions), dtype=bool)
    for index in range(len(positions)):
        try:
            core.unpack_items(positions[index : index + 1], 1)
        except ValueError:
            legal[index] = False
    return legal


def random_crowd(seed: int, count: int) -> Crowd:
    """From bare kings to two full armies, with promoted pieces of every kind: up to nine queens."""
    rng = np.random.default_rng(seed)
    army = [KING, QUEEN, ROOK, ROOK, BISHOP, BISHOP, KNIGHT, KNIGHT, *[PAWN] * 8]
    kinds = np.tile(np.array(army, dtype=np.uint8), (count, 2))
    promoted = (kinds == PAWN) & (rng.random((count, 32)) < rng.random((count, 1)) ** 4)
    kinds[promoted] = rng.integers(KNIGHT, QUEEN + 1, promoted.sum())
    # Shuffling the board for each position would take most of the time: some orders, turned about.
    orders = rng.permuted(np.tile(np.arange(64), (4096, 1)), axis=1)[:, :32]
    squares = orders[rng.integers(0, len(orders), count)] ^ rng.integers(0, 64, (count, 1))
    there = rng.random((count, 32)) < np.repeat(rng.random((count, 2)), 16, axis=1)
    there &= ~((kinds == PAWN) & ((squares < 8) | (squares >= 56)))
    there |= kinds == KING
    kinds[:, 16:] |= BLACK
    men = np.full((count, 64), EMPTY, dtype=np.uint8)
    np.put_along_axis(men, squares, np.where(there, kinds, EMPTY).astype(np.uint8), axis=1)
    return Crowd.of_legal(men, rng.random(count) < 0.5)


def place(*kinds: int) -> Crowd:
    """These men and the two kings, anywhere."""
    rng = np.random.default_rng(len(kinds))
    board = np.tile(np.arange(64), (PLACEMENTS // 2, 1))
    squares = rng.permuted(board, axis=1)[:, : len(kinds) + 2]
    men = np.full((len(squares), 64), EMPTY, dtype=np.uint8)
    np.put_along_axis(
        men, squares, np.array([[KING, KING | BLACK, *kinds]], dtype=np.uint8), axis=1
    )
    return Crowd.of_legal(men, rng.random(len(men)) < 0.5)


@pytest.fixture(scope="module", params=range(SEEDS))
def crowd(request: pytest.FixtureRequest) -> Crowd:
    return random_crowd(request.param, PLACEMENTS)


def white_scores(crowd: Crowd) -> Numbers:
    scores = batch.evaluate(crowd.positions, evaluation="classical").astype(np.int64)
    from_white: Numbers = np.where(crowd.black_to_move, -scores, scores)
    return from_white


def square_of(crowd: Crowd, man: int) -> Numbers:
    """Where the only such man of each position stands."""
    squares: Numbers = np.argmax(crowd.men == man, axis=1)
    return squares


# ---- symmetry


def test_it_is_the_same_for_both_colours(crowd: Crowd) -> None:
    changed = crowd.with_colours_changed().positions
    scores = batch.evaluate(crowd.positions, evaluation="classical")
    assert np.array_equal(scores, batch.evaluate(changed, evaluation="classical"))


@pytest.mark.parametrize("chess960", [False, True])
def test_it_is_the_same_for_both_colours_with_castling(chess960: bool) -> None:
    searcher = core.Searcher()
    for position in all_positions():
        if position.chess960 == chess960:
            board = chess.Board(position.fen, chess960=chess960)
            assert searcher.evaluate(Board(board)) == searcher.evaluate(Board(board.mirror()))


def test_it_sees_the_same_on_both_wings(crowd: Crowd) -> None:
    """Only the king's own squares are weighed differently on the two wings, by choice."""
    counts, phases, *_ = batch.features(crowd.positions)
    mirrored_counts, mirrored_phases, *_ = batch.features(crowd.mirrored().positions)
    columns = np.arange(core.FEATURE_COUNT)
    kings = group_slices()["king squares"]
    columns[kings] = kings.start + (np.arange(64) ^ 7)
    assert np.array_equal(counts, mirrored_counts[:, columns])
    assert np.array_equal(phases, mirrored_phases)


# ---- the sum and its terms


def group_slices() -> dict[str, slice]:
    ends = [first for _, first in core.FEATURE_GROUPS[1:]] + [core.FEATURE_COUNT]
    groups = zip(core.FEATURE_GROUPS, ends, strict=True)
    return {name: slice(first, end) for (name, first), end in groups}


def truncate(numbers: Numbers, divisor: int) -> Numbers:
    """Division as C does it."""
    quotients: Numbers = np.sign(numbers) * (np.abs(numbers) // divisor)
    return quotients


def chunks(crowd: Crowd) -> Iterator[Crowd]:
    """Feature counts take a lot of memory."""
    for first in range(0, len(crowd.men), 20_000):
        part = slice(first, first + 20_000)
        yield Crowd(crowd.men[part], crowd.black_to_move[part])


def test_it_is_the_weighted_sum_of_its_features(crowd: Crowd) -> None:
    """In numbers that can't overflow, unlike the two halves that the core keeps in one.

    What can't be won, by its scale, is worth nothing at all.
    """
    weights = core.weights().astype(np.float32)
    for part in chunks(crowd):
        counts, phases, scales, wins = batch.features(part.positions)
        sums = (counts.astype(np.float32) @ weights).astype(np.int64)  # exact: far below 2**24
        phase, scale = phases.astype(np.int64), scales.astype(np.int64)
        late = truncate(sums[:, 1] * (FULL_PHASE - phase) * scale, FULL_SCALE)
        expected = truncate(sums[:, 0] * phase + late, FULL_PHASE) * (scale > 0) + wins
        assert np.array_equal(white_scores(part), expected)
        assert not wins[~has_lone_king(part)].any()


def has_lone_king(crowd: Crowd) -> Flags:
    white = (crowd.men < BLACK).sum(axis=1)
    black = ((crowd.men != EMPTY) & (crowd.men >= BLACK)).sum(axis=1)
    lone: Flags = np.minimum(white, black) == 1
    return lone


def test_the_table_of_terms_adds_up(crowd: Crowd) -> None:
    """To within the rounding of each term; lone kings and others."""
    searcher = core.Searcher()
    lone = has_lone_king(crowd)
    positions = np.concatenate([crowd.positions[lone][:500], crowd.positions[~lone][:500]])
    for board in batch.unpack(positions):
        rows = searcher.eval_table(board)
        score = searcher.evaluate(board) * (1 if board.turn else -1)
        assert abs(sum(now for *_, now in rows) - score) <= len(rows) / 2, board.fen()


def test_every_term_stays_in_its_range(crowd: Crowd) -> None:
    """Nothing but material, and passed pawns with their kings' distances, comes near a rook."""
    assert np.abs(white_scores(crowd)).max() <= LARGEST_EVALUATION
    weights = core.weights().astype(np.float32)
    for part in chunks(crowd):
        counts, phases, scales, _ = batch.features(part.positions)
        assert phases.max() <= FULL_PHASE
        assert scales.max() <= FULL_SCALE
        for name, group in group_slices().items():
            worth = np.abs(counts[:, group].astype(np.float32) @ weights[group]).max()
            assert worth <= LARGEST_TERMS.get(name, 600), name


def test_remembered_pawns_change_nothing() -> None:
    """An evaluation with a warm cache equals one with a cold cache, along random games."""
    rng = random.Random(3)
    warm = core.Searcher()
    for _ in range(20):
        board = Board()
        for _ in range(60):
            moves = board.legal_moves()
            if not moves:
                break
            board.push(rng.choice(moves))
            assert warm.evaluate(board) == core.Searcher().evaluate(board)


# ---- endgames


def name_men(men: tuple[int, ...]) -> str:
    letters = "".join("PNBRQ"[man & 7] if man < BLACK else "pnbrq"[man & 7] for man in men)
    return letters or "kings"


DRAWN = [
    (),
    (KNIGHT,),
    (BISHOP,),
    (KNIGHT, KNIGHT),
    (KNIGHT, KNIGHT | BLACK),
    (BISHOP, KNIGHT | BLACK),
    (BISHOP, BISHOP | BLACK),
    (KNIGHT, KNIGHT, KNIGHT | BLACK),
    (ROOK, ROOK | BLACK),
    (ROOK, BISHOP | BLACK),
    (ROOK, KNIGHT | BLACK),
    (QUEEN, QUEEN | BLACK),
]


@pytest.mark.parametrize("men", DRAWN, ids=name_men)
def test_drawn_material_is_worth_little(men: tuple[int, ...]) -> None:
    """Two knights once counted as a win."""
    worth = np.abs(white_scores(place(*men)))
    assert worth.mean() < 60
    assert worth.max() < 150


@pytest.mark.parametrize("minor", [KNIGHT, BISHOP])
def test_a_minor_piece_more_than_a_rook_is_worth_less_than_it_is(minor: int) -> None:
    worth = white_scores(place(ROOK, minor, ROOK | BLACK)).mean()
    assert 0 < worth < core.weights()[minor, 1] / 2


@pytest.mark.parametrize(
    "men", [(QUEEN,), (ROOK,), (BISHOP, BISHOP), (BISHOP, KNIGHT)], ids=["Q", "R", "BB", "BN"]
)
def test_a_lone_king_is_driven_to_the_edge(men: tuple[int, ...]) -> None:
    """The nearer the edge it stands, the better for the other side, all else averaged out."""
    crowd = place(*men)
    if men == (BISHOP, BISHOP):
        bishops = crowd.men == BISHOP
        pairs = ((bishops & DARK).sum(axis=1) == 1) & ((bishops & ~DARK).sum(axis=1) == 1)
        crowd = Crowd(crowd.men[pairs], crowd.black_to_move[pairs])
    scores, king = white_scores(crowd), square_of(crowd, KING | BLACK)
    files, ranks = king % 8, king // 8
    from_edge = np.minimum(np.minimum(files, 7 - files), np.minimum(ranks, 7 - ranks))
    means = [scores[from_edge == distance].mean() for distance in range(4)]
    assert means == sorted(means, reverse=True)
    assert means[-1] > 500


def test_kings_are_brought_together_to_mate() -> None:
    crowd = place(ROOK)
    white, black = square_of(crowd, KING), square_of(crowd, KING | BLACK)
    apart = np.maximum(np.abs(white % 8 - black % 8), np.abs(white // 8 - black // 8))
    # Kings far apart stand on the edge, so that only the middle is fair to compare.
    central = np.isin(black, [chess.D4, chess.E4, chess.D5, chess.E5])
    scores = white_scores(crowd)
    means = [scores[central & (apart == distance)].mean() for distance in range(2, 5)]
    assert means == sorted(means, reverse=True)


def test_bishop_and_knight_know_their_corners() -> None:
    crowd = place(BISHOP, KNIGHT)
    scores, king = white_scores(crowd), square_of(crowd, KING | BLACK)
    right = DARK[square_of(crowd, BISHOP)] == DARK[king]
    in_corner = np.isin(king, [chess.A1, chess.H1, chess.A8, chess.H8])
    assert scores[in_corner & right].mean() > scores[in_corner & ~right].mean() + 80


@pytest.mark.parametrize(
    "fen",
    [
        "8/8/8/3k4/8/8/8/1R2K3 w - - 0 1",
        "8/8/8/4k3/8/8/8/2B1KB2 w - - 0 1",
        "k7/8/8/8/8/8/8/BN2K3 w - - 0 1",
    ],
    ids=["R", "BB", "BN"],
)
def test_elementary_mates_are_given_within_fifty_moves(fen: str) -> None:
    searcher = core.Searcher(hash_mb=16)
    board = Board(fen)
    while board.outcome() is None and not board.is_fifty_moves():
        best = searcher.search(board, nodes=20_000).best
        assert best is not None
        board.push(best)
    assert board.is_checkmate(), board.fen()


def test_bishops_of_opposite_colours_are_drawish() -> None:
    crowd = place(BISHOP, BISHOP | BLACK, PAWN, PAWN)
    scores = white_scores(crowd)
    opposite = DARK[square_of(crowd, BISHOP)] != DARK[square_of(crowd, BISHOP | BLACK)]
    assert 0 < scores[opposite].mean() < 0.6 * scores[~opposite].mean()


@pytest.mark.parametrize("corner", [chess.A8, chess.H8])
def test_the_wrong_bishop_does_not_win(corner: int) -> None:
    """A rook pawn, its promotion square out of the bishop's reach, and the king before it."""
    crowd = place(BISHOP, PAWN)
    before_it = [corner, *chess.SquareSet(chess.BB_KING_ATTACKS[corner])]
    case = square_of(crowd, PAWN) % 8 == corner % 8
    case &= np.isin(square_of(crowd, KING | BLACK), before_it)
    wrong = DARK[square_of(crowd, BISHOP)] != DARK[corner]
    scores = white_scores(crowd)
    assert np.abs(scores[case & wrong]).max() < 60
    assert scores[case & ~wrong].mean() > 400
