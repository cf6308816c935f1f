"""Intervals over scenarios: families together, never a width of zero, the same for the same seed."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt
from statistics import fmean, stdev
from typing import Literal

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import bootstrap, t

from company_lab.evaluation.statistics import (
    BadCounts,
    all_passed,
    bca_interval,
    clustered_error,
    grouped,
    mean_over_scenarios,
    resampled_means,
    standard_errors,
    t_interval,
    variance_split,
)

METHODS: tuple[Literal["t", "bca"], ...] = ("t", "bca")
shares = st.integers(0, 8).map(lambda c: c / 8)
rates = st.lists(shares, min_size=2, max_size=12)


def named(values: list[float]) -> dict[str, float]:
    return {f"s{i}": value for i, value in enumerate(values)}


@given(rates)
def test_without_families_the_error_is_the_usual_one(values: list[float]) -> None:
    groups = grouped(named(values))
    assert clustered_error(groups) == pytest.approx(stdev(values) / sqrt(len(values)), abs=1e-15)


@given(rates)
def test_t_is_what_scipy_says(values: list[float]) -> None:
    if stdev(values) == 0:
        return
    expected = t.interval(0.9, len(values) - 1, loc=fmean(values), scale=stdev(values) / sqrt(len(values)))
    assert t_interval(grouped(named(values)), confidence=0.9) == pytest.approx(expected)


@given(rates, st.integers(2, 4))
def test_copies_of_a_scenario_in_its_family_add_no_evidence(values: list[float], copies: int) -> None:
    copied = {f"{name}/{i}": value for name, value in named(values).items() for i in range(copies)}
    families = {name: name.split("/")[0] for name in copied}
    kept = clustered_error(grouped(copied, families))
    assert kept == pytest.approx(clustered_error(grouped(named(values))), abs=1e-15)
    if stdev(values):
        assert kept > clustered_error(grouped(copied))


def test_a_family_may_have_the_name_of_a_scenario_outside_it() -> None:
    assert grouped({"a": 1, "b": 0, "c": 0}, {"b": "a", "c": "a"}) == ((1.0,), (0.0, 0.0))


@pytest.mark.fault("A21")
@pytest.mark.parametrize("method", METHODS)
def test_where_nothing_varies_there_is_no_interval_of_width_zero(method: Literal["t", "bca"]) -> None:
    figure = mean_over_scenarios(named([1.0] * 5), method=method)
    assert (figure.value, figure.low, figure.high) == (1.0, None, None)
    assert "no interval: every scenario has the same value" in str(figure)
    assert all_passed(runs=40, k=4).low == pytest.approx(0.05 ** (4 / 40))


def test_families_that_balance_out_are_not_called_equal_scenarios() -> None:
    families = {"a": "f", "b": "f", "c": "g", "d": "g"}
    figure = mean_over_scenarios({"a": 0, "b": 1, "c": 1, "d": 0}, families=families)
    assert (figure.low, figure.reason) == (None, "no interval: every family has the same mean")


@pytest.mark.parametrize("method", METHODS)
def test_rounding_of_large_values_is_no_variation(method: Literal["t", "bca"]) -> None:
    values = [1e6 / 3, 1e6 / 3 + 1e-10, 1e6 / 3]
    assert len(set(values)) == 2
    assert mean_over_scenarios(named(values), method=method, within=None).low is None


def test_one_family_says_nothing_about_others() -> None:
    figure = mean_over_scenarios({"a": 1, "b": 0}, families={"a": "f", "b": "f"})
    assert (figure.value, figure.low) == (0.5, None)
    assert "one scenario or family" in figure.reason


def test_a_missing_scenario_leaves_no_mean() -> None:
    figure = mean_over_scenarios({"a": 1.0, "b": 0.5}, planned=3)
    assert not figure.defined
    assert (
        str(figure) == "mean over scenarios undefined (1 of 3 scenarios have no figure), n 2 of N 3 scenarios"
    )
    assert "undefined (no scenarios)" in str(mean_over_scenarios({}))


@given(rates)
@settings(max_examples=30, deadline=None)
def test_intervals_stay_within_what_a_share_can_be_and_hold_the_mean(values: list[float]) -> None:
    for method in METHODS:
        figure = mean_over_scenarios(named(values), method=method)
        if figure.low is not None and figure.high is not None and figure.value is not None:
            assert 0 <= figure.low <= figure.value <= figure.high <= 1


def test_bca_is_close_to_what_scipy_says() -> None:
    values = [1.0, 0.9, 0.2, 1.0, 0.7, 0.95, 0.4, 1.0, 0.85, 1.0, 0.6, 0.99]
    expected = bootstrap(
        (values,), numpy.mean, n_resamples=20_000, method="BCa", rng=numpy.random.default_rng(1)
    ).confidence_interval
    found = bca_interval([[value] for value in values], times=20_000)
    assert found == pytest.approx((expected.low, expected.high), abs=0.01)


def test_resampling_depends_on_the_seed_and_on_nothing_else() -> None:
    groups = [[0.1], [0.5], [0.9, 1.0]]
    assert bca_interval(groups, seed=3) == bca_interval(groups, seed=3)
    assert resampled_means(groups, times=50, seed=3) != resampled_means(groups, times=50, seed=4)
    drawn = resampled_means([[0.0], [1.0]], times=8, seed=0)
    assert drawn == [0.0, 0.5, 0.5, 0.5, 1.0, 1.0, 1.0, 1.0]


def test_resamples_take_whole_families() -> None:
    means = set(resampled_means([[0.0, 0.0, 0.0], [1.0]], times=500))
    assert means == {0.0, 0.25, 1.0}


@pytest.mark.parametrize("groups", [[], [[0.5]], [[0.5], [0.5]]])
def test_resampling_what_can_not_vary_is_refused(groups: list[list[float]]) -> None:
    with pytest.raises(BadCounts):
        bca_interval(groups)


@pytest.mark.fault("A18")
@pytest.mark.parametrize("value", [float("nan"), float("inf"), True, "1", None])
def test_what_is_not_a_number_never_enters_a_mean(value: object) -> None:
    with pytest.raises(BadCounts):
        mean_over_scenarios({"a": 1.0, "b": value})  # type: ignore[dict-item]


def test_fractions_are_taken_as_they_are() -> None:
    assert mean_over_scenarios({"a": Fraction(1, 3), "b": Fraction(2, 3)}).value == pytest.approx(0.5)


def test_unequal_numbers_of_runs_make_two_different_means() -> None:
    found = standard_errors({"a": [1, 1, 1, 1], "b": [0]})
    assert (found.run_mean, found.scenario_mean) == (0.8, 0.5)
    alone = standard_errors({"a": [1, 0]})
    assert (alone.clustered_corrected, alone.over_scenarios) == (None, None)
    with pytest.raises(BadCounts):
        standard_errors({})


def test_a_negative_variance_between_scenarios_is_zero_and_said() -> None:
    found = variance_split({"a": [1, 0], "b": [1, 0], "c": [0, 1]})
    assert (found.between, found.negative, found.icc) == (0.0, True, 0.0)
    assert "shown as 0" in str(found)
    assert found.effective_runs == 6
    assert variance_split({"a": [1, 1], "b": [1, 1]}).icc is None
    assert "undefined" in str(variance_split({"a": [1, 1], "b": [1, 1]}))


@pytest.mark.parametrize("runs", [{"a": [1, 0]}, {"a": [1], "b": [0]}, {}])
def test_a_split_needs_scenarios_and_trials(runs: dict[str, list[float]]) -> None:
    with pytest.raises(BadCounts):
        variance_split(runs)
