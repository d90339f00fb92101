# Games in PGN: what they say. A whole block of games is read in one go, with
# no Python object made; what is read are places in the text, moves, and packed positions.
#
# Reading is lenient, as readers of PGN must be: what is no move, sign or comment is passed over. A
# game with a move that can't be played keeps its moves up to there, and the next game is read.

cdef enum PgnError:
    PGN_OK
    PGN_NO_MEMORY
    PGN_ILLEGAL_MOVE
    PGN_AMBIGUOUS_MOVE
    PGN_NO_MOVE          # a token that looks like one
    PGN_NULL_IN_CHECK
    PGN_BAD_FEN
    PGN_VARIANT
    PGN_OPEN_COMMENT

# What is wanted besides the moves.
cdef enum:
    PGN_POSITIONS = 1    # the packed position before each move
    PGN_NUMBERS = 2      # evaluations and clocks from the comments
    PGN_COMMENTS = 4     # comments and NAGs
    PGN_VARIATIONS = 8

cdef enum:
    NOTED_DEPTH = 32     # of variations that are passed over: deeper ones are only counted

cdef enum PgnKind:
    ITEM_MOVE
    ITEM_COMMENT
    ITEM_NAG
    ITEM_OPEN
    ITEM_CLOSE

cdef struct PgnItemC:
    PgnKind kind
    int number           # the move's code, or the NAG
    SpanC text

cdef struct PgnGameC:
    Py_ssize_t start     # in the text
    Py_ssize_t first_tag
    Py_ssize_t tag_count
    Py_ssize_t first_move
    Py_ssize_t move_count
    Py_ssize_t first_item
    Py_ssize_t item_count
    SpanC result         # the token behind the moves, or the tag
    SpanC wrong          # what the error is about
    PgnError error
    PositionC where      # where the error is: the position
    PackedC last         # the position behind the last move, if positions are wanted
    bint chess960
    int elo[2]

# One line of play: where it stands, and where it stood before its last move.
cdef struct PgnLineC:
    PositionC now
    PositionC before
    Py_ssize_t plies     # played before now, since the game began
    bint has_moved

# A growing array: the bytes of its items, and how many there are and would fit.
cdef struct ArrayC:
    char* items
    Py_ssize_t count
    Py_ssize_t room

cdef struct PgnC:
    const char* text
    Py_ssize_t length
    int wanted
    const PositionC* start_position
    ArrayC games
    ArrayC tags
    ArrayC moves
    ArrayC positions
    ArrayC scores        # int16, from White, by moves
    ArrayC clocks        # float seconds left, by moves
    ArrayC times         # float seconds spent, by moves
    ArrayC items
    ArrayC lines         # the line being read, below it those that it branches off
    Py_ssize_t at
    int skipping         # so many variations deep in what is passed over
    Py_ssize_t skipped_plies[NOTED_DEPTH]  # played before now, there, by depth
    bint is_broken       # that began with a move that can't be played, in the line being read


cdef void* add_item(ArrayC* array, Py_ssize_t size) noexcept nogil:
    """Room for one more item at the end of an array, or NULL."""
    cdef Py_ssize_t room = array.room
    cdef void* grown
    if array.count == room:
        room = max(2 * room, 64)
        grown = realloc(array.items, room * size)
        if grown == NULL:
            return NULL
        array.items = <char*>grown
        array.room = room
    array.count += 1
    return array.items + (array.count - 1) * size


cdef void free_pgn(PgnC* pgn) noexcept nogil:
    free(pgn.games.items)
    free(pgn.tags.items)
    free(pgn.moves.items)
    free(pgn.positions.items)
    free(pgn.scores.items)
    free(pgn.clocks.items)
    free(pgn.times.items)
    free(pgn.items.items)
    free(pgn.lines.items)


# Tags.

cdef void fail_game(PgnGameC* game, PgnError error, SpanC wrong, const PositionC* where) noexcept nogil:
    """The first thing that is wrong is the one that is told."""
    if game.error == PGN_OK:
        game.error = error
        game.wrong = wrong
        game.where = where[0]


