"""`cythera selfplay`: games of the engine against itself, as training positions.

Positions are appended to a file of 32-byte records (batch.POSITION) as each game ends, so that a
run can be stopped at any moment and started again: it goes on behind what is there. A record's
`score` is the search's, from White's side; its `result` is the game's: 2 if White won it, 1 for a
draw.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from core_ext.core import MAX_THREADS, Board, Crew, Searcher, SearchResult
from uci_engine import batch
from uci_engine.arguments import Parser, count_number, number_between, whole_number
from uci_engine.limits import MOST_NODES
from uci_engine.report import is_over

HASH_MB = 8
LONGEST_GAME = 400  # plies
LOST_OPENING = 400  # centipawns: a random opening that is decided teaches nothing
WIN_SCORE, WIN_PLIES = 1500, 6
DRAW_SCORE, DRAW_PLIES, DRAW_FROM = 8, 12, 80
LARGEST_SCORE = 3000
LONGEST_OPENING = 100  # random games do not live much longer
RECORDS_TO_CHECK = 1000  # enough to see that it is another kind of file

RESULT_BLACK, RESULT_DRAW, RESULT_WHITE = 0, 1, 2


def parse_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    parser = Parser(prog="cythera selfplay", description="Make training positions by self-play.")
    add = parser.add_argument
    add("out", type=Path, metavar="FILE", help="32-byte records are appended to it")
    add("--games", type=count_number, default=1000, metavar="N", help="games to play (1000)")
    nodes = number_between(1, MOST_NODES)
    add("--nodes", type=nodes, default=5000, metavar="N", help="nodes a move (5000)")
    threads = number_between(1, MAX_THREADS)
    add("--threads", type=threads, default=os.cpu_count() or 1, metavar="N", help="(all)")
    plies = number_between(1, LONGEST_OPENING)
    add("--plies", type=plies, default=8, metavar="N", help="random opening plies (8)")
    add("--seed", type=whole_number, default=None, metavar="N", help="(by the clock)")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str]) -> int:
    options = parse_arguments(arguments)
    seed = time.time_ns() if options.seed is None else options.seed
    records = prepare_file(options.out)
    run = Run(options.out, options.games)
    # The records that are there are part of the seed: a run that goes on plays other games.
    rngs = [random.Random(f"{seed} {records} {thread}") for thread in range(options.threads)]
    crew = Crew(run.play, [(options.nodes, options.plies, rng) for rng in rngs])
    code = 0
    try:
        crew.wait()
    except KeyboardInterrupt:
        print("interrupted: the games that have begun are played to the end", file=sys.stderr)
        run.stopped = True
        crew.wait()
        code = 130
    if run.error is not None:
        raise run.error
    run.report(final=True)
    return code


class Run:
    """What the threads share: the file, and how many games are still to be played."""

    def __init__(self, path: Path, games: int) -> None:
        self.path = path
        self.games = games
        self.begun = 0
        self.finished = 0
        self.positions = 0
        self.stopped = False
        self.error: Exception | None = None
        self.lock = threading.Lock()
        self.start = time.monotonic()
        self.reported = self.start

    def play(self, nodes: int, plies: int, rng: random.Random) -> None:
        """One thread's games."""
        try:
            searcher = Searcher(hash_mb=HASH_MB)
            while self.take_game():
                self.keep(play_game(searcher, rng, nodes, plies))
        except Exception as error:
            self.stopped = True
            self.error = error

    def keep(self, records: batch.Positions) -> None:
        with self.lock:
            with self.path.open("ab") as file:
                file.write(records.tobytes())
            self.finished += 1
            self.positions += len(records)
            self.report()

    def take_game(self) -> bool:
        with self.lock:
            if self.stopped or self.begun == self.games:
                return False
            self.begun += 1
            return True

    def report(self, final: bool = False) -> None:
        now = time.monotonic()
        if not final and now - self.reported < 10:
            return
        self.reported = now
        pace = self.finished / max(now - self.start, 1e-9)
        left = (self.games - self.finished) / pace if pace else 0.0
        print(
            f"{self.finished} of {self.games} games, {self.positions} positions, {left:.0f} s left",
            file=sys.stderr,
            flush=True,
        )


def prepare_file(path: Path) -> int:
    """See to it that records can be appended; how many there are already."""
    with path.open("ab") as file:
        size = file.tell()
        records = size // batch.POSITION.itemsize
        if size and not records:
            raise ValueError(f"{path}: there is such a file, and it is too short for a position")
        check_records(path, np.fromfile(path, dtype=batch.POSITION, count=RECORDS_TO_CHECK))
        # A killed run may have left a part of a record at the end.
        file.truncate(records * batch.POSITION.itemsize)
    return records


def check_records(path: Path, records: batch.Positions) -> None:
    """ValueError names what is no record of a game."""
    try:
        batch.legal_counts(records)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    strange = np.flatnonzero(records["result"] > RESULT_WHITE)
    if len(strange):
        raise ValueError(f"{path}: item {strange[0]} has no result of a game")


def random_opening(rng: random.Random, plies: int) -> Board:
    while True:
        board = Board()
        for _ in range(plies + rng.randrange(2)):
            moves = board.legal_moves()
            if not moves:
                break
            board.push(rng.choice(moves))
        if board.legal_count():
            return board


def search(searcher: Searcher, board: Board, nodes: int) -> SearchResult:
    searcher.prepare()
    return searcher.search(board, nodes=nodes)


def play_game(searcher: Searcher, rng: random.Random, nodes: int, plies: int) -> batch.Positions:
    """One game; its quiet positions with the score and the result, both from White's side."""
    searcher.clear()
    board = random_opening(rng, plies)
    while abs(search(searcher, board, nodes).score) > LOST_OPENING:
        board = random_opening(rng, plies)
    boards: list[Board] = []
    scores: list[int] = []
    judge = Judge()
    result = None
    while result is None:
        found = search(searcher, board, nodes)
        assert found.best is not None
        score = found.score if board.turn else -found.score
        if is_worth_keeping(board, found):
            boards.append(board.copy())
            scores.append(score)
        board.push(found.best)
        result = judge.verdict(board, score)
    records = batch.pack(boards)
    records["score"] = np.array(scores, dtype=np.int16)
    records["result"] = result
    return records


def is_worth_keeping(board: Board, found: SearchResult) -> bool:
    """Quiet positions, where the evaluation must know by itself."""
    move = found.best
    assert move is not None
    passing = move.to_square == board.ep_square and board.piece_at(move.from_square) in ("P", "p")
    captures = board.piece_at(move.to_square) is not None or passing
    noisy = board.is_check() or captures or move.promotion is not None
    return not noisy and abs(found.score) < LARGEST_SCORE


class Judge:
    """Ends games that are over, or as good as over."""

    def __init__(self) -> None:
        self.winning = 0
        self.drawn = 0

    def verdict(self, board: Board, score: int) -> int | None:
        if board.is_checkmate():
            return RESULT_BLACK if board.turn else RESULT_WHITE
        if is_over(board) or board.ply >= LONGEST_GAME:
            return RESULT_DRAW
        self.winning = self.winning + 1 if abs(score) >= WIN_SCORE else 0
        self.drawn = self.drawn + 1 if abs(score) <= DRAW_SCORE else 0
        if self.winning >= WIN_PLIES:
            return RESULT_WHITE if score > 0 else RESULT_BLACK
        if self.drawn >= DRAW_PLIES and board.ply >= DRAW_FROM:
            return RESULT_DRAW
        return None
