# What Python sees of the search: a Searcher that owns the table and the threads' memory.

from cpython.exc cimport PyErr_CheckSignals

cdef object LARGEST_NUMBER = 2**31 - 1
cdef int64_t ATTENTION_NS = 50_000_000        # between two looks at signals
cdef int64_t BOUNDS_AFTER_NS = 1_000_000_000  # shorter searches tell no bounds

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


def set_tunable(str name, value, *, bint beyond=False):
    """For all searchers, from their next search on; only in a tuning build. What no tuner may try
    must be asked for."""
    cdef int index
    cdef const TunableC* row
    if not CAN_TUNE:
        raise RuntimeError("this core was not built for tuning (CYTHERA_TUNE=1)")
    for index in range(TUNABLE_COUNT):
        row = &TUNABLE_TABLE[index]
        if row.name.decode() == name:
            low, high = (-LARGEST_NUMBER, LARGEST_NUMBER) if beyond else (row.low, row.high)
            row.where[0] = checked_number(name, value, low, high)
            fill_reductions()
            return
    raise ValueError(f"there is no tunable number {name!r}")


cdef int list_roots(MoveC* roots, Board board, searchmoves) except -1:
    """All legal moves, or those asked for; how many."""
    cdef MoveC* end
    cdef MoveC* move = roots
    cdef MoveC* kept = roots
    wanted = None if searchmoves is None else {board.find_object(each) for each in searchmoves}
    end = generate_legal(roots, &board.pos)  # the moves asked for may have come with a push
    while move < end:
        if wanted is None or move[0] in wanted:
            kept[0] = move[0]
            kept += 1
        move += 1
    return <int>(kept - roots)


cdef object LONGEST_MS = 2**42  # in nanoseconds, such times and
cdef object LATEST_NS = 2**62   # such moments' differences fit into 64 bits


cdef int64_t checked_time(milliseconds) except? 0:
    return checked_number("the time in ms", milliseconds, 0, LONGEST_MS)


cdef int64_t checked_moment(nanoseconds) except? 0:
    return checked_number("the clock's start in ns", nanoseconds, -LATEST_NS, LATEST_NS)


cdef void tell_python(ThreadC* t, int bound) noexcept with gil:
    (<Searcher>t.shared.owner).on_report(t, bound)


cdef void look_for_signals(ThreadC* t) noexcept with gil:
    (<Searcher>t.shared.owner).on_attention()


cdef void attend_to_signals(ThreadC* t) noexcept nogil:
    """Ctrl-C waits until the main thread looks for it."""
    cdef int64_t now = monotonic_ns()
    if now - t.shared.attended_ns >= ATTENTION_NS:
        t.shared.attended_ns = now
        look_for_signals(t)


ALGORITHMS = {"pvs": PVS, "minimax": MINIMAX, "alphabeta": ALPHABETA,
              "alphabeta-quiescence": ALPHABETA_QUIESCENCE, "mcts": MCTS}
POINTS = {None: NO_POINTS, "material": MATERIAL, "turing": TURING}
ORDERS = {"generated": ORDER_GENERATED, "random": ORDER_RANDOM, "engine": ORDER_ENGINE,
          "perfect": ORDER_PERFECT, "worst": ORDER_WORST}
HEURISTICS = {"table": ORDER_BY_TABLE, "captures": ORDER_BY_CAPTURES,
              "exchanges": ORDER_BY_EXCHANGES, "killers": ORDER_BY_KILLERS,
              "history": ORDER_BY_HISTORY, "checks": ORDER_BY_CHECKS}


cdef int checked_choice(str what, name, dict choices) except -1:
    if name not in choices:
        known = ", ".join(str(choice) for choice in choices if choice is not None)
        raise ValueError(f"{what} must be one of {known}, not {name!r}")
    return choices[name]


