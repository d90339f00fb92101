"""Analysed games as one HTML page: to replay, with curves, turning points and tables over all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

from uci_engine.desk.analysed import AnalysedGame, Analysis
from uci_engine.desk.annotate import LONGEST_LINE
from uci_engine.desk.judging import BEND, JUDGEMENTS, SCALE, Finding
from uci_engine.files import replace_text
from uci_engine.pages.boards import (
    BOARD_SCRIPT,
    BUTTONS,
    MATE,
    NO_SCRIPT,
    REPLAY_SCRIPT,
    pack_moves,
    page_score,
    piece_shapes,
    replay_view,
)
from uci_engine.pages.html import (
    PAGE_END,
    data_element,
    embed,
    figure,
    html_table,
    page_head,
    read_part,
    scripts,
    section,
)
from uci_engine.pages.plots import bars

ROOM = Path(__file__).parent
SCRIPT, STYLE = ROOM / "analysis.js", ROOM / "analysis.css"
MOST_GAMES = 5_000  # in a page; a browser has to hold them
MOST_TURNS = 8
MOST_BARS = 12
WORST_FIRST = (9, 3, 1)  # how much a blunder, a mistake and an inaccuracy weigh in a table's order
POINTS = {"1-0": (1.0, 0.0), "0-1": (0.0, 1.0), "1/2-1/2": (0.5, 0.5)}
LETTERS = dict(zip(JUDGEMENTS, "bmi", strict=True))
SIGNS = [judgement.sign for judgement in reversed(JUDGEMENTS)]

NOTES = """<p class="note">White's winning chances, from 0% to 100%; click to go there.</p>
<svg id="evaluation" class="picture" viewBox="0 0 400 100" role="img"
aria-label="the evaluation in pawns over the game"></svg>
<p class="note">The evaluation in pawns, from White's side.</p>
<div id="clock-part"><svg id="clock" class="picture" viewBox="0 0 400 100" role="img"
aria-label="the time of each move"></svg>
<p class="note">Time of each move: <span class="c0">White</span> upwards,
<span class="c1">Black</span> downwards.</p></div>"""

MORE_BUTTONS = """
<button id="earlier-mistake" title="to the mistake before (p)">◀ ?</button>
<button id="later-mistake" title="to the next mistake (n)">? ▶</button></div>"""

KEYS = (
    '<p class="note">Keys: ← and → a move, Home and End, n and p the next and the previous '
    "mistake, f turns the board; Tab and Enter reach everything else.</p>"
)

DEFINITIONS = {
    "lichess": "Winning chances in percent are 50 + 50·(2 / (1 + exp(-0.00368208·cp)) - 1), where "
    "cp are centipawns, at most 1000 either way, and a mate counts as 1000: the formula that "
    "Lichess publishes. It is made for Stockfish's scores: a score of this engine counts as "
    f"{BEND * SCALE:g}·asinh(score / {BEND:g}).",
    "fitted": "Winning chances are what a side can expect of a point (wins and half the draws), "
    "fitted to games of this engine.",
}
THRESHOLDS = (
    "A move that loses at least 5 points of its side's chances is an inaccuracy (?!), from 10 on a "
    "mistake (?), from 15 on a blunder (??); what the search itself would have played is none."
)
MATE_RULE = (
    " Where a mate is let go or walked into, it is a blunder, but a mistake if the side with the "
    "mate is more than 7 pawns ahead without it, and an inaccuracy if more than 9.99."
)
ACCURACY = (
    "The accuracy of a move is 103.1668·exp(-0.04354·loss) - 3.1669 + 1 percent, from 0 to 100, "
    "where loss are the points of chances that it lost. That of a game is the mean of two: the "
    "mean of its moves weighted by the standard deviation of the chances around each (windows of "
    "a tenth of the game, 2 to 8 positions; weights from 0.5 to 12), and their harmonic mean. "
    "Centipawn loss is the mean over a side's moves, scores cut at ten pawns."
)


def write_page(target: Path, title: str, analysis: Analysis) -> None:
    replace_text(target, page(title, analysis))


def page(title: str, analysis: Analysis) -> Iterator[str]:
    tables = Tables()
    for game in analysis.games():
        tables.add(game)
    yield page_head(title, read_part(STYLE))
    yield f'<h1>{escape(title)}</h1>\n<p class="note">{escape(analysis.annotator)}</p>\n'
    yield tables.sections()
    yield from games_section(analysis.games(), tables.games)
    mates = MATE_RULE if analysis.chances == "lichess" else ""
    yield section(
        "What the figures mean",
        *(
            f"<p>{escape(words)}</p>"
            for words in (DEFINITIONS[analysis.chances], THRESHOLDS + mates, ACCURACY)
        ),
    )
    yield PAGE_END


# ---- tables over all games


@dataclass
class Tally:
    """Of a player over all his games, or of an opening's sides."""

    games: int = 0
    points: float = 0.0
    known: int = 0  # games with a result
    accuracies: list[float] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    counts: list[int] = field(default_factory=lambda: [0] * len(JUDGEMENTS))
    moves: int = 0
    seconds: list[float] = field(default_factory=list)

    def add(self, game: AnalysedGame, white: bool) -> None:
        side = 0 if white else 1
        self.games += 1
        if points := POINTS.get(game.entry.game.result):
            self.known += 1
            self.points += points[side]
        for values, value in (
            (self.accuracies, game.judged.accuracies[side]),
            (self.losses, game.judged.centipawn_losses[side]),
        ):
            if value is not None:
                values.append(value)
        for number, judgement in enumerate(reversed(JUDGEMENTS)):
            self.counts[number] += game.count(judgement, white)
        spent = game.seconds_spent()[white != game.white_begins :: 2]
        self.moves += len(spent)
        self.seconds += [seconds for seconds in spent if seconds is not None]

    def cells(self) -> list[str]:
        return [
            str(self.games),
            f"{self.points:g} of {self.known}",
            mean_text(self.accuracies, 1, "%"),
            *(f"{100 * count / max(self.moves, 1):.1f}" for count in self.counts),
            mean_text(self.losses, 0),
            mean_text(self.seconds, 1, " s"),
        ]


