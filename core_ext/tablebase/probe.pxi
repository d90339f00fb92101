# Asking a tablebase: win, draw or loss of a position (WDL), and the distance to the next zeroing
# move, a capture or a pawn move, at best play (DTZ).
#
# Tables know nothing of castling, and nothing of en passant. Where a capture is best they may hold
# any value that is no better, which compresses well; so captures are looked at first.

cdef enum:
    LOSS = -2
    BLESSED_LOSS = -1          # saved by the fifty-move rule
    DRAWN = 0
    CURSED_WIN = 1             # spoiled by it
    WON = 2

cdef enum:
    WIN_MAP = 0                # the order of a DTZ table's maps
    LOSS_MAP = 1
    CURSED_WIN_MAP = 2
    BLESSED_LOSS_MAP = 3

cdef enum:
    LATE = 100                 # is added to distances that the fifty-move rule cuts off
    NO_DISTANCE = 32767

cdef enum ProbeState:
    PROBE_OK
    NOT_IN_TABLES              # no table, or castling rights, or too many men
    TABLE_REFUSED

# One question, with all that have to be asked to answer it.
cdef struct ProbeC:
    TablebaseC* tables
    ProbeState state           # what follows once it is not OK means nothing
    TableFileC* refused


cdef int give_up(ProbeC* probe, TableFileC* table, ProbeState state) noexcept nogil:
    probe.state = state
    probe.refused = table
    return DRAWN


cdef int refuse(ProbeC* probe, TableFileC* table) noexcept nogil:
    """What is in there can't be."""
    refuse_table(probe.tables, table)
    return give_up(probe, table, TABLE_REFUSED)


# ---- one table

cdef inline void list_squares(u8* squares, const PositionC* pos, const LayoutC* layout, int first,
                              int end, bint is_flipped) noexcept nogil:
    """The squares of the table's men, with colours and ranks exchanged if it sees them so."""
    cdef int index = first, colour
    cdef u64 left
    while index < end:
        colour = ((layout.men[index] & BLACK_MAN) != 0) ^ is_flipped
        left = pos.pieces[layout.men[index] & 7] & pos.colours[colour]
        while left:
            squares[index] = <u8>(pop_lowest(&left) ^ (56 if is_flipped else 0))
            index += 1


cdef inline PartC* find_part(u8* squares, const PositionC* pos, const TableFileC* table, int side,
                             bint is_flipped) noexcept nogil:
    """The part of the table that has the position, and the squares in its order."""
    cdef PartC* part = table.parts
    cdef int leaders = 0
    if part.layout.leaders == LEADING_PAWNS:
        leaders = part.layout.group_sizes[0]
        list_squares(squares, pos, &part.layout, 0, leaders, is_flipped)
        put_first_pawn_first(squares, leaders)
        part += mirrored_file(squares[0]) * table.side_count
    if table.side_count == 2:
        part += side
    list_squares(squares, pos, &part.layout, leaders, part.layout.man_count, is_flipped)
    return part


cdef inline int read_distance(const PartC* part, int value, int wdl) noexcept nogil:
    """From what a DTZ table holds to plies; NO_VALUE if it is damaged."""
    cdef int flags = part.values.flags
    cdef int result = WIN_MAP if wdl == WON else (
        LOSS_MAP if wdl == LOSS else CURSED_WIN_MAP if wdl == CURSED_WIN else BLESSED_LOSS_MAP)
    if flags & IS_MAPPED:
        if <u32>value >= part.map_sizes[result]:
            return NO_VALUE
        if flags & IS_WIDE:
            value = little16(part.maps[result] + 2 * value)
        else:
            value = part.maps[result][value]
    if (wdl == WON and flags & WINS_IN_PLIES) or (wdl == LOSS and flags & LOSSES_IN_PLIES):
        return value
    return 2 * value  # counted in moves


cdef int ask_table(ProbeC* probe, const PositionC* pos, int kind, int wdl) noexcept nogil:
    """What the position's own table says, captures and en passant aside.

    A DTZ table, which is asked with the result, has one side to move only: NO_DISTANCE for the
    other one.
    """
    cdef u8 squares[MOST_TABLE_MEN]
    cdef u64 key = material_key(pos)
    cdef EndingC* ending = find_ending(probe.tables, key)
    cdef TableFileC* table
    cdef PartC* part
    cdef bint is_flipped
    cdef int side = 0, value
    if ending == NULL or ending.files[kind].path == NULL:
        return give_up(probe, NULL, NOT_IN_TABLES)
    table = &ending.files[kind]
    if not is_open(probe.tables, ending, kind):
        return give_up(probe, table, TABLE_REFUSED)
    if ending.key == ending.swapped_key:
        is_flipped = pos.side == BLACK
    else:
        is_flipped = (key != ending.key) ^ table.is_swapped
        side = pos.side ^ is_flipped
    part = find_part(squares, pos, table, side, is_flipped)
    if (kind == DTZ_TABLE and ending.key != ending.swapped_key
            and (part.values.flags & STORES_BLACK) != side):
        return NO_DISTANCE
    value = read_value(&part.values, number_placing(&part.layout, squares))
    if kind == DTZ_TABLE and value != NO_VALUE:
        value = read_distance(part, value, wdl)
    if value == NO_VALUE or (kind == WDL_TABLE and value > WON - LOSS):
        return refuse(probe, table)
    return value if kind == DTZ_TABLE else value + LOSS


# ---- win, draw or loss

