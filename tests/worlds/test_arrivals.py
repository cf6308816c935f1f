"""Events reach the company when they are due, in order, and the agent's eyes only with permission."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_lab.agents.protocol import Session, Task, ToolError
from company_lab.formats.time import parse_moment
from company_lab.worlds.clock import Clock
from company_lab.worlds.inbox import Delivery, Inbox
from depot import PARCELS, kinds, run, settled


def arrival(id: str, at: str, parcel: str = "P-7", **more: Any) -> dict[str, Any]:
    return {"at": at, "id": id, "type": "parcel.arrived", "data": {"parcel": parcel, "receiver": "a"}} | more


def memo(id: str, at: str) -> dict[str, Any]:
    return {"at": at, "id": id, "type": "memo.written", "data": {"text": "secret"}}


def waiting(*durations: str) -> Any:
    def agent(task: Task, session: Session) -> str:
        for duration in durations:
            session.call("clock.wait", duration=duration)
        return "done"

    return agent


deliveries = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 10**6)), max_size=12, unique_by=lambda one: one[1]
)


def planned(due: int, position: int) -> Delivery:
    return Delivery(due_ms=due, position=position, id=f"e{due}", type="t", data={})


@given(deliveries, deliveries, st.integers(0, 6))
def test_what_is_due_comes_in_order_of_time_and_position(
    first: list[tuple[int, int]], later: list[tuple[int, int]], now: int
) -> None:
    inbox = Inbox(planned(*one) for one in first)
    for due, position in later:
        inbox.plan(planned(due, position + 10**7))
    everything = sorted([*first, *((due, position + 10**7) for due, position in later)])
    taken = [(delivery.due_ms, delivery.position, count) for delivery, count in inbox.due(now)]
    assert [one[:2] for one in taken] == [one for one in everything if one[0] <= now]
    for due in range(6):
        counts = [count for at, _, count in taken if at == due]
        assert counts == list(range(1, len(counts) + 1))
    rest = [one[0] for one in everything if one[0] > now]
    assert (len(inbox), inbox.next_due_ms) == (len(rest), min(rest, default=float("inf")))


def test_the_clock_moves_only_when_told_and_never_back() -> None:
    clock = Clock(parse_moment("2026-03-31T23:59:59.900+02:00"))
    assert clock.at == "2026-03-31T23:59:59.900000+02:00"
    clock.advance(100)
    clock.advance(0)
    clock.advance(-5000)
    assert (clock.at, clock.elapsed_ms) == ("2026-04-01T00:00:00+02:00", 100)


@pytest.mark.fault("A36")
def test_an_agent_reads_the_day_from_the_simulated_clock() -> None:
    days: list[Any] = []

    def agent(task: Task, session: Session) -> str:
        days.extend(session.call("depot.day") for _ in range(2))
        return "done"

    for _ in range(20):
        run(agent, clock="2026-03-31T23:59:59.500+02:00")
    assert days == ["2026-03-31", "2026-04-01"] * 20


def test_events_at_the_start_are_there_before_the_first_turn() -> None:
    seen: list[Any] = []

    def agent(task: Task, session: Session) -> str:
        seen.extend(task.events)
        seen.append(session.call("depot.get", id="P-7")["receiver"])
        return "done"

    trace = run(agent, events=[arrival("e1", "+0s", **{"from": "carrier"})])
    assert kinds(trace)[:4] == ["started", "event", "turn", "observation"]
    assert seen == [
        {
            "id": "e1",
            "type": "parcel.arrived",
            "at": "2026-03-05T08:00:00+01:00",
            "data": {"parcel": "P-7", "receiver": "a"},
            "from": "carrier",
        },
        "a",
    ]


def test_events_are_delivered_between_calls_and_never_during_one() -> None:
    trace = run(
        waiting("1m", "1m"),
        events=[arrival("e2", "+61s", "P-8"), arrival("e1", "+30s"), arrival("e3", "+61s", "P-9")],
    )
    order = [
        record.get("id") or record.get("call")
        for record in trace.records
        if record["kind"] in ("event", "action", "result", "reply")
    ]
    assert order == ["c1", "c1", "e1", "c2", "c2", None, "e2", "e3"]
    assert [record["at"][11:19] for record in trace.by_kind("event")] == ["08:01:00", "08:02:00", "08:02:00"]


def test_the_records_that_events_bring_count_as_existing() -> None:
    def agent(task: Task, session: Session) -> str:
        session.call("clock.wait", duration="5s")
        session.call("depot.note", id="P-7", text="seen")
        return "done"

    trace = run(agent, events=[arrival("e1", "+2s")])
    (change,) = settled(trace)["changes"]
    assert (change["id"], change["op"], change["fields"]["note"]) == (
        "P-7",
        "create",
        [{"is": "absent"}, "seen"],
    )
    assert settled(trace)["writers"]["parcels/P-7/note"] == ["c2"]
    assert settled(trace)["writers"]["parcels/P-7/receiver"] == ["event:e1"]


@pytest.mark.parametrize(
    ("permissions", "visible"),
    [(None, ["e1", "e2"]), (["depot.read"], ["e1"]), (["depot.secret"], ["e2"]), ([], [])],
)
def test_only_what_the_role_may_read_is_observed(permissions: list[str] | None, visible: list[str]) -> None:
    seen: list[str] = []

    def agent(task: Task, session: Session) -> str:
        seen.extend(event["id"] for event in task.events)  # type: ignore[misc]
        return "done"

    role = {"tenant": "northquay"} | ({} if permissions is None else {"permissions": permissions})
    trace = run(agent, role=role, events=[arrival("e1", "+0s"), memo("e2", "+0s")])
    assert seen == visible
    assert [record["id"] for record in trace.by_kind("event") if record["visible"]] == visible
    assert [event["id"] for record in trace.by_kind("observation") for event in record["events"]] == visible
    assert settled(trace)["changes"][0]["id"] == "P-7"


def test_the_agent_can_look_again_and_sees_each_event_once() -> None:
    seen: list[list[Any]] = []

    def agent(task: Task, session: Session) -> str:
        seen.append(session.observe())
        session.call("clock.wait", duration="1m")
        seen.append([event["id"] for event in session.observe()])
        seen.append(session.observe())
        return "done"

    trace = run(agent, events=[arrival("e1", "+30s")])
    assert seen == [[], ["e1"], []]
    assert [len(record["events"]) for record in trace.by_kind("observation")] == [0, 0, 1, 0]
    assert [("message" in record) for record in trace.by_kind("observation")] == [True, False, False, False]


def test_happenings_come_before_everything_else_in_document_order() -> None:
    trace = run(waiting(), stimulus={"message": "Go.", "happenings": [["weigh_p1", 7], ["weigh_p1", 8]]})
    events = list(trace.by_kind("event"))
    assert [(one["id"], one["data"], one["visible"]) for one in events] == [
        ("weigh_p1_1", {"value": 7}, False),
        ("weigh_p1_2", {"value": 8}, False),
    ]
    assert kinds(trace)[:4] == ["started", "event", "event", "turn"]
    assert settled(trace)["changes"] == [
        {"table": "parcels", "id": "P-1", "op": "update", "fields": {"weight": [PARCELS["P-1"]["weight"], 8]}}
    ]
    assert settled(trace)["writers"] == {"parcels/P-1/weight": ["event:weigh_p1_1", "event:weigh_p1_2"]}


@pytest.mark.parametrize("duration", ["-5s", "", "soon", "91d", "9" * 5000 + "d", "1e9d"])
def test_an_awkward_wait_fails_and_moves_the_clock_by_one_attempt(duration: str) -> None:
    def agent(task: Task, session: Session) -> str:
        with pytest.raises(ToolError) as failed:
            session.call("clock.wait", duration=duration)
        return failed.value.reason

    trace = run(agent)
    assert next(trace.by_kind("reply"))["text"] == "bad_duration"
    assert (trace.stop, settled(trace)["simulated_ms"]) == ("finished", 1000)


def test_time_passes_by_the_latency_a_tool_declares() -> None:
    def agent(task: Task, session: Session) -> str:
        session.call("depot.find", status="waiting")
        session.call("depot.get", id="P-1")
        session.call("clock.wait", duration="1m")
        return "done"

    trace = run(agent)
    assert settled(trace)["simulated_ms"] == 200 + 1000 + 60_000
    assert [record["at"][11:] for record in trace.by_kind("result")] == [
        "08:00:00.200000+01:00",
        "08:00:01.200000+01:00",
        "08:01:01.200000+01:00",
    ]


def test_what_a_colleague_changes_between_reading_and_writing_is_not_overwritten() -> None:
    def agent(task: Task, session: Session) -> str:
        session.call("depot.get", id="P-1")
        session.call("depot.note", id="P-1", text="prefers mail")
        return "done"

    trace = run(agent, events=[arrival("e1", "+1s", "P-1")])
    (change,) = settled(trace)["changes"]
    assert change["fields"] == {
        "receiver": [PARCELS["P-1"]["receiver"], "a"],
        "note": [{"is": "absent"}, "prefers mail"],
    }
    writers = settled(trace)["writers"]
    assert (writers["parcels/P-1/receiver"], writers["parcels/P-1/note"]) == (["event:e1"], ["c2"])
    order = [
        record.get("call") or record.get("id")
        for record in trace.records
        if record["kind"] in ("event", "result")
    ]
    assert order == ["c1", "e1", "c2"]


def test_looking_any_number_of_times_changes_nothing() -> None:
    def agent(task: Task, session: Session) -> str:
        for id in ("P-1", "P-2", "P-3", "P-1"):
            session.call("depot.get", id=id)
            session.call("depot.find", status=id)
        return "done"

    trace = run(agent)
    assert [record["changes"] for record in trace.by_kind("result")] == [[]] * 8
    assert (settled(trace)["changes"], settled(trace)["writers"]) == ([], {})
