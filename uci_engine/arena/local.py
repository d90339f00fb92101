"""Games on this machine: a few threads, each with its own engines.

A thread sleeps in poll() while an engine thinks, so the runner needs next to no processor time.
"""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from uci_engine.arena.game import Game, GameCancelled, GameRecord, GameTask
from uci_engine.arena.player import Player
from uci_engine.arena.process import EngineError
from uci_engine.arena.rules import Adjudication
from uci_engine.arena.spec import EngineSpec
from uci_engine.arena.syzygy import make_judge
from uci_engine.arena.uci_client import UciPlayer
from uci_engine.arena.xboard_client import XBoardPlayer

KILL_AFTER = 0.5  # seconds that a cancelled game has to notice


def make_player(spec: EngineSpec) -> Player:
    return XBoardPlayer(spec) if spec.protocol == "xboard" else UciPlayer(spec)


@dataclass(frozen=True)
class Terms:
    """What all games of a tournament have in common."""

    specs: tuple[EngineSpec, ...]
    adjudication: Adjudication


class Table:
    """Where games are played one after another; keeps its two engines running between them."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.tablebase = make_judge(terms.adjudication)
        self.players: dict[int, Player] = {}

    def play(self, task: GameTask, cancelled: Callable[[], bool]) -> GameRecord:
        specs = self.terms.specs
        game = Game(
            task, (specs[task.white], specs[task.black]), self.terms.adjudication, self.tablebase
        )
        self.dismiss_others({task.white, task.black})
        for side, number in ((True, task.white), (False, task.black)):
            try:
                self.seat(number)
            except EngineError as error:
                self.dismiss(number)
                return game.finish(game.failure(side, error.kind, error.detail))
        players = (self.players[task.white], self.players[task.black])
        record = game.play(players, cancelled)
        for number in (task.white, task.black):
            if self.terms.specs[number].restart or record.guilty == number:
                self.dismiss(number)
        return record

    def seat(self, number: int) -> None:
        if number not in self.players:
            player = make_player(self.terms.specs[number])
            self.players[number] = player
            player.start()

    def dismiss(self, number: int) -> None:
        player = self.players.pop(number, None)
        if player is not None:
            player.close()

    def dismiss_others(self, wanted: set[int]) -> None:
        for number in [number for number in self.players if number not in wanted]:
            self.dismiss(number)

    def kill(self) -> None:
        """From another thread: whoever waits for an engine here is woken up."""
        for player in list(self.players.values()):
            player.kill()

    def close(self) -> None:
        self.dismiss_others(set())


class LocalRunner:
    """Plays tasks at several tables at once and hands out records as games end."""

    def __init__(self, terms: Terms, concurrency: int) -> None:
        self.tables = [Table(terms) for _ in range(concurrency)]
        self.finished: queue.SimpleQueue[GameRecord | BaseException | None] = queue.SimpleQueue()
        self.stopping = threading.Event()
        self.lock = threading.Lock()
        self.threads: list[threading.Thread] = []
        self.tasks: Iterator[GameTask] = iter(())

    def run(self, tasks: Iterator[GameTask]) -> Iterator[GameRecord]:
        """Each game's record, in the order in which they end."""
        self.tasks = tasks
        self.threads = [
            threading.Thread(target=self.work, args=(table,), daemon=True) for table in self.tables
        ]
        for thread in self.threads:
            thread.start()
        busy = len(self.threads)
        while busy:
            item = self.finished.get()
            if item is None:
                busy -= 1
            elif isinstance(item, BaseException):
                raise item
            else:
                yield item

    def next_task(self) -> GameTask | None:
        with self.lock:
            return None if self.stopping.is_set() else next(self.tasks, None)

    def work(self, table: Table) -> None:
        try:
            with contextlib.suppress(GameCancelled):
                while (task := self.next_task()) is not None:
                    self.finished.put(table.play(task, self.stopping.is_set))
        except BaseException as error:  # a mistake of ours: the main thread must hear of it
            self.finished.put(error)
        finally:
            table.close()
            self.finished.put(None)

    def stop(self) -> None:
        """Break off the running games and end all engines."""
        self.stopping.set()
        for thread in self.threads:
            thread.join(KILL_AFTER)
        for table, thread in zip(self.tables, self.threads, strict=False):
            while thread.is_alive():
                table.kill()
                thread.join(0.2)
