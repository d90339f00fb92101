"""Games in PGN, read by the core: files larger than memory, compressed or not.

for game in pgn.read("games.pgn.zst"):
    game.headers["White"], game.result, game.moves
"""

from __future__ import annotations

import collections
import contextlib
import importlib
import os
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from core_ext.core import MATE_SCORE, START_FEN, Board, Move, PgnBlock, find_games_end
from uci_engine.files import refuse_device

if TYPE_CHECKING:
    import chess.pgn

__all__ = ["Evaluation", "Game", "Line", "Source", "read"]

Source = str | os.PathLike[str] | IO[bytes] | IO[str]

BLOCK_SIZE = 1 << 20  # bytes read at a time; what is kept of a file at any time is a few of these
LARGEST_GAME = 16 << 20  # bytes; what does not end by then is cut there
LEAST_MATE = MATE_SCORE - 1000
STANDARD_INPUT = "-"
MAGICS = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\xfd7zXZ\0": "lzma"}
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
LARGEST_WINDOW = 1 << 31  # of zstd's long-distance matching


class Evaluation(NamedTuple):
    """What a comment says about a position, from White: centipawns, or the moves to mate."""

    centipawns: int | None
    mate: int | None


@dataclass
class Line:
    """Moves one after the other, and what is said about them.

    Comments and NAGs are kept by the number of their move, from 0, and a comment before the first
    move by -1; variations by the number of the move that they replace.
    """

    moves: list[Move] = field(default_factory=list)
    comments: dict[int, str] = field(default_factory=dict)
    nags: dict[int, list[int]] = field(default_factory=dict)
    variations: dict[int, list[Line]] = field(default_factory=dict)


@dataclass
class Game(Line):
    """A game: its headers, as they stand in the file, its moves and its result.

    `scores`, `clocks` and `times` are what comments such as [%eval 0.35], [%clk 0:05:12] and
    [%emt 0:00:03] say, by the number of the move. A game of which `problem` tells something has its
    moves up to there.
    """

    headers: dict[str, str] = field(default_factory=dict)
    result: str = "*"
    chess960: bool = False
    number: int = 0
    line: int = 0
    problem: str | None = None
    scores: dict[int, int] = field(default_factory=dict)
    clocks: dict[int, float] = field(default_factory=dict)
    times: dict[int, float] = field(default_factory=dict)

    def board(self) -> Board:
        """The position before the first move."""
        return Board(self.headers.get("FEN", START_FEN), chess960=self.chess960)

    def end(self) -> Board:
        """The position after the last move, with the moves."""
        board = self.board()
        for move in self.moves:
            board.push(move)
        return board

    @property
    def evaluations(self) -> list[Evaluation | None]:
        """What the comments say about the position after each move."""
        return [to_evaluation(self.scores.get(number)) for number in range(len(self.moves))]

    def to_chess(self) -> chess.pgn.Game:
        """The same game as python-chess has it, with comments, NAGs and variations."""
        import chess.pgn

        game = chess.pgn.Game(self.headers)
        game.headers["Result"] = self.result
        if self.chess960 and "Variant" not in self.headers:
            game.headers["Variant"] = "Chess960"
        game.comment = self.comments.get(-1, "")
        add_line(game, self)
        return game


def to_evaluation(score: int | None) -> Evaluation | None:
    if score is None:
        return None
    if abs(score) < LEAST_MATE:
        return Evaluation(score, None)
    return Evaluation(None, MATE_SCORE - score if score > 0 else -MATE_SCORE - score)


def add_line(node: chess.pgn.GameNode, line: Line) -> None:
    for number, move in enumerate(line.moves):
        parent = node
        node = parent.add_variation(
            move.to_chess(), comment=line.comments.get(number, ""), nags=line.nags.get(number, [])
        )
        for variation in line.variations.get(number, []):
            before = len(parent.variations)
            add_line(parent, variation)
            for branch in parent.variations[before:]:
                branch.starting_comment = variation.comments.get(-1, "")


def read(source: Source, *, comments: bool = False, variations: bool = False) -> Iterator[Game]:
    """The games of a file, of standard input (`-`) or of a stream, one after the other.

    Files may be compressed by gzip, bzip2, xz or, with the package zstandard, by zstd. Comments
    with NAGs, and variations, are kept if asked for; evaluations and clocks always are.
    """
    name = source_name(source)
    number = 0
    for block, text, line in read_blocks(
        source, threads=1, numbers=True, comments=comments, variations=variations
    ):
        at = 0
        for index in range(len(block)):
            number += 1
            line += text.count(b"\n", at, block.start(index))
            at = block.start(index)
            game = make_game(block, index, comments or variations)
            game.number, game.line = number, line
            game.problem = describe_problem(block, index, name, text, line)
            yield game


def make_game(block: PgnBlock, index: int, annotated: bool) -> Game:
    game = Game(
        headers=block.headers(index),
        result=block.result(index),
        chess960=block.is_chess960(index),
        scores=block.scores(index),
        clocks=block.clocks(index),
        times=block.clocks(index, spent=True),
    )
    if annotated:
        fill_line(game, iter(block.items(index)))
    else:
        game.moves = block.moves(index)
    return game


