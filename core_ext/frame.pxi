# What a search thread carries: one frame per ply, its histories, its root moves.

cdef enum:
    FRAMES_BELOW_ROOT = 6      # the histories look back so far
    HISTORY_LIMIT = 16384
    CORRECTION_LIMIT = 1024
    CORRECTION_SIZE = 16384
    PAWN_HISTORY_SIZE = 512

ctypedef int16_t[12][64] PieceToC  # a score for each piece going to each square

cdef struct HistoryC:
    int16_t quiet[2][64][64]
    int16_t capture[6][64][7]
    PieceToC continuation[12][64]
    PieceToC pawns[PAWN_HISTORY_SIZE]  # moves in positions with such pawns
    int16_t pawn_correction[2][CORRECTION_SIZE]
    int16_t minor_correction[2][CORRECTION_SIZE]
    int16_t nonpawn_correction[2][2][CORRECTION_SIZE]

cdef struct FrameC:
    PositionC pos
    PieceToC* continuation     # of the move made here
    MoveC move                 # made here
    MoveC killer
    MoveC excluded             # left out by a singular search
    int ply
    int static_eval
    int double_extensions
    int pv_length
    MoveC pv[MAX_PLY]

cdef struct RootMoveC:
    MoveC move
    int score
    int bound                  # what the score is, of the bounds in tt.pxi
    int previous_score
    int seldepth
    u64 nodes
    int pv_length
    MoveC pv[MAX_PLY]          # of the last exact score

cdef struct LimitsC:
    int depth
    int mate
    u64 nodes
    int64_t start_ns           # what is told counts from here
    bint selective             # false: every pruning, reduction and extension is off

cdef struct ThreadC

cdef struct SharedC:
    TableC table
    LimitsC limits
    ThreadC** threads
    int thread_count
    ClockC clock
    u64 stop
    void* owner                # the Searcher
    void (*report)(ThreadC* t, int bound) noexcept nogil

cdef struct ThreadC:
    SharedC* shared
    HistoryC* history
    PawnEntryC* pawns
    u64* keys                  # of the game's positions, then of the search's
    int game_length
    int index
    u64 nodes
    u64 tb_hits                # for a prober inside the search
    int seldepth
    int root_depth
    int completed_depth
    int null_guard             # no null move above this ply while one is being verified
    int multipv
    int pv_index
    int root_count
    int stability
    RootMoveC roots[MAX_MOVES]
    FrameC frames[MAX_PLY + FRAMES_BELOW_ROOT + 2]


cdef inline int coloured(int piece, int colour) noexcept nogil:
    return piece + 6 * colour


cdef inline u64 node_key(ThreadC* t, FrameC* f, int plies_back) noexcept nogil:
    return t.keys[t.game_length + f.ply - plies_back]


cdef inline void count_node(ThreadC* t) noexcept nogil:
    """Other threads read the count while it grows."""
    store_relaxed(&t.nodes, t.nodes + 1)


cdef inline u64 count_nodes(SharedC* shared) noexcept nogil:
    """Of all threads."""
    cdef u64 nodes = 0
    cdef int index
    for index in range(shared.thread_count):
        nodes += load_relaxed(&shared.threads[index].nodes)
    return nodes


cdef inline bint is_stopped(ThreadC* t) noexcept nogil:
    """Depth 1 is always finished, so that there is a move to play."""
    return t.root_depth > 1 and load_relaxed(&t.shared.stop) != 0


cdef inline bint root_move_is_due(ThreadC* t, MoveC move) noexcept nogil:
    """With several lines wanted, the moves of the earlier lines are left out."""
    cdef int index
    for index in range(t.pv_index, t.root_count):
        if t.roots[index].move == move:
            return True
    return False


cdef inline RootMoveC* find_root(ThreadC* t, MoveC move) noexcept nogil:
    cdef int index
    for index in range(t.root_count):
        if t.roots[index].move == move:
            return &t.roots[index]
    return &t.roots[0]


cdef inline void note_root_move(ThreadC* t, FrameC* f, MoveC move, int score, int alpha, int beta,
                                int count, u64 nodes) noexcept nogil:
    """Only the first move and those that beat it have a score worth the name."""
    cdef RootMoveC* root = find_root(t, move)
    root.nodes += nodes
    root.bound = EXACT
    if count > 1 and score <= alpha:
        root.score = -INFINITE
        return
    root.score = score
    root.seldepth = t.seldepth
    if score <= alpha or score >= beta:
        root.bound = UPPER_BOUND if score <= alpha else LOWER_BOUND
        return
    root.pv[0] = move
    memcpy(&root.pv[1], f[1].pv, f[1].pv_length * sizeof(MoveC))
    root.pv_length = f[1].pv_length + 1
