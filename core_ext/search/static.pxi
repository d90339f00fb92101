# The static evaluation of a node: all that the search knows of evaluation.

cdef inline int node_evaluation(ThreadC* t, FrameC* f) noexcept nogil:
    return evaluate(t.evaluator, &f.pos, f.ply)


cdef inline int known_evaluation(ThreadC* t, FrameC* f, const EntryC* entry) noexcept nogil:
    """The table's, else computed."""
    if entry.evaluation != NO_EVALUATION:
        return entry.evaluation
    return node_evaluation(t, f)
