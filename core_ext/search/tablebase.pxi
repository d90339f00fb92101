# Tablebases in the search: at the root they tell which moves keep the result, below it what a
# capture or a pawn move leads to.

cdef enum:
    TABLEBASE_DEPTH = 6        # an answer of the tables is worth so many plies of search
    CURSED_SCORE = 2           # a win that the fifty-move rule spoils is more than a draw by a hair
    FIFTY_MOVES = 100          # plies

# What the tables may use of the hard limit before the search begins. From memory they need much
# less than the least of it; a slow disk may need more.
cdef double RANKING_SHARE = 0.3
cdef int64_t LEAST_RANKING_NS = 5000000


cdef inline void count_hit(ThreadC* t) noexcept nogil:
    """Other threads read the count while it grows."""
    store_relaxed(&t.tb_hits, t.tb_hits + 1)


# ---- below the root

cdef inline bint may_probe(ThreadC* t, FrameC* f, int depth) noexcept nogil:
    """Where the fifty-move clock has just begun, what the tables say holds; but a null move, which
    begins it as well, is no move that they know."""
    cdef const ProbingC* probing = &t.shared.probing
    cdef int men = popcount(occupied(&f.pos))
    return (men <= probing.most_men and (men < probing.most_men or depth >= probing.least_depth)
            and f.pos.rule50 == 0 and f.pos.castling_rooks == 0 and (f - 1).move != NULL_MOVE)


cdef int probe_node(ThreadC* t, FrameC* f, int* score) noexcept nogil:
    """The score by the tables, and what bound it is: a win may be a mate, too. 0: they don't know."""
    cdef ProbeC probe = start_probe(t.shared.probing.tables, &f.pos)
    cdef int wdl = probe_wdl(&probe, &f.pos)
    if probe.state != PROBE_OK:
        return 0
    count_hit(t)
    if not t.shared.probing.fifty_move_rule:
        wdl *= 2
    if wdl >= WON:
        score[0] = TABLEBASE_WIN - f.ply
        return LOWER_BOUND
    if wdl <= LOSS:
        score[0] = f.ply - TABLEBASE_WIN
        return UPPER_BOUND
    score[0] = CURSED_SCORE * wdl
    return EXACT


cdef inline bint bound_settles(int bound, int score, int alpha, int beta) noexcept nogil:
    """Is there nothing left to find? Within the window a shorter way, or a mate, may be."""
    if bound == LOWER_BOUND:
        return score >= beta
    return bound == EXACT or (bound == UPPER_BOUND and score <= alpha)


# ---- at the root

cdef inline int judge_distance(int distance, int clock, bint fifty_move_rule) noexcept nogil:
    """The result, by the distance to a zeroing move and the clock that it adds to.

    Tables round some distances by one ply: what is that close to the limit counts as too late.
    """
    cdef bint in_time = not fifty_move_rule or abs(distance) + clock < FIFTY_MOVES
    if distance > 0:
        return WON if in_time else CURSED_WIN
    return DRAWN if distance == 0 else (LOSS if in_time else BLESSED_LOSS)


cdef bint rank_root(ThreadC* t, RootMoveC* root, bint by_distance) noexcept nogil:
    """What a move leads to. What mates, captures or moves a pawn is never too late."""
    cdef FrameC* f = &t.frames[FRAMES_BELOW_ROOT]
    cdef PositionC* child = &f[1].pos
    cdef bint fifty_move_rule = t.shared.probing.fifty_move_rule
    cdef int clock = f.pos.rule50
    cdef ProbeC probe
    make_move(child, &f.pos, root.move)
    if child.checkers and count_legal(child) == 0:
        root.distance = 1
        clock = 0
    elif is_repeated(t, f + 1):
        root.distance = 0
    else:
        probe = start_probe(t.shared.probing.tables, child)
        if by_distance and child.rule50:
            root.distance = -probe_dtz(&probe, child)
            root.distance += (root.distance > 0) - (root.distance < 0)
        else:
            root.distance = zeroing_distance(-probe_wdl(&probe, child))
            clock = 0
        if probe.state != PROBE_OK:
            return False
    root.outcome = judge_distance(root.distance, clock, fifty_move_rule)
    return True


