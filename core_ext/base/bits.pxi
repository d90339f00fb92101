# Bitboards: counting, scanning, shifting. Bit 0 is a1, bit 63 is h8.

cdef extern from *:
    """
    #define FILE_A 0x0101010101010101ULL
    #define FILE_H 0x8080808080808080ULL
    #define RANK_1 0x00000000000000FFULL
    #define RANK_3 0x0000000000FF0000ULL
    #define RANK_6 0x0000FF0000000000ULL
    #define RANK_8 0xFF00000000000000ULL
    #define DARK_SQUARES 0xAA55AA55AA55AA55ULL
    #define ALL_SQUARES 0xFFFFFFFFFFFFFFFFULL
    #define multiply_high(a, b) ((uint64_t)(((unsigned __int128)(a) * (b)) >> 64))
    """
    u64 FILE_A, FILE_H, RANK_1, RANK_3, RANK_6, RANK_8, DARK_SQUARES, ALL_SQUARES
    int popcount "__builtin_popcountll"(u64) noexcept nogil
    int lowest "__builtin_ctzll"(u64) noexcept nogil
    int highest_zeros "__builtin_clzll"(u64) noexcept nogil
    u64 multiply_high(u64 a, u64 b) noexcept nogil


cdef inline u64 bit(int square) noexcept nogil:
    return <u64>1 << square


cdef inline int highest(u64 squares) noexcept nogil:
    return 63 - highest_zeros(squares)


cdef inline int pop_lowest(u64* squares) noexcept nogil:
    cdef int square = lowest(squares[0])
    squares[0] &= squares[0] - 1
    return square


cdef inline bint several(u64 squares) noexcept nogil:
    return (squares & (squares - 1)) != 0


cdef inline int rank_of(int square) noexcept nogil:
    return square >> 3


cdef inline int file_of(int square) noexcept nogil:
    return square & 7


# Steps as a colour sees them: forward, and the two ways a pawn captures.

cdef inline u64 forward(u64 squares, int us) noexcept nogil:
    return squares << 8 if us == WHITE else squares >> 8


cdef inline u64 forward_west(u64 squares, int us) noexcept nogil:
    squares &= ~FILE_A
    return squares << 7 if us == WHITE else squares >> 9


cdef inline u64 forward_east(u64 squares, int us) noexcept nogil:
    squares &= ~FILE_H
    return squares << 9 if us == WHITE else squares >> 7


cdef inline u64 back_rank(int us) noexcept nogil:
    return RANK_1 if us == WHITE else RANK_8
