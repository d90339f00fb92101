"""What a page may ask for: every field of a message is checked before anything is done."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, NoReturn

from core_ext.core import START_FEN, Board
from uci_engine.text import tame

LONGEST_MESSAGE = 512 * 1024  # bytes; only games in PGN are that long
LONGEST_QUESTION = 32 * 1024  # characters, of all others
LONGEST_FEN = 120
LONGEST_MOVE = 10  # characters, in any notation
MOST_PLIES = 2000
MOST_LINES = 5
LONGEST_NUMBER = 16  # digits: reading long ones takes time that grows with their square
LEAST_ELO, MOST_ELO = 800, 2800
LONGEST_CLOCK_MS = 24 * 3600 * 1000
CHESS960_POSITIONS = 960


@dataclass(frozen=True)
class Clocks:
    """Of White, of Black, and what each move brings; in milliseconds."""

    white: int
    black: int
    increment: int


@dataclass(frozen=True)
class Question:
    """A message: what it asks for, and about what."""

    number: int  # by which the page knows the answer
    act: str
    board: Board
    typed: str = ""  # a move as somebody wrote it
    lines: int = 1
    elo: int | None = None  # None: all of its strength
    clocks: Clocks | None = None
    at_once: bool = False
    games: str = ""
    choice: int = 0


class Fields:
    """A JSON object, taken apart field by field."""

    def __init__(self, text: str) -> None:
        try:
            found = json.loads(text, parse_int=short_number, parse_constant=refuse_constant)
        except RecursionError:
            raise ValueError("the message is nested too deeply") from None
        except json.JSONDecodeError as error:
            raise ValueError(f"the message is no JSON: {error}") from None
        if not isinstance(found, dict):
            raise ValueError("the message is no JSON object")
        self.rest: dict[str, Any] = found

    def take(self, name: str, kind: type, default: Any = None) -> Any:
        value = self.rest.pop(name, default)
        # In Python True is a number; in JSON it is none.
        if type(value) is not kind and value is not default:
            raise ValueError(f"{name} is not what it should be: {tame(repr(value), 60)}")
        return value

    def number(self, name: str, low: int, high: int, default: int | None = None) -> int:
        value = self.take(name, int, default)
        if value is None or not low <= value <= high:
            raise ValueError(f"{name} must be from {low} to {high}")
        return int(value)

    def text(self, name: str, longest: int, default: str = "") -> str:
        value: str = self.take(name, str, default)
        if len(value) > longest:
            raise ValueError(f"{name} is longer than {longest} characters")
        return value

    def words(self, name: str, most: int, longest: int) -> list[str]:
        values = self.take(name, list, [])
        if len(values) > most:
            raise ValueError(f"{name} has more than {most} entries")
        if not all(isinstance(value, str) and len(value) <= longest for value in values):
            raise ValueError(f"{name} holds something that is none")
        return list(values)

    def end(self) -> None:
        if self.rest:
            raise ValueError(f"there is no field {tame(repr(next(iter(self.rest))), 60)} here")


def short_number(digits: str) -> int:
    if len(digits) > LONGEST_NUMBER:
        raise ValueError("a number is too long")
    return int(digits)


def refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def read_question(text: str) -> Question:
    """A ValueError, in one sentence, says what is wrong with it."""
    fields = Fields(text)
    number = fields.number("id", 0, 2**31)
    act = fields.text("do", 20)
    if act not in READERS:
        raise Misunderstood(number, f"nobody knows how to do {tame(repr(act), 60)}")
    try:
        if len(text) > LONGEST_QUESTION and act != "games":
            raise ValueError("the message is too long")
        settings = READERS[act](fields)
        fields.end()
    except ValueError as error:
        raise Misunderstood(number, str(error)) from None
    return Question(number, act, **settings)


class Misunderstood(ValueError):
    """A question that can't be answered, with the number by which the page knows it."""

    def __init__(self, number: int, reason: str) -> None:
        super().__init__(reason)
        self.number = number


def read_board(fields: Fields) -> Board:
    """A position by where the game began and the moves since."""
    fen = fields.text("fen", LONGEST_FEN, START_FEN)
    board = Board(fen, chess960=bool(fields.take("chess960", bool, False)))
    for move in fields.words("moves", MOST_PLIES, LONGEST_MOVE):
        board.push_uci(move)
    return board


def read_look(fields: Fields) -> dict[str, Any]:
    return {"board": read_board(fields), "typed": fields.text("typed", LONGEST_MOVE)}


def read_analyse(fields: Fields) -> dict[str, Any]:
    return {"board": read_board(fields), "lines": fields.number("lines", 1, MOST_LINES, 1)}


def read_play(fields: Fields) -> dict[str, Any]:
    elo = fields.take("elo", int)
    if elo is not None and not LEAST_ELO <= elo <= MOST_ELO:
        raise ValueError(f"elo must be from {LEAST_ELO} to {MOST_ELO}")
    return {
        "board": read_board(fields),
        "elo": elo,
        "clocks": read_clocks(fields.take("clocks", list)),
        "at_once": fields.take("at_once", bool, False),
    }


def read_clocks(values: list[Any] | None) -> Clocks | None:
    if values is None:
        return None
    fit = all(type(value) is int and 0 <= value <= LONGEST_CLOCK_MS for value in values)
    if len(values) != 3 or not fit:
        raise ValueError("clocks must be three times in milliseconds, of a day at most")
    return Clocks(*values)


def read_position(fields: Fields) -> dict[str, Any]:
    return {"board": read_board(fields)}


def read_nothing(fields: Fields) -> dict[str, Any]:
    return {"board": Board()}


def read_games(fields: Fields) -> dict[str, Any]:
    games = fields.text("games", LONGEST_MESSAGE)
    return {"board": Board(), "games": games, "choice": fields.number("choice", 0, 2**31, 0)}


def read_start(fields: Fields) -> dict[str, Any]:
    """A start position of Chess960 by its number."""
    return {
        "board": Board.from_chess960_pos(fields.number("choice", 0, CHESS960_POSITIONS - 1)),
    }


READERS = {
    "look": read_look,
    "analyse": read_analyse,
    "stop": read_nothing,
    "play": read_play,
    "hint": read_position,
    "draw": read_play,
    "cancel": read_nothing,
    "games": read_games,
    "start": read_start,
}
