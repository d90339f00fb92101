"""Playing weaker on purpose: fewer nodes, and a choice among the moves that look nearly best."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from random import Random

    from core_ext.core import Board, SearchInfo
    from uci_engine.options import Options


class Strength(NamedTuple):
    """How to play at a rating."""

    elo: int
    nodes: int  # for a move
    margin: int  # centipawns below the best move within which another one may be chosen


# Measured in games (docs/STRENGTH.md), on the scale of Stockfish's UCI_Elo up to 2000. What lies
# between these is interpolated, the nodes on a logarithmic scale.
TABLE = (
    Strength(800, 20, 300),
    Strength(1050, 150, 180),
    Strength(1200, 600, 120),
    Strength(1470, 2_500, 80),
    Strength(1790, 10_000, 45),
    Strength(2000, 40_000, 20),
    Strength(2200, 40_000, 0),
    Strength(2500, 160_000, 0),
    Strength(2800, 1_000_000, 0),
)

ELO_PER_SKILL_LEVEL = 100
CANDIDATES = 4

# A won ending against a lone king is played out at this strength at least, by the best move: even
# a beginner's engine should know how to mate with a rook.
MATING = Strength(2000, 20_000, 0)


def choose_strength(options: Options, board: Board) -> Strength | None:
    """The strength to play at; None for all of it."""
    if options.analyse_mode or not options.is_limited:
        return None
    by_level = TABLE[0].elo + ELO_PER_SKILL_LEVEL * options.skill_level
    strength = interpolate(options.elo if options.limit_strength else by_level)
    if faces_lone_king(board):
        return MATING._replace(nodes=max(MATING.nodes, strength.nodes))
    return strength


def interpolate(elo: int) -> Strength:
    elo = min(max(elo, TABLE[0].elo), TABLE[-1].elo)
    above = next(index for index, row in enumerate(TABLE) if row.elo >= elo)
    low, high = TABLE[max(above - 1, 0)], TABLE[above]
    part = (elo - low.elo) / max(high.elo - low.elo, 1)
    nodes = math.exp(math.log(low.nodes) * (1 - part) + math.log(high.nodes) * part)
    return Strength(elo, round(nodes), round(low.margin * (1 - part) + high.margin * part))


def faces_lone_king(board: Board) -> bool:
    pieces = board.fen().split()[0]
    other = [letter for letter in pieces if letter.isalpha() and letter.isupper() != board.turn]
    return len(other) == 1


def choose_line(lines: Sequence[SearchInfo], strength: Strength, random: Random) -> SearchInfo:
    """One of the lines: the nearer to the best, the likelier. A mate is never passed by."""
    best = lines[0]
    if best.mate is not None:
        return best
    near = [
        line for line in lines if line.mate is None and best.score - line.score <= strength.margin
    ]
    weights = [strength.margin + 1 - max(best.score - line.score, 0) for line in near]
    return random.choices(near, weights)[0]
