# The position: bitboards by kind and colour, a mailbox, Zobrist keys, and what bears on the king.
#
# A position is small and flat. A move makes a new position beside the old one (makemove.pxi), so
# taking a move back is stepping back to the old one: nothing is undone, nothing can be undone wrong.

cdef struct PositionC:
    u64 pieces[6]          # by kind, both colours
    u64 colours[2]         # directly behind: Python sees pieces and colours as one array of eight
    u8 squares[64]         # the kind on each square, or NO_PIECE
    u64 castling_rooks     # the rooks that may still castle; a right is a rook, also in Chess960
    u64 key
    u64 pawn_key
    u64 minor_key          # knights, bishops, kings
    u64 nonpawn_keys[2]    # by colour, all but pawns
    u64 checkers           # pieces giving check to the side to move
    u64 pin_orthogonal     # lines from the king of the side to move through one piece to a rook
    u64 pin_diagonal       # or queen, bishop or queen, end included: a pinned piece stays on them
    u32 fullmove
    u16 rule50
    u8 side
    u8 en_passant          # the square behind a pawn that can legally be taken, or NO_SQUARE

cdef u64 PIECE_KEYS[2][6][64]
cdef u64 CASTLING_KEYS[64]
cdef u64 EN_PASSANT_KEYS[65]  # the entry of NO_SQUARE is zero
cdef u64 SIDE_KEY


cdef u64 next_random(u64* state) noexcept nogil:
    """Splitmix64: a fixed seed gives the same keys on every machine."""
    state[0] += 0x9E3779B97F4A7C15ULL
    cdef u64 z = state[0]
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL
    return z ^ (z >> 31)


cdef void fill_zobrist_keys() noexcept nogil:
    global SIDE_KEY
    cdef u64 state = 0x1997
    cdef int colour, piece, square
    for colour in range(2):
        for piece in range(6):
            for square in range(64):
                PIECE_KEYS[colour][piece][square] = next_random(&state)
    for square in range(64):
        CASTLING_KEYS[square] = next_random(&state)
        EN_PASSANT_KEYS[square] = next_random(&state)
    EN_PASSANT_KEYS[NO_SQUARE] = 0
    SIDE_KEY = next_random(&state)


fill_zobrist_keys()


# What stands where.

cdef inline u64 occupied(const PositionC* pos) noexcept nogil:
    return pos.colours[WHITE] | pos.colours[BLACK]


cdef inline int king_square(const PositionC* pos, int colour) noexcept nogil:
    return lowest(pos.pieces[KING] & pos.colours[colour])


cdef inline u64 orthogonal_sliders(const PositionC* pos, int colour) noexcept nogil:
    return (pos.pieces[ROOK] | pos.pieces[QUEEN]) & pos.colours[colour]


cdef inline u64 diagonal_sliders(const PositionC* pos, int colour) noexcept nogil:
    return (pos.pieces[BISHOP] | pos.pieces[QUEEN]) & pos.colours[colour]


# Who attacks what.

cdef inline u64 attackers_of(const PositionC* pos, int square, int colour,
                             u64 blockers) noexcept nogil:
    """The pieces of a colour that attack a square, sliders stopped by the given blockers."""
    return (((PAWN_ATTACKS[colour ^ 1][square] & pos.pieces[PAWN])
             | (KNIGHT_ATTACKS[square] & pos.pieces[KNIGHT])
             | (KING_ATTACKS[square] & pos.pieces[KING])) & pos.colours[colour]
            | (bishop_attacks(square, blockers) & diagonal_sliders(pos, colour))
            | (rook_attacks(square, blockers) & orthogonal_sliders(pos, colour)))


cdef inline void find_check_squares(u64* squares, const PositionC* pos) noexcept nogil:
    """From where each kind of piece of the side to move would check the other king."""
    cdef int them = pos.side ^ 1
    cdef int king = king_square(pos, them)
    squares[PAWN] = PAWN_ATTACKS[them][king]
    squares[KNIGHT] = KNIGHT_ATTACKS[king]
    squares[BISHOP] = bishop_attacks(king, occupied(pos))
    squares[ROOK] = rook_attacks(king, occupied(pos))
    squares[QUEEN] = squares[BISHOP] | squares[ROOK]
    squares[KING] = 0


cdef inline u64 attacks_by(const PositionC* pos, int colour, u64 blockers) noexcept nogil:
    """All squares that a colour attacks."""
    cdef u64 own = pos.colours[colour]
    cdef u64 pawns = pos.pieces[PAWN] & own
    cdef u64 attacked = (forward_west(pawns, colour) | forward_east(pawns, colour)
                         | KING_ATTACKS[king_square(pos, colour)])
    cdef u64 left = pos.pieces[KNIGHT] & own
    while left:
        attacked |= KNIGHT_ATTACKS[pop_lowest(&left)]
    left = diagonal_sliders(pos, colour)
    while left:
        attacked |= bishop_attacks(pop_lowest(&left), blockers)
    left = orthogonal_sliders(pos, colour)
    while left:
        attacked |= rook_attacks(pop_lowest(&left), blockers)
    return attacked


cdef inline void scan_line(PositionC* pos, u64* pins, int king, int slider) noexcept nogil:
    """A slider in line with the king gives check, pins the one piece between them, or neither."""
    cdef u64 line = BETWEEN[king][slider]
    cdef u64 blockers = line & occupied(pos)
    if blockers == 0:
        pos.checkers |= bit(slider)
    elif not several(blockers):
        pins[0] |= line | bit(slider)


