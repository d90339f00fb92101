"""Engine and AsyncEngine: options, books and strength as by UCI; thinking ahead; many at once."""

from __future__ import annotations

import asyncio
import dataclasses
import inspect
import json
import struct
import time
import warnings
from pathlib import Path

import chess
import chess.engine
import chess.polyglot
import pytest
from chess.engine import EngineError, EngineTerminatedError, Limit
from syzygy_tables import THREE_MEN
from uci_process import COMMAND, ENVIRONMENT, MATE_IN_ONE, MATED, TIMEOUT

from uci_engine import AsyncEngine, Board, Engine
from uci_engine.bench import POSITIONS
from uci_engine.learn.parameters import first_parameters, quantise
from uci_engine.network import NetworkFile, format_network

pytestmark = pytest.mark.release_only

NEVER_ENDS = Limit(nodes=10**15)
SHORT = Limit(nodes=500)


def play(engine: Engine, board: chess.Board) -> chess.Move:
    move = engine.play(board, SHORT).move
    assert move is not None
    return move


# ---- options


def test_options_and_name_are_those_of_the_uci_engine() -> None:
    with (
        Engine(hash_mb=1) as engine,
        chess.engine.SimpleEngine.popen_uci(COMMAND, timeout=TIMEOUT, env=ENVIRONMENT) as client,
    ):
        assert engine.id == dict(client.id)
        for name, theirs in client.options.items():
            nothing = theirs.default == "<empty>"  # as UCI writes an empty text
            expected = dataclasses.replace(theirs, default="") if nothing else theirs
            assert engine.options[name] == expected
        assert engine.options.keys() == set(client.options)
        engine.ping()


def test_options_are_set_as_by_uci() -> None:
    with (
        Engine() as engine,
        chess.engine.SimpleEngine.popen_uci(COMMAND, timeout=TIMEOUT, env=ENVIRONMENT) as client,
    ):
        settings = {"Skill Level": 3, "UCI_LimitStrength": True, "UCI_Elo": 1200, "Hash": 4}
        engine.configure(settings)
        client.configure(settings)
        for fen in POSITIONS[:8]:
            board = chess.Board(fen)
            theirs = client.play(board, Limit(nodes=3000), game=fen)
            assert engine.play(board, Limit(nodes=3000), game=fen).move == theirs.move


@pytest.mark.parametrize(
    "options",
    [{"Hash": 0}, {"No such option": 1}, {"UCI_Elo": 12}, {"SyzygyPath": "/no/such/place"}],
    ids=str,
)
def test_wrong_options_are_errors_of_the_engine(options: dict[str, object]) -> None:
    with Engine(hash_mb=1) as engine:
        with pytest.raises(EngineError, match=r"\A[^\n]+\Z"):
            engine.configure(options)
        assert play(engine, chess.Board())


@pytest.mark.parametrize(
    "options",
    [{"elo": 5}, {"skill": 99}, {"book": "/no/such/book"}, {"syzygy": "/no/such/place"}],
    ids=str,
)
def test_wrong_settings_are_named(options: dict[str, object]) -> None:
    with pytest.raises((ValueError, OSError)):
        Engine(**options)  # type: ignore[arg-type]


def test_a_damaged_table_is_warned_of_once(tmp_path: Path) -> None:
    table = tmp_path / "KRvK.rtbw"
    table.write_bytes((THREE_MEN / table.name).read_bytes()[:100])
    board = chess.Board("8/8/8/4k3/8/8/8/KR6 w - - 0 1")
    with Engine(hash_mb=1, syzygy=tmp_path) as engine:
        with pytest.warns(RuntimeWarning, match=r"KRvK\.rtbw is of no use") as told:
            assert play(engine, board)
        assert len(told) == 1
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert play(engine, board)


def test_strength_is_limited_by_nodes() -> None:
    with Engine(hash_mb=1, elo=1200) as weak, Engine(hash_mb=1, skill=2) as beginner:
        for engine in (weak, beginner):
            assert engine.play(chess.Board(), Limit(nodes=200_000)).info["nodes"] < 50_000
            # What is analysed is analysed at full strength, as python-chess asks engines to.
            assert engine.analyse(chess.Board(), Limit(nodes=50_000))["nodes"] == 50_000


def test_a_seed_makes_other_games() -> None:
    def opening(seed: int) -> list[chess.Move | None]:
        with Engine(hash_mb=1, elo=800, seed=seed) as engine:
            return [engine.play(Board(), Limit(nodes=1000)).move for _ in range(8)]

    games = [opening(seed) for seed in (1, 1, 2, 3)]
    assert games[0] == games[1]
    assert games[0] != games[2] or games[0] != games[3]


