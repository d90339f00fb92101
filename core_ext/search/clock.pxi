# A search's clock. A ponderhit sets it while the search runs.

cdef extern from *:
    """
    #include <time.h>
    static inline int64_t monotonic_ns(void) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    }
    """
    int64_t monotonic_ns() noexcept nogil

cdef struct ClockC:
    int64_t start_ns           # of the budgets: later than the search's, after a ponderhit
    int64_t soft_ns            # 0: none
    int64_t hard_ns
    u64 is_off                 # infinite, or pondering until the ponderhit


cdef inline void set_clock(ClockC* clock, int64_t start_ns, int64_t soft_ms, int64_t hard_ms,
                           bint is_off) noexcept nogil:
    """Released, so that a search that sees the clock go on sees the times as well."""
    store_relaxed_time(&clock.start_ns, start_ns)
    store_relaxed_time(&clock.soft_ns, soft_ms * 1000000)
    store_relaxed_time(&clock.hard_ns, hard_ms * 1000000)
    store_release(&clock.is_off, is_off)


cdef inline int64_t elapsed_ns(const ClockC* clock) noexcept nogil:
    return monotonic_ns() - load_relaxed_time(&clock.start_ns)


cdef inline int64_t soft_limit(const ClockC* clock) noexcept nogil:
    """0 without one, or while the clock is off."""
    return 0 if load_acquire(&clock.is_off) else load_relaxed_time(&clock.soft_ns)


cdef inline int64_t hard_limit(const ClockC* clock) noexcept nogil:
    """0 without one, or while the clock is off."""
    return 0 if load_acquire(&clock.is_off) else load_relaxed_time(&clock.hard_ns)
