"""`cythera selfplay`: games of the engine against itself, as training positions.

Positions are appended to a file of 32-byte records (batch.POSITION) as each game ends, so that a
run can be stopped at any moment and started again: it goes on behind what is there.
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

from core_ext.core import Board, Searcher, SearchResult
from uci_engine import batch
from uci_engine.arguments import Parser, count_number, whole_number

HASH_MB = 8
LONGEST_GAME = 400  # plies
LOST_OPENING = 400  # centipawns: a random opening that is decided teaches nothing
WIN_SCORE, WIN_PLIES = 1500, 6
DRAW_SCORE, DRAW_PLIES, DRAW_FROM = 8, 12, 80
LARGEST_SCORE = 3000

RESULT_BLACK, RESULT_DRAW, RESULT_WHITE = 0, 1, 2


def parse_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    parser = Parser(prog="cythera selfplay", description="Make training positions by self-play.")
    add = parser.add_argument
    add("out", type=Path, metavar="FILE", help="32-byte records are appended to it")
    add("--games", type=count_number, default=1000, metavar="N", help="games to play (1000)")
    add("--nodes", type=count_number, default=5000, metavar="N", help="nodes a move (5000)")
    add("--threads", type=count_number, default=os.cpu_count() or 1, metavar="N", help="(all)")
    add("--plies", type=count_number, default=8, metavar="N", help="random opening plies (8)")
    add("--seed", type=whole_number, default=None, metavar="N", help="(by the clock)")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str]) -> int:
    options = parse_arguments(arguments)
    seed = time.time_ns() if options.seed is None else options.seed
    run = Run(options.out, options.games)
    workers = [
        threading.Thread(target=run.play, args=(options, random.Random(seed + index)), daemon=True)
        for index in range(options.threads)
    ]
    try:
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    except KeyboardInterrupt:
        run.stopped = True
        for worker in workers:
            worker.join()
    run.report(final=True)
    return 0


class Run:
    """What the threads share: the file, and how many games are still to be played."""

    def __init__(self, path: Path, games: int) -> None:
        self.path = path
        self.games = games
        self.begun = 0
        self.finished = 0
        self.positions = 0
        self.stopped = False
        self.lock = threading.Lock()
        self.start = time.monotonic()
        self.reported = self.start
        drop_torn_record(path)

    def play(self, options: argparse.Namespace, rng: random.Random) -> None:
        searcher = Searcher(hash_mb=HASH_MB)
        while self.take_game():
            records = play_game(searcher, rng, options.nodes, options.plies)
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


def drop_torn_record(path: Path) -> None:
    """A killed run may have left a part of a record at the end."""
    if path.exists():
        size = path.stat().st_size
        os.truncate(path, size - size % batch.POSITION.itemsize)


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
    captures = board.piece_at(move.to_square) is not None or move.promotion is not None
    return not board.is_check() and not captures and abs(found.score) < LARGEST_SCORE


class Judge:
    """Ends games that are over, or as good as over."""

    def __init__(self) -> None:
        self.winning = 0
        self.drawn = 0

    def verdict(self, board: Board, score: int) -> int | None:
        if board.is_checkmate():
            return RESULT_BLACK if board.turn else RESULT_WHITE
        if (
            board.legal_count() == 0
            or board.is_repetition(3)
            or board.halfmove_clock >= 100
            or board.is_insufficient_material()
            or board.ply >= LONGEST_GAME
        ):
            return RESULT_DRAW
        self.winning = self.winning + 1 if abs(score) >= WIN_SCORE else 0
        self.drawn = self.drawn + 1 if abs(score) <= DRAW_SCORE else 0
        if self.winning >= WIN_PLIES:
            return RESULT_WHITE if score > 0 else RESULT_BLACK
        if self.drawn >= DRAW_PLIES and board.ply >= DRAW_FROM:
            return RESULT_DRAW
        return None
