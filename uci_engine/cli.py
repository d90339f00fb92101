"""The command line: one entry point. Each subcommand imports only what it needs."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence

from uci_engine.errors import run_quietly

# name: (module with a `main(arguments) -> exit code`, what it does)
COMMANDS = {
    "analyse": ("uci_engine.desk.analyse", "games and positions: every move evaluated, a page"),
    "bench": ("uci_engine.bench", "the engine's signature and its speed"),
    "completion": ("uci_engine.shell.completion", "a script for bash, zsh or fish that completes"),
    "lab": ("uci_engine.lab.command", "the algorithms of the lecture notes, compared and drawn"),
    "match": ("uci_engine.arena.match", "engines play engines: matches, tournaments, SPRT"),
    "suite": ("uci_engine.arena.suite", "engines solve the test positions of an EPD file"),
    "play": ("uci_engine.desk.play", "play against the engine in a terminal"),
    "perft": ("uci_engine.perft", "count move sequences; divide, suites, threads, hash"),
    "pgn": ("uci_engine.pgn_command", "games in bulk: count, check, filter, convert, make a book"),
    "selfplay": ("uci_engine.learn.selfplay", "games against itself, to learn from"),
    "data": ("uci_engine.learn.data", "files of own games: show, check, merge, split, shuffle"),
    "learn": ("uci_engine.learn.loop", "networks learn from own games, again and again"),
    "train": ("uci_engine.learn.train", "train a network on own games"),
    "tune": ("uci_engine.learn.tune", "fit the evaluation's weights to own games"),
}

# Words of the UCI interface that are commands of the program too.
UCI_WORDS = {
    "compiler": "tell how this program was built",
    "d": "show a board, its FEN, its key and what gives check",
    "eval": "show the terms of the evaluation of a position",
    "flip": "show a board with the colours changed",
    "go": "search a position or count its move sequences: go depth 10, go perft 5",
    "uci": "name the engine and its options",
}


def purposes() -> dict[str, str]:
    """Every command and what it does."""
    return {name: purpose for name, (_, purpose) in COMMANDS.items()} | UCI_WORDS


def usage() -> str:
    return "\n".join(
        [
            "usage: cythera               the engine, speaking UCI on stdin and stdout",
            "       cythera COMMAND ...",
            "",
            *(f"  {name:<10} {purpose}" for name, purpose in sorted(purposes().items())),
            "",
            "`cythera COMMAND --help` tells more about each, `cythera --version` about the build.",
        ]
    )


def main(arguments: Sequence[str] | None = None) -> int:
    return run_quietly(run, sys.argv[1:] if arguments is None else arguments)


def run(arguments: Sequence[str]) -> int:
    if not arguments:
        return run_module("uci_engine.uci", arguments)
    word, *rest = arguments
    if word in UCI_WORDS:
        return run_module("uci_engine.once", arguments)
    if word in ("-h", "--help", "help"):
        if rest:
            return run([rest[0], "--help"])
        print(usage())
        return 0
    if word in ("-V", "--version"):
        return run_module("uci_engine.once", ["compiler"])
    if word not in COMMANDS:
        known = sorted([*COMMANDS, *UCI_WORDS, "help"])
        raise ValueError(f"unknown command {word!r}; there are: {', '.join(known)}")
    return run_module(COMMANDS[word][0], rest)


def run_module(module: str, arguments: Sequence[str]) -> int:
    code: int = importlib.import_module(module).main(arguments)
    return code
