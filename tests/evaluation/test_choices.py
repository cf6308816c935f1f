"""Choices of a selector beside what the reference would do next at that state."""

from __future__ import annotations

from typing import Any

import pytest

from company_lab.agents.protocol import Agent, Session, Task, ToolError
from company_lab.company import company
from company_lab.episodes import play
from company_lab.evaluation.choices import ComparedChoices, compare_choices
from company_lab.evaluation.statistics.arguments import BadCounts
from model_episode import example

LOOKUP, REFUND, RESPOND = "lookup", "refund", "respond"
TOOLS = {LOOKUP: "payments.find", REFUND: "payments.refund", "case": "cases.open"}
ARGS: dict[str, Any] = {
    LOOKUP: {"order": "A-104"},
    REFUND: {"charge": "ch_2", "amount_minor": 2500},
    "case": {"about": "A-104", "summary": "x"},
}


def compared(
    *choices: tuple[str, float | None], options: tuple[str, ...] = (LOOKUP, REFUND, RESPOND)
) -> ComparedChoices:
    def act(task: Task, session: Session) -> str:
        for option, probability in choices:
            given: dict[str, Any] = {} if probability is None else {"probabilities": {option: probability}}
            session.choice(
                {"questions": {"next_action": {"criteria": dict.fromkeys(options, "")}}},
                {"answers": {"next_action": {"choice": option, **given}}},
            )
            if option in TOOLS:
                try:
                    session.attempt(TOOLS[option], ARGS[option])
                except ToolError:
                    continue
        return "done"

    settings: dict[str, Any] = {"alias": ["lookup=payments.find", "refund=payments.refund"]}
    agent = Agent(name="decision", kind="scripted", act=act, settings=settings)
    trace = play(company.prepare(example()), agent).trace
    return compare_choices(example(), company.spec, trace.records)


def test_the_references_own_choices_agree_step_by_step() -> None:
    found = compared((LOOKUP, 0.6), (LOOKUP, 0.7), (REFUND, 0.8), (RESPOND, 0.9))
    assert [choice.reference for choice in found.compared] == [(LOOKUP,), (LOOKUP,), (REFUND,), (RESPOND,)]
    assert found.agreed == 4
    assert found.calibration().brier == pytest.approx((0.16 + 0.09 + 0.04 + 0.01) / 4)


def test_refunding_on_a_failed_look_up_does_not_agree() -> None:
    found = compared((LOOKUP, 1.0), (REFUND, 0.9))
    assert [choice.agrees for choice in found.compared] == [True, False]
    assert found.calibration().brier == pytest.approx(0.81 / 2)


def test_choices_that_can_not_be_compared_are_counted_by_why() -> None:
    found = compared((LOOKUP, None), (RESPOND, 0.5), options=(REFUND, RESPOND))
    assert not found.compared
    assert dict(found.left_out) == {
        "the answer gives no probability for what it chose": 1,
        "the reference's next action was not among the options": 1,
    }
    with pytest.raises(BadCounts):
        found.calibration()


def test_episodes_add_up() -> None:
    total = ComparedChoices()
    for _ in range(3):
        total.add(compared((LOOKUP, 0.5), (REFUND, 0.5)))
    assert (len(total.compared), total.agreed) == (6, 3)
    assert total.calibration().brier == pytest.approx(0.25)


@pytest.mark.parametrize("choice", [["refund"], {"refund": 1}, None, 7])
def test_an_answer_that_chooses_no_option_is_left_out(choice: Any) -> None:
    record = {
        "seq": 1,
        "kind": "choice",
        "request": {"questions": {"next_action": {"criteria": [["lookup"], "respond"]}}},
        "answer": {"answers": {"next_action": {"choice": choice, "probabilities": {"refund": 0.9}}}},
    }
    found = compare_choices(example(), company.spec, [{"seq": 0, "kind": "turn", "turn": 1}, record])
    assert (found.compared, dict(found.left_out)) == ([], {"the answer holds no choice": 1})
