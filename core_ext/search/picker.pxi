# The staged move picker: the likeliest moves first, and none generated before it is needed.

cdef enum Stage:
    STAGE_TABLE
    STAGE_MAKE_NOISY
    STAGE_GOOD_NOISY
    STAGE_KILLER
    STAGE_MAKE_QUIETS
    STAGE_QUIETS
    STAGE_BAD_NOISY
    STAGE_MAKE_EVASIONS
    STAGE_EVASIONS
    STAGE_DONE

# Classes of moves, further apart than the scores within them.
cdef enum:
    UNDERPROMOTION = -20000
    NOISY_EVASION = 100000

cdef struct PickerC:
    Stage stage
    bint noisy_only
    bint skip_quiets       # set by the search when the rest of the quiets are hopeless
    int threshold          # a good capture wins at least this much
    MoveC table_move
    MoveC killer
    MoveC* next
    MoveC* end
    MoveC* bad_end         # bad captures are put aside at the front of the list
    u64 check_squares[6]   # of each kind of piece; found when the quiets are made
    MoveC moves[MAX_MOVES]
    int scores[MAX_MOVES]


cdef inline void start_picker(PickerC* picker, FrameC* f, MoveC table_move, MoveC killer,
                              int threshold, bint noisy_only) noexcept nogil:
    cdef const PositionC* pos = &f.pos
    picker.noisy_only = noisy_only and not pos.checkers
    picker.skip_quiets = False
    picker.threshold = threshold
    picker.next = picker.end = picker.bad_end = picker.moves
    picker.table_move = NULL_MOVE
    picker.killer = NULL_MOVE
    if (table_move != NULL_MOVE and not (picker.noisy_only and is_quiet(table_move))
            and is_legal_move(pos, table_move)):
        picker.table_move = table_move
    if killer != table_move:
        picker.killer = killer
    picker.stage = STAGE_TABLE


cdef inline bint is_on_check_square(const PickerC* picker, const PositionC* pos,
                                    MoveC move) noexcept nogil:
    return (picker.check_squares[pos.squares[move_from(move)]] & bit(move_to(move))) != 0


cdef inline bint is_known_check(const PickerC* picker, const PositionC* pos,
                                MoveC move) noexcept nogil:
    """Does this quiet move check? Known of those that come by score; discoveries are not seen."""
    return picker.stage == STAGE_QUIETS and is_on_check_square(picker, pos, move)