cdef void use_tag(PgnC* pgn, PgnGameC* game, TagC tag, SpanC* fen) noexcept nogil:
    """Note what a tag says about how the game is to be read."""
    cdef const char* text = pgn.text
    if is_named(text, tag, b"FEN"):
        fen[0] = tag.value
    elif is_named(text, tag, b"Result"):
        game.result = tag.value
    elif is_named(text, tag, b"WhiteElo"):
        game.elo[WHITE] = read_elo(text, tag.value)
    elif is_named(text, tag, b"BlackElo"):
        game.elo[BLACK] = read_elo(text, tag.value)
    elif is_named(text, tag, b"Variant"):
        game.chess960 = is_chess960_name(text, tag.value)
        if not game.chess960 and not is_standard_name(text, tag.value):
            fail_game(game, PGN_VARIANT, tag.value, pgn.start_position)


cdef bint read_tags(PgnC* pgn, PgnGameC* game, Py_ssize_t end, SpanC* fen) noexcept nogil:
    """Read the tags up to the line where the moves begin; false without memory."""
    cdef Py_ssize_t stop
    cdef TagC tag
    cdef TagC* kept
    fen.start = fen.length = 0
    while pgn.at < end:
        stop = line_end(pgn.text, pgn.at, end)
        if pgn.text[pgn.at] == c'[':
            if read_tag(&tag, pgn.text, pgn.at, stop):
                kept = <TagC*>add_item(&pgn.tags, sizeof(TagC))
                if kept == NULL:
                    return False
                kept[0] = tag
                use_tag(pgn, game, tag, fen)
        elif not (pgn.text[pgn.at] == c'%' or pgn.text[pgn.at] == c';'
                  or is_empty_line(pgn.text, pgn.at, stop)):
            break
        pgn.at = next_line(pgn.text, stop, end)
    game.tag_count = pgn.tags.count - game.first_tag
    return True


cdef void set_first_position(PgnC* pgn, PgnGameC* game, SpanC fen, PositionC* pos) noexcept nogil:
    pos[0] = pgn.start_position[0]
    if fen.length == 0:
        return
    if parse_fen(pos, pgn.text + fen.start, fen.length) != FEN_OK:
        pos[0] = pgn.start_position[0]
        fail_game(game, PGN_BAD_FEN, fen, pgn.start_position)
    elif needs_chess960(pos):
        game.chess960 = True


# Comments.

cdef bint note_numbers(PgnC* pgn, SpanC comment) noexcept nogil:
    """Keep the evaluation and the clocks that belong to the last move."""
    cdef Py_ssize_t last = pgn.moves.count - 1
    cdef int score = read_score(pgn.text, comment)
    cdef float clock = read_clock(pgn.text, comment, b"%clk")
    cdef float spent = read_clock(pgn.text, comment, b"%emt")
    if score != NO_SCORE:
        (<int16_t*>pgn.scores.items)[last] = <int16_t>score
    if clock == clock:
        (<float*>pgn.clocks.items)[last] = clock
    if spent == spent:
        (<float*>pgn.times.items)[last] = spent
    return True


# Moves.

cdef Py_ssize_t match_square(const char* text, Py_ssize_t at, Py_ssize_t end) noexcept nogil:
    """The end of a target square with its sign before it, or 0."""
    if at < end and (text[at] == c'x' or text[at] == c'-'):
        at += 1
    if at + 1 < end and is_file_letter(text[at]) and is_rank_digit(text[at + 1]):
        return at + 2
    return 0


cdef Py_ssize_t match_plain_move(const char* text, Py_ssize_t at, Py_ssize_t end) noexcept nogil:
    """The end of what looks like a move of a piece or a pawn, or 0."""
    cdef Py_ssize_t stop = 0
    at += piece_of_letter(text[at]) != NO_PIECE
    if at >= end:
        return 0
    if is_file_letter(text[at]):
        if at + 1 < end and is_rank_digit(text[at + 1]):
            stop = match_square(text, at + 2, end)
            if stop == 0:
                stop = at + 2
        else:
            stop = match_square(text, at + 1, end)
    elif is_rank_digit(text[at]):
        stop = match_square(text, at + 1, end)
    else:
        stop = match_square(text, at, end)
    if stop == 0:
        return 0
    if stop + 1 < end and text[stop] == c'=' and \
            piece_of_letter(upper(text[stop + 1])) != NO_PIECE:
        return stop + 2
    if stop < end and piece_of_letter(upper(text[stop])) != NO_PIECE:
        return stop + 1
    return stop


cdef bint has_word(const char* text, Py_ssize_t at, Py_ssize_t end, const char* word,
                   int length) noexcept nogil:
    return end - at >= length and memcmp(text + at, word, length) == 0


