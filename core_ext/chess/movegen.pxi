# Legal move generation. Every move that comes out is legal: pins, checks and the king's danger are
# masks applied to whole sets of target squares, so nothing is made and tested afterwards.
#
# There is one generator. Its last three arguments are constants wherever it is called, and as
# everything here is inlined the C compiler makes of it a generator or a counter for each colour.

cdef enum:
    NOISY = 1   # captures and promotions
    QUIETS = 2  # all the others
    ALL_MOVES = 3


cdef inline MoveC* add_moves(MoveC* list, int origin, u64 targets, int kind) noexcept nogil:
    while targets:
        list[0] = encode_move(origin, pop_lowest(&targets), kind)
        list += 1
    return list


cdef inline MoveC* add_pawn_moves(MoveC* list, u64 targets, int step, int kind) noexcept nogil:
    """Pawn moves by target square; every pawn has come the same step."""
    cdef int target
    while targets:
        target = pop_lowest(&targets)
        list[0] = encode_move(target - step, target, kind)
        list += 1
    return list


cdef inline MoveC* add_promotions(MoveC* list, u64 targets, int step, int kind) noexcept nogil:
    cdef int target, piece
    while targets:
        target = pop_lowest(&targets)
        for piece in range(3, -1, -1):  # the queen first
            list[0] = encode_move(target - step, target, kind + piece)
            list += 1
    return list


cdef inline MoveC* add_piece_moves(MoveC* list, int origin, u64 targets, u64 enemies, int* count,
                                  int wanted, bint counting) noexcept nogil:
    if counting:
        count[0] += popcount(targets)
        return list
    if wanted & NOISY:
        list = add_moves(list, origin, targets & enemies, CAPTURE)
    if wanted & QUIETS:
        list = add_moves(list, origin, targets & ~enemies, QUIET)
    return list


cdef inline bint castling_is_legal(const PositionC* pos, int us, int king, int rook,
                                   u64 danger) noexcept nogil:
    """The king is not in check. A pinned rook is the one that would lay its king bare by leaving
    the back rank's outer side, which only Chess960 knows."""
    cdef int king_target = castled_king(us, rook > king)
    cdef int rook_target = castled_rook(us, rook > king)
    cdef u64 king_path = BETWEEN[king][king_target] | bit(king_target)
    cdef u64 rook_path = BETWEEN[rook][rook_target] | bit(rook_target)
    cdef u64 others = occupied(pos) ^ bit(king) ^ bit(rook)
    return not ((others & (king_path | rook_path)) | (danger & king_path)
                | (pos.pin_orthogonal & bit(rook)))


cdef inline MoveC* add_pawns(MoveC* list, const PositionC* pos, u64 check_mask, int* count,
                            int us, int wanted, bint counting) noexcept nogil:
    cdef int up = 8 if us == WHITE else -8
    cdef u64 empty = ~occupied(pos)
    cdef u64 goals = pos.colours[us ^ 1] & check_mask
    cdef u64 last_rank = back_rank(us ^ 1)
    cdef u64 pawns = pos.pieces[PAWN] & pos.colours[us]
    cdef u64 free, pinned, single, double, west, east, candidates
    cdef int origin

    # A pawn pinned on a file may push along it, one pinned on a diagonal may capture along it.
    free = pawns & ~pos.pin_diagonal
    pinned = free & pos.pin_orthogonal
    single = (forward(free ^ pinned, us) | (forward(pinned, us) & pos.pin_orthogonal)) & empty
    double = forward(single & (RANK_3 if us == WHITE else RANK_6), us) & empty & check_mask
    single &= check_mask
    free = pawns & ~pos.pin_orthogonal
    pinned = free & pos.pin_diagonal
    free ^= pinned
    west = (forward_west(free, us) | (forward_west(pinned, us) & pos.pin_diagonal)) & goals
    east = (forward_east(free, us) | (forward_east(pinned, us) & pos.pin_diagonal)) & goals

    if counting:
        count[0] += popcount(single) + popcount(double) + popcount(west) + popcount(east)
        if (single | west | east) & last_rank:
            count[0] += 3 * (popcount(single & last_rank) + popcount(west & last_rank)
                             + popcount(east & last_rank))
    else:
        if wanted & NOISY:
            if (single | west | east) & last_rank:
                list = add_promotions(list, west & last_rank, up - 1, PROMOTION | CAPTURE)
                list = add_promotions(list, east & last_rank, up + 1, PROMOTION | CAPTURE)
                list = add_promotions(list, single & last_rank, up, PROMOTION)
            list = add_pawn_moves(list, west & ~last_rank, up - 1, CAPTURE)
            list = add_pawn_moves(list, east & ~last_rank, up + 1, CAPTURE)
        if wanted & QUIETS:
            list = add_pawn_moves(list, single & ~last_rank, up, QUIET)
            list = add_pawn_moves(list, double, 2 * up, DOUBLE_PUSH)

    if wanted & NOISY and pos.en_passant != NO_SQUARE:
        candidates = PAWN_ATTACKS[us ^ 1][pos.en_passant] & pawns
        while candidates:
            origin = pop_lowest(&candidates)
            if en_passant_is_legal(pos, us, origin, pos.en_passant):
                if counting:
                    count[0] += 1
                else:
                    list = add_moves(list, origin, bit(pos.en_passant), EN_PASSANT)
    return list


