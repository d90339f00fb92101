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

# What may be asked for; memory ends sooner.
cdef enum:
    HASH_MB_LIMIT = 1 << 20
    THREAD_LIMIT = 1024

# The counters of a FEN; a game that goes on longer leaves them there.
cdef enum:
    MAX_HALFMOVE = 9999
    MAX_FULLMOVE = 65535

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


cdef inline bint kind_exists(int kind) noexcept nogil:
    """Of the sixteen that fit into a move."""
    return kind <= CASTLING or kind == CAPTURE or kind == EN_PASSANT or kind >= PROMOTION


cdef inline bint is_promotion(MoveC move) noexcept nogil:
    return (move & (PROMOTION << 12)) != 0


cdef inline bint is_quiet(MoveC move) noexcept nogil:
    """Neither a capture nor a promotion."""
    return move_kind(move) < CAPTURE


cdef inline int promoted_piece(MoveC move) noexcept nogil:
    return KNIGHT + (move_kind(move) & 3)


# Castling takes king and rook to these squares, wherever they come from.

cdef inline int castled_king(int us, bint kingside) noexcept nogil:
    return (0 if us == WHITE else 56) + (6 if kingside else 2)


cdef inline int castled_rook(int us, bint kingside) noexcept nogil:
    return (0 if us == WHITE else 56) + (5 if kingside else 3)


# Scores, in centipawns from the side to move. A mate is MATE less the plies to it; a win that the
# tablebases know of is TABLEBASE_WIN less the plies to the position that they have.

cdef enum:
    MAX_PLY = 128
    MATE = 32000
    INFINITE = 32001
    NO_EVALUATION = 32002
    LEAST_MATE = MATE - 2 * MAX_PLY  # scores from here on are mates
    TABLEBASE_WIN = LEAST_MATE - 1
    LEAST_WIN = TABLEBASE_WIN - 2 * MAX_PLY  # scores from here on are won for certain
    LARGEST_EVALUATION = LEAST_WIN - 1


cdef inline int mated_in(int ply) noexcept nogil:
    return ply - MATE


cdef inline bint is_mate_score(int score) noexcept nogil:
    return score >= LEAST_MATE or score <= -LEAST_MATE


cdef inline bint is_certain(int score) noexcept nogil:
    """A mate, or a win or loss by the tablebases: no evaluation comes near it."""
    return score >= LEAST_WIN or score <= -LEAST_WIN
