# Monte Carlo tree search: selection, expansion, simulation, back-propagation. A visit is a node of the
# count: positions that a quiescence search or a playout runs through are not.

from libc.math cimport exp, sqrt

cdef enum:
    MOST_PLAYOUT_PLIES = 400   # then it is a draw
    LEAST_VISITS = 16          # before any limit counts
    VISITS_BETWEEN_CHECKS = 32
    REPORT_EVERY_NS = 500000000

cdef double PRIOR_SCALE = 250.0    # centipawns that make a move e times as likely
cdef int CHECK_PRIOR = 150

cdef struct MctsC:
    TreeC tree
    double exploration         # C
    bint plays_out             # random playouts; else the evaluation with quiescence
    bint has_priors
    u64 random
    bint root_filter           # are some root moves left out?
    TreeNodeC* path[MAX_PLY + 1]


# ---- selection

cdef inline double ucb1(const TreeNodeC* child, double log_visits, double c) noexcept nogil:
    if child.visits == 0:
        return 1e9 + child.prior  # each is tried once, the likeliest first
    return child.wins / child.visits + c * sqrt(log_visits / child.visits)


cdef inline double puct(const TreeNodeC* child, double root_visits, double c,
                        double first_guess) noexcept nogil:
    """AlphaZero's: the prior is a factor of the bonus."""
    cdef double mean = child.wins / child.visits if child.visits else first_guess
    return mean + c * child.prior * root_visits / (1 + child.visits)


cdef TreeNodeC* choose_child(MctsC* m, ThreadC* t, TreeNodeC* node, bint is_root) noexcept nogil:
    """The one with the largest bound; NULL when nothing is left that is not proven to lose."""
    cdef double log_visits = log(max(node.visits, <u32>1))
    cdef double root_visits = sqrt(node.visits)
    cdef double guess = 1 - node.wins / node.visits if node.visits else 0.5
    cdef double bound, largest = -1
    cdef TreeNodeC* child
    cdef TreeNodeC* chosen = NULL
    cdef int index
    for index in range(node.count):
        child = &m.tree.nodes[node.first + index]
        if child.proven != NOT_PROVEN and child.proven >= LEAST_MATE:
            continue
        if is_root and m.root_filter and not root_move_is_due(t, child.move):
            continue
        if m.has_priors:
            bound = puct(child, root_visits, m.exploration, guess)
        else:
            bound = ucb1(child, log_visits, m.exploration)
        if bound > largest:
            largest = bound
            chosen = child
    return chosen


# ---- expansion

cdef double prior_weight(const PositionC* pos, MoveC move, const u64* check_squares) noexcept nogil:
    """What a move seems to gain, before any search."""
    cdef int gain = 0
    if not is_quiet(move):
        gain = EXCHANGE_VALUES[captured_piece(pos, move)]
        if is_promotion(move):
            gain += EXCHANGE_VALUES[promoted_piece(move)] - EXCHANGE_VALUES[PAWN]
        if not wins_exchange(pos, move, 0):
            gain = -EXCHANGE_VALUES[PAWN]
    elif not wins_exchange(pos, move, 0):
        gain = -EXCHANGE_VALUES[PAWN]
    if check_squares[pos.squares[move_from(move)]] & bit(move_to(move)):
        gain += CHECK_PRIOR
    return exp(gain / PRIOR_SCALE)


cdef void share_priors(MctsC* m, TreeNodeC* node, const PositionC* pos) noexcept nogil:
    """Probabilities that sum to one."""
    cdef u64 check_squares[6]
    cdef double total = 0
    cdef int index
    cdef TreeNodeC* children = &m.tree.nodes[node.first]
    find_check_squares(check_squares, pos)
    for index in range(node.count):
        children[index].prior = <float>prior_weight(pos, children[index].move, check_squares)
        total += children[index].prior
    for index in range(node.count):
        children[index].prior = <float>(children[index].prior / total)


cdef bint expand(MctsC* m, TreeNodeC* node, const PositionC* pos) noexcept nogil:
    """Make the children; what ends the game is proven at once. False without memory."""
    cdef MoveC moves[MAX_MOVES]
    cdef PositionC after
    cdef int index, count = <int>(generate_legal(moves, pos) - moves)
    cdef TreeNodeC* children = add_children(&m.tree, node, count)
    if children == NULL:
        return False
    memset(children, 0, count * sizeof(TreeNodeC))
    for index in range(count):
        children[index].move = moves[index]
        children[index].proven = NOT_PROVEN
        make_move(&after, pos, moves[index])
        if not has_legal_move(&after):
            children[index].proven = <int16_t>(mated_in(0) if after.checkers else 0)
    if m.has_priors:
        share_priors(m, node, pos)
    return True


