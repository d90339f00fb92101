"""The page of a tournament, as another program reads it and as a real browser shows it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import chess
import pytest
from arena_tools import games, play, stub
from browser import Page, browse, placed

pytestmark = pytest.mark.release_only

SHORT: list[str | Path] = ["--maxmoves", "12"]

# Walks through all the games by the page's own buttons, and notes what stands on the board.
WALK = """
<script>
const boards = {};
for (const row of document.querySelectorAll("#games tbody tr")) {
  row.click();
  const seen = [];
  for (let ply = 0, last = -1; ply < 500; ply++) {
    const pieces = {};
    for (const use of document.querySelectorAll("#board use")) {
      const [x, y] = use.getAttribute("transform").match(/\\d+/g).map(Number);
      pieces["abcdefgh"[x / 10] + (8 - y / 10)] = use.getAttribute("href").slice(1);
    }
    const now = document.querySelector("#moves .now");
    seen.push([now ? now.textContent : "", document.getElementById("said").textContent, pieces]);
    const before = document.getElementById("board").innerHTML;
    document.getElementById("next").click();
    if (document.getElementById("board").innerHTML === before) break;
  }
  boards[row.dataset.number] = seen;
}
const rows = {};
for (const result of ["1-0", "0-1", "1/2-1/2"]) {
  document.getElementById("result").value = result;
  document.getElementById("result").dispatchEvent(new Event("change"));
  rows[result] = document.querySelectorAll("#games tbody tr").length;
}
const out = document.createElement("pre");
out.id = "out";
out.textContent = JSON.stringify({ boards, rows });
document.body.append(out);
</script>
"""


def test_one_page_and_nothing_to_fetch(tmp_path: Path) -> None:
    engines = (stub(name="<a> & co"), stub(name="</script><b>"))
    extra: list[str | Path] = ["--games", "8", *SHORT, "--sprt", "elo0=0", "elo1=5"]
    play(*engines, out=tmp_path / "m", extra=extra, each=["depth=1", "option.Hash=3"])
    text = (tmp_path / "m.html").read_text()
    page = Page(text)
    assert page.links == []
    assert "url(" not in text
    assert "@import" not in text
    words = " ".join(page.texts)
    for part in ("Ratings", "Crosstable", "How games ended", "Time use", "LLR over games",
                 "<a> & co", "</script><b>"):  # fmt: skip
        assert part in words
    assert len(json.loads(page.data["records"])) == 8
    assert text.count("<svg") >= 6


def test_verdict_and_conditions_stand_on_top(tmp_path: Path) -> None:
    engines = (stub(name="a"), stub("illegal", 0, name="b"))
    extra: list[str | Path] = ["--games", "500", *SHORT, "--order", "random", "--seed", "7"]
    sprt = ["--sprt", "elo0=0", "elo1=400", "alpha=0.1", "beta=0.1", "model=logistic"]
    each = ["tc=9+0.5", "option.Hash=3"]
    results = play(*engines, out=tmp_path / "m", extra=[*extra, *sprt], each=each)
    assert results["sprt"]["decision"] == "H1"
    text = (tmp_path / "m.html").read_text()
    top = " ".join(Page(text[: text.index("<section>")]).texts)
    for words in ("SPRT: H1 accepted: 400 Elo rather than 0 (LLR", "a scored 100.0%", "9+0.5",
                  "Hash=3", "random, seed 7", "the project's own set", "draws after move 12",
                  f"{results['games']} of 500 games"):  # fmt: skip
        assert words in top
    assert top.index("SPRT") < top.index("9+0.5")


def test_every_game_is_replayed_in_a_browser(tmp_path: Path) -> None:
    """Each position of each game, as python-chess has it: castling, en passant, promotions too."""
    book = tmp_path / "book.pgn"
    book.write_text(
        "1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. O-O O-O *\n\n"
        "1. d4 d5 2. Nc3 Nc6 3. Bf4 Bf5 4. Qd3 Qd6 5. O-O-O O-O-O *\n\n"
        "1. e4 a6 2. e5 d5 3. exd6 a5 4. dxc7 a4 5. b4 axb3 *\n\n"
        '[SetUp "1"]\n[FEN "4k3/1P6/8/8/8/8/6p1/4K3 w - - 0 31"]\n\n31. b8=N g1=Q+ *\n\n'
        '[SetUp "1"]\n[FEN "4k3/8/8/8/8/8/6p1/4K3 b - - 0 40"]\n\n40... g1=R+ *\n\n'
        "1. f3 e5 2. g4 Qh4# 0-1\n"
    )
    extra: list[str | Path] = ["--games", "12", "--openings", book, "--maxmoves", "45"]
    play(stub(name="a"), stub(name="b"), out=tmp_path / "m", extra=extra)
    found = walk(tmp_path / "m.html")
    played = games(tmp_path / "m")
    assert len(played) == 12
    for game in played:
        check_boards(game, found["boards"][str(game["number"])])
    results = [game["result"] for game in played]
    assert found["rows"] == {result: results.count(result) for result in found["rows"]}


def test_chess960_in_a_browser(tmp_path: Path) -> None:
    book = tmp_path / "book.pgn"
    book.write_text(
        '[SetUp "1"]\n[Variant "Chess960"]\n'
        '[FEN "rk5r/pppppppp/8/8/8/8/PPPPPPPP/RK5R w HAha - 0 1"]\n\n'
        "1. O-O O-O-O *\n\n"
        '[SetUp "1"]\n[Variant "Chess960"]\n'
        '[FEN "4rkr1/pppppppp/8/8/8/8/PPPPPPPP/4RKR1 w GEge - 0 1"]\n\n'
        "1. O-O-O O-O *\n"
    )
    extra: list[str | Path] = ["--games", "4", "--openings", book, "--chess960", "--maxmoves", "6"]
    play(stub(name="a"), stub(name="b"), out=tmp_path / "m", extra=extra)
    found = walk(tmp_path / "m.html")
    for game in games(tmp_path / "m"):
        check_boards(game, found["boards"][str(game["number"])])


def walk(path: Path) -> Any:
    walked = path.with_name("walk.html")
    walked.write_text(path.read_text().replace("</body>", WALK + "</body>"))
    return json.loads(Page(browse(walked)).data["out"])


def check_boards(game: dict[str, Any], seen: list[Any]) -> None:
    board = chess.Board(game["fen"], chess960=game["chess960"])
    assert len(seen) == len(game["moves"]) + 1
    assert placed(board) == seen[0][2]
    for ply, (san, said, pieces) in enumerate(seen[1:]):
        move, white = board.parse_uci(game["moves"][ply]), board.turn
        assert san == board.san(move)
        board.push(move)
        assert pieces == placed(board), (game["number"], ply)
        index = ply - game["opening_plies"]
        if index >= 0:
            shown = re.match("([+\N{MINUS SIGN}])(\\d+\\.\\d\\d), depth 1, ", said)
            assert shown is not None
            score = round(100 * float(shown[2])) * (1 if shown[1] == "+" else -1)
            assert score == game["scores"][index] * (1 if white else -1)
