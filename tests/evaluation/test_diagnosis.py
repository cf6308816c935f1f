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
from company_lab.scenarios.model import Alternative, Scenario
from company_lab.scenarios.suite import load_suite
from company_lab.traces import Trace
from trace_writing import AT

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
    return diagnose(acted, trace.records, verdict, company.spec), trace


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


MARK = ("invoices.mark_paid", {"id": "I-9"})
"""It changes something, is no part of the work, and fails."""
NEVER = ("payments.give_back", REFUND)
GAVE_UP = "25.00 EUR could not go back."
WRONG_BEFORE: dict[str, tuple[Script, str]] = {
    "and then gives up": (steps(MARK, reply=GAVE_UP), ""),
    "with arguments that are no JSON": (steps((MARK[0], '{"id":'), reply=GAVE_UP), ""),
    "and the right one fails": (steps(MARK, LOOK, ("payments.refund", REFUND), reply=GAVE_UP), FAILS),
    "that does not exist, and the right one fails": (
        steps(LOOK, NEVER, ("payments.refund", REFUND), reply=GAVE_UP),
        FAILS,
    ),
    "and repeats what may have happened": (
        steps(LOOK, MARK, ("payments.refund", REFUND), ("payments.refund", {**REFUND, "key": "again"})),
        LOST,
    ),
}


@pytest.mark.parametrize("label", WRONG_BEFORE)
def test_a_tool_that_was_chosen_wrongly_comes_before_what_was_made_of_an_error(label: str) -> None:
    script, faults = WRONG_BEFORE[label]
    found, trace = episode(script, faults)
    assert found is not None
    assert (found.fault, trace.records[found.seq]["tool"]) == (
        "choice",
        (NEVER if "exist" in label else MARK)[0],
    )
    assert found.by == "agent"


RECOVERY: dict[str, tuple[Script, str]] = {
    "a look-up of no use fails first": (
        steps(("orders.get", {"id": "O-9"}), LOOK, ("payments.refund", REFUND), reply=GAVE_UP),
        FAILS,
    ),
    "a wrong tool is tried after the error": (
        steps(LOOK, ("payments.refund", REFUND), MARK, ("payments.refund", REFUND), reply=GAVE_UP),
        FAILS.replace("}]", "}, {on: payments.refund, kind: error, error: unavailable, attempt: 2}]"),
    ),
}


@pytest.mark.parametrize("label", RECOVERY)
def test_what_came_first_was_no_wrong_choice_where(label: str) -> None:
    script, faults = RECOVERY[label]
    found, _ = episode(script, faults)
    assert found is not None
    assert found.fault == "recovery"


def test_a_wrong_tool_that_a_selector_chose_is_its_own_and_not_the_writers_whose_arguments_failed() -> None:
    def chosen(session: Session) -> str:
        choose(session, MARK[0])
        attempt(session, MARK[0], '{"id":', by="writer")
        choose(session, "respond")
        return GAVE_UP

    found, trace = episode(chosen)
    assert found is not None
    assert (found.fault, found.by, trace.records[found.seq]["kind"]) == ("choice", "selector", "choice")
    assert found.seq == next(record["seq"] for record in trace.by_kind("choice"))


def test_a_wrong_tool_does_not_explain_a_wrong_reply_after_all_was_done() -> None:
    found, _ = episode(steps(MARK, LOOK, ("payments.refund", REFUND), reply="We have refunded 20.00 EUR."))
    assert found is not None
    assert found.fault == "reply"


def test_without_the_world_only_what_was_refused_or_does_not_exist_was_chosen_wrongly() -> None:
    def of(script: Script) -> str:
        _, trace = episode(script)
        found = diagnose(scenario(), trace.records, judge(scenario(), company.spec, trace))
        assert found is not None
        return found.fault

    assert of(steps(MARK, reply=GAVE_UP)) == "recovery"
    assert of(steps(NEVER, reply=GAVE_UP)) == "choice"


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


def test_a_stored_verdict_that_lists_no_failure_has_no_diagnosis() -> None:
    _, trace = episode(lambda session: "25.00 EUR are due.")
    stored = Verdict.from_json(Verdict(outcome="failed").to_json())
    assert diagnose(scenario(), trace.records, stored, company.spec) is None


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


def test_evidence_of_an_alternative_is_diagnosed_by_its_own_entry() -> None:
    trace = Trace()
    for call, tool in (("c1", "cases.open"), ("c2", "payments.get")):
        trace.add("action", AT, call=call, turn=1, tool=tool, args={}, supplied={}, by="agent")
        trace.add("result", AT, call=call, outcome="executed", delivery="delivered", value=None, error=None)
    trace.add("stopped", AT, reason="finished", detail="")
    entry = {"tool": "payments.get", "args": {"id": "ch_2"}, "before": "cases.open"}
    asked = scenario().expected
    other = Alternative.model_validate({"id": "opens_a_case", "evidence": [entry]})
    acted = scenario().model_copy(update={"expected": asked.model_copy(update={"alternatives": (other,)})})

    def found(check: str) -> Diagnosis | None:
        failure = Failure(
            code="missing_evidence", severity="major", check=check, message="late", evidence=(0, 2)
        )
        verdict = Verdict(outcome="failed", failures=(failure,))
        return diagnose(acted, trace.records, verdict, company.spec)

    late = found("expected.alternatives[0].evidence[0]")
    assert late is not None
    assert (late.fault, late.seq, late.rule) == ("choice", 0, "it acted before it had looked")
    for gone in ("expected.alternatives[7].evidence[0]", "expected.evidence[7]"):
        elsewhere = found(gone)
        assert elsewhere is not None
        assert elsewhere.seq != 0
