"""Conducts: every call could be made, unless it is wrong on purpose and says so."""

from __future__ import annotations

import pytest

from scenario_texts import LONG, SHORT, edited, load, only_problem, problems_in

RIGHT = "      - {tool: invoices.get, args: {id: I-400}}\n"
WRONG = "      - {tool: invoices.mark_paid, args: {id: I-400}}\n"


def in_reference(step: str) -> str:
    return edited(LONG, (RIGHT, f"{RIGHT}      - {step}\n"))


def in_wrong(step: str) -> str:
    return edited(LONG, (WRONG, f"{WRONG}      - {step}\n"))


@pytest.mark.parametrize(
    ("step", "place", "near"),
    [
        ("{tool: invoices.gte, args: {id: I-400}}", ".tool", "invoices.get"),
        ("{tool: invoices.get, args: {idd: I-400, id: I-400}}", ".args.idd", None),
        ("{tool: invoices.get, args: {}}", ".args", None),
        ("{tool: invoices.get}", "", None),
        ("{tool: invoices.get, args: {id: 400}}", ".args.id", None),
        ("{tool: crm.label, args: {id: C-1, labels: [5]}}", ".args.labels[0]", None),
        ("{tool: crm.label, args: {id: C-1, extra: {price: 1.0}}}", ".args.extra.price", None),
    ],
)
def test_calls_that_could_not_be_made_are_refused_in_every_conduct(
    step: str, place: str, near: str | None
) -> None:
    for text, path in ((in_reference(step), "reference[0].do[1]"), (in_wrong(step), "wrong[1].do[1]")):
        problem = only_problem(text)
        assert problem.path == path + place
        assert near is None or problem.nearest == near


def test_a_wrong_conduct_may_make_malformed_calls_if_it_says_so() -> None:
    for step in (
        "{tool: invoices.erase, malformed: true}",
        "{tool: invoices.get, args: {id: 5, x: y}, malformed: true}",
    ):
        assert load(in_wrong(step)).wrong[1].turns[0].do[1].malformed
        assert only_problem(in_reference(step)).path == "reference[0].do[1].malformed"
    assert only_problem(in_wrong("{tool: invoices.erase, malformed: false}")).path == "wrong[1].do[1].tool"


@pytest.mark.fault("A30")
def test_a_reference_knows_its_records_and_a_wrong_conduct_may_invent_them() -> None:
    assert problems_in(in_wrong("{tool: invoices.get, args: {id: I-401}}")) == ()
    problem = only_problem(in_reference("{tool: invoices.get, args: {id: I-401}}"))
    assert (problem.path, problem.nearest) == ("reference[0].do[1].args.id", "I-400")
    assert problems_in(in_reference("{tool: invoices.get, args: {id: invoice_1}}")) == ()
    assert problems_in(in_reference("{tool: invoices.get, args: {id: invoice_01}}")) != ()


def test_a_scenario_needs_a_reference_unless_it_is_a_contract() -> None:
    without = LONG[: LONG.index("reference:\n")] + LONG[LONG.index("wrong:\n") :]
    assert "no reference" in only_problem(without).message
    assert only_problem(edited(without, ("wrong:\n", "reference: []\nwrong:\n"))).path == "reference"
    assert problems_in(SHORT) == ()


def test_wrong_conducts_have_ids_of_their_own() -> None:
    same = edited(LONG, ("id: excellent_message_wrong_posting", "id: says_settled_while_books_are_right"))
    problem = only_problem(same)
    assert problem.path == "wrong[1].id"
    assert "first in line" in problem.message
    taken = edited(LONG, ("id: excellent_message_wrong_posting", "id: reference"))
    assert only_problem(taken).path == "wrong[1].id"


def test_a_conduct_does_or_says_something() -> None:
    idle = edited(LONG, ("wrong:\n", "wrong:\n  - {id: idle, codes: [missing_action]}\n"))
    assert "wrong[0]" in {problem.path for problem in problems_in(idle)}
    assert "does nothing" in " ".join(problem.message for problem in problems_in(idle))
    assert only_problem(edited(LONG, ("reference:\n", "reference:\n  - {}\n"))).path == "reference[0]"
    silent = edited(LONG, ("wrong:\n", "wrong:\n  - {id: idle, codes: [missing_action], do: []}\n"))
    assert load(silent).wrong[0].turns[0].reply is None
    assert load(silent).wrong[0].turns[0].do == ()


def test_codes_are_those_of_a_verdict() -> None:
    problem = only_problem(edited(LONG, ("codes: [state_mismatch,", "codes: [state_mismach,")))
    assert (problem.path, problem.nearest) == ("wrong[1].codes[0]", "state_mismatch")