cdef inline void scan_king(PositionC* pos, int us) noexcept nogil:
    """Find the checkers and the pin lines of the side to move."""
    cdef int them = us ^ 1
    cdef int king = king_square(pos, us)
    cdef u64 sliders = ROOK_RAYS[king] & orthogonal_sliders(pos, them)
    pos.checkers = ((PAWN_ATTACKS[us][king] & pos.pieces[PAWN])
                    | (KNIGHT_ATTACKS[king] & pos.pieces[KNIGHT])) & pos.colours[them]
    pos.pin_orthogonal = 0
    pos.pin_diagonal = 0
    while sliders:
        scan_line(pos, &pos.pin_orthogonal, king, pop_lowest(&sliders))
    sliders = BISHOP_RAYS[king] & diagonal_sliders(pos, them)
    while sliders:
        scan_line(pos, &pos.pin_diagonal, king, pop_lowest(&sliders))


cdef inline bint en_passant_is_legal(const PositionC* pos, int us, int origin,
                                     int target) noexcept nogil:
    """Two pawns leave their squares at once, so what bears on the king is looked at afresh."""
    cdef int them = us ^ 1
    cdef int king = king_square(pos, us)
    cdef u64 victim = bit(target ^ 8)
    cdef u64 blockers = (occupied(pos) ^ bit(origin) ^ victim) | bit(target)
    return not (((PAWN_ATTACKS[us][king] & pos.pieces[PAWN])
                 | (KNIGHT_ATTACKS[king] & pos.pieces[KNIGHT])) & pos.colours[them] & ~victim
                | (rook_attacks(king, blockers) & orthogonal_sliders(pos, them))
                | (bishop_attacks(king, blockers) & diagonal_sliders(pos, them)))


cdef inline bint can_capture_en_passant(const PositionC* pos, int us, int target) noexcept nogil:
    """Does the side `us` have a legal en-passant capture onto this square?"""
    cdef u64 pawns = PAWN_ATTACKS[us ^ 1][target] & pos.pieces[PAWN] & pos.colours[us]
    while pawns:
        if en_passant_is_legal(pos, us, pop_lowest(&pawns), target):
            return True
    return False


# Keys.

cdef inline void toggle_key(PositionC* pos, int colour, int piece, int square) noexcept nogil:
    cdef u64 key = PIECE_KEYS[colour][piece][square]
    pos.key ^= key
    if piece == PAWN:
        pos.pawn_key ^= key
    else:
        pos.nonpawn_keys[colour] ^= key
        if piece == KNIGHT or piece == BISHOP or piece == KING:
            pos.minor_key ^= key


cdef inline u64 castling_key(u64 rooks) noexcept nogil:
    cdef u64 key = 0
    while rooks:
        key ^= CASTLING_KEYS[pop_lowest(&rooks)]
    return key


cdef void derive_keys(PositionC* pos) noexcept nogil:
    """All keys from scratch."""
    cdef u64 left = occupied(pos)
    cdef int square
    pos.pawn_key = pos.minor_key = pos.nonpawn_keys[WHITE] = pos.nonpawn_keys[BLACK] = 0
    pos.key = castling_key(pos.castling_rooks) ^ EN_PASSANT_KEYS[pos.en_passant]
    if pos.side == BLACK:
        pos.key ^= SIDE_KEY
    while left:
        square = pop_lowest(&left)
        toggle_key(pos, (pos.colours[BLACK] >> square) & 1, pos.squares[square], square)


# Setting up.

cdef void clear_position(PositionC* pos) noexcept nogil:
    memset(pos, 0, sizeof(PositionC))
    memset(pos.squares, NO_PIECE, 64)
    pos.en_passant = NO_SQUARE
    pos.fullmove = 1


cdef inline void put_piece(PositionC* pos, int colour, int piece, int square) noexcept nogil:
    pos.pieces[piece] |= bit(square)
    pos.colours[colour] |= bit(square)
    pos.squares[square] = <u8>piece


cdef inline bint needs_chess960(const PositionC* pos) noexcept nogil:
    """Are there castling rights that standard chess does not know?"""
    cdef u64 rooks = pos.castling_rooks
    cdef u64 corners = bit(0) | bit(7) | bit(56) | bit(63)
    return ((rooks & ~corners) != 0
            or ((rooks & RANK_1) != 0 and king_square(pos, WHITE) != 4)
            or ((rooks & RANK_8) != 0 and king_square(pos, BLACK) != 60))


# Verdicts.

cdef bint has_insufficient_material(const PositionC* pos) noexcept nogil:
    """Can neither side mate by any series of legal moves? (By material alone, as in FIDE 5.2.2.)"""
    cdef u64 bishops = pos.pieces[BISHOP]
    if pos.pieces[PAWN] | pos.pieces[ROOK] | pos.pieces[QUEEN]:
        return False
    if pos.pieces[KNIGHT]:
        return bishops == 0 and not several(pos.pieces[KNIGHT])
    return (bishops & DARK_SQUARES) == 0 or (bishops & ~DARK_SQUARES) == 0


cdef bint same_position(const PositionC* a, const PositionC* b) noexcept nogil:
    """The same for the repetition rule: pieces, side, castling and en-passant rights."""
    return (a.key == b.key and a.side == b.side and a.en_passant == b.en_passant
            and a.castling_rooks == b.castling_rooks
            and memcmp(a.pieces, b.pieces, 8 * sizeof(u64)) == 0)
