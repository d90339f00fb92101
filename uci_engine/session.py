"""The state of the engine: its position, its options, and what it is doing.

The thread that reads commands calls the methods of Session, and waits only for a search that was
told to stop. What the engine is doing decides what a command means, never whether it is heard. Each
`go` gets exactly one `bestmove`, at the end of its own thread.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence

from core_ext.core import START_FEN, Board, Evaluator, PerftRun, Searcher, set_tunable, tunables
from uci_engine.aids import Shelf
from uci_engine.drawing import draw_evaluation, draw_values, flip_fen, tell_evaluation
from uci_engine.jobs import BenchJob, Job, PerftJob, SearchJob, Worker, say_best
from uci_engine.limits import GoLimits, NodeClock
from uci_engine.memory import Memory
from uci_engine.network import find_network
from uci_engine.options import TUNABLES, Options, find_option
from uci_engine.report import Reporter
from uci_engine.searching import Request, choose_search
from uci_engine.think import Thinker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from core_ext.core import Move
    from uci_engine.bench import Bench
    from uci_engine.report import Output


class Session:
    """Everything that lasts from one command to the next."""

    def __init__(self, output: Output) -> None:
        self.output = output
        self.options = Options()
        self.searcher = Searcher(self.options.hash_mb, self.options.threads)
        self.memory = Memory(self.searcher, self.options, output)
        self.shelf = Shelf()
        self.position: tuple[str, Sequence[str]] = (START_FEN, ())
        self.board = Board()
        self.node_clock = NodeClock()
        self.clear_wanted = False
        self.worker = Worker()
        self.job: Job | None = None  # the last one that was begun
        self.reactions: dict[str, Callable[[Any], object]] = {
            "clear_hash": self._want_clear,
            "chess960": self._change_castling_notation,
            "own_book": lambda on: self.shelf.open_book(on, self.options.book_file),
            "book_file": lambda path: self.shelf.open_book(self.options.own_book, path),
            "evaluation": lambda name: find_network(name, self.options.eval_file),
            "eval_file": lambda path: find_network(
                "nnue" if path else self.options.evaluation, path
            ),
            "syzygy_path": self._open_tablebase,
            "debug_log_file": self.output.log_to,
        }

    @property
    def is_idle(self) -> bool:
        return self.job is None or self.job.is_over

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
        self.shelf.start_game()
        self.searcher.clear()

    def describe_evaluation(self) -> list[str]:
        """Also while a search runs: nothing that the search writes to is read or written here."""
        if self.is_idle:
            self._apply_options()
        score = self.searcher.evaluate(self.board) * (1 if self.board.turn else -1)
        network = find_network(self.options.evaluation, self.options.eval_file)
        if network is not None:
            return draw_values(self.board, Evaluator(network).piece_values(self.board), score)
        if self.options.evaluation != "classical":
            return [tell_evaluation(self.board, score)]  # by points alone, which have no terms
        return draw_evaluation(self.board, self.searcher.eval_table(self.board), score)

    # ---- options

    def set_option(self, name: str, text: str | None) -> None:
        """ValueError, OSError or MemoryError say why the old value stays."""
        option = find_option(name)
        value = option.parse(text)
        react = self.reactions.get(option.attribute)
        if react is not None:
            react(value)
        self.options.values[option.attribute] = value
        if self.is_idle:
            self._apply_options()

    def _apply_options(self) -> None:
        """Hand over what the searcher can't take while it searches."""
        if self.clear_wanted:
            self.clear_wanted = False
            self.searcher.clear()
        self.memory.resize()
        choose_search(self.searcher, self.options)
        in_use = tunables() if TUNABLES else {}
        for name in TUNABLES:
            if self.options.values[name] != in_use[name][0]:  # each fills tables anew
                set_tunable(name, self.options.values[name])

    def get_ready(self) -> None:
        """`isready`: have the memory that a search will need, unless one runs already."""
        if self.is_idle:
            self._apply_options()
            self.memory.allocate()

    def _want_clear(self, _: None) -> None:
        self.clear_wanted = True

    def _open_tablebase(self, path: str) -> None:
        self.shelf.open_tablebase(path)
        if self.shelf.tablebase is not None:
            self.output.tell(self.shelf.tablebase.describe())

    def _change_castling_notation(self, chess960: bool) -> None:
        fen, moves = self.position
        # A position that exists only in the other kind of chess stays until the GUI sends one.
        with contextlib.suppress(ValueError):
            self.board = play_moves(Board(fen, chess960=chess960), moves)

    # ---- working

    def go(self, limits: GoLimits, start_ns: int) -> None:
        """Begin a search. One that still runs ends first, with its own `bestmove`."""
        self.finish()
        try:
            self._apply_options()
            self.memory.allocate()
        except (MemoryError, OSError, ValueError) as error:
            self.output.tell(error)  # whatever is missing now, there will be a move
        request = self._request(limits, start_ns)
        options, aids = self.options.copy(), self.shelf.aids(self.options, self.board)
        reporter = Reporter(self.output, self.board, options.show_wdl)
        thinker = Thinker(request, options, self.searcher, aids, self.output, reporter)
        try:
            self._start(SearchJob(thinker, self.node_clock, self.output))
        except MemoryError as error:
            self.output.tell(error)
            say_best(self.output, self.board.legal_moves()[:1])

    def _request(self, limits: GoLimits, start_ns: int) -> Request:
        root_moves = self._root_moves(limits)
        overhead, nodes_per_ms = self.options.move_overhead, self.options.nodestime
        if nodes_per_ms and not limits.is_open:
            limits = self.node_clock.convert(limits, self.board.turn, overhead, nodes_per_ms)
        return Request(self.board, limits, overhead, self.options.multipv, root_moves, start_ns)

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

    def count(self, depth: int) -> None:
        """`go perft`, in the background like a search."""
        self.finish()
        self._start(PerftJob(PerftRun(self.board, depth), self.options.threads, self.output))

    def run_bench(self, bench: Bench) -> None:
        """`bench`, in the background as well."""
        self.finish()
        self._start(BenchJob(bench, self.output))

    def _start(self, job: Job) -> None:
        self.worker.start(job)
        self.job = job

    # ---- ending

    def stop(self) -> None:
        """End what runs, soon; it still gives its answer."""
        if self.job is not None:
            self.job.stop()

    def ponderhit(self, heard_ns: int) -> None:
        if isinstance(self.job, SearchJob):
            self.job.ponderhit(heard_ns)

    def finish(self, timeout: float | None = None) -> bool:
        """Stop, and wait for the answer. False if it does not come in time."""
        self.stop()
        return self.wait(timeout)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for what runs to end by itself."""
        return self.job is None or self.job.has_ended.wait(timeout)


def play_moves(board: Board, moves: Sequence[str]) -> Board:
    for number, move in enumerate(moves, 1):
        try:
            board.push_uci(move)
        except ValueError as error:
            raise ValueError(f"move {number} of the position: {error}") from None
    return board
