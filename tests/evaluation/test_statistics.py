"""Figures of repetition, against enumeration and published values."""

from __future__ import annotations

import time
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_lab.evaluation import pass_at_k, pass_at_k_exact, pass_k, pass_k_exact, wilson
from company_lab.evaluation.statistics import BadCounts, all_passed_bound
from company_lab.formats.errors import CompanyLabError


@st.composite
def counts(draw: st.DrawFn, most: int = 9) -> tuple[int, int, int]:
    n = draw(st.integers(1, most))
    return draw(st.integers(0, n)), n, draw(st.integers(1, n))


@given(counts())
def test_pass_k_is_the_share_of_subsets_that_passed_whole(case: tuple[int, int, int]) -> None:
    c, n, k = case
    subsets = list(combinations([True] * c + [False] * (n - c), k))
    assert pass_k_exact(successes=c, trials=n, k=k) == Fraction(sum(map(all, subsets)), len(subsets))


@given(counts())
def test_pass_at_k_is_the_share_of_subsets_with_a_pass(case: tuple[int, int, int]) -> None:
    c, n, k = case
    subsets = list(combinations([True] * c + [False] * (n - c), k))
    assert pass_at_k_exact(successes=c, trials=n, k=k) == Fraction(sum(map(any, subsets)), len(subsets))


@given(counts(most=300))
def test_the_float_is_the_exact_value_rounded_once(case: tuple[int, int, int]) -> None:
    c, n, k = case
    assert pass_k(successes=c, trials=n, k=k) == float(pass_k_exact(successes=c, trials=n, k=k))
    assert pass_at_k(successes=c, trials=n, k=k) == float(pass_at_k_exact(successes=c, trials=n, k=k))


@pytest.mark.parametrize(
    ("c", "n", "k", "expected"),
    [(3, 4, 2, "1/2"), (3, 4, 4, "0"), (4, 4, 4, "1"), (8, 10, 3, "7/15"), (95, 100, 10, "110983/190120")],
)
@pytest.mark.fault("A20")
def test_pass_k_counts_subsets_and_is_not_a_power_of_the_rate(c: int, n: int, k: int, expected: str) -> None:
    assert pass_k_exact(successes=c, trials=n, k=k) == Fraction(expected)


@pytest.mark.parametrize(
    ("c", "n", "k"),
    [
        (1, 1, 4),
        (0, 0, 1),
        (2, 4, 0),
        (2, 4, -1),
        (5, 4, 2),
        (-1, 4, 2),
        (True, 4, 2),
        (2.0, 4, 2),
        ("2", 4, 2),
        (2, 4.5, 2),
        (2, None, 2),
        (2, 4, 1.0),
        (2, 4, True),
    ],
)
@pytest.mark.parametrize("figure", [pass_k, pass_k_exact, pass_at_k, pass_at_k_exact])
def test_a_figure_that_does_not_exist_is_refused(figure: object, c: object, n: object, k: object) -> None:
    with pytest.raises(BadCounts) as refused:
        figure(successes=c, trials=n, k=k)  # type: ignore[operator]
    assert isinstance(refused.value, ValueError)
    assert isinstance(refused.value, CompanyLabError)


@pytest.mark.fault("A20")
def test_too_few_trials_are_refused_with_what_to_do() -> None:
    with pytest.raises(ValueError, match="run at least 4 trials"):
        pass_k(successes=1, trials=1, k=4)


def test_wilson_gives_the_published_values() -> None:
    low, high = wilson(successes=9, trials=10)
    assert (round(low, 3), round(high, 3)) == (0.596, 0.982)
    assert wilson(successes=19, trials=20, confidence=0.99) == pytest.approx(
        (0.681702888085763, 0.994102250925359)
    )
    assert wilson(successes=1, trials=1)[0] == pytest.approx(0.2065, abs=5e-5)
    assert wilson(successes=49, trials=50)[0] == pytest.approx(0.8950, abs=5e-5)


@pytest.mark.parametrize("n", [1, 2, 10, 299, 10**6])
def test_wilson_ends_exactly_at_zero_and_one(n: int) -> None:
    assert wilson(successes=0, trials=n)[0] == 0.0
    assert wilson(successes=n, trials=n)[1] == 1.0


@given(
    st.integers(1, 10**6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.floats(0.01, 0.999)
)
def test_wilson_holds_the_rate_and_stays_within_zero_and_one(
    case: tuple[int, int], confidence: float
) -> None:
    c, n = case
    low, high = wilson(successes=c, trials=n, confidence=confidence)
    assert 0 <= low <= c / n <= high <= 1


@pytest.mark.parametrize(
    "confidence", [0, 1, 1.0, 0.0, -0.5, 2, float("nan"), float("inf"), True, "0.95", None]
)
def test_wilson_refuses_a_confidence_outside_zero_and_one(confidence: object) -> None:
    with pytest.raises(BadCounts):
        wilson(successes=1, trials=2, confidence=confidence)  # type: ignore[arg-type]


@pytest.mark.parametrize(("c", "n"), [(3, 2), (0, 0), (-1, 2), (True, 2), (1.0, 2), (1, "2")])
def test_wilson_refuses_impossible_counts(c: object, n: object) -> None:
    with pytest.raises(BadCounts):
        wilson(successes=c, trials=n)  # type: ignore[arg-type]


def test_large_counts_are_quick_and_do_not_overflow() -> None:
    begun = time.process_time()
    assert pass_k(successes=999_999, trials=10**6, k=500_000) == 0.5
    assert pass_k(successes=500_000, trials=10**6, k=500_000) == 0.0
    assert pass_at_k(successes=1, trials=10**6, k=1) == 1e-6
    assert pass_at_k(successes=500_000, trials=10**6, k=400_000) == 1.0
    assert 0 < pass_k(successes=995_000, trials=10**6, k=5_000) < 1e-10
    wilson(successes=10**12 - 1, trials=10**12)
    assert time.process_time() - begun < 2


def test_summed_logarithms_agree_with_the_exact_value() -> None:
    exact = pass_k_exact(successes=95_000, trials=100_000, k=5_000)
    assert pass_k(successes=95_000, trials=100_000, k=5_000) == pytest.approx(float(exact), rel=1e-10)


def test_the_bound_for_runs_that_all_passed() -> None:
    assert all_passed_bound(trials=8, k=8) == pytest.approx(0.05)
    assert all_passed_bound(trials=300, k=1) == pytest.approx(0.9900639180555423)
    with pytest.raises(BadCounts):
        all_passed_bound(trials=0)
