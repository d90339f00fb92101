# What is wrong with a move or a square, told apart as python-chess tells it.

import sys


class MoveError(ValueError):
    """A move that can't be played: its text is none, or fits no legal move, or fits several."""

    def __reduce__(self):
        name = type(self).__name__
        if type(self) is SHARED_ERRORS.get(name):  # a class that no module has
            return _restore_error, (name, *self.args)
        return super().__reduce__()


class InvalidMoveError(MoveError):
    """The text is not a move in its notation."""


class IllegalMoveError(MoveError):
    """The move is not legal in this position."""


class AmbiguousMoveError(MoveError):
    """Several legal moves fit the text."""


class SquareError(ValueError, IndexError):
    """A number that is no square; python-chess finds out by its index."""


cdef dict MOVE_ERRORS = {kind.__name__: kind
                         for kind in (InvalidMoveError, IllegalMoveError, AmbiguousMoveError)}
cdef dict SHARED_ERRORS = {}


cdef object move_error(kind, str message):
    """The error; also one of python-chess's class of that name if the program has loaded it, so
    that it is caught by either name."""
    name = kind.__name__
    theirs = getattr(sys.modules.get("chess"), name, None)
    if not (isinstance(theirs, type) and issubclass(theirs, ValueError)):
        return kind(message)
    if name not in SHARED_ERRORS:
        SHARED_ERRORS[name] = type(name, (kind, theirs), {"__module__": kind.__module__})
    return SHARED_ERRORS[name](message)


def _restore_error(str name, str message):
    if name not in MOVE_ERRORS:
        raise ValueError(f"no error of the core has the name {name!r}")
    return move_error(MOVE_ERRORS[name], message)
