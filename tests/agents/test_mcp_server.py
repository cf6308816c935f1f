"""The world as an MCP server in the agent's own process, with the SDK's own client."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from company_lab.agents.mcp_answers import names_of, told
from company_lab.agents.mcp_arrivals import Arrivals
from company_lab.agents.mcp_desk import Desk
from company_lab.agents.mcp_server import serve_desk, world_server
from company_lab.agents.protocol import Session, Task, ToolOffer
from company_lab.formats.shapes import Signature
from company_lab.traces import Trace
from depot import results, run

Use = Callable[[Client], Awaitable[object]]


def using(use: Use, *, mode: str = "auto", **keys: Any) -> tuple[Trace, Any]:
    """An episode of an agent that is a client; the trace, and what `use` returned."""
    found: list[object] = []

    async def agent(task: Task, session: Session) -> str:
        async with Client(world_server(task, session), mode=mode) as client:
            found.append(await use(client))
        return "done"

    trace = run(agent, **keys)
    return trace, found[0] if found else None


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_tools_are_listed_with_schemas_and_hints(mode: str) -> None:
    _, listed = using(lambda client: client.list_tools(), mode=mode)
    tools = {tool.name: tool for tool in listed.tools}
    assert tools["depot_get"].title == "depot.get"
    assert tools["depot_get"].description == "Read a parcel."
    assert tools["depot_get"].input_schema["required"] == ["id"]
    assert tools["depot_get"].annotations.read_only_hint is True
    ship = tools["depot_ship"].annotations
    assert (ship.read_only_hint, ship.destructive_hint, ship.idempotent_hint) == (False, True, False)
    assert "reply" not in tools


def test_lists_may_be_kept_since_a_world_never_changes_its_tools() -> None:
    _, listed = using(lambda client: client.list_tools())
    assert listed.ttl_ms >= 60_000
    assert listed.cache_scope == "private"


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_answers_are_text_and_structure(mode: str) -> None:
    async def use(client: Client) -> object:
        one = await client.call_tool("depot_get", {"id": "P-1"})
        many = await client.call_tool("depot_find", {"status": "waiting"})
        return one, many

    _, (one, many) = using(use, mode=mode)
    assert one.is_error is False
    assert json.loads(one.content[0].text) == one.structured_content
    assert one.structured_content["id"] == "P-1"
    assert many.structured_content == {"result": json.loads(many.content[0].text)}


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_attempts_that_give_nothing_are_results_that_say_why(mode: str) -> None:
    async def use(client: Client) -> list[Any]:
        return [
            await client.call_tool("depot_get", {"id": "P-9"}),
            await client.call_tool("depot_get", {"no": 1}),
            await client.call_tool("depot_fetch", {}),
            await client.call_tool("depot_ship", {"id": "P-3"}),
        ]

    trace, answers = using(use, mode=mode)
    assert [answer.is_error for answer in answers] == [True] * 4
    found = [answer.structured_content for answer in answers]
    assert [one["code"] for one in found[:3]] == ["failed", "bad_arguments", "unknown_tool"]
    assert found[3]["code"] in ("refused", "held")
    for answer, one in zip(answers, found, strict=True):
        assert one["message"] in answer.content[0].text
        assert set(one) == {"code", "reason", "message", "detail"}
    assert [code for _, code in results(trace)] == [one["code"] for one in found]


@pytest.mark.fault("D03")
def test_the_requests_id_is_the_agents_own_hint() -> None:
    trace, _ = using(lambda client: client.call_tool("depot_get", {"id": "P-1"}))
    (action,) = trace.by_kind("action")
    assert action["call"] == "c1"
    assert action["hint"] is not None


def test_a_limit_is_an_error_result_and_then_the_end() -> None:
    async def use(client: Client) -> list[Any]:
        return [await client.call_tool("depot_get", {"id": f"P-{n}"}) for n in (1, 2, 3)]

    trace, answers = using(use, limits={"calls": 1})
    assert [answer.is_error for answer in answers] == [False, True, True]
    assert answers[1].structured_content["code"] == "stopped"
    assert answers[1].structured_content["reason"] == "call_limit"
    assert trace.stop == "call_limit"
    assert len(list(trace.by_kind("action"))) == 1


@pytest.mark.fault("D04")
def test_parallel_calls_run_in_order_of_arrival() -> None:
    async def use(client: Client) -> list[Any]:
        return await asyncio.gather(
            *(client.call_tool("depot_get", {"id": f"P-{1 + n % 3}"}) for n in range(9))
        )

    trace, _ = using(use)
    asked = [record["args"]["id"] for record in trace.by_kind("action")]
    assert asked == ["P-1", "P-2", "P-3"] * 3


def test_a_call_that_is_cancelled_is_carried_out_all_the_same() -> None:
    async def agent(task: Task, session: Session) -> str:
        desk = Desk(task, session)
        async with Client(serve_desk(desk, Arrivals(desk))) as client:
            call = asyncio.ensure_future(client.call_tool("depot_ship", {"id": "P-1"}))
            for _ in range(6):  # the steps of the client until the call has arrived
                await asyncio.sleep(0)
            call.cancel()
            with suppress(asyncio.CancelledError):
                await call
            await client.call_tool("depot_get", {"id": "P-1"})
        return "done" if call.cancelled() else "the call was not cancelled"

    trace = run(agent)
    assert next(trace.by_kind("reply"))["text"] == "done"
    assert [record["tool"] for record in trace.by_kind("action")] == ["depot.ship", "depot.get"]
    assert len(list(trace.by_kind("effect"))) == 1


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_task_and_events_are_resources_and_the_task_a_prompt(mode: str) -> None:
    event = {
        "at": "+1s",
        "id": "evt_1",
        "type": "parcel.arrived",
        "data": {"parcel": "P-1", "receiver": "Ida"},
    }

    async def use(client: Client) -> list[str]:
        resources = await client.list_resources()
        prompts = await client.list_prompts()
        prompt = await client.get_prompt("task")
        before = await client.read_resource("company-lab://events")
        await client.call_tool("depot_get", {"id": "P-1"})
        await client.call_tool("depot_get", {"id": "P-2"})
        after = await client.read_resource("company-lab://events")
        task = await client.read_resource("company-lab://task")
        return [
            " ".join(str(one.uri) for one in resources.resources),
            prompts.prompts[0].name,
            prompt.messages[0].content.text,  # type: ignore[union-attr]
            *(one.contents[0].text for one in (task, before, after)),  # type: ignore[union-attr]
        ]

    trace, found = using(use, mode=mode, events=[event])
    assert found[:5] == [
        "company-lab://task company-lab://events",
        "task",
        "Please see to it.",
        "Please see to it.",
        "[]",
    ]
    (arrived,) = json.loads(found[5])
    assert arrived["id"] == "evt_1"
    assert len(list(trace.by_kind("observation"))) == 3, "reading the events is a look, and is recorded"


@pytest.mark.parametrize("uri", ["company-lab://secrets", "file:///etc/passwd"])
def test_nothing_else_can_be_read(uri: str) -> None:
    async def use(client: Client) -> None:
        with pytest.raises(MCPError, match="there is no "):
            await client.read_resource(uri)
        with pytest.raises(MCPError, match="there is task"):
            await client.get_prompt("other")

    using(use)


def offers(*names: str) -> list[ToolOffer]:
    return [
        ToolOffer(name=name, description="", signature=Signature(parameters={}), writes=False)
        for name in names
    ]


def test_names_without_dots_stay_different() -> None:
    assert names_of(offers("a.b", "c.d")) == {"a_b": "a.b", "c_d": "c.d"}
    assert names_of(offers("a.b_c", "a_b.c")) == {"a__b_c": "a.b_c", "a_b__c": "a_b.c"}


def test_a_first_task_without_events_is_handed_on_as_it_is() -> None:
    task = Task(message="Ship P-1.", sender="ida", turn=1, at="", events=(), tools=())
    assert told(task) == "Ship P-1."
    assert told(task, [(None, "Hello", "Hi")]) == (
        "The conversation so far:\n\nMessage: Hello\n\nYour reply: Hi\n\nNow:\n\nida: Ship P-1."
    )
