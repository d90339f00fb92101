# Draws by repetition inside the search, also one move ahead.
#
# A reversible move changes a key by the keys of its two squares. All such changes are kept in a
# cuckoo table, so that "some move leads back to that earlier position" is one look-up.

cdef enum:
    CUCKOO_SIZE = 8192

cdef u64 CUCKOO_KEYS[CUCKOO_SIZE]
cdef MoveC CUCKOO_MOVES[CUCKOO_SIZE]


cdef inline int cuckoo_first(u64 key) noexcept nogil:
    return <int>(key & (CUCKOO_SIZE - 1))


cdef inline int cuckoo_second(u64 key) noexcept nogil:
    return <int>((key >> 16) & (CUCKOO_SIZE - 1))


cdef void insert_cuckoo(u64 key, MoveC move) noexcept nogil:
    """Take a place; whoever is thrown out takes its other one."""
    cdef int place = cuckoo_first(key)
    cdef u64 other_key
    cdef MoveC other_move
    while True:
        other_key = CUCKOO_KEYS[place]
        other_move = CUCKOO_MOVES[place]
        CUCKOO_KEYS[place] = key
        CUCKOO_MOVES[place] = move
        if other_move == NULL_MOVE:
            return
        key = other_key
        move = other_move
        place = cuckoo_second(key) if place == cuckoo_first(key) else cuckoo_first(key)


cdef void fill_cuckoo() noexcept nogil:
    cdef int colour, piece, first, second
    for colour in range(2):
        for piece in range(KNIGHT, KING + 1):
            for first in range(64):
                for second in range(first + 1, 64):
                    if piece_attacks(piece, first, 0) & bit(second):
                        insert_cuckoo(PIECE_KEYS[colour][piece][first]
                                      ^ PIECE_KEYS[colour][piece][second] ^ SIDE_KEY,
                                      encode_move(first, second, QUIET))


fill_cuckoo()


cdef inline bint is_repeated(ThreadC* t, FrameC* f) noexcept nogil:
    """Once more within the search tree, or for the third time in the game."""
    cdef int limit = min(<int>f.pos.rule50, t.game_length + f.ply)
    cdef int back = 4
    cdef bint seen = False
    while back <= limit:
        if node_key(t, f, back) == f.pos.key:
            if back < f.ply or seen:
                return True
            seen = True
        back += 2
    return False


cdef inline bint is_draw(ThreadC* t, FrameC* f) noexcept nogil:
    if f.pos.rule50 >= 100 and (f.pos.checkers == 0 or count_legal(&f.pos) > 0):
        return True
    return is_repeated(t, f) or has_insufficient_material(&f.pos)


cdef inline bint can_repeat(ThreadC* t, FrameC* f) noexcept nogil:
    """Can the side to move go back to a position of this search?"""
    cdef int limit = min(min(<int>f.pos.rule50, t.game_length + f.ply), f.ply - 1)
    cdef int back = 3, place
    cdef u64 change
    cdef MoveC move
    while back <= limit:
        change = f.pos.key ^ node_key(t, f, back)
        place = cuckoo_first(change)
        if CUCKOO_KEYS[place] != change:
            place = cuckoo_second(change)
        if CUCKOO_KEYS[place] == change:
            move = CUCKOO_MOVES[place]
            if not BETWEEN[move_from(move)][move_to(move)] & occupied(&f.pos):
                return True
        back += 2
    return False
