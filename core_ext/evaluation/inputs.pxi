# What the network sees: which man stands on which square, once from each side's own view.
#
# In its view a side plays up the board with its king on the files a to d: what is true of a position
# is true of its mirror image, and need be learned only once.

cdef enum:
    INPUT_COUNT = 768  # own men and the other's, six kinds, 64 squares
    OTHER_SIDE = 384
    MOST_MEN = 32


cdef inline int view_flip(int view, int king) noexcept nogil:
    """The bits of a square to change to have it in the view of a colour whose king stands here."""
    return (56 if view == BLACK else 0) ^ (7 if king & 4 else 0)


cdef inline int input_index(int view, int flip, int colour, int piece, int square) noexcept nogil:
    return (OTHER_SIDE if colour != view else 0) + 64 * piece + (square ^ flip)


cdef inline int output_bucket(int men, int buckets) noexcept nogil:
    """Which of the network's outputs speaks: they share the game out by the men left."""
    return (men - 1) * buckets // MOST_MEN
