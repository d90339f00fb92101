# Minimax, alpha-beta and quiescence as the lecture notes have them, in negamax form.

cdef int minimax(ThreadC* t, FrameC* f, int depth) noexcept nogil:
    """Every move, every reply, down to the horizon."""
    cdef MoveC moves[MAX_MOVES]
    cdef MoveC* move = moves
    cdef MoveC* end
    cdef int value, best = -INFINITE
    f.pv_length = 0
    if must_stop(t):
        return 0
    count_node(t)
    if depth == 0:
        return horizon_value(t, f)
    end = generate_legal(moves, &f.pos)
    if end == moves:
        return no_move_value(f)
    if is_drawn(t, f):
        return 0
    while move < end:
        step_down(t, f, move[0])
        value = -minimax(t, f + 1, depth - 1)
        if is_stopped(t):
            return 0
        if value > best:
            best = value
            f.pv_length = write_pv(f.pv, f, move[0])
        move += 1
    return best


cdef void sort_by_victims(MoveC* first, MoveC* end, const PositionC* pos) noexcept nogil:
    """The most valuable first; equals keep their order."""
    cdef MoveC* place = first + 1
    cdef MoveC* other
    cdef MoveC move
    cdef int value
    while place < end:
        move = place[0]
        value = EXCHANGE_VALUES[captured_piece(pos, move)]
        other = place
        while other > first and EXCHANGE_VALUES[captured_piece(pos, (other - 1)[0])] < value:
            other[0] = (other - 1)[0]
            other -= 1
        other[0] = move
        place += 1


cdef int settle(ThreadC* t, FrameC* f, int alpha, int beta) noexcept nogil:
    """Quiescence: captures and promotions are played out, or declined by standing pat; in check
    every move is tried, and nothing can be declined."""
    cdef MoveC moves[MAX_MOVES]
    cdef MoveC* move = moves
    cdef MoveC* end
    cdef int value, best = -INFINITE
    f.pv_length = 0
    if must_stop(t):
        return 0
    count_node(t)
    if f.ply > t.seldepth:
        t.seldepth = f.ply
    if not has_legal_move(&f.pos):
        return no_move_value(f)
    if is_drawn(t, f):
        return 0
    if f.ply >= MAX_PLY - 1:
        return node_evaluation(t, f)
    if f.pos.checkers:
        end = generate_legal(moves, &f.pos)
    else:
        best = node_evaluation(t, f)
        if best >= beta:
            return best
        end = generate_noisy(moves, &f.pos)
    sort_by_victims(moves, end, &f.pos)
    while move < end:
        step_down(t, f, move[0])
        value = -settle(t, f + 1, -beta, -max(alpha, best))
        if is_stopped(t):
            return 0
        if value > best:
            best = value
            f.pv_length = write_pv(f.pv, f, move[0])
            if best >= beta:
                break
        move += 1
    return best


cdef int alphabeta(ThreadC* t, FrameC* f, int alpha, int beta, int depth,
                   bint quiesces) noexcept nogil:
    """The same value as minimax's inside the window: what can't change it is not looked at."""
    cdef MoveC moves[MAX_MOVES]
    cdef MoveC* move = moves
    cdef MoveC* end
    cdef int value, best = -INFINITE
    if depth == 0 and quiesces:
        return settle(t, f, alpha, beta)
    f.pv_length = 0
    if must_stop(t):
        return 0
    count_node(t)
    if depth == 0:
        return horizon_value(t, f)
    end = generate_legal(moves, &f.pos)
    if end == moves:
        return no_move_value(f)
    if is_drawn(t, f):
        return 0
    while move < end:
        step_down(t, f, move[0])
        value = -alphabeta(t, f + 1, -beta, -max(alpha, best), depth - 1, quiesces)
        if is_stopped(t):
            return 0
        if value > best:
            best = value
            f.pv_length = write_pv(f.pv, f, move[0])
            if best >= beta:
                break
        move += 1
    return best
