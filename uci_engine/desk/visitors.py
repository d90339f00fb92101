"""Visitors of the board in the browser: each has a connection, an engine and at most one search.

A message is answered by one with the same number. Searches take turns on the processors; what
limits them is how many visitors there may be, how much memory each engine has and how long it
thinks. Whoever leaves takes his search with him.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any, TypeVar

from aiohttp import WSCloseCode, WSMsgType, web
from chess.engine import EngineError, Limit, PlayResult

from uci_engine.async_engine import AsyncAnalysis, AsyncEngine
from uci_engine.desk.asked import Misunderstood, Question, read_question
from uci_engine.desk.manners import CLEARLY_WORSE, JUDGING, NOT_BETTER, PLIES_OF_A_GAME
from uci_engine.desk.pace import Moment, think_time
from uci_engine.desk.serve_games import (
    describe_last,
    describe_lines,
    describe_position,
    describe_typed,
    read_games,
)
from uci_engine.desk.turns import Turn, Turns

if TYPE_CHECKING:
    import chess
    from chess.engine import InfoDict

    from core_ext.core import Board

Answer = TypeVar("Answer")

SPACING_S = 0.15  # between two words about the same search
SEND_PATIENCE_S = 10.0  # for somebody who does not read
# Somebody who holds an arrow key down walks through thirty positions a second.
MESSAGES_A_SECOND = 50.0
MESSAGES_AT_ONCE = 150.0
SIZE_OF_A_MESSAGE = 8 * 1024  # characters; a longer one counts as several
HINT_S = 0.5
UNCLOCKED_S = 3.0  # for a move at full strength
LONGEST_MOVE_S = 10.0
CLOCK_SHARE, INCREMENT_SHARE = 0.03, 0.7  # of what is left, for a move at full strength


@dataclass(frozen=True)
class Allowance:
    """What there may be of everything."""

    visitors: int = 64
    threads: int = 1  # of each search
    hash_mb: int = 4  # of each visitor
    seconds: float = 60.0  # of each analysis
    searches: int = 1  # at once


class Rate:
    """So many a second in the long run, and a few more at once."""

    def __init__(self) -> None:
        self.left = MESSAGES_AT_ONCE
        self.at = time.monotonic()

    def take(self, cost: float) -> bool:
        now = time.monotonic()
        self.left = min(MESSAGES_AT_ONCE, self.left + (now - self.at) * MESSAGES_A_SECOND)
        self.at = now
        self.left -= cost
        return self.left >= 0


class Visitors:
    """All of them."""

    def __init__(self, allowance: Allowance) -> None:
        self.allowance = allowance
        self.present: set[Visitor] = set()
        self.turns = Turns(allowance.searches)  # of analyses
        self.players = Turns(allowance.searches)  # of what games need
        self.reading = asyncio.Semaphore(1)  # games take memory while they are read

    async def welcome(self, socket: web.WebSocketResponse) -> None:
        """Until the visitor leaves."""
        if len(self.present) >= self.allowance.visitors:
            await socket.close(code=WSCloseCode.TRY_AGAIN_LATER, message=b"too many visitors")
            return
        visitor = Visitor(self, socket)
        self.present.add(visitor)
        try:
            await visitor.listen()
        finally:
            self.present.discard(visitor)
            visitor.leave()

    @contextlib.asynccontextmanager
    async def short_search(self) -> AsyncIterator[None]:
        """For a move, a hint, an answer: one after the other, and nobody interrupts them."""
        turn = await self.players.take(is_new=True)
        try:
            yield
        finally:
            self.players.give_back(turn)

    async def close(self) -> None:
        """The server ends."""
        farewells = [
            visitor.socket.close(code=WSCloseCode.GOING_AWAY, message=b"the server ends")
            for visitor in self.present
        ]
        for visitor in self.present:
            visitor.leave()
        await asyncio.gather(*farewells, return_exceptions=True)


class Visitor:
    """One connection of one page."""

    def __init__(self, visitors: Visitors, socket: web.WebSocketResponse) -> None:
        self.visitors = visitors
        self.socket = socket
        self.rate = Rate()
        self.engine: AsyncEngine | None = None
        self.search: asyncio.Task[None] | None = None
        self.acts: dict[str, Callable[[Question], Awaitable[None]]] = {
            "look": self.look,
            "start": self.look,
            "games": self.show_games,
            "analyse": self.begin(self.analyse),
            "play": self.begin(self.play),
            "hint": self.begin(self.hint),
            "draw": self.begin(self.consider_draw),
            "stop": self.end_search,
            "cancel": self.end_search,
        }

    async def listen(self) -> None:
        async for message in self.socket:
            if message.type is not WSMsgType.TEXT:
                await self.refuse(WSCloseCode.UNSUPPORTED_DATA, b"text is expected")
                return
            if not self.rate.take(1 + len(message.data) / SIZE_OF_A_MESSAGE):
                await self.refuse(WSCloseCode.POLICY_VIOLATION, b"too many messages")
                return
            try:
                question = read_question(message.data)
            except Misunderstood as error:
                await self.complain(error.number, str(error))
            except ValueError as error:
                await self.complain(None, str(error))
            else:
                await self.answer(question)

    async def answer(self, question: Question) -> None:
        try:
            await self.acts[question.act](question)
        except Exception as error:
            await self.complain(question.number, describe_failure(error))

    def leave(self) -> None:
        """Nothing of his goes on."""
        if self.search is not None:
            self.search.cancel()
        if self.engine is not None:
            self.engine.close()
        self.engine = None

    # ---- what is said to him

    async def say(self, question: Question, kind: str, **told: Any) -> None:
        await self.send({"id": question.number, "kind": kind, **told})

    async def complain(self, number: int | None, reason: str) -> None:
        await self.send({"id": number, "kind": "error", "text": reason})

    async def send(self, message: dict[str, Any]) -> None:
        """Somebody who does not read what he asked for is gone."""
        try:
            text = json.dumps(message, separators=(",", ":"))
            await within(SEND_PATIENCE_S, self.socket.send_str(text))
        except (ConnectionError, asyncio.TimeoutError):
            self.leave()
            await self.refuse(WSCloseCode.POLICY_VIOLATION, b"nothing is read")

    async def refuse(self, code: int, reason: bytes) -> None:
        with contextlib.suppress(ConnectionError):
            await self.socket.close(code=code, message=reason)

    # ---- answered at once

    async def look(self, question: Question) -> None:
        board = question.board
        last = describe_last(board)
        if question.typed:
            last = describe_typed(board, question.typed)
            board.push_uci(last["uci"])
        await self.say(question, "position", last=last, **describe_position(board))

    async def show_games(self, question: Question) -> None:
        async with self.visitors.reading:
            found = await asyncio.to_thread(read_games, question.games, question.choice)
        await self.say(question, "games", **found)

    # ---- searches

    def begin(
        self, search: Callable[[Question, AsyncEngine], Awaitable[None]]
    ) -> Callable[[Question], Awaitable[None]]:
        """What makes a search take the place of the one before it."""

        async def run(question: Question) -> None:
            try:
                if question.board.legal_count():
                    await search(question, self.get_engine())
                else:
                    await self.say(question, "lines", nodes=0, time=0, lines=[], done=True)
            except Exception as error:
                await self.complain(question.number, describe_failure(error))

        async def start(question: Question) -> None:
            await self.end_search(question)
            self.search = asyncio.create_task(run(question))

        return start

    def get_engine(self) -> AsyncEngine:
        if self.engine is None:
            allowance = self.visitors.allowance
            # Without a seed of its own every visitor would meet the same games at a level.
            self.engine = AsyncEngine(
                threads=allowance.threads, hash_mb=allowance.hash_mb, seed=secrets.randbits(32)
            )
        return self.engine

    async def end_search(self, question: Question) -> None:
        if self.search is not None:
            self.search.cancel()
            self.search = None

    async def analyse(self, question: Question, engine: AsyncEngine) -> None:
        turns = self.visitors.turns
        progress = Progress(question.board, self.visitors.allowance.seconds)
        while not progress.done:
            turn = await turns.take(is_new=not progress.lines)
            try:
                await self.analyse_for_a_turn(question, engine, progress, turn)
            finally:
                turns.give_back(turn)

    async def analyse_for_a_turn(
        self, question: Question, engine: AsyncEngine, progress: Progress, turn: Turn
    ) -> None:
        limit = Limit(time=progress.seconds_left)
        lines = question.lines
        with await engine.analysis(question.board, limit, multipv=lines, game="") as analysis:
            turn.run(analysis.stop)
            has_ended = False
            while not has_ended:
                has_ended = await wait_for_news(analysis)
                progress.note(analysis, is_last=has_ended)
                progress.done = has_ended and not turn.is_over
                if progress.is_due():
                    await self.say(question, "lines", **progress.tell())

    async def play(self, question: Question, engine: AsyncEngine) -> None:
        begun = time.monotonic()
        board = question.board
        options: dict[str, object] = {}
        if question.elo is not None:
            options = {"UCI_LimitStrength": True, "UCI_Elo": question.elo}
        result = await self.find_move(question, engine, options)
        assert result.move is not None  # there are legal moves
        if question.elo is not None and not question.at_once:
            pace = think_time(moment_of(question, result.move), Random())
            await asyncio.sleep(max(0.0, pace - (time.monotonic() - begun)))
        board.push(result.move)
        await self.say(question, "position", last=describe_last(board), **describe_position(board))

    async def find_move(
        self, question: Question, engine: AsyncEngine, options: dict[str, object]
    ) -> PlayResult:
        """The more of the others wait, the shorter it thinks."""
        async with self.visitors.short_search():
            crowd = 1 + len(self.visitors.players.newcomers)
            limit = Limit(time=longest_move(question) / crowd)
            return await engine.play(question.board, limit, game=question.elo, options=options)

    async def hint(self, question: Question, engine: AsyncEngine) -> None:
        async with self.visitors.short_search():
            info = await engine.analyse(question.board, Limit(time=HINT_S), game="")
        await self.say(question, "hint", lines=describe_lines(question.board, [info]))

    async def consider_draw(self, question: Question, engine: AsyncEngine) -> None:
        """Of the side that is not to move: the engine's, to which a draw was offered."""
        board = question.board
        async with self.visitors.short_search():
            info = await engine.analyse(board, JUDGING, game="")
        score = -info["score"].relative.score(mate_score=100_000)
        is_long = board.ply() >= PLIES_OF_A_GAME
        agreed = score <= (NOT_BETTER if is_long else CLEARLY_WORSE)
        await self.say(question, "draw", agreed=agreed)


