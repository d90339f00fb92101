"""Frozen values: what `typing.NamedTuple` makes, for modules that a GUI waits for.

Importing `typing` would be a quarter of the time from the start to `uciok`.
"""

from __future__ import annotations

from collections import namedtuple

__all__ = ["Value"]

TYPE_CHECKING = False  # type checkers take it for true by its name
if TYPE_CHECKING:
    from typing import NamedTuple as Value
else:

    class _ValueType(type):
        def __new__(kind, name, bases, namespace):
            if not bases:
                return super().__new__(kind, name, bases, namespace)
            fields = list(namespace.get("__annotations__", ()))
            defaults = [namespace.pop(field) for field in fields if field in namespace]
            base = namedtuple(name, fields, defaults=defaults, module=namespace["__module__"])
            return type(name, (base,), {"__slots__": (), **namespace})

    class Value(metaclass=_ValueType):
        """Annotated fields, some with defaults; made, compared and unpacked like a tuple."""
