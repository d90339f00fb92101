"""`position`, and what is kept when it is wrong."""

from __future__ import annotations

import chess
import pytest
from uci_process import CASTLING, CHESS960, EngineProcess, best_move, last_variation

pytestmark = pytest.mark.release_only

START = chess.STARTING_FEN


@pytest.fixture
def engine(shared: EngineProcess) -> EngineProcess:
    shared.ask("setoption name UCI_Chess960 value false", "ucinewgame", "position startpos")
    return shared


def shown_fen(engine: EngineProcess) -> str:
    (line,) = (line for line in engine.ask("d") if line.startswith("Fen: "))
    return line.removeprefix("Fen: ")


@pytest.mark.parametrize(
    ("text", "fen"),
    [
        ("startpos", START),
        ("startpos moves", START),
        ("nonsense startpos", START),
        (f"fen {START}", START),
        ("fen 4k3/8/8/8/8/8/8/4K2R w K -", "4k3/8/8/8/8/8/8/4K2R w K - 0 1"),
        ("fen 4k3/8/8/8/8/8/8/4K2R w H - 3 9", "4k3/8/8/8/8/8/8/4K2R w K - 3 9"),
        (
            # No pawn can capture there.
            "fen rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
        ),
        (
            "startpos moves e2e4 c7c5 g1f3",
            "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2",
        ),
        ("fen 8/P6k/8/8/8/8/8/K7 w - - 0 1 moves a7a8q", "Q7/7k/8/8/8/8/8/K7 b - - 0 1"),
        ("fen 8/P6k/8/8/8/8/8/K7 w - - 0 1 moves A7A8N", "N7/7k/8/8/8/8/8/K7 b - - 0 1"),
        ("startpos moves 0000", START.replace(" w ", " b ").replace("0 1", "1 1")),
    ],
)
def test_position(engine: EngineProcess, text: str, fen: str) -> None:
    assert engine.ask(f"position {text}") == []
    assert shown_fen(engine) == fen


@pytest.mark.parametrize(
    ("text", "mention"),
    [
        ("", "startpos or fen"),
        ("nonsense", "startpos or fen"),
        ("fen", "bad FEN"),
        ("fen nonsense", "bad FEN"),
        ("fen 8/8/8/8/8/8/8/8 w - - 0 1", "bad FEN, board field"),
        ("fen 4k3/8/8/8/8/8/8/4K3 x - - 0 1", "bad FEN, side field"),
        (f"fen {CHESS960}", "bad FEN, castling field"),
        ("startpos moves e2e5", "e2e5"),
        ("startpos moves e2e4 e7e5 e1g1", "e1g1"),
        ("startpos moves e2e4 nonsense", "nonsense"),
        ("startpos moves e2e4 e7e5 e4e5", "move 3"),
        ("fen 4k3/8/8/8/8/8/4r3/4K3 w - - 0 1 moves 0000", "check"),
    ],
)
def test_a_bad_position_leaves_the_one_before(
    engine: EngineProcess, text: str, mention: str
) -> None:
    before = "position startpos moves d2d4 d7d5"
    engine.ask(before)
    fen = shown_fen(engine)
    (complaint,) = engine.ask(f"position {text}")
    assert complaint.startswith("info string ")
    assert mention in complaint
    assert shown_fen(engine) == fen


@pytest.mark.parametrize("move", ["e1g1", "e1h1"])
def test_castling_is_understood_in_both_notations(engine: EngineProcess, move: str) -> None:
    engine.ask(f"position fen {CASTLING} moves {move}")
    assert shown_fen(engine).startswith("r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R4RK1 b kq")


@pytest.mark.parametrize("chess960", [False, True])
def test_castling_is_written_as_the_mode_asks(engine: EngineProcess, chess960: bool) -> None:
    engine.ask(f"setoption name UCI_Chess960 value {chess960}", f"position fen {CASTLING}")
    lines = engine.go("go depth 2 searchmoves e1g1")
    assert best_move(lines) == ("e1h1" if chess960 else "e1g1")
    assert last_variation(lines)[0] == best_move(lines)
    engine.send("go perft 1")
    assert f"{best_move(lines)}: 1" in engine.read_until("Nodes searched")
    assert engine.read() == ""


@pytest.mark.parametrize("move", ["c1g1", "c1h1"])
def test_chess960_castling_is_understood_in_both_notations(
    engine: EngineProcess, move: str
) -> None:
    engine.ask("setoption name UCI_Chess960 value true", f"position fen {CHESS960} moves {move}")
    assert shown_fen(engine).startswith("1rk4r/pppppppp/8/8/8/8/PPPPPPPP/1R3RK1 b")


@pytest.mark.parametrize(
    "fen",
    [
        "1rk3rr/ppppppp1/8/8/8/8/PPPPPPP1/1RK3RR w KQkq - 0 1",  # X-FEN: the outer rooks
        "1rk3rr/ppppppp1/8/8/8/8/PPPPPPP1/1RK3R1 w Gb - 0 1",  # Shredder-FEN: the inner rook
        "1rk3rr/ppppppp1/8/8/8/8/PPPPPPP1/1RK3RR w GBhb - 0 1",
        "4k3/8/8/8/8/8/8/R3K2R w AH -",
    ],
)
def test_castling_rights_in_all_notations(engine: EngineProcess, fen: str) -> None:
    engine.ask("setoption name UCI_Chess960 value true")
    assert engine.ask(f"position fen {fen}") == []
    board = chess.Board(fen, chess960=True)
    assert chess.Board(shown_fen(engine), chess960=True) == board
    engine.send("go perft 1")
    moves = {line.split(":")[0] for line in engine.read_until("Nodes searched")[:-2]}
    assert moves == {move.uci() for move in board.legal_moves}
    assert engine.read() == ""


def test_a_king_move_that_looks_like_castling_is_the_king_move(engine: EngineProcess) -> None:
    """The king on f1 goes to g1 alone; castling with the rook on h1 is f1h1 only."""
    fen = "4k3/8/8/8/8/8/8/5K1R w H - 0 1"
    engine.ask("setoption name UCI_Chess960 value true", f"position fen {fen} moves f1g1")
    assert shown_fen(engine).startswith("4k3/8/8/8/8/8/8/6KR b - -")
    engine.ask(f"position fen {fen} moves f1h1")
    assert shown_fen(engine).startswith("4k3/8/8/8/8/8/8/5RK1 b - -")


def test_the_mode_may_change_after_the_position(engine: EngineProcess) -> None:
    engine.ask(f"position fen {CASTLING}", "setoption name UCI_Chess960 value true")
    assert engine.best("go depth 1 searchmoves e1h1") == "e1h1"
    engine.ask("setoption name UCI_Chess960 value false")
    assert engine.best("go depth 1 searchmoves e1h1") == "e1g1"


def test_flip_changes_colours_and_back(engine: EngineProcess) -> None:
    engine.ask("position startpos moves e2e4 a7a6 e4e5 d7d5")
    fen = shown_fen(engine)
    engine.ask("flip")
    assert shown_fen(engine) == chess.Board(fen).mirror().fen()
    engine.ask("flip")
    assert shown_fen(engine) == fen
