# The transposition table: what earlier searches found about a position.
#
# A cluster fills one cache line. Threads read and write without a lock: an entry's key is stored
# mixed with its data, so an entry torn by two writers is taken for another position's, and the
# search checks the legality of every move that comes from here.

cdef enum:
    CLUSTER_ENTRIES = 5
    AGE_CYCLE = 32

cdef enum:
    UPPER_BOUND = 1
    LOWER_BOUND = 2
    EXACT = 3

# data: move (16), score (16), static evaluation (16), depth (8), age (5), PV (1), bound (2)
cdef struct ClusterC:
    u64 data[CLUSTER_ENTRIES]
    u32 keys[CLUSTER_ENTRIES]
    u32 unused

cdef struct TableC:
    ClusterC* clusters
    u64 count
    int age

cdef struct EntryC:
    bint found
    MoveC move
    int score
    int evaluation
    int depth
    int bound
    bint was_pv


cdef inline u32 mix_key(u64 key, u64 data) noexcept nogil:
    return <u32>key ^ <u32>data ^ <u32>(data >> 32)


cdef inline ClusterC* find_cluster(const TableC* table, u64 key) noexcept nogil:
    return &table.clusters[multiply_high(key, table.count)]


cdef inline int data_depth(u64 data) noexcept nogil:
    return <int>((data >> 48) & 255)


cdef inline int data_age(u64 data) noexcept nogil:
    return <int>((data >> 56) & 31)


cdef inline u64 pack_entry(MoveC move, int score, int evaluation, int depth, int bound,
                           bint is_pv, int age) noexcept nogil:
    return (<u64>move | (<u64><u16><int16_t>score << 16) | (<u64><u16><int16_t>evaluation << 32)
            | (<u64><u8>depth << 48) | (<u64>age << 56) | (<u64>is_pv << 61)
            | (<u64>bound << 62))


cdef inline EntryC unpack_entry(u64 data) noexcept nogil:
    cdef EntryC entry
    entry.found = True
    entry.move = <MoveC>(data & 0xFFFF)
    entry.score = <int16_t>((data >> 16) & 0xFFFF)
    entry.evaluation = <int16_t>((data >> 32) & 0xFFFF)
    entry.depth = data_depth(data)
    entry.was_pv = (data >> 61) & 1
    entry.bound = <int>(data >> 62)
    return entry


cdef inline int score_to_table(int score, int ply) noexcept nogil:
    """Mates and certain wins are stored as distances from the entry's own position."""
    if score >= LEAST_WIN:
        return score + ply
    return score - ply if score <= -LEAST_WIN else score


cdef inline int score_from_table(int score, int ply) noexcept nogil:
    if score >= LEAST_WIN:
        return score - ply
    return score + ply if score <= -LEAST_WIN else score


cdef inline EntryC probe_table(const TableC* table, u64 key, int ply) noexcept nogil:
    cdef ClusterC* cluster = find_cluster(table, key)
    cdef int index
    cdef u64 data
    cdef EntryC entry
    for index in range(CLUSTER_ENTRIES):
        data = load_relaxed(&cluster.data[index])
        if load_relaxed32(&cluster.keys[index]) == mix_key(key, data) and data >> 62:
            entry = unpack_entry(data)
            entry.score = score_from_table(entry.score, ply)
            return entry
    memset(&entry, 0, sizeof(EntryC))
    entry.evaluation = NO_EVALUATION
    return entry


cdef inline int entry_worth(const TableC* table, u64 data) noexcept nogil:
    """Shallow and old entries go first; an empty one before all."""
    if data >> 62 == 0:
        return -1000
    return data_depth(data) - 4 * ((table.age - data_age(data)) & (AGE_CYCLE - 1))


