"""The engine inside this process: the call shapes of `chess.engine.SimpleEngine`, no subprocess.

with Engine(threads=2, hash_mb=64) as engine:
    engine.play(chess.Board(), chess.engine.Limit(time=0.1)).move
    engine.analyse(board, chess.engine.Limit(depth=18), multipv=3)
    with engine.analysis(board) as lines:
        for info in lines: ...

A search ends when nobody holds its Analysis any more, or its engine, and all end before the
interpreter does. An engine belongs to the process that made it: after a fork the child has to make
its own.
"""

from __future__ import annotations

import atexit
import os
import threading
import time
import warnings
import weakref
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, TypedDict, overload

import chess
import chess.engine
from chess.engine import INFO_ALL, EngineError, Info, InfoDict, Limit, Opponent, PlayResult

from core_ext import __version__
from core_ext.core import Board
from uci_engine.analysis import Analysis, Findings, check_process, to_limits, to_root_moves
from uci_engine.limits import GoLimits
from uci_engine.options import ALL_OPTIONS, Combo, Option, Options, Spin, find_option
from uci_engine.report import Output
from uci_engine.searching import Request
from uci_engine.session import Session

if TYPE_CHECKING:
    from core_ext.core import AnyMove, Searcher
    from uci_engine.aids import Aids

OVERHEAD_MS = 1  # there is no pipe between the caller and the search
MOST_LINES = 256  # no position has so many moves
# These take effect on more than one search, so they can't be given with a single one.
LASTING = {
    *("Hash", "Threads", "Clear Hash", "SyzygyPath", "BookFile", "OwnBook", "Debug Log File"),
    *("EvalFile", "Evaluation", "Algorithm", "UCI_Chess960"),
}

AnyBoard = str | chess.Board | Board

ENDING_PATIENCE_S = 5.0

RUNNING: dict[threading.Thread, Findings] = {}  # the searches of all engines


def end_all_searches() -> None:
    """Before the interpreter ends: a thread that comes back later finds nothing in its place."""
    deadline = time.monotonic() + ENDING_PATIENCE_S
    running = RUNNING.copy()
    stop_all(running.values())
    for thread in running:
        thread.join(max(0.0, deadline - time.monotonic()))


atexit.register(end_all_searches)
os.register_at_fork(after_in_child=RUNNING.clear)  # the threads stay with the parent


class Question(TypedDict, total=False):
    """What may be asked for besides a position and a limit."""

    game: object
    info: Info
    root_moves: Iterable[AnyMove | chess.Move] | None
    options: Mapping[str, object]


