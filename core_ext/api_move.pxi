# What Python sees of a move. Moves are interned: a list of legal moves is a list of pointers.

from cpython.list cimport PyList_New, PyList_SET_ITEM
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF

cdef PyObject* MOVES[2][65536]  # standard chess, Chess960; made when first asked for



cdef object checked_number(str name, value, low, high):
    """A whole number in a range, or one sentence about what is wrong with it."""
    try:
        number = value.__index__()
    except AttributeError:
        raise TypeError(f"{name} must be a whole number, not {type(value).__name__}") from None
    if not low <= number <= high:
        raise ValueError(f"{name} must be from {low} to {high}, not {number}")
    return number


cdef str square_name(int square):
    return chr(c'a' + file_of(square)) + chr(c'1' + rank_of(square))


cdef class Move:
    """A legal move of some board.

    Squares run from 0 (a1) to 63 (h8), pieces from 1 (pawn) to 6 (king), as in python-chess; a move
    equals the `chess.Move` that says the same, and has its hash. Castling goes to the king's new
    square on a standard board and to the rook's square on a Chess960 board.
    """
    cdef readonly int from_square
    cdef readonly int to_square
    cdef readonly object promotion
    cdef readonly int code
    cdef str text
    cdef Py_hash_t hash_value

    def __init__(self):
        raise TypeError("moves come from a board: Board.legal_moves(), Board.parse_uci()")

    def uci(self):
        """The move as UCI writes it."""
        return self.text

    def __str__(self):
        return self.text

    def __repr__(self):
        return f"<Move {self.text}>"

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

    def __reduce__(self):
        return _restore_move, (self.code, self is not standard_move(self.code))


cdef Move new_move(MoveC code, bint chess960):
    cdef Move move = Move.__new__(Move)
    cdef int target = move_to(code)
    move.code = code
    move.from_square = move_from(code)
    if move_kind(code) == CASTLING and not chess960:
        target = (target & 56) + (6 if target > move.from_square else 2)
    move.to_square = target
    move.promotion = promoted_piece(code) + 1 if is_promotion(code) else None
    if code == NULL_MOVE:
        move.text = "0000"
    else:
        move.text = square_name(move.from_square) + square_name(target)
    if move.promotion is not None:
        move.text += chr(PIECE_LETTERS[6 + promoted_piece(code)])
    move.hash_value = hash((move.from_square, move.to_square, move.promotion, None))
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


def _restore_move(MoveC code, bint chess960):
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
