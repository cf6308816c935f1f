"""What is pydantic-ai's own: agents that stay as they are, approvals, its test model, its errors."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import pytest
from pydantic import BaseModel
from pydantic_ai import Agent, DeferredToolRequests, ModelRetry, RunContext
from pydantic_ai.exceptions import (
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
)
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.usage import RequestUsage

from chat_server import ScriptedChatServer, call, calls, says
from company_lab.agents.pydantic_ai import pydantic_ai_agent
from company_lab.company import company
from company_lab.episodes import play
from company_lab.evaluation import judge
from company_lab.formats.errors import WrongUse
from company_lab.scenarios.loader import load_scenarios
from company_lab.scenarios.model import Scenario
from company_lab.traces import Trace
from framework_agents import Says, Wanted, in_pydantic_ai, replaying
from model_episode import of_kind, shipped

LOOK = Says(calls=(Wanted("payments_find", {"order": "A-104"}, id="a"),))
DONE = Says(text="done")


def played(agent: Any, scenario: Scenario | None = None, **given: Any) -> Trace:
    made = agent if hasattr(agent, "act") else pydantic_ai_agent(agent, **given)
    acted = scenario or shipped()
    return play(company.prepare(acted), made.for_scenario(acted)).trace


def saying(*parts: list[Any]) -> FunctionModel:
    left = iter(parts)
    return FunctionModel(lambda messages, info: ModelResponse(parts=next(left)))


def test_the_agents_own_tools_are_never_run_and_are_there_again_afterwards() -> None:
    agent = Agent(
        saying(
            [ToolCallPart("refund_for_real", {})],
            [ToolCallPart("crm_get", {"id": "C-7715"})],
            [TextPart("ok")],
        )
    )

    @agent.tool_plain
    def refund_for_real() -> str:
        raise AssertionError("production code ran")

    trace = played(agent)
    assert [one["tool"] for one in of_kind(trace, "action")] == ["refund_for_real", "crm.get"]
    assert of_kind(trace, "result")[0]["error"]["code"] == "unknown_tool"
    with agent.override(model=TestModel(call_tools=["refund_for_real"])), pytest.raises(AssertionError):
        agent.run_sync("x")


def test_own_tools_may_stay_beside_the_worlds_and_are_no_attempts() -> None:
    agent = Agent(
        saying(
            [ToolCallPart("add", {"a": 2, "b": 3})],
            [ToolCallPart("crm_get", {"id": "C-7715"})],
            [TextPart("5")],
        ),
        deps_type=int,
    )

    @agent.tool
    def add(context: RunContext[int], a: int, b: int) -> int:
        return a + b + context.deps

    trace = played(agent, keep_own_tools=True, deps=lambda: 1)
    assert [one["tool"] for one in of_kind(trace, "action")] == ["crm.get"]
    assert of_kind(trace, "model")[0]["answer"]["calls"][0]["name"] == "add"


def test_its_test_model_runs_every_tool_and_is_marked_as_wiring_only() -> None:
    trace = played(Agent(TestModel()), tools=("crm.get", "orders.get"))
    assert trace.header["evidence"] == "test model"
    assert trace.header["layer"] == "runtime"
    assert [one["tool"] for one in of_kind(trace, "action")] == ["crm.get", "orders.get"]
    assert {one["outcome"] for one in of_kind(trace, "result")} == {"failed"}
    assert [one["hint"] for one in of_kind(trace, "action")] == [
        None,
        None,
    ]  # ids it draws are not the model's


def test_kinds_are_seen_from_the_model_and_a_test_model_can_not_be_declared_real() -> None:
    class Own(WrapperModel):
        pass

    real = OpenAIChatModel("gpt-5-mini", provider=OpenAIProvider(api_key="sk-not-a-key"))
    assert pydantic_ai_agent(Agent(real)).kind == "real_model"
    assert pydantic_ai_agent(Agent(Own(TestModel()))).kind == "test_model"
    assert pydantic_ai_agent(Agent()).kind == "undeclared"
    assert pydantic_ai_agent(Agent("openai:gpt-5-mini", defer_model_check=True)).kind == "real_model"
    with pytest.raises(WrongUse, match="test model"):
        pydantic_ai_agent(Agent(TestModel()), kind="real_model")
    with pytest.raises(WrongUse, match="scripted"):
        pydantic_ai_agent(Agent(TestModel()), kind="rael_model")  # type: ignore[arg-type]


def test_settings_prompts_and_prices_are_kept_and_keys_are_not() -> None:
    real = OpenAIChatModel("gpt-5-mini", provider=OpenAIProvider(api_key="sk-not-a-key"))
    made = pydantic_ai_agent(Agent(real, instructions="Be kind.", system_prompt="You work."))
    assert made.settings["model"] == "gpt-5-mini"
    assert made.prompts == {"system": "You work.", "instructions": "Be kind."}
    assert str(made.prices["gpt-5-mini"]["source"]).startswith("genai-prices")  # type: ignore[call-overload, index]
    assert list(made.hosts) == ["api.openai.com"]
    assert "sk-not-a-key" not in repr((made.settings, made.prompts, made.prices, made.hosts))
    assert made.digest != pydantic_ai_agent(Agent(real, instructions="Be quick.")).digest


HELD = """
id: waits_for_a_person
clock: 2026-03-12T15:00:00+01:00
role: {tenant: brightwater, permissions: [crm.read, quotes.read, quotes.write, email.send]}
people: {sales_lead: {approves: [quotes.send]}}
initial:
  contacts: {C-1: {name: Piet Vermeer, email: piet@vermeer.example.test}}
  quotes:
    Q-30: {contact: C-1, version: 3, approved_version: 2, total_minor: 435000, currency: EUR, status: draft,
           lines: [{item: wall, quantity: 1, price_minor: 435000}]}
