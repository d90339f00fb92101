# The network: its weights, and the sums that a position's men make of them.
#
# Each side has its view of the board (inputs.pxi). In a view the rows of all men that stand on the
# board add up to the hidden layer: its accumulator. It is not part of the position but a `ViewC` beside
# it, made when it is asked for from any other one of the same kind, by the men in which their two
# positions differ. Whether they lie a quiet move, a castling, a promotion or ten plies apart makes no
# difference, and a new accumulator from nothing is one from the empty board.

cdef extern from *:
    """
    enum {
        ACTIVATION_ONE = 255,  /* what 1.0 is in the hidden layer */
        WEIGHT_ONE = 64,       /* and in the output's weights */
        NETWORK_STEP = 32,     /* the hidden layer's size is a multiple of this, for whole vectors */
        MOST_UNITS = 1024
    };
    """
    enum: ACTIVATION_ONE
    enum: WEIGHT_ONE
    enum: NETWORK_STEP
    enum: MOST_UNITS

# The size of a network.
cdef struct ShapeC:
    int hidden
    int buckets
    bint sees_danger

cdef struct NetworkC:
    int hidden
    int buckets
    bint sees_danger
    int scale                      # centipawns for an output of 1.0
    bint stands_alone              # without what is known of endings
    const int16_t* input_weights   # a row for each man and square, then what danger adds to each
    const int16_t* input_biases
    const int16_t* output_weights  # for each bucket: the mover's view, then the other's
    const int32_t* output_biases

# A position as networks see it.
cdef struct MenC:
    u64 sets[8]            # kinds, then colours
    u8 squares[64]         # the kind on each
    u64 in_danger          # none if the network does not see danger

cdef struct ViewC:
    int flip
    bint is_ready
    int16_t* sums

# The rows that one position has and another has not.
cdef struct ChangesC:
    u16 added[MOST_ROWS]
    u16 removed[MOST_ROWS]
    int added_count
    int removed_count

cdef extern from *:
    """
    /* As wide as a register: wider ones would go through the stack. */
    #if defined(__AVX512BW__)
    enum { VECTOR_BYTES = 64 };
    #elif defined(__AVX2__)
    enum { VECTOR_BYTES = 32 };
    #else
    enum { VECTOR_BYTES = 16 };
    #endif
    /* Unsigned: the sums of a stranger's network may overflow, which is only defined so. */
    typedef uint16_t shorts
        __attribute__((vector_size(VECTOR_BYTES), aligned(VECTOR_BYTES), may_alias));
    /* Vectors at a time: as many as registers hold beside the rows, and those of NETWORK_STEP. */
    enum {
        SHORTS_OF_VECTOR = VECTOR_BYTES / 2,
        LARGE_BLOCK = 8,
        SMALL_BLOCK = NETWORK_STEP / SHORTS_OF_VECTOR
    };
    _Static_assert(NETWORK_STEP % SHORTS_OF_VECTOR == 0, "no unit is left over");

    #define SHORTS(array, index) (((shorts*)(array))[index])

    /* Some rows more and some rows less, for so many vectors, which stay in registers. */
    static inline __attribute__((always_inline)) void change_block(
            int16_t* to, const int16_t* from, const int16_t* weights, const uint16_t* added,
            int added_count, const uint16_t* removed, int removed_count, int hidden, int vectors) {
        shorts block[LARGE_BLOCK];
        for (int part = 0; part < vectors; part++) block[part] = SHORTS(from, part);
        for (int index = 0; index < added_count; index++) {
            const int16_t* row = weights + added[index] * hidden;
            for (int part = 0; part < vectors; part++) block[part] += SHORTS(row, part);
        }
        for (int index = 0; index < removed_count; index++) {
            const int16_t* row = weights + removed[index] * hidden;
            for (int part = 0; part < vectors; part++) block[part] -= SHORTS(row, part);
        }
        for (int part = 0; part < vectors; part++) SHORTS(to, part) = block[part];
    }

    static inline void change_sums(int16_t* to, const int16_t* from, const int16_t* weights,
                                   const uint16_t* added, int added_count,
                                   const uint16_t* removed, int removed_count, int hidden) {
        const int large = LARGE_BLOCK * SHORTS_OF_VECTOR, small = SMALL_BLOCK * SHORTS_OF_VECTOR;
        int first = 0;
        for (; first + large <= hidden; first += large)
            change_block(to + first, from + first, weights + first, added, added_count, removed,
                         removed_count, hidden, LARGE_BLOCK);
        for (; first < hidden; first += small)
            change_block(to + first, from + first, weights + first, added, added_count, removed,
                         removed_count, hidden, SMALL_BLOCK);
    }

    /* The activation, clipped and squared, times the output's weights. The first product fits 16
       bits by the size that weights may have, the sum fits 32 by what the loader checks. */
    static inline int32_t activate(const int16_t* sums, const int16_t* weights, int hidden) {
        const int16_t* s = (const int16_t*)__builtin_assume_aligned(sums, 32);
        const int16_t* w = (const int16_t*)__builtin_assume_aligned(weights, 32);
        int32_t total = 0;
        for (int unit = 0; unit < hidden; unit++) {
            int16_t value = s[unit] < 0 ? 0 : s[unit] > ACTIVATION_ONE ? ACTIVATION_ONE : s[unit];
            int16_t product = (int16_t)(value * w[unit]);
            total += (int32_t)product * (int32_t)value;
        }
        return total;
    }
    """
    void change_sums(int16_t* to, const int16_t* source, const int16_t* weights, const u16* added,
                     int added_count, const u16* removed, int removed_count,
                     int hidden) noexcept nogil
    int32_t activate(const int16_t* sums, const int16_t* weights, int hidden) noexcept nogil


