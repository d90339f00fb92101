"""How moves are judged: the figures that Lichess publishes, derived here in another way."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

import pytest

from core_ext.core import MATE_SCORE
from uci_engine.desk.judging import (
    BEND,
    BLUNDER,
    INACCURACY,
    MISTAKE,
    SCALE,
    SURE_MATE,
    Finding,
    JudgedGame,
    fitted_percent,
    judge_game,
    lichess_percent,
    move_accuracy,
    to_stockfish,
)

pytestmark = pytest.mark.release_only


def cp(score: int) -> Finding:
    return Finding(score, None, 10, 1000, ("a1a2",))


def scored(score: float) -> Finding:
    """A finding of ours that is so many centipawns of Stockfish's."""
    return cp(round(BEND * math.sinh(score / (BEND * SCALE))))


def mate(moves: int) -> Finding:
    return Finding(
        MATE_SCORE - moves if moves > 0 else -MATE_SCORE - moves, moves, 10, 1000, ("a1a2",)
    )


def negative(finding: Finding) -> Finding:
    return finding._replace(
        score=-finding.score, mate=None if finding.mate is None else -finding.mate
    )


def judge(*findings: Finding, white_begins: bool = True, chances: str = "lichess") -> JudgedGame:
    moves = ["h1h2"] * (len(findings) - 1)
    return judge_game(findings, moves, white_begins, chances)


def score_for(percent: float) -> float:
    """The centipawns of a percentage, by the inverse of the published formula."""
    return -math.log(100 / percent - 1) / 0.00368208


@pytest.mark.parametrize("score", [-1000, -350, -1, 0, 15, 80, 999])
def test_winning_chances_are_those_that_lichess_publishes(score: int) -> None:
    published = 50 + 50 * (2 / (1 + math.exp(-0.00368208 * score)) - 1)
    assert lichess_percent(cp(score)) == pytest.approx(published)
    assert lichess_percent(cp(score)) + lichess_percent(cp(-score)) == pytest.approx(100)


@pytest.mark.parametrize("score", [-900, -40, 0, 100, 350, 1000])
def test_scores_of_another_scale(score: int) -> None:
    """It is odd, it grows, and a mate stays what it is."""
    there = to_stockfish(cp(score)).score
    assert there == -to_stockfish(cp(-score)).score
    assert there < to_stockfish(cp(score + 100)).score
    assert to_stockfish(mate(3)) == mate(3)
    assert abs(to_stockfish(scored(score)).score - score) <= 1


def test_a_score_that_large_is_judged_as_a_mate() -> None:
    """Whether the search has seen the mate already or is about to: letting it go is the same."""
    won, better, equal = cp(SURE_MATE), cp(SURE_MATE - 1), cp(0)
    assert to_stockfish(won).mate is not None
    assert to_stockfish(better).mate is None
    for sure in (won, mate(7)):
        assert [move.judgement for move in judge(sure, scored(800)).moves] == [MISTAKE]
        assert [move.judgement for move in judge(scored(-800), negative(sure)).moves] == [MISTAKE]
        assert [move.judgement for move in judge(sure, equal).moves] == [BLUNDER]
    assert [move.judgement for move in judge(mate(7), won).moves] == [None]
    assert [move.judgement for move in judge(better, scored(900)).moves] == [None]


def test_more_than_ten_pawns_and_mates_count_as_ten() -> None:
    ten = lichess_percent(cp(1000))
    mated = Finding(MATE_SCORE, 0, 0, 0, ())
    for finding in (cp(1001), cp(5000), mate(1), mate(30), mated):
        assert lichess_percent(finding) == ten
    assert lichess_percent(mate(-2)) == pytest.approx(100 - ten)


def test_fitted_chances_are_wins_and_half_the_draws() -> None:
    assert fitted_percent(cp(0)) == pytest.approx(50)
    assert fitted_percent(mate(4)) == 100
    assert fitted_percent(mate(-4)) == 0
    assert fitted_percent(Finding(-MATE_SCORE, 0, 0, 0, ())) == 0
    # Where a win and anything else are as likely there are hardly any losses.
    assert 70 < fitted_percent(cp(129)) < 76


@pytest.mark.parametrize(
    ("loss", "wanted"),
    # What Lichess fitted its curve to, with the point that it adds.
    [(0, 100), (5, 76), (10, 61), (20, 43), (40, 21), (60, 6), (80, 1), (100, 0)],
)
def test_accuracy_of_a_move_is_near_what_the_curve_was_fitted_to(loss: int, wanted: int) -> None:
    assert move_accuracy(100, 100 - loss) == pytest.approx(wanted, abs=6)
    assert move_accuracy(20, 30) == 100


