"""Stated probabilities, deferring the unsure, and how long runs take."""

from __future__ import annotations

from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from company_lab.evaluation.statistics import (
    BadCounts,
    calibration,
    failure_bound,
    latency_quantile,
    quantile,
    quantile_ranks,
    risk_coverage,
    runs_needed_for_quantile,
)

times = st.lists(st.floats(0.001, 1000), min_size=1, max_size=40)
predictions = st.lists(
    st.tuples(st.sampled_from([0.0, 0.2, 0.5, 0.7, 0.9, 1.0]), st.booleans()), min_size=1, max_size=30
)


@given(predictions)
def test_every_prediction_is_in_one_bin_and_scores_stay_in_range(pairs: list[tuple[float, bool]]) -> None:
    found = calibration([p for p, _ in pairs], [y for _, y in pairs])
    assert sum(row.n for row in found.bins) == found.n == len(pairs)
    assert 0 <= found.ece <= 1
    assert 0 <= found.brier <= 1
    for row in found.bins:
        assert row.low <= row.stated <= row.high
        assert row.interval[0] <= row.came_true <= row.interval[1]
    wrong = any((p == 0 and y) or (p == 1 and not y) for p, y in pairs)
    assert (found.log_loss is None) == wrong
    assert (found.skill is None) == (found.base_rate in (0, 1))


def test_a_calibration_says_how_many_bins_it_took() -> None:
    assert "ECE 0.100 with 5 equal bins, n 2" in str(calibration([0.1, 0.9], [0, 1], bins=5))
    assert "skill undefined" in str(calibration([1.0], [0]))
    assert "without end" in str(calibration([1.0], [0]))


@pytest.mark.parametrize(
    ("p", "y"),
    [([1.2], [1]), ([0.5], [2]), ([0.5], [1.0]), ([0.5], []), ([], []), ([True], [1]), ([float("nan")], [0])],
)
def test_what_can_not_be_compared_is_refused(p: Any, y: Any) -> None:
    with pytest.raises(BadCounts):
        calibration(p, y)


def test_equal_confidences_are_accepted_together() -> None:
    found = risk_coverage([0.9, 0.9, 0.5, 0.9], [0, 1, 1, 0])
    assert [(point.accepted, point.errors) for point in found.curve] == [(3, 1), (4, 2)]
    assert found.largest_coverage(0.4) == 0.75
    assert found.largest_coverage(0.1) == 0.0
    assert found.aurc == pytest.approx((3 * (1 / 3) + 0.5) / 4)


def test_certified_coverage_pays_for_having_chosen() -> None:
    found = risk_coverage([1 - i / 400 for i in range(400)], [i >= 300 and i % 2 for i in range(400)])
    figure = found.certified(0.05)
    assert figure.value is not None
    assert figure.value <= found.largest_coverage(0.05)
    point = next(point for point in found.curve if point.coverage == figure.value)
    assert failure_bound(failures=point.errors, runs=point.accepted, confidence=1 - 0.05 / 20) <= 0.05
    assert "error rate at most 5 % at 95 %" in str(figure)
    assert "no coverage of 20 tried" in str(risk_coverage([0.5, 0.4], [0, 0]).certified(0.05))


@pytest.mark.parametrize(("sure", "wrong"), [([], []), ([0.5], [0, 1]), ([float("nan")], [0]), ([0.5], [3])])
def test_what_is_no_decision_is_refused(sure: Any, wrong: Any) -> None:
    with pytest.raises(BadCounts):
        risk_coverage(sure, wrong)


@given(times, st.sampled_from([0.1, 0.5, 0.9, 0.95, 0.99, 1.0, 0.0]))
def test_quantiles_are_what_numpy_says(seconds: list[float], q: float) -> None:
    for definition in ("inverted_cdf", "linear", "median_unbiased"):
        expected = numpy.quantile(seconds, q, method=definition)
        assert quantile(seconds, q, definition=definition) == pytest.approx(expected)


