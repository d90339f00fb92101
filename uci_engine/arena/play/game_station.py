"""Where games are played one after another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from uci_engine import Board
from uci_engine.arena.play.adjudication import Adjudication, Ending
from uci_engine.arena.play.engine_game import Game, GameTask
from uci_engine.arena.play.notices import Hearer
from uci_engine.arena.players.process import EngineError
from uci_engine.arena.players.seats import Seats
from uci_engine.arena.players.spec import EngineSpec
from uci_engine.arena.results.record import GameRecord


@dataclass(frozen=True)
class GameJob:
    """What all games of a tournament have in common."""

    specs: tuple[EngineSpec, ...]
    adjudication: Adjudication

    def station(self) -> GameStation:
        return GameStation(self)


def find_judge(limits: Adjudication) -> Callable[[Board, Hearer], Ending | None] | None:
    """Who adjudicates by tables, if they are wanted."""
    if not limits.syzygy_path:
        return None
    from uci_engine.arena.play.syzygy import make_judge

    return make_judge(limits)


class GameStation:
    def __init__(self, job: GameJob) -> None:
        self.job = job
        self.judge = find_judge(job.adjudication)
        self.seats = Seats(job.specs)

    def do(self, task: GameTask, cancelled: Callable[[], bool], tell: Hearer) -> GameRecord:
        """Play a game. An engine at fault is dismissed, and started again for the next."""
        specs = self.job.specs
        pair = (specs[task.white], specs[task.black])
        game = Game(task, pair, self.job.adjudication, self.judge, tell)
        players = []
        for side, number in ((True, task.white), (False, task.black)):
            try:
                players.append(self.seats.seat(number))
            except EngineError as error:
                self.seats.dismiss(number)
                return game.finish(game.failure(side, error.kind, error.detail))
        record = game.play((players[0], players[1]), cancelled)
        for number in (task.white, task.black):
            if specs[number].restart or record.guilty == number:
                self.seats.dismiss(number)
        return record

    def kill(self) -> None:
        self.seats.kill()

    def close(self) -> None:
        self.seats.close()