# Of centipawns after each move, beginning at 15: what Lichess's own tests expect, and how nearly.
GAMES = [
    ([15, 15], (100, 1), (100, 1)),
    ([-900, -900], (10, 5), (100, 1)),
    ([15, 900], (100, 1), (10, 5)),
    ([-900, 0], (10, 5), (10, 5)),
    ([15] * 20, (100, 1), (100, 1)),
    ([15] * 20 + [-900], (50, 5), (100, 1)),
    ([15] * 21 + [900], (100, 1), (50, 5)),
    ([-50, 15] * 5, (76, 8), (76, 8)),
    ([-50, 15] * 50, (76, 8), (76, 8)),
    ([-135, 15] * 50, (54, 8), (54, 8)),
    ([-435, 15] * 50, (20, 8), (20, 8)),
]


@pytest.mark.parametrize(("scores", "white", "black"), GAMES)
def test_accuracy_of_games(
    scores: Sequence[int], white: tuple[int, int], black: tuple[int, int]
) -> None:
    for sign, sides in ((1, (white, black)), (-1, (black, white))):
        # The same game with colours changed, Black beginning.
        findings = [scored(sign * score) for score in (15, *scores)]
        found = judge(*findings, white_begins=sign == 1).accuracies
        for accuracy, (wanted, tolerance) in zip(found, sides, strict=True):
            assert accuracy == pytest.approx(wanted, abs=tolerance)


def test_accuracy_of_a_game_is_the_mean_of_two_means() -> None:
    scores = [20, 35, -10, 60, 55, -140, -90, -400, -380, -390, 0, 10, 300, 280, 500, 510, 900]
    scores += [900, 1500, 1400, 1600, 1500]
    game = judge(*map(cp, scores))
    percents = list(game.percents)
    size = 2  # a tenth of 21 moves
    weights = [
        min(max(statistics.pstdev(percents[i : i + size]), 0.5), 12) for i in range(len(scores) - 1)
    ]
    for side in (0, 1):
        accuracies = [move.accuracy for move in game.moves[side::2]]
        own = weights[side::2]
        weighted = sum(a * w for a, w in zip(accuracies, own, strict=True)) / sum(own)
        harmonic = statistics.harmonic_mean([max(a, 1) for a in accuracies])
        assert game.accuracies[side] == pytest.approx((weighted + harmonic) / 2)


def test_a_game_without_moves_of_a_side_has_no_accuracy_of_it() -> None:
    assert judge(cp(30)).accuracies == (None, None)
    assert judge(cp(30), cp(30)).accuracies == (100.0, None)
    assert judge(cp(30), cp(30), white_begins=False).accuracies == (None, 100.0)


@pytest.mark.parametrize(
    ("loss", "judgement"),
    [(4.7, None), (5.3, INACCURACY), (9.7, INACCURACY), (10.3, MISTAKE), (14.7, MISTAKE),
     (15.3, BLUNDER), (40, BLUNDER)],
)  # fmt: skip
@pytest.mark.parametrize("white", [True, False])
def test_judgements_by_the_loss_of_winning_chances(
    loss: float, judgement: object, white: bool
) -> None:
    sign = 1 if white else -1
    findings = [scored(sign * score_for(60)), scored(sign * score_for(60 - loss))]
    game = judge(*findings, white_begins=white)
    assert game.moves[0].judgement is judgement
    assert game.moves[0].loss == pytest.approx(loss, abs=0.2)
    # The same change is a gain for the other side.
    other = judge(*findings, white_begins=not white)
    assert other.moves[0].judgement is None
    assert other.moves[0].accuracy == 100


@pytest.mark.parametrize(
    ("before", "after", "judgement"),
    [
        (mate(3), mate(2), None),
        (mate(3), mate(9), None),  # later, but still a mate
        (mate(3), scored(1020), INACCURACY),
        (mate(3), scored(800), MISTAKE),
        (mate(3), scored(650), BLUNDER),
        (mate(3), scored(0), BLUNDER),
        (mate(3), mate(-5), BLUNDER),
        (scored(20), mate(-5), BLUNDER),
        (scored(-600), mate(-5), BLUNDER),
        (scored(-800), mate(-5), MISTAKE),
        (scored(-1020), mate(-5), INACCURACY),
        (mate(-5), mate(-2), None),
        (mate(-5), scored(-300), None),
        (scored(300), mate(4), None),
    ],
)
def test_mates_let_go_and_walked_into(before: Finding, after: Finding, judgement: object) -> None:
    assert judge(before, after).moves[0].judgement is judgement
    mirrored = (negative(before), negative(after))
    assert judge(*mirrored, white_begins=False).moves[0].judgement is judgement


def test_what_the_search_would_have_played_is_no_mistake() -> None:
    before, after = cp(100)._replace(line=("h1h2", "a7a6")), cp(-500)
    assert judge(before, after).moves[0].judgement is None
    assert judge(before, after).moves[0].accuracy < 30


def test_centipawns_lost() -> None:
    game = judge(cp(50), cp(20), cp(120), cp(150), cp(3000), chances="fitted")
    assert game.centipawn_losses == ((30 + 0) / 2, (100 + 850) / 2)


def test_own_chances_judge_by_the_same_thresholds() -> None:
    game = judge(cp(0), mate(-9), chances="fitted")
    assert game.moves[0].judgement is BLUNDER
    won = judge(mate(9), cp(1200), chances="fitted")  # still as good as won
    assert won.moves[0].judgement is None
