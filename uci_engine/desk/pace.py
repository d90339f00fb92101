"""How long a person would think: for an engine that plays at a person's level. All of it is pure.

The search of a level takes milliseconds. What comes out here is how long the move may take on the
whole, so that the game has a rhythm: quick moves in the opening, forced moves and recaptures at
once, most others after a few seconds, some after a long while, all of them quicker on a low clock.
"""

from __future__ import annotations

import math
from random import Random
from typing import NamedTuple

# Without clocks a game is played as if there were so much for the whole of it.
CASUAL_S = 180.0
# A game has about so many moves; later there are always so many to come.
MOVES_OF_A_GAME = 45
LEAST_MOVES_TO_COME = 22
INCREMENT_SHARE = 0.6  # what is left of it is saved
OPENING_MOVES = 8  # these are known: the first ones are played in a fraction of the usual time
FIRST_MOVE_SHARE = 0.25
FORCED_SHARE = 0.2
RECAPTURE_SHARE = 0.35
SPREAD = 0.55  # of the logarithm: two moves of three lie within a factor of 1.7
# No computer has to keep anybody waiting for longer, however long the game: on average, and ever.
LONGEST_USUAL_S = 5.0
LONGEST_S = 15.0
SHORTEST_S = 0.3  # looking at the board
# What the clock allows at most, whatever else is said.
MOST_OF_CLOCK = 0.08
RESERVE_S = 1.0  # below this moves are made at once


class Moment(NamedTuple):
    """What a person sees of the position before thinking. Times are in seconds."""

    move_number: int
    legal_moves: int
    is_recapture: bool = False
    left: float | None = None  # on the own clock; None without clocks
    increment: float = 0.0


def think_time(moment: Moment, random: Random) -> float:
    """Seconds for this move, from when the opponent had moved; never what the clock lacks."""
    usual = usual_time(moment) * math.exp(random.gauss(0.0, SPREAD))
    usual *= opening_share(moment.move_number)
    if moment.legal_moves == 1:
        usual *= FORCED_SHARE
    elif moment.is_recapture:
        usual *= RECAPTURE_SHARE
    return min(max(usual, SHORTEST_S), LONGEST_S, longest_time(moment))


def usual_time(moment: Moment) -> float:
    """What a move of the middle game takes."""
    if moment.left is None:
        return CASUAL_S / MOVES_OF_A_GAME
    to_come = max(MOVES_OF_A_GAME - moment.move_number, LEAST_MOVES_TO_COME)
    share = max(0.0, moment.left) / to_come + INCREMENT_SHARE * moment.increment
    return min(share, LONGEST_USUAL_S)


def opening_share(move_number: int) -> float:
    known = max(0, OPENING_MOVES - max(1, move_number) + 1) / OPENING_MOVES
    return 1.0 - (1.0 - FIRST_MOVE_SHARE) * known


def longest_time(moment: Moment) -> float:
    """What the clock allows."""
    if moment.left is None:
        return math.inf
    share = MOST_OF_CLOCK * moment.left + INCREMENT_SHARE * moment.increment
    return max(0.0, min(share, (moment.left - RESERVE_S) / 2))
