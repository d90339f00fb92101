"""`cythera bench [DEPTH] [THREADS] [HASH]`: the engine's signature and its speed.

With one thread the node count is the same on every run and every machine, so that a commit can say
whether it changes how the engine plays.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Sequence

from core_ext.core import MAX_HASH_MB, MAX_THREADS, Board, Search, Searcher
from uci_engine.arguments import Parser, number_between
from uci_engine.interrupts import EXIT_CODE, Interrupts
from uci_engine.limits import MOST_DEPTH
from uci_engine.network import find_network

DEPTH, THREADS, HASH_MB = 13, 1, 16

# Openings, middlegames, endgames (all from the engine's own games), then mates and stalemate traps.
POSITIONS = (
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "rnbqkbnr/2p1pp1p/p2p2p1/1p6/1P1N4/8/P1PPPPPP/RNBQKBR1 w Qkq - 0 5",
    "r1bqk1nr/p1pppp1p/2n5/6p1/Pp1b4/8/1PP1PPPP/RNBQKB1R w KQkq - 0 7",
    "rn2kbnr/p2ppppp/b1p5/q7/1p1P4/5N1P/PPPQPPP1/RNB1KBR1 w Qkq - 0 6",
    "r2qk1nr/pp1bppbp/n1pp4/6N1/2PP4/1PN3P1/P3PP1P/R1BQKB1R b KQkq - 0 7",
    "rn1qkb1r/p2ppp1p/b1p2n2/1N2P3/Pp1P3P/5p2/1PPQ2P1/R1B1KBNR b KQkq - 0 9",
    "r1bqkbnr/3npp1p/pppp2p1/8/2PPPB2/P1N2N2/1P3PPP/R2QKB1R b KQkq - 3 7",
    "r1bqkb1r/pp1npp2/5npp/1B1p4/P7/1P1P4/2P2PPP/RNBQ1KNR w kq - 2 9",
    "rnbqkbnr/6p1/2p2p2/p2pp2p/Pp5P/2PP1NN1/1P2PPP1/R1BQKB1R w KQkq - 0 9",
    "rnbq1b1r/p3pkp1/3p1n1p/1ppP1P2/5P2/5N2/PPP1P2P/RNBQKB1R w KQ - 0 8",
    "r2qk1nr/pp1bppb1/n1pp3p/6N1/2PP4/1PN3P1/P3PP1P/R1BQKB1R w KQkq - 0 8",
    "rnb1kb2/ppp4p/4p2n/1P1p1pq1/3P3P/2P1P3/P4PP1/RN1QKB1R b KQq - 0 9",
    "r1b3nr/ppp2kpp/2n5/3Npp2/2P5/4P2P/P4PP1/R3KBNR b KQ - 1 12",
    "1n1r1bkr/2q2b2/2p2p2/p1P2N1p/P2P3P/5N2/2Q2PP1/1R2R1K1 b - - 8 27",
    "r2qk3/p2ppn2/2p2bp1/8/1p2N1Q1/3P1NP1/P1P3K1/5R2 b q - 1 24",
    "1r2k1nr/pp2ppb1/1q1p3p/1N2n3/PPP2Q2/3pP1PP/3B1PB1/3R1RK1 b k - 2 19",
    "1q2kr2/6b1/p2pB2p/4n3/2P5/N2pP2P/3r1P1Q/2R3RK w - - 0 32",
    "r2qk1nr/2pbnp1p/4pb2/pB1p2pQ/Pp6/4P3/1PPN1PPP/R1B2RK1 w kq - 4 13",
    "6k1/2p2pb1/3p2np/1p6/1Pn1PB1P/2P2BP1/1r6/1N3KR1 w - - 2 29",
    "5k2/2b2ppr/4qn2/pPp5/P1P3pP/4P3/3N1Q2/3RK1R1 w - - 3 39",
    "r1bq1rk1/4ppb1/1p2nnpp/1N6/P1B5/3P1N2/1B3PPP/R2Q2KR b - - 0 18",
    "5rk1/2p1np1p/2np2p1/1p2b1B1/1P2P3/2P3P1/b1N2PBP/1N2K1R1 w - - 1 19",
    "r2qk2r/p1ppp2p/2n3p1/5P2/1p2N1Q1/2bP2P1/P1P3K1/1R4NR b kq - 0 18",
    "5b2/4pkpr/3p2Np/r2n1P2/Pp1B1P2/2p5/4K2P/R1N3R1 b - - 0 28",
    "5rk1/2p1np1p/2npb1p1/1p2b1B1/qP2P3/1NP3P1/2Q2PBP/1N2K1R1 w - - 1 17",
    "1r6/p6k/7p/4p1p1/2Np4/1P1n3P/3N4/3K1R2 b - - 1 33",
    "r2qk3/p2ppn2/2p5/6N1/6Q1/2pP2P1/P1P3K1/4R3 b q - 0 27",
    "8/3k1pp1/R7/1P1Pb3/2p4r/4P1p1/4K3/6R1 b - - 1 55",
    "8/4kpp1/3b4/pPpP4/r5pP/4P3/2K5/5RR1 b - - 1 49",
    "2kr4/p2pR3/2pn4/7q/8/1QpP1NP1/P1P3K1/8 w - - 7 33",
    "2kr4/p2pR3/2pn4/q7/3Q4/2pP1NP1/P1P3K1/8 b - - 2 30",
    "8/ppk5/5p2/2P4b/BKPpP3/3P1p2/P5r1/5R2 w - - 8 46",
    "5k2/ppp3p1/5n1p/PrP4P/3B1b2/8/2K5/R7 w - - 3 38",
    "6k1/7p/3p2p1/1p2b3/4p2P/R3P3/1r6/4K3 b - - 1 38",
    "R7/6rk/8/5K2/3P4/6bp/8/8 w - - 0 59",
    "3k1n2/8/1p5P/pP3K2/4N3/P7/8/8 w - - 1 34",
    "8/1p6/2k5/R1P1r3/2Pp4/1K1b4/8/8 w - - 1 60",
    "R7/4k3/3p4/4b3/4p3/1p2P1p1/5r2/6K1 b - - 5 49",
    "8/2p4Q/1k1b4/3p4/3P4/4P3/4q3/6K1 w - - 1 41",
    "3r4/5kPK/8/8/6N1/8/8/8 w - - 29 96",
    "4r3/1kn5/8/8/8/2R2NP1/P1P2K2/8 b - - 2 49",
    "8/8/3k4/2p2R2/2B1P3/pK6/1b6/8 b - - 7 63",
    "8/8/8/3k4/8/8/4R3/3K4 w - - 0 1",
    "8/8/8/3k4/8/3NB3/8/3K4 w - - 0 1",
    "8/4k3/8/3KP3/8/8/8/8 w - - 0 1",
    "6k1/5ppp/8/8/8/8/r4PPP/1R4K1 w - - 0 1",
    "r4rk1/5Npp/8/8/2Q5/8/5PPP/6K1 w - - 0 1",
    "7k/8/6K1/8/8/8/8/5Q2 b - - 0 1",
    "5k2/5P2/5K2/8/8/8/8/8 w - - 0 1",
    "k7/8/1K6/8/8/8/8/1R6 b - - 0 1",
)


class Bench:
    """The searches of all positions. Another thread may stop them."""

    def __init__(self, depth: int = DEPTH, threads: int = THREADS, hash_mb: int = HASH_MB) -> None:
        self.depth = depth
        self.searcher = Searcher(hash_mb, threads, find_network("nnue", ""))
        self.search: Search | None = None
        self.stopped = threading.Event()
        self.nodes = 0
        self.seconds = 0.0

    @property
    def outcome(self) -> str:
        return f"{self.nodes} nodes {self.nodes / max(self.seconds, 1e-6):.0f} nps"

    def run(self, tell: Callable[[str], object]) -> None:
        """A line for each position is told."""
        self.searcher.allocate()
        start = time.monotonic()
        for number, fen in enumerate(POSITIONS, 1):
            self.searcher.clear()
            self.search = self.searcher.begin(Board(fen), depth=self.depth)
            # Looked at after there is something to stop.
            if self.stopped.is_set():
                break
            found = self.search.run()
            self.nodes += found.nodes
            self.seconds = time.monotonic() - start
            if self.stopped.is_set():
                break
            tell(f"{number:>2}  {found.nodes:>9}  {found.best or '(none)'}")

    def stop(self) -> None:
        self.stopped.set()
        if self.search is not None:
            self.search.stop()


def make_bench(arguments: Sequence[str], add_help: bool = True) -> Bench:
    """From the words after the command."""
    parser = Parser(
        prog="cythera bench",
        description="The engine's signature and its speed.",
        add_help=add_help,
    )
    for name, default, most in (
        ("depth", DEPTH, MOST_DEPTH),
        ("threads", THREADS, MAX_THREADS),
        ("hash", HASH_MB, MAX_HASH_MB),
    ):
        parser.add_argument(
            name, type=number_between(1, most), nargs="?", default=default, help=f"({default})"
        )
    options = parser.parse_args(arguments)
    return Bench(options.depth, options.threads, options.hash)


def main(arguments: Sequence[str]) -> int:
    from concurrent.futures import ThreadPoolExecutor, wait

    bench = make_bench(arguments)
    with Interrupts() as interrupts, ThreadPoolExecutor(1) as pool:
        work = pool.submit(bench.run, lambda line: print(line, file=sys.stderr))
        interrupts.watch(lambda seconds: not wait([work], seconds).not_done, bench.stop)
        work.result()
    if bench.stopped.is_set():
        print(f"bench was stopped after {bench.outcome}")
        return EXIT_CODE
    print(bench.outcome)
    return 0
