"""A table: where games are played one after another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from uci_engine import Board
from uci_engine.arena.game import Game, GameRecord, GameTask
from uci_engine.arena.player import Player
from uci_engine.arena.process import EngineError
from uci_engine.arena.rules import Adjudication, Ending
from uci_engine.arena.spec import EngineSpec
from uci_engine.arena.uci_client import UciPlayer
from uci_engine.arena.xboard_client import XBoardPlayer


def make_player(spec: EngineSpec) -> Player:
    if spec.protocol == "internal":
        from uci_engine.arena.internal_player import InternalPlayer

        return InternalPlayer(spec)
    return XBoardPlayer(spec) if spec.protocol == "xboard" else UciPlayer(spec)


KEPT = 4  # engines that stay running at a table; more would take memory for nothing


class Seats:
    """The engines that are running here, by number, the last used last. They are kept between
    games, since some need long to start."""

    def __init__(self, specs: tuple[EngineSpec, ...]) -> None:
        self.specs = specs
        self.players: dict[int, Player] = {}

    def seat(self, number: int) -> Player:
        player = self.players.pop(number, None)
        if player is not None:
            self.players[number] = player
            return player
        while len(self.players) >= KEPT:
            self.dismiss(next(iter(self.players)))
        player = make_player(self.specs[number])
        self.players[number] = player
        player.start()
        return player

    def dismiss(self, number: int) -> None:
        player = self.players.pop(number, None)
        if player is not None:
            player.close()

    def kill(self) -> None:
        """From another thread: whoever waits for an engine here is woken up."""
        for player in list(self.players.values()):
            player.kill()

    def close(self) -> None:
        for number in list(self.players):
            self.dismiss(number)


@dataclass(frozen=True)
class Terms:
    """What all games of a tournament have in common."""

    specs: tuple[EngineSpec, ...]
    adjudication: Adjudication

    def bench(self) -> Table:
        return Table(self)


def find_judge(limits: Adjudication) -> Callable[[Board], Ending | None] | None:
    """Who adjudicates by tables; python-chess, which reads them, is loaded only for this."""
    if not limits.syzygy_path:
        return None
    from uci_engine.arena.syzygy import make_judge

    return make_judge(limits)


class Table:
    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.judge = find_judge(terms.adjudication)
        self.seats = Seats(terms.specs)

    def do(self, task: GameTask, cancelled: Callable[[], bool]) -> GameRecord:
        """Play a game. An engine at fault is dismissed, and started again for the next."""
        specs = self.terms.specs
        pair = (specs[task.white], specs[task.black])
        game = Game(task, pair, self.terms.adjudication, self.judge)
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
