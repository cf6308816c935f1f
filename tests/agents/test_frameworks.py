"""What holds for an agent of every framework, each on the real library with its scripted model."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import httpx2
import openai
import pytest

from chat_server import ScriptedChatServer, call, calls, fails, says
from company_lab.agents import pacing
from company_lab.agents.framework_adapter import checked_version
from company_lab.agents.framework_texts import plain
from company_lab.agents.openai_agents import openai_agents_agent
from company_lab.agents.protocol import Agent
from company_lab.agents.pydantic_ai import pydantic_ai_agent
from company_lab.company import company
from company_lab.episodes import play
from company_lab.evaluation import Verdict, judge
from company_lab.formats.canonical import boundary, canonical
from company_lab.formats.errors import WrongUse
from company_lab.scenarios.loader import load_scenarios
from company_lab.scenarios.model import Scenario
from company_lab.traces import Trace
from framework_agents import FRAMEWORKS, Says, Scripted, Wanted, replaying
from model_episode import of_kind, shipped

Framework = Callable[..., Scripted]
DONE = Says(text="done")


@pytest.fixture(params=FRAMEWORKS)
def framework(request: pytest.FixtureRequest) -> Framework:
    return FRAMEWORKS[request.param]


def played(agent: Agent, scenario: Scenario | None = None, **more: Any) -> Trace:
    acted = scenario or shipped()
    return play(company.prepare(acted), agent.for_scenario(acted), **more).trace


def verdict(scenario: Scenario, trace: Trace) -> Verdict:
    return judge(scenario, company.spec, trace)


def refused(status: int, **headers: str) -> Exception:
    """What the client of a hosted model raises for an error status."""
    request = httpx2.Request("POST", "https://models.example.test/v1")
    response = httpx2.Response(status, request=request, headers=headers)
    kind = openai.RateLimitError if status == 429 else openai.InternalServerError
    return kind(f"status {status}", response=response, body=None)


@pytest.mark.parametrize("number", [0, 1])
def test_an_agent_that_does_what_a_wrong_conduct_does_fails_as_it(framework: Framework, number: int) -> None:
    wrong = shipped().wrong[number]
    trace = played(framework(replaying(wrong.turns)).agent)
    codes = {failure.code for failure in verdict(shipped(), trace).failures}
    assert set(wrong.codes) <= codes


def test_each_answer_stands_before_its_calls_with_its_text_and_parallel_calls(framework: Framework) -> None:
    script = [
        Says(
            text="Let me look.",
            calls=(
                Wanted("payments_find", {"order": "A-104"}, id="a"),
                Wanted("crm_get", {"id": "C-7715"}, id="b"),
            ),
        ),
        Says(calls=(Wanted("payments_get", {"id": "ch_5kq"}, id="c"),)),
        DONE,
    ]
    trace = played(framework(script).agent)
    shape = [
        (record["kind"], record.get("hint") or record.get("answer", {}).get("text"))
        for record in trace.records
        if record["kind"] in ("model", "action", "reply")
    ]
    assert shape == [
        ("model", "Let me look."),
        ("action", "a"),
        ("action", "b"),
        ("model", None),
        ("action", "c"),
        ("model", "done"),
        ("reply", None),
    ]
    first = of_kind(trace, "model")[0]["answer"]["calls"]
    assert [(call["id"], call["name"]) for call in first] == [("a", "payments_find"), ("b", "crm_get")]


def test_results_and_failures_go_back_to_the_model(framework: Framework) -> None:
    wanted = (
        Wanted("orders_get", {"id": "A-104"}, id="a"),
        Wanted("payments_find", {"order": "A-104"}, id="b"),
    )
    scripted = framework([Says(calls=wanted), DONE])
    trace = played(scripted.agent)
    assert [one["outcome"] for one in of_kind(trace, "result")] == ["failed", "executed"]
    assert "failed" in scripted.sent[1]
    assert "ch_9wd" in scripted.sent[1]


@pytest.mark.fault("D05")
def test_a_side_effect_asked_for_twice_in_one_answer_is_two_attempts(framework: Framework) -> None:
    args = {"charge": "ch_9wd", "amount_minor": 1000}
    wanted = (Wanted("payments_refund", args, id="a"), Wanted("payments_refund", args, id="b"))
    trace = played(framework([Says(calls=wanted), DONE]).agent)
    assert len(of_kind(trace, "action")) == 2
    assert len(trace.records[-1]["ledgers"]["payments"]) == 2


@pytest.mark.fault("D03", "D05")
def test_a_call_that_comes_again_under_its_id_is_another_attempt(framework: Framework) -> None:
    again = Says(calls=(Wanted("payments_refund", {"charge": "ch_9wd", "amount_minor": 1000}, id="a"),))
    trace = played(framework([again, again, DONE]).agent)
    attempts = [(one["tool"], one["hint"]) for one in of_kind(trace, "action")]
    assert attempts == [("payments.refund", "a")] * 2
    executed = [one for one in of_kind(trace, "result") if one["outcome"] == "executed"]
    assert len(executed) == len(trace.records[-1]["ledgers"]["payments"])


@pytest.mark.fault("D07")
def test_one_call_under_one_id_for_ever_is_stopped_as_a_repetition(framework: Framework) -> None:
    again = Says(calls=(Wanted("payments_find", {"order": "A-104"}, id="a"),))
    trace = played(framework([again] * 20).agent)
    assert trace.stop == "repeated_action"


@pytest.mark.fault("D06")
@pytest.mark.parametrize("name", ["crm_lookup_person", "payments.refund"])
def test_a_tool_nobody_has_is_an_attempt_and_carries_nothing_out(framework: Framework, name: str) -> None:
    args = {"charge": "ch_9wd", "amount_minor": 1000}
    trace = played(framework([Says(calls=(Wanted(name, args, id="x"),)), DONE]).agent)
    (action,) = of_kind(trace, "action")
    (result,) = of_kind(trace, "result")
    assert action["tool"].startswith(name)
    assert action["hint"] == "x"
    assert result["error"]["code"] == "unknown_tool"
    assert trace.records[-1]["ledgers"] == {}


@pytest.mark.fault("D01")
@pytest.mark.parametrize("raw", ['{"charge":"ch_5kq","amount_minor":25', "{'charge':'ch_5kq'}"])
def test_arguments_that_are_no_json_are_recorded_raw_and_not_executed(framework: Framework, raw: str) -> None:
    trace = played(framework([Says(calls=(Wanted("payments_refund", raw, id="x"),)), DONE]).agent)
    (action,) = of_kind(trace, "action")
    (result,) = of_kind(trace, "result")
    assert action["supplied"] == raw
    assert action["args"] is None
    assert result["outcome"] == "malformed"
    assert trace.records[-1]["ledgers"] == {}
    assert trace.stop == "finished"


@pytest.mark.fault("D01", "D06")
@pytest.mark.parametrize("name", ["", "\u202e\x1b[2J", "x" * 20_000])
def test_a_name_that_is_none_is_recorded_as_it_came(framework: Framework, name: str) -> None:
    trace = played(framework([Says(calls=(Wanted(name, {}, id="x"),)), DONE]).agent)
    (action,) = of_kind(trace, "action")
    assert action["tool"] == name
    assert trace.records[-1]["ledgers"] == {}


@pytest.mark.parametrize(
    "raw",
    ['{"charge":"ch_5kq","amount_minor":NaN}', '{"charge":"a","charge":"b"}', "[1]", "5", '"{}"', "null"],
)
@pytest.mark.fault("D01")
def test_arguments_that_only_look_like_some_are_malformed(framework: Framework, raw: str) -> None:
    trace = played(framework([Says(calls=(Wanted("payments_refund", raw, id="x"),)), DONE]).agent)
    (result,) = of_kind(trace, "result")
    assert (result["outcome"], trace.stop) == ("malformed", "finished")
    assert trace.records[-1]["ledgers"] == {}


TWO_TURNS = """
id: two_turns
initial:
  contacts: {C-1: {name: Ida Holm, email: ida@holm.example.test}}
