# King and pawn against king, solved when the core is loaded.
#
# For a pawn and its king, the lone king's squares on which the pawn's side wins are one bitboard:
# a step of the solution handles 64 positions. A pawn never goes back, so its squares are solved
# from the seventh rank down, and only the kings' moves have to be repeated. White has the pawn, on
# the files a to d; half_square() numbers its squares, relative_square() and a mirror do the rest.

cdef u64 PAWN_SIDE_WINS[32][64]   # pawn, its king; the pawn's side is to move
cdef u64 LONE_KING_LOSES[32][64]  # the same with the lone king to move


cdef inline u64 king_steps(u64 kings) noexcept nogil:
    """The squares next to these."""
    cdef u64 beside = ((kings & ~FILE_A) >> 1) | ((kings & ~FILE_H) << 1)
    cdef u64 row = kings | beside
    return beside | (row << 8) | (row >> 8)


cdef u64 winning_pushes(int pawn, int king) noexcept nogil:
    """The lone king's squares on which moving the pawn wins."""
    cdef int stop = pawn + 8
    cdef u64 wins
    if king == stop:
        return 0
    if rank_of(stop) == 7:  # a queen, or a rook where a queen would stalemate, unless it is taken
        return ~(bit(stop) if KING_ATTACKS[king] & bit(stop) else KING_ATTACKS[stop] | bit(stop))
    wins = LONE_KING_LOSES[half_square(stop, WHITE)][king]
    if rank_of(pawn) == 1 and king != stop + 8:
        wins |= LONE_KING_LOSES[half_square(stop + 8, WHITE)][king] & ~bit(stop)
    return wins


cdef bint solve_king(int pawn, int king) noexcept nogil:
    """One step, from what is known of the neighbouring positions. Is anything new?"""
    cdef u64* wins = &PAWN_SIDE_WINS[half_square(pawn, WHITE)][king]
    cdef u64* neighbours = LONE_KING_LOSES[half_square(pawn, WHITE)]
    cdef u64 kept_off = KING_ATTACKS[king] | bit(king)
    cdef u64 safe = ~(kept_off | PAWN_ATTACKS[WHITE][pawn])  # taking a loose pawn is included
    cdef u64 before = wins[0]
    cdef u64 left = KING_ATTACKS[king] & ~bit(pawn)
    wins[0] |= winning_pushes(pawn, king)
    while left:
        wins[0] |= neighbours[pop_lowest(&left)]
    wins[0] &= safe & ~bit(pawn)
    # No step at all is stalemate: a pawn and a king can't mate.
    neighbours[king] = king_steps(safe) & ~king_steps(safe & ~wins[0]) & ~(kept_off | bit(pawn))
    return wins[0] != before


cdef void solve_kpk() noexcept nogil:
    cdef int rank, file, king
    cdef bint changed
    for rank in range(6, 0, -1):
        for file in range(4):
            changed = True
            while changed:
                changed = False
                for king in range(64):
                    if king != 8 * rank + file and solve_king(8 * rank + file, king):
                        changed = True


solve_kpk()


cdef bint pawn_wins_alone(const PositionC* pos, int pawn, int strong) noexcept nogil:
    """Would this pawn and its king win, if they had only a lone king against them?"""
    cdef int mirror = 7 if file_of(pawn) > 3 else 0
    cdef int king = relative_square(king_square(pos, strong), strong) ^ mirror
    cdef int lone_king = relative_square(king_square(pos, strong ^ 1), strong) ^ mirror
    cdef int half = half_square(pawn, strong)
    if pos.side == strong:
        return (PAWN_SIDE_WINS[half][king] & bit(lone_king)) != 0
    return (LONE_KING_LOSES[half][king] & bit(lone_king)) != 0
