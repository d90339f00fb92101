"""The server of the desk: what it answers, what it refuses, and what is left when visitors go."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import re
import resource
import socket
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import aiohttp
import chess
import pytest
from desk_serve_tools import ServerProcess
from uci_process import ENVIRONMENT, TIMEOUT, run_to_the_end

from uci_engine import engine
from uci_engine.desk.doors import MOST_STRANGERS
from uci_engine.desk.serve import listening
from uci_engine.desk.site import HEADERS, Hosts, Site
from uci_engine.desk.turns import Turns
from uci_engine.desk.visitors import Allowance, Visitors

pytestmark = pytest.mark.release_only

MATE_IN_ONE = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"
CONNECTIONS = 10_000
UPGRADE = (
    *("Upgrade: websocket", "Connection: Upgrade"),
    *("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13"),
)


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    with ServerProcess() as process:
        yield process


def send(server: ServerProcess, data: bytes, patience: float = TIMEOUT) -> bytes:
    """All that comes back until the server closes, or has been silent for so long."""
    answer = b""
    with (
        socket.create_connection((server.host, server.port), timeout=TIMEOUT) as connection,
        contextlib.suppress(ConnectionError, TimeoutError),
    ):
        connection.sendall(data)
        connection.settimeout(patience)
        while piece := connection.recv(65536):
            answer += piece
    return answer


def get(server: ServerProcess, path: str, *headers: str, method: str = "GET") -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Connection: close"]
    if not any(header.startswith("Host:") for header in headers):
        lines.append(f"Host: {server.host}:{server.port}")
    return send(server, "\r\n".join([*lines, *headers, "", ""]).encode())


def status(answer: bytes) -> int:
    found = re.match(rb"HTTP/1\.[01] (\d+) ", answer)
    return int(found[1]) if found else 0


def check_alive(server: ServerProcess) -> None:
    assert status(get(server, "/")) == 200


# ---- what is there


def test_everything_that_the_page_needs_is_there_and_guarded(server: ServerProcess) -> None:
    page = get(server, "/").decode()
    needed = re.findall(r'(?:src|href)="(/[^"]*)"', page)
    assert len(needed) > 8
    for path in ["/", *needed]:
        answer = get(server, path).decode()
        assert status(answer.encode()) == 200, path
        for name, value in HEADERS.items():
            assert f"{name}: {value}\r\n" in answer
    # The policy forbids scripts and styles in the page's own text.
    assert not re.search(r"\sstyle=|<style|\son\w+=|<script>", page)
    assert "default-src 'none'" in HEADERS["Content-Security-Policy"]
    assert "unsafe" not in HEADERS["Content-Security-Policy"]


@pytest.mark.parametrize(
    "path",
    [
        *("/../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc/passwd"),
        *("//etc/passwd", "/serve.py", "/site.py", "/desk/serve.py", "/serve.js/../site.py"),
        *("/./serve.js", "/serve.js%00", "/serve.js?x=1", "/SERVE.JS", "/serve.html", "/data/"),
        *("/\\..\\site.py", "/board.js/", "*", "http://127.0.0.1/etc/passwd", "/%ff%fe", "/~root"),
    ],
)
def test_no_path_leads_to_a_file(server: ServerProcess, path: str) -> None:
    answer = get(server, path)
    assert status(answer) in (400, 403, 404, 421)
    assert b"root:" not in answer
    assert b"import" not in answer


def test_other_names_and_other_pages_are_refused(server: ServerProcess) -> None:
    own = f"127.0.0.1:{server.port}"
    assert status(get(server, "/", f"Host: localhost:{server.port}")) == 200
    assert status(get(server, "/", f"Origin: http://{own}")) == 200
    for host in ("evil.example", f"evil.example:{server.port}", "", "127.0.0.1.evil.example",
                 "192.0.2.1", "[::1", "localhost:x"):  # fmt: skip
        assert status(get(server, "/", f"Host: {host}")) in (400, 421), host
    for origin in ("http://evil.example", "null", "http://127.0.0.1:1", f"http://{own}.evil",
                   f"http://localhost:{server.port}"):  # fmt: skip
        assert status(get(server, "/", f"Origin: {origin}")) == 403, origin
        assert upgrade(server, f"Origin: {origin}") == 403
    assert upgrade(server) == 403  # no page at all
    assert upgrade(server, f"Origin: http://{own}") == 101


def upgrade(server: ServerProcess, *headers: str) -> int:
    host = f"Host: 127.0.0.1:{server.port}"
    lines = ["GET /socket HTTP/1.1", host, *UPGRADE, *headers, "", ""]
    with socket.create_connection((server.host, server.port), timeout=TIMEOUT) as connection:
        connection.sendall("\r\n".join(lines).encode())
        return status(connection.recv(4096))


def test_names_of_a_server_that_is_open_to_others() -> None:
    hosts = Hosts("0.0.0.0", ["Chess.example.org"])
    for name in ("192.0.2.1:80", "[2001:db8::1]:8960", "chess.example.org", "localhost:1"):
        assert hosts.know(name)
    assert not hosts.know("evil.example")
    assert not Hosts("127.0.0.1", []).know("192.0.2.1")
    assert Hosts("127.0.0.1", []).know("[::1]:8960")


# ---- what is no request


def test_huge_and_malformed_requests(server: ServerProcess) -> None:
    host = f"Host: {server.host}:{server.port}\r\n"
    noise = random.Random(7)
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"):
        assert status(get(server, "/", method=method)) == 405
    body = f"POST / HTTP/1.1\r\n{host}Content-Length: 99999999999\r\n\r\n".encode()
    assert status(send(server, body + bytes(1 << 20))) == 405
    assert (
        status(send(server, f"GET / HTTP/1.1\r\n{host}Content-Length: 5\r\n\r\nhello".encode()))
        == 413
    )
    chunked = f"GET / HTTP/1.1\r\n{host}Transfer-Encoding: chunked\r\n\r\nzz\r\n".encode()
    assert status(send(server, chunked)) in (400, 413)
    for data in (
        b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n",
        f"GET / HTTP/1.1\r\n{host}X: {'y' * 100_000}\r\n\r\n".encode(),
        b"GET / HTTP/9.9\r\n\r\n",
        b"\r\n" * 100,
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        *(noise.randbytes(500) + b"\r\n\r\n" for _ in range(20)),
    ):
        assert status(send(server, data, patience=0.3)) in (0, 400, 414, 421, 431)
    check_alive(server)


def test_ten_thousand_connections_that_nobody_uses(server: ServerProcess) -> None:
    """Newcomers are let in all the time, and the server holds only a few of the others."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    most = min(CONNECTIONS, (hard if hard != resource.RLIM_INFINITY else CONNECTIONS) - 500)
    held: list[socket.socket] = []
    try:
        for number in range(CONNECTIONS):
            connection = socket.create_connection((server.host, server.port), timeout=TIMEOUT)
            if number % 3 == 0:
                with contextlib.suppress(ConnectionError):
                    connection.sendall(b"GET / HTTP/1.1\r\nHost: ")  # and no more
            held.append(connection)
            if len(held) > most:
                held.pop(0).close()
            if number % 2500 == 2499:
                check_alive(server)
        open_files = len(os.listdir(f"/proc/{server.process.pid}/fd"))
        assert open_files < MOST_STRANGERS + 50
        check_alive(server)
        assert asyncio.run(first_lines(server.url))[0]["moves"][0] == "a1a8"
    finally:
        for connection in held:
            connection.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


