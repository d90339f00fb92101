# What the searches of the lecture notes share: what is studied, the end of a game, going down.
#
# They run in the engine's own first thread, with its frames, limits, clock and reports, and leave all
# of its cleverness aside.

cdef enum Algorithm:
    PVS                # the engine's own search
    MINIMAX
    ALPHABETA
    ALPHABETA_QUIESCENCE
    MCTS

cdef enum Order:
    ORDER_GENERATED    # as the generator gives them
    ORDER_RANDOM
    ORDER_ENGINE       # by the heuristics that are on
    ORDER_PERFECT      # the truly best first
    ORDER_WORST        # and last

# The engine's heuristics, to be switched off one by one.
cdef enum:
    ORDER_BY_TABLE = 1
    ORDER_BY_CAPTURES = 2
    ORDER_BY_EXCHANGES = 4
    ORDER_BY_KILLERS = 8
    ORDER_BY_HISTORY = 16
    ORDER_BY_CHECKS = 32
    ORDER_BY_ALL = 63

cdef struct StudyC:
    int algorithm
    int order
    int heuristics
    bint has_table
    u64 random
    u64 cutoffs
    u64 first_cutoffs      # by the first move tried
    RootMoveC roots[MAX_MOVES]  # of the iteration that is under way, as generated


cdef inline bint is_third_time(ThreadC* t, FrameC* f) noexcept nogil:
    cdef int limit = min(<int>f.pos.rule50, t.game_length + f.ply)
    cdef int back = 4, seen = 0
    while back <= limit:
        seen += node_key(t, f, back) == f.pos.key
        back += 2
    return seen >= 2


cdef inline bint is_drawn(ThreadC* t, FrameC* f) noexcept nogil:
    """By the rules of the game; the side to move has a move."""
    return (f.pos.rule50 >= 100 or has_insufficient_material(&f.pos)
            or (f.pos.rule50 >= 8 and is_third_time(t, f)))


cdef inline bint has_legal_move(const PositionC* pos) noexcept nogil:
    """Mostly some pawn or knight is free to go."""
    cdef int us = pos.side
    cdef u64 free = pos.colours[us] & ~(pos.pin_orthogonal | pos.pin_diagonal)
    cdef u64 knights = pos.pieces[KNIGHT] & free
    if pos.checkers == 0:
        if forward(pos.pieces[PAWN] & free, us) & ~occupied(pos):
            return True
        if knights and KNIGHT_ATTACKS[lowest(knights)] & ~pos.colours[us]:
            return True
    return count_legal(pos) > 0


cdef inline int no_move_value(FrameC* f) noexcept nogil:
    return mated_in(f.ply) if f.pos.checkers else 0


cdef inline int horizon_value(ThreadC* t, FrameC* f) noexcept nogil:
    """Where the depth is used up: the end of the game, or an estimate."""
    if not has_legal_move(&f.pos):
        return no_move_value(f)
    return 0 if is_drawn(t, f) else node_evaluation(t, f)


cdef inline void step_down(ThreadC* t, FrameC* f, MoveC move) noexcept nogil:
    make_move(&f[1].pos, &f.pos, move)
    enter_ply(t.evaluator, f.ply + 1)
    t.keys[t.game_length + f.ply + 1] = f[1].pos.key