def test_options_of_one_search_do_not_last() -> None:
    limited = {"UCI_LimitStrength": True, "UCI_Elo": 800}
    with Engine(hash_mb=1) as engine:
        weak = engine.play(chess.Board(), Limit(nodes=20_000), options=limited)
        assert weak.info["nodes"] < 1000
        assert engine.play(chess.Board(), Limit(nodes=20_000)).info["nodes"] == 20_000
        with pytest.raises(ValueError, match="Hash is set by configure"):
            engine.play(chess.Board(), SHORT, options={"Hash": 4})


def test_a_book_is_played_from_but_not_analysed_with(tmp_path: Path) -> None:
    path = tmp_path / "book.bin"
    key = chess.polyglot.zobrist_hash(chess.Board())
    a2a3 = chess.A3 | chess.A2 << 6
    path.write_bytes(struct.pack(">QHHI", key, a2a3, 1, 0))
    with Engine(hash_mb=1, book=path) as engine:
        assert engine.play(chess.Board(), SHORT).move == chess.Move.from_uci("a2a3")
        assert engine.analyse(chess.Board(), SHORT)["pv"][0] != chess.Move.from_uci("a2a3")


def test_a_network_from_a_file_evaluates(tmp_path: Path) -> None:
    path = tmp_path / "own.nnue"
    weights = quantise(first_parameters(64, 1, seed=1), 64, 1)
    path.write_bytes(format_network(NetworkFile(64, 1, 400, "{}", weights)))
    with Engine(hash_mb=1) as classical, Engine(hash_mb=1, eval_file=path) as engine:
        board, limit = chess.Board(POSITIONS[1]), Limit(nodes=1000)
        assert engine.analyse(board, limit)["score"] != classical.analyse(board, limit)["score"]
    with pytest.raises((ValueError, OSError)):
        Engine(eval_file=tmp_path / "missing.nnue")


def test_a_fen_of_chess960_needs_to_be_called_so() -> None:
    fen = "r1k4r/p6p/8/8/8/8/P6P/R1K4R w HAha - 0 1"
    with Engine(hash_mb=1) as engine, pytest.raises(ValueError, match="Chess960"):
        engine.play(fen, SHORT)
    with Engine(hash_mb=1, chess960=True) as engine:
        assert engine.play(fen, SHORT).move in list(Board(fen, chess960=True).legal_moves)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(Engine, chess.engine.SimpleEngine), (AsyncEngine, chess.engine.UciProtocol)],
)
def test_what_calls_python_chess_s_engines_calls_ours(ours: type, theirs: type) -> None:
    """By the same names with the same arguments: bots need not know the difference."""
    for name in (
        *("play", "analyse", "analysis", "configure", "ping", "quit"),
        *("send_game_result", "send_opponent_information"),
    ):
        wanted, given = (inspect.signature(getattr(kind, name)) for kind in (theirs, ours))
        assert [(p.name, p.kind) for p in given.parameters.values()] == [
            (p.name, p.kind) for p in wanted.parameters.values()
        ], name


def test_what_other_engines_are_told_is_taken() -> None:
    opponent = chess.engine.Opponent("somebody", "GM", 2500, False)
    with Engine(hash_mb=1) as engine:
        engine.send_opponent_information(opponent=opponent, engine_rating=3000)
        board = chess.Board()
        result = engine.play(board, SHORT, draw_offered=True, opponent=opponent)
        assert result.move == engine.play(board, SHORT, game="another").move
        engine.send_game_result(board, chess.WHITE, "resigned", game_complete=False)

    async def ask() -> None:
        async with AsyncEngine(hash_mb=1) as engine:
            await engine.send_opponent_information(opponent=opponent)
            await engine.play(board, SHORT, draw_offered=True, opponent=opponent)
            await engine.send_game_result(board)
        with pytest.raises(EngineTerminatedError):
            await engine.send_game_result(board)

    asyncio.run(ask())


@pytest.mark.parametrize("ask", ["play", "analyse"])
def test_a_limit_that_limits_nothing_is_refused(ask: str) -> None:
    with Engine(hash_mb=1) as engine, pytest.raises(ValueError, match="a limit is needed"):
        getattr(engine, ask)(chess.Board(), Limit())


def test_chances_have_a_point_of_view() -> None:
    with Engine(hash_mb=1) as engine:
        chances = engine.analyse(chess.Board(MATE_IN_ONE).mirror(), Limit(depth=3))["wdl"]
        assert chances == chess.engine.PovWdl(chess.engine.Wdl(1000, 0, 0), chess.BLACK)
        even = engine.analyse(chess.Board(), Limit(depth=6))["wdl"].white()
        assert even.total() == 1000
        assert even.draws > even.losses


