"""What is the OpenAI Agents SDK's own: handoffs, interruptions, what it refuses to run."""

from __future__ import annotations

import asyncio
from typing import Any

import agents
import httpx2
import openai
import pytest
from agents import Agent, OpenAIChatCompletionsModel, function_tool
from agents.testing import ScriptedModel, assistant_message, function_call
from openai import AsyncOpenAI
from pydantic import BaseModel

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


@pytest.mark.fault("D03")
def test_two_calls_under_one_id_are_recorded_though_the_sdk_refuses_the_answer() -> None:
    calls = (
        Wanted("payments_find", {"order": "A-104"}, id="same"),
        Wanted("crm_get", {"id": "C-7715"}, id="same"),
    )
    trace = played(in_openai_agents([Says(calls=calls)]).agent)
    assert trace.stop == "agent_error"
    asked = of_kind(trace, "model")[0]["answer"]["calls"]
    assert [(one["id"], one["name"]) for one in asked] == [("same", "payments_find"), ("same", "crm_get")]
    assert {one["outcome"] for one in of_kind(trace, "result")} == {"malformed"}
    assert [one["tool"] for one in of_kind(trace, "action")] == ["payments.find", "crm.get"]
    assert "reused a tool call ID" in of_kind(trace, "result")[0]["error"]["message"]


@pytest.mark.fault("D03", "D05")
def test_a_call_the_sdk_passes_over_as_one_it_has_carried_out_is_an_attempt() -> None:
    refund = Wanted("payments_refund", {"charge": "ch_9wd", "amount_minor": 1000}, id="a")
    look = Wanted("crm_get", {"id": "C-7715"}, id="b")
    trace = played(in_openai_agents([Says(calls=(refund, refund, look)), Says(text="done")]).agent)
    came = {action["call"]: action for action in of_kind(trace, "action")}
    outcomes = [(came[one["call"]]["hint"], one["outcome"]) for one in of_kind(trace, "result")]
    assert outcomes == [("a", "executed"), ("b", "executed"), ("a", "malformed")]
    assert "did not carry it out" in of_kind(trace, "result")[-1]["error"]["message"]
    assert len(trace.records[-1]["ledgers"]["payments"]) == 1
    assert trace.stop == "finished"


def test_what_is_carried_out_beside_a_handoff_is_one_attempt() -> None:
    second: Any = Agent(name="second", model=scripted([assistant_message("done")]))
    both = [
        function_call("crm_get", {"id": "C-7715"}, call_id="a"),
        function_call("transfer_to_second", {}, call_id="b"),
    ]
    trace = played(Agent(name="first", handoffs=[second], model=scripted(both)))
    assert [(one["hint"], one["tool"]) for one in of_kind(trace, "action")] == [("a", "crm.get")]
    assert [one["outcome"] for one in of_kind(trace, "result")] == ["executed"]


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


@pytest.mark.fault("D01")
@pytest.mark.parametrize(
    "raw", ['{"id":"\\ud83d"}', '{"id":"\ud83d"}', '{"id":' + "[" * 100_000], ids=["escaped", "half", "deep"]
)
def test_arguments_the_sdk_can_not_carry_are_a_malformed_attempt_with_what_the_model_wrote(raw: str) -> None:
    calls = (Wanted("crm_get", raw, id="x"), Wanted("crm_get", {"id": "C-7715"}, id="y"))
    trace = played(in_openai_agents([Says(calls=calls)]).agent)
    assert trace.stop == "agent_error"  # the SDK ends its run over them, here as anywhere
    assert [one["supplied"] for one in of_kind(trace, "action")] == [raw, '{"id":"C-7715"}']
    assert {one["outcome"] for one in of_kind(trace, "result")} == {"malformed"}
    assert "refused the answer" in of_kind(trace, "result")[0]["error"]["message"]


def test_what_a_guardrail_kept_from_being_done_is_no_attempt() -> None:
    @agents.input_guardrail
    async def trips(context: Any, agent: Any, given: Any) -> agents.GuardrailFunctionOutput:
        await asyncio.sleep(0.05)  # so that the model has answered by then
        return agents.GuardrailFunctionOutput(output_info=None, tripwire_triggered=True)

    model = scripted([function_call("crm_get", {"id": "C-7715"}, call_id="n")])
    trace = played(Agent(name="x", model=model, input_guardrails=[trips]))
    assert trace.stop == "agent_error"
    assert "GuardrailTripwire" in of_kind(trace, "stopped")[0]["detail"]
    assert not [one for one in of_kind(trace, "result") if one["outcome"] == "malformed"]


def test_an_output_that_is_no_text_is_replied_as_json() -> None:
    class Answer(BaseModel):
        paid: bool

    agent: Any = Agent(name="x", output_type=Answer, model=scripted([assistant_message('{"paid": true}')]))
    assert of_kind(played(agent), "reply")[0]["text"] == '{"paid":true}'


