"""Values that come back from JSON, which knows neither tuples nor classes."""

from __future__ import annotations

import functools
import math
import types
from dataclasses import is_dataclass
from typing import Any, get_args, get_origin, get_type_hints

SHOWN = 60  # characters of a wrong value


def rebuild(kind: Any, value: Any, place: str) -> Any:
    """The value of a type, from what JSON made of it; a ValueError says what is wrong and where.

    For dataclasses with all their fields, tuples, lists, dictionaries, optional values and plain
    ones.
    """
    if is_dataclass(kind):
        return rebuild_fields(kind, value, place)
    parts, origin = get_args(kind), get_origin(kind)
    if origin is types.UnionType:
        (wanted,) = (part for part in parts if part is not types.NoneType)
        return None if value is None else rebuild(wanted, value, place)
    if origin is tuple:
        return rebuild_tuple(parts, value, place)
    if origin is list:
        return list(rebuild_tuple((*parts, ...), value, place))
    if origin is dict:
        return rebuild_dict(parts[1], value, place)
    return rebuild_plain(kind, value, place)


def wrong_type(place: str, value: Any) -> ValueError:
    shown = repr(value)
    shown = shown if len(shown) <= SHOWN else f"{shown[:SHOWN]}…"
    return ValueError(f"{place} has the wrong type: {shown}")


def rebuild_plain(kind: Any, value: Any, place: str) -> Any:
    """A truth value is no number, whatever Python says; nor is what JSON does not know either."""
    if isinstance(value, bool) != (kind is bool):
        raise wrong_type(place, value)
    if kind is float and isinstance(value, int | float):
        try:
            value = float(value)
        except OverflowError:
            value = math.inf
        if not math.isfinite(value):
            raise wrong_type(place, value)
        return value
    if not isinstance(value, kind):
        raise wrong_type(place, value)
    return value


def rebuild_fields(kind: Any, value: Any, place: str) -> Any:
    if not isinstance(value, dict):
        raise wrong_type(place, value)
    hints = hints_of(kind)
    for name in hints:
        if name not in value:
            raise ValueError(f"{place} has no field {name!r}")
    for name in value:
        if name not in hints:
            raise ValueError(f"{place} has an unknown field {name[:SHOWN]!r}")
    return kind(**{name: rebuild(hints[name], value[name], name) for name in hints})


@functools.cache
def hints_of(kind: Any) -> dict[str, Any]:
    """They are evaluated from text, and a journal has many games."""
    return get_type_hints(kind)


def plain_types(kind: Any) -> tuple[type, ...]:
    """The types of values that are taken as they are; for the long lists of a game."""
    parts = get_args(kind) or (kind,)
    return parts if all(part in (int, str, types.NoneType) for part in parts) else ()


def rebuild_tuple(parts: tuple[Any, ...], value: Any, place: str) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise wrong_type(place, value)
    if parts[-1] is ...:
        known = plain_types(parts[0])
        if known and all(type(item) in known for item in value):
            return tuple(value)
        parts = parts[:1] * len(value)
    if len(value) != len(parts):
        raise ValueError(f"{place} must have {len(parts)} items, not {len(value)}")
    return tuple(
        rebuild(part, item, f"an item of {place}") for part, item in zip(parts, value, strict=True)
    )


def rebuild_dict(kind: Any, value: Any, place: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise wrong_type(place, value)
    return {key: rebuild(kind, item, f"an item of {place}") for key, item in value.items()}
