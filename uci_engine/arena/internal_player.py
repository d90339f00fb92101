"""This engine as a player inside the runner: no process, no pipe, the same search."""

from __future__ import annotations

import argparse
import time

from core_ext.core import MAX_HASH_MB, MAX_THREADS, Searcher
from uci_engine.arena.player import Answer, Situation
from uci_engine.arena.process import EngineError
from uci_engine.arena.spec import EngineSpec
from uci_engine.arguments import number_between
from uci_engine.limits import MOST_DEPTH, MOST_NODES, GoLimits, allot_time

OVERHEAD_MS = 1  # there is no pipe, but other games' threads take their turns
DEFAULTS = {"hash": 16, "threads": 1}
LARGEST = {"hash": MAX_HASH_MB, "threads": MAX_THREADS}


class InternalPlayer:
    def __init__(self, spec: EngineSpec) -> None:
        self.spec = spec
        self.missing: list[str] = []
        self.searcher: Searcher | None = None

    def start(self) -> None:
        values = dict(DEFAULTS)
        self.missing = [n for n, _ in self.spec.shared_options if n.lower() not in values]
        for name, value in (*self.spec.shared_options, *self.spec.options):
            if name.lower() in values:
                values[name.lower()] = parse_value(name, value)
            elif name not in self.missing:
                raise EngineError("bad option", f"inside the runner it has no option {name!r}")
        try:
            self.searcher = Searcher(values["hash"], values["threads"])
            self.searcher.allocate()
        except (MemoryError, ValueError) as error:
            raise EngineError("does not start", str(error)) from None

    def new_game(self, situation: Situation) -> None:
        assert self.searcher is not None
        self.searcher.clear()

    def play(self, situation: Situation) -> Answer:
        assert self.searcher is not None
        start = time.monotonic_ns()
        control = situation.clock.control
        budget = allot_time(limits_of(situation), situation.white_to_move, OVERHEAD_MS)
        self.searcher.prepare()
        found = self.searcher.search(
            situation.board,
            depth=min(control.depth, MOST_DEPTH),
            nodes=min(control.nodes, MOST_NODES),
            soft_ms=budget.soft_ms,
            hard_ms=budget.hard_ms,
            start_ns=start,
        )
        used = time.monotonic_ns() - start
        move = found.best.uci() if found.best is not None else ""
        return Answer(move, used, "", found.score, found.mate, found.depth, found.nodes)

    def ponder(self, situation: Situation) -> None:
        """Not here: it would take the opponent's processor time."""

    def end_game(self, result: str) -> None:
        pass

    def kill(self) -> None:
        if self.searcher is not None:
            self.searcher.stop()

    def close(self) -> None:
        self.searcher = None


def parse_value(name: str, text: str) -> int:
    try:
        return number_between(1, LARGEST[name.lower()])(text)
    except argparse.ArgumentTypeError as error:
        raise EngineError("bad option", f"{name}: {error}") from None


def limits_of(situation: Situation) -> GoLimits:
    control = situation.clock.control
    movetime = control.movetime_ms or None
    if not control.has_clock:
        return GoLimits(movetime=movetime)
    white, black = situation.white_clock, situation.black_clock
    return GoLimits(
        wtime=white.left_ms if white.control.has_clock else None,
        btime=black.left_ms if black.control.has_clock else None,
        winc=white.control.increment_ms,
        binc=black.control.increment_ms,
        movestogo=situation.clock.moves_to_go,
        movetime=movetime,
    )