def describe_failure(error: Exception) -> str:
    """What a question led to; a fault of ours must not leave the page waiting."""
    if isinstance(error, (ValueError, EngineError, MemoryError)) and str(error):
        return str(error)
    return f"the server could not do it: {type(error).__name__}: {error}"


def own_clock(question: Question) -> float | None:
    """Seconds left to the side to move."""
    clocks = question.clocks
    if clocks is None:
        return None
    return (clocks.white if question.board.turn else clocks.black) / 1000


def longest_move(question: Question) -> float:
    """Seconds for a search; a level needs less."""
    left = own_clock(question)
    if left is None or question.clocks is None:
        return UNCLOCKED_S
    share = CLOCK_SHARE * left + INCREMENT_SHARE * question.clocks.increment / 1000
    return max(0.01, min(share, left / 2, LONGEST_MOVE_S))


def moment_of(question: Question, move: chess.Move) -> Moment:
    """What a person would see who is about to play this move."""
    board = question.board
    before = board.copy()
    taken_on = None
    if board.move_stack:
        last = before.pop()
        taken_on = last.to_square if before.is_capture(last) else None
    return Moment(
        move_number=board.fullmove_number,
        legal_moves=board.legal_count(),
        is_recapture=move.to_square == taken_on,
        left=own_clock(question),
        increment=question.clocks.increment / 1000 if question.clocks else 0.0,
    )


