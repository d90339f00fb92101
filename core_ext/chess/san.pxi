# Moves in standard algebraic notation, in and out. Reading is lenient about what people write (too
# much or too little said, zeros for castling, no = before a piece) and strict about what it means:
# one legal move, or which of three things is wrong.

cdef enum SanError:
    SAN_OK
    SAN_MALFORMED
    SAN_ILLEGAL
    SAN_AMBIGUOUS

cdef enum:
    MAX_SAN_LENGTH = 12  # room enough for LAN's a7xb8=Q#

cdef struct SanC:
    int piece          # the kind named, or NO_PIECE
    int file           # of the square it comes from, or -1
    int rank
    int target
    int promotion      # the kind, or NO_PIECE


# Which legal move goes from here to there?

cdef MoveC find_pawn_move(const PositionC* pos, int origin, int target,
                          int promotion) noexcept nogil:
    cdef int kind = QUIET
    if file_of(origin) != file_of(target):
        kind = EN_PASSANT if target == pos.en_passant else CAPTURE
    elif (origin ^ target) == 16:
        kind = DOUBLE_PUSH
    if promotion != NO_PIECE:
        kind |= PROMOTION | (promotion - KNIGHT)
    return encode_move(origin, target, kind)


cdef MoveC find_castling(const PositionC* pos, int king, int target) noexcept nogil:
    """Castling by the king's new square or by the rook's; NULL_MOVE if neither is meant."""
    cdef u64 rooks = pos.castling_rooks & pos.colours[pos.side]
    cdef int rook
    while rooks:
        rook = pop_lowest(&rooks)
        if target == rook or target == castled_king(pos.side, rook > king):
            return encode_move(king, rook, CASTLING)
    return NULL_MOVE


cdef MoveC find_legal(const PositionC* pos, int origin, int target, int promotion) noexcept nogil:
    """The legal move between two squares, or NULL_MOVE; the promotion is a kind or NO_PIECE.

    A step of the king comes before castling to the same square, which Chess960 knows.
    """
    cdef int piece = pos.squares[origin]
    cdef MoveC move = NULL_MOVE
    if promotion != NO_PIECE and (piece != PAWN or not KNIGHT <= promotion <= QUEEN):
        return NULL_MOVE
    if piece == PAWN:
        move = find_pawn_move(pos, origin, target, promotion)
    elif piece != NO_PIECE:
        move = encode_move(origin, target, CAPTURE if occupied(pos) & bit(target) else QUIET)
    if move != NULL_MOVE and is_legal_move(pos, move):
        return move
    if piece == KING and pos.colours[pos.side] & bit(origin):
        move = find_castling(pos, origin, target)
        if move != NULL_MOVE and is_legal_move(pos, move):
            return move
    return NULL_MOVE


# Reading.

cdef inline bint is_file_letter(char letter) noexcept nogil:
    return c'a' <= letter <= c'h'


cdef inline bint is_rank_digit(char letter) noexcept nogil:
    return c'1' <= letter <= c'8'


cdef inline int piece_of_letter(char letter) noexcept nogil:
    """The kind that an upper-case letter names, or NO_PIECE: a pawn has none."""
    if letter == c'N':
        return KNIGHT
    if letter == c'B':
        return BISHOP
    if letter == c'R':
        return ROOK
    if letter == c'Q':
        return QUEEN
    return KING if letter == c'K' else NO_PIECE


cdef inline char upper(char letter) noexcept nogil:
    return letter - 32 if c'a' <= letter <= c'z' else letter


cdef bint split_san(SanC* san, const char* text, Py_ssize_t length) noexcept nogil:
    """Take a move that is not castling apart, from its end on; false if it is malformed."""
    cdef Py_ssize_t at = 0
    if length and (text[length - 1] == c'+' or text[length - 1] == c'#'):
        length -= 1
    san.promotion = NO_PIECE
    if length and not is_rank_digit(text[length - 1]):
        san.promotion = piece_of_letter(upper(text[length - 1]))
        if san.promotion == NO_PIECE:
            return False
        length -= 1
        if length and text[length - 1] == c'=':
            length -= 1
    if length < 2 or not is_file_letter(text[length - 2]) or not is_rank_digit(text[length - 1]):
        return False
    san.target = (text[length - 1] - c'1') * 8 + (text[length - 2] - c'a')
    length -= 2
    if length and (text[length - 1] == c'x' or text[length - 1] == c'-'):
        length -= 1
    san.piece = piece_of_letter(text[0]) if length else NO_PIECE
    at += san.piece != NO_PIECE
    san.file = san.rank = -1
    if at < length and is_file_letter(text[at]):
        san.file = text[at] - c'a'
        at += 1
    if at < length and is_rank_digit(text[at]):
        san.rank = text[at] - c'1'
        at += 1
    return at == length


cdef int castling_side(const char* text, Py_ssize_t length) noexcept nogil:
    """6 for the kingside's O-O or 0-0, 2 for the queenside's, 0 for what is no castling."""
    cdef Py_ssize_t at
    cdef char letter
    if length and (text[length - 1] == c'+' or text[length - 1] == c'#'):
        length -= 1
    if length != 3 and length != 5:
        return 0
    letter = text[0]
    if letter != c'O' and letter != c'0':
        return 0
    for at in range(1, length):
        if text[at] != (c'-' if at & 1 else letter):
            return 0
    return 6 if length == 3 else 2


cdef SanError read_castling(MoveC* move, const PositionC* pos, int side) noexcept nogil:
    cdef int king = king_square(pos, pos.side)
    cdef u64 rooks = pos.castling_rooks & pos.colours[pos.side]
    rooks &= ALL_SQUARES << king if side == 6 else bit(king) - 1
    if rooks == 0:
        return SAN_ILLEGAL
    move[0] = encode_move(king, lowest(rooks), CASTLING)
    return SAN_OK if is_legal_move(pos, move[0]) else SAN_ILLEGAL


