# The values of a Syzygy table, which are compressed in two steps.
#
# A value, or two symbols that often come together, make a symbol: a tree of pairs. The symbols are
# written in canonical Huffman codes, in blocks of equal length; an index tells for every so many
# values in which block they are. Nothing in a file is believed: what lies outside of it, and what
# no table would contain, is damage.

cdef enum:
    MOST_SYMBOLS = 4095        # two of them share three bytes
    LEAF = 0xFFF               # the right half of a symbol that is a value
    LONGEST_CODE = 32
    MOST_BLOCK_BITS = 16
    MOST_SPAN_BITS = 30
    CHECKSUM_SIZE = 16
    NO_VALUE = -1

# The flags of a series of values.
cdef enum:
    STORES_BLACK = 1           # of distances, which are kept for one side to move
    IS_MAPPED = 2
    WINS_IN_PLIES = 4
    LOSSES_IN_PLIES = 8
    IS_WIDE = 16               # the map's entries have two bytes
    IS_CONSTANT = 128

# Reads a file from its beginning and never beyond its end.
cdef struct ReaderC:
    const u8* data
    u64 size
    u64 at

cdef struct ValuesC:
    int flags
    int constant               # where all values are the same
    int block_bits
    int span_bits              # of the number of values between two entries of the index
    int shortest
    int longest
    int symbol_count
    u32 block_count
    u32 length_count           # some blocks more, which nothing is in
    u64 index_count
    const u8* lowest           # the first symbol of each length of code
    const u8* tree             # three bytes for each symbol
    const u8* index            # a block and a place in it
    const u8* lengths          # of the blocks, in values, less one
    const u8* blocks
    const u8* end
    u16* symbol_sizes          # in values, less one
    u64 first_codes[LONGEST_CODE]  # by length from the shortest on, from the top bit on


# ---- bytes

cdef inline u32 little16(const u8* bytes) noexcept nogil:
    return bytes[0] | (<u32>bytes[1] << 8)


cdef inline u32 little32(const u8* bytes) noexcept nogil:
    return little16(bytes) | (little16(bytes + 2) << 16)


cdef inline u32 big32(const u8* bytes) noexcept nogil:
    return (<u32>bytes[0] << 24) | (<u32>bytes[1] << 16) | (<u32>bytes[2] << 8) | bytes[3]


cdef inline const u8* take_bytes(ReaderC* reader, u64 count) noexcept nogil:
    """NULL, and from then on always, when there are not so many left."""
    cdef u64 at = reader.at
    if at > reader.size or count > reader.size - at:
        reader.at = reader.size + 1
        return NULL
    reader.at = at + count
    return reader.data + at


cdef inline void align_reader(ReaderC* reader, u64 step) noexcept nogil:
    reader.at += -reader.at & (step - 1)


# ---- opening

cdef inline int left_half(const ValuesC* values, int symbol) noexcept nogil:
    return little16(values.tree + 3 * symbol) & 0xFFF


cdef inline int right_half(const ValuesC* values, int symbol) noexcept nogil:
    return little16(values.tree + 3 * symbol + 1) >> 4


cdef bint read_values_header(ValuesC* values, ReaderC* reader, u64 size) noexcept nogil:
    """What stands in front of the index: the codes and the symbols. False if it is damaged."""
    cdef const u8* head = take_bytes(reader, 2)
    if head == NULL:
        return False
    values.flags = head[0]
    if values.flags & IS_CONSTANT:
        values.constant = head[1]
        return True
    values.block_bits = head[1]
    head = take_bytes(reader, 8)
    if head == NULL:
        return False
    values.span_bits = head[0]
    values.block_count = little32(head + 2)
    values.length_count = values.block_count + head[1]
    values.longest = head[6]
    values.shortest = head[7]
    if (not 1 <= values.shortest <= values.longest <= LONGEST_CODE
            or not 1 <= values.span_bits <= MOST_SPAN_BITS or values.block_bits > MOST_BLOCK_BITS
            or values.length_count < values.block_count):
        return False
    values.index_count = (size + (<u64>1 << values.span_bits) - 1) >> values.span_bits
    values.lowest = take_bytes(reader, 2 * (values.longest - values.shortest + 1))
    head = take_bytes(reader, 2)
    if head == NULL:
        return False
    values.symbol_count = little16(head)
    values.tree = take_bytes(reader, 3 * values.symbol_count + (values.symbol_count & 1))
    if values.tree == NULL or not 1 <= values.symbol_count <= MOST_SYMBOLS:
        return False
    set_first_codes(values)
    return measure_symbols(values)


cdef void set_first_codes(ValuesC* values) noexcept nogil:
    """The codes of one length follow those of the next longer one, cut short by a bit."""
    cdef int place = values.longest - values.shortest
    cdef u64 code = 0
    values.first_codes[place] = 0
    while place > 0:
        place -= 1
        code += little16(values.lowest + 2 * place)
        code = (code - little16(values.lowest + 2 * place + 2)) >> 1
        values.first_codes[place] = code << (64 - values.shortest - place)


