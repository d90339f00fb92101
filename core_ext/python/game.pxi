# What Python sees of a game: moves played and taken back, and what ends it.

cdef enum:
    FIRST_CAPACITY = 16

# How a game ends, in the order in which it is looked for, by python-chess's names.
cdef enum Verdict:
    GAME_GOES_ON
    BY_CHECKMATE
    BY_INSUFFICIENT_MATERIAL
    BY_STALEMATE
    BY_SEVENTYFIVE_MOVES
    BY_FIVEFOLD_REPETITION
    BY_FIFTY_MOVES
    BY_THREEFOLD_REPETITION

cdef tuple TERMINATIONS = (
    None, "CHECKMATE", "INSUFFICIENT_MATERIAL", "STALEMATE", "SEVENTYFIVE_MOVES",
    "FIVEFOLD_REPETITION", "FIFTY_MOVES", "THREEFOLD_REPETITION",
)


cdef bint cannot_win(const PositionC* pos, int colour) noexcept nogil:
    """Does this side lack what it needs to mate, however the other one plays?"""
    cdef u64 own = pos.colours[colour]
    cdef u64 bishops = pos.pieces[BISHOP]
    if own & (pos.pieces[PAWN] | pos.pieces[ROOK] | pos.pieces[QUEEN]):
        return False
    if own & pos.pieces[KNIGHT]:
        # One knight mates only a king that its own men hem in; a queen would take it.
        return (popcount(own) <= 2
                and not pos.colours[colour ^ 1] & ~(pos.pieces[KING] | pos.pieces[QUEEN]))
    if own & bishops:
        return (((bishops & DARK_SQUARES) == 0 or (bishops & ~DARK_SQUARES) == 0)
                and not pos.pieces[PAWN] | pos.pieces[KNIGHT])
    return True