stimulus:
  message: "First: who is C-1?"
  then: [{when: {after: crm.get}, message: "Second: and her address?"}]
expected: {told: {states: [{literal: ida@holm.example.test}]}}
reference: [{do: [{tool: crm.get, args: {id: C-1}}], reply: Ida}, {do: [], reply: ida@holm.example.test}]
wrong: [{id: silent, codes: [missing_reply], do: [], reply: nothing}]
"""


def written(text: str) -> Scenario:
    (scenario,) = load_scenarios(text, worlds=lambda name: company.spec)
    return scenario


def test_the_conversation_is_kept_from_turn_to_turn(framework: Framework) -> None:
    scenario = written(TWO_TURNS)
    scripted = framework(replaying(scenario.reference))
    trace = played(scripted.agent, scenario)
    assert verdict(scenario, trace).outcome == "passed"
    last = scripted.sent[2]
    for part in ("First: who is C-1?", "Ida Holm", "Second: and her address?"):
        assert last.count(part) == 1, part


CRASHED = """
id: crashed_between
initial:
  contacts: {C-1: {name: Ida Holm, email: ida@holm.example.test}}
stimulus: {message: Tag C-1.}
faults: [{on: crm.update, kind: crash, at: answered, restart: RESTART}]
expected: {told: {states: [{literal: done}]}, may_change: {contacts: any}}
reference: [{do: [{tool: crm.update, args: {id: C-1, phone: "1"}}], reply: done}]
wrong: [{id: silent, codes: [missing_reply], do: [], reply: nothing}]
"""


@pytest.mark.parametrize(("mode", "told"), [("task", False), ("transcript", True)])
def test_after_a_crash_the_agent_begins_with_what_the_restart_leaves_it(
    framework: Framework, mode: str, told: bool
) -> None:
    scenario = written(CRASHED.replace("RESTART", mode))
    call = Wanted("crm_update", {"id": "C-1", "phone": "1"}, id="a")
    scripted = framework([Says(calls=(call,)), DONE])
    trace = played(scripted.agent, scenario)
    assert len(of_kind(trace, "crash")) == 1
    assert trace.stop == "finished"
    assert "Tag C-1." in scripted.sent[1]
    assert ("crm.update" in scripted.sent[1]) is told


def test_after_a_crash_a_checkpoint_brings_the_messages_back(framework: Framework) -> None:
    text = CRASHED.replace("RESTART", "checkpoint").replace("on: crm.update", "on: crm.get")
    scenario = written(text)
    steps = [
        Wanted("crm_update", {"id": "C-1", "phone": "1"}, id="a"),
        Wanted("crm_get", {"id": "C-1"}, id="b"),
    ]
    scripted = framework([*(Says(calls=(step,)) for step in steps), DONE])
    trace = played(scripted.agent, scenario)
    assert trace.stop == "finished"
    again = scripted.sent[2]
    assert again.count("Tag C-1.") == 1
    assert "crm_update" in again
    assert "crm_get" not in again
    assert "interrupted" in again


def test_after_a_crash_a_checkpoint_brings_a_long_conversation_back_to_its_last_deed(
    framework: Framework,
) -> None:
    scenario = written(CRASHED.replace("RESTART", "checkpoint").replace("on: crm.update", "on: crm.get"))
    deeds = [Wanted("crm_update", {"id": "C-1", "phone": str(n)}, id=f"deed{n}") for n in range(4)]
    look = Says(calls=(Wanted("crm_get", {"id": "C-1"}, id="b"),))
    scripted = framework([*(Says(text="x" * 40_000, calls=(one,)) for one in deeds), look, DONE])
    trace = played(scripted.agent, scenario)
    assert (trace.stop, len(of_kind(trace, "crash"))) == ("finished", 1)
    assert [f"deed{n}" in scripted.sent[5] for n in range(4)] == [True] * 4


@pytest.mark.fault("D07")
def test_the_limits_of_the_episode_stop_a_loop_and_say_which(framework: Framework) -> None:
    script = [Says(calls=(Wanted("crm_get", {"id": "C-7715"}, id=f"c{n}"),)) for n in range(30)]
    trace = played(framework(script).agent)
    assert trace.stop == "repeated_action"


@pytest.mark.fault("D07", "D08")
def test_the_frameworks_own_bound_is_an_error_of_the_agent_and_what_was_done_stays(
    framework: Framework, request: pytest.FixtureRequest
) -> None:
    from pydantic_ai import UsageLimits

    bounds: dict[str, Any] = {
        "pydantic-ai": {"usage_limits": UsageLimits(request_limit=2)},
        "openai-agents": {"max_turns": 2},
        "langgraph": {"recursion_limit": 4},
    }
    script = [Says(calls=(Wanted("crm_get", {"id": f"C-{n}"}, id=f"c{n}"),)) for n in range(30)]
    bound = bounds[request.node.callspec.params["framework"]]
    trace = played(framework(script, **bound).agent)
    assert trace.stop == "agent_error"
    assert len(of_kind(trace, "action")) == 2
    detail = of_kind(trace, "stopped")[0]["detail"]
    assert any(word in detail for word in ("UsageLimitExceeded", "MaxTurnsExceeded", "GraphRecursionError"))


@pytest.mark.parametrize(
    "error",
    [
        refused(429, **{"retry-after": "7"}),
        refused(503),
        openai.APIConnectionError(request=httpx2.Request("POST", "https://x.test")),
    ],
    ids=["rate limit", "server error", "connection"],
)
def test_a_host_that_is_down_is_an_outage_and_what_was_done_is_kept(
    framework: Framework, error: Exception
) -> None:
    refund = Wanted("payments_refund", {"charge": "ch_9wd", "amount_minor": 1000}, id="a")
    trace = played(framework([Says(calls=(refund,)), error]).agent)
    assert trace.stop == "infrastructure_error"
    assert len(trace.records[-1]["ledgers"]["payments"]) == 1
    assert of_kind(trace, "model")[-1]["error"]["message"]


@pytest.mark.fault("D10")
@pytest.mark.parametrize("sent", [True, False])
def test_what_a_model_used_that_did_not_answer_in_time_is_unknown(framework: Framework, sent: bool) -> None:
    request = httpx2.Request("POST", "https://models.example.test/v1")
    error = openai.APITimeoutError(request=request)
    if not sent:
        error.__cause__ = httpx2.ConnectTimeout("nobody takes the connection", request=request)
    trace = played(framework([error], kind="undeclared").agent)
    assert trace.stop == "infrastructure_error"
    assert [one["cost_usd"] for one in of_kind(trace, "usage")] == ([None] if sent else [])


@pytest.mark.fault("D11")
def test_counts_that_contradict_each_other_are_unknown_and_end_nothing(framework: Framework) -> None:
    trace = played(framework([Says(text="done", used=(10, 1), cached=99)], kind="undeclared").agent)
    assert trace.stop == "finished"
    assert of_kind(trace, "usage")[0]["input_tokens"] is None
    assert trace.records[-1]["cost_usd"] is None


@pytest.mark.loopback
@pytest.mark.parametrize("kind", ["pydantic-ai", "openai-agents"])
def test_a_host_that_asks_to_be_left_alone_is_by_everybody(kind: str) -> None:
    with ScriptedChatServer([fails(429, retry_after="60")]) as server:
        host = f"127.0.0.1:{server.port}"
        with pacing.paced([host], {}) as gates:
            trace = played(hosted(kind, server.url))
            assert gates[host].reserve() > 10
    assert trace.stop == "infrastructure_error"


def test_an_error_of_the_agents_own_is_no_outage(framework: Framework) -> None:
    trace = played(framework([ValueError("a bug in the agent")]).agent)
    assert trace.stop == "agent_error"
    assert "a bug in the agent" in of_kind(trace, "stopped")[0]["detail"]


@pytest.mark.fault("D10")
def test_tokens_nobody_counted_are_unknown_and_counted_ones_are_priced(framework: Framework) -> None:
    plain = played(framework([DONE]).agent)
    (usage,) = of_kind(plain, "usage")
    if framework is not FRAMEWORKS["pydantic-ai"]:  # its function model makes up a number
        assert usage["input_tokens"] is None
    assert plain.records[-1]["cost_usd"] == "0"  # a scripted model is free
    prices = dict.fromkeys(("scripted", "ScriptedModel", "gpt"), "2.00/8.00")
    more = {"model": "gpt"} if framework is FRAMEWORKS["langgraph"] else {}
    priced = played(framework([Says(text="done", used=(9000, 700))], prices=prices, **more).agent)
    (usage,) = of_kind(priced, "usage")
    assert (usage["input_tokens"], usage["output_tokens"], usage["basis"]) == (9000, 700, "estimated")
    assert priced.records[-1]["cost_usd"] == "0.0236"


def test_the_same_script_gives_the_same_bytes(framework: Framework) -> None:
    scenario = written(TWO_TURNS)
    unnamed = [Says(calls=(Wanted("crm_get", {"id": "C-1"}),)), Says(text="Ida"), DONE]
    first, second = (played(framework(unnamed).agent, scenario).bytes() for _ in range(2))
    assert first == second


def test_a_scripted_model_is_evidence_of_wiring_only(framework: Framework) -> None:
    agent = framework([DONE]).agent
    assert agent.kind == "test_model"
    assert played(agent).header["evidence"] == "test model"


def test_the_agent_is_given_the_tools_that_were_chosen_under_their_aliases(framework: Framework) -> None:
    given = {"tools": ("orders.*", "payments.find"), "aliases": {"lookup": "orders.get"}}
    call = Wanted("lookup", {"id": "A-104"}, id="a")
    trace = played(framework([Says(calls=(call,)), DONE], **given).agent)
    assert [one["tool"] for one in of_kind(trace, "action")] == ["orders.get"]
    with pytest.raises(WrongUse, match=r"orders\.gte"):
        framework([DONE], aliases={"lookup": "orders.gte"}).agent.for_scenario(shipped())


def test_settings_say_what_was_played_and_are_no_secret(framework: Framework) -> None:
    agent = framework([DONE], tools=("orders.*",)).agent
    assert json.loads(json.dumps(agent.settings))["tools"] == ["orders.*"]
    assert str(agent.settings["framework"]).split()[0] in FRAMEWORKS


def test_a_version_that_was_never_tried_is_refused_with_the_range() -> None:
    with pytest.raises(WrongUse, match=r"tested with pytest >=99,<100, found"):
        checked_version("pytest", least=(99,), below=(100,), extra="x")
    with pytest.raises(WrongUse, match=r"pip install 'company-lab\[x\]'"):
        checked_version("no-such-package-here", least=(1,), below=(2,), extra="x")


EVENT = """
id: something_happens_meanwhile
initial:
  contacts: {C-1: {name: Ida Holm, email: ida@holm.example.test}}
  invoices: {I-1: {contact: C-1, total_minor: 90000, received_minor: 50000, currency: EUR, status: partially_paid}}
