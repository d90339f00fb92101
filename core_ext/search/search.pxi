# The search: principal variation search with a transposition table and everything that lets it
# look at fewer moves. The steps are numbered in the order in which they happen.

from libc.math cimport log

cdef enum:
    CLOCK_CHECK_MASK = 1023  # the clock is read once in so many nodes
    LMR_ONE = 1024           # reductions are counted in 1024ths of a ply
    TRACKED_MOVES = 64       # moves that a cutoff will blame
    TABLE_RULE50 = 90        # from here on the table, whose keys lack the count, is not believed

cdef int QUIET_REDUCTIONS[64][64]
cdef int CAPTURE_REDUCTIONS[64][64]


cdef void fill_reductions() noexcept nogil:
    cdef int depth, count
    cdef double product
    for depth in range(1, 64):
        for count in range(1, 64):
            product = log(depth) * log(count)
            QUIET_REDUCTIONS[depth][count] = <int>(LMR_QUIET_BASE + LMR_QUIET_SLOPE * product)
            CAPTURE_REDUCTIONS[depth][count] = <int>(LMR_CAPTURE_BASE
                                                     + LMR_CAPTURE_SLOPE * product)


fill_reductions()


# ---- stopping

cdef bint must_stop(ThreadC* t) noexcept nogil:
    """Each thread watches the limits, as the first may have to wait for a processor.

    Depth 1 is always finished.
    """
    cdef SharedC* shared = t.shared
    if t.root_depth > 1:
        if shared.limits.nodes and count_nodes(shared) >= shared.limits.nodes:
            store_relaxed(&shared.stop, 1)
        if (t.nodes & CLOCK_CHECK_MASK) == 0:
            if past_hard_limit(&shared.clock):
                store_relaxed(&shared.stop, 1)
            if t.index == 0 and shared.attend != NULL:
                shared.attend(t)
    return is_stopped(t)


cdef bint past_hard_limit(const ClockC* clock) noexcept nogil:
    cdef int64_t limit = hard_limit(clock)
    return limit != 0 and elapsed_ns(clock) >= limit


# ---- moving about in the tree

cdef inline void go_down(ThreadC* t, FrameC* f, MoveC move) noexcept nogil:
    cdef int piece = coloured(f.pos.squares[move_from(move)], f.pos.side)
    make_move(&f[1].pos, &f.pos, move)
    enter_ply(t.evaluator, f.ply + 1)
    f.move = move
    f.continuation = &t.history.continuation[piece][move_to(move)]
    prefetch_corrections(t, f + 1)
    f[1].double_extensions = f.double_extensions
    t.keys[t.game_length + f.ply + 1] = f[1].pos.key


cdef inline void pass_move(ThreadC* t, FrameC* f) noexcept nogil:
    make_null_move(&f[1].pos, &f.pos)
    f[1].pos.rule50 = 0  # no repetition reaches across a null move
    enter_ply(t.evaluator, f.ply + 1)
    f.move = NULL_MOVE
    f.continuation = &t.history.continuation[0][0]
    f[1].double_extensions = f.double_extensions
    t.keys[t.game_length + f.ply + 1] = f[1].pos.key


cdef inline bint has_pieces(const PositionC* pos) noexcept nogil:
    return (pos.colours[pos.side] & ~(pos.pieces[PAWN] | pos.pieces[KING])) != 0


cdef inline int draw_score(ThreadC* t) noexcept nogil:
    """Draws differ by a hair, so that the search does not run in circles."""
    return 1 - <int>(t.nodes & 2)


cdef inline int unrest(int score) noexcept nogil:
    """By how much scores of this size differ from move to move and from depth to depth: the larger,
    the more. Margins that ignore it see every move of a won position as singular, and every
    iteration as a failure of its window; mates are then found late."""
    return score * score // UNREST_DIVISOR


cdef inline bint bound_fits(int bound, int score, int limit) noexcept nogil:
    """Does a stored bound prove that the value is on the same side of the limit?"""
    return (bound & (LOWER_BOUND if score >= limit else UPPER_BOUND)) != 0


# ---- quiescence

