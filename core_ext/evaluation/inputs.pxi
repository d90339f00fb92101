# What the network sees: which man stands on which square, once from each side's own view.
#
# In its view a side plays up the board with its king on the files a to d: what is true of a position
# is true of its mirror image, and need be learned only once.
#
# A network may also see danger: then a man that a lesser one attacks, or any one while nothing defends
# it, has a second input beside the usual one. What a search would have to find out is plain at a
# glance then; and a man that comes to be in danger, which each move brings to some, is one row more.

cdef enum:
    PLAIN_INPUTS = 768   # own men and the other's, six kinds, 64 squares
    DANGER_INPUTS = 1536 # the same twice: every man, then those in danger
    OTHER_SIDE = 384
    MOST_MEN = 32
    MOST_ROWS = 64       # of a position: every man may be in danger


cdef inline int view_flip(int view, int king) noexcept nogil:
    """The bits of a square to change to have it in the view of a colour whose king stands here."""
    return (56 if view == BLACK else 0) ^ (7 if king & 4 else 0)


cdef inline int list_men(u16* listed, int count, u64 squares, const u8* kinds, u64 black,
                         bint endangered) noexcept nogil:
    """Append the inputs of the men on some squares, or those of their danger, as `input_index` knows
    them: danger, colour, kind and square. How many there are now."""
    cdef int square
    while squares:
        square = pop_lowest(&squares)
        listed[count] = <u16>(endangered * 1024 + (black >> square & 1) * 512
                              + 64 * kinds[square] + square)
        count += 1
    return count


cdef inline int input_index(int man, int view, int flip) noexcept nogil:
    return ((man >> 9) ^ view) * OTHER_SIDE + ((man & 511) ^ flip)


# What a colour's men attack: each kind with all lesser ones.
cdef struct AttacksC:
    u64 pawns
    u64 minors
    u64 rooks
    u64 all


cdef inline AttacksC layered_attacks(const u64* men, int colour, u64 blockers) noexcept nogil:
    cdef AttacksC attacks
    cdef u64 own = men[6 + colour]
    cdef u64 pawns = men[PAWN] & own
    cdef u64 left
    attacks.pawns = forward_west(pawns, colour) | forward_east(pawns, colour)
    attacks.minors = attacks.pawns
    left = men[KNIGHT] & own
    while left:
        attacks.minors |= KNIGHT_ATTACKS[pop_lowest(&left)]
    left = men[BISHOP] & own
    while left:
        attacks.minors |= bishop_attacks(pop_lowest(&left), blockers)
    attacks.rooks = attacks.minors
    left = men[ROOK] & own
    while left:
        attacks.rooks |= rook_attacks(pop_lowest(&left), blockers)
    attacks.all = attacks.rooks | KING_ATTACKS[lowest(men[KING] & own)]
    left = men[QUEEN] & own
    while left:
        attacks.all |= piece_attacks(QUEEN, pop_lowest(&left), blockers)
    return attacks


cdef inline u64 lesser_attacks(const AttacksC* attacks, int piece) noexcept nogil:
    """Where men attack that are worth less than this piece."""
    if piece == ROOK:
        return attacks.minors
    if piece == QUEEN:
        return attacks.rooks
    return attacks.pawns if piece == KNIGHT or piece == BISHOP else 0


cdef inline u64 men_under_lesser(const u64* men, const AttacksC* attacks) noexcept nogil:
    """Of both colours: the pieces on squares that lesser men attack."""
    cdef u64 found = 0
    cdef int piece
    for piece in range(KNIGHT, KING):
        found |= men[piece] & lesser_attacks(attacks, piece)
    return found


cdef inline u64 men_in_danger(const u64* men, AttacksC* attacks) noexcept nogil:
    """Of six kinds, then two colours: those that a lesser man attacks, or any one while nothing
    defends them. Kings are none of them: a check is another matter. Both colours' attacks are
    filled in."""
    cdef u64 blockers = men[6 + WHITE] | men[6 + BLACK]
    cdef u64 found = 0
    cdef int colour
    for colour in range(2):
        attacks[colour] = layered_attacks(men, colour, blockers)
    for colour in range(2):
        found |= men[6 + colour] & (
            men_under_lesser(men, &attacks[colour ^ 1])
            | (attacks[colour ^ 1].all & ~attacks[colour].all))
    return found & ~men[KING]


cdef inline int output_bucket(int men, int buckets) noexcept nogil:
    """Which of the network's outputs speaks: they share the game out by the men left."""
    return (men - 1) * buckets // MOST_MEN