cdef class Searcher:
    """A search with its memory: transposition table, histories, threads."""
    cdef SharedC shared
    cdef int wanted_threads
    cdef int hash_mb
    cdef int wanted_hash_mb
    cdef StudyC study
    cdef MctsC mcts
    cdef Network network       # None for the classical evaluation
    cdef Evaluator evaluator   # of evaluate(), which may be called while a search runs
    cdef Search running
    cdef object listener_error
    cdef list infos
    cdef int told_depth
    cdef u64 next_helper       # the thread that the next helper is for

    def __cinit__(self):
        memset(&self.shared, 0, sizeof(SharedC))
        self.shared.owner = <void*>self
        self.shared.report = tell_python
        self.shared.stop = 1
        self.wanted_hash_mb = self.wanted_threads = 1  # until __init__ says otherwise
        self.evaluator = Evaluator()
        memset(&self.study, 0, sizeof(StudyC))
        memset(&self.mcts, 0, sizeof(MctsC))

    def __dealloc__(self):
        free_threads(self.shared.threads, self.shared.thread_count)
        free(self.shared.table.clusters)

    def __init__(self, hash_mb=16, threads=1, Network network=None):
        self.set_hash(hash_mb)
        self.set_threads(threads)
        self.set_network(network)
        self.set_tree()

    def set_hash(self, megabytes):
        """The table's size; a MemoryError leaves the table there is."""
        megabytes = checked_number("the hash size in MB", megabytes, 1, HASH_MB_LIMIT)
        if self.shared.table.clusters == NULL:
            if not can_allocate_table(megabytes):
                raise MemoryError(f"no memory for {megabytes} MB of hash")
            self.wanted_hash_mb = megabytes
        elif megabytes != self.hash_mb:
            self.check_idle()
            self.make_table(megabytes)

    def set_threads(self, threads):
        """How many threads search; a MemoryError leaves those there are."""
        threads = checked_number("the number of threads", threads, 1, THREAD_LIMIT)
        if self.shared.threads == NULL:
            self.wanted_threads = threads
        elif threads != self.shared.thread_count:
            self.check_idle()
            self.make_threads(threads)

    def set_network(self, Network network):
        """What evaluates: a network, or None for the classical evaluation."""
        cdef const NetworkC* before = self.shared.network
        cdef Evaluator evaluator
        if network is self.network and self.evaluator is not None:
            return
        self.check_idle()
        evaluator = Evaluator(network)
        evaluator.evaluator.points = self.shared.points
        self.shared.network = NULL if network is None else &network.network
        if self.shared.threads != NULL:
            try:
                self.make_threads(self.shared.thread_count)
            except MemoryError:
                self.shared.network = before
                raise
        self.network = network
        self.evaluator = evaluator

    def set_points(self, str name):
        """Evaluate by material alone, as "material" or "turing" say; None for the evaluation that
        set_network() chose."""
        cdef int index, points = checked_choice("the evaluation", name, POINTS)
        self.check_idle()
        if points == self.shared.points:
            return
        self.shared.points = self.evaluator.evaluator.points = points
        for index in range(self.shared.thread_count):
            self.shared.threads[index].evaluator.points = points
        self.forget_positions()

    def set_algorithm(self, str name, *, str order="generated", heuristics=HEURISTICS,
                      bint table=False):
        """What searches: "pvs", or a search of the lecture notes. Of alpha-beta the order of the
        moves can be chosen, which of the engine's heuristics make it, and whether it has a table.
        """
        cdef int algorithm = checked_choice("the algorithm", name, ALGORITHMS)
        self.check_idle()
        self.study.order = checked_choice("the order of moves", order, ORDERS)
        self.study.heuristics = 0
        for heuristic in heuristics:
            self.study.heuristics |= checked_choice("the heuristic", heuristic, HEURISTICS)
        self.study.has_table = table
        if algorithm != self.study.algorithm:
            self.study.algorithm = algorithm
            self.forget_positions()

    def set_tree(self, *, double c=sqrt(2.0), bint playouts=False, bint priors=True):
        """For "mcts": C of UCB1, random playouts instead of the evaluation with quiescence, priors
        by the looks of the moves."""
        self.check_idle()
        if not 0 <= c <= 100:
            raise ValueError(f"C must be from 0 to 100, not {c}")
        if (c, playouts, priors) != (self.mcts.exploration, self.mcts.plays_out,
                                     self.mcts.has_priors):
            self.mcts.exploration = c
            self.mcts.plays_out = playouts
            self.mcts.has_priors = priors
            self.forget_positions()

    cdef int forget_positions(self) except -1:
        """What the table holds was found by other means, or is a tree."""
        if self.shared.table.clusters != NULL:
            clear_table(&self.shared.table)
        reset_tree(&self.mcts.tree)
        self.study.random = self.mcts.random = 0
        return 0

    @property
    def cutoffs(self):
        """Of the last alpha-beta search with an order: (all, those by the first move tried)."""
        return self.study.cutoffs, self.study.first_cutoffs

    def allocate(self):
        """Get the memory now, not at the first search."""
        self.get_ready()

    cdef int get_ready(self) except -1:
        """What a search needs is there and is used by no other one."""
        self.check_idle()
        self.get_table()
        self.get_threads()
        return 0

    def allocate_table(self):
        self.get_table()

    cdef int get_table(self) except -1:
        if self.shared.table.clusters == NULL:
            self.make_table(self.wanted_hash_mb)
        return 0

    cdef int make_table(self, int megabytes) except -1:
        if not allocate_table(&self.shared.table, megabytes):
            raise MemoryError(f"no memory for {megabytes} MB of hash")
        self.hash_mb = megabytes
        reset_tree(&self.mcts.tree)
        return 0

    def allocate_threads(self):
        self.get_threads()

    cdef int get_threads(self) except -1:
        if self.shared.threads == NULL:
            self.make_threads(self.wanted_threads)
        return 0

    cdef int check_idle(self) except -1:
        """Memory that a search uses is not taken away from it."""
        if self.running is not None:
            raise RuntimeError("a search is running")
        return 0

    cdef int make_threads(self, int count) except -1:
        cdef ThreadC** threads = new_threads(&self.shared, count)
        if threads == NULL:
            raise MemoryError(f"no memory for {count} threads")
        free_threads(self.shared.threads, self.shared.thread_count)
        self.shared.threads = threads
        self.shared.thread_count = self.next_helper = count
        return 0

    def clear(self):
        """Forget everything: the next search is the first one again."""
        cdef int index
        self.check_idle()
        self.forget_positions()
        for index in range(self.shared.thread_count):
            clear_thread(self.shared.threads[index])

    def stop(self):
        """End the running search, if there is one; from any thread."""
        if self.running is not None:
            self.running.stop()

    def evaluate(self, Board board not None):
        """The static evaluation in centipawns, from the side to move."""
        return self.evaluator.evaluate(board)

    def eval_table(self, Board board not None):
        """[(term, White's middlegame and endgame, Black's, what counts now)] in centipawns; each
        side's from its own view, what counts now from White's."""
        cdef TraceC trace
        cdef int first, end
        trace_evaluation(&board.pos, &trace)
        rows = []
        for (name, first), (_, end) in zip(FEATURE_GROUPS, [*FEATURE_GROUPS[1:],
                                                            ("", WEIGHT_COUNT)]):
            white = sum_terms(trace.counts[WHITE], first, end)
            black = sum_terms(trace.counts[BLACK], first, end)
            rows.append((name, white, black, weigh_terms(&trace, white, black)))
        won = max(trace.known_win, 0)
        lost = max(-trace.known_win, 0)
        return [*rows, ("known win", (won, won), (lost, lost), trace.known_win)]

    def _picked_moves(self, Board board not None, MoveC table_move, MoveC killer,
                      bint noisy_only=False):
        """What the move picker gives out, in its order."""
        cdef MoveC moves[MAX_MOVES]
        cdef PickerC picker
        cdef FrameC* f
        cdef int count = 0
        self.get_ready()
        self.set_root(self.shared.threads[0], board)
        f = &self.shared.threads[0].frames[FRAMES_BELOW_ROOT]
        start_picker(&picker, f, table_move, killer, 0, noisy_only)
        while count < MAX_MOVES:
            moves[count] = next_move(&picker, self.shared.threads[0], f)
            if moves[count] == NULL_MOVE:
                break
            count += 1
        return list_moves(moves, moves + count, board.chess960)

    def begin(self, Board board not None, *, depth=0, u64 nodes=0, mate=0, soft_ms=0, hard_ms=0,
              start_ns=None, multipv=1, searchmoves=None, bint infinite=False, on_report=None,
              Tablebase tablebase=None, probe_depth=1, probe_limit=MOST_TABLE_MEN,
              bint fifty_move_rule=True):
        """A Search until a limit is met, to be run; `on_report` is called on the way with each list
        of SearchInfos. The board is not to be changed before the search has ended.

        The tablebase is asked about positions of up to `probe_limit` men; where they are as many as
        it has, from `probe_depth` on. Without the fifty-move rule a win may take any time.
        """
        cdef Search search = Search.__new__(Search, self, board)
        search.limits.depth = min(checked_number("the depth", depth, 0, LARGEST_NUMBER),
                                  MAX_PLY - 1)
        search.limits.nodes = nodes
        search.limits.mate = min(checked_number("the mate", mate, 0, LARGEST_NUMBER), MAX_PLY)
        search.start_ns = None if start_ns is None else checked_moment(start_ns)
        search.soft_ms = checked_time(soft_ms)
        search.hard_ms = checked_time(hard_ms)
        search.is_open = infinite
        search.multipv = checked_number("the number of lines", multipv, 1, LARGEST_NUMBER)
        search.searchmoves = searchmoves
        search.listener = on_report
        search.tablebase = tablebase
        search.probe_depth = checked_number("the probe depth", probe_depth, 0, LARGEST_NUMBER)
        search.probe_limit = checked_number("the probe limit", probe_limit, 0, LARGEST_NUMBER)
        search.fifty_move_rule = fifty_move_rule
        return search

    def search(self, Board board not None, **limits):
        """Begin a search, run it, and return its result."""
        return self.begin(board, **limits).run()

    cdef object run(self, Search search):
        self.get_ready()
        if search.tablebase is not None:
            search.tablebase.begin_use()
        begin_work(search)
        # From here on what is said to the search goes to the core.
        self.running = search
        try:
            self.start_clock(search)
            self.shared.probing = search.choose_probing()
            store_relaxed(&self.shared.stop, search.is_stopped)
            self.listener_error = None
            self.infos = []
            self.told_depth = 0
            self.shared.attend = NULL
            if is_main_thread():
                self.shared.attend = attend_to_signals
            return self.find_move(search)
        finally:
            self.running = None
            end_work(search)
            if search.tablebase is not None:
                search.tablebase.end_use()

    cdef int start_clock(self, Search search) except -1:
        self.shared.limits = search.limits
        self.shared.limits.start_ns = (monotonic_ns() if search.start_ns is None
                                       else search.start_ns)
        if search.has_ponderhit:
            set_clock(&self.shared.clock, search.ponderhit_ns, search.soft_ms, search.hard_ms,
                      False)
        else:
            set_clock(&self.shared.clock, self.shared.limits.start_ns, search.soft_ms,
                      search.hard_ms, search.is_open)
        return 0

    cdef object find_move(self, Search search):
        cdef MoveC roots[MAX_MOVES]
        cdef int index, count = list_roots(roots, search.board, search.searchmoves)
        if count == 0:
            self.infos = [describe_no_move(search.board.pos.checkers != 0)]
            self.tell(self.infos)
            return SearchResult(self.infos)
        self.shared.table.age = (self.shared.table.age + 1) % AGE_CYCLE
        for index in range(self.shared.thread_count):
            self.set_root(self.shared.threads[index], search.board)
            set_root_moves(self.shared.threads[index], roots, count, search.multipv)
        with nogil:
            rank_roots(self.shared.threads[0])
        for index in range(1, self.shared.thread_count):
            copy_roots(self.shared.threads[index], self.shared.threads[0])
        self.run_threads()
        if self.listener_error is not None:
            raise self.listener_error
        return self.make_result()

    cdef int set_root(self, ThreadC* t, Board board) except -1:
        if not set_root_position(t, &board.pos, board.before, board.length):
            raise MemoryError("no memory for the game's positions")
        return 0

    cdef int run_threads(self) except -1:
        helpers = None
        if self.study.algorithm != PVS:
            self.run_study()
            return 0
        self.next_helper = 1
        if self.shared.thread_count > 1:
            helpers = Crew(self._help, [()] * (self.shared.thread_count - 1))
        with nogil:
            iterate(self.shared.threads[0])
        store_relaxed(&self.shared.stop, 1)
        if helpers is not None:
            try:
                helpers.wait()
            except BaseException:  # Ctrl-C; the helpers still use what the next search will
                helpers.wait()
                raise
            finally:
                self.next_helper = self.shared.thread_count
        return 0

    cdef int run_study(self) except -1:
        """The searches of the lecture notes know one thread."""
        self.study.cutoffs = self.study.first_cutoffs = 0
        with nogil:
            if self.study.algorithm == MCTS:
                grow_tree(&self.mcts, self.shared.threads[0])
            else:
                iterate_with(self.shared.threads[0], search_plainly, &self.study)
        return 0

    cdef int fullness(self):
        """Of the memory, in permille."""
        if self.study.algorithm == MCTS:
            return tree_permille(&self.mcts.tree)
        return table_permille(&self.shared.table)

    def _help(self):
        """Search as the next of the threads, unless the search was over before it came to run."""
        cdef u64 index = take_next(&self.next_helper)
        if load_relaxed(&self.shared.stop) or index >= <u64>self.shared.thread_count:
            return
        with nogil:
            iterate(self.shared.threads[index])

    cdef object describe(self, int line, int depth):
        cdef ThreadC* t = self.shared.threads[0]
        cdef RootMoveC* root = &t.roots[line]
        cdef int bound = root.bound
        cdef int score = root.score if root.score != -INFINITE else root.previous_score
        if bound != EXACT:  # a mate is told with all its moves, and they are not known yet
            score = min(max(score, 1 - LEAST_MATE), LEAST_MATE - 1)
        elif abs(score) == 1 and self.study.algorithm == PVS:
            score = 0  # draws differ by a hair inside the search, and only there
        if (self.shared.root_knowledge != NOTHING_KNOWN
                and not (is_mate_score(score) and score * root.outcome > 0)):
            score = outcome_score(root.outcome)
            bound = EXACT
        return SearchInfo(
            depth=depth,
            seldepth=max(root.seldepth, depth),
            multipv=line + 1,
            score=centipawns(score),
            mate=mate_distance(score),
            bound=("lowerbound" if bound == LOWER_BOUND
                   else "upperbound" if bound == UPPER_BOUND else ""),
            nodes=count_nodes(&self.shared),
            hashfull=self.fullness(),
            tbhits=count_hits(&self.shared),
            time_ms=(monotonic_ns() - self.shared.limits.start_ns) // 1000000,
            pv=list_moves(root.pv, root.pv + root.pv_length, self.running.board.chess960),
        )

    cdef void on_report(self, ThreadC* t, int bound) noexcept:
        """Iterations are always told; bounds only in a long search, and only on a line that is
        alone: among others it would stand beside lines of another depth."""
        cdef int line
        try:
            if bound == EXACT:
                infos = self.infos = [self.describe(line, t.root_depth)
                                      for line in range(min(t.multipv, t.root_count))]
            elif t.multipv == 1 and elapsed_ns(&self.shared.clock) >= BOUNDS_AFTER_NS:
                infos = [self.describe(0, t.root_depth)]
            else:
                return
            self.told_depth = t.root_depth
            self.tell(infos)
        except BaseException as error:
            self.listener_error = error
            self.running.stop()

    cdef void on_attention(self) noexcept:
        try:
            PyErr_CheckSignals()
        except BaseException as error:
            self.listener_error = error
            self.running.stop()

    cdef int tell(self, list infos) except -1:
        if self.running.listener is not None:
            self.running.listener(infos.copy())  # the listener may do with it as it likes
        return 0

    cdef object make_result(self):
        """A search stopped within an iteration may have found a better move or score in it."""
        cdef int depth = max(self.shared.threads[0].completed_depth, self.told_depth)
        cdef int line
        prefer_surest_root(self.shared.threads[0])
        best = self.describe(0, depth)
        if (not self.infos or self.infos[0].pv != best.pv
                or self.infos[0].score != best.score):
            settle_roots(self.shared.threads[0])
            return SearchResult([self.describe(line, depth)
                                 for line in range(max(1, len(self.infos)))])
        return SearchResult([info._replace(depth=depth, seldepth=max(info.seldepth, depth),
                                           nodes=best.nodes, tbhits=best.tbhits,
                                           time_ms=best.time_ms)
                             for info in self.infos])


