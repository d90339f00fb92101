"""What the server hands out: a fixed table of resources, each request checked first.

No path is ever a file's name: what is not in the table is not there.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from aiohttp import web

from uci_engine.desk.asked import LONGEST_MESSAGE
from uci_engine.desk.doors import Doors
from uci_engine.desk.visitors import Visitors
from uci_engine.pages.boards import BOARD_SCRIPT, piece_shapes
from uci_engine.pages.html import page_style, read_part

HERE = Path(__file__).parent
SCRIPTS = (
    *("serve_tree.js", "serve_talk.js", "serve_board.js", "serve_show.js"),
    *("serve_desk.js", "serve_play.js", "serve_setup.js", "serve.js"),
)
SOCKET = "/socket"
PING_EVERY_S = 20.0
FAREWELL_S = 1.0  # for the other side's goodbye

# Nothing is fetched from elsewhere, nothing inside the page's text runs, nobody frames it.
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}


class Resource(NamedTuple):
    """What lies at a path."""

    kind: str
    body: bytes


def list_resources() -> dict[str, Resource]:
    page = read_part(HERE / "serve.html").replace("<!-- the pieces -->", plain_shapes())
    style = page_style() + read_part(HERE / "serve.css")
    table = {
        "/": Resource("text/html", page.encode()),
        "/serve.css": Resource("text/css", style.encode()),
        "/board.js": Resource("text/javascript", read_part(BOARD_SCRIPT).encode()),
        "/icon.svg": Resource("image/svg+xml", draw_icon().encode()),
    }
    for name in SCRIPTS:
        table[f"/{name}"] = Resource("text/javascript", read_part(HERE / name).encode())
    return table


def plain_shapes() -> str:
    """The pieces without styles inside the page, which its policy forbids: they are attributes."""

    def to_attributes(found: re.Match[str]) -> str:
        pairs = [pair.split(":") for pair in found[1].split(";") if pair.strip()]
        return " ".join(f'{name.strip()}="{value.strip()}"' for name, value in pairs)

    shapes = piece_shapes().replace(' style="position:absolute"', ' class="shapes"')
    return re.sub(r'style="([^"]*)"', to_attributes, shapes)


def draw_icon() -> str:
    import chess.svg

    knight = chess.svg.PIECES["n"]
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 45 45">{knight}</svg>'


class Site:
    """Answers requests."""

    def __init__(self, visitors: Visitors, hosts: Hosts) -> None:
        self.visitors = visitors
        self.hosts = hosts
        self.resources = list_resources()
        self.doors: Doors | None = None

    def make_application(self) -> web.Application:
        application = web.Application()
        application.router.add_route("*", "/{path:.*}", self.answer)
        application.on_response_prepare.append(add_headers)
        return application

    async def answer(self, request: web.Request) -> web.StreamResponse:
        reason = self.find_fault(request)
        if reason is not None:
            return plain(*reason)
        if request.raw_path == SOCKET:
            return await self.open_socket(request)
        resource = self.resources.get(request.raw_path)
        if resource is None:
            return plain(404, "there is nothing here")
        return web.Response(body=resource.body, content_type=resource.kind, charset="utf-8")

    def find_fault(self, request: web.Request) -> tuple[int, str] | None:
        """A status and a sentence, if the request is none of ours."""
        host = request.headers.get("Host", "")
        if not self.hosts.know(host):
            return 421, "this server has another name"
        origin = request.headers.get("Origin")
        if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
            return 403, "this comes from another page"
        if request.method not in ("GET", "HEAD"):
            return 405, "there is only GET"
        if request.body_exists:
            return 413, "a body is not expected"
        if request.raw_path == SOCKET and (origin is None or not is_upgrade(request)):
            return 403, "this is for the page"
        return None

    async def open_socket(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse(
            timeout=FAREWELL_S,
            heartbeat=PING_EVERY_S,
            max_msg_size=LONGEST_MESSAGE,
            compress=False,
        )
        await socket.prepare(request)
        if self.doors is not None:
            self.doors.admit(request.transport)
        await self.visitors.welcome(socket)
        return socket


def is_upgrade(request: web.Request) -> bool:
    return request.headers.get("Upgrade", "").lower() == "websocket"


def plain(status: int, sentence: str) -> web.Response:
    response = web.Response(status=status, text=f"{sentence}\n")
    if status != 404:
        response.force_close()
    return response


async def add_headers(request: web.Request, response: web.StreamResponse) -> None:
    response.headers.update(HEADERS)
    response.headers.pop("Server", None)


class Hosts:
    """The names by which the server may be called: a page elsewhere whose name is made to lead to
    this machine calls it by that name, and is not answered."""

    def __init__(self, host: str, names: Collection[str]) -> None:
        self.names = {"localhost", *(name.lower() for name in names)}
        # Whoever has opened the server to others calls it by one of its addresses.
        self.any_address = not is_loopback(host)

    def know(self, header: str) -> bool:
        name = re.sub(r":\d{1,5}$", "", header).strip("[]").lower()
        if name in self.names:
            return True
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return False
        return self.any_address or address.is_loopback


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
