"""The page of an analysis, as another program reads it and as a real browser shows it to somebody
who has a keyboard and no mouse."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import chess
import pytest
from arena_tools import run
from browser import Page, placed

from lib.chromium import Browser, Tab, find_browser

pytestmark = pytest.mark.release_only

GAMES = """\
[White "<b>a & co"]
[Black "</script>"]
[Result "0-1"]

1. f3 { [%clk 0:03:00] } 1... e5 { [%clk 0:03:01] } 2. g4 { [%clk 0:02:50] }
2... Qh4# { [%clk 0:02:58] } 0-1

[White "C"]
[Black "D"]
[Result "1-0"]
[SetUp "1"]
[FEN "r3k2r/1P4pp/8/3pP3/8/8/6PP/R3K2R w KQkq d6 0 20"]

20. exd6 Rxa1+ 21. Ke2 Rxh1 22. b8=Q+ Kf7 23. Qxh8 Rxh2 24. d7 1-0
"""

BOARD = """(() => {
  const pieces = {};
  for (const use of document.querySelectorAll("#board use")) {
    const [x, y] = use.getAttribute("transform").match(/\\d+/g).map(Number);
    pieces["abcdefgh"[x / 10] + (8 - y / 10)] = use.getAttribute("href").slice(1);
  }
  return pieces;
})()"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("analysis")
    (place / "games.pgn").write_text(GAMES)
    answer = run("analyse", place / "games.pgn", "--nodes", "2000", "--out", place / "x", "--json")
    assert answer.returncode == 0
    (place / "found.json").write_text(answer.stdout)
    return place


@pytest.fixture(scope="module")
def found(place: Path) -> list[dict[str, Any]]:
    games: list[dict[str, Any]] = json.loads((place / "found.json").read_text())["games"]
    return games


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if find_browser() is None:
        pytest.skip("there is no Chromium to open the page in")
    with Browser() as browser:
        yield browser


@pytest.fixture
def tab(browser: Browser, place: Path) -> Iterator[Tab]:
    tab = browser.open((place / "x.html").as_uri())
    yield tab
    assert tab.complaints == []
    tab.close()


def test_one_page_and_nothing_to_fetch(place: Path) -> None:
    text = (place / "x.html").read_text()
    page = Page(text)
    assert page.links == []
    assert "url(" not in text
    assert "@import" not in text
    words = " ".join(page.texts)
    for part in ("All games", "Turning points", "What the figures mean", "0.00368208", "103.1668",
                 "</script>", "<b>a & co"):  # fmt: skip
        assert part in words
    assert [game["number"] for game in json.loads(page.data["records"])] == [1, 2]


def test_games_are_replayed_by_keyboard(tab: Tab, found: list[dict[str, Any]]) -> None:
    """Each position as python-chess has it, with what was found: en passant, promotion too."""
    for number, game in enumerate(found):
        if number:  # its row is reached and chosen by keys alone
            tab.run("document.querySelectorAll('#games tbody tr')[0].focus()")
            tab.key("Tab")
            tab.key("Enter")
        assert tab.text("#title").startswith(f"Game {number + 1}: ")
        tab.key("Home")
        board = chess.Board(game["fen"])
        assert tab.run(BOARD) == placed(board)
        for move in game["moves"]:
            tab.key("ArrowRight")
            board.push_uci(move["uci"])
            assert tab.run(BOARD) == placed(board)
            check_said(tab.text("#said"), move)
        tab.key("ArrowLeft")
        board.pop()
        assert tab.run(BOARD) == placed(board)
        tab.key("End")
        assert tab.run("location.hash") == f"#game-{number + 1}-{len(game['moves'])}"


def test_who_passes_leaves_the_board_as_it_is(browser: Browser, tmp_path: Path) -> None:
    """Notes write a null move as --, also in the game itself."""
    (tmp_path / "notes.pgn").write_text("1. e4 -- 2. d4 d5 *\n")
    out = tmp_path / "x"
    assert run("analyse", tmp_path / "notes.pgn", "--nodes", "100", "--out", out).returncode == 0
    tab = browser.open(out.with_suffix(".html").as_uri())
    tab.key("Home")
    board = chess.Board()
    for move in ("e2e4", "0000", "d2d4", "d7d5"):
        tab.key("ArrowRight")
        board.push_uci(move)
        assert tab.run(BOARD) == placed(board)
    assert tab.complaints == []
    tab.close()


def check_said(said: str, move: dict[str, Any]) -> None:
    if move["mate"] == 0:
        assert "checkmate" in said
    elif move["mate"] is not None:
        assert f"#{abs(move['mate'])}" in said
    else:
        score = f"{move['centipawns'] / 100:+.2f}".replace("-", "\N{MINUS SIGN}")
        assert score in said
    percent = float(said.split("chances ")[1].split("%")[0])
    assert percent == pytest.approx(move["win_percent"], abs=0.1)
    judgement = move["judgement"]
    names = [name for name in ("inaccuracy", "mistake", "blunder") if said.lower().startswith(name)]
    assert names == ([judgement] if judgement else [])
    if move["seconds"] is not None:
        assert f"took {move['seconds']:.1f} s" in said


