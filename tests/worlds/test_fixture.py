"""A fixture is built, checked and hashed once; nothing that is played on it changes it."""

from __future__ import annotations

from typing import Any, TypedDict

import pytest

from company_lab.agents.functions import function_agent
from company_lab.agents.protocol import Session, Task, ToolError
from company_lab.episodes import play
from company_lab.formats.canonical import canonical
from company_lab.formats.errors import WrongUse
from company_lab.worlds import Context, Department, Failed, Json, Provider, Table, World
from company_lab.worlds.fixture import Fixture
from depot import PARCELS, scenario, settled, world


def start(fixture: Fixture) -> str:
    return canonical(
        [
            {
                tenant: {table: dict(records) for table, records in tables.items()}
                for tenant, tables in fixture.tenants.items()
            },
            [dict(delivery.data) for delivery in fixture.deliveries],
            fixture.scenario.model_dump(mode="json"),
        ]
    )


def busy(task: Task, session: Session) -> str:
    """Uses everything, keeps everything it gets, and spoils it."""
    for event in task.events:
        event["data"].clear()  # type: ignore[union-attr]
    for offer in task.tools:
        offer.parameters.clear()
    for tool, args in (
        ("depot.get", {"id": "P-2"}),
        ("depot.label", {"size": "s", "anything": {"deep": [1]}}),
        ("depot.add", {"receiver": "a", "weight": 1, "lines": [{"sku": "x", "count": 1}]}),
        ("depot.ship", {"id": "P-1"}),
        ("depot.ship", {"id": "P-2"}),
        ("depot.note", {"id": "P-3", "text": "seen"}),
        ("depot.remove", {"id": "P-3"}),
        ("depot.find", {"status": "waiting"}),
    ):
        try:
            answer = session.call(tool, **args)
        except ToolError as error:
            answer = error.detail
        spoil(answer)
        spoil(args)
    kept: list[Any] = [{"a": [1]}]
    session.memory = kept
    spoil(kept)
    spoil(session.memory)
    return "done"


def spoil(value: Any) -> None:
    if isinstance(value, dict):
        for item in list(value.values()):
            spoil(item)
        value["spoilt"] = True
    elif isinstance(value, list):
        for item in list(value):
            spoil(item)
        value.append("spoilt")


EVENTS = [{"at": "+1s", "id": "e1", "type": "parcel.arrived", "data": {"parcel": "P-8", "receiver": "b"}}]


def test_a_thousand_episodes_of_one_fixture_start_alike_and_leave_it_alone() -> None:
    fixture = world.prepare(scenario(events=EVENTS))
    before = start(fixture)
    agent = function_agent(busy, name="tests:busy")
    traces = [play(fixture, agent, trial=1, seed=3).trace for _ in range(1000)]
    assert {trace.header["digests"]["initial"] for trace in traces} == {fixture.digest}
    assert len({trace.bytes() for trace in traces}) == 1
    assert start(fixture) == before
    assert "spoilt" not in traces[0].text()


def test_what_an_agent_does_to_its_results_reaches_neither_trace_nor_state() -> None:
    trace = play(world.prepare(scenario()), function_agent(busy, name="tests:busy")).trace
    created = next(
        change
        for change in settled(trace)["changes"]
        if change["op"] == "create" and change["table"] == "parcels"
    )
    assert created["fields"]["lines"][1] == [{"sku": "x", "count": 1}]
    assert [record["value"] for record in trace.by_kind("memory")] == [[{"a": [1]}]]


class Box(TypedDict):
    lines: list[str]


careless = Department(
    "careless",
    tables={"boxes": Table(record=Box, singular="box")},
    providers=[Provider(name="post", operations={"send": Box})],
)


@careless.tool(writes=True)
def spoil_everything(context: Context, given: list[str]) -> Json:
    """Change in place whatever can be reached."""
    lines: Any = context.read("boxes", "B-1")["lines"]
    lines.append("spoilt")
    before: Any = (context.before("boxes", "B-1") or {})["lines"]
    before.append("spoilt")
    context.update("boxes", "B-1", lines=given)  # type: ignore[arg-type]
    payload: dict[str, Any] = {"lines": given}
    context.perform("post", "send", payload)
    payload["lines"] = "spoilt"
    given.append("spoilt")
    return context.show("boxes", "B-1")


