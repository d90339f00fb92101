# Attack tables. Sliding attacks are one look-up, indexed by the occupied squares that matter:
# gathered by PEXT where the CPU has a fast one, by a multiplication with a magic number elsewhere.

cdef extern from *:
    """
    #if defined(__BMI2__) && !defined(__znver1__) && !defined(__znver2__)
    #include <immintrin.h>
    #define HAS_FAST_PEXT 1
    #define gather_bits(squares, mask) _pext_u64(squares, mask)
    #define scatter_bits(bits, mask) _pdep_u64(bits, mask)
    #else
    #define HAS_FAST_PEXT 0
    #define gather_bits(squares, mask) 0ULL
    #define scatter_bits(bits, mask) 0ULL
    #endif
    """
    bint HAS_FAST_PEXT
    u64 gather_bits(u64 squares, u64 mask) noexcept nogil
    u64 scatter_bits(u64 bits, u64 mask) noexcept nogil

cdef struct SliderC:
    u64 mask  # the squares whose occupation changes the attacks
    u64* attacks
    u64 magic
    int shift

cdef enum:
    ROOK_TABLE_SIZE = 102400
    BISHOP_TABLE_SIZE = 5248

cdef u64 ROOK_TABLE[ROOK_TABLE_SIZE]
cdef u64 BISHOP_TABLE[BISHOP_TABLE_SIZE]
cdef SliderC ROOKS[64]
cdef SliderC BISHOPS[64]

cdef u64 PAWN_ATTACKS[2][64]
cdef u64 KNIGHT_ATTACKS[64]
cdef u64 KING_ATTACKS[64]
cdef u64 ROOK_RAYS[64]     # attacks on an empty board
cdef u64 BISHOP_RAYS[64]
cdef u64 BETWEEN[64][64]   # the squares strictly between two squares on one line


cdef inline u64 slider_index(const SliderC* slider, u64 occupied) noexcept nogil:
    if HAS_FAST_PEXT:
        return gather_bits(occupied, slider.mask)
    return ((occupied & slider.mask) * slider.magic) >> slider.shift


cdef inline u64 rook_attacks(int square, u64 occupied) noexcept nogil:
    return ROOKS[square].attacks[slider_index(&ROOKS[square], occupied)]


cdef inline u64 bishop_attacks(int square, u64 occupied) noexcept nogil:
    return BISHOPS[square].attacks[slider_index(&BISHOPS[square], occupied)]


cdef inline u64 piece_attacks(int piece, int square, u64 occupied) noexcept nogil:
    """The attacks of any piece but a pawn."""
    if piece == KNIGHT:
        return KNIGHT_ATTACKS[square]
    if piece == BISHOP:
        return bishop_attacks(square, occupied)
    if piece == ROOK:
        return rook_attacks(square, occupied)
    if piece == QUEEN:
        return rook_attacks(square, occupied) | bishop_attacks(square, occupied)
    return KING_ATTACKS[square]


cdef u64 walk(int square, int file_step, int rank_step, u64 occupied, int steps) noexcept nogil:
    """The squares reached from one square in one direction, up to the first occupied one."""
    cdef u64 reached = 0
    cdef int file = file_of(square) + file_step
    cdef int rank = rank_of(square) + rank_step
    while steps > 0 and 0 <= file < 8 and 0 <= rank < 8:
        square = rank * 8 + file
        reached |= bit(square)
        if occupied & bit(square):
            break
        file += file_step
        rank += rank_step
        steps -= 1
    return reached


cdef u64 walk_slider(int square, int diagonal, u64 occupied) noexcept nogil:
    if diagonal:
        return (walk(square, 1, 1, occupied, 7) | walk(square, -1, 1, occupied, 7)
                | walk(square, 1, -1, occupied, 7) | walk(square, -1, -1, occupied, 7))
    return (walk(square, 1, 0, occupied, 7) | walk(square, -1, 0, occupied, 7)
            | walk(square, 0, 1, occupied, 7) | walk(square, 0, -1, occupied, 7))


cdef u64 relevant_squares(int square, int diagonal) noexcept nogil:
    """What stands on the rim never hides anything, unless the slider moves along that rim."""
    cdef u64 rim = 0
    if rank_of(square) != 0:
        rim |= RANK_1
    if rank_of(square) != 7:
        rim |= RANK_8
    if file_of(square) != 0:
        rim |= FILE_A
    if file_of(square) != 7:
        rim |= FILE_H
    return walk_slider(square, diagonal, 0) & ~rim


cdef void fill_slider_tables(SliderC* sliders, u64* table, const u64* magics,
                             int diagonal) noexcept nogil:
    cdef int square
    cdef u64 subset
    cdef SliderC* slider
    for square in range(64):
        slider = &sliders[square]
        slider.mask = relevant_squares(square, diagonal)
        slider.magic = magics[square]
        slider.shift = 64 - popcount(slider.mask)
        slider.attacks = table
        subset = 0
        while True:  # all subsets of the mask, in rising order
            slider.attacks[slider_index(slider, subset)] = walk_slider(square, diagonal, subset)
            subset = (subset - slider.mask) & slider.mask
            if subset == 0:
                break
        table += (<u64>1) << popcount(slider.mask)


cdef void fill_leaper_tables(int square) noexcept nogil:
    cdef u64 here = bit(square)
    cdef u64 knight = 0
    cdef int long_step, short_step
    for long_step in range(-2, 3, 4):
        for short_step in range(-1, 2, 2):
            knight |= walk(square, long_step, short_step, 0, 1)
            knight |= walk(square, short_step, long_step, 0, 1)
    KNIGHT_ATTACKS[square] = knight
    PAWN_ATTACKS[WHITE][square] = forward_west(here, WHITE) | forward_east(here, WHITE)
    PAWN_ATTACKS[BLACK][square] = forward_west(here, BLACK) | forward_east(here, BLACK)
    KING_ATTACKS[square] = (forward(here, WHITE) | forward(here, BLACK)
                            | PAWN_ATTACKS[WHITE][square] | PAWN_ATTACKS[BLACK][square]
                            | walk(square, 1, 0, 0, 1) | walk(square, -1, 0, 0, 1))
    ROOK_RAYS[square] = rook_attacks(square, 0)
    BISHOP_RAYS[square] = bishop_attacks(square, 0)


cdef void fill_between(int first) noexcept nogil:
    cdef int second
    for second in range(64):
        if ROOK_RAYS[first] & bit(second):
            BETWEEN[first][second] = (rook_attacks(first, bit(second))
                                      & rook_attacks(second, bit(first)))
        elif BISHOP_RAYS[first] & bit(second):
            BETWEEN[first][second] = (bishop_attacks(first, bit(second))
                                      & bishop_attacks(second, bit(first)))
        else:
            BETWEEN[first][second] = 0


cdef void fill_attack_tables() noexcept nogil:
    cdef int square
    fill_slider_tables(ROOKS, ROOK_TABLE, ROOK_MAGICS, False)
    fill_slider_tables(BISHOPS, BISHOP_TABLE, BISHOP_MAGICS, True)
    for square in range(64):
        fill_leaper_tables(square)
    for square in range(64):
        fill_between(square)


fill_attack_tables()
