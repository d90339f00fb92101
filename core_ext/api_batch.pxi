# What Python sees of positions in bulk: functions over buffers of 32-byte positions. They check
# every position, release the GIL, and take a range, so that threads share an array.

from cpython.buffer cimport (
    Py_buffer, PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer,
)

DEBUG = bool(DEBUG_BUILD)
PACKED_SIZE = sizeof(PackedC)


cdef class BufferView:
    """A borrowed buffer, given back when this object goes."""
    cdef Py_buffer view
    cdef bint held

    def __cinit__(self, source, bint writable, Py_ssize_t itemsize, Py_ssize_t count):
        PyObject_GetBuffer(source, &self.view, PyBUF_WRITABLE if writable else PyBUF_SIMPLE)
        self.held = True
        if self.view.len != itemsize * count:
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
    cdef Py_ssize_t index, count = len(items)
    cdef BufferView packed = BufferView(target, True, sizeof(PackedC), count)
    for index in range(count):
        try:
            load_item(&pos, items[index])
        except ValueError as error:
            raise ValueError(f"item {index}: {error}") from None
        pack_position(&(<PackedC*>packed.view.buf)[index], &pos)


def unpack_items(source, Py_ssize_t count):
    """The Boards of packed positions; Chess960 ones where their castling rights ask for it."""
    cdef BufferView packed = BufferView(source, False, sizeof(PackedC), count)
    cdef Py_ssize_t index
    cdef Board board
    boards = []
    for index in range(count):
        board = Board.__new__(Board)
        if not unpack_position(&board.pos, &(<PackedC*>packed.view.buf)[index]):
            raise no_position(index)
        board.chess960 = needs_chess960(&board.pos)
        boards.append(board)
    return boards


def count_range(source, target, Py_ssize_t count, Py_ssize_t first, Py_ssize_t end):
    """Write the legal-move counts (uint16) of a range of positions."""
    cdef BufferView packed = BufferView(source, False, sizeof(PackedC), count)
    cdef BufferView counts = BufferView(target, True, sizeof(u16), count)
    cdef const PackedC* positions = <PackedC*>packed.view.buf
    cdef u16* out = <u16*>counts.view.buf
    cdef PositionC pos
    cdef Py_ssize_t index = first
    check_range(first, end, count)
    with nogil:
        while index < end and unpack_for_counting(&pos, &positions[index]):
            out[index] = <u16>count_legal(&pos)
            index += 1
    if index < end:
        raise no_position(index)


def perft_range(source, target, Py_ssize_t count, Py_ssize_t first, Py_ssize_t end, depth):
    """Write the perft counts (uint64) of a range of positions."""
    cdef BufferView packed = BufferView(source, False, sizeof(PackedC), count)
    cdef BufferView counts = BufferView(target, True, sizeof(u64), count)
    cdef const PackedC* positions = <PackedC*>packed.view.buf
    cdef u64* out = <u64*>counts.view.buf
    cdef PositionC pos
    cdef PerftJobC job
    cdef PerftTaskC task
    cdef PerftWorkerC worker
    cdef int plies = checked_number("the depth", depth, 0, MAX_PERFT_DEPTH)
    cdef Py_ssize_t index = first
    check_range(first, end, count)
    memset(&job, 0, sizeof(PerftJobC))
    worker.job = &job
    worker.task = &task
    with nogil:
        while index < end and unpack_position(&pos, &positions[index]):
            out[index] = perft(&pos, plies, &worker)
            index += 1
    if index < end:
        raise no_position(index)


def evaluate_range(source, target, Py_ssize_t count, Py_ssize_t first, Py_ssize_t end):
    """Write the static evaluations (int16, from the side to move) of a range of positions."""
    cdef BufferView packed = BufferView(source, False, sizeof(PackedC), count)
    cdef BufferView scores = BufferView(target, True, sizeof(int16_t), count)
    cdef const PackedC* positions = <PackedC*>packed.view.buf
    cdef int16_t* out = <int16_t*>scores.view.buf
    cdef PositionC pos
    cdef PawnEntryC* pawns
    cdef Py_ssize_t index = first
    check_range(first, end, count)
    pawns = new_pawn_cache()
    if pawns == NULL:
        raise MemoryError("no memory for the pawn cache")
    with nogil:
        while index < end and unpack_position(&pos, &positions[index]):
            out[index] = <int16_t>evaluate(&pos, pawns)
            index += 1
    free(pawns)
    if index < end:
        raise no_position(index)


def feature_range(source, counts, phases, scales, Py_ssize_t count, Py_ssize_t first,
                  Py_ssize_t end):
    """Write the evaluation's feature counts (int8 rows), phases and scales of a range."""
    cdef BufferView packed = BufferView(source, False, sizeof(PackedC), count)
    cdef BufferView rows = BufferView(counts, True, WEIGHT_COUNT, count)
    cdef BufferView phase_view = BufferView(phases, True, 1, count)
    cdef BufferView scale_view = BufferView(scales, True, 1, count)
    cdef const PackedC* positions = <PackedC*>packed.view.buf
    cdef int8_t* row
    cdef PositionC pos
    cdef TraceC trace
    cdef int weight
    cdef Py_ssize_t index = first
    check_range(first, end, count)
    with nogil:
        while index < end and unpack_position(&pos, &positions[index]):
            trace_evaluation(&pos, &trace)
            row = <int8_t*>rows.view.buf + index * WEIGHT_COUNT
            for weight in range(WEIGHT_COUNT):
                row[weight] = <int8_t>trace.counts[weight]
            (<u8*>phase_view.view.buf)[index] = <u8>trace.phase
            (<u8*>scale_view.view.buf)[index] = <u8>trace.scale
            index += 1
    if index < end:
        raise no_position(index)


FEATURE_COUNT = WEIGHT_COUNT


def weights():
    """The evaluation's weights: an array of middlegame and endgame values."""
    import numpy
    cdef int index
    return numpy.array([(WEIGHT_PAIRS[2 * index], WEIGHT_PAIRS[2 * index + 1])
                        for index in range(WEIGHT_COUNT)], dtype=numpy.int32)
