# What Python sees of the search: a Searcher that owns the table and the threads' memory.

TUNING = bool(CAN_TUNE)


def tunables():
    """The search's numbers: {name: (value, low, high, step)}."""
    cdef int index
    cdef const TunableC* row
    result = {}
    for index in range(TUNABLE_COUNT):
        row = &TUNABLE_TABLE[index]
        result[row.name.decode()] = (row.where[0], row.low, row.high, row.step)
    return result


def set_tunable(str name, int value):
    """For all searchers, from their next search on; only in a tuning build."""
    cdef int index
    if not CAN_TUNE:
        raise RuntimeError("this core was not built for tuning (CYTHERA_TUNE=1)")
    for index in range(TUNABLE_COUNT):
        if TUNABLE_TABLE[index].name.decode() == name:
            TUNABLE_TABLE[index].where[0] = value
            fill_reductions()
            return
    raise ValueError(f"there is no tunable number {name!r}")


cdef class SearchInfo:
    """What is known about one line: after an iteration, or a bound on the way."""
    cdef readonly int depth
    cdef readonly int seldepth
    cdef readonly int multipv
    cdef readonly int score
    cdef readonly object mate
    cdef readonly str bound
    cdef readonly object nodes
    cdef readonly int hashfull
    cdef readonly object tbhits
    cdef readonly int time_ms
    cdef readonly list pv

    def __repr__(self):
        score = f"mate {self.mate}" if self.mate is not None else f"cp {self.score}"
        return (f"<SearchInfo depth {self.depth} {score} nodes {self.nodes} "
                f"pv {' '.join(map(str, self.pv))}>")


cdef class SearchResult:
    """The outcome of a search: the move to play, and the last word on each line."""
    cdef readonly Move best
    cdef readonly Move ponder
    cdef readonly list infos
    cdef readonly object nodes
    cdef readonly int time_ms
    cdef readonly int depth
    cdef readonly int score
    cdef readonly object mate
    cdef readonly list pv

    def __repr__(self):
        return f"<SearchResult {self.best} {self.infos[0]!r}>"


