# What a search thread carries: one frame per ply, its histories, its root moves.

cdef enum:
    FRAMES_BELOW_ROOT = 6      # the histories look back so far
    HISTORY_LIMIT = 16384
    CORRECTION_LIMIT = 1024
    CORRECTION_SIZE = 16384
    PAWN_HISTORY_SIZE = 512

ctypedef int16_t[12][64] PieceToC  # a score for each piece going to each square

cdef struct HistoryC:
    int16_t quiet[2][4][64][64]        # by side, threats, origin and target
    int16_t capture[12][64][7]
    PieceToC continuation[12][64]
    PieceToC pawns[PAWN_HISTORY_SIZE]  # moves in positions with such pawns
    int16_t pawn_correction[2][CORRECTION_SIZE]
    int16_t minor_correction[2][CORRECTION_SIZE]
    int16_t nonpawn_correction[2][2][CORRECTION_SIZE]
    PieceToC continuation_correction[12][64]  # after these two moves

cdef struct FrameC:
    PositionC pos
    PieceToC* continuation     # of the move made here
    MoveC move                 # made here
    MoveC killer
    MoveC excluded             # left out by a singular search
    int ply
    int static_eval
    int correction             # by which experience has changed the evaluation
    AttacksC threats           # of the other side
    bint was_pv                # lies, or lay in an earlier search, on a principal variation
    int double_extensions
    int cutoffs                # of this node's siblings and itself, by moves after the first
    int reduction              # of the move made here, in plies
    int pv_length
    MoveC pv[MAX_PLY]

cdef struct RootMoveC:
    MoveC move
    int score
    int bound                  # what the score is, of the bounds in table.pxi
    int previous_score
    int seldepth
    int outcome                # by the tablebases: LOSS to WON, or all 0
    int distance               # the same: plies to the next capture or pawn move
    u64 nodes
    int pv_length
    MoveC pv[MAX_PLY]          # of the last exact score

cdef struct LimitsC:
    int depth
    int mate
    u64 nodes
    u64 soft_nodes             # no iteration begins after so many; 0: no limit
    int64_t start_ns           # what is told counts from here

# What tablebases a search asks, and about which positions.
cdef struct ProbingC:
    TablebaseC* tables         # NULL: none
    int most_men
    int least_depth            # for positions with so many men
    bint fifty_move_rule

# What they know about the root moves.
cdef enum:
    NOTHING_KNOWN
    RESULTS_KNOWN
    DISTANCES_KNOWN

cdef struct ThreadC

cdef struct SharedC:
    TableC table
    const NetworkC* network    # NULL for the classical evaluation
    int points                 # an evaluation by material alone, if not NO_POINTS
    LimitsC limits
    ThreadC** threads
    int thread_count
    ClockC clock
    ProbingC probing
    int root_knowledge
    u64 stop
    void* owner                # the Searcher
    void (*report)(ThreadC* t, int bound) noexcept nogil
    void (*attend)(ThreadC* t) noexcept nogil  # to what else there is, now and then; or NULL
    int64_t attended_ns        # when that was last done

cdef struct ThreadC:
    SharedC* shared
    HistoryC* history
    EvaluatorC* evaluator
    u64* keys                  # of the game's positions, then of the search's
    int game_length
    int index
    u64 nodes
    u64 tb_hits
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


cdef inline u64 count_hits(SharedC* shared) noexcept nogil:
    """Of all threads."""
    cdef u64 hits = 0
    cdef int index
    for index in range(shared.thread_count):
        hits += load_relaxed(&shared.threads[index].tb_hits)
    return hits


cdef inline bint is_stopped(ThreadC* t) noexcept nogil:
    """Depth 1 is always finished, so that there is a move to play."""
    return t.root_depth > 1 and load_relaxed(&t.shared.stop) != 0


cdef inline int write_pv(MoveC* pv, const FrameC* f, MoveC move) noexcept nogil:
    """A move and the variation found below it; its length."""
    pv[0] = move
    memcpy(&pv[1], f[1].pv, f[1].pv_length * sizeof(MoveC))
    return f[1].pv_length + 1
