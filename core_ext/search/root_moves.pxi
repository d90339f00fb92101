# The moves at the root: which there are, what the search says of each, and their order.

cdef void set_root_moves(ThreadC* t, const MoveC* moves, int count, int multipv) noexcept nogil:
    """The moves to choose from, and how many lines are wanted."""
    cdef int index
    cdef RootMoveC* root
    t.multipv = multipv
    t.root_count = count
    for index in range(count):
        root = &t.roots[index]
        memset(root, 0, sizeof(RootMoveC))
        root.move = root.pv[0] = moves[index]
        root.pv_length = 1
        root.score = -INFINITE
        root.bound = EXACT


cdef inline bint root_move_is_due(ThreadC* t, MoveC move) noexcept nogil:
    """With several lines wanted, the moves of the earlier lines are left out, and those of which
    the tablebases know that they are worse wait for the later ones."""
    cdef int index
    for index in range(t.pv_index, t.root_count):
        if t.roots[index].move == move:
            return t.roots[index].outcome == t.roots[t.pv_index].outcome
    return False


cdef inline RootMoveC* find_root(ThreadC* t, MoveC move) noexcept nogil:
    cdef int index
    for index in range(t.root_count):
        if t.roots[index].move == move:
            return &t.roots[index]
    return &t.roots[0]


cdef inline void note_root_move(ThreadC* t, FrameC* f, MoveC move, int score, int alpha, int beta,
                                int count, u64 nodes) noexcept nogil:
    """Only the first move and those that beat it have a score worth the name."""
    cdef RootMoveC* root = find_root(t, move)
    root.nodes += nodes
    root.bound = EXACT
    if count > 1 and score <= alpha:
        root.score = -INFINITE
        return
    root.score = score
    root.seldepth = t.seldepth
    if score <= alpha or score >= beta:
        root.bound = UPPER_BOUND if score <= alpha else LOWER_BOUND
        return
    root.pv_length = write_pv(root.pv, f, move)


cdef inline bint is_better_root(const RootMoveC* a, const RootMoveC* b) noexcept nogil:
    """What the tablebases know comes before what the search says."""
    if a.outcome != b.outcome:
        return a.outcome > b.outcome
    if a.score != b.score:
        return a.score > b.score
    if a.previous_score != b.previous_score:
        return a.previous_score > b.previous_score
    return a.distance < b.distance


cdef void sort_roots(ThreadC* t, int first, int end) noexcept nogil:
    """Best first; equals keep their order."""
    cdef int index, place
    cdef RootMoveC root
    for index in range(first + 1, end):
        root = t.roots[index]
        place = index
        while place > first and is_better_root(&root, &t.roots[place - 1]):
            t.roots[place] = t.roots[place - 1]
            place -= 1
        t.roots[place] = root


cdef void settle_roots(ThreadC* t) noexcept nogil:
    """Order the lines behind the best one after an iteration that was not finished: the moves
    that it refuted, knows a bound of or did not come to keep the scores of the iteration before."""
    cdef int index
    for index in range(1, t.root_count):
        if t.roots[index].score == -INFINITE or t.roots[index].bound != EXACT:
            t.roots[index].score = t.roots[index].previous_score
            t.roots[index].bound = EXACT
    sort_roots(t, 1, t.root_count)
