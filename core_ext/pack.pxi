# A position in 32 bytes: the exchange format of batch functions, self-play data and training.

cdef struct PackedC:
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


cdef bint unpack_position(PositionC* pos, const PackedC* packed) noexcept nogil:
    """Everything but the keys. False when the bytes, which may be any, are no chess position."""
    cdef u64 left = packed.occupied
    cdef int index = 0, square, man, colour
    if popcount(left) > 32:
        return False
    clear_position(pos)
    while left:
        square = pop_lowest(&left)
        man = (packed.men[index >> 1] >> (4 * (index & 1))) & 15
        colour = man >> 3
        man &= 7
        if man == CASTLING_ROOK:
            pos.castling_rooks |= bit(square)
            man = ROOK
        elif man > CASTLING_ROOK:
            return False
        put_piece(pos, colour, man, square)
        index += 1
    pos.side = packed.side >> 7
    pos.en_passant = packed.side & 127
    pos.rule50 = packed.rule50
    pos.fullmove = max(packed.fullmove, 1)
    if (check_men(pos, WHITE) != FEN_OK or check_men(pos, BLACK) != FEN_OK
            or pos.en_passant > NO_SQUARE or finish_position(pos) != FEN_OK):
        return False
    return (castling_is_possible(pos, WHITE) and castling_is_possible(pos, BLACK)
            and en_passant_is_possible(pos))
