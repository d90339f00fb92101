"""`cythera selfplay`: games of the engine against itself, to learn from.

Whole games are appended to a file as each ends (gamefiles.py), so that a run can be stopped at any
moment and started again: it goes on behind what is there. The hands that play are the arena's:
threads here, or the workers of a Dask cluster.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from core_ext.core import MAX_THREADS, SelfPlayer, check_games
from uci_engine.arena.play.notices import Hearer
from uci_engine.arena.play.runner import TaskCancelled
from uci_engine.arena.play.start import ENDS, make_runner
from uci_engine.arguments import Parser, count_number, number_between, whole_number
from uci_engine.files import alone_with, errors_about, refuse_irregular
from uci_engine.interrupts import EXIT_CODE, Interrupts
from uci_engine.learn.gamefiles import format_block, repair_end
from uci_engine.limits import MOST_NODES
from uci_engine.network import OWN_NETWORK, format_network, parse_network, read_network

HARD_FACTOR = 8  # a search may go so far beyond its soft limit
MOST_SOFT_NODES = MOST_NODES // HARD_FACTOR
LONGEST_OPENING = 100  # random games do not live much longer
SECONDS_BETWEEN_REPORTS = 10.0
GAMES_A_TASK = 16  # of another machine's worker, where each task costs a message
CLASSICAL = "classical"
NEVER = 1 << 20  # centipawns that no score reaches


def parse_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    parser = Parser(prog="cythera selfplay", description="Play games to learn from.")
    add = parser.add_argument
    add("out", type=Path, metavar="FILE", help="games are appended to it")
    add("--games", type=count_number, default=1000, metavar="N", help="games to play (1000)")
    nodes = number_between(1, MOST_SOFT_NODES)
    add("--nodes", type=nodes, default=500, metavar="N", help="soft limit of a move (500)")
    threads = number_between(1, MAX_THREADS)
    add("--threads", type=threads, default=os.cpu_count() or 1, metavar="N", help="(all)")
    plies = number_between(1, LONGEST_OPENING)
    add("--plies", type=plies, default=8, metavar="N", help="random opening plies (8)")
    add("--network", metavar="FILE", default="", help="or `classical` (the engine's own)")
    add("--rules", action="store_true", help="results by the rules alone, no game is given up")
    add("--seed", type=whole_number, default=None, metavar="N", help="(by the clock)")
    add("--cluster", metavar="ADDRESS", help="play on a Dask cluster; `local` starts one here")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str], end: float | None = None) -> int:
    """At the moment `end` of the monotonic clock it is interrupted."""
    options = parse_arguments(arguments)
    network = read_player(options.network)
    if options.out.exists():
        refuse_irregular(options.out)
    with alone_with(options.out, os.O_RDWR | os.O_CREAT):
        return play_games(options, network, end)


def play_games(options: argparse.Namespace, network: bytes, end: float | None) -> int:
    seed = time.time_ns() if options.seed is None else options.seed
    size = repair_end(options.out)
    # The size of what is there is part of the seed: a run that goes on plays other games.
    job = SelfPlayJob(
        seed=f"{seed} {size}",
        network=network,
        nodes=options.nodes,
        plies=options.plies,
        rules=options.rules,
    )
    hands = argparse.Namespace(cluster=options.cluster, concurrency=options.threads)
    run = Run(options.out, options.games)
    try:
        with Interrupts(*ENDS, end=end) as interrupts:
            runner = make_runner(job, (), hands, interrupts)
            try:
                at_once = 1 if options.cluster is None else GAMES_A_TASK
                for games in runner.run(split_numbers(options.games, at_once), run.hear):
                    run.keep(games)
            finally:
                runner.stop()
    except KeyboardInterrupt:
        print("interrupted: the games that had begun are lost", file=sys.stderr)
        run.report(final=True)
        return EXIT_CODE
    run.report(final=True)
    return 0


def read_player(name: str) -> bytes:
    """The network file of this name; nothing for the classical evaluation."""
    if name == CLASSICAL:
        return b""
    return format_network(read_network(name or OWN_NETWORK))


def split_numbers(count: int, at_once: int) -> Iterator[range]:
    return (range(first, min(first + at_once, count)) for first in range(0, count, at_once))


@dataclass(frozen=True)
class SelfPlayJob:
    """How games are played. Plain values: it travels to other machines."""

    seed: str
    network: bytes = b""  # a network file, or nothing for the classical evaluation
    nodes: int = 500
    plies: int = 8
    rules: bool = False

    def station(self) -> SelfPlayStation:
        return SelfPlayStation(self)

    def player(self) -> SelfPlayer:
        limits = {"lost_opening": NEVER, "win_score": NEVER, "draw_score": -1} if self.rules else {}
        return SelfPlayer(
            network=parse_network(self.network).network if self.network else None,
            soft_nodes=self.nodes,
            hard_nodes=self.nodes * HARD_FACTOR,
            random_plies=self.plies,
            **limits,
        )

    def seed_of(self, number: int) -> int:
        """A game is the same whoever plays it."""
        digest = hashlib.sha256(f"{self.seed} {number}".encode()).digest()
        return int.from_bytes(digest[:8], "little")


class SelfPlayStation:
    """Plays the games of some numbers, one after the other."""

    def __init__(self, job: SelfPlayJob) -> None:
        self.job = job
        self.player = job.player()

    def do(self, task: range, cancelled: Callable[[], bool], tell: Hearer) -> list[bytes]:
        games = []
        for number in task:
            game = None if cancelled() else self.player.play(self.job.seed_of(number))
            if game is None:
                raise TaskCancelled
            games.append(game)
        return games

    def kill(self) -> None:
        self.player.stop()

    def close(self) -> None:
        """There is nothing to end."""


class Run:
    """The file, and how far it has come."""

    def __init__(self, path: Path, games: int) -> None:
        self.path = path
        self.games = games
        self.finished = 0
        self.plies = 0
        self.start = time.monotonic()
        self.reported = self.start

    def hear(self, notice: object) -> None:
        """Games against oneself have nothing to remark."""

    def keep(self, games: Sequence[bytes]) -> None:
        with errors_about(self.path), self.path.open("ab") as file:
            file.write(b"".join(format_block(game, 1) for game in games))
        self.finished += len(games)
        self.plies += sum(check_games(game)[1] for game in games)
        self.report()

    def report(self, final: bool = False) -> None:
        now = time.monotonic()
        if not final and now - self.reported < SECONDS_BETWEEN_REPORTS:
            return
        self.reported = now
        seconds = max(now - self.start, 1e-9)
        left = (self.games - self.finished) * seconds / self.finished if self.finished else 0.0
        print(
            f"{self.finished} of {self.games} games, {self.plies} plies, "
            f"{self.plies / seconds:.0f} a second, {left:.0f} s left",
            file=sys.stderr,
            flush=True,
        )
