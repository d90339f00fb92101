# The files of a tablebase: found by name, mapped into memory when first asked, checked before use.
#
# Each ending, a material like KQvKR, has two files: KQvKR.rtbw tells win, draw or loss of every
# position (WDL), KQvKR.rtbz how far the next capture or pawn move is (DTZ).

cdef extern from *:
    """
    #include <fcntl.h>
    #include <pthread.h>
    #include <sys/mman.h>
    #include <unistd.h>

    /* NULL if there is no such file, or it can't be mapped. Neither a pipe nor a device makes it wait. */
    static void* map_file(const char* path, uint64_t* size) {
        void* data = MAP_FAILED;
        int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        off_t end = descriptor < 0 ? -1 : lseek(descriptor, 0, SEEK_END);
        if (end > 0) {
            data = mmap(NULL, (size_t)end, PROT_READ, MAP_SHARED, descriptor, 0);
        }
        if (descriptor >= 0) {
            close(descriptor);
        }
        if (data == MAP_FAILED) {
            return NULL;
        }
        madvise(data, (size_t)end, MADV_RANDOM);
        *size = (uint64_t)end;
        return data;
    }
    """
    ctypedef struct pthread_mutex_t:
        pass
    int pthread_mutex_init(pthread_mutex_t* mutex, void* attributes) noexcept nogil
    int pthread_mutex_destroy(pthread_mutex_t* mutex) noexcept nogil
    int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept nogil
    int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept nogil
    int munmap(void* data, size_t size) noexcept nogil
    void* map_file(const char* path, u64* size) noexcept nogil

cdef enum:
    WDL_TABLE = 0
    DTZ_TABLE = 1

cdef enum:
    IS_SPLIT = 1               # in the file's own flags: each side to move has its values
    HAS_PAWNS = 2

# Why a file is not used.
cdef enum Refusal:
    NOT_REFUSED
    NO_FILE
    NO_MEMORY
    WRONG_LENGTH
    WRONG_MAGIC
    WRONG_MEN
    TRUNCATED
    DAMAGED

cdef dict REFUSALS = {
    NO_FILE: "it can't be opened",
    NO_MEMORY: "there is no memory for it",
    WRONG_LENGTH: "its length is not that of a Syzygy table",
    WRONG_MAGIC: "it is not a Syzygy table of this kind",
    WRONG_MEN: "its men are not those of its name",
    TRUNCATED: "a part of it is missing",
    DAMAGED: "it is damaged",
}

cdef enum:
    CLOSED = 0
    OPEN = 1
    REFUSED = 2

# One series of values: for a side to move, for a file of the first pawn.
cdef struct PartC:
    LayoutC layout
    ValuesC values
    const u8* maps[4]          # of DTZ: a value's number to the distance, by result
    u32 map_sizes[4]

cdef struct TableFileC:
    const char* path           # NULL: there is none
    u64 state
    Refusal refusal
    void* data
    u64 size
    int file_count             # of the first pawn, or 1
    int side_count
    bint is_swapped            # its White is the ending's second side
    PartC* parts               # by file, then by side

cdef struct EndingC:
    u64 key                    # with the first side of its name as White
    u64 swapped_key
    int man_count
    u8 counts[2][6]            # by side and kind
    TableFileC files[2]

cdef struct TablebaseC:
    EndingC* endings
    int count
    int* slots                 # the endings by key, in a hash table; -1: free
    u64 slot_mask
    int most_men
    pthread_mutex_t opening


# ---- endings by their material

cdef inline u64 count_key(int colour, int piece, int count) noexcept nogil:
    """Four bits for each kind but kings."""
    return <u64>count << (4 * (piece + 5 * colour))


cdef inline u64 material_key(const PositionC* pos) noexcept nogil:
    cdef u64 key = 0
    cdef int piece
    for piece in range(KING):
        key |= count_key(WHITE, piece, popcount(pos.pieces[piece] & pos.colours[WHITE]))
        key |= count_key(BLACK, piece, popcount(pos.pieces[piece] & pos.colours[BLACK]))
    return key


