"""What the engine does in the background, one thing at a time: a search, a perft, a bench."""

from __future__ import annotations

import threading
from _queue import SimpleQueue  # queue itself would cost start-up time
from collections.abc import Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from core_ext.core import Move, PerftRun
    from uci_engine.bench import Bench
    from uci_engine.limits import NodeClock
    from uci_engine.report import Output
    from uci_engine.think import Thinker


class Job:
    """Work for a Worker, done once."""

    is_pondering = False

    def __init__(self, output: Output) -> None:
        self.output = output
        # Set before the answer is given: whoever reads that may at once send what has to wait.
        self.is_over = False
        # Waited for in place of the thread: in some versions of Python a join() that Ctrl-C
        # interrupts takes a running thread for a finished one.
        self.has_ended = threading.Event()

    def run(self) -> None:
        try:
            self.work()
        except Exception as error:
            self.output.tell(error)
        finally:
            self.is_over = True
            self.has_ended.set()

    def work(self) -> None:
        raise NotImplementedError

    def stop(self) -> None:
        """End soon; the answer is still given. From any thread."""
        raise NotImplementedError


class Worker:
    """The thread that does the jobs. It sleeps between them: on a busy machine one that wakes up
    gets a processor long before a new one would."""

    def __init__(self) -> None:
        self.jobs: SimpleQueue[Job] = SimpleQueue()
        self.has_thread = False

    def start(self, job: Job) -> None:
        """A MemoryError if it can't be done."""
        if not self.has_thread:
            self.start_thread()
        self.jobs.put(job)

    def start_thread(self) -> None:
        # A daemon, so that nothing it does can keep the program from ending.
        thread = threading.Thread(target=self.work, daemon=True)
        try:
            thread.start()
        except RuntimeError:
            raise MemoryError("no memory for a thread") from None
        self.has_thread = True

    def work(self) -> None:
        while True:
            self.jobs.get().run()


class SearchJob(Job):
    """A `go`. Whatever happens, there is one `bestmove`."""

    def __init__(self, thinker: Thinker, node_clock: NodeClock, output: Output) -> None:
        super().__init__(output)
        self.thinker = thinker
        self.node_clock = node_clock
        self.is_pondering = thinker.request.limits.ponder
        self.may_answer = threading.Event()  # an open search waits with its answer to be asked
        if not thinker.request.limits.is_open:
            self.may_answer.set()

    def work(self) -> None:
        thinker = self.thinker
        try:
            moves = thinker.think()
        except Exception as error:
            self.output.tell(f"the search failed: {type(error).__name__}: {error}")
            moves = thinker.reporter.best_pv or thinker.request.board.legal_moves()[:1]
        self.may_answer.wait()
        self.node_clock.take(thinker.nodes)
        self.is_over = True
        say_best(self.output, moves)

    def stop(self) -> None:
        self.is_pondering = False  # a ponderhit behind a stop comes too late
        self.thinker.stop()
        self.may_answer.set()

    def ponderhit(self, heard_ns: int) -> None:
        """The expected move was played: from now on the clock runs."""
        if not self.is_pondering:
            return
        self.is_pondering = False
        request, options = self.thinker.request, self.thinker.options
        limits = request.limits._replace(ponder=False)
        if limits.infinite:
            return
        if options.nodestime:
            limits = self.node_clock.convert(
                limits, request.board.turn, options.move_overhead, options.nodestime
            )
        self.thinker.ponderhit(limits, heard_ns)
        self.may_answer.set()


class PerftJob(Job):
    """A `go perft`."""

    def __init__(self, run: PerftRun, threads: int, output: Output) -> None:
        super().__init__(output)
        self.perft = run
        self.threads = threads

    def work(self) -> None:
        self.perft.run(self.threads)
        self.is_over = True
        counts = self.perft.divide()
        if all(done for _, _, done in counts):
            lines = [f"{move}: {nodes}" for move, nodes, _ in counts]
            self.output.write(*lines, "", f"Nodes searched: {self.perft.nodes}", "")
        else:
            self.output.tell(f"perft was stopped after {self.perft.nodes} nodes")

    def stop(self) -> None:
        self.perft.stop()


class BenchJob(Job):
    """A `bench`."""

    def __init__(self, bench: Bench, output: Output) -> None:
        super().__init__(output)
        self.bench = bench

    def work(self) -> None:
        self.bench.run(self.output.write)
        self.is_over = True
        if self.bench.stopped.is_set():
            self.output.tell(f"bench was stopped after {self.bench.outcome}")
        else:
            self.output.write(self.bench.outcome)

    def stop(self) -> None:
        self.bench.stop()


def say_best(output: Output, moves: Sequence[Move]) -> None:
    best = moves[0].uci() if moves else "(none)"
    ponder = f" ponder {moves[1].uci()}" if len(moves) > 1 else ""
    output.write(f"bestmove {best}{ponder}")