cdef inline u64 san_origins(const PositionC* pos, const SanC* san) noexcept nogil:
    """From where the piece may have come; pawns that take must name their file."""
    cdef int piece = PAWN if san.piece == NO_PIECE else san.piece
    cdef int file = san.file
    cdef u64 origins = pos.pieces[piece] & pos.colours[pos.side]
    if piece == PAWN:
        file = file_of(san.target) if file < 0 else file
    else:
        origins &= piece_attacks(piece, san.target, occupied(pos))
    if file >= 0:
        origins &= FILE_A << file
    if san.rank >= 0:
        origins &= RANK_1 << (8 * san.rank)
    return origins


cdef bint is_null_text(const char* text, Py_ssize_t length) noexcept nogil:
    return ((length == 2 and (memcmp(text, b"--", 2) == 0 or memcmp(text, b"Z0", 2) == 0))
            or (length == 4 and (memcmp(text, b"0000", 4) == 0 or memcmp(text, b"@@@@", 4) == 0)))


cdef SanError read_san(MoveC* move, const PositionC* pos, const char* text,
                       Py_ssize_t length) noexcept nogil:
    """The one legal move that a text names; NULL_MOVE for a null move."""
    cdef SanC san
    cdef u64 origins
    cdef MoveC found
    cdef int side = castling_side(text, length)
    move[0] = NULL_MOVE
    if side:
        return read_castling(move, pos, side)
    if not split_san(&san, text, length):
        return SAN_OK if is_null_text(text, length) else SAN_MALFORMED
    if san.piece == NO_PIECE and san.file >= 0 and san.rank >= 0:
        # Both squares are named: any piece may be meant, and castling too.
        move[0] = find_legal(pos, san.rank * 8 + san.file, san.target, san.promotion)
        return SAN_OK if move[0] != NULL_MOVE else SAN_ILLEGAL
    if pos.colours[pos.side] & bit(san.target):
        return SAN_ILLEGAL
    origins = san_origins(pos, &san)
    while origins:
        found = find_legal(pos, pop_lowest(&origins), san.target, san.promotion)
        if found != NULL_MOVE and move_kind(found) != CASTLING:
            if move[0] != NULL_MOVE:
                return SAN_AMBIGUOUS
            move[0] = found
    return SAN_OK if move[0] != NULL_MOVE else SAN_ILLEGAL


# Writing.

cdef inline char* put_square(char* out, int square) noexcept nogil:
    out[0] = <char>(c'a' + file_of(square))
    out[1] = <char>(c'1' + rank_of(square))
    return out + 2


cdef u64 rivals_of(const PositionC* pos, int piece, int origin, int target,
                   int kind) noexcept nogil:
    """The other pieces of a kind that can go to the same square."""
    cdef u64 rivals = 0
    cdef u64 left = (piece_attacks(piece, target, occupied(pos)) & pos.pieces[piece]
                     & pos.colours[pos.side] & ~bit(origin))
    cdef int square
    while left:
        square = pop_lowest(&left)
        if is_legal_move(pos, encode_move(square, target, kind)):
            rivals |= bit(square)
    return rivals


cdef char* put_origin(char* out, const PositionC* pos, MoveC move) noexcept nogil:
    """As much of a piece's square as tells it from the others: the file, the rank or both."""
    cdef int origin = move_from(move)
    cdef u64 rivals = rivals_of(pos, pos.squares[origin], origin, move_to(move), move_kind(move))
    cdef bint file_is_shared = (rivals & (FILE_A << file_of(origin))) != 0
    cdef bint rank_is_shared = (rivals & (RANK_1 << (origin & 56))) != 0
    if rivals and (rank_is_shared or not file_is_shared):
        out[0] = <char>(c'a' + file_of(origin))
        out += 1
    if file_is_shared:
        out[0] = <char>(c'1' + rank_of(origin))
        out += 1
    return out


cdef char* put_castling(char* out, MoveC move) noexcept nogil:
    cdef int length = 3 if move_to(move) > move_from(move) else 5
    memcpy(out, b"O-O-O", length)
    return out + length


cdef char* put_plain_move(char* out, const PositionC* pos, MoveC move,
                          bint long_form) noexcept nogil:
    """Everything but castling and the signs of check and mate."""
    cdef int origin = move_from(move)
    cdef int piece = pos.squares[origin]
    cdef bint captures = (move_kind(move) & CAPTURE) != 0
    if piece != PAWN:
        out[0] = PIECE_LETTERS[piece]
        out += 1
    if long_form:
        out = put_square(out, origin)
    elif piece != PAWN:
        out = put_origin(out, pos, move)
    elif captures:
        out[0] = <char>(c'a' + file_of(origin))
        out += 1
    if captures or long_form:
        out[0] = c'x' if captures else c'-'
        out += 1
    out = put_square(out, move_to(move))
    if is_promotion(move):
        out[0] = c'='
        out[1] = PIECE_LETTERS[promoted_piece(move)]
        out += 2
    return out


cdef int write_san(char* text, const PositionC* pos, MoveC move, bint long_form,
                   PositionC* after) noexcept nogil:
    """Write the SAN (or LAN) of a legal or a null move, and the position after it; its length."""
    cdef char* out = text
    if move == NULL_MOVE:
        make_null_move(after, pos)
        memcpy(text, b"--", 2)
        return 2
    make_move(after, pos, move)
    if move_kind(move) == CASTLING:
        out = put_castling(out, move)
    else:
        out = put_plain_move(out, pos, move, long_form)
    if after.checkers:
        out[0] = c'+' if count_legal(after) else c'#'
        out += 1
    return <int>(out - text)