cdef bint must_begin(ThreadC* t, int64_t start_ns) noexcept nogil:
    """Is it time to search, tables or not?"""
    cdef int64_t limit = <int64_t>(hard_limit(&t.shared.clock) * RANKING_SHARE)
    if limit == 0 and load_relaxed(&t.shared.stop) == 0:
        return False
    if load_relaxed(&t.shared.stop):
        limit = 0
    return monotonic_ns() - start_ns > max(limit, LEAST_RANKING_NS)


cdef bint rank_all_roots(ThreadC* t, bint by_distance) noexcept nogil:
    cdef int64_t start_ns = monotonic_ns()
    cdef int index
    for index in range(t.root_count):
        if must_begin(t, start_ns) or not rank_root(t, &t.roots[index], by_distance):
            return False
    return True


cdef void forget_ranks(ThreadC* t) noexcept nogil:
    cdef int index
    for index in range(t.root_count):
        t.roots[index].outcome = t.roots[index].distance = 0


cdef void rank_roots(ThreadC* t) noexcept nogil:
    """Order the moves by what the tables say, if they have the root: by distances, or where these
    are missing by results alone. Only moves of the best result are searched for the best line."""
    cdef SharedC* shared = t.shared
    cdef const PositionC* pos = &t.frames[FRAMES_BELOW_ROOT].pos
    shared.root_knowledge = NOTHING_KNOWN
    if (shared.probing.tables == NULL or pos.castling_rooks
            or popcount(occupied(pos)) > shared.probing.most_men):
        return
    if rank_all_roots(t, True):
        shared.root_knowledge = DISTANCES_KNOWN
    elif rank_all_roots(t, False):
        shared.root_knowledge = RESULTS_KNOWN
    else:
        forget_ranks(t)
        return
    store_relaxed(&t.tb_hits, t.root_count)
    sort_roots(t, 0, t.root_count)
    if t.multipv == 1:
        while t.roots[t.root_count - 1].outcome < t.roots[0].outcome:
            t.root_count -= 1
    # A win of unknown distance has to be found by the search; else it is free to find mates.
    if shared.root_knowledge == DISTANCES_KNOWN or t.roots[0].outcome <= DRAWN:
        shared.probing.tables = NULL


cdef void copy_roots(ThreadC* t, const ThreadC* source) noexcept nogil:
    t.root_count = source.root_count
    memcpy(t.roots, source.roots, t.root_count * sizeof(RootMoveC))


cdef bint has_repeated(const ThreadC* t) noexcept nogil:
    """Has a position come back since the last capture or pawn move?"""
    cdef int newest = t.game_length
    cdef int oldest = max(newest - <int>t.frames[FRAMES_BELOW_ROOT].pos.rule50, 0)
    cdef int index, earlier
    for index in range(oldest + 4, newest + 1):
        for earlier in range(index - 4, oldest - 1, -2):
            if t.keys[earlier] == t.keys[index]:
                return True
    return False


cdef void prefer_surest_root(ThreadC* t) noexcept nogil:
    """Where a win is known and no mate is seen, the move that makes most progress comes first.

    And so it does once a position has come back, whatever mates are seen: on the way down from one
    distance to the next no position comes a third time.
    """
    cdef int index, surest = 0
    cdef RootMoveC root
    if (t.shared.root_knowledge != DISTANCES_KNOWN or t.roots[0].outcome <= DRAWN
            or (t.roots[0].score >= LEAST_MATE and not has_repeated(t))):
        return
    for index in range(1, t.root_count):
        if (t.roots[index].outcome == t.roots[0].outcome
                and t.roots[index].distance < t.roots[surest].distance):
            surest = index
    root = t.roots[surest]
    for index in range(surest, 0, -1):
        t.roots[index] = t.roots[index - 1]
    t.roots[0] = root
