"""The engine for programs that wait for many things at once: the shape of python-chess's
`chess.engine.UciProtocol`, and no thread of the program's own.

async with AsyncEngine() as engine:
    (await engine.play(board, chess.engine.Limit(time=0.1))).move
    with await engine.analysis(board) as analysis:
        async for info in analysis: ...
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, overload

import chess
import chess.engine
from chess.engine import (
    INFO_ALL,
    AnalysisComplete,
    BestMove,
    Info,
    InfoDict,
    Limit,
    Opponent,
    PlayResult,
)

from uci_engine.analysis import Findings, Readable, check_process
from uci_engine.engine import AnyBoard, Engine, Question, limited

if TYPE_CHECKING:
    from core_ext.core import AnyMove


class Mailbox:
    """Brings what a search finds from its thread to the loop."""

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.news: asyncio.Queue[InfoDict | None] = asyncio.Queue()
        self.has_ended = asyncio.Event()

    def hear(self, info: InfoDict | None) -> None:
        """In the thread of the search."""
        with contextlib.suppress(RuntimeError):  # the loop has ended, nobody listens any more
            self.loop.call_soon_threadsafe(self.take, info)

    def take(self, info: InfoDict | None) -> None:
        self.news.put_nowait(info)
        if info is None:
            self.has_ended.set()


class AsyncAnalysis(Readable):
    """A search: iterate over it with `async for`, or wait for it. Leaving `with` stops it."""

    def __init__(self, engine: Engine, findings: Findings) -> None:
        super().__init__(engine, findings)
        self._mail = Mailbox()
        findings.tell_news = self._mail.hear
        if findings.has_ended.is_set():  # one of the opponent's time that is taken over
            self._mail.take(None)

    async def wait(self) -> BestMove:
        """The best move and the expected answer, once the search has ended."""
        check_process(self._findings.process)
        await self._mail.has_ended.wait()
        return self._findings.best

    async def get(self) -> InfoDict:
        """The next finding, waited for; AnalysisComplete if there will be none."""
        check_process(self._findings.process)
        info = await self._mail.news.get()
        if info is None:
            self._mail.news.put_nowait(None)  # for whoever asks again
            await self.wait()
            raise AnalysisComplete("the analysis is complete")
        return info

    async def next(self) -> InfoDict | None:
        """The next finding, waited for; None if there will be none."""
        try:
            return await self.get()
        except AnalysisComplete:
            return None

    def would_block(self) -> bool:
        """Would the next finding have to be waited for?"""
        return self._mail.news.empty()

    def empty(self) -> bool:
        """Is everything read that has been found so far?"""
        return self._mail.news.qsize() <= self._mail.has_ended.is_set()

    def __aiter__(self) -> AsyncAnalysis:
        return self

    async def __anext__(self) -> InfoDict:
        info = await self.next()
        if info is None:
            raise StopAsyncIteration
        return info

    def __enter__(self) -> AsyncAnalysis:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


class AsyncEngine:
    """An Engine whose searches are awaited; it takes the same arguments.

    A search whose task is cancelled is stopped.
    """

    def __init__(self, **options: Any) -> None:
        self._engine = Engine(**options)

    async def __aenter__(self) -> AsyncEngine:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.quit()

    async def quit(self) -> None:
        """End the running search; nothing can be asked afterwards."""
        self._engine.close()

    def close(self) -> None:
        """The same, at once."""
        self._engine.close()

    @property
    def id(self) -> dict[str, str]:
        """Its name and author."""
        return self._engine.id

    @property
    def options(self) -> dict[str, chess.engine.Option]:
        """All options, as UCI tells them."""
        return self._engine.options

    async def configure(self, options: Mapping[str, object]) -> None:
        """Set options, once the running search has ended."""
        await asyncio.to_thread(self._engine.configure, options)

    async def ping(self) -> None:
        """Is the engine there? An EngineTerminatedError if not."""
        self._engine.ping()

    async def send_opponent_information(
        self, *, opponent: Opponent | None = None, engine_rating: int | None = None
    ) -> None:
        """Who plays whom: taken, so that programs for other engines run, and of no effect."""
        await self.ping()

    async def send_game_result(
        self,
        board: AnyBoard,
        winner: chess.Color | None = None,
        game_ending: str | None = None,
        game_complete: bool = True,
    ) -> None:
        """How a game ended: taken as above, and of no effect."""
        await self.ping()

    async def play(
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
        """The move to play, the expected answer, and what is known about them."""
        question = Question(game=game, info=info, root_moves=root_moves, options=options)
        findings, begin = self._engine._play(board, limit, question)
        with AsyncAnalysis(self._engine, findings) as search:
            begin()
            best = await search.wait()
        if ponder:
            self._engine._start_pondering(board, limit, question, best)
        return PlayResult(best.move, best.ponder, search.info)

    @overload
    async def analyse(
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
    async def analyse(
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

    async def analyse(
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
        with self._start_analysis(board, limited(limit), multipv, question) as search:
            await search.wait()
        return search.info if multipv is None else search.multipv

    async def analysis(
        self,
        board: AnyBoard,
        limit: Limit | None = None,
        *,
        multipv: int | None = None,
        game: object = None,
        info: Info = INFO_ALL,
        root_moves: Iterable[AnyMove | chess.Move] | None = None,
        options: Mapping[str, object] = {},
    ) -> AsyncAnalysis:
        """A search whose findings are iterated over while it runs; without a limit, endless."""
        question = Question(game=game, info=info, root_moves=root_moves, options=options)
        return self._start_analysis(board, limit or Limit(), multipv, question)

    def _start_analysis(
        self, board: AnyBoard, limit: Limit, multipv: int | None, question: Question
    ) -> AsyncAnalysis:
        findings = self._engine._analyse(board, limit, multipv, question)
        search = AsyncAnalysis(self._engine, findings)
        self._engine._start(findings, question["game"])
        return search
