"""Endgames: king and pawn against king exactly, the others by who can win and by playing them."""

from __future__ import annotations

import random
from functools import cache

import chess
import numpy as np
import numpy.typing as npt
import pytest

from core_ext import core
from uci_engine import Board, batch

Table = npt.NDArray[np.bool_]

NO_EN_PASSANT, BLACK_TO_MOVE = 64, 128  # in a packed position

# White's pawn, White's king, Black's king: one axis each. Pawns stand on 8 to 55.
SQUARES = np.arange(64)
PAWN, KING, LONE = np.ix_(SQUARES, SQUARES, SQUARES)
NEXT_TO = np.array([[chess.square_distance(a, b) == 1 for b in range(64)] for a in range(64)])
CHECKED_BY_PAWN = np.array(
    [[bool(chess.BB_PAWN_ATTACKS[chess.WHITE][p] >> k & 1) for k in range(64)] for p in range(64)]
)


@pytest.mark.parametrize("evaluation", batch.EVALUATIONS)
def test_every_king_and_pawn_ending_is_known(evaluation: str) -> None:
    legal, won = solve_kpk()
    for white_to_move in (True, False):
        squares = np.argwhere(legal[white_to_move])
        wins = won[white_to_move][tuple(squares.T)]
        for pawn_is_white in (True, False):
            positions = pack_kpk(squares, white_to_move, pawn_is_white)
            scores = batch.evaluate(positions, evaluation=evaluation)
            strong_scores = scores if white_to_move else -scores
            wrong = np.flatnonzero(np.where(wins, strong_scores <= 0, strong_scores != 0))
            assert not len(wrong), [
                [chess.SQUARE_NAMES[square] for square in squares[index]] for index in wrong[:5]
            ]


def test_as_many_king_and_pawn_endings_are_won_as_others_have_counted() -> None:
    """Engines that build such a table, for pawns on four files, state this number."""
    _, won = solve_kpk()
    queenside = SQUARES % 8 < 4
    assert won[True][queenside].sum() + won[False][queenside].sum() == 111_282


def test_a_further_pawn_is_worth_more_and_a_queen_most() -> None:
    fens = [
        f"{board} w - - 0 1"
        for board in (
            "8/8/8/8/8/8/1P4k1/1K6",
            "8/8/8/8/8/1P6/6k1/1K6",
            "8/8/8/8/1P6/8/6k1/1K6",
            "8/8/8/1P6/8/8/6k1/1K6",
            "8/8/1P6/8/8/8/6k1/1K6",
            "8/1P6/8/8/8/8/6k1/1K6",
            "1R6/8/8/8/8/8/6k1/1K6",
            "1Q6/8/8/8/8/8/6k1/1K6",
        )
    ]
    scores = batch.evaluate(batch.pack(fens), evaluation="classical")
    assert (np.diff(scores) > 0).all()


TEXTBOOK = [
    ("3k4/8/3K4/3P4/8/8/8/8", "1-0", "1-0"),  # the king on the sixth, in front of its pawn
    ("3k4/8/8/3K4/3P4/8/8/8", "1-0", "draw"),  # who takes the opposition
    ("8/3k4/8/3K4/3P4/8/8/8", "draw", "1-0"),  # who has to move gives up the opposition
    ("8/8/3k4/8/3K4/8/3P4/8", "1-0", "1-0"),  # a spare move with the pawn
    ("8/8/8/3k4/3P4/3K4/8/8", "draw", "draw"),
    ("3k4/3P4/3K4/8/8/8/8/8", "1-0", "draw"),  # zugzwang, or stalemate
    ("k7/8/1K6/P7/8/8/8/8", "draw", "draw"),  # a rook pawn
    ("8/8/k7/8/8/8/7P/7K", "1-0", "1-0"),  # too far away
    ("8/8/8/P3k3/8/8/8/7K", "1-0", "draw"),  # in the square of the pawn, or one step outside
]


@pytest.mark.parametrize(("pieces", "white_to_move", "black_to_move"), TEXTBOOK)
def test_textbook_pawn_endings(pieces: str, white_to_move: str, black_to_move: str) -> None:
    for side, verdict in (("w", white_to_move), ("b", black_to_move)):
        score = white_score(f"{pieces} {side} - - 0 1")
        assert score > 500 if verdict == "1-0" else score == 0


