"""The searches of an analysis: stretches of games, each done by one single-threaded searcher.

A stretch is positions in a row, searched from the last to the first with one hash table, so that
what happened later in the game is known earlier. It begins with an empty table: its findings are
the same on every machine, however many work on the game. Where there are games enough for all cores
it is a whole game, which finds more; a few games are cut, so that no core waits for another.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from core_ext.core import MATE_SCORE, Board, Search, Searcher
from uci_engine.arena.play.notices import Hearer, Notice
from uci_engine.arena.play.runner import TaskCancelled
from uci_engine.desk.judging import Finding
from uci_engine.limits import GoLimits
from uci_engine.network import find_network
from uci_engine.rules import cut_variation
from uci_engine.searching import Request, begin_search

SHORT_STRETCH = 16  # positions
LONG_STRETCH = 1 << 16
MANY_GAMES = 32
SEARCHED = Notice("a position", "")  # told after each: a stretch may take long


@dataclass(frozen=True)
class Moves:
    """What an analysis depends on: a game without names and comments."""

    fen: str
    chess960: bool
    moves: tuple[str, ...]

    @property
    def key(self) -> str:
        """By which findings are kept; the same game is not searched twice."""
        text = " ".join([self.fen, "960" if self.chess960 else "-", *self.moves])
        return hashlib.sha256(text.encode()).hexdigest()[:24]

    def stretches(self, longest: int) -> Iterator[range]:
        """All positions, the one before the first move included."""
        count = len(self.moves) + 1
        return (range(first, min(first + longest, count)) for first in range(0, count, longest))


@dataclass(frozen=True)
class Task:
    key: str
    game: Moves
    positions: range


@dataclass(frozen=True)
class Stretch:
    """What was found in the positions of a game from `first` on."""

    key: str
    first: int
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class AnalysisJob:
    """How positions are searched. Plain values: it travels to other machines."""

    nodes: int = 0
    depth: int = 0
    time_ms: int | None = None
    hash_mb: int = 16
    threads: int = 1  # of a search; more than one for a position that is alone

    def station(self) -> AnalysisStation:
        return AnalysisStation(self)

    @property
    def limits(self) -> GoLimits:
        return GoLimits(nodes=self.nodes, depth=self.depth, movetime=self.time_ms)


class AnalysisStation:
    """Searches one stretch after the other."""

    def __init__(self, job: AnalysisJob) -> None:
        self.limits = job.limits
        network = find_network("nnue", "")
        self.searcher = Searcher(hash_mb=job.hash_mb, threads=job.threads, network=network)
        self.searcher.allocate()  # memory that can't be had is missed here
        self.search: Search | None = None

    def do(self, task: Task, cancelled: Callable[[], bool], tell: Hearer) -> Stretch:
        self.searcher.clear()
        game, positions = task.game, task.positions
        board = Board(game.fen, chess960=game.chess960)
        for move in game.moves[: positions[-1]]:
            board.push_uci(move)
        found: list[Finding] = []
        for number in reversed(positions):
            found.append(self.find(board, cancelled))
            tell(SEARCHED)
            if number > positions.start:
                board.pop()
        return Stretch(task.key, positions.start, tuple(reversed(found)))

    def find(self, board: Board, cancelled: Callable[[], bool]) -> Finding:
        if board.legal_count() == 0:
            return describe_end(board)
        # Whoever cancels does so before he stops the search, and this looks after there is one.
        search = self.search = begin_search(self.searcher, Request(board, self.limits, 0))
        if cancelled():
            raise TaskCancelled
        best = search.run().infos[0]
        if cancelled():
            raise TaskCancelled
        sign = 1 if board.turn else -1
        mate = None if best.mate is None else sign * best.mate
        line = tuple(move.uci() for move in cut_variation(board, best.pv))
        return Finding(sign * best.score, mate, best.depth, best.nodes, line)

    def kill(self) -> None:
        if self.search is not None:
            self.search.stop()

    def close(self) -> None:
        """There is nothing to end."""


def describe_end(board: Board) -> Finding:
    """Of a game that is over: mate or stalemate."""
    if not board.is_check():
        return Finding(0, None, 0, 0, ())
    return Finding(-MATE_SCORE if board.turn else MATE_SCORE, 0, 0, 0, ())