def fill_line(line: Line, items: Iterator[Move | str | int]) -> None:
    """Take the items of a line up to its end; True and False open and close a variation."""
    for item in items:
        last = len(line.moves) - 1
        if isinstance(item, Move):
            line.moves.append(item)
        elif isinstance(item, str):
            line.comments[last] = f"{line.comments[last]} {item}" if last in line.comments else item
        elif item is True:
            variation = Line()
            fill_line(variation, items)
            line.variations.setdefault(last, []).append(variation)
        elif item is False:
            return
        else:
            line.nags.setdefault(last, []).append(item)


def describe_problem(block: PgnBlock, index: int, name: str, text: bytes, line: int) -> str | None:
    """The file, the line and the reason; the line given is that of the game's start."""
    problem = block.problem(index)
    if problem is None:
        return None
    where, told = problem
    line += text.count(b"\n", block.start(index), where)
    return f"{name}, line {line}: {told}"


def describe_problems(
    block: PgnBlock, broken: Iterable[int], name: str, text: bytes, line: int
) -> list[str]:
    """The same for games of a block, of which the line given is the first."""
    told = (
        describe_problem(block, index, name, text, line + text.count(b"\n", 0, block.start(index)))
        for index in broken
    )
    return [problem for problem in told if problem is not None]


# ---- files


def source_name(source: Source) -> str:
    if isinstance(source, (str, os.PathLike)):
        return "standard input" if source == STANDARD_INPUT else os.fspath(source)
    return str(getattr(source, "name", "the stream"))


@contextlib.contextmanager
def open_source(source: Source) -> Iterator[IO[bytes]]:
    """The bytes of a source, uncompressed."""
    with contextlib.ExitStack() as stack:
        if source == STANDARD_INPUT:
            stream: IO[bytes] | IO[str] = sys.stdin.buffer
        elif isinstance(source, (str, os.PathLike)):
            refuse_device(source)
            stream = stack.enter_context(open(source, "rb"))
        elif hasattr(source, "read"):
            stream = source
        else:
            raise TypeError(f"a path or a stream is needed, not {type(source).__name__}")
        yield uncompressed(Peekable(stream), source_name(source))


class Peekable:
    """A stream whose first bytes can be looked at. A stream of text, such as a file that was opened
    without "rb", becomes one of bytes."""

    def __init__(self, stream: IO[bytes] | IO[str]) -> None:
        self.stream = stream
        self.head = self.take(6)

    def take(self, size: int) -> bytes:
        data = self.stream.read(size)
        return data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data

    def read(self, size: int = -1) -> bytes:
        if not self.head:
            return self.take(size)
        if 0 <= size < len(self.head):
            taken, self.head = self.head[:size], self.head[size:]
            return taken
        taken, self.head = self.head, b""
        return taken + self.take(size - len(taken) if size >= 0 else -1)


def uncompressed(stream: Peekable, name: str) -> Any:
    """By what the bytes look like, not by the file's name: a pipe has none."""
    if stream.head.startswith(ZSTD_MAGIC):
        try:
            zstandard: Any = importlib.import_module("zstandard")
        except ModuleNotFoundError:
            needed = "to read zstd, install the package zstandard"
            raise ValueError(f"{name}: {needed}") from None
        decompressor = zstandard.ZstdDecompressor(max_window_size=LARGEST_WINDOW)
        return decompressor.stream_reader(stream, read_across_frames=True)
    for magic, module in MAGICS.items():
        if stream.head.startswith(magic):
            compression: Any = importlib.import_module(module)
            return compression.open(stream, "rb")
    return stream


def cut_blocks(stream: IO[bytes]) -> Iterator[bytes]:
    """The text in pieces of whole games."""
    kept = stream.read(BLOCK_SIZE)
    while data := stream.read(BLOCK_SIZE):
        end = find_games_end(kept) or (len(kept) if len(kept) > LARGEST_GAME else 0)
        if end:
            yield kept[:end]
        kept = kept[end:] + data
    if kept:
        yield kept


def read_blocks(
    source: Source, *, threads: int, **wanted: bool
) -> Iterator[tuple[PgnBlock, bytes, int]]:
    """Blocks of games in the order of the file, each with its text and its first line's number.

    Threads read ahead of what is asked for, each a block at a time.
    """
    line = 1
    with open_source(source) as stream, ThreadPoolExecutor(threads) as pool:
        ahead: collections.deque[tuple[Future[PgnBlock], bytes, int]] = collections.deque()
        for text in told_damage(cut_blocks(stream), source_name(source)):
            ahead.append((pool.submit(PgnBlock, text, **wanted), text, line))
            line += text.count(b"\n")
            if len(ahead) > threads:
                task, ready, first_line = ahead.popleft()
                yield task.result(), ready, first_line
        for task, ready, first_line in ahead:
            yield task.result(), ready, first_line


def told_damage(blocks: Iterator[bytes], name: str) -> Iterator[bytes]:
    """What a decompressor says about a damaged file, as one sentence."""
    try:
        yield from blocks
    except OSError as error:
        if error.errno is not None:
            raise
        raise ValueError(f"{name}: the compressed file is damaged: {error}") from None
    except Exception as error:
        library = type(error).__module__.partition(".")[0]
        if not isinstance(error, EOFError) and library not in ("zlib", "_lzma", "zstandard"):
            raise
        raise ValueError(f"{name}: the compressed file is damaged: {error}") from None
