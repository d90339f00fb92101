# From scores to the chance of a point and back, where scores have to be averaged.

from libc.math cimport exp, log

cdef double CHANCE_SCALE = 200.0   # centipawns: the chance to win is 1 / (1 + exp(-score / this))


cdef inline double chance_of(int score) noexcept nogil:
    return 1.0 / (1.0 + exp(-score / CHANCE_SCALE))


cdef inline int score_of(double chance) noexcept nogil:
    chance = min(max(chance, 1e-6), 1 - 1e-6)
    return <int>(CHANCE_SCALE * log(chance / (1 - chance)))