class Progress:
    """What is known about a position after some turns of its search."""

    def __init__(self, board: Board, seconds: float) -> None:
        self.board = board
        self.begun = time.monotonic()
        self.seconds = seconds
        self.nodes_before = 0  # of the turns before this one
        self.nodes = 0
        self.lines: list[InfoDict] = []
        self.done = False
        self.told_at = -SPACING_S

    @property
    def seconds_left(self) -> float:
        return max(0.01, self.seconds - (time.monotonic() - self.begun))

    def note(self, analysis: AsyncAnalysis, *, is_last: bool) -> None:
        """A turn begins with the first depths again: what was found before is better."""
        self.nodes = self.nodes_before + analysis.nodes
        if is_last:
            self.nodes_before = self.nodes
        depth = self.lines[0]["depth"] if self.lines else 0
        if analysis.info.get("pv") and analysis.info["depth"] >= depth:
            self.lines = analysis.multipv

    def is_due(self) -> bool:
        return bool(self.lines) and (self.done or time.monotonic() - self.told_at >= SPACING_S)

    def tell(self) -> dict[str, Any]:
        self.told_at = time.monotonic()
        return {
            "nodes": self.nodes,
            "time": round(self.told_at - self.begun, 2),
            "lines": describe_lines(self.board, self.lines),
            "done": self.done,
        }


async def within(seconds: float, work: Coroutine[Any, Any, Answer]) -> Answer:
    """As asyncio.wait_for; before Python 3.12 that loses a cancellation which comes in the moment
    in which the work is done, and a search that was stopped would go on."""
    task = asyncio.create_task(work)
    try:
        await asyncio.wait({task}, timeout=seconds)
        if not task.done():
            raise asyncio.TimeoutError
        return task.result()
    finally:
        task.cancel()


async def wait_for_news(analysis: AsyncAnalysis) -> bool:
    """Until something is found, or for a while; True when nothing more will be."""
    with contextlib.suppress(asyncio.TimeoutError):
        if await within(SPACING_S, analysis.next()) is None:
            return True
    while not analysis.empty():
        await analysis.next()
    return False