cdef inline u64 key_slot(const TablebaseC* tables, u64 key) noexcept nogil:
    return ((key * 0x9E3779B97F4A7C15ULL) >> 32) & tables.slot_mask


cdef void insert_ending(TablebaseC* tables, u64 key, int number) noexcept nogil:
    cdef u64 slot = key_slot(tables, key)
    while tables.slots[slot] >= 0:
        slot = (slot + 1) & tables.slot_mask
    tables.slots[slot] = number


cdef inline EndingC* find_ending(const TablebaseC* tables, u64 key) noexcept nogil:
    cdef u64 slot = key_slot(tables, key)
    cdef EndingC* ending
    while tables.slots[slot] >= 0:
        ending = &tables.endings[tables.slots[slot]]
        if ending.key == key or ending.swapped_key == key:
            return ending
        slot = (slot + 1) & tables.slot_mask
    return NULL


cdef bint index_endings(TablebaseC* tables) noexcept nogil:
    """Once all endings are known. False if there is no memory."""
    cdef u64 size = 16
    cdef int number
    while size < 4 * <u64>tables.count:
        size *= 2
    tables.slots = <int*>malloc(size * sizeof(int))
    if tables.slots == NULL:
        return False
    memset(tables.slots, 0xFF, size * sizeof(int))
    tables.slot_mask = size - 1
    for number in range(tables.count):
        insert_ending(tables, tables.endings[number].key, number)
        if tables.endings[number].swapped_key != tables.endings[number].key:
            insert_ending(tables, tables.endings[number].swapped_key, number)
    return True


# ---- the men of a file

cdef inline int count_pawns(const EndingC* ending, bint leading) noexcept nogil:
    """The side with fewer pawns leads, but it has some."""
    cdef int first = ending.counts[0][PAWN], second = ending.counts[1][PAWN]
    cdef int least = min(first, second), most = max(first, second)
    if least == 0:
        return most if leading else 0
    return least if leading else most


cdef inline Leaders find_leaders(const EndingC* ending) noexcept nogil:
    cdef int side, piece, lone = 0
    if ending.counts[0][PAWN] + ending.counts[1][PAWN]:
        return LEADING_PAWNS
    for side in range(2):
        for piece in range(6):
            lone += ending.counts[side][piece] == 1
    return LEADING_THREE if lone >= 3 else LEADING_KINGS


cdef bint find_groups(LayoutC* layout, const EndingC* ending) noexcept nogil:
    """Behind the leaders, all men of a kind are a group. False if they do not stand together."""
    cdef int index, length, others = count_pawns(ending, False)
    layout.leaders = find_leaders(ending)
    layout.has_other_pawns = others > 0
    if layout.leaders == LEADING_PAWNS:
        layout.group_sizes[0] = <u8>count_pawns(ending, True)
    else:
        layout.group_sizes[0] = 3 if layout.leaders == LEADING_THREE else 2
    layout.group_count = 1
    index = layout.group_sizes[0]
    while index < layout.man_count:
        if has_man(layout.men, index, layout.men[index]):
            return False
        length = 1
        while index + length < layout.man_count and layout.men[index + length] == layout.men[index]:
            length += 1
        layout.group_sizes[layout.group_count] = <u8>length
        layout.group_count += 1
        index += length
    return leaders_are_first(layout) and (others == 0 or layout.group_sizes[1] == others)


cdef inline bint has_man(const u8* men, int count, int man) noexcept nogil:
    cdef int index
    for index in range(count):
        if men[index] == man:
            return True
    return False


cdef bint leaders_are_first(const LayoutC* layout) noexcept nogil:
    cdef const u8* men = &layout.men[0]
    cdef int index, leaders = layout.group_sizes[0]
    if layout.leaders == LEADING_PAWNS:
        for index in range(leaders):
            if men[index] != men[0] or men[0] & 7 != PAWN:
                return False
        return not layout.has_other_pawns or (men[leaders] & 7 == PAWN and men[leaders] != men[0])
    if layout.leaders == LEADING_THREE:
        return men[0] != men[1] and men[0] != men[2] and men[1] != men[2]
    return men[0] & 7 == KING and men[1] & 7 == KING


