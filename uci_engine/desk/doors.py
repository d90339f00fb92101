"""Connections to the server: how many there are, and how long each may take to say what it wants.

aiohttp waits for ever for a request that does not come. Here a connection has a moment for its
requests; only visitors, whose page keeps a WebSocket open, may stay. When there are too many, the
one that has been here longest without becoming a visitor goes, so that ten thousand connections
that nobody uses never shut anybody out.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

PATIENCE_S = 20.0  # for all requests of a connection
MOST_STRANGERS = 128  # connections that are not, or not yet, those of visitors


class Doors:
    """Makes a Door for every connection."""

    def __init__(self, serve: Callable[[], asyncio.Protocol]) -> None:
        self.serve = serve
        self.strangers: dict[asyncio.BaseTransport, Door] = {}  # the oldest first

    def __call__(self) -> Door:
        return Door(self)

    def enter(self, door: Door, transport: asyncio.Transport) -> None:
        if len(self.strangers) >= MOST_STRANGERS:
            next(iter(self.strangers.values())).shut()
        self.strangers[transport] = door

    def admit(self, transport: asyncio.BaseTransport | None) -> None:
        """It has become a visitor's."""
        if transport is not None and (door := self.strangers.pop(transport, None)):
            door.patience.cancel()

    def leave(self, transport: asyncio.BaseTransport) -> None:
        self.strangers.pop(transport, None)


class Door(asyncio.Protocol):
    """One connection; what speaks HTTP on it is made when the first byte comes."""

    transport: asyncio.Transport
    patience: asyncio.TimerHandle

    def __init__(self, doors: Doors) -> None:
        self.doors = doors
        self.inner: asyncio.Protocol | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.patience = asyncio.get_running_loop().call_later(PATIENCE_S, self.shut)
        self.doors.enter(self, transport)

    def shut(self) -> None:
        self.doors.leave(self.transport)
        self.patience.cancel()
        self.transport.abort()

    def data_received(self, data: bytes) -> None:
        if self.inner is None:
            self.inner = self.doors.serve()
            self.inner.connection_made(self.transport)
        self.inner.data_received(data)

    def eof_received(self) -> bool | None:
        return None if self.inner is None else self.inner.eof_received()

    def connection_lost(self, error: Exception | None) -> None:
        self.doors.leave(self.transport)
        self.patience.cancel()
        if self.inner is not None:
            self.inner.connection_lost(error)

    def pause_writing(self) -> None:
        if self.inner is not None:
            self.inner.pause_writing()

    def resume_writing(self) -> None:
        if self.inner is not None:
            self.inner.resume_writing()
