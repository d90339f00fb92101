# An iteration of the plain searches. One that is not finished leaves no trace.

cdef int root_value(StudyC* s, ThreadC* t, MoveC move, int alpha) noexcept nogil:
    """Of a move at the root, if it is more than alpha."""
    cdef FrameC* f = &t.frames[FRAMES_BELOW_ROOT]
    go_down(t, f, move)
    if s.algorithm == MINIMAX:
        return -minimax(t, f + 1, t.root_depth - 1)
    if s.order != ORDER_GENERATED or s.has_table:
        return -ordered_alphabeta(s, t, f + 1, -INFINITE, -alpha, t.root_depth - 1)
    return -alphabeta(t, f + 1, -INFINITE, -alpha, t.root_depth - 1,
                      s.algorithm == ALPHABETA_QUIESCENCE)


cdef void note_value(ThreadC* t, RootMoveC* root, int value) noexcept nogil:
    root.score = root.previous_score = value
    root.seldepth = max(t.seldepth, t.root_depth)
    root.pv_length = write_pv(root.pv, &t.frames[FRAMES_BELOW_ROOT], root.move)


cdef int list_untaken(StudyC* s, ThreadC* t, const bint* is_taken, MoveC* moves) noexcept nogil:
    """The moves that no earlier line has taken, in the order that is studied; how many."""
    cdef int index, count = 0
    for index in range(t.root_count):
        if not is_taken[index]:
            moves[count] = s.roots[index].move
            count += 1
    order_moves(s, t, &t.frames[FRAMES_BELOW_ROOT], moves, count, t.root_depth, t.roots[0].move)
    return count


cdef int find_index(StudyC* s, MoveC move) noexcept nogil:
    cdef int index = 0
    while s.roots[index].move != move:
        index += 1
    return index


cdef int search_line(StudyC* s, ThreadC* t, const bint* is_taken) noexcept nogil:
    """The best of those moves; -1 when it had to stop."""
    cdef MoveC moves[MAX_MOVES]
    cdef int place, index, value, best = -1, alpha = -INFINITE
    cdef u64 nodes
    for place in range(list_untaken(s, t, is_taken, moves)):
        index = find_index(s, moves[place])
        nodes = t.nodes
        value = root_value(s, t, moves[place], alpha)
        if is_stopped(t):
            return -1
        s.roots[index].nodes += t.nodes - nodes
        if value > alpha or s.algorithm == MINIMAX:
            note_value(t, &s.roots[index], value)
        else:
            s.roots[index].score = -INFINITE
        if value > alpha:
            alpha = value
            best = index
    return best


cdef void search_plainly(ThreadC* t, void* study) noexcept nogil:
    """One iteration. Minimax knows the values of all moves, alpha-beta that of the best one of a
    line."""
    cdef StudyC* s = <StudyC*>study
    cdef bint is_taken[MAX_MOVES]
    cdef int line, chosen
    memset(is_taken, 0, sizeof(is_taken))
    if t.root_depth == 1:
        memcpy(s.roots, t.roots, t.root_count * sizeof(RootMoveC))
    t.seldepth = 0
    for line in range(1 if s.algorithm == MINIMAX else min(t.multipv, t.root_count)):
        chosen = search_line(s, t, is_taken)
        if chosen < 0:
            return
        is_taken[chosen] = True
    memcpy(t.roots, s.roots, t.root_count * sizeof(RootMoveC))
    sort_roots(t, 0, t.root_count)
