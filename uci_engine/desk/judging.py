"""How good a move was: winning chances, what it lost of them, and accuracy.

The default is what Lichess publishes (lichess.org/page/accuracy and the source of its analysis), so
that people can compare. On request the chances are ours, fitted to this engine's games (report.py).
All of it is pure.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from uci_engine.report import win_draw_loss

# Lichess's centipawns are Stockfish's. This engine's scores are smaller at first and do not flatten
# as those do: BEND * SCALE * asinh(score / BEND) is what Stockfish 15.1 says of a position;
# fitted by scripts/measure_desk scale.
BEND = 250.0
SCALE = 1.4

# Where this engine sees so many centipawns, Stockfish with ten times the nodes sees a mate in three
# of four positions, and Lichess judges mates by rules of their own; told by the same script.
SURE_MATE = 2500
SOME_MOVES = 99  # until then

# Lichess's chance to win in percent: 50 + 50 * (2 / (1 + exp(-SLOPE * centipawns)) - 1), where more
# than ten pawns are ten, and so is a mate.
SLOPE = 0.00368208
CEILING = 1000

# The accuracy of a move that loses so many points of that percentage.
ACCURACY_FACTOR = 103.1668100711649
ACCURACY_SLOPE = 0.04354415386753951
ACCURACY_SHIFT = -3.166924740191411
UNCERTAINTY_BONUS = 1.0  # no analysis is perfect

# Of a game: windows of a tenth of its plies, whose unrest is the weight of a move.
SHORTEST_WINDOW, LONGEST_WINDOW = 2, 8
LEAST_WEIGHT, MOST_WEIGHT = 0.5, 12.0

# A mate that is let go, or walked into, matters less where the game is decided anyway.
HARDLY_MATTERS = 999
MATTERS_LITTLE = 700


class Finding(NamedTuple):
    """What a search found in a position. Scores are White's; of a checkmate the mate is 0."""

    score: int
    mate: int | None
    depth: int
    nodes: int
    line: tuple[str, ...]  # in UCI's notation, the best move first


class Judgement(NamedTuple):
    name: str
    sign: str
    nag: int
    loss: float  # points of winning chances, at least


BLUNDER = Judgement("Blunder", "??", 4, 15.0)
MISTAKE = Judgement("Mistake", "?", 2, 10.0)
INACCURACY = Judgement("Inaccuracy", "?!", 6, 5.0)
JUDGEMENTS = (BLUNDER, MISTAKE, INACCURACY)


def to_stockfish(finding: Finding) -> Finding:
    """With the score that Stockfish would give; mates are the same everywhere."""
    if finding.mate is not None:
        return finding
    if abs(finding.score) >= SURE_MATE:
        return finding._replace(mate=SOME_MOVES if finding.score > 0 else -SOME_MOVES)
    return finding._replace(score=round(BEND * SCALE * math.asinh(finding.score / BEND)))


def lichess_percent(finding: Finding) -> float:
    """White's winning chances, by a score of Stockfish's kind."""
    if finding.mate is not None:
        centipawns = CEILING if finding.score > 0 else -CEILING
    else:
        centipawns = min(max(finding.score, -CEILING), CEILING)
    return 100 / (1 + math.exp(-SLOPE * centipawns))


def fitted_percent(finding: Finding) -> float:
    """What White can expect of a point, by the engine's own games."""
    mate = finding.mate
    if mate == 0:
        mate = 1 if finding.score > 0 else -1
    win, draw, _ = win_draw_loss(finding.score, mate)
    return (win + draw / 2) / 10


CHANCES: dict[str, Callable[[Finding], float]] = {
    "lichess": lichess_percent,
    "fitted": fitted_percent,
}


@dataclass(frozen=True)
class JudgedMove:
    """A move by what it did to the chances of the side that made it."""

    before: float
    after: float
    judgement: Judgement | None

    @property
    def loss(self) -> float:
        return max(0.0, self.before - self.after)

    @property
    def accuracy(self) -> float:
        return move_accuracy(self.before, self.after)


@dataclass(frozen=True)
class JudgedGame:
    percents: Sequence[float]  # White's chances in each position, the first one included
    moves: Sequence[JudgedMove]
    accuracies: tuple[float | None, float | None]  # White's and Black's; None without a move
    centipawn_losses: tuple[float | None, float | None]  # on average


