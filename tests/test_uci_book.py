"""OwnBook: PolyGlot books, written here."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import chess
import chess.polyglot
import pytest
from uci_process import CASTLING, EngineProcess, assert_answer

pytestmark = pytest.mark.release_only

FILES, RANKS = "abcdefgh", "12345678"


def encode(board: chess.Board, move: str, weight: int) -> bytes:
    """One entry: PolyGlot writes castling as king takes rook."""
    numbers = [FILES.index(move[0]), RANKS.index(move[1]), FILES.index(move[2]), int(move[3]) - 1]
    from_file, from_rank, to_file, to_rank = numbers
    promotion = " nbrq".index(move[4]) if len(move) > 4 else 0
    code = to_file | to_rank << 3 | from_file << 6 | from_rank << 9 | promotion << 12
    return struct.pack(">QHHI", chess.polyglot.zobrist_hash(board), code, weight, 0)


def write_book(path: Path, entries: list[tuple[str, str, int]]) -> Path:
    """The keys come first in the entries, and decide about their order."""
    data = sorted(encode(chess.Board(fen), move, weight) for fen, move, weight in entries)
    path.write_bytes(b"".join(data))
    return path


AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
LATE = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 30"


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_book(
        tmp_path_factory.mktemp("books") / "a book.bin",
        [
            (chess.STARTING_FEN, "a2a3", 3),
            (chess.STARTING_FEN, "h2h3", 1),
            (chess.STARTING_FEN, "b1a3", 0),  # known, and never to be played
            (AFTER_E4, "e7e6", 1),
            (AFTER_E4, "e7e4", 65535),  # not a legal move
            (CASTLING, "e1h1", 1),
        ],
    )


@pytest.fixture
def engine(book: Path) -> Iterator[EngineProcess]:
    with EngineProcess() as engine:
        assert (
            engine.ask(f"setoption name BookFile value {book}", "setoption name OwnBook value true")
            == []
        )
        yield engine


def test_moves_are_played_as_often_as_their_weights_say(engine: EngineProcess) -> None:
    counts: Counter[str] = Counter()
    for _ in range(200):
        lines = engine.go("go movetime 1000")
        assert_answer(lines, chess.Board())
        counts[lines[-1].split()[1]] += 1
    assert set(counts) == {"a2a3", "h2h3"}
    assert 110 < counts["a2a3"] < 185


def test_a_book_move_is_called_one(engine: EngineProcess) -> None:
    assert any(line.startswith("info string") and "book" in line for line in engine.go())


@pytest.mark.parametrize(("chess960", "move"), [(False, "e1g1"), (True, "e1h1")])
def test_castling_from_the_book(engine: EngineProcess, chess960: bool, move: str) -> None:
    engine.ask(f"setoption name UCI_Chess960 value {chess960}", f"position fen {CASTLING}")
    assert engine.best("go depth 3") == move


def test_only_legal_moves(engine: EngineProcess) -> None:
    engine.ask("position startpos moves e2e4")
    assert {engine.best() for _ in range(5)} == {"e7e6"}


@pytest.mark.parametrize(
    ("command", "position"),
    [
        ("setoption name OwnBook value false", "startpos"),
        ("setoption name UCI_AnalyseMode value true", "startpos"),
        ("setoption name Book Depth value 29", f"fen {LATE}"),
        ("setoption name BookFile value <empty>", "startpos"),
        ("isready", "startpos moves d2d4"),
    ],
)
def test_positions_that_the_book_is_not_asked_about(
    engine: EngineProcess, command: str, position: str
) -> None:
    engine.ask(command, f"position {position}")
    assert not [line for line in engine.go("go depth 3") if "book" in line]


def test_the_book_keeps_silent_in_open_and_restricted_searches(engine: EngineProcess) -> None:
    assert engine.best("go depth 2 searchmoves e2e4") == "e2e4"
    engine.send("go infinite")
    engine.ask()
    engine.send("stop")
    assert not [line for line in engine.read_until("bestmove") if "book" in line]


def test_a_late_position_is_found_within_the_book_depth(engine: EngineProcess) -> None:
    engine.ask("setoption name Book Depth value 30", f"position fen {LATE}")
    assert engine.best("go depth 2") in ("a2a3", "h2h3")


def test_order_of_the_two_options_does_not_matter(book: Path) -> None:
    with EngineProcess() as engine:
        assert engine.ask("setoption name OwnBook value true") == []
        engine.best("go depth 1")
        assert engine.ask(f"setoption name BookFile value {book}") == []
        assert engine.best("go depth 1") in ("a2a3", "h2h3")


@pytest.mark.parametrize("content", [b"", b"not a book", b"x" * 17])
def test_a_file_that_is_no_book_is_refused(
    engine: EngineProcess, tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "other.bin"
    path.write_bytes(content)
    (complaint,) = engine.ask(f"setoption name BookFile value {path}")
    assert "other.bin" in complaint
    assert engine.best("go depth 1") in ("a2a3", "h2h3")  # from the book before


def test_garbage_in_the_form_of_a_book_is_harmless(engine: EngineProcess, tmp_path: Path) -> None:
    path = tmp_path / "garbage.bin"
    path.write_bytes(bytes(range(256)))
    assert engine.ask(f"setoption name BookFile value {path}") == []
    assert_answer(engine.go("go depth 2"), chess.Board())
