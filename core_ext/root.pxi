# The root: iterations, aspiration windows, root moves, and when to stop.

cdef enum:
    FORCED_MOVE_DEPTH = 8      # enough for a score, where there is nothing to choose
    ASPIRATION_DEPTH = 4
    WIDEST_ASPIRATION = 500
    MOST_FAIL_HIGH_PLIES = 3


cdef inline void report(ThreadC* t, int bound) noexcept nogil:
    """Tell the front end; only the first thread speaks."""
    if t.index == 0:
        t.shared.report(t, bound)


cdef void sort_roots(ThreadC* t, int first) noexcept nogil:
    """Best first; equals keep their order."""
    cdef int index, place
    cdef RootMoveC root
    for index in range(first + 1, t.root_count):
        root = t.roots[index]
        place = index
        while place > first and (t.roots[place - 1].score < root.score
                                 or (t.roots[place - 1].score == root.score
                                     and t.roots[place - 1].previous_score < root.previous_score)):
            t.roots[place] = t.roots[place - 1]
            place -= 1
        t.roots[place] = root


cdef void settle_roots(ThreadC* t) noexcept nogil:
    """Order the lines behind the best one after an iteration that was not finished: the moves
    that it refuted or did not come to keep the scores of the iteration before."""
    cdef int index
    for index in range(1, t.root_count):
        if t.roots[index].score == -INFINITE:
            t.roots[index].score = t.roots[index].previous_score
    sort_roots(t, 1)


cdef void aspirate(ThreadC* t) noexcept nogil:
    """Search with a narrow window around the last score; widen it on the side that fails."""
    cdef FrameC* f = &t.frames[FRAMES_BELOW_ROOT]
    cdef int delta = ASPIRATION_WIDTH
    cdef int alpha = -INFINITE, beta = INFINITE
    cdef int depth = t.root_depth, fails = 0  # fails above beta: then less depth will do
    cdef int expected = t.roots[t.pv_index].previous_score
    cdef int score
    if t.root_depth >= ASPIRATION_DEPTH and not is_mate_score(expected):
        alpha = max(expected - delta, -INFINITE)
        beta = min(expected + delta, INFINITE)
    while True:
        score = negamax(t, f, alpha, beta, max(depth - fails, 1), False)
        sort_roots(t, t.pv_index)
        if is_stopped(t) or alpha < score < beta:
            return
        if score <= alpha:
            report(t, UPPER_BOUND)
            beta = (alpha + beta) // 2
            alpha = max(score - delta, -INFINITE)
            fails = 0
        else:
            report(t, LOWER_BOUND)
            beta = min(score + delta, INFINITE)
            if t.shared.limits.selective:
                fails = min(fails + 1, MOST_FAIL_HIGH_PLIES)
        delta += delta // 2
        if delta > WIDEST_ASPIRATION:
            alpha = -INFINITE
            beta = INFINITE


# What the soft budget is multiplied by: by how many iterations the best move has stayed the same,
# by the share of the nodes that the other moves took, by the centipawns that the score fell.
cdef double[5] STABILITY_FACTORS
STABILITY_FACTORS[:] = [2.0, 1.2, 0.95, 0.85, 0.78]
cdef double SHARE_BASE = 0.55, SHARE_SLOPE = 1.7
cdef double DROP_SLOPE = 1 / 120.0, LEAST_DROP_FACTOR = 0.8, MOST_DROP_FACTOR = 1.6


cdef bint soft_time_is_up(ThreadC* t, int score_drop) noexcept nogil:
    """After an iteration: more time while the choice is unclear, less when it is made.

    Unclear is a best move that took few of the nodes, that has just changed, or that lost score.
    """
    cdef int64_t limit = soft_limit(&t.shared.clock)
    cdef double share, factor
    if limit == 0:
        return False
    if t.root_count == 1 and t.root_depth >= FORCED_MOVE_DEPTH:
        return True
    share = <double>t.roots[0].nodes / <double>(t.nodes + 1)
    factor = (SHARE_BASE + SHARE_SLOPE * (1.0 - share)) * STABILITY_FACTORS[min(t.stability, 4)]
    factor *= min(max(1.0 + score_drop * DROP_SLOPE, LEAST_DROP_FACTOR), MOST_DROP_FACTOR)
    return elapsed_ns(&t.shared.clock) >= <int64_t>(limit * factor)


cdef bint target_mate_found(ThreadC* t) noexcept nogil:
    cdef int mate = t.shared.limits.mate
    cdef int score = t.roots[0].score
    return mate > 0 and is_mate_score(score) and MATE - abs(score) <= 2 * mate


cdef bint mate_is_settled(ThreadC* t) noexcept nogil:
    """A mate seen with twice its depth searched will not get shorter."""
    cdef int score = t.roots[0].score
    return (t.shared.limits.depth == 0 and t.multipv == 1 and is_mate_score(score)
            and t.root_depth >= 2 * (MATE - abs(score)) + 4)


cdef void search_lines(ThreadC* t) noexcept nogil:
    """One iteration: the best move, then the best of the others, as many lines as are wanted."""
    cdef int index
    for index in range(t.root_count):
        t.roots[index].previous_score = t.roots[index].score
    t.seldepth = 0
    t.pv_index = 0
    while t.pv_index < min(t.multipv, t.root_count):
        aspirate(t)
        if is_stopped(t):
            break
        sort_roots(t, 0)
        t.pv_index += 1
    t.pv_index = 0


cdef void iterate(ThreadC* t) noexcept nogil:
    """Depth 1, 2, 3, ... until a limit is met. The best move of one is the first of the next."""
    cdef SharedC* shared = t.shared
    cdef int deepest = shared.limits.depth if shared.limits.depth else MAX_PLY - 1
    cdef int last_score = 0
    cdef MoveC last_best = NULL_MOVE
    while t.root_depth < deepest:
        t.root_depth += 1
        # Helper threads skip some depths, so that the threads do different work.
        if t.index and (t.root_depth + t.index) % 3 == 0:
            continue
        search_lines(t)
        if is_stopped(t):
            return
        t.completed_depth = t.root_depth
        if t.index:
            continue
        report(t, EXACT)
        t.stability = t.stability + 1 if t.roots[0].move == last_best else 0
        last_best = t.roots[0].move
        if (target_mate_found(t) or mate_is_settled(t) or load_relaxed(&shared.stop)
                or (t.root_depth >= 2 and soft_time_is_up(t, last_score - t.roots[0].score))):
            return
        last_score = t.roots[0].score
