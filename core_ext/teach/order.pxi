# Alpha-beta with every order of moves there is to compare, and a table: how much pruning depends on it.

cdef inline int heuristic_score(StudyC* s, ThreadC* t, FrameC* f, MoveC move, MoveC table_move,
                                const u64* check_squares) noexcept nogil:
    """The order of the engine's picker, of the heuristics that are on."""
    cdef int on = s.heuristics
    if on & ORDER_BY_TABLE and move == table_move:
        return 1 << 30
    if not is_quiet(move):
        if not on & ORDER_BY_CAPTURES:
            return 0
        if on & ORDER_BY_EXCHANGES and not wins_exchange(&f.pos, move, 0):
            return -(1 << 29) + noisy_score(t, f, move)
        return (1 << 29) + noisy_score(t, f, move)
    if on & ORDER_BY_KILLERS and move == f.killer:
        return 1 << 28
    cdef int score = quiet_history(t, f, move) if on & ORDER_BY_HISTORY else 0
    if (on & ORDER_BY_CHECKS and check_squares[f.pos.squares[move_from(move)]] & bit(move_to(move))
            and wins_exchange(&f.pos, move, 0)):
        score += CHECK_BONUS
    return score


cdef void sort_by_scores(MoveC* moves, int* scores, int count) noexcept nogil:
    """The largest first; equals keep their order."""
    cdef int index, place, score
    cdef MoveC move
    for index in range(1, count):
        move = moves[index]
        score = scores[index]
        place = index
        while place > 0 and scores[place - 1] < score:
            moves[place] = moves[place - 1]
            scores[place] = scores[place - 1]
            place -= 1
        moves[place] = move
        scores[place] = score


cdef void score_by_truth(StudyC* s, ThreadC* t, FrameC* f, const MoveC* moves, int* scores,
                         int count, int depth) noexcept nogil:
    """What each move is worth, by searches that are not counted."""
    cdef u64 nodes = t.nodes
    cdef u64 cutoffs = s.cutoffs, first_cutoffs = s.first_cutoffs
    cdef int order = s.order, index
    cdef bint has_table = s.has_table
    s.order = ORDER_ENGINE
    s.has_table = True
    for index in range(count):
        go_down(t, f, moves[index])
        scores[index] = -ordered_alphabeta(s, t, f + 1, -INFINITE, INFINITE, depth - 1)
    s.order = order
    s.has_table = has_table
    s.cutoffs = cutoffs
    s.first_cutoffs = first_cutoffs
    store_relaxed(&t.nodes, nodes)


cdef void order_moves(StudyC* s, ThreadC* t, FrameC* f, MoveC* moves, int count, int depth,
                      MoveC table_move) noexcept nogil:
    cdef int scores[MAX_MOVES]
    cdef u64 check_squares[6]
    cdef int index
    if s.order == ORDER_GENERATED:
        return
    find_threats(t, f)  # whatever the order: histories are learnt by them
    if s.order == ORDER_RANDOM:
        for index in range(count):
            scores[index] = <int>(next_random(&s.random) >> 33)
    elif s.order == ORDER_ENGINE:
        find_check_squares(check_squares, &f.pos)
        for index in range(count):
            scores[index] = heuristic_score(s, t, f, moves[index], table_move, check_squares)
    else:
        score_by_truth(s, t, f, moves, scores, count, depth)
        if s.order == ORDER_WORST:
            for index in range(count):
                scores[index] = -scores[index]
    sort_by_scores(moves, scores, count)


cdef inline bint table_decides(const EntryC* entry, int depth, int alpha, int beta) noexcept nogil:
    """A value of exactly this depth: the table only saves work, and the value stays minimax's."""
    return (entry.found and entry.depth == depth
            and (entry.bound == EXACT or (entry.bound == LOWER_BOUND and entry.score >= beta)
                 or (entry.bound == UPPER_BOUND and entry.score <= alpha)))


cdef void learn_order(StudyC* s, ThreadC* t, FrameC* f, const MoveC* moves, int tried,
                      int depth) noexcept nogil:
    """After a cut-off by the last of the moves tried."""
    cdef MoveC quiets[MAX_MOVES]
    cdef MoveC captures[MAX_MOVES]
    cdef int index, quiet_count = 0, capture_count = 0
    s.cutoffs += 1
    s.first_cutoffs += tried == 1
    for index in range(tried - 1):
        if is_quiet(moves[index]):
            quiets[quiet_count] = moves[index]
            quiet_count += 1
        else:
            captures[capture_count] = moves[index]
            capture_count += 1
    update_histories(t, f, moves[tried - 1], quiets, quiet_count, captures, capture_count, depth)


cdef int ordered_alphabeta(StudyC* s, ThreadC* t, FrameC* f, int alpha, int beta,
                           int depth) noexcept nogil:
    cdef MoveC moves[MAX_MOVES]
    cdef MoveC best_move = NULL_MOVE
    cdef EntryC entry
    cdef int value, best = -INFINITE, index, count
    if depth == 0 and s.algorithm == ALPHABETA_QUIESCENCE:
        return settle(t, f, alpha, beta)
    f.pv_length = 0
    if must_stop(t):
        return 0
    count_node(t)
    if depth == 0:
        return horizon_value(t, f)
    count = <int>(generate_legal(moves, &f.pos) - moves)
    if count == 0:
        return no_move_value(f)
    if is_drawn(t, f):
        return 0
    entry.found = False
    entry.move = NULL_MOVE
    if s.has_table:
        entry = probe_table(&t.shared.table, f.pos.key, f.ply)
        if table_decides(&entry, depth, alpha, beta):
            return entry.score
    f[1].killer = NULL_MOVE
    order_moves(s, t, f, moves, count, depth, entry.move)
    for index in range(count):
        go_down(t, f, moves[index])
        value = -ordered_alphabeta(s, t, f + 1, -beta, -max(alpha, best), depth - 1)
        if is_stopped(t):
            return 0
        if value > best:
            best = value
            f.pv_length = write_pv(f.pv, f, moves[index])
            if best > alpha:
                best_move = moves[index]  # what is best of moves that are all too bad means nothing
            if best >= beta:
                learn_order(s, t, f, moves, index + 1, depth)
                break
    if s.has_table:
        store_entry(&t.shared.table, f.pos.key, f.ply, best_move, best, NO_EVALUATION, depth,
                    LOWER_BOUND if best >= beta else UPPER_BOUND if best <= alpha else EXACT, False)
    return best
