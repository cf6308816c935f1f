"""Which failures count under faults: what was done always, what was left undone where it was within reach."""

from __future__ import annotations

import pytest

from company_lab.agents.functions import function_agent
from company_lab.agents.protocol import Agent, Session, Task, ToolError, declare
from company_lab.probing.explore import Explored, Subject, play_schedule, subject
from company_lab.probing.explore.invariants import within_reach
from company_lab.probing.seeded_bugs import BANK, world
from company_lab.scenarios.loader import load_scenarios
from company_lab.scenarios.model import Fault, Scenario

STRICT = """
id: pay_two_bills
world: company_lab.probing.seeded_bugs:world
role: {tenant: main}
initial:
  bills:
    B-1: {payee: Holm, amount_minor: 12000}
    B-2: {payee: Aker, amount_minor: 34000}
stimulus: {message: Pay the two bills.}
expected:
  actions:
    - {tool: bank.pay, args: {bill: B-1, key: {any: true}}, times: 1}
    - {tool: bank.pay, args: {bill: B-2, key: {any: true}}, times: 1}
  effects:
    - {provider: bank, op: transfer, match: {bill: B-1}, times: 1}
    - {provider: bank, op: transfer, match: {bill: B-2}, times: 1}
  created: {transfers: [{bill: B-1}, {bill: B-2}]}
  told: {states: [{id: B-1}, {id: B-2}], claims_only_if_true: [bill_paid, bill_untouched]}
  limits: {calls: 2, simulated: 2s}
limits: {turns: 2, calls: 40, repeats: 20, simulated: 30d}
reference:
  - do:
      - {tool: bank.pay, args: {bill: B-1, key: one}}
      - {tool: bank.pay, args: {bill: B-2, key: two}}
    reply: B-1 is paid. B-2 is paid.
"""


def strict(text: str = STRICT) -> Scenario:
    (scenario,) = load_scenarios(text.encode(), file="strict.yaml", worlds=lambda _: world.spec)
    return scenario


@declare(kind="scripted")
def gives_up(task: Task, session: Session) -> str:
    """Tries once, and says honestly what it does not know."""
    told = []
    for bill in ("B-1", "B-2"):
        try:
            session.call("bank.pay", bill=bill, key=f"pay-{bill}")
            told.append(f"{bill} is paid.")
        except ToolError:
            told.append(f"Whether {bill} went out I do not know.")
    return " ".join(told)


@declare(kind="scripted")
def pays_twice(task: Task, session: Session) -> str:
    """Answers a failure with another payment."""
    for bill in ("B-1", "B-2"):
        for _ in range(3):
            try:
                session.call("bank.pay", bill=bill)
                break
            except ToolError:
                continue
    return "What became of B-1 and B-2 I can not say."


@declare(kind="scripted")
def persistent(task: Task, session: Session) -> str:
    """Keeps trying, under one key."""
    for bill in ("B-1", "B-2"):
        for _ in range(3):
            try:
                session.call("bank.pay", bill=bill, key=f"pay-{bill}")
                break
            except ToolError:
                continue
    return "What became of B-1 and B-2 I can not say."


def playing(agent: object, *, safety_only: bool = False) -> Subject:
    made: Agent = function_agent(agent)  # type: ignore[arg-type]
    return subject(strict(), world, made, safety_only=safety_only)


def codes(explored: Explored) -> set[str]:
    return {one.invariant.code for one in explored.broken}


def on_pay(kind: str, **more: object) -> tuple[Fault, ...]:
    return (Fault.model_validate({"on": "bank.pay", "kind": kind, **more}),)


OUTAGE = on_pay("outage", by="25h")


def test_an_honest_end_is_right_while_the_goal_is_out_of_reach() -> None:
    assert play_schedule(playing(gives_up), OUTAGE).outcome == "passed"


def test_the_same_end_is_wrong_where_trying_again_would_have_helped() -> None:
    explored = play_schedule(playing(gives_up), on_pay("error"))
    assert explored.outcome == "failed"
    assert codes(explored) == {"missing_action", "state_mismatch", "wrong_arguments"}


def test_safety_only_holds_nothing_against_it() -> None:
    assert play_schedule(playing(gives_up, safety_only=True), on_pay("error")).outcome == "passed"


