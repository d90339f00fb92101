"""Cutechess's engines.json: engines by name."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from uci_engine.arena.players.spec import PROTOCOLS, EngineSpec
from uci_engine.files import read_text


def read_engines(path: Path) -> dict[str, dict[str, Any]]:
    """The entries by name. A program that is written without arguments is one word."""
    text = read_text(path)
    try:
        entries = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"{path}, line {error.lineno}: not JSON: {error.msg}") from None
    except (ValueError, RecursionError):
        raise ValueError(f"{path}: not JSON that can be read") from None
    if not isinstance(entries, list):
        raise ValueError(f"{path}: expected a list of engines")
    engines = {}
    for number, entry in enumerate(entries, 1):
        for key in ("name", "command"):
            if not isinstance(entry, dict) or not isinstance(entry.get(key), str):
                raise ValueError(f"{path}: engine {number} has no {key}")
        engines[entry["name"]] = entry
    return engines


class EngineCatalogue:
    """What `conf=NAME` refers to; the file is read when it is first needed."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path

    def apply(self, spec: EngineSpec, name: str) -> EngineSpec:
        if self.path is None:
            raise ValueError(f"conf={name} needs --engines FILE")
        entries = read_engines(self.path)
        if name not in entries:
            raise ValueError(f"{self.path}: no engine {name!r} in it")
        return apply_entry(spec, entries[name], self.path)


def apply_entry(spec: EngineSpec, entry: dict[str, Any], path: Path) -> EngineSpec:
    """What the file says about an engine, on top of what holds for all."""
    name, protocol = entry["name"], entry.get("protocol", "uci")
    if protocol not in PROTOCOLS:
        raise ValueError(f"{path}: {name}: unknown protocol {protocol!r}")
    for key, kind in (("options", list), ("initStrings", list), ("workingDirectory", str)):
        if key in entry and not isinstance(entry[key], kind):
            raise ValueError(f"{path}: {name}: {key} has the wrong type: {entry[key]!r}")
    options = []
    for option in entry.get("options", []):
        if not isinstance(option, dict) or "name" not in option:
            raise ValueError(f"{path}: {name}: an option without a name")
        value, default = option.get("value"), option.get("default")
        if value is not None and value != default:
            options.append((str(option["name"]), as_text(value)))
    return replace(
        spec,
        name=name,
        command=(entry["command"],),
        protocol=protocol,
        directory=entry.get("workingDirectory") or None,
        init_strings=tuple(str(line) for line in entry.get("initStrings", [])),
        options=(*spec.options, *options),
        ponder=bool(entry.get("ponder", spec.ponder)),
        restart=entry.get("restart", "auto") == "on" or spec.restart,
    )


def as_text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
