"""Intervals and bounds of one rate, against other libraries and against their definition."""

from __future__ import annotations

import time
from fractions import Fraction
from math import comb, fsum

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, binomtest

from company_lab.evaluation.statistics import (
    BadCounts,
    clopper_pearson,
    exact_coverage,
    expected_pass_k,
    failure_bound,
    jeffreys,
    mean_pass_k,
    outcome_bounds,
    pass_k_interval,
    posterior,
    probability_better,
    runs_needed,
    success_rate,
    zero_failures_by_scenario,
)

counts = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
levels = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99, 0.999])


def at_most(x: int, n: int, rate: float) -> float:
    return fsum(comb(n, i) * rate**i * (1 - rate) ** (n - i) for i in range(x + 1))


@given(counts, levels)
def test_clopper_pearson_is_what_scipy_says(case: tuple[int, int], confidence: float) -> None:
    c, n = case
    expected = binomtest(c, n).proportion_ci(confidence, method="exact")
    found = clopper_pearson(successes=c, trials=n, confidence=confidence)
    assert found == pytest.approx((expected.low, expected.high), rel=1e-7, abs=1e-12)


@given(counts, levels)
def test_intervals_hold_the_rate_and_mirror_each_other(case: tuple[int, int], confidence: float) -> None:
    c, n = case
    for interval in (clopper_pearson, jeffreys):
        low, high = interval(successes=c, trials=n, confidence=confidence)
        assert 0 <= low <= c / n <= high <= 1
        mirrored = interval(successes=n - c, trials=n, confidence=confidence)
        assert (1 - high, 1 - low) == pytest.approx(mirrored, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("n", [1, 5, 10, 50])
@pytest.mark.parametrize("rate", [0.01, 0.1, 0.5, 0.9, 0.95])
def test_the_exact_interval_never_covers_less_than_it_says(n: int, rate: float) -> None:
    assert exact_coverage(clopper_pearson, trials=n, rate=rate) >= 0.95


def test_the_exact_interval_usually_covers_more() -> None:
    rates = [i / 200 for i in range(1, 200)]
    for n, mean in ((5, 0.990), (20, 0.977)):
        found = [exact_coverage(clopper_pearson, trials=n, rate=rate) for rate in rates]
        assert sum(found) / len(found) == pytest.approx(mean, abs=0.001)


@given(counts, levels)
def test_the_bound_is_the_rate_at_which_so_few_failures_are_just_improbable(
    case: tuple[int, int], confidence: float
) -> None:
    x, n = case
    bound = failure_bound(failures=x, runs=n, confidence=confidence)
    if x == n:
        assert bound == 1.0
    else:
        assert at_most(x, n, bound) == pytest.approx(1 - confidence, rel=1e-6)


@pytest.mark.parametrize("rates", [[0.0, 0.2], [0.05] * 4, [0.0, 0.0, 0.0, 0.6], [0.3, 0.01, 0.1]])
@pytest.mark.parametrize("runs_each", [3, 15])
def test_the_bound_holds_on_average_over_scenarios_that_differ(rates: list[float], runs_each: int) -> None:
    chances = [1.0]
    for rate in [rate for rate in rates for _ in range(runs_each)]:
        chances = [
            (chances[x] if x < len(chances) else 0.0) * (1 - rate) + (chances[x - 1] * rate if x else 0.0)
            for x in range(len(chances) + 1)
        ]
    runs, mean = len(rates) * runs_each, sum(rates) / len(rates)
    holds = fsum(chance for x, chance in enumerate(chances) if failure_bound(failures=x, runs=runs) >= mean)
    assert holds >= 0.95


@given(st.sampled_from(["0.5", "0.2", "0.1", "0.05", "0.03"]), st.integers(0, 3), levels)
@settings(max_examples=40, deadline=None)
def test_runs_needed_is_the_first_number_that_is_enough(rate: str, allowed: int, confidence: float) -> None:
    p, alpha = Fraction(rate), 1 - Fraction(str(confidence))

    def enough(n: int) -> bool:
        return sum(comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(allowed + 1)) <= alpha

    found = runs_needed(rate=float(rate), confidence=confidence, allowed=allowed)
    assert enough(found)
    assert found == allowed + 1 or not enough(found - 1)


def test_the_table_of_runs_needed() -> None:
    table = {0.1: (22, 29, 44), 0.05: (45, 59, 90), 0.02: (114, 149, 228), 0.01: (230, 299, 459)}
    table |= {0.005: (460, 598, 919), 0.001: (2302, 2995, 4603)}
    for rate, runs in table.items():
        assert tuple(runs_needed(rate=rate, confidence=level) for level in (0.9, 0.95, 0.99)) == runs
    assert [runs_needed(rate=0.05, allowed=allowed) for allowed in (1, 2)] == [93, 124]
    assert [runs_needed(rate=0.01, allowed=allowed) for allowed in (1, 2)] == [473, 628]
    assert runs_needed(rate=0.005, allowed=1) == 947


@pytest.mark.parametrize("rate", [0, 1, -0.1, 1e-12, float("nan"), True, "0.1"])
def test_a_rate_that_no_number_of_runs_shows_is_refused(rate: object) -> None:
    with pytest.raises(BadCounts):
        runs_needed(rate=rate)  # type: ignore[arg-type]


def test_a_clean_average_says_little_about_each_scenario() -> None:
    found = zero_failures_by_scenario(scenarios=20, runs_each=15)
    assert found.average < found.always_failing < found.one_named < found.every_one


def test_a_power_of_the_rate_is_too_friendly() -> None:
    found = expected_pass_k(trials=4, k=4, rate=0.8)
    assert found.unbiased == pytest.approx(found.truth)
    assert found.plug_in > 1.3 * found.truth


@pytest.mark.fault("A20")
def test_a_scenario_with_too_few_trials_is_not_left_out_of_the_mean() -> None:
    assert mean_pass_k([(4, 4), (6, 8)], 4) == pytest.approx((1 + 3 / 14) / 2)
    with pytest.raises(BadCounts, match="run at least 4 trials"):
        mean_pass_k([(4, 4), (6, 8), (3, 3)], 4)
    with pytest.raises(BadCounts):
        mean_pass_k([], 1)


def test_the_interval_of_a_power_is_the_power_of_the_interval() -> None:
    low, high = pass_k_interval(successes=7, trials=8, k=3, method="jeffreys")
    assert (low, high) == pytest.approx(tuple(end**3 for end in jeffreys(successes=7, trials=8)))
    with pytest.raises(BadCounts, match="wilson, clopper_pearson, jeffreys"):
        success_rate(successes=1, trials=2, method="wald")  # type: ignore[arg-type]


@given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 50))
def test_unknown_outcomes_widen_and_never_narrow(passed: int, failed: int, unknown: int) -> None:
    if passed + failed + unknown == 0:
        with pytest.raises(BadCounts):
            outcome_bounds(passed=0, failed=0, unknown=0)
        return
    found = outcome_bounds(passed=passed, failed=failed, unknown=unknown)
    assert found.low <= found.lowest <= found.highest <= found.high
    if found.scored_only is not None:
        assert found.lowest <= found.scored_only <= found.highest
    assert (found.figure.value is None) == (unknown > 0)
    assert (found.figure.low, found.figure.high) == (found.low, found.high)


@given(st.integers(0, 12), st.integers(0, 12))
def test_two_beliefs_about_who_is_better_add_up_to_one(a: int, b: int) -> None:
    left = probability_better(successes_a=a, trials_a=12, successes_b=b, trials_b=12)
    right = probability_better(successes_a=b, trials_a=12, successes_b=a, trials_b=12)
    assert left + right == pytest.approx(1)
    assert (left > 0.5) == (a > b) or a == b


def test_a_flat_prior_ruins_pass_k() -> None:
    assert posterior(successes=8, trials=8).mean_power(8) == pytest.approx(9 / 17)
    assert posterior(successes=0, trials=0).mean == 0.5
    with pytest.raises(BadCounts):
        posterior(successes=1, trials=0)
    with pytest.raises(BadCounts):
        posterior(successes=1, trials=2, prior=(0.0, 1.0))


def test_runs_needed_with_thousands_allowed_takes_no_time() -> None:
    began = time.process_time()
    found = runs_needed(rate=0.3, allowed=3000)
    assert (found, time.process_time() - began < 4) == (10256, True)
    assert binom.cdf(3000, found, 0.3) <= 0.05 < binom.cdf(3000, found - 1, 0.3)
