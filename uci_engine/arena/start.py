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


def try_engines(specs: Sequence[EngineSpec]) -> None:
    """Start each once: a wrong path or option is found before the first game."""
    for spec in specs:
        player = make_player(spec)
        try:
            player.start()
            for name in player.missing:
                print(f"{spec.name} has no option {name!r}, and goes without it", file=sys.stderr)
        except EngineError as error:
            raise ValueError(f"{spec.name}: {error.kind}: {error.detail}") from None
        finally:
            player.close()


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
