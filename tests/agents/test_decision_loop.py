"""The decision loop: one model chooses, another writes, and choice, arguments and result can be read apart."""

from __future__ import annotations

import json
from typing import Any

import pytest
from openai.types.chat import CompletionCreateParams
from pydantic import TypeAdapter

from chat_server import Asked, ScriptedChatServer, Step, call, calls, chooses, fails, says
from company_lab.agents import chat_asking
from company_lab.agents.decision import INSTRUCTIONS
from company_lab.agents.protocol import ToolOffer
from company_lab.agents.resolve import resolve_agent
from company_lab.agents.systemone import decider_url
from company_lab.company import company
from company_lab.evaluation import judge
from company_lab.evaluation.choices import compare_choices
from company_lab.formats.errors import WrongUse
from company_lab.formats.shapes import Signature
from model_episode import EXAMPLE, deciding, example, of_kind, played, shipped


@pytest.mark.loopback
def test_the_loop_sends_exactly_the_request_of_the_example() -> None:
    script = [
        chooses("lookup"),
        says('{"order": "A-104"}'),
        chooses("respond"),
        says("Nothing is known yet."),
    ]
    with ScriptedChatServer(script) as server:
        options = deciding(
            server.root,
            instructions=str(EXAMPLE / "instructions.txt"),
            tool=["payments.find", "payments.refund"],
            alias=["lookup=payments.find", "refund=payments.refund"],
        )
        played("decision", options, scenario=example())
    first, second = server.bodies("/v1/systemone")
    assert second == json.loads((EXAMPLE / "request.json").read_text(encoding="utf-8"))
    assert first["state"]["history"] == []
    assert list(second["questions"]["next_action"]["criteria"]) == ["lookup", "refund", "respond"]


def test_the_example_is_about_a_double_charge_and_a_look_up_that_failed() -> None:
    request = json.loads((EXAMPLE / "request.json").read_text(encoding="utf-8"))
    (failed,) = request["state"]["history"]
    question = request["questions"]["next_action"]
    assert "A-104 was charged 2500 cents twice" in request["state"]["request"]
    assert failed["action"] == "lookup"
    assert failed["result"]["status"] == "failed"
    assert "failed look-up has not established a completed refund" in question["instructions"]
    assert question["type"] == "choice"


@pytest.mark.loopback
def test_choice_arguments_and_result_can_be_inspected_apart() -> None:
    given = {"lookup": 0.2, "refund": 0.7, "respond": 0.1}
    script = [
        chooses("refund", given),
        says('{"charge": "ch_9wd", "amount_minor": 2500}'),
        chooses("respond"),
        says("The second charge went back."),
    ]
    with ScriptedChatServer(script) as server:
        trace = played("decision", deciding(server.root))
    chosen, _ = of_kind(trace, "choice")
    (action,), (result,) = of_kind(trace, "action"), of_kind(trace, "result")
    assert chosen["request"] == server.bodies("/systemone")[0]
    assert chosen["answer"]["answers"]["next_action"]["choice"] == "refund"
    assert chosen["answer"]["answers"]["next_action"]["probabilities"] == given
    assert (action["tool"], action["by"]) == ("payments.refund", "writer")
    assert action["supplied"] == '{"charge": "ch_9wd", "amount_minor": 2500}'
    assert action["args"] == {"charge": "ch_9wd", "amount_minor": 2500}
    assert (result["call"], result["outcome"]) == (action["call"], "executed")
    assert result["changes"]
    assert chosen["seq"] < action["seq"] < result["seq"]
    assert trace.records[chosen["observation"]]["kind"] == "observation"
    assert of_kind(trace, "reply")[0]["text"] == "The second charge went back."


@pytest.mark.loopback
def test_history_holds_each_action_with_its_arguments_and_what_came_of_it() -> None:
    script = [
        chooses("lookup"),
        says('{"id": "A-104"}'),
        chooses("lookup"),
        says('{"id": "A-104"}'),
        chooses("refund"),
        says('{"charge": "ch_9wd", "amount_minor": 999999}'),
        chooses("refund"),
        says("not JSON"),
        chooses("respond"),
        says("done"),
    ]
    with ScriptedChatServer(script) as server:
        played("decision", deciding(server.root))
    history = server.bodies("/systemone")[-1]["state"]["history"]
    assert [entry["action"] for entry in history] == ["lookup", "lookup", "refund", "refund"]
    assert [entry["result"]["status"] for entry in history] == [
        "failed",
        "executed",
        "refused",
        "bad_arguments",
    ]
    assert history[1]["result"]["value"]["id"] == "A-104"
    assert history[3]["arguments"] == "not JSON"
    shown = server.bodies("/chat/completions")[-1]["messages"][1]["content"].splitlines()
    assert [json.loads(line[2:]) for line in shown if line.startswith("- ")] == history