cdef void store_entry(TableC* table, u64 key, int ply, MoveC move, int score, int evaluation,
                      int depth, int bound, bint is_pv) noexcept nogil:
    cdef ClusterC* cluster = find_cluster(table, key)
    cdef int index, worth, chosen = 0, least = 1000
    cdef u64 data
    for index in range(CLUSTER_ENTRIES):
        data = load_relaxed(&cluster.data[index])
        if load_relaxed32(&cluster.keys[index]) == mix_key(key, data) and data >> 62:
            if move == NULL_MOVE:
                move = <MoveC>(data & 0xFFFF)  # a fail-low knows no move but spoils none
            if (bound != EXACT and data_age(data) == table.age
                    and depth + 4 + 2 * is_pv <= data_depth(data)):
                return
            chosen = index
            break
        worth = entry_worth(table, data)
        if worth < least:
            least = worth
            chosen = index
    data = pack_entry(move, score_to_table(score, ply), evaluation, depth, bound, is_pv, table.age)
    store_relaxed(&cluster.data[chosen], data)
    store_relaxed32(&cluster.keys[chosen], mix_key(key, data))


# Memory takes longer than making a move: entries are asked for as soon as it is known that they may be
# looked at.

cdef inline u64 key_after_pass(const PositionC* pos) noexcept nogil:
    return pos.key ^ SIDE_KEY ^ EN_PASSANT_KEYS[pos.en_passant]


cdef inline void prefetch_pass(const TableC* table, const PositionC* pos) noexcept nogil:
    prefetch(find_cluster(table, key_after_pass(pos)))


cdef inline void prefetch_child(const TableC* table, const PositionC* pos,
                                MoveC move) noexcept nogil:
    """The key is the one after the move but for castling, promotion and en passant."""
    cdef int origin = move_from(move), target = move_to(move)
    cdef int piece = pos.squares[origin], victim = pos.squares[target]
    cdef u64 key = key_after_pass(pos)
    if piece == NO_PIECE:
        return  # the table's move for another position with this key
    key ^= PIECE_KEYS[pos.side][piece][origin] ^ PIECE_KEYS[pos.side][piece][target]
    if victim != NO_PIECE:
        key ^= PIECE_KEYS[pos.side ^ 1][victim][target]
    prefetch(find_cluster(table, key))


cdef inline u64 table_alignment(u64 megabytes) noexcept nogil:
    return 1 << 21 if megabytes > 1 else 64  # of huge pages, of cache lines


cdef inline u64 table_size(u64 megabytes) noexcept nogil:
    """In bytes, rounded up to what aligned_alloc() takes."""
    cdef u64 rest = table_alignment(megabytes) - 1
    return ((megabytes << 20) + rest) & ~rest


cdef ClusterC* new_clusters(u64 megabytes) noexcept nogil:
    return <ClusterC*>aligned_alloc(table_alignment(megabytes), table_size(megabytes))


cdef bint can_allocate_table(u64 megabytes) noexcept nogil:
    """Memory that is not written to costs nothing, so this can be tried."""
    cdef ClusterC* clusters = new_clusters(megabytes)
    free(clusters)
    return clusters != NULL


cdef void clear_table(TableC* table) noexcept nogil:
    memset(table.clusters, 0, table.count * sizeof(ClusterC))
    table.age = 0


cdef bint allocate_table(TableC* table, u64 megabytes) noexcept nogil:
    """False, and the old table kept, when the memory can't be had."""
    cdef u64 count = (megabytes << 20) // sizeof(ClusterC)
    cdef ClusterC* clusters = new_clusters(megabytes)
    if clusters == NULL:
        return False
    advise_huge_pages(clusters, table_size(megabytes))
    free(table.clusters)
    table.clusters = clusters
    table.count = count
    clear_table(table)
    return True


cdef int table_permille(const TableC* table) noexcept nogil:
    """How full the table is with entries of this search, from a sample."""
    cdef u64 index
    cdef int slot, used = 0
    cdef u64 data
    for index in range(200):
        for slot in range(CLUSTER_ENTRIES):
            data = load_relaxed(&table.clusters[index].data[slot])
            used += data >> 62 != 0 and data_age(data) == table.age
    return used
