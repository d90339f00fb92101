"""How games at the desk begin: colours, level, clocks, the start position."""

from __future__ import annotations

import random
from dataclasses import dataclass

from core_ext.core import Board
from uci_engine.arena.players.clock import TimeControl
from uci_engine.desk.sitting import NO_CLOCK, Seat, Sitting, SittingStart
from uci_engine.options import Spin, find_option
from uci_engine.text import tame

ENGINE_NAME = "Cythera"
POSITIONS_960 = 960


FULL_STRENGTH = ("full", "max")


@dataclass
class GameSettings:
    """What each new game is to be like."""

    colour: bool | None = None  # of the person; None by lot
    elo: int | None = None  # None for full strength
    control: TimeControl = NO_CLOCK
    fen: str | None = None
    chess960: bool = False
    number960: int | None = None  # of its start position; None by lot
    name: str = "Player"


def begin_sitting(settings: GameSettings, colour: bool | None = None) -> tuple[Sitting, bool]:
    """A new game, and the person's colour in it; one that is named comes before the settings'."""
    if colour is None:
        colour = settings.colour if settings.colour is not None else random.random() < 0.5
    person = Seat(settings.name)
    engine = Seat(ENGINE_NAME, settings.elo, is_engine=True)
    white, black = (person, engine) if colour else (engine, person)
    return Sitting(white, black, settings.control, choose_start(settings)), colour


def choose_start(settings: GameSettings) -> SittingStart:
    if settings.fen is not None:
        return SittingStart(settings.fen, settings.chess960)
    if not settings.chess960:
        return SittingStart()
    number = settings.number960
    if number is None:
        number = random.randrange(POSITIONS_960)
    return SittingStart(Board.from_chess960_pos(number).fen(), chess960=True)


def level_range() -> tuple[int, int]:
    elo = find_option("UCI_Elo")
    assert isinstance(elo, Spin)
    return elo.low, elo.high


def parse_level(text: str) -> int | None:
    """A rating, or None for full strength; a ValueError says what there is."""
    if text.lower() in FULL_STRENGTH:
        return None
    low, high = level_range()
    if text.isdecimal() and text.isascii() and low <= int(text[:9]) <= high:
        return int(text)
    raise ValueError(f"levels are from {low} to {high} Elo, or full: {tame(text)!r}")
