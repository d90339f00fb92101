# A position in 32 bytes: the exchange format of batch functions, self-play data and training.

# Packed: it may stand at any address, as in a user's slice or behind a game of odd length.
cdef packed struct PackedC:
    u64 occupied
    u8 men[16]        # four bits for each occupied square, from a1 on: kind, and 8 for Black
    u8 side           # 128 for Black to move, plus the en-passant square or NO_SQUARE
    u8 rule50
    u16 fullmove
    int16_t score     # the data set's business, like the two below
    u8 result
    u8 extra

cdef enum:
    CASTLING_ROOK = 6  # the kind of a rook that may still castle
    BLACK_MAN = 8
    BLACK_TO_MOVE = 128


cdef void pack_position(PackedC* packed, const PositionC* pos) noexcept nogil:
    """Counters too large for their field are kept as the largest it holds."""
    cdef u64 left = occupied(pos)
    cdef int index = 0, square, man
    memset(packed, 0, sizeof(PackedC))
    packed.occupied = left
    while left:
        square = pop_lowest(&left)
        man = CASTLING_ROOK if pos.castling_rooks & bit(square) else pos.squares[square]
        if pos.colours[BLACK] & bit(square):
            man |= BLACK_MAN
        packed.men[index >> 1] |= <u8>(man << (4 * (index & 1)))
        index += 1
    packed.side = <u8>(pos.en_passant | (BLACK_TO_MOVE if pos.side == BLACK else 0))
    packed.rule50 = <u8>min(pos.rule50, 255)
    packed.fullmove = <u16>min(pos.fullmove, 65535)


cdef bint castling_is_possible(const PositionC* pos, int colour) noexcept nogil:
    cdef u64 rooks = pos.castling_rooks & pos.colours[colour]
    cdef int king = king_square(pos, colour)
    return rooks == 0 or (not rooks & ~back_rank(colour) and king_may_castle(pos, colour)
                          and not several(rooks & (bit(king) - 1))
                          and not several(rooks & (ALL_SQUARES << king)))


cdef bint en_passant_is_possible(const PositionC* pos) noexcept nogil:
    return pos.en_passant == NO_SQUARE or (
        check_en_passant(pos, pos.en_passant) == FEN_OK
        and can_capture_en_passant(pos, pos.side, pos.en_passant))


cdef inline u64 unpack_plane(const PackedC* packed, int plane) noexcept nogil:
    """The squares of the men that have one of the four bits set."""
    cdef u64 halves[2]
    cdef u64 bits = 0, left = packed.occupied
    cdef u64 mask = 0x1111111111111111ULL << plane
    cdef int index = 0
    if HAS_FAST_PEXT:
        memcpy(halves, packed.men, 16)
        bits = gather_bits(halves[0], mask) | (gather_bits(halves[1], mask) << 16)
        return scatter_bits(bits, packed.occupied)
    while left:
        if (packed.men[index >> 1] >> (4 * (index & 1) + plane)) & 1:
            bits |= left & -left
        left &= left - 1
        index += 1
    return bits


cdef inline bint unpack_men(PositionC* pos, const PackedC* packed) noexcept nogil:
    """The bitboards, each kind from the bits of its number."""
    cdef u64 all_men = packed.occupied
    cdef u64 ones = unpack_plane(packed, 0)
    cdef u64 twos = unpack_plane(packed, 1)
    cdef u64 fours = unpack_plane(packed, 2)
    pos.colours[BLACK] = unpack_plane(packed, 3)
    pos.colours[WHITE] = all_men ^ pos.colours[BLACK]
    pos.castling_rooks = twos & fours & ~ones
    pos.pieces[PAWN] = all_men & ~(ones | twos | fours)
    pos.pieces[KNIGHT] = ones & ~twos & ~fours
    pos.pieces[BISHOP] = twos & ~ones & ~fours
    pos.pieces[ROOK] = (ones & twos & ~fours) | pos.castling_rooks
    pos.pieces[QUEEN] = fours & ~ones & ~twos
    pos.pieces[KING] = fours & ones & ~twos
    return popcount(all_men) <= 32 and (ones & twos & fours) == 0


cdef void fill_squares(PositionC* pos) noexcept nogil:
    """The mailbox from the bitboards."""
    cdef int piece
    cdef u64 left
    memset(pos.squares, NO_PIECE, 64)
    for piece in range(6):
        left = pos.pieces[piece]
        while left:
            pos.squares[pop_lowest(&left)] = <u8>piece


cdef bint unpack_for_counting(PositionC* pos, const PackedC* packed) noexcept nogil:
    """All that the legal moves depend on: neither keys nor mailbox.

    False when the bytes, which may be any, are no chess position.
    """
    pos.side = packed.side >> 7
    pos.en_passant = packed.side & 127
    if (not unpack_men(pos, packed)
            or check_men(pos, WHITE) != FEN_OK or check_men(pos, BLACK) != FEN_OK
            or pos.en_passant > NO_SQUARE or finish_position(pos) != FEN_OK):
        return False
    return (castling_is_possible(pos, WHITE) and castling_is_possible(pos, BLACK)
            and en_passant_is_possible(pos))


cdef bint unpack_position(PositionC* pos, const PackedC* packed) noexcept nogil:
    """The whole position."""
    clear_position(pos)
    if not unpack_for_counting(pos, packed):
        return False
    fill_squares(pos)
    pos.rule50 = packed.rule50
    pos.fullmove = max(packed.fullmove, 1)
    derive_keys(pos)
    return True
