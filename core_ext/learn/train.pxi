# Training the network: the loss and its gradient over packed positions, and a step of AdamW.
#
# Of all inputs some twenty are on, so a position reads and writes that many rows of the first layer's
# weights and nothing else of it. That is why this loop, without a library, is fast on a processor.
#
# The parameters are floats in one array: the first layer's weights, block of units after block of
# units, and in each a row for each input; the biases of that layer; then for each output bucket the
# weights of both views, the mover's first; then the output biases.

from libc.math cimport expf

cdef enum:
    GROUP = 128            # positions that go through a layer one after another

# How targets are made: the result's share, and the sigmoid that turns scores into chances. And how
# errors count: by their squares up to the largest one, beyond it in proportion to their size. Where a
# search of few nodes differs much from the evaluation, it has mostly seen a tactic that no evaluation
# can see, and squares would have half of all learning go after these.
cdef struct TargetC:
    float result_share
    float steepness
    float largest_error

cdef struct SampleC:
    int bucket
    float target
    int rows
    u16 inputs[2][MOST_ROWS]  # in the view of the side to move, and of the other


cdef inline int parameter_count(const ShapeC* shape) noexcept nogil:
    cdef int inputs = input_count(shape.sees_danger)
    return (inputs + 1) * shape.hidden + shape.buckets * (2 * shape.hidden + 1)


cdef inline float loss_of(float error, float largest) noexcept nogil:
    """The square; beyond the largest error a line that goes on with the slope of the square."""
    cdef float size = abs(error)
    return error * error if size <= largest else largest * (2 * size - largest)


cdef inline float sigmoid(float x) noexcept nogil:
    return 1 / (1 + expf(-x))


cdef bint read_sample(SampleC* sample, const PackedC* packed, const TargetC* targets,
                      const ShapeC* shape) noexcept nogil:
    """The inputs that are on, and what the output should be; False if the bytes are no position."""
    cdef int side = packed.side >> 7
    cdef int index = 0, square, man, piece, view
    cdef int flips[2]
    cdef u64 men[8]  # kinds, then colours
    cdef u8 kinds[64]
    cdef u16 listed[MOST_ROWS]
    cdef AttacksC attacks[2]
    cdef u64 left = packed.occupied, in_danger = 0
    cdef float result, chance
    if popcount(left) > MOST_MEN or packed.result > 2:
        return False
    memset(men, 0, sizeof(men))
    while left:
        square = pop_lowest(&left)
        man = (packed.men[index >> 1] >> (4 * (index & 1))) & 15
        index += 1
        piece = ROOK if man & 7 == CASTLING_ROOK else man & 7
        if piece > KING:
            return False
        kinds[square] = <u8>piece
        men[piece] |= bit(square)
        men[6 + (man >> 3)] |= bit(square)
    for view in range(2):
        left = men[KING] & men[6 + (side ^ view)]
        if left == 0:
            return False
        flips[view] = view_flip(side ^ view, lowest(left))
    if shape.sees_danger:
        in_danger = men_in_danger(men, attacks)
    sample.rows = list_men(listed, 0, packed.occupied, kinds, men[6 + BLACK], False)
    sample.bucket = output_bucket(sample.rows, shape.buckets)
    sample.rows = list_men(listed, sample.rows, in_danger, kinds, men[6 + BLACK], True)
    for view in range(2):
        for index in range(sample.rows):
            sample.inputs[view][index] = <u16>input_index(listed[index], side ^ view, flips[view])
    result = 0.5 * packed.result
    chance = sigmoid(targets.steepness * packed.score)
    sample.target = targets.result_share * result + (1 - targets.result_share) * chance
    if side == BLACK:
        sample.target = 1 - sample.target
    return True


cdef float learn_output(float* gradient, const float* parameters, float* sums,
                        const SampleC* sample, const ShapeC* shape, float largest_error,
                        bint learning) noexcept nogil:
    """The loss of one position, of which `sums` has the hidden layer of both views. If that is
    wanted, the output's gradient is added, and the sums become the gradient with respect to them."""
    cdef int hidden = shape.hidden
    cdef int biases = input_count(shape.sees_danger) * hidden
    cdef int outputs = biases + hidden + sample.bucket * 2 * hidden
    cdef int output_bias = biases + hidden + shape.buckets * 2 * hidden + sample.bucket
    cdef int view
    cdef float total = parameters[output_bias], chance, error, slope
    for view in range(2):
        total += dot_squares(sums + view * hidden, parameters + outputs + view * hidden, hidden)
    chance = sigmoid(total)
    error = chance - sample.target
    if learning:
        slope = 2 * min(max(error, -largest_error), largest_error) * chance * (1 - chance)
        gradient[output_bias] += slope
        for view in range(2):
            back_propagate(sums + view * hidden, slope, parameters + outputs + view * hidden,
                           gradient + outputs + view * hidden, gradient + biases, hidden)
    return loss_of(error, largest_error)


cdef double learn_group(float* gradient, const float* parameters, float* sums,
                        const SampleC* samples, int count, const ShapeC* shape,
                        float largest_error, bint learning) noexcept nogil:
    """The losses of some positions; their gradient is added, if that is wanted."""
    cdef int hidden = shape.hidden, inputs = input_count(shape.sees_danger)
    cdef const float* biases = parameters + inputs * hidden
    cdef int block, first, index, view
    cdef double loss = 0
    for block in range(hidden // UNITS_OF_BLOCK):
        first = block * UNITS_OF_BLOCK
        for index in range(count):
            for view in range(2):
                sum_rows(sums + (2 * index + view) * hidden + first, biases + first,
                         parameters + first * inputs, samples[index].inputs[view],
                         samples[index].rows)
    for index in range(count):
        loss += learn_output(gradient, parameters, sums + 2 * index * hidden, &samples[index],
                             shape, largest_error, learning)
    if learning:
        for block in range(hidden // UNITS_OF_BLOCK):
            first = block * UNITS_OF_BLOCK
            for index in range(count):
                for view in range(2):
                    add_to_rows(gradient + first * inputs,
                                sums + (2 * index + view) * hidden + first,
                                samples[index].inputs[view], samples[index].rows)
    return loss


cdef int64_t learn_positions(double* loss, float* gradient, const float* parameters, float* sums,
                             const PackedC* positions, const u32* order, int64_t count,
                             const ShapeC* shape, const TargetC* targets,
                             bint learning) noexcept nogil:
    """Add up losses and gradients of the positions of this order. How many were positions: the
    first that is none ends it. `sums` has room for the hidden layers of a group."""
    cdef SampleC samples[GROUP]
    cdef int64_t index
    cdef int grouped = 0
    for index in range(count):
        if index + 4 < count:
            prefetch(&positions[order[index + 4]])
        if not read_sample(&samples[grouped], &positions[order[index]], targets, shape):
            return index
        grouped += 1
        if grouped == GROUP or index + 1 == count:
            loss[0] += learn_group(gradient, parameters, sums, samples, grouped, shape,
                                   targets.largest_error, learning)
            grouped = 0
    return count
