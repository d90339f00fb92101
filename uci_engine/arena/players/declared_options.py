"""The options that an engine declares, and whether a value is one of theirs.

What can't be understood of a declaration limits nothing: the engine itself will judge the value.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

UCI_OPTION = re.compile(r"option name (.+?) type (\w+)(?: (.*))?")
UCI_FIELD = re.compile(r"(?:^| )(default|min|max|var) ")
XBOARD_OPTION = re.compile(r"(.+?) -(\w+) ?(.*)")
XBOARD_KINDS = {"slider": "spin", "save": "button", "reset": "button"}


@dataclass(frozen=True)
class DeclaredOption:
    name: str  # as the engine spells it
    kind: str = "string"
    low: int | None = None
    high: int | None = None
    choices: tuple[str, ...] = ()

    def check(self, value: str) -> str:
        """What is wrong with a value; nothing if the engine may be sent it."""
        if not value.isprintable():
            return f"{self.name} must be one line of text, not {value!r}"
        if self.kind == "spin":
            return self.check_number(value)
        if self.kind == "check" and value.lower() not in ("true", "false"):
            return f"{self.name} is true or false, not {value!r}"
        if self.kind == "combo" and self.choices and self.choice(value) is None:
            return f"{self.name} is one of {', '.join(self.choices)}, not {value!r}"
        if self.kind == "button" and value:
            return f"{self.name} is a button, and takes no value: {value!r}"
        return ""

    def check_number(self, value: str) -> str:
        if not re.fullmatch(r"-?[0-9]{1,100}", value):
            return f"{self.name} must be a whole number, not {value!r}"
        low, high, number = self.low, self.high, int(value)
        if (low is not None and number < low) or (high is not None and number > high):
            return f"{self.name} must be from {low} to {high}, not {value}"
        return ""

    def choice(self, value: str) -> str | None:
        """Engines compare without regard to case, or don't: what is sent is their own spelling."""
        return next((c for c in self.choices if c.lower() == value.lower()), None)

    def spell(self, value: str) -> str:
        if self.kind == "check":
            return value.lower()
        return (self.choice(value) or value) if self.kind == "combo" else value


def limits(low: str, high: str) -> tuple[int | None, int | None]:
    """Both or neither: half a range, or one that is upside down, is a mistake of the engine's."""
    if not all(re.fullmatch(r"-?[0-9]{1,18}", text) for text in (low, high)):
        return None, None
    return (int(low), int(high)) if int(low) <= int(high) else (None, None)


def parse_uci_option(line: str) -> DeclaredOption | None:
    """From `option name NAME type KIND default VALUE min LOW max HIGH var CHOICE ...`."""
    found = UCI_OPTION.fullmatch(line)
    if found is None:
        return None
    _, *rest = UCI_FIELD.split(f" {found[3] or ''} ")
    fields = [(key, value.strip()) for key, value in zip(rest[::2], rest[1::2], strict=True)]
    by_key = dict(fields)
    low, high = limits(by_key.get("min", ""), by_key.get("max", ""))
    choices = tuple(value for key, value in fields if key == "var" and value)
    return DeclaredOption(found[1].strip(), found[2], low, high, choices)


def parse_xboard_option(text: str) -> DeclaredOption:
    """From `NAME -spin VALUE LOW HIGH`, `NAME -combo A /// *B`, `NAME -check 1` and others."""
    found = XBOARD_OPTION.fullmatch(text)
    if found is None:
        return DeclaredOption(text.strip())
    name, kind = found[1].strip(), XBOARD_KINDS.get(found[2], found[2])
    if kind == "spin":
        low, high = limits(*[*found[3].split(), "", "", ""][1:3])
        return DeclaredOption(name, kind, low, high)
    if kind == "combo":
        choices = tuple(choice.strip(" *") for choice in found[3].split("///"))
        return DeclaredOption(name, kind, choices=choices)
    return DeclaredOption(name, kind)
