# Evaluations of a few lines: the weighted sum of the men, and Turing's ratio of the two sides.

from libc.math cimport log, lround

cdef enum Points:
    NO_POINTS          # another evaluation is meant
    MATERIAL
    TURING

cdef enum:
    MOST_POINTS = 64 * 9 + 1
    TURING_SCALE = 4000    # makes the forty-first of forty points about a hundred centipawns

cdef double POINT_LOGARITHMS[MOST_POINTS]


cdef void fill_point_logarithms() noexcept nogil:
    """A bare king counts as half a point: the ratio to nothing would be infinite."""
    cdef int points
    POINT_LOGARITHMS[0] = log(0.5)
    for points in range(1, MOST_POINTS):
        POINT_LOGARITHMS[points] = log(points)


fill_point_logarithms()


cdef inline int points_of(const PositionC* pos, u64 own) noexcept nogil:
    return (popcount(pos.pieces[PAWN] & own)
            + 3 * popcount((pos.pieces[KNIGHT] | pos.pieces[BISHOP]) & own)
            + 5 * popcount(pos.pieces[ROOK] & own) + 9 * popcount(pos.pieces[QUEEN] & own))


cdef inline int material_score(const PositionC* pos) noexcept nogil:
    """Pawn 1, knight and bishop 3, rook 5, queen 9, in centipawns from the side to move."""
    return 100 * (points_of(pos, pos.colours[pos.side]) - points_of(pos, pos.colours[pos.side ^ 1]))


cdef inline int turing_points(const PositionC* pos, u64 own) noexcept nogil:
    """The same, but two bishops are 7."""
    return points_of(pos, own) + several(pos.pieces[BISHOP] & own)


cdef inline int turing_score(const PositionC* pos) noexcept nogil:
    """The logarithm of the ratio: it orders positions alike, and what one side gains the other
    loses."""
    cdef double own = POINT_LOGARITHMS[turing_points(pos, pos.colours[pos.side])]
    cdef double theirs = POINT_LOGARITHMS[turing_points(pos, pos.colours[pos.side ^ 1])]
    return <int>lround(TURING_SCALE * (own - theirs))


cdef inline int evaluate_points(const PositionC* pos, int points) noexcept nogil:
    return material_score(pos) if points == MATERIAL else turing_score(pos)
