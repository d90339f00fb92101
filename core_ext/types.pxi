# Integer types, enums, and the encodings of squares, pieces and moves.

from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

ctypedef uint8_t u8
ctypedef uint16_t u16
ctypedef uint32_t u32
ctypedef uint64_t u64

cdef enum:
    WHITE = 0
    BLACK = 1

cdef enum:
    PAWN = 0
    KNIGHT = 1
    BISHOP = 2
    ROOK = 3
    QUEEN = 4
    KING = 5
    NO_PIECE = 6

# Squares run a1 = 0, b1 = 1, ... h8 = 63.
cdef enum:
    NO_SQUARE = 64

# A move is 16 bits: from (6), to (6), kind (4). Castling is king takes own rook, which says the
# same thing in standard chess and in Chess960. CAPTURE and PROMOTION are bits of the kind.
ctypedef u16 MoveC

cdef enum:
    NULL_MOVE = 0
    QUIET = 0
    DOUBLE_PUSH = 1
    CASTLING = 2
    CAPTURE = 4
    EN_PASSANT = 5
    PROMOTION = 8  # plus 0 to 3 for knight to queen, plus CAPTURE

# No legal position has more than 218 moves.
cdef enum:
    MAX_MOVES = 256


cdef inline MoveC encode_move(int origin, int target, int kind) noexcept nogil:
    return <MoveC>(origin | (target << 6) | (kind << 12))


cdef inline int move_from(MoveC move) noexcept nogil:
    return move & 63


cdef inline int move_to(MoveC move) noexcept nogil:
    return (move >> 6) & 63


cdef inline int move_kind(MoveC move) noexcept nogil:
    return move >> 12


cdef inline bint is_promotion(MoveC move) noexcept nogil:
    return (move & (PROMOTION << 12)) != 0


cdef inline int promoted_piece(MoveC move) noexcept nogil:
    return KNIGHT + (move_kind(move) & 3)
