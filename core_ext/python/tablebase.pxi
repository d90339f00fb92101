# What Python sees of Syzygy tables: a Tablebase that finds and owns them.

import os

cdef str TABLE_LETTERS = "PNBRQK"  # as the kinds are numbered
cdef tuple TABLE_SUFFIXES = (".rtbw", ".rtbz")

UNKNOWN_WDL = -128  # in arrays, for positions that the tables don't have


cdef object table_men(str name):
    """The men of an ending by its name, [[pawns, knights, ... kings], the other side's], or None.

    A name is written in one way only: KQvKR, the stronger side and the stronger men first.
    """
    sides = [[side.count(letter) for letter in TABLE_LETTERS] for side in name.split("v")]
    if len(sides) != 2 or not 3 <= len(name) - 1 <= MOST_TABLE_MEN:
        return None
    first, second = [(sum(side), side[::-1]) for side in sides]
    written = ["".join(letter * count for letter, count in zip(TABLE_LETTERS[::-1], side[::-1]))
               for side in sides]
    if "v".join(written) != name or first < second or any(side[KING] != 1 for side in sides):
        return None
    return sides


cdef dict find_tables(str path):
    """{name: [WDL file, DTZ file or None]}. The first directory that has a file wins; distances
    whose results are missing tell nothing."""
    found = {}
    for directory in path.split(os.pathsep):
        if not os.path.isdir(directory):
            raise ValueError(f"Syzygy tables: there is no directory {directory!r}")
        for entry in sorted(os.listdir(directory)):
            name, suffix = os.path.splitext(entry)
            if suffix not in TABLE_SUFFIXES or table_men(name) is None:
                continue
            files = found.setdefault(name, [None, None])
            kind = TABLE_SUFFIXES.index(suffix)
            files[kind] = files[kind] or os.path.join(directory, entry)
    return {name: files for name, files in found.items() if files[WDL_TABLE] is not None}


