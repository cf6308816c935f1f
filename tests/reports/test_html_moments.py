"""An episode as moments: probabilities, records before and after."""

from __future__ import annotations

from typing import Any

import pytest

from company_lab.reports.html.moments import shares_in, told
from company_lab.reports.html.words import share
from company_lab.traces import Trace
from recorded_episode import at, failed_verdict, wrong_posting


@pytest.mark.parametrize(
    "answer",
    [
        {"probabilities": {"lookup": 0.25, "refund": 0.75}},
        {"results": [{"choice": {"probabilities": {"lookup": 0.25, "refund": 0.75}}}]},
        {
            "probabilities": [
                {"option": "lookup", "probability": 0.25},
                {"option": "refund", "probability": 0.75},
            ]
        },
        {"probabilities": [{"label": "lookup", "p": 0.25}, {"label": "refund", "p": 0.75}]},
    ],
)
def test_probabilities_are_found_most_probable_first(answer: Any) -> None:
    assert [(one.option, one.percent) for one in shares_in(answer)] == [
        ("refund", "75.0"),
        ("lookup", "25.0"),
    ]


@pytest.mark.parametrize(
    "answer",
    [
        None,
        "refund",
        0.5,
        {"choice": "refund"},
        {"probabilities": "high"},
        {"probabilities": {"a": True, "b": 7}},
    ],
)
def test_an_answer_without_probabilities_has_none(answer: Any) -> None:
    assert shares_in(answer) == ()


def test_a_choice_is_told_with_what_was_weighed() -> None:
    trace = Trace()
    trace.add("started", at(0), scenario="s", trial=1)
    trace.add("choice", at(0), request={}, answer={"probabilities": {"a": 0.9, "b": 0.1}}, observation=0)
    moments = told(None, None, trace, failed_verdict()).moments
    assert [one.option for one in moments[0].shares] == ["a", "b"]


def test_a_record_that_changed_twice_is_told_from_where_it_stood() -> None:
    episode = told(None, None, wrong_posting(), failed_verdict())
    changes = [change for moment in episode.moments for change in moment.changes]
    assert [change.title for change in changes] == ["invoices I-400"] * 3
    second = changes[1]
    assert [(row.name, row.before, row.after) for row in second.rows] == [
        ("status", "open", "paid"),
        ("received", "5,000.00 EUR (500000)", "9,000.00 EUR (900000)"),
    ]


def test_what_broke_stands_at_the_moment_that_broke_it() -> None:
    episode = told(None, None, wrong_posting(), failed_verdict())
    hit = [moment for moment in episode.moments if moment.broken]
    assert [(moment.kind, [one.code for one in moment.broken]) for moment in hit] == [
        ("action", ["forbidden_action"])
    ]
    assert [one.code for one in episode.never] == ["missing_action"]


def test_what_is_not_all_is_never_rounded_to_all() -> None:
    assert share(1) == "100 %"
    assert share(0.99999) == "above 99.9 %"
    assert share(0.00001) == "below 0.1 %"
    assert share(0) == "0 %"
