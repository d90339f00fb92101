"""When a game is over, compared with python-chess in random games."""

from __future__ import annotations

import random

import chess
import pytest

from uci_engine import Board
from uci_engine.rules import CHECKMATE, cut_variation, how_it_ended

# Few pieces, so that games end in all the ways there are.
STARTS = [
    chess.STARTING_FEN,
    "4k3/8/8/8/8/8/8/QR2K3 w - - 0 1",
    "4k3/7p/8/8/8/8/8/B3K3 w - - 0 1",
    "k7/p1n5/8/8/8/8/5N1P/7K w - - 92 70",
]


def known_ending(board: chess.Board) -> str | None:
    endings = {
        CHECKMATE: board.is_checkmate(),
        "stalemate": board.is_stalemate(),
        "insufficient material": board.is_insufficient_material(),
        "fifty moves": board.halfmove_clock >= 100,
        "threefold repetition": board.is_repetition(3),
    }
    return next((rule for rule, holds in endings.items() if holds), None)


@pytest.fixture(scope="module")
def games() -> list[tuple[Board, chess.Board, str | None]]:
    """Random games at their ends; each position on the way has been compared."""
    generator = random.Random(3)
    played = []
    for number in range(120):
        theirs = chess.Board(STARTS[number % len(STARTS)])
        ours = Board(theirs)
        while (ending := known_ending(theirs)) is None and theirs.ply() < 600:
            assert how_it_ended(ours) is None
            move = generator.choice(list(theirs.legal_moves))
            theirs.push(move)
            ours.push(move)
        assert how_it_ended(ours) == ending
        played.append((ours, theirs, ending))
    return played


def test_every_ending_is_met(games: list[tuple[Board, chess.Board, str | None]]) -> None:
    assert len({ending for *_, ending in games} - {None}) == 5


def test_a_variation_is_cut_where_the_game_ends(
    games: list[tuple[Board, chess.Board, str | None]],
) -> None:
    for ours, theirs, ending in games:
        if ending in (CHECKMATE, "stalemate", None):
            continue
        board = Board(theirs.root())
        variation = [*ours.move_stack, ours.legal_moves()[0]]
        assert cut_variation(board, variation) == ours.move_stack
        assert board == Board(theirs.root())


def test_a_move_that_cannot_be_played_ends_a_variation() -> None:
    board = Board()
    knight = board.parse_uci("g1f3")
    assert cut_variation(board, [knight, knight]) == [knight]