# ---- simulation

cdef double play_out(MctsC* m, const PositionC* start) noexcept nogil:
    """The chance of the side to move: one random game."""
    cdef PositionC boards[2]
    cdef MoveC moves[MAX_MOVES]
    cdef int ply, count
    cdef PositionC* pos
    boards[0] = start[0]
    for ply in range(MOST_PLAYOUT_PLIES):
        pos = &boards[ply & 1]
        count = <int>(generate_legal(moves, pos) - moves)
        if count == 0:
            if pos.checkers == 0:
                return 0.5
            return 0.0 if pos.side == start.side else 1.0
        if pos.rule50 >= 100 or has_insufficient_material(pos):
            return 0.5
        make_move(&boards[(ply + 1) & 1], pos,
                  moves[multiply_high(next_random(&m.random), <u64>count)])
    return 0.5


cdef double simulate(MctsC* m, ThreadC* t, FrameC* f) noexcept nogil:
    """The chance of the side to move to win."""
    cdef u64 nodes = t.nodes
    cdef double chance
    if m.plays_out:
        return play_out(m, &f.pos)
    store_relaxed(&t.nodes, 0)  # its positions are no visits, and no limit of visits ends it
    chance = chance_of(settle(t, f, -INFINITE, INFINITE))
    store_relaxed(&t.nodes, nodes)
    return chance


cdef inline double proven_chance(int proven) noexcept nogil:
    return 0.5 if proven == 0 else (1.0 if proven > 0 else 0.0)


# ---- one visit

cdef double reach_leaf(MctsC* m, ThreadC* t, FrameC** leaf) noexcept nogil:
    """Select, expand, simulate: the chance of the side to move where the path ends."""
    cdef FrameC* f = &t.frames[FRAMES_BELOW_ROOT]
    cdef TreeNodeC* node = &m.tree.nodes[TREE_ROOT]
    cdef TreeNodeC* child
    m.path[0] = node
    while True:
        leaf[0] = f
        if node.proven != NOT_PROVEN and f.ply > 0:
            return proven_chance(node.proven)
        if f.ply > 0 and is_drawn(t, f):
            node.proven = 0
            return 0.5
        if node.count == 0:
            if (f.ply > 0 and node.visits == 0) or not expand(m, node, &f.pos):
                return simulate(m, t, f)
            prove(&m.tree, node)
            if node.proven != NOT_PROVEN and f.ply > 0:
                return proven_chance(node.proven)
        child = choose_child(m, t, node, f.ply == 0)
        if child == NULL or f.ply >= MAX_PLY - 2:
            return simulate(m, t, f)
        step_down(t, f, child.move)
        f += 1
        m.path[f.ply] = child
        node = child


cdef void propagate_back(MctsC* m, FrameC* leaf, double chance) noexcept nogil:
    """From the end of the path up: wins to the side whose move led there, and what is proven."""
    cdef int ply
    cdef TreeNodeC* node
    for ply in range(leaf.ply, -1, -1):
        node = m.path[ply]
        chance = 1 - chance
        node.visits += 1
        node.wins += chance
        if node.count and node.proven == NOT_PROVEN:
            prove(&m.tree, node)


cdef void visit(MctsC* m, ThreadC* t) noexcept nogil:
    cdef FrameC* leaf = NULL
    cdef double chance = reach_leaf(m, t, &leaf)
    if is_stopped(t):
        return  # what was being simulated is not known
    count_node(t)
    t.seldepth = max(t.seldepth, leaf.ply)
    propagate_back(m, leaf, chance)


# ---- what is told

cdef inline bint is_better_node(const TreeNodeC* a, const TreeNodeC* b) noexcept nogil:
    """For who chooses between them: what mates soonest, else the most visited, else what is mated
    latest."""
    cdef int first = 0 if a.proven == NOT_PROVEN else parent_value(a.proven)
    cdef int second = 0 if b.proven == NOT_PROVEN else parent_value(b.proven)
    if is_mate_score(first) or is_mate_score(second):
        if first != second:
            return first > second
    return a.visits > b.visits


cdef TreeNodeC* best_child(TreeC* tree, const TreeNodeC* node) noexcept nogil:
    cdef TreeNodeC* best = NULL
    cdef TreeNodeC* child
    cdef int index
    for index in range(node.count):
        child = &tree.nodes[node.first + index]
        if (child.visits or child.proven != NOT_PROVEN) and (best == NULL
                                                            or is_better_node(child, best)):
            best = child
    return best


