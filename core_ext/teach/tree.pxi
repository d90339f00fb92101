# The tree of Monte Carlo search, in the memory of the table: Hash bounds it.
#
# The children of a node lie side by side behind a header that names their parent. A node's children
# always lie behind the node, so that one pass from front to back keeps what the next move still needs
# and closes the gaps.

cdef enum:
    TREE_ROOT = 0
    NOT_PROVEN = 32767

cdef struct TreeNodeC:
    double wins            # of the side whose move led here
    u32 visits
    u32 first              # the first child; of a header the parent
    u16 count              # children; 0 before they are made
    MoveC move
    int16_t proven         # the value for the side to move here, mates as in the search
    bint is_live           # of a header, while the tree is cut back
    float prior

cdef struct TreeC:
    TreeNodeC* nodes
    u32 capacity
    u32 used
    PositionC pos          # of the root
    int game_length        # there


cdef void reset_tree(TreeC* tree) noexcept nogil:
    tree.used = 0


cdef void attach_tree(TreeC* tree, const TableC* table) noexcept nogil:
    cdef u64 capacity = table.count * sizeof(ClusterC) // sizeof(TreeNodeC)
    tree.nodes = <TreeNodeC*>table.clusters
    tree.capacity = <u32>min(capacity, <u64>0xFFFFFFFF)


cdef int tree_permille(const TreeC* tree) noexcept nogil:
    return <int>(<u64>tree.used * 1000 // max(tree.capacity, <u32>1))


cdef void start_tree(TreeC* tree, const PositionC* pos, int game_length) noexcept nogil:
    memset(&tree.nodes[TREE_ROOT], 0, sizeof(TreeNodeC))
    tree.nodes[TREE_ROOT].proven = NOT_PROVEN
    tree.used = 1
    tree.pos = pos[0]
    tree.game_length = game_length


cdef TreeNodeC* add_children(TreeC* tree, TreeNodeC* node, int count) noexcept nogil:
    """Room for so many children; NULL when the memory is used up."""
    cdef TreeNodeC* header = &tree.nodes[tree.used]
    if tree.used + count + 1 > tree.capacity:
        return NULL
    header.first = <u32>(node - tree.nodes)
    header.count = <u16>count
    header.is_live = False
    node.first = tree.used + 1
    node.count = <u16>count
    tree.used += count + 1
    return header + 1


cdef inline TreeNodeC* header_of(TreeC* tree, const TreeNodeC* node) noexcept nogil:
    return &tree.nodes[node.first - 1]


cdef void adopt_children(TreeC* tree, TreeNodeC* node) noexcept nogil:
    """A node that is kept, at its new place: its children are kept, too."""
    cdef TreeNodeC* header
    if node.count:
        header = header_of(tree, node)
        header.is_live = True
        header.first = <u32>(node - tree.nodes)


cdef void cut_back(TreeC* tree, u32 root) noexcept nogil:
    """Keep what is below a node, which becomes the root."""
    cdef u32 source = 1, target = 1, size, index
    tree.nodes[TREE_ROOT] = tree.nodes[root]
    adopt_children(tree, &tree.nodes[TREE_ROOT])
    while source < tree.used:
        size = tree.nodes[source].count + <u32>1
        if tree.nodes[source].is_live:
            tree.nodes[tree.nodes[source].first].first = target + 1
            if target != source:
                memmove(&tree.nodes[target], &tree.nodes[source], size * sizeof(TreeNodeC))
            tree.nodes[target].is_live = False
            for index in range(1, size):
                adopt_children(tree, &tree.nodes[target + index])
            target += size
        source += size
    tree.used = target


cdef u32 find_descendant(TreeC* tree, ThreadC* t) noexcept nogil:
    """The node of the position to search, if the game went on from the root; else the root of
    nothing, 0."""
    cdef PositionC pos = tree.pos, child
    cdef TreeNodeC* node = &tree.nodes[TREE_ROOT]
    cdef int ply = tree.game_length, index
    if tree.used == 0 or ply > t.game_length or t.keys[ply] != pos.key:
        return 0
    while ply < t.game_length:
        ply += 1
        for index in range(node.count):
            make_move(&child, &pos, tree.nodes[node.first + index].move)
            if child.key == t.keys[ply]:
                break
        else:
            return 0
        node = &tree.nodes[node.first + index]
        pos = child
    return <u32>(node - tree.nodes)


cdef void reuse_tree(TreeC* tree, ThreadC* t) noexcept nogil:
    """The part of the last search's tree that is about this position, or a new one."""
    cdef const PositionC* pos = &t.frames[FRAMES_BELOW_ROOT].pos
    cdef u32 node = find_descendant(tree, t)
    if node == 0 and not (tree.used and tree.pos.key == pos.key
                          and tree.game_length == t.game_length):
        start_tree(tree, pos, t.game_length)
        return
    if node:
        cut_back(tree, node)
    tree.pos = pos[0]
    tree.game_length = t.game_length


# What is proven: mates and ends of the game, as far as the tree shows them.

cdef inline int parent_value(int proven) noexcept nogil:
    """What a child's proven value is for its parent: a mate is a ply further away."""
    if proven <= -LEAST_MATE:
        return -proven - 1
    return -proven + 1 if proven >= LEAST_MATE else -proven


cdef void prove(TreeC* tree, TreeNodeC* node) noexcept nogil:
    """A move that mates proves a node; else all its moves must be proven."""
    cdef int best = -INFINITE, index
    cdef bint is_complete = True
    cdef TreeNodeC* child
    for index in range(node.count):
        child = &tree.nodes[node.first + index]
        if child.proven == NOT_PROVEN:
            is_complete = False
        else:
            best = max(best, parent_value(child.proven))
    if best >= LEAST_MATE or (is_complete and node.count):
        node.proven = <int16_t>best