cdef inline bint is_new_front(FrameC* f, MoveC move) noexcept nogil:
    """A capture somewhere else than where the last move went."""
    return ((f - 1).move != NULL_MOVE and move_to(move) != move_to((f - 1).move)
            and not is_promotion(move))


cdef int quiesce(ThreadC* t, FrameC* f, int alpha, int beta) noexcept nogil:
    """Captures and promotions until nothing hangs; in check, all evasions."""
    cdef bint is_pv = beta - alpha > 1
    cdef bint in_check = f.pos.checkers != 0
    cdef bint was_pv
    cdef int best = -INFINITE, raw = NO_EVALUATION
    cdef int score, futility = -INFINITE, quiets_seen = 0, count = 0
    cdef MoveC move, best_move = NULL_MOVE
    cdef EntryC entry
    cdef PickerC picker

    f.pv_length = 0
    if must_stop(t):
        return 0
    count_node(t)
    if f.ply > t.seldepth:
        t.seldepth = f.ply
    if is_draw(t, f):
        return draw_score(t)
    if f.ply >= MAX_PLY - 1:
        return 0 if in_check else node_evaluation(t, f)

    entry = probe_table(&t.shared.table, f.pos.key, f.ply)
    was_pv = is_pv or (entry.found and entry.was_pv)
    if entry.found and not is_pv and bound_fits(entry.bound, entry.score, beta):
        return entry.score

    # Stand pat: the side to move need not capture.
    if not in_check:
        raw = known_evaluation(t, f, &entry)
        best = correct_evaluation(t, f, raw)
        if entry.found and bound_fits(entry.bound, entry.score, best) and not is_certain(
                entry.score):
            best = entry.score
        if best >= beta:
            if not is_certain(best):
                best = (best + beta) // 2
            if not entry.found:
                store_entry(&t.shared.table, f.pos.key, f.ply, NULL_MOVE, best, raw, 0,
                            LOWER_BOUND, is_pv)
            return best
        alpha = max(alpha, best)
        futility = best + DELTA_MARGIN

    if in_check:
        find_threats(t, f)
    start_picker(&picker, f, entry.move, NULL_MOVE, QUIESCENCE_EXCHANGE, True)
    while True:
        move = next_move(&picker, t, f)
        if move == NULL_MOVE:
            break
        count += 1
        if best > -LEAST_WIN:
            if count > QUIESCENCE_CAPTURES and not is_pv and not in_check and is_new_front(f, move):
                continue
            if in_check and is_quiet(move):
                quiets_seen += 1
                if quiets_seen > QUIESCENCE_EVASIONS:
                    continue
            if (not in_check and not is_promotion(move)
                    and futility + EXCHANGE_VALUES[captured_piece(&f.pos, move)] <= alpha):
                best = max(best, futility + EXCHANGE_VALUES[captured_piece(&f.pos, move)])
                continue
        go_down(t, f, move)
        score = -quiesce(t, f + 1, -beta, -alpha)
        if is_stopped(t):
            return 0
        if score > best:
            best = score
            if score > alpha:
                alpha = score
                best_move = move
                if is_pv:
                    f.pv_length = write_pv(f.pv, f, move)
                if score >= beta:
                    break
    if in_check and count == 0:
        return mated_in(f.ply)
    store_entry(&t.shared.table, f.pos.key, f.ply, best_move, best, raw, 0,
                LOWER_BOUND if best >= beta else UPPER_BOUND, was_pv)
    return best


# ---- the parts of a node that prune it whole

cdef int try_null_move(ThreadC* t, FrameC* f, int beta, int depth, int evaluation,
                       bint cut_node) noexcept nogil:
    """If passing still fails high, some move surely does. Unsound only in zugzwang, which is rare
    with pieces on the board; deep cut-offs are verified with the side's own moves."""
    cdef int reduction = NULL_BASE + depth // NULL_DEPTH_DIVISOR + min(
        NULL_EVAL_LIMIT, (evaluation - beta) // NULL_EVAL_DIVISOR)
    cdef int score
    pass_move(t, f)
    score = -negamax(t, f + 1, -beta, 1 - beta, depth - reduction, not cut_node)
    if score < beta or is_stopped(t):
        return -INFINITE
    if is_certain(score):
        score = beta
    if depth < NULL_VERIFY_DEPTH or t.null_guard > 0:
        return score
    t.null_guard = f.ply + 3 * (depth - reduction) // 4
    if negamax(t, f, beta - 1, beta, depth - reduction, False) < beta:
        score = -INFINITE
    t.null_guard = 0
    return score


