# FEN in and out: strict about what cannot be a chess position, and exact about what is wrong.
#
# Castling rights are read as KQkq, as X-FEN (KQkq meaning the outermost rook, a file letter for an
# inner one) and as Shredder-FEN (file letters throughout).

cdef enum FenError:
    FEN_OK
    FEN_FIELD_COUNT
    FEN_TOO_LONG
    FEN_BOARD_LETTER
    FEN_BOARD_DIGITS
    FEN_BOARD_RANK
    FEN_BOARD_RANKS
    FEN_BOARD_KINGS
    FEN_BOARD_PAWN_RANK
    FEN_BOARD_PAWNS
    FEN_BOARD_MEN
    FEN_BOARD_PROMOTED
    FEN_BOARD_CHECKERS
    FEN_SIDE
    FEN_SIDE_IN_CHECK
    FEN_CASTLING_LETTER
    FEN_CASTLING_TWICE
    FEN_CASTLING_KING
    FEN_CASTLING_ROOK
    FEN_EN_PASSANT_SQUARE
    FEN_EN_PASSANT_RANK
    FEN_EN_PASSANT_PAWN
    FEN_EN_PASSANT_BLOCKED
    FEN_HALFMOVE
    FEN_FULLMOVE

FEN_COMPLAINTS = {
    FEN_FIELD_COUNT: ("whole", "it needs four or six fields"),
    FEN_TOO_LONG: ("whole", "it is too long"),
    FEN_BOARD_LETTER: ("board", "only PNBRQK, pnbrqk, digits 1 to 8 and slashes may stand here"),
    FEN_BOARD_DIGITS: ("board", "two digits in a row"),
    FEN_BOARD_RANK: ("board", "a rank does not have eight squares"),
    FEN_BOARD_RANKS: ("board", "there must be eight ranks"),
    FEN_BOARD_KINGS: ("board", "each side must have exactly one king"),
    FEN_BOARD_PAWN_RANK: ("board", "a pawn stands on the first or last rank"),
    FEN_BOARD_PAWNS: ("board", "a side has more than eight pawns"),
    FEN_BOARD_MEN: ("board", "a side has more than sixteen pieces"),
    FEN_BOARD_PROMOTED: ("board", "a side has more promoted pieces than missing pawns"),
    FEN_BOARD_CHECKERS: ("board", "three or more pieces give check"),
    FEN_SIDE: ("side", "the side to move must be w or b"),
    FEN_SIDE_IN_CHECK: ("side", "the side not to move is in check"),
    FEN_CASTLING_LETTER: ("castling", "it must be - or letters from KQkq or A to H, a to h"),
    FEN_CASTLING_TWICE: ("castling", "a right is given twice"),
    FEN_CASTLING_KING: ("castling", "the king is not on its back rank between two corners"),
    FEN_CASTLING_ROOK: ("castling", "no rook stands where the right needs one"),
    FEN_EN_PASSANT_SQUARE: ("en passant", "it must be - or a square"),
    FEN_EN_PASSANT_RANK: ("en passant", "the square is on the wrong rank for the side to move"),
    FEN_EN_PASSANT_PAWN: ("en passant", "no pawn stands in front of the square"),
    FEN_EN_PASSANT_BLOCKED: ("en passant", "the pawn cannot have come over occupied squares"),
    FEN_HALFMOVE: ("halfmove", f"it must be a whole number from 0 to {MAX_HALFMOVE}"),
    FEN_FULLMOVE: ("fullmove", f"it must be a whole number from 0 to {MAX_FULLMOVE}"),
}

cdef enum:
    FEN_FIELDS = 6
    MAX_FEN_LENGTH = 128

START_FEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

cdef const char* PIECE_LETTERS = "PNBRQKpnbrqk"

cdef struct FieldC:
    const char* text
    int length


cdef inline bint is_blank(char letter) noexcept nogil:
    return letter == c' ' or c'\t' <= letter <= c'\r'


