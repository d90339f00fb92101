# The root: iterations, aspiration windows, and when to stop.

cdef enum:
    FORCED_MOVE_DEPTH = 8      # enough for a score, where there is nothing to choose


cdef inline void report(ThreadC* t, int bound) noexcept nogil:
    """Tell the front end; only the first thread speaks."""
    if t.index == 0:
        t.shared.report(t, bound)


cdef void aspirate(ThreadC* t) noexcept nogil:
    """Search with a narrow window around the last score; widen it on the side that fails."""
    cdef FrameC* f = &t.frames[FRAMES_BELOW_ROOT]
    cdef int delta = ASPIRATION_WIDTH
    cdef int alpha = -INFINITE, beta = INFINITE
    cdef int depth = t.root_depth, fails = 0  # fails above beta: then less depth will do
    cdef int expected = t.roots[t.pv_index].previous_score
    cdef int score
    if t.root_depth >= ASPIRATION_DEPTH and not is_certain(expected):
        delta += unrest(expected)
        alpha = max(expected - delta, -INFINITE)
        beta = min(expected + delta, INFINITE)
    while True:
        score = negamax(t, f, alpha, beta, max(depth - fails, 1), False)
        sort_roots(t, t.pv_index, t.root_count)
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
            fails = min(fails + 1, MOST_FAIL_HIGH_PLIES)
        delta += delta // 2
        if delta > WIDEST_ASPIRATION:
            alpha = -INFINITE
            beta = INFINITE


# What the soft budget is multiplied by, in percent.

cdef int stability_percent(int stability) noexcept nogil:
    """By how many iterations the best move has stayed the same."""
    cdef int[5] factors = [STABILITY_NONE, STABILITY_ONE, STABILITY_TWO, STABILITY_THREE,
                           STABILITY_MORE]
    return factors[min(stability, 4)]


cdef double share_percent(ThreadC* t) noexcept nogil:
    """By the share of the nodes that the other moves took."""
    cdef double share = <double>t.roots[0].nodes / <double>(t.nodes + 1)
    return SHARE_BASE + SHARE_SLOPE * (1 - share)


cdef double drop_percent(int score_drop) noexcept nogil:
    """By the centipawns that the score fell."""
    cdef double percent = 100 + 100.0 * score_drop / DROP_CENTIPAWNS
    return min(max(percent, <double>LEAST_DROP_FACTOR), <double>MOST_DROP_FACTOR)


cdef bint soft_time_is_up(ThreadC* t, int score_drop) noexcept nogil:
    """After an iteration: more time while the choice is unclear, less when it is made.

    Unclear is a best move that took few of the nodes, that has just changed, or that lost score.
    """
    cdef int64_t limit = soft_limit(&t.shared.clock)
    cdef double percent
    if limit == 0:
        return False
    if t.root_count == 1 and t.root_depth >= FORCED_MOVE_DEPTH:
        return True
    percent = share_percent(t) * stability_percent(t.stability) * drop_percent(score_drop) / 10000
    return elapsed_ns(&t.shared.clock) >= <int64_t>(limit * percent / 100)


cdef bint target_mate_found(ThreadC* t) noexcept nogil:
    cdef int mate = t.shared.limits.mate
    cdef int score = t.roots[0].score
    return mate > 0 and is_mate_score(score) and MATE - abs(score) <= 2 * mate


cdef bint mate_is_settled(ThreadC* t) noexcept nogil:
    """A mate seen with twice its depth searched will hardly get shorter; who asks for a shorter one
    is given the search that he wants."""
    cdef int score = t.roots[0].score
    return (t.shared.limits.depth == 0 and t.shared.limits.mate == 0 and t.multipv == 1 and is_mate_score(score)
            and t.root_depth >= 2 * (MATE - abs(score)) + 4)


cdef void search_lines(ThreadC* t, void* nothing) noexcept nogil:
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
        t.pv_index += 1
        # Only the lines that are done: of the other moves a bound may be all that is known.
        sort_roots(t, 0, t.pv_index)
    t.pv_index = 0


cdef void iterate_with(ThreadC* t, void (*search)(ThreadC*, void*) noexcept nogil,
                       void* context) noexcept nogil:
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
        search(t, context)
        if is_stopped(t):
            return
        t.completed_depth = t.root_depth
        if t.index:
            continue
        report(t, EXACT)
        t.stability = t.stability + 1 if t.roots[0].move == last_best else 0
        last_best = t.roots[0].move
        if (target_mate_found(t) or mate_is_settled(t) or load_relaxed(&shared.stop)
                or (shared.limits.soft_nodes and t.nodes >= shared.limits.soft_nodes)
                or (t.root_depth >= 2 and soft_time_is_up(t, last_score - t.roots[0].score))):
            return
        last_score = t.roots[0].score


cdef inline void iterate(ThreadC* t) noexcept nogil:
    """The engine's own search."""
    iterate_with(t, search_lines, NULL)
