"""A game at the desk: its clocks, how it ends, what is taken back, and its PGN."""

from __future__ import annotations

import io
from pathlib import Path

import chess
import chess.pgn
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from uci_engine import Board, pgn
from uci_engine.arena.players.clock import TimeControl
from uci_engine.desk import manners
from uci_engine.desk.sitting import (
    GameOverError,
    Seat,
    Sitting,
    SittingStart,
    parse_clock,
    read_control,
)

PLAYER, ENGINE = Seat("Ada"), Seat("Cythera", elo=1500, is_engine=True)
THREE_MINUTES = parse_clock("3+2")


class Stopwatch:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.ns = 0

    def __call__(self) -> int:
        return self.ns

    def wait(self, seconds: float) -> None:
        self.ns += round(seconds * 1e9)


def begin(
    fen: str | None = None, control: TimeControl = THREE_MINUTES, *, chess960: bool = False
) -> tuple[Sitting, Stopwatch]:
    watch = Stopwatch()
    start = SittingStart(fen or chess.STARTING_FEN, chess960)
    sitting = Sitting(PLAYER, ENGINE, control, start, now=watch)
    sitting.start_clock()
    return sitting, watch


def play(sitting: Sitting, text: str) -> None:
    for san in text.split():
        sitting.play(sitting.board.parse_san(san))


def reread(sitting: Sitting, folder: Path) -> Sitting:
    path = folder / "game.pgn"
    path.write_text(sitting.pgn())
    return Sitting.from_game(next(pgn.read(path)))


# ---- clocks


@pytest.mark.parametrize(
    ("text", "base_ms", "increment_ms"),
    [("5", 300_000, 0), ("5+3", 300_000, 3000), ("0:30+0.5", 30_000, 500), ("0.5", 30_000, 0)],
)
def test_clocks_as_people_say_them(text: str, base_ms: int, increment_ms: int) -> None:
    control = parse_clock(text)
    assert (control.base_ms, control.increment_ms) == (base_ms, increment_ms)
    assert read_control(control.pgn_tag()) == control


@pytest.mark.parametrize(
    "text", ["", "+3", "0", "0+3", "5+", "x", "5+x", "-5", "nan", "inf", "9e99"]
)
def test_clocks_that_are_none(text: str) -> None:
    with pytest.raises(ValueError, match="expected MINUTES"):
        parse_clock(text)


def test_each_side_pays_for_its_own_moves() -> None:
    sitting, watch = begin()
    watch.wait(10)
    assert sitting.left_ms(chess.WHITE) == 170_000
    play(sitting, "e4")
    watch.wait(60)
    assert (sitting.left_ms(chess.WHITE), sitting.left_ms(chess.BLACK)) == (172_000, 120_000)
    play(sitting, "e5")
    assert sitting.left_ms(chess.BLACK) == 122_000


def test_a_stopped_clock_stands_still() -> None:
    sitting, watch = begin()
    watch.wait(5)
    sitting.stop_clock()
    watch.wait(1000)
    assert sitting.left_ms(chess.WHITE) == 175_000
    sitting.start_clock()
    watch.wait(5)
    assert sitting.left_ms(chess.WHITE) == 170_000


def test_the_flag_falls_and_the_move_comes_too_late() -> None:
    sitting, watch = begin()
    play(sitting, "e4")
    watch.wait(180)
    with pytest.raises(GameOverError, match="White wins by time forfeit"):
        play(sitting, "e5")
    assert sitting.result == "1-0"
    assert len(sitting.turns) == 1


def test_no_flag_falls_a_millisecond_before() -> None:
    sitting, watch = begin()
    watch.wait(179.999)
    assert not sitting.check_flag()
    play(sitting, "e4")
    assert sitting.left_ms(chess.WHITE) == 2001


def test_a_flag_against_a_bare_king_is_a_draw() -> None:
    sitting, watch = begin("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")
    watch.wait(200)
    assert sitting.check_flag()
    assert sitting.result == "1/2-1/2"


# ---- endings


