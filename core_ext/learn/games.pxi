# Whole games in few bytes: the start as a packed position, then move and score of each ply.
#
# What of it becomes training data is decided when it is read: filters and targets can change after
# the games were played. In the packed start `score` holds the number of plies and `result` the game's.

cdef enum:
    LONGEST_GAME = 1024    # plies

cdef packed struct PlyC:
    MoveC move
    int16_t score          # of the search that chose the move, from White's side

cdef struct GameC:
    PackedC start
    PlyC plies[LONGEST_GAME]

# Which positions of a game are worth learning from.
cdef struct FilterC:
    int first_ply          # those before it are too near the random opening
    int largest_score      # beyond it the game is decided
    bint noisy             # also positions in check, and those where the best move captures or promotes


cdef inline int game_plies(const PackedC* start) noexcept nogil:
    return <u16>start.score


cdef inline Py_ssize_t game_size(const PackedC* start) noexcept nogil:
    return sizeof(PackedC) + game_plies(start) * sizeof(PlyC)


cdef inline bint is_wanted(const PositionC* pos, PlyC ply, int number,
                           const FilterC* filter) noexcept nogil:
    if number < filter.first_ply or abs(<int>ply.score) > filter.largest_score:
        return False
    return filter.noisy or (pos.checkers == 0 and is_quiet(ply.move))


cdef Py_ssize_t expand_game(PackedC* positions, const PackedC* start,
                            const FilterC* filter) noexcept nogil:
    """Write the wanted positions, each with its score and the result; how many, or -1 if this is no
    game. There must be room for one position a ply."""
    cdef const PlyC* plies = <const PlyC*>(start + 1)
    cdef PositionC line[2]
    cdef Py_ssize_t count = 0
    cdef int number
    if start.result > 2 or not unpack_position(&line[0], start):
        return -1
    for number in range(game_plies(start)):
        if is_wanted(&line[number & 1], plies[number], number, filter):
            pack_position(&positions[count], &line[number & 1])
            positions[count].score = plies[number].score
            positions[count].result = start.result
            count += 1
        if not is_legal_move(&line[number & 1], plies[number].move):
            return -1
        make_move(&line[(number + 1) & 1], &line[number & 1], plies[number].move)
    return count
