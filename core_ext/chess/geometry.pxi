# Geometry that evaluation needs: files, spans of pawns, distances, a side's own view.

cdef u64 FILES[8]
cdef u64 NEAR_FILES[8]        # a file's neighbours
cdef u64 FRONT_SPAN[2][64]    # the squares in front, on the same file
cdef u64 PASSED_SPAN[2][64]   # the squares in front, on the same and the neighbouring files
cdef u64 SUPPORT_SPAN[2][64]  # beside and behind, on the neighbouring files
cdef int DISTANCE[64][64]


cdef void fill_geometry_tables() noexcept nogil:
    cdef int square, other, file
    cdef u64 above, below
    for file in range(8):
        FILES[file] = FILE_A << file
        NEAR_FILES[file] = ((FILE_A << (file - 1)) if file > 0 else 0) | (
            (FILE_A << (file + 1)) if file < 7 else 0)
    for square in range(64):
        file = file_of(square)
        below = (<u64>1 << (8 * rank_of(square))) - 1
        above = ~(below | (RANK_1 << (8 * rank_of(square))))
        FRONT_SPAN[WHITE][square] = FILES[file] & above
        FRONT_SPAN[BLACK][square] = FILES[file] & below
        PASSED_SPAN[WHITE][square] = (FILES[file] | NEAR_FILES[file]) & above
        PASSED_SPAN[BLACK][square] = (FILES[file] | NEAR_FILES[file]) & below
        SUPPORT_SPAN[WHITE][square] = NEAR_FILES[file] & ~above
        SUPPORT_SPAN[BLACK][square] = NEAR_FILES[file] & ~below
        for other in range(64):
            DISTANCE[square][other] = max(abs(file - file_of(other)),
                                          abs(rank_of(square) - rank_of(other)))


fill_geometry_tables()


cdef inline int relative_rank(int square, int us) noexcept nogil:
    return rank_of(square) if us == WHITE else 7 - rank_of(square)


cdef inline int relative_square(int square, int us) noexcept nogil:
    return square if us == WHITE else square ^ 56


cdef inline int half_square(int square, int us) noexcept nogil:
    """From one's own side, both wings alike: half as much to learn, half as much to solve."""
    cdef int file = file_of(square)
    return 4 * relative_rank(square, us) + (file if file < 4 else 7 - file)
