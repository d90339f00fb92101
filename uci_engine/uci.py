"""The Universal Chess Interface: a line comes in, is understood as a whole, and is acted on."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence

from core_ext import __version__, core
from uci_engine.drawing import draw_board
from uci_engine.errors import describe
from uci_engine.interrupts import obey_while_reading
from uci_engine.limits import LONGEST_MS, MOST_DEPTH, MOST_NODES, GoLimits
from uci_engine.options import ALL_OPTIONS, parse_number
from uci_engine.report import Output
from uci_engine.session import Session
from uci_engine.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO, NoReturn

# word: (method of Interface, what it does)
COMMANDS = {
    "uci": ("introduce", "name the engine and its options"),
    "isready": ("get_ready", "answer readyok"),
    "ucinewgame": ("start_game", "forget everything about the last game"),
    "setoption": ("set_option", "name NAME [value VALUE]"),
    "position": ("set_position", "startpos | fen FEN [moves MOVE ...]"),
    "go": (
        "go",
        "think: [searchmoves MOVE ...] [ponder] [wtime MS] [btime MS] [winc MS] [binc MS]"
        " [movestogo N] [depth N] [nodes N] [mate N] [movetime MS] [infinite]; or count: perft N",
    ),
    "stop": ("stop", "end the search and give the best move"),
    "ponderhit": ("ponderhit", "the expected move was played"),
    "debug": ("set_debug", "on | off: say what was not understood"),
    "register": ("ignore", "there is nothing to register"),
    "quit": ("quit", "end the program"),
    "d": ("show_board", "show the board, its FEN, its key and what gives check"),
    "eval": ("show_evaluation", "show the terms of the evaluation"),
    "bench": ("bench", "[DEPTH] [THREADS] [HASH]: the signature and the speed"),
    "flip": ("flip", "change the colours of everything"),
    "compiler": ("show_build", "tell how this program was built"),
    "help": ("show_help", "this list"),
}

# For people; programs that start the engine do so with pipes.
GREETING = (
    f"Cythera {__version__}, a chess engine that speaks UCI. Type help for its commands, quit to"
    " leave; `cythera help` lists what else the program does."
)

# How long the end of the program waits for a search that was told to stop.
PATIENCE_S = 0.5

GO_FLAGS = ("infinite", "ponder")
# name: (least, most); what lies outside is taken for the nearest of the two
GO_NUMBERS = {
    "wtime": (-LONGEST_MS, LONGEST_MS),
    "btime": (-LONGEST_MS, LONGEST_MS),
    "winc": (0, LONGEST_MS),
    "binc": (0, LONGEST_MS),
    "movestogo": (0, 1000),
    "depth": (1, MOST_DEPTH),
    "nodes": (1, MOST_NODES),
    "mate": (1, MOST_DEPTH),
    "movetime": (1, LONGEST_MS),
    "perft": (0, core.MAX_DEPTH),
}


class Command(Value):
    """A line, the words after its command word, and when it was heard."""

    text: str
    first: int  # the place of the command word in the line
    words: list[str]
    heard_ns: int


class PositionCommand(Value):
    fen: str
    moves: tuple[str, ...]


class GoCommand(Value):
    limits: GoLimits
    problems: list[str]
    unknown: list[str]  # words


class SetOption(Value):
    name: str
    value: str | None


# ---- understanding


def find_command(text: str, heard_ns: int) -> tuple[str, Command] | None:
    """The first word that is a command; what stands before it is passed over."""
    words = text.split()
    for place, word in enumerate(words):
        if word in COMMANDS:
            return word, Command(text, place, words[place + 1 :], heard_ns)
    return None


def parse_position(words: Sequence[str]) -> PositionCommand:
    kinds = [place for place, word in enumerate(words) if word in ("startpos", "fen")]
    if not kinds:
        raise ValueError("position: startpos or fen is missing")
    start = kinds[0]
    end = words.index("moves", start) if "moves" in words[start:] else len(words)
    moves = tuple(word.lower() for word in words[end + 1 :])
    if words[start] == "startpos":
        return PositionCommand(core.START_FEN, moves)
    return PositionCommand(" ".join(words[start + 1 : end]), moves)


def parse_setoption(command: Command) -> SetOption:
    """Names and values may have spaces; those inside a value are kept as they are."""
    words = [word.lower() for word in command.words]
    if "name" not in words:
        raise ValueError("setoption: name is missing")
    start = words.index("name") + 1
    if "value" not in words[start:]:
        return SetOption(" ".join(command.words[start:]), None)
    end = words.index("value", start)
    before = command.first + 1 + end + 1
    rest = command.text.split(maxsplit=before)[before:]
    return SetOption(" ".join(command.words[start:end]), "".join(rest).rstrip())


def parse_go(words: Sequence[str]) -> GoCommand:
    """The limits come in any order. What is wrong with some does not touch the others."""
    values: dict[str, object] = {}
    problems: list[str] = []
    unknown: list[str] = []
    place = 0
    while place < len(words):
        word = words[place]
        place += 1
        if word in GO_FLAGS:
            values[word] = True
        elif word == "searchmoves":
            start = place
            while place < len(words) and not is_go_word(words[place]):
                place += 1
            values[word] = tuple(move.lower() for move in words[start:place])
        elif word in GO_NUMBERS:
            text = words[place] if place < len(words) and not is_go_word(words[place]) else None
            number = None if text is None else parse_number(text)
            place += text is not None
            if number is None:
                problems.append(f"go: {word} needs a whole number, not {text!r}")
            else:
                least, most = GO_NUMBERS[word]
                values[word] = min(max(number, least), most)
        else:
            unknown.append(word)
    return GoCommand(GoLimits(**values), problems, unknown)  # type: ignore[arg-type]


def is_go_word(word: str) -> bool:
    return word in GO_NUMBERS or word in GO_FLAGS or word == "searchmoves"


# ---- acting


class Interface:
    """Hears commands, one at a time."""

    def __init__(self, output: Output) -> None:
        self.output = output
        self.session = Session(output)
        self.debug = False
        self.ended = False

    def run(self, source: BinaryIO) -> None:
        """Until `quit` or the end of the input."""
        while not self.ended:
            line = source.readline()
            heard_ns = time.monotonic_ns()
            if not line:
                return
            self.hear(line.decode("utf-8", "surrogateescape"), heard_ns)

    def hear(self, text: str, heard_ns: int) -> None:
        """Act on a line. Nothing in it can end the program but `quit`."""
        self.output.log_input(text.rstrip())
        try:
            self.act(text, heard_ns)
        except (ValueError, OSError, MemoryError) as error:
            self.output.tell(describe(error))
        except Exception as error:
            self.output.tell(f"an error in the engine: {type(error).__name__}: {error}")

    def act(self, text: str, heard_ns: int) -> None:
        found = find_command(text, heard_ns)
        if found is not None:
            word, command = found
            getattr(self, COMMANDS[word][0])(command)
        elif self.debug and text.strip():
            raise ValueError(f"no command in {text.strip()[:80]!r}")

    # ---- the standard

    def introduce(self, command: Command) -> None:
        self.output.write(
            f"id name Cythera {__version__}",
            "id author the Cythera authors",
            *(option.describe() for option in ALL_OPTIONS),
            "uciok",
        )

    def get_ready(self, command: Command) -> None:
        try:
            self.session.get_ready()
        finally:
            self.output.write("readyok")

    def start_game(self, command: Command) -> None:
        self.session.start_game()

    def set_option(self, command: Command) -> None:
        self.session.set_option(*parse_setoption(command))

    def set_position(self, command: Command) -> None:
        self.session.set_position(*parse_position(command.words))

    def go(self, command: Command) -> None:
        limits, problems, _ = parse_go(command.words)
        for problem in problems:
            self.output.tell(problem)
        if problems and not (limits.is_limited or limits.infinite):
            limits = limits._replace(depth=1)  # an answer is waited for; what else would end it?
        if limits.perft is not None:
            self.session.count(limits.perft)
        else:
            self.session.go(limits, command.heard_ns)

    def stop(self, command: Command) -> None:
        self.session.stop()

    def ponderhit(self, command: Command) -> None:
        self.session.ponderhit(command.heard_ns)

    def set_debug(self, command: Command) -> None:
        self.debug = "on" in command.words

    def ignore(self, command: Command) -> None:
        pass

    def quit(self, command: Command) -> None:
        self.ended = True

    # ---- beyond the standard

    def show_board(self, command: Command) -> None:
        self.output.write(*draw_board(self.session.board))

    def show_evaluation(self, command: Command) -> None:
        self.output.write(*self.session.describe_evaluation())

    def bench(self, command: Command) -> None:
        from uci_engine.bench import make_bench

        self.session.run_bench(make_bench(command.words, add_help=False))

    def flip(self, command: Command) -> None:
        self.session.flip()

    def show_build(self, command: Command) -> None:
        kinds = ["with its checks" if core.DEBUG else "without checks"]
        kinds += ["profile-guided" if core.PROFILED else "without a profile"]
        instructions = ", ".join(core.INSTRUCTIONS) or "none of the optional"
        self.output.write(
            f"Cythera {__version__}",
            f"core: {core.__file__}",
            f"level: {core.ARCH}; instructions: {instructions}",
            f"build: {', '.join(kinds)}, by {core.COMPILER}",
            f"Python: {' '.join(sys.version.split())}",
            f"machine: {' '.join(os.uname())}",
        )

    def show_help(self, command: Command) -> None:
        self.output.write(*(f"{word:<11} {purpose}" for word, (_, purpose) in COMMANDS.items()))


# ---- the program


def main(arguments: Sequence[str] = ()) -> int:
    """The engine on stdin and stdout."""
    output = Output(sys.stdout.fileno(), lambda _: leave())
    if sys.stdin is None:
        return 0
    try:
        obey_while_reading(leave)
        interface = Interface(output)
        if sys.stdin.isatty() and sys.stdout.isatty():
            interface.output.write(GREETING)
        interface.run(sys.stdin.buffer)
        if not interface.session.finish(PATIENCE_S):
            leave()  # something does not want to stop; `quit` means now
    except KeyboardInterrupt:
        leave()
    return 0


def leave() -> NoReturn:
    """At once and in silence, whatever the threads do. When the reader has gone nobody is left to
    tell, and the thread that reads stdin may be waiting for good."""
    os._exit(0)