cdef inline MoveC* add_king(MoveC* list, const PositionC* pos, int king, int* count,
                           int us, int wanted, bint counting) noexcept nogil:
    """King moves and castling: the squares that the enemy attacks once the king has left."""
    cdef u64 own = pos.colours[us]
    cdef u64 targets = KING_ATTACKS[king] & ~own
    cdef u64 rooks = 0
    cdef u64 danger
    cdef int rook
    if wanted == NOISY:
        targets &= pos.colours[us ^ 1]
    elif wanted == QUIETS:
        targets &= ~pos.colours[us ^ 1]
    if wanted & QUIETS and pos.checkers == 0:
        rooks = pos.castling_rooks & own
    if targets | rooks:
        danger = attacks_by(pos, us ^ 1, occupied(pos) ^ bit(king))
        list = add_piece_moves(list, king, targets & ~danger, pos.colours[us ^ 1], count,
                               wanted, counting)
        while rooks:
            rook = pop_lowest(&rooks)
            if castling_is_legal(pos, us, king, rook, danger):
                if counting:
                    count[0] += 1
                else:
                    list = add_moves(list, king, bit(rook), CASTLING)
    return list


cdef inline MoveC* generate(MoveC* list, const PositionC* pos, int* count,
                           int us, int wanted, bint counting) noexcept nogil:
    cdef u64 own = pos.colours[us]
    cdef u64 enemies = pos.colours[us ^ 1]
    cdef u64 blockers = own | enemies
    cdef u64 pinned = pos.pin_orthogonal | pos.pin_diagonal
    cdef u64 check_mask = ALL_SQUARES
    cdef u64 goals, left
    cdef int king = king_square(pos, us)
    cdef int origin

    list = add_king(list, pos, king, count, us, wanted, counting)
    if pos.checkers:
        if several(pos.checkers):
            return list
        check_mask = BETWEEN[king][lowest(pos.checkers)] | pos.checkers
    list = add_pawns(list, pos, check_mask, count, us, wanted, counting)

    goals = check_mask & ~own
    if wanted == NOISY:
        goals &= enemies
    elif wanted == QUIETS:
        goals &= ~enemies

    left = pos.pieces[KNIGHT] & own & ~pinned
    while left:
        origin = pop_lowest(&left)
        list = add_piece_moves(list, origin, KNIGHT_ATTACKS[origin] & goals, enemies, count,
                               wanted, counting)
    left = diagonal_sliders(pos, us) & ~pinned
    while left:
        origin = pop_lowest(&left)
        list = add_piece_moves(list, origin, bishop_attacks(origin, blockers) & goals, enemies,
                               count, wanted, counting)
    left = orthogonal_sliders(pos, us) & ~pinned
    while left:
        origin = pop_lowest(&left)
        list = add_piece_moves(list, origin, rook_attacks(origin, blockers) & goals, enemies,
                               count, wanted, counting)

    # Pinned sliders move on their pin lines; the masks of two pins never meet a piece's own lines.
    if pinned & own:
        left = diagonal_sliders(pos, us) & pos.pin_diagonal
        while left:
            origin = pop_lowest(&left)
            list = add_piece_moves(list, origin,
                                   bishop_attacks(origin, blockers) & goals & pos.pin_diagonal,
                                   enemies, count, wanted, counting)
        left = orthogonal_sliders(pos, us) & pos.pin_orthogonal
        while left:
            origin = pop_lowest(&left)
            list = add_piece_moves(list, origin,
                                   rook_attacks(origin, blockers) & goals & pos.pin_orthogonal,
                                   enemies, count, wanted, counting)
    return list


# The generators by name. Each returns the end of the list it wrote.