class Engine:
    """One engine: its searches come one after the other; several engines run side by side.

    What the UCI options do is done here too: `elo` and `skill` limit the strength, `book`,
    `syzygy` and `eval_file` name files, `chess960` is how FENs are read; `options` and `configure`
    know the rest. Limited strength is by chance, which is the same in each game unless a `seed` is
    given. A search that nothing limits makes way for the next one.
    """

    def __init__(
        self,
        *,
        threads: int = 1,
        hash_mb: int = 16,
        elo: int | None = None,
        skill: int | None = None,
        book: str | os.PathLike[str] | None = None,
        syzygy: str | os.PathLike[str] | None = None,
        eval_file: str | os.PathLike[str] | None = None,
        chess960: bool = False,
        seed: int | None = None,
    ) -> None:
        check_count("threads", threads, highest("Threads"))
        check_count("hash_mb", hash_mb, highest("Hash"))
        self._output = Silence()
        self._session = Session(self._output)
        self._game: object = None
        self._turn = threading.Lock()  # held by the search that runs
        self._guard = threading.Lock()  # held while what follows is changed
        self._asked: list[Findings] = []  # searches that have not ended
        self._pondering: Findings | None = None
        self._closed = False
        self._process = os.getpid()
        weakref.finalize(self, stop_all, self._asked)
        self._configure({"Threads": threads, "Hash": hash_mb, "UCI_Chess960": chess960})
        if seed is not None:
            self._session.shelf.seed = seed
        if elo is not None:
            self._configure({"UCI_LimitStrength": True, "UCI_Elo": elo})
        if skill is not None:
            self._configure({"Skill Level": skill})
        if book is not None:
            self._configure({"BookFile": book, "OwnBook": True})
        if syzygy is not None:
            self._configure({"SyzygyPath": syzygy})
        if eval_file is not None:
            self._configure({"EvalFile": eval_file, "Evaluation": "nnue"})
        # Memory that can't be had is missed here, not at the first move.
        self._session.searcher.allocate()

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the running search; nothing can be asked afterwards."""
        if self._process == os.getpid():
            with self._guard:
                self._closed = True
            self.stop()

    def quit(self) -> None:
        """The same, by the name that is usual for an engine that is a process."""
        self.close()

    def stop(self) -> None:
        """End early what was asked for so far, with what is found by then; from any thread."""
        stop_all(self._asked)

    def clear(self) -> None:
        """Forget everything, as before a new game."""
        self._make_way()
        with self._turn:
            self._session.start_game()

    # ---- what it is, and how it is set

    @property
    def id(self) -> dict[str, str]:
        """Its name and author, as UCI tells them."""
        return {"name": f"Cythera {__version__}", "author": "the Cythera authors"}

    @property
    def options(self) -> dict[str, chess.engine.Option]:
        """All options, as UCI tells them."""
        return {option.name: describe_option(option) for option in ALL_OPTIONS}

    def configure(self, options: Mapping[str, object]) -> None:
        """Set options, once the running search has ended; an EngineError says what is wrong."""
        self._make_way()
        with self._turn:
            self._check_open()
            try:
                self._configure(options)
            except (ValueError, OSError, MemoryError) as error:
                raise EngineError(str(error)) from None

    def ping(self) -> None:
        """Is the engine there? An EngineTerminatedError if not."""
        check_process(self._process)
        self._check_open()

    def send_opponent_information(
        self, *, opponent: Opponent | None = None, engine_rating: int | None = None
    ) -> None:
        """Who plays whom: taken, so that programs for other engines run, and of no effect."""
        self.ping()

    def send_game_result(
        self,
        board: AnyBoard,
        winner: chess.Color | None = None,
        game_ending: str | None = None,
        game_complete: bool = True,
    ) -> None:
        """How a game ended: taken as above, and of no effect."""
        self.ping()

    def _configure(self, options: Mapping[str, object]) -> None:
        for name, value in options.items():
            option, text = find_option(name), option_text(value)
            self._session.set_option(name, text)
            if self._session.options.values[option.attribute] != option.parse(text):
                raise MemoryError(self._output.last)

    # ---- searches

    def play(
        self,
        board: AnyBoard,
        limit: Limit,
        *,
        game: object = None,
        info: Info = INFO_ALL,
        ponder: bool = False,
        draw_offered: bool = False,
        root_moves: Iterable[AnyMove | chess.Move] | None = None,
        options: Mapping[str, object] = {},  # as in python-chess
        opponent: Opponent | None = None,
    ) -> PlayResult:
        """The move to play, the expected answer, and what is known about them.

        With `ponder` the engine goes on thinking in its opponent's time, until it is asked for
        something else; if that is about the expected answer, the thoughts are not lost. Who the
        opponent is and whether a draw is offered changes nothing, as with other UCI engines.
        """
        question = Question(game=game, info=info, root_moves=root_moves, options=options)
        findings, begin = self._play(board, limit, question)
        with Analysis(self, findings) as search:
            begin()
            best = search.wait()
        if ponder:
            self._start_pondering(board, limit, question, best)
        return PlayResult(best.move, best.ponder, search.info)

    @overload
    def analyse(
        self,
        board: AnyBoard,
        limit: Limit,
        *,
        multipv: None = None,
        game: object = None,
        info: Info = INFO_ALL,
        root_moves: Iterable[AnyMove | chess.Move] | None = None,
        options: Mapping[str, object] = ...,
    ) -> InfoDict: ...

    @overload
    def analyse(
        self,
        board: AnyBoard,
        limit: Limit,
        *,
        multipv: int,
        game: object = None,
        info: Info = INFO_ALL,
        root_moves: Iterable[AnyMove | chess.Move] | None = None,
        options: Mapping[str, object] = ...,
    ) -> list[InfoDict]: ...

    def analyse(
        self,
        board: AnyBoard,
        limit: Limit,
        *,
        multipv: int | None = None,
        game: object = None,
        info: Info = INFO_ALL,
        root_moves: Iterable[AnyMove | chess.Move] | None = None,
        options: Mapping[str, object] = {},
    ) -> InfoDict | list[InfoDict]:
        """What the search finds; a list, best first, when `multipv` is given."""
        question = Question(game=game, info=info, root_moves=root_moves, options=options)
        with Analysis(self, self._analyse(board, limited(limit), multipv, question)) as search:
            self._start(search._findings, game)
            search.wait()
        return search.info if multipv is None else search.multipv

    def analysis(
        self,
        board: AnyBoard,
        limit: Limit | None = None,
        *,
        multipv: int | None = None,
        game: object = None,
        info: Info = INFO_ALL,
        root_moves: Iterable[AnyMove | chess.Move] | None = None,
        options: Mapping[str, object] = {},
    ) -> Analysis:
        """A search whose findings are iterated over while it runs; without a limit, endless."""
        question = Question(game=game, info=info, root_moves=root_moves, options=options)
        search = Analysis(self, self._analyse(board, limit or Limit(), multipv, question))
        self._start(search._findings, game)
        return search

    def _play(
        self, board: AnyBoard, limit: Limit, question: Question
    ) -> tuple[Findings, Callable[[], None]]:
        """A search that may use a book and plays at the strength that is set, and what begins it:
        that of the opponent's time, if it is about the same, goes on from here."""
        findings = self._prepare(board, to_limits(limited(limit)), 1, question, analyse=False)
        expected = self._take_over_pondering(findings)
        if expected is None:
            return findings, lambda: self._start(findings, question["game"])
        return expected, lambda: expected.ponderhit(findings.request.limits)

    def _analyse(
        self, board: AnyBoard, limit: Limit, multipv: int | None, question: Question
    ) -> Findings:
        lines = 1 if multipv is None else multipv
        check_count("multipv", lines, MOST_LINES)
        return self._prepare(board, to_limits(limit), lines, question, analyse=True)

    def _prepare(
        self, board: AnyBoard, limits: GoLimits, lines: int, question: Question, *, analyse: bool
    ) -> Findings:
        """A search, not yet begun; ValueError and TypeError say what is wrong with it."""
        check_process(self._process)
        position = self._position(board)
        options = self._session.options.copy()
        options.values["analyse_mode"] |= analyse
        for name, value in question["options"].items():
            set_for_one_search(options, name, value)
        root_moves = to_root_moves(position, question["root_moves"])
        lines = min(lines, max(1, position.legal_count()))
        request = Request(position, limits, OVERHEAD_MS, lines, root_moves)
        return Findings(request, options, question["info"])

    def _position(self, board: AnyBoard) -> Board:
        """A FEN says nothing about the kind of chess; the engine was told."""
        return Board(board, chess960=isinstance(board, str) and self._session.options.chess960)

    def _start(self, findings: Findings, game: object) -> None:
        try:
            self._make_way(findings)
        except chess.engine.EngineTerminatedError as error:
            findings.end(error)  # whoever waits for it must not wait for ever
            raise
        # A thread of its own also for `play`: Ctrl-C is heard by a main thread that only waits.
        arguments = (weakref.ref(self), self._turn, findings, game)
        thread = threading.Thread(target=run_search, args=arguments, daemon=True)
        RUNNING[thread] = findings
        thread.start()

    def _make_way(self, findings: Findings | None = None) -> None:
        """End what is endless; and note the search that is to come, if there is one."""
        check_process(self._process)
        with self._guard:
            self._check_open()
            ahead = [other for other in self._asked if other.is_endless]
            if findings is not None:
                self._asked.append(findings)
        stop_all(ahead)

    def _get_ready(self, game: object, findings: Findings) -> tuple[Searcher, Aids, Output]:
        """What a search needs, for which it is the turn; a new game forgets the last one."""
        self._check_open()
        if game != self._game:
            self._session.start_game()
            self._game = game
        aids = self._session.shelf.aids(findings.options, findings.board)
        return self._session.searcher, aids, self._output

    def _forget(self, findings: Findings) -> None:
        with self._guard:
            self._asked.remove(findings)

    # ---- thinking in the opponent's time

    def _start_pondering(
        self, board: AnyBoard, limit: Limit, question: Question, best: chess.engine.BestMove
    ) -> None:
        if best.move is None or best.ponder is None:
            return
        position = self._position(board)
        position.push(best.move)
        position.push(best.ponder)
        if position.legal_count() == 0:
            return
        limits = to_limits(limit)._replace(ponder=True)
        question = {**question, "root_moves": None}
        findings = self._prepare(position, limits, 1, question, analyse=False)
        self._start(findings, question["game"])
        self._pondering = findings

    def _take_over_pondering(self, asked: Findings) -> Findings | None:
        """The search of the opponent's time, if it is about what is asked now."""
        findings, self._pondering = self._pondering, None
        if findings is None or findings.has_ended.is_set():
            return None
        same = (
            findings.board == asked.board
            and findings.board.move_stack == asked.board.move_stack
            and asked.request.root_moves is None
        )
        return findings if same else None

    def _check_open(self) -> None:
        if self._closed:
            raise chess.engine.EngineTerminatedError("the engine is closed")


