"""Two agents: paired by scenario, refused where pairing is wrong, and never equal because nothing was found."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb, exp, log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest
from scipy.stats import fisher_exact as stats_fisher

from company_lab.evaluation.statistics import (
    BadComparison,
    BadCounts,
    Figure,
    benjamini_hochberg,
    bonferroni,
    both_passed,
    fisher_exact,
    holm,
    mcnemar,
    mcnemar_of,
    mcnemar_power,
    newcombe,
    non_inferiority,
    paired_difference,
    paired_ratio,
    sign_flip,
)
from company_lab.evaluation.statistics import paired as module

eighths = st.integers(-8, 8).map(lambda c: Fraction(c, 8))


@given(st.lists(eighths, min_size=1, max_size=9))
@settings(deadline=None)
def test_sign_flips_are_all_patterns_counted(differences: list[Fraction]) -> None:
    seen = abs(sum(differences, Fraction(0)))
    patterns = list(product((-1, 1), repeat=len(differences)))
    hits = sum(
        abs(sum((sign * value for sign, value in zip(signs, differences, strict=True)), Fraction(0))) >= seen
        for signs in patterns
    )
    found = sign_flip(differences)
    assert found.exact
    assert found.p == pytest.approx(hits / len(patterns))
    assert sign_flip([float(value) for value in differences]).p == found.p


def test_a_hundred_scenarios_are_still_counted_exactly() -> None:
    assert sign_flip([Fraction(1, 8)] * 100).exact
    assert sign_flip([1 / 3] * 30).p == pytest.approx(2 / 2**30)


def test_sampled_flips_agree_with_counted_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    differences = [0.25, 0.5, -0.125, 0.375, 0.125, 0.25, -0.25, 0.5]
    counted = sign_flip(differences).p
    monkeypatch.setattr(module, "MOST_SUMS", 4)
    sampled = sign_flip(differences, seed=1)
    assert not sampled.exact
    assert sampled.p == pytest.approx(counted, abs=0.01)
    assert sampled == sign_flip(differences, seed=1)


def test_five_scenarios_can_never_reach_five_per_cent() -> None:
    found = paired_difference(dict.fromkeys("abcde", 1.0), dict.fromkeys("abcde", 0.0))
    assert found.sign_flip.smallest == found.sign_flip.p == 0.0625
    assert found.t is None
    assert found.difference.low is None


def test_whole_families_are_flipped() -> None:
    a, b = {"a": 1.0, "b": 1.0, "c": 1.0}, {"a": 0.0, "b": 0.0, "c": 0.5}
    assert paired_difference(a, b).sign_flip.p == 0.25
    kept = paired_difference(a, b, families={"a": "f", "b": "f"})
    assert kept.sign_flip.p == 0.5
    assert "2 families" in str(kept)


@pytest.mark.fault("A19")
def test_a_comparison_over_different_scenarios_is_refused() -> None:
    with pytest.raises(BadComparison, match=r"2 scenarios are on one side only \(b, c\)"):
        paired_difference({"a": 1, "b": 1}, {"a": 1, "c": 0})
    with pytest.raises(BadCounts):
        paired_difference({}, {})


def test_the_same_on_both_sides_gives_no_interval_and_no_equality() -> None:
    same = {"a": 0.5, "b": 0.75}
    found = paired_difference(same, same)
    assert (found.difference.value, found.difference.low, found.sign_flip.p) == (0.0, None, 1.0)
    assert non_inferiority(found.difference, margin=0.05).outcome == "undecided"


def test_two_clean_runs_are_bounded_and_not_equal() -> None:
    found = both_passed(runs_a=40, runs_b=80)
    assert found.low == pytest.approx(0.025 ** (1 / 40) - 1)
    assert found.high == pytest.approx(1 - 0.025 ** (1 / 80))
    assert non_inferiority(found, margin=0.1).outcome == "not_worse"
    assert non_inferiority(found, margin=0.05).outcome == "undecided"


def test_cost_is_compared_by_its_ratio() -> None:
    a, b = {"a": 2.0, "b": 6.0, "c": 4.0}, {"a": 1.0, "b": 2.0, "c": 4.0}
    found = paired_ratio(a, b, name="cost")
    assert found.difference.value == pytest.approx(exp((log(2) + log(3) + 0) / 3))
    assert found.difference.low is not None
    assert found.difference.high is not None
    assert found.difference.value is not None
    assert found.difference.low < found.difference.value < found.difference.high
    assert "times" in str(found)
    with pytest.raises(BadCounts, match="above 0"):
        paired_ratio({"a": 0.0}, {"a": 1.0})


def difference(low: float | None, high: float | None) -> Figure:
    return Figure(name="difference", estimator="mean", value=0.0, n=9, N=9, low=low, high=high, level=0.95)


@pytest.mark.parametrize(
    ("low", "high", "outcome"),
    [
        (-0.04, 0.2, "not_worse"),
        (-0.05, 0.2, "undecided"),
        (-0.2, 0.2, "undecided"),
        (-0.2, -0.06, "worse"),
        (-0.2, -0.05, "undecided"),
        (None, None, "undecided"),
    ],
)
def test_not_worse_is_shown_against_a_margin_fixed_beforehand(
    low: float | None, high: float | None, outcome: str
) -> None:
    found = non_inferiority(difference(low, high), margin=0.05)
    assert found.outcome == outcome
    assert str(found).startswith(outcome.replace("_", " "))


@pytest.mark.parametrize("margin", [-0.1, float("nan"), True])
def test_a_margin_below_zero_is_refused(margin: float) -> None:
    with pytest.raises(BadCounts):
        non_inferiority(difference(0.0, 1.0), margin=margin)


def test_mcnemar_is_refused_where_trials_are_no_pairs() -> None:
    one = {"a": [True], "b": [True], "c": [False]}
    found = mcnemar_of(one, {"a": [False], "b": [True], "c": [False]})
    assert (found.only_a, found.only_b) == (1, 0)
    trials: list[list[bool]] = [[True, True], []]
    for several in trials:
        with pytest.raises(BadComparison, match="one pair for each scenario"):
            mcnemar_of(one, {"b": [True], "c": [True], "a": several})
    with pytest.raises(BadComparison):
        mcnemar_of(one, {"a": [True]})
    with pytest.raises(BadComparison):
        mcnemar_of({}, {})


@given(st.integers(0, 12), st.integers(0, 12))
def test_mcnemar_is_a_binomial_test(a: int, b: int) -> None:
    found = mcnemar(only_a=a, only_b=b)
    assert found.p == (1.0 if a + b == 0 else pytest.approx(binomtest(a, a + b).pvalue))
    assert found.p_mid is None or found.p_mid < found.p or found.p == 1.0


@given(st.integers(0, 15), st.integers(1, 15), st.integers(0, 15), st.integers(1, 15))
@settings(deadline=None)
def test_fisher_is_what_scipy_says(a: int, m: int, b: int, n: int) -> None:
    a, b = min(a, m), min(b, n)
    expected = stats_fisher([[a, m - a], [b, n - b]]).pvalue
    assert fisher_exact(successes_a=a, trials_a=m, successes_b=b, trials_b=n) == pytest.approx(expected)


@given(st.integers(0, 30), st.integers(1, 30), st.integers(0, 30), st.integers(1, 30))
def test_newcombe_holds_the_difference_and_turns_round_with_it(a: int, m: int, b: int, n: int) -> None:
    a, b = min(a, m), min(b, n)
    found = newcombe(successes_a=a, trials_a=m, successes_b=b, trials_b=n)
    turned = newcombe(successes_a=b, trials_a=n, successes_b=a, trials_b=m)
    assert found.low is not None
    assert found.high is not None
    assert found.value is not None
    assert turned.high is not None
    assert -1 <= found.low <= found.value <= found.high <= 1
    assert found.low == pytest.approx(-turned.high)


@pytest.mark.parametrize(
    ("n", "pa", "pb", "alpha"), [(18, 0.2, 0.1, 0.05), (20, 0.3, 0, 0.01), (9, 0.5, 0.5, 0.1)]
)
def test_power_adds_up_every_table(n: int, pa: float, pb: float, alpha: float) -> None:
    chance = sum(
        comb(n, d) * comb(d, x) * pa**x * pb ** (d - x) * max(0.0, 1 - pa - pb) ** (n - d)
        for d in range(n + 1)
        for x in range(d + 1)
        if mcnemar(only_a=x, only_b=d - x).p <= alpha
    )
    assert mcnemar_power(pairs=n, p_only_a=pa, p_only_b=pb, alpha=alpha) == pytest.approx(chance)


def test_power_needs_chances_that_fit_together() -> None:
    assert mcnemar_power(pairs=2000, p_only_a=0.05, p_only_b=0.03) == pytest.approx(0.874, abs=0.001)
    assert mcnemar_power(pairs=9, p_only_a=0, p_only_b=0) == 0.0
    with pytest.raises(BadCounts):
        mcnemar_power(pairs=10, p_only_a=0.7, p_only_b=0.7)


def test_a_small_p_value_is_never_printed_as_zero() -> None:
    found = paired_difference({str(i): 1.0 for i in range(30)}, {str(i): i % 5 / 5 for i in range(30)})
    assert 0 < found.sign_flip.p < 0.0005
    assert "sign-flip p <0.001, paired t p <0.001" in str(found)


@given(st.lists(st.floats(0, 1), max_size=12))
def test_adjusted_p_values_are_never_smaller_and_keep_their_order(p: list[float]) -> None:
    for adjust in (holm, benjamini_hochberg, bonferroni):
        found = adjust(p)
        assert all(before <= after <= 1 for before, after in zip(p, found, strict=True))
        ranked = sorted(range(len(p)), key=p.__getitem__)
        assert [found[i] for i in ranked] == sorted(found)
    assert all(h <= b for h, b in zip(holm(p), bonferroni(p), strict=True))


@pytest.mark.parametrize("p", [1.1, -0.1, float("nan"), True])
def test_what_is_no_p_value_is_refused(p: float) -> None:
    with pytest.raises(BadCounts):
        holm([p])
