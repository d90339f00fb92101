# Static exchange evaluation: what a series of captures on one square wins, without searching it.

cdef int[7] EXCHANGE_VALUES
EXCHANGE_VALUES[:] = [100, 320, 330, 500, 950, 0, 0]


cdef inline u64 all_attackers(const PositionC* pos, int square, u64 blockers) noexcept nogil:
    return (attackers_of(pos, square, WHITE, blockers)
            | attackers_of(pos, square, BLACK, blockers))


cdef inline int captured_piece(const PositionC* pos, MoveC move) noexcept nogil:
    """The kind a move captures, or NO_PIECE."""
    cdef int kind = move_kind(move)
    if kind == EN_PASSANT:
        return PAWN
    return pos.squares[move_to(move)] if kind & CAPTURE else NO_PIECE


cdef bint wins_exchange(const PositionC* pos, MoveC move, int threshold) noexcept nogil:
    """Does the side to move come out of the exchanges on the target square with at least this?

    Each side captures with its least valuable piece and may stop when going on would not help;
    the balance is kept from the view of the side that has just captured.
    """
    cdef int target = move_to(move)
    cdef int kind = move_kind(move)
    cdef int balance, piece, side = pos.side
    cdef u64 blockers, attackers, own, diagonal, orthogonal
    cdef bint wins = True
    if kind == CASTLING:
        return threshold <= 0
    balance = EXCHANGE_VALUES[captured_piece(pos, move)] - threshold
    piece = pos.squares[move_from(move)]
    if kind & PROMOTION:
        piece = promoted_piece(move)
        balance += EXCHANGE_VALUES[piece] - EXCHANGE_VALUES[PAWN]
    if balance < 0:
        return False
    balance -= EXCHANGE_VALUES[piece]
    if balance >= 0:
        return True  # even losing the piece that moves is enough

    blockers = (occupied(pos) ^ bit(move_from(move))) | bit(target)
    if kind == EN_PASSANT:
        blockers ^= bit(target ^ 8)
    diagonal = pos.pieces[BISHOP] | pos.pieces[QUEEN]
    orthogonal = pos.pieces[ROOK] | pos.pieces[QUEEN]
    attackers = all_attackers(pos, target, blockers) & blockers
    while True:
        side ^= 1
        own = attackers & pos.colours[side]
        if own == 0:
            break
        wins = not wins
        piece = PAWN
        while not own & pos.pieces[piece]:
            piece += 1
        if piece == KING:
            # The king captures only if nothing can take it.
            return not wins if attackers & pos.colours[side ^ 1] else wins
        balance = -balance - 1 - EXCHANGE_VALUES[piece]
        if balance >= 0:
            break
        blockers ^= bit(lowest(own & pos.pieces[piece]))
        if piece == PAWN or piece == BISHOP or piece == QUEEN:
            attackers |= bishop_attacks(target, blockers) & diagonal
        if piece == ROOK or piece == QUEEN:
            attackers |= rook_attacks(target, blockers) & orthogonal
        attackers &= blockers
    return wins
