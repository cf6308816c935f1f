"""A figure prints what it estimates, from how many observations, and how sure it is."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_lab.evaluation.statistics import (
    BadCounts,
    Figure,
    all_passed,
    cohen_kappa,
    failure_rate,
    percent,
    reliability,
    success_rate,
)
from company_lab.evaluation.statistics.figure import decimals


@pytest.mark.parametrize(("runs", "said"), [(100, "below 2.95 % at 95 %"), (299, "below 0.997 % at 95 %")])
def test_no_failure_seen_is_a_bound_and_never_zero(runs: int, said: str) -> None:
    figure = failure_rate(failures=0, runs=runs)
    assert said in str(figure)
    assert f"n {runs} of N {runs} runs" in str(figure)
    assert figure.high is not None
    assert figure.high > 0


@pytest.mark.fault("A01")
def test_runs_without_an_outcome_stay_in_the_denominator() -> None:
    figure = success_rate(successes=8, trials=8, planned=12)
    assert figure.value is None
    assert str(figure) == (
        "success rate undefined (4 of 12 outcomes unknown), Wilson 95 % 0.391 to 1.000, n 8 of N 12 runs"
    )
    assert success_rate(successes=8, trials=8).value == 1.0
    assert failure_rate(failures=0, runs=90, planned=100).high == failure_rate(failures=10, runs=100).high


@pytest.mark.fault("A21")
def test_eight_of_eight_prints_how_little_that_says() -> None:
    assert str(reliability(successes=8, trials=8, k=8)) == (
        "pass^8 1.000, Wilson to the power 8 95 % 0.043 to 1.000, n 8 of N 8 runs"
    )
    assert "at least 0.688 at 95 %" in str(all_passed(runs=8, scenarios=2))


def test_undefined_is_a_value_with_its_reason() -> None:
    figure = cohen_kappa([[10, 0], [0, 0]])
    assert not figure.defined
    assert str(figure).startswith("Cohen's kappa undefined (both reviewers used one label")


def test_one_failure_in_one_run_is_not_bounded() -> None:
    assert "not bounded below 100 %" in str(failure_rate(failures=1, runs=1))


def test_an_interval_open_on_one_side_says_so() -> None:
    figure = Figure(name="p95", estimator="rank", value=2.0, n=9, N=9, low=1.0, interval="ranks", level=0.9)
    assert "ranks 90 % from 1.000, no upper end" in str(figure)
    figure = Figure(name="p5", estimator="rank", value=2.0, n=9, N=9, high=3.0, interval="ranks", level=0.9)
    assert "ranks 90 % up to 3.000, no lower end" in str(figure)


@given(st.floats(1e-12, 1 - 1e-12))
def test_what_is_neither_none_nor_all_never_prints_as_that(value: float) -> None:
    said = percent(value)
    assert said.endswith(" %")
    assert 0 < float(said.removesuffix(" %")) < 100
    assert float(said.removesuffix(" %")) == pytest.approx(value * 100, rel=0.006)


@pytest.mark.parametrize(("value", "said"), [(0, "0 %"), (1, "100 %"), (0.5, "50.0 %"), (0.9999, "99.99 %")])
def test_shares_are_printed_with_three_digits(value: float, said: str) -> None:
    assert percent(value) == said


@given(st.floats(-1, 1))
def test_three_decimals_never_round_to_none_or_to_all(value: float) -> None:
    said = decimals(value)
    assert (said == "0.000") == (value == 0)
    assert (said == "1.000") == (value == 1)
    assert float(said.lstrip("<>")) == pytest.approx(value, abs=0.001)


def test_a_figure_close_to_all_does_not_read_as_all() -> None:
    figure = success_rate(successes=9_999, trials=10_000)
    assert str(figure) == "success rate >0.999, Wilson 95 % 0.999 to >0.999, n 10000 of N 10000 runs"


@pytest.mark.fault("A01")
def test_reliability_of_runs_that_are_all_unknown_lies_anywhere() -> None:
    figure = reliability(successes=0, trials=0, planned=4, k=2)
    assert (figure.value, figure.low, figure.high, figure.N) == (None, 0.0, 1.0, 4)


@pytest.mark.parametrize(
    "given",
    [
        {"successes": 1, "trials": 0},
        {"successes": 0, "trials": 0},
        {"successes": 1, "trials": 3, "planned": 2},
    ],
)
def test_a_rate_of_nothing_is_refused(given: Any) -> None:
    with pytest.raises(BadCounts):
        success_rate(**given)
