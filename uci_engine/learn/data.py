"""`cythera data`: look at files of games and positions, check, merge, split and shuffle them."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from core_ext import core
from uci_engine import batch
from uci_engine.arguments import Parser, decimal_between, number_between
from uci_engine.files import check_writable, errors_about, replacement
from uci_engine.learn.gamefiles import (
    Block,
    Damage,
    Filter,
    format_block,
    is_game_file,
    read_expanded,
    refuse,
    refuse_foreign,
    single_games,
)
from uci_engine.learn.records import OnDamage, check_end, check_records

GAMES_A_BLOCK = 1000
RECORDS_AT_ONCE = 1 << 20
# Shuffling throws positions into so many piles at random, then shuffles each in memory.
PILES = 64
SCORE_EDGES = (-3000, -1000, -600, -300, -150, -50, 50, 150, 300, 600, 1000, 3000)
LENGTH_EDGES = (0, 20, 40, 60, 80, 100, 120, 160, 200, 300, 400, 1025)
MEN_EDGES = (2, 5, 8, 11, 14, 17, 20, 23, 26, 29, 33)
BAR_WIDTH = 40
NEW_OR_READ = "a new file, or one of those that are read"


def parse_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    parser = Parser(prog="cythera data", description="Files of own games and positions.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def add_command(name: str, purpose: str, out: str | None = None) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=purpose, description=purpose)
        if out:
            command.add_argument("out", type=Path, metavar=out, help=NEW_OR_READ)
        command.add_argument("files", type=Path, nargs="+", metavar="FILE")
        command.add_argument(
            "--skip", action="store_true", help="leave out damaged blocks instead of ending"
        )
        return command

    add_command("show", "counts, and how scores, results, material and lengths are distributed")
    add_command("check", "name every damaged block; exit code 1 if there is one")
    add_command("merge", "all games of some files in one", "OUT")
    split = add_command("split", "whole games into two files", "OUT")
    split.add_argument("--aside", type=Path, required=True, metavar="FILE", help="the second file")
    split.add_argument(
        "--share", type=decimal_between(0, 1), default=0.02, help="of the games aside (0.02)"
    )
    shuffle = add_command("shuffle", "the positions of some files in random order", "OUT")
    for command in (split, shuffle):
        seed = number_between(0, 2**32 - 1)
        command.add_argument("--seed", type=seed, default=1, metavar="N", help="(1)")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str]) -> int:
    options = parse_arguments(arguments)
    on_damage = tell if options.skip else refuse
    if options.command == "show":
        return show(options.files, on_damage)
    if options.command == "check":
        return check(options.files)
    if options.command == "merge":
        return merge(options.out, options.files, on_damage)
    if options.command == "split":
        return split(options, on_damage)
    return shuffle(options.out, options.files, options.seed, on_damage)


def tell(damage: Damage) -> None:
    print(f"skipped: {damage}", file=sys.stderr)


# ---- reading


def read_games(paths: Sequence[Path], on_damage: OnDamage) -> Iterator[Block]:
    for path in paths:
        refuse_foreign(path)
        for block, _ in read_expanded(path, Filter(), on_damage):
            yield block


def read_chunks(path: Path, on_damage: OnDamage) -> Iterator[batch.Positions]:
    """The positions of a file, a part at a time, so that it may be larger than the memory."""
    if is_game_file(path):
        for _, positions in read_expanded(path, Filter(), on_damage):
            yield positions
        return
    first = 0
    with path.open("rb") as file:
        while True:
            chunk = np.fromfile(file, dtype=batch.POSITION, count=RECORDS_AT_ONCE)
            if not len(chunk):
                break
            check_records(path, chunk, first)
            first += len(chunk)
            yield chunk
    check_end(path, on_damage)


# ---- looking


@dataclass
class Summary:
    """What is counted while files are read."""

    games: int = 0
    plies: int = 0
    positions: int = 0
    results: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(3, dtype=np.int64))
    scores: npt.NDArray[np.int64] = field(
        default_factory=lambda: np.zeros(len(SCORE_EDGES) + 1, dtype=np.int64)
    )
    lengths: npt.NDArray[np.int64] = field(
        default_factory=lambda: np.zeros(len(LENGTH_EDGES) + 1, dtype=np.int64)
    )
    men: npt.NDArray[np.int64] = field(
        default_factory=lambda: np.zeros(len(MEN_EDGES) + 1, dtype=np.int64)
    )

    def add_positions(self, positions: batch.Positions) -> None:
        self.positions += len(positions)
        self.results += np.bincount(positions["result"], minlength=3)
        count_into(self.scores, positions["score"], SCORE_EDGES)
        occupied = np.ascontiguousarray(positions["occupied"]).view(np.uint8).reshape(-1, 8)
        count_into(self.men, np.unpackbits(occupied, axis=1).sum(axis=1), MEN_EDGES)

    def add_game(self, game: bytes) -> None:
        plies = core.check_games(game)[1]
        self.games += 1
        self.plies += plies
        count_into(self.lengths, np.array([plies]), LENGTH_EDGES)


def count_into(
    counts: npt.NDArray[np.int64], values: npt.NDArray[Any], edges: Sequence[int]
) -> None:
    counts += np.bincount(np.searchsorted(edges, values, side="right"), minlength=len(counts))


def summarise(paths: Sequence[Path], on_damage: OnDamage) -> Summary:
    summary = Summary()
    for path in paths:
        if is_game_file(path):
            for block, positions in read_expanded(path, Filter(), on_damage):
                for game in single_games(block):
                    summary.add_game(game)
                summary.add_positions(positions)
        else:
            for chunk in read_chunks(path, on_damage):
                summary.add_positions(chunk)
    return summary


def show(paths: Sequence[Path], on_damage: OnDamage) -> int:
    summary = summarise(paths, on_damage)
    if summary.games:
        print(f"games      {summary.games:>14,}")
        print(f"plies      {summary.plies:>14,}")
    print(f"positions  {summary.positions:>14,}")
    print_bars("result", ["Black wins", "draw", "White wins"], summary.results)
    print_bars("score, from White's side", range_names(SCORE_EDGES), summary.scores)
    print_bars("men", range_names(MEN_EDGES), summary.men)
    if summary.games:
        print_bars("plies of a game", range_names(LENGTH_EDGES), summary.lengths)
    return 0


def range_names(edges: Sequence[int]) -> list[str]:
    inner = [f"{low} to {high - 1}" for low, high in pairwise(edges)]
    return [f"below {edges[0]}", *inner, f"{edges[-1]} and more"]


def print_bars(title: str, names: Sequence[str], counts: npt.NDArray[np.int64]) -> None:
    total = max(int(counts.sum()), 1)
    most = max(int(counts.max()), 1)
    width = max(map(len, names))
    print(f"\n{title}")
    for name, count in zip(names, counts.tolist(), strict=True):
        if count:
            bar = "#" * max(1, round(BAR_WIDTH * count / most))
            share = 100 * count / total
            print(f"  {name:>{width}}  {share:5.1f}%  {count:>14,}  {bar}")


def check(paths: Sequence[Path]) -> int:
    """0 if all is well; each damage is a line."""
    is_well = True
    for path in paths:
        damages: list[Damage | ValueError] = []
        positions = 0
        try:
            for chunk in read_chunks(path, damages.append):
                positions += len(chunk)
        except ValueError as error:  # a record that is no position
            damages.append(error)
        for damage in damages:
            print(damage)
        if not damages:
            print(f"{path}: {positions:,} positions, all well")
        is_well = is_well and not damages
    return 0 if is_well else 1


# ---- writing


class GameWriter:
    """Writes games in blocks; the file is there when all of them are."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.new = replacement(path)
        self.file = self.new.open("wb")
        self.games: list[bytes] = []

    def __enter__(self) -> GameWriter:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            with errors_about(self.path), self.file:
                if kind is None:
                    self.flush()
            if kind is None:
                os.replace(self.new, self.path)
        finally:
            self.new.unlink(missing_ok=True)

    def add(self, game: bytes) -> None:
        self.games.append(game)
        if len(self.games) == GAMES_A_BLOCK:
            self.flush()

    def flush(self) -> None:
        with errors_about(self.path):
            if self.games:
                self.file.write(format_block(b"".join(self.games), len(self.games)))
            self.file.flush()
        self.games.clear()