cdef object mate_distance(int score):
    """Full moves to the mate, negative for being mated; None for other scores."""
    if score >= LEAST_MATE:
        return (MATE - score + 1) // 2
    return -((MATE + score) // 2) if score <= -LEAST_MATE else None


cdef void tell_python(ThreadC* t, int bound) noexcept with gil:
    (<Searcher>t.shared.owner).on_report(t, bound)


cdef class Searcher:
    """A search with its memory: transposition table, histories, threads."""
    cdef SharedC shared
    cdef int wanted_threads
    cdef int hash_mb
    cdef int wanted_hash_mb
    cdef bint clock_is_set
    cdef PawnEntryC* pawns     # of evaluate(), which may be called while a search runs
    cdef bint is_searching
    cdef bint chess960
    cdef object listener
    cdef object listener_error
    cdef list infos

    def __cinit__(self):
        memset(&self.shared, 0, sizeof(SharedC))
        self.shared.owner = <void*>self
        self.shared.report = tell_python

    def __dealloc__(self):
        free_threads(self.shared.threads, self.shared.thread_count)
        free(self.pawns)
        free(self.shared.table.clusters)

    def __init__(self, int hash_mb=16, int threads=1):
        self.set_hash(hash_mb)
        self.set_threads(threads)

    def set_hash(self, int megabytes):
        """The table's size; a MemoryError leaves the table there is."""
        if not 1 <= megabytes <= HASH_MB_LIMIT:
            raise ValueError(f"the hash size must be from 1 to {HASH_MB_LIMIT} MB, not {megabytes}")
        if self.shared.table.clusters == NULL:
            if not can_allocate_table(megabytes):
                raise MemoryError(f"no memory for {megabytes} MB of hash")
            self.wanted_hash_mb = megabytes
        elif megabytes != self.hash_mb:
            self.check_idle()
            self.make_table(megabytes)

    def set_threads(self, int threads):
        """How many threads search; a MemoryError leaves those there are."""
        if not 1 <= threads <= THREAD_LIMIT:
            raise ValueError(f"the number of threads must be from 1 to {THREAD_LIMIT}, "
                             f"not {threads}")
        if self.shared.threads == NULL:
            self.wanted_threads = threads
        elif threads != self.shared.thread_count:
            self.check_idle()
            self.make_threads(threads)

    def allocate(self):
        """Get the memory now, not at the first search."""
        self.check_idle()
        self.allocate_table()
        self.allocate_threads()

    def allocate_table(self):
        if self.shared.table.clusters == NULL:
            self.make_table(self.wanted_hash_mb)

    cdef int make_table(self, int megabytes) except -1:
        if not allocate_table(&self.shared.table, megabytes):
            raise MemoryError(f"no memory for {megabytes} MB of hash")
        self.hash_mb = megabytes
        return 0

    def allocate_threads(self):
        if self.shared.threads == NULL:
            self.make_threads(self.wanted_threads)

    cdef int check_idle(self) except -1:
        """Memory that a search uses is not taken away from it."""
        if self.is_searching:
            raise RuntimeError("a search is running")
        return 0

    cdef int make_threads(self, int count) except -1:
        cdef ThreadC** threads = new_threads(&self.shared, count)
        if threads == NULL:
            raise MemoryError(f"no memory for {count} threads")
        free_threads(self.shared.threads, self.shared.thread_count)
        self.shared.threads = threads
        self.shared.thread_count = count
        return 0

    def clear(self):
        """Forget everything: the next search is the first one again."""
        cdef int index
        self.check_idle()
        if self.shared.table.clusters != NULL:
            clear_table(&self.shared.table)
        for index in range(self.shared.thread_count):
            clear_thread(self.shared.threads[index])

    def prepare(self):
        """Before each search: a stop or a ponderhit that comes from now on is meant for it."""
        store_relaxed(&self.shared.stop, 0)
        self.clock_is_set = False

    def stop(self):
        """End the running search; from any thread."""
        store_relaxed(&self.shared.stop, 1)

    def ponderhit(self, int64_t soft_ms, int64_t hard_ms, int64_t start_ns):
        """The search has this clock, whether it runs yet or not; from any thread."""
        self.clock_is_set = True
        set_clock(&self.shared.clock, start_ns, soft_ms, hard_ms, False)

    def evaluate(self, Board board not None):
        """The static evaluation in centipawns, from the side to move."""
        if self.pawns == NULL:
            self.pawns = new_pawn_cache()
            if self.pawns == NULL:
                raise MemoryError("no memory for the pawn cache")
        return evaluate(&board.pos, self.pawns)

    def eval_table(self, Board board not None):
        """[(term, middlegame, endgame, what counts now)] in centipawns, from White's side."""
        cdef TraceC trace
        cdef int index, phase
        trace_evaluation(&board.pos, &trace)
        phase = trace.phase if trace.scale != NO_SCALE else 0  # as blend() does
        groups = [*FEATURE_GROUPS, ("", WEIGHT_COUNT)]
        rows = []
        for (name, first), (_, end) in zip(groups, groups[1:]):
            middle = sum(trace.counts[index] * WEIGHT_PAIRS[2 * index]
                         for index in range(first, end))
            late = sum(trace.counts[index] * WEIGHT_PAIRS[2 * index + 1]
                       for index in range(first, end))
            now = (middle * phase + late * (FULL_PHASE - phase) * trace.scale / FULL_SCALE)
            rows.append((name, middle, late, round(now / FULL_PHASE)))
        return [*rows, ("known win", *[trace.known_win] * 3)]

    def _picked_moves(self, Board board not None, MoveC table_move, MoveC killer,
                      bint noisy_only=False):
        """What the move picker gives out, in its order."""
        cdef MoveC moves[MAX_MOVES]
        cdef PickerC picker
        cdef FrameC* f
        cdef int count = 0
        self.allocate()
        prepare_thread(self.shared.threads[0], board, 1)
        f = &self.shared.threads[0].frames[FRAMES_BELOW_ROOT]
        start_picker(&picker, f, table_move, killer, 0, noisy_only)
        while count < MAX_MOVES:
            moves[count] = next_move(&picker, self.shared.threads[0], f)
            if moves[count] == NULL_MOVE:
                break
            count += 1
        return list_moves(moves, moves + count, board.chess960)

    def search(self, Board board not None, *, int depth=0, u64 nodes=0, int mate=0,
               int64_t soft_ms=0, int64_t hard_ms=0, start_ns=None, int multipv=1,
               searchmoves=None, bint infinite=False, on_info=None, bint selective=True):
        """Search until a limit is met; `on_info` is called with each SearchInfo on the way."""
        cdef LimitsC* limits = &self.shared.limits
        self.allocate()
        limits.depth = min(depth, MAX_PLY - 1)
        limits.nodes = nodes
        limits.mate = mate
        limits.start_ns = monotonic_ns() if start_ns is None else start_ns
        limits.selective = selective
        if not self.clock_is_set:  # else a ponderhit was faster
            set_clock(&self.shared.clock, limits.start_ns, soft_ms, hard_ms, infinite)
        self.chess960 = board.chess960
        self.listener = on_info
        self.listener_error = None
        self.infos = []
        self.is_searching = True
        try:
            return self.find_move(board, multipv, searchmoves)
        finally:
            self.is_searching = False

    cdef SearchResult find_move(self, Board board, int multipv, searchmoves):
        cdef int index
        self.shared.table.age = (self.shared.table.age + 1) % AGE_CYCLE
        for index in range(self.shared.thread_count):
            prepare_thread(self.shared.threads[index], board, multipv)
            restrict_roots(self.shared.threads[index], board, searchmoves)
        if self.shared.threads[0].root_count == 0:
            return self.no_move(board)
        self.run()
        if self.listener_error is not None:
            raise self.listener_error
        return self.make_result()

    cdef int run(self) except -1:
        cdef int index
        helpers = None
        if self.shared.thread_count > 1:
            helpers = Crew(self._help, [(index,) for index in range(1, self.shared.thread_count)])
        with nogil:
            iterate(self.shared.threads[0])
        store_relaxed(&self.shared.stop, 1)
        if helpers is not None:
            try:
                helpers.wait()
            except BaseException:  # Ctrl-C; the helpers still use what the next search will
                helpers.wait()
                raise
        return 0

    def _help(self, int index):
        if load_relaxed(&self.shared.stop):
            return  # the search was over before this thread came to run
        with nogil:
            iterate(self.shared.threads[index])

    cdef SearchInfo describe(self, int line, int depth):
        cdef ThreadC* t = self.shared.threads[0]
        cdef RootMoveC* root = &t.roots[line]
        cdef SearchInfo info = SearchInfo.__new__(SearchInfo)
        cdef int score = root.score if root.score != -INFINITE else root.previous_score
        if root.bound != EXACT:  # a mate is told with all its moves, and they are not known yet
            score = min(max(score, 1 - LEAST_MATE), LEAST_MATE - 1)
        info.depth = depth
        info.seldepth = max(root.seldepth, info.depth)
        info.multipv = line + 1
        info.score = score
        info.mate = mate_distance(score)
        info.bound = ("lowerbound" if root.bound == LOWER_BOUND
                      else "upperbound" if root.bound == UPPER_BOUND else "")
        info.nodes = count_nodes(&self.shared)
        info.hashfull = table_permille(&self.shared.table)
        info.tbhits = t.tb_hits
        info.time_ms = <int>((monotonic_ns() - self.shared.limits.start_ns) // 1000000)
        info.pv = list_moves(root.pv, root.pv + root.pv_length, self.chess960)
        return info

    cdef void on_report(self, ThreadC* t, int bound) noexcept:
        """Iterations are always told, bounds only in a long search."""
        cdef int line
        try:
            if bound != EXACT:
                if elapsed_ns(&self.shared.clock) < BOUNDS_AFTER_NS:
                    return
                self.tell(self.describe(t.pv_index, t.root_depth))
                return
            self.infos = [self.describe(line, t.root_depth)
                          for line in range(min(t.multipv, t.root_count))]
            for info in self.infos:
                self.tell(info)
        except BaseException as error:
            self.listener_error = error
            self.stop()

    cdef int tell(self, SearchInfo info) except -1:
        if self.listener is not None:
            self.listener(info)
        return 0

    cdef SearchResult make_result(self):
        """A search stopped within an iteration may have found a better move or score in it."""
        cdef SearchResult result = SearchResult.__new__(SearchResult)
        cdef int depth = self.shared.threads[0].completed_depth
        cdef SearchInfo best = self.describe(0, depth)
        cdef int line
        if (not self.infos or self.infos[0].pv != best.pv
                or self.infos[0].score != best.score):
            settle_roots(self.shared.threads[0])
            self.infos = [self.describe(line, depth) for line in range(max(1, len(self.infos)))]
            for info in self.infos:
                self.tell(info)
        result.infos = self.infos
        result.pv = best.pv
        result.best = best.pv[0]
        result.ponder = best.pv[1] if len(best.pv) > 1 else None
        result.score = best.score
        result.mate = best.mate
        result.depth = best.depth
        result.nodes = best.nodes
        result.time_ms = best.time_ms
        return result

    cdef SearchResult no_move(self, Board board):
        cdef SearchResult result = SearchResult.__new__(SearchResult)
        cdef SearchInfo info = SearchInfo.__new__(SearchInfo)
        info.multipv = 1
        info.bound = ""
        info.nodes = info.tbhits = 0
        info.pv = []
        info.score = -MATE if board.pos.checkers else 0
        info.mate = 0 if board.pos.checkers else None
        self.tell(info)
        result.infos = [info]
        result.nodes = 0
        result.pv = []
        result.score = info.score
        result.mate = info.mate
        return result


BOUNDS_AFTER_NS = 1_000_000_000


cdef ThreadC* new_thread(SharedC* shared, int index) noexcept nogil:
    cdef ThreadC* t = <ThreadC*>calloc(1, sizeof(ThreadC))
    if t == NULL:
        return NULL
    t.shared = shared
    t.index = index
    t.history = <HistoryC*>malloc(sizeof(HistoryC))
    t.pawns = new_pawn_cache()
    if t.history == NULL or t.pawns == NULL:
        free_thread(t)
        return NULL
    memset(t.history, 0, sizeof(HistoryC))
    return t


cdef void free_thread(ThreadC* t) noexcept nogil:
    free(t.history)
    free(t.pawns)
    free(t.keys)
    free(t)


cdef ThreadC** new_threads(SharedC* shared, int count) noexcept nogil:
    cdef ThreadC** threads = <ThreadC**>calloc(count, sizeof(ThreadC*))
    cdef int index
    if threads == NULL:
        return NULL
    for index in range(count):
        threads[index] = new_thread(shared, index)
        if threads[index] == NULL:
            free_threads(threads, index)
            return NULL
    return threads


cdef void free_threads(ThreadC** threads, int count) noexcept nogil:
    cdef int index
    for index in range(count):
        free_thread(threads[index])
    free(threads)


cdef void clear_thread(ThreadC* t) noexcept nogil:
    memset(t.history, 0, sizeof(HistoryC))
    clear_pawn_cache(t.pawns)


cdef int prepare_thread(ThreadC* t, Board board, int multipv) except -1:
    """Set the root: position, earlier positions, frames, counters."""
    cdef int index
    cdef FrameC* f
    cdef void* keys = realloc(t.keys, (board.length + MAX_PLY + 2) * sizeof(u64))
    if keys == NULL:
        raise MemoryError("no memory for the game's positions")
    t.keys = <u64*>keys
    for index in range(board.length):
        t.keys[index] = board.before[index].key
    t.keys[board.length] = board.pos.key
    t.game_length = board.length
    t.nodes = t.tb_hits = 0
    t.seldepth = t.root_depth = t.completed_depth = t.null_guard = t.pv_index = t.stability = 0
    t.multipv = multipv
    for index in range(MAX_PLY + FRAMES_BELOW_ROOT + 2):
        f = &t.frames[index]
        f.ply = index - FRAMES_BELOW_ROOT
        f.continuation = &t.history.continuation[0][0]
        f.static_eval = NO_EVALUATION
        f.move = f.killer = f.excluded = NULL_MOVE
        f.double_extensions = f.pv_length = 0
    t.frames[FRAMES_BELOW_ROOT].pos = board.pos
    return 0


cdef int restrict_roots(ThreadC* t, Board board, searchmoves) except -1:
    """All legal moves, or those asked for."""
    cdef MoveC moves[MAX_MOVES]
    cdef MoveC* end = generate_legal(moves, &board.pos)
    cdef MoveC* move = moves
    wanted = None if searchmoves is None else {board.find_object(each) for each in searchmoves}
    t.root_count = 0
    while move < end:
        if wanted is None or move[0] in wanted:
            memset(&t.roots[t.root_count], 0, sizeof(RootMoveC))
            t.roots[t.root_count].move = t.roots[t.root_count].pv[0] = move[0]
            t.roots[t.root_count].pv_length = 1
            t.roots[t.root_count].score = -INFINITE
            t.roots[t.root_count].bound = EXACT
            t.root_count += 1
        move += 1
    return 0
