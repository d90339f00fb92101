# What Python sees of a position without its moves: what stands where, and what attacks what.

from cpython.buffer cimport PyBUF_FORMAT, PyBUF_WRITABLE
from cpython.long cimport PyLong_CheckExact

cdef Py_ssize_t[1] BITBOARDS_SHAPE
cdef Py_ssize_t[1] BITBOARDS_STRIDES
BITBOARDS_SHAPE[0] = 8
BITBOARDS_STRIDES[0] = sizeof(u64)

cdef tuple EN_PASSANT_STYLES = ("legal", "fen", "xfen")


cdef object fen_problem(FenError error, str fen):
    field, problem = FEN_COMPLAINTS[error]
    shown = fen if len(fen) <= 100 else fen[:97] + "..."
    return ValueError(f"bad FEN, {field} field: {problem}: {shown!r}")


cdef int load_fen(PositionC* pos, str fen) except -1:
    cdef bytes text = fen.encode("utf-8", "replace")
    cdef FenError error = parse_fen(pos, text, len(text))
    if error != FEN_OK:
        raise fen_problem(error, fen)
    return 0


cdef PositionC START_POSITION
load_fen(&START_POSITION, START_FEN)


# Values as python-chess gives and takes them.

cdef int as_square(square) except -1:
    cdef long number = -1
    if PyLong_CheckExact(square):
        try:
            number = square
        except OverflowError:
            pass
        if 0 <= number < 64:
            return <int>number
    try:
        return checked_number("the square", square, 0, 63)
    except ValueError as error:
        raise SquareError(str(error)) from None


cdef inline int as_side(color) except -1:
    """python-chess's True is White."""
    return WHITE if color else BLACK


cdef u64 as_mask(squares, u64 default) except? 0:
    """The bitboard of an int, a `chess.SquareSet` or squares; the default for None."""
    cdef u64 mask = 0
    if squares is None:
        return default
    if hasattr(squares, "__int__"):
        return int(squares) & 0xFFFFFFFFFFFFFFFF
    for square in squares:
        mask |= bit(as_square(square))
    return mask


cdef object PYTHON_CHESS = None


cdef object python_chess():
    """The module, loaded when first needed."""
    global PYTHON_CHESS
    if PYTHON_CHESS is None:
        import chess
        PYTHON_CHESS = chess
    return PYTHON_CHESS


cdef object square_set(u64 mask):
    return python_chess().SquareSet(mask)