cdef int split_fields(FieldC* fields, const char* text, Py_ssize_t length) noexcept nogil:
    """Split at blanks; the number of fields, or one more than FEN_FIELDS when there are more."""
    cdef int count = 0
    cdef Py_ssize_t at = 0, start
    while True:
        while at < length and is_blank(text[at]):
            at += 1
        if at == length:
            return count
        if count == FEN_FIELDS:
            return FEN_FIELDS + 1
        start = at
        while at < length and not is_blank(text[at]):
            at += 1
        fields[count].text = text + start
        fields[count].length = <int>(at - start)
        count += 1


cdef int find_letter(const char* letters, int count, char letter) noexcept nogil:
    cdef int index
    for index in range(count):
        if letters[index] == letter:
            return index
    return -1


cdef FenError parse_board(PositionC* pos, FieldC field) noexcept nogil:
    cdef int rank = 7, file = 0, index, piece
    cdef char letter
    cdef bint after_digit = False
    for index in range(field.length):
        letter = field.text[index]
        if letter == c'/':
            if file != 8:
                return FEN_BOARD_RANK
            if rank == 0:
                return FEN_BOARD_RANKS
            rank -= 1
            file = 0
            after_digit = False
        elif c'1' <= letter <= c'8':
            if after_digit:
                return FEN_BOARD_DIGITS
            after_digit = True
            file += letter - c'0'
        else:
            piece = find_letter(PIECE_LETTERS, 12, letter)
            if piece < 0:
                return FEN_BOARD_LETTER
            if file > 7:
                return FEN_BOARD_RANK
            put_piece(pos, piece // 6, piece % 6, rank * 8 + file)
            file += 1
            after_digit = False
        if file > 8:
            return FEN_BOARD_RANK
    if rank != 0:
        return FEN_BOARD_RANKS
    return FEN_OK if file == 8 else FEN_BOARD_RANK


cdef FenError check_men(const PositionC* pos, int colour) noexcept nogil:
    """Refuse what no game can lead to: wrong numbers of men of one colour."""
    cdef u64 own = pos.colours[colour]
    cdef int pawns = popcount(pos.pieces[PAWN] & own)
    cdef int promoted = (max(popcount(pos.pieces[QUEEN] & own) - 1, 0)
                         + max(popcount(pos.pieces[ROOK] & own) - 2, 0)
                         + max(popcount(pos.pieces[BISHOP] & own) - 2, 0)
                         + max(popcount(pos.pieces[KNIGHT] & own) - 2, 0))
    if popcount(pos.pieces[KING] & own) != 1:
        return FEN_BOARD_KINGS
    if pos.pieces[PAWN] & (RANK_1 | RANK_8):
        return FEN_BOARD_PAWN_RANK
    if pawns > 8:
        return FEN_BOARD_PAWNS
    if popcount(own) > 16:
        return FEN_BOARD_MEN
    return FEN_BOARD_PROMOTED if promoted > 8 - pawns else FEN_OK


cdef bint king_may_castle(const PositionC* pos, int colour) noexcept nogil:
    """A king starts between its rooks, so never in a corner."""
    cdef int king = king_square(pos, colour)
    return (back_rank(colour) & ~(FILE_A | FILE_H) & bit(king)) != 0


cdef int find_castling_rook(const PositionC* pos, int colour, char letter) noexcept nogil:
    """The square of the rook that an upper-case castling letter names, or NO_SQUARE."""
    cdef u64 rooks = pos.pieces[ROOK] & pos.colours[colour] & back_rank(colour)
    cdef int king = king_square(pos, colour)
    if letter == c'K':
        return highest(rooks) if rooks >> king else NO_SQUARE
    if letter == c'Q':
        return lowest(rooks) if rooks & (bit(king) - 1) else NO_SQUARE
    cdef int square = (letter - c'A') + (0 if colour == WHITE else 56)
    return square if rooks & bit(square) else NO_SQUARE


cdef FenError parse_castling(PositionC* pos, FieldC field) noexcept nogil:
    cdef int index, colour, king, rook
    cdef char letter
    cdef u64 same_wing
    if field.length == 1 and field.text[0] == c'-':
        return FEN_OK
    for index in range(field.length):
        letter = field.text[index]
        colour = WHITE if letter <= c'Z' else BLACK
        if colour == BLACK:
            letter -= 32
        if not (c'A' <= letter <= c'H' or letter == c'K' or letter == c'Q'):
            return FEN_CASTLING_LETTER
        if not king_may_castle(pos, colour):
            return FEN_CASTLING_KING
        king = king_square(pos, colour)
        rook = find_castling_rook(pos, colour, letter)
        if rook == NO_SQUARE:
            return FEN_CASTLING_ROOK
        same_wing = ALL_SQUARES << king if rook > king else bit(king) - 1
        if pos.castling_rooks & back_rank(colour) & same_wing:
            return FEN_CASTLING_TWICE
        pos.castling_rooks |= bit(rook)
    return FEN_OK


cdef FenError check_en_passant(const PositionC* pos, int square) noexcept nogil:
    """Can a pawn just have come over this square?"""
    cdef u64 passed_over = bit(square) | forward(bit(square), pos.side)
    if rank_of(square) != (5 if pos.side == WHITE else 2):
        return FEN_EN_PASSANT_RANK
    if not pos.pieces[PAWN] & pos.colours[pos.side ^ 1] & bit(square ^ 8):
        return FEN_EN_PASSANT_PAWN
    return FEN_EN_PASSANT_BLOCKED if occupied(pos) & passed_over else FEN_OK


cdef FenError parse_en_passant(PositionC* pos, FieldC field) noexcept nogil:
    """The square is kept only if a pawn can legally capture there."""
    cdef int square
    cdef FenError error
    if field.length == 1 and field.text[0] == c'-':
        return FEN_OK
    if (field.length != 2 or not c'a' <= field.text[0] <= c'h'
            or not c'1' <= field.text[1] <= c'8'):
        return FEN_EN_PASSANT_SQUARE
    square = (field.text[1] - c'1') * 8 + (field.text[0] - c'a')
    error = check_en_passant(pos, square)
    if error == FEN_OK and can_capture_en_passant(pos, pos.side, square):
        pos.en_passant = <u8>square
    return error


cdef int parse_number(FieldC field, int largest) noexcept nogil:
    """A whole number of digits only, or -1."""
    cdef int index, number = 0
    for index in range(field.length):
        if not c'0' <= field.text[index] <= c'9':
            return -1
        number = number * 10 + (field.text[index] - c'0')
        if number > largest:
            return -1
    return number


cdef FenError parse_counters(PositionC* pos, FieldC halfmove, FieldC fullmove) noexcept nogil:
    cdef int number = parse_number(halfmove, MAX_HALFMOVE)
    if number < 0:
        return FEN_HALFMOVE
    pos.rule50 = <u16>number
    number = parse_number(fullmove, MAX_FULLMOVE)
    if number < 0:
        return FEN_FULLMOVE
    pos.fullmove = max(number, 1)  # some programs count from zero
    return FEN_OK


cdef FenError finish_position(PositionC* pos) noexcept nogil:
    """Check what depends on the side to move; derive what is kept about the king."""
    cdef int us = pos.side
    if attackers_of(pos, king_square(pos, us ^ 1), us, occupied(pos)):
        return FEN_SIDE_IN_CHECK
    scan_king(pos, us)
    return FEN_BOARD_CHECKERS if popcount(pos.checkers) > 2 else FEN_OK


cdef FenError parse_fields(PositionC* pos, FieldC* fields, int count) noexcept nogil:
    cdef FenError error = parse_board(pos, fields[0])
    if error == FEN_OK:
        error = check_men(pos, WHITE)
    if error == FEN_OK:
        error = check_men(pos, BLACK)
    if error != FEN_OK:
        return error
    if fields[1].length != 1 or (fields[1].text[0] != c'w' and fields[1].text[0] != c'b'):
        return FEN_SIDE
    pos.side = WHITE if fields[1].text[0] == c'w' else BLACK
    error = finish_position(pos)
    if error == FEN_OK:
        error = parse_castling(pos, fields[2])
    if error == FEN_OK:
        error = parse_en_passant(pos, fields[3])
    if error == FEN_OK and count == FEN_FIELDS:
        error = parse_counters(pos, fields[4], fields[5])
    return error


cdef FenError parse_fen(PositionC* pos, const char* text, Py_ssize_t length) noexcept nogil:
    """Read a FEN; the position is of use only when the answer is FEN_OK."""
    cdef FieldC fields[FEN_FIELDS]
    cdef int count
    cdef FenError error
    clear_position(pos)
    if length > 4 * MAX_FEN_LENGTH:
        return FEN_TOO_LONG
    count = split_fields(fields, text, length)
    if count != 4 and count != FEN_FIELDS:
        return FEN_FIELD_COUNT
    error = parse_fields(pos, fields, count)
    if error == FEN_OK:
        derive_keys(pos)
    return error


cdef int write_board(const PositionC* pos, char* out) noexcept nogil:
    cdef int length = 0, rank, file, square, empty
    for rank in range(7, -1, -1):
        empty = 0
        for file in range(8):
            square = rank * 8 + file
            if pos.squares[square] == NO_PIECE:
                empty += 1
                continue
            if empty:
                out[length] = <char>(c'0' + empty)
                length += 1
                empty = 0
            out[length] = PIECE_LETTERS[pos.squares[square]
                                        + 6 * ((pos.colours[BLACK] >> square) & 1)]
            length += 1
        if empty:
            out[length] = <char>(c'0' + empty)
            length += 1
        if rank:
            out[length] = c'/'
            length += 1
    return length


cdef char castling_letter(const PositionC* pos, int colour, int rook, bint shredder) noexcept nogil:
    cdef u64 rooks = pos.pieces[ROOK] & pos.colours[colour] & back_rank(colour)
    cdef bint kingside = rook > king_square(pos, colour)
    cdef char letter = <char>(c'A' + file_of(rook))
    if not shredder and rook == (highest(rooks) if kingside else lowest(rooks)):
        letter = c'K' if kingside else c'Q'
    return letter if colour == WHITE else letter + 32


cdef int write_castling(const PositionC* pos, char* out, bint shredder) noexcept nogil:
    cdef int length = 0, colour, rook
    cdef u64 rooks
    if pos.castling_rooks == 0:
        out[0] = c'-'
        return 1
    for colour in range(2):
        rooks = pos.castling_rooks & back_rank(colour)
        while rooks:  # the kingside first
            rook = highest(rooks)
            rooks ^= bit(rook)
            out[length] = castling_letter(pos, colour, rook, shredder)
            length += 1
    return length


cdef int write_number(u32 number, char* out) noexcept nogil:
    cdef char digits[10]
    cdef int count = 0, length = 0
    while True:
        digits[count] = <char>(c'0' + number % 10)
        count += 1
        number //= 10
        if number == 0:
            break
    while count:
        count -= 1
        out[length] = digits[count]
        length += 1
    return length


cdef int write_fen(const PositionC* pos, char* out, bint shredder) noexcept nogil:
    """Write the FEN and a closing zero into MAX_FEN_LENGTH bytes; its length."""
    cdef int length = write_board(pos, out)
    out[length] = c' '
    out[length + 1] = c'w' if pos.side == WHITE else c'b'
    out[length + 2] = c' '
    length += 3
    length += write_castling(pos, out + length, shredder)
    out[length] = c' '
    length += 1
    if pos.en_passant == NO_SQUARE:
        out[length] = c'-'
        length += 1
    else:
        out[length] = <char>(c'a' + file_of(pos.en_passant))
        out[length + 1] = <char>(c'1' + rank_of(pos.en_passant))
        length += 2
    out[length] = c' '
    length += 1
    length += write_number(pos.rule50, out + length)
    out[length] = c' '
    length += 1
    length += write_number(pos.fullmove, out + length)
    out[length] = 0
    return length