def mean_text(values: list[float], places: int, unit: str = "") -> str:
    return f"{sum(values) / len(values):.{places}f}{unit}" if values else "-"


class Tables:
    def __init__(self) -> None:
        self.games = 0
        self.players: dict[str, Tally] = defaultdict(Tally)
        self.openings: dict[str, tuple[Tally, Tally]] = defaultdict(lambda: (Tally(), Tally()))
        self.colours = (Tally(), Tally())

    def add(self, game: AnalysedGame) -> None:
        self.games += 1
        if game.entry.is_position:
            return
        for side, name in enumerate(game.players):
            self.players[name].add(game, side == 0)
            self.colours[side].add(game, side == 0)
            if game.opening is not None:
                name = f"{game.opening.eco} {game.opening.name}"
                self.openings[name][side].add(game, side == 0)

    @property
    def has_times(self) -> bool:
        return any(tally.seconds for tally in self.colours)

    def sections(self) -> str:
        """Nothing for a single game, whose figures stand beside it."""
        if self.colours[0].games < 2:
            return ""
        head = ["games", "points", "accuracy", *SIGNS, "centipawn loss"]
        head += ["time a move"] if self.has_times else []
        note = '<p class="note">?!, ? and ?? are counted in a hundred moves.</p>'
        ranked = sorted(self.players.items(), key=lambda item: (-item[1].games, item[0]))
        named = [*ranked, *zip(("White", "Black"), self.colours, strict=True)]
        rows = [[name, *tally.cells()[: len(head)]] for name, tally in named]
        means = [
            (name, round(sum(tally.accuracies) / len(tally.accuracies), 1))
            for name, tally in ranked
            if tally.accuracies
        ]
        parts = [html_table(["player", *head], rows), note]
        if 1 < len(means) <= MOST_BARS:
            parts.append(figure(bars("Accuracy by player", means, "%"), "Mean accuracy"))
        return section("All games", *parts) + self.opening_section()

    def opening_section(self) -> str:
        if not self.openings:
            return ""
        ranked = sorted(self.openings.items(), key=lambda item: (-item[1][0].games, item[0]))
        rows = [
            [name, *white.cells()[:3], mean_text(black.accuracies, 1, "%")]
            for name, (white, black) in ranked
        ]
        head = ["opening", "games", "White's points", "White's accuracy", "Black's accuracy"]
        return section("Openings", html_table(head, rows))


# ---- games to replay


def games_section(games: Iterable[AnalysedGame], total: int) -> Iterator[str]:
    """Piece by piece: many games do not fit in memory twice."""
    more = f", the first {MOST_GAMES} of {total}" if total > MOST_GAMES else ""
    title = f"Games{more}" if total > 1 else "The game"
    yield f"<section><h2>{title}</h2>{piece_shapes()}{view()}{KEYS}</section>"
    yield section(
        "Turning points",
        '<p id="no-turns">Nobody lost much by a single move.</p><div id="turns"></div>',
    )
    yield game_list()
    judgements = {
        letter: {"name": judgement.name, "sign": judgement.sign}
        for judgement, letter in LETTERS.items()
    }
    yield data_element("legend", {"judgements": judgements, "turns": MOST_TURNS})
    yield '<script type="application/json" id="records">['
    for number, game in zip(range(MOST_GAMES), games):  # noqa: B905  # there may be more
        yield ("," if number else "") + embed(pack(game)) + "\n"
    yield f"]</script>\n{scripts(BOARD_SCRIPT, REPLAY_SCRIPT, SCRIPT)}"


