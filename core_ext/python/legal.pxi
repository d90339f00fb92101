# What Python sees of the moves of one position: which there are, what they do, how they are written.

from cpython.unicode cimport PyUnicode_AsUTF8AndSize, PyUnicode_DecodeASCII
cimport cython


cdef str text_of(const char* text, Py_ssize_t length):
    return PyUnicode_DecodeASCII(text, length, NULL)


@cython.freelist(8)
cdef class LegalMoves:
    """The legal moves of a board as it is when they are asked for: iterate, count, look for one.

    `list(board.legal_moves)` and `board.legal_moves()` are the same list.
    """
    cdef MoveBoard board

    def __cinit__(self, MoveBoard board not None):
        self.board = board

    def __call__(self):
        return self.board.list_legal()

    def __iter__(self):
        return iter(self.board.list_legal())

    def __len__(self):
        return count_legal(&self.board.pos)

    def __bool__(self):
        return count_legal(&self.board.pos) > 0

    def __contains__(self, move):
        return self.board.is_legal(move)

    def count(self):
        """The number of legal moves, with no list made."""
        return count_legal(&self.board.pos)

    def __repr__(self):
        moves = ", ".join(self.board.san(move) for move in self.board.list_legal())
        return f"<LegalMoves of {self.board.fen()}: {moves}>"


