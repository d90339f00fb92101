# What Python sees of perft: a run that threads share, that can be watched and stopped.

MAX_DEPTH = MAX_PERFT_DEPTH
MAX_HASH_MB = HASH_MB_LIMIT
MAX_THREADS = THREAD_LIMIT


cdef class PerftTable:
    """Memory for the counts of subtrees, for one run after the other. Each finds it empty, which
    costs nothing. Of size 0 there is none."""
    cdef PerftEntryC* entries
    cdef u64 mask
    cdef u64 runs

    def __dealloc__(self):
        free(self.entries)

    def __cinit__(self, hash_mb):
        cdef int megabytes = checked_number("the hash size in MB", hash_mb, 0, HASH_MB_LIMIT)
        cdef u64 count = 1
        if megabytes == 0:
            return
        while count * 2 * sizeof(PerftEntryC) <= <u64>megabytes << 20:
            count *= 2
        self.entries = <PerftEntryC*>calloc(count, sizeof(PerftEntryC))
        if self.entries == NULL:
            raise MemoryError(f"no memory for {megabytes} MB of hash")
        self.mask = count - 1


cdef class PerftRun:
    """One perft of a board: make it, run it, read it; also while it runs, from another thread."""
    cdef PerftJobC job
    cdef list roots
    cdef PerftTable table      # whose memory the job uses

    def __dealloc__(self):
        free(self.job.tasks)

    def __cinit__(self, MoveBoard board not None, depth, PerftTable table=None):
        depth = checked_number("the depth", depth, 0, MAX_PERFT_DEPTH)
        self.roots = board.list_legal() if depth else []
        self.job.tasks = <PerftTaskC*>calloc(1, sizeof(PerftTaskC))
        if self.job.tasks == NULL:
            raise MemoryError("no memory for the perft")
        self.job.tasks[0].pos = board.pos
        self.job.tasks[0].root_move = -1
        self.job.task_count = 1
        self.job.depth = depth
        self.split()
        if table is not None:
            self.take_table(table)

    cdef int split(self) except -1:
        """Always down to the root moves, further while the subtrees are large."""
        while self.job.depth and (self.job.task_count == 1 and self.job.tasks[0].root_move < 0
                                  or (self.job.depth >= SPLIT_DEPTH
                                      and self.job.task_count <= SPLIT_TASKS)):
            if split_tasks(&self.job) < 0:
                raise MemoryError("no memory for the perft")
        return 0

    cdef void take_table(self, PerftTable table):
        table.runs += 1
        self.table = table
        self.job.table = table.entries
        self.job.table_mask = table.mask
        self.job.salt = table.runs * 0xD1342543DE82EF95ULL

    def work(self):
        """Count until nothing is left, with the GIL released; for any number of threads."""
        begin_work(self)
        try:
            with nogil:
                run_tasks(&self.job)
        finally:
            end_work(self)

    def stop(self):
        store_relaxed(&self.job.stop, 1)

    def start(self, threads):
        """Begin the work in the background; the crew to wait for."""
        threads = checked_number("the number of threads", threads, 1, THREAD_LIMIT)
        crew = Crew(self.work, [()] * threads)
        if not crew.left:
            raise MemoryError("no memory for a thread")
        return crew

    def run(self, threads=1):
        """Do all the work; Ctrl-C is heard."""
        if threads == 1 and self.job.depth < SPLIT_DEPTH - 1:
            self.work()
            return
        crew = self.start(threads)
        try:
            crew.wait()
        except BaseException:
            self.stop()
            crew.wait()
            raise

    @property
    def progress(self):
        """How many of how many subtrees are counted."""
        return load_relaxed(&self.job.done_count), self.job.task_count

    @property
    def nodes(self):
        """All that is counted so far."""
        cdef u64 index, total = 0
        for index in range(self.job.task_count):
            total += load_relaxed(&self.job.tasks[index].nodes)
        return total

    def divide(self):
        """[(move, nodes so far, is it complete)] for each legal move."""
        cdef u64 index
        cdef PerftTaskC* task
        counts = [0] * len(self.roots)
        complete = [True] * len(self.roots)
        for index in range(self.job.task_count):
            task = &self.job.tasks[index]
            if task.root_move < 0:
                continue
            counts[task.root_move] += load_relaxed(&task.nodes)
            if not load_relaxed(&task.done):
                complete[task.root_move] = False
        return list(zip(self.roots, counts, complete))