@pytest.mark.parametrize(
    ("fen", "moves", "result", "reason"),
    [
        (None, "f3 e5 g4 Qh4", "0-1", "checkmate"),
        ("7k/5K2/8/6Q1/8/8/8/8 w - - 0 1", "Qg6", "1/2-1/2", "stalemate"),
        ("7k/8/8/8/8/8/6p1/6K1 w - - 0 1", "Kxg2", "1/2-1/2", "insufficient material"),
        ("7k/8/8/8/8/8/R7/6K1 w - - 149 100", "Ra3", "1/2-1/2", "seventy-five moves"),
        (None, "Nf3 Nf6 Ng1 Ng8 " * 4, "1/2-1/2", "fivefold repetition"),
    ],
)
def test_positions_that_end_the_game(fen: str | None, moves: str, result: str, reason: str) -> None:
    sitting, _ = begin(fen)
    play(sitting, moves)
    assert sitting.ending == (result, reason)
    assert not sitting.clock_runs
    assert sitting.board.to_chess().result() == result
    with pytest.raises(GameOverError):
        sitting.resign(chess.WHITE)


def test_draws_that_have_to_be_claimed() -> None:
    sitting, _ = begin()
    play(sitting, "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1")
    assert not sitting.claim_draw()
    back = sitting.board.parse_san("Ng8")
    assert sitting.claimable_draw(back) == "threefold repetition"
    play(sitting, "Ng8")
    assert not sitting.is_over
    assert sitting.claim_draw()
    assert sitting.ending == ("1/2-1/2", "threefold repetition")


def test_fifty_moves_are_claimed_by_the_move_that_makes_them() -> None:
    sitting, _ = begin("7k/8/8/8/8/8/R7/6K1 w - - 99 80")
    assert sitting.claimable_draw() is None
    assert not sitting.claim_draw()
    assert sitting.claim_draw(sitting.board.parse_san("Ra3"))
    assert sitting.ending == ("1/2-1/2", "fifty moves")
    assert sitting.turns == []


def test_a_word_ends_the_game() -> None:
    sitting, _ = begin()
    sitting.resign(chess.WHITE)
    assert str(sitting.ending) == "Black wins by resignation."
    sitting, _ = begin()
    sitting.agree_to_draw()
    assert str(sitting.ending) == "The game is drawn by agreement."


def test_a_position_that_is_over_from_the_start() -> None:
    sitting, _ = begin("7k/5K2/6Q1/8/8/8/8/8 b - - 0 1")
    assert sitting.ending == ("1/2-1/2", "stalemate")


# ---- taking back


def test_a_move_taken_back_takes_its_time_with_it() -> None:
    sitting, watch = begin()
    for san in ("e4", "e5", "Nf3"):
        watch.wait(10)
        play(sitting, san)
    watch.wait(7)
    assert [turn.san for turn in sitting.take_back(2)] == ["Nf3", "e5"]
    assert (sitting.left_ms(chess.WHITE), sitting.left_ms(chess.BLACK)) == (172_000, 180_000)
    assert (
        sitting.board.fen()
        == Board("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1").fen()
    )


def test_a_mate_and_a_resignation_are_taken_back() -> None:
    sitting, watch = begin()
    play(sitting, "f3 e5 g4 Qh4")
    sitting.take_back(1)
    assert not sitting.is_over
    play(sitting, "Nc6")
    sitting.resign(chess.WHITE)
    sitting.take_back(0)
    sitting.start_clock()
    watch.wait(3)
    assert sitting.left_ms(chess.WHITE) == 181_000  # two moves earned 2 s each
    with pytest.raises(ValueError, match="4 moves can be taken back"):
        sitting.take_back(6)


# ---- PGN