def check_out(out: Path, paths: Sequence[Path], keeps_games: bool = True) -> None:
    """Who forgets OUT has named the first of the files to be read in its place: an error, unless
    what it holds is read and written again."""
    check_writable(out)
    if not out.exists() or out.stat().st_size == 0:
        return
    if out.resolve() not in {path.resolve() for path in paths}:
        raise ValueError(f"{out}: there is such a file already, and it is none of those to be read")
    if not keeps_games and is_game_file(out):
        raise ValueError(f"{out}: its games would be lost, since only positions are written")


def merge(out: Path, paths: Sequence[Path], on_damage: OnDamage) -> int:
    check_out(out, paths)
    with GameWriter(out) as writer:
        for block in read_games(paths, on_damage):
            for game in single_games(block):
                writer.add(game)
    return 0


def split(options: argparse.Namespace, on_damage: OnDamage) -> int:
    """Each game goes by chance to the one file or the other, the same each time."""
    if options.out.resolve() == options.aside.resolve():
        raise ValueError(f"{options.out}: can't be the file for both parts")
    check_out(options.out, options.files)
    check_out(options.aside, options.files)
    chance = np.random.default_rng(options.seed)
    with GameWriter(options.out) as learnt, GameWriter(options.aside) as aside:
        for block in read_games(options.files, on_damage):
            for game in single_games(block):
                (aside if chance.random() < options.share else learnt).add(game)
        # Both are written before one of them takes its place: a full disk leaves none.
        learnt.flush()
        aside.flush()
    return 0


def shuffle(out: Path, paths: Sequence[Path], seed: int, on_damage: OnDamage) -> int:
    """In two passes, so that only one pile at a time must fit the memory."""
    chance = np.random.default_rng(seed)
    check_out(out, paths, keeps_games=False)
    folder = Path(tempfile.mkdtemp(prefix=out.name, dir=out.parent))
    try:
        piles = [folder / str(number) for number in range(PILES)]
        with ExitStack() as stack:
            files = [stack.enter_context(pile.open("wb")) for pile in piles]
            for path in paths:
                for chunk in read_chunks(path, on_damage):
                    places = chance.integers(PILES, size=len(chunk))
                    for number, file in enumerate(files):
                        file.write(chunk[places == number].tobytes())
        with replacement(out).open("wb") as file:
            for pile in piles:
                file.write(chance.permutation(np.fromfile(pile, dtype=batch.POSITION)).tobytes())
        os.replace(replacement(out), out)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        replacement(out).unlink(missing_ok=True)
    return 0