cdef bint has_men(const LayoutC* layout, const EndingC* ending, bint is_swapped) noexcept nogil:
    """Are these the men of the ending, as many of each?"""
    cdef int counts[2][6]
    cdef int index, side, piece
    memset(counts, 0, sizeof(counts))
    for index in range(layout.man_count):
        counts[((layout.men[index] & BLACK_MAN) != 0) ^ is_swapped][layout.men[index] & 7] += 1
    for side in range(2):
        for piece in range(6):
            if counts[side][piece] != ending.counts[side][piece]:
                return False
    return True


cdef bint read_men(LayoutC* layout, const EndingC* ending, const u8* codes,
                   int shift) noexcept nogil:
    """One nibble a man: its kind, counted from one, and 8 for Black."""
    cdef int index, code
    layout.man_count = ending.man_count
    for index in range(layout.man_count):
        code = (codes[index] >> shift) & 15
        if not 1 <= code & 7 <= 6:
            return False
        layout.men[index] = <u8>((code & BLACK_MAN) | ((code & 7) - 1))
    return find_groups(layout, ending)


cdef Refusal read_layouts(TableFileC* table, const EndingC* ending,
                          ReaderC* reader) noexcept nogil:
    """How the men are ordered in each part, and whose men the table calls White's."""
    cdef int order_count = 1 + (count_pawns(ending, False) > 0)
    cdef int file, side, pawns_order
    cdef const u8* codes
    cdef LayoutC* layout
    for file in range(table.file_count):
        codes = take_bytes(reader, order_count + ending.man_count)
        if codes == NULL:
            return TRUNCATED
        for side in range(table.side_count):
            layout = &table.parts[file * table.side_count + side].layout
            if not read_men(layout, ending, codes + order_count, 4 * side):
                return WRONG_MEN
            if file == 0 and side == 0:
                table.is_swapped = not has_men(layout, ending, False)
            if (not has_men(layout, ending, table.is_swapped)
                    or (layout.leaders == LEADING_PAWNS
                        and layout.men[0] != table.parts[0].layout.men[0])):
                return WRONG_MEN
            pawns_order = (codes[1] >> (4 * side)) & 15 if order_count > 1 else 0
            if not set_factors(layout, (codes[0] >> (4 * side)) & 15, pawns_order, file):
                return DAMAGED
    align_reader(reader, 2)
    return NOT_REFUSED


# ---- the maps of distances

cdef bint read_maps(PartC* part, ReaderC* reader) noexcept nogil:
    cdef int result, width = 2 if part.values.flags & IS_WIDE else 1
    cdef const u8* head
    if not part.values.flags & IS_MAPPED:
        return True
    align_reader(reader, width)
    for result in range(4):
        head = take_bytes(reader, width)
        if head == NULL:
            return False
        part.map_sizes[result] = head[0] if width == 1 else little16(head)
        part.maps[result] = take_bytes(reader, width * part.map_sizes[result])
        if part.maps[result] == NULL:
            return False
    return True


# ---- opening and closing

cdef inline int count_parts(const TableFileC* table) noexcept nogil:
    return table.file_count * table.side_count


cdef Refusal read_sections(TableFileC* table, ReaderC* reader, int kind) noexcept nogil:
    """Each section of the file has its part of every series: headers, maps, indices, blocks."""
    cdef int number, count = count_parts(table)
    cdef PartC* parts = table.parts
    for number in range(count):
        if not read_values_header(&parts[number].values, reader, parts[number].layout.size):
            return DAMAGED
    if kind == DTZ_TABLE:
        for number in range(count):
            parts[number].values.constant = 0  # whatever the file says
            if not read_maps(&parts[number], reader):
                return TRUNCATED
        align_reader(reader, 2)
    for number in range(count):
        if not take_index(&parts[number].values, reader):
            return TRUNCATED
    for number in range(count):
        if not take_lengths(&parts[number].values, reader):
            return TRUNCATED
    for number in range(count):
        if not take_blocks(&parts[number].values, reader):
            return TRUNCATED
    return NOT_REFUSED if take_bytes(reader, CHECKSUM_SIZE) != NULL else TRUNCATED


