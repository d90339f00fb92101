# The debug build's switch: checks of the incremental state are compiled in only there.

cdef extern from *:
    """
    #ifdef CYTHERA_DEBUG
    #define DEBUG_BUILD 1
    #else
    #define DEBUG_BUILD 0
    #endif
    """
    bint DEBUG_BUILD

DEBUG = bool(DEBUG_BUILD)
