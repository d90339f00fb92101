# Every read and write of every history table: what moves, and what errors of the evaluation,
# earlier searches met.

cdef inline void bump(int16_t* value, int bonus, int limit) noexcept nogil:
    """Move a value towards its limit; the closer it is, the less."""
    value[0] += <int16_t>(bonus - value[0] * abs(bonus) // limit)


cdef inline int history_bonus(int depth) noexcept nogil:
    return min(BONUS_LIMIT, BONUS_SLOPE * depth - BONUS_OFFSET if depth > 1 else BONUS_SLOPE // 2)


cdef inline int history_malus(int depth) noexcept nogil:
    return min(MALUS_LIMIT, MALUS_SLOPE * depth)


cdef inline int16_t* continuation_entry(FrameC* f, int plies_back, int piece,
                                        int target) noexcept nogil:
    return &(f - plies_back).continuation[0][piece][target]


cdef inline int16_t* pawn_entry(ThreadC* t, FrameC* f, int piece, int target) noexcept nogil:
    return &t.history.pawns[f.pos.pawn_key & (PAWN_HISTORY_SIZE - 1)][piece][target]


cdef inline void find_threats(ThreadC* t, FrameC* f) noexcept nogil:
    """Needed before the histories of its quiet moves are."""
    f.threats = attacks_at(t.evaluator, &f.pos, f.ply, f.pos.side ^ 1)


cdef inline int16_t* quiet_entry(ThreadC* t, FrameC* f, MoveC move) noexcept nogil:
    """Fleeing from an attack and walking into one are other moves than those between safe squares."""
    cdef int origin = move_from(move), target = move_to(move)
    cdef int threats = <int>(2 * (f.threats.all >> origin & 1) + (f.threats.all >> target & 1))
    return &t.history.quiet[f.pos.side][threats][origin][target]


cdef inline void prefetch_histories(ThreadC* t, FrameC* f) noexcept nogil:
    """What this side's quiet moves are judged by: it lies far apart."""
    cdef int piece = coloured(PAWN, f.pos.side)
    cdef size_t half = sizeof(PieceToC) // 2
    prefetch_bytes(pawn_entry(t, f, piece, 0), half)
    prefetch_bytes(continuation_entry(f, 1, piece, 0), half)
    prefetch_bytes(continuation_entry(f, 2, piece, 0), half)


cdef inline int quiet_history(ThreadC* t, FrameC* f, MoveC move) noexcept nogil:
    cdef int piece = coloured(f.pos.squares[move_from(move)], f.pos.side)
    cdef int target = move_to(move)
    return (quiet_entry(t, f, move)[0]
            + pawn_entry(t, f, piece, target)[0]
            + continuation_entry(f, 1, piece, target)[0]
            + continuation_entry(f, 2, piece, target)[0]
            + continuation_entry(f, 4, piece, target)[0] // 2)


cdef inline int16_t* capture_entry(ThreadC* t, FrameC* f, MoveC move) noexcept nogil:
    cdef int piece = coloured(f.pos.squares[move_from(move)], f.pos.side)
    return &t.history.capture[piece][move_to(move)][captured_piece(&f.pos, move)]


cdef void update_continuations(FrameC* f, int piece, int target, int bonus) noexcept nogil:
    bump(continuation_entry(f, 1, piece, target), bonus, HISTORY_LIMIT)
    bump(continuation_entry(f, 2, piece, target), bonus, HISTORY_LIMIT)
    bump(continuation_entry(f, 4, piece, target), bonus, HISTORY_LIMIT)


cdef void update_quiet(ThreadC* t, FrameC* f, MoveC move, int bonus) noexcept nogil:
    cdef int piece = coloured(f.pos.squares[move_from(move)], f.pos.side)
    cdef int target = move_to(move)
    bump(quiet_entry(t, f, move), bonus, HISTORY_LIMIT)
    bump(pawn_entry(t, f, piece, target), bonus, HISTORY_LIMIT)
    update_continuations(f, piece, target, bonus)


cdef inline bint came_by_quiet(FrameC* f) noexcept nogil:
    return f.ply > 0 and (f - 1).move != NULL_MOVE and is_quiet((f - 1).move)


cdef void credit_move_before(ThreadC* t, FrameC* f, int depth) noexcept nogil:
    """Nothing here was good enough: the other side's quiet move that led here is a good one."""
    if came_by_quiet(f):
        update_quiet(t, f - 1, (f - 1).move, history_bonus(depth) * CREDIT_PERCENT // 100)


cdef inline void judge_move_before(ThreadC* t, FrameC* f) noexcept nogil:
    """The other side's quiet move is as good as it changed the evaluation."""
    cdef int change
    if came_by_quiet(f) and (f - 1).static_eval != NO_EVALUATION:
        change = -(f.static_eval + (f - 1).static_eval) * EVALUATION_CREDIT
        change = min(max(change, -EVALUATION_CREDIT_LIMIT), EVALUATION_CREDIT_LIMIT)
        bump(quiet_entry(t, f - 1, (f - 1).move), change, HISTORY_LIMIT)


cdef void update_histories(ThreadC* t, FrameC* f, MoveC best, MoveC* quiets, int quiet_count,
                           MoveC* captures, int capture_count, int depth) noexcept nogil:
    """After a cutoff: the best move gains, the moves tried before it lose."""
    cdef int bonus = history_bonus(depth), malus = history_malus(depth), index
    if is_quiet(best):
        f.killer = best
        if depth > 2 or quiet_count > 0:
            update_quiet(t, f, best, bonus)
        for index in range(quiet_count):
            update_quiet(t, f, quiets[index], -malus)
    else:
        bump(capture_entry(t, f, best), bonus, HISTORY_LIMIT)
    for index in range(capture_count):
        bump(capture_entry(t, f, captures[index]), -malus, HISTORY_LIMIT)


# Correction history: how far the evaluation was off in positions that share a part with this one.

cdef inline int16_t* pawn_correction(ThreadC* t, const PositionC* pos) noexcept nogil:
    return &t.history.pawn_correction[pos.side][pos.pawn_key & (CORRECTION_SIZE - 1)]


cdef inline int16_t* minor_correction(ThreadC* t, const PositionC* pos) noexcept nogil:
    return &t.history.minor_correction[pos.side][pos.minor_key & (CORRECTION_SIZE - 1)]


cdef inline int16_t* nonpawn_correction(ThreadC* t, const PositionC* pos,
                                        int colour) noexcept nogil:
    return &t.history.nonpawn_correction[pos.side][colour][
        pos.nonpawn_keys[colour] & (CORRECTION_SIZE - 1)]


cdef inline int16_t* continuation_correction(ThreadC* t, FrameC* f) noexcept nogil:
    """Of the last two moves, told apart by what histories they point to."""
    cdef PieceToC* first = &t.history.continuation[0][0]
    cdef PieceToC* after = &t.history.continuation_correction[0][0] + ((f - 2).continuation - first)
    return &after[0][0][0] + ((f - 1).continuation - first)


cdef inline void prefetch_corrections(ThreadC* t, FrameC* f) noexcept nogil:
    """Of a node that is about to begin: its evaluation will want them."""
    cdef const PositionC* pos = &f.pos
    prefetch(pawn_correction(t, pos))
    prefetch(minor_correction(t, pos))
    prefetch(nonpawn_correction(t, pos, WHITE))
    prefetch(nonpawn_correction(t, pos, BLACK))
    prefetch(continuation_correction(t, f))


cdef inline int correct_evaluation(ThreadC* t, FrameC* f, int evaluation) noexcept nogil:
    cdef const PositionC* pos = &f.pos
    cdef int correction = (pawn_correction(t, pos)[0] + minor_correction(t, pos)[0]
                           + nonpawn_correction(t, pos, WHITE)[0]
                           + nonpawn_correction(t, pos, BLACK)[0]
                           + continuation_correction(t, f)[0])
    evaluation += correction // CORRECTION_DIVISOR
    return min(max(evaluation, -LARGEST_EVALUATION), LARGEST_EVALUATION)


cdef void update_corrections(ThreadC* t, FrameC* f, int error, int depth) noexcept nogil:
    cdef const PositionC* pos = &f.pos
    cdef int bonus = min(max(error * depth // CORRECTION_DEPTH_DIVISOR, -CORRECTION_LIMIT // 4),
                         CORRECTION_LIMIT // 4)
    bump(pawn_correction(t, pos), bonus, CORRECTION_LIMIT)
    bump(minor_correction(t, pos), bonus, CORRECTION_LIMIT)
    bump(nonpawn_correction(t, pos, WHITE), bonus, CORRECTION_LIMIT)
    bump(nonpawn_correction(t, pos, BLACK), bonus, CORRECTION_LIMIT)
    bump(continuation_correction(t, f), bonus, CORRECTION_LIMIT)