cdef Py_ssize_t match_other_move(const char* text, Py_ssize_t at, Py_ssize_t end) noexcept nogil:
    """The end of castling, a null move or a dropped piece, or 0."""
    cdef char letter = text[at]
    if has_word(text, at, end, b"O-O-O", 5) or has_word(text, at, end, b"0-0-0", 5):
        return at + 5
    if has_word(text, at, end, b"O-O", 3) or has_word(text, at, end, b"0-0", 3):
        return at + 3
    if has_word(text, at, end, b"--", 2) or has_word(text, at, end, b"Z0", 2):
        return at + 2
    if has_word(text, at, end, b"0000", 4) or has_word(text, at, end, b"@@@@", 4):
        return at + 4
    if letter == c'P' or piece_of_letter(letter) != NO_PIECE:
        at += 1
    if at + 2 < end and text[at] == c'@' and is_file_letter(text[at + 1]) \
            and is_rank_digit(text[at + 2]):
        return at + 3
    return 0


cdef int match_result(const char* text, Py_ssize_t at, Py_ssize_t end) noexcept nogil:
    """The length of 1-0, 0-1, 1/2-1/2 or *, or 0."""
    if text[at] == c'*':
        return 1
    if has_word(text, at, end, b"1-0", 3) or has_word(text, at, end, b"0-1", 3):
        return 3
    return 7 if has_word(text, at, end, b"1/2-1/2", 7) else 0


cdef bint keep_item(PgnC* pgn, PgnKind kind, int number, SpanC text) noexcept nogil:
    cdef PgnItemC* item
    if not pgn.wanted & (PGN_COMMENTS | PGN_VARIATIONS):
        return True
    item = <PgnItemC*>add_item(&pgn.items, sizeof(PgnItemC))
    if item == NULL:
        return False
    item.kind = kind
    item.number = number
    item.text = text
    return True


cdef inline PgnLineC* current_line(PgnC* pgn) noexcept nogil:
    return &(<PgnLineC*>pgn.lines.items)[pgn.lines.count - 1]


cdef bint keep_main_move(PgnC* pgn, const PositionC* pos, MoveC move) noexcept nogil:
    cdef MoveC* kept = <MoveC*>add_item(&pgn.moves, sizeof(MoveC))
    cdef void* item
    if kept == NULL:
        return False
    kept[0] = move
    if pgn.wanted & PGN_POSITIONS:
        item = add_item(&pgn.positions, sizeof(PackedC))
        if item == NULL:
            return False
        pack_position(<PackedC*>item, pos)
    if pgn.wanted & PGN_NUMBERS:
        item = add_item(&pgn.scores, sizeof(int16_t))
        if item == NULL:
            return False
        (<int16_t*>item)[0] = NO_SCORE
        item = add_item(&pgn.clocks, sizeof(float))
        if item == NULL:
            return False
        (<float*>item)[0] = NAN
        item = add_item(&pgn.times, sizeof(float))
        if item == NULL:
            return False
        (<float*>item)[0] = NAN
    return True


cdef PgnError to_pgn_error(SanError error) noexcept nogil:
    if error == SAN_ILLEGAL:
        return PGN_ILLEGAL_MOVE
    return PGN_AMBIGUOUS_MOVE if error == SAN_AMBIGUOUS else PGN_NO_MOVE


cdef void break_line(PgnC* pgn, PgnGameC* game, PgnError error, SpanC token) noexcept nogil:
    """The rest of this line is passed over."""
    fail_game(game, error, token, &current_line(pgn).now)
    pgn.skipping = 1
    pgn.is_broken = True


cdef bint take_move(PgnC* pgn, PgnGameC* game, SpanC token) noexcept nogil:
    """Play a move of the line being read; what can't be played ends that line."""
    cdef PgnLineC* line = current_line(pgn)
    cdef MoveC move
    cdef SanError error = read_san(&move, &line.now, pgn.text + token.start, token.length)
    if error != SAN_OK:
        break_line(pgn, game, to_pgn_error(error), token)
        return True
    if move == NULL_MOVE and line.now.checkers:
        break_line(pgn, game, PGN_NULL_IN_CHECK, token)
        return True
    if pgn.lines.count == 1 and not keep_main_move(pgn, &line.now, move):
        return False
    line.before = line.now
    if move == NULL_MOVE:
        make_null_move(&line.now, &line.before)
    else:
        make_move(&line.now, &line.before, move)
    line.plies += 1
    line.has_moved = True
    return keep_item(pgn, ITEM_MOVE, move, token)


