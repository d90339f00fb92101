"""The board in a real browser: played on by dragging, clicking and keys, and looked at."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import chess
import chess.pgn
import pytest
from desk_serve_tools import ServerProcess, Table, started_browser

from lib.chromium import Browser
from uci_engine import Engine

pytestmark = pytest.mark.release_only

CASTLING = "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1"
CHESS960 = "1rk4r/pppppppp/8/8/8/8/PPPPPPPP/1RK4R w HBhb - 0 1"
PROMOTION = "8/P6k/8/8/8/8/8/K7 w - - 0 1"
ANNOTATED = """[Event "Test"]
[White "Ada"]
[Black "Bob <i>x</i>"]
[Result "1-0"]
[WhiteAccuracy "98.1"]
[BlackAccuracy "40.5"]

1. e4 {[%eval 0.3,12] the best} 1... f6?! {[%eval 0.9,12]} ( {better is} 1... e5 {[%eval 0.25]}
2. Nf3 ( 2. Nc3 ) 2... Nc6 ) 2. d4 {[%eval 0.85]} 2... g5?? {[%eval #1]} 3. Qh5# 1-0

[Event "Second"]
[White "Cid"]
[Black "Dan"]
[Result "*"]

1. d4 *
"""


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    with ServerProcess() as process:
        yield process


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with started_browser() as browser:
        yield browser


@pytest.fixture
def table(server: ServerProcess, browser: Browser) -> Iterator[Table]:
    tab = browser.open(server.url)
    yield Table(tab)
    assert tab.complaints == []
    tab.close()


def read_pgn(table: Table) -> chess.pgn.Game:
    game = chess.pgn.read_game(io.StringIO(table.tab.run("Tree.writePgn(desk.game)")))
    assert game is not None
    assert game.errors == []
    return game


def test_a_whole_game_by_dragging_and_by_clicking(table: Table) -> None:
    table.begin_game()
    board = chess.Board()
    with Engine() as engine:
        while True:
            table.wait_for_turn()
            board = chess.Board(table.fen)
            if table.tab.run("desk.playing.over"):
                break
            move = engine.play(board, chess.engine.Limit(nodes=3000)).move
            assert move is not None
            start, end = chess.square_name(move.from_square), chess.square_name(move.to_square)
            if board.fullmove_number % 2:
                table.drag(start, end)
            else:
                table.click(start, end)
            if move.promotion:
                table.tab.click(f"#promotion [data-piece={chess.piece_symbol(move.promotion)}]")
            table.wait_for(f"Tree.ply(lastNode()) > {board.ply()}")
    game = read_pgn(table)
    last = game.end().board()
    outcome = last.outcome(claim_draw=True)
    assert outcome is not None
    assert outcome.result() == game.headers["Result"]
    assert last.fen() == board.fen()
    assert game.headers["White"] == "You"
    reason = {chess.Termination.CHECKMATE: "wins by checkmate"}
    assert reason.get(outcome.termination, "drawn by") in table.status


def test_castling_by_the_king_s_place_or_its_rook(table: Table) -> None:
    table.set_up(CASTLING)
    table.drag("e1", "g1")
    table.wait_for("desk.node.san === 'O-O'")
    table.click("e8")
    assert table.tab.run("document.querySelectorAll('#board .target, #board .taking').length") == 6
    table.click("a8")
    table.wait_for("desk.node.san === 'O-O-O'")
    assert table.fen.startswith("2kr3r/pppppppp/8/8/8/8/PPPPPPPP/R4RK1 w - -")


def test_chess960(table: Table) -> None:
    table.set_up(CHESS960, chess960=True)
    table.click("c1", "h1")
    table.wait_for("desk.node.san === 'O-O'")
    table.drag("c8", "b8")
    table.wait_for("desk.node.san === 'O-O-O'")
    game = read_pgn(table)
    assert game.end().board().fen().startswith("2kr3r/pppppppp/8/8/8/8/PPPPPPPP/1R3RK1 w")
    table.tab.choose("#from", "960")
    table.begin_game()
    start = chess.Board(table.fen, chess960=True)
    assert start.chess960_pos() is not None
    move = next(move for move in start.legal_moves if start.piece_type_at(move.from_square) == 1)
    table.drag(chess.square_name(move.from_square), chess.square_name(move.to_square))
    table.wait_for("Tree.ply(lastNode()) === 2")
    assert read_pgn(table).headers["Variant"] == "Chess960"


def test_a_pawn_becomes_what_is_chosen(table: Table) -> None:
    table.set_up(PROMOTION)
    table.drag("a7", "a8")
    table.wait_for("!document.getElementById('promotion').hidden")
    table.tab.key("Escape")
    table.wait_for("document.getElementById('promotion').hidden")
    assert table.sans == []
    table.click("a7", "a8")
    table.tab.click("#promotion [data-piece=n]")
    table.wait_for("desk.node.san === 'a8=N'")
    assert table.fen.startswith("N7/7k/")


def test_a_move_is_taken_back_and_the_clocks_with_it(table: Table) -> None:
    table.begin_game(clock="300+3")
    table.drag("e2", "e4")
    table.wait_for("Tree.ply(lastNode()) === 2")
    table.drag("d2", "d4")
    table.wait_for("Tree.ply(lastNode()) === 4")
    assert table.tab.run("lastNode().clocks !== null")
    table.tab.click("#take-back")
    assert table.sans[:1] == ["e4"]
    assert len(table.sans) == 2
    told, left = table.tab.run("[lastNode().clocks, desk.playing.clocks]")
    assert left[1] == told[1]  # the engine's clock stands
    assert told[0] - 20_000 < left[0] <= told[0]
    table.tab.click("#take-back")
    assert table.sans == []
    table.tab.click("#resign")
    table.wait_for("desk.playing.over")
    assert table.status == "Black wins by resignation"
    assert read_pgn(table).headers["Result"] == "0-1"


def test_a_reload_keeps_the_game_and_tabs_have_their_own(
    table: Table, server: ServerProcess, browser: Browser
) -> None:
    table.begin_game(colour="black", clock="600+0")
    table.wait_for("Tree.ply(lastNode()) === 1")
    table.wait_for_turn()
    first = table.sans
    other = Table(browser.open(server.url))
    assert other.sans == []
    other.drag("g1", "f3")
    other.wait_for("desk.node.san === 'Nf3'")
    table.tab.reload()
    table.wait_for("desk.node.info !== null")
    assert table.sans == first
    assert table.tab.run("desk.flipped && desk.playing.clocks[0] > 500000")
    table.tab.type("#typed", "a6")
    table.tab.key("Enter")
    table.wait_for("Tree.ply(lastNode()) === 3")
    assert table.sans[1] == "a6"
    assert other.sans == ["Nf3"]
    assert other.tab.complaints == []
    other.tab.close()


def test_analysis_is_started_and_stopped(table: Table) -> None:
    table.set_up("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
    table.tab.click("#analyse")
    table.wait_for("document.querySelectorAll('#found li').length === 3")
    table.wait_for("document.querySelector('#found li').textContent.includes('#1')")
    assert table.tab.run("document.querySelectorAll('#board .arrow').length") == 3
    assert table.tab.run("document.getElementById('bar-white').style.height") == "100%"
    table.tab.click("#found button")
    table.wait_for("desk.node.san === 'Ra8#' && desk.node.info !== null")
    assert table.status == "checkmate"
    table.tab.key("ArrowLeft")
    table.wait_for("document.querySelectorAll('#found li').length === 3")
    table.tab.click("#analyse")
    table.wait_for("document.querySelectorAll('#found li, #board .arrow').length === 0")
    assert table.tab.run("getComputedStyle(document.getElementById('bar')).visibility") == "hidden"


def test_annotated_games_are_walked_through(table: Table) -> None:
    table.tab.run("document.getElementById('load').open = true")
    table.tab.type("#pgn", ANNOTATED)
    table.tab.click("#read-pgn")
    table.wait_for("desk.game.headers.White === 'Ada'")
    assert table.tab.text("#title") == "Ada – Bob <i>x</i>"  # noqa: RUF001
    assert table.sans == ["e4", "f6?!", "e5", "Nf3", "Nc3", "Nc6", "d4", "g5??", "Qh5#"]
    assert table.tab.text("#said") == "accuracy: White 98.1%, Black 40.5%"
    table.tab.click("#end")
    table.wait_for("desk.node.san === 'Qh5#' && desk.node.info !== null")
    table.tab.key("ArrowLeft")
    assert table.tab.text("#said") == "evaluation #1"
    assert table.tab.run("document.getElementById('curve').getBoundingClientRect().height") > 50
    table.tab.click("#curve")  # in its middle, between two moves
    assert table.tab.run("desk.node.san") in ("f6", "d4")
    table.tab.key("Home")
    table.tab.key("ArrowRight")
    assert table.tab.text("#said") == "evaluation +0.30 · the best"
    game = read_pgn(table)
    source = chess.pgn.read_game(io.StringIO(ANNOTATED))
    assert source is not None
    assert str(game.accept(chess.pgn.StringExporter())) == str(
        source.accept(chess.pgn.StringExporter())
    )
    table.tab.choose("#choice", "1")
    table.wait_for("desk.game.headers.White === 'Cid'")
    assert table.sans == ["d4"]


def test_a_position_is_set_up_by_pieces(table: Table) -> None:
    table.tab.run("document.getElementById('set-up').open = true")
    table.tab.click("#clear")
    table.tab.click("[data-brush=Q]")
    table.click("d1")
    table.tab.click("[data-brush=p]")
    table.click("h7", "a7")
    table.click("a7")
    table.drag("h7", "h6")
    table.tab.choose("#turn", "b")
    table.tab.click("#use-fen")
    table.wait_for("!desk.setUp && desk.node.info !== null")
    assert table.fen == "4k3/8/7p/8/8/8/8/3QK3 b - - 0 1"
    table.tab.type("#fen", "8/8/8/8/8/8/8/8 w - - 0 1")
    table.tab.click("#use-fen")
    table.wait_for("document.getElementById('status').className === 'wrong'")
    assert "king" in table.status


def test_by_keys_alone_and_copied(table: Table, browser: Browser) -> None:
    table.tab.run("document.getElementById('board').focus()")
    for key in ("ArrowUp", "Enter", "ArrowUp", "ArrowUp", "Enter"):
        table.tab.key(key)
    table.wait_for("desk.node.san === 'e4' && desk.node.info !== null")
    browser.ask("Browser.grantPermissions", permissions=["clipboardReadWrite"])
    table.tab.ask("Page.bringToFront")
    table.tab.click("#copy-fen")
    table.wait_for("document.getElementById('copied').textContent === 'FEN copied'")
    copied = table.tab.run("navigator.clipboard.readText()")
    assert copied == "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
    table.tab.click("#copy-pgn")
    table.wait_for("document.getElementById('copied').textContent === 'PGN copied'")
    assert "1. e4 *" in table.tab.run("navigator.clipboard.readText()")


def test_a_server_that_comes_back_is_found_again(browser: Browser) -> None:
    with ServerProcess() as server:
        table = Table(browser.open(server.url))
        table.begin_game(clock="600+0")
        table.drag("e2", "e4")
        table.wait_for("Tree.ply(lastNode()) === 2")
        sans = table.sans
    table.wait_for("document.getElementById('status').className === 'wrong'")
    table.wait_for("runningSide() === null")  # nobody loses time over it
    with ServerProcess("--port", str(server.port)):
        table.wait_for("document.getElementById('status').textContent === 'your move'")
        assert table.sans == sans
        table.drag("d2", "d4")
        table.wait_for("Tree.ply(lastNode()) === 4")
        table.tab.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_the_board_without_scrolling_aside(
    table: Table, scheme: str, tmp_path: Path
) -> None:
    table.tab.choose_scheme(scheme)
    table.tab.resize(360, 740, is_phone=True)
    table.tab.touch_drag(table.square("e2"), table.square("e4"))
    table.wait_for("desk.node.san === 'e4'")
    assert table.tab.run("document.documentElement.scrollWidth") == 360
    paper = table.tab.run("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, paper[4:-1].split(","))) < 384) == (scheme == "dark")
    table.tab.take_picture(tmp_path / "phone.png")
    assert (tmp_path / "phone.png").stat().st_size > 10_000
