"""Searches take turns on a few processors.

Were all of them to run at once, fifty threads would wait for each other and for Python's lock, and
the loop that answers visitors would hardly get a word in. So only as many search as there are
processors. One that has nobody waiting behind it goes on for as long as it likes; otherwise it
stops after its share of a second, and begins again, with the table that it has filled, when all
others have had their turn. New positions go before them, every other time at least: their first
lines take almost no time, and nobody who asks about ever new ones can keep the others out.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

ROUND_S = 0.8  # in which everybody should have had a turn
SHORTEST_S = 0.02
FIRST_S = 0.01  # of a new position, for which others wait with theirs


class Turn:
    """The right to search, until it is over."""

    def __init__(self, *, is_new: bool) -> None:
        self.is_new = is_new
        self.is_over = False
        self.begun = asyncio.get_running_loop().time()
        self.timer: asyncio.TimerHandle | None = None
        self.stop: Callable[[], object] = lambda: None

    def run(self, stop: Callable[[], object]) -> None:
        """A search begins, which is ended by `stop`; on a busy machine the turn may be over."""
        self.stop = stop
        if self.is_over:
            stop()

    def end_at(self, moment: float) -> None:
        if self.timer is None or self.timer.when() > moment:
            self.cancel_timer()
            self.timer = asyncio.get_running_loop().call_at(moment, self.end)

    def end(self) -> None:
        self.is_over = True
        self.stop()

    def cancel_timer(self) -> None:
        if self.timer is not None:
            self.timer.cancel()


class Turns:
    """Who searches, and who waits."""

    def __init__(self, hands: int) -> None:
        self.hands = hands  # how many may search at once
        self.running: set[Turn] = set()
        self.newcomers: deque[asyncio.Future[Turn]] = deque()
        self.others: deque[asyncio.Future[Turn]] = deque()
        self.favours_newcomers = True

    @property
    def share_s(self) -> float:
        """What a turn lasts while somebody waits."""
        people = len(self.running) + len(self.newcomers) + len(self.others)
        return max(SHORTEST_S, ROUND_S * self.hands / people)

    async def take(self, *, is_new: bool) -> Turn:
        """Wait for a turn, which has to be given back."""
        line = self.newcomers if is_new else self.others
        ticket: asyncio.Future[Turn] = asyncio.get_running_loop().create_future()
        line.append(ticket)
        self.deal()
        try:
            return await ticket
        except asyncio.CancelledError:
            if ticket.done() and not ticket.cancelled():
                self.give_back(ticket.result())  # it came in the very moment of leaving
            elif ticket in line:
                line.remove(ticket)
            raise

    def give_back(self, turn: Turn) -> None:
        turn.cancel_timer()
        self.running.discard(turn)
        self.deal()

    def deal(self) -> None:
        while len(self.running) < self.hands and (line := self.choose_line()):
            ticket = line.popleft()
            if not ticket.done():
                self.favours_newcomers = line is self.others
                turn = Turn(is_new=line is self.newcomers)
                self.running.add(turn)
                ticket.set_result(turn)
        if self.newcomers or self.others:
            share = self.share_s
            for turn in self.running:
                turn.end_at(turn.begun + (FIRST_S if turn.is_new else share))

    def choose_line(self) -> deque[asyncio.Future[Turn]]:
        """Who is next: the line that it is the turn of, if anybody stands there."""
        if self.favours_newcomers:
            return self.newcomers or self.others
        return self.others or self.newcomers