cdef inline MoveC* generate_side(MoveC* list, const PositionC* pos, int us,
                                int wanted) noexcept nogil:
    return generate(list, pos, NULL, us, wanted, False)


cdef MoveC* generate_legal(MoveC* list, const PositionC* pos) noexcept nogil:
    if pos.side == WHITE:
        return generate_side(list, pos, WHITE, ALL_MOVES)
    return generate_side(list, pos, BLACK, ALL_MOVES)


cdef MoveC* generate_noisy(MoveC* list, const PositionC* pos) noexcept nogil:
    if pos.side == WHITE:
        return generate_side(list, pos, WHITE, NOISY)
    return generate_side(list, pos, BLACK, NOISY)


cdef MoveC* generate_quiets(MoveC* list, const PositionC* pos) noexcept nogil:
    if pos.side == WHITE:
        return generate_side(list, pos, WHITE, QUIETS)
    return generate_side(list, pos, BLACK, QUIETS)


cdef inline int count_side(const PositionC* pos, int us) noexcept nogil:
    cdef int count = 0
    generate(NULL, pos, &count, us, ALL_MOVES, True)
    return count


cdef int count_legal(const PositionC* pos) noexcept nogil:
    """The number of legal moves, with no list made."""
    return count_side(pos, WHITE) if pos.side == WHITE else count_side(pos, BLACK)


# Is a move from elsewhere (a table, a GUI) legal here?

cdef bint pawn_can_reach(const PositionC* pos, int us, int origin, int target,
                         int kind) noexcept nogil:
    cdef u64 empty = ~occupied(pos)
    cdef u64 step = forward(bit(origin), us) & empty
    if ((kind & PROMOTION) != 0) != ((bit(target) & back_rank(us ^ 1)) != 0):
        return False
    if kind == EN_PASSANT:
        return (target == pos.en_passant and (PAWN_ATTACKS[us][origin] & bit(target)) != 0
                and en_passant_is_legal(pos, us, origin, target))
    if kind & CAPTURE:
        return (PAWN_ATTACKS[us][origin] & pos.colours[us ^ 1] & bit(target)) != 0
    if kind == DOUBLE_PUSH:
        step &= RANK_3 if us == WHITE else RANK_6
        return (forward(step, us) & empty & bit(target)) != 0
    return (step & bit(target)) != 0


cdef bint piece_can_reach(const PositionC* pos, int us, int piece, int origin, int target,
                          int kind) noexcept nogil:
    if kind != (CAPTURE if pos.colours[us ^ 1] & bit(target) else QUIET):
        return False
    return (piece_attacks(piece, origin, occupied(pos)) & ~pos.colours[us] & bit(target)) != 0


cdef bint leaves_king_safe(const PositionC* pos, int king, int origin, int target) noexcept nogil:
    """For any move but the king's and en passant: are checks met and pins kept?"""
    cdef bint orthogonal = rank_of(origin) == rank_of(target) or file_of(origin) == file_of(target)
    if pos.checkers:
        if several(pos.checkers):
            return False
        if not (BETWEEN[king][lowest(pos.checkers)] | pos.checkers) & bit(target):
            return False
    if pos.pin_orthogonal & bit(origin):
        return orthogonal and (pos.pin_orthogonal & bit(target)) != 0
    if pos.pin_diagonal & bit(origin):
        return not orthogonal and (pos.pin_diagonal & bit(target)) != 0
    return True


cdef bint is_legal_move(const PositionC* pos, MoveC move) noexcept nogil:
    """Would the generator make exactly this move? Takes any 16 bits."""
    cdef int us = pos.side
    cdef int origin = move_from(move)
    cdef int target = move_to(move)
    cdef int kind = move_kind(move)
    cdef int piece = pos.squares[origin]
    cdef int king = king_square(pos, us)
    if not pos.colours[us] & bit(origin):
        return False
    if kind == CASTLING:
        return (piece == KING and pos.checkers == 0
                and (pos.castling_rooks & pos.colours[us] & bit(target)) != 0
                and castling_is_legal(pos, us, king, target,
                                      attacks_by(pos, us ^ 1, occupied(pos))))
    if piece == PAWN:
        if not kind_exists(kind) or not pawn_can_reach(pos, us, origin, target, kind):
            return False
        return kind == EN_PASSANT or leaves_king_safe(pos, king, origin, target)
    if not piece_can_reach(pos, us, piece, origin, target, kind):
        return False
    if piece == KING:
        return not attackers_of(pos, target, us ^ 1, occupied(pos) ^ bit(king))
    return leaves_king_safe(pos, king, origin, target)
