# The number of a position in a Syzygy table.
#
# A table holds one value for each placing of its men. The men come in groups. The first group leads:
# the board is turned and mirrored until it stands in one corner, as positions that look alike in a
# mirror have one value. Each later group is a set of squares among those that are still free. The
# number of a placing is the sum of the groups' numbers, each times the group's factor.

cdef enum:
    MOST_TABLE_MEN = 7
    MOST_LEADING_PAWNS = 5
    TRIANGLE_SIZE = 10         # the squares a1, d1, d4 and those between
    BELOW_DIAGONAL_SIZE = 28
    KING_PAIRS_SIZE = 462
    PAWN_SQUARES = 48

# What leads: the pawns of one side; else three men of which each is the only one of its kind and
# colour; else, where there are no three such, the two kings.
cdef enum Leaders:
    LEADING_PAWNS
    LEADING_THREE
    LEADING_KINGS

# The placings of three different men, by how many of them stand on the long diagonal from a1 on.
cdef enum:
    FIRST_OFF_DIAGONAL = 6 * 63 * 62
    SECOND_OFF_DIAGONAL = 4 * BELOW_DIAGONAL_SIZE * 62
    THIRD_OFF_DIAGONAL = 4 * 7 * BELOW_DIAGONAL_SIZE
    THREE_MEN_SIZE = FIRST_OFF_DIAGONAL + SECOND_OFF_DIAGONAL + THIRD_OFF_DIAGONAL + 4 * 7 * 6

cdef struct LayoutC:
    Leaders leaders
    int man_count
    int group_count
    bint has_other_pawns       # the second group is the other side's pawns
    u8 men[MOST_TABLE_MEN]           # in the table's order: the kind, plus BLACK_MAN
    u8 group_sizes[MOST_TABLE_MEN]
    u64 factors[MOST_TABLE_MEN]
    u64 size                   # how many placings there are

cdef u64 BINOMIALS[MOST_TABLE_MEN][64]                          # [k][n]: k of n
cdef u8 TRIANGLE[64]                                      # those on the diagonal come last
cdef u8 BELOW_DIAGONAL[64]
cdef int16_t KING_PAIRS[TRIANGLE_SIZE][64]                # by TRIANGLE of the first, and the second
cdef u8 PAWN_ORDER[64]                                    # outer files before inner, low ranks first
cdef u32 FIRST_PAWN_INDEX[MOST_LEADING_PAWNS + 1][64]     # by the number of pawns and the first one
cdef u32 LEADING_PAWNS_SIZE[MOST_LEADING_PAWNS + 1][4]    # by their number and the first one's file


cdef inline int above_diagonal(int square) noexcept nogil:
    """Positive above the long diagonal from a1, zero on it, negative below."""
    return rank_of(square) - file_of(square)


cdef inline int mirrored_file(int square) noexcept nogil:
    """The file, as files a to d show it."""
    cdef int file = file_of(square)
    return file if file < 4 else 7 - file


cdef void fill_binomials() noexcept nogil:
    cdef int k, n
    for n in range(64):
        BINOMIALS[0][n] = 1
    for k in range(1, MOST_TABLE_MEN):
        BINOMIALS[k][0] = 0
        for n in range(1, 64):
            BINOMIALS[k][n] = BINOMIALS[k - 1][n - 1] + BINOMIALS[k][n - 1]


cdef void fill_triangles() noexcept nogil:
    cdef int square, below = 0, inner = 0
    for square in range(64):
        if above_diagonal(square) < 0:
            BELOW_DIAGONAL[square] = <u8>below
            below += 1
            if file_of(square) < 4:
                TRIANGLE[square] = <u8>inner
                inner += 1
    for square in range(4):
        TRIANGLE[9 * square] = <u8>(inner + square)


