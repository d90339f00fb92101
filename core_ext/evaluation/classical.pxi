# The classical evaluation: a sum of features times weights, for the middlegame and the endgame,
# blended by the material left.
#
# It is written once and used twice. The search calls it with `tracing` false, a constant that the
# compiler folds away; the tuner calls it with `tracing` true and gets the count of every feature.

cdef int[WEIGHT_COUNT] WEIGHTS  # both halves of a weight in one number: added and scaled at once


cdef void pack_weights(const int* pairs) noexcept nogil:
    cdef int index
    for index in range(WEIGHT_COUNT):
        WEIGHTS[index] = pairs[2 * index] + pairs[2 * index + 1] * 65536


pack_weights(WEIGHT_PAIRS)

cdef struct TraceC:
    int16_t counts[2][WEIGHT_COUNT]  # of each side
    int phase
    int scale
    int known_win                    # what is added for a won ending, from White's side

cdef struct EvaluationC:
    const PositionC* pos
    TraceC* trace
    u64 pawn_attacks[2]
    u64 attacked[2]        # by anything
    u64 attacked_twice[2]
    u64 attacked_by[2][6]
    u64 mobility_area[2]
    u64 king_zone[2]
    int king[2]
    int attackers[2]       # on the enemy king's zone
    int attack_units[2]
    u64 passed

# Pawn structure changes seldom, so its score is remembered by the pawns' key.
cdef struct PawnEntryC:
    u64 key
    u64 passed
    int score
    int unused

cdef enum:
    PAWN_CACHE_SIZE = 8192
    FULL_PHASE = 24

cdef int[7] ATTACK_UNITS
ATTACK_UNITS[:] = [0, 3, 2, 4, 5, 0, 0]


cdef inline int middlegame(int score) noexcept nogil:
    return <int16_t>(score & 0xFFFF)


cdef inline int endgame(int score) noexcept nogil:
    return (score + 0x8000) >> 16


cdef inline int feature(EvaluationC* e, int index, int count, int us, bint tracing) noexcept nogil:
    """One feature's part of the score; both halves of the packed weight at once."""
    if tracing:
        e.trace.counts[us][index] += <int16_t>count
    return WEIGHTS[index] * count


cdef inline void add_attacks(EvaluationC* e, int us, int piece, u64 attacks) noexcept nogil:
    e.attacked_twice[us] |= e.attacked[us] & attacks
    e.attacked[us] |= attacks
    e.attacked_by[us][piece] |= attacks


# ---- pawns

cdef inline int evaluate_pawn(EvaluationC* e, int square, int us, bint tracing) noexcept nogil:
    cdef const PositionC* pos = e.pos
    cdef u64 own = pos.pieces[PAWN] & pos.colours[us]
    cdef u64 enemy = pos.pieces[PAWN] & pos.colours[us ^ 1]
    cdef int rank = relative_rank(square, us)
    cdef int file = file_of(square)
    cdef u64 support = PAWN_ATTACKS[us ^ 1][square] & own
    cdef u64 phalanx = NEAR_FILES[file] & (RANK_1 << (square & 56)) & own
    cdef int stop = square + 8 if us == WHITE else square - 8
    cdef int score = feature(e, W_MATERIAL + PAWN, 1, us, tracing)
    score += feature(e, W_SQUARES + 32 * PAWN + half_square(square, us), 1, us, tracing)
    if FRONT_SPAN[us][square] & own:
        score += feature(e, W_DOUBLED, 1, us, tracing)
    if not NEAR_FILES[file] & own:
        score += feature(e, W_ISOLATED, 1, us, tracing)
        if not FRONT_SPAN[us][square] & enemy:
            score += feature(e, W_ISOLATED_OPEN, 1, us, tracing)
    elif not SUPPORT_SPAN[us][square] & own and PAWN_ATTACKS[us][stop] & enemy:
        score += feature(e, W_BACKWARD, 1, us, tracing)
    if support:
        score += feature(e, W_SUPPORTED + rank, 1, us, tracing)
    if phalanx:
        score += feature(e, W_PHALANX + rank, 1, us, tracing)
    if not (PASSED_SPAN[us][square] & enemy or FRONT_SPAN[us][square] & own):
        e.passed |= bit(square)
    elif not FRONT_SPAN[us][square] & enemy:
        if popcount(SUPPORT_SPAN[us][square] & own) >= popcount(PASSED_SPAN[us][square] & enemy):
            score += feature(e, W_CANDIDATE + rank, 1, us, tracing)
    return score