@careless.event("box.came", Box)
def came(context: Context, data: Any) -> None:
    data["lines"].append("spoilt")
    data["more"] = True


@careless.stimulus(list[str])
def fill(context: Context, value: Any) -> None:
    context.update("boxes", "B-1", lines=value)
    value.append("spoilt")


def test_a_careless_department_can_not_change_the_fixture_or_write_past_the_journal() -> None:
    here = World("careless", [careless])
    made = scenario(
        initial={"tables": {"boxes": {"B-1": {"lines": ["a"]}}}},
        events=[{"at": "+0s", "id": "e1", "type": "box.came", "data": {"lines": ["b"]}}],
        stimulus={"message": "Go.", "happenings": [["fill", ["c"]]]},
    )
    fixture = here.prepare(made)
    before = start(fixture)
    shown: list[Json] = []

    def agent(task: Task, session: Session) -> str:
        shown.append(session.call("careless.spoil_everything", given=["d"]))
        return "done"

    trace = play(fixture, function_agent(agent)).trace
    assert start(fixture) == before
    assert shown == [{"id": "B-1", "lines": ["d"]}]
    last = settled(trace)
    assert [change["fields"] for change in last["changes"]] == [{"lines": [["a"], ["d"]]}]
    assert last["writers"] == {"boxes/B-1/lines": ["event:fill_1", "c1"]}
    assert [entry["payload"] for entry in last["ledgers"]["post"]] == [{"lines": ["d"]}]
    assert [record["args"] for record in trace.by_kind("action")] == [{"given": ["d"]}]
    assert [record["data"] for record in trace.by_kind("event")] == [{"value": ["c"]}, {"lines": ["b"]}]


def test_the_digest_is_over_the_records_of_every_tenant() -> None:
    foreign = {"southquay": {"parcels": {"P-1": PARCELS["P-2"]}}}
    digests = {
        world.prepare(made).digest
        for made in (
            scenario(),
            scenario(other_tenants=foreign),
            scenario(initial={"tables": {"parcels": {}}}),
            scenario(role={"tenant": "southquay"}),
            scenario(initial={"tables": {"parcels": PARCELS}, "facts": {"weight_of_p1": 6}}),
        )
    }
    assert len(digests) == 5
    assert world.prepare(scenario(id="another", title="Another")).digest == world.prepare(scenario()).digest


def test_facts_are_set_in_document_order_and_are_part_of_the_start() -> None:
    fixture = world.prepare(scenario(initial={"facts": {"weight_of_p1": 7}}))
    assert fixture.tenants["northquay"]["parcels"]["P-1"]["weight"] == 7
    trace = play(fixture, function_agent(lambda task, session: "done")).trace
    assert settled(trace)["changes"] == []
    assert trace.header["digests"]["initial"] == fixture.digest


stubborn = Department(
    "stubborn",
    tables={"boxes": Table(record=Box, singular="box")},
    providers=[Provider(name="post", operations={"send": Box})],
)


@stubborn.sets("refused", int)
def refused(context: Context, value: int) -> None:
    raise Failed("not_today", "not today")


@stubborn.sets("missing", int)
def missing(context: Context, value: int) -> None:
    context.update("boxes", "B-9", lines=[])


@stubborn.sets("misshapen", int)
def misshapen(context: Context, value: int) -> None:
    context.create("boxes", with_id="B-1", lines=[value])


@stubborn.sets("sending", int)
def sending(context: Context, value: int) -> None:
    context.perform("post", "send", {"lines": []})


@stubborn.fact(int)
def only_read(context: Context) -> Json:
    """Can be expected, not set."""
    return 1


@pytest.mark.parametrize(
    ("fact", "message"),
    [
        ("refused", "the fact refused of parcel_for_ida can not be set to 1: not today"),
        ("missing", "can not be set to 1: there is no B-9 in boxes"),
        ("misshapen", r"boxes.B-1.lines.0: found 1, expected text"),
        ("sending", "let a provider act"),
        ("only_read", "the fact only_read can not be set"),
    ],
)
def test_a_start_that_can_not_be_built_is_refused_with_the_reason(fact: str, message: str) -> None:
    with pytest.raises(WrongUse, match=message):
        World("stubborn", [stubborn]).prepare(scenario(initial={"facts": {fact: 1}}))