cdef int try_probcut(ThreadC* t, FrameC* f, int beta, int depth, MoveC table_move, int raw,
                     bint cut_node) noexcept nogil:
    """A capture that beats beta by a margin in a shallow search will beat beta in a deep one."""
    cdef int raised = beta + PROBCUT_MARGIN
    cdef int needed = raised - f.static_eval, score
    cdef PickerC picker
    cdef MoveC move
    start_picker(&picker, f, table_move, NULL_MOVE, max(needed, 0), True)
    while True:
        move = next_move(&picker, t, f)
        if move == NULL_MOVE:
            return -INFINITE
        # The picker gives out only what wins enough, but for the table's move.
        if move == table_move and not wins_exchange(&f.pos, move, needed):
            continue
        go_down(t, f, move)
        score = -quiesce(t, f + 1, -raised, 1 - raised)
        if score >= raised and depth > PROBCUT_REDUCTION:
            score = -negamax(t, f + 1, -raised, 1 - raised, depth - PROBCUT_REDUCTION,
                             not cut_node)
        if is_stopped(t):
            return -INFINITE
        if score >= raised:
            store_entry(&t.shared.table, f.pos.key, f.ply, move, score, raw,
                        depth - PROBCUT_REDUCTION + 1, LOWER_BOUND, f.was_pv)
            return score if is_certain(score) else score - PROBCUT_MARGIN


cdef inline int reverse_futility(FrameC* f, int depth, bint improving) noexcept nogil:
    """What the evaluation must be above beta: less if it rises, and if the other side's last move has
    cost that side something. Both evaluations are their own side's: their sum is what it lost."""
    cdef int margin = REVERSE_FUTILITY_MARGIN * (depth - improving)
    if (f - 1).static_eval != NO_EVALUATION and f.static_eval + (f - 1).static_eval > WORSE_BY:
        margin -= REVERSE_FUTILITY_WORSE
    return max(margin, REVERSE_FUTILITY_LEAST)


cdef inline bint is_threatened(ThreadC* t, FrameC* f) noexcept nogil:
    """Does a lesser man of the other side attack a piece of the mover's?"""
    cdef const PositionC* pos = &f.pos
    find_threats(t, f)
    return (pos.colours[pos.side] & men_under_lesser(pos.pieces, &f.threats)) != 0


cdef inline int hindsight(FrameC* f, int depth) noexcept nogil:
    """A ply more if the other side's move was reduced much and yet gained, a ply less if it was
    reduced and lost by far."""
    cdef int lost
    if (f - 1).reduction == 0 or (f - 1).static_eval == NO_EVALUATION:
        return 0
    lost = f.static_eval + (f - 1).static_eval
    if (f - 1).reduction >= HINDSIGHT_MUCH and lost < 0:
        return 1
    return -((f - 1).reduction >= HINDSIGHT_SOME and depth >= 2 and lost > HINDSIGHT_MARGIN)


# ---- the move loop's decisions

# Step 12 skips moves that will not raise alpha at this little depth.

