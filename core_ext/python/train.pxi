# What Python sees of training: functions over numpy's buffers, with the GIL released.

HIDDEN_SIZES = range(NETWORK_STEP, MOST_UNITS + 1, NETWORK_STEP)
MOST_BUCKETS = 8
BLOCK_UNITS = UNITS_OF_BLOCK  # of the first layer, whose weights lie block after block
ACTIVATION_UNIT = ACTIVATION_ONE  # what 1.0 is in a quantised network's hidden layer
WEIGHT_UNIT = WEIGHT_ONE          # and in its output's weights


cdef ShapeC checked_shape(hidden, buckets, bint sees_danger) except *:
    cdef ShapeC shape
    if hidden not in HIDDEN_SIZES:
        raise ValueError(f"the hidden layer has a multiple of {NETWORK_STEP} units, at most "
                         f"{MOST_UNITS}, not {hidden}")
    shape.hidden = hidden
    shape.buckets = checked_number("the number of output buckets", buckets, 1, MOST_BUCKETS)
    shape.sees_danger = sees_danger
    return shape


def network_inputs(bint sees_danger):
    """How many inputs a network has."""
    return input_count(sees_danger)


def network_size(hidden, buckets, bint sees_danger=False):
    """How many parameters such a network has."""
    cdef ShapeC shape = checked_shape(hidden, buckets, sees_danger)
    return parameter_count(&shape)


def learn_range(gradient, parameters, source, order, hidden, buckets, bint sees_danger,
                float result_share, float steepness, float largest_error, Py_ssize_t first,
                Py_ssize_t end):
    """Add the gradient of a range of the order to `gradient`, unless that is None; the sum of the
    losses: squared errors, but lines beyond the largest one. Threads may share all but the
    gradient."""
    cdef ShapeC shape = checked_shape(hidden, buckets, sees_danger)
    cdef TargetC targets = TargetC(result_share, steepness, largest_error)
    cdef bint learning = gradient is not None
    cdef int size = parameter_count(&shape)
    cdef BufferView weights = BufferView(parameters, False, sizeof(float), size)
    cdef BufferView slopes = BufferView(gradient if learning else parameters, learning,
                                        sizeof(float), size)
    cdef Py_ssize_t count = len(order), positions = len(source)
    cdef BufferView packed = BufferView(source, False, sizeof(PackedC), positions)
    cdef BufferView indices = BufferView(order, False, sizeof(u32), count)
    cdef const u32* chosen = <const u32*>indices.view.buf
    cdef Py_ssize_t index
    cdef int64_t done
    cdef double loss = 0
    cdef float* sums
    check_range(first, end, count)
    for index in range(first, end):
        if chosen[index] >= positions:
            raise ValueError(f"no position {chosen[index]} among {positions}")
    sums = <float*>aligned_alloc(64, GROUP * 2 * shape.hidden * sizeof(float))
    if sums == NULL:
        raise MemoryError("no memory for the hidden layers")
    with nogil:
        done = learn_positions(&loss, <float*>slopes.view.buf, <const float*>weights.view.buf,
                               sums, <const PackedC*>packed.view.buf, chosen + first, end - first,
                               &shape, &targets, learning)
    free(sums)
    if done < end - first:
        raise no_position(chosen[first + done])
    return loss


def adam_step(parameters, means, squares, list gradients not None, *, float scale, float rate,
              float decay, float limit, int step):
    """Improve the parameters by the gradients' sum times `scale`, and empty the gradients."""
    cdef Py_ssize_t count = len(parameters)
    cdef BufferView values = BufferView(parameters, True, sizeof(float), count)
    cdef BufferView firsts = BufferView(means, True, sizeof(float), count)
    cdef BufferView seconds = BufferView(squares, True, sizeof(float), count)
    cdef list views = [BufferView(each, True, sizeof(float), count) for each in gradients]
    cdef float* parts[THREAD_LIMIT]
    cdef float first_bias = 1 / (1 - (1 - MEAN_SHARE) ** step)
    cdef float second_bias = 1 / (1 - (1 - SQUARE_SHARE) ** step)
    cdef int index, part_count = checked_number("the number of gradients", len(views), 1,
                                                THREAD_LIMIT)
    for index in range(part_count):
        parts[index] = <float*>(<BufferView>views[index]).view.buf
    with nogil:
        for index in range(1, part_count):
            take_gradient(parts[0], parts[index], <int>count)
        improve(<float*>values.view.buf, <float*>firsts.view.buf, <float*>seconds.view.buf,
                parts[0], <int>count, scale, rate, decay, limit, first_bias, second_bias)
