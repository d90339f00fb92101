"""Engines at test positions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from uci_engine import START_FEN, Board
from uci_engine.arena.play.notices import Hearer, limit_notice
from uci_engine.arena.play.positions import TestPosition
from uci_engine.arena.play.runner import TaskCancelled
from uci_engine.arena.players.clock import Clock
from uci_engine.arena.players.player import Answer, Player, Situation
from uci_engine.arena.players.process import EngineError
from uci_engine.arena.players.seats import Seats
from uci_engine.arena.players.spec import EngineSpec
from uci_engine.arena.players.uci_player import UciPlayer, later_pv, read_info

# Nobody loses on time here: only an engine that does not answer at all is given up.
SUITE_MARGIN_MS = 5_000


@dataclass(frozen=True)
class SuiteTask:
    engine: int
    position: TestPosition


@dataclass
class Solution:
    """What an engine made of a position."""

    engine: int
    number: int  # the position's line
    move: str = ""
    solved: bool = False
    seconds: float = 0.0
    solved_after: float | None = None  # seconds from when on it stayed with the solution
    score: int | None = None
    mate: int | None = None
    depth: int | None = None
    nodes: int | None = None
    fault: str = ""


@dataclass(frozen=True)
class SuiteJob:
    specs: tuple[EngineSpec, ...]

    def station(self) -> SuiteStation:
        return SuiteStation(self)


class SuiteStation:
    def __init__(self, job: SuiteJob) -> None:
        specs = (replace(s, margin_ms=s.margin_ms + SUITE_MARGIN_MS) for s in job.specs)
        self.seats = Seats(tuple(specs))

    def do(self, task: SuiteTask, cancelled: Callable[[], bool], tell: Hearer) -> Solution:
        solution = Solution(task.engine, task.position.number)
        try:
            player = self.seats.seat(task.engine)
            self.solve(player, task.position, solution, tell)
        except EngineError as error:
            self.seats.dismiss(task.engine)
            if cancelled():
                raise TaskCancelled from None
            solution.fault = f"{error.kind}: {error.detail}"
            return solution
        if self.seats.specs[task.engine].restart:
            self.seats.dismiss(task.engine)
        return solution

    def solve(
        self,
        player: Player,
        position: TestPosition,
        solution: Solution,
        tell: Hearer,
    ) -> None:
        spec = self.seats.specs[solution.engine]
        situation = make_situation(position, spec)
        watch = SolutionWatch(position)
        if isinstance(player, UciPlayer):
            player.on_info = watch.see
        player.new_game(situation)
        answer = player.play(situation)
        player.end_game("*")
        if (notice := limit_notice(spec, answer)) is not None:
            tell(notice)
        solution.move = answer.move
        solution.seconds = round(answer.used_ns / 1e9, 4)
        solution.score, solution.mate = answer.score, answer.mate
        solution.depth, solution.nodes = answer.depth, answer.nodes
        solution.solved = position.solved_by(answer.move, answer.mate)
        if solution.solved:
            since = watch.since_ns if watch.since_ns is not None else answer.used_ns
            solution.solved_after = round(since / 1e9, 4)

    def kill(self) -> None:
        self.seats.kill()

    def close(self) -> None:
        self.seats.close()


class SolutionWatch:
    """Since when the engine's best line has begun with the solution."""

    def __init__(self, position: TestPosition) -> None:
        self.position = position
        self.since_ns: int | None = None

    def see(self, line: bytes, elapsed_ns: int) -> None:
        head, _, moves = line.partition(b" pv ")
        if not moves or b"upperbound" in head or later_pv(head):
            return
        answer = Answer(moves.split(None, 1)[0].decode("utf-8", "replace"), elapsed_ns)
        read_info(head, answer)
        if not self.position.solved_by(answer.move, answer.mate):
            self.since_ns = None
        elif self.since_ns is None:
            self.since_ns = elapsed_ns


def make_situation(position: TestPosition, spec: EngineSpec) -> Situation:
    board = Board(position.fen, chess960=position.chess960)
    clocks = [Clock(spec.control, spec.margin_ms) for _ in range(2)]
    return Situation(
        fen=position.fen,
        standard_start=position.fen == START_FEN,
        chess960=position.chess960,
        moves=[],
        board=board,
        white_to_move=board.turn,
        white_clock=clocks[0],
        black_clock=clocks[1],
    )