@given(st.integers(1, 150), st.sampled_from([0.05, 0.5, 0.9, 0.95]), st.sampled_from([0.8, 0.95]))
def test_ranks_are_the_tightest_that_hold(n: int, q: float, confidence: float) -> None:
    tail = (1 - confidence) / 2
    low, high = quantile_ranks(runs=n, q=q, confidence=confidence)
    lower = [r for r in range(1, n + 1) if binom.cdf(r - 1, n, q) <= tail]
    upper = [s for s in range(1, n + 1) if binom.sf(s - 1, n, q) <= tail]
    assert low == (max(lower) if lower else None)
    assert high == (min(upper) if upper else None)


def test_so_many_runs_until_the_slowest_bounds_a_quantile() -> None:
    assert runs_needed_for_quantile(q=0.95) == 59
    assert runs_needed_for_quantile(q=0.95, sides=2) == 72
    assert quantile_ranks(runs=72, q=0.95).high == 72
    assert quantile_ranks(runs=71, q=0.95).high is None
    with pytest.raises(BadCounts):
        runs_needed_for_quantile(q=0.95, sides=3)  # type: ignore[arg-type]


def test_a_timeout_counts_as_longer_and_is_not_dropped() -> None:
    done = [float(i) for i in range(1, 18)]
    dropped, kept = latency_quantile(done, q=0.9), latency_quantile(done, q=0.9, timeouts=[30.0] * 3)
    assert dropped.value == 16.0
    assert (kept.value, kept.high) == (None, None)
    assert "the quantile is at least 30 s" in str(kept)
    assert "3 of 20 runs were cut off" in str(kept)
    median = latency_quantile(done, q=0.5, timeouts=[30.0] * 3)
    assert (median.value, median.low, median.high) == (10.0, 6.0, 15.0)


def test_a_timeout_before_the_slowest_run_leaves_the_quantile_open() -> None:
    figure = latency_quantile([1.0, 5.0, 9.0], q=0.5, timeouts=[2.0])
    assert figure.value is None
    assert "at least 2 s" in str(figure)
    assert latency_quantile(
        [1.0, 2.0, 3.0], q=0.34, timeouts=[9.0], definition="linear"
    ).value == pytest.approx(2.02)
    assert latency_quantile([1.0, 2.0], q=0.7, timeouts=[9.0], definition="linear").value is None


def test_runs_without_a_time_leave_no_value() -> None:
    figure = latency_quantile([1.0, 2.0], q=0.5, planned=4)
    assert (figure.value, figure.n, figure.N) == (None, 2, 4)
    assert "2 of 4 runs have no time" in str(figure)
    assert "undefined (no run has a time)" in str(latency_quantile([], q=0.5))


@pytest.mark.fault("A01")
def test_the_interval_holds_whatever_the_runs_without_a_time_took() -> None:
    known = latency_quantile([float(i) for i in range(1, 31)], q=0.5)
    assert (known.low, known.high) == (10.0, 21.0)
    times, missing = [float(i) for i in range(6, 36)], 10
    figure = latency_quantile(times, q=0.5, planned=40)
    fastest = latency_quantile([*[0.0] * missing, *times], q=0.5)
    slowest = latency_quantile([*times, *[99.0] * missing], q=0.5)
    assert (figure.value, figure.low, figure.high) == (None, fastest.low, slowest.high)
    assert latency_quantile([1.0] * 30, q=0.5, planned=90).high is None
    assert latency_quantile([1.0] * 30, q=0.5, planned=90).low is None


def test_too_few_runs_have_no_upper_end() -> None:
    assert "an upper bound needs 72 runs" in str(latency_quantile([1.0] * 59, q=0.95))


@pytest.mark.parametrize("q", [0.0, 1.0, 2, float("nan")])
def test_a_quantile_outside_the_sample_is_refused(q: float) -> None:
    with pytest.raises(BadCounts):
        latency_quantile([1.0], q=q)
    with pytest.raises(BadCounts):
        quantile([1.0], 0.5, definition="nearest")  # type: ignore[arg-type]
