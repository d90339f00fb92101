"""Many independent tasks on this machine: a few threads, each with a station of its own.

A thread sleeps in poll() while an engine thinks, so the runner needs next to no processor time.
"""

from __future__ import annotations

import contextlib
import queue
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any, Generic, Protocol, TypeVar

from uci_engine.arena.play.notices import Hearer, Notice
from uci_engine.interrupts import DELAY_S

SWITCH_SECONDS = 0.0005
KILL_AFTER = 0.5  # seconds that a cancelled task has to notice

Task = TypeVar("Task")
Result = TypeVar("Result")
Task_in = TypeVar("Task_in", contravariant=True)
Result_out = TypeVar("Result_out", covariant=True)


class TaskCancelled(Exception):
    """The task is not wanted any more."""


class Station(Protocol[Task_in, Result_out]):
    """Does tasks one at a time; keeps its engines between them."""

    def do(self, task: Task_in, cancelled: Callable[[], bool], tell: Hearer) -> Result_out: ...
    def kill(self) -> None: ...
    def close(self) -> None: ...


class Job(Protocol[Task_in, Result_out]):
    """What all tasks have in common. Plain values: it is sent to other machines."""

    def station(self) -> Station[Task_in, Result_out]: ...


class Runner(Protocol[Task_in, Result_out]):
    """The hands that do a job's tasks."""

    def run(self, tasks: Iterator[Task_in], hear: Hearer) -> Iterator[Result_out]: ...
    def stop(self) -> None: ...


class LocalRunner(Generic[Task, Result]):
    """Does tasks at several stations at once and hands out results as they come."""

    def __init__(
        self, job: Job[Task, Result], concurrency: int, check: Callable[[], object]
    ) -> None:
        self.check = check  # raises what has interrupted us
        self.stations = [job.station() for _ in range(concurrency)]
        self.finished: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.stopping = threading.Event()
        self.lock = threading.Lock()
        self.threads: list[threading.Thread] = []
        self.tasks: Iterator[Task] = iter(())

    def run(self, tasks: Iterator[Task], hear: Hearer) -> Iterator[Result]:
        """Results and notices come to the thread that asks, as they are ready."""
        self.tasks = tasks
        # Whoever sees an engine's move must not wait for the thread that writes a game down.
        sys.setswitchinterval(SWITCH_SECONDS)
        self.threads = [
            threading.Thread(target=self.work, args=(station,), daemon=True)
            for station in self.stations
        ]
        for thread in self.threads:
            thread.start()
        busy = len(self.threads)
        while busy:
            try:
                item = self.finished.get(timeout=DELAY_S)
            except queue.Empty:
                self.check()
                continue
            if item is None:
                busy -= 1
            elif isinstance(item, Notice):
                hear(item)
            elif isinstance(item, BaseException):
                raise item
            else:
                yield item
                self.check()

    def next_task(self) -> Task | None:
        with self.lock:
            return None if self.stopping.is_set() else next(self.tasks, None)

    def work(self, station: Station[Task, Result]) -> None:
        try:
            with contextlib.suppress(TaskCancelled):
                while (task := self.next_task()) is not None:
                    result = station.do(task, self.stopping.is_set, self.finished.put)
                    self.finished.put(result)
        except BaseException as error:  # a mistake of ours: the main thread must hear of it
            self.finished.put(error)
        finally:
            station.close()
            self.finished.put(None)

    def stop(self) -> None:
        """Break off what is running and end all engines."""
        self.stopping.set()
        for thread in self.threads:
            thread.join(KILL_AFTER)
        for station, thread in zip(self.stations, self.threads, strict=False):
            while thread.is_alive():
                station.kill()
                thread.join(0.2)