cdef inline int evaluate_pawns(EvaluationC* e, bint tracing) noexcept nogil:
    cdef u64 left = e.pos.pieces[PAWN]
    cdef int score = 0, square
    e.passed = 0
    while left:
        square = pop_lowest(&left)
        if e.pos.colours[WHITE] & bit(square):
            score += evaluate_pawn(e, square, WHITE, tracing)
        else:
            score -= evaluate_pawn(e, square, BLACK, tracing)
    return score


cdef void clear_pawn_cache(PawnEntryC* cache) noexcept nogil:
    memset(cache, 0, PAWN_CACHE_SIZE * sizeof(PawnEntryC))
    cache[0].key = 1  # the key of no pawns is zero: that entry must not look filled


cdef PawnEntryC* new_pawn_cache() noexcept nogil:
    cdef PawnEntryC* cache = <PawnEntryC*>malloc(PAWN_CACHE_SIZE * sizeof(PawnEntryC))
    if cache != NULL:
        clear_pawn_cache(cache)
    return cache


cdef inline int cached_pawns(EvaluationC* e, PawnEntryC* cache) noexcept nogil:
    cdef PawnEntryC* entry = &cache[e.pos.pawn_key & (PAWN_CACHE_SIZE - 1)]
    if entry.key != e.pos.pawn_key:
        entry.score = evaluate_pawns(e, False)
        entry.passed = e.passed
        entry.key = e.pos.pawn_key
    e.passed = entry.passed
    return entry.score


cdef inline int evaluate_passed(EvaluationC* e, int us, bint tracing) noexcept nogil:
    cdef u64 left = e.passed & e.pos.colours[us]
    cdef u64 path
    cdef int score = 0, square, rank, stop, them = us ^ 1
    while left:
        square = pop_lowest(&left)
        rank = relative_rank(square, us)
        stop = square + 8 if us == WHITE else square - 8
        score += feature(e, W_PASSED + rank, 1, us, tracing)
        if rank < 3:
            continue
        score += feature(e, W_PASSED_OWN_KING + rank, DISTANCE[e.king[us]][stop], us, tracing)
        score += feature(e, W_PASSED_ENEMY_KING + rank, DISTANCE[e.king[them]][stop], us, tracing)
        path = FRONT_SPAN[us][square]
        if occupied(e.pos) & bit(stop):
            score += feature(e, W_PASSED_BLOCKED + rank, 1, us, tracing)
        elif not path & (e.attacked[them] | e.pos.colours[them]):
            score += feature(e, W_PASSED_FREE + rank, 1, us, tracing)
        elif not e.attacked[them] & bit(stop):
            score += feature(e, W_PASSED_SAFE_STEP + rank, 1, us, tracing)
        if e.attacked[us] & bit(stop):
            score += feature(e, W_PASSED_DEFENDED + rank, 1, us, tracing)
    return score


# ---- pieces

cdef inline int evaluate_minor(EvaluationC* e, int piece, int square, int us,
                               bint tracing) noexcept nogil:
    cdef const PositionC* pos = e.pos
    cdef u64 own_pawns = pos.pieces[PAWN] & pos.colours[us]
    cdef u64 enemy_pawns = pos.pieces[PAWN] & pos.colours[us ^ 1]
    cdef u64 same_colour
    cdef int score = 0
    if (3 <= relative_rank(square, us) <= 5 and e.pawn_attacks[us] & bit(square)
            and not PASSED_SPAN[us][square] & ~FRONT_SPAN[us][square] & enemy_pawns):
        score += feature(e, W_OUTPOST + (piece == BISHOP), 1, us, tracing)
    if forward(bit(square), us) & pos.pieces[PAWN]:
        score += feature(e, W_BEHIND_PAWN, 1, us, tracing)
    score += feature(e, W_MINOR_KING_DISTANCE + (piece == BISHOP), DISTANCE[square][e.king[us]],
                     us, tracing)
    if piece == BISHOP:
        same_colour = DARK_SQUARES if DARK_SQUARES & bit(square) else ~DARK_SQUARES
        score += feature(e, W_BISHOP_PAWNS, popcount(own_pawns & same_colour), us, tracing)
    return score


cdef inline int evaluate_rook(EvaluationC* e, int square, int us, bint tracing) noexcept nogil:
    cdef const PositionC* pos = e.pos
    cdef u64 file = FILES[file_of(square)]
    cdef int score = 0
    if not file & pos.pieces[PAWN] & pos.colours[us]:
        score += feature(e, W_ROOK_FILE + (file & pos.pieces[PAWN] == 0), 1, us, tracing)
    if relative_rank(square, us) == 6 and relative_rank(e.king[us ^ 1], us) >= 6:
        score += feature(e, W_ROOK_SEVENTH, 1, us, tracing)
    return score


