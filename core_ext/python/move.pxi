# What Python sees of a move. Moves are interned: a list of legal moves is a list of pointers.

from cpython.list cimport PyList_New, PyList_SET_ITEM
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF

cdef PyObject* MOVES[2][65536]  # standard chess, Chess960; made when first asked for


cdef str square_name(int square):
    return chr(c'a' + file_of(square)) + chr(c'1' + rank_of(square))


cdef bint is_square(str text):
    return len(text) == 2 and "a" <= text[0] <= "h" and "1" <= text[1] <= "8"


cdef int parse_square(str text):
    return (ord(text[0]) - c'a') + 8 * (ord(text[1]) - c'1')


cdef class Move:
    """A move: Move(from_square, to_square, promotion=None), or one that a board has given.

    Squares run from 0 (a1) to 63 (h8), pieces from 1 (pawn) to 6 (king), as in python-chess; a move
    equals the `chess.Move` that says the same, has its hash, and goes wherever that goes, also where
    it is asked for by `isinstance`. Castling goes to the king's new square on a standard board and to the rook's square on a Chess960 board.
    """
    cdef readonly int from_square
    cdef readonly int to_square
    cdef readonly object promotion
    cdef readonly int code
    cdef str text
    cdef Py_hash_t hash_value

    @property
    def __class__(self):
        """What `isinstance` takes it for, besides a Move: python-chess asks so now and then."""
        return getattr(sys.modules.get("chess"), "Move", Move)

    __match_args__ = ("from_square", "to_square", "promotion", "drop")

    def __cinit__(self, from_square, to_square, promotion=None, drop=None):
        cdef int kind = QUIET
        if drop is not None:
            raise ValueError("no pieces are dropped in chess")
        self.from_square = checked_number("from_square", from_square, 0, 63)
        self.to_square = checked_number("to_square", to_square, 0, 63)
        if promotion is not None:
            promotion = checked_number("promotion", promotion, KNIGHT + 1, QUEEN + 1)
            kind = PROMOTION | (promotion - KNIGHT - 1)
        self.promotion = promotion
        self.code = encode_move(self.from_square, self.to_square, kind)
        self.text = "0000"
        if self.code != NULL_MOVE:
            self.text = square_name(self.from_square) + square_name(self.to_square)
        if promotion is not None:
            self.text += chr(PIECE_LETTERS[6 + promoted_piece(<MoveC>self.code)])
        self.hash_value = hash((self.from_square, self.to_square, promotion, None))

    @staticmethod
    def from_uci(str uci not None):
        """The move that a UCI text names, on whatever board."""
        cdef int kind = QUIET
        if uci == "0000":
            return standard_move(NULL_MOVE)
        if (not 4 <= len(uci) <= 5 or not is_square(uci[0:2]) or not is_square(uci[2:4])
                or uci[0:2] == uci[2:4] or (len(uci) == 5 and uci[4] not in "nbrq")):
            raise move_error(InvalidMoveError, f"not a move in UCI notation: {uci!r}")
        if len(uci) == 5:
            kind = PROMOTION | "nbrq".index(uci[4])
        return standard_move(encode_move(parse_square(uci[0:2]), parse_square(uci[2:4]), kind))

    @staticmethod
    def null():
        """The move that passes the turn to the other side; it is false."""
        return standard_move(NULL_MOVE)

    @property
    def drop(self):
        """None: this is for programs that know variants."""
        return None

    def to_chess(self):
        """The `chess.Move` that says the same."""
        import chess
        return chess.Move(self.from_square, self.to_square, self.promotion)

    def uci(self):
        """The move as UCI writes it."""
        return self.text

    def xboard(self):
        """The move as XBoard writes it: differs from UCI in the null move."""
        return self.text if self else "@@@@"

    def __str__(self):
        return self.text

    def __repr__(self):
        return f"Move.from_uci({self.text!r})"

    def __bool__(self):
        return self.code != NULL_MOVE

    def __hash__(self):
        return self.hash_value

    def __eq__(self, other):
        if self is other:
            return True
        try:
            return (self.from_square == other.from_square and self.to_square == other.to_square
                    and self.promotion == other.promotion and getattr(other, "drop", None) is None)
        except AttributeError:
            return NotImplemented

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return move_of_code, (self.code, self is not standard_move(self.code))


cdef Move new_move(MoveC code, bint chess960):
    cdef int target = move_to(code)
    cdef Move move
    if move_kind(code) == CASTLING and not chess960:
        target = castled_king(WHITE if target < 8 else BLACK, target > move_from(code))
    move = Move.__new__(Move, move_from(code), target,
                        promoted_piece(code) + 1 if is_promotion(code) else None)
    move.code = code
    return move


cdef Move intern_move(MoveC code, bint chess960):
    cdef Move move
    if chess960 and move_kind(code) != CASTLING:
        chess960 = False  # only castling looks different
    if MOVES[chess960][code] == NULL:
        move = new_move(code, chess960)
        Py_INCREF(move)
        MOVES[chess960][code] = <PyObject*>move
    return <Move>MOVES[chess960][code]


cdef Move standard_move(MoveC code):
    return intern_move(code, False)


def move_of_code(MoveC code, bint chess960):
    """The Move with this `code`."""
    if not kind_exists(move_kind(code)) or (
            move_kind(code) == CASTLING and rank_of(move_from(code)) != rank_of(move_to(code))):
        raise ValueError(f"no move has the code {code}")
    return intern_move(code, chess960)


cdef list list_moves(const MoveC* first, const MoveC* end, bint chess960):
    cdef Py_ssize_t index, count = end - first
    cdef list moves = PyList_New(count)
    cdef Move move
    for index in range(count):
        move = intern_move(first[index], chess960)
        Py_INCREF(move)
        PyList_SET_ITEM(moves, index, move)
    return moves
