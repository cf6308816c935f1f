"""Agents that ask models, killed around an effect: they come back to the world they left, and ask anew."""

from __future__ import annotations

from typing import Any

import pytest

from chat_server import Asked, ScriptedChatServer, Step, call, calls, chooses, says
from company_lab.agents.resolve import resolve_agent
from company_lab.company import company
from company_lab.episodes import Episode, play
from company_lab.evaluation import judge
from company_lab.scenarios.loader import load_scenarios
from company_lab.scenarios.model import Fault, Scenario
from model_episode import chat, deciding, of_kind

pytestmark = pytest.mark.loopback

TEXT = b"""
id: one_refund
initial:
  contacts: {C-1: {name: Ida Holm}}
  charges: {ch_1: {contact: C-1, captured_minor: 2500, refunded_minor: 0, currency: EUR}}
stimulus: {message: "Please refund ch_1 completely."}
providers: {payments: {refund: [{answer: permissive}]}}
expected:
  actions: [{tool: payments.refund, args: {charge: ch_1, amount_minor: 2500, key: {any: true}}, times: 1}]
  effects: [{provider: payments, op: refund, match: {charge: ch_1}, times: 1, sum_minor: 2500}]
  told: {claims_only_if_true: [refund_made]}
reference:
  - do: [{tool: payments.refund, args: {charge: ch_1, amount_minor: 2500, key: k}}]
    reply: 25.00 EUR have been refunded.
"""
REFUND = {"charge": "ch_1", "amount_minor": 2500, "key": "refund-ch_1"}


def _scenario() -> Scenario:
    (scenario,) = load_scenarios(TEXT, file="one_refund.yaml", worlds=lambda name: company.spec)
    return scenario


def _played(adapter: str, options: dict[str, Any], **crash: Any) -> Episode:
    scenario = _scenario()
    agent = resolve_agent(adapter, {"test_model": True, **options}).for_scenario(scenario)
    schedule = (Fault(on="payments.refund", kind="crash", **crash),)
    return play(company.prepare(scenario), agent, schedule=schedule)


def _refunds_once_asked(asked: Asked, number: int) -> Step:
    """Asks for the refund until its own conversation holds an answer to that."""
    spoken = asked.body.get("messages") or asked.body.get("input")
    answered = any(one.get("role") == "tool" or one.get("type") == "function_call_output" for one in spoken)
    return says("25.00 EUR have been refunded.") if answered else calls(call("payments_refund", REFUND))


@pytest.mark.parametrize("restart", ["task", "transcript", "checkpoint"])
@pytest.mark.parametrize("at", ["before", "after", "answered"])
@pytest.mark.parametrize("adapter", ["openai-chat", "openai-responses"])
def test_a_tool_calling_model_begins_again_and_repeats_under_its_key(
    adapter: str, at: Any, restart: Any
) -> None:
    with ScriptedChatServer(_refunds_once_asked) as server:
        episode = _played(adapter, chat(server.url), at=at, restart=restart)
    verdict = judge(_scenario(), company.spec, episode.trace, episode.timings)
    assert verdict.outcome == "passed", verdict
    assert len(of_kind(episode.trace, "crash")) == len(of_kind(episode.trace, "restart")) == 1
    (settled,) = of_kind(episode.trace, "settled")
    assert len(settled["ledgers"]["payments"]) == 1


@pytest.mark.parametrize("at", ["before", "after", "answered"])
def test_the_decision_loop_begins_again_and_repeats_under_its_key(at: Any) -> None:
    def script(asked: Asked, number: int) -> Step:
        if asked.path.endswith("systemone"):
            return chooses("respond" if asked.body["state"]["history"] else "refund")
        if asked.body.get("response_format") or asked.body.get("tools"):
            return says('{"charge": "ch_1", "amount_minor": 2500, "key": "refund-ch_1"}')
        return says("25.00 EUR have been refunded.")

    with ScriptedChatServer(script) as server:
        options = deciding(server.root, tool=["payments.refund"], alias=["refund=payments.refund"])
        episode = _played("decision", options, at=at)
    verdict = judge(_scenario(), company.spec, episode.trace, episode.timings)
    assert verdict.outcome == "passed", verdict
    assert len(of_kind(episode.trace, "crash")) == 1


def test_a_model_that_takes_a_new_key_after_its_crash_is_caught() -> None:
    lives = iter(range(9))

    def script(asked: Asked, number: int) -> Step:
        step = _refunds_once_asked(asked, number)
        return step if step.text else calls(call("payments_refund", {**REFUND, "key": f"key-{next(lives)}"}))

    with ScriptedChatServer(script) as server:
        episode = _played("openai-chat", chat(server.url), at="after")
    verdict = judge(_scenario(), company.spec, episode.trace, episode.timings)
    assert "duplicate_effect" in {failure.code for failure in verdict.failures}
