"""Settling delivers what is still queued, within three days, and reads what is left behind."""

from __future__ import annotations

from typing import Any

import pytest

from company_lab.agents.protocol import Session, Task
from depot import PARCELS, kinds, run, settled


def arrival(id: str, at: str, parcel: str) -> dict[str, Any]:
    return {"at": at, "id": id, "type": "parcel.arrived", "data": {"parcel": parcel, "receiver": "a"}}


def idle(task: Task, session: Session) -> str:
    return "done"


def waits(task: Task, session: Session) -> str:
    session.call("clock.wait", duration="1d")
    return "done"


@pytest.mark.parametrize(
    ("at", "comes"), [("+1s", True), ("+72h", True), ("+259200001ms", False), ("+30d", False)]
)
def test_what_is_queued_is_delivered_up_to_three_days_later(at: str, comes: bool) -> None:
    trace = run(idle, events=[arrival("e1", at, "P-7")])
    assert [change["id"] for change in settled(trace)["changes"]] == (["P-7"] if comes else [])
    assert kinds(trace)[-3 if comes else -2 :] == [
        *(["stopped", "event"] if comes else ["stopped"]),
        "settled",
    ]


def test_the_three_days_begin_when_the_agent_stops() -> None:
    assert len(settled(run(waits, events=[arrival("e1", "+96h", "P-7")]))["changes"]) == 1
    assert len(settled(run(waits, events=[arrival("e1", "+97h", "P-7")]))["changes"]) == 0


def test_deliveries_keep_their_order_and_their_moments() -> None:
    trace = run(
        idle, events=[arrival("e2", "+2h", "P-8"), arrival("e1", "+1h", "P-7"), arrival("e3", "+2h", "P-9")]
    )
    assert [(record["id"], record["at"][11:16]) for record in trace.by_kind("event")] == [
        ("e1", "09:00"),
        ("e2", "10:00"),
        ("e3", "10:00"),
    ]


def test_simulated_time_is_counted_until_the_agent_stopped() -> None:
    trace = run(waits, events=[arrival("e1", "+50h", "P-7")])
    assert settled(trace)["simulated_ms"] == 86_400_000
    assert settled(trace)["at"][:13] == "2026-03-07T10"


def test_redeliveries_are_settled_too() -> None:
    trace = run(
        idle, events=[arrival("e1", "+1h", "P-7")], faults=[{"on": "e1", "kind": "duplicate", "by": "10h"}]
    )
    assert [record["delivery"] for record in trace.by_kind("event")] == [1, 2]


def test_nothing_wakes_the_agent_any_more() -> None:
    event = arrival("e1", "+1h", "P-7") | {"wakes": True}
    trace = run(idle, events=[event], limits={"turns": 1})
    assert trace.stop == "turn_limit"
    assert len(list(trace.by_kind("turn"))) == 1


def test_an_episode_is_settled_however_it_ended() -> None:
    def fails(task: Task, session: Session) -> str:
        session.call("depot.ship", id="P-1")
        raise ValueError

    trace = run(fails, events=[arrival("e1", "+1h", "P-7")])
    assert (trace.stop, [change["id"] for change in settled(trace)["changes"]]) == (
        "agent_error",
        ["P-1", "P-7"],
    )


def test_changes_of_every_tenant_are_settled_with_their_tenant() -> None:
    trace = run(
        idle,
        other_tenants={"southquay": {"parcels": {"P-1": PARCELS["P-1"]}}},
        events=[arrival("e1", "+1h", "P-7")],
    )
    assert [change.get("tenant") for change in settled(trace)["changes"]] == [None]


def test_providers_that_did_nothing_have_no_ledger() -> None:
    assert settled(run(idle))["ledgers"] == {}