cdef inline int noisy_score(ThreadC* t, FrameC* f, MoveC move) noexcept nogil:
    """Most valuable victim first, then what has worked."""
    cdef int victim = captured_piece(&f.pos, move)
    cdef int score = (VICTIM_FACTOR * EXCHANGE_VALUES[victim]
                      + capture_entry(t, f, move)[0] // CAPTURE_HISTORY_DIVISOR)
    if is_promotion(move):
        score += (VICTIM_FACTOR * EXCHANGE_VALUES[QUEEN] if promoted_piece(move) == QUEEN
                  else UNDERPROMOTION)
    return score


cdef void score_noisy(PickerC* picker, ThreadC* t, FrameC* f) noexcept nogil:
    cdef MoveC* move = picker.next
    while move < picker.end:
        picker.scores[move - picker.moves] = noisy_score(t, f, move[0])
        move += 1


cdef void score_quiets(PickerC* picker, ThreadC* t, FrameC* f) noexcept nogil:
    """What has worked, safe checks before most of it, and pieces away from lesser ones."""
    cdef MoveC* move = picker.next
    cdef int[6] bonuses = [0, PAWN_THREAT_BONUS, PAWN_THREAT_BONUS, MINOR_THREAT_BONUS,
                           ROOK_THREAT_BONUS, 0]
    cdef u64 unsafe
    cdef int score, piece
    find_check_squares(picker.check_squares, &f.pos)
    while move < picker.end:
        score = quiet_history(t, f, move[0])
        piece = f.pos.squares[move_from(move[0])]
        unsafe = lesser_attacks(&f.threats, piece)
        if bit(move_from(move[0])) & unsafe:
            score += bonuses[piece]
        if bit(move_to(move[0])) & unsafe:
            score -= bonuses[piece]
        if is_on_check_square(picker, &f.pos, move[0]) and wins_exchange(&f.pos, move[0],
                                                                         -SAFE_CHECK_MARGIN):
            score += CHECK_BONUS
        picker.scores[move - picker.moves] = score
        move += 1


cdef void score_evasions(PickerC* picker, ThreadC* t, FrameC* f) noexcept nogil:
    cdef MoveC* move = picker.next
    while move < picker.end:
        if is_quiet(move[0]):
            picker.scores[move - picker.moves] = quiet_history(t, f, move[0])
        else:
            picker.scores[move - picker.moves] = NOISY_EVASION + noisy_score(t, f, move[0])
        move += 1


cdef inline void bring_best(PickerC* picker, ThreadC* t, FrameC* f) noexcept nogil:
    """To the front of those that are left. Selection sort, a move at a time: most nodes need only the
    first few. While the one before it is searched, its table entry is on its way."""
    cdef int index = <int>(picker.next - picker.moves)
    cdef int end = <int>(picker.end - picker.moves)
    cdef int best = index, other
    cdef MoveC move
    cdef int score
    if index == end:
        return
    for other in range(index + 1, end):
        if picker.scores[other] > picker.scores[best]:
            best = other
    move = picker.moves[best]
    score = picker.scores[best]
    picker.moves[best] = picker.moves[index]
    picker.scores[best] = picker.scores[index]
    picker.moves[index] = move
    picker.scores[index] = score
    prefetch_child(&t.shared.table, &f.pos, move)


cdef inline MoveC give_best(PickerC* picker, ThreadC* t, FrameC* f) noexcept nogil:
    """The best of those that are left."""
    cdef MoveC move = picker.next[0]
    picker.next += 1
    bring_best(picker, t, f)
    return move


cdef inline int trust(const PickerC* picker, ThreadC* t, FrameC* f, MoveC move) noexcept nogil:
    """What a capture may lose, by what has come of it elsewhere; nothing where losing is out of
    the question."""
    return 0 if picker.noisy_only else capture_entry(t, f, move)[0] // GOOD_CAPTURE_DIVISOR


cdef MoveC next_good_noisy(PickerC* picker, ThreadC* t, FrameC* f) noexcept nogil:
    cdef MoveC move
    while picker.next < picker.end:
        move = give_best(picker, t, f)
        if move == picker.table_move:
            continue
        if wins_exchange(&f.pos, move, picker.threshold - trust(picker, t, f, move)):
            return move
        picker.bad_end[0] = move
        picker.bad_end += 1
    return NULL_MOVE


cdef MoveC next_remaining(PickerC* picker, ThreadC* t, FrameC* f) noexcept nogil:
    """The next by score that has not been given out by itself before."""
    cdef MoveC move
    while picker.next < picker.end:
        move = give_best(picker, t, f)
        if move != picker.table_move and move != picker.killer:
            return move
    return NULL_MOVE


cdef MoveC next_bad_noisy(PickerC* picker) noexcept nogil:
    cdef MoveC* move = picker.next
    if move == picker.bad_end:
        return NULL_MOVE
    picker.next += 1
    return move[0]


cdef MoveC next_move(PickerC* picker, ThreadC* t, FrameC* f) noexcept nogil:
    """The next move, or NULL_MOVE when all have been given out."""
    cdef MoveC move
    if picker.stage == STAGE_TABLE:
        picker.stage = STAGE_MAKE_EVASIONS if f.pos.checkers else STAGE_MAKE_NOISY
        if picker.table_move != NULL_MOVE:
            return picker.table_move
    if picker.stage == STAGE_MAKE_NOISY:
        picker.end = generate_noisy(picker.moves, &f.pos)
        score_noisy(picker, t, f)
        bring_best(picker, t, f)
        picker.stage = STAGE_GOOD_NOISY
    if picker.stage == STAGE_GOOD_NOISY:
        move = next_good_noisy(picker, t, f)
        if move != NULL_MOVE:
            return move
        picker.stage = STAGE_DONE if picker.noisy_only else STAGE_KILLER
    if picker.stage == STAGE_KILLER:
        picker.stage = STAGE_MAKE_QUIETS
        if (picker.killer != NULL_MOVE and not picker.skip_quiets and is_quiet(picker.killer)
                and is_legal_move(&f.pos, picker.killer)):
            prefetch_child(&t.shared.table, &f.pos, picker.killer)
            return picker.killer
        picker.killer = NULL_MOVE
    if picker.stage == STAGE_MAKE_QUIETS:
        picker.next = picker.end = picker.bad_end
        if not picker.skip_quiets:
            prefetch_histories(t, f)
            picker.end = generate_quiets(picker.next, &f.pos)
            score_quiets(picker, t, f)
            bring_best(picker, t, f)
        picker.stage = STAGE_QUIETS
    if picker.stage == STAGE_QUIETS:
        move = NULL_MOVE if picker.skip_quiets else next_remaining(picker, t, f)
        if move != NULL_MOVE:
            return move
        picker.next = picker.moves
        picker.stage = STAGE_BAD_NOISY
    if picker.stage == STAGE_BAD_NOISY:
        return next_bad_noisy(picker)
    if picker.stage == STAGE_MAKE_EVASIONS:
        picker.killer = NULL_MOVE
        picker.end = generate_legal(picker.moves, &f.pos)
        score_evasions(picker, t, f)
        bring_best(picker, t, f)
        picker.stage = STAGE_EVASIONS
    if picker.stage == STAGE_EVASIONS:
        return next_remaining(picker, t, f)
    return NULL_MOVE
