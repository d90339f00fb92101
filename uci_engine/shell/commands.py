"""What the command line offers, as data: read off the parsers that the commands themselves use.

So a command, an option or a choice is written down once, and completion and manual have it.
"""

from __future__ import annotations

import argparse
import io
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path

from uci_engine import cli
from uci_engine.arguments import HelpShown
from uci_engine.lab.command import ALL, EXPERIMENTS
from uci_engine.uci import GO_FLAGS, GO_NUMBERS

FILE_NAMES = ("FILE", "DIR", "PATH", "OUT", "NAME")  # what help texts call files


@dataclass(frozen=True)
class Argument:
    flags: tuple[str, ...]  # none: it is known by its place
    value: str  # what help texts call it; nothing: it takes none
    choices: tuple[str, ...]
    is_file: bool
    purpose: str


@dataclass(frozen=True)
class Command:
    words: tuple[str, ...]  # two of them where a command has commands of its own
    purpose: str
    epilog: str = ""
    arguments: tuple[Argument, ...] = ()
    parts: tuple[Command, ...] = ()

    @property
    def name(self) -> str:
        return " ".join(self.words)

    @property
    def options(self) -> list[Argument]:
        return [argument for argument in self.arguments if argument.flags]

    @property
    def places(self) -> list[Argument]:
        return [argument for argument in self.arguments if not argument.flags]

    @property
    def flags(self) -> list[str]:
        return [flag for option in self.options for flag in option.flags]

    @property
    def choices(self) -> list[str]:
        """What may be written without a dash, if it is known."""
        names = [part.words[-1] for part in self.parts]
        return names or [choice for place in self.places for choice in place.choices]

    @property
    def takes_files(self) -> bool:
        return any(place.is_file for place in self.places)


def all_commands() -> list[Command]:
    return [describe(name, purpose) for name, purpose in sorted(cli.purposes().items())]


def every_command() -> Iterator[Command]:
    """Also those of commands."""
    for command in all_commands():
        yield command
        yield from command.parts


def describe(name: str, purpose: str) -> Command:
    if name == "lab":  # each experiment has its own settings
        purposes = {each: shown for each, (_, shown) in EXPERIMENTS.items()}
        purposes[ALL] = "all experiments on one page"
        parts = (
            from_parser((name, each), shown, find_parser(name, each))
            for each, shown in purposes.items()
        )
        return Command((name,), purpose, parts=tuple(parts))
    command = from_parser((name,), purpose, find_parser(name))
    if name == "go":
        words = (*GO_NUMBERS, *GO_FLAGS, "searchmoves")
        limits = replace(command.places[0], choices=words)
        return replace(command, arguments=(limits, *command.options))
    if name == "tune":  # two kinds of it, of which an option chooses
        known = {argument.flags for argument in command.arguments}
        other = from_parser((name,), purpose, find_parser(name, "--spsa", "NAME"))
        added = (option for option in other.options if option.flags not in known)
        return replace(command, arguments=(*command.arguments, *added))
    return command


def find_parser(*words: str) -> argparse.ArgumentParser:
    """The one that a command's arguments are read by, which shows itself when help is asked for."""
    try:
        with redirect_stdout(io.StringIO()):
            cli.run([*words, "--help"])
    except HelpShown as shown:
        return shown.parser
    raise TypeError(f"cythera {' '.join(words)} has no parser")


def from_parser(words: Sequence[str], purpose: str, parser: argparse.ArgumentParser) -> Command:
    arguments: list[Argument] = []
    parts: list[Command] = []
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            purposes = {each.dest: each.help or "" for each in action._choices_actions}
            parts += [
                from_parser((*words, name), purposes[name], each)
                for name, each in action.choices.items()
            ]
        elif action.help != argparse.SUPPRESS:
            arguments.append(from_action(action, parser.prog))
    return Command(tuple(words), purpose, parser.epilog or "", tuple(arguments), tuple(parts))


def from_action(action: argparse.Action, program: str) -> Argument:
    takes_value = action.nargs != 0
    given_name = action.metavar if isinstance(action.metavar, str) else ""
    name = given_name or action.dest.upper()
    return Argument(
        flags=tuple(action.option_strings),
        value=(name + (" ..." if action.nargs in ("+", "*") else "")) if takes_value else "",
        choices=tuple(map(str, action.choices or ())) if takes_value else (),
        # A flag's own name says nothing: that of --name is a person's or a host's.
        is_file=takes_value and (action.type is Path or given_name in FILE_NAMES),
        purpose=(action.help or "") % {**vars(action), "prog": program},
    )