cdef class PieceBoard:
    """The part of a Board that needs no moves."""
    cdef PositionC pos          # at a fixed place: `bitboards` is a view of it
    cdef readonly bint chess960

    def __cinit__(self):
        self.pos = START_POSITION

    # ---- FEN

    cdef str write(self, const PositionC* pos, bint shredder):
        cdef char text[MAX_FEN_LENGTH]
        cdef int length = write_fen(pos, text, shredder)
        return text[:length].decode("ascii")

    cdef int passed_square(self) noexcept:
        """The square that a pawn has just passed over, or NO_SQUARE; the game knows more."""
        return self.pos.en_passant

    cdef object shown_en_passant(self, str style):
        """The square that a FEN of this style shows, or None."""
        cdef int square = self.pos.en_passant
        if style not in EN_PASSANT_STYLES:
            raise ValueError(f"en_passant must be one of {EN_PASSANT_STYLES}, not {style!r}")
        if style != "legal" and square == NO_SQUARE:
            square = self.passed_square()
        if style == "xfen" and square != NO_SQUARE and not self.has_pawn_for(square):
            square = NO_SQUARE
        return None if square == NO_SQUARE else square

    cdef bint has_pawn_for(self, int square) noexcept:
        """Does a pawn of the side to move attack this square?"""
        return (PAWN_ATTACKS[self.pos.side ^ 1][square] & self.pos.pieces[PAWN]
                & self.pos.colours[self.pos.side]) != 0

    def fen(self, *, bint shredder=False, str en_passant="legal", promoted=None):
        """The FEN, with X-FEN castling letters, or file letters if `shredder`.

        The en-passant square is given when a pawn can legally capture there; with "xfen" when a
        pawn stands beside it, with "fen" after every double step. `promoted` is for variants.
        """
        cdef str text = self.write(&self.pos, shredder)
        if en_passant == "legal":
            return text
        fields = text.split()
        square = self.shown_en_passant(en_passant)
        fields[3] = "-" if square is None else square_name(square)
        return " ".join(fields)

    def shredder_fen(self, *, str en_passant="legal", promoted=None):
        """The FEN with the files of the rooks that may castle."""
        return self.fen(shredder=True, en_passant=en_passant)

    def board_fen(self, *, promoted=False):
        """The first field of the FEN."""
        cdef char text[MAX_FEN_LENGTH]
        cdef int length = write_board(&self.pos, text)
        return text[:length].decode("ascii")

    def castling_xfen(self):
        """The castling field of the FEN."""
        return self.write(&self.pos, False).split()[2]

    def castling_shredder_fen(self):
        """The castling field of the Shredder-FEN."""
        return self.write(&self.pos, True).split()[2]

    # ---- the position

    @property
    def castling_rooks(self):
        """The bitboard of the rooks that may still castle."""
        return self.pos.castling_rooks

    @property
    def key(self):
        """The Zobrist key: equal for equal positions, whatever the move counters say."""
        return self.pos.key

    @property
    def pawn_key(self):
        """The Zobrist key of the pawns alone."""
        return self.pos.pawn_key

    @property
    def bitboards(self):
        """A live, read-only numpy view: pawns, knights, bishops, rooks, queens, kings, White, Black."""
        import numpy
        return numpy.frombuffer(self, dtype=numpy.uint64)

    def __getbuffer__(self, Py_buffer* buffer, int flags):
        if flags & PyBUF_WRITABLE:
            raise BufferError("the bitboards are read-only")
        buffer.buf = self.pos.pieces
        buffer.obj = self
        buffer.len = 8 * sizeof(u64)
        buffer.itemsize = sizeof(u64)
        buffer.readonly = 1
        buffer.ndim = 1
        buffer.format = NULL
        if flags & PyBUF_FORMAT:
            buffer.format = b"Q"
        buffer.shape = BITBOARDS_SHAPE
        buffer.strides = BITBOARDS_STRIDES
        buffer.suboffsets = NULL
        buffer.internal = NULL

    @property
    def pawns(self):
        """The bitboard of both sides' pawns; so with the other kinds."""
        return self.pos.pieces[PAWN]

    @property
    def knights(self):
        """The bitboard of both sides' knights."""
        return self.pos.pieces[KNIGHT]

    @property
    def bishops(self):
        """The bitboard of both sides' bishops."""
        return self.pos.pieces[BISHOP]

    @property
    def rooks(self):
        """The bitboard of both sides' rooks."""
        return self.pos.pieces[ROOK]

    @property
    def queens(self):
        """The bitboard of both sides' queens."""
        return self.pos.pieces[QUEEN]

    @property
    def kings(self):
        """The bitboard of both kings."""
        return self.pos.pieces[KING]

    @property
    def occupied(self):
        """The bitboard of all pieces."""
        return occupied(&self.pos)

    @property
    def occupied_co(self):
        """The bitboards of Black's and White's pieces: `occupied_co[chess.WHITE]`."""
        return self.pos.colours[BLACK], self.pos.colours[WHITE]

    # ---- pieces

    def piece_at(self, square):
        """The `chess.Piece` on a square, or None."""
        return self.make_piece(as_square(square))

    cdef object make_piece(self, int square):
        if self.pos.squares[square] == NO_PIECE:
            return None
        return python_chess().Piece(self.pos.squares[square] + 1,
                                    (self.pos.colours[WHITE] & bit(square)) != 0)

    cdef object piece_letter(self, int square):
        """As in a FEN, or None."""
        if self.pos.squares[square] == NO_PIECE:
            return None
        return chr(PIECE_LETTERS[self.pos.squares[square]
                                 + 6 * ((self.pos.colours[BLACK] >> square) & 1)])

    def symbol_at(self, square):
        """The letter of the piece on a square, as in a FEN, or None."""
        return self.piece_letter(as_square(square))

    def piece_type_at(self, square):
        """The kind on a square, from 1 (pawn) to 6 (king), or None."""
        cdef int piece = self.pos.squares[as_square(square)]
        return None if piece == NO_PIECE else piece + 1

    def color_at(self, square):
        """True for a white piece on the square, False for a black one, or None."""
        cdef u64 here = bit(as_square(square))
        if occupied(&self.pos) & here:
            return (self.pos.colours[WHITE] & here) != 0
        return None

    def king(self, color):
        """The square of a king."""
        return king_square(&self.pos, as_side(color))

    def piece_map(self, *, mask=None):
        """{square: `chess.Piece`}, of all squares or of those in the mask."""
        cdef u64 left = occupied(&self.pos) & as_mask(mask, ALL_SQUARES)
        cdef dict pieces = {}
        cdef int square
        while left:
            square = highest(left)
            left ^= bit(square)
            pieces[square] = self.make_piece(square)
        return pieces

    def pieces_mask(self, piece_type, color):
        """The bitboard of one side's pieces of a kind."""
        return self.pos.pieces[checked_number("the kind", piece_type, 1, 6) - 1] \
            & self.pos.colours[as_side(color)]

    def pieces(self, piece_type, color):
        """The `chess.SquareSet` of one side's pieces of a kind."""
        return square_set(self.pieces_mask(piece_type, color))

    # ---- attacks

    def attacks_mask(self, square):
        """The bitboard that the piece on a square attacks; pinned pieces attack too."""
        cdef int origin = as_square(square)
        cdef int piece = self.pos.squares[origin]
        if piece == NO_PIECE:
            return 0
        if piece == PAWN:
            return PAWN_ATTACKS[(self.pos.colours[BLACK] >> origin) & 1][origin]
        return piece_attacks(piece, origin, occupied(&self.pos))

    def attacks(self, square):
        """The `chess.SquareSet` that the piece on a square attacks."""
        return square_set(self.attacks_mask(square))

    cdef u64 find_attackers(self, color, square, blockers) except? 0:
        return attackers_of(&self.pos, as_square(square), as_side(color),
                            as_mask(blockers, occupied(&self.pos)))

    def attackers_mask(self, color, square, occupied=None):
        """The bitboard of one side's attackers of a square, with other blockers if given."""
        return self.find_attackers(color, square, occupied)

    def attackers(self, color, square, occupied=None):
        """The `chess.SquareSet` of one side's attackers of a square."""
        return square_set(self.find_attackers(color, square, occupied))

    def is_attacked_by(self, color, square, occupied=None):
        """Does one side attack a square?"""
        return self.find_attackers(color, square, occupied) != 0

    def checkers_mask(self):
        """The bitboard of the pieces that give check."""
        return self.pos.checkers

    def checkers(self):
        """The `chess.SquareSet` of the pieces that give check."""
        return square_set(self.pos.checkers)

    def is_check(self):
        """Is the side to move in check?"""
        return self.pos.checkers != 0

    def pin_mask(self, color, square):
        """The line on which a square is pinned to its king, or all squares."""
        cdef int us = as_side(color)
        cdef int king = king_square(&self.pos, us)
        cdef u64 here = bit(as_square(square))
        cdef u64 snipers = ((ROOK_RAYS[king] & orthogonal_sliders(&self.pos, us ^ 1))
                            | (BISHOP_RAYS[king] & diagonal_sliders(&self.pos, us ^ 1)))
        cdef int sniper
        while snipers:
            sniper = pop_lowest(&snipers)
            if BETWEEN[king][sniper] & (occupied(&self.pos) | here) == here:
                return whole_line(king, sniper)
        return ALL_SQUARES

    def pin(self, color, square):
        """The `chess.SquareSet` of the line of a pin, or of all squares."""
        return square_set(self.pin_mask(color, square))

    def is_pinned(self, color, square):
        """Is a square pinned to the king of a side?"""
        return self.pin_mask(color, square) != ALL_SQUARES

    # ---- castling rights

    cdef u64 rights_of(self, color) except? 0:
        return self.pos.castling_rooks & self.pos.colours[as_side(color)]

    def clean_castling_rights(self):
        """The bitboard of the rooks that may still castle, by python-chess's name."""
        return self.pos.castling_rooks

    def has_castling_rights(self, color):
        """May this side still castle, on whichever side?"""
        return self.rights_of(color) != 0

    def has_kingside_castling_rights(self, color):
        """May this side still castle to the h-file's side?"""
        return self.rights_of(color) >> king_square(&self.pos, as_side(color)) != 0

    def has_queenside_castling_rights(self, color):
        """May this side still castle to the a-file's side?"""
        return self.rights_of(color) & (bit(king_square(&self.pos, as_side(color))) - 1) != 0

    def has_chess960_castling_rights(self):
        """Are there castling rights that standard chess does not know?"""
        return needs_chess960(&self.pos)

    # ---- drawings

    def __str__(self):
        """The board as seen by White, one rank a line."""
        rows = []
        for rank in range(7, -1, -1):
            rows.append(" ".join(self.piece_letter(8 * rank + file) or "." for file in range(8)))
        return "\n".join(rows)

    def unicode(self, **options):
        """The board drawn with chess figures; the options are python-chess's."""
        return python_chess().BaseBoard(self.board_fen()).unicode(**options)


cdef u64 whole_line(int first, int second) noexcept nogil:
    """The line through two squares, from rim to rim."""
    if ROOK_RAYS[first] & bit(second):
        return (ROOK_RAYS[first] & ROOK_RAYS[second]) | bit(first) | bit(second)
    return (BISHOP_RAYS[first] & BISHOP_RAYS[second]) | bit(first) | bit(second)
