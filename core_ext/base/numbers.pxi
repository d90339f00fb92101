# Numbers that callers give.

cdef object checked_number(str name, value, low, high):
    """A whole number in a range, or one sentence about what is wrong with it."""
    try:
        number = value.__index__()
    except AttributeError:
        raise TypeError(f"{name} must be a whole number, not {type(value).__name__}") from None
    if not low <= number <= high:
        raise ValueError(f"{name} must be from {low} to {high}, not {number}")
    return number
