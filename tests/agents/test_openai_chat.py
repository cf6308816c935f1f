"""The tool-calling loop over chat completions, against a real HTTP server on loopback."""

from __future__ import annotations

import json
from typing import Any

import pytest
from openai.types.chat import CompletionCreateParams
from pydantic import TypeAdapter

from chat_server import ScriptedChatServer, Step, call, calls, fails, says
from company_lab.agents.resolve import resolve_agent
from company_lab.company import company
from company_lab.episodes import play
from company_lab.evaluation import judge
from company_lab.formats.errors import WrongUse
from model_episode import chat, of_kind, played, shipped

pytestmark = pytest.mark.loopback


def reference_steps() -> list[Step]:
    (turn,) = shipped().reference
    steps = [
        calls(call(step.tool.replace(".", "_"), step.args, id=f"call_{number}"))
        for number, step in enumerate(turn.do)
    ]
    return [*steps, says(turn.reply or "")]


def test_a_model_that_does_what_the_reference_does_gets_the_same_verdict() -> None:
    with ScriptedChatServer(reference_steps()) as server:
        trace = played("openai-chat", chat(server.url))
    verdict = judge(shipped(), company.spec, trace)
    assert verdict.outcome == "passed", verdict
    assert trace.header["evidence"] == "test model"
    assert [record["tool"] for record in of_kind(trace, "action")] == [
        step.tool for step in shipped().reference[0].do
    ]
    assert {record["hint"] for record in of_kind(trace, "action")} == {f"call_{n}" for n in range(8)}


def test_requests_are_what_the_openai_library_calls_valid() -> None:
    with ScriptedChatServer(reference_steps()) as server:
        played("openai-chat", chat(server.url, temperature=0.5, max_output_tokens=300))
    for body in server.bodies("/chat/completions"):
        TypeAdapter(CompletionCreateParams).validate_python(body, strict=False)
        assert body["temperature"] == 0.5
        assert body["max_tokens"] == 300
    names = [tool["function"]["name"] for tool in server.asked[0].body["tools"]]
    assert "orders_get" in names
    assert len(set(names)) == len(company.tools)


def test_results_and_failures_go_back_to_the_model_under_the_call_they_belong_to() -> None:
    with ScriptedChatServer(
        [
            calls(
                call("orders_get", {"id": "A-104"}, id="a"),
                call("payments_find", {"order": "A-104"}, id="b"),
            ),
            says("done"),
        ]
    ) as server:
        played("openai-chat", chat(server.url))
    told = {
        m["tool_call_id"]: json.loads(m["content"])
        for m in server.asked[1].body["messages"]
        if m["role"] == "tool"
    }
    assert told["a"]["status"] == "failed"
    assert told["b"]["status"] == "executed"
    assert told["b"]["value"]["total"] == 2


@pytest.mark.fault("D01")
@pytest.mark.parametrize(
    "raw",
    [
        '{"charge":"ch_5kq","amount_minor":25',
        "{'charge':'ch_5kq'}",
        '{"charge":"ch_5kq","amount_minor":2500} thanks',
        "",
    ],
)
def test_arguments_that_are_no_json_are_recorded_raw_and_not_executed_and_the_episode_goes_on(
    raw: str,
) -> None:
    with ScriptedChatServer([calls(call("payments_refund", raw)), says("It did not work.")]) as server:
        trace = played("openai-chat", chat(server.url))
    (action,) = of_kind(trace, "action")
    (result,) = of_kind(trace, "result")
    assert action["supplied"] == raw
    assert action["args"] is None
    assert result["outcome"] == "malformed"
    assert trace.records[-1]["ledgers"] == {}
    assert trace.stop == "finished"
    # what is repeated to the host is JSON all the same: many read it again and fail where it is not
    echoed = server.asked[1].body["messages"][2]["tool_calls"][0]["function"]["arguments"]
    assert json.loads(echoed) == {"unreadable": raw}


