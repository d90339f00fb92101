"""The figures against closed forms, and against players whose strength is known."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import numpy as np
import pytest

from uci_engine.arena.ratings import fit_ratings
from uci_engine.arena.sprt import Sprt, log_likelihood_ratio, parse_sprt
from uci_engine.arena.stats import (
    NORMALIZED_PER_SIGMA,
    Moments,
    Tally,
    elo_estimate,
    elo_of_score,
    likelihood_of_superiority,
    normalized_elo,
    score_of_elo,
)

pytestmark = pytest.mark.release_only


@pytest.mark.parametrize(
    ("score", "elo"),
    [(0.5, 0), (0.75, 190.8485), (10 / 11, 400), (0.64, 99.9510), (1 / 11, -400)],
)
def test_elo_of_a_score(score: float, elo: float) -> None:
    assert elo_of_score(score) == pytest.approx(elo, abs=1e-3)
    assert score_of_elo(elo) == pytest.approx(score, abs=1e-5)


def test_elo_has_no_bound() -> None:
    assert elo_of_score(0) == -math.inf
    assert elo_of_score(1) == math.inf


def test_trinomial_error_in_closed_form() -> None:
    """W, D, L = 30, 40, 30: variance 0.25 - 0.4/4 = 0.15, standard error sqrt(0.15/100)."""
    moments = Moments.of([30, 40, 30])
    assert moments.variance == pytest.approx(0.15)
    spread = 1.959964 * math.sqrt(0.0015)
    estimate = elo_estimate(moments)
    assert estimate.value == pytest.approx(0)
    assert estimate.high == pytest.approx(400 * math.log10((0.5 + spread) / (0.5 - spread)))
    assert estimate.error == pytest.approx(estimate.high)


def test_pairs_in_closed_form() -> None:
    """Pairs that bring 1/2 or 3/4 with equal chances: mean 5/8, variance 1/64 per pair."""
    moments = Moments.of([0, 0, 50, 50, 0])
    assert (moments.mean, moments.variance) == (0.625, 1 / 64)
    # Two games a pair: a game of its own would vary by 1/32.
    assert normalized_elo(moments).value == pytest.approx(
        800 / math.log(10) * 0.125 / math.sqrt(1 / 32)
    )
    assert normalized_elo(moments).error == pytest.approx(
        NORMALIZED_PER_SIGMA * 1.959964 / math.sqrt(200), rel=1e-6
    )
    assert likelihood_of_superiority(moments) == pytest.approx(1)


def test_superiority_by_symmetry() -> None:
    ahead, behind = Moments.of([20, 50, 30]), Moments.of([30, 50, 20])
    # One of z = 0.05 / sqrt(0.1225/100...) standard errors: the normal distribution at that place.
    z = 0.05 / math.sqrt((0.2 * 0.55**2 + 0.5 * 0.05**2 + 0.3 * 0.45**2) / 100)
    assert likelihood_of_superiority(ahead) == pytest.approx(0.5 * (1 + math.erf(z / math.sqrt(2))))
    assert likelihood_of_superiority(ahead) + likelihood_of_superiority(behind) == pytest.approx(1)
    assert likelihood_of_superiority(Moments.of([0, 10, 0])) == 0.5
    assert likelihood_of_superiority(Moments.of([0, 0, 0])) == 0.5


def test_tally_from_both_sides() -> None:
    tally = Tally()
    for points in (1, 0.5, 0, 0.5):
        tally.add_game(points)
    tally.add_pair(1.5)
    tally.add_pair(0.5)
    assert (tally.wins, tally.draws, tally.losses) == (1, 2, 1)
    assert tally.pairs == [0, 1, 0, 1, 0]
    other = Tally(2, 0, 0, [0, 0, 0, 0, 1])
    assert (tally + other).trinomial == [1, 2, 3]
    assert other.reversed() == Tally(0, 0, 2, [1, 0, 0, 0, 0])


# The SPRT


def by_search(counts: Sequence[int], elo: float, normalized: bool) -> float:
    """The largest log-likelihood of a hypothesis for three outcomes, by trying out all draw
    ratios: with the mean fixed, one parameter is left."""
    draws = np.linspace(1e-6, 1 - 1e-6, 1_000_001)
    if normalized:
        # With m the mean above 1/2, the second moment about 1/2 is (1 - draws) / 4:
        # m = t * sqrt((1 - draws) / 4 - m * m)
        t = elo / NORMALIZED_PER_SIGMA
        mean = t * np.sqrt((1 - draws) / 4 / (1 + t * t))
    else:
        mean = np.full_like(draws, score_of_elo(elo) - 0.5)
    wins, losses = (1 - draws) / 2 + mean, (1 - draws) / 2 - mean
    possible = (wins > 0) & (losses > 0)
    chances = (losses[possible], draws[possible], wins[possible])
    return float(sum(n * np.log(p) for n, p in zip(counts, chances, strict=True)).max())


@pytest.mark.parametrize("model", ["logistic", "normalized"])
@pytest.mark.parametrize("counts", [[40, 100, 60], [300, 500, 290], [10, 5, 30]])
def test_likelihood_ratio_by_another_way(model: str, counts: list[int]) -> None:
    elo0, elo1 = -5.0, 20.0
    expected = by_search(counts, elo1, model == "normalized")
    expected -= by_search(counts, elo0, model == "normalized")
    assert log_likelihood_ratio(counts, elo0, elo1, model) == pytest.approx(expected, abs=1e-5)


def test_likelihood_ratio_is_near_the_normal_one_for_small_differences() -> None:
    """For many pairs: LLR = (s1 - s0) * (2*mean - s0 - s1) / (2 * variance / count)."""
    counts = [100, 800, 2300, 900, 130]
    moments = Moments.of(counts)
    s0, s1 = score_of_elo(0), score_of_elo(3)
    expected = (s1 - s0) * (2 * moments.mean - s0 - s1) / (2 * moments.variance / moments.count)
    assert log_likelihood_ratio(counts, 0, 3, "logistic") == pytest.approx(expected, rel=0.01)


def test_ratio_turns_with_the_hypotheses_and_the_players() -> None:
    counts = [5, 20, 50, 30, 9]
    for model in ("logistic", "normalized"):
        forth = log_likelihood_ratio(counts, 2, 9, model)
        assert log_likelihood_ratio(counts, 9, 2, model) == pytest.approx(-forth)
        assert log_likelihood_ratio(counts[::-1], -2, -9, model) == pytest.approx(forth)
        assert log_likelihood_ratio([0] * 5, 0, 5, model) == 0


def test_bounds() -> None:
    sprt = Sprt(0, 5, 0.05, 0.1)
    assert sprt.lower == pytest.approx(math.log(0.1 / 0.95))
    assert sprt.upper == pytest.approx(math.log(0.9 / 0.05))
    assert [sprt.decision(llr) for llr in (-5, 0, 5)] == ["H0", "", "H1"]


@pytest.mark.parametrize(
    "settings",
    [
        ["elo0=0"],
        ["elo0=5", "elo1=0"],
        ["elo0=0", "elo1=x"],
        ["elo0=0", "elo1=nan"],
        ["elo0=0", "elo1=5", "alpha=0.6"],
        ["elo0=0", "elo1=5", "model=x"],
        ["elo0=0", "elo1=5", "y=1"],
    ],
)
def test_bad_sprt_settings(settings: list[str]) -> None:
    with pytest.raises(ValueError, match=r"(?i)sprt"):
        parse_sprt(settings)


def pair_chances(elo: float, draws: float, bias: float) -> list[float]:
    """Of the five results of a pair, for a player that is stronger by so much. `bias` is what an
    unbalanced opening gives to White in both games: it makes them depend on each other."""
    chances = np.zeros(5)
    for shift in (bias, -bias):
        first = outcome(score_of_elo(elo + shift), draws)
        second = outcome(score_of_elo(elo - shift), draws)
        chances += np.convolve(first, second) / 2
    return list(chances)


def outcome(score: float, draws: float) -> list[float]:
    draws = min(draws, 2 * min(score, 1 - score))
    return [1 - score - draws / 2, draws, score - draws / 2]


def true_elo(chances: Sequence[float]) -> float:
    return elo_of_score(sum(c * v / 4 for v, c in enumerate(chances)))


def true_normalized(chances: Sequence[float]) -> float:
    return normalized_elo(Moments.of(chances)).value


def run_sprt(sprt: Sprt, chances: Sequence[float], chance: random.Random) -> str:
    """The decision of one simulated match, asked after every eighth pair."""
    tally = Tally()
    decision = ""
    while not decision:
        for result in chance.choices(range(5), chances, k=8):
            tally.pairs[result] += 1
        decision = sprt.decision(sprt.llr(tally))
    return decision


@pytest.mark.parametrize(("model", "matches"), [("logistic", 3000), ("normalized", 1000)])
def test_error_rates_of_the_sprt(model: str, matches: int) -> None:
    """With the truth at either hypothesis, the wrong decision is rare enough."""
    chance = random.Random(4)
    at_h0, at_h1 = pair_chances(0, 0.4, 60), pair_chances(70, 0.4, 60)
    measure = true_elo if model == "logistic" else true_normalized
    sprt = Sprt(measure(at_h0), measure(at_h1), 0.05, 0.05, model)
    slack = 3 * math.sqrt(0.05 * 0.95 / matches)
    for chances, wrong in ((at_h0, "H1"), (at_h1, "H0")):
        errors = sum(run_sprt(sprt, chances, chance) == wrong for _ in range(matches))
        assert errors / matches <= 0.05 + slack


def test_error_bars_cover_the_truth() -> None:
    """Ninety-five times of a hundred, for pairs that depend on each other."""
    generator = np.random.default_rng(5)
    for elo in (0.0, 40.0, 150.0):
        chances = pair_chances(elo, 0.35, 80)
        truth = true_elo(chances)
        matches = 4000
        counts = generator.multinomial(150, chances, size=matches)
        estimates = [elo_estimate(Moments.of([int(n) for n in row])) for row in counts]
        covered = sum(estimate.low <= truth <= estimate.high for estimate in estimates) / matches
        assert 0.935 <= covered <= 0.965, (elo, covered)


def test_pairs_matter() -> None:
    """Openings that favour one side make pairs vary less than games: counting games alone would
    give error bars that are too wide."""
    chances = pair_chances(0, 0.3, 200)
    generator = np.random.default_rng(6)
    counts = generator.multinomial(100, chances, size=2000)
    means = counts @ np.array([0, 0.25, 0.5, 0.75, 1]) / 100
    claimed = Moments.of([float(c) for c in chances]).variance / 100
    assert float(np.var(means)) == pytest.approx(claimed, rel=0.1)


# Ratings of several players


def simulate(
    ratings: Sequence[float],
    advantage: float,
    drawishness: float,
    games: int,
    generator: np.random.Generator,
) -> dict[tuple[int, int], Tally]:
    """Every player against every other with either colour, by the model of ratings.py."""
    results = {}
    for white in range(len(ratings)):
        for black in range(len(ratings)):
            if white != black:
                x = (ratings[white] - ratings[black] + advantage) / 2
                weights = np.exp([x, drawishness, -x])
                wins, draws, losses = generator.multinomial(games, weights / weights.sum())
                results[white, black] = Tally(int(wins), int(draws), int(losses))
    return results


def test_ratings_of_two_players_agree_with_their_elo() -> None:
    results = {(0, 1): Tally(30, 50, 20), (1, 0): Tally(25, 50, 25)}
    fit = fit_ratings(results, 2)
    total = results[0, 1] + results[1, 0].reversed()
    difference = fit.ratings[0].elo - fit.ratings[1].elo
    assert difference == pytest.approx(elo_of_score(total.score), abs=0.5)
    assert fit.ratings[0].error * 2 == pytest.approx(
        elo_estimate(Moments.of(total.trinomial)).error, rel=0.05
    )
    assert fit.draw_chance == pytest.approx(0.5, abs=0.01)


def test_ratings_cover_the_truth() -> None:
    generator = np.random.default_rng(7)
    truth = np.array([0.9, 0.4, 0.0, -0.3, -1.0])
    drawishness, tournaments = 0.3, 250
    scale = 400 / math.log(10) * 2 / (2 + math.exp(drawishness))
    expected = (truth - truth.mean()) * scale
    covered, sums = 0, np.zeros(5)
    for _ in range(tournaments):
        fit = fit_ratings(simulate(truth, 0.2, drawishness, 40, generator), 5)
        for rating in fit.ratings:
            covered += abs(rating.elo - expected[rating.player]) <= rating.error
            sums[rating.player] += rating.elo
    assert 0.93 <= covered / (5 * tournaments) <= 0.97
    assert sums / tournaments == pytest.approx(expected, abs=3)


def test_ratings_stay_finite() -> None:
    """Without a loss, without a game, without a connection."""
    perfect = fit_ratings({(0, 1): Tally(10, 0, 0), (1, 0): Tally(0, 0, 10)}, 2)
    assert [rating.player for rating in perfect.ratings] == [0, 1]
    assert perfect.ratings[0].elo < 2000
    assert [rating.elo for rating in fit_ratings({}, 3).ratings] == [0, 0, 0]
    apart = fit_ratings({(0, 1): Tally(3, 2, 1), (2, 3): Tally(1, 2, 3)}, 4)
    assert all(math.isfinite(rating.error) for rating in apart.ratings)
