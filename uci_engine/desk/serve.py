"""`cythera serve`: play and analyse in a browser, on this machine unless told otherwise."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import logging
import os
import signal
from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING

from uci_engine.arguments import Parser, decimal_between, number_between
from uci_engine.errors import lacking

if TYPE_CHECKING:
    from uci_engine.desk.site import Site

HOST, PORT = "127.0.0.1", 8960
ENDING_PATIENCE_S = 3.0
BACKLOG = 512


def main(arguments: Sequence[str]) -> int:
    options = make_parser().parse_args(arguments)
    load_web()
    return asyncio.run(serve(options))


def make_parser() -> Parser:
    parser = Parser(
        prog="cythera serve",
        description="Play against the engine and analyse games in a browser. Only this machine can "
        "reach it, unless --host says otherwise. Ctrl-C ends it.",
    )
    parser.add_argument("--host", default=HOST, help=f"the address to listen at ({HOST})")
    parser.add_argument(
        "--port",
        type=number_between(0, 65535),
        default=PORT,
        help=f"the port ({PORT}); 0 for any that is free",
    )
    parser.add_argument(
        "--name",
        action="append",
        default=[],
        help="a name by which others reach it, such as chess.example.org; may be repeated",
    )
    parser.add_argument(
        "--visitors", type=number_between(1, 1000), default=64, help="how many at once (64)"
    )
    parser.add_argument(
        "--threads", type=number_between(1, 64), default=1, help="of each search (1)"
    )
    parser.add_argument(
        "--searches",
        type=number_between(1, 64),
        help="how many at once; the others take turns (one for each processor)",
    )
    parser.add_argument(
        "--hash", type=number_between(1, 4096), default=4, help="of each visitor, in MB (4)"
    )
    parser.add_argument(
        "--seconds",
        type=decimal_between(0.1, 86400),
        default=60,
        help="how long an analysis goes on (60)",
    )
    parser.add_argument("--open", action="store_true", help="open the page in your browser")
    return parser


def load_web() -> None:
    """The optional package; only this command needs it."""
    try:
        import aiohttp  # noqa: F401
    except ImportError:
        raise lacking("serve", "aiohttp", "web") from None
    # What it would log is what somebody else's program sent; the answers say it.
    for name in ("aiohttp", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL)


async def serve(options: argparse.Namespace) -> int:
    from uci_engine.desk.site import Hosts, Site, is_loopback
    from uci_engine.desk.visitors import Allowance, Visitors
    from uci_engine.engine import end_all_searches

    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(ValueError):  # not the main thread, whose signals they are
            loop.add_signal_handler(number, ended.set)
    searches = options.searches or max(1, len(os.sched_getaffinity(0)) // options.threads)
    allowance = Allowance(
        options.visitors, options.threads, options.hash, options.seconds, searches
    )
    site = Site(Visitors(allowance), Hosts(options.host, options.name))
    async with listening(site, options.host, options.port) as port:
        address = f"[{options.host}]" if ":" in options.host else options.host
        url = f"http://{address}:{port}/"
        print(f"Cythera is at {url} (Ctrl-C ends it)", flush=True)
        if not is_loopback(options.host):
            print("Everybody who can reach this machine can use it.", flush=True)
        if options.open:
            import webbrowser

            await asyncio.to_thread(webbrowser.open, url)
        await ended.wait()
    await asyncio.to_thread(end_all_searches)
    return 0


@contextlib.asynccontextmanager
async def listening(site: Site, host: str, port: int) -> AsyncIterator[int]:
    """The port at which it listens. At the end nobody is left, and no search."""
    from aiohttp import web

    from uci_engine.desk.doors import Doors

    runner = web.AppRunner(
        site.make_application(),
        access_log=None,
        shutdown_timeout=ENDING_PATIENCE_S,
        lingering_time=1.0,
    )
    await runner.setup()
    assert runner.server is not None
    site.doors = Doors(runner.server)
    try:
        server = await asyncio.get_running_loop().create_server(
            site.doors, host, port, backlog=BACKLOG
        )
    except OSError as error:
        await runner.cleanup()
        raise ValueError(f"can't listen at {host}, port {port}: {error.strerror}") from None
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        await site.visitors.close()
        await runner.cleanup()