@pytest.mark.fault("D03")
def test_two_calls_under_one_id_are_both_carried_out_and_answered_apart() -> None:
    with ScriptedChatServer(
        [
            calls(
                call("payments_find", {"order": "A-104"}, id="same"),
                call("crm_get", {"id": "C-7715"}, id="same"),
                call("payments_get", {"id": "ch_5kq"}, id=None),
            ),
            says("done"),
        ]
    ) as server:
        trace = played("openai-chat", chat(server.url))
    assert [record["hint"] for record in of_kind(trace, "action")] == ["same", "same", None]
    assert [record["outcome"] for record in of_kind(trace, "result")] == ["executed"] * 3
    answered = [m["tool_call_id"] for m in server.asked[1].body["messages"] if m["role"] == "tool"]
    assert len(set(answered)) == 3


@pytest.mark.fault("D04")
def test_no_call_of_a_batch_is_dropped() -> None:
    wanted = [call("payments_get", {"id": f"ch_{number}"}, id=f"c{number}") for number in range(12)]
    with ScriptedChatServer([calls(*wanted), says("done")]) as server:
        trace = played("openai-chat", chat(server.url))
    assert [record["args"]["id"] for record in of_kind(trace, "action")] == [f"ch_{n}" for n in range(12)]
    answered = [m["tool_call_id"] for m in server.asked[1].body["messages"] if m["role"] == "tool"]
    assert answered == [f"c{n}" for n in range(12)]


@pytest.mark.fault("D05")
def test_a_side_effect_asked_for_twice_in_one_answer_is_two_attempts() -> None:
    wanted = {"charge": "ch_9wd", "amount_minor": 1000}
    with ScriptedChatServer(
        [
            calls(call("payments_refund", wanted, id="a"), call("payments_refund", wanted, id="b")),
            says("done"),
        ]
    ) as server:
        trace = played("openai-chat", chat(server.url))
    assert len(of_kind(trace, "action")) == 2
    assert len(trace.records[-1]["ledgers"]["payments"]) == 2


@pytest.mark.fault("D06")
def test_an_unknown_tool_is_an_attempt_with_an_error_and_counts_for_the_limits() -> None:
    with ScriptedChatServer(lambda asked, number: calls(call("crm_lookup_person", {"q": "Voss"}))) as server:
        trace = played("openai-chat", chat(server.url))
    assert trace.stop == "repeated_action"
    assert {record["error"]["code"] for record in of_kind(trace, "result")} == {"unknown_tool"}
    assert {record["tool"] for record in of_kind(trace, "action")} == {"crm_lookup_person"}


@pytest.mark.fault("D07")
def test_one_call_repeated_for_ever_is_stopped_with_its_own_reason() -> None:
    with ScriptedChatServer(lambda asked, number: calls(call("payments_find", {"order": "A-104"}))) as server:
        trace = played("openai-chat", chat(server.url))
    assert trace.stop == "repeated_action"
    assert len(server.asked) == 7


def test_a_tool_the_model_was_not_given_can_not_be_used_under_its_real_name() -> None:
    with ScriptedChatServer(
        [calls(call("payments.refund", {"charge": "ch_9wd", "amount_minor": 2500})), says("x")]
    ) as server:
        trace = played("openai-chat", chat(server.url, tool=["orders.*"]))
    (action,) = of_kind(trace, "action")
    assert action["tool"] == "payments.refund (not offered)"
    assert of_kind(trace, "result")[0]["error"]["code"] == "unknown_tool"
    names = [tool["function"]["name"] for tool in server.asked[0].body["tools"]]
    assert "orders_get" in names
    assert all(name.startswith("orders_") for name in names)


@pytest.mark.fault("D06")
@pytest.mark.parametrize("options", [{}, {"alias": ["refund=payments.refund"]}])
def test_a_name_that_was_never_given_carries_nothing_out_though_the_world_has_it(
    options: dict[str, Any],
) -> None:
    wanted = call("payments.refund", {"charge": "ch_9wd", "amount_minor": 1000})
    with ScriptedChatServer([calls(wanted), says("x")]) as server:
        trace = played("openai-chat", chat(server.url, **options))
    assert of_kind(trace, "result")[0]["error"]["code"] == "unknown_tool"
    assert trace.records[-1]["ledgers"] == {}


