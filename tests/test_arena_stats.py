"""The figures against closed forms, and against players whose strength is known."""

from __future__ import annotations

import functools
import math
import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from uci_engine.arena.results.ratings import fit_ratings
from uci_engine.arena.results.sprt import Sprt, log_likelihood_ratio, parse_sprt
from uci_engine.arena.results.stats import (
    NORMALIZED_PER_SIGMA,
    Tally,
    elo_of_score,
    figures_of,
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


# The bound of a share that nothing but itself and half an opposite result speak for: that of the
# distribution Beta(1, 1/2), whose distribution function is 1 - sqrt(1 - x).
FIRST_BOUND = 1 - 0.975**2


@pytest.mark.parametrize(
    ("counts", "low", "high"),
    [
        ([0, 0, 1], FIRST_BOUND, 1),
        ([1, 0, 0], 0, 1 - FIRST_BOUND),
        ([0, 1, 0], FIRST_BOUND / 2, 1 - FIRST_BOUND / 2),
        ([0, 0, 0, 0, 1], FIRST_BOUND, 1),
        ([0, 0, 0, 1, 0], 0.75 * FIRST_BOUND, 1 - 0.25 * FIRST_BOUND),
        ([0, 0, 0], 0, 1),
    ],
)
def test_interval_of_one_result_in_closed_form(counts: list[int], low: float, high: float) -> None:
    elo = figures_of(tuple(counts)).elo
    assert score_of_elo(elo.low) == pytest.approx(low, abs=1e-6)
    assert score_of_elo(elo.high) == pytest.approx(high, abs=1e-6)


@pytest.mark.parametrize(
    "counts", [[0, 1, 2], [3, 5, 1], [0, 0, 2, 1, 1], [1, 4, 9, 7, 0], [9, 70, 200, 80, 12]]
)
def test_interval_and_superiority_by_drawing_shares(counts: list[int]) -> None:
    """Dirichlet distributions drawn by numpy."""
    generator = np.random.default_rng(3)
    points = np.linspace(0, 1, len(counts))

    def draw(first: float, last: float) -> np.ndarray:
        shapes = np.array(counts, float)
        shapes[[0, -1]] += first, last
        drawn = generator.gamma(shapes, size=(200_000, len(counts)))
        means: np.ndarray = drawn @ points / drawn.sum(axis=1)
        return means

    figures = figures_of(tuple(counts))
    width = score_of_elo(figures.elo.high) - score_of_elo(figures.elo.low)
    for bound, means, chance in (
        (figures.elo.low, draw(0.5, 0), 0.025),
        (figures.elo.high, draw(0, 0.5), 0.975),
    ):
        assert score_of_elo(bound) == pytest.approx(np.quantile(means, chance), abs=0.01 * width)
    assert figures.superiority == pytest.approx((draw(0.5, 0.5) > 0.5).mean(), abs=0.005)


def test_many_results_by_the_normal_distribution() -> None:
    """W, D, L = 30, 40, 30 of a hundred: variance 0.25 - 0.4/4 = 0.15 a game."""
    games = 100_000
    figures = figures_of((3 * games // 10, 4 * games // 10, 3 * games // 10))
    spread = 1.959964 * math.sqrt(0.15 / games)
    expected = 400 * math.log10((0.5 + spread) / (0.5 - spread))
    assert figures.elo.value == pytest.approx(0)
    assert figures.elo.high == pytest.approx(expected, rel=0.005)
    assert figures.elo.low == pytest.approx(-expected, rel=0.005)
    normalized = NORMALIZED_PER_SIGMA * 1.959964 / math.sqrt(games)
    assert figures.normalized.high == pytest.approx(normalized, rel=0.005)
    ahead = figures_of((29_900, 40_000, 30_100))
    z = 0.001 / math.sqrt(0.15 / games)
    assert ahead.superiority == pytest.approx(0.5 * (1 + math.erf(z / math.sqrt(2))), abs=0.001)


def test_pairs_in_closed_form() -> None:
    """Pairs that bring 1/2 or 3/4 with equal chances: mean 5/8, variance 1/64 per pair."""
    figures = figures_of((0, 0, 50, 50, 0))
    # Two games a pair: a game of its own would vary by 1/32.
    assert figures.normalized.value == pytest.approx(800 / math.log(10) * 0.125 / math.sqrt(1 / 32))
    assert figures.elo.value == pytest.approx(elo_of_score(0.625))
    assert figures.superiority == pytest.approx(1, abs=1e-6)


def test_superiority_in_closed_form() -> None:
    """After one win: the chance of more than 1/2 under Beta(3/2, 1/2)."""
    assert figures_of((0, 0, 1)).superiority == pytest.approx(0.5 + 1 / math.pi)
    assert figures_of((0, 0, 0, 0, 1)).superiority == pytest.approx(0.5 + 1 / math.pi)


@pytest.mark.parametrize("counts", [(0, 0, 1), (3, 1, 7), (0, 0, 0, 2, 1), (5, 20, 50, 30, 9)])
def test_figures_turn_with_the_players(counts: tuple[int, ...]) -> None:
    ours, theirs = figures_of(counts), figures_of(counts[::-1])
    assert ours.superiority + theirs.superiority == pytest.approx(1)
    for one, other in ((ours.elo, theirs.elo), (ours.normalized, theirs.normalized)):
        assert (one.value, one.low, one.high) == pytest.approx(
            (-other.value, -other.high, -other.low)
        )


@settings(max_examples=150)
@given(st.lists(st.integers(0, 40), min_size=5, max_size=5).filter(any))
def test_figures_are_in_order(counts: list[int]) -> None:
    figures = figures_of(tuple(counts))
    for estimate in (figures.elo, figures.normalized):
        assert estimate.low <= estimate.value <= estimate.high
        assert estimate.low < estimate.high
    assert 0 <= figures.superiority <= 1
    # One more pair that was won speaks for the winner.
    better = figures_of((*counts[:4], counts[4] + 1))
    assert better.elo.low > figures.elo.low
    assert better.superiority > figures.superiority - 1e-9


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
    return float(np.max(sum(n * np.log(p) for n, p in zip(counts, chances, strict=True))))


@pytest.mark.parametrize("model", ["logistic", "normalized"])
@pytest.mark.parametrize("counts", [[40, 100, 60], [300, 500, 290], [10, 5, 30]])
def test_likelihood_ratio_by_another_way(model: str, counts: list[int]) -> None:
    elo0, elo1 = -5.0, 20.0
    expected = by_search(counts, elo1, model == "normalized")
    expected -= by_search(counts, elo0, model == "normalized")
    assert log_likelihood_ratio(counts, elo0, elo1, model) == pytest.approx(expected, abs=1e-5)


def test_likelihood_ratio_is_near_the_normal_one_for_small_differences() -> None:
    """For many pairs: LLR = (s1 - s0) * (2*mean - s0 - s1) / (2 * variance / count)."""
    counts = np.array([100, 800, 2300, 900, 130])
    points = np.linspace(0, 1, 5)
    mean = counts @ points / counts.sum()
    variance = counts @ (points - mean) ** 2 / counts.sum()
    s0, s1 = score_of_elo(0), score_of_elo(3)
    expected = (s1 - s0) * (2 * mean - s0 - s1) / (2 * variance / counts.sum())
    assert log_likelihood_ratio(counts.tolist(), 0, 3, "logistic") == pytest.approx(
        expected, rel=0.01
    )


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
    """The mean above 1/2 in standard deviations of a game: a pair has two."""
    points = np.linspace(0, 1, 5)
    mean = float(points @ chances)
    variance = float((points - mean) ** 2 @ chances)
    return NORMALIZED_PER_SIGMA * (mean - 0.5) / math.sqrt(2 * variance)


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


# Truths that matches may have: close, apart, one-sided; lively and drawish; with openings that
# make the games of a pair depend on each other.
TRUTHS = [
    pair_chances(elo, draws, bias)
    for elo in (0, 60, 200, 600)
    for draws in (0.1, 0.5, 0.9)
    for bias in (0, 80)
]


@pytest.mark.parametrize("games", [2, 4, 10, 20, 100])
def test_intervals_cover_the_truth_at_any_number_of_games(games: int) -> None:
    """In at least 95 of 100 matches, whatever the truth is; and with the truth in the middle of all
    these not in all of them, since then they would say less than they could."""
    generator = np.random.default_rng(games)
    matches = 2000 if games <= 10 else 250
    slack = 3 * math.sqrt(0.05 * 0.95 / matches)
    figures_once = functools.cache(figures_of)
    covered = []
    for chances in TRUTHS:
        elo, normalized, hits = true_elo(chances), true_normalized(chances), np.zeros(2)
        for row in generator.multinomial(games // 2, chances, size=matches):
            figures = figures_once(tuple(int(n) for n in row))
            hits += (
                figures.elo.low <= elo <= figures.elo.high,
                figures.normalized.low <= normalized <= figures.normalized.high,
            )
        covered.append(hits / matches)
    # Normalised Elo divides by a spread that is itself estimated, so it is held to a little less.
    assert np.min([elo for elo, _ in covered]) >= 0.945 - slack
    assert np.min([normalized for _, normalized in covered]) >= 0.93 - slack
    if games == 100:
        assert np.mean(covered, axis=0) == pytest.approx([0.965, 0.965], abs=0.015)


def test_error_bars_cover_the_truth() -> None:
    """Ninety-five times of a hundred, for pairs that depend on each other."""
    generator = np.random.default_rng(5)
    for elo in (0.0, 40.0, 150.0):
        chances = pair_chances(elo, 0.35, 80)
        truth = true_elo(chances)
        matches = 2000  # three standard deviations are 0.015
        counts = generator.multinomial(150, chances, size=matches)
        estimates = [figures_of(tuple(int(n) for n in row)).elo for row in counts]
        covered = sum(estimate.low <= truth <= estimate.high for estimate in estimates) / matches
        assert 0.935 <= covered <= 0.965, (elo, covered)


def test_pairs_matter() -> None:
    """Openings that favour one side make pairs vary less than games: counting games alone would
    give error bars that are too wide."""
    chances = pair_chances(0, 0.3, 200)
    generator = np.random.default_rng(6)
    counts = generator.multinomial(100, chances, size=2000)
    means = counts @ np.array([0, 0.25, 0.5, 0.75, 1]) / 100
    bars = [figures_of(tuple(int(n) for n in row)).elo for row in counts[:200]]
    width = np.mean([score_of_elo(elo.high) - score_of_elo(elo.low) for elo in bars])
    assert float(np.std(means)) == pytest.approx(width / 2 / 1.96, rel=0.15)


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
    elo = figures_of(tuple(total.trinomial)).elo
    assert fit.ratings[0].error * 2 == pytest.approx((elo.high - elo.low) / 2, rel=0.05)
    assert fit.draw_chance == pytest.approx(0.5, abs=0.01)


def test_ratings_cover_the_truth() -> None:
    generator = np.random.default_rng(7)
    truth = np.array([0.9, 0.4, 0.0, -0.3, -1.0])
    drawishness, tournaments = 0.3, 250
    scale = 400 / math.log(10) * 2 / (2 + math.exp(drawishness))
    expected = (truth - truth.mean()) * scale
    covered, sums = 0, np.zeros(5)
    for _ in range(tournaments):
        fit = fit_ratings(simulate(truth.tolist(), 0.2, drawishness, 40, generator), 5)
        for rating in fit.ratings:
            covered += abs(rating.elo - expected[rating.player]) <= rating.error
            sums[rating.player] += rating.elo
    assert 0.93 <= covered / (5 * tournaments) <= 0.97
    assert sums / tournaments == pytest.approx(expected, abs=3)


@pytest.mark.parametrize("games", [1, 5])
def test_ratings_of_few_games_cover_the_truth(games: int) -> None:
    """So many with either colour: then the prior belief must leave room enough."""
    generator = np.random.default_rng(games)
    drawishness, tournaments = 0.5, 60
    scale = 400 / math.log(10) * 2 / (2 + math.exp(drawishness))
    for difference in (0.0, 1.5, 4.0):
        covered = 0
        for _ in range(tournaments):
            results = simulate(
                (difference / 2, -difference / 2), 0.0, drawishness, games, generator
            )
            first = next(r for r in fit_ratings(results, 2).ratings if r.player == 0)
            covered += abs(first.elo - difference / 2 * scale) <= first.error
        assert covered / tournaments >= 0.95 - 3 * math.sqrt(0.05 * 0.95 / tournaments)


def test_ratings_stay_finite() -> None:
    """Without a loss, without a game, without a connection."""
    perfect = fit_ratings({(0, 1): Tally(10, 0, 0), (1, 0): Tally(0, 0, 10)}, 2)
    assert [rating.player for rating in perfect.ratings] == [0, 1]
    assert perfect.ratings[0].elo < 2000
    assert [rating.elo for rating in fit_ratings({}, 3).ratings] == [0, 0, 0]
    apart = fit_ratings({(0, 1): Tally(3, 2, 1), (2, 3): Tally(1, 2, 3)}, 4)
    assert all(math.isfinite(rating.error) for rating in apart.ratings)
