"""What match and suite do before their first task."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from uci_engine.arena.interrupts import SHIELD
from uci_engine.arena.process import EngineError
from uci_engine.arena.runner import Job, LocalRunner
from uci_engine.arena.spec import EngineSpec
from uci_engine.arena.table import make_player

START_TRIES = 3  # an engine killed from outside while it starts is not a wrong one


def try_engines(specs: Sequence[EngineSpec]) -> None:
    """Start each once: a wrong path or option is found before the first game."""
    for spec in specs:
        for name in start_once(spec):
            print(f"{spec.name} has no option {name!r}, and goes without it", file=sys.stderr)


def start_once(spec: EngineSpec) -> list[str]:
    """The options asked of all engines that this one lacks."""
    for tries_left in reversed(range(START_TRIES)):
        player = make_player(spec)
        try:
            player.start()
            return player.missing
        except EngineError as error:
            if error.kind != "crash" or not tries_left:
                raise ValueError(f"{spec.name}: {error.kind}: {error.detail}") from None
        finally:
            player.close()
    return []


def make_runner(
    job: Job[Any, Any], specs: tuple[EngineSpec, ...], options: argparse.Namespace
) -> Any:
    """The hands that do the job: threads here, or a cluster's workers."""
    SHIELD.install()
    if options.cluster is None:
        try_engines(specs)
        return LocalRunner(job, options.concurrency)
    from uci_engine.arena.cluster import ClusterRunner, connect

    runner: ClusterRunner[Any, Any] = ClusterRunner(
        connect(options.cluster, options.concurrency), job
    )
    try:
        runner.check(specs)
    except BaseException:
        runner.stop()
        raise
    return runner
