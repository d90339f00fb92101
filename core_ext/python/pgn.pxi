# What Python sees of games in PGN: a block of text with its games read, with the GIL released.

cdef dict PGN_PROBLEMS = {
    PGN_ILLEGAL_MOVE: "illegal move",
    PGN_AMBIGUOUS_MOVE: "ambiguous move",
    PGN_NO_MOVE: "not a move",
    PGN_NULL_IN_CHECK: "null move in check",
    PGN_BAD_FEN: "bad FEN",
    PGN_VARIANT: "not a variant that is played here",
    PGN_OPEN_COMMENT: "a comment without an end",
}
MATE_SCORE = MATE
NO_PGN_SCORE = NO_SCORE

cdef enum:
    SHOWN_LETTERS = 40


def find_games_end(bytes text not None):
    """The end of the last whole game in a text that goes on, or 0."""
    cdef const char* letters = text
    cdef Py_ssize_t end, length = len(text)
    with nogil:
        end = find_last_end(letters, length)
    return end


cdef str decoded(bytes text):
    """UTF-8 as the standard of today has it, or Latin-1 as that of 1994."""
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        return text.decode("latin-1")


cdef class PgnBlock:
    """The games of a text: what they hold is asked for by their number, from 0."""
    cdef PgnC pgn
    cdef bytes text

    def __cinit__(self, bytes text not None, bint positions=False, bint numbers=False,
                  bint comments=False, bint variations=False):
        cdef bint done
        memset(&self.pgn, 0, sizeof(PgnC))
        self.text = text
        self.pgn.text = text
        self.pgn.length = len(text)
        self.pgn.start_position = &START_POSITION
        self.pgn.wanted = ((PGN_POSITIONS if positions else 0) | (PGN_NUMBERS if numbers else 0)
                           | (PGN_COMMENTS if comments else 0)
                           | (PGN_VARIATIONS if variations else 0))
        with nogil:
            done = read_block(&self.pgn)
        if not done:
            raise MemoryError("no memory for the games")

    def __dealloc__(self):
        free_pgn(&self.pgn)

    def __len__(self):
        return self.pgn.games.count

    cdef PgnGameC* game(self, Py_ssize_t index) except NULL:
        if not 0 <= index < self.pgn.games.count:
            raise IndexError(f"no game {index} in {self.pgn.games.count}")
        return &(<PgnGameC*>self.pgn.games.items)[index]

    cdef bytes slice(self, SpanC span):
        return self.text[span.start:span.start + span.length]

    # ---- one game

    def headers(self, Py_ssize_t index):
        """The tags, in the order of the text; of two by one name the later one counts."""
        cdef PgnGameC* game = self.game(index)
        cdef Py_ssize_t each
        cdef TagC* tag
        cdef dict found = {}
        for each in range(game.tag_count):
            tag = &(<TagC*>self.pgn.tags.items)[game.first_tag + each]
            found[decoded(self.slice(tag.name))] = decoded(self.slice(tag.value))
        return found

    def moves(self, Py_ssize_t index):
        """The moves of the main line."""
        cdef PgnGameC* game = self.game(index)
        cdef MoveC* first = <MoveC*>self.pgn.moves.items + game.first_move
        return list_moves(first, first + game.move_count, game.chess960)

    def result(self, Py_ssize_t index):
        """What the tag says, or what stands behind the moves if it says nothing."""
        return decoded(self.slice(self.game(index).result)) or "*"

    def is_chess960(self, Py_ssize_t index):
        """Is the game, or must it be, one of Chess960?"""
        return self.game(index).chess960

    def start(self, Py_ssize_t index):
        """Where the game begins in the text."""
        return self.game(index).start

    def problem(self, Py_ssize_t index):
        """What is wrong with the game and where in the text, or None."""
        cdef PgnGameC* game = self.game(index)
        if game.error == PGN_OK:
            return None
        shown = decoded(self.slice(game.wrong)[:SHOWN_LETTERS])
        told = f"{PGN_PROBLEMS[game.error]}: {shown!r}"
        if game.error in (PGN_ILLEGAL_MOVE, PGN_AMBIGUOUS_MOVE, PGN_NULL_IN_CHECK):
            board = Board.__new__(Board)
            (<Board>board).pos = game.where
            told += f" in {board.fen()}"
        return game.wrong.start, told

    def scores(self, Py_ssize_t index):
        """{number of the move: centipawns from White}, where a comment tells; see MATE_SCORE."""
        cdef PgnGameC* game = self.game(index)
        cdef int16_t* scores = <int16_t*>self.pgn.scores.items + game.first_move
        cdef Py_ssize_t each
        cdef dict found = {}
        if self.pgn.wanted & PGN_NUMBERS:
            for each in range(game.move_count):
                if scores[each] != NO_SCORE:
                    found[each] = scores[each]
        return found

    def clocks(self, Py_ssize_t index, bint spent=False):
        """{number of the move: seconds left behind it, or spent on it}, where a comment tells."""
        cdef PgnGameC* game = self.game(index)
        cdef ArrayC* array = &self.pgn.times if spent else &self.pgn.clocks
        cdef float* seconds = <float*>array.items + game.first_move
        cdef Py_ssize_t each
        cdef dict found = {}
        if self.pgn.wanted & PGN_NUMBERS:
            for each in range(game.move_count):
                if seconds[each] == seconds[each]:
                    found[each] = round(seconds[each], 3)
        return found

    def items(self, Py_ssize_t index):
        """Moves, comments, NAGs and brackets in their order: Move, str, int, True and False."""
        cdef PgnGameC* game = self.game(index)
        cdef PgnItemC* item = <PgnItemC*>self.pgn.items.items + game.first_item
        cdef Py_ssize_t each
        found = []
        for each in range(game.item_count):
            if item.kind == ITEM_MOVE:
                found.append(intern_move(<MoveC>item.number, game.chess960))
            elif item.kind == ITEM_COMMENT:
                found.append(decoded(self.slice(item.text)).replace("\r\n", "\n")
                             .replace("\r", "\n"))
            else:
                found.append(item.number if item.kind == ITEM_NAG else item.kind == ITEM_OPEN)
            item += 1
        return found

    # ---- all games at once, as bytes for numpy

    def all_moves(self):
        """The codes of all moves: uint16."""
        return bytearray((<char*>self.pgn.moves.items)[:self.pgn.moves.count * sizeof(MoveC)])

    def all_positions(self):
        """The packed positions before all moves."""
        return bytearray(
            (<char*>self.pgn.positions.items)[:self.pgn.positions.count * sizeof(PackedC)])

    def all_last_positions(self):
        """The packed positions behind the last move of each game."""
        cdef Py_ssize_t index
        cdef bytearray last = bytearray(self.pgn.games.count * sizeof(PackedC))
        for index in range(self.pgn.games.count):
            (<PackedC*><char*>last)[index] = (<PgnGameC*>self.pgn.games.items)[index].last
        return last

    def all_scores(self):
        """The evaluations behind all moves: int16."""
        return bytearray((<char*>self.pgn.scores.items)[:self.pgn.scores.count * sizeof(int16_t)])

    def all_clocks(self, bint spent=False):
        """The seconds left behind all moves, or spent on them: float32."""
        cdef ArrayC* array = &self.pgn.times if spent else &self.pgn.clocks
        return bytearray((<char*>array.items)[:array.count * sizeof(float)])

    def all_games(self):
        """Of each game: number of moves, result (1, 0, -1 for White; 2 if unknown), Elo of White,
        Elo of Black, is it broken."""
        cdef Py_ssize_t index
        cdef PgnGameC* game
        rows = []
        for index in range(self.pgn.games.count):
            game = &(<PgnGameC*>self.pgn.games.items)[index]
            rows.append((game.move_count, result_number(self.pgn.text, game.result),
                         game.elo[WHITE], game.elo[BLACK], game.error != PGN_OK))
        return rows


cdef int result_number(const char* text, SpanC span) noexcept nogil:
    if span_is(text, span, b"1-0"):
        return 1
    if span_is(text, span, b"0-1"):
        return -1
    return 0 if span_is(text, span, b"1/2-1/2") else 2