cdef int resolve_wdl(ProbeC* probe, const PositionC* pos, bint* is_zeroing) noexcept nogil:
    """The best of the captures, and of what the table says about the other moves.

    Zeroing: a capture is what reaches it, so that the distance needs no looking up.
    """
    cdef MoveC moves[MAX_MOVES]
    cdef MoveC* end = generate_noisy(moves, pos)
    cdef MoveC* move = moves
    cdef int best = LOSS - 1, best_en_passant = LOSS - 1, value, en_passants = 0
    is_zeroing[0] = True
    while move < end:
        if move_kind(move[0]) & CAPTURE:
            value = -wdl_after(probe, pos, move[0])
            if value == WON or probe.state != PROBE_OK:
                return value
            if move_kind(move[0]) == EN_PASSANT:
                en_passants += 1
                best_en_passant = max(best_en_passant, value)
            else:
                best = max(best, value)
        move += 1
    if en_passants and en_passants == count_legal(pos):
        return best_en_passant  # what the table takes for a mate or a stalemate
    value = DRAWN
    if occupied(pos) != pos.pieces[KING]:
        value = ask_table(probe, pos, WDL_TABLE, DRAWN)
    is_zeroing[0] = best_en_passant > max(best, value) or max(best, best_en_passant) >= max(
        value, CURSED_WIN)
    return max(max(best, best_en_passant), value)


cdef int wdl_after(ProbeC* probe, const PositionC* pos, MoveC move) noexcept nogil:
    """As the other side sees it."""
    cdef PositionC child
    make_move(&child, pos, move)
    return probe_wdl(probe, &child)


cdef inline int probe_wdl(ProbeC* probe, const PositionC* pos) noexcept nogil:
    """LOSS to WON, for a clock of the fifty-move rule that begins now."""
    cdef bint is_zeroing
    return resolve_wdl(probe, pos, &is_zeroing)


# ---- the distance to the next zeroing move

cdef inline int zeroing_distance(int wdl) noexcept nogil:
    """If the next move is one."""
    if wdl > 0:
        return 1 if wdl == WON else 1 + LATE
    return -1 if wdl == LOSS else (-1 - LATE if wdl == BLESSED_LOSS else 0)


cdef bint pawn_move_keeps(ProbeC* probe, const PositionC* pos, int wdl) noexcept nogil:
    cdef MoveC moves[MAX_MOVES]
    cdef MoveC* end
    cdef MoveC* move = moves
    if not pos.pieces[PAWN] & pos.colours[pos.side]:
        return False
    end = generate_legal(moves, pos)
    while move < end and probe.state == PROBE_OK:
        if (pos.squares[move_from(move[0])] == PAWN and not move_kind(move[0]) & CAPTURE
                and -wdl_after(probe, pos, move[0]) == wdl):
            return True
        move += 1
    return False


cdef int distance_after(ProbeC* probe, const PositionC* child, int wdl) noexcept nogil:
    """The distance before a move, this move included, from the position behind it; NO_DISTANCE if
    the move does not keep the result."""
    cdef int distance
    if child.rule50 == 0:
        distance = -probe_wdl(probe, child)
        return zeroing_distance(wdl) if distance == wdl else NO_DISTANCE
    distance = -probe_dtz(probe, child)
    if wdl > 0:
        if distance == 1 and child.checkers and count_legal(child) == 0:
            return 1
        return distance + 1 if distance > 0 else NO_DISTANCE
    return distance - 1


cdef int search_distance(ProbeC* probe, const PositionC* pos, int wdl) noexcept nogil:
    """A ply of search, for the side to move that the table does not have: the shortest way to win,
    the longest to lose."""
    cdef MoveC moves[MAX_MOVES]
    cdef MoveC* end = generate_legal(moves, pos)
    cdef MoveC* move = moves
    cdef PositionC child
    cdef int distance, best = NO_DISTANCE if wdl > 0 else -1
    while move < end and probe.state == PROBE_OK:
        make_move(&child, pos, move[0])
        if wdl < 0 or child.rule50:  # captures and pawn moves were no way to win
            distance = distance_after(probe, &child, wdl)
            best = min(best, distance)
        move += 1
    return best


cdef int probe_dtz(ProbeC* probe, const PositionC* pos) noexcept nogil:
    """Plies to the next zeroing move at best play, negative for the side that loses; LATE is added
    if the fifty-move rule makes it a draw; 0 for draws. It may be one ply too little."""
    cdef bint is_zeroing
    cdef int wdl = resolve_wdl(probe, pos, &is_zeroing), distance
    if probe.state != PROBE_OK or wdl == DRAWN:
        return 0
    if is_zeroing or (wdl > 0 and pawn_move_keeps(probe, pos, wdl)):
        return zeroing_distance(wdl)
    distance = ask_table(probe, pos, DTZ_TABLE, wdl)
    if distance == NO_DISTANCE:
        distance = search_distance(probe, pos, wdl)
        if distance == NO_DISTANCE and probe.state == PROBE_OK:
            return refuse(probe, &find_ending(probe.tables, material_key(pos)).files[DTZ_TABLE])
        return distance
    return zeroing_distance(wdl) + (distance if wdl > 0 else -distance)


# ---- a question from outside

cdef inline ProbeC start_probe(TablebaseC* tables, const PositionC* pos) noexcept nogil:
    cdef ProbeC probe
    probe.tables = tables
    probe.refused = NULL
    probe.state = PROBE_OK
    if pos.castling_rooks or popcount(occupied(pos)) > tables.most_men:
        probe.state = NOT_IN_TABLES
    return probe
