"""Faults in judging: those that tested nothing void an episode, and what somebody else did is not the agent's."""

from __future__ import annotations

from typing import Any

import pytest

from company_lab.agents.protocol import Agent, Session, Task, ToolError
from company_lab.company import company
from company_lab.episodes import play
from company_lab.evaluation import Verdict, judge
from company_lab.evaluation.judging import explain
from company_lab.scenarios.loader import load_document
from company_lab.scenarios.model import Scenario
from company_lab.traces import Trace

CHANGE = {"invoices": {"I-1": {"received_minor": 5000}}}
GET = ("invoices.get", {"id": "I-1"})
CONTACT = ("crm.get", {"id": "C-1"})
SEND = ("email.send", {"to": "ida@holm.example.test", "text": "60.00 EUR are open."})


def scenario(*faults: dict[str, Any], **expected: Any) -> Scenario:
    document: dict[str, Any] = {
        "id": "somebody_else_books",
        "initial": {
            "contacts": {"C-1": {"name": "Ida Holm", "email": "ida@holm.example.test"}},
            "invoices": {
                "I-1": {
                    "contact": "C-1",
                    "total_minor": 6000,
                    "received_minor": 0,
                    "currency": "EUR",
                    "status": "open",
                }
            },
        },
        "stimulus": {"message": "Tell her what is open."},
        "expected": {
            "actions": [{"tool": "email.send", "args": {"to": "ida@holm.example.test"}}],
            **expected,
        },
        "reference": [{"do": [{"tool": tool, "args": args} for tool, args in (GET, SEND)]}],
        "faults": list(faults),
    }
    return load_document(document, worlds=lambda _: company.spec)


def played(one: Scenario, *calls: tuple[str, dict[str, Any]]) -> Trace:
    def act(task: Task, session: Session) -> str:
        for tool, args in calls:
            try:
                session.call(tool, **args)
            except ToolError:
                continue
        return "done"

    return play(company.prepare(one), Agent(name="tests:agent", kind="conduct", act=act)).trace


def judged(one: Scenario, *calls: tuple[str, dict[str, Any]]) -> Verdict:
    return judge(one, company.spec, played(one, *calls))


EVIDENCE = [{"tool": "invoices.get", "args": {"id": "I-1"}, "before": "email.send"}]


def foreign(on: str) -> dict[str, Any]:
    return {"on": on, "kind": "foreign_change", "change": CHANGE}


def test_what_somebody_else_changed_is_no_unexpected_change_of_the_agent() -> None:
    one = scenario(foreign("email.send"))
    verdict = judged(one, GET, SEND)
    assert (verdict.outcome, verdict.failures) == ("passed", ())
    trace = played(one, GET, SEND)
    trace.records[-1]["writers"] = {"invoices/I-1/received_minor": ["c2"]}
    own = judge(scenario(foreign("email.send"), actions=[{"tool": "crm.get"}]), company.spec, trace)
    assert "unexpected_change" in [failure.code for failure in own.failures]


@pytest.mark.fault("B18")
def test_a_look_that_somebody_else_outdated_is_no_evidence_any_more() -> None:
    one = scenario(foreign("crm.get"), evidence=EVIDENCE)
    (failure,) = judged(one, GET, CONTACT, SEND).failures
    assert failure.code == "missing_evidence"
    assert "somebody else changed the record" in failure.message
    assert judged(one, GET, CONTACT, GET, SEND).outcome == "passed"


def test_what_changes_under_the_call_itself_is_not_held_against_whoever_looked_before() -> None:
    one = scenario(foreign("email.send"), evidence=EVIDENCE)
    assert judged(one, GET, SEND).outcome == "passed"


@pytest.mark.parametrize("kind", ["malformed_result", "partial_result", "lost_ack", "lost_request", "error"])
def test_an_answer_that_did_not_arrive_whole_is_no_evidence_and_another_look_is(kind: str) -> None:
    one = scenario({"on": "invoices.get", "kind": kind}, evidence=EVIDENCE)
    (failure,) = judged(one, GET, SEND).failures
    assert (failure.code, failure.check) == ("missing_evidence", "expected.evidence[0]")
    assert judged(one, GET, GET, SEND).outcome == "passed"


@pytest.mark.parametrize("kind", ["lost_ack", "server_error_after", "rate_limited_after", "malformed_result"])
@pytest.mark.fault("B15")
def test_an_effect_counts_whatever_reached_the_agent(kind: str) -> None:
    fault = {"on": "email.send", "kind": kind}
    assert judged(scenario(fault, effects=[_mailed(1)]), SEND).outcome == "passed"
    twice = judged(scenario(fault, effects=[_mailed(1)]), SEND, SEND)
    assert "duplicate_effect" in [failure.code for failure in twice.failures]


@pytest.mark.parametrize("kind", ["lost_request", "server_error", "rate_limited", "error"])
def test_what_never_happened_does_not_count(kind: str) -> None:
    fault = {"on": "email.send", "kind": kind}
    verdict = judged(scenario(fault, effects=[_mailed(1)]), SEND)
    assert "missing_action" in [failure.code for failure in verdict.failures]
    assert judged(scenario(fault, effects=[_mailed(1)]), SEND, SEND).outcome == "passed"


def _mailed(times: int) -> dict[str, Any]:
    return {"provider": "email", "op": "send", "match": {"to": "ida@holm.example.test"}, "times": times}


def test_a_failure_stands_although_a_fault_did_not_happen() -> None:
    one = scenario({"on": "payments.refund", "kind": "lost_ack"})
    assert judged(one, SEND).outcome == "invalid"
    assert judged(one, GET).outcome == "failed"


def test_a_fault_that_happened_is_told_among_what_held() -> None:
    one = scenario(foreign("email.send"))
    held = explain(one, company.spec, played(one, SEND)).held
    assert any("foreign_change on email.send fired" in note.message for note in held)


@pytest.mark.parametrize("schedule", [3, "x", {"0": 1}, [1, None, "error"]])
def test_a_schedule_that_is_none_does_not_stop_judging(schedule: Any) -> None:
    one = scenario()
    trace = played(one, SEND)
    trace.records[0]["schedule"] = schedule
    assert judge(one, company.spec, trace).outcome == ("invalid" if isinstance(schedule, list) else "passed")


@pytest.mark.parametrize("schedule", [3, None, {}])
def test_a_schedule_that_is_none_replaces_no_fault_of_the_scenario(schedule: Any) -> None:
    one = scenario({"on": "payments.refund", "kind": "lost_ack"})
    trace = played(one, SEND)
    trace.records[0]["schedule"] = schedule
    assert judge(one, company.spec, trace).outcome == "invalid"
    trace.records[0]["schedule"] = []
    assert judge(one, company.spec, trace).outcome == "passed"


@pytest.mark.parametrize(
    "fault",
    [
        foreign("email.send"),
        {"on": "email.send", "kind": "lost_ack"},
        {"on": "email.send", "kind": "outage", "by": "1h"},
        {"on": "invoices.get", "kind": "stale_read"},
        {"on": "invoices.get", "kind": "malformed_result"},
    ],
    ids=lambda fault: str(fault["kind"]),
)
def test_the_rules_can_still_be_read_over_an_episode_with_faults(fault: dict[str, Any]) -> None:
    assert company.spec.read_rules is not None
    one = scenario(fault)
    readings = company.spec.read_rules(one, played(one, GET, SEND, SEND, GET).records)
    assert not [reading.why for reading in readings if "does not" in reading.why]
    assert {reading.reading for reading in readings} == {"kept", "not checkable"}
