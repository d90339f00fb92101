"""What a tournament knows about an engine before it is started."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from uci_engine.arena.players.clock import TimeControl, check_count, milliseconds
from uci_engine.text import tame

PROTOCOLS = ("uci", "xboard", "internal")  # the last is this engine, inside the runner
DEFAULT_MARGIN_MS = 20
OWN_NAME = "cythera"
LONGEST_NAME = 80
LONGEST_NUMBER = 30  # digits
LONGEST_COMMAND = 1 << 16


@dataclass(frozen=True)
class EngineSpec:
    """How to start and limit one engine. Plain values only: it travels to other machines."""

    command: tuple[str, ...] = ()
    name: str = ""
    protocol: str = "uci"
    directory: str | None = None
    options: tuple[tuple[str, str], ...] = ()
    # Wishes for every engine of the tournament; one that lacks such an option goes without.
    shared_options: tuple[tuple[str, str], ...] = ()
    init_strings: tuple[str, ...] = ()
    control: TimeControl = field(default_factory=TimeControl)
    margin_ms: int = DEFAULT_MARGIN_MS
    start_timeout_ms: int = 10_000
    move_timeout_ms: int = 120_000  # where no clock says how long a move may take
    stop_grace_ms: int = 3_000  # one out of time may still answer `stop`, and so stay alive
    ponder: bool = False
    restart: bool = False

    def __post_init__(self) -> None:
        check_choice("proto", self.protocol, PROTOCOLS)
        for name in ("margin_ms", "start_timeout_ms", "move_timeout_ms", "stop_grace_ms"):
            check_count(name, getattr(self, name))

    @property
    def all_options(self) -> tuple[tuple[str, str], ...]:
        return (*self.shared_options, *self.options)

    @property
    def can_start(self) -> bool:
        return bool(self.command) or self.protocol == "internal"


def check_choice(name: str, value: str, choices: Sequence[str]) -> None:
    if value not in choices:
        raise ValueError(f"{name} is one of {', '.join(choices)}, not {tame(repr(value))}")


def parse_pair(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise ValueError(f"expected KEY=VALUE, not {text!r}")
    return key, value


def parse_switch(key: str, value: str) -> bool:
    if value.lower() not in ("on", "off", "true", "false"):
        raise ValueError(f"{key} is on or off, not {value!r}")
    return value.lower() in ("on", "true")


def parse_number(key: str, value: str, low: int = 1) -> int:
    if not value.isdecimal() or len(value) > LONGEST_NUMBER or int(value) < low:
        raise ValueError(f"{key} must be a whole number of at least {low}, not {value!r}")
    return int(value)


def parse_seconds(key: str, value: str) -> int:
    try:
        return milliseconds(value)
    except ValueError:
        raise ValueError(f"{key} must be a time in seconds, not {value!r}") from None


def parse_text(key: str, value: str) -> str:
    if not value:
        raise ValueError(f"{key} must not be empty")
    return value


def parse_margin(key: str, value: str) -> int:
    return parse_number(key, value, 0)


def parse_protocol(key: str, value: str) -> str:
    check_choice(key, value, PROTOCOLS)
    return value


def parse_command(key: str, value: str) -> tuple[str, ...]:
    if len(value) > LONGEST_COMMAND:
        raise ValueError(f"{key} has more than {LONGEST_COMMAND} characters")
    try:
        words = tuple(shlex.split(value))
    except ValueError as error:
        raise ValueError(f"bad {key} {value!r}: {error}") from None
    if not words:
        raise ValueError(f"{key} must not be empty")
    return words


# key of the command line: field of the EngineSpec, and how its value is read
SETTINGS: dict[str, tuple[str, Callable[[str, str], object]]] = {
    "cmd": ("command", parse_command),
    "name": ("name", parse_text),
    "dir": ("directory", parse_text),
    "proto": ("protocol", parse_protocol),
    "ponder": ("ponder", parse_switch),
    "restart": ("restart", parse_switch),
    "margin": ("margin_ms", parse_margin),
    "starttimeout": ("start_timeout_ms", parse_seconds),
    "movetimeout": ("move_timeout_ms", parse_seconds),
    "stopgrace": ("stop_grace_ms", parse_seconds),
}


def apply_setting(spec: EngineSpec, key: str, value: str, shared: bool = False) -> EngineSpec:
    """One KEY=VALUE of the command line; `shared` when it is meant for all engines."""
    if key in SETTINGS:
        field_name, parse = SETTINGS[key]
        changes: dict[str, Any] = {field_name: parse(key, value)}
        return replace(spec, **changes)
    if key.startswith("option."):
        option = (key.removeprefix("option."), value)
        if shared:
            return replace(spec, shared_options=(*spec.shared_options, option))
        return replace(spec, options=(*spec.options, option))
    if key == "arg":
        return replace(spec, command=(*spec.command, value))
    if key == "initstr":
        return replace(spec, init_strings=(*spec.init_strings, value))
    return replace(spec, control=apply_limit(spec.control, key, value))


def apply_limit(control: TimeControl, key: str, value: str) -> TimeControl:
    if key == "tc":
        return control.with_clock(value)
    if key == "st":
        return replace(control, movetime_ms=parse_seconds(key, value))
    if key == "nodes":
        return replace(control, nodes=parse_number(key, value))
    if key == "depth":
        return replace(control, depth=parse_number(key, value))
    raise ValueError(f"unknown engine setting {key!r}")


class Catalogue(Protocol):
    def apply(self, spec: EngineSpec, name: str) -> EngineSpec: ...


def parse_engine(
    settings: Sequence[str], each: Sequence[str] = (), catalogue: Catalogue | None = None
) -> EngineSpec:
    """An engine from `cmd=… name=… option.Hash=16 …`; `each` holds for all engines."""
    spec = EngineSpec()
    for text in each:
        key, value = parse_pair(text)
        if key in ("cmd", "conf", "name"):
            raise ValueError(f"{key} can't be the same for each engine")
        spec = apply_setting(spec, key, value, shared=True)
    for text in settings:
        key, value = parse_pair(text)
        if key == "conf" and catalogue is not None:
            spec = catalogue.apply(spec, value)
        else:
            spec = apply_setting(spec, key, value)
    return spec


def name_engines(specs: Sequence[EngineSpec]) -> list[EngineSpec]:
    """Give each engine a name of its own; the default is that of its program."""
    named: list[EngineSpec] = []
    taken: set[str] = set()
    for spec in specs:
        program = spec.command[0].rpartition("/")[2] if spec.command else OWN_NAME
        name = tame(spec.name or program, LONGEST_NAME)
        if name in taken and spec.name:
            raise ValueError(f"two engines have the name {name!r}")
        number, base = 1, name
        while name in taken:
            number += 1
            name = f"{base}-{number}"
        taken.add(name)
        named.append(replace(spec, name=name))
    return named
