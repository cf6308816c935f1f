"""Diagnosis: labelled episodes, each with the step at which it first went wrong."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from company_lab.agents.conducts import reference, wrong
from company_lab.agents.functions import function_agent
from company_lab.agents.protocol import EpisodeStopped, Infrastructure, Session, Task, ToolError
from company_lab.company import SUITE, company
from company_lab.episodes import play
from company_lab.evaluation import judge
from company_lab.evaluation.diagnosis import FAULTS, Diagnosis, diagnose
from company_lab.evaluation.verdicts import Failure, Verdict
from company_lab.scenarios.loader import load_scenarios
from company_lab.scenarios.model import Scenario
from company_lab.scenarios.suite import load_suite
from company_lab.traces import Trace

REFUND = {"charge": "ch_2", "amount_minor": 2500}
TEXT = """
id: one_charge_goes_back
initial:
  contacts: {C-1: {name: Ida Holm, email: ida@holm.example.test}}
  orders: {O-1: {contact: C-1, status: delivered, total_minor: 2500, currency: EUR}}
  charges:
    ch_1: {order: O-1, captured_minor: 2500, refunded_minor: 0, currency: EUR}
    ch_2: {order: O-1, captured_minor: 9000, refunded_minor: 0, currency: EUR}
stimulus: {message: O-1 was charged 25 EUR too much. Refund that on ch_2 and tell me the amount.}
expected:
  state: {charges: {ch_2: {refunded_minor: 2500}}}
  actions: [{tool: payments.refund, args: {charge: ch_2, amount_minor: 2500, key: {any: true}}, times: 1}]
  forbidden: [{tool: orders.cancel}]
  evidence: [{tool: payments.get, args: {id: ch_2}, before: payments.refund}]
  told:
    states: [{amount_minor: 2500, currency: EUR}]
    claims_only_if_true: [refund_made]
limits: {calls: 10, wall: 5s}
reference:
  - do:
      - {tool: payments.get, args: {id: ch_2}}
      - {tool: payments.refund, args: {charge: ch_2, amount_minor: 2500}}
    reply: We have refunded 25.00 EUR.