# ---- visitors


@contextlib.asynccontextmanager
async def visiting(url: str) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
    headers = {"Origin": url.rstrip("/")}
    async with (
        aiohttp.ClientSession(headers=headers) as session,
        session.ws_connect(f"{url}socket", max_msg_size=0) as visitor,
    ):
        yield visitor


async def ask(visitor: aiohttp.ClientWebSocketResponse, act: str, **fields: Any) -> dict[str, Any]:
    """The first answer to a question."""
    await visitor.send_str(json.dumps({"id": 7, "do": act, **fields}))
    return dict(json.loads((await visitor.receive(timeout=TIMEOUT)).data))


async def first_lines(url: str) -> list[dict[str, Any]]:
    async with visiting(url) as visitor:
        answer = await ask(visitor, "analyse", fen=MATE_IN_ONE, lines=2)
        while answer["lines"][0]["score"] != 100_001:
            answer = json.loads((await visitor.receive(timeout=TIMEOUT)).data)
        return list(answer["lines"])


BAD = [
    "", "x", "{", "[]", "7", "null", '"look"', "{}", '{"id":1}', '{"do":"look"}',
    '{"id":"1","do":"look"}', '{"id":true,"do":"look"}', '{"id":-1,"do":"look"}',
    '{"id":1.5,"do":"look"}', '{"id":1,"do":"shutdown"}', '{"id":1,"do":["look"]}',
    '{"id":1,"do":"look","file":"/etc/passwd"}', '{"id":1,"do":"look","fen":7}',
    '{"id":1,"do":"look","fen":"8/8/8/8/8/8/8/8 w - - 0 1"}',
    '{"id":1,"do":"look","fen":"' + "r" * 200 + '"}', '{"id":1,"do":"look","moves":"e2e4"}',
    '{"id":1,"do":"look","moves":["e2e5"]}', '{"id":1,"do":"look","moves":[1]}',
    '{"id":1,"do":"look","moves":[null]}', '{"id":1,"do":"look","typed":"Ke9"}',
    '{"id":1,"do":"look","chess960":1}', '{"id":1,"do":"analyse","lines":0}',
    '{"id":1,"do":"analyse","lines":500}', '{"id":1,"do":"analyse","lines":true}',
    '{"id":1,"do":"play","elo":100}', '{"id":1,"do":"play","elo":"strong"}',
    '{"id":1,"do":"play","clocks":[1]}', '{"id":1,"do":"play","clocks":[1,2,-3]}',
    '{"id":1,"do":"play","clocks":[1,2,1e999]}', '{"id":1,"do":"start","choice":960}',
    '{"id":1,"do":"games"}', '{"id":1,"do":"games","games":"1. e5"}',
    '{"id":1,"do":"games","games":"1. e4 *","choice":9}', '{"id":NaN,"do":"look"}',
    '{"id":' + "9" * 5000 + ',"do":"look"}', "[" * 30_000, '{"id":1,"do":"look","fen":"\\ud800"}',
    '{"id":1,"do":"games","games":"\\ud800 1. e4"}',
    '{"id":1,"do":"look","moves":[' + '"e2e4",' * 3000 + '"e2e4"]}',
    '{"id":1,"do":"stop","x":"' + "y" * 100_000 + '"}',
]  # fmt: skip


