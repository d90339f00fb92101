"""A real client: python-chess's `chess.engine`."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import chess
import chess.engine
import pytest
import yaml
from uci_process import CHESS960, COMMAND, ENVIRONMENT, MATE_IN_ONE, ROOT, TIMEOUT

from uci_engine.options import find_option

pytestmark = pytest.mark.release_only


@pytest.fixture
def client() -> Iterator[chess.engine.SimpleEngine]:
    with chess.engine.SimpleEngine.popen_uci(COMMAND, timeout=TIMEOUT, env=ENVIRONMENT) as client:
        yield client


def test_identity(client: chess.engine.SimpleEngine) -> None:
    assert client.id["name"].startswith("Cythera")
    assert client.id["author"]


def test_a_game_by_the_clock(client: chess.engine.SimpleEngine) -> None:
    board = chess.Board()
    clocks = {chess.WHITE: 1.0, chess.BLACK: 1.0}
    while not board.is_game_over() and board.ply() < 60:
        limit = chess.engine.Limit(
            white_clock=clocks[chess.WHITE],
            black_clock=clocks[chess.BLACK],
            white_inc=0.01,
            black_inc=0.01,
        )
        started = time.monotonic()
        result = client.play(board, limit)
        # On a busy machine the flag may fall, for which nobody here is to blame.
        used = time.monotonic() - started
        clocks[board.turn] = max(clocks[board.turn] - used, 0) + 0.01
        assert result.move is not None
        board.push(result.move)


@pytest.mark.parametrize(
    "limit",
    [
        chess.engine.Limit(time=0.02),
        chess.engine.Limit(depth=5),
        chess.engine.Limit(nodes=500),
        chess.engine.Limit(mate=1, depth=5),
        chess.engine.Limit(white_clock=5, black_clock=5, remaining_moves=2, depth=5),
        chess.engine.Limit(white_clock=60, time=0.02, depth=20),
    ],
    ids=str,
)
def test_play_with_every_limit(
    client: chess.engine.SimpleEngine, limit: chess.engine.Limit
) -> None:
    board = chess.Board(MATE_IN_ONE)
    result = client.play(board, limit, info=chess.engine.INFO_ALL)
    assert result.move in set(board.legal_moves)
    assert "score" in result.info


def test_play_a_game_with_pondering(client: chess.engine.SimpleEngine) -> None:
    board = chess.Board()
    for _ in range(6):
        result = client.play(board, chess.engine.Limit(white_clock=2, black_clock=2), ponder=True)
        assert result.move is not None
        board.push(result.move)
        reply = result.ponder or next(iter(board.legal_moves))
        if board.ply() % 4 == 2:  # now and then the guess is wrong
            reply = next(move for move in board.legal_moves if move != reply)
        board.push(reply)
    client.ping()


def test_root_moves(client: chess.engine.SimpleEngine) -> None:
    board = chess.Board()
    wanted = [chess.Move.from_uci("a2a3"), chess.Move.from_uci("h2h4")]
    assert client.play(board, chess.engine.Limit(depth=4), root_moves=wanted).move in wanted
    # An empty list is sent as `searchmoves 0000`.
    assert client.play(board, chess.engine.Limit(depth=2), root_moves=[]).move in set(
        board.legal_moves
    )


def test_finished_games(client: chess.engine.SimpleEngine) -> None:
    for fen in ("7k/5KQ1/8/8/8/8/8/8 b - - 0 1", "7k/5K2/6Q1/8/8/8/8/8 b - - 0 1"):
        board = chess.Board(fen)
        info = client.analyse(board, chess.engine.Limit(depth=3))
        assert info["score"].relative in (chess.engine.Mate(0), chess.engine.Cp(0))


def test_analyse_several_lines(client: chess.engine.SimpleEngine) -> None:
    infos = client.analyse(chess.Board(), chess.engine.Limit(depth=7), multipv=3)
    assert [info["multipv"] for info in infos] == [1, 2, 3]
    assert len({info["pv"][0] for info in infos}) == 3
    for info in infos:
        assert info["depth"] == 7
        assert {"score", "nodes", "nps", "seldepth", "hashfull", "tbhits", "time"} <= info.keys()


def test_analysis_without_an_end(client: chess.engine.SimpleEngine) -> None:
    with client.analysis(chess.Board()) as analysis:
        for info in analysis:
            if info.get("depth", 0) >= 5:
                break
        analysis.stop()
        best = analysis.wait()
    assert best.move is not None
    client.ping()


def test_wdl(client: chess.engine.SimpleEngine) -> None:
    client.configure({"UCI_ShowWDL": True})
    info = client.analyse(chess.Board(), chess.engine.Limit(depth=5))
    assert sum(info["wdl"].relative) == 1000


def test_every_option_can_be_configured(client: chess.engine.SimpleEngine) -> None:
    managed = [name for name, option in client.options.items() if option.is_managed()]
    assert {"MultiPV", "Ponder", "UCI_Chess960"} <= set(managed)
    defaults = {
        name: option.default
        for name, option in client.options.items()
        if name not in managed and option.type != "button"
    }
    client.configure(defaults)
    client.configure({"Clear Hash": None, "Move Overhead": 100, "Hash": 8, "Threads": 2})
    assert client.play(chess.Board(), chess.engine.Limit(depth=5)).move is not None


def test_chess960(client: chess.engine.SimpleEngine) -> None:
    board = chess.Board(CHESS960, chess960=True)
    castling = chess.Move.from_uci("c1h1")
    result = client.play(board, chess.engine.Limit(depth=4), root_moves=[castling])
    assert result.move == castling
    board.push(castling)
    assert client.play(board, chess.engine.Limit(depth=4)).move in set(board.legal_moves)
    # And back to the other notation.
    board = chess.Board("r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1")
    castling = chess.Move.from_uci("e1g1")
    assert client.play(board, chess.engine.Limit(depth=4), root_moves=[castling]).move == castling


def test_a_client_that_kills_its_transport() -> None:
    async def talk() -> None:
        transport, protocol = await chess.engine.popen_uci(COMMAND, env=ENVIRONMENT)
        await protocol.analysis(chess.Board())
        await asyncio.sleep(0.05)
        transport.close()

    asyncio.run(talk())


def test_the_block_for_lichess_bot_can_be_pasted() -> None:
    text = (ROOT / "docs" / "GUIS.md").read_text()
    block = yaml.safe_load(text.split("```yaml\n")[1].split("```")[0])
    engine = block.pop("engine")
    assert not block
    assert engine["protocol"] == "uci"
    assert Path(engine["dir"], engine["name"]) == Path("/path/to/cythera")
    for name, value in engine["uci_options"].items():
        option = find_option(name)
        assert option.name == name
        option.parse(str(value))
