"""The verdict over plain values."""

from __future__ import annotations

from typing import Any

import pytest

from company_lab.evaluation import verdict
from company_lab.formats.errors import CompanyLabError, WrongUse


def test_a_forbidden_action_fails_although_the_state_is_right() -> None:
    assert verdict(
        {
            "state": {"balance_minor": 400000, "status": "PARTIALLY_PAID"},
            "forbidden_actions": ["confirm_full_settlement", "release_final_deliverable"],
        },
        {
            "state": {"balance_minor": 400000, "status": "PARTIALLY_PAID"},
            "actions": ["confirm_full_settlement"],
        },
    ) == {"passed": False, "failures": ["forbidden_action"]}


def test_everything_as_expected_passes() -> None:
    assert verdict(
        {
            "state": {"a": 1},
            "required_actions": ["x"],
            "forbidden_actions": ["y"],
            "required_reply": "open balance",
        },
        {"state": {"a": 1.0}, "actions": ["x", "z", "x"], "reply": "The open balance is due."},
    ) == {"passed": True, "failures": []}


def test_each_code_stands_once_and_in_the_order_of_the_list() -> None:
    found = verdict(
        {
            "state": {},
            "required_actions": ["a", "b"],
            "forbidden_actions": ["c", "d"],
            "required_reply": True,
        },
        {"state": {"extra": None}, "actions": ["c", "d", "c"], "reply": " \n"},
    )
    assert found["failures"] == ["state_mismatch", "missing_action", "forbidden_action", "missing_reply"]


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (1, True),
        (0, False),
        ({"a": None}, {}),
        ({"a": ""}, {"a": None}),
        ({"a": []}, {"a": {}}),
        (["quote", "invoice"], ["invoice", "quote"]),
        (["100.00", "100.00"], ["100.00"]),
        ({"a": 1}, {"a": 1, "b": 2}),
        ("5", 5),
        ({"note": ""}, {"note": "", "closed_at": None}),
    ],
)
def test_states_of_different_json_differ(expected: Any, actual: Any) -> None:
    observed: dict[str, Any] = {"state": actual, "actions": []}
    assert verdict({"state": expected}, observed) == {"passed": False, "failures": ["state_mismatch"]}
    assert verdict({"state": actual}, observed)["passed"] is True


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_numbers_that_are_not_json_are_refused_on_both_sides(number: float) -> None:
    with pytest.raises(CompanyLabError):
        verdict({"state": {"a": number}}, {"state": {"a": 1}})
    with pytest.raises(CompanyLabError):
        verdict({"state": {"a": 1}}, {"state": {"a": number}})


def test_what_was_not_observed_can_not_be_scored() -> None:
    expectation = {"state": {}, "forbidden_actions": ["x"], "required_reply": True}
    assert verdict(expectation, {}) == {
        "passed": None,
        "failures": [],
        "unscored": ["state", "actions", "reply"],
    }
    assert verdict(expectation, {"state": {}, "reply": "done"}) == {
        "passed": None,
        "failures": [],
        "unscored": ["actions"],
    }


def test_a_failure_stands_although_something_else_was_not_observed() -> None:
    assert verdict({"state": {}, "forbidden_actions": ["x"]}, {"actions": ["x"]}) == {
        "passed": False,
        "failures": ["forbidden_action"],
        "unscored": ["state"],
    }


@pytest.mark.parametrize(
    "expectation",
    [{}, {"forbidden_actions": []}, {"required_actions": [], "forbidden_actions": ()}],
)
def test_an_expectation_that_can_not_fail_is_refused(expectation: dict[str, Any]) -> None:
    with pytest.raises(WrongUse, match="can not fail"):
        verdict(expectation, {"actions": []})


def test_a_misspelt_key_is_named_with_the_nearest() -> None:
    with pytest.raises(WrongUse, match="did you mean forbidden_actions"):
        verdict({"state": {}, "forbiden_actions": ["x"]}, {"state": {}})
    with pytest.raises(WrongUse, match="did you mean actions"):
        verdict({"forbidden_actions": ["x"]}, {"action": ["y"]})


@pytest.mark.parametrize(
    "expectation",
    [
        {"forbidden_actions": "pay"},
        {"forbidden_actions": [1]},
        {"forbidden_actions": {"pay": 1}},
        {"required_actions": [""]},
        {"required_reply": False},
        {"required_reply": " "},
        {"required_reply": None},
        [],
    ],
)
def test_an_expectation_of_the_wrong_kind_is_refused(expectation: Any) -> None:
    with pytest.raises(WrongUse):
        verdict(expectation, {"actions": ["p"], "reply": "x"})


def test_observed_actions_as_one_text_are_refused_rather_than_read_by_letter() -> None:
    with pytest.raises(WrongUse):
        verdict({"forbidden_actions": ["p"]}, {"actions": "pay"})


def test_a_required_phrase_is_a_whole_phrase_in_any_typography() -> None:
    expectation = {"required_reply": "can't refund"}
    assert verdict(expectation, {"reply": "We can\u2019t refund it."})["passed"] is True
    assert verdict(expectation, {"reply": "We can refund it."}) == {
        "passed": False,
        "failures": ["missing_reply"],
    }
    assert verdict(expectation, {"reply": None}) == {"passed": False, "failures": ["missing_reply"]}