def test_mistakes_are_stepped_through_by_keyboard(tab: Tab, found: list[dict[str, Any]]) -> None:
    places = [n for n, move in enumerate(found[0]["moves"], 1) if move["judgement"]]
    assert places
    seen = []
    tab.key("Home")
    for _ in places:
        tab.key("n")
        seen.append(int(tab.run("document.querySelector('#moves .now').dataset.ply")))
    assert seen == places
    tab.key("n")  # there is no further one
    tab.key("p")
    if len(places) > 1:
        assert int(tab.run("document.querySelector('#moves .now').dataset.ply")) == places[-2]
    tab.key("f")
    corner = tab.run("document.querySelector('#board .coordinate').textContent")
    tab.key("f")
    assert corner != tab.run("document.querySelector('#board .coordinate').textContent")


def test_turning_points_show_the_better_line(tab: Tab, found: list[dict[str, Any]]) -> None:
    game = found[0]
    judged = [n for n, move in enumerate(game["moves"]) if move["judgement"]]
    assert tab.run("document.querySelectorAll('.turn').length") == len(judged)
    positions = [game["start"], *game["moves"]]
    board = chess.Board(game["fen"])
    for move in game["moves"][: judged[0]]:
        board.push_uci(move["uci"])
    line = [chess.Move.from_uci(move) for move in positions[judged[0]]["line"][:12]]
    words = tab.run("[...document.querySelectorAll('.turn .line')[0].children]"
                    ".map((word) => word.textContent)")  # fmt: skip
    copy = board.copy()
    assert words == [san(copy, move) for move in line]
    card = "document.querySelectorAll('.turn .board')[0]"
    assert tab.run(f"{card}.querySelectorAll('.arrow.bad').length") == 1
    assert tab.run(f"{card}.querySelectorAll('.arrow.good').length") == 1
    # The words of the line are buttons: a key puts their position on the small board.
    tab.run("document.querySelector('.turn .line button').focus()")
    tab.key("Enter")
    board.push(line[0])
    small = BOARD.replace("#board use", ".turn:first-child .board use")
    wanted = placed(board)
    if judged[0] % 2:  # Black's mistakes are seen from his side
        wanted = {chess.square_name(63 - chess.parse_square(n)): p for n, p in wanted.items()}
    assert tab.run(small) == wanted
    # Its head leads to the move in the game.
    tab.run("document.querySelector('.turn h3 button').focus()")
    tab.key(" ")
    assert tab.run("location.hash") == f"#game-1-{judged[0] + 1}"


def san(board: chess.Board, move: chess.Move) -> str:
    text = board.san(move)
    board.push(move)
    return text


def test_curves_are_clicked(tab: Tab, found: list[dict[str, Any]]) -> None:
    plies = len(found[0]["moves"])
    for picture in ("curve", "evaluation", "clock"):
        tab.key("Home")
        tab.click(f"#{picture}")
        assert tab.run("location.hash") == f"#game-1-{plies // 2}"


def test_accuracies_and_counts_stand_beside_the_game(tab: Tab, found: list[dict[str, Any]]) -> None:
    rows = tab.run("[...document.querySelectorAll('#sides tbody tr')]"
                   ".map((row) => [...row.cells].map((cell) => cell.textContent))")  # fmt: skip
    game = found[0]
    assert [row[0] for row in rows] == ["<b>a & co", "</script>"]
    for row, side, first in zip(rows, ("white", "black"), (0, 1), strict=True):
        assert float(row[1].rstrip("%")) == pytest.approx(game["accuracy"][side], abs=0.06)
        own = [move["judgement"] for move in game["moves"][first::2]]
        counts = [own.count(name) for name in ("inaccuracy", "mistake", "blunder")]
        assert [int(cell) for cell in row[2:5]] == counts
    assert rows[0][6] == "10.0 s"  # 3:00 to 2:50


def test_it_is_readable_on_a_phone_dark_and_light(tab: Tab, tmp_path: Path) -> None:
    tab.resize(360, 740, is_phone=True)
    colours = set()
    for scheme in ("light", "dark"):
        tab.choose_scheme(scheme)
        # Nothing is wider than the screen; tables scroll by themselves.
        assert tab.run("document.documentElement.scrollWidth") <= 360
        colours.add(tab.run("getComputedStyle(document.body).backgroundColor"))
        assert tab.run("document.querySelector('#board').getBoundingClientRect().width") > 250
        tab.take_picture(tmp_path / f"{scheme}.png")
    assert len(colours) == 2


def test_games_are_sorted_by_a_column(tab: Tab) -> None:
    first = "document.querySelector('#games tbody tr').dataset.number"
    assert tab.run(first) == "1"
    tab.run("document.querySelector('#games th button').focus()")
    tab.key("Enter")
    assert tab.run(first) == "2"