def judge_game(
    findings: Sequence[Finding], moves: Sequence[str], white_begins: bool, chances: str
) -> JudgedGame:
    """The findings are those of each position of the game, one more than there are moves."""
    if chances == "lichess":
        findings = [to_stockfish(finding) for finding in findings]
    percents = [CHANCES[chances](finding) for finding in findings]
    judged = []
    for index, move in enumerate(moves):
        white = (index % 2 == 0) == white_begins
        before, after = percents[index], percents[index + 1]
        if not white:
            before, after = 100 - before, 100 - after
        judgement = None
        # What the search itself would have played has no better line to show for it.
        if findings[index].line[:1] not in ((), (move,)):
            judgement = judge(findings[index], findings[index + 1], white, before - after, chances)
        judged.append(JudgedMove(before, after, judgement))
    return JudgedGame(
        percents,
        judged,
        game_accuracy(percents, judged, white_begins),
        (mean_loss(findings, white_begins, True), mean_loss(findings, white_begins, False)),
    )


def judge(
    before: Finding, after: Finding, white: bool, loss: float, chances: str
) -> Judgement | None:
    """By the loss of winning chances; Lichess has rules of their own for mates."""
    if chances == "lichess" and (before.mate is not None or after.mate is not None):
        return judge_mates(before, after, 1 if white else -1)
    return next((judgement for judgement in JUDGEMENTS if loss >= judgement.loss), None)


def judge_mates(before: Finding, after: Finding, sign: int) -> Judgement | None:
    """A mate that the mover had and has no more, or that he is now to suffer."""
    had = before.mate is not None and sign * before.score > 0
    suffers = after.mate is not None and sign * after.score < 0
    if had and after.mate is None:
        return weigh(sign * after.score)
    if had and suffers:
        return BLUNDER
    if before.mate is None and suffers:
        return weigh(-sign * before.score)
    return None


def weigh(lead: int) -> Judgement:
    """Of the side that had or has the mate, without it."""
    if lead > HARDLY_MATTERS:
        return INACCURACY
    return MISTAKE if lead > MATTERS_LITTLE else BLUNDER


# ---- accuracy


def move_accuracy(before: float, after: float) -> float:
    """In percent, from the mover's winning chances before and after."""
    if after >= before:
        return 100.0
    raw = ACCURACY_FACTOR * math.exp(-ACCURACY_SLOPE * (before - after)) + ACCURACY_SHIFT
    return min(max(raw + UNCERTAINTY_BONUS, 0.0), 100.0)


def game_accuracy(
    percents: Sequence[float], moves: Sequence[JudgedMove], white_begins: bool
) -> tuple[float | None, float | None]:
    """White's and Black's: the mean of two means of the moves' accuracies. One is weighted by how
    restless the winning chances are around the move, the other is the harmonic one."""
    weights = move_weights(percents)

    def side(first: int) -> float | None:
        accuracies = [move.accuracy for move in moves[first::2]]
        if not accuracies:
            return None
        own = weights[first::2]
        weighted = sum(map(float.__mul__, accuracies, own)) / sum(own)
        harmonic = len(accuracies) / sum(1 / max(accuracy, 1.0) for accuracy in accuracies)
        return (weighted + harmonic) / 2

    return (side(0), side(1)) if white_begins else (side(1), side(0))


def move_weights(percents: Sequence[float]) -> list[float]:
    """One for each move: the standard deviation of a window of percentages."""
    count = len(percents) - 1
    size = min(max(count // 10, SHORTEST_WINDOW), LONGEST_WINDOW)
    # The first moves share the first window; there are then as many windows as moves.
    starts = [0] * (min(size, len(percents)) - 2) + list(range(len(percents) - size + 1))
    return [
        min(max(deviation(percents[start : start + size]), LEAST_WEIGHT), MOST_WEIGHT)
        for start in starts[:count]
    ]


def deviation(values: Sequence[float]) -> float:
    mean = sum(values) / len(values)
    return math.sqrt(sum((value - mean) ** 2 for value in values) / len(values))


def mean_loss(findings: Sequence[Finding], white_begins: bool, white: bool) -> float | None:
    """Centipawns that a side loses a move, where more than ten pawns are ten."""
    bounded = [min(max(finding.score, -CEILING), CEILING) for finding in findings]
    sign = 1 if white else -1
    losses = [
        max(0, sign * (bounded[index] - bounded[index + 1]))
        for index in range(white != white_begins, len(bounded) - 1, 2)
    ]
    return sum(losses) / len(losses) if losses else None