events:
  - {at: +2h, id: evt_1, type: approval.decided, wakes: true,
     data: {approval: approval_1, decision: DECISION, by: sales_lead, version: 3}}
stimulus: {from: sales_lead, message: Send Q-30.}
expected: {told: {states: [{literal: sent}]}, may_change: {quotes: any, approvals: any}}
reference: [{do: [{tool: quotes.send, args: {id: Q-30}}, {tool: clock.wait, args: {duration: 3h}}], reply: sent}]
wrong: [{id: silent, codes: [missing_reply], do: [], reply: nothing}]
"""
SEND = Says(text="I will send it.", calls=(Wanted("quotes_send", {"id": "Q-30"}, id="send"),))


def held(decision: str) -> Scenario:
    (scenario,) = load_scenarios(HELD.replace("DECISION", decision), worlds=lambda name: company.spec)
    return scenario


def test_an_agent_that_can_wait_for_approval_waits_and_is_let_through_when_a_person_agrees() -> None:
    agent = in_pydantic_ai([SEND, Says(text="It was sent.")], output_type=[str, DeferredToolRequests])
    trace = played(agent.agent, held("approved"))
    assert trace.stop == "finished", of_kind(trace, "stopped")
    assert [(one["turn"], one["hint"]) for one in of_kind(trace, "action")] == [(1, "send"), (2, "send")]
    assert [one["outcome"] for one in of_kind(trace, "result")] == ["held", "executed"]
    assert [one["text"] for one in of_kind(trace, "reply")] == ["I will send it.", "It was sent."]


def test_an_agent_that_waited_is_told_when_a_person_says_no_and_nothing_is_attempted_again() -> None:
    agent = in_pydantic_ai([SEND, Says(text="Not sent.")], output_type=[str, DeferredToolRequests])
    trace = played(agent.agent, held("rejected"))
    assert [one["outcome"] for one in of_kind(trace, "result")] == ["held"]
    assert "a person said no" in agent.sent[1]


def test_an_agent_that_can_not_wait_is_told_that_the_call_is_held() -> None:
    agent = in_pydantic_ai([SEND, Says(text="It waits for approval."), DONE])
    trace = played(agent.agent, held("approved"))
    assert of_kind(trace, "result")[0]["outcome"] == "held"
    assert '\\"status\\":\\"held\\"' in agent.sent[1]


def test_an_approval_gate_of_the_agents_own_is_left_to_the_guard() -> None:
    from pydantic_ai.toolsets import FunctionToolset

    ran: list[int] = []
    own: FunctionToolset[None] = FunctionToolset()

    @own.tool_plain(requires_approval=True)
    def note() -> str:
        ran.append(1)
        return "noted"

    agent = Agent(
        saying([ToolCallPart("note", {}, tool_call_id="n")], [TextPart("ok")]),
        toolsets=[own],
        output_type=[str, DeferredToolRequests],
    )
    trace = played(agent, keep_own_tools=True)
    assert trace.stop == "finished"
    assert ran == [1]


@pytest.mark.parametrize(
    ("error", "stop"),
    [
        (ModelHTTPError(status_code=429, model_name="m"), "infrastructure_error"),
        (ModelHTTPError(status_code=500, model_name="m"), "infrastructure_error"),
        (ModelConnectionError("m", "no route"), "infrastructure_error"),
        (ModelContextWindowExceededError("m", "maximum context length"), "agent_error"),
    ],
    ids=["rate limit", "server error", "connection", "context window"],
)
def test_errors_of_the_model_are_told_apart(error: Exception, stop: str) -> None:
    trace = played(in_pydantic_ai([LOOK, error]).agent)
    assert trace.stop == stop
    assert len(of_kind(trace, "action")) == 1


def test_a_model_that_misbehaves_is_an_error_of_the_agent_and_its_calls_stay() -> None:
    script = [Says(calls=(Wanted("no_such_tool", {"n": n}, id=f"c{n}"),)) for n in range(9)]
    trace = played(in_pydantic_ai(script).agent)
    assert trace.stop == "agent_error"
    assert "UnexpectedModelBehavior" in of_kind(trace, "stopped")[0]["detail"]
    assert len(of_kind(trace, "action")) == 2


@pytest.mark.fault("D03")
def test_two_calls_under_one_id_are_recorded_though_the_library_refuses_them() -> None:
    calls = (
        Wanted("payments_find", {"order": "A-104"}, id="same"),
        Wanted("crm_get", {"id": "C-7715"}, id="same"),
    )
    trace = played(in_pydantic_ai([Says(calls=calls), DONE]).agent)
    assert trace.stop == "agent_error"
    asked = of_kind(trace, "model")[0]["answer"]["calls"]
    assert [(one["id"], one["name"]) for one in asked] == [("same", "payments_find"), ("same", "crm_get")]
    assert [one["tool"] for one in of_kind(trace, "action")] == ["payments.find", "crm.get"]
    assert {one["outcome"] for one in of_kind(trace, "result")} == {"malformed"}
    assert "pydantic-ai refused the answer" in of_kind(trace, "result")[0]["error"]["message"]


def test_an_output_that_is_no_text_is_replied_as_json() -> None:
    class Answer(BaseModel):
        paid: bool

    agent: Any = Agent(saying([ToolCallPart("final_result", {"paid": True})]), output_type=Answer)
    trace = played(agent)
    assert of_kind(trace, "reply")[0]["text"] == '{"paid":true}'
    assert not of_kind(trace, "action")  # an output is no attempt at anything


def test_output_checks_of_the_agents_own_still_hold() -> None:
    agent = Agent(saying([TextPart("no")], [TextPart("please")]))

    @agent.output_validator
    def polite(text: str) -> str:
        if "please" not in text:
            raise ModelRetry("say please")
        return text

    trace = played(agent)
    assert of_kind(trace, "reply")[0]["text"] == "please"
    assert len(of_kind(trace, "model")) == 2


def test_one_agent_plays_many_episodes_at_the_same_time() -> None:
    steps = replaying(shipped().reference)

    def answer(messages: Any, info: Any) -> ModelResponse:
        step = steps[sum(isinstance(one, ModelResponse) for one in messages)]
        calls: list[Any] = [
            ToolCallPart(one.tool, one.args, tool_call_id=one.id or "x") for one in step.calls
        ]
        return ModelResponse(parts=calls or [TextPart(step.text)])

    made = pydantic_ai_agent(Agent(FunctionModel(answer)))
    with ThreadPoolExecutor(4) as threads:
        traces = list(threads.map(lambda _: played(made), range(8)))
    assert {judge(shipped(), company.spec, trace).outcome for trace in traces} == {"passed"}
    assert len({trace.bytes() for trace in traces}) == 1


def test_anything_else_is_refused() -> None:
    with pytest.raises(WrongUse, match="found a int"):
        pydantic_ai_agent(7)  # type: ignore[arg-type]


def test_half_a_character_in_a_name_is_recorded_as_it_came() -> None:
    script = [Says(calls=(Wanted("pay\ud83d", {}, id="x"),)), Says("done")]
    trace = play(company.prepare(shipped()), in_pydantic_ai(script).agent.for_scenario(shipped())).trace
    assert (of_kind(trace, "action")[0]["tool"], trace.stop) == ("pay\ud83d", "finished")


@pytest.mark.fault("D01")
def test_an_empty_text_of_arguments_is_not_read_as_an_empty_object_though_the_library_would() -> None:
    trace = played(
        in_pydantic_ai(
            [Says(calls=(Wanted("clock_now", "", id="x"), Wanted("crm_get", "{}", id="y"))), DONE]
        ).agent
    )
    assert [one["supplied"] for one in of_kind(trace, "action")] == ["", "{}"]
    assert {one["outcome"] for one in of_kind(trace, "result")} == {"malformed"}
    assert of_kind(trace, "model")[0]["answer"]["calls"][0]["arguments"] == ""


@pytest.mark.fault("D10")
def test_what_an_agent_within_a_tool_used_is_counted_at_a_cost_nobody_knows() -> None:
    def costing(tokens: int, *parts: list[Any]) -> FunctionModel:
        left = iter(parts)
        used = RequestUsage(input_tokens=tokens, output_tokens=1)
        return FunctionModel(
            lambda messages, info: ModelResponse(parts=next(left), usage=used), model_name="m"
        )

    inner = Agent(costing(700, [TextPart("found")]))
    outer = Agent(costing(10, [ToolCallPart("research", {}, tool_call_id="a")], [TextPart("ok")]))

    @outer.tool
    async def research(context: RunContext[object]) -> str:
        return str((await inner.run("x", usage=context.usage)).output)

    trace = played(outer, keep_own_tools=True, prices={"m": "1.00/1.00"}, kind="undeclared")
    assert [one["input_tokens"] for one in of_kind(trace, "usage")] == [10, 10, 700]
    assert of_kind(trace, "usage")[-1]["cost_usd"] is None
    assert trace.records[-1]["cost_usd"] is None


def test_models_asked_one_after_the_other_are_seen_and_the_one_that_answered_is_recorded() -> None:
    def down(messages: Any, info: Any) -> ModelResponse:
        raise ModelHTTPError(status_code=500, model_name="first")

    second = saying([TextPart("ok")])
    made = pydantic_ai_agent(Agent(FallbackModel(FunctionModel(down, model_name="first"), second)))
    assert made.kind == "test_model"
    trace = played(made)
    assert of_kind(trace, "model")[-1]["model"] == second.model_name
    real = OpenAIChatModel("gpt-5-mini", provider=OpenAIProvider(api_key="sk-not-a-key"))
    mixed = pydantic_ai_agent(Agent(FallbackModel(TestModel(), real)))
    assert (mixed.kind, mixed.costs_nothing) == ("real_model", False)


@pytest.mark.loopback
@pytest.mark.fault("D01")
def test_half_a_character_in_the_arguments_of_a_real_client_is_an_attempt_with_what_the_host_sent() -> None:
    raw = '{"id":"\ud83d"}'
    with ScriptedChatServer([calls(call("crm_get", raw)), says("done")]) as server:
        client = httpx2.AsyncClient(headers={"connection": "close"})
        provider = OpenAIProvider(base_url=server.url, api_key="sk-not-a-key", http_client=client)
        trace = played(Agent(OpenAIChatModel("m", provider=provider)))
    (action,) = of_kind(trace, "action")
    assert action["supplied"] == raw
    assert of_kind(trace, "result")[0]["outcome"] == "failed"  # there is nobody of that id


def costing(tokens: int, *parts: list[Any], name: str = "m") -> FunctionModel:
    left = iter(parts)
    used = RequestUsage(input_tokens=tokens, output_tokens=1)
    return FunctionModel(lambda messages, info: ModelResponse(parts=next(left), usage=used), model_name=name)


@pytest.mark.fault("D10", "D11")
def test_what_an_agent_within_a_tool_used_is_counted_once_however_often_a_person_is_waited_for() -> None:
    inner = Agent(costing(700, [TextPart("found")]))
    steps: list[list[Any]] = [[ToolCallPart("research", {}, tool_call_id="a")]]
    steps += [[ToolCallPart("note", {}, tool_call_id=id)] for id in "bcd"]
    outer: Agent[object, Any] = Agent(
        costing(10, *steps, [TextPart("ok")]), output_type=[str, DeferredToolRequests]
    )

    @outer.tool
    async def research(context: RunContext[object]) -> str:
        return str((await inner.run("x", usage=context.usage)).output)

    @outer.tool_plain(requires_approval=True)
    def note() -> str:
        return "noted"

    trace = played(outer, keep_own_tools=True, prices={"m": "1.00/1.00"}, kind="undeclared")
    assert trace.stop == "finished"
    assert [one["input_tokens"] for one in of_kind(trace, "usage")] == [10, 10, 700, 10, 10, 10]


@pytest.mark.fault("D10")
def test_what_an_agent_within_a_tool_used_is_counted_where_the_run_ends_in_an_error() -> None:
    inner = Agent(costing(700, [TextPart("found")]))
    outer: Agent[object, Any] = Agent(costing(10, [ToolCallPart("research", {}, tool_call_id="a")]))

    @outer.tool
    async def research(context: RunContext[object]) -> str:
        await inner.run("x", usage=context.usage)
        raise ValueError("a bug in the tool")

    trace = played(outer, keep_own_tools=True, prices={"m": "1.00/1.00"}, kind="undeclared")
    assert trace.stop == "agent_error"
    assert [one["input_tokens"] for one in of_kind(trace, "usage")] == [10, 700]
    assert trace.records[-1]["cost_usd"] is None


@pytest.mark.fault("D10")
def test_an_answer_that_was_thrown_away_for_another_models_was_paid_for() -> None:
    def bad(response: ModelResponse) -> bool:
        return response.text == "bad"

    models = costing(300, [TextPart("bad")], name="first"), costing(10, [TextPart("ok")])
    trace = played(
        Agent(FallbackModel(*models, fallback_on=bad)), prices={"m": "1.00/1.00"}, kind="undeclared"
    )
    assert of_kind(trace, "reply")[0]["text"] == "ok"
    assert [one["input_tokens"] for one in of_kind(trace, "usage")] == [10, 300]
    assert trace.records[-1]["cost_usd"] is None


@pytest.mark.fault("D10")
def test_counts_of_an_answer_that_nobody_measured_are_unknown() -> None:
    used = RequestUsage(input_tokens=5, output_tokens=1, unmeasured_requests=1)
    model = FunctionModel(lambda messages, info: ModelResponse(parts=[TextPart("ok")], usage=used))
    trace = played(Agent(model), kind="undeclared")
    assert of_kind(trace, "usage")[0]["input_tokens"] is None


@pytest.mark.fault("D01", "D03")
def test_an_id_that_comes_back_in_a_later_answer_has_nothing_to_do_with_the_earlier_call() -> None:
    script = [Says(calls=(Wanted("clock_now", args, id="call_0"),)) for args in ("", "{}")]
    trace = played(in_pydantic_ai([*script, DONE]).agent)
    assert [one["supplied"] for one in of_kind(trace, "action")] == ["", "{}"]
