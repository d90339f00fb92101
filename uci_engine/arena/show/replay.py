"""All games of a tournament inside a page, to be replayed there: compact, and in one pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from uci_engine import Board
from uci_engine.arena.results.record import GameRecord
from uci_engine.pages.boards import (
    BOARD_SCRIPT,
    NO_SCRIPT,
    REPLAY_SCRIPT,
    pack_moves,
    page_score,
    piece_shapes,
    replay_view,
)
from uci_engine.pages.html import data_element, embed, scripts

SCRIPT = Path(__file__).parent / "games.js"
MOST_GAMES = 10_000  # in a page; a browser has to hold them

NOTES = """<p class="note">What the engines said, from White's side:
<span class="c0">White</span> and <span class="c1">Black</span>.</p>"""

LIST = f"""
<div class="filters"><select id="player" aria-label="player"><option value="">all players</option>
</select><select id="result" aria-label="result"><option value="">all results</option></select>
<select id="ending" aria-label="ending"><option value="">all endings</option></select>
<button id="earlier">◀</button><span id="range"></span><button id="later">▶</button></div>
<div class="scroll"><table id="games"><thead><tr><th>game</th><th class="name">White</th>
<th class="name">Black</th><th class="name">result</th><th class="name">ending</th><th>plies</th>
</tr></thead><tbody></tbody></table></div>
{NO_SCRIPT}
"""


def games_section(
    records: Iterable[GameRecord],
    total: int,
    names: Sequence[str],
    endings: Sequence[str],
    start: str,
) -> Iterator[str]:
    """Piece by piece: a long tournament does not fit in memory twice. `endings` are the reasons
    that occur, `start` is the position that most games begin from."""
    more = f", the first {MOST_GAMES} of {total}" if total > MOST_GAMES else ""
    yield f"<section><h2>Games{more}</h2>{piece_shapes()}{replay_view(NOTES)}{LIST}"
    yield data_element("legend", {"players": names, "endings": endings, "start": start})
    yield '<script type="application/json" id="records">['
    places = {ending: place for place, ending in enumerate(endings)}
    for number, record in zip(range(MOST_GAMES), records):  # noqa: B905  # there may be more
        comma = "," if number else ""
        yield comma + embed(pack(record, places, start)) + "\n"
    yield f"]</script>\n{scripts(BOARD_SCRIPT, REPLAY_SCRIPT, SCRIPT)}</section>"


def pack(record: GameRecord, endings: dict[str, int], start: str) -> list[Any]:
    """The fields of a game in the order in which games.js reads them."""
    board = Board(record.fen, chess960=record.chess960)
    sans, squares = pack_moves(board, record.moves)
    return [
        record.number,
        record.white,
        record.black,
        record.result,
        endings[record.reason],
        record.detail,
        "" if record.fen == start else record.fen,
        record.opening_plies,
        sans,
        squares,
        list(white_scores(record, board.turn)),
        record.depths,
        [round(time) for time in record.times_ms],
    ]


def white_scores(record: GameRecord, white_begins: bool) -> Iterator[int | None]:
    for index, score in enumerate(record.scores):
        white = ((record.opening_plies + index) % 2 == 0) == white_begins
        mate = record.mates.get(str(index))
        known = score is not None or mate is not None
        yield page_score(score or 0, mate, 1 if white else -1) if known else None