def test_python_chess_reads_the_game() -> None:
    sitting, watch = begin()
    watch.wait(12.5)
    play(sitting, "e4")
    watch.wait(1)
    play(sitting, "c5")
    sitting.resign(chess.BLACK)
    game = chess.pgn.read_game(io.StringIO(sitting.pgn()))
    assert game is not None
    assert game.errors == []
    assert list(game.headers)[:7] == ["Event", "Site", "Date", "Round", "White", "Black", "Result"]
    assert game.headers["Result"] == "1-0"
    assert game.headers["TimeControl"] == "180+2"
    assert game.headers["BlackElo"] == "1500"
    first = game.variations[0]
    assert (first.san(), first.clock(), first.emt()) == ("e4", 169.5, 12.5)
    assert game.end().comment == "[%clk 0:03:01] [%emt 0:00:01] White wins by resignation."


def test_a_game_of_chess960_that_begins_with_black(tmp_path: Path) -> None:
    fen = "bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN b GEge - 0 1"
    sitting, _ = begin(fen, chess960=True)
    play(sitting, "f6 f3")
    again = reread(sitting, tmp_path)
    assert again.board == sitting.board
    assert again.board.chess960
    assert "1... f6" in sitting.pgn()
    assert again.pgn() == sitting.pgn()


@settings(max_examples=30)
@given(choices=st.lists(st.integers(0, 1000), max_size=80), waits=st.lists(st.integers(0, 4000)))
def test_a_reread_game_is_the_same_game(
    tmp_path_factory: pytest.TempPathFactory, choices: list[int], waits: list[int]
) -> None:
    sitting, watch = begin()
    for number, choice in enumerate(choices):
        if sitting.is_over:
            break
        watch.wait((waits[number] if number < len(waits) else 0) / 1000)
        moves = sitting.board.legal_moves()
        sitting.play(moves[choice % len(moves)])
    again = reread(sitting, tmp_path_factory.mktemp("game"))
    assert again.turns == sitting.turns
    assert again.ending == sitting.ending
    sitting.stop_clock()
    for white in (True, False):
        assert again.left_ms(white) == sitting.left_ms(white)
    assert again.pgn() == sitting.pgn()


def test_clocks_of_days_are_reread_too(tmp_path: Path) -> None:
    sitting, watch = begin(control=parse_clock("9999+60"))
    watch.wait(12_345.678)
    play(sitting, "e4 e5")
    again = reread(sitting, tmp_path)
    assert again.pgn() == sitting.pgn()
    assert again.left_ms(chess.WHITE) == 9999 * 60_000 + 60_000 - 12_346_000


def test_other_peoples_tags_stay() -> None:
    text = '[Event "Club \\"A\\""]\n[ECO "C20"]\n[White "A"]\n[Black "B"]\n\n1. e4 e5 *\n'
    sitting = Sitting.from_game(next(pgn.read(io.BytesIO(text.encode()))))
    assert not sitting.is_over
    game = chess.pgn.read_game(io.StringIO(sitting.pgn()))
    assert game is not None
    assert (game.headers["Event"], game.headers["ECO"]) == (r"Club \"A\"", "C20")


def test_a_game_that_can_not_be_read_says_so() -> None:
    with pytest.raises(ValueError, match="line 1"):
        Sitting.from_game(next(pgn.read(io.BytesIO(b"1. e4 e5 2. Ke3 *\n"))))


# ---- manners


def test_the_engine_agrees_to_a_draw_that_is_no_gift() -> None:
    sitting, _ = begin()
    assert not manners.agrees_to_draw(sitting, 0)
    assert manners.agrees_to_draw(sitting, -500)
    play(sitting, "a3 a6 h3 h6 " + "Nf3 Nf6 Ng1 Ng8 " * 2)
    assert manners.claims_draw(sitting, sitting.board.parse_san("e4"), 0)
    assert not manners.claims_draw(sitting, sitting.board.parse_san("e4"), 50)


def test_what_a_person_sees() -> None:
    sitting, watch = begin()
    play(sitting, "e4 d5 exd5")
    watch.wait(4)
    moment = manners.moment_of(sitting, sitting.board.parse_san("Qxd5"))
    assert moment.is_recapture
    assert (moment.move_number, moment.left, moment.increment) == (2, 182.0, 2.0)
    assert not manners.moment_of(sitting, sitting.board.parse_san("Nf6")).is_recapture
