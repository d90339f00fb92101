"""`cythera play`: a game against the engine in a terminal or a pipe."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

from uci_engine.arguments import Parser, count_number, decimal_between, number_between
from uci_engine.desk.conversation import COLOURS, Conversation
from uci_engine.desk.game_file import (
    GameFile,
    Store,
    games_folder,
    newest_unfinished,
    open_unfinished,
)
from uci_engine.desk.game_settings import (
    ENGINE_NAME,
    POSITIONS_960,
    GameSettings,
    begin_sitting,
    level_range,
    parse_level,
)
from uci_engine.desk.opponent import Coach, EngineSettings, Opponent
from uci_engine.desk.sitting import NO_CLOCK, Seat, Sitting, parse_clock
from uci_engine.desk.terminal import Terminal
from uci_engine.desk.terminal_board import find_look
from uci_engine.text import is_tame

DEFAULT_ELO = "1500"
NEWEST = ""  # of the games in the folder
BY_LOT = -1

EPILOG = (
    "Games are kept after each move: without --save in ~/.local/share/cythera/games (or"
    " $XDG_DATA_HOME). Colours are used where the terminal has them and NO_COLOR is not set."
)


def parse_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    parser = Parser(
        prog="cythera play",
        description="Play against the engine in a terminal, or in a pipe: echo e4 | cythera play.",
        epilog=EPILOG,
        allow_abbrev=False,
    )
    game = parser.add_argument_group("the game")
    game.add_argument("--elo", default=None, help="the level: 800 to 2800, or full (default: 1500)")
    game.add_argument("--color", "--colour", choices=["white", "black", "random"], help="yours")
    game.add_argument("--clock", metavar="5+3", help="minutes, and seconds for each move")
    game.add_argument("--fen", help="begin with this position")
    game.add_argument(
        "--chess960",
        nargs="?",
        const=BY_LOT,
        type=number_between(0, POSITIONS_960 - 1),
        metavar="NUMBER",
        help="play Chess960, from this start position or from any",
    )
    game.add_argument("--name", help="yours, in the saved game")
    files = parser.add_argument_group("files")
    files.add_argument("--save", type=Path, metavar="FILE", help="keep the games in this PGN file")
    files.add_argument(
        "--continue",
        dest="continued",
        nargs="?",
        const=NEWEST,
        metavar="FILE",
        help="go on with the last unfinished game of a file, or of the folder",
    )
    look = parser.add_argument_group("looks")
    look.add_argument("--ascii", action="store_true", help="letters for the pieces")
    look.add_argument("--flip", action="store_true", help="look from the opponent's side")
    look.add_argument("--eval", action="store_true", help="evaluate each position")
    engine = parser.add_argument_group("the engine")
    engine.add_argument("--fast", action="store_true", help="answer at once, not as people do")
    engine.add_argument(
        "--seconds",
        type=decimal_between(0.01, 3600),
        help="a move, at full strength without clocks (default: 3)",
    )
    engine.add_argument("--threads", type=count_number, default=1, metavar="N", help="default: 1")
    engine.add_argument("--hash", type=count_number, default=16, metavar="MB", help="default: 16")
    engine.add_argument("--book", metavar="FILE", help="play from a PolyGlot book")
    engine.add_argument("--syzygy", metavar="PATH", help="directories of Syzygy tables")
    options = parser.parse_args(arguments)
    check_arguments(parser, options)
    return options


def check_arguments(parser: Parser, options: argparse.Namespace) -> None:
    begins_with = {"--fen": options.fen, "--chess960": options.chess960, "--clock": options.clock}
    if options.continued is not None:
        for name, value in (begins_with | {"--save": options.save}).items():
            if value is not None:
                parser.error(f"--continue goes on with a game as it is; {name} is for a new one")
    if options.fen is not None and options.chess960 not in (None, BY_LOT):
        parser.error("--fen and a number of --chess960 are two positions")
    if options.name is not None and not (is_tame(options.name) and options.name.strip()):
        parser.error(f"--name: not a name: {options.name!r}")


def read_settings(options: argparse.Namespace) -> GameSettings:
    return GameSettings(
        colour=COLOURS.get(options.color or "white"),
        elo=parse_level(options.elo or DEFAULT_ELO),
        control=NO_CLOCK if options.clock is None else parse_clock(options.clock),
        fen=options.fen,
        chess960=options.chess960 is not None,
        number960=None if options.chess960 in (None, BY_LOT) else options.chess960,
        name=options.name or "Player",
    )


def open_game(options: argparse.Namespace, settings: GameSettings) -> tuple[Sitting, bool, Store]:
    """The game to play, the person's colour in it, and where it is kept."""
    folder = games_folder(os.environ)
    if options.continued is not None:
        path = Path(options.continued) if options.continued else newest_unfinished(folder)
        sitting, file = open_unfinished(path)
        file.check()
        colour = take_seats(sitting, options, settings)
        return sitting, colour, Store(folder, file, is_one_file=bool(options.continued))
    sitting, colour = begin_sitting(settings)
    if sitting.is_over:
        raise ValueError(f"--fen: nothing is left to play: {sitting.ending}")
    if options.save is None:
        return sitting, colour, Store(folder)
    file = GameFile(options.save)
    file.check()
    return sitting, colour, Store(folder, file, is_one_file=True)


def take_seats(sitting: Sitting, options: argparse.Namespace, settings: GameSettings) -> bool:
    """Who plays which side of a game that goes on; the person's colour. The settings are made to
    say the same, for the games after it."""
    if options.color in COLOURS:
        colour = COLOURS[options.color]
    elif sitting.white.is_engine != sitting.black.is_engine:
        colour = sitting.black.is_engine
    else:
        colour = sitting.board.turn
    settings.colour = colour
    engine = sitting.seat(not colour)
    if options.elo is None and engine.is_engine:
        low, high = level_range()
        settings.elo = None if engine.elo is None else min(max(engine.elo, low), high)
    sitting.take_seat(not colour, Seat(ENGINE_NAME, settings.elo, is_engine=True))
    if options.name is not None or sitting.seat(colour).is_engine:
        sitting.take_seat(colour, Seat(settings.name))
    settings.name = sitting.seat(colour).name
    settings.control = sitting.control
    settings.chess960 = sitting.start.chess960
    return colour


def main(arguments: Sequence[str]) -> int:
    options = parse_arguments(arguments)
    settings = read_settings(options)
    sitting, colour, store = open_game(options, settings)
    wanted = EngineSettings(options.threads, options.hash, options.book, options.syzygy)
    with warnings.catch_warnings(), Terminal(os.environ) as terminal:
        warnings.showwarning = lambda message, *_, **__: terminal.warn(message)
        # Whoever reads a pipe is no person.
        is_paced = terminal.is_interactive and not options.fast
        opponent = Opponent(settings.elo, wanted, seconds=options.seconds, is_paced=is_paced)
        coach = Coach(wanted)
        look = find_look(sys.stdout, os.environ, ascii_only=options.ascii)
        talk = Conversation(terminal, look, opponent, coach, settings, store)
        talk.shows_evaluation, talk.turned_round = options.eval, options.flip
        try:
            return talk.run(sitting, colour)
        finally:
            opponent.close()
            coach.close()