@pytest.mark.loopback
def test_the_writer_is_held_to_the_tools_schema_and_what_it_writes_is_checked_against_it() -> None:
    script = [chooses("refund"), says('{"charge": "ch_9wd", "amount": 25}'), chooses("respond"), says("x")]
    with ScriptedChatServer(script) as server:
        trace = played("decision", deciding(server.root))
    asked = server.bodies("/chat/completions")[0]
    schema = asked["response_format"]["json_schema"]["schema"]
    assert schema == company.spec.tools["payments.refund"].json_schema()
    (result,) = of_kind(trace, "result")
    assert result["outcome"] == "malformed"
    assert result["error"]["code"] == "bad_arguments"


@pytest.mark.loopback
def test_a_writer_may_be_asked_for_a_tool_call_instead() -> None:
    script = [
        chooses("lookup"),
        calls(call("lookup", {"id": "A-104"}, id="w1")),
        chooses("respond"),
        says("x"),
    ]
    with ScriptedChatServer(script) as server:
        trace = played("decision", deciding(server.root, writer_mode="tool"))
    asked = server.bodies("/chat/completions")[0]
    assert [tool["function"]["name"] for tool in asked["tools"]] == ["lookup"]
    assert asked["tool_choice"] == "required"
    assert of_kind(trace, "action")[0]["hint"] == "w1"


@pytest.mark.loopback
def test_a_writer_that_calls_a_tool_is_given_it_under_a_name_that_hosts_allow() -> None:
    script = [
        chooses("orders.get"),
        calls(call("orders_get", {"id": "A-104"})),
        chooses("respond"),
        says("x"),
    ]
    with ScriptedChatServer(script) as server:
        trace = played("decision", deciding(server.root, writer_mode="tool", alias=[]))
    asked = server.bodies("/chat/completions")[0]
    TypeAdapter(CompletionCreateParams).validate_python(asked, strict=False)
    assert [tool["function"]["name"] for tool in asked["tools"]] == ["orders_get"]
    assert of_kind(trace, "action")[0]["tool"] == "orders.get"


@pytest.mark.loopback
@pytest.mark.fault("D06")
def test_a_choice_that_is_no_option_is_an_attempt_by_the_selector() -> None:
    with ScriptedChatServer([chooses("escalate"), chooses("respond"), says("x")]) as server:
        trace = played("decision", deciding(server.root))
    (action,), (result,) = of_kind(trace, "action"), of_kind(trace, "result")
    assert (action["tool"], action["by"]) == ("escalate", "selector")
    assert result["error"]["code"] == "unknown_tool"
    assert server.bodies("/systemone")[1]["state"]["history"][0]["result"]["status"] == "unknown_tool"


@pytest.mark.loopback
@pytest.mark.parametrize(
    "broken",
    [
        fails(429, {"detail": {"error_type": "rate_limit", "message": "slow down"}}, retry_after="0"),
        fails(529),
        Step(body={"model": "m", "answers": {}}),
        Step(body={"answers": {"next_action": {"choice": 3}}}),
        Step(hang_up=True),
    ],
)
def test_errors_of_the_decider_are_outages_and_retried(broken: Step, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat_asking, "_FIRST_PAUSE_S", 0.01)
    with ScriptedChatServer([broken, chooses("respond"), says("x")]) as server:
        trace = played("decision", deciding(server.root))
    (failed,) = [record for record in of_kind(trace, "model") if record["error"]]
    assert (failed["role"], failed["attempt"]) == ("decider", 1)
    assert trace.stop == "finished"
    with ScriptedChatServer(lambda asked, number: broken) as server:
        trace = played("decision", deciding(server.root, retries=1))
    assert trace.stop == "infrastructure_error"
    assert "the decider at 127.0.0.1" in of_kind(trace, "stopped")[0]["detail"]
    assert not of_kind(trace, "choice")


@pytest.mark.loopback
def test_a_decider_that_never_responds_is_stopped() -> None:
    def script(asked: Asked, number: int) -> Step:
        return chooses("lookup") if asked.path.endswith("systemone") else says('{"id": "A-104"}')

    with ScriptedChatServer(script) as server:
        trace = played("decision", deciding(server.root))
    assert trace.stop == "repeated_action"
    assert judge(shipped(), company.spec, trace).outcome == "failed"