cdef Refusal read_table(TableFileC* table, const EndingC* ending, int kind) noexcept nogil:
    cdef ReaderC reader
    cdef const u8* head
    cdef Refusal refusal
    cdef bint has_pawns = find_leaders(ending) == LEADING_PAWNS
    reader.data = <const u8*>table.data
    reader.size = table.size
    reader.at = 0
    head = take_bytes(&reader, 5)
    if head == NULL or table.size % 64 != CHECKSUM_SIZE:
        return WRONG_LENGTH
    if little32(head) != (WDL_MAGIC if kind == WDL_TABLE else DTZ_MAGIC):
        return WRONG_MAGIC
    if ((head[4] & HAS_PAWNS) != 0) != has_pawns:
        return WRONG_MEN
    table.file_count = 4 if has_pawns else 1
    table.side_count = 2 if kind == WDL_TABLE and head[4] & IS_SPLIT else 1
    if kind == WDL_TABLE and table.side_count == 1 and ending.key != ending.swapped_key:
        return DAMAGED
    table.parts = <PartC*>calloc(count_parts(table), sizeof(PartC))
    if table.parts == NULL:
        return NO_MEMORY
    refusal = read_layouts(table, ending, &reader)
    return refusal if refusal != NOT_REFUSED else read_sections(table, &reader, kind)


cdef extern from *:
    """
    #define WDL_MAGIC 0x5D23E871U
    #define DTZ_MAGIC 0xA50C66D7U
    """
    u32 WDL_MAGIC, DTZ_MAGIC


cdef void close_table(TableFileC* table) noexcept nogil:
    cdef int number
    if table.parts != NULL:
        for number in range(count_parts(table)):
            free(table.parts[number].values.symbol_sizes)
        free(table.parts)
        table.parts = NULL
    if table.data != NULL:
        munmap(table.data, table.size)
        table.data = NULL


cdef void open_table(TablebaseC* tables, EndingC* ending, int kind) noexcept nogil:
    """Once, by whichever thread comes first; the others wait."""
    cdef TableFileC* table = &ending.files[kind]
    pthread_mutex_lock(&tables.opening)
    if load_acquire(&table.state) == CLOSED:
        table.refusal = NO_FILE
        table.data = map_file(table.path, &table.size)
        if table.data != NULL:
            table.refusal = read_table(table, ending, kind)
        if table.refusal == NOT_REFUSED:
            store_release(&table.state, OPEN)
        else:
            close_table(table)
            store_release(&table.state, REFUSED)
    pthread_mutex_unlock(&tables.opening)


cdef inline bint is_open(TablebaseC* tables, EndingC* ending, int kind) noexcept nogil:
    cdef TableFileC* table = &ending.files[kind]
    if load_acquire(&table.state) == CLOSED:
        open_table(tables, ending, kind)
    return load_acquire(&table.state) == OPEN


cdef void refuse_table(TablebaseC* tables, TableFileC* table) noexcept nogil:
    """Damage that shows only in use. What other threads may be reading stays mapped."""
    pthread_mutex_lock(&tables.opening)
    table.refusal = DAMAGED
    store_release(&table.state, REFUSED)
    pthread_mutex_unlock(&tables.opening)


cdef void free_tables(TablebaseC* tables) noexcept nogil:
    cdef int number, kind
    for number in range(tables.count):
        for kind in range(2):
            close_table(&tables.endings[number].files[kind])
    free(tables.endings)
    free(tables.slots)
    tables.endings = NULL
    tables.slots = NULL
    tables.count = tables.most_men = 0