cdef bint measure_symbols(ValuesC* values) noexcept nogil:
    """How many values each symbol stands for; False where a symbol would contain itself."""
    cdef int symbol, left, right, sizes, unknown = values.symbol_count, before
    cdef u8 is_known[MOST_SYMBOLS]
    memset(is_known, 0, sizeof(is_known))
    values.symbol_sizes = <u16*>calloc(values.symbol_count, sizeof(u16))
    if values.symbol_sizes == NULL:
        return False
    while unknown:
        before = unknown
        for symbol in range(values.symbol_count):
            if is_known[symbol]:
                continue
            right = right_half(values, symbol)
            if right != LEAF:
                left = left_half(values, symbol)
                if left >= values.symbol_count or right >= values.symbol_count:
                    return False
                if not (is_known[left] and is_known[right]):
                    continue
                sizes = values.symbol_sizes[left] + values.symbol_sizes[right] + 1
                if sizes > 65535:
                    return False
                values.symbol_sizes[symbol] = <u16>sizes
            is_known[symbol] = True
            unknown -= 1
        if unknown == before:
            return False
    return True


cdef bint take_index(ValuesC* values, ReaderC* reader) noexcept nogil:
    if values.flags & IS_CONSTANT:
        return True
    values.index = take_bytes(reader, 6 * values.index_count)
    return values.index != NULL


cdef bint take_lengths(ValuesC* values, ReaderC* reader) noexcept nogil:
    if values.flags & IS_CONSTANT:
        return True
    values.lengths = take_bytes(reader, 2 * <u64>values.length_count)
    return values.lengths != NULL


cdef bint take_blocks(ValuesC* values, ReaderC* reader) noexcept nogil:
    cdef u64 size = <u64>values.block_count << values.block_bits
    align_reader(reader, 64)
    if values.flags & IS_CONSTANT:
        return True
    values.blocks = take_bytes(reader, size)
    if values.blocks == NULL:
        return False
    values.end = values.blocks + size
    return True


# ---- reading one value

cdef inline u32 next_bits(const ValuesC* values, const u8* where) noexcept nogil:
    """Behind the last block there is nothing that a code could need."""
    return big32(where) if where + 4 <= values.end else 0


cdef inline int64_t find_block(const ValuesC* values, u64 number, u32* block) noexcept nogil:
    """The block of a value, and its place there; negative if the index leads nowhere.

    The index tells where the middle one of a span of values is.
    """
    cdef u64 entry = number >> values.span_bits
    cdef int64_t place = <int64_t>(number & ((<u64>1 << values.span_bits) - 1))
    cdef const u8* found
    if entry >= values.index_count:
        return NO_VALUE
    found = values.index + 6 * entry
    block[0] = little32(found)
    place += <int64_t>little16(found + 4) - (<int64_t>1 << (values.span_bits - 1))
    while place < 0:
        if block[0] == 0 or block[0] > values.length_count:
            return NO_VALUE
        block[0] -= 1
        place += <int64_t>little16(values.lengths + 2 * <u64>block[0]) + 1
    while True:
        if block[0] >= values.block_count:
            return NO_VALUE
        if place <= <int64_t>little16(values.lengths + 2 * <u64>block[0]):
            return place
        place -= <int64_t>little16(values.lengths + 2 * <u64>block[0]) + 1
        block[0] += 1


cdef inline int find_symbol(const ValuesC* values, u32 block, int64_t* place) noexcept nogil:
    """The symbol that the value is part of, and its place in it."""
    cdef const u8* where = values.blocks + (<u64>block << values.block_bits)
    cdef u64 bits = (<u64>next_bits(values, where) << 32) | next_bits(values, where + 4)
    cdef int used = 0, length
    cdef u64 symbol
    where += 8
    while True:
        length = 0
        while bits < values.first_codes[length]:
            length += 1
        symbol = little16(values.lowest + 2 * length) + (
            (bits - values.first_codes[length]) >> (64 - values.shortest - length))
        if symbol >= <u64>values.symbol_count:
            return NO_VALUE
        if place[0] <= values.symbol_sizes[symbol]:
            return <int>symbol
        place[0] -= values.symbol_sizes[symbol] + 1
        length += values.shortest
        bits <<= length
        used += length
        if used >= 32:
            used -= 32
            bits |= <u64>next_bits(values, where) << used
            where += 4


cdef int read_value(const ValuesC* values, u64 number) noexcept nogil:
    """The value of a placing, or NO_VALUE if the file is damaged."""
    cdef u32 block = 0
    cdef int64_t place
    cdef int symbol, left
    if values.flags & IS_CONSTANT:
        return values.constant
    place = find_block(values, number, &block)
    if place < 0:
        return NO_VALUE
    symbol = find_symbol(values, block, &place)
    if symbol < 0:
        return NO_VALUE
    while values.symbol_sizes[symbol]:
        left = left_half(values, symbol)
        if place <= values.symbol_sizes[left]:
            symbol = left
        else:
            place -= values.symbol_sizes[left] + 1
            symbol = right_half(values, symbol)
    return left_half(values, symbol)
