"""Every method that Board shares with chess.Board gives the same answers, whatever is called."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import chess
import chess.svg
import chess.variant
import pytest
from board_calls import METHODS, call_both, choose_arguments, is_understood_by_us_alone
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import uci_engine
from core_ext import core
from core_ext.core import LegalMoves
from lib.comparison import choose_lively, random_starts
from lib.suites import PerftLine, all_positions
from uci_engine import Board

POSITIONS = all_positions()
each_position = pytest.mark.parametrize("line", POSITIONS, ids=str)

EITHER = Board | chess.Board
# Each of these is asked of both boards.
QUESTIONS: dict[str, Callable[[EITHER], object]] = {
    "fen": lambda b: b.fen(),
    "fen shredder": lambda b: b.fen(shredder=True),
    "shredder_fen": lambda b: b.fen(shredder=True),
    "board_fen": lambda b: b.board_fen(),
    "castling_xfen": lambda b: b.castling_xfen(),
    "castling_shredder_fen": lambda b: b.castling_shredder_fen(),
    "epd": lambda b: b.epd(),
    "turn": lambda b: b.turn,
    "ep_square": lambda b: b.ep_square if b.has_legal_en_passant() else None,
    "kind of chess": lambda b: (b.chess960, b.uci_variant, b.xboard_variant, b.starting_fen),
    "ply": lambda b: b.ply(),
    "clocks": lambda b: (b.halfmove_clock, b.fullmove_number),
    "move_stack": lambda b: b.move_stack,
    "bitboards": lambda b: (b.pawns, b.knights, b.bishops, b.rooks, b.queens, b.kings),
    "occupied": lambda b: (b.occupied, b.occupied_co[True], b.occupied_co[False]),
    "castling": lambda b: b.clean_castling_rights(),
    "rights": lambda b: [
        (
            b.has_castling_rights(color),
            b.has_kingside_castling_rights(color),
            b.has_queenside_castling_rights(color),
        )
        for color in chess.COLORS
    ],
    "chess960 rights": lambda b: b.has_chess960_castling_rights(),
    "piece_map": lambda b: b.piece_map(),
    "kings": lambda b: [b.king(color) for color in chess.COLORS],
    "pieces": lambda b: [b.pieces(k, c) for k in chess.PIECE_TYPES for c in chess.COLORS],
    "squares": lambda b: [
        (b.piece_at(square), b.piece_type_at(square), b.color_at(square)) for square in range(64)
    ],
    "attacks": lambda b: [b.attacks(square) for square in range(64)],
    "attackers": lambda b: [b.attackers(c, s) for s in range(64) for c in chess.COLORS],
    "is_attacked_by": lambda b: [
        b.is_attacked_by(c, s, b.kings) for s in range(64) for c in chess.COLORS
    ],
    "pins": lambda b: [b.pin(c, s) for s in range(64) for c in chess.COLORS],
    "is_pinned": lambda b: [b.is_pinned(c, s) for s in range(64) for c in chess.COLORS],
    "checkers": lambda b: (b.checkers(), b.checkers_mask(), b.is_check()),
    "legal moves": lambda b: set(b.legal_moves),
    "legal count": lambda b: (b.legal_moves.count(), bool(b.legal_moves)),
    "captures": lambda b: sorted(m.uci() for m in b.generate_legal_captures()),
    "castling moves": lambda b: set(b.generate_castling_moves()),
    "en passant": lambda b: (set(b.generate_legal_ep()), b.has_legal_en_passant()),
    "some moves": lambda b: {
        m for m in b.generate_legal_moves(from_mask=chess.BB_LIGHT_SQUARES) if not b.is_castling(m)
    },
    "insufficient": lambda b: [b.has_insufficient_material(color) for color in chess.COLORS],
    "material": lambda b: b.is_insufficient_material(),
    "mate": lambda b: (b.is_checkmate(), b.is_stalemate()),
    "moves": lambda b: (b.is_fifty_moves(), b.is_seventyfive_moves()),
    "repetition": lambda b: [b.is_repetition(count) for count in range(1, 6)],
    "fivefold": lambda b: b.is_fivefold_repetition(),
    "outcome": lambda b: (b.outcome(), b.result(), b.is_game_over()),
    "claims": lambda b: (b.can_claim_fifty_moves(), b.can_claim_threefold_repetition()),
    "outcome by claim": lambda b: (b.outcome(claim_draw=True), b.result(claim_draw=True)),
    "claim": lambda b: (b.can_claim_draw(), b.is_game_over(claim_draw=True)),
    "variant": lambda b: b.is_variant_end() or b.is_variant_win() or b.is_variant_loss(),
    "str": lambda b: (str(b), repr(b), b.unicode(), b.unicode(borders=True)),
    "mirror": lambda b: b.mirror().fen(),
    "root": lambda b: b.root().fen(),
    "copies": lambda b: [b.copy(stack=stack).move_stack for stack in (True, False, 3, 100)],
    "chess960_pos": lambda b: b.chess960_pos(),
}
# Each of these is asked of both boards about each legal move.
MOVE_QUESTIONS: dict[str, Callable[[EITHER, chess.Move], object]] = {
    "is_legal": lambda b, m: b.is_legal(m),
    "in legal_moves": lambda b, m: m in b.legal_moves,
    "san": lambda b, m: b.san(m),
    "lan": lambda b, m: b.lan(m),
    "uci": lambda b, m: (b.uci(m), b.uci(m, chess960=True)),
    "xboard": lambda b, m: b.xboard(m),
    "is_capture": lambda b, m: b.is_capture(m),
    "is_en_passant": lambda b, m: b.is_en_passant(m),
    "is_castling": lambda b, m: b.is_castling(m),
    "castling sides": lambda b, m: (b.is_kingside_castling(m), b.is_queenside_castling(m)),
    "is_zeroing": lambda b, m: b.is_zeroing(m),
    "is_irreversible": lambda b, m: b.is_irreversible(m),
    "gives_check": lambda b, m: b.gives_check(m),
    "find_move": lambda b, m: b.find_move(m.from_square, m.to_square, m.promotion),
    "bm": lambda b, m: b.epd(bm=m, ce=12, id="x"),
}


def compare(board: Board, reference: chess.Board) -> None:
    for name, ask in QUESTIONS.items():
        assert ask(board) == ask(reference), name
    for move in list(reference.legal_moves)[:20]:
        for name, ask_move in MOVE_QUESTIONS.items():
            assert ask_move(board, move) == ask_move(reference, move), (name, move)


@each_position
def test_suite_positions_agree(line: PerftLine) -> None:
    compare(Board(line.fen, chess960=line.chess960), chess.Board(line.fen, chess960=line.chess960))


class TwoBoards(RuleBasedStateMachine):
    """Calls in any order, on a Board and a chess.Board that must stay the same."""

    @initialize(seed=st.randoms(use_true_random=False))
    def start(self, seed: object) -> None:
        self.board, self.reference = next(random_starts(seed)).boards()  # type: ignore[arg-type]

    @precondition(lambda self: any(self.reference.legal_moves))
    @rule(random=st.randoms(use_true_random=False), way=st.integers(0, 4))
    def play(self, random: object, way: int) -> None:
        move = choose_lively(self.reference, random)  # type: ignore[arg-type]
        if way == 0:
            assert self.board.push_san(self.reference.san(move)) == move
        elif way == 1:
            assert self.board.push_uci(move.uci()) == move
        elif way == 2:
            assert self.board.san_and_push(move) == self.reference.san(move)
        elif way == 3:
            self.board.push(self.board.find_move(move.from_square, move.to_square, move.promotion))
        else:
            self.board.push(move)
        self.reference.push(move)

    @rule()
    def take_back(self) -> None:
        if self.reference.move_stack:
            assert self.board.peek() == self.reference.peek()
            assert self.board.pop() == self.reference.pop()
        else:
            for ask in (self.board.pop, self.board.peek):
                with pytest.raises(IndexError):
                    ask()

    @precondition(lambda self: not self.reference.is_check())
    @rule()
    def pass_the_move(self) -> None:
        self.board.push(chess.Move.null())
        self.reference.push(chess.Move.null())

    @rule()
    def mirror(self) -> None:
        self.board.apply_mirror()
        self.reference.apply_mirror()

    @rule()
    def copy(self) -> None:
        self.board, self.reference = self.board.copy(stack=5), self.reference.copy(stack=5)

    @rule()
    def convert(self) -> None:
        self.board, self.reference = Board(self.reference), self.board.to_chess()

    @rule()
    def forget(self) -> None:
        self.board.clear_stack()
        self.reference.clear_stack()

    @rule(plies=st.integers(0, 160))
    def set_clock(self, plies: int) -> None:
        self.board.halfmove_clock = plies
        self.reference.halfmove_clock = plies
        self.forget()

    @rule(square=st.sampled_from(chess.SQUARES), piece=st.sampled_from([None, *"PNBRQpnbrq"]))
    def edit(self, square: int, piece: str | None) -> None:
        new = chess.Piece.from_symbol(piece) if piece else None
        edited = self.reference.copy(stack=False)
        edited.set_piece_at(square, new)
        edited.castling_rights = edited.clean_castling_rights()
        edited.ep_square = edited.ep_square if edited.has_legal_en_passant() else None
        before = self.board.fen()
        try:
            Board(edited.fen(), chess960=edited.chess960)
        except ValueError:
            with pytest.raises(ValueError, match=r"\Athis change leaves [^\n]*\Z"):
                self.board.set_piece_at(square, new)
            assert self.board.fen() == before
        else:
            self.board.set_piece_at(square, new)
            self.reference = edited

    @rule(random=st.randoms(use_true_random=False))
    def call(self, random: Any) -> None:
        """Anything at all, with arguments that may be wrong."""
        name = random.choice(METHODS)
        arguments = choose_arguments(name, random)
        before = self.reference.copy()
        if is_understood_by_us_alone(self.reference, arguments):
            return
        if not call_both(self.board, self.reference, name, arguments):
            self.reference = before
        self.reference.castling_rights = self.reference.clean_castling_rights()

    @invariant()
    def same(self) -> None:
        self.board._check()
        if self.reference.has_legal_en_passant() is False:
            self.reference.ep_square = None  # ours is kept only while it can be used
        compare(self.board, self.reference)


TwoBoards.TestCase.settings = settings(
    max_examples=25, stateful_step_count=20, deadline=None, derandomize=True
)
TestTwoBoards = TwoBoards.TestCase


def test_boards_of_both_kinds_are_compared() -> None:
    board, reference = Board(), chess.Board()
    for text in ("e2e4", "a7a6", "e4e5", "d7d5"):
        assert board == reference
        assert reference == board
        board.push_uci(text)
        assert board != reference
        assert reference != board
        reference.push_uci(text)
    assert board == reference
    shuffled = chess.Board.from_chess960_pos(17)
    assert Board.from_chess960_pos(17) == shuffled
    for other in (chess.Board(None), chess.variant.AtomicBoard(), chess.STARTING_FEN, None):
        assert Board() != other
        assert other != Board()


def test_en_passant_squares_in_every_style() -> None:
    board, reference = Board(), chess.Board()
    for text in ("e2e4", "a7a6", "e4e5", "d7d5", "h2h4"):
        board.push_uci(text)
        reference.push_uci(text)
        for style in ("legal", "xfen", "fen"):
            assert board.fen(en_passant=style) == reference.fen(en_passant=style), style
            assert board.epd(en_passant=style) == reference.epd(en_passant=style), style
        theirs = reference.has_pseudo_legal_en_passant()
        assert board.has_pseudo_legal_en_passant() is theirs
    with pytest.raises(ValueError, match="en_passant must be one of"):
        board.fen(en_passant="all")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "flip", [chess.flip_horizontal, chess.flip_vertical, chess.flip_diagonal, lambda b: b]
)
def test_transform(flip: Callable[[int], int]) -> None:
    fen = "r3k2r/8/1q6/3pP3/8/8/8/R3K2R w KQkq d6 0 1"
    board, reference = Board(fen), chess.Board(fen)
    try:
        expected = Board(reference.transform(flip).fen()).fen()
    except ValueError:
        with pytest.raises(ValueError, match="this change leaves no chess position"):
            board.transform(flip)
    else:
        assert board.transform(flip).fen() == expected
    assert board == Board(fen)


@pytest.mark.parametrize(
    "function", [lambda b: 0, lambda b: b | 1, lambda b: b & 255, lambda b: b * 3 % 2**64]
)
def test_functions_that_map_no_squares_are_refused(function: Callable[[int], int]) -> None:
    fen = "r3k2r/8/1q6/3pP3/8/8/8/R3K2R w KQkq d6 0 1"
    board = Board(fen)
    with pytest.raises(ValueError, match=r"\A[^\n]+\Z"):
        board.apply_transform(function)
    assert board == Board(fen)


def test_objects_that_nobody_makes_are_harmless() -> None:
    with pytest.raises(TypeError):
        LegalMoves()  # type: ignore[call-arg]
    assert core.MoveBoard().legal_count() == core.GameBoard().legal_count() == 20
    board = Board()
    board.push_san("e4")
    assert board.copy(stack=-5).move_stack == []


def test_boards_are_set_up_in_every_way() -> None:
    fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 9"
    board, reference = Board(), chess.Board()
    board.push_san("e4")
    board.set_fen(fen)
    reference.set_fen(fen)
    assert board.move_stack == []
    for edit in (
        lambda b: b.set_castling_fen("Kq"),
        lambda b: setattr(b, "turn", chess.BLACK),
        lambda b: setattr(b, "fullmove_number", 30),
        lambda b: setattr(b, "castling_rights", chess.BB_H1),
        lambda b: b.set_piece_map(chess.Board("4k3/p7/8/8/8/8/P7/4K2R w - - 0 1").piece_map()),
        lambda b: b.set_board_fen("4k3/8/8/3pP3/8/8/8/4K3"),
        lambda b: setattr(b, "turn", chess.WHITE),
        lambda b: setattr(b, "ep_square", chess.D6),
        lambda b: setattr(b, "ep_square", None),
        lambda b: b.remove_piece_at(chess.D5),
        lambda b: b.reset(),
        lambda b: b.set_chess960_pos(17),
    ):
        edit(board)
        edit(reference)
        assert board.fen() == reference.fen()
        assert board.chess960 == reference.chess960
        board._check()
    assert Board.from_chess960_pos(17) == board
    assert board.chess960_pos() == 17


def test_epd_lines() -> None:
    line = '1k6/8/8/8/8/8/8/1K1R4 w - - bm Rd8; id "mate"; pv Rd8 Kc7; hmvc 3;'
    (board, operations), (reference, expected) = Board.from_epd(line), chess.Board.from_epd(line)
    assert operations == expected
    assert board.fen() == reference.fen()
    assert board.epd(**operations) == reference.epd(**expected)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="bad FEN"):
        board.set_epd("8/8/8/8/8/8/8/8 w - -")


def test_a_change_that_chess_does_not_allow_changes_nothing() -> None:
    board = Board()
    changes: list[Callable[[], object]] = [
        lambda: board.remove_piece_at(chess.E1),
        lambda: board.set_piece_at(chess.E4, chess.Piece.from_symbol("K")),
        lambda: board.set_piece_at(chess.A8, chess.Piece.from_symbol("p")),
        lambda: board.set_board_fen("8/8/8/8/8/8/8/8"),
        lambda: setattr(board, "fullmove_number", 0),
    ]
    for change in changes:
        with pytest.raises(ValueError, match=r"\A[^\n]+\Z"):
            change()
        assert board == Board()


def test_moves_of_pinned_kings_are_into_check() -> None:
    board = Board("4k3/8/8/8/8/8/3r4/4K3 w - - 0 1")
    reference = chess.Board(board.fen())
    for move in reference.pseudo_legal_moves:
        assert board.is_into_check(move) is reference.is_into_check(move)


def test_castling_and_promotion_by_squares() -> None:
    board = Board("r3k2r/P7/8/8/8/8/8/R3K2R w KQkq - 0 1")
    assert board.find_move(chess.E1, chess.G1).uci() == "e1g1"
    assert board.parse_san("O-O-O").uci() == "e1c1"
    with pytest.raises(chess.IllegalMoveError):
        board.find_move(chess.E1, chess.E3)
    assert Board("8/P6k/8/8/8/8/8/K7 w - - 0 1").find_move(48, 56).uci() == "a7a8q"


def test_the_picture_marks_the_last_move_and_check() -> None:
    board, reference = Board(), chess.Board()
    for san in ("e4", "f5", "Qh5+"):
        board.push_san(san)
        reference.push_san(san)
        assert board._repr_svg_() == reference._repr_svg_()
    assert 'class="check"' in board._repr_svg_() or "url(#check_gradient)" in board._repr_svg_()


def test_what_can_be_imported_is_shown() -> None:
    assert set(uci_engine.__all__) <= set(dir(uci_engine))
    for name in uci_engine.__all__:
        assert getattr(uci_engine, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'Bored'"):
        uci_engine.Bored  # noqa: B018


# What a chess.Board has and ours has not, each with its reason.
LEFT_OUT = {
    "aliases": "names of variants",
    "captures_compulsory": "variants",
    "connected_kings": "variants",
    "one_king": "variants",
    "tbw_suffix": "variants",
    "tbz_suffix": "variants",
    "tbw_magic": "variants",
    "tbz_magic": "variants",
    "pawnless_tbw_suffix": "variants",
    "pawnless_tbz_suffix": "variants",
    "pawnless_tbw_magic": "variants",
    "pawnless_tbz_magic": "variants",
    "promoted": "variants",
    "empty": "a board without kings is no chess position",
    "clear": "a board without kings is no chess position",
    "clear_board": "a board without kings is no chess position",
    "reset_board": "rights and side of another position would stay: reset()",
    "was_into_check": "a position in which the king can be taken is none",
    "pseudo_legal_moves": "only legal moves are made",
    "is_pseudo_legal": "only legal moves are made",
    "generate_pseudo_legal_moves": "only legal moves are made",
    "generate_pseudo_legal_captures": "only legal moves are made",
    "generate_pseudo_legal_ep": "only legal moves are made",
}


def test_every_method_of_python_chess_is_there_or_left_out_for_a_reason() -> None:
    theirs = {name for name in dir(chess.Board()) if not name.startswith("_")}
    ours = {name for name in dir(Board) if not name.startswith("_")}
    assert theirs - ours == set(LEFT_OUT)


def test_the_arguments_are_those_of_python_chess() -> None:
    """By name, and as many: what runs with a chess.Board runs with a Board."""
    for name in dir(chess.Board):
        theirs, ours = getattr(chess.Board, name), getattr(Board, name, None)
        if name.startswith("_") or not inspect.isfunction(theirs) or ours is None:
            continue
        if name in ("unicode", "chess960_pos"):
            continue  # handed on as they are
        wanted = list(inspect.signature(theirs).parameters.values())[1:]
        given = list(inspect.signature(ours).parameters.values())[1:]
        assert [(p.name, p.kind) for p in given] == [(p.name, p.kind) for p in wanted], name