@pytest.mark.parametrize(
    "pieces",
    [
        "8/8/4k3/8/8/3NKN2/8/8",  # two knights
        "8/8/4k3/4p3/8/3NKN2/8/8",
        "8/8/4k3/8/8/3BK3/4B3/8",  # two bishops that see the same squares
        "8/8/4k3/4p3/8/3BK3/8/8",  # one piece against a pawn: Black wins or nobody does
        "8/8/4k3/4p3/8/3NK3/8/8",
        "7k/8/6K1/7P/8/8/4B3/8",  # a rook pawn and the wrong bishop
        "7k/8/6K1/7P/7P/8/4B3/8",
        "7k/8/6K1/7P/8/8/4B3/b7",
        "7k/8/6K1/7P/8/8/4B3/n7",
    ],
)
def test_what_cannot_be_won_is_worth_nothing(pieces: str) -> None:
    for side in "wb":
        assert white_score(f"{pieces} {side} - - 0 1") <= 0


@pytest.mark.parametrize(
    ("drawish", "winning"),
    [
        ("8/4b3/4k3/8/8/3RK3/8/8", "8/8/4k3/8/8/3RK3/8/8"),  # rook and bishop; rook alone
        ("8/4n3/4k3/8/8/3RK3/8/8", "8/8/4k3/8/8/3RK3/8/8"),
        ("8/4k3/8/3K4/4B3/8/3R4/r7", "8/4k3/8/3K4/4B3/8/3R4/8"),
        ("8/4k3/8/3K4/4P3/8/4B3/b7", "8/4k3/8/3K4/4P3/8/3B4/b7"),  # bishops of opposite colours
        ("7k/8/6K1/7P/8/8/4B3/8", "7k/8/6K1/7P/8/8/3B4/8"),  # the wrong bishop and the right one
    ],
)
def test_drawish_material_is_worth_little(drawish: str, winning: str) -> None:
    assert white_score(f"{drawish} w - - 0 1") * 2 < white_score(f"{winning} w - - 0 1")


def test_a_queen_beats_a_rook() -> None:
    assert white_score("8/4r3/4k3/8/8/3QK3/8/8 w - - 0 1") > 300


def test_the_table_of_terms_adds_up() -> None:
    """Each term is rounded, so the sum may be off by a little."""
    searcher = core.Searcher(hash_mb=1)
    boards = [Board(f"{pieces} w - - 0 1") for pieces, *_ in TEXTBOOK]
    boards += [Board(f"8/8/4k3/8/8/3{piece}K3/8/8 w - - 0 1") for piece in "NBRQ"]
    boards += [Board(), Board("8/8/4k3/8/8/3NKN2/8/8 b - - 0 1")]
    for board in boards:
        rows = searcher.eval_table(board)
        total = searcher.evaluate(board) * (1 if board.turn else -1)
        assert abs(sum(now for *_, now in rows) - total) <= len(rows) / 2


# ---- playing them


@pytest.mark.parametrize(
    ("fen", "nodes"),
    [
        ("8/8/8/4k3/8/8/8/KQ6 w - - 0 1", 5_000),
        ("8/8/8/4k3/8/8/8/KR6 w - - 0 1", 5_000),
        ("8/8/8/4k3/8/8/8/KBB5 w - - 0 1", 10_000),
        ("8/8/8/4k3/8/8/8/KBN5 w - - 0 1", 50_000),
        ("8/8/8/8/8/4K3/8/kn1b4 b - - 0 1", 50_000),
    ],
    ids=["queen", "rook", "bishops", "bishop and knight", "Black's bishop and knight"],
)
@pytest.mark.release_only
def test_a_lone_king_is_mated(fen: str, nodes: int) -> None:
    """Within fifty moves, as the rule wants, against the engine itself."""
    assert play(fen, nodes) == ("1-0" if " w " in fen else "0-1")


def test_won_pawn_endings_are_won_and_drawn_ones_held() -> None:
    legal, won = solve_kpk()
    rng = random.Random(2)
    for white_to_move in (True, False):
        squares = np.argwhere(legal[white_to_move])
        for pawn, king, lone in rng.sample(squares.tolist(), 12):
            board = chess.Board(None)
            board.turn = white_to_move
            board.set_piece_at(pawn, chess.Piece.from_symbol("P"))
            board.set_piece_at(king, chess.Piece.from_symbol("K"))
            board.set_piece_at(lone, chess.Piece.from_symbol("k"))
            expected = "1-0" if won[white_to_move][pawn, king, lone] else "1/2-1/2"
            assert play(board.fen(), 1_000) == expected, board.fen()


