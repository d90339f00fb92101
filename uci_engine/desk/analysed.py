"""Analysed games: what was read, what was found, and what that says about each move."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from uci_engine import Board
from uci_engine.desk.analyse_input import Entry, Source
from uci_engine.desk.analyse_journal import Findings
from uci_engine.desk.judging import Finding, JudgedGame, Judgement, judge_game
from uci_engine.desk.opening_names import Opening, OpeningNames


@dataclass(frozen=True)
class AnalysedGame:
    entry: Entry
    findings: Sequence[Finding]  # of each position, the first one included
    judged: JudgedGame
    opening: Opening | None

    def board(self) -> Board:
        """The position before the first move."""
        assert self.entry.moves is not None
        return Board(self.entry.moves.fen, chess960=self.entry.moves.chess960)

    @property
    def white_begins(self) -> bool:
        return self.board().turn

    @property
    def name(self) -> str:
        headers = self.entry.game.headers
        if self.entry.is_position:
            return headers.get("Event", f"position {self.entry.number}")
        return " - ".join(self.players)

    @property
    def players(self) -> tuple[str, str]:
        headers = self.entry.game.headers
        return headers.get("White", "?"), headers.get("Black", "?")

    def count(self, judgement: Judgement, white: bool) -> int:
        own = self.judged.moves[white != self.white_begins :: 2]
        return sum(move.judgement is judgement for move in own)

    def seconds_spent(self) -> list[float | None]:
        """By move: as its comment says, or by the clocks; None where nobody knows."""
        game = self.entry.game
        increment = increment_of(game.headers.get("TimeControl", ""))
        spent: list[float | None] = []
        for number in range(len(game.moves)):
            seconds = game.times.get(number)
            if seconds is None and number in game.clocks and number - 2 in game.clocks:
                seconds = game.clocks[number - 2] - game.clocks[number] + increment
                seconds = max(0.0, seconds)
            spent.append(seconds)
        return spent


def increment_of(control: str) -> float:
    """Of a PGN's TimeControl, such as 180+2; 0 where it has none, or is not understood."""
    _, plus, seconds = control.rpartition("+")
    try:
        return max(0.0, float(seconds)) if plus else 0.0
    except ValueError:
        return 0.0


@dataclass(frozen=True)
class Analysis:
    """All that is written comes from here, as often as it is wanted."""

    source: Source
    findings: Findings
    names: OpeningNames
    chances: str
    annotator: str

    def entries(self) -> Iterator[tuple[Entry, AnalysedGame | None]]:
        """With None for a game that has no position to begin from."""
        for entry in self.source.entries():
            yield entry, None if entry.moves is None else self.analysed(entry)

    def games(self) -> Iterator[AnalysedGame]:
        return (game for _, game in self.entries() if game is not None)

    def analysed(self, entry: Entry) -> AnalysedGame:
        assert entry.moves is not None
        findings = self.findings.of(entry.moves)
        white_begins = entry.moves.fen.split()[1] == "w"
        judged = judge_game(findings, entry.moves.moves, white_begins, self.chances)
        return AnalysedGame(entry, findings, judged, self.names.find(entry.moves))