def run_search(
    reference: weakref.ref[Engine], turn: threading.Lock, findings: Findings, game: object
) -> None:
    """The thread of a search. It does not hold the engine, whose end is to end the search."""
    error: BaseException | None = None
    try:
        with turn:
            engine = reference()
            if engine is not None:
                means = engine._get_ready(game, findings)
                del engine
                findings.find(*means)
    except BaseException as problem:
        error = problem
    finally:
        engine = reference()
        if engine is not None:
            engine._forget(findings)
        findings.end(error)
        RUNNING.pop(threading.current_thread(), None)


class Silence(Output):
    """An engine inside a program writes nothing; its last remark is kept, and what is wrong is a
    warning of Python's."""

    last = ""

    def write(self, *lines: str) -> None:
        with self.lock:
            self._log("<", lines)

    def tell(self, message: object) -> None:
        self.last = str(message)
        super().tell(message)

    def warn(self, message: object) -> None:
        super().warn(message)
        warnings.warn(str(message), RuntimeWarning, stacklevel=2)


def stop_all(searches: Iterable[Findings]) -> None:
    for findings in list(searches):
        findings.stop()


def limited(limit: Limit) -> Limit:
    """The same; a ValueError if nothing would ever end the search."""
    if isinstance(limit, Limit) and not to_limits(limit).is_limited:
        raise ValueError("a limit is needed: time, depth, nodes, mate or clocks")
    return limit


def highest(option: str) -> int:
    spin = find_option(option)
    assert isinstance(spin, Spin)
    return spin.high


def option_text(value: object) -> str | None:
    """As UCI writes it."""
    if value is None:
        return None
    return str(value).lower() if isinstance(value, bool) else str(value)


def set_for_one_search(options: Options, name: str, value: object) -> None:
    option = find_option(name)
    if option.name in LASTING:
        raise ValueError(f"{option.name} is set by configure(), not for one search")
    options.values[option.attribute] = option.parse(option_text(value))


def describe_option(option: Option) -> chess.engine.Option:
    return chess.engine.Option(
        option.name,
        option.kind,
        option.default,  # type: ignore[arg-type]  # as python-chess has it: of any kind
        option.low if isinstance(option, Spin) else None,
        option.high if isinstance(option, Spin) else None,
        list(option.choices) if isinstance(option, Combo) else [],
    )


def check_count(name: str, value: int, most: int) -> None:
    if not isinstance(value, int):
        raise TypeError(f"{name} must be a whole number, not {value!r}")
    if not 1 <= value <= most:
        raise ValueError(f"{name} must be from 1 to {most}, not {value}")
