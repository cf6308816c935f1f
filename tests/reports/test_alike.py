"""Trials that failed in the very same way are told together, and none of them is lost."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_lab.evaluation.figures import CriticalFailure
from company_lab.reports.alike import alike_critical, told, trials_text, up_to


def failure(scenario: str, trial: int, message: str, record: int) -> CriticalFailure:
    return CriticalFailure(
        scenario=scenario,
        trial=trial,
        code="false_claim",
        failure_class="other",
        check="expected.told",
        message=message,
        evidence=(record,),
    )


failures = st.lists(
    st.builds(
        failure,
        st.sampled_from(["a", "b"]),
        st.integers(1, 6),
        st.sampled_from(["x", "y"]),
        st.integers(1, 2),
    ),
    max_size=30,
)


@given(failures)
def test_every_failure_of_every_trial_is_in_one_group(critical: list[CriticalFailure]) -> None:
    found = Counter(
        (one.scenario, trial, one.message, one.evidence)
        for group in alike_critical(critical)
        for trial in group.trials
        for one in group.failures
    )
    assert found == Counter((one.scenario, one.trial, one.message, one.evidence) for one in critical)
    assert told(alike_critical(critical)) == len(critical)


@given(failures, st.integers(1, 10))
def test_no_more_is_told_than_asked_and_what_is_told_is_counted(
    critical: list[CriticalFailure], most: int
) -> None:
    groups = alike_critical(critical)
    shown = list(up_to(most, groups))
    assert sum(len(one.failures) for one in shown) == min(most, sum(len(one.failures) for one in groups))
    assert told(shown) <= len(critical)


@pytest.mark.parametrize(
    ("trials", "text"),
    [
        ((3,), "trial 3"),
        ((1, 2), "trials 1, 2"),
        ((8, 1, 2, 3), "trials 1 to 3, 8"),
        (tuple(range(1, 41, 2)), "trials 1, 3, 5, 7, 9, 11, 13, 15 and 12 more"),
    ],
)
def test_trials_are_named_in_spans(trials: tuple[int, ...], text: str) -> None:
    assert trials_text(trials) == text
