"""Looking while runs come in: what holds at every look, exactly, and what does not."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from company_lab.evaluation.statistics import (
    BadCounts,
    chance_over_attempts,
    clopper_pearson,
    confidence_sequence,
    gate_pass_probability,
    mixture_e_value,
    operating_curve,
    peeking_miss,
    rate_at_any_look,
    runs_needed,
    runs_needed_at_any_look,
    runs_per_side_needed,
    scenarios_needed,
    sprt,
    wilson,
    zero_failure_rule,
)


@pytest.mark.parametrize("rate", [0.5, 0.8, 0.95])
def test_looking_at_every_run_is_safe_with_a_confidence_sequence_only(rate: float) -> None:
    looks = range(5, 61)
    assert peeking_miss(interval=confidence_sequence, rate=rate, looks=looks) <= 0.05
    assert peeking_miss(interval=wilson, rate=rate, looks=looks) > 0.1
    assert peeking_miss(interval=clopper_pearson, rate=rate, looks=[60]) <= 0.05


@given(st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_a_confidence_sequence_holds_the_rate_and_is_wider_than_wilson(case: tuple[int, int]) -> None:
    c, n = case
    low, high = confidence_sequence(successes=c, trials=n)
    short = wilson(successes=c, trials=n)
    assert 0 <= low <= c / n <= high <= 1
    assert high - low > short[1] - short[0] or n == 1
    assert "at any look 95 %" in str(rate_at_any_look(successes=c, trials=n))


@pytest.mark.parametrize("rate", [0.05, 0.1, 0.3])
def test_the_mixture_rejects_a_bad_agent_at_most_as_often_as_it_says(rate: float) -> None:
    chances, rejected = {0: 1.0}, 0.0
    for runs in range(1, 251):
        following: dict[int, float] = {}
        for x, chance in chances.items():
            following[x] = following.get(x, 0.0) + chance * (1 - rate)
            following[x + 1] = following.get(x + 1, 0.0) + chance * rate
        chances = following
        for x in [x for x in chances if mixture_e_value(failures=x, runs=runs, rate=rate) >= 20]:
            rejected += chances.pop(x)
    assert 0 < rejected <= 0.05


@given(st.sampled_from([0.05, 0.1, 0.2]), st.integers(0, 3))
@settings(deadline=None, max_examples=12)
def test_the_first_look_that_is_enough_is_found(rate: float, failures: int) -> None:
    found = runs_needed_at_any_look(rate=rate, failures=failures)
    assert mixture_e_value(failures=failures, runs=found, rate=rate) >= 20
    assert mixture_e_value(failures=failures, runs=found - 1, rate=rate) < 20
    assert found > runs_needed(rate=rate, allowed=failures)


@pytest.mark.parametrize(("rate", "alpha"), [(0.05, 0.05), (0.01, 0.05), (0.1, 0.01)])
def test_the_zero_failure_gate_needs_no_more_runs_for_being_looked_at(rate: float, alpha: float) -> None:
    rule = zero_failure_rule(rate=rate, alpha=alpha)
    assert rule.runs == runs_needed(rate=rate, confidence=1 - alpha)
    assert (
        rule.e_value(failures=0, runs=rule.runs) >= 1 / alpha > rule.e_value(failures=0, runs=rule.runs - 1)
    )
    assert rule.decide(failures=0, runs=rule.runs) == "pass"
    assert rule.decide(failures=0, runs=rule.runs - 1) == "go_on"
    assert rule.decide(failures=1, runs=10_000) == "block"


def test_wald_accepts_rejects_and_goes_on() -> None:
    test = sprt(bad_rate=0.05, good_rate=0.01)
    assert (test.decide(failures=0, runs=71), test.decide(failures=0, runs=70)) == ("accept", "go_on")
    assert (test.decide(failures=1, runs=111), test.decide(failures=1, runs=110)) == ("accept", "go_on")
    assert test.decide(failures=3, runs=5) == "reject"


@pytest.mark.parametrize(
    "given",
    [
        {"bad_rate": 0.01, "good_rate": 0.05},
        {"bad_rate": 1, "good_rate": 0.5},
        {"bad_rate": 0.1, "good_rate": 0.05, "accept_bad": 0.6, "reject_good": 0.5},
    ],
)
def test_a_sequential_test_that_can_not_work_is_refused(given: dict[str, float]) -> None:
    with pytest.raises(BadCounts):
        sprt(**given)


def test_an_interval_that_never_holds_is_missed_at_the_first_look() -> None:
    def elsewhere(*, successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
        return 2.0, 3.0

    assert peeking_miss(interval=elsewhere, rate=0.5, looks=[3, 9]) == pytest.approx(1)


def test_impossible_looks_are_refused() -> None:
    with pytest.raises(BadCounts, match="increasing"):
        peeking_miss(interval=wilson, rate=0.5, looks=[10, 10])
    with pytest.raises(BadCounts):
        mixture_e_value(failures=3, runs=2, rate=0.1)
    with pytest.raises(BadCounts):
        confidence_sequence(successes=1, trials=2, prior=(1, 0))
    with pytest.raises(BadCounts):
        sprt(bad_rate=0.05, good_rate=0.01).decide(failures=2, runs=1)
    for ask in (zero_failure_rule(rate=0.05).decide, zero_failure_rule(rate=0.05).e_value):
        with pytest.raises(BadCounts, match="2 failures in 1 runs"):
            ask(failures=2, runs=1)


def test_a_gate_also_blocks_good_agents() -> None:
    assert gate_pass_probability(runs=299, allowed=0, rate=0.001) == pytest.approx(0.741, abs=0.001)
    assert gate_pass_probability(runs=473, allowed=1, rate=0.001) == pytest.approx(0.918, abs=0.001)
    curve = operating_curve(runs=299)
    chances = [chance for _, chance in curve]
    assert chances[0] == 1.0
    assert chances == sorted(chances, reverse=True)
    assert dict(curve)[0.01] < 0.05


def test_a_failed_gate_that_is_repeated_lets_more_through() -> None:
    assert chance_over_attempts(chance=0.05, attempts=3) == pytest.approx(0.1426, abs=1e-4)
    with pytest.raises(BadCounts):
        chance_over_attempts(chance=0.05, attempts=0)


def test_trials_can_not_replace_scenarios() -> None:
    few, many = (
        scenarios_needed(
            between_variance=1 / 9,
            within_variance_a=1 / 6,
            within_variance_b=1 / 6,
            trials_a=trials,
            trials_b=trials,
            difference=0.03,
        )
        for trials in (1, 10_000)
    )
    assert few.scenarios == 3876
    assert (many.scenarios, many.least) == (970, 969)
    assert few.least == many.least


def test_plans_without_an_answer_are_refused() -> None:
    with pytest.raises(BadCounts, match="difference of 0"):
        scenarios_needed(
            between_variance=1,
            within_variance_a=0,
            within_variance_b=0,
            trials_a=1,
            trials_b=1,
            difference=0,
        )
    with pytest.raises(BadCounts, match="equal rates"):
        runs_per_side_needed(rate_a=0.5, rate_b=0.5)
    with pytest.raises(BadCounts, match="above alpha"):
        scenarios_needed(
            between_variance=1,
            within_variance_a=0,
            within_variance_b=0,
            trials_a=1,
            trials_b=1,
            difference=0.1,
            power=0.001,
        )
    with pytest.raises(BadCounts, match="above alpha"):
        runs_per_side_needed(rate_a=0.5, rate_b=0.6, power=0.01)
