# What threads share they read and write by these alone. Relaxed: the value itself, whole. Acquire
# and release: who sees the value sees all that was written before it, too.

cdef extern from *:
    """
    #define load_relaxed(where) __atomic_load_n(where, __ATOMIC_RELAXED)
    #define store_relaxed(where, value) __atomic_store_n(where, value, __ATOMIC_RELAXED)
    #define load_acquire(where) __atomic_load_n(where, __ATOMIC_ACQUIRE)
    #define store_release(where, value) __atomic_store_n(where, value, __ATOMIC_RELEASE)
    #define take_next(counter) __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED)
    """
    u64 load_relaxed(const u64* where) noexcept nogil
    void store_relaxed(u64* where, u64 value) noexcept nogil
    u32 load_relaxed32 "load_relaxed"(const u32* where) noexcept nogil
    void store_relaxed32 "store_relaxed"(u32* where, u32 value) noexcept nogil
    int64_t load_relaxed_time "load_relaxed"(const int64_t* where) noexcept nogil
    void store_relaxed_time "store_relaxed"(int64_t* where, int64_t value) noexcept nogil
    u64 load_acquire(const u64* where) noexcept nogil
    void store_release(u64* where, u64 value) noexcept nogil
    u64 take_next(u64* counter) noexcept nogil