cdef void skip_move(PgnC* pgn) noexcept nogil:
    if pgn.skipping < NOTED_DEPTH:
        pgn.skipped_plies[pgn.skipping] += 1


cdef bint skip_variation(PgnC* pgn, Py_ssize_t plies) noexcept nogil:
    """One that branches off where so many plies were played, less the last."""
    pgn.skipping += 1
    if pgn.skipping < NOTED_DEPTH:
        pgn.skipped_plies[pgn.skipping] = plies - 1
    return True


cdef bint open_skipped(PgnC* pgn) noexcept nogil:
    """A bracket in what is passed over. In a line that can't be read on, only brackets count."""
    cdef Py_ssize_t plies = 1
    if not pgn.is_broken and pgn.skipping < NOTED_DEPTH:
        plies = pgn.skipped_plies[pgn.skipping]
    return skip_variation(pgn, plies) if plies else True


cdef bint open_variation(PgnC* pgn, SpanC token) noexcept nogil:
    """A line that branches off before the last move."""
    cdef PgnLineC* line
    cdef PositionC root
    cdef Py_ssize_t plies = current_line(pgn).plies
    if pgn.skipping:
        return open_skipped(pgn)
    if plies == 0:
        return True  # nothing can be replaced before the first move: the bracket is passed over
    if not current_line(pgn).has_moved or not pgn.wanted & PGN_VARIATIONS:
        return skip_variation(pgn, plies)
    root = current_line(pgn).before
    line = <PgnLineC*>add_item(&pgn.lines, sizeof(PgnLineC))
    if line == NULL:
        return False
    line.now = line.before = root
    line.plies = plies - 1
    line.has_moved = False
    return keep_item(pgn, ITEM_OPEN, 0, token)


cdef bint close_variation(PgnC* pgn, SpanC token) noexcept nogil:
    if pgn.skipping > 1:
        pgn.skipping -= 1
        return True
    if pgn.skipping == 1 and not pgn.is_broken:
        pgn.skipping = 0  # a whole variation was passed over
        return True
    if pgn.lines.count == 1:
        return True
    pgn.lines.count -= 1
    pgn.skipping = 0
    pgn.is_broken = False
    return keep_item(pgn, ITEM_CLOSE, 0, token)


cdef bint take_comment(PgnC* pgn, PgnGameC* game, Py_ssize_t end) noexcept nogil:
    """From one brace to the next, whatever is between, without a blank inside of each."""
    cdef const char* close = <const char*>memchr(pgn.text + pgn.at, c'}', end - pgn.at)
    cdef SpanC comment
    comment.start = pgn.at + 1
    comment.length = (close - pgn.text if close != NULL else end) - comment.start
    pgn.at = comment.start + comment.length + (close != NULL)
    if close == NULL:
        fail_game(game, PGN_OPEN_COMMENT, comment, &current_line(pgn).now)
    if pgn.skipping:
        return True
    if comment.length and pgn.text[comment.start] == c' ':
        comment.start += 1
        comment.length -= 1
    if comment.length and pgn.text[comment.start + comment.length - 1] == c' ':
        comment.length -= 1
    if pgn.wanted & PGN_NUMBERS and pgn.lines.count == 1 and pgn.moves.count > game.first_move:
        note_numbers(pgn, comment)
    return keep_item(pgn, ITEM_COMMENT, 0, comment) if pgn.wanted & PGN_COMMENTS else True


cdef bint take_nag(PgnC* pgn, Py_ssize_t end) noexcept nogil:
    """$ and digits, or one or two of ! and ?."""
    cdef SpanC token
    cdef FieldC digits
    cdef int nag = 0
    cdef char first = pgn.text[pgn.at], second
    token.start = pgn.at
    pgn.at += 1
    if first == c'$':
        while pgn.at < end and c'0' <= pgn.text[pgn.at] <= c'9':
            pgn.at += 1
        digits.text = pgn.text + token.start + 1
        digits.length = <int>min(pgn.at - token.start - 1, 9)
        nag = parse_number(digits, 999999999) if digits.length else -1
    else:
        second = pgn.text[pgn.at] if pgn.at < end else 0
        if second == c'!' or second == c'?':
            pgn.at += 1
            if first == c'!':
                nag = 3 if second == c'!' else 5
            else:
                nag = 6 if second == c'!' else 4
        else:
            nag = 1 if first == c'!' else 2
    token.length = pgn.at - token.start
    if nag < 0 or pgn.skipping or not pgn.wanted & PGN_COMMENTS:
        return True
    return keep_item(pgn, ITEM_NAG, nag, token)


