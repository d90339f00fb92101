"""Commands of the engine as commands of the program: one of them is obeyed, then it ends.

What a GUI gets a remark for is an error here, and errors are the caller's.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence

from uci_engine.arguments import Parser
from uci_engine.errors import tell_error
from uci_engine.interrupts import EXIT_CODE, Interrupts
from uci_engine.report import Output
from uci_engine.uci import GO_NUMBERS, GoCommand, Interface, parse_go

TYPE_CHECKING = False
if TYPE_CHECKING:
    from core_ext.core import Board

# What they do; those of the first kind are about a position.
ABOUT_A_POSITION = {
    "d": "Show a board, its FEN, its key and what gives check.",
    "eval": "Show the terms of the evaluation of a position.",
    "flip": "Show a board with the colours changed.",
}
ABOUT_THE_ENGINE = {
    "compiler": "Tell how this program was built.",
    "uci": "Name the engine and its options.",
}
GO_DESCRIPTION = "Search a position, or count its move sequences: go depth 10, go perft 5."
GO_EPILOG = (
    f"Limits: {', '.join(f'{name} N' for name in GO_NUMBERS)}, searchmoves MOVE ...; times are in"
    " milliseconds. Something must end the search, or Ctrl-C does."
)


def parse_arguments(word: str, arguments: Sequence[str]) -> argparse.Namespace:
    about = {"go": GO_DESCRIPTION} | ABOUT_A_POSITION | ABOUT_THE_ENGINE
    parser = Parser(
        prog=f"cythera {word}",
        description=about[word],
        epilog=GO_EPILOG if word == "go" else None,
        allow_abbrev=False,
    )
    parser.set_defaults(words=[], fen=None, chess960=False)
    if word == "go":
        parser.add_argument("words", nargs="*", metavar="LIMIT", help="in UCI's words")
    elif word in ABOUT_A_POSITION:
        parser.add_argument("words", nargs="*", metavar="FEN", help="the same as --fen")
    if word not in ABOUT_THE_ENGINE:
        parser.add_argument("--fen", help="the position (default: the start position)")
        parser.add_argument("--chess960", action="store_true", help="it is one of Chess960")
    options = parser.parse_args(arguments)
    if word in ABOUT_A_POSITION and options.words:
        if options.fen is not None:
            parser.error("the position is given twice")
        options.fen, options.words = " ".join(options.words), []
    return options


def main(arguments: Sequence[str]) -> int:
    word, *rest = arguments
    options = parse_arguments(word, rest)
    output = Output(sys.stdout.fileno(), lambda error: os._exit(tell_error(error)))
    interface = Interface(output)
    session = interface.session
    if options.chess960:
        session.set_option("UCI_Chess960", "true")
    if options.fen is not None:
        session.set_position(options.fen, ())
    if word == "go":
        check_go(parse_go(options.words), session.board)
    with Interrupts() as interrupts:
        interface.act(" ".join([word, *options.words]), time.monotonic_ns())
        if word == "flip":
            interface.act("d", time.monotonic_ns())
        return 0 if interrupts.watch(session.wait, session.stop) else EXIT_CODE


def check_go(go: GoCommand, board: Board) -> None:
    """Nobody can send a `stop` to a search from the command line, or a better command."""
    if go.problems:
        raise ValueError(go.problems[0])
    if go.unknown:
        raise ValueError(f"go: unknown word {go.unknown[0]!r}")
    for move in go.limits.searchmoves or ():
        board.parse_uci(move)
    if go.limits.is_open or not go.limits.is_limited:
        raise ValueError("go: nothing would end this search; depth, nodes, movetime, ... can")
