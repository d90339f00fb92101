"""A record from a journal, held field by field against the game that the schedule has there.

A journal is a file like any other: it may have been edited, merged or damaged. What is counted must
be what the tournament's description lets happen, what is shown a game of chess.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized
from pathlib import Path

from uci_engine import Board
from uci_engine.arena.play.adjudication import ending_by_rule
from uci_engine.arena.play.engine_game import GameTask
from uci_engine.arena.players.said import (
    LONGEST_MATE,
    MATE_SCORE,
    MOST_DEPTH,
    MOST_NODES,
    MOST_SCORE,
)
from uci_engine.arena.results.journal import at_line, read_records
from uci_engine.arena.results.record import BLACK_WINS, DRAW, WHITE_WINS, GameRecord, win_for
from uci_engine.text import is_tame

LATEST = 10**11  # Unix time; and what no game lasts, in seconds
LONGEST_MS = 10**12
LONGEST_GAME = 20_000  # plies; the rules allow fewer
RULES = ("checkmate", "stalemate", "insufficient material", "fifty moves", "threefold repetition")


def check_record(record: GameRecord, task: GameTask) -> None:
    """A ValueError names the field that can't be."""
    opening = task.opening
    expect("pair", record.pair, task.pair)
    expect("white", record.white, task.white)
    expect("black", record.black, task.black)
    expect("opening_number", record.opening_number, task.opening_number)
    expect("fen", record.fen, opening.fen)
    expect("chess960", record.chess960, opening.chess960)
    expect("opening_plies", record.opening_plies, len(opening.moves))
    expect("the opening's moves", tuple(record.moves[: len(opening.moves)]), opening.moves)
    check_game(record)


def check_game(record: GameRecord) -> None:
    """What can be said without a schedule; a ValueError names the field that can't be."""
    check_numbers(record)
    check_ending(record, replay(record))


def read_checked_games(path: Path, players: int) -> Iterator[GameRecord]:
    """Of a journal whose tournament is over, and so has no need of its schedule and openings any
    more. A ValueError names the first line that is no game between two of the players."""
    for line, record in read_records(path):
        with at_line(path, line):
            check_range("white", [record.white], 0, players - 1)
            check_range("black", [record.black], 0, players - 1)
            check_game(record)
        yield record


def expect(name: str, value: object, wanted: object) -> None:
    if value != wanted:
        raise ValueError(f"{name} is not what the schedule has for this game")


def check_range(name: str, values: Iterable[float | None], low: float, high: float) -> None:
    for value in values:
        if value is not None and not low <= value <= high:
            raise ValueError(f"{name} is out of range: {in_few_letters(value)}")


def in_few_letters(value: float) -> str:
    try:
        return f"{value:.6g}"
    except OverflowError:  # a whole number, and larger than any other
        return f"{str(value)[:20]}…"


def check_numbers(record: GameRecord) -> None:
    own = len(record.moves) - record.opening_plies
    if not 0 <= own <= LONGEST_GAME:
        raise ValueError("moves are too many")
    lists: dict[str, Sized] = {
        "scores": record.scores, "depths": record.depths, "times_ms": record.times_ms
    }  # fmt: skip
    for name, values in lists.items():
        if len(values) != own:
            raise ValueError(f"{name} must have {own} items, as many as moves, not {len(values)}")
    places = {str(index) for index in range(own)}
    for place, mate in record.mates.items():
        if place not in places or abs(record.scores[int(place)] or 0) != MATE_SCORE:
            raise ValueError(f"mates has {place[:20]!r}, which is no move with such a score")
        check_range("mates", [mate], -LONGEST_MATE, LONGEST_MATE)
    most = (MATE_SCORE if str(i) in record.mates else MOST_SCORE for i in range(own))
    for score, bound in zip(record.scores, most, strict=True):
        check_range("scores", [score], -bound, bound)
    check_range("depths", record.depths, 0, MOST_DEPTH)
    check_range("times_ms", record.times_ms, 0, LONGEST_MS)
    check_range("nodes", record.nodes, 0, MOST_NODES * max(own, 1))
    if len(record.nodes) != 2:
        raise ValueError(f"nodes must have 2 items, not {len(record.nodes)}")
    check_range("started", [record.started], 0, LATEST)
    check_range("seconds", [record.seconds], 0, LATEST)


def replay(record: GameRecord) -> Board:
    board = Board(record.fen, chess960=record.chess960)
    for ply, move in enumerate(record.moves, 1):
        try:
            made = board.push_uci(move)
            # As it was written: another spelling of the same move would do harm elsewhere. A null
            # move is false, and is for notes, not for games.
            if made.uci() != move or not made:
                raise ValueError(move)
        except ValueError:
            raise ValueError(f"move {ply} is not legal: {move[:20]!r}") from None
    return board


def check_ending(record: GameRecord, board: Board) -> None:
    if record.result not in (WHITE_WINS, BLACK_WINS, DRAW):
        raise ValueError(f"result is not one of a finished game: {record.result[:20]!r}")
    if not record.reason:
        raise ValueError("reason is empty")
    for name in ("reason", "detail"):
        if not is_tame(getattr(record, name)):
            raise ValueError(f"{name} is no short line of text")
    if record.guilty is not None:
        if record.guilty not in (record.white, record.black):
            raise ValueError(f"guilty is none of the players: {record.guilty}")
        if record.result != win_for(record.guilty == record.black):
            raise ValueError("result is a gain for the guilty player")
    ending = ending_by_rule(board)
    by_rule = ending.reason if ending is not None and record.guilty is None else None
    if (record.reason if record.reason in RULES else None) != by_rule:
        raise ValueError("reason is not how the moves end")
    if ending is not None and by_rule and record.result != ending.result:
        raise ValueError(f"result is {record.result}, but the moves end in {ending.result}")