cdef void describe_root(MctsC* m, RootMoveC* root, TreeNodeC* node) noexcept nogil:
    """Score and variation of a root move."""
    if node.proven != NOT_PROVEN:
        root.score = parent_value(node.proven)
    else:
        root.score = score_of(node.wins / node.visits) if node.visits else -INFINITE
    root.previous_score = root.score
    root.nodes = node.visits
    root.pv_length = 1
    node = best_child(&m.tree, node)
    while node != NULL and root.pv_length < MAX_PLY:
        root.pv[root.pv_length] = node.move
        root.pv_length += 1
        node = best_child(&m.tree, node)


cdef void gather_roots(MctsC* m, ThreadC* t) noexcept nogil:
    """Root moves, the one to play first."""
    cdef TreeNodeC* root = &m.tree.nodes[TREE_ROOT]
    cdef TreeNodeC* nodes[MAX_MOVES]
    cdef TreeNodeC* node
    cdef RootMoveC moved
    cdef int index, place, count = 0
    for index in range(root.count):
        node = &m.tree.nodes[root.first + index]
        if not root_move_is_due(t, node.move):
            continue
        place = count
        while place > 0 and is_better_node(node, nodes[place - 1]):
            nodes[place] = nodes[place - 1]
            place -= 1
        nodes[place] = node
        count += 1
    for index in range(count):
        place = index
        while t.roots[place].move != nodes[index].move:
            place += 1
        moved = t.roots[place]
        t.roots[place] = t.roots[index]
        t.roots[index] = moved
        describe_root(m, &t.roots[index], nodes[index])
        t.roots[index].seldepth = t.seldepth


cdef void tell_roots(MctsC* m, ThreadC* t) noexcept nogil:
    """The length of the best variation is told as the depth."""
    gather_roots(m, t)
    t.root_depth = max(2, t.roots[0].pv_length)
    t.completed_depth = t.root_depth
    report(t, EXACT)


# ---- when to stop

cdef bint is_decided(MctsC* m, ThreadC* t, double share_left) noexcept nogil:
    """Can the visits that are left not change which move has the most of them?"""
    cdef TreeNodeC* root = &m.tree.nodes[TREE_ROOT]
    cdef u32 first = 0, second = 0, visits
    cdef int index
    for index in range(root.count):
        visits = m.tree.nodes[root.first + index].visits
        if visits > first:
            second = first
            first = visits
        else:
            second = max(second, visits)
    return t.root_count == 1 or first - second > share_left * t.nodes


cdef bint time_is_used(MctsC* m, ThreadC* t) noexcept nogil:
    """The soft budget, or less where more would not change the move."""
    cdef int64_t limit = soft_limit(&t.shared.clock)
    cdef int64_t used = elapsed_ns(&t.shared.clock)
    if limit == 0:
        return False
    return used >= limit or is_decided(m, t, <double>(limit - used) / max(used, <int64_t>1))


cdef bint is_settled(MctsC* m, ThreadC* t) noexcept nogil:
    """Is the root proven, or the line as deep as was asked for?"""
    cdef TreeNodeC* root = &m.tree.nodes[TREE_ROOT]
    if (root.proven != NOT_PROVEN and not m.root_filter) or choose_child(m, t, root, True) == NULL:
        return True
    if t.shared.limits.depth == 0:
        return False
    gather_roots(m, t)
    return t.roots[0].pv_length >= t.shared.limits.depth


cdef bint must_end(MctsC* m, ThreadC* t) noexcept nogil:
    """After a visit. A visit may take long, so that the clock is read each time."""
    if t.nodes < LEAST_VISITS:
        return False
    if past_hard_limit(&t.shared.clock):
        store_relaxed(&t.shared.stop, 1)
    if must_stop(t):
        return True
    if t.nodes % VISITS_BETWEEN_CHECKS and m.tree.nodes[TREE_ROOT].proven == NOT_PROVEN:
        return False
    return is_settled(m, t) or time_is_used(m, t)


cdef void grow_tree(MctsC* m, ThreadC* t) noexcept nogil:
    """Visit after visit until a limit is met."""
    cdef int64_t next_report_ns = monotonic_ns() + REPORT_EVERY_NS
    m.root_filter = t.root_count < count_legal(&t.frames[FRAMES_BELOW_ROOT].pos)
    attach_tree(&m.tree, &t.shared.table)
    reuse_tree(&m.tree, t)
    t.root_depth = t.seldepth = 1
    while not must_end(m, t):
        visit(m, t)
        if t.root_depth == 1 and t.nodes >= LEAST_VISITS:
            tell_roots(m, t)
        elif monotonic_ns() >= next_report_ns:
            next_report_ns += REPORT_EVERY_NS
            tell_roots(m, t)
    tell_roots(m, t)