def test_an_alias_is_the_name_the_model_knows() -> None:
    with ScriptedChatServer([calls(call("lookup", {"id": "A-104"})), says("x")]) as server:
        trace = played("openai-chat", chat(server.url, alias=["lookup=orders.get"]))
    assert of_kind(trace, "action")[0]["tool"] == "orders.get"


@pytest.mark.fault("D08")
@pytest.mark.parametrize(
    ("step", "stop", "reply"),
    [
        (says("  \n"), "finished", "  \n"),
        (Step(text=None), "finished", ""),
        (Step(text=None, refusal="I will not do that."), "finished", "I will not do that."),
        (says("The refund of 25.0", finish="length"), "agent_error", None),
        (Step(text="", finish="content_filter"), "agent_error", None),
        (
            fails(400, {"error": {"message": "too long", "code": "context_length_exceeded"}}),
            "agent_error",
            None,
        ),
        (
            fails(401, {"error": {"message": "wrong key", "code": "invalid_api_key"}}),
            "infrastructure_error",
            None,
        ),
        (fails(404, {"detail": "Not Found"}), "infrastructure_error", None),
    ],
)
def test_empty_answers_refusals_cuts_and_outages_are_told_apart(
    step: Step, stop: str, reply: str | None
) -> None:
    with ScriptedChatServer([step]) as server:
        trace = played("openai-chat", chat(server.url))
    assert trace.stop == stop
    assert [record["text"] for record in of_kind(trace, "reply")] == ([] if reply is None else [reply])
    assert len(server.asked) == 1


def test_what_a_later_turn_is_told_begins_with_the_earlier_ones() -> None:
    scenario = shipped("somebody_called_jo")
    with ScriptedChatServer(lambda asked, number: says("Which of them do you mean, by address?")) as server:
        trace = played("openai-chat", chat(server.url), scenario=scenario)
    turns = len(of_kind(trace, "turn"))
    assert turns == len(server.asked)
    for number, asked in enumerate(server.asked):
        roles = [message["role"] for message in asked.body["messages"]]
        assert roles == ["system"] + ["user", "assistant"] * number + ["user"]


def test_the_models_answer_and_its_calls_stand_in_the_trace_before_the_attempts() -> None:
    with ScriptedChatServer(
        [calls(call("orders_get", {"id": "A-104"}, id="q"), text="Let me look."), says("done")]
    ) as server:
        trace = played("openai-chat", chat(server.url))
    first, last = of_kind(trace, "model")
    assert first["answer"] == {
        "text": "Let me look.",
        "calls": [{"id": "q", "name": "orders_get", "arguments": '{"id": "A-104"}'}],
        "finish": "tool_calls",
        "model": "scripted",
    }
    assert first["seq"] < of_kind(trace, "action")[0]["seq"] < last["seq"]


def test_old_and_odd_spellings_of_calls_are_understood() -> None:
    old = {"choices": [{"message": {"function_call": {"name": "orders_get", "arguments": '{"id":"A-104"}'}}}]}
    objects: dict[str, Any] = {
        "id": 7,
        "function": {"name": "payments_find", "arguments": {"order": "A-104"}},
    }
    odd = {"choices": [{"message": {"content": [{"type": "text", "text": "so"}], "tool_calls": [objects]}}]}
    with ScriptedChatServer([Step(body=old), Step(body=odd), says("done")]) as server:
        trace = played("openai-chat", chat(server.url))
    assert [record["tool"] for record in of_kind(trace, "action")] == ["orders.get", "payments.find"]
    assert trace.stop == "finished"


