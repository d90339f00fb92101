"""The engines that are running in one place."""

from __future__ import annotations

from uci_engine.arena.players.player import Player
from uci_engine.arena.players.spec import EngineSpec
from uci_engine.arena.players.uci_player import UciPlayer
from uci_engine.arena.players.xboard_player import XBoardPlayer

KEPT = 4  # engines that stay running in one place; more would take memory for nothing


def make_player(spec: EngineSpec) -> Player:
    if spec.protocol == "internal":
        from uci_engine.arena.players.internal_player import InternalPlayer

        return InternalPlayer(spec)
    return XBoardPlayer(spec) if spec.protocol == "xboard" else UciPlayer(spec)


class Seats:
    """By number, the last used last. They are kept between games, since some need long to start."""

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