cdef void number_king_pairs(int* number, bint both_on_diagonal) noexcept nogil:
    """With the first king on the diagonal, the second stands below it or on it."""
    cdef int place, first, second
    cdef bint on_diagonal
    for place in range(TRIANGLE_SIZE):
        for first in range(32):
            if (TRIANGLE[first] != place or file_of(first) > 3 or above_diagonal(first) > 0):
                continue
            for second in range(64):
                on_diagonal = above_diagonal(first) == 0 and above_diagonal(second) == 0
                if (on_diagonal != both_on_diagonal or DISTANCE[first][second] < 2
                        or (above_diagonal(first) == 0 and above_diagonal(second) > 0)):
                    continue
                KING_PAIRS[place][second] = <int16_t>number[0]
                number[0] += 1


cdef void fill_king_pairs() noexcept nogil:
    """Kings that touch have no number; they get one that any table has."""
    cdef int number = 0
    memset(KING_PAIRS, 0, sizeof(KING_PAIRS))
    number_king_pairs(&number, False)
    number_king_pairs(&number, True)


cdef void fill_pawns() noexcept nogil:
    """The first pawn is the one of highest order; the others are any of lower order."""
    cdef int square, file, count
    cdef u32 number
    for square in range(8, 56):
        PAWN_ORDER[square] = <u8>(PAWN_SQUARES - 1 - 12 * mirrored_file(square)
                                  - 2 * (rank_of(square) - 1) - (file_of(square) > 3))
    for count in range(1, MOST_LEADING_PAWNS + 1):
        for file in range(4):
            number = 0
            for square in range(8 + file, 56, 8):
                FIRST_PAWN_INDEX[count][square] = number
                number += <u32>BINOMIALS[count - 1][PAWN_ORDER[square]]
            LEADING_PAWNS_SIZE[count][file] = number


fill_binomials()
fill_triangles()
fill_king_pairs()
fill_pawns()


# ---- laying out a table

cdef inline u64 leading_size(const LayoutC* layout, int file) noexcept nogil:
    if layout.leaders == LEADING_PAWNS:
        return LEADING_PAWNS_SIZE[layout.group_sizes[0]][file]
    return THREE_MEN_SIZE if layout.leaders == LEADING_THREE else KING_PAIRS_SIZE


cdef bint set_factors(LayoutC* layout, int leaders_order, int pawns_order,
                      int file) noexcept nogil:
    """The leaders' factor comes at the place that the table names, and so does that of the other
    side's pawns; the other groups follow one another. False if there are no such places."""
    cdef int place, size, group = 1 + layout.has_other_pawns
    cdef int free = 64 - layout.group_sizes[0]
    cdef u64 factor = 1
    if layout.has_other_pawns:
        free -= layout.group_sizes[1]
        if pawns_order >= layout.group_count or pawns_order == leaders_order:
            return False
    if leaders_order >= layout.group_count:
        return False
    for place in range(layout.group_count):
        if place == leaders_order:
            layout.factors[0] = factor
            factor *= leading_size(layout, file)
        elif layout.has_other_pawns and place == pawns_order:
            layout.factors[1] = factor
            factor *= BINOMIALS[layout.group_sizes[1]][PAWN_SQUARES - layout.group_sizes[0]]
        else:
            size = layout.group_sizes[group]
            layout.factors[group] = factor
            factor *= BINOMIALS[size][free]
            free -= size
            group += 1
    layout.size = factor
    return True


# ---- numbering a placing

cdef inline void mirror_squares(u8* squares, int count, int mask) noexcept nogil:
    cdef int index
    for index in range(count):
        squares[index] ^= <u8>mask


cdef inline void flip_diagonally(u8* squares, int count) noexcept nogil:
    cdef int index
    for index in range(count):
        squares[index] = <u8>((squares[index] >> 3) | ((squares[index] & 7) << 3))


