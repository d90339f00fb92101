"""The command line: one entry point. Each subcommand imports only what it needs."""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Callable, Iterator, Sequence

# How long Ctrl-C may go unnoticed by a command that works in another thread.
INTERRUPT_DELAY_S = 0.05

# name: (module with a `main(arguments) -> exit code`, what it does)
COMMANDS = {
    "bench": ("uci_engine.bench", "the engine's signature and its speed"),
    "match": ("uci_engine.arena.match", "engines play engines: matches, tournaments, SPRT"),
    "suite": ("uci_engine.arena.suite", "engines solve the test positions of an EPD file"),
    "perft": ("uci_engine.perft", "count move sequences; divide, suites, threads, hash"),
    "selfplay": ("uci_engine.learn.selfplay", "games against itself, as training positions"),
    "tune": ("uci_engine.learn.tune", "fit the evaluation's weights to own games"),
}

# Words of the UCI interface that are commands of the program too.
UCI_MODULE = "uci_engine.uci"
UCI_WORDS = {
    "compiler": "tell how this program was built",
    "d": "[FEN]: show a board, its FEN, its key and what gives check",
    "eval": "[FEN]: show the terms of the evaluation",
    "flip": "[FEN]: show a board with the colours changed",
    "go": "search or count the start position: go depth 10, go perft 5",
    "uci": "name the engine and its options",
}


def usage() -> str:
    rows = {name: purpose for name, (_, purpose) in COMMANDS.items()} | UCI_WORDS
    return "\n".join(
        [
            "usage: cythera               the engine, speaking UCI on stdin and stdout",
            "       cythera COMMAND ...",
            "",
            *(f"  {name:<10} {purpose}" for name, purpose in sorted(rows.items())),
        ]
    )


def main(arguments: Sequence[str] | None = None) -> int:
    return run_quietly(run, sys.argv[1:] if arguments is None else arguments)


def run(arguments: Sequence[str]) -> int:
    if not arguments or arguments[0] in UCI_WORDS:
        return run_module(UCI_MODULE, arguments)
    word, *rest = arguments
    if word in ("-h", "--help", "help"):
        print(usage())
        return 0
    if word in ("-V", "--version"):
        from core_ext import __version__

        print(f"cythera {__version__}")
        return 0
    if word not in COMMANDS:
        known = sorted([*COMMANDS, *UCI_WORDS, "help"])
        raise ValueError(f"unknown command {word!r}; there are: {', '.join(known)}")
    return run_module(COMMANDS[word][0], rest)


def run_module(module: str, arguments: Sequence[str]) -> int:
    code: int = importlib.import_module(module).main(arguments)
    return code


def run_quietly(command: Callable[[Sequence[str]], int], arguments: Sequence[str]) -> int:
    """Turn what users can cause into one line and an exit code."""
    try:
        try:
            return command(arguments)
        finally:
            flush_output()
    except BrokenPipeError:
        return 1  # the reader has gone; there is nobody left to tell
    except (ValueError, MemoryError, OSError) as error:
        print(f"cythera: {describe(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


@contextlib.contextmanager
def noted_interrupts() -> Iterator[list[int]]:
    """Ctrl-C is noted, not raised: an exception in the midst of threading's own code, where a
    thread is started or waited for, may leave a lock taken for good."""
    import signal

    noted: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: noted.append(number))
    try:
        yield noted
    finally:
        signal.signal(signal.SIGINT, before)


def flush_output() -> None:
    """Here, where a failure is heard: at the end of the program Python would complain about it."""
    if sys.stdout is None:
        return
    try:
        sys.stdout.flush()
    except OSError:
        sys.stdout = None  # nor must what is left be tried once more at the end
        raise


def describe(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error) or type(error).__name__
