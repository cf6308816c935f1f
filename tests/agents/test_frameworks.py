"""What holds for an agent of every framework, each on the real library with its scripted model."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx2
import openai
import pytest

from company_lab.agents.conducts import reference
from company_lab.agents.framework_turns import checked_version
from company_lab.agents.protocol import Agent
from company_lab.company import SUITE, company
from company_lab.episodes import play
from company_lab.evaluation import Verdict, judge
from company_lab.formats.errors import WrongUse
from company_lab.scenarios.loader import load_scenarios
from company_lab.scenarios.model import Scenario
from company_lab.scenarios.suite import load_suite
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


SAMPLE = [one for one in load_suite(SUITE, lambda name: company.spec).scenarios if one.reference][::14][:15]


@pytest.mark.parametrize("scenario", SAMPLE, ids=lambda scenario: str(scenario.id))
def test_an_agent_that_does_what_the_reference_does_gets_the_same_verdict(
    framework: Framework, scenario: Scenario
) -> None:
    plain = played(reference(scenario), scenario)
    trace = played(framework(replaying(scenario.reference)).agent, scenario)
    assert verdict(scenario, trace).outcome == verdict(scenario, plain).outcome
    assert trace.stop == "finished"
    assert trace.records[-1]["changes"] == plain.records[-1]["changes"]
    assert [(one["tool"], one["args"]) for one in of_kind(trace, "action")] == [
        (one["tool"], one["args"]) for one in of_kind(plain, "action")
    ]


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
