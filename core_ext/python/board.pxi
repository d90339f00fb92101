# What Python sees of a position with its game: the Board.

cdef extern from *:
    u64 flip_ranks "__builtin_bswap64"(u64) noexcept nogil


cdef void clean_castling(PositionC* pos, bint chess960) noexcept nogil:
    """Keep the castling rights that kings and rooks are in place for."""
    cdef int colour, king
    cdef u64 rooks = 0
    for colour in range(2):
        king = king_square(pos, colour)
        if king_may_castle(pos, colour) and (chess960 or king == (4 if colour == WHITE else 60)):
            rooks |= pos.pieces[ROOK] & pos.colours[colour] & back_rank(colour)
    if not chess960:
        rooks &= FILE_A | FILE_H
    pos.castling_rooks &= rooks


cdef bint has_one_man_a_square(const PositionC* pos) noexcept nogil:
    """Do the bitboards of kinds and those of colours each part the same squares among them?"""
    cdef u64 men = 0
    cdef int kind, count = 0
    for kind in range(6):
        men |= pos.pieces[kind]
        count += popcount(pos.pieces[kind])
    return (men == occupied(pos) and count == popcount(men)
            and not pos.colours[WHITE] & pos.colours[BLACK])


cdef u8 square_of(u64 squares) noexcept nogil:
    """The one square of a bitboard, or NO_SQUARE."""
    return <u8>lowest(squares) if squares and not several(squares) else NO_SQUARE


cdef Board board_of_chess(other):
    """The position of a `chess.Board`; None of anything else, and of what chess does not allow."""
    theirs = getattr(sys.modules.get("chess"), "Board", None)
    if theirs is None or not isinstance(other, theirs) or other.uci_variant != "chess":
        return None
    try:
        return Board(other.fen(shredder=other.chess960), chess960=other.chess960)
    except ValueError:
        return None


