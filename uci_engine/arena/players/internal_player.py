"""This engine as a player inside the runner: no process, no pipe, the same search."""

from __future__ import annotations

import time

from core_ext.core import MAX_HASH_MB, MAX_THREADS, Searcher
from uci_engine.arena.players.declared_options import DeclaredOption, parse_uci_option
from uci_engine.arena.players.player import Answer, Situation, settle_options
from uci_engine.arena.players.process import EngineError
from uci_engine.arena.players.spec import EngineSpec
from uci_engine.errors import describe
from uci_engine.limits import MOST_DEPTH, MOST_NODES, GoLimits
from uci_engine.options import Options, find_option
from uci_engine.searching import Request, begin_search, choose_search

OVERHEAD_MS = 1  # there is no pipe, but other games' threads take their turns
# What it has of the options inside the runner; of memory and threads it may have more than a GUI's.
LARGEST = {"Hash": MAX_HASH_MB, "Threads": MAX_THREADS}
CHOOSING = ("Evaluation", "EvalFile", "Algorithm", "MCTS C", "MCTS Simulation", "MCTS Priors")


def declare(name: str) -> DeclaredOption | None:
    if name.title() in LARGEST:
        return DeclaredOption(name.title(), "spin", 1, LARGEST[name.title()])
    if name.lower() not in map(str.lower, CHOOSING):
        return None
    return parse_uci_option(find_option(name).describe())


class InternalPlayer:
    def __init__(self, spec: EngineSpec) -> None:
        self.spec = spec
        self.missing: list[str] = []
        self.searcher: Searcher | None = None

    def start(self) -> None:
        options = Options()
        wanted, self.missing = settle_options(self.spec, declare)
        for declared, value in wanted:
            option = find_option(declared.name)
            is_size = declared.name in LARGEST
            options.values[option.attribute] = int(value) if is_size else option.parse(value)
        try:
            self.searcher = Searcher(options.hash_mb, options.threads)
            choose_search(self.searcher, options)
            self.searcher.allocate()
        except (MemoryError, ValueError, OSError) as error:
            raise EngineError("does not start", describe(error)) from None

    def new_game(self, situation: Situation) -> None:
        assert self.searcher is not None
        self.searcher.clear()

    def play(self, situation: Situation) -> Answer:
        assert self.searcher is not None
        start = time.monotonic_ns()
        request = Request(situation.board, limits_of(situation), OVERHEAD_MS, start_ns=start)
        found = begin_search(self.searcher, request).run()
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


def limits_of(situation: Situation) -> GoLimits:
    control = situation.clock.control
    limits = GoLimits(
        depth=min(control.depth, MOST_DEPTH),
        nodes=min(control.nodes, MOST_NODES),
        movetime=control.movetime_ms or None,
    )
    if not control.has_clock:
        return limits
    white, black = situation.white_clock, situation.black_clock
    return limits._replace(
        wtime=white.left_ms if white.control.has_clock else None,
        btime=black.left_ms if black.control.has_clock else None,
        winc=white.control.increment_ms,
        binc=black.control.increment_ms,
        movestogo=situation.clock.moves_to_go,
    )