cdef class MoveBoard(PieceBoard):
    """The part of a Board that concerns the moves of one position."""

    # ---- the legal moves

    cdef list list_legal(self):
        cdef MoveC moves[MAX_MOVES]
        return list_moves(moves, generate_legal(moves, &self.pos), self.chess960)

    @property
    def legal_moves(self):
        """All legal moves, as a list when called; also to iterate over, to count, to look in."""
        return LegalMoves.__new__(LegalMoves, self)

    def legal_count(self):
        """The number of legal moves, with no list made."""
        return count_legal(&self.pos)

    cdef list list_between(self, MoveC* first, MoveC* end, from_mask, to_mask):
        """Those of the moves that come from some squares and go to some squares."""
        cdef u64 origins = as_mask(from_mask, ALL_SQUARES)
        cdef u64 targets = as_mask(to_mask, ALL_SQUARES)
        cdef MoveC* kept = first
        cdef MoveC* move = first
        while move < end:
            if origins & bit(move_from(move[0])) and targets & bit(move_to(move[0])):
                kept[0] = move[0]
                kept += 1
            move += 1
        return list_moves(first, kept, self.chess960)

    def generate_legal_moves(self, from_mask=None, to_mask=None):
        """The legal moves from some squares to some squares; castling goes to its rook."""
        cdef MoveC moves[MAX_MOVES]
        return iter(self.list_between(moves, generate_legal(moves, &self.pos), from_mask, to_mask))

    def generate_legal_captures(self, from_mask=None, to_mask=None):
        """The legal captures from some squares to some squares."""
        cdef MoveC moves[MAX_MOVES]
        cdef MoveC* end = generate_noisy(moves, &self.pos)
        return iter(self.list_between(moves, keep_kind(moves, end, CAPTURE), from_mask, to_mask))

    def generate_castling_moves(self, from_mask=None, to_mask=None):
        """The legal castling moves."""
        cdef MoveC moves[MAX_MOVES]
        cdef MoveC* end = generate_quiets(moves, &self.pos)
        return iter(self.list_between(moves, keep_kind(moves, end, CASTLING), from_mask, to_mask))

    def generate_legal_ep(self, from_mask=None, to_mask=None):
        """The legal en-passant captures."""
        cdef MoveC moves[MAX_MOVES]
        cdef MoveC* end = generate_noisy(moves, &self.pos)
        return iter(self.list_between(moves, keep_kind(moves, end, EN_PASSANT), from_mask,
                                      to_mask))

    def has_legal_en_passant(self):
        """Can a pawn be taken en passant?"""
        return self.pos.en_passant != NO_SQUARE

    def has_pseudo_legal_en_passant(self):
        """Is there a pawn beside one that has just made a double step?"""
        return self.shown_en_passant("xfen") is not None

    # ---- moves from elsewhere

    cdef int find_code(self, int origin, int target, int promotion) noexcept:
        """The code of the legal move between two squares; castling in either notation; or -1.

        The promotion is python-chess's number, or 0.
        """
        cdef MoveC move = find_legal(&self.pos, origin, target,
                                     promotion - 1 if promotion else NO_PIECE)
        return -1 if move == NULL_MOVE else move

    cdef int find_object(self, move) except -2:
        """The code of a Move or a `chess.Move` if it is legal here, or -1."""
        cdef int origin, target, promotion
        if type(move) is Move and is_legal_move(&self.pos, <MoveC>(<Move>move).code):
            return (<Move>move).code
        if not hasattr(move, "from_square"):
            raise TypeError(f"a move is needed, not {type(move).__name__}")
        if getattr(move, "drop", None) is not None:
            return -1
        try:
            origin, target, promotion = move.from_square, move.to_square, move.promotion or 0
        except OverflowError:
            return -1
        if not (0 <= origin < 64 and 0 <= target < 64):
            return -1
        return self.find_code(origin, target, promotion)

    cdef int find_uci(self, str text) except -2:
        cdef Move move = Move.from_uci(text)
        return self.find_code(move.from_square, move.to_square, move.promotion or 0)

    cdef object illegal(self, move):
        return move_error(IllegalMoveError, f"illegal move: {move} in {self.fen()}")

    cdef Move convert(self, move):
        cdef int code = self.find_object(move)
        if code < 0:
            raise self.illegal(move)
        return intern_move(<MoveC>code, self.chess960)

    cdef MoveC convert_any(self, move) except? NULL_MOVE:
        """The code of a legal or a null move."""
        cdef int code = self.find_object(move)
        if code >= 0:
            return <MoveC>code
        if move:
            raise self.illegal(move)
        if self.pos.checkers:
            raise move_error(IllegalMoveError, f"no null move in check: {self.fen()}")
        return NULL_MOVE

    def is_legal(self, move):
        """Is this Move, `chess.Move` or UCI text legal here?"""
        if isinstance(move, str):
            return move != "0000" and self.find_uci(move) >= 0
        return self.find_object(move) >= 0

    def find_move(self, from_square, to_square, promotion=None):
        """The legal move between two squares; a pawn becomes a queen unless told otherwise."""
        cdef int origin = as_square(from_square), target = as_square(to_square)
        cdef int code
        if (promotion is None and self.pos.squares[origin] == PAWN
                and bit(target) & (RANK_1 | RANK_8)):
            promotion = QUEEN + 1
        code = self.find_code(origin, target, promotion or 0)
        if code < 0:
            raise self.illegal(square_name(origin) + square_name(target))
        return intern_move(<MoveC>code, self.chess960)

    # ---- what a move does; it must be legal or close to it, as in python-chess

    def is_en_passant(self, move):
        """Does this move take a pawn en passant?"""
        cdef int origin = as_square(move.from_square), target = as_square(move.to_square)
        return (target == self.pos.en_passant and self.pos.squares[origin] == PAWN
                and file_of(origin) != file_of(target))

    cdef bint touches(self, move, u64 squares) except -1:
        return ((bit(as_square(move.from_square)) ^ bit(as_square(move.to_square))) & squares) != 0

    def is_capture(self, move):
        """Does this move take something?"""
        return (self.touches(move, self.pos.colours[self.pos.side ^ 1])
                or self.is_en_passant(move))

    def is_zeroing(self, move):
        """Does this move take something or move a pawn, which sets the halfmove clock to zero?"""
        return self.touches(move, self.pos.colours[self.pos.side ^ 1] | self.pos.pieces[PAWN])

    def is_irreversible(self, move):
        """Can no position before this move come again after it?"""
        cdef u64 kings = self.pos.pieces[KING]
        cdef u64 rights = self.pos.castling_rooks
        cdef u64 losing = rights
        if rights & RANK_1:
            losing |= kings & self.pos.colours[WHITE]
        if rights & RANK_8:
            losing |= kings & self.pos.colours[BLACK]
        return (self.is_zeroing(move) or self.touches(move, losing)
                or self.pos.en_passant != NO_SQUARE)

    def is_castling(self, move):
        """Is this move castling, in either notation?"""
        cdef int origin = as_square(move.from_square), target = as_square(move.to_square)
        cdef int files = file_of(origin) - file_of(target)
        if self.pos.squares[origin] != KING:
            return False
        return (files > 1 or files < -1
                or (self.pos.pieces[ROOK] & self.pos.colours[self.pos.side] & bit(target)) != 0)

    def is_kingside_castling(self, move):
        """Is this move castling to the h-file's side?"""
        return self.is_castling(move) and (move.to_square & 7) > (move.from_square & 7)

    def is_queenside_castling(self, move):
        """Is this move castling to the a-file's side?"""
        return self.is_castling(move) and (move.to_square & 7) < (move.from_square & 7)

    def gives_check(self, move):
        """Does this legal move give check?"""
        cdef PositionC after
        cdef MoveC code = self.convert_any(move)
        if code == NULL_MOVE:
            return False
        make_move(&after, &self.pos, code)
        return after.checkers != 0

    # ---- UCI and XBoard

    def parse_uci(self, str uci not None):
        """The legal move that a UCI text names; castling in either notation."""
        cdef int code
        if uci == "0000":
            return intern_move(NULL_MOVE, self.chess960)
        code = self.find_uci(uci)
        if code < 0:
            raise self.illegal(uci)
        return intern_move(<MoveC>code, self.chess960)

    def uci(self, move, *, chess960=None):
        """The UCI text of a move; castling as this board plays it, or as asked for."""
        cdef MoveC code = self.convert_any(move)
        return intern_move(code, self.chess960 if chess960 is None else chess960).uci()

    def xboard(self, move, chess960=None):
        """The XBoard text of a move."""
        cdef MoveC code = self.convert_any(move)
        if (self.chess960 if chess960 is None else chess960) and move_kind(code) == CASTLING:
            return "O-O" if move_to(code) > move_from(code) else "O-O-O"
        return standard_move(code).xboard()

    def parse_xboard(self, str xboard not None):
        """The legal move that an XBoard text names."""
        return self.parse_san(xboard)

    # ---- SAN

    cdef MoveC read(self, str text) except? NULL_MOVE:
        """The legal or null move that a SAN text names."""
        cdef Py_ssize_t length
        cdef MoveC move
        cdef SanError error = SAN_MALFORMED
        if text.isascii():  # what is not may have no UTF-8 either
            error = read_san(&move, &self.pos, PyUnicode_AsUTF8AndSize(text, &length), length)
        if error == SAN_OK:
            return move
        if error == SAN_MALFORMED:
            raise move_error(InvalidMoveError, f"not a move in SAN: {text!r}")
        if error == SAN_AMBIGUOUS:
            raise move_error(AmbiguousMoveError, f"ambiguous move: {text!r} in {self.fen()}")
        raise move_error(IllegalMoveError, f"illegal move: {text!r} in {self.fen()}")

    def parse_san(self, str san not None):
        """The legal move that a SAN text names, or a null move for `--`.

        Too much may be said (Ng1f3, e2e4), check signs may be missing or wrong, castling may have
        zeros, a promotion needs no `=`. What is wrong is an InvalidMoveError, an IllegalMoveError
        or an AmbiguousMoveError, which python-chess's errors of these names catch too.
        """
        cdef MoveC move = self.read(san)
        return intern_move(move, self.chess960)

    cdef str algebraic(self, move, bint long_form):
        cdef char text[MAX_SAN_LENGTH]
        cdef PositionC after
        cdef MoveC code = self.convert_any(move)
        return text_of(text, write_san(text, &self.pos, code, long_form, &after))

    def san(self, move):
        """The SAN of a legal or a null move."""
        return self.algebraic(move, False)

    def lan(self, move):
        """The SAN of a move with the whole square that it comes from: Ng1-f3."""
        return self.algebraic(move, True)

    def variation_san(self, variation):
        """The SAN of moves played one after the other, numbered: `1. e4 e5 2. Nf3`."""
        cdef char text[MAX_SAN_LENGTH]
        cdef MoveBoard board = MoveBoard.__new__(MoveBoard)
        cdef PositionC after
        cdef int length
        words = []
        board.pos = self.pos
        board.chess960 = self.chess960
        for move in variation:
            length = write_san(text, &board.pos, board.convert(move).code, False, &after)
            san = text_of(text, length)
            if board.pos.side == WHITE:
                san = f"{board.pos.fullmove}. {san}"
            elif not words:
                san = f"{board.pos.fullmove}...{san}"
            words.append(san)
            board.pos = after
        return " ".join(words)


cdef MoveC* keep_kind(MoveC* first, MoveC* end, int kind) noexcept nogil:
    """Only the moves of a kind; CAPTURE stands for captures of every kind."""
    cdef MoveC* kept = first
    while first < end:
        if move_kind(first[0]) == kind or (kind == CAPTURE and move_kind(first[0]) & CAPTURE):
            kept[0] = first[0]
            kept += 1
        first += 1
    return kept
