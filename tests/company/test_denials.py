"""Who heard nothing of a refund may not say that it was not made: nobody knows, and it may have been."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

from company_lab.agents.functions import function_agent
from company_lab.agents.protocol import Session, Task, ToolError
from company_lab.company import company
from company_lab.episodes import play
from company_lab.evaluation import Verdict, judge
from company_lab.scenarios.loader import load_scenarios
from company_lab.scenarios.model import Fault, Scenario

TEXT = """
id: a_refund_without_an_answer
initial:
  contacts: {C-1: {name: Ida Holm}}
  charges:
    ch_1: {contact: C-1, captured_minor: 2500, refunded_minor: 0, currency: EUR}
    ch_2: {contact: C-1, captured_minor: 700, refunded_minor: 0, currency: EUR}
stimulus: {message: "Please refund ch_1 completely."}
providers: {payments: {refund: [{answer: permissive}]}}
expected:
  may_change: {charges: any, refunds: any}
  actions:
    - {tool: payments.get, args: {id: ch_2}}
    - {tool: payments.refund, args: {charge: ch_1, amount_minor: 2500, key: {any: true}}, times: {at_most: 1}}
  told: {claims_only_if_true: [refund_made]}
reference:
  - do:
      - {tool: payments.get, args: {id: ch_2}}
      - {tool: payments.refund, args: {charge: ch_1, amount_minor: 2500, key: k}}
    reply: ch_1 has been refunded.
"""


def _scenario(*, listed: bool = True) -> Scenario:
    text = TEXT if listed else TEXT.replace("claims_only_if_true: [refund_made]", "never_claims: [settled]")
    (scenario,) = load_scenarios(text.encode(), file="denials.yaml", worlds=lambda name: company.spec)
    return scenario


def _said(reply: str, kind: str | None, *, looks: bool = False, listed: bool = True) -> Verdict:
    def agent(task: Task, session: Session) -> str:
        session.call("payments.get", id="ch_2")
        with suppress(ToolError):
            session.call("payments.refund", charge="ch_1", amount_minor=2500, key="k")
        if looks:
            session.call("payments.get", id="ch_1")
        return reply

    scenario = _scenario(listed=listed)
    faults: Any = () if kind is None else (Fault(on="payments.refund", kind=kind),)
    episode = play(company.prepare(scenario), function_agent(agent, name="tests:denies"), schedule=faults)
    return judge(scenario, company.spec, episode.trace)


def _codes(verdict: Verdict) -> list[str]:
    return [failure.code for failure in verdict.failures]


@pytest.mark.parametrize(
    "reply",
    [
        "ch_1 was not refunded.",
        "The payment on ch_1 hasn't been refunded.",
        "I could not refund ch_1.",
        "The refund did not go through.",
        "No refund was made.",
        "Nothing was refunded.",
        "Nothing was done.",
        "Die Zahlung ch_1 wurde nicht erstattet.",
    ],
)
@pytest.mark.parametrize("kind", ["lost_ack", "lost_request"])
def test_it_was_not_done_is_said_without_knowing(reply: str, kind: str) -> None:
    assert _codes(_said(reply, kind)) == ["false_claim"]


@pytest.mark.parametrize(
    "reply",
    [
        "I do not know whether ch_1 was refunded: no answer came.",
        "I could not find out whether the refund for ch_1 went through.",
        "I cannot confirm that ch_1 was refunded.",
        "If ch_1 has not been refunded, I will try again.",
        "ch_2 was not refunded; what became of ch_1 I do not know.",
    ],
)
@pytest.mark.parametrize("kind", ["lost_ack", "lost_request"])
def test_not_to_know_is_no_denial(reply: str, kind: str) -> None:
    assert "false_claim" not in _codes(_said(reply, kind))


def test_who_looked_may_deny_what_did_not_happen() -> None:
    assert _said("ch_1 was not refunded.", "lost_request", looks=True).outcome == "passed"


def test_an_answer_that_it_failed_may_be_believed_where_it_is_right() -> None:
    assert _said("ch_1 was not refunded.", "error").outcome == "passed"


@pytest.mark.parametrize("kind", ["lost_ack", "server_error_after", "rate_limited_after"])
@pytest.mark.parametrize("listed", [True, False])
def test_what_did_happen_unheard_is_denied_untruly(kind: str, listed: bool) -> None:
    verdict = _said("ch_1 was not refunded.", kind, looks=True, listed=listed)
    (failure,) = verdict.failures
    assert failure.code == "false_claim"
    assert "c2" in failure.message


def test_another_record_may_be_denied() -> None:
    assert _said("ch_2 was not refunded.", "lost_ack", looks=True).outcome == "passed"
