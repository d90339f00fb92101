"""The state of the engine, and the thread that searches.

The thread that reads commands calls the methods of Session, and waits only for a search that was
told to stop. Whether the engine is idle, searching or pondering decides what a command means, never
whether it is heard. Each `go` gets exactly one `bestmove`, at the end of its own thread.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Sequence

from core_ext.core import START_FEN, Board, PerftRun, Searcher, set_tunable, tunables
from uci_engine.limits import Budget, GoLimits, NodeClock, allot_time
from uci_engine.options import TUNABLES, Options, find_option
from uci_engine.think import Aids, Task, Thinker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from random import Random
    from typing import Any

    from core_ext.core import Move
    from uci_engine.bench import Bench
    from uci_engine.book import Book
    from uci_engine.report import Output
    from uci_engine.tablebase import Tablebase

IDLE, SEARCHING, PONDERING = "idle", "searching", "pondering"

STRENGTH_SEED = 1


class Session:
    """Everything that lasts from one command to the next."""

    def __init__(self, output: Output) -> None:
        self.output = output
        self.options = Options()
        self.searcher = Searcher(self.options.hash_mb, self.options.threads)
        self.position: tuple[str, Sequence[str]] = (START_FEN, ())
        self.board = Board()
        self.book: Book | None = None
        self.tablebase: Tablebase | None = None
        self.random: Random | None = None
        self.node_clock = NodeClock()
        self.clear_wanted = False
        # What the searcher needs memory for, and how it is told.
        self.resizes = {"hash_mb": self.searcher.set_hash, "threads": self.searcher.set_threads}
        # Those that it took, the last of them in force; the first is one that it has memory for,
        # or the default.
        self.sizes = {size: [self.options.values[size]] for size in self.resizes}
        # Of what runs, if something does:
        self.running: Thinker | PerftRun | Bench | None = None
        self.is_busy = False
        # Waited for in place of the thread: in some versions of Python a join() that Ctrl-C
        # interrupts takes a running thread for a finished one.
        self.has_ended = threading.Event()
        self.has_ended.set()
        self.is_pondering = False
        self.may_answer = threading.Event()
        self.reactions: dict[str, Callable[[Any], None]] = {
            "clear_hash": self._want_clear,
            "chess960": self._change_castling_notation,
            "own_book": lambda on: self._open_book(on, self.options.book_file),
            "book_file": lambda path: self._open_book(self.options.own_book, path),
            "syzygy_path": self._open_tablebase,
            "debug_log_file": self.output.log_to,
        }

    @property
    def state(self) -> str:
        if not self.is_busy:
            return IDLE
        return PONDERING if self.is_pondering else SEARCHING

    # ---- the position

    def set_position(self, fen: str, moves: Sequence[str]) -> None:
        """ValueError names what is wrong; the position before it stays then."""
        self.board = play_moves(Board(fen, chess960=self.options.chess960), moves)
        self.position = (fen, moves)

    def flip(self) -> None:
        """The same position with colours changed."""
        self.set_position(flip_fen(self.board.fen()), ())

    def start_game(self) -> None:
        """`ucinewgame`: the state of a program that has just started, options aside."""
        self.finish()
        self.node_clock = NodeClock()
        self.random = None
        self.searcher.clear()

    # ---- options

    def set_option(self, name: str, text: str | None) -> None:
        """ValueError, OSError or MemoryError say why the old value stays."""
        option = find_option(name)
        value = option.parse(text)
        react = self.reactions.get(option.attribute)
        if react is not None:
            react(value)
        self.options.values[option.attribute] = value
        if self.state == IDLE:
            self._apply_options()

    def _apply_options(self) -> None:
        """Hand over what the searcher can't take while it searches, and say what it refuses."""
        if self.clear_wanted:
            self.clear_wanted = False
            self.searcher.clear()
        for size, resize in self.resizes.items():
            wanted, taken = self.options.values[size], self.sizes[size]
            try:
                if wanted != taken[-1]:
                    resize(wanted)
                    taken.append(wanted)
            except MemoryError as error:
                self._refuse_size(size, taken[-1], error)
        in_use = tunables() if TUNABLES else {}
        for name in TUNABLES:
            if self.options.values[name] != in_use[name][0]:  # each fills tables anew
                set_tunable(name, self.options.values[name])

    def get_ready(self) -> None:
        """`isready`: have the memory that a search will need, unless one runs already."""
        if self.state == IDLE:
            self._apply_options()
            self._allocate()

    def _allocate(self) -> None:
        """Where there was nothing before, only this finds out that a size can't be had; then the
        one that was taken before it has to do."""
        for size, allocate in (
            ("hash_mb", self.searcher.allocate_table),
            ("threads", self.searcher.allocate_threads),
        ):
            taken = self.sizes[size]
            while not self._try_to_allocate(size, allocate):
                taken.pop()
            del taken[:-1]

    def _try_to_allocate(self, size: str, allocate: Callable[[], None]) -> bool:
        """A MemoryError if there is nothing smaller to try."""
        taken = self.sizes[size]
        try:
            self.resizes[size](taken[-1])
            allocate()
        except MemoryError as error:
            if len(taken) == 1:
                raise
            self._refuse_size(size, taken[-2], error)
            return False
        return True

    def _refuse_size(self, size: str, old: int, error: MemoryError) -> None:
        self.options.values[size] = old
        self.output.tell(f"{error}; it stays at {old}")

    def _want_clear(self, _: None) -> None:
        self.clear_wanted = True

    def _change_castling_notation(self, chess960: bool) -> None:
        fen, moves = self.position
        # A position that exists only in the other kind of chess stays until the GUI sends one.
        with contextlib.suppress(ValueError):
            self.board = play_moves(Board(fen, chess960=chess960), moves)

    def _open_book(self, wanted: bool, path: str) -> None:
        if path:
            with open(path, "rb"):  # a wrong name is refused when it is given, not when it is used
                pass
        book = None
        if wanted and path:
            from uci_engine.book import Book

            book = Book(path)
        self.book = book  # a search that uses the old one keeps it open

    def _open_tablebase(self, path: str) -> None:
        tablebase = None
        if path:
            from uci_engine.tablebase import Tablebase

            tablebase = Tablebase(path)
        self.tablebase = tablebase

    def describe_evaluation(self) -> list[str]:
        """Also while a search runs: nothing that the search writes to is read or written here."""
        rows = self.searcher.eval_table(self.board)
        score = self.searcher.evaluate(self.board) * (1 if self.board.turn else -1)
        return [*draw_table(rows), f"Evaluation: {score:+} centipawns, from White's side"]

    # ---- searching

    def go(self, limits: GoLimits, start_ns: int) -> None:
        """Begin a search. One that still runs ends first, with its own `bestmove`."""
        self.finish()
        try:
            self._apply_options()
            self._allocate()
        except MemoryError as error:
            self.output.tell(error)  # whatever is missing now, there will be a move
        budget, nodes = self._allot(limits, self.board, self.options)
        task = Task(
            self.board,
            limits,
            self._root_moves(limits),
            budget,
            nodes,
            self.options.copy(),
            start_ns,
        )
        thinker = Thinker(task, self.searcher, self._find_aids(), self.output)
        self.is_pondering = limits.ponder
        self.may_answer.clear()
        if not limits.is_open:
            self.may_answer.set()
        # Before the thread runs: a `stop` or `ponderhit` that comes from now on is meant for it.
        self.searcher.prepare()
        try:
            self._start(thinker, self._answer)
        except MemoryError as error:
            self.output.tell(error)
            self._say_best(self.board.legal_moves()[:1])

    def _allot(self, limits: GoLimits, board: Board, options: Options) -> tuple[Budget, int]:
        """The time and the nodes for a search that has limits of its own."""
        overhead, nodes_per_ms = options.move_overhead, options.nodestime
        if limits.is_open:
            return Budget(), limits.nodes
        if not nodes_per_ms:
            return allot_time(limits, board.turn, overhead), limits.nodes
        nodes = self.node_clock.allot(limits, board.turn, overhead, nodes_per_ms)
        return Budget(), min(nodes or limits.nodes, limits.nodes or nodes)

    def _root_moves(self, limits: GoLimits) -> list[Move] | None:
        """The legal ones of the moves that were asked for; None, for all, if there are none."""
        if limits.searchmoves is None:
            return None
        moves: list[Move] = []
        for text in limits.searchmoves:
            try:
                move = self.board.parse_uci(text)
            except ValueError as error:
                self.output.tell(f"searchmoves: {error}")
                continue
            if move and move not in moves:
                moves.append(move)
        return moves or None

    def _find_aids(self) -> Aids:
        strength = None
        if self.options.is_limited:
            import random

            from uci_engine.strength import choose_strength

            strength = choose_strength(self.options, self.board)
            self.random = self.random or random.Random(STRENGTH_SEED)
        return Aids(self.book, self.tablebase, strength, self.random)

    def _answer(self, thinker: Thinker) -> None:
        """The search thread. Whatever happens, there is one answer."""
        try:
            moves = thinker.think()
        except Exception as error:
            self.output.tell(f"the search failed: {type(error).__name__}: {error}")
            moves = thinker.reporter.best_pv or thinker.task.board.legal_moves()[:1]
        self.may_answer.wait()
        self.node_clock.take(thinker.nodes)
        # Before the answer: whoever reads it may at once send what has to wait for a search.
        self.is_busy = False
        self._say_best(moves)

    def _say_best(self, moves: Sequence[Move]) -> None:
        best = moves[0].uci() if moves else "(none)"
        ponder = f" ponder {moves[1].uci()}" if len(moves) > 1 else ""
        self.output.write(f"bestmove {best}{ponder}")

    def count(self, depth: int) -> None:
        """`go perft`, in the background like a search."""
        self.finish()
        self._start(PerftRun(self.board, depth), self._count)

    def _count(self, run: PerftRun) -> None:
        run.run(self.options.threads)
        self.is_busy = False
        counts = run.divide()
        if all(done for _, _, done in counts):
            lines = [f"{move}: {nodes}" for move, nodes, _ in counts]
            self.output.write(*lines, "", f"Nodes searched: {run.nodes}", "")
        else:
            self.output.tell(f"perft was stopped after {run.nodes} nodes")

    def run_bench(self, bench: Bench) -> None:
        """`bench`, in the background as well."""
        self.finish()
        self._start(bench, self._bench)

    def _bench(self, bench: Bench) -> None:
        bench.run(self.output.write)
        self.is_busy = False
        if bench.stopped.is_set():
            self.output.tell(f"bench was stopped after {bench.outcome}")
        else:
            self.output.write(bench.outcome)

    def _start(self, what: Thinker | PerftRun | Bench, work: Callable[[Any], None]) -> None:
        # A daemon, so that nothing it does can keep the program from ending.
        thread = threading.Thread(target=self._run, args=(work, what), daemon=True)
        self.running, self.is_busy = what, True
        self.has_ended.clear()
        try:
            thread.start()
        except RuntimeError:
            self.running, self.is_busy = None, False
            self.has_ended.set()
            raise MemoryError("no memory for a thread") from None

    def _run(self, work: Callable[[Any], None], what: object) -> None:
        try:
            work(what)
        except Exception as error:
            self.output.tell(error)
        finally:
            self.is_busy = False
            self.has_ended.set()

    # ---- ending a search

    def stop(self) -> None:
        """End what runs, soon; it still gives its answer."""
        self.is_pondering = False  # a ponderhit behind a stop comes too late
        if self.running is not None:
            self.running.stop()
        self.may_answer.set()

    def ponderhit(self, heard_ns: int) -> None:
        """The expected move was played: from now on the clock runs."""
        if self.state != PONDERING or not isinstance(self.running, Thinker):
            return
        self.is_pondering = False
        task = self.running.task
        if task.limits.infinite:
            return
        budget, nodes = self._allot(task.limits._replace(ponder=False), task.board, task.options)
        if nodes == task.nodes:
            self.running.ponderhit(budget, heard_ns)
        else:
            self.running.ponderhit_by_nodes(nodes)
        self.may_answer.set()

    def finish(self, timeout: float | None = None) -> bool:
        """Stop, and wait for the answer. False if it does not come in time."""
        if self.running is not None:
            self.stop()
        return self.wait(timeout)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for what runs to end by itself."""
        if not self.has_ended.wait(timeout):
            return False
        self.running = None
        return True


def play_moves(board: Board, moves: Sequence[str]) -> Board:
    for number, move in enumerate(moves, 1):
        try:
            board.push_uci(move)
        except ValueError as error:
            raise ValueError(f"move {number} of the position: {error}") from None
    return board


def draw_table(rows: Sequence[tuple[str, int, int, int]]) -> list[str]:
    """The terms of the evaluation, in centipawns."""
    width = max(len(name) for name, *_ in rows)
    return [
        f"{'term':<{width}}  middlegame  endgame     now",
        *(f"{name:<{width}}  {mid:>+10}  {end:>+7}  {now:>+6}" for name, mid, end, now in rows),
    ]


def flip_fen(fen: str) -> str:
    """Turn the board round and change the colours of everything."""
    pieces, side, castling, en_passant, *counters = fen.split()
    pieces = "/".join(reversed(pieces.swapcase().split("/")))
    side = "b" if side == "w" else "w"
    castling = "".join(sorted(castling.swapcase(), key=str.islower))
    en_passant = en_passant.translate(str.maketrans("36", "63"))
    return " ".join([pieces, side, castling, en_passant, *counters])
