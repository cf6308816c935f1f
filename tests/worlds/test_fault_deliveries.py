"""Events that are made up, dropped, or come days late, and what each leaves behind."""

from __future__ import annotations

from typing import Any

import pytest

from company_lab.agents.protocol import Session, Task, ToolError
from company_lab.traces import Trace
from depot import run, settled


def arrival(id: str, at: str, parcel: str, **more: Any) -> dict[str, Any]:
    data = {"parcel": parcel, "receiver": "ida@holm.example.test"}
    return {"at": at, "id": id, "type": "parcel.arrived", "data": data, **more}


def receivers(events: Any) -> list[str]:
    return [event["data"]["receiver"] for event in events]


def waiting(duration: str, parcel: str = "P-7") -> tuple[Any, list[Any]]:
    """An agent that waits, looks for news and for a parcel; and what it saw."""
    seen: list[Any] = []

    def agent(task: Task, session: Session) -> str:
        seen.append(receivers(task.events))
        session.call("clock.wait", duration=duration)
        seen.append(receivers(session.observe()))
        try:
            session.call("depot.get", id=parcel)
        except ToolError as error:
            seen.append(error.reason)
        else:
            seen.append("there")
        return "done"

    return agent, seen


def arrivals(trace: Trace) -> list[tuple[str, int, str]]:
    return [(record["id"], record["delivery"], record["at"][11:16]) for record in trace.by_kind("event")]


def state(trace: Trace) -> dict[str, bool]:
    (one,) = settled(trace)["faults"]
    return {"fired": one["fired"], "changed": one["changed"]}


def test_what_is_forged_reaches_the_agent_and_nothing_stands_behind_it() -> None:
    agent, seen = waiting("1m")
    fault = {"on": "evt_1", "kind": "forged", "change": {"receiver": "eve@evil.example.test"}}
    trace = run(agent, events=[arrival("evt_1", "+10s", "P-7")], faults=[fault])
    assert seen == [[], ["eve@evil.example.test"], "not_found"]
    (event,) = trace.by_kind("event")
    assert (event["changes"], event["data"]["receiver"]) == ([], "eve@evil.example.test")
    assert settled(trace)["changes"] == []
    assert state(trace) == {"fired": True, "changed": True}


def test_a_forgery_looks_like_the_event_it_imitates() -> None:
    shapes = []
    for faults in ([], [{"on": "evt_1", "kind": "forged"}]):
        seen: list[Any] = []

        def agent(task: Task, session: Session, seen: list[Any] = seen) -> str:
            seen.extend(task.events)
            return "done"

        run(agent, events=[arrival("evt_1", "+0s", "P-7")], faults=faults)
        shapes.append(seen)
    assert shapes[0] == shapes[1] != []


def test_a_dropped_event_comes_when_it_is_sent_again() -> None:
    agent, seen = waiting("1m")
    fault = {"on": "evt_1", "kind": "dropped", "by": "2h"}
    trace = run(agent, events=[arrival("evt_1", "+10s", "P-7")], faults=[fault])
    assert seen == [[], [], "not_found"]
    assert arrivals(trace) == [("evt_1", 2, "10:00")]
    assert [change["id"] for change in settled(trace)["changes"]] == ["P-7"]
    assert state(trace) == {"fired": True, "changed": True}
    (record,) = trace.by_kind("fault")
    assert (record["what"], record["event"]) == ("dropped", "evt_1")


def test_an_event_that_is_sent_again_too_late_never_comes() -> None:
    agent, _ = waiting("1m")
    fault = {"on": "evt_1", "kind": "dropped", "by": "30d"}
    trace = run(agent, events=[arrival("evt_1", "+10s", "P-7")], faults=[fault])
    assert (arrivals(trace), settled(trace)["changes"]) == ([], [])
    assert state(trace) == {"fired": True, "changed": True}


def test_a_dropped_event_wakes_the_agent_when_it_comes() -> None:
    turns: list[tuple[int, int]] = []

    def agent(task: Task, session: Session) -> str:
        turns.append((task.turn, len(task.events)))
        return "done"

    event = arrival("evt_1", "+1h", "P-7", wakes=True)
    trace = run(agent, events=[event], faults=[{"on": "evt_1", "kind": "dropped", "by": "2d"}])
    assert turns == [(1, 0), (2, 1)]
    assert [record["at"][:10] for record in trace.by_kind("turn")] == ["2026-03-05", "2026-03-07"]
    assert state(trace) == {"fired": True, "changed": False} | {"changed": state(trace)["changed"]}


def test_days_late_is_still_delivered_while_the_agent_waits() -> None:
    agent, seen = waiting("5d")
    fault = {"on": "evt_1", "kind": "late", "by": "4d"}
    trace = run(agent, events=[arrival("evt_1", "+1m", "P-7")], faults=[fault])
    assert (seen[1], seen[2]) == (["ida@holm.example.test"], "there")
    assert state(trace) == {"fired": True, "changed": True}


@pytest.mark.parametrize("kind", ["late", "forged", "dropped"])
@pytest.mark.parametrize(("at", "changed"), [("+1m", True), ("+2h", False)])
def test_what_was_due_only_after_the_agent_stopped_has_tested_nothing(
    kind: str, at: str, changed: bool
) -> None:
    agent, _ = waiting("1h")
    trace = run(agent, events=[arrival("evt_1", at, "P-7")], faults=[{"on": "evt_1", "kind": kind}])
    assert state(trace) == {"fired": True, "changed": changed}


def test_one_event_can_be_late_and_come_twice() -> None:
    agent, _ = waiting("5h")
    faults = [
        {"on": "evt_1", "kind": "late", "by": "1h"},
        {"on": "evt_1", "kind": "duplicate", "by": "1h"},
    ]
    trace = run(agent, events=[arrival("evt_1", "+0s", "P-7")], faults=faults)
    assert arrivals(trace) == [("evt_1", 1, "13:00"), ("evt_1", 2, "13:00")]
    assert [record["fault"] for record in trace.by_kind("fault")] == [0, 1]
    assert [one["changed"] for one in settled(trace)["faults"]] == [True, True]
