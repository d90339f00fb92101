# Every number of the search that a tuner may try others for: name, value, range and step. What stands
# elsewhere is the size of a table, follows from the rules, or is a formula's shape: a half, a square.
#
# They are constants to the compiler, except in a tuning build (CYTHERA_TUNE) and the debug build,
# where they can be set, from Python and as UCI options. C is told the values and Cython the names,
# so each name stands here twice; a test sees that the two lists are one.

cdef extern from *:
    """
    #define TUNABLES(X) \\
        X(ASPIRATION_DEPTH, 4, 2, 8, 1) \\
        X(ASPIRATION_WIDTH, 18, 5, 40, 2) \\
        X(WIDEST_ASPIRATION, 653, 200, 2000, 100) \\
        X(UNREST_DIVISOR, 8092, 2048, 65536, 1000) \\
        X(MOST_FAIL_HIGH_PLIES, 3, 0, 6, 1) \\
        X(RAZOR_DEPTH, 3, 1, 5, 1) \\
        X(RAZOR_BASE, 227, 50, 500, 30) \\
        X(RAZOR_STEP, 260, 50, 400, 25) \\
        X(REVERSE_FUTILITY_DEPTH, 8, 4, 12, 1) \\
        X(REVERSE_FUTILITY_MARGIN, 58, 40, 140, 6) \\
        X(REVERSE_FUTILITY_LEAST, 22, 0, 60, 5) \\
        X(REVERSE_FUTILITY_WORSE, 24, 0, 60, 4) \\
        X(WORSE_BY, 3, 0, 40, 3) \\
        X(TABLE_SURPRISE_DEPTH, 8, 0, 16, 1) \\
        X(NULL_DEPTH, 3, 2, 5, 1) \\
        X(NULL_MARGIN_BASE, 117, 0, 300, 20) \\
        X(NULL_MARGIN_STEP, 27, 0, 40, 3) \\
        X(NULL_BASE, 4, 2, 5, 1) \\
        X(NULL_DEPTH_DIVISOR, 4, 2, 6, 1) \\
        X(NULL_EVAL_DIVISOR, 153, 100, 400, 20) \\
        X(NULL_EVAL_LIMIT, 3, 1, 6, 1) \\
        X(NULL_VERIFY_DEPTH, 14, 10, 20, 1) \\
        X(PROBCUT_DEPTH, 5, 4, 8, 1) \\
        X(PROBCUT_MARGIN, 159, 80, 320, 15) \\
        X(PROBCUT_REDUCTION, 4, 2, 6, 1) \\
        X(IIR_DEPTH, 4, 2, 8, 1) \\
        X(IIR_STALE_DEPTH, 5, 3, 8, 1) \\
        X(PRUNING_DEPTH, 10, 6, 14, 1) \\
        X(LATE_MOVE_BASE, 3, 1, 8, 1) \\
        X(FUTILITY_DEPTH, 8, 5, 12, 1) \\
        X(FUTILITY_BASE, 81, 30, 200, 10) \\
        X(FUTILITY_STEP, 94, 40, 150, 8) \\
        X(CAPTURE_FUTILITY_DEPTH, 7, 4, 10, 1) \\
        X(CAPTURE_FUTILITY_BASE, 151, 50, 400, 20) \\
        X(CAPTURE_FUTILITY_STEP, 125, 60, 300, 15) \\
        X(CAPTURE_FUTILITY_HISTORY, 47, 10, 200, 5) \\
        X(HISTORY_PRUNING_DEPTH, 4, 2, 7, 1) \\
        X(HISTORY_PRUNING, 4086, 1000, 8000, 400) \\
        X(PRUNING_HISTORY_DIVISOR, 7159, 3000, 30000, 800) \\
        X(SEE_QUIET_MARGIN, 26, 5, 60, 4) \\
        X(SEE_CAPTURE_MARGIN, 96, 40, 180, 10) \\
        X(SEE_CHECK_MARGIN, 124, 30, 250, 15) \\
        X(SAFE_CHECK_MARGIN, 80, 0, 200, 20) \\
        X(VICTIM_FACTOR, 16, 4, 40, 2) \\
        X(CAPTURE_HISTORY_DIVISOR, 4, 1, 16, 1) \\
        X(GOOD_CAPTURE_DIVISOR, 132, 32, 1024, 10) \\
        X(CHECK_BONUS, 19433, 2000, 32000, 2000) \\
        X(PAWN_THREAT_BONUS, 8531, 0, 20000, 1000) \\
        X(MINOR_THREAT_BONUS, 10608, 0, 24000, 1000) \\
        X(ROOK_THREAT_BONUS, 12921, 0, 30000, 1200) \\
        X(SINGULAR_DEPTH, 6, 4, 10, 1) \\
        X(SINGULAR_TABLE_DEPTH, 3, 1, 6, 1) \\
        X(SINGULAR_MARGIN, 2003, 512, 4096, 200) \\
        X(DOUBLE_EXTENSION_MARGIN, 25, 4, 50, 3) \\
        X(DOUBLE_EXTENSION_LIMIT, 8, 2, 16, 1) \\
        X(LMR_QUIET_BASE, 1051, 200, 1800, 60) \\
        X(LMR_QUIET_SLOPE, 478, 250, 700, 20) \\
        X(LMR_CAPTURE_BASE, 300, 0, 900, 50) \\
        X(LMR_CAPTURE_SLOPE, 290, 100, 500, 20) \\
        X(LMR_HISTORY_DIVISOR, 12107, 4000, 18000, 600) \\
        X(LMR_TABLE_CAPTURE, 1357, 0, 2048, 100) \\
        X(LMR_KILLER, 654, 0, 2048, 100) \\
        X(LMR_FLIGHT, 545, 0, 2048, 100) \\
        X(LMR_PV, 800, 0, 2048, 100) \\
        X(LMR_WAS_PV, 835, 0, 2048, 100) \\
        X(LMR_CUT_NODE, 1232, 0, 3072, 150) \\
        X(LMR_NO_TABLE_MOVE, 803, 0, 2048, 100) \\
        X(LMR_CORRECTION, 4, 0, 40, 2) \\
        X(LMR_CORRECTION_LIMIT, 1951, 512, 4096, 200) \\
        X(LMR_NOT_IMPROVING, 957, 0, 2048, 100) \\
        X(LMR_CHECK, 875, 0, 2048, 100) \\
        X(BONUS_SLOPE, 221, 100, 400, 15) \\
        X(BONUS_OFFSET, 134, 0, 600, 30) \\
        X(BONUS_LIMIT, 2680, 800, 4000, 150) \\
        X(MALUS_SLOPE, 294, 100, 400, 15) \\
        X(MALUS_LIMIT, 1553, 400, 3000, 100) \\
        X(CREDIT_PERCENT, 115, 0, 150, 10) \\
        X(EVALUATION_CREDIT, 6, 0, 20, 1) \\
        X(EVALUATION_CREDIT_LIMIT, 987, 200, 2000, 100) \\
        X(DEEPER_MARGIN, 11, 10, 120, 6) \\
        X(SHALLOWER_MARGIN, 5, 0, 30, 2) \\
        X(CUTOFFS_MANY, 2, 1, 5, 1) \\
        X(LMR_CUTOFFS, 1035, 0, 2048, 100) \\
        X(RAISED_LEAST_DEPTH, 3, 2, 6, 1) \\
        X(RAISED_MOST_DEPTH, 12, 6, 20, 1) \\
        X(HINDSIGHT_MUCH, 3, 2, 5, 1) \\
        X(HINDSIGHT_SOME, 2, 1, 4, 1) \\
        X(HINDSIGHT_MARGIN, 188, 80, 300, 15) \\
        X(DELTA_MARGIN, 211, 50, 300, 15) \\
        X(QUIESCENCE_EXCHANGE, 37, -100, 100, 20) \\
        X(QUIESCENCE_EVASIONS, 2, 1, 6, 1) \\
        X(QUIESCENCE_CAPTURES, 3, 1, 10, 1) \\
        X(CORRECTION_DIVISOR, 26, 8, 64, 2) \\
        X(CORRECTION_DEPTH_DIVISOR, 7, 2, 24, 2) \\
        X(STABILITY_NONE, 200, 100, 300, 15) \\
        X(STABILITY_ONE, 120, 80, 200, 8) \\
        X(STABILITY_TWO, 95, 60, 160, 6) \\
        X(STABILITY_THREE, 85, 50, 140, 6) \\
        X(STABILITY_MORE, 78, 40, 120, 5) \\
        X(SHARE_BASE, 55, 20, 120, 6) \\
        X(SHARE_SLOPE, 170, 60, 300, 12) \\
        X(DROP_CENTIPAWNS, 120, 40, 300, 15) \\
        X(LEAST_DROP_FACTOR, 80, 50, 100, 4) \\
        X(MOST_DROP_FACTOR, 160, 100, 250, 10)

    #if defined(CYTHERA_TUNE) || defined(CYTHERA_DEBUG)
    #define TUNABLE_VARIABLE(name, value, low, high, step) static int name = value;
    enum { CAN_TUNE = 1 };
    #else
    #define TUNABLE_VARIABLE(name, value, low, high, step) static const int name = value;
    enum { CAN_TUNE = 0 };
    #endif
    TUNABLES(TUNABLE_VARIABLE)

    typedef struct { const char* name; int* where; int low, high, step; } TunableC;
    #define TUNABLE_ROW(name, value, low, high, step) {#name, (int*)&name, low, high, step},
    static const TunableC TUNABLE_TABLE[] = {TUNABLES(TUNABLE_ROW)};
    enum { TUNABLE_COUNT = sizeof TUNABLE_TABLE / sizeof *TUNABLE_TABLE };
    """
    ctypedef struct TunableC:
        const char* name
        int* where
        int low
        int high
        int step
    const TunableC* TUNABLE_TABLE
    int TUNABLE_COUNT, CAN_TUNE
    int ASPIRATION_DEPTH, ASPIRATION_WIDTH, WIDEST_ASPIRATION, MOST_FAIL_HIGH_PLIES
    int UNREST_DIVISOR
    int RAZOR_DEPTH, RAZOR_BASE, RAZOR_STEP
    int REVERSE_FUTILITY_DEPTH, REVERSE_FUTILITY_MARGIN, REVERSE_FUTILITY_LEAST
    int REVERSE_FUTILITY_WORSE, WORSE_BY, TABLE_SURPRISE_DEPTH
    int NULL_DEPTH, NULL_MARGIN_BASE, NULL_MARGIN_STEP
    int NULL_BASE, NULL_DEPTH_DIVISOR, NULL_EVAL_DIVISOR, NULL_EVAL_LIMIT, NULL_VERIFY_DEPTH
    int PROBCUT_DEPTH, PROBCUT_MARGIN, PROBCUT_REDUCTION, IIR_DEPTH, IIR_STALE_DEPTH
    int PRUNING_DEPTH, LATE_MOVE_BASE, FUTILITY_DEPTH, FUTILITY_BASE, FUTILITY_STEP
    int CAPTURE_FUTILITY_DEPTH, CAPTURE_FUTILITY_BASE, CAPTURE_FUTILITY_STEP
    int CAPTURE_FUTILITY_HISTORY
    int HISTORY_PRUNING_DEPTH, HISTORY_PRUNING, PRUNING_HISTORY_DIVISOR
    int VICTIM_FACTOR, CAPTURE_HISTORY_DIVISOR, GOOD_CAPTURE_DIVISOR
    int SEE_CHECK_MARGIN, SAFE_CHECK_MARGIN, CHECK_BONUS, PAWN_THREAT_BONUS
    int MINOR_THREAT_BONUS, ROOK_THREAT_BONUS
    int SEE_QUIET_MARGIN, SEE_CAPTURE_MARGIN
    int SINGULAR_DEPTH, SINGULAR_TABLE_DEPTH, SINGULAR_MARGIN
    int DOUBLE_EXTENSION_MARGIN, DOUBLE_EXTENSION_LIMIT
    int LMR_QUIET_BASE, LMR_QUIET_SLOPE, LMR_CAPTURE_BASE, LMR_CAPTURE_SLOPE, LMR_HISTORY_DIVISOR
    int LMR_TABLE_CAPTURE, LMR_KILLER, LMR_FLIGHT, LMR_PV, LMR_WAS_PV
    int LMR_NO_TABLE_MOVE, LMR_CORRECTION, LMR_CORRECTION_LIMIT
    int LMR_CUT_NODE, LMR_NOT_IMPROVING, LMR_CHECK
    int BONUS_SLOPE, BONUS_OFFSET, BONUS_LIMIT, MALUS_SLOPE, MALUS_LIMIT
    int CREDIT_PERCENT, EVALUATION_CREDIT, EVALUATION_CREDIT_LIMIT
    int DEEPER_MARGIN, SHALLOWER_MARGIN, CUTOFFS_MANY, LMR_CUTOFFS
    int RAISED_LEAST_DEPTH, RAISED_MOST_DEPTH
    int HINDSIGHT_MUCH, HINDSIGHT_SOME, HINDSIGHT_MARGIN
    int DELTA_MARGIN, QUIESCENCE_EXCHANGE, QUIESCENCE_EVASIONS, QUIESCENCE_CAPTURES
    int CORRECTION_DIVISOR, CORRECTION_DEPTH_DIVISOR
    int STABILITY_NONE, STABILITY_ONE, STABILITY_TWO, STABILITY_THREE, STABILITY_MORE
    int SHARE_BASE, SHARE_SLOPE, DROP_CENTIPAWNS, LEAST_DROP_FACTOR, MOST_DROP_FACTOR
