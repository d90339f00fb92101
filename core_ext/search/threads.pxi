# The threads' lives: what each owns, what it forgets between games, where its search begins.

cdef void free_thread(ThreadC* t) noexcept nogil:
    free(t.history)
    free_evaluator(t.evaluator)
    free(t.keys)
    free(t)


cdef void free_threads(ThreadC** threads, int count) noexcept nogil:
    cdef int index
    for index in range(count):
        free_thread(threads[index])
    free(threads)


cdef ThreadC* new_thread(SharedC* shared, int index) noexcept nogil:
    """NULL without memory."""
    cdef ThreadC* t = <ThreadC*>calloc(1, sizeof(ThreadC))
    if t == NULL:
        return NULL
    t.shared = shared
    t.index = index
    t.history = <HistoryC*>malloc(sizeof(HistoryC))
    t.evaluator = new_evaluator(shared.network)
    if t.history == NULL or t.evaluator == NULL:
        free_thread(t)
        return NULL
    t.evaluator.points = shared.points
    memset(t.history, 0, sizeof(HistoryC))
    return t


cdef ThreadC** new_threads(SharedC* shared, int count) noexcept nogil:
    """NULL without memory."""
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


cdef void clear_thread(ThreadC* t) noexcept nogil:
    memset(t.history, 0, sizeof(HistoryC))
    clear_evaluator(t.evaluator)


cdef bint set_root_position(ThreadC* t, const PositionC* pos, const PositionC* before,
                            int game_length) noexcept nogil:
    """The position to search, with those before it in the game. False without memory."""
    cdef int index
    cdef FrameC* f
    cdef void* keys = realloc(t.keys, (game_length + MAX_PLY + 2) * sizeof(u64))
    if keys == NULL:
        return False
    t.keys = <u64*>keys
    for index in range(game_length):
        t.keys[index] = before[index].key
    t.keys[game_length] = pos.key
    t.game_length = game_length
    t.nodes = t.tb_hits = 0
    t.seldepth = t.root_depth = t.completed_depth = t.null_guard = t.pv_index = t.stability = 0
    for index in range(MAX_PLY + FRAMES_BELOW_ROOT + 2):
        f = &t.frames[index]
        f.ply = index - FRAMES_BELOW_ROOT
        f.continuation = &t.history.continuation[0][0]
        f.static_eval = NO_EVALUATION
        f.move = f.killer = f.excluded = NULL_MOVE
        f.double_extensions = f.pv_length = 0
    t.frames[FRAMES_BELOW_ROOT].pos = pos[0]
    enter_ply(t.evaluator, 0)
    return True