def play(fen: str, nodes: int) -> str:
    """The result of a game of the engine against itself; python-chess is the arbiter."""
    board = chess.Board(fen)
    searchers = {colour: core.Searcher(hash_mb=2) for colour in chess.COLORS}
    while not (board.is_game_over() or board.is_repetition(3) or board.is_fifty_moves()):
        searcher = searchers[board.turn]
        best = searcher.search(Board(board), nodes=nodes).best
        assert best is not None
        board.push(chess.Move.from_uci(str(best)))
    return board.result(claim_draw=True)


# ---- the solution that the table is compared with


@cache
def solve_kpk() -> tuple[dict[bool, Table], dict[bool, Table]]:
    """The legal positions and those that White wins, by who is to move (True is White).

    Written from the rules, over whole arrays: what White wins grows until nothing is added.
    """
    apart = ~NEXT_TO[KING, LONE] & (KING != LONE) & (PAWN != KING) & (PAWN != LONE)
    legal_black = apart & (PAWN >= 8) & (PAWN < 56)
    legal = {True: legal_black & ~CHECKED_BY_PAWN[PAWN, LONE], False: legal_black}
    steps = NEXT_TO.astype(np.float32)

    # The lone king goes to a free square or takes a loose pawn; no step is stalemate.
    may_stand = ~NEXT_TO[KING, LONE] & (KING != LONE) & ~CHECKED_BY_PAWN[PAWN, LONE]
    may_stand &= (PAWN >= 8) & (PAWN < 56) & (PAWN != KING)
    can_move = may_stand.astype(np.float32) @ steps > 0

    promotes = np.zeros_like(apart)
    for pawn, king, lone in np.argwhere(legal[True] & (PAWN >= 48)):
        promotes[pawn, king, lone] = wins_by_promotion(int(pawn), int(king), int(lone))

    won = {True: promotes, False: np.zeros_like(apart)}
    while True:
        escapes = (may_stand & ~won[True]).astype(np.float32) @ steps > 0
        won[False] = legal[False] & can_move & ~escapes
        by_king = np.einsum("pkl,kj->pjl", won[False].astype(np.float32), steps, optimize=True) > 0
        pushed = np.zeros_like(apart)
        pushed[:-8] = won[False][8:]
        pushed &= (KING != PAWN + 8) & (LONE != PAWN + 8)
        leapt = np.zeros_like(apart)
        leapt[8:16] = won[False][24:32]
        for distance in (8, 16):
            leapt &= (PAWN + distance != KING) & (PAWN + distance != LONE)
        grown = legal[True] & (promotes | by_king | pushed | leapt)
        if (grown == won[True]).all():
            return legal, won
        won[True] = grown


def wins_by_promotion(pawn: int, king: int, lone: int) -> bool:
    """A queen or a rook wins against a lone king that can't take it and is not stalemated."""
    target = pawn + 8
    if target in (king, lone):
        return False
    if NEXT_TO[target, lone] and not NEXT_TO[target, king]:
        return False
    return any(
        not after_promotion(piece, target, king, lone).is_stalemate()
        for piece in (chess.QUEEN, chess.ROOK)
    )


def after_promotion(piece: chess.PieceType, target: int, king: int, lone: int) -> chess.Board:
    board = chess.Board(None)
    board.turn = chess.BLACK
    board.set_piece_at(target, chess.Piece(piece, chess.WHITE))
    board.set_piece_at(king, chess.Piece(chess.KING, chess.WHITE))
    board.set_piece_at(lone, chess.Piece(chess.KING, chess.BLACK))
    return board


def pack_kpk(
    squares: npt.NDArray[np.int64], strong_to_move: bool, pawn_is_white: bool
) -> batch.Positions:
    men = np.array([0, 5, 13] if pawn_is_white else [8, 13, 5])
    if not pawn_is_white:
        squares = squares ^ 56
    order = squares.argsort(axis=1)
    first, second, third = men[order].T
    positions = np.zeros(len(squares), dtype=batch.POSITION)
    positions["occupied"] = (np.uint64(1) << squares.astype(np.uint64)).sum(axis=1)
    positions["men"][:, 0] = first | second << 4
    positions["men"][:, 1] = third
    positions["side"] = NO_EN_PASSANT | (0 if strong_to_move == pawn_is_white else BLACK_TO_MOVE)
    positions["fullmove"] = 1
    return positions


def white_score(fen: str) -> int:
    score = core.Searcher(hash_mb=1).evaluate(Board(fen))
    return score if fen.split()[1] == "w" else -score