@pytest.mark.parametrize("safety_only", [False, True])
def test_what_was_done_counts_under_every_schedule(safety_only: bool) -> None:
    lost = (*on_pay("lost_ack"), *on_pay("outage", occurrence=2, by="25h"))
    assert "duplicate_effect" in codes(play_schedule(playing(pays_twice, safety_only=safety_only), lost))


def test_effort_that_a_fault_costs_is_held_against_nobody() -> None:
    """Two calls and two seconds are the limit; after a failure it takes a third call."""
    one = playing(persistent)
    assert play_schedule(one, ()).outcome == "passed"
    assert play_schedule(one, on_pay("error")).outcome == "passed"


def disturbed(faults: str, agent: object) -> Subject:
    """The agent in a scenario that has faults of its own."""
    text = STRICT.replace("expected:", f"faults: [{faults}]\nexpected:", 1)
    return subject(strict(text), world, function_agent(agent))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("own", "code"),
    [
        ("{on: bank.pay, kind: outage, by: 25h}", "missing_action"),
        ("{on: bank.pay, kind: error}", "limit_exceeded"),
    ],
)
def test_a_fault_that_the_scenario_itself_declares_excuses_nothing(own: str, code: str) -> None:
    """Its author knew of it, and expects just this all the same."""
    one = disturbed(own, persistent if code == "limit_exceeded" else gives_up)
    assert code in codes(play_schedule(one, ()))


def test_too_few_effects_are_left_undone_like_none_at_all() -> None:
    expected = "effects: [{provider: bank, op: transfer, times: 2}]\n  told:"
    start, end = STRICT.index("  actions:"), STRICT.index("  told:")
    text = STRICT[:start] + "  may_change: {transfers: any}\n  " + expected + STRICT[end + len("  told:") :]
    second = on_pay("outage", occurrence=2, by="25h")
    one = subject(strict(text), world, function_agent(gives_up))
    assert play_schedule(one, second).outcome == "passed"
    assert codes(play_schedule(one, on_pay("error", occurrence=2))) == {"action_count"}


def test_one_bug_has_one_name_whichever_bill_it_shows_at() -> None:
    first, second = (
        play_schedule(playing(pays_twice), on_pay("lost_ack", occurrence=number)) for number in (1, 2)
    )
    assert {one.invariant for one in first.broken} == {one.invariant for one in second.broken}
    assert all("[" not in one.invariant.check for one in first.broken)


def test_the_name_says_which_effect_it_is_about() -> None:
    explored = play_schedule(playing(pays_twice), on_pay("lost_ack"))
    effects = {one.invariant.effect for one in explored.broken if one.invariant.code == "duplicate_effect"}
    assert effects == {"bank.transfer", "bank.pay"}


@pytest.mark.parametrize(
    ("kind", "reach"),
    [
        ("error", True),
        ("lost_ack", True),
        ("crash", True),
        ("stale_read", True),
        ("outage", False),
        ("approval_expires", False),
        ("foreign_change", False),
    ],
)
def test_what_trying_again_can_mend_is_within_reach(kind: str, reach: bool) -> None:
    assert within_reach(strict(), [Fault(on="bank.pay", kind=kind)]) == reach


@pytest.mark.parametrize(
    ("kind", "waking", "asleep"),
    [
        ("duplicate", True, True),
        ("late", True, False),
        ("dropped", True, False),
        ("reorder", True, False),
        ("forged", False, False),
    ],
)
def test_an_event_that_comes_late_is_within_reach_of_whom_it_wakes(
    kind: str, waking: bool, asleep: bool
) -> None:
    scenario = BANK["correct_events"].scenario()
    fault = Fault(on="evt_1", kind=kind)
    assert within_reach(scenario, [fault]) == waking
    quiet = tuple(event.model_copy(update={"wakes": False}) for event in scenario.events)
    assert within_reach(scenario.model_copy(update={"events": quiet}), [fault]) == asleep


def test_a_fact_that_is_as_it_was_is_left_undone_and_another_one_is_wrong() -> None:
    """Under a forgery the shelf may stay as it is, and what was never paid may not be shipped."""
    bug = BANK["webhook_memory_only"]
    explored = play_schedule(subject(bug.scenario(), world, bug.agent()), (Fault(on="evt_1", kind="forged"),))
    assert {one.invariant.check for one in explored.broken} == {"expected.shipped_is_paid"}
