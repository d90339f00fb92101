# Endgames that a weighted sum gets wrong: drawish material, and how to beat a lone king.

cdef enum:
    NO_SCALE = 0
    FULL_SCALE = 64
    KNOWN_ENDING_MEN = 7   # with more, nothing is known that an evaluation does not see

# What a lone king has lost, before the drives to the edge and to the right corner: they take off 970
# at the most. It is the same for all men, so that none of them is better lost.
cdef enum:
    LONE_KING_LOST = 1300

# A won pawn is worth less than a rook against a lone king, and more on each rank: so it is pushed.
cdef enum:
    PAWN_WIN = 500
    PAWN_WIN_STEP = 40


cdef inline int minor_count(const PositionC* pos, int colour) noexcept nogil:
    return popcount((pos.pieces[KNIGHT] | pos.pieces[BISHOP]) & pos.colours[colour])


cdef inline int non_pawn_phase(const PositionC* pos, int colour) noexcept nogil:
    cdef u64 own = pos.colours[colour]
    return (minor_count(pos, colour) + 2 * popcount(pos.pieces[ROOK] & own)
            + 4 * popcount(pos.pieces[QUEEN] & own))


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


cdef bint lacks_mating_material(const PositionC* pos, int colour) noexcept nogil:
    """At most two knights, or bishops that see squares of one colour: no mate can be forced."""
    cdef u64 own = pos.colours[colour]
    cdef u64 bishops = pos.pieces[BISHOP] & own
    if own & (pos.pieces[PAWN] | pos.pieces[ROOK] | pos.pieces[QUEEN]):
        return False
    if bishops == 0:
        return popcount(pos.pieces[KNIGHT] & own) <= 2
    return not (pos.pieces[KNIGHT] & own
                or (bishops & DARK_SQUARES and bishops & ~DARK_SQUARES))


cdef inline bint has_opposite_bishops(const PositionC* pos) noexcept nogil:
    cdef u64 bishops = pos.pieces[BISHOP]
    return (popcount(bishops & pos.colours[WHITE]) == 1
            and popcount(bishops & pos.colours[BLACK]) == 1
            and (bishops & DARK_SQUARES) != 0 and (bishops & ~DARK_SQUARES) != 0)


cdef inline bint is_pawns_against_king(const PositionC* pos) noexcept nogil:
    return (pos.pieces[PAWN] != 0 and occupied(pos) == pos.pieces[PAWN] | pos.pieces[KING]
            and not (several(pos.colours[WHITE]) and several(pos.colours[BLACK])))


cdef int endgame_scale(const PositionC* pos, int score) noexcept nogil:
    """How much of the better side's endgame score is worth counting, out of FULL_SCALE."""
    cdef int strong = WHITE if score > 0 else BLACK
    cdef int weak = strong ^ 1
    cdef u64 pawns = pos.pieces[PAWN] & pos.colours[strong]
    cdef int ours = non_pawn_phase(pos, strong), theirs = non_pawn_phase(pos, weak)
    if is_pawns_against_king(pos) and not several(pos.pieces[PAWN]):
        return NO_SCALE  # known_win() knows all about it
    if score == 0:
        return FULL_SCALE  # neither side is better
    if lacks_mating_material(pos, strong):
        return NO_SCALE
    if pawns == 0 and ours - theirs <= 1:
        return 8  # a minor piece more does not win
    if pawns and has_wrong_bishop(pos, strong):
        return NO_SCALE
    if has_opposite_bishops(pos):
        if ours == 1 and theirs == 1:
            return 16 + 4 * popcount(pawns)
        return 40 + 2 * popcount(pawns)
    if pawns and not several(pawns) and ours - theirs <= 0:
        return 48
    return min(FULL_SCALE, 40 + 6 * popcount(pawns)) if ours == theirs else FULL_SCALE


cdef bint has_only_bishop_and_knight(const PositionC* pos, int colour) noexcept nogil:
    cdef u64 own = pos.colours[colour]
    return (popcount(own) == 3 and (pos.pieces[BISHOP] & own) != 0
            and (pos.pieces[KNIGHT] & own) != 0)


cdef int mating_drive(const PositionC* pos) noexcept nogil:
    """Against a lone king: drive it to the edge and come closer (White's view). Whose it is, the men
    say: a network may err in the sign."""
    cdef int strong = WHITE if several(pos.colours[WHITE]) else BLACK
    cdef int king = king_square(pos, strong ^ 1)
    cdef int file = file_of(king), rank = rank_of(king)
    cdef int distance = DISTANCE[king][king_square(pos, strong)]
    cdef int drive
    if (several(pos.colours[strong ^ 1]) or non_pawn_phase(pos, strong) < 2
            or lacks_mating_material(pos, strong)):
        return 0
    drive = LONE_KING_LOST - 20 * (min(file, 7 - file) + min(rank, 7 - rank)) - 10 * distance
    if has_only_bishop_and_knight(pos, strong):
        # They mate only in a corner of the bishop's colour. All the way there, also along the
        # edge, counts for more than anything that the weights may say.
        if not pos.pieces[BISHOP] & DARK_SQUARES:
            file = 7 - file
        drive -= 80 * (7 - abs(7 - file - rank)) + 30 * distance
    return drive if strong == WHITE else -drive


cdef int pawns_win(const PositionC* pos) noexcept nogil:
    """Pawns against a lone king: a bonus for the foremost one that wins by itself (White's view)."""
    cdef int strong = WHITE if pos.pieces[PAWN] & pos.colours[WHITE] else BLACK
    cdef u64 left = pos.pieces[PAWN]
    cdef int pawn, foremost = 0
    while left:
        pawn = pop_lowest(&left)
        if not FRONT_SPAN[strong][pawn] & pos.pieces[PAWN] and pawn_wins_alone(pos, pawn, strong):
            foremost = max(foremost, relative_rank(pawn, strong))
    if foremost == 0:
        return 0
    return (PAWN_WIN + PAWN_WIN_STEP * foremost) * (1 if strong == WHITE else -1)


cdef int known_win(const PositionC* pos) noexcept nogil:
    """What is added to the score because the ending is won (White's view)."""
    if is_pawns_against_king(pos):
        return pawns_win(pos)
    return mating_drive(pos)


cdef inline int apply_ending(const PositionC* pos, int score) noexcept nogil:
    """A score from the side to move, corrected by what is known of endings for certain."""
    if popcount(occupied(pos)) > KNOWN_ENDING_MEN:
        return score
    if pos.side == BLACK:
        score = -score
    if endgame_scale(pos, score) == NO_SCALE:
        score = 0
    score += known_win(pos)
    return score if pos.side == WHITE else -score
