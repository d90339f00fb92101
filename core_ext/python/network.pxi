# What Python sees of evaluation: networks, and evaluators that are not part of a search.

LARGEST_NETWORK_SCALE = 10000  # centipawns of an output of 1


cdef class Network:
    """A network's weights, checked and ready for any number of searches.

    `data` holds the first layer's weights, a row for each man and square, then if it sees danger the
    whole row of each one in danger; its biases; the output weights of each bucket (all 16 bits); the output
    biases (32 bits). What is known of endings corrects its values, unless it stands alone.
    """
    cdef NetworkC network
    cdef int16_t* memory

    def __cinit__(self, data, hidden, buckets, scale, bint stands_alone=False,
                  bint sees_danger=False):
        cdef ShapeC shape = checked_shape(hidden, buckets, sees_danger)
        cdef int inputs = input_count(sees_danger)
        cdef int outputs = 2 * shape.hidden * shape.buckets
        cdef Py_ssize_t shorts = (inputs + 1) * shape.hidden + outputs
        cdef Py_ssize_t size = shorts * sizeof(int16_t) + shape.buckets * sizeof(int32_t)
        cdef Py_ssize_t index
        cdef BufferView source = BufferView(data, False, 1, size)
        self.network.scale = checked_number("the network's scale", scale, 1, LARGEST_NETWORK_SCALE)
        self.memory = <int16_t*>aligned_alloc(64, (size + 63) & ~<Py_ssize_t>63)
        if self.memory == NULL:
            raise MemoryError("no memory for the network")
        memcpy(self.memory, source.view.buf, size)
        self.network.stands_alone = stands_alone
        self.network.sees_danger = sees_danger
        self.network.hidden = shape.hidden
        self.network.buckets = shape.buckets
        self.network.input_weights = self.memory
        self.network.input_biases = self.memory + inputs * shape.hidden
        self.network.output_weights = self.network.input_biases + shape.hidden
        self.network.output_biases = <int32_t*>(self.memory + shorts)
        for index in range(PLAIN_INPUTS * shape.hidden, inputs * shape.hidden):
            # A file has the whole row of a man in danger, here it is what danger adds.
            self.memory[index] -= self.memory[index - PLAIN_INPUTS * shape.hidden]
        if not has_safe_sums(&self.network):
            raise ValueError("the network's weights are too large for its arithmetic")

    def __dealloc__(self):
        free(self.memory)

    @property
    def hidden(self):
        return self.network.hidden

    @property
    def buckets(self):
        return self.network.buckets

    @property
    def scale(self):
        return self.network.scale

    @property
    def stands_alone(self):
        return self.network.stands_alone

    @property
    def sees_danger(self):
        return self.network.sees_danger


cdef class Evaluator:
    """The static evaluation outside a search: of a network, or without one the classical one."""
    cdef EvaluatorC* evaluator
    cdef readonly Network network

    def __cinit__(self, Network network=None):
        self.network = network
        self.evaluator = new_evaluator(NULL if network is None else &network.network)
        if self.evaluator == NULL:
            raise MemoryError("no memory for an evaluation")

    def __dealloc__(self):
        free_evaluator(self.evaluator)

    def evaluate(self, Board board not None):
        """Centipawns from the side to move."""
        return evaluate_alone(self.evaluator, &board.pos)

    def evaluate_walk(self, steps):
        """The values on a way through the tree of moves, as a search takes it. A step is (ply, board,
        is_asked): the position that stands at this ply from now on. None where it is not asked for."""
        cdef Board board
        cdef int ply, before = -1
        values = []
        for ply, board, is_asked in steps:
            if board is None:
                raise TypeError("each step needs a board")
            if not 0 <= ply <= min(before + 1, MAX_PLY):
                raise ValueError(f"there is no way from ply {before} to ply {ply}")
            before = ply
            enter_ply(self.evaluator, ply)
            values.append(evaluate(self.evaluator, &board.pos, ply) if is_asked else None)
        return values

    def piece_values(self, Board board not None):
        """{square: what the evaluation loses without the man there}, from White's side; no kings."""
        cdef PositionC pos
        cdef int square, piece, whole
        cdef int sign = 1 if board.pos.side == WHITE else -1
        cdef u64 left = occupied(&board.pos) & ~board.pos.pieces[KING]
        whole = evaluate_alone(self.evaluator, &board.pos)
        values = {}
        while left:
            square = pop_lowest(&left)
            pos = board.pos
            piece = pos.squares[square]
            pos.squares[square] = NO_PIECE
            pos.pieces[piece] ^= bit(square)
            pos.colours[WHITE] &= ~bit(square)
            pos.colours[BLACK] &= ~bit(square)
            derive_keys(&pos)
            scan_king(&pos, pos.side)
            values[square] = sign * (whole - evaluate_alone(self.evaluator, &pos))
        return values


def evaluate_range(source, target, Py_ssize_t count, Py_ssize_t first, Py_ssize_t end,
                   Network network=None):
    """Write the evaluations (int16, from the side to move) of a range of packed positions."""
    cdef PackedRange packed = PackedRange(source, count, first, end)
    cdef BufferView scores = BufferView(target, True, sizeof(int16_t), count)
    cdef int16_t* out = <int16_t*>scores.view.buf
    cdef Evaluator own = Evaluator(network)
    cdef PositionC pos
    with nogil:
        while packed.unpack(&pos):
            out[packed.index] = <int16_t>evaluate_alone(own.evaluator, &pos)
            packed.index += 1
    packed.check_end()