cdef class Tablebase:
    """The Syzygy tables of some directories, which stand as in PATH.

    A table's file is opened when it is first asked; it must not be cut short while it is open.
    """
    cdef TablebaseC tables
    cdef list paths            # keeps the bytes that the tables point to
    cdef int users             # probes and searches that run
    cdef set told
    cdef readonly str path
    cdef readonly int wdl_count
    cdef readonly int dtz_count
    cdef readonly bint closed

    def __cinit__(self, path):
        memset(&self.tables, 0, sizeof(TablebaseC))
        pthread_mutex_init(&self.tables.opening, NULL)
        self.path = os.fspath(path)
        self.paths = []
        self.told = set()
        found = find_tables(self.path)
        self.wdl_count = len(found)
        self.dtz_count = sum(files[DTZ_TABLE] is not None for files in found.values())
        if self.wdl_count == 0:
            raise ValueError(f"there are no Syzygy tables in {self.path!r}")
        self.tables.endings = <EndingC*>calloc(len(found), sizeof(EndingC))
        if self.tables.endings == NULL:
            raise MemoryError("no memory for the list of Syzygy tables")
        for name, files in found.items():
            self.add_ending(name, files)
        if not index_endings(&self.tables):
            raise MemoryError("no memory for the list of Syzygy tables")

    def __dealloc__(self):
        free_tables(&self.tables)
        pthread_mutex_destroy(&self.tables.opening)

    cdef int add_ending(self, str name, list files) except -1:
        cdef EndingC* ending = &self.tables.endings[self.tables.count]
        cdef int side, piece, kind
        cdef bytes path
        men = table_men(name)
        ending.man_count = len(name) - 1
        for side in range(2):
            for piece in range(6):
                ending.counts[side][piece] = men[side][piece]
                if piece != KING:
                    ending.key |= count_key(side, piece, men[side][piece])
                    ending.swapped_key |= count_key(side ^ 1, piece, men[side][piece])
        for kind in range(2):
            if files[kind] is not None:
                path = os.fsencode(files[kind])
                self.paths.append(path)
                ending.files[kind].path = path
        self.tables.most_men = max(self.tables.most_men, ending.man_count)
        self.tables.count += 1
        return 0

    @property
    def most_men(self):
        """How many men the largest table has, kings included."""
        return self.tables.most_men

    def describe(self):
        """What was found, in one line."""
        lacking = self.wdl_count - self.dtz_count
        return (f"{self.wdl_count} Syzygy tables of up to {self.most_men} pieces"
                + (f", {lacking} of them without distances" if lacking > 0 else ""))

    def wdl(self, Board board not None):
        """2, 1, 0, -1 or -2 for a win, one that the fifty-move rule spoils, a draw, a loss that it
        saves, a loss; as if its clock began now. None where the tables don't reach.

        A ValueError names a file that can't be used.
        """
        return self.ask(board, False)

    def dtz(self, Board board not None):
        """Plies to the next capture or pawn move at best play, negative for a loss, 0 for a draw;
        100 more where the fifty-move rule makes it a draw. None where the tables don't reach.

        Some tables round: it may be one ply less than it takes.
        """
        return self.ask(board, True)

    cdef object ask(self, Board board, bint distance):
        cdef ProbeC probe
        cdef PositionC pos = board.pos
        cdef int value = 0
        self.begin_use()
        try:
            with nogil:
                probe = start_probe(&self.tables, &pos)
                if probe.state == PROBE_OK:
                    value = probe_dtz(&probe, &pos) if distance else probe_wdl(&probe, &pos)
        finally:
            self.end_use()
        if probe.state == TABLE_REFUSED:
            raise ValueError(self.describe_refusal(probe.refused))
        return value if probe.state == PROBE_OK else None

    cdef int begin_use(self) except -1:
        if self.closed:
            raise ValueError("these tables are closed")
        self.users += 1
        return 0

    cdef int end_use(self) except -1:
        self.users -= 1
        return 0

    cdef str describe_refusal(self, const TableFileC* table):
        pthread_mutex_lock(&self.tables.opening)
        refusal = table.refusal
        pthread_mutex_unlock(&self.tables.opening)
        return f"{os.fsdecode(table.path)} is of no use: {REFUSALS[refusal]}"

    def refusals(self):
        """A sentence for each file that turned out to be of no use since this was last asked."""
        cdef int number, kind
        cdef TableFileC* table
        sentences = []
        for number in range(self.tables.count):
            for kind in range(2):
                table = &self.tables.endings[number].files[kind]
                if load_acquire(&table.state) == REFUSED and (number, kind) not in self.told:
                    self.told.add((number, kind))
                    sentences.append(self.describe_refusal(table))
        return sentences

    def close(self):
        """Let go of all files; nothing can be asked afterwards."""
        if self.users:
            raise RuntimeError("a search or a probe is running")
        self.closed = True
        free_tables(&self.tables)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __repr__(self):
        return f"<Tablebase {self.path!r}: {self.describe()}>"


def probe_wdl_range(source, target, Py_ssize_t count, Py_ssize_t first, Py_ssize_t end,
                    Tablebase tablebase not None):
    """Write the WDL (int8) of a range of positions, UNKNOWN_WDL where the tables don't reach."""
    cdef BufferView packed = BufferView(source, False, sizeof(PackedC), count)
    cdef BufferView results = BufferView(target, True, 1, count)
    cdef const PackedC* positions = <PackedC*>packed.view.buf
    cdef int8_t* out = <int8_t*>results.view.buf
    cdef int8_t unknown = UNKNOWN_WDL
    cdef PositionC pos
    cdef ProbeC probe
    cdef Py_ssize_t index = first
    probe.state = PROBE_OK
    check_range(first, end, count)
    tablebase.begin_use()
    with nogil:
        while index < end and unpack_position(&pos, &positions[index]):
            probe = start_probe(&tablebase.tables, &pos)
            out[index] = unknown
            if probe.state == PROBE_OK:
                out[index] = <int8_t>probe_wdl(&probe, &pos)
                if probe.state == TABLE_REFUSED:
                    break
                if probe.state != PROBE_OK:
                    out[index] = unknown
            index += 1
    tablebase.end_use()
    if index < end:
        if probe.state == TABLE_REFUSED:
            raise ValueError(tablebase.describe_refusal(probe.refused))
        raise no_position(index)
