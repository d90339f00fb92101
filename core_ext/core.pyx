"""The compiled core of Cythera: one unit, so that the C compiler sees and inlines everything.

A file uses only what stands above it here.
"""

include "types.pxi"
include "bits.pxi"
include "attacks.pxi"
include "position.pxi"
include "fen.pxi"
include "movegen.pxi"
include "makemove.pxi"
include "perft.pxi"
include "pack.pxi"
include "api_move.pxi"
include "api_board.pxi"
include "api_perft.pxi"
include "api_batch.pxi"
