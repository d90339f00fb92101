"""The findings of an analysis, kept as they come: a line of JSON for the settings, then one for
each stretch of a game.

A line is appended in one write, so that a run which is killed loses what was being searched and no
more; a torn line is cut off when the file is opened again. Findings belong to the moves of a game:
a file of games that has grown, or was ordered otherwise, needs only what is new.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from uci_engine.arena.results.journal import Journal, read_lines
from uci_engine.desk.analyse_job import Moves, Stretch
from uci_engine.desk.judging import Finding

FORMAT = "cythera analysis 1"


class AnalysisJournal(Journal):
    format = FORMAT


class Findings:
    """What is known: where its lines are; they are read when they are wanted."""

    def __init__(self, path: Path, journal: Journal, are_kept: bool) -> None:
        self.path = path
        self.journal = journal
        self.are_kept = are_kept
        self.reading = os.open(path, os.O_RDONLY)
        self.places: dict[str, dict[range, tuple[int, int]]] = {}  # by key and positions

    @classmethod
    def open(cls, path: Path, settings: dict[str, Any], anew: bool) -> Findings:
        """Those of the file, which must have been made with the same settings; none if it is not
        there, or is to begin anew."""
        journal: Journal
        if path.exists():
            kept = read_settings(path)
            if not anew:
                check_settings(path, kept, settings)
            journal = AnalysisJournal.reopen(path)
            if anew:
                journal = journal.rewrite(settings, [])
            else:
                journal.cut_torn_line()
        else:
            journal = AnalysisJournal.create(path, settings)
        findings = cls(path, journal, are_kept=True)
        findings.index()
        return findings

    @classmethod
    def temporary(cls) -> Findings:
        """For an analysis that leaves no files."""
        handle, name = tempfile.mkstemp()
        os.close(handle)
        try:
            journal = AnalysisJournal(Path(name), os.open(name, os.O_WRONLY | os.O_APPEND))
            return cls(Path(name), journal, are_kept=False)
        finally:
            os.unlink(name)

    def index(self) -> None:
        start = 0
        with self.path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if number > 1:
                    self.note(self.parse(line, f"{self.path}, line {number}"), start, len(line))
                start += len(line)

    def note(self, stretch: Stretch, start: int, length: int) -> None:
        positions = range(stretch.first, stretch.first + len(stretch.findings))
        self.places.setdefault(stretch.key, {})[positions] = (start, length)

    def add(self, stretch: Stretch) -> None:
        start = os.fstat(self.journal.handle).st_size
        self.journal.append(
            {
                "key": stretch.key,
                "first": stretch.first,
                "found": [[*found[:4], " ".join(found.line)] for found in stretch.findings],
            }
        )
        self.note(stretch, start, os.fstat(self.journal.handle).st_size - start)

    @staticmethod
    def parse(line: bytes, place: str) -> Stretch:
        try:
            value = json.loads(line)
            found = tuple(
                Finding(score, mate, depth, nodes, tuple(moves.split()))
                for score, mate, depth, nodes, moves in value["found"]
            )
            return Stretch(value["key"], value["first"], found)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise ValueError(f"{place}: not a line of an analysis") from None

    def has(self, key: str, positions: range) -> bool:
        known = self.places.get(key, {})
        return positions in known or set(positions) <= set().union(*known)

    def of(self, game: Moves) -> list[Finding]:
        """All of a game; a LookupError if something is missing."""
        found: dict[int, Finding] = {}
        for positions, (start, length) in self.places[game.key].items():
            line = os.pread(self.reading, length, start)
            stretch = self.parse(line, str(self.path))
            found.update(zip(positions, stretch.findings, strict=True))
        return [found[number] for number in range(len(game.moves) + 1)]

    def close(self) -> None:
        os.close(self.reading)
        self.journal.close()


def read_settings(path: Path) -> dict[str, Any]:
    kept: dict[str, Any] = next((value for _, value in read_lines(path)), {})
    if kept.get("format") != FORMAT:
        raise ValueError(f"{path}: there is a file of this name, and no analysis in it")
    return kept


def check_settings(path: Path, kept: dict[str, Any], settings: dict[str, Any]) -> None:
    for name, value in settings.items():
        if kept.get(name) != value:
            raise ValueError(
                f"{path}: an analysis with {name} {kept.get(name)}, not {value}; --anew begins it "
                "anew, --out NAME another one"
            )