cdef inline int evaluate_piece(EvaluationC* e, int piece, int square, u64 blockers, int us,
                               bint tracing) noexcept nogil:
    """Material, square, mobility, and pressure on the enemy king of a knight to queen."""
    cdef u64 attacks = piece_attacks(piece, square, blockers)
    cdef u64 pins = e.pos.pin_orthogonal | e.pos.pin_diagonal
    cdef u64 pressure
    cdef int score, mobility
    if pins & bit(square) and us == e.pos.side:
        attacks &= pins
    add_attacks(e, us, piece, attacks)
    mobility = popcount(attacks & e.mobility_area[us])
    pressure = attacks & e.king_zone[us ^ 1]
    if pressure:
        e.attackers[us] += 1
        e.attack_units[us] += ATTACK_UNITS[piece] + popcount(pressure)
    score = feature(e, W_MATERIAL + piece, 1, us, tracing)
    score += feature(e, W_SQUARES + 32 * piece + half_square(square, us), 1, us, tracing)
    if piece == KNIGHT:
        score += feature(e, W_MOBILITY_KNIGHT + mobility, 1, us, tracing)
    elif piece == BISHOP:
        score += feature(e, W_MOBILITY_BISHOP + mobility, 1, us, tracing)
    elif piece == ROOK:
        score += feature(e, W_MOBILITY_ROOK + mobility, 1, us, tracing)
    else:
        score += feature(e, W_MOBILITY_QUEEN + mobility, 1, us, tracing)
    if piece == KNIGHT or piece == BISHOP:
        score += evaluate_minor(e, piece, square, us, tracing)
    elif piece == ROOK:
        score += evaluate_rook(e, square, us, tracing)
    return score


cdef inline int evaluate_kind(EvaluationC* e, int piece, u64 blockers, int us,
                              bint tracing) noexcept nogil:
    cdef u64 left = e.pos.pieces[piece] & e.pos.colours[us]
    cdef int score = 0
    while left:
        score += evaluate_piece(e, piece, pop_lowest(&left), blockers, us, tracing)
    return score


cdef inline int evaluate_pieces(EvaluationC* e, int us, bint tracing) noexcept nogil:
    """Sliders look through own queens (and rooks through rooks): batteries count."""
    cdef const PositionC* pos = e.pos
    cdef u64 own = pos.colours[us]
    cdef u64 all_pieces = occupied(pos)
    cdef int score = evaluate_kind(e, KNIGHT, all_pieces, us, tracing)
    score += evaluate_kind(e, BISHOP, all_pieces ^ (pos.pieces[QUEEN] & own), us, tracing)
    score += evaluate_kind(e, ROOK, all_pieces ^ ((pos.pieces[QUEEN] | pos.pieces[ROOK]) & own),
                           us, tracing)
    score += evaluate_kind(e, QUEEN, all_pieces, us, tracing)
    if several(pos.pieces[BISHOP] & own):
        score += feature(e, W_BISHOP_PAIR, 1, us, tracing)
    return score


# ---- king

cdef inline int nearest_rank(u64 pawns, int us) noexcept nogil:
    """The rank of the pawn nearest to one's own side, as that side counts; 0 without one."""
    if pawns == 0:
        return 0
    return relative_rank(lowest(pawns) if us == WHITE else highest(pawns), us)


cdef inline int evaluate_shelter(EvaluationC* e, int us, bint tracing) noexcept nogil:
    """Own pawns in front of the king, and enemy pawns that come for it, on three files."""
    cdef const PositionC* pos = e.pos
    cdef int king = e.king[us]
    cdef int centre = min(max(file_of(king), 1), 6)
    cdef u64 behind = (ALL_SQUARES << (king & 56) << 8) if us == BLACK else bit(king & 56) - 1
    cdef u64 ahead = ~behind
    cdef u64 own = pos.pieces[PAWN] & pos.colours[us] & ahead
    cdef u64 enemy = pos.pieces[PAWN] & pos.colours[us ^ 1] & ahead
    cdef int score = 0, file, first
    for file in range(centre - 1, centre + 2):
        first = 8 * min(file, 7 - file)
        score += feature(e, W_SHELTER + first + nearest_rank(own & FILES[file], us), 1, us,
                         tracing)
        score += feature(e, W_STORM + first + nearest_rank(enemy & FILES[file], us), 1, us,
                         tracing)
    return score


cdef inline int safe_checks(EvaluationC* e, int piece, u64 reach, u64 safe, int us,
                            bint tracing) noexcept nogil:
    cdef u64 checks = reach & e.attacked_by[us ^ 1][piece] & safe
    if not checks:
        return 0
    return feature(e, W_SAFE_CHECK + piece + 6 * several(checks), 1, us ^ 1, tracing)