def view() -> str:
    head = "".join(f"<th>{name}</th>" for name in ("accuracy", *SIGNS, "centipawn loss", "time"))
    sides = (
        '<div class="scroll"><table id="sides"><thead><tr><th class="name">side</th>'
        f"{head}</tr></thead><tbody></tbody></table></div>"
    )
    with_mistakes = BUTTONS.removesuffix("</div>") + MORE_BUTTONS
    return sides + replay_view(NOTES).replace(BUTTONS, with_mistakes)


def game_list() -> str:
    names = ["game", "White", "Black", "result", "accuracy", "accuracy", "?!/?/??", "?!/?/??",
             "opening"]  # fmt: skip
    words = {"White", "Black", "result", "opening"}
    cells = "".join(
        f'<th class="{"name" if name in words else "figure"}">'
        f'<button title="sort by this">{name}</button></th>'
        for name in names
    )
    return (
        '<section id="list"><h2>All of them</h2><div class="filters">'
        '<button id="earlier" title="earlier games">◀</button><span id="range"></span>'
        '<button id="later" title="later games">▶</button></div><div class="scroll">'
        f'<table id="games"><thead><tr>{cells}</tr></thead><tbody></tbody></table></div>'
        f"{NO_SCRIPT}</section>"
    )


def pack(game: AnalysedGame) -> dict[str, Any]:
    """A game as analysis.js reads it."""
    board, entry, judged = game.board(), game.entry, game.judged
    moves = [move.uci() for move in entry.game.moves]
    if entry.is_position:
        moves = list(game.findings[0].line[:LONGEST_LINE])
    sans, squares = pack_moves(board, moves)
    counts = [
        [game.count(judgement, white) for judgement in reversed(JUDGEMENTS)]
        for white in (True, False)
    ]
    return {
        "number": entry.number,
        "title": title_of(game),
        "is_position": entry.is_position,
        "players": list(game.players),
        "result": entry.game.result,
        "opening": f"{game.opening.eco} {game.opening.name}" if game.opening else "",
        "fen": board.fen(),
        "book": 0,
        "san": sans,
        "squares": squares,
        "scores": [white_score(found) for found in game.findings],
        "percents": [round(percent, 1) for percent in judged.percents],
        "depths": [found.depth for found in game.findings],
        "judged": "".join(
            LETTERS.get(m.judgement, ".") if m.judgement else "." for m in judged.moves
        ),
        "better": better_lines(game),
        "clocks": [entry.game.clocks.get(number) for number in range(len(moves))],
        "spent": [None] * len(moves) if entry.is_position else game.seconds_spent(),
        "accuracies": [None if a is None else round(a, 1) for a in judged.accuracies],
        "losses": [None if loss is None else round(loss, 1) for loss in judged.centipawn_losses],
        "counts": counts,
        "weights": [sum(map(int.__mul__, reversed(side), WORST_FIRST)) for side in counts],
    }


def title_of(game: AnalysedGame) -> str:
    headers = game.entry.game.headers
    if game.entry.is_position:
        return f"{game.name}, {game.board().fen()}"
    known = [headers.get(name, "?") for name in ("Event", "Site", "Date", "Round")]
    facts = [text for text in known if text.strip("?.") and not text.startswith("http")]
    opening = [f"{game.opening.eco} {game.opening.name}"] if game.opening else []
    tail = f" ({', '.join(facts + opening)})" if facts or opening else ""
    return f"Game {game.entry.number}: {game.name} {game.entry.game.result}{tail}"


def white_score(found: Finding) -> int:
    """As board.js writes it; of a checkmate it is the mate's score itself."""
    if found.mate == 0:
        return MATE if found.score > 0 else -MATE
    return page_score(found.score, found.mate, 1)


def better_lines(game: AnalysedGame) -> dict[int, tuple[str, str]]:
    """By the number of the move that they replace: SAN and squares."""
    board = game.board()
    lines = {}
    for number, (move, judged) in enumerate(
        zip(game.entry.game.moves, game.judged.moves, strict=True)
    ):
        if judged.judgement is not None:
            lines[number] = pack_moves(board, game.findings[number].line[:LONGEST_LINE])
        board.push(move)
    return lines