cdef class Board(GameBoard):
    """A chess position with the moves that led to it.

    Board()                         the start position
    Board(fen, chess960=False)      any position; X-FEN and Shredder-FEN are understood
    Board(board)                    a copy of a Board or of a `chess.Board`, moves included

    It has the methods of a `chess.Board`, equals one that says the same, and is always a position that chess allows: what would
    make it something else is a ValueError. Like a `chess.Board` it can be changed, so it has no
    hash: `board.key` or `board.epd()` are what to keep in a set. `board.chess960` tells whether
    castling is written as in Chess960.
    """

    uci_variant = "chess"
    xboard_variant = "normal"
    starting_fen = START_FEN

    def __init__(self, position=START_FEN, *, bint chess960=False):
        """An error leaves the board as it was."""
        if isinstance(position, str):
            self.set_up(position, chess960)
        elif isinstance(position, Board):
            self.take_over(<Board>position, (<Board>position).length)
            self.chess960 |= chess960
        elif hasattr(position, "move_stack") and hasattr(position, "root"):
            self.take_over_chess(position, chess960)
        else:
            raise TypeError(f"a FEN or a board is needed, not {type(position).__name__}")

    cdef int set_up(self, str fen, bint chess960) except -1:
        cdef PositionC pos
        load_fen(&pos, fen)
        if not chess960 and needs_chess960(&pos):
            raise ValueError("bad FEN, castling field: these rights exist only in Chess960, "
                             f"which was not asked for: {fen!r}")
        self.pos = pos
        self.chess960 = chess960
        self.length = 0
        return 0

    cdef int take_over(self, Board other, int kept) except -1:
        """The other's position with so many of its last moves."""
        cdef int first = other.length - kept
        if other is self and first == 0:
            return 0
        self.reserve(kept)
        self.pos = other.pos
        self.chess960 = other.chess960
        if kept > 0:
            memcpy(self.before, other.before + first, kept * sizeof(PositionC))
            memcpy(self.played, other.played + first, kept * sizeof(MoveC))
        self.length = kept
        return 0

    cdef int take_over_chess(self, board, bint chess960) except -1:
        cdef Board copy
        if board.uci_variant != "chess":
            raise ValueError(f"only standard chess and Chess960, not {board.uci_variant}")
        copy = Board(board.root().fen(en_passant="fen"), chess960=chess960 or board.chess960)
        for move in board.move_stack:
            copy.push(move)
        return self.take_over(copy, copy.length)

    # ---- python-chess

    @classmethod
    def from_chess(cls, board):
        """The Board of a `chess.Board`, with its moves."""
        return cls(board)

    def to_chess(self, *, bint stack=True):
        """The `chess.Board` of this position, with its moves unless `stack` is false."""
        cdef PositionC* root = self.before if stack and self.length else &self.pos
        board = python_chess().Board(self.write(root, False), chess960=self.chess960)
        if stack:
            for move in self.move_stack:
                board.push(move.to_chess())
        return board

    # ---- set up and changed; what is set up anew forgets its moves

    @classmethod
    def from_epd(cls, str epd not None, *, bint chess960=False):
        """The Board of an EPD line, and the dictionary of its operations."""
        board = cls(chess960=chess960)
        return board, board.set_epd(epd)

    @classmethod
    def from_chess960_pos(cls, scharnagl):
        """One of the 960 starting positions, by its number."""
        board = cls()
        board.set_chess960_pos(scharnagl)
        return board

    cdef int install(self, PositionC* changed) except -1:
        """Take over what an edit has made, if chess allows it; rights that are gone are dropped."""
        cdef FenError error = check_men(changed, WHITE)
        if error == FEN_OK:
            error = check_men(changed, BLACK)
        if error == FEN_OK:
            error = finish_position(changed)
        if error != FEN_OK:
            raise ValueError(f"this change leaves no chess position: {FEN_COMPLAINTS[error][1]}")
        clean_castling(changed, self.chess960)
        if not (castling_is_possible(changed, WHITE) and castling_is_possible(changed, BLACK)):
            raise ValueError("this change leaves two rooks on one wing with castling rights")
        if not en_passant_is_possible(changed):
            changed.en_passant = NO_SQUARE
        derive_keys(changed)
        self.pos = changed[0]
        self.length = 0
        return 0

    def reset(self):
        """Back to the start position."""
        self.pos = START_POSITION
        self.length = 0

    def set_fen(self, str fen not None):
        """Set a position up."""
        cdef Board board = Board(fen, chess960=self.chess960)
        self.pos = board.pos
        self.length = 0

    def set_board_fen(self, str fen not None):
        """Set the pieces up, with what is left of castling rights."""
        cdef PositionC changed
        load_fen(&changed, f"{fen} {'w' if self.turn else 'b'} - - "
                           f"{self.pos.rule50} {self.pos.fullmove}")
        changed.castling_rooks = self.pos.castling_rooks
        self.install(&changed)

    def set_castling_fen(self, str castling_fen not None):
        """Set the castling rights, as in a FEN."""
        fields = self.fen().split()
        fields[2] = castling_fen or "-"
        self.set_fen(" ".join(fields))

    def set_epd(self, str epd not None):
        """Set an EPD line's position up; the dictionary of its operations."""
        board = python_chess().Board(chess960=self.chess960)
        operations = board.set_epd(epd)
        self.set_fen(board.fen(en_passant="fen", shredder=self.chess960))
        return operations

    def set_chess960_pos(self, scharnagl):
        """Set one of the 960 starting positions up, by its number."""
        scharnagl = checked_number("the number", scharnagl, 0, 959)
        self.chess960 = True
        self.set_fen(python_chess().Board.from_chess960_pos(scharnagl).fen(shredder=True))

    def set_piece_at(self, square, piece, promoted=False):
        """Put a `chess.Piece` on a square, or None."""
        cdef PositionC changed = self.pos
        cdef int where = as_square(square)
        if changed.squares[where] != NO_PIECE:
            remove_piece(&changed, (changed.colours[BLACK] >> where) & 1, where, False)
            changed.squares[where] = NO_PIECE
        if piece is not None:
            put_piece(&changed, as_side(piece.color),
                      checked_number("the kind", piece.piece_type, 1, 6) - 1, where)
        self.install(&changed)

    def remove_piece_at(self, square):
        """Take the piece from a square, and return it."""
        piece = self.piece_at(square)
        self.set_piece_at(square, None)
        return piece

    def set_piece_map(self, pieces):
        """Set the pieces up from {square: `chess.Piece`}."""
        board = python_chess().BaseBoard.empty()
        board.set_piece_map(pieces)
        self.set_board_fen(board.board_fen())

    def clear_stack(self):
        """Forget the moves."""
        self.length = 0

    def apply_transform(self, f):
        """Change every bitboard by a function, such as `chess.flip_horizontal`."""
        cdef PositionC changed = self.pos
        cdef int index
        for index in range(6):
            changed.pieces[index] = f(self.pos.pieces[index])
        for index in range(2):
            changed.colours[index] = f(self.pos.colours[index])
        changed.castling_rooks = f(self.pos.castling_rooks)
        if changed.en_passant != NO_SQUARE:
            changed.en_passant = square_of(f(bit(self.pos.en_passant)))
        if not has_one_man_a_square(&changed):
            raise ValueError("the function does not map squares one to one")
        fill_squares(&changed)
        self.install(&changed)

    def transform(self, f):
        """A copy with every bitboard changed by a function."""
        cdef Board board = self.copy(stack=False)
        board.apply_transform(f)
        return board

    def apply_mirror(self):
        """The same position with colours changed: the board upside down, the other side to move."""
        cdef PositionC changed = self.pos
        cdef int index
        for index in range(6):
            changed.pieces[index] = flip_ranks(self.pos.pieces[index])
        for index in range(2):
            changed.colours[index] = flip_ranks(self.pos.colours[index ^ 1])
        changed.castling_rooks = flip_ranks(self.pos.castling_rooks)
        changed.side ^= 1
        if changed.en_passant != NO_SQUARE:
            changed.en_passant ^= 56
        fill_squares(&changed)
        self.install(&changed)

    def mirror(self):
        """A copy with colours changed."""
        cdef Board board = self.copy(stack=False)
        board.apply_mirror()
        return board

    # ---- the position and its game

    @property
    def turn(self):
        """True when White is to move, as in python-chess."""
        return self.pos.side == WHITE

    @turn.setter
    def turn(self, color):
        cdef PositionC changed = self.pos
        changed.side = <u8>as_side(color)
        self.install(&changed)

    @property
    def halfmove_clock(self):
        """The plies since a pawn was moved or something taken."""
        return self.pos.rule50

    @halfmove_clock.setter
    def halfmove_clock(self, plies):
        self.pos.rule50 = checked_number("the halfmove clock", plies, 0, MAX_HALFMOVE)
        self.length = 0

    @property
    def fullmove_number(self):
        """The number of the move to be played, from 1 on."""
        return self.pos.fullmove

    @fullmove_number.setter
    def fullmove_number(self, number):
        self.pos.fullmove = checked_number("the move number", number, 1, MAX_FULLMOVE)
        self.length = 0

    @property
    def castling_rights(self):
        """The bitboard of the rooks that may still castle."""
        return self.pos.castling_rooks

    @castling_rights.setter
    def castling_rights(self, rooks):
        cdef PositionC changed = self.pos
        changed.castling_rooks = as_mask(rooks, 0)
        self.install(&changed)

    @property
    def ep_square(self):
        """The square of a legal en-passant capture, or None."""
        return None if self.pos.en_passant == NO_SQUARE else self.pos.en_passant

    @ep_square.setter
    def ep_square(self, square):
        cdef PositionC changed = self.pos
        changed.en_passant = NO_SQUARE if square is None else <u8>as_square(square)
        self.install(&changed)

    def ply(self):
        """The plies since the start of the game, by the move number and the side to move."""
        return 2 * (self.pos.fullmove - 1) + (self.pos.side == BLACK)

    def root(self):
        """A Board of the position before the first move."""
        cdef Board board = self.copy(stack=False)
        if self.length:
            board.pos = self.before[0]
        return board

    def epd(self, *, bint shredder=False, str en_passant="legal", promoted=None, **operations):
        """The EPD line: the FEN without its counters, and operations (`bm=move`, `id="name"`)."""
        text = self.fen(shredder=shredder, en_passant=en_passant).rsplit(" ", 2)[0]
        if not operations:
            return text
        board = self.to_chess(stack=False)
        return f"{text} {board.epd(**operations)[len(board.epd()) + 1:]}"

    def chess960_pos(self, **options):
        """The number of this Chess960 starting position, or None; the options are python-chess's."""
        return self.to_chess(stack=False).chess960_pos(**options)

    def status(self):
        """What python-chess finds wrong with the position: next to nothing, it was checked."""
        return self.to_chess(stack=False).status()

    def is_valid(self):
        """Does python-chess, too, find nothing wrong with the position?"""
        return self.to_chess(stack=False).is_valid()

    def is_into_check(self, move):
        """Would this move, legal but for that, leave its own king in check?"""
        return self.find_object(move) < 0 and self.to_chess(stack=False).is_into_check(move)

    # ---- perft

    def perft(self, depth, threads=1, hash_mb=0):
        """The number of move sequences of this length."""
        run = PerftRun(self, depth, PerftTable(hash_mb))
        run.run(threads)
        return run.nodes

    def divide(self, depth, threads=1, hash_mb=0):
        """The perft of each legal move: {move: count}."""
        run = PerftRun(self, depth, PerftTable(hash_mb))
        run.run(threads)
        return {move: nodes for move, nodes, _ in run.divide()}

    # ---- as a Python object

    def copy(self, *, stack=True):
        """A copy with all moves played, the last few, or none; of the same class."""
        cdef Board board = type(self).__new__(type(self))
        cdef int kept = self.length
        if stack is not True:
            kept = max(0, min(checked_number("stack", stack, -sys.maxsize, sys.maxsize), self.length))
        board.take_over(self, kept)
        return board

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    def __eq__(self, other):
        cdef Board same = other if isinstance(other, Board) else board_of_chess(other)
        if same is None:
            return NotImplemented
        cdef PositionC* theirs = &same.pos
        return (same_position(&self.pos, theirs) and self.pos.rule50 == theirs.rule50
                and self.pos.fullmove == theirs.fullmove)

    __hash__ = None

    def __reduce__(self):
        cdef int index
        root = self.write(self.before if self.length else &self.pos, True)
        codes = [self.played[index] for index in range(self.length)]
        return _restore_board, (root, self.chess960, codes)

    def __repr__(self):
        mode = ", chess960=True" if self.chess960 else ""
        return f"Board({self.fen()!r}{mode})"

    def _repr_svg_(self):
        """The picture that notebooks show, with the last move and check marked."""
        import chess.svg
        return chess.svg.board(
            self.to_chess(stack=False), size=390,
            lastmove=self.peek().to_chess() if self.length else None,
            check=king_square(&self.pos, self.pos.side) if self.pos.checkers else None)

    # ---- for tests of the core

    def _state_bytes(self):
        return (<char*>&self.pos)[:sizeof(PositionC)]

    def _check(self):
        assert is_consistent(&self.pos), f"inconsistent position: {self.fen()}"

    def _is_legal_code(self, MoveC code):
        return is_legal_move(&self.pos, code)

    def _generate(self, int wanted):
        """The moves of one part of the generator: 1 noisy, 2 quiet, 3 all."""
        cdef MoveC moves[MAX_MOVES]
        cdef MoveC* end
        if wanted == NOISY:
            end = generate_noisy(moves, &self.pos)
        elif wanted == QUIETS:
            end = generate_quiets(moves, &self.pos)
        else:
            end = generate_legal(moves, &self.pos)
        return list_moves(moves, end, self.chess960)


def _restore_board(str root, bint chess960, codes):
    cdef Board board = Board(root, chess960=chess960)
    cdef MoveC code
    for code in codes:
        if code == NULL_MOVE:
            board.push_null()
            continue
        if not is_legal_move(&board.pos, code):
            raise ValueError("the pickled game has an illegal move")
        board.play(code)
    return board
