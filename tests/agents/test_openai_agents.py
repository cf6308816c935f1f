"""What is the OpenAI Agents SDK's own: handoffs, interruptions, what it refuses to run."""

from __future__ import annotations

from typing import Any

import agents
import pytest
from agents import Agent, OpenAIChatCompletionsModel, function_tool
from agents.testing import ScriptedModel, assistant_message, function_call
from openai import AsyncOpenAI

from company_lab.agents.openai_agents import openai_agents_agent
from company_lab.company import company
from company_lab.episodes import play
from company_lab.formats.errors import WrongUse
from company_lab.scenarios.loader import load_scenarios
from company_lab.scenarios.model import Scenario
from company_lab.traces import Trace
from framework_agents import Says, Wanted, in_openai_agents
from model_episode import of_kind, shipped


def played(agent: Any, scenario: Scenario | None = None, **given: Any) -> Trace:
    made = agent if hasattr(agent, "act") else openai_agents_agent(agent, **given)
    acted = scenario or shipped()
    return play(company.prepare(acted), made.for_scenario(acted)).trace


def scripted(*steps: list[Any] | Exception) -> ScriptedModel:
    return ScriptedModel(list(steps))


TWO_TURNS = """
id: two_turns
initial: {contacts: {C-1: {name: Ida Holm, email: ida@holm.example.test}}}
stimulus: {message: Who is C-1?, then: [{when: {after: crm.get}, message: And her address?}]}
expected: {told: {states: [{literal: ida@holm.example.test}]}}
reference: [{do: [{tool: crm.get, args: {id: C-1}}], reply: Ida}, {do: [], reply: ida@holm.example.test}]
wrong: [{id: silent, codes: [missing_reply], do: [], reply: nothing}]
"""


def test_agents_it_hands_over_to_work_in_the_world_too_and_answer_the_next_turn() -> None:
    (scenario,) = load_scenarios(TWO_TURNS, worlds=lambda name: company.spec)

    @function_tool
    def refund_for_real() -> str:
        raise AssertionError("production code ran")

    clerk_model = scripted(
        [function_call("crm_get", {"id": "C-1"}, call_id="b")],
        [assistant_message("Ida")],
        [assistant_message("ida@holm.example.test")],
    )
    clerk: Any = Agent(name="clerk", model=clerk_model, tools=[refund_for_real], instructions="Look it up.")
    front: Any = Agent(
        name="front", handoffs=[clerk], model=scripted([function_call("transfer_to_clerk", {}, call_id="a")])
    )
    made = openai_agents_agent(front)
    trace = played(made, scenario)
    assert [one["text"] for one in of_kind(trace, "reply")] == ["Ida", "ida@holm.example.test"]
    assert [one["tool"] for one in of_kind(trace, "action")] == ["crm.get"]
    assert made.prompts == {"clerk": "Look it up."}
    assert clerk.tools == [refund_for_real]
    assert "crm_get" in {tool.name for tool in clerk_model.calls[0].tools}
    assert "refund_for_real" not in {tool.name for tool in clerk_model.calls[0].tools}


def test_an_approval_gate_of_the_agents_own_is_left_to_the_guard() -> None:
    ran: list[int] = []

    @function_tool(needs_approval=True)
    def note() -> str:
        ran.append(1)
        return "noted"

    agent: Any = Agent(
        name="x",
        tools=[note],
        model=scripted([function_call("note", {}, call_id="n")], [assistant_message("ok")]),
    )
    trace = played(agent, keep_own_tools=True)
    assert trace.stop == "finished"
    assert ran == [1]
    assert not of_kind(trace, "action")


def test_two_calls_under_one_id_are_refused_by_the_sdk_which_is_recorded_as_its_answer() -> None:
    calls = (
        Wanted("payments_find", {"order": "A-104"}, id="same"),
        Wanted("crm_get", {"id": "C-7715"}, id="same"),
    )
    trace = played(in_openai_agents([Says(calls=calls)]).agent)
    assert trace.stop == "agent_error"
    assert "reused a tool call ID" in of_kind(trace, "model")[0]["error"]["message"]


def test_a_tool_nobody_has_ends_the_run_of_the_sdk_and_is_recorded() -> None:
    trace = played(in_openai_agents([Says(calls=(Wanted("no_such_tool", {}, id="x"),))]).agent)
    assert trace.stop == "agent_error"
    assert [one["tool"] for one in of_kind(trace, "action")] == ["no_such_tool"]


def test_kinds_and_prices_are_seen_from_the_model() -> None:
    hosted = OpenAIChatCompletionsModel("gpt-5-mini", AsyncOpenAI(api_key="sk-not-a-key"))
    made = openai_agents_agent(Agent(name="x", model=hosted))
    assert made.kind == "real_model"
    assert list(made.hosts) == ["api.openai.com"]
    assert str(made.prices["gpt-5-mini"]["source"]).startswith("genai-prices")  # type: ignore[call-overload, index]
    local = OpenAIChatCompletionsModel(
        "gpt-5-mini", AsyncOpenAI(api_key="sk-not-a-key", base_url="http://127.0.0.1:1/v1")
    )
    made = openai_agents_agent(Agent(name="x", model=local))
    assert made.prices["gpt-5-mini"]["source"] == "unknown"  # type: ignore[call-overload, index]
    assert "sk-not-a-key" not in repr((made.settings, made.prompts, made.prices, made.hosts))
    assert openai_agents_agent(Agent(name="x", model="litellm/some/model")).hosts == {}


def test_a_configuration_may_bring_its_own_model_and_exports_no_traces() -> None:
    config = agents.RunConfig(model=scripted([assistant_message("done")]), workflow_name="mine")
    made = openai_agents_agent(Agent(name="x"), run_config=config)
    assert made.kind == "test_model"
    assert of_kind(played(made), "reply")[0]["text"] == "done"
    assert config.tracing_disabled is False  # the user's own stays as it is


def test_anything_else_is_refused() -> None:
    with pytest.raises(WrongUse, match="found a int"):
        openai_agents_agent(7)  # type: ignore[arg-type]