def test_every_bad_message_gets_one_sentence(server: ServerProcess) -> None:
    async def talk() -> None:
        for part in range(0, len(BAD), 15):  # or there would be too many at once
            async with visiting(server.url) as visitor:
                for message in BAD[part : part + 15]:
                    await visitor.send_str(message)
                    answer = await visitor.receive(timeout=TIMEOUT)
                    assert answer.type is aiohttp.WSMsgType.TEXT, (message[:99], answer)
                    told = json.loads(answer.data)
                    assert told["kind"] == "error", message[:99]
                    assert len(told["text"]) < 400
                    assert "\n" not in told["text"]
                assert (await ask(visitor, "look"))["kind"] == "position"

    asyncio.run(talk())


def test_noise_of_all_kinds(server: ServerProcess) -> None:
    async def receive_close(visitor: aiohttp.ClientWebSocketResponse) -> int | None:
        while (await visitor.receive(timeout=TIMEOUT)).type is aiohttp.WSMsgType.TEXT:
            pass
        return visitor.close_code

    async def talk() -> None:
        async with visiting(server.url) as visitor:
            await visitor.send_bytes(bytes(100))
            assert await receive_close(visitor) == 1003
        async with visiting(server.url) as visitor:
            await visitor.send_str("x" * (1 << 20))
            assert await receive_close(visitor) == 1009
        async with visiting(server.url) as visitor:
            with contextlib.suppress(ConnectionError):
                for _ in range(500):
                    await visitor.send_str('{"id":1,"do":"look"}')
            assert await receive_close(visitor) == 1008

    asyncio.run(talk())
    check_alive(server)


