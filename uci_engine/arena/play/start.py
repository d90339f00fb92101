"""What match and suite do before their first task."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from collections.abc import Sequence

from uci_engine.arena.play.runner import Job, LocalRunner, Result, Runner, Task
from uci_engine.arena.players.player import Player
from uci_engine.arena.players.process import EngineError
from uci_engine.arena.players.seats import make_player
from uci_engine.arena.players.spec import EngineSpec
from uci_engine.interrupts import Interrupts

# What ends a run as Ctrl-C does: engines are ended, results kept.
ENDS = (signal.SIGTERM, signal.SIGHUP)
START_TRIES = 3  # an engine killed from outside while it starts is not a wrong one


class Trial:
    """Each engine is started once: a wrong path or option is found before the first game."""

    def __init__(self, specs: Sequence[EngineSpec]) -> None:
        self.specs = specs
        self.player: Player | None = None  # the one that is starting
        self.stopped = False
        self.error: BaseException | None = None
        self.remarks: list[str] = []
        self.ended = threading.Event()
        threading.Thread(target=self.work, daemon=True).start()

    def work(self) -> None:
        try:
            for spec in self.specs:
                for name in self.start_once(spec):
                    self.remarks.append(f"{spec.name} has no option {name!r}, and goes without it")
        except EngineError as error:
            self.error = ValueError(f"{spec.name}: {error.kind}: {error.detail}")
        except BaseException as error:  # a mistake of ours: the main thread must hear of it
            self.error = error
        finally:
            self.ended.set()

    def start_once(self, spec: EngineSpec) -> list[str]:
        """The options asked of all engines that this one lacks."""
        for tries_left in reversed(range(START_TRIES)):
            self.player = player = make_player(spec)
            try:
                player.start()
                return player.missing
            except EngineError as error:
                if error.kind != "crash" or not tries_left or self.stopped:
                    raise
            finally:
                player.close()
        return []

    def stop(self) -> None:
        self.stopped = True
        if self.player is not None:
            self.player.kill()


def try_engines(specs: Sequence[EngineSpec], interrupts: Interrupts) -> None:
    trial = Trial(specs)
    interrupts.watch(trial.ended.wait, trial.stop)
    interrupts.check()
    for remark in trial.remarks:
        print(remark, file=sys.stderr)
    if trial.error is not None:
        raise trial.error


def make_runner(
    job: Job[Task, Result],
    specs: tuple[EngineSpec, ...],
    options: argparse.Namespace,
    interrupts: Interrupts,
) -> Runner[Task, Result]:
    """The hands that do the job: threads here, or a cluster's workers."""
    if options.cluster is None:
        try_engines(specs, interrupts)
        return LocalRunner(job, options.concurrency, interrupts.check)
    from uci_engine.arena.play.cluster import ClusterRunner, connect

    client = connect(options.cluster, options.concurrency)
    runner = ClusterRunner(client, job, interrupts.check)
    try:
        interrupts.check()
        runner.check_workers(specs)
    except BaseException:
        runner.stop()
        raise
    return runner
