"""What the command lines of all subcommands share."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn


class HelpShown(SystemExit):
    """The end of a program that was asked for help, and the parser that gave it."""

    def __init__(self, parser: Parser) -> None:
        super().__init__(0)
        self.parser = parser


class Parser(argparse.ArgumentParser):
    """Complains in one line."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.register("type", Path, file_name)

    def error(self, message: str) -> NoReturn:
        raise ValueError(f"{self.prog.split()[-1]}: {message}")

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """Errors are raised, so this is the end of --help."""
        raise HelpShown(self)


def file_name(text: str) -> Path:
    """Path takes nothing for the directory one is in; somebody's variable was not set."""
    if not text:
        raise argparse.ArgumentTypeError("the name is empty")
    return Path(text)


def whole_number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"not a whole number: {text!r}") from None


def number_between(low: int, high: int) -> Callable[[str], int]:
    """A type of argument: a whole number in a range."""

    def parse(text: str) -> int:
        number = whole_number(text)
        if not low <= number <= high:
            raise argparse.ArgumentTypeError(f"must be from {low} to {high}: {text!r}")
        return number

    return parse


def count_number(text: str) -> int:
    """A whole number of things: at least one."""
    number = whole_number(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1: {text!r}")
    return number


def decimal_between(low: float, high: float) -> Callable[[str], float]:
    """A type of argument: a number in a range."""

    def parse(text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"not a number: {text!r}") from None
        if not low <= number <= high:
            raise argparse.ArgumentTypeError(f"must be from {low:g} to {high:g}: {text!r}")
        return number

    return parse
