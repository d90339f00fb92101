"""Games in PGN: what python-chess writes and reads, we read; what is broken costs no other game."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import chess
import chess.pgn
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.comparison import choose_lively, random_starts
from uci_engine import Board, pgn

COMMENTS = ["a comment", "with ( brackets ) and 1. e4 $3 ;", "two\nlines", "[%eval -0.35]", "{"]
ROSTER = dict(chess.pgn.Headers())  # python-chess has these tags for every game
TWO_GAMES = b'[Event "one"]\n\n1. e4 e5 *\n\n[Event "two"]\n\n1. d4 d5 1-0\n'


def random_game(rng: random.Random, plies: int, annotated: bool) -> chess.pgn.Game:
    """A game as python-chess writes it, with a tree of variations if asked for."""
    _, board = next(random_starts(rng)).boards()
    game = chess.pgn.Game()
    game.setup(board)
    game.headers["White"] = rng.choice(["Anand", "Müller, J.", 'Q"uote', "back\\slash", ""])
    node: chess.pgn.GameNode = game
    for _ in range(plies):
        if not any(board.legal_moves):
            break
        move = choose_lively(board, rng)
        if annotated and rng.random() < 0.2:
            add_branch(node, board, rng, 3)
        node = node.add_main_variation(move)
        board.push(move)
        if annotated and rng.random() < 0.3:
            node.comment = rng.choice(COMMENTS)
            node.nags.add(rng.choice([1, 2, 3, 4, 5, 6, 14, 146]))
    game.headers["Result"] = rng.choice(["1-0", "0-1", "1/2-1/2", "*"])
    return game


def add_branch(
    node: chess.pgn.GameNode, board: chess.Board, rng: random.Random, depth: int
) -> None:
    move = choose_lively(board, rng)
    if node.has_variation(move):
        return
    branch = node.add_variation(move, starting_comment=rng.choice(["", "instead"]))
    after = board.copy()
    after.push(move)
    for _ in range(rng.randrange(4)):
        if not any(after.legal_moves):
            break
        if depth and rng.random() < 0.3:
            add_branch(branch, after, rng, depth - 1)
        following = choose_lively(after, rng)
        branch = branch.add_main_variation(following)
        after.push(following)


def read_by_chess(text: str) -> list[chess.pgn.Game]:
    stream = io.StringIO(text)
    return list(iter(lambda: chess.pgn.read_game(stream), None))


def read_bytes(data: bytes, **wanted: bool) -> list[pgn.Game]:
    return list(pgn.read(io.BytesIO(data), **wanted))


def to_text(data: bytes) -> str:
    """As a file opened by Python is read."""
    return io.TextIOWrapper(io.BytesIO(data), encoding="latin-1").read()


def tree(node: chess.pgn.GameNode) -> object:
    """All of a game that can differ, as plain values."""
    return [
        (child.move.uci(), child.comment, child.starting_comment, sorted(child.nags), tree(child))
        for child in node.variations
    ]


def check_same(data: bytes, text: str) -> int:
    """The same games, headers and main lines; broken ones are broken at the same move."""
    expected = read_by_chess(text)
    found = read_bytes(data)
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.moves == list(theirs.mainline_moves())
        assert dict(theirs.headers) == {**ROSTER, **ours.headers, "Result": ours.result}
        if not theirs.errors:
            assert ours.problem is None or "a comment without an end" in ours.problem
    return len(found)


@pytest.mark.parametrize("seed", range(8))
def test_what_python_chess_writes_is_read(seed: int) -> None:
    rng = random.Random(seed)
    games = [random_game(rng, 60, annotated=False) for _ in range(12)]
    data = "\n\n".join(str(game) for game in games).encode()
    found = read_bytes(data)
    assert len(found) == len(games)
    for number, (ours, theirs) in enumerate(zip(found, games, strict=True), 1):
        assert (ours.number, ours.problem) == (number, None)
        assert ours.headers == dict(theirs.headers)
        assert ours.moves == list(theirs.mainline_moves())
        assert ours.result == theirs.headers["Result"]
        assert ours.chess960 == theirs.board().chess960
        assert ours.board().fen() == theirs.board().fen()
        assert ours.end().fen() == theirs.end().board().fen()


@pytest.mark.parametrize("seed", range(8))
def test_comments_nags_and_variations_are_kept_when_asked_for(seed: int) -> None:
    rng = random.Random(seed)
    games = [random_game(rng, 40, annotated=True) for _ in range(8)]
    data = "\n\n".join(str(game) for game in games).encode()
    for ours, theirs in zip(read_bytes(data, comments=True, variations=True), games, strict=True):
        assert ours.problem is None
        assert tree(ours.to_chess()) == tree(theirs)
        assert str(ours.to_chess()) == str(theirs)
    for ours, theirs in zip(read_bytes(data), games, strict=True):
        assert (ours.comments, ours.variations) == ({}, {})
        assert ours.moves == list(theirs.mainline_moves())


def test_only_comments_or_only_variations() -> None:
    data = b"{first} 1. e4 $1 {good} (1. d4 {also}) 1... e5! *"
    (game,) = read_bytes(data, comments=True)
    assert game.comments == {-1: "first", 0: "good"}
    assert game.nags == {0: [1], 1: [1]}
    assert game.variations == {}
    (game,) = read_bytes(data, variations=True)
    assert (game.comments, game.nags) == ({}, {})
    assert [line.moves for line in game.variations[0]] == [[chess.Move.from_uci("d2d4")]]


def test_evaluations_and_clocks() -> None:
    text = (
        "1. e4 {[%eval 0.35] [%clk 0:05:12]} e5 {[%eval #-3,12] [%emt 0:00:03.250]} "
        "2. Nf3 {no number} (2. d4 {[%eval 9.99]}) Nc6 {a } {[%clk 1:02:03.5] [%eval -0.07]} "
        "3. Bc4 {[%eval x] [%clk 5] [%eval] [%evalu 3]} Bc5 {[%eval #4]} 4. d3 {[%eval +12]} *"
    )
    (game,) = read_bytes(text.encode())
    (theirs,) = read_by_chess(text)
    assert [evaluation and tuple(evaluation) for evaluation in game.evaluations] == [
        (score.white().score(), score.white().mate()) if (score := node.eval()) else None
        for node in theirs.mainline()
    ]
    for number, node in enumerate(theirs.mainline()):
        assert game.clocks.get(number) == node.clock()
        assert game.times.get(number) == node.emt()
    assert game.scores[0] == 35


ODD_FILES = {
    "empty": b"",
    "blank": b"\n\n  \n",
    "only notes": b"% a note\n; another\n",
    "only tags": b'[Event "x"]\n[Site "y"]\n',
    "only moves": b"1. e4 e5\n",
    "result alone": b"1-0\n",
    "two results": b'[Result "*"]\n\n1. e4 1-0 0-1\n',
    "no numbers": b"e4 e5 Nf3",
    "numbers stuck": b"1.e4e5 2.Nf3 Nc6",
    "dots": b"1.e4 1...e5 2...... Nf3",
    "windows": TWO_GAMES.replace(b"\n", b"\r\n"),
    "old mac": TWO_GAMES.replace(b"\n", b"\r"),
    "mixed ends": TWO_GAMES.replace(b"\n\n", b"\r\n\n"),
    "blank between tags": b'[Event "x"]\n\n[Site "y"]\n\n1. e4 *\n',
    "two blanks behind tags": b'[Event "x"]\n\n\n1. e4 *\n',
    "note among tags": b'[Event "x"]\n% note\n; note\n[Site "y"]\n\n1. e4 *\n',
    "escape in moves": b"1. e4\n% e5 is not here\ne6 *\n",
    "rest of line": b"1. e4 ; and 1... e5\n1... e6 *\n",
    "bad tags": b'[Event x]\n[Site "y"\n["z"]\n[A "b"c"]\n[Round ""]\n[ Date "1"]\n\n1. e4 *\n',
    "tag twice": b'[White "a"]\n[White "b"]\n\n*\n',
    "blank in comment": b"1. e4 {a\n\n  \nb} e5 *\n",
    "tag in comment": b'1. e4 {a\n[Event "no"]\n} e5 *\n',
    "braces": b"1. e4 {a { b} e5 } 2. Nf3 *\n",
    "signs": b"1. e4!! e5?! 2. Nf3!? Nc6?? 3. Bc4! Bc5? $10 $ $139 *\n",
    "odd castling": b"1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. 0-0 Nf6 5. d3 O-O *\n",
    "null moves": b"1. e4 -- 2. d4 Z0 3. Nf3 @@@@ 4. Nc3 0000 *\n",
    "long algebraic": b"1. e2-e4 e7-e5 2. Ng1-f3 Nb8-c6 *\n",
    "uci": b"1. e2e4 e7e5 2. g1f3 *\n",
    "promotions": b'[FEN "8/PPPP3k/8/8/8/8/8/K7 w - - 0 1"]\n\n1. a8=Q Kh6 2. b8N Kh5 3. c8=r *\n',
    "en passant": b"1. e4 a6 2. e5 d5 3. exd6e.p. *\n",
    "nested": b"1. e4 (1. d4 d5 (1... Nf6 2. c4 (2. Nf3) 2... e6) 2. c4) 1... e5 (1... c5) *\n",
    "stray brackets": b"1. e4 ) e5 ) 2. Nf3 *\n",
    "bracket first": b"( 1. e4 e5 ) 2. Nf3 *\n",
    "bracket before a first move": b"1. f4 (1. (b3 d5 (1... Nh6)) 1... c5 2. g4 *\n",
    "brackets before first moves": b"1. e4 ((( 1. d4 d5 (1... e6) 2. c4 ( 2. e3 )) 1... e5 *\n",
    "bracket before a second move": b"1. e4 e5 ( 1... ( c5 2. Nf3 ) e6 ) 2. Nf3 *\n",
    "open bracket": b"1. e4 ( 1. d4 d5 2. c4 *\n",
    "chess960": b'[Variant "Chess960"]\n'
    b'[FEN "nrbkqbrn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQBRN w GBgb - 0 1"]\n\n1. e4 e5 *\n',
    "tag name letters": b'[a_b+c#d=e:f-g "x"]\n\n*\n',
    "form feed": b"1. e4\x0c e5\x0b 2. Nf3\n\x1c\n1. d4 *\n",
    "zero byte": b"1. e4 \0 e5 *\n",
    "latin-1": '[White "Müller"]\n\n1. e4 {für} *\n'.encode("latin-1"),
}


@pytest.mark.parametrize("name", ODD_FILES)
def test_odd_files_are_read_as_by_python_chess(name: str) -> None:
    data = ODD_FILES[name]
    check_same(data, to_text(data))
    kept = read_bytes(data, comments=True, variations=True)
    assert [game.moves for game in kept] == [game.moves for game in read_bytes(data)]


def test_names_in_utf8_and_in_latin_1() -> None:
    for encoding in ("utf-8", "latin-1"):
        (game,) = read_bytes('[White "Müller"]\n\n1. e4 {für} *'.encode(encoding), comments=True)
        assert game.headers["White"] == "Müller"
        assert game.comments == {0: "für"}


def test_byte_order_marks() -> None:
    mark = "\ufeff".encode()
    games = read_bytes(mark + TWO_GAMES + b"\n\n" + mark + TWO_GAMES)
    assert [game.headers["Event"] for game in games] == ["one", "two", "one", "two"]


def test_a_file_cut_anywhere_loses_no_whole_game() -> None:
    """Every prefix is read, with all games that are complete in it, and as python-chess does."""
    game = random_game(random.Random(3), 20, annotated=True)
    game.headers["White"] = "Muller"
    data = f"{game}\n\n".encode() + TWO_GAMES
    for length in range(0, len(data), 3):
        check_same(data[:length], to_text(data[:length]))


@given(st.binary(max_size=300))
def test_random_bytes_are_harmless(data: bytes) -> None:
    data = b"\n" + data  # not to look like a compressed file
    read_bytes(data, comments=True, variations=True)
    found = read_bytes(data + b"\n\n\n" + TWO_GAMES)
    if b"{" not in data:
        assert [game.headers.get("Event") for game in found[-2:]] == ["one", "two"]


PIECES_OF_PGN = st.sampled_from(
    [
        *("(){};%!?$*.\n", "\n\n", " ", "1.", "e4", "e5", "Nf3", "O-O", "1-0", "$3", "--", "\r\n"),
        *('[Event "x"]\n', '[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n', "[bad]\n", "{c}", "Z0", "e8=Q"),
        *"(){};%!?$*.\na",
    ]
)


@given(st.lists(PIECES_OF_PGN, max_size=25).map("".join))
def test_random_pieces_of_pgn_read_as_by_python_chess(text: str) -> None:
    """Where a comment is left open, or a tag stands among moves, we part: we save the next game."""
    data = text.encode()
    games = read_bytes(data, comments=True, variations=True)
    if any("without an end" in (game.problem or "") for game in games):
        return
    expected = read_by_chess(to_text(data))
    if any("[Event" in line[1:] for line in text.split("\n\n")):
        return
    if len(games) == len(expected):
        for ours, theirs in zip(games, expected, strict=True):
            if not theirs.errors and ours.problem is None:
                assert ours.moves == list(theirs.mainline_moves())
    else:
        assert len(games) > len(expected)


# ---- broken games


# What is wrong: the game, and the line in it that is told.
BROKEN = {
    "illegal move": (b"1. e4 e5\n2. Ke3 Nc6 *", 1),
    "ambiguous move": (b'[FEN "4k3/8/8/8/8/2N5/8/4K1N1 w - - 0 1"]\n\n1. Ne2 Kd8 *', 2),
    "not a move": (b"1. e4 P@e5 *", 0),
    "null move in check": (b'[FEN "4k3/8/8/8/8/8/4r3/4K3 w - - 0 1"]\n\n1. -- *', 2),
    "bad FEN": (b'[Site "x"]\n[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n\n1. e4 *', 1),
    "not a variant": (b'[Variant "Crazyhouse"]\n\n1. e4 *', 0),
    "a comment without an end": (b"1. e4 {open\n e5 *", 0),
}


@pytest.mark.parametrize("reason", BROKEN)
def test_a_broken_game_is_told_and_the_next_one_is_read(reason: str, tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    broken, line = BROKEN[reason]
    path.write_bytes(TWO_GAMES + b"\n" + broken + b"\n\n" + TWO_GAMES)
    games = list(pgn.read(path))
    assert [game.headers.get("Event") for game in games] == ["one", "two", None, "one", "two"]
    assert [game.problem is None for game in games] == [True, True, False, True, True]
    first = TWO_GAMES.count(b"\n") + 2
    assert games[2].line == first
    problem = games[2].problem
    assert problem is not None
    assert problem.startswith(f"{path}, line {first + line}: {reason}")
    assert "\n" not in problem


def test_a_broken_game_keeps_its_moves_up_to_there() -> None:
    (game,) = read_bytes(BROKEN["illegal move"][0])
    assert [move.uci() for move in game.moves] == ["e2e4", "e7e5"]
    assert game.problem is not None
    assert game.problem.endswith(f"illegal move: 'Ke3' in {game.end().fen()}")


def test_a_broken_variation_does_not_break_the_game_around_it() -> None:
    data = b"1. e4 (1. d4 Ke7 2. c4 (2. Nf3) Nf6) 1... e5 2. Nf3 *"
    (game,) = read_bytes(data, variations=True)
    assert [move.uci() for move in game.moves] == ["e2e4", "e7e5", "g1f3"]
    assert [[m.uci() for m in line.moves] for line in game.variations[0]] == [["d2d4"]]
    assert game.problem is not None
    (game,) = read_bytes(data)
    assert game.problem is None


def test_games_without_a_blank_line_between_them() -> None:
    games = read_bytes(TWO_GAMES.replace(b"*\n\n", b"*\n"))
    assert [(game.headers["Event"], len(game.moves)) for game in games] == [("one", 2), ("two", 2)]


# ---- files


@pytest.mark.parametrize("pack", [lambda data: data, gzip.compress, bz2.compress, lzma.compress])
def test_compressed_files(pack: object, tmp_path: Path) -> None:
    path = tmp_path / "games"
    path.write_bytes(pack(TWO_GAMES * 500))  # type: ignore[operator]
    assert sum(1 for _ in pgn.read(path)) == 1000


def test_zstandard_files(tmp_path: Path) -> None:
    zstandard = pytest.importorskip("zstandard", reason="reading .zst needs this package")
    path = tmp_path / "games.pgn.zst"
    frame = zstandard.ZstdCompressor().compress(TWO_GAMES + b"\n")
    path.write_bytes(frame * 300)  # several frames, as parallel compressors write them
    assert sum(1 for _ in pgn.read(path)) == 600


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_damaged_file_is_one_sentence(pack: object, tmp_path: Path) -> None:
    path = tmp_path / "games"
    packed = pack(random.Random(1).randbytes(100_000))  # type: ignore[operator]
    for damaged in (packed[: len(packed) // 2], packed[:2000] + b"xxxx" + packed[2004:]):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match=rf"\A{path}: the compressed file is damaged: .*\Z"):
            list(pgn.read(path))


def test_missing_files_are_named() -> None:
    with pytest.raises(FileNotFoundError, match="no/such/file"):
        next(pgn.read("no/such/file"))


def test_standard_input() -> None:
    code = "from uci_engine import pgn; print(len(list(pgn.read('-'))))"
    answer = subprocess.run(
        [sys.executable, "-c", code], input=TWO_GAMES, capture_output=True, check=True
    )
    assert answer.stdout == b"2\n"


class Repeated(io.BytesIO):
    """A file that is larger than it looks: one text over and over."""

    def __init__(self, text: bytes, size: int) -> None:
        super().__init__()
        self.text = text
        self.left = size

    def read(self, size: int | None = -1) -> bytes:
        taken = min(self.left, len(self.text))
        self.left -= taken
        return self.text[:taken]


@pytest.mark.release_only
def test_memory_does_not_grow_with_the_file() -> None:
    text = "\n\n".join(str(random_game(random.Random(n), 80, False)) for n in range(50)) + "\n\n"
    data = text.encode() * 20

    def peak(size: int) -> int:
        tracemalloc.start()
        assert sum(1 for _ in pgn.read(Repeated(data, size))) > size // 1000
        _, highest = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return highest

    assert peak(12_000_000) < 1.5 * peak(4_000_000)


def test_a_game_without_end_does_not_fill_the_memory() -> None:
    games = list(pgn.read(Repeated(b"1. e4 {" + b"x" * 1_000_000, 40_000_000)))
    assert len(games) >= 2
    assert games[0].problem is not None


def test_streams_of_text_are_read_as_by_python_chess(tmp_path: Path) -> None:
    """As chess.pgn.read_game has them: a StringIO, or a file that was opened without "rb"."""
    text = '[White "Müller"]\n\n1. e4 {für} *\n\n[White "\udcff"]\n\n1. d4 *\n'
    games = list(pgn.read(io.StringIO(text), comments=True))
    assert [game.headers["White"] for game in games][:1] == ["Müller"]
    assert [len(game.moves) for game in games] == [1, 1]
    assert games[0].comments == {0: "für"}
    path = tmp_path / "games.pgn"
    path.write_text(text, encoding="utf-8", errors="replace")
    with path.open(encoding="utf-8") as stream:
        assert [len(game.moves) for game in pgn.read(stream)] == [1, 1]
    for wrong in (5, None, [path]):
        with pytest.raises(TypeError, match=r"\Aa path or a stream is needed, not \w+\Z"):
            next(pgn.read(wrong))  # type: ignore[arg-type]


def test_reading_can_be_left_at_any_time() -> None:
    reading = pgn.read(io.BytesIO(TWO_GAMES * 100_000))
    assert next(reading).headers["Event"] == "one"
    reading.close()  # type: ignore[attr-defined]


def test_boards_from_games() -> None:
    (game, _) = read_bytes(TWO_GAMES)
    board = Board()
    board.push_san("e4")
    board.push_san("e5")
    assert game.end() == board
    assert game.end().move_stack == game.moves


def all_moves(games: Iterator[pgn.Game]) -> int:
    return sum(len(game.moves) for game in games)


@pytest.mark.release_only
def test_a_million_moves() -> None:
    rng = random.Random(5)
    games = [random_game(rng, 100, annotated=False) for _ in range(60)]
    moves = sum(len(list(game.mainline_moves())) for game in games)
    data = "\n\n".join(str(game) for game in games).encode() + b"\n\n"
    times = 1_000_000 // moves + 1
    assert all_moves(pgn.read(io.BytesIO(data * times))) == moves * times > 1_000_000