# ---- thinking in the opponent's time


def wait_for_depth(engine: Engine, depth: int) -> int:
    """Until the search of the opponent's time has come so far."""
    deadline = time.monotonic() + TIMEOUT
    while time.monotonic() < deadline:
        assert engine._pondering is not None
        reached = engine._pondering.lines[0].get("depth", 0)
        if reached >= depth:
            return reached
        time.sleep(0.01)
    raise AssertionError("no progress in the opponent's time")


def test_thoughts_about_the_expected_answer_are_not_lost() -> None:
    board = chess.Board()
    with Engine(hash_mb=4) as engine:
        first = engine.play(board, Limit(time=0.05), ponder=True)
        assert first.move is not None
        assert first.ponder is not None
        board.push(first.move)
        board.push(first.ponder)
        reached = wait_for_depth(engine, 8)
        second = engine.play(board, Limit(time=0.05))
        assert second.info["depth"] >= reached
        assert second.move in list(board.legal_moves)


def test_another_answer_ends_the_thoughts() -> None:
    board = chess.Board()
    with Engine(hash_mb=4) as engine:
        first = engine.play(board, SHORT, ponder=True)
        assert first.move is not None
        board.push(first.move)
        board.push(next(move for move in board.legal_moves if move != first.ponder))
        assert engine.play(board, SHORT).move in list(board.legal_moves)
        assert engine._pondering is None
        engine.play(board, SHORT, ponder=True)
        assert engine.analyse(chess.Board(MATE_IN_ONE), SHORT)["score"].relative.is_mate()
        engine.play(board, SHORT, ponder=True)
        engine.configure({"Hash": 2})
        assert engine.play(chess.Board(MATED), SHORT, ponder=True).move is None
        engine.play(board, SHORT, ponder=True)


# ---- async


def test_the_async_engine_finds_what_the_other_one_finds() -> None:
    async def ask() -> None:
        async with AsyncEngine(hash_mb=1) as engine:
            with Engine(hash_mb=1) as other:
                for fen in POSITIONS[:4]:
                    board = chess.Board(fen)
                    result = await engine.play(board, SHORT, game=fen)
                    assert result.move == other.play(board, SHORT, game=fen).move
                    infos = await engine.analyse(board, SHORT, multipv=2, game=(fen,))
                    expected = other.analyse(board, SHORT, multipv=2, game=(fen,))
                    assert [info["pv"] for info in infos] == [info["pv"] for info in expected]
            assert engine.id["name"].startswith("Cythera ")
            await engine.configure({"Hash": 2})
            await engine.ping()
            assert "Hash" in engine.options
        with pytest.raises(EngineTerminatedError):
            await engine.play(chess.Board(), SHORT)

    asyncio.run(ask())


def test_findings_are_iterated_over_as_they_come() -> None:
    async def ask() -> None:
        async with AsyncEngine(hash_mb=1) as engine:
            with await engine.analysis(chess.Board()) as analysis:
                async for info in analysis:
                    if info["depth"] >= 5:
                        break
            best = await analysis.wait()
            assert best.move == analysis.info["pv"][0]
            with await engine.analysis(chess.Board(), Limit(depth=4)) as analysis:
                depths = [info["depth"] async for info in analysis]
            assert depths == sorted(depths)
            assert depths[-1] == 4
            assert await analysis.next() is None
            with pytest.raises(chess.engine.AnalysisComplete):
                await analysis.get()
            assert analysis.empty()
            assert not analysis.would_block()

    asyncio.run(ask())


def test_nodes_are_counted_between_findings() -> None:
    async def ask() -> None:
        async with AsyncEngine(hash_mb=1) as engine:
            with await engine.analysis(chess.Board()) as analysis:
                while analysis.info.get("depth", 0) < 6:
                    await analysis.get()
                counts = [analysis.nodes]
                while len(counts) < 5:  # for as long as it takes: a search never stands still
                    await asyncio.sleep(0.001)
                    if analysis.nodes != counts[-1]:
                        counts.append(analysis.nodes)
                assert counts == sorted(counts)
            await analysis.wait()
            assert analysis.nodes == analysis.info["nodes"] >= counts[-1]

    asyncio.run(ask())


def test_other_tasks_run_while_the_engine_searches() -> None:
    async def ask() -> int:
        ticks = 0
        async with AsyncEngine(hash_mb=1) as engine:
            search = asyncio.create_task(engine.play(chess.Board(), NEVER_ENDS))
            for _ in range(20):
                await asyncio.sleep(0.001)
                ticks += 1
            assert not search.done()
            search.cancel()
            with pytest.raises(asyncio.CancelledError):
                await search
            # The cancelled search was stopped: the engine is free for the next one.
            assert (await engine.play(chess.Board(), SHORT)).move is not None
        return ticks

    assert asyncio.run(ask()) == 20


