# The one door to evaluation: a thread's evaluator gives the value of a position, whatever makes it.
#
# It keeps what its evaluation remembers: the pawn structures of the classical one; for the network an
# accumulator for each ply of the variation that is being searched, and the last one of each view with
# the king on each half of the board, from which a new half is begun.

cdef enum:
    MOST_LOOKBACK = 8      # plies: beyond them the last accumulator of the same half is as near

cdef struct EvaluatorC:
    const NetworkC* network  # NULL for the classical evaluation
    int points               # or one of the evaluations of points.pxi, which goes before both
    PawnEntryC* pawns
    int16_t* sums            # the memory of all views
    ViewC views[MAX_PLY + 1][2]
    MenC men[MAX_PLY + 1]    # where the views are ready
    AttacksC attacks[MAX_PLY + 1][2]  # there, too, if the network sees danger
    MenC latest_men[2][2]    # by view and half
    int16_t* latest_sums[2][2]


cdef void free_evaluator(EvaluatorC* e) noexcept nogil:
    if e != NULL:
        free(e.pawns)
        free(e.sums)
        free(e)


cdef void forget_views(EvaluatorC* e) noexcept nogil:
    """Begin again from the empty board."""
    cdef int view, half
    memset(e.latest_men, 0, sizeof(e.latest_men))
    for view in range(2):
        for half in range(2):
            memcpy(e.latest_sums[view][half], e.network.input_biases,
                   e.network.hidden * sizeof(int16_t))


cdef EvaluatorC* new_evaluator(const NetworkC* network) noexcept nogil:
    """NULL without memory. With no network it is the classical evaluation's."""
    cdef EvaluatorC* e = <EvaluatorC*>calloc(1, sizeof(EvaluatorC))
    cdef int16_t* sums
    cdef int ply, view, half
    if e == NULL:
        return NULL
    e.network = network
    e.pawns = new_pawn_cache()
    if e.pawns == NULL:
        free_evaluator(e)
        return NULL
    if network == NULL:
        return e
    sums = <int16_t*>aligned_alloc(
        64, (2 * (MAX_PLY + 1) + 4) * network.hidden * sizeof(int16_t))
    if sums == NULL:
        free_evaluator(e)
        return NULL
    e.sums = sums
    for view in range(2):
        for ply in range(MAX_PLY + 1):
            e.views[ply][view].sums = sums
            sums += network.hidden
        for half in range(2):
            e.latest_sums[view][half] = sums
            sums += network.hidden
    forget_views(e)
    return e


cdef void clear_evaluator(EvaluatorC* e) noexcept nogil:
    clear_pawn_cache(e.pawns)


cdef inline void enter_ply(EvaluatorC* e, int ply) noexcept nogil:
    """A new position stands here, in place of the one before it."""
    e.views[ply][WHITE].is_ready = e.views[ply][BLACK].is_ready = False


cdef inline int nearest_ply(const EvaluatorC* e, int ply, int view, int flip) noexcept nogil:
    """The nearest one above that has an accumulator of this view; -1 if none is near."""
    cdef int above
    for above in range(ply - 1, max(ply - MOST_LOOKBACK, 0) - 1, -1):
        if e.views[above][view].is_ready and e.views[above][view].flip == flip:
            return above
    return -1


cdef inline void find_views(EvaluatorC* e, const PositionC* pos, int ply, int hidden) noexcept nogil:
    """Make the accumulators of a ply: from the nearest ply above that has them, else from the latest
    ones with the king on this half."""
    cdef u64 in_danger = 0
    cdef ChangesC changes
    cdef int view, flip, half, above, listed = -1
    cdef const int16_t* source
    if e.network.sees_danger:
        in_danger = men_in_danger(pos.pieces, e.attacks[ply])
    note_men(&e.men[ply], pos, in_danger)
    for view in range(2):
        flip = view_flip(view, king_square(pos, view))
        half = (flip & 7) != 0
        above = nearest_ply(e, ply, view, flip)
        if above < 0:
            source = e.latest_sums[view][half]
            list_changes(&changes, &e.latest_men[view][half], &e.men[ply])
        else:
            source = e.views[above][view].sums
            if above != listed:
                list_changes(&changes, &e.men[above], &e.men[ply])
        listed = above
        derive_view(e.network, &e.views[ply][view], source, &changes, view, flip, hidden)
        if above < 0:
            e.latest_men[view][half] = e.men[ply]
            memcpy(e.latest_sums[view][half], e.views[ply][view].sums, hidden * sizeof(int16_t))