def test_positions_are_python_chess_s(server: ServerProcess) -> None:
    async def talk() -> None:
        board = chess.Board()
        choose = random.Random(3)
        moves: list[str] = []
        async with visiting(server.url) as visitor:
            for _ in range(40):
                told = await ask(visitor, "look", moves=moves)
                assert told["fen"] == board.fen()
                assert sorted(told["legal"]) == sorted(move.uci() for move in board.legal_moves)
                assert (told["check"] is not None) == board.is_check()
                if told["ending"]:
                    break
                move = choose.choice(list(board.legal_moves))
                typed = await ask(visitor, "look", moves=moves, typed=board.san(move))
                assert typed["last"] == {"uci": move.uci(), "san": board.san(move)}
                board.push(move)
                moves.append(move.uci())
            told = await ask(visitor, "look", moves=["f2f3", "e7e5", "g2g4", "d8h4"])
            assert (told["ending"], told["result"], told["legal"]) == ("checkmate", "0-1", [])
            told = await ask(visitor, "start", choice=518)
            assert told["fen"] == chess.STARTING_FEN

    asyncio.run(talk())


def test_moves_hints_and_draws(server: ServerProcess) -> None:
    async def talk() -> None:
        async with visiting(server.url) as visitor:
            for elo in (800, 2000, None):
                played = await ask(visitor, "play", fen=MATE_IN_ONE, elo=elo, at_once=True,
                                   clocks=[60_000, 60_000, 1000])  # fmt: skip
                assert (played["kind"], played["last"]["san"]) == ("position", "Ra8#")
            hint = await ask(visitor, "hint", fen=MATE_IN_ONE)
            assert hint["lines"][0]["moves"] == ["a1a8"]
            # The side that does not move has a queen more, or less.
            for fen, agreed in (("3qk3/8/8/8/8/8/8/4K3 w - - 0 60", False),
                                ("4k3/8/8/8/8/8/8/3QK3 w - - 0 60", True)):  # fmt: skip
                assert (await ask(visitor, "draw", fen=fen))["agreed"] is agreed
            waits = time.monotonic()
            played = await ask(visitor, "play", elo=1200, moves=["e2e4"])
            board = chess.Board()
            board.push_uci("e2e4")
            assert chess.Move.from_uci(played["last"]["uci"]) in board.legal_moves
            assert time.monotonic() - waits > 0.25  # as a person would take

    asyncio.run(talk())


def test_fifty_visitors_at_once(server: ServerProcess) -> None:
    async def come() -> None:
        reader, writer = await knock(server.url)
        for _ in range(2):
            assert len((await read_frame(reader))["lines"]) == 3
        writer.transport.abort()

    async def run() -> None:
        await asyncio.gather(*(come() for _ in range(50)))

    asyncio.run(run())
    books = Path(f"/proc/{server.process.pid}/status").read_text()
    peak = re.search(r"VmHWM:\s+(\d+) kB", books)
    assert peak is not None
    assert int(peak[1]) < 600 * 1024


def test_games_with_too_much_in_them(server: ServerProcess) -> None:
    async def talk() -> None:
        async with visiting(server.url) as visitor:
            nested = "1. e4 " + "(1. d4 " * 20_000
            assert "nested" in (await ask(visitor, "games", games=nested))["text"]
            shuffle = "1. Nf3 Nf6 2. Ng1 Ng8 " * 12_000
            told = await ask(visitor, "games", games=shuffle)
            assert "more moves" in told["text"]
        async with visiting(server.url) as visitor:
            many = '[White "<b>"]\n\n1. e4 *\n\n' * 3000
            told = await ask(visitor, "games", games=many, choice=2999)
            assert len(told["titles"]) == 500
            assert told["game"]["moves"] == [{"uci": "e2e4", "san": "e4"}]
            told = await ask(visitor, "games", games="1. e4 e5 2. Ke3 *")
            assert [move["san"] for move in told["game"]["moves"]] == ["e4", "e5"]
            assert "Ke3" in told["game"]["problem"]

    asyncio.run(talk())


