# What Python sees of a position: a Board with its game so far.

from cpython.buffer cimport PyBUF_FORMAT, PyBUF_WRITABLE

cdef enum:
    FIRST_CAPACITY = 16


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


cdef class Board:
    """A chess position with the moves that led to it.

    Board()                         the start position
    Board(fen, chess960=False)      any position; X-FEN and Shredder-FEN are understood
    Board(board)                    a copy of a Board or of a `chess.Board`, moves included
    """
    cdef PositionC pos          # at a fixed place: `bitboards` is a view of it
    cdef PositionC* before      # the positions before each move played
    cdef MoveC* played
    cdef int length
    cdef int capacity
    cdef readonly bint chess960

    def __cinit__(self):
        self.before = NULL
        self.played = NULL
        self.pos = START_POSITION

    def __dealloc__(self):
        free(self.before)
        free(self.played)

    def __init__(self, position=START_FEN, *, bint chess960=False):
        self.length = 0
        if isinstance(position, str):
            self.set_up(position, chess960)
        elif isinstance(position, Board):
            self.take_over(<Board>position)
            self.chess960 |= chess960
        elif hasattr(position, "move_stack") and hasattr(position, "root"):
            self.take_over_chess(position, chess960)
        else:
            raise TypeError(f"a FEN or a board is needed, not {type(position).__name__}")

    cdef int set_up(self, str fen, bint chess960) except -1:
        load_fen(&self.pos, fen)
        self.chess960 = chess960
        if not chess960 and needs_chess960(&self.pos):
            raise ValueError("bad FEN, castling field: these rights exist only in Chess960, "
                             f"which was not asked for: {fen!r}")
        return 0

    cdef int take_over(self, Board other) except -1:
        self.reserve(other.length)
        self.pos = other.pos
        self.chess960 = other.chess960
        if other.length:
            memcpy(self.before, other.before, other.length * sizeof(PositionC))
            memcpy(self.played, other.played, other.length * sizeof(MoveC))
        self.length = other.length
        return 0

    cdef int take_over_chess(self, board, bint chess960) except -1:
        if board.uci_variant != "chess":
            raise ValueError(f"only standard chess and Chess960, not {board.uci_variant}")
        self.set_up(board.root().fen(en_passant="fen"), chess960 or board.chess960)
        for move in board.move_stack:
            self.push(move)
        return 0

    cdef int reserve(self, int length) except -1:
        """Room for so many moves."""
        cdef int capacity = max(self.capacity, FIRST_CAPACITY)
        cdef void* grown
        if length <= self.capacity:
            return 0
        while capacity < length:
            capacity *= 2
        grown = realloc(self.before, capacity * sizeof(PositionC))
        if grown == NULL:
            raise MemoryError("no memory for a longer game")
        self.before = <PositionC*>grown
        grown = realloc(self.played, capacity * sizeof(MoveC))
        if grown == NULL:
            raise MemoryError("no memory for a longer game")
        self.played = <MoveC*>grown
        self.capacity = capacity
        return 0

    # ---- python-chess

    @classmethod
    def from_chess(cls, board):
        """The Board of a `chess.Board`, with its moves."""
        return cls(board)

    def to_chess(self, *, bint stack=True):
        """The `chess.Board` of this position, with its moves unless `stack` is false."""
        import chess
        cdef PositionC* root = self.before if stack and self.length else &self.pos
        board = chess.Board(self.write(root, False), chess960=self.chess960)
        if stack:
            for move in self.move_stack:
                board.push(chess.Move(move.from_square, move.to_square, move.promotion))
        return board

    # ---- the position

    cdef str write(self, const PositionC* pos, bint shredder):
        cdef char text[MAX_FEN_LENGTH]
        cdef int length = write_fen(pos, text, shredder)
        return text[:length].decode("ascii")

    def fen(self, *, bint shredder=False):
        """The FEN, with X-FEN castling letters, or file letters if `shredder`.

        The en-passant square is given only when a pawn can legally capture there.
        """
        return self.write(&self.pos, shredder)

    @property
    def turn(self):
        """True when White is to move, as in python-chess."""
        return self.pos.side == WHITE

    @property
    def halfmove_clock(self):
        return self.pos.rule50

    @property
    def fullmove_number(self):
        return self.pos.fullmove

    @property
    def ep_square(self):
        """The square of a legal en-passant capture, or None."""
        return None if self.pos.en_passant == NO_SQUARE else self.pos.en_passant

    @property
    def castling_rooks(self):
        """The bitboard of the rooks that may still castle."""
        return self.pos.castling_rooks

    @property
    def checkers(self):
        """The bitboard of the pieces that give check."""
        return self.pos.checkers

    @property
    def key(self):
        """The Zobrist key: equal for equal positions, whatever the move counters say."""
        return self.pos.key

    @property
    def pawn_key(self):
        return self.pos.pawn_key

    @property
    def ply(self):
        """How many moves this board has seen."""
        return self.length

    @property
    def move_stack(self):
        return list_moves(self.played, self.played + self.length, self.chess960)

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

    def piece_at(self, square):
        """The letter of the piece on a square, as in a FEN, or None."""
        return self.piece_letter(checked_number("the square", square, 0, 63))

    cdef object piece_letter(self, int square):
        if self.pos.squares[square] == NO_PIECE:
            return None
        return chr(PIECE_LETTERS[self.pos.squares[square]
                                 + 6 * ((self.pos.colours[BLACK] >> square) & 1)])

    # ---- moves

    def legal_moves(self):
        """All legal moves."""
        cdef MoveC moves[MAX_MOVES]
        return list_moves(moves, generate_legal(moves, &self.pos), self.chess960)

    def legal_count(self):
        """The number of legal moves, with no list made."""
        return count_legal(&self.pos)

    cdef int find_move(self, int origin, int target, int promotion) noexcept:
        """The code of the legal move between two squares; castling in either notation; or -1.

        The promotion is python-chess's number, or 0.
        """
        cdef MoveC moves[MAX_MOVES]
        cdef MoveC* end = generate_legal(moves, &self.pos)
        cdef MoveC* move = moves
        cdef int castling = -1, king_target
        while move < end:
            if move_from(move[0]) == origin:
                if move_kind(move[0]) == CASTLING:
                    king_target = (origin & 56) + (6 if move_to(move[0]) > origin else 2)
                    if target == king_target or target == move_to(move[0]):
                        castling = move[0]
                elif (move_to(move[0]) == target
                      and promotion == (promoted_piece(move[0]) + 1
                                        if is_promotion(move[0]) else 0)):
                    return move[0]
            move += 1
        return castling if promotion == 0 else -1

    cdef int find_object(self, move) except -2:
        """The code of a Move or a `chess.Move` if it is legal here, or -1."""
        if type(move) is Move and is_legal_move(&self.pos, <MoveC>(<Move>move).code):
            return (<Move>move).code
        if not hasattr(move, "from_square"):
            raise TypeError(f"a move is needed, not {type(move).__name__}")
        if getattr(move, "drop", None) is not None:
            return -1
        try:
            return self.find_move(move.from_square, move.to_square, move.promotion or 0)
        except OverflowError:
            return -1

    cdef int find_uci(self, str text) except -2:
        cdef int promotion = 0
        if (len(text) < 4 or len(text) > 5 or not is_square(text[0:2]) or not is_square(text[2:4])
                or (len(text) == 5 and text[4] not in "nbrq")):
            raise ValueError(f"not a move in UCI notation: {text!r}")
        if len(text) == 5:
            promotion = "nbrq".index(text[4]) + 2
        return self.find_move(parse_square(text[0:2]), parse_square(text[2:4]), promotion)

    cdef object illegal(self, move):
        return ValueError(f"illegal move: {move} in {self.fen()}")

    def parse_uci(self, str text not None):
        """The legal move that a UCI text names; castling in either notation."""
        cdef int code
        if text == "0000":
            return intern_move(NULL_MOVE, self.chess960)
        code = self.find_uci(text)
        if code < 0:
            raise self.illegal(text)
        return intern_move(<MoveC>code, self.chess960)

    def parse_san(self, str text not None):
        """The legal move that a SAN text names."""
        return self.convert(self.to_chess(stack=False).parse_san(text))

    def san(self, move):
        """The SAN of a legal move."""
        cdef Move legal = self.convert(move)
        import chess
        return self.to_chess(stack=False).san(
            chess.Move(legal.from_square, legal.to_square, legal.promotion))

    cdef Move convert(self, move):
        cdef int code = self.find_object(move)
        if code < 0:
            raise self.illegal(move)
        return intern_move(<MoveC>code, self.chess960)

    def is_legal(self, move):
        """Is this Move, `chess.Move` or UCI text legal here?"""
        if isinstance(move, str):
            return move != "0000" and self.find_uci(move) >= 0
        return self.find_object(move) >= 0

    cdef int play(self, MoveC move) except -1:
        self.reserve(self.length + 1)
        self.before[self.length] = self.pos
        self.played[self.length] = move
        if move == NULL_MOVE:
            make_null_move(&self.pos, &self.before[self.length])
        else:
            make_move(&self.pos, &self.before[self.length], move)
        self.length += 1
        return 0

    def push(self, move):
        """Play a Move or a `chess.Move`."""
        cdef int code = self.find_object(move)
        if code >= 0:
            self.play(<MoveC>code)
        elif not move:
            self.push_null()
        else:
            raise self.illegal(move)

    def push_uci(self, str text not None):
        """Play the move that a UCI text names, and return it."""
        cdef Move move = self.parse_uci(text)
        self.push(move)
        return move

    def push_san(self, str text not None):
        """Play the move that a SAN text names, and return it."""
        cdef Move move = self.parse_san(text)
        self.push(move)
        return move

    def push_null(self):
        """Pass the move to the other side; not in check."""
        if self.pos.checkers:
            raise ValueError(f"no null move in check: {self.fen()}")
        self.play(NULL_MOVE)

    def pop(self):
        """Take the last move back, and return it."""
        if self.length == 0:
            raise IndexError("no move to take back")
        self.length -= 1
        self.pos = self.before[self.length]
        return intern_move(self.played[self.length], self.chess960)

    # ---- verdicts

    def is_check(self):
        return self.pos.checkers != 0

    def is_checkmate(self):
        return self.pos.checkers != 0 and count_legal(&self.pos) == 0

    def is_stalemate(self):
        return self.pos.checkers == 0 and count_legal(&self.pos) == 0

    def is_insufficient_material(self):
        """Can neither side mate with what is left?"""
        return has_insufficient_material(&self.pos)

    def is_fifty_moves(self):
        """Fifty moves by each side with no capture or pawn move, and no mate."""
        return self.pos.rule50 >= 100 and count_legal(&self.pos) > 0

    def is_seventyfive_moves(self):
        return self.pos.rule50 >= 150 and count_legal(&self.pos) > 0

    def is_repetition(self, int count=3):
        """Has this position been on the board so many times, now included?"""
        cdef int index = self.length - 2
        cdef int oldest = max(0, self.length - self.pos.rule50)
        while index >= oldest and count > 1:
            if same_position(&self.before[index], &self.pos):
                count -= 1
            index -= 2
        return count <= 1

    def is_fivefold_repetition(self):
        return self.is_repetition(5)

    def outcome(self, *, bint claim_draw=False):
        """The `chess.Outcome` of a finished game, or None; draws by claim only if asked for."""
        import chess
        if self.is_checkmate():
            return chess.Outcome(chess.Termination.CHECKMATE, not self.turn)
        if self.is_insufficient_material():
            return chess.Outcome(chess.Termination.INSUFFICIENT_MATERIAL, None)
        if self.is_stalemate():
            return chess.Outcome(chess.Termination.STALEMATE, None)
        if self.is_seventyfive_moves():
            return chess.Outcome(chess.Termination.SEVENTYFIVE_MOVES, None)
        if self.is_fivefold_repetition():
            return chess.Outcome(chess.Termination.FIVEFOLD_REPETITION, None)
        return self.to_chess().outcome(claim_draw=True) if claim_draw else None

    def is_game_over(self, *, bint claim_draw=False):
        return self.outcome(claim_draw=claim_draw) is not None

    def result(self, *, bint claim_draw=False):
        """1-0, 0-1, 1/2-1/2, or * for a game that goes on."""
        outcome = self.outcome(claim_draw=claim_draw)
        return "*" if outcome is None else outcome.result()

    # ---- perft

    def perft(self, depth, threads=1, hash_mb=0):
        """The number of move sequences of this length."""
        run = PerftRun(self, depth, hash_mb)
        run.run(threads)
        return run.nodes

    def divide(self, depth, threads=1, hash_mb=0):
        """The perft of each legal move: {move: count}."""
        run = PerftRun(self, depth, hash_mb)
        run.run(threads)
        return {move: nodes for move, nodes, _ in run.divide()}

    # ---- as a Python object

    def copy(self):
        return Board(self)

    __copy__ = copy

    def __deepcopy__(self, memo):
        return Board(self)

    def __eq__(self, other):
        if not isinstance(other, Board):
            return NotImplemented
        cdef PositionC* theirs = &(<Board>other).pos
        return (same_position(&self.pos, theirs) and self.pos.rule50 == theirs.rule50
                and self.pos.fullmove == theirs.fullmove)

    def __hash__(self):
        return hash(self.pos.key)

    def __reduce__(self):
        cdef int index
        root = self.write(self.before if self.length else &self.pos, True)
        codes = [self.played[index] for index in range(self.length)]
        return _restore_board, (root, self.chess960, codes)

    def __str__(self):
        """The board as seen by White, one rank a line."""
        rows = []
        for rank in range(7, -1, -1):
            rows.append(" ".join(self.piece_letter(8 * rank + file) or "." for file in range(8)))
        return "\n".join(rows)

    def __repr__(self):
        mode = ", chess960=True" if self.chess960 else ""
        return f"Board({self.fen()!r}{mode})\n{self}"

    def _repr_svg_(self):
        """The picture that notebooks show."""
        return self.to_chess(stack=False)._repr_svg_()

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


cdef Py_ssize_t[1] BITBOARDS_SHAPE
cdef Py_ssize_t[1] BITBOARDS_STRIDES
BITBOARDS_SHAPE[0] = 8
BITBOARDS_STRIDES[0] = sizeof(u64)


cdef bint is_square(str text):
    return len(text) == 2 and "a" <= text[0] <= "h" and "1" <= text[1] <= "8"


cdef int parse_square(str text):
    return (ord(text[0]) - c'a') + 8 * (ord(text[1]) - c'1')


def _restore_board(str root, bint chess960, codes):
    cdef Board board = Board(root, chess960=chess960)
    cdef MoveC code
    for code in codes:
        if code != NULL_MOVE and not is_legal_move(&board.pos, code):
            raise ValueError("the pickled game has an illegal move")
        board.play(code)
    return board