def test_pondering_goes_on_between_awaited_moves() -> None:
    async def ask() -> None:
        board = chess.Board()
        async with AsyncEngine(hash_mb=1) as engine:
            for _ in range(4):
                result = await engine.play(board, Limit(time=0.02), ponder=True)
                assert result.move is not None
                board.push(result.move)
                board.push(result.ponder or next(iter(board.legal_moves)))

    asyncio.run(ask())


def test_errors_reach_the_one_who_waits() -> None:
    async def ask() -> None:
        async with AsyncEngine(hash_mb=1) as engine:
            with pytest.raises(ValueError, match="bad FEN"):
                await engine.play("8/8", SHORT)
            with pytest.raises(ValueError, match="a limit is needed"):
                await engine.analyse(chess.Board(), Limit())
            with pytest.raises(EngineError):
                await engine.configure({"Hash": -1})
            running = asyncio.create_task(engine.play(chess.Board(), NEVER_ENDS))
            waiting = asyncio.create_task(engine.play(chess.Board(), NEVER_ENDS))
            await asyncio.sleep(0.05)
            engine.close()
            assert (await running).move is not None
            with pytest.raises(EngineTerminatedError):
                await waiting

    asyncio.run(ask())


def test_a_web_server_answers_many_at_once() -> None:
    """aiohttp: two engines behind a handler that awaits them; health checks never wait."""
    web = pytest.importorskip("aiohttp.web", reason="the server is one of aiohttp's")
    client_module = pytest.importorskip("aiohttp")

    async def serve_and_ask() -> None:
        engines: asyncio.Queue[AsyncEngine] = asyncio.Queue()
        for _ in range(2):
            engines.put_nowait(AsyncEngine(hash_mb=1))

        async def best(request: object) -> object:
            engine = await engines.get()
            try:
                result = await engine.play(request.query["fen"], Limit(nodes=2000))  # type: ignore[attr-defined]
            except ValueError as error:
                return web.json_response({"error": str(error)}, status=400)
            finally:
                engines.put_nowait(engine)
            return web.json_response({"move": str(result.move)})

        async def health(_: object) -> object:
            return web.json_response({"ok": True})

        application = web.Application()
        application.add_routes([web.get("/best", best), web.get("/health", health)])
        runner = web.AppRunner(application)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port = runner.addresses[0][1]
        async with client_module.ClientSession(f"http://127.0.0.1:{port}") as client:

            async def ask(path: str, **query: str) -> dict[str, object]:
                async with client.get(path, params=query) as answer:
                    found: dict[str, object] = json.loads(await answer.text())
                    return found

            asked = [ask("/best", fen=fen) for fen in POSITIONS[:12] * 4]
            healthy = [ask("/health") for _ in range(20)]
            answers = await asyncio.gather(*asked, *healthy, ask("/best", fen="8/8"))
        await runner.cleanup()
        for fen, answer in zip(POSITIONS[:12] * 4, answers, strict=False):
            assert Board(fen).is_legal(str(answer["move"]))
        assert answers[48:68] == [{"ok": True}] * 20
        assert "bad FEN" in str(answers[68]["error"])
        while not engines.empty():
            engines.get_nowait().close()

    asyncio.run(serve_and_ask())


def test_a_notebook_shows_boards_and_plays(tmp_path: Path) -> None:
    nbformat = pytest.importorskip("nbformat", reason="a notebook needs Jupyter's packages")
    preprocessors = pytest.importorskip("nbconvert.preprocessors", reason="as above")
    pytest.importorskip("ipykernel", reason="as above")
    cells = [
        "import chess.engine\nfrom uci_engine import AsyncEngine, Board, Engine",
        "board = Board()\nboard.push_san('e4')\nboard",
        "with Engine(hash_mb=1) as engine:\n"
        "    answer = engine.play(board, chess.engine.Limit(nodes=500)).move\nanswer",
        "async with AsyncEngine(hash_mb=1) as engine:\n"
        "    found = await engine.analyse(board, chess.engine.Limit(depth=3))\nfound['depth']",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    preprocessors.ExecutePreprocessor(timeout=TIMEOUT).preprocess(
        notebook, {"metadata": {"path": str(tmp_path)}}
    )
    board, answer, depth = (cell.outputs[-1]["data"] for cell in notebook.cells[1:])
    assert "<svg" in board["image/svg+xml"]
    assert "Board('rnbqkbnr/pppppppp/8/8/4P3/" in board["text/plain"]
    assert answer["text/plain"].startswith("Move.from_uci(")
    assert depth["text/plain"] == "3"
