# How this core was built, for people who ask; and that there is no other one beside it.

import sys

cdef extern from *:
    """
    #ifdef __clang__
    #define CYTHERA_COMPILER "clang " __clang_version__
    #else
    #define CYTHERA_COMPILER "gcc " __VERSION__
    #endif

    #ifdef CYTHERA_PGO
    #define IS_PROFILED 1
    #else
    #define IS_PROFILED 0
    #endif

    static const char* const INSTRUCTION_SETS = ""
    #ifdef __POPCNT__
        "popcnt "
    #endif
    #ifdef __BMI2__
        "bmi2 "
    #endif
    #ifdef __AVX2__
        "avx2 "
    #endif
    #ifdef __AVX512BW__
        "avx512bw "
    #endif
    #ifdef __ARM_NEON
        "neon "
    #endif
    ;
    """
    const char* CYTHERA_ARCH
    const char* CYTHERA_COMPILER
    const char* INSTRUCTION_SETS
    bint IS_PROFILED

ARCH = CYTHERA_ARCH.decode()  # what setup.py was asked for
COMPILER = CYTHERA_COMPILER.decode().strip()
INSTRUCTIONS = tuple(INSTRUCTION_SETS.decode().split())
PROFILED = bool(IS_PROFILED)


def _claim_process():
    """Two cores in one process would have a Board each that the other's functions don't know.

    Kept in sys, since the package itself may be there twice, from two places."""
    first = sys.__dict__.setdefault("_cythera_core", __file__)
    if first != __file__:
        raise ImportError(
            f"{__file__} can't be loaded beside {first}: a process has one core of Cythera"
        )


_claim_process()