cdef class Search:
    """One search: it runs once. Before, while and after it does, any thread may stop it or start
    its clock; nothing that is said to one search touches another."""
    cdef Searcher searcher
    cdef Board board
    cdef LimitsC limits
    cdef object start_ns       # None: when it runs
    cdef int64_t soft_ms
    cdef int64_t hard_ms
    cdef bint is_open
    cdef bint is_stopped
    cdef bint has_ponderhit
    cdef int64_t ponderhit_ns
    cdef int multipv
    cdef object searchmoves
    cdef object listener
    cdef Tablebase tablebase   # None: there is none
    cdef int probe_depth
    cdef int probe_limit
    cdef bint fifty_move_rule

    def __cinit__(self, Searcher searcher not None, Board board not None):
        self.searcher = searcher
        self.board = board
        self.multipv = 1

    def __init__(self, *arguments):
        raise TypeError("searches come from a searcher: Searcher.begin()")

    cdef ProbingC choose_probing(self):
        """Where the limit goes beyond what the tables have, their depth does not matter."""
        cdef ProbingC probing
        memset(&probing, 0, sizeof(ProbingC))
        if self.tablebase is not None:
            probing.tables = &self.tablebase.tables
            probing.most_men = min(self.probe_limit, self.tablebase.tables.most_men)
            probing.least_depth = self.probe_depth if probing.most_men == self.probe_limit else 0
            probing.fifty_move_rule = self.fifty_move_rule
        return probing

    def run(self):
        """Search; a RuntimeError if the searcher is searching already."""
        return self.searcher.run(self)

    def stop(self):
        self.is_stopped = True
        if self.searcher.running is self:
            store_relaxed(&self.searcher.shared.stop, 1)

    def ponderhit(self, soft_ms, hard_ms, start_ns):
        """From now on the search has this clock."""
        self.ponderhit_ns = checked_moment(start_ns)
        self.soft_ms = checked_time(soft_ms)
        self.hard_ms = checked_time(hard_ms)
        self.has_ponderhit = True
        if self.searcher.running is self:
            set_clock(&self.searcher.shared.clock, self.ponderhit_ns, self.soft_ms, self.hard_ms,
                      False)
