# What the terms of the classical evaluation count, for people.

cdef tuple sum_terms(const int16_t* counts, int first, int end):
    """Middlegame and endgame of some features."""
    cdef int index, middle = 0, late = 0
    for index in range(first, end):
        middle += counts[index] * WEIGHT_PAIRS[2 * index]
        late += counts[index] * WEIGHT_PAIRS[2 * index + 1]
    return middle, late


cdef int weigh_terms(const TraceC* trace, tuple white, tuple black):
    """What some features count at the phase and scale of the position."""
    cdef double middle = white[0] - black[0]
    cdef double late = white[1] - black[1]
    return round((middle * middlegame_share(trace.phase, trace.scale)
                  + late * endgame_share(trace.phase, trace.scale) / FULL_SCALE) / FULL_PHASE)