# ---- in this process, where searches can be counted


@contextlib.asynccontextmanager
async def own_server(allowance: Allowance) -> AsyncIterator[str]:
    site = Site(Visitors(allowance), Hosts("127.0.0.1", []))
    async with listening(site, "127.0.0.1", 0) as port:
        yield f"http://127.0.0.1:{port}/"


async def wait_until_quiet() -> None:
    deadline = time.monotonic() + TIMEOUT
    while engine.RUNNING:
        assert time.monotonic() < deadline, "a search goes on"
        await asyncio.sleep(0.01)


def test_searches_take_turns_and_end_with_their_visitors() -> None:
    async def come(url: str, updates: int, most: list[int]) -> list[int]:
        """The nodes told, to somebody who leaves without a word."""
        nodes: list[int] = []
        reader, writer = await knock(url)
        while len(nodes) < updates:
            told = await read_frame(reader)
            assert len(told["lines"]) == 3
            nodes.append(told["nodes"])
            most.append(len(engine.RUNNING))
        writer.transport.abort()
        return nodes

    async def run() -> None:
        most: list[int] = []
        async with own_server(Allowance(searches=2)) as url:
            told = await asyncio.gather(*(come(url, 4, most) for _ in range(12)))
            for nodes in told:
                assert nodes == sorted(nodes)
                assert nodes[-1] > nodes[0]
            # One that has just been stopped may still be on its way out.
            assert max(most) <= 4
            await wait_until_quiet()

    asyncio.run(run())