cdef class GameBoard(MoveBoard):
    """The part of a Board that concerns the moves played."""
    cdef PositionC* before      # the positions before each move played
    cdef MoveC* played
    cdef int length
    cdef int capacity

    def __cinit__(self):
        self.before = NULL
        self.played = NULL

    def __dealloc__(self):
        free(self.before)
        free(self.played)

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

    # ---- moves

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
        """Play a legal Move or `chess.Move`, or a null move when not in check."""
        self.play(self.convert_any(move))

    def push_uci(self, str uci not None):
        """Play the move that a UCI text names, and return it."""
        cdef Move move = self.parse_uci(uci)
        self.push(move)
        return move

    def push_san(self, str san not None):
        """Play the move that a SAN text names, and return it."""
        cdef MoveC move = self.read(san)
        if move == NULL_MOVE:
            self.push_null()
        else:
            self.play(move)
        return intern_move(move, self.chess960)

    def push_xboard(self, str san not None):
        """Play the move that an XBoard text names, and return it."""
        return self.push_san(san)

    def san_and_push(self, move):
        """Play a move, and return its SAN."""
        san = self.san(move)
        self.push(move)
        return san

    def push_null(self):
        """Pass the move to the other side; not in check."""
        self.push(standard_move(NULL_MOVE))

    def pop(self):
        """Take the last move back, and return it."""
        if self.length == 0:
            raise IndexError("no move to take back")
        self.length -= 1
        self.pos = self.before[self.length]
        return intern_move(self.played[self.length], self.chess960)

    cdef int passed_square(self) noexcept:
        cdef MoveC last
        if self.length == 0 or move_kind(self.played[self.length - 1]) != DOUBLE_PUSH:
            return self.pos.en_passant
        last = self.played[self.length - 1]
        return (move_from(last) + move_to(last)) // 2

    @property
    def move_stack(self):
        """A list of the moves played."""
        return list_moves(self.played, self.played + self.length, self.chess960)

    def peek(self):
        """The last move."""
        if self.length == 0:
            raise IndexError("no move was played")
        return intern_move(self.played[self.length - 1], self.chess960)

    # ---- verdicts

    def is_checkmate(self):
        """Is the side to move mated?"""
        return self.pos.checkers != 0 and count_legal(&self.pos) == 0

    def is_stalemate(self):
        """Has the side to move no move, and is not in check?"""
        return self.pos.checkers == 0 and count_legal(&self.pos) == 0

    def is_insufficient_material(self):
        """Can neither side mate with what is left?"""
        return has_insufficient_material(&self.pos)

    def has_insufficient_material(self, color):
        """Can this side not mate with what is left?"""
        return cannot_win(&self.pos, as_side(color))

    cdef bint lasted(self, int plies) noexcept:
        return self.pos.rule50 >= plies and count_legal(&self.pos) > 0

    def is_fifty_moves(self):
        """Fifty moves by each side with no capture or pawn move, and no mate."""
        return self.lasted(100)

    def is_seventyfive_moves(self):
        """Seventy-five moves by each side with no capture or pawn move, and no mate."""
        return self.lasted(150)

    cdef bint repeats(self, const PositionC* pos, int length, int count) noexcept:
        """Has a position that follows so many of the game's been there so often, itself included?"""
        cdef int index = length - 2
        cdef int oldest = max(0, length - <int>pos.rule50)
        while index >= oldest and count > 1:
            if same_position(&self.before[index], pos):
                count -= 1
            index -= 2
        return count <= 1

    def is_repetition(self, int count=3):
        """Has this position been on the board so many times, now included?"""
        return self.repeats(&self.pos, self.length, count)

    def is_fivefold_repetition(self):
        """Has this position been on the board five times?"""
        return self.repeats(&self.pos, self.length, 5)

    cdef bint can_reach(self, Verdict verdict) noexcept:
        """Is there a move after which the fifty moves are over, or a third repetition is there?"""
        cdef MoveC moves[MAX_MOVES]
        cdef MoveC* end = generate_quiets(moves, &self.pos)
        cdef MoveC* move = moves
        cdef PositionC after
        while move < end:
            make_move(&after, &self.pos, move[0])
            if verdict == BY_FIFTY_MOVES:
                if after.rule50 >= 100 and count_legal(&after) > 0:
                    return True
            elif self.repeats(&after, self.length + 1, 3):
                return True
            move += 1
        return False

    def can_claim_fifty_moves(self):
        """Are the fifty moves over, or will they be with a move of the side to move?"""
        return self.lasted(100) or (self.pos.rule50 >= 99 and self.can_reach(BY_FIFTY_MOVES))

    def can_claim_threefold_repetition(self):
        """Is this position there for the third time, or can the side to move bring one so far?"""
        return (self.repeats(&self.pos, self.length, 3)
                or self.can_reach(BY_THREEFOLD_REPETITION))

    def can_claim_draw(self):
        """By fifty moves, or by repetition?"""
        return self.can_claim_fifty_moves() or self.can_claim_threefold_repetition()

    cdef Verdict verdict(self, bint claim_draw):
        cdef bint stuck = count_legal(&self.pos) == 0
        if stuck and self.pos.checkers:
            return BY_CHECKMATE
        if has_insufficient_material(&self.pos):
            return BY_INSUFFICIENT_MATERIAL
        if stuck:
            return BY_STALEMATE
        if self.pos.rule50 >= 150:
            return BY_SEVENTYFIVE_MOVES
        if self.repeats(&self.pos, self.length, 5):
            return BY_FIVEFOLD_REPETITION
        if claim_draw and self.can_claim_fifty_moves():
            return BY_FIFTY_MOVES
        if claim_draw and self.can_claim_threefold_repetition():
            return BY_THREEFOLD_REPETITION
        return GAME_GOES_ON

    def outcome(self, *, bint claim_draw=False):
        """The `chess.Outcome` of a finished game, or None; draws by claim only if asked for."""
        cdef Verdict verdict = self.verdict(claim_draw)
        if verdict == GAME_GOES_ON:
            return None
        chess = python_chess()
        winner = None if verdict != BY_CHECKMATE else self.pos.side == BLACK
        return chess.Outcome(chess.Termination[TERMINATIONS[verdict]], winner)

    def is_game_over(self, *, bint claim_draw=False):
        """Is the game over; by a claim only if asked for?"""
        return self.verdict(claim_draw) != GAME_GOES_ON

    def result(self, *, bint claim_draw=False):
        """1-0, 0-1, 1/2-1/2, or * for a game that goes on."""
        cdef Verdict verdict = self.verdict(claim_draw)
        if verdict == GAME_GOES_ON:
            return "*"
        if verdict != BY_CHECKMATE:
            return "1/2-1/2"
        return "1-0" if self.pos.side == BLACK else "0-1"

    def is_variant_end(self):
        """False: chess has no other ends; so with the three below."""
        return False

    def is_variant_win(self):
        """False."""
        return False

    def is_variant_loss(self):
        """False."""
        return False

    def is_variant_draw(self):
        """False."""
        return False