events:
  - {at: +1h, id: evt_1, type: payment.succeeded, data: {payment: pay_77, invoice: I-1, amount_minor: 5, currency: EUR}}
stimulus: {message: Wait and see.}
expected: {told: {states: [{literal: done}]}}
reference: [{do: [{tool: clock.wait, args: {duration: 2h}}], reply: done}]
wrong: [{id: silent, codes: [missing_reply], do: [], reply: nothing}]
"""


def test_what_happens_while_the_agent_works_goes_with_the_next_result(framework: Framework) -> None:
    wait = Wanted("clock_wait", {"duration": "2h"}, id="w")
    look = Wanted("crm_get", {"id": "C-1"}, id="l")
    scripted = framework([Says(calls=(wait,)), Says(calls=(look,)), DONE])
    played(scripted.agent, written(EVENT))
    assert "pay_77" not in scripted.sent[0]
    assert "pay_77" in scripted.sent[2]


DEEP = '{"id":' + "[" * 100 + "]" * 100 + "}"
TOO_DEEP_TO_READ = '{"id":' + "[" * 100_000 + "]" * 100_000 + "}"


@pytest.mark.fault("D01")
@pytest.mark.parametrize("raw", ["", DEEP, TOO_DEEP_TO_READ], ids=["empty", "deep", "too deep to read"])
def test_arguments_that_no_tool_takes_are_a_malformed_attempt_with_what_the_model_wrote(
    framework: Framework, raw: str
) -> None:
    trace = played(framework([Says(calls=(Wanted("crm_get", raw, id="x"),), used=(1, 1)), DONE]).agent)
    (action,), (result,) = of_kind(trace, "action"), of_kind(trace, "result")
    assert (action["tool"], action["supplied"], action["args"]) == ("crm.get", raw, None)
    assert result["outcome"] == "malformed"
    assert of_kind(trace, "model")[0]["answer"]["calls"][0]["arguments"] == raw


@pytest.mark.fault("D01")
def test_arguments_that_came_as_a_deep_object_are_a_malformed_attempt(framework: Framework) -> None:
    call = Wanted("crm_get", json.loads(DEEP), id="x")
    trace = played(framework([Says(calls=(call,), used=(1, 1)), DONE]).agent)
    (result,) = of_kind(trace, "result")
    assert (result["outcome"], trace.stop) == ("malformed", "finished")


@pytest.mark.fault("D01")
def test_half_a_character_in_arguments_is_recorded_and_changes_nothing(framework: Framework) -> None:
    call = Wanted("crm_update", '{"id":"C-7715","phone":"\\ud83d"}', id="x")
    scripted = framework([Says(calls=(call,), used=(1, 1)), DONE])
    trace = played(scripted.agent)
    (action,) = of_kind(trace, "action")
    assert action["supplied"] == call.args
    assert of_kind(trace, "model")[0]["answer"]["calls"][0]["arguments"] == call.args


@pytest.mark.fault("D01")
def test_each_attempt_with_bad_arguments_is_recorded_however_often_the_framework_asks_again(
    framework: Framework,
) -> None:
    wrong = [
        Says(calls=(Wanted("crm_get", {"nope": number}, id=f"b{number}"),), used=(1, 1))
        for number in range(8)
    ]
    scripted = framework([*wrong, DONE])
    trace = played(scripted.agent)
    assert [one["args"] for one in of_kind(trace, "action")] == [{"nope": number} for number in range(8)]
    assert {one["outcome"] for one in of_kind(trace, "result")} == {"malformed"}
    assert trace.stop == "finished"
    assert "expected one of id" in scripted.sent[1]


def test_a_value_given_as_a_secret_stands_nowhere_in_the_record(framework: Framework) -> None:
    script = [
        Says(text="the key is tip-toe-99", calls=(Wanted("crm_get", {"id": "tip-toe-99"}, id="x"),)),
        Says(calls=(Wanted("tip-toe-99", '{"a": "tip-toe-99', id="y"),)),
        RuntimeError("tip-toe-99 was refused"),
    ]
    trace = played(framework(script, secrets=["tip-toe-99"]).agent)
    assert "tip-toe" not in trace.text()
    assert of_kind(trace, "action")[0]["args"] == {"id": "(secret)"}
    assert len(of_kind(trace, "action")) == 2


def test_what_the_host_says_about_the_key_it_refuses_is_not_recorded(framework: Framework) -> None:
    key = "sk-proj-abcDEF1234567890abcDEF"
    request = httpx2.Request("POST", "https://models.example.test/v1")
    response = httpx2.Response(401, request=request)
    told = {"message": f"Incorrect API key provided: {key}"}
    error = openai.AuthenticationError(f"bad {key}", response=response, body=told)
    trace = played(framework([error]).agent)
    assert trace.stop == "infrastructure_error"
    assert "Incorrect API key provided: (secret)" in of_kind(trace, "model")[0]["error"]["message"]
    assert key not in trace.text()


SLOW = """
id: waits_too_long
initial:
  contacts: {C-1: {name: Ida Holm, email: ida@holm.example.test}}