cdef inline void turn_to_corner(u8* squares, int count, int leaders) noexcept nogil:
    """The first man comes to the triangle a1, d1, d4; if it is on the diagonal, the first of the
    leaders that is not comes below it."""
    cdef int index
    if squares[0] & 4:
        mirror_squares(squares, count, 7)
    if squares[0] & 32:
        mirror_squares(squares, count, 56)
    for index in range(leaders):
        if above_diagonal(squares[index]) != 0:
            if above_diagonal(squares[index]) > 0:
                flip_diagonally(squares, count)
            return


cdef inline u64 number_three(const u8* squares) noexcept nogil:
    """Squares that are taken already are not counted."""
    cdef int first = squares[0], second = squares[1], third = squares[2]
    cdef int before_second = second > first
    cdef int before_third = (third > first) + (third > second)
    if above_diagonal(first):
        return (TRIANGLE[first] * 63 + second - before_second) * 62 + third - before_third
    if above_diagonal(second):
        return (FIRST_OFF_DIAGONAL
                + (file_of(first) * BELOW_DIAGONAL_SIZE + BELOW_DIAGONAL[second]) * 62
                + third - before_third)
    second = file_of(second) - before_second
    if above_diagonal(third):
        return (FIRST_OFF_DIAGONAL + SECOND_OFF_DIAGONAL
                + (file_of(first) * 7 + second) * BELOW_DIAGONAL_SIZE + BELOW_DIAGONAL[third])
    third = file_of(third) - before_third
    return (FIRST_OFF_DIAGONAL + SECOND_OFF_DIAGONAL + THIRD_OFF_DIAGONAL
            + (file_of(first) * 7 + second) * 6 + third)


cdef inline void put_first_pawn_first(u8* squares, int count) noexcept nogil:
    cdef int index
    cdef u8 square
    for index in range(1, count):
        if PAWN_ORDER[squares[index]] > PAWN_ORDER[squares[0]]:
            square = squares[0]
            squares[0] = squares[index]
            squares[index] = square


cdef inline u64 number_pawns(const u8* squares, int count) noexcept nogil:
    """The pawns behind the first one are a set: the lowest order counts once, the next in pairs..."""
    cdef u64 number = FIRST_PAWN_INDEX[count][squares[0]]
    cdef u64 orders = 0
    cdef int index, chosen = 1
    for index in range(1, count):
        orders |= bit(PAWN_ORDER[squares[index]])
    while orders:
        number += BINOMIALS[chosen][pop_lowest(&orders)]
        chosen += 1
    return number


cdef inline u64 number_set(u64 group, u64 placed, int first_square) noexcept nogil:
    """A set of squares among those that are not taken yet, from some square on."""
    cdef u64 number = 0
    cdef int square, chosen = 1
    while group:
        square = pop_lowest(&group)
        number += BINOMIALS[chosen][square - first_square - popcount(placed & (bit(square) - 1))]
        chosen += 1
    return number


cdef u64 number_placing(const LayoutC* layout, u8* squares) noexcept nogil:
    """The squares are in the order of the layout's men, the first leading pawn in front."""
    cdef int leaders = layout.group_sizes[0], index, group, end
    cdef u64 placed = 0, members, number
    if layout.leaders == LEADING_PAWNS:
        if squares[0] & 4:
            mirror_squares(squares, layout.man_count, 7)
        number = number_pawns(squares, leaders)
    else:
        turn_to_corner(squares, layout.man_count, leaders)
        if layout.leaders == LEADING_THREE:
            number = number_three(squares)
        else:
            number = KING_PAIRS[TRIANGLE[squares[0]]][squares[1]]
    number *= layout.factors[0]
    for index in range(leaders):
        placed |= bit(squares[index])
    index = leaders
    for group in range(1, layout.group_count):
        members = 0
        end = index + layout.group_sizes[group]
        while index < end:
            members |= bit(squares[index])
            index += 1
        number += layout.factors[group] * number_set(
            members, placed, 8 if group == 1 and layout.has_other_pawns else 0)
        placed |= members
    return number