cdef inline int evaluate_king(EvaluationC* e, int us, bint tracing) noexcept nogil:
    """The king's square and shelter, less what the enemy has got going against it."""
    cdef const PositionC* pos = e.pos
    cdef int them = us ^ 1
    cdef int king = e.king[us]
    cdef u64 blockers = occupied(pos) ^ (pos.pieces[QUEEN] & pos.colours[us])
    cdef u64 weak, safe, diagonal, orthogonal
    cdef int units
    cdef int score = feature(e, W_KING_SQUARES + relative_square(king, us), 1, us, tracing)
    score += evaluate_shelter(e, us, tracing)

    weak = e.attacked[them] & ~e.attacked_twice[us] & (
        ~e.attacked[us] | e.attacked_by[us][KING] | e.attacked_by[us][QUEEN])
    safe = ~pos.colours[them] & (~e.attacked[us] | (weak & e.attacked_twice[them]))
    diagonal = bishop_attacks(king, blockers)
    orthogonal = rook_attacks(king, blockers)
    score -= safe_checks(e, KNIGHT, KNIGHT_ATTACKS[king], safe, us, tracing)
    score -= safe_checks(e, BISHOP, diagonal, safe, us, tracing)
    score -= safe_checks(e, ROOK, orthogonal, safe, us, tracing)
    score -= safe_checks(e, QUEEN, diagonal | orthogonal,
                         safe & ~e.attacked_by[us][QUEEN], us, tracing)
    if e.attackers[them] >= 2 or (e.attackers[them] and e.pos.pieces[QUEEN] & pos.colours[them]):
        units = e.attack_units[them] + 2 * popcount(weak & e.king_zone[us])
        score -= feature(e, W_KING_ATTACK + min(units, KING_ATTACK_STEPS - 1), 1, them, tracing)
    return score


# ---- threats and space

cdef inline int count_threats(EvaluationC* e, int index, u64 attacks, int us,
                              bint tracing) noexcept nogil:
    """A feature for each kind of enemy piece that is attacked."""
    cdef u64 victims = attacks & e.pos.colours[us ^ 1]
    cdef int piece, score = 0
    for piece in range(KNIGHT, KING):
        if victims & e.pos.pieces[piece]:
            score += feature(e, index + piece, popcount(victims & e.pos.pieces[piece]), us,
                             tracing)
    return score


cdef inline int evaluate_threats(EvaluationC* e, int us, bint tracing) noexcept nogil:
    cdef const PositionC* pos = e.pos
    cdef int them = us ^ 1
    cdef u64 enemies = pos.colours[them] & ~pos.pieces[KING]
    cdef u64 pieces = enemies & ~pos.pieces[PAWN]
    cdef u64 defended = e.attacked_twice[them] | e.pawn_attacks[them]
    cdef u64 weak = e.attacked[us] & ~defended
    cdef u64 pushes
    cdef int score = count_threats(e, W_THREAT_BY_PAWN, e.pawn_attacks[us], us, tracing)
    score += count_threats(e, W_THREAT_BY_MINOR,
                           e.attacked_by[us][KNIGHT] | e.attacked_by[us][BISHOP], us, tracing)
    score += count_threats(e, W_THREAT_BY_ROOK, e.attacked_by[us][ROOK], us, tracing)
    score += feature(e, W_HANGING, popcount(enemies & e.attacked[us] & ~e.attacked[them]), us,
                     tracing)
    score += feature(e, W_WEAK, popcount(pieces & weak & e.attacked[them]), us, tracing)
    if e.attacked_by[us][KING] & weak & enemies:
        score += feature(e, W_THREAT_BY_KING, 1, us, tracing)
    pushes = forward(pos.pieces[PAWN] & pos.colours[us], us) & ~occupied(pos)
    pushes |= forward(pushes & (RANK_3 if us == WHITE else RANK_6), us) & ~occupied(pos)
    pushes &= ~e.pawn_attacks[them] & (e.attacked[us] | ~e.attacked[them])
    pushes = (forward_west(pushes, us) | forward_east(pushes, us)) & pieces
    score += feature(e, W_PUSH_THREAT, popcount(pushes), us, tracing)
    return score


cdef inline int evaluate_space(EvaluationC* e, int us, bint tracing) noexcept nogil:
    """Safe squares behind and between the pawns in the centre."""
    cdef u64 centre = 0x3C3C3C00ULL if us == WHITE else 0x003C3C3C00000000ULL
    cdef u64 free = centre & ~(e.pos.pieces[PAWN] & e.pos.colours[us]) & ~e.pawn_attacks[us ^ 1]
    return feature(e, W_SPACE, popcount(free), us, tracing)


