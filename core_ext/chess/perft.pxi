# Perft: the number of move sequences of a length. The tree is cut into many small subtrees that
# any number of threads take one after the other; a table may remember the subtrees already counted.

cdef enum:
    MAX_PERFT_DEPTH = 64
    STOP_CHECK_DEPTH = 4   # subtrees below this one take well under a millisecond
    REPORT_DEPTH = 6       # subtrees of this depth are added to the task's count when they are done
    SPLIT_DEPTH = 4        # subtrees of this depth and more are worth cutting again
    SPLIT_TASKS = 500      # unless there are this many already

# Threads write entries without a lock. The key is stored mixed with the count, so that an entry
# torn by two writers fits no position.
cdef struct PerftEntryC:
    u64 mixed_key
    u64 nodes

cdef struct PerftTaskC:
    PositionC pos
    u64 nodes
    u64 done
    int root_move

cdef struct PerftJobC:
    PerftTaskC* tasks
    u64 task_count
    u64 next_task
    u64 done_count
    u64 stop
    int depth              # of every task
    PerftEntryC* table     # NULL: none
    u64 table_mask
    u64 salt               # mixed into the keys: what earlier jobs left in the table fits nothing


# What one thread is at.
cdef struct PerftWorkerC:
    PerftJobC* job
    PerftTaskC* task


cdef inline PerftEntryC* table_entry(const PerftJobC* job, u64 key) noexcept nogil:
    return &job.table[key & job.table_mask]


cdef inline u64 table_key(const PerftJobC* job, u64 key, int depth) noexcept nogil:
    """Counts of different depths live side by side in the table."""
    return key ^ job.salt ^ (<u64>depth * 0x9E3779B97F4A7C15ULL)


cdef inline u64 perft_as(const PositionC* pos, int depth, PerftWorkerC* worker, int us,
                         bint hashed) noexcept nogil:
    cdef MoveC moves[MAX_MOVES]
    cdef MoveC* end = generate_side(moves, pos, us, ALL_MOVES)
    cdef MoveC* move = moves
    cdef PositionC child
    cdef u64 nodes = 0
    if depth >= STOP_CHECK_DEPTH and load_relaxed(&worker.job.stop):
        return 0
    while move < end:
        make_move_as(&child, pos, move[0], us, hashed or DEBUG_BUILD)
        if depth == 2:
            nodes += count_side(&child, us ^ 1)
        elif hashed:
            nodes += perft_hashed(&child, depth - 1, worker)
        else:
            nodes += perft_plain(&child, depth - 1, worker)
        move += 1
    if depth == REPORT_DEPTH:
        store_relaxed(&worker.task.nodes, worker.task.nodes + nodes)
    return nodes


cdef u64 perft_plain(const PositionC* pos, int depth, PerftWorkerC* worker) noexcept nogil:
    if pos.side == WHITE:
        return perft_as(pos, depth, worker, WHITE, False)
    return perft_as(pos, depth, worker, BLACK, False)


cdef u64 perft_hashed(const PositionC* pos, int depth, PerftWorkerC* worker) noexcept nogil:
    cdef u64 key = table_key(worker.job, pos.key, depth)
    cdef PerftEntryC* entry = table_entry(worker.job, key)
    cdef u64 nodes = load_relaxed(&entry.nodes)
    if load_relaxed(&entry.mixed_key) == key ^ nodes:
        return nodes
    if pos.side == WHITE:
        nodes = perft_as(pos, depth, worker, WHITE, True)
    else:
        nodes = perft_as(pos, depth, worker, BLACK, True)
    if not load_relaxed(&worker.job.stop):
        store_relaxed(&entry.nodes, nodes)
        store_relaxed(&entry.mixed_key, key ^ nodes)
    return nodes


cdef u64 perft(const PositionC* pos, int depth, PerftWorkerC* worker) noexcept nogil:
    if depth == 0:
        return 1
    if depth == 1:
        return count_legal(pos)
    if worker.job.table == NULL:
        return perft_plain(pos, depth, worker)
    return perft_hashed(pos, depth, worker)


cdef void run_tasks(PerftJobC* job) noexcept nogil:
    """Take tasks until none is left; any number of threads may do this at once."""
    cdef u64 index = take_next(&job.next_task)
    cdef u64 nodes
    cdef PerftWorkerC worker
    worker.job = job
    while index < job.task_count:
        worker.task = &job.tasks[index]
        nodes = perft(&worker.task.pos, job.depth, &worker)
        if load_relaxed(&job.stop):
            return
        store_relaxed(&worker.task.nodes, nodes)
        store_relaxed(&worker.task.done, 1)
        take_next(&job.done_count)
        index = take_next(&job.next_task)


cdef int split_tasks(PerftJobC* job) noexcept nogil:
    """Replace every task by its children; -1 without memory."""
    cdef MoveC moves[MAX_MOVES]
    cdef MoveC* move
    cdef MoveC* end
    cdef u64 index, count = 0, total = 0
    cdef PerftTaskC* children
    for index in range(job.task_count):
        total += count_legal(&job.tasks[index].pos)
    children = <PerftTaskC*>calloc(total + 1, sizeof(PerftTaskC))
    if children == NULL:
        return -1
    for index in range(job.task_count):
        end = generate_legal(moves, &job.tasks[index].pos)
        move = moves
        while move < end:
            make_move(&children[count].pos, &job.tasks[index].pos, move[0])
            children[count].root_move = job.tasks[index].root_move
            if children[count].root_move < 0:
                children[count].root_move = <int>count
            count += 1
            move += 1
    free(job.tasks)
    job.tasks = children
    job.task_count = total
    job.depth -= 1
    return 0