def test_without_a_model_the_option_is_named() -> None:
    with pytest.raises(WrongUse, match=r"--agent openai-chat needs --model, such as --model"):
        resolve_agent("openai-chat", {})


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"modle": "x"}, r"takes no --modle; did you mean --model\?"),
        ({"base_url": "localhost:8080"}, "give a base URL such as"),
        ({"base_url": "http://[::1"}, "give a base URL such as"),
        ({"base_url": "http://localhost:0"}, "give a base URL such as"),
        ({"base_url": "http://localhost:many"}, "give a base URL such as"),
        ({"base_url": "http://user:pw@localhost"}, "the address holds a password"),
        ({"temperature": "warm"}, "--temperature warm: give a number"),
        ({"api_key_env": "NO_SUCH_KEY_HERE"}, "the environment variable NO_SUCH_KEY_HERE is not set"),
        ({"alias": ["lookup"]}, "--alias lookup: give a name and a tool"),
        ({"price": ["m"]}, "--price m: give a model and its price"),
        ({"record": "a", "replay": "b"}, "either --record or --replay"),
        ({"test_model": "no"}, "--test-model is given or not"),
    ],
)
def test_options_that_make_no_sense_are_refused_by_name(options: dict[str, Any], said: str) -> None:
    with pytest.raises(WrongUse, match=said):
        resolve_agent("openai-chat", {"model": "m", "base_url": "http://127.0.0.1:1", **options})


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"tool": ["orders.gett"]}, r"--tool orders.gett: there is no such tool; did you mean orders.get\?"),
        ({"alias": ["x=orders.gett"]}, r"there is no tool orders.gett; did you mean orders.get\?"),
        ({"alias": ["x=orders.get", "y=orders.get"]}, "orders.get has two aliases, x and y"),
        ({"alias": ["payments_find=orders.get"]}, "would both be called payments_find"),
        ({"alias": ["what is it=orders.get"]}, "a function's name has letters"),
        ({"tool": ["orders.*"], "alias": ["x=payments.find"]}, "add --tool payments.find"),
    ],
)
def test_tools_that_are_not_there_show_before_anything_is_played(options: dict[str, Any], said: str) -> None:
    agent = resolve_agent("openai-chat", {"model": "m", "base_url": "http://127.0.0.1:1", **options})
    with pytest.raises(WrongUse, match=said):
        agent.for_scenario(shipped())


def test_a_key_comes_from_the_environment_and_is_stored_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "hush-hush-123")
    with ScriptedChatServer([says("hi")]) as server:
        agent = resolve_agent("openai-chat", chat(server.url, api_key_env="SOME_KEY")).for_scenario(shipped())
        trace = play(company.prepare(shipped()), agent).trace
    assert server.asked[0].headers["authorization"] == "Bearer hush-hush-123"
    assert "hush-hush" not in trace.text()
    assert trace.header["agent"]["settings"]["api_key_env"] == "SOME_KEY"


def test_the_system_prompt_of_a_file_is_sent_and_kept(tmp_path: Any) -> None:
    (tmp_path / "prompt.txt").write_text("Be brief.", encoding="utf-8")
    with ScriptedChatServer([says("hi")]) as server:
        options = chat(server.url, system=str(tmp_path / "prompt.txt"))
        played("openai-chat", options)
    assert server.asked[0].body["messages"][0] == {"role": "system", "content": "Be brief."}
    assert resolve_agent("openai-chat", options).prompts == {"system": "Be brief."}


@pytest.mark.fault("D03")
def test_an_id_of_ours_is_never_one_of_the_models() -> None:
    look = ("orders_get", {"id": "A-104"})
    asked = calls(call(*look, id="x"), call(*look, id="x"), call(*look, id="call_1_1"), call(*look, id=None))
    with ScriptedChatServer([asked, says("done")]) as server:
        trace = played("openai-chat", chat(server.url))
    ids = [one["id"] for one in server.bodies()[1]["messages"][2]["tool_calls"]]
    assert len(set(ids)) == 4
    assert ids[2] == "call_1_1"
    assert [record.get("hint") for record in of_kind(trace, "action")] == ["x", "x", "call_1_1", None]


def test_a_temperature_of_zero_is_said_and_not_taken_for_nothing() -> None:
    with ScriptedChatServer(reference_steps()) as server:
        played("openai-chat", chat(server.url, temperature=0))
    assert server.asked
    assert all(asked.body["temperature"] == 0 for asked in server.asked)


def test_no_retries_are_none_and_not_the_usual_number() -> None:
    with ScriptedChatServer([fails(503)]) as server:
        trace = played("openai-chat", chat(server.url, retries=0))
    assert len(server.asked) == 1
    assert trace.records[-2]["reason"] == "infrastructure_error"
