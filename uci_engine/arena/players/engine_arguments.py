"""The engines on the command lines of match and suite."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

from uci_engine.arena.players.engines_file import EngineCatalogue
from uci_engine.arena.players.spec import EngineSpec, name_engines, parse_engine
from uci_engine.arguments import count_number


def add_engine_arguments(parser: argparse.ArgumentParser, task: str) -> None:
    """Who they are and where they work; `task` is what each of them does several times."""
    add = parser.add_argument
    add("--engine", action="append", nargs="+", default=[], metavar="KEY=VALUE", help="a player")
    add("--engines", type=Path, metavar="FILE", help="engines.json of Cutechess, for conf=NAME")
    add("--each", action="extend", nargs="+", default=[], metavar="KEY=VALUE", help="for all")
    add("--chess960", action="store_true")
    add("--concurrency", type=count_number, default=1, metavar="N", help=f"{task} at a time (1)")
    add("--cluster", metavar="ADDRESS", help="use the workers of this Dask scheduler, or `local`")


def parse_engines(
    options: argparse.Namespace,
    limits: Sequence[str],
    is_limited: Callable[[EngineSpec], bool],
    default: Sequence[str] = (),
) -> tuple[EngineSpec, ...]:
    """The engines by their names. `limits` are the settings one of which each must have; `default`
    are the settings of the one that plays if none is named."""
    catalogue = EngineCatalogue(options.engines)
    engines = options.engine or ([default] if default else [])
    specs = [parse_engine(settings, options.each, catalogue) for settings in engines]
    for spec in specs:
        if not spec.can_start:
            raise ValueError("an --engine needs cmd=COMMAND, conf=NAME or proto=internal")
        if not is_limited(spec):
            words = f"{', '.join(limits[:-1])} or {limits[-1]}"
            raise ValueError(f"a limit is needed for each engine: {words}")
    return tuple(name_engines(specs))