stimulus: {message: Tag C-1.}
limits: {wall: 300ms}
expected: {told: {states: [{literal: done}]}, may_change: {contacts: any}}
reference: [{do: [{tool: crm.update, args: {id: C-1, phone: "1"}}], reply: done}]
wrong: [{id: silent, codes: [missing_reply], do: [], reply: nothing}]
"""


@pytest.mark.wall_time
@pytest.mark.fault("D07")
def test_a_model_that_keeps_the_agent_waiting_ends_it_at_the_wall_limit_with_what_was_done(
    framework: Framework,
) -> None:
    call = Wanted("crm_update", {"id": "C-1", "phone": "1"}, id="a")
    scripted = framework([Says(calls=(call,)), Says(text="done", after_s=60), DONE])
    began = time.monotonic()
    trace = played(scripted.agent, written(SLOW))
    assert trace.stop == "wall_limit"
    assert time.monotonic() - began < 20
    assert [one["outcome"] for one in of_kind(trace, "result")] == ["executed"]
    assert [one["table"] for one in trace.records[-1]["changes"]] == ["contacts"]


@pytest.mark.fault("D10")
def test_tokens_from_a_cache_are_told_apart_and_priced_so(framework: Framework) -> None:
    prices = dict.fromkeys(("scripted", "ScriptedModel", "gpt"), "2.00/8.00/0.20")
    more = {"model": "gpt"} if framework is FRAMEWORKS["langgraph"] else {}
    trace = played(framework([Says(text="done", used=(9000, 700), cached=8000)], prices=prices, **more).agent)
    (usage,) = of_kind(trace, "usage")
    assert (usage["input_tokens"], usage["cached_tokens"]) == (9000, 8000)
    assert trace.records[-1]["cost_usd"] == "0.0092"  # 1000 fresh, 8000 cached, 700 written


def test_a_value_is_told_to_the_framework_as_it_is_though_it_can_not_be_kept() -> None:
    deep: Any = 0
    for _ in range(200):
        deep = [deep]
    kept = plain({"deep": deep, "huge": 2**70, "nothing": float("nan"), "half": "\ud83d"})
    assert isinstance(kept, dict)
    assert (kept["huge"], kept["nothing"], kept["half"]) == (str(2**70), "nan", "\ud83d")
    assert "[[" in canonical(kept["deep"])
    boundary({"a": {"b": [kept]}})


@pytest.mark.loopback
@pytest.mark.parametrize("kind", ["pydantic-ai", "openai-agents"])
def test_a_host_that_stays_silent_until_the_time_is_over_is_named_and_the_request_is_recorded(
    kind: str,
) -> None:
    with ScriptedChatServer([says("late", delay_s=60)]) as server:
        trace = played(hosted(kind, server.url), written(SLOW))
    assert trace.stop == "wall_limit"
    assert f"127.0.0.1:{server.port}" in of_kind(trace, "stopped")[0]["detail"]
    assert of_kind(trace, "model")[-1]["model"] == "m"
    assert "before an answer came" in of_kind(trace, "model")[-1]["error"]["message"]
    assert trace.records[-1]["cost_usd"] is None


def hosted(kind: str, url: str) -> Agent:
    """An agent of a framework on the library's own client of OpenAI-compatible hosts."""
    own = openai.AsyncOpenAI(
        api_key="sk-not-a-key",
        base_url=url,
        max_retries=0,
        http_client=httpx2.AsyncClient(headers={"connection": "close"}),
    )
    if kind == "pydantic-ai":
        from pydantic_ai import Agent as PydanticAgent
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.providers.openai import OpenAIProvider

        provider = OpenAIProvider(openai_client=own)
        return pydantic_ai_agent(PydanticAgent(OpenAIChatModel("m", provider=provider)))
    from agents import Agent as SdkAgent
    from agents import OpenAIChatCompletionsModel

    return openai_agents_agent(SdkAgent(name="desk", model=OpenAIChatCompletionsModel("m", own)))


@pytest.mark.loopback
@pytest.mark.parametrize("kind", ["pydantic-ai", "openai-agents"])
def test_on_a_real_client_calls_tokens_and_the_reply_are_recorded_and_its_key_is_not(kind: str) -> None:
    raw = '{"id":"C-7715","id":"C-7715"}'
    told = {"error": {"message": "no such key: sk-not-a-key"}}
    script = [calls(call("crm_get", raw)), says("done"), fails(401, told)]
    with ScriptedChatServer(script) as server:
        agent = hosted(kind, server.url)
        trace, refused = played(agent), played(agent)
    assert [one["supplied"] for one in of_kind(trace, "action")] == [raw]
    assert [one["outcome"] for one in of_kind(trace, "result")] == ["malformed"]
    assert [one["input_tokens"] for one in of_kind(trace, "usage")] == [100, 100]
    assert (trace.header["evidence"], trace.stop) == ("real model", "finished")
    assert trace.records[-1]["cost_usd"] is None  # nobody knows what a local host costs
    assert refused.stop == "infrastructure_error"
    assert "no such key: (secret)" in refused.text()
