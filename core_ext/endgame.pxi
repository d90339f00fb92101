# Endgames that a weighted sum gets wrong: drawish material, and how to mate a lone king.

cdef enum:
    FULL_SCALE = 64


cdef inline int minor_count(const PositionC* pos, int colour) noexcept nogil:
    return popcount((pos.pieces[KNIGHT] | pos.pieces[BISHOP]) & pos.colours[colour])


cdef inline int non_pawn_phase(const PositionC* pos, int colour) noexcept nogil:
    cdef u64 own = pos.colours[colour]
    return (minor_count(pos, colour) + 2 * popcount(pos.pieces[ROOK] & own)
            + 4 * popcount(pos.pieces[QUEEN] & own))


cdef inline bint cannot_mate(const PositionC* pos, int colour) noexcept nogil:
    """Not against good play: two knights at the most, or bishops on squares of one colour."""
    cdef u64 own = pos.colours[colour]
    cdef u64 knights = pos.pieces[KNIGHT] & own, bishops = pos.pieces[BISHOP] & own
    if own & (pos.pieces[PAWN] | pos.pieces[ROOK] | pos.pieces[QUEEN]):
        return False
    if bishops == 0:
        return popcount(knights) <= 2
    return knights == 0 and (bishops & DARK_SQUARES == 0 or bishops & ~DARK_SQUARES == 0)


cdef bint has_wrong_bishop(const PositionC* pos, int strong) noexcept nogil:
    """Rook pawns and a bishop that does not control their corner, with the king in it."""
    cdef u64 own = pos.colours[strong]
    cdef u64 pawns = pos.pieces[PAWN] & own
    cdef u64 bishops = pos.pieces[BISHOP] & own
    cdef int corner, king = king_square(pos, strong ^ 1)
    if own & ~(pawns | bishops | pos.pieces[KING]) or several(bishops):
        return False
    if not pawns & ~FILE_A:
        corner = 56 if strong == WHITE else 0
    elif not pawns & ~FILE_H:
        corner = 63 if strong == WHITE else 7
    else:
        return False
    if bishops and (((bishops & DARK_SQUARES) != 0) == ((DARK_SQUARES & bit(corner)) != 0)):
        return False
    return DISTANCE[king][corner] <= 1


cdef int endgame_scale(const PositionC* pos, int score) noexcept nogil:
    """How much of the better side's endgame score is worth counting, out of FULL_SCALE."""
    cdef int strong = WHITE if score > 0 else BLACK
    cdef int weak = strong ^ 1
    cdef u64 pawns = pos.pieces[PAWN] & pos.colours[strong]
    cdef int ours = non_pawn_phase(pos, strong), theirs = non_pawn_phase(pos, weak)
    cdef u64 bishops = pos.pieces[BISHOP]
    if cannot_mate(pos, strong):
        return 0
    if pawns == 0 and ours - theirs <= 1:
        return 8  # a minor piece more does not win
    if pawns and not several(pawns) and ours - theirs <= 0:
        return 48
    if pawns and has_wrong_bishop(pos, strong):
        return 0
    if (popcount(bishops & pos.colours[WHITE]) == 1 and popcount(bishops & pos.colours[BLACK]) == 1
            and (bishops & DARK_SQUARES) != 0 and (bishops & ~DARK_SQUARES) != 0):
        if ours == 1 and theirs == 1:
            return 16 + 4 * popcount(pawns)
        return 40 + 2 * popcount(pawns)
    return min(FULL_SCALE, 40 + 6 * popcount(pawns)) if ours == theirs else FULL_SCALE


cdef int mating_drive(const PositionC* pos, int score) noexcept nogil:
    """Against a lone king: drive it to the edge and come closer (White's view)."""
    cdef int strong = WHITE if score > 0 else BLACK
    cdef int king = king_square(pos, strong ^ 1)
    cdef u64 bishops = pos.pieces[BISHOP]
    cdef int drive, file, rank, corner
    if (several(pos.colours[strong ^ 1]) or non_pawn_phase(pos, strong) < 2
            or cannot_mate(pos, strong)):
        return 0
    file = min(file_of(king), 7 - file_of(king))
    rank = min(rank_of(king), 7 - rank_of(king))
    drive = 200 - 20 * (file + rank) - 10 * DISTANCE[king][king_square(pos, strong)]
    if (bishops and not several(bishops)
            and not pos.pieces[PAWN] | pos.pieces[ROOK] | pos.pieces[QUEEN]):
        # Bishop and knight mate only in a corner of the bishop's colour: 7 there, 0 half-way.
        corner = (abs(7 - file_of(king) - rank_of(king)) if bishops & DARK_SQUARES
                  else abs(file_of(king) - rank_of(king)))
        drive = 50 * corner - 10 * DISTANCE[king][king_square(pos, strong)]
    return drive + 400 if strong == WHITE else -drive - 400
