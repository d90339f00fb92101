# Training the network: the loss and its gradient over packed positions, and a step of AdamW.
#
# Of all inputs some twenty are on, so a position reads and writes that many rows of the first layer's
# weights and nothing else of it. That is why this loop, without a library, is fast on a processor.
#
# The parameters are floats in one array: the first layer's weights, a row for each input; its biases;
# then for each output bucket the weights of both views, the mover's first; then the output biases.

from libc.math cimport expf, sqrtf

# How targets are made: the result's share, and the sigmoid that turns scores into chances. And how
# errors count: by their squares up to the largest one, beyond it in proportion to their size. Where a
# search of few nodes differs much from the evaluation, it has mostly seen a tactic that no evaluation
# can see, and squares would have half of all learning go after these.
cdef struct TargetC:
    float result_share
    float steepness
    float largest_error

cdef struct SampleC:
    int men
    int bucket
    float target
    u16 inputs[2][MOST_MEN]  # in the view of the side to move, and of the other


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
    cdef u16 listed[MOST_MEN]
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
        men[piece] |= bit(square)
        men[6 + (man >> 3)] |= bit(square)
    for view in range(2):
        left = men[KING] & men[6 + (side ^ view)]
        if left == 0:
            return False
        flips[view] = view_flip(side ^ view, lowest(left))
    if shape.sees_danger:
        in_danger = men_in_danger(men, attacks)
    sample.men = 0
    for piece in range(6):
        sample.men = list_men(listed, sample.men, men[piece], men, in_danger, piece)
    for view in range(2):
        for index in range(sample.men):
            sample.inputs[view][index] = <u16>input_index(listed[index], side ^ view, flips[view])
    sample.bucket = output_bucket(sample.men, shape.buckets)
    result = 0.5 * packed.result
    chance = sigmoid(targets.steepness * packed.score)
    sample.target = targets.result_share * result + (1 - targets.result_share) * chance
    if side == BLACK:
        sample.target = 1 - sample.target
    return True


cdef inline float learn_sample(float* gradient, const float* parameters, const SampleC* sample,
                               const ShapeC* shape, float largest_error, int hidden,
                               bint learning) noexcept nogil:
    """The loss of one position; its gradient is added, if that is wanted."""
    cdef float sums[2][MOST_UNITS]
    cdef int biases = input_count(shape.sees_danger) * hidden
    cdef int outputs = biases + hidden + sample.bucket * 2 * hidden
    cdef int output_bias = biases + hidden + shape.buckets * 2 * hidden + sample.bucket
    cdef int view
    cdef float total = parameters[output_bias], chance, error, slope
    for view in range(2):
        sum_rows(sums[view], parameters + biases, parameters, sample.inputs[view], sample.men,
                 hidden)
        total += dot_squares(sums[view], parameters + outputs + view * hidden, hidden)
    chance = sigmoid(total)
    error = chance - sample.target
    if learning:
        slope = 2 * min(max(error, -largest_error), largest_error) * chance * (1 - chance)
        gradient[output_bias] += slope
        for view in range(2):
            back_propagate(sums[view], slope, parameters + outputs + view * hidden,
                           gradient + outputs + view * hidden, gradient + biases, hidden)
            add_to_rows(gradient, sums[view], sample.inputs[view], sample.men, hidden)
    return loss_of(error, largest_error)


cdef float learn_as_sized(float* gradient, const float* parameters, const SampleC* sample,
                          const ShapeC* shape, float largest, bint learning) noexcept nogil:
    """The usual sizes are constants to the compiler."""
    if shape.hidden == 64:
        return learn_sample(gradient, parameters, sample, shape, largest, 64, learning)
    if shape.hidden == 128:
        return learn_sample(gradient, parameters, sample, shape, largest, 128, learning)
    if shape.hidden == 256:
        return learn_sample(gradient, parameters, sample, shape, largest, 256, learning)
    return learn_sample(gradient, parameters, sample, shape, largest, shape.hidden, learning)


cdef int64_t learn_positions(double* loss, float* gradient, const float* parameters,
                             const PackedC* positions, const u32* order, int64_t count,
                             const ShapeC* shape, const TargetC* targets,
                             bint learning) noexcept nogil:
    """Add up losses and gradients of the positions of this order. How many were positions: the
    first that is none ends it."""
    cdef SampleC sample
    cdef int64_t index
    for index in range(count):
        if index + 4 < count:
            prefetch(&positions[order[index + 4]])
        if not read_sample(&sample, &positions[order[index]], targets, shape):
            return index
        loss[0] += learn_as_sized(gradient, parameters, &sample, shape, targets.largest_error,
                                  learning)
    return count


cdef struct AdamC:
    float rate
    float decay
    float first_bias       # what the running means still lack after so many steps
    float second_bias
    float limit            # no weight is larger: the quantised ones must fit


cdef void step_adam(float* parameters, float* means, float* squares, float* const* gradients,
                    int gradient_count, float scale, int count, const AdamC* adam) noexcept nogil:
    """One step of AdamW. The gradients, one of each thread, are added up and emptied."""
    cdef float slope, step
    cdef int index, part
    for index in range(count):
        slope = 0
        for part in range(gradient_count):
            slope += gradients[part][index]
            gradients[part][index] = 0
        slope *= scale
        means[index] += <float>0.1 * (slope - means[index])
        squares[index] += <float>0.001 * (slope * slope - squares[index])
        step = means[index] * adam.first_bias / (
            sqrtf(squares[index] * adam.second_bias) + <float>1e-8)
        step += adam.decay * parameters[index]
        parameters[index] = min(max(parameters[index] - adam.rate * step, -adam.limit), adam.limit)