cdef bint has_safe_sums(const NetworkC* network) noexcept nogil:
    """Do the output's products fit 16 bits and their sum over a view 32, whatever the position?"""
    cdef int view, unit, weight, total
    for view in range(2 * network.buckets):
        total = 0
        for unit in range(network.hidden):
            weight = network.output_weights[view * network.hidden + unit]
            if abs(weight) * ACTIVATION_ONE > 32767:
                return False
            total += abs(weight)
        if <int64_t>total * ACTIVATION_ONE * ACTIVATION_ONE > 2147483647:
            return False
    return True


cdef inline int input_count(bint sees_danger) noexcept nogil:
    return DANGER_INPUTS if sees_danger else PLAIN_INPUTS


cdef inline void note_men(MenC* men, const PositionC* pos, u64 in_danger) noexcept nogil:
    memcpy(men.sets, pos.pieces, sizeof(men.sets))
    memcpy(men.squares, pos.squares, sizeof(men.squares))
    men.in_danger = in_danger


cdef inline int list_part(u16* listed, const MenC* men, u64 squares, u64 in_danger) noexcept nogil:
    """The inputs of the men on some squares, and those of danger on others. How many there are."""
    cdef int count = list_men(listed, 0, (men.sets[6 + WHITE] | men.sets[6 + BLACK]) & squares,
                              men.squares, men.sets[6 + BLACK], False)
    return list_men(listed, count, men.in_danger & in_danger, men.squares, men.sets[6 + BLACK], True)


cdef inline void list_changes(ChangesC* changes, const MenC* before, const MenC* after) noexcept nogil:
    """What is different in one position from another. A man that stays and is in danger now, or no
    longer, is a change of one row."""
    cdef u64 moved = 0, other
    cdef int index
    for index in range(8):
        moved |= before.sets[index] ^ after.sets[index]
    other = moved | (before.in_danger ^ after.in_danger)
    changes.removed_count = list_part(changes.removed, before, moved, other)
    changes.added_count = list_part(changes.added, after, moved, other)


cdef inline void derive_view(const NetworkC* network, ViewC* to, const int16_t* source,
                             const ChangesC* changes, int view, int flip, int hidden) noexcept nogil:
    """A position's accumulator from another one in the same view with the same flip."""
    cdef u16 added[MOST_ROWS]
    cdef u16 removed[MOST_ROWS]
    cdef int index
    for index in range(changes.added_count):
        added[index] = <u16>input_index(changes.added[index], view, flip)
        prefetch(network.input_weights + added[index] * hidden)
    for index in range(changes.removed_count):
        removed[index] = <u16>input_index(changes.removed[index], view, flip)
        prefetch(network.input_weights + removed[index] * hidden)
    change_sums(to.sums, source, network.input_weights, added, changes.added_count, removed,
                changes.removed_count, hidden)
    to.flip = flip
    to.is_ready = True


cdef inline int read_output(const NetworkC* network, const int16_t* own, const int16_t* other,
                            int men, int hidden) noexcept nogil:
    """Centipawns for the side to move, from the accumulators of both views."""
    cdef int bucket = output_bucket(men, network.buckets)
    cdef const int16_t* weights = network.output_weights + bucket * 2 * hidden
    cdef int64_t total = activate(own, weights, hidden)
    total += activate(other, weights + hidden, hidden)
    total = total // ACTIVATION_ONE + network.output_biases[bucket]
    return <int>(total * network.scale // (ACTIVATION_ONE * WEIGHT_ONE))