async def knock(url: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A visitor made by hand, who has asked for an analysis."""
    host = url.removeprefix("http://").rstrip("/")
    reader, writer = await asyncio.open_connection(*host.split(":"))
    lines = ["GET /socket HTTP/1.1", f"Host: {host}", f"Origin: http://{host}", *UPGRADE, "", ""]
    writer.write("\r\n".join(lines).encode())
    assert status(await reader.readuntil(b"\r\n\r\n")) == 101
    question = b'{"id":1,"do":"analyse","lines":3}'
    writer.write(bytes([0x81, 0x80 | len(question)]) + bytes(4) + question)
    return reader, writer


async def read_frame(reader: asyncio.StreamReader) -> dict[str, Any]:
    kind, size = await reader.readexactly(2)
    assert kind == 0x81
    if size == 126:
        size = int.from_bytes(await reader.readexactly(2), "big")
    return dict(json.loads(await reader.readexactly(size)))


def test_stop_another_position_and_the_end_of_the_time() -> None:
    async def run() -> None:
        async with own_server(Allowance(seconds=0.3)) as url, visiting(url) as visitor:
            first = await ask(visitor, "analyse")
            assert first["lines"]
            await visitor.send_str('{"id":8,"do":"analyse","moves":["e2e4"]}')
            while first["id"] != 8:
                first = json.loads((await visitor.receive(timeout=TIMEOUT)).data)
            while not first["done"]:
                first = json.loads((await visitor.receive(timeout=TIMEOUT)).data)
                assert first["id"] == 8
            await wait_until_quiet()
        async with own_server(Allowance()) as url, visiting(url) as visitor:
            await ask(visitor, "analyse")
            assert engine.RUNNING
            await visitor.send_str('{"id":9,"do":"stop"}')
            await wait_until_quiet()
            await ask(visitor, "analyse")
        await wait_until_quiet()

    asyncio.run(run())


def test_a_search_that_was_replaced_is_not_heard_again() -> None:
    """A stop that came together with news was lost, and the search went on."""

    async def run() -> None:
        async with own_server(Allowance()) as url, visiting(url) as visitor:
            for number in range(60):
                await visitor.send_str(json.dumps({"id": number, "do": "analyse"}))
                told = -1
                while told != number:
                    told = json.loads((await visitor.receive(timeout=TIMEOUT)).data)["id"]
                await asyncio.sleep(number % 4 * 0.001)
            for _ in range(3):
                assert json.loads((await visitor.receive(timeout=TIMEOUT)).data)["id"] == number
            await visitor.send_str('{"id":61,"do":"stop"}')
            await wait_until_quiet()

    asyncio.run(run())


def test_no_more_visitors_than_allowed() -> None:
    async def run() -> None:
        async with own_server(Allowance(visitors=1)) as url:
            async with visiting(url) as visitor:
                assert (await ask(visitor, "look"))["kind"] == "position"
                async with visiting(url) as other:
                    assert (await other.receive(timeout=TIMEOUT)).type is aiohttp.WSMsgType.CLOSE
                    assert other.close_code == 1013
            deadline = time.monotonic() + TIMEOUT
            while True:  # until the first one has gone
                async with visiting(url) as visitor:
                    await visitor.send_str('{"id":7,"do":"look"}')
                    if (await visitor.receive(timeout=TIMEOUT)).type is aiohttp.WSMsgType.TEXT:
                        break
                assert time.monotonic() < deadline

    asyncio.run(run())


def test_turns_come_round_for_newcomers_and_others() -> None:
    async def run() -> None:
        turns = Turns(1)
        held = await turns.take(is_new=True)
        order: list[str] = []

        async def come(name: str, is_new: bool) -> None:
            turn = await turns.take(is_new=is_new)
            order.append(name)
            assert len(turns.running) == 1
            turns.give_back(turn)

        tasks = [asyncio.create_task(come(name, name.startswith("new")))
                 for name in ("old 1", "old 2", "gone", "new 1", "new 2")]  # fmt: skip
        await asyncio.sleep(0)
        assert held.timer is not None  # somebody waits: it will not last
        stopped: list[str] = []
        held.run(lambda: stopped.append("in time"))
        tasks[2].cancel()
        while not held.is_over:
            await asyncio.sleep(0.01)
        held.run(lambda: stopped.append("too late"))
        assert stopped == ["in time", "too late"]
        turns.give_back(held)
        await asyncio.gather(*tasks, return_exceptions=True)
        assert order == ["old 1", "new 1", "old 2", "new 2"]  # the first one was new
        assert not turns.running

    asyncio.run(run())


# ---- how it begins and ends


def test_ctrl_c_says_goodbye_to_visitors() -> None:
    async def stay(server: ServerProcess) -> int | None:
        async with visiting(server.url) as visitor:
            await ask(visitor, "analyse")
            server.interrupt()
            while (await visitor.receive(timeout=TIMEOUT)).type is aiohttp.WSMsgType.TEXT:
                pass
            return visitor.close_code

    with ServerProcess() as server:
        assert asyncio.run(stay(server)) == 1001


def test_what_can_t_be_served_is_one_sentence(server: ServerProcess) -> None:
    def complaint(*arguments: str) -> str:
        answer = run_to_the_end(sys.executable, "-m", "uci_engine", "serve", *arguments)
        assert (answer.returncode, answer.stdout, answer.stderr.count("\n")) == (2, "", 1)
        return answer.stderr

    assert f"port {server.port}" in complaint("--port", str(server.port))
    assert "--port" in complaint("--port", "x")
    assert "no.such.host.invalid" in complaint("--host", "no.such.host.invalid")


def test_without_aiohttp_there_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "aiohttp.py").write_text("raise ImportError('not here')\n")
    program = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from uci_engine.cli import main; "
        "sys.exit(main(['serve']))"
    )
    answer = run_to_the_end(sys.executable, "-c", program)
    assert answer.returncode == 2
    assert answer.stderr == (
        "cythera: serve needs the package aiohttp: pip install 'cythera[web]'"
        " (in a checkout: .venv/bin/pip install aiohttp)\n"
    )
    program = "import sys, uci_engine.cli, uci_engine.uci; print('aiohttp' in sys.modules)"
    assert run_to_the_end(sys.executable, "-c", program).stdout == "False\n"
    assert "PYTHONPATH" in ENVIRONMENT