# ---- the whole

cdef inline void prepare_side(EvaluationC* e, int us) noexcept nogil:
    cdef const PositionC* pos = e.pos
    cdef u64 pawns = pos.pieces[PAWN] & pos.colours[us]
    cdef u64 enemy_pawns = pos.pieces[PAWN] & pos.colours[us ^ 1]
    cdef u64 stuck = pawns & (forward(occupied(pos), us ^ 1)
                              | (RANK_3 >> 8 if us == WHITE else RANK_6 << 8))
    cdef u64 west = forward_west(pawns, us), east = forward_east(pawns, us)
    e.king[us] = king_square(pos, us)
    e.pawn_attacks[us] = west | east
    e.attacked[us] = west | east
    e.attacked_twice[us] = west & east
    e.attacked_by[us][KNIGHT] = e.attacked_by[us][BISHOP] = 0
    e.attacked_by[us][ROOK] = e.attacked_by[us][QUEEN] = e.attacked_by[us][KING] = 0
    add_attacks(e, us, KING, KING_ATTACKS[e.king[us]])
    e.mobility_area[us] = ~(stuck | bit(e.king[us]) | forward_west(enemy_pawns, us ^ 1)
                            | forward_east(enemy_pawns, us ^ 1))
    e.king_zone[us] = KING_ATTACKS[e.king[us]] | bit(e.king[us])
    e.king_zone[us] |= forward(e.king_zone[us], us)
    e.attackers[us] = e.attack_units[us] = 0


cdef inline int game_phase(const PositionC* pos) noexcept nogil:
    return min(FULL_PHASE, popcount(pos.pieces[KNIGHT] | pos.pieces[BISHOP])
               + 2 * popcount(pos.pieces[ROOK]) + 4 * popcount(pos.pieces[QUEEN]))


cdef inline int evaluate_terms(EvaluationC* e, PawnEntryC* cache, bint tracing) noexcept nogil:
    """The packed score from White's side."""
    cdef int score
    if tracing:
        score = evaluate_pawns(e, True)
    else:
        score = cached_pawns(e, cache)
    prepare_side(e, WHITE)
    prepare_side(e, BLACK)
    score += evaluate_pieces(e, WHITE, tracing) - evaluate_pieces(e, BLACK, tracing)
    score += evaluate_king(e, WHITE, tracing) - evaluate_king(e, BLACK, tracing)
    score += evaluate_threats(e, WHITE, tracing) - evaluate_threats(e, BLACK, tracing)
    score += evaluate_passed(e, WHITE, tracing) - evaluate_passed(e, BLACK, tracing)
    score += evaluate_space(e, WHITE, tracing) - evaluate_space(e, BLACK, tracing)
    if e.pos.side == WHITE:
        score += feature(e, W_TEMPO, 1, WHITE, tracing)
    else:
        score -= feature(e, W_TEMPO, 1, BLACK, tracing)
    return score


cdef inline int middlegame_share(int phase, int scale) noexcept nogil:
    """Out of FULL_PHASE. Where nothing can be won, nothing of the middlegame can be, either."""
    return phase if scale != NO_SCALE else 0


cdef inline int endgame_share(int phase, int scale) noexcept nogil:
    """Out of FULL_PHASE * FULL_SCALE."""
    return (FULL_PHASE - phase) * scale


cdef inline int blend(int score, int phase, int scale) noexcept nogil:
    return (middlegame(score) * middlegame_share(phase, scale)
            + endgame(score) * endgame_share(phase, scale) // FULL_SCALE) // FULL_PHASE


cdef int evaluate_classically(const PositionC* pos, PawnEntryC* cache) noexcept nogil:
    """Centipawns from the side to move."""
    cdef EvaluationC e
    cdef int score
    e.pos = pos
    score = evaluate_terms(&e, cache, False)
    score = blend(score, game_phase(pos), endgame_scale(pos, endgame(score)))
    score += known_win(pos)
    return score if pos.side == WHITE else -score


cdef void trace_evaluation(const PositionC* pos, TraceC* trace) noexcept nogil:
    """The count of every feature, for the tuner."""
    cdef EvaluationC e
    cdef int score
    memset(trace, 0, sizeof(TraceC))
    e.pos = pos
    e.trace = trace
    score = evaluate_terms(&e, NULL, True)
    trace.phase = game_phase(pos)
    trace.scale = endgame_scale(pos, endgame(score))
    trace.known_win = known_win(pos)