cdef inline int depth_of_late(int depth, int count, int history) noexcept nogil:
    """What a late quiet move would be left with; a good history takes less off."""
    cdef int reduction = (QUIET_REDUCTIONS[min(depth, 63)][min(count, 63)]
                          - history * LMR_ONE // PRUNING_HISTORY_DIVISOR)
    return max(depth - reduction // LMR_ONE, 0)


cdef inline bint loses_too_much(FrameC* f, const PickerC* picker, MoveC move,
                                int depth) noexcept nogil:
    """A capture, or a check, which may begin a combination whatever the evaluation says."""
    if is_quiet(move):
        return not wins_exchange(&f.pos, move, -SEE_CHECK_MARGIN * depth)
    return (picker.stage != STAGE_GOOD_NOISY
            and not wins_exchange(&f.pos, move, -SEE_CAPTURE_MARGIN * depth))


cdef inline bint gains_too_little(FrameC* f, MoveC move, int lmr_depth, int history,
                                  int alpha) noexcept nogil:
    """A capture that leaves the evaluation too far below alpha."""
    if is_quiet(move) or is_promotion(move) or f.pos.checkers or lmr_depth >= CAPTURE_FUTILITY_DEPTH:
        return False
    return (f.static_eval + EXCHANGE_VALUES[captured_piece(&f.pos, move)] + CAPTURE_FUTILITY_BASE
            + CAPTURE_FUTILITY_STEP * lmr_depth + history // CAPTURE_FUTILITY_HISTORY) <= alpha


cdef inline bint quiets_are_hopeless(FrameC* f, int count, int depth, int lmr_depth, int alpha,
                                     bint improving) noexcept nogil:
    """Many better ones were tried, or the evaluation is too far below alpha."""
    if count >= (LATE_MOVE_BASE + depth * depth) // (1 if improving else 2):
        return True
    return (f.pos.checkers == 0 and lmr_depth <= FUTILITY_DEPTH
            and f.static_eval + FUTILITY_BASE + FUTILITY_STEP * lmr_depth <= alpha)


cdef inline bint quiet_is_hopeless(FrameC* f, MoveC move, int depth, int lmr_depth,
                                   int history) noexcept nogil:
    """It has failed again and again, or it loses material."""
    if lmr_depth <= HISTORY_PRUNING_DEPTH and history < -HISTORY_PRUNING * depth:
        return True
    return not wins_exchange(&f.pos, move, -SEE_QUIET_MARGIN * lmr_depth * lmr_depth)


cdef int singular_extension(ThreadC* t, FrameC* f, EntryC* entry, int beta, int depth,
                            bint is_pv, bint cut_node, int* multicut) noexcept nogil:
    """Step 13. Is the table move the only good one? Search the others to find out.

    The margin grows by 1024ths of a centipawn with each ply of depth, and where all is won.
    """
    cdef int target = entry.score - SINGULAR_MARGIN * depth // 1024 - unrest(entry.score)
    cdef int score
    multicut[0] = -INFINITE
    f.excluded = entry.move
    score = negamax(t, f, target - 1, target, (depth - 1) // 2, cut_node)
    f.excluded = NULL_MOVE
    if score < target:
        if (not is_pv and score < target - DOUBLE_EXTENSION_MARGIN
                and f.double_extensions < DOUBLE_EXTENSION_LIMIT):
            return 2
        return 1
    if target >= beta and not is_certain(target):
        multicut[0] = target  # several moves beat beta
        return 0
    if entry.score >= beta:
        return -2
    return -1 if cut_node else 0


cdef inline int reduction_of(FrameC* f, MoveC move, int history, int depth, int count,
                             bint is_pv, bint cut_node, bint improving,
                             MoveC table_move) noexcept nogil:
    """Step 15. Later moves are searched less deeply; all in 1024ths of a ply."""
    cdef int d = min(depth, 63), c = min(count, 63)
    cdef int reduction
    if is_quiet(move):
        reduction = QUIET_REDUCTIONS[d][c]
        if table_move != NULL_MOVE and not is_quiet(table_move):
            reduction += LMR_TABLE_CAPTURE
        if move == f.killer:
            reduction -= LMR_KILLER
        if bit(move_from(move)) & lesser_attacks(&f.threats, f.pos.squares[move_from(move)]):
            reduction -= LMR_FLIGHT
    else:
        reduction = CAPTURE_REDUCTIONS[d][c]
    reduction -= history * LMR_ONE // LMR_HISTORY_DIVISOR
    reduction -= min(f.correction * LMR_CORRECTION, LMR_CORRECTION_LIMIT)
    if is_pv:
        reduction -= LMR_PV
    if f.was_pv:
        reduction -= LMR_WAS_PV
    if cut_node:
        reduction += LMR_CUT_NODE
        if table_move == NULL_MOVE:
            reduction += LMR_NO_TABLE_MOVE
    if not improving:
        reduction += LMR_NOT_IMPROVING
    if f[1].pos.checkers:
        reduction -= LMR_CHECK
    if f[1].cutoffs > CUTOFFS_MANY:
        reduction += LMR_CUTOFFS
    return reduction


# ---- a node

cdef int negamax(ThreadC* t, FrameC* f, int alpha, int beta, int depth,
                 bint cut_node) noexcept nogil:
    cdef bint is_pv = beta - alpha > 1
    cdef bint is_root = f.ply == 0
    cdef bint in_check = f.pos.checkers != 0
    cdef bint improving
    cdef int first_alpha = alpha, best = -INFINITE, raw = NO_EVALUATION, evaluation, score = 0
    cdef int count = 0, quiet_count = 0, capture_count = 0
    cdef int extension, reduction, child_depth, multicut, lmr_depth, history
    cdef int bound, most = INFINITE
    cdef u64 nodes_before
    cdef MoveC move, best_move = NULL_MOVE
    cdef MoveC quiets[TRACKED_MOVES]
    cdef MoveC captures[TRACKED_MOVES]
    cdef EntryC entry
    cdef PickerC picker

    # Step 1. At the horizon, settle the captures.
    if depth <= 0:
        return quiesce(t, f, alpha, beta)

    # Step 2. Count the node; stop, or see a draw or a mate that cannot be bettered.
    f.pv_length = 0
    if must_stop(t):
        return 0
    count_node(t)
    if is_pv and f.ply > t.seldepth:
        t.seldepth = f.ply
    if not is_root:
        if is_draw(t, f):
            return draw_score(t)
        if f.ply >= MAX_PLY - 1:
            return 0 if in_check else node_evaluation(t, f)
        if alpha < 0 and can_repeat(t, f):
            alpha = draw_score(t)
            if alpha >= beta:
                return alpha
        alpha = max(alpha, mated_in(f.ply))
        beta = min(beta, -mated_in(f.ply + 1))
        if alpha >= beta:
            return alpha
        first_alpha = alpha

    # Step 3. What does the table know? The fifty-move rule is not in its keys. Near the horizon a
    # surprise, a cutoff where none was expected or none where one was, is looked at again.
    entry = probe_table(&t.shared.table, f.pos.key, f.ply)
    if is_root:
        entry.move = t.roots[t.pv_index].move if t.root_depth > 1 else NULL_MOVE
    if f.excluded == NULL_MOVE:
        f.was_pv = is_pv or (entry.found and entry.was_pv)
    if (not is_pv and f.excluded == NULL_MOVE and entry.found and entry.depth >= depth
            and bound_fits(entry.bound, entry.score, beta) and f.pos.rule50 < TABLE_RULE50
            and (depth > TABLE_SURPRISE_DEPTH or cut_node == (entry.score >= beta))):
        # What the table refutes the last move with is good to know elsewhere, too.
        if (entry.score >= beta and entry.move != NULL_MOVE and is_quiet(entry.move)
                and is_legal_move(&f.pos, entry.move)):
            find_threats(t, f)
            update_quiet(t, f, entry.move, history_bonus(depth))
        return entry.score

    # The entries of the first two moves that may follow are on their way from now on.
    if not is_pv and not in_check and depth >= NULL_DEPTH:
        prefetch_pass(&t.shared.table, &f.pos)
    if entry.move != NULL_MOVE:
        prefetch_child(&t.shared.table, &f.pos, entry.move)

    # Step 4. What do the tablebases know?
    if (t.shared.probing.tables != NULL and not is_root and f.excluded == NULL_MOVE
            and may_probe(t, f, depth)):
        bound = probe_node(t, f, &score)
        if bound_settles(bound, score, alpha, beta):
            store_entry(&t.shared.table, f.pos.key, f.ply, NULL_MOVE, score, NO_EVALUATION,
                        min(depth + TABLEBASE_DEPTH, MAX_PLY - 1), bound, f.was_pv)
            return score
        if is_pv and bound == LOWER_BOUND:
            best = score
            alpha = first_alpha = max(alpha, score)
        elif is_pv and bound == UPPER_BOUND:
            most = score

    # Step 5. The static evaluation, corrected by experience and by the table's bound.
    f[1].killer = NULL_MOVE
    f.correction = 0
    if in_check:
        f.static_eval = evaluation = NO_EVALUATION
        improving = False
    else:
        raw = known_evaluation(t, f, &entry)
        f.static_eval = evaluation = correct_evaluation(t, f, raw)
        f.correction = abs(f.static_eval - raw)
        if (entry.found and bound_fits(entry.bound, entry.score, evaluation)
                and not is_certain(entry.score)):
            evaluation = entry.score
        improving = is_improving(f)
        if f.excluded == NULL_MOVE:
            judge_move_before(t, f)
    f[2].cutoffs = 0
    if is_root:
        f[1].cutoffs = 0

    # Step 6. Now that the evaluation is known: was the move that led here reduced too much?
    if not in_check:
        depth += hindsight(f, depth)

    if not is_pv and not in_check and f.excluded == NULL_MOVE:
        # Step 7. Far below alpha near the horizon: only captures can help.
        if depth <= RAZOR_DEPTH and evaluation + RAZOR_BASE + RAZOR_STEP * depth * depth <= alpha:
            score = quiesce(t, f, alpha, alpha + 1)
            if score <= alpha:
                return score
        # Step 8. Far above beta: a quiet move will keep it there.
        if (depth <= REVERSE_FUTILITY_DEPTH and not f.was_pv and not is_certain(beta)
                and evaluation - reverse_futility(f, depth, improving) >= beta
                and (not improving or evaluation - reverse_futility(f, depth, False) >= beta
                     or not is_threatened(t, f))):
            return (evaluation + beta) // 2
        # Step 9. Null move.
        if (depth >= NULL_DEPTH and evaluation >= beta
                and f.static_eval >= beta + NULL_MARGIN_BASE - NULL_MARGIN_STEP * depth
                and (f - 1).move != NULL_MOVE and has_pieces(&f.pos) and f.ply >= t.null_guard
                and beta > -LEAST_WIN and not is_threatened(t, f)):
            score = try_null_move(t, f, beta, depth, evaluation, cut_node)
            if score > -INFINITE:
                return score
        # Step 10. ProbCut.
        if (depth >= PROBCUT_DEPTH and not is_certain(beta)
                and not (entry.found and entry.depth > depth - PROBCUT_REDUCTION
                         and entry.score < beta + PROBCUT_MARGIN)):
            score = try_probcut(t, f, beta, depth, entry.move, raw, cut_node)
            if score > -INFINITE:
                return score

    # Step 11. With no move to try first, or one that was found with little depth, a shallower search
    # now finds one for the next time.
    if ((is_pv or cut_node) and depth >= IIR_DEPTH
            and (entry.move == NULL_MOVE or entry.depth + IIR_STALE_DEPTH <= depth)
            and f.excluded == NULL_MOVE and not is_root):
        depth -= 1

    find_threats(t, f)
    start_picker(&picker, f, entry.move, f.killer, 0, False)
    while True:
        move = next_move(&picker, t, f)
        if move == NULL_MOVE:
            break
        if move == f.excluded or (is_root and not root_move_is_due(t, move)):
            continue
        count += 1
        extension = 0
        history = quiet_history(t, f, move) if is_quiet(move) else capture_entry(t, f, move)[0]
        if not is_root:
            # Step 12. Skip the hopeless, once something that is not a mate has been found.
            if best > -LEAST_WIN and has_pieces(&f.pos) and depth <= PRUNING_DEPTH:
                lmr_depth = depth_of_late(depth, count, history)
                if not is_quiet(move) or is_known_check(&picker, &f.pos, move):
                    if (loses_too_much(f, &picker, move, depth)
                            or gains_too_little(f, move, lmr_depth, history, alpha)):
                        continue
                elif quiets_are_hopeless(f, count, depth, lmr_depth, alpha, improving):
                    # Checks come first among the quiets: a killer before them does not end those.
                    picker.skip_quiets = picker.stage == STAGE_QUIETS
                    continue
                elif quiet_is_hopeless(f, move, depth, lmr_depth, history):
                    continue
            # Step 13. Extend the singular.
            if (depth >= SINGULAR_DEPTH and move == entry.move and f.excluded == NULL_MOVE
                    and entry.depth >= depth - SINGULAR_TABLE_DEPTH
                    and entry.bound & LOWER_BOUND
                    and not is_certain(entry.score) and f.ply < 2 * t.root_depth):
                extension = singular_extension(t, f, &entry, beta, depth, is_pv, cut_node,
                                               &multicut)
                if is_stopped(t):
                    return 0
                if multicut > -INFINITE:
                    return multicut

        # Step 14. Make the move.
        nodes_before = t.nodes
        go_down(t, f, move)
        f[1].double_extensions += extension == 2
        child_depth = depth - 1 + extension

        # Step 15. Late moves: first a reduced, then a full null-window search.
        if depth >= 2 and count > 1 + is_root:
            reduction = reduction_of(f, move, history, depth, count, is_pv, cut_node, improving,
                                     entry.move) // LMR_ONE
            reduction = max(min(reduction, child_depth - 1), 0)
            f.reduction = reduction
            score = -negamax(t, f + 1, -alpha - 1, -alpha, child_depth - reduction, True)
            f.reduction = 0
            if score > alpha and reduction > 0:
                # A clear surprise deserves a closer look, a narrow one less.
                child_depth += (score > best + DEEPER_MARGIN) - (score < best + SHALLOWER_MARGIN)
                score = -negamax(t, f + 1, -alpha - 1, -alpha, child_depth, not cut_node)
                if is_quiet(move) and not is_stopped(t):
                    update_continuations(
                        f, coloured(f.pos.squares[move_from(move)], f.pos.side), move_to(move),
                        history_bonus(depth) if score >= beta else
                        -history_malus(depth) if score <= alpha else 0)
        elif not is_pv or count > 1:
            score = -negamax(t, f + 1, -alpha - 1, -alpha, child_depth, not cut_node)

        # Step 16. The first move, and whatever beats it, with the full window.
        if is_pv and (count == 1 or score > alpha):
            score = -negamax(t, f + 1, -beta, -alpha, child_depth, False)
        if is_stopped(t):
            return 0

        # Step 17. Keep the best.
        if is_root:
            note_root_move(t, f, move, score, alpha, beta, count, t.nodes - nodes_before)
        if score > best:
            best = score
            if score > alpha:
                alpha = score
                best_move = move
                if is_pv and not is_root:
                    f.pv_length = write_pv(f.pv, f, move)
                if score >= beta:
                    f.cutoffs += 1
                    break
                # The others have to beat an exact score: less depth shows whether they might.
                if RAISED_LEAST_DEPTH <= depth <= RAISED_MOST_DEPTH and not is_certain(score):
                    depth -= 1
        if move != best_move:
            if is_quiet(move):
                if quiet_count < TRACKED_MOVES:
                    quiets[quiet_count] = move
                    quiet_count += 1
            elif capture_count < TRACKED_MOVES:
                captures[capture_count] = move
                capture_count += 1

    # Step 18. No legal move: mate or stalemate (or only the excluded one).
    if count == 0:
        if f.excluded != NULL_MOVE:
            return alpha
        return mated_in(f.ply) if in_check else 0

    # Step 19. Learn from it and remember it.
    best = min(best, most)
    if best <= first_alpha and (f - 1).was_pv:
        f.was_pv = True
    if best <= first_alpha and f.excluded == NULL_MOVE:
        credit_move_before(t, f, depth)
    if best >= beta:
        update_histories(t, f, best_move, quiets, quiet_count, captures, capture_count, depth)
    if f.excluded == NULL_MOVE and not (is_root and t.pv_index > 0):
        store_entry(&t.shared.table, f.pos.key, f.ply, best_move, best, raw, depth,
                    LOWER_BOUND if best >= beta else (EXACT if best > first_alpha and is_pv
                                                      else UPPER_BOUND), f.was_pv)
        if (not in_check and (best_move == NULL_MOVE or is_quiet(best_move))
                and not is_certain(best)
                and not (best >= beta and best <= f.static_eval)
                and not (best_move == NULL_MOVE and best >= f.static_eval)):
            update_corrections(t, f, best - f.static_eval, depth)
    return best


cdef inline bint is_improving(FrameC* f) noexcept nogil:
    """Is the evaluation better than when this side moved last?"""
    if (f - 2).static_eval != NO_EVALUATION:
        return f.static_eval > (f - 2).static_eval
    if (f - 4).static_eval != NO_EVALUATION:
        return f.static_eval > (f - 4).static_eval
    return True
