"""The tool-calling loop over responses, against a real HTTP server on loopback."""

from __future__ import annotations

import json

import pytest
from openai.types.responses import ResponseCreateParams
from pydantic import TypeAdapter

from chat_server import ScriptedChatServer, Step, call, calls, fails, says
from company_lab.company import company
from company_lab.evaluation import judge
from model_episode import chat, of_kind, played, shipped

pytestmark = pytest.mark.loopback


def test_a_model_that_does_what_the_reference_does_passes_and_its_requests_are_valid() -> None:
    (turn,) = shipped().reference
    steps = [
        calls(call(step.tool.replace(".", "_"), step.args, id=f"call_{number}"), text="Next.")
        for number, step in enumerate(turn.do)
    ]
    with ScriptedChatServer([*steps, says(turn.reply or "")]) as server:
        trace = played("openai-responses", chat(server.url, max_output_tokens=500))
    assert judge(shipped(), company.spec, trace).outcome == "passed"
    assert {asked.path for asked in server.asked} == {"/v1/responses"}
    for body in server.bodies():
        TypeAdapter(ResponseCreateParams).validate_python(body)
        assert body["store"] is False
        assert body["max_output_tokens"] == 500
    kinds = [item.get("type", item.get("role")) for item in server.asked[-1].body["input"]]
    assert kinds == ["user"] + ["assistant", "function_call", "function_call_output"] * len(turn.do)


@pytest.mark.fault("D03")
def test_broken_arguments_double_ids_and_unknown_tools_are_attempts_like_in_chat() -> None:
    wanted = (
        call("orders_get", '{"id":', id="x"),
        call("payments_find", {"order": "A-104"}, id="x"),
        call("nothing_like_it", {}, id="y"),
    )
    with ScriptedChatServer([calls(*wanted), says("done")]) as server:
        trace = played("openai-responses", chat(server.url))
    assert [record["outcome"] for record in of_kind(trace, "result")] == [
        "malformed",
        "executed",
        "malformed",
    ]
    answered = [item for item in server.asked[1].body["input"] if item.get("type") == "function_call_output"]
    assert len({item["call_id"] for item in answered}) == 3
    assert [json.loads(item["output"])["status"] for item in answered] == [
        "bad_arguments",
        "executed",
        "unknown_tool",
    ]


@pytest.mark.parametrize(
    ("step", "stop"),
    [
        (says("cut", finish="length"), "agent_error"),
        (says("", finish="content_filter"), "agent_error"),
        (Step(refusal="No."), "finished"),
        (
            Step(body={"status": "failed", "output": [], "error": {"message": "server", "code": 500}}),
            "infrastructure_error",
        ),
        (Step(body={"output": "text"}), "infrastructure_error"),
        (fails(500), "infrastructure_error"),
    ],
)
def test_cuts_refusals_and_failures_are_told_apart(step: Step, stop: str) -> None:
    with ScriptedChatServer(lambda asked, number: step) as server:
        trace = played("openai-responses", chat(server.url, retries=0))
    assert trace.stop == stop


def test_usage_is_read_in_the_names_of_this_format() -> None:
    with ScriptedChatServer([says("hi", usage={"input": 50, "output": 5, "cached": 20})]) as server:
        trace = played("openai-responses", chat(server.url, price=["scripted=1/2/0.5"]))
    (usage,) = of_kind(trace, "usage")
    assert (usage["input_tokens"], usage["cached_tokens"], usage["output_tokens"]) == (50, 20, 5)
    assert usage["cost_usd"] == "0.00005"