@pytest.mark.loopback
def test_what_was_done_in_an_earlier_turn_is_known_in_the_next() -> None:
    scenario = shipped("somebody_called_jo")
    turns: list[Any] = []

    def script(asked: Asked, number: int) -> Step:
        if asked.path.endswith("systemone"):
            turns.append(asked.body["state"])
            return chooses("respond")
        return says("Which of them do you mean, by address?")

    with ScriptedChatServer(script) as server:
        trace = played("decision", {**deciding(server.root), "tool": [], "alias": []}, scenario=scenario)
    assert len(turns) == len(of_kind(trace, "turn"))
    for number, state in enumerate(turns):
        assert [entry.get("action") for entry in state["history"]] == [None, "respond"] * number


def test_more_than_255_options_are_refused_before_anything_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    many = tuple(
        ToolOffer(name=f"department_{n % 7}.tool_{n}", description="", signature=Signature(), writes=False)
        for n in range(255)
    )
    monkeypatch.setattr("company_lab.agents.chat_offers.offers_of", lambda scenario: many)
    given = deciding("http://127.0.0.1:1") | {"tool": [], "alias": []}
    with pytest.raises(
        WrongUse, match=r"255 tools and respond: .* at most 255 options.*--tool 'department_0\.\*'"
    ):
        resolve_agent("decision", given).for_scenario(shipped())
    assert resolve_agent("decision", given | {"tool": ["department_1.*"]}).for_scenario(shipped())


@pytest.mark.parametrize(
    ("text", "base", "path"),
    [
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000", "/v1/systemone"),
        ("http://127.0.0.1:8000/", "http://127.0.0.1:8000", "/v1/systemone"),
        ("https://api.example.test/v1", "https://api.example.test/v1", "/systemone"),
        ("https://api.example.test/v1/systemone", "https://api.example.test/v1", "/systemone"),
        ("https://api.example.test/v1/decisions", "https://api.example.test/v1", "/decisions"),
    ],
)
def test_a_deciders_address_may_be_a_host_a_base_or_the_whole_path(text: str, base: str, path: str) -> None:
    assert decider_url(text) == (base, path)


@pytest.mark.parametrize("missing", ["decider", "decider_model", "writer", "writer_model"])
def test_both_models_and_both_addresses_are_needed(missing: str) -> None:
    given = deciding("http://127.0.0.1:1")
    del given[missing]
    with pytest.raises(WrongUse, match=f"needs --{missing.replace('_', '-')}"):
        resolve_agent("decision", given)


def test_the_default_instructions_say_what_a_failed_look_up_does_not_establish() -> None:
    assert "failed" in INSTRUCTIONS
    assert "has not established a completed refund" in INSTRUCTIONS
    agent = resolve_agent("decision", deciding("http://127.0.0.1:1"))
    assert agent.prompts["instructions"] == INSTRUCTIONS
    assert agent.kind == "real_model"
    assert set(agent.prices) == {"decider", "writer"}


@pytest.mark.loopback
@pytest.mark.fault("D06")
@pytest.mark.parametrize("choice", ["payments.find", "orders.find"])
def test_a_tool_of_the_world_that_is_no_option_is_never_executed_by_being_chosen(choice: str) -> None:
    given = {"tool": ["orders.*"], "alias": ["lookup=orders.get", "search=orders.find"]}
    with ScriptedChatServer([chooses(choice), chooses("respond"), says("x")]) as server:
        trace = played("decision", deciding(server.root, **given))
    (action,), (result,) = of_kind(trace, "action"), of_kind(trace, "result")
    assert action["tool"] == f"{choice} (not offered)"
    assert result["error"]["code"] == "unknown_tool"


@pytest.mark.loopback
@pytest.mark.parametrize(
    "probabilities",
    [{"lookup": -3}, {"lookup": 1e308}, {"lookup": "0.9"}, [0.3], {"\ud800": 1}, {}, None, "high"],
)
def test_probabilities_that_make_no_sense_are_kept_raw_and_are_no_part_of_any_figure(
    probabilities: Any,
) -> None:
    answer = {"choice": "lookup", "probabilities": probabilities}
    script = [
        Step(body={"answers": {"next_action": answer}}),
        says('{"id": "A-104"}'),
        chooses("respond"),
        says("x"),
    ]
    with ScriptedChatServer(script) as server:
        trace = played("decision", deciding(server.root))
    assert of_kind(trace, "choice")[0]["answer"]["answers"]["next_action"] == answer
    found = compare_choices(shipped(), company.spec, trace.records)
    assert found.left_out["the answer gives no probability for what it chose"] == 1


@pytest.mark.loopback
def test_half_a_character_as_a_choice_does_not_end_the_episode() -> None:
    with ScriptedChatServer([chooses("\ud800"), chooses("respond"), says("x")]) as server:
        trace = played("decision", deciding(server.root))
    assert (of_kind(trace, "action")[0]["tool"], trace.stop) == ("\ud800", "finished")
