# Making a move: the child is the parent copied and edited.

from libc.stdio cimport fprintf, stderr
from libc.stdlib cimport abort


cdef bint is_consistent(const PositionC* pos) noexcept nogil:
    """Does everything kept incrementally equal what is derived from the board alone?"""
    cdef PositionC fresh = pos[0]
    cdef int square, piece
    derive_keys(&fresh)
    scan_king(&fresh, pos.side)
    memset(fresh.pieces, 0, sizeof(fresh.pieces))
    for square in range(64):
        piece = pos.squares[square]
        if (piece != NO_PIECE) != ((occupied(pos) >> square) & 1):
            return False
        if piece != NO_PIECE:
            fresh.pieces[piece] |= bit(square)
    if pos.en_passant != NO_SQUARE and not can_capture_en_passant(pos, pos.side, pos.en_passant):
        return False
    if pos.castling_rooks & ~pos.pieces[ROOK] or pos.colours[WHITE] & pos.colours[BLACK]:
        return False
    return memcmp(&fresh, pos, sizeof(PositionC)) == 0


cdef void stop_inconsistent(const char* what, const PositionC* pos) noexcept nogil:
    """For the debug build: what has gone wrong ends the program, with the FEN."""
    cdef char fen[MAX_FEN_LENGTH]
    write_fen(pos, fen, True)
    fprintf(stderr, "inconsistent %s: %s\n", what, fen)
    abort()


cdef void verify(const PositionC* pos) noexcept nogil:
    if not is_consistent(pos):
        stop_inconsistent("position", pos)


cdef inline void move_piece(PositionC* pos, int colour, int piece, int origin, int target,
                            bint keyed) noexcept nogil:
    cdef u64 both = bit(origin) | bit(target)
    pos.pieces[piece] ^= both
    pos.colours[colour] ^= both
    pos.squares[origin] = NO_PIECE
    pos.squares[target] = <u8>piece
    if keyed:
        toggle_key(pos, colour, piece, origin)
        toggle_key(pos, colour, piece, target)


cdef inline void remove_piece(PositionC* pos, int colour, int square, bint keyed) noexcept nogil:
    cdef int piece = pos.squares[square]
    pos.pieces[piece] ^= bit(square)
    pos.colours[colour] ^= bit(square)
    if keyed:
        toggle_key(pos, colour, piece, square)


cdef inline void promote_pawn(PositionC* pos, int colour, int square, int piece,
                              bint keyed) noexcept nogil:
    pos.pieces[PAWN] ^= bit(square)
    pos.pieces[piece] ^= bit(square)
    pos.squares[square] = <u8>piece
    if keyed:
        toggle_key(pos, colour, PAWN, square)
        toggle_key(pos, colour, piece, square)


cdef inline void castle(PositionC* pos, int us, int king, int rook, bint keyed) noexcept nogil:
    """In Chess960 king and rook may swap squares, so both leave before both arrive."""
    cdef int king_target = castled_king(us, rook > king)
    cdef int rook_target = castled_rook(us, rook > king)
    pos.pieces[KING] ^= bit(king) ^ bit(king_target)
    pos.pieces[ROOK] ^= bit(rook) ^ bit(rook_target)
    pos.colours[us] ^= bit(king) ^ bit(rook) ^ bit(king_target) ^ bit(rook_target)
    pos.squares[king] = pos.squares[rook] = NO_PIECE
    pos.squares[king_target] = KING
    pos.squares[rook_target] = ROOK
    if keyed:
        toggle_key(pos, us, KING, king)
        toggle_key(pos, us, KING, king_target)
        toggle_key(pos, us, ROOK, rook)
        toggle_key(pos, us, ROOK, rook_target)


cdef inline void advance_counters(PositionC* pos) noexcept nogil:
    pos.rule50 += pos.rule50 < MAX_HALFMOVE
    pos.fullmove += pos.side == BLACK and pos.fullmove < MAX_FULLMOVE


cdef inline void make_move_as(PositionC* child, const PositionC* parent, MoveC move, int us,
                              bint keyed) noexcept nogil:
    """Write the position after a legal move. Without keys it is only good for counting."""
    cdef int them = us ^ 1
    cdef int origin = move_from(move)
    cdef int target = move_to(move)
    cdef int kind = move_kind(move)
    cdef int piece = parent.squares[origin]
    cdef u64 lost_rights

    child[0] = parent[0]
    advance_counters(child)
    child.side = <u8>them
    if child.en_passant != NO_SQUARE:
        if keyed:
            child.key ^= EN_PASSANT_KEYS[child.en_passant]
        child.en_passant = NO_SQUARE

    if kind == CASTLING:
        castle(child, us, origin, target, keyed)
    else:
        if kind & CAPTURE:
            child.rule50 = 0
            if kind == EN_PASSANT:
                remove_piece(child, them, target ^ 8, keyed)
                child.squares[target ^ 8] = NO_PIECE
            else:
                remove_piece(child, them, target, keyed)
        move_piece(child, us, piece, origin, target, keyed)
        if piece == PAWN:
            child.rule50 = 0
            if kind & PROMOTION:
                promote_pawn(child, us, target, promoted_piece(move), keyed)

    if child.castling_rooks:
        lost_rights = bit(origin) | bit(target)
        if piece == KING:
            lost_rights |= back_rank(us)
        lost_rights &= child.castling_rooks
        if lost_rights:
            child.castling_rooks ^= lost_rights
            if keyed:
                child.key ^= castling_key(lost_rights)

    scan_king(child, them)
    if kind == DOUBLE_PUSH and can_capture_en_passant(child, them, target ^ 8):
        child.en_passant = <u8>(target ^ 8)
        if keyed:
            child.key ^= EN_PASSANT_KEYS[child.en_passant]
    if keyed:
        child.key ^= SIDE_KEY
        if DEBUG_BUILD:
            verify(child)


cdef void make_move(PositionC* child, const PositionC* parent, MoveC move) noexcept nogil:
    if parent.side == WHITE:
        make_move_as(child, parent, move, WHITE, True)
    else:
        make_move_as(child, parent, move, BLACK, True)


cdef void make_null_move(PositionC* child, const PositionC* parent) noexcept nogil:
    """Pass the move; never when in check."""
    child[0] = parent[0]
    advance_counters(child)
    child.side ^= 1
    child.key ^= SIDE_KEY ^ EN_PASSANT_KEYS[child.en_passant]
    child.en_passant = NO_SQUARE
    scan_king(child, child.side)
    if DEBUG_BUILD:
        verify(child)
