"""What an analysis says on a terminal and to other programs, and how far it has come."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Iterator
from typing import Any, TextIO

from uci_engine import Board
from uci_engine.arena.show.figures import duration, progress_bar
from uci_engine.desk.analysed import AnalysedGame, Analysis
from uci_engine.desk.judging import JUDGEMENTS, Finding
from uci_engine.text import tame

REDRAW_EVERY = 0.25  # seconds, on a terminal
TELL_EVERY = 30.0  # seconds, elsewhere
SHOWN_GAMES = 30
SHOWN_PLIES = 10  # of a position's best line


class Progress:
    """A line that renews itself on a terminal; one now and then elsewhere."""

    def __init__(self, positions: int, missing: int) -> None:
        self.positions = positions
        self.known = positions - missing  # from before
        self.found = 0
        self.kept = 0  # of those; a stretch that is broken off is lost
        self.start = time.monotonic()
        self.is_live = sys.stderr.isatty()
        self.due = self.start + (0.0 if self.is_live else TELL_EVERY)
        self.show()

    def hear(self, _: object) -> None:
        """A position was searched, here or elsewhere."""
        self.found += 1
        self.show()

    def keep(self, count: int) -> None:
        self.kept += count

    def show(self) -> None:
        now = time.monotonic()
        if now < self.due:
            return
        begin, end = ("\r\x1b[K", "") if self.is_live else ("", "\n")
        bar = progress_bar(self.known + self.found, self.positions)
        print(f"{begin}{bar} positions{self.pace(now)}", end=end, file=sys.stderr, flush=True)
        self.due = now + (REDRAW_EVERY if self.is_live else TELL_EVERY)

    def pace(self, now: float) -> str:
        seconds = now - self.start
        if not self.found or seconds <= 0:
            return ""
        speed = self.found / seconds
        left = duration((self.positions - self.known - self.found) / speed)
        return f", {speed:.1f} a second, {left} left"

    def told(self) -> str:
        return f"{self.known + self.kept} of {self.positions} positions"

    def clear(self) -> None:
        if self.is_live:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def summary_lines(games: Iterable[AnalysedGame]) -> Iterator[str]:
    """A line for each game or position, of many only the first ones, and a total."""
    count = 0
    for game in games:
        count += 1
        if count <= SHOWN_GAMES:
            yield position_line(game) if game.entry.is_position else game_line(game)
    if count > SHOWN_GAMES:
        yield f"and {count - SHOWN_GAMES} more"


def game_line(game: AnalysedGame) -> str:
    sides = []
    for white, accuracy in zip((True, False), game.judged.accuracies, strict=True):
        counts = "/".join(str(game.count(judgement, white)) for judgement in reversed(JUDGEMENTS))
        sides.append("no move" if accuracy is None else f"{accuracy:.1f}% {counts}")
    opening = f", {game.opening.name}" if game.opening else ""
    signs = "/".join(judgement.sign for judgement in reversed(JUDGEMENTS))
    return tame(
        f"{game.entry.number}. {game.name} {game.entry.game.result}: accuracy, {signs} "
        f"{sides[0]} - {sides[1]}{opening}"
    )


def position_line(game: AnalysedGame) -> str:
    found = game.findings[0]
    sans = game.board().variation_san(moves_of(game.board(), found.line[:SHOWN_PLIES]))
    return f"{tame(game.name)}: {score_text(found)}, depth {found.depth}: {sans or 'the end'}"


def score_text(found: Finding) -> str:
    """From White's side, as people write it."""
    if found.mate is None:
        return f"{found.score / 100:+.2f}"
    return f"#{found.mate}" if found.mate else "checkmate"


def moves_of(board: Board, line: Iterable[str]) -> Iterator[Any]:
    board = board.copy()
    return (board.push_uci(move) for move in line)


# ---- JSON


def write_json(analysis: Analysis, out: TextIO) -> None:
    """Game by game: many do not fit in memory."""
    head = {
        "format": "cythera analysis 1",
        "source": analysis.source.name,
        "annotator": analysis.annotator,
        "chances": analysis.chances,
    }
    out.write(json.dumps(head)[:-1] + ', "games": [')
    for number, (entry, game) in enumerate(analysis.entries()):
        value = {"number": entry.number, "headers": entry.game.headers, "problem": entry.problem}
        value |= {} if game is None else game_value(game)
        out.write((",\n" if number else "\n") + json.dumps(value))
    out.write("\n]}\n")


def game_value(game: AnalysedGame) -> dict[str, Any]:
    assert game.entry.moves is not None
    white, black = game.judged.accuracies
    return {
        "result": game.entry.game.result,
        "fen": game.entry.moves.fen,
        "chess960": game.entry.moves.chess960,
        "opening": game.opening and game.opening._asdict(),
        "accuracy": {"white": white, "black": black},
        "centipawn_loss": dict(zip(("white", "black"), game.judged.centipawn_losses, strict=True)),
        "start": found_value(game, 0),
        "moves": list(move_values(game)),
    }


def found_value(game: AnalysedGame, number: int) -> dict[str, Any]:
    found = game.findings[number]
    return {
        "centipawns": None if found.mate is not None else found.score,
        "mate": found.mate,
        "win_percent": round(game.judged.percents[number], 2),
        "depth": found.depth,
        "nodes": found.nodes,
        "line": list(found.line),
    }


def move_values(game: AnalysedGame) -> Iterator[dict[str, Any]]:
    """Scores and percentages are White's; the line is the best one after the move."""
    board = game.board()
    spent = game.seconds_spent()
    for number, move in enumerate(game.entry.game.moves):
        judged = game.judged.moves[number]
        yield {
            "san": board.san(move),
            "uci": move.uci(),
            "loss": round(judged.loss, 2),
            "accuracy": round(judged.accuracy, 2),
            "judgement": judged.judgement and judged.judgement.name.lower(),
            "clock": game.entry.game.clocks.get(number),
            "seconds": spent[number],
            **found_value(game, number + 1),
        }
        board.push(move)
