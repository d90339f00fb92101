"""Many independent tasks on this machine: a few threads, each with a bench of its own.

A thread sleeps in poll() while an engine thinks, so the runner needs next to no processor time.
"""

from __future__ import annotations

import contextlib
import queue
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any, Generic, Protocol, TypeVar

from uci_engine.arena.game import GameCancelled

SWITCH_SECONDS = 0.0005
KILL_AFTER = 0.5  # seconds that a cancelled task has to notice

Task = TypeVar("Task")
Result = TypeVar("Result")
Task_in = TypeVar("Task_in", contravariant=True)
Result_out = TypeVar("Result_out", covariant=True)


class Bench(Protocol[Task_in, Result_out]):
    """Does tasks one at a time; keeps its engines between them."""

    def do(self, task: Task_in, cancelled: Callable[[], bool]) -> Result_out: ...
    def kill(self) -> None: ...
    def close(self) -> None: ...


class Job(Protocol[Task_in, Result_out]):
    """What all tasks have in common. Plain values: it is sent to other machines."""

    def bench(self) -> Bench[Task_in, Result_out]: ...


class LocalRunner(Generic[Task, Result]):
    """Does tasks at several benches at once and hands out results as they come."""

    def __init__(self, job: Job[Task, Result], concurrency: int) -> None:
        self.benches = [job.bench() for _ in range(concurrency)]
        self.finished: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.stopping = threading.Event()
        self.lock = threading.Lock()
        self.threads: list[threading.Thread] = []
        self.tasks: Iterator[Task] = iter(())

    def run(self, tasks: Iterator[Task]) -> Iterator[Result]:
        self.tasks = tasks
        # Whoever sees an engine's move must not wait for the thread that writes a game down.
        sys.setswitchinterval(SWITCH_SECONDS)
        self.threads = [
            threading.Thread(target=self.work, args=(bench,), daemon=True) for bench in self.benches
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

    def next_task(self) -> Task | None:
        with self.lock:
            return None if self.stopping.is_set() else next(self.tasks, None)

    def work(self, bench: Bench[Task, Result]) -> None:
        try:
            with contextlib.suppress(GameCancelled):
                while (task := self.next_task()) is not None:
                    self.finished.put(bench.do(task, self.stopping.is_set))
        except BaseException as error:  # a mistake of ours: the main thread must hear of it
            self.finished.put(error)
        finally:
            bench.close()
            self.finished.put(None)

    def stop(self) -> None:
        """Break off what is running and end all engines."""
        self.stopping.set()
        for thread in self.threads:
            thread.join(KILL_AFTER)
        for bench, thread in zip(self.benches, self.threads, strict=False):
            while thread.is_alive():
                bench.kill()
                thread.join(0.2)
