"""Values that come back from JSON, which knows neither tuples nor classes."""

from __future__ import annotations

import types
from dataclasses import is_dataclass
from typing import Any, get_args, get_origin, get_type_hints


def rebuild(kind: Any, value: Any, place: str) -> Any:
    """The value of a type, from what JSON made of it; a ValueError says what is wrong and where.

    For dataclasses with all their fields, tuples, optional values and plain ones.
    """
    if is_dataclass(kind):
        return rebuild_fields(kind, value, place)
    parts = get_args(kind)
    if get_origin(kind) is types.UnionType:
        (wanted,) = (part for part in parts if part is not types.NoneType)
        return None if value is None else rebuild(wanted, value, place)
    if get_origin(kind) is tuple:
        return rebuild_tuple(parts, value, place)
    if kind is float and isinstance(value, int):
        return float(value)
    if not isinstance(value, kind):
        raise ValueError(f"{place} has the wrong type: {value!r}")
    return value


def rebuild_fields(kind: Any, value: Any, place: str) -> Any:
    if not isinstance(value, dict):
        raise ValueError(f"{place} has the wrong type: {value!r}")
    hints = get_type_hints(kind)
    for name in hints:
        if name not in value:
            raise ValueError(f"{place} has no field {name!r}")
    for name in value:
        if name not in hints:
            raise ValueError(f"{place} has an unknown field {name!r}")
    return kind(**{name: rebuild(hints[name], value[name], name) for name in hints})


def rebuild_tuple(parts: tuple[Any, ...], value: Any, place: str) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise ValueError(f"{place} has the wrong type: {value!r}")
    if parts[-1] is ...:
        parts = parts[:1] * len(value)
    if len(value) != len(parts):
        raise ValueError(f"{place} must have {len(parts)} items: {value!r}")
    return tuple(
        rebuild(part, item, f"an item of {place}") for part, item in zip(parts, value, strict=True)
    )
