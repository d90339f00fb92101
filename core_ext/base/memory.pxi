# Memory: from the C library, and what the processor and the system are told about it.

from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcmp, memcpy, memmove, memset

cdef enum:
    CACHE_LINE = 64

cdef extern from "<stdlib.h>":
    void* aligned_alloc(size_t alignment, size_t size) noexcept nogil

cdef extern from *:
    """
    #define prefetch(where) __builtin_prefetch(where)

    #if defined(__linux__)
    #include <sys/mman.h>
    #define advise_huge_pages(where, size) ((void)madvise(where, size, MADV_HUGEPAGE))
    #else
    #define advise_huge_pages(where, size) ((void)(where))
    #endif
    """
    void prefetch(const void* where) noexcept nogil
    void advise_huge_pages(void* where, u64 size) noexcept nogil


cdef inline void prefetch_bytes(const void* where, size_t size) noexcept nogil:
    """Whole cache lines."""
    cdef size_t line
    for line in range(size // CACHE_LINE):
        prefetch(<const char*>where + CACHE_LINE * line)