wrong: [{id: idle, codes: [missing_action], do: [], reply: "25.00 EUR are due."}]
"""
REPLY = "We have refunded 25.00 EUR."


def scenario(faults: str = "") -> Scenario:
    (found,) = load_scenarios(TEXT + faults, worlds=lambda name: company.spec)
    return found


Script = Callable[[Session], str | None]


def episode(script: Script, faults: str = "") -> tuple[Diagnosis | None, Trace]:
    def agent(task: Task, session: Session) -> str | None:
        return script(session)

    acted = scenario(faults)
    trace = play(company.prepare(acted), function_agent(agent, name="tests:agent")).trace
    verdict = judge(acted, company.spec, trace)
    return diagnose(acted, trace.records, verdict), trace


def attempt(session: Session, tool: str, args: object, by: str = "agent") -> None:
    with suppress(ToolError):
        session.attempt(tool, args, by=by)


def choose(session: Session, option: str) -> None:
    answer: dict[str, Any] = {"answers": {"next_action": {"choice": option}}}
    session.choice({"questions": {"next_action": {"criteria": {}}}}, answer)


def steps(*wanted: tuple[str, object], reply: str | None = REPLY) -> Script:
    def script(session: Session) -> str | None:
        for tool, args in wanted:
            attempt(session, tool, args)
        return reply

    return script


def loops(session: Session) -> str:
    try:
        while True:
            attempt(session, "payments.get", {"id": "ch_1"})
    except EpisodeStopped:
        return ""


def outage(session: Session) -> str:
    attempt(session, "orders.cancel", {"id": "O-1"})
    raise Infrastructure("the host is down")


LOOK = ("payments.get", {"id": "ch_2"})
LOST = "\nfaults: [{on: payments.refund, kind: lost_ack}]"
FAILS = "\nfaults: [{on: payments.refund, kind: error, error: unavailable}]"
LABELLED: dict[str, tuple[Script, str, str, str]] = {
    "does nothing and says so": (steps(reply="25.00 EUR are due."), "", "choice", "reply"),
    "acts before it looks": (steps(("payments.refund", REFUND), LOOK), "", "choice", "action"),
    "does what is forbidden": (
        steps(LOOK, ("orders.cancel", {"id": "O-1"}), ("payments.refund", REFUND)),
        "",
        "choice",
        "action",
    ),
    "refunds a second time": (
        steps(
            LOOK, ("payments.refund", REFUND), ("payments.refund", {"charge": "ch_1", "amount_minor": 2500})
        ),
        "",
        "arguments",
        "action",
    ),
    "refunds too little": (
        steps(LOOK, ("payments.refund", {"charge": "ch_2", "amount_minor": 25})),
        "",
        "arguments",
        "action",
    ),
    "writes arguments that are no JSON": (
        steps(LOOK, ("payments.refund", '{"charge":')),
        "",
        "arguments",
        "action",
    ),
    "uses a tool that does not exist": (steps(LOOK, ("payments.give_back", REFUND)), "", "choice", "action"),
    "gives up after an error": (
        steps(LOOK, ("payments.refund", REFUND), reply="25.00 EUR could not go back."),
        FAILS,
        "recovery",
        "reply",
    ),
    "repeats what may have happened": (
        steps(LOOK, ("payments.refund", REFUND), ("payments.refund", {**REFUND, "key": "again"})),
        LOST,
        "recovery",
        "action",
    ),
    "goes round in circles": (loops, "", "loop", "action"),
    "says another amount": (
        steps(LOOK, ("payments.refund", REFUND), reply="We have refunded 20.00 EUR."),
        "",
        "reply",
        "reply",
    ),
    "says nothing": (steps(LOOK, ("payments.refund", REFUND), reply=""), "", "reply", "reply"),
    "cancels before an outage": (outage, "", "choice", "action"),
}


@pytest.mark.parametrize("label", LABELLED)
def test_the_earliest_faulty_step_is_found(label: str) -> None:
    script, faults, fault, kind = LABELLED[label]
    found, trace = episode(script, faults)
    assert found is not None
    assert (found.fault, trace.records[found.seq]["kind"]) == (fault, kind), found
    assert found.by == "agent"
    assert found.rule


def test_of_several_failures_the_earliest_step_is_told() -> None:
    found, trace = episode(
        steps(
            ("orders.cancel", {"id": "O-1"}), LOOK, ("payments.refund", {"charge": "ch_2", "amount_minor": 1})
        )
    )
    assert found is not None
    assert trace.records[found.seq]["tool"] == "orders.cancel"


def test_a_selectors_choice_and_a_writers_arguments_are_told_apart() -> None:
    def wrong_choice(session: Session) -> str:
        choose(session, "orders.cancel")
        attempt(session, "orders.cancel", {"id": "O-1"}, by="writer")
        return "25.00 EUR"

    def wrong_arguments(session: Session) -> str:
        choose(session, "payments.get")
        attempt(session, *LOOK, by="writer")
        choose(session, "payments.refund")
        attempt(session, "payments.refund", {"charge": "ch_2", "amount_minor": 25}, by="writer")
        choose(session, "respond")
        return REPLY

    def wrong_reply(session: Session) -> str:
        choose(session, "payments.get")
        attempt(session, *LOOK, by="writer")
        choose(session, "payments.refund")
        attempt(session, "payments.refund", REFUND, by="writer")
        choose(session, "respond")
        return "We have refunded 20.00 EUR."

    def wrong_end(session: Session) -> str:
        choose(session, "respond")
        return "25.00 EUR are due."

    told = [(script, episode(script)) for script in (wrong_choice, wrong_arguments, wrong_reply, wrong_end)]
    found = [
        (one.fault, one.by, trace.records[one.seq]["kind"]) for _, (one, trace) in told if one is not None
    ]
    assert found == [
        ("choice", "selector", "choice"),
        ("arguments", "writer", "action"),
        ("reply", "writer", "reply"),
        ("choice", "selector", "choice"),
    ]


def test_what_an_outage_kept_from_being_done_is_outside() -> None:
    def down(session: Session) -> str:
        raise Infrastructure("down")

    _, trace = episode(down)
    missing = Failure(code="missing_action", severity="major", check="expected.actions[0]", message="")
    verdict = Verdict(outcome="failed", failures=(missing,))
    found = diagnose(scenario(), trace.records, verdict)
    assert found is not None
    assert (found.fault, found.by, trace.records[found.seq]["kind"]) == ("outside", "nobody", "stopped")


def test_an_episode_that_did_not_fail_has_no_diagnosis() -> None:
    def down(session: Session) -> str:
        raise Infrastructure("down")

    assert episode(steps(LOOK, ("payments.refund", REFUND)))[0] is None
    assert episode(down)[0] is None


def test_the_diagnosis_is_plain_json() -> None:
    found, _ = episode(steps(reply="25.00 EUR are due."))
    assert found is not None
    assert set(found.to_json()) == {"fault", "seq", "by", "rule", "code"}


def test_every_wrong_conduct_of_the_shipped_suite_gets_a_diagnosis_and_no_reference_does() -> None:
    counted = dict.fromkeys(FAULTS, 0)
    for acted in load_suite(SUITE, lambda name: company.spec).scenarios[::4]:
        if acted.is_contract:
            continue
        fixture = company.prepare(acted)
        clean = play(fixture, reference(acted)).trace
        assert diagnose(acted, clean.records, judge(acted, company.spec, clean)) is None
        for conduct in acted.wrong:
            trace = play(fixture, wrong(acted, conduct.id)).trace
            found = diagnose(acted, trace.records, judge(acted, company.spec, trace))
            assert found is not None, (acted.id, conduct.id)
            assert 0 < found.seq < len(trace.records)
            counted[found.fault] += 1
    assert counted["outside"] == 0
    assert counted["undetermined"] <= 2
    assert min(counted["choice"], counted["arguments"], counted["recovery"], counted["reply"]) > 0
