"""A model's host that has not answered when the episode's time is over, and answers that are too long."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat_server import ScriptedChatServer, Step, call, calls, chooses, fails, says
from company_lab.agents.functions import function_agent
from company_lab.agents.protocol import Session, Task
from company_lab.agents.resolve import resolve_agent
from company_lab.company import company
from company_lab.episodes import play
from company_lab.episodes.confined import Confinement
from company_lab.episodes.shortened import shortened
from company_lab.evaluation import judge
from company_lab.formats.canonical import canonical
from company_lab.scenarios.loader import load_scenarios
from company_lab.scenarios.model import Scenario
from company_lab.traces import Trace
from isolation import isolated
from model_episode import chat, deciding, of_kind, played

pytestmark = pytest.mark.wall_time

TEXT = """
id: who_is_it
initial: {contacts: {C-1: {name: Ida Holm, email: ida@holm.example.test}}}
stimulus: {message: Who is C-1?}
expected: {told: {states: [{literal: Ida}]}}
limits: {wall: %s, output: %d}
reference: [{do: [{tool: crm.get, args: {id: C-1}}], reply: Ida}]
wrong: [{id: silent, codes: [missing_reply], do: [], reply: nothing}]
"""
OPEN = "the episode's time was over before an answer came"
PRICED: dict[str, Any] = {"test_model": None, "price": ["scripted=1/1", "decider:2b=1/1", "writer=1/1"]}


def short(wall: str = "400ms", output: int = 1_000_000) -> Scenario:
    (found,) = load_scenarios(TEXT % (wall, output), worlds=lambda name: company.spec)
    return found


def stop_of(trace: Trace) -> dict[str, Any]:
    return of_kind(trace, "stopped")[0]


@pytest.mark.loopback
@pytest.mark.parametrize("stream", [False, True])
def test_the_request_that_the_time_ran_out_over_stands_in_the_trace(stream: bool) -> None:
    look = calls(call("crm_get", {"id": "C-1"}))
    with ScriptedChatServer([look, says("late", delay_s=5)]) as server:
        trace = played("openai-chat", chat(server.url, stream=stream, **PRICED), scenario=short("1s"))
    answered, left = of_kind(trace, "model")
    assert answered["error"] is None
    assert (left["attempt"], left["model"], left["answer"]) == (1, "scripted", None)
    assert left["error"] == {"message": OPEN}
    # a silent host can not be told from a slow model: the time was over, and the stop says over what
    assert stop_of(trace)["reason"] == "wall_limit"
    assert f"to ask 127.0.0.1:{server.port}, which had not answered" in stop_of(trace)["detail"]
    assert trace.records[-1]["cost_usd"] is None  # what it used will never be known
    assert judge(short("1s"), company.spec, trace).outcome == "failed"


@pytest.mark.loopback
def test_a_host_that_is_down_until_the_time_is_over_is_an_outage() -> None:
    acted = short("600ms")
    with ScriptedChatServer(lambda asked, number: fails(503)) as server:
        trace = played("openai-chat", chat(server.url, retries=50), scenario=acted)
    assert trace.stop == "infrastructure_error"
    tries = of_kind(trace, "model")
    assert [record["attempt"] for record in tries] == list(range(1, len(tries) + 1))
    assert tries[0]["error"]["status"] == 503
    assert tries[-1]["error"] == {"message": OPEN}
    assert judge(acted, company.spec, trace).outcome == "unscored"


@pytest.mark.loopback
def test_an_outage_that_was_over_is_no_excuse_for_what_comes_after() -> None:
    script = [fails(503, retry_after="0"), calls(call("crm_get", {"id": "C-1"})), says("late", delay_s=5)]
    with ScriptedChatServer(script) as server:
        trace = played("openai-chat", chat(server.url), scenario=short("1s"))
    assert trace.stop == "wall_limit"


@pytest.mark.loopback
def test_a_decider_is_waited_for_like_any_model() -> None:
    with ScriptedChatServer([chooses("lookup", delay_s=5)]) as server:
        trace = played("decision", deciding(server.root), scenario=short())
    (left,) = of_kind(trace, "model")
    assert (left["role"], left["model"], left["error"]) == ("decider", "decider:2b", {"message": OPEN})


@pytest.mark.loopback
def test_an_agent_in_a_process_of_its_own_is_recorded_in_the_same_way() -> None:
    with ScriptedChatServer([says("late", delay_s=5)]) as server:
        agent = resolve_agent("openai-chat", chat(server.url, test_model=True))
        agent = replace(
            agent, bound=None
        )  # the depot is no registered world, whose tools could be looked at before
        trace = isolated(agent, limits={"wall": "1s"}, confinement=Confinement()).trace
    assert of_kind(trace, "model")[0]["error"] == {"message": OPEN}
    assert (trace.stop, "which had not answered" in stop_of(trace)["detail"]) == ("wall_limit", True)


def of_function(act: Any) -> Trace:
    return play(company.prepare(short()), function_agent(act, name="tests:agent")).trace


def test_a_function_that_waits_for_a_host_it_paces_is_said_to_wait() -> None:
    async def waits(task: Task, session: Session) -> str:
        async with session.pace("models.example.test"):
            await asyncio.sleep(5)
        return ""

    async def works(task: Task, session: Session) -> str:
        async with session.pace("models.example.test"):
            pass
        session.usage(input_tokens=1, output_tokens=1)
        await asyncio.sleep(5)
        return ""

    waited, worked = of_function(waits), of_function(works)
    assert "to ask models.example.test, which had not answered" in stop_of(waited)["detail"]
    assert of_kind(waited, "model") == []  # which model it asked nobody said
    assert "models.example.test" not in stop_of(worked)["detail"]


LONG: dict[str, tuple[str, list[Step], str]] = {
    "a text": ("openai-chat", [says("Ida " * 2000)], "model"),
    "a text in pieces": ("openai-chat", [says("Ida " * 2000)], "model"),
    "arguments": ("openai-responses", [calls(call("email_send", {"text": "Ida " * 2000}))], "model"),
    "a choice": ("decision", [chooses("lookup")], "choice"),
    "a writer's arguments": ("decision", [chooses("lookup"), says("Ida " * 2000)], "model"),
}


@pytest.mark.loopback
@pytest.mark.parametrize("name", LONG)
def test_an_answer_that_is_too_long_is_kept_as_far_as_there_is_room_and_what_it_used_counts(
    name: str,
) -> None:
    adapter, steps, kind = LONG[name]
    room = 3000 if kind == "model" else 300
    with ScriptedChatServer(steps) as server:
        at = deciding(server.root) if adapter == "decision" else chat(server.url)
        more = {"stream": True} if "pieces" in name else {}
        trace = played(adapter, {**at, **PRICED, **more}, scenario=short("20s", room))
    assert trace.stop == "output_limit"
    cut = of_kind(trace, kind)[-1]
    assert cut["bytes"] > room
    assert 100 < len(canonical(cut)) < room + 500
    if kind == "model":
        assert "Ida Ida Ida" in canonical(cut["answer"])
    assert trace.records[cut["seq"] + 1]["kind"] == "usage"
    assert trace.records[-1]["cost_usd"] == str(Decimal("0.00012") * len(steps))
    assert of_kind(trace, "action") == []


@pytest.mark.loopback
@pytest.mark.fault("D10")
def test_a_failure_that_is_told_at_too_great_a_length_still_makes_the_cost_unknown() -> None:
    look = calls(call("crm_get", {"id": "C-1"}))
    with ScriptedChatServer([look, Step(body="<html>" + "x" * 900)]) as server:
        trace = played("openai-chat", chat(server.url, **PRICED), scenario=short("20s", 400))
    assert trace.stop == "output_limit"
    assert [record["cost_usd"] for record in of_kind(trace, "usage")] == ["0.00012", None]
    assert trace.records[-1]["cost_usd"] is None


def test_usage_is_taken_once_after_the_end_and_only_of_the_answer_that_ended_it() -> None:
    def reports(task: Task, session: Session) -> str:
        try:
            session.asked(role="agent", model="m", answer="x" * 2_000_000)
        finally:
            for _ in range(3):
                try:
                    session.usage(input_tokens=5, output_tokens=1, cost_usd="0.5")
                except BaseException:  # noqa: BLE001 - as an agent might that does not want to stop
                    continue
        return ""

    trace = of_function(reports)
    assert trace.stop == "output_limit"
    assert len(of_kind(trace, "usage")) == 1


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=4),
    max_leaves=12,
)


@given(JSON, st.integers(-5, 60))
def test_what_is_shortened_keeps_its_shape_and_fits(value: Any, room: int) -> None:
    cut = shortened(value, room)
    assert type(cut) is type(value) or cut is None
    texts = [text for text in _texts(cut) if text]
    assert sum(map(len, texts)) <= max(0, room)
    assert shortened(value, 10_000) == value


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [text for part in parts for text in _texts(part)]
