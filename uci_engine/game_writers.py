"""What games are written to: PGN, EPD, packed positions, an opening book. One file each."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from core_ext.core import PgnBlock
from uci_engine import batch
from uci_engine.files import replacement

BOOK_PLIES = 24  # of each game, unless told otherwise
LARGEST_WEIGHT = 0xFFFF
DOUBLE_PUSH = 1  # the kind of a move, its upper four bits
PROMOTION = 8


class Selection:
    """Some of the games of a block, as arrays with a row for each move."""

    def __init__(self, block: PgnBlock, text: bytes, chosen: Sequence[int]) -> None:
        self.block = block
        self.text = text
        self.chosen = chosen
        rows = np.array(block.all_games(), dtype=np.int64).reshape(-1, 5)
        lengths, results = rows[:, 0], rows[:, 1]
        firsts = np.cumsum(lengths) - lengths
        self.games = np.repeat(np.arange(len(lengths)), lengths)
        self.plies = np.arange(len(self.games)) - np.repeat(firsts, lengths)
        self.results = np.repeat(results, lengths)
        self.positions = np.frombuffer(block.all_positions(), dtype=batch.POSITION)
        self.moves = np.frombuffer(block.all_moves(), dtype=np.uint16)
        self.wanted = np.isin(self.games, np.array(chosen, dtype=np.int64))

    def rows(self, plies: range) -> npt.NDArray[np.bool_]:
        """The rows of the chosen games with these numbers of plies played."""
        return self.wanted & (self.plies >= plies.start) & (self.plies < plies.stop)


class Writer:
    """A file that is there only when it is complete."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.file: BinaryIO = replacement(path).open("wb")
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(path)) from None

    def add(self, games: Selection) -> None:
        raise NotImplementedError

    def finish(self) -> None:
        self.file.close()
        os.replace(replacement(self.path), self.path)

    def give_up(self) -> None:
        self.file.close()
        replacement(self.path).unlink(missing_ok=True)


class PgnFile(Writer):
    """The games as they stand."""

    def add(self, games: Selection) -> None:
        starts = [games.block.start(index) for index in range(len(games.block))]
        ends = [*starts[1:], len(games.text)]
        for index in games.chosen:
            self.file.write(games.text[starts[index] : ends[index]].strip() + b"\n\n")


class PositionFile(Writer):
    """The positions before each move: as EPD lines, or packed, 32 bytes each."""

    def __init__(self, path: Path, plies: range, unique: bool, epd: bool) -> None:
        super().__init__(path)
        self.plies = plies
        self.seen: set[bytes] | None = set() if unique else None
        self.epd = epd

    def add(self, games: Selection) -> None:
        positions = games.positions[games.rows(self.plies)]
        if self.seen is not None:
            positions = positions[self.are_new(positions)]
        if self.epd:
            lines = (board.epd() for board in batch.unpack(positions))
            self.file.write("".join(f"{line}\n" for line in lines).encode())
        else:
            self.file.write(positions.tobytes())

    def are_new(self, positions: batch.Positions) -> list[bool]:
        """Which have not been written yet; the counters and the user's fields do not count."""
        assert self.seen is not None
        marks = []
        for position in positions:
            key = position.tobytes()[:25]  # the occupied squares, the men and the side
            marks.append(key not in self.seen)
            self.seen.add(key)
        return marks


class BookFile(Writer):
    """A PolyGlot book: each move of each position once, weighed by what it has brought.

    Games that are the same from the first move to the last count once.
    """

    def __init__(self, path: Path, plies: range, least_games: int) -> None:
        super().__init__(path)
        self.plies = plies
        self.least_games = least_games
        self.seen: set[bytes] = set()
        self.points: dict[tuple[int, int], list[int]] = {}  # twice the points, the games

    def add(self, games: Selection) -> None:
        new = np.isin(games.games, np.array(self.new_games(games), dtype=np.int64))
        rows = games.rows(self.plies) & new & (games.results != 2)
        keys = polyglot_keys(games.positions, passed_files(games))[rows]
        moves = polyglot_moves(games.moves)[rows]
        black = games.positions["side"][rows] >> 7 == 1
        points = 1 + np.where(black, -games.results[rows], games.results[rows])
        for key, move, point in zip(keys.tolist(), moves.tolist(), points.tolist(), strict=True):
            entry = self.points.setdefault((key, move), [0, 0])
            entry[0] += point
            entry[1] += 1

    def new_games(self, games: Selection) -> list[int]:
        found = []
        for index in games.chosen:
            moves = games.moves[games.games == index].tobytes()
            if moves not in self.seen:
                self.seen.add(moves)
                found.append(index)
        return found

    def finish(self) -> None:
        kept = [
            (key, move, points)
            for (key, move), (points, count) in self.points.items()
            if points and count >= self.least_games
        ]
        most = max((points for _, _, points in kept), default=1)
        scale = min(1.0, LARGEST_WEIGHT / most)
        entries = np.zeros(len(kept), dtype=BOOK_ENTRY)
        kept.sort(key=lambda entry: (entry[0], -entry[2], entry[1]))
        for row, (key, move, points) in zip(entries, kept, strict=True):
            row["key"], row["move"], row["weight"] = key, move, max(1, int(points * scale))
        self.file.write(entries.tobytes())
        super().finish()