cdef inline AttacksC attacks_at(const EvaluatorC* e, const PositionC* pos, int ply,
                                int colour) noexcept nogil:
    """What a colour attacks, which the network may have found already."""
    cdef AttacksC found
    if e.network != NULL and e.network.sees_danger and e.views[ply][WHITE].is_ready:
        if DEBUG_BUILD:
            found = layered_attacks(pos.pieces, colour, occupied(pos))
            if memcmp(&found, &e.attacks[ply][colour], sizeof(found)) != 0:
                stop_inconsistent("attacks", pos)
        return e.attacks[ply][colour]
    return layered_attacks(pos.pieces, colour, occupied(pos))


cdef void verify_views(EvaluatorC* e, const PositionC* pos, int ply) noexcept nogil:
    """For the debug build: an accumulator that is not the one from scratch ends the program."""
    cdef int16_t fresh[MOST_UNITS]
    cdef int view, flip, unit, index, count
    cdef u16 men[MOST_ROWS]
    cdef AttacksC attacks[2]
    cdef u64 in_danger = men_in_danger(pos.pieces, attacks) if e.network.sees_danger else 0
    count = list_men(men, 0, occupied(pos), pos.squares, pos.colours[BLACK], False)
    count = list_men(men, count, in_danger, pos.squares, pos.colours[BLACK], True)
    for view in range(2):
        flip = view_flip(view, king_square(pos, view))
        for unit in range(e.network.hidden):
            fresh[unit] = e.network.input_biases[unit]
            for index in range(count):
                fresh[unit] += e.network.input_weights[
                    input_index(men[index], view, flip) * e.network.hidden + unit]
        if memcmp(fresh, e.views[ply][view].sums, e.network.hidden * sizeof(int16_t)) != 0:
            stop_inconsistent("accumulator", pos)


cdef inline int evaluate_by_network(EvaluatorC* e, const PositionC* pos, int ply,
                                    int hidden) noexcept nogil:
    if not e.views[ply][WHITE].is_ready:
        find_views(e, pos, ply, hidden)
    if DEBUG_BUILD:
        verify_views(e, pos, ply)
    return read_output(e.network, e.views[ply][pos.side].sums, e.views[ply][pos.side ^ 1].sums,
                       popcount(occupied(pos)), hidden)


cdef int evaluate(EvaluatorC* e, const PositionC* pos, int ply) noexcept nogil:
    """Centipawns from the side to move; `ply` says where the position stands in the variation."""
    cdef int score
    if e.points != NO_POINTS:
        return evaluate_points(pos, e.points)
    if e.network == NULL:
        score = evaluate_classically(pos, e.pawns)
    # The usual sizes are constants to the compiler.
    elif e.network.hidden == 128:
        score = evaluate_by_network(e, pos, ply, 128)
    elif e.network.hidden == 256:
        score = evaluate_by_network(e, pos, ply, 256)
    elif e.network.hidden == 512:
        score = evaluate_by_network(e, pos, ply, 512)
    else:
        score = evaluate_by_network(e, pos, ply, e.network.hidden)
    if e.network != NULL and not e.network.stands_alone:
        score = apply_ending(pos, score)
    return min(max(score, -LARGEST_EVALUATION), LARGEST_EVALUATION)


cdef inline int evaluate_alone(EvaluatorC* e, const PositionC* pos) noexcept nogil:
    """A position that stands in no variation."""
    enter_ply(e, 0)
    return evaluate(e, pos, 0)