cdef bint take_word(PgnC* pgn, PgnGameC* game, Py_ssize_t end) noexcept nogil:
    """A move or a result; anything else is passed over, letter by letter."""
    cdef SpanC token
    cdef Py_ssize_t stop = match_plain_move(pgn.text, pgn.at, end)
    token.start = pgn.at
    if stop == 0:
        stop = match_other_move(pgn.text, pgn.at, end)
    if stop:
        token.length = stop - pgn.at
        pgn.at = stop
        if not pgn.skipping:
            return take_move(pgn, game, token)
        skip_move(pgn)
        return True
    token.length = match_result(pgn.text, pgn.at, end)
    pgn.at += max(token.length, 1)
    if token.length and not pgn.skipping and pgn.lines.count == 1 and (
            game.result.length == 0 or pgn.text[game.result.start] == c'*'):
        game.result = token
    return True


cdef bint skip_number(PgnC* pgn, Py_ssize_t end) noexcept nogil:
    """Over a move number with its point; false if this is none."""
    cdef Py_ssize_t at = pgn.at
    while at < end and c'0' <= pgn.text[at] <= c'9':
        at += 1
    if at == end or pgn.text[at] != c'.':
        return False
    pgn.at = at + 1
    return True


cdef bint take_token(PgnC* pgn, PgnGameC* game, Py_ssize_t end) noexcept nogil:
    cdef SpanC token
    cdef char letter = pgn.text[pgn.at]
    token.start = pgn.at
    token.length = 1
    if letter == c'{':
        return take_comment(pgn, game, end)
    if letter == c'$' or letter == c'!' or letter == c'?':
        return take_nag(pgn, end)
    if letter == c';':
        pgn.at = line_end(pgn.text, pgn.at, end)
        return True
    if letter == c'(' or letter == c')':
        pgn.at += 1
        return open_variation(pgn, token) if letter == c'(' else close_variation(pgn, token)
    if is_space(letter) or letter == c'.':
        pgn.at += 1
        return True
    if c'1' <= letter <= c'9' and skip_number(pgn, end):
        return True
    return take_word(pgn, game, end)


cdef bint read_moves(PgnC* pgn, PgnGameC* game, Py_ssize_t end) noexcept nogil:
    cdef bint fresh = True
    pgn.skipping = 0
    pgn.is_broken = False
    while pgn.at < end:
        if fresh and (pgn.text[pgn.at] == c'%' or pgn.text[pgn.at] == c';'):
            pgn.at = line_end(pgn.text, pgn.at, end)
            continue
        fresh = is_line_end(pgn.text[pgn.at])
        if not take_token(pgn, game, end):
            return False
    return True


cdef bint read_game(PgnC* pgn, Py_ssize_t end) noexcept nogil:
    """Read the game from where the text is read to its end; false without memory."""
    cdef SpanC fen
    cdef PgnLineC* line
    cdef PgnGameC* game = <PgnGameC*>add_item(&pgn.games, sizeof(PgnGameC))
    if game == NULL:
        return False
    memset(game, 0, sizeof(PgnGameC))
    game.start = pgn.at
    game.first_tag = pgn.tags.count
    game.first_move = pgn.moves.count
    game.first_item = pgn.items.count
    if not read_tags(pgn, game, end, &fen):
        return False
    pgn.lines.count = 0
    line = <PgnLineC*>add_item(&pgn.lines, sizeof(PgnLineC))
    if line == NULL:
        return False
    line.plies = 0
    line.has_moved = False
    set_first_position(pgn, game, fen, &line.now)
    line.before = line.now
    if game.error == PGN_OK and not read_moves(pgn, game, end):
        return False
    if pgn.wanted & PGN_POSITIONS:
        pack_position(&game.last, &(<PgnLineC*>pgn.lines.items)[0].now)
    game.move_count = pgn.moves.count - game.first_move
    game.item_count = pgn.items.count - game.first_item
    return True


cdef bint read_block(PgnC* pgn) noexcept nogil:
    """Read all games of the text; false without memory."""
    cdef Py_ssize_t end
    while pgn.at < pgn.length:
        end = find_game_end(pgn.text, pgn.at, pgn.length, True)
        pgn.at = skip_to_game(pgn.text, pgn.at, end)
        if pgn.at < end and not read_game(pgn, end):
            return False
        pgn.at = end
    return True
