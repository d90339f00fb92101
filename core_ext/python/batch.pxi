# What Python sees of positions in bulk: functions over buffers of 32-byte positions. They check
# every position, release the GIL, and take a range, so that threads share an array.

from cpython.buffer cimport (
    Py_buffer, PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer,
)

PACKED_SIZE = sizeof(PackedC)


cdef class BufferView:
    """A borrowed buffer, given back when this object goes."""
    cdef Py_buffer view
    cdef bint held

    def __cinit__(self, source, bint writable, Py_ssize_t itemsize, Py_ssize_t count):
        PyObject_GetBuffer(source, &self.view, PyBUF_WRITABLE if writable else PyBUF_SIMPLE)
        self.held = True
        if self.view.len % itemsize or self.view.len // itemsize != count:
            raise ValueError(f"{count} items of {itemsize} bytes are needed, "
                             f"not {self.view.len} bytes")

    def __dealloc__(self):
        if self.held:
            PyBuffer_Release(&self.view)


cdef object no_position(Py_ssize_t index):
    return ValueError(f"item {index} is not a chess position")


cdef int check_range(Py_ssize_t first, Py_ssize_t end, Py_ssize_t count) except -1:
    if not 0 <= first <= end <= count:
        raise ValueError(f"no range {first} to {end} in {count} positions")
    return 0


cdef class PackedRange:
    """The positions from `first` to `end` of a buffer, to be unpacked one after the other."""
    cdef BufferView buffer
    cdef const PackedC* positions
    cdef Py_ssize_t index      # of the next one
    cdef Py_ssize_t end

    def __cinit__(self, source, Py_ssize_t count, Py_ssize_t first, Py_ssize_t end):
        self.buffer = BufferView(source, False, sizeof(PackedC), count)
        check_range(first, end, count)
        self.positions = <const PackedC*>self.buffer.view.buf
        self.index = first
        self.end = end

    cdef bint unpack(self, PositionC* pos) noexcept nogil:
        """False at the end, and before it where there is no position."""
        return self.index < self.end and unpack_position(pos, &self.positions[self.index])

    cdef int check_end(self) except -1:
        if self.index < self.end:
            raise no_position(self.index)
        return 0


cdef int load_item(PositionC* pos, item) except -1:
    cdef Board board
    if isinstance(item, str):
        load_fen(pos, item)
        return 0
    board = item if isinstance(item, Board) else Board(item)
    pos[0] = board.pos
    return 0


def pack_items(list items not None, target):
    """Write FENs, Boards and `chess.Board`s as packed positions."""
    cdef PositionC pos
    cdef tuple fixed = tuple(items)  # reading an item may run code that changes the list
    cdef Py_ssize_t index, count = len(fixed)
    cdef BufferView packed = BufferView(target, True, sizeof(PackedC), count)
    for index in range(count):
        try:
            load_item(&pos, fixed[index])
        except ValueError as error:
            raise ValueError(f"item {index}: {error}") from None
        pack_position(&(<PackedC*>packed.view.buf)[index], &pos)


def unpack_items(source, Py_ssize_t count):
    """The Boards of packed positions; Chess960 ones where their castling rights ask for it."""
    cdef PackedRange packed = PackedRange(source, count, 0, count)
    cdef Board board = Board.__new__(Board)
    boards = []
    while packed.unpack(&board.pos):
        board.chess960 = needs_chess960(&board.pos)
        boards.append(board)
        board = Board.__new__(Board)
        packed.index += 1
    packed.check_end()
    return boards


def count_range(source, target, Py_ssize_t count, Py_ssize_t first, Py_ssize_t end):
    """Write the legal-move counts (uint16) of a range of positions."""
    cdef PackedRange packed = PackedRange(source, count, first, end)
    cdef BufferView counts = BufferView(target, True, sizeof(u16), count)
    cdef u16* out = <u16*>counts.view.buf
    cdef PositionC pos
    with nogil:
        while (packed.index < end
               and unpack_for_counting(&pos, &packed.positions[packed.index])):
            out[packed.index] = <u16>count_legal(&pos)
            packed.index += 1
    packed.check_end()


def perft_range(source, target, Py_ssize_t count, Py_ssize_t first, Py_ssize_t end, depth):
    """Write the perft counts (uint64) of a range of positions."""
    cdef PackedRange packed = PackedRange(source, count, first, end)
    cdef BufferView counts = BufferView(target, True, sizeof(u64), count)
    cdef u64* out = <u64*>counts.view.buf
    cdef PositionC pos
    cdef PerftJobC job
    cdef PerftTaskC task
    cdef PerftWorkerC worker
    cdef int plies = checked_number("the depth", depth, 0, MAX_PERFT_DEPTH)
    memset(&job, 0, sizeof(PerftJobC))
    worker.job = &job
    worker.task = &task
    with nogil:
        while packed.unpack(&pos):
            out[packed.index] = perft(&pos, plies, &worker)
            packed.index += 1
    packed.check_end()


def feature_range(source, counts, phases, scales, wins, Py_ssize_t count, Py_ssize_t first,
                  Py_ssize_t end):
    """Write the evaluation's feature counts (int8 rows), phases, scales (uint8) and what it adds for
    won endings (int16) of a range."""
    cdef PackedRange packed = PackedRange(source, count, first, end)
    cdef BufferView rows = BufferView(counts, True, WEIGHT_COUNT, count)
    cdef BufferView phase_view = BufferView(phases, True, 1, count)
    cdef BufferView scale_view = BufferView(scales, True, 1, count)
    cdef BufferView win_view = BufferView(wins, True, sizeof(int16_t), count)
    cdef int8_t* row
    cdef PositionC pos
    cdef TraceC trace
    cdef int weight
    with nogil:
        while packed.unpack(&pos):
            trace_evaluation(&pos, &trace)
            row = <int8_t*>rows.view.buf + packed.index * WEIGHT_COUNT
            for weight in range(WEIGHT_COUNT):
                row[weight] = <int8_t>(trace.counts[WHITE][weight]
                                        - trace.counts[BLACK][weight])
            (<u8*>phase_view.view.buf)[packed.index] = <u8>trace.phase
            (<u8*>scale_view.view.buf)[packed.index] = <u8>trace.scale
            (<int16_t*>win_view.view.buf)[packed.index] = <int16_t>trace.known_win
            packed.index += 1
    packed.check_end()


FEATURE_COUNT = WEIGHT_COUNT
LARGEST_PHASE = FULL_PHASE
LARGEST_SCALE = FULL_SCALE


def weights():
    """The evaluation's weights: an array of middlegame and endgame values."""
    import numpy
    cdef int index
    return numpy.array([(WEIGHT_PAIRS[2 * index], WEIGHT_PAIRS[2 * index + 1])
                        for index in range(WEIGHT_COUNT)], dtype=numpy.int32)