BOOK_ENTRY = np.dtype([("key", ">u8"), ("move", ">u2"), ("weight", ">u2"), ("learn", ">u4")])


def polyglot_moves(moves: npt.NDArray[np.uint16]) -> npt.NDArray[np.uint16]:
    """To, from and promotion, as PolyGlot has them; castling goes to the rook there as here."""
    origins, targets, kinds = moves & 63, (moves >> 6) & 63, moves >> 12
    promotions = np.where(kinds & PROMOTION, (kinds & 3) + 1, 0)
    return (targets | origins << 6 | promotions << 12).astype(np.uint16)


def passed_files(games: Selection) -> npt.NDArray[np.int64]:
    """The square to which the move before was a pawn's double step, or -1."""
    before = np.concatenate([games.moves[:1] * 0, games.moves[:-1]])
    doubles = (before >> 12 == DOUBLE_PUSH) & (games.plies > 0)
    return np.where(doubles, (before >> 6) & 63, -1).astype(np.int64)


def spread_men(positions: batch.Positions) -> npt.NDArray[np.int8]:
    """The man on each of the 64 squares, as packed, or -1: a row for each position."""
    count = len(positions)
    occupied = np.ascontiguousarray(positions["occupied"]).view(np.uint8).reshape(count, 8)
    bits = np.unpackbits(occupied, axis=1, bitorder="little")
    men = positions["men"]
    halves = np.stack([men & 15, men >> 4], axis=2).reshape(count, 32)
    places = np.clip(np.cumsum(bits, axis=1, dtype=np.int64) - 1, 0, 31)
    return np.where(bits, np.take_along_axis(halves, places, axis=1), -1).astype(np.int8)


def polyglot_keys(
    positions: batch.Positions, passed: npt.NDArray[np.int64]
) -> npt.NDArray[np.uint64]:
    """PolyGlot's keys. The numbers are the format's own, as python-chess has them."""
    from chess.polyglot import POLYGLOT_RANDOM_ARRAY

    numbers = np.array(POLYGLOT_RANDOM_ARRAY, dtype=np.uint64)
    men = spread_men(positions)  # -1, an empty square, is the table's last row: zeros
    table = np.zeros((16, 64), dtype=np.uint64)
    for man in (*range(7), *range(8, 15)):
        kind = 3 if man & 7 == 6 else man & 7  # a rook that may castle is a rook
        first = 64 * (2 * kind + (man < 8))
        table[man] = numbers[first : first + 64]
    squares = np.arange(64)
    keys: npt.NDArray[np.uint64] = np.bitwise_xor.reduce(table[men, squares], axis=1)
    white_to_move = positions["side"] < 128
    keys ^= np.where(white_to_move, numbers[780], np.uint64(0))
    for right, has_right in enumerate(castling_rights(men)):
        keys ^= np.where(has_right, numbers[768 + right], np.uint64(0))
    beside = has_pawn_beside(men, passed, white_to_move)
    given = positions["side"] & 127
    files = np.where(given < 64, given & 7, np.where(beside, passed & 7, 8))
    keys ^= np.append(numbers[772:780], np.uint64(0))[files]
    return keys


def castling_rights(men: npt.NDArray[np.int8]) -> list[npt.NDArray[np.bool_]]:
    """White's kingside and queenside, then Black's."""
    squares = np.arange(64)
    rights = []
    for rook, king in ((6, 5), (14, 13)):
        home = np.argmax(men == king, axis=1)[:, None]
        rights += [
            ((men == rook) & (squares > home)).any(axis=1),
            ((men == rook) & (squares < home)).any(axis=1),
        ]
    return rights


def has_pawn_beside(
    men: npt.NDArray[np.int8],
    passed: npt.NDArray[np.int64],
    white_to_move: npt.NDArray[np.bool_],
) -> npt.NDArray[np.bool_]:
    """Does a pawn of the side to move stand beside the one that has made a double step?"""
    rows = np.arange(len(men))
    pawn = np.where(white_to_move, 0, 8)
    beside = np.zeros(len(men), dtype=np.bool_)
    for step, rim in ((-1, 0), (1, 7)):
        place = np.clip(passed + step, 0, 63)
        beside |= (passed >= 0) & (passed & 7 != rim) & (men[rows, place] == pawn)
    return beside


def open_writer(path: Path, plies: range | None, unique: bool, least_games: int) -> Writer:
    """By the ending of the file's name."""
    everything = range(1 << 30)
    kinds: dict[str, Callable[[], Writer]] = {
        ".pgn": lambda: PgnFile(path),
        ".epd": lambda: PositionFile(path, plies or everything, unique, epd=True),
        ".pos": lambda: PositionFile(path, plies or everything, unique, epd=False),
        ".bin": lambda: BookFile(path, plies or range(BOOK_PLIES), least_games),
    }
    if path.suffix not in kinds:
        raise ValueError(f"{path}: the name must end in {', '.join(kinds)}")
    return kinds[path.suffix]()