@pytest.mark.fault("D10")
def test_an_agent_that_hands_over_to_a_real_model_is_no_scripted_one() -> None:
    hosted = OpenAIChatCompletionsModel("gpt-5-mini", AsyncOpenAI(api_key="sk-not-a-key"))
    front: Any = Agent(name="front", model=scripted(), handoffs=[Agent(name="back", model=hosted)])
    made = openai_agents_agent(front)
    assert (made.kind, made.costs_nothing) == ("real_model", False)
    assert list(made.hosts) == ["api.openai.com"]
    assert "sk-not-a-key" not in repr(made)


@pytest.mark.fault("D10")
def test_each_model_of_a_fleet_is_recorded_and_priced_by_its_own_name() -> None:
    def model(name: str, *items: Any) -> Any:
        used = agents.Usage(requests=1, input_tokens=1_000_000, output_tokens=0, total_tokens=1_000_000)
        made = ScriptedModel([agents.ModelResponse(output=list(items), usage=used, response_id=None)])
        return Renamed(made, name)

    clerk: Any = Agent(name="clerk", model=model("large", assistant_message("done")))
    front: Any = Agent(
        name="front",
        handoffs=[clerk],
        model=model("small", function_call("transfer_to_clerk", {}, call_id="a")),
    )
    made = openai_agents_agent(front, kind="real_model", prices={"small": "1.00/1.00", "large": "10.00/1.00"})
    trace = played(made)
    assert [one["model"] for one in of_kind(trace, "usage")] == ["small", "large"]
    assert trace.records[-1]["cost_usd"] == "11"


class Renamed(agents.Model):
    """A model class of somebody's own."""

    def __init__(self, inner: agents.Model, name: str) -> None:
        self.inner = inner
        self.model = name

    async def get_response(self, *args: Any, **options: Any) -> Any:
        return await self.inner.get_response(*args, **options)

    def stream_response(self, *args: Any, **options: Any) -> Any:
        return self.inner.stream_response(*args, **options)


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.fault("D10")
def test_what_an_agent_within_a_tool_used_is_counted_at_a_cost_nobody_knows(streams: bool) -> None:
    used = agents.Usage(requests=1, input_tokens=700, output_tokens=3, total_tokens=703)
    told = agents.ModelResponse(output=[assistant_message("found")], usage=used, response_id=None)
    inner: Any = Agent(name="inner", model=Renamed(ScriptedModel([told]), "unseen"))

    async def listen(event: Any) -> None:
        return None

    helper = inner.as_tool("research", "asks a colleague", on_stream=listen if streams else None)
    outer: Any = Agent(
        name="outer",
        tools=[helper],
        model=scripted([function_call("research", {"input": "x"}, call_id="o")], [assistant_message("ok")]),
    )
    trace = played(outer, keep_own_tools=True, kind="undeclared")
    assert trace.stop == "finished"
    assert (of_kind(trace, "usage")[-1]["input_tokens"], of_kind(trace, "usage")[-1]["cost_usd"]) == (
        700,
        None,
    )
    assert trace.records[-1]["cost_usd"] is None


@pytest.mark.parametrize("streams", [False, True])
def test_an_agent_within_a_tool_whose_model_has_a_name_is_recorded(streams: bool) -> None:
    class Provider(agents.ModelProvider):
        def get_model(self, model_name: str | None) -> agents.Model:
            return scripted([assistant_message("found")])

    async def listen(event: Any) -> None:
        return None

    inner: Any = Agent(name="inner", model="colleague")
    helper = inner.as_tool("research", "asks a colleague", on_stream=listen if streams else None)
    outer: Any = Agent(
        name="outer",
        tools=[helper],
        model=scripted([function_call("research", {"input": "x"}, call_id="o")], [assistant_message("ok")]),
    )
    config = agents.RunConfig(model_provider=Provider())
    trace = played(outer, keep_own_tools=True, run_config=config)
    assert [one["model"] for one in of_kind(trace, "model")] == [
        "ScriptedModel",
        "colleague",
        "ScriptedModel",
    ]
    assert of_kind(trace, "model")[1]["answer"]["text"] == "found"


def test_each_try_of_a_request_the_sdk_repeats_is_recorded() -> None:
    request = httpx2.Request("POST", "https://models.example.test/v1")
    lost = openai.APIConnectionError(request=request)
    retry = agents.ModelRetrySettings(max_retries=1, policy=agents.retry_policies.network_error())
    agent: Any = Agent(
        name="x",
        model=scripted(lost, [assistant_message("done")]),
        model_settings=agents.ModelSettings(retry=retry),
    )
    trace = played(agent)
    assert [one["error"] is None for one in of_kind(trace, "model")] == [False, True]
    assert trace.stop == "finished"


def test_a_tool_of_its_own_with_the_name_of_one_of_the_worlds_is_refused_with_what_to_do() -> None:
    @function_tool
    def crm_get(id: str) -> str:
        raise AssertionError("nobody can say whose it is")

    trace = played(Agent(name="x", tools=[crm_get], model=scripted()), keep_own_tools=True)
    assert trace.stop == "agent_error"
    assert "crm_get is called as one of the world's is" in of_kind(trace, "stopped")[0]["detail"]
