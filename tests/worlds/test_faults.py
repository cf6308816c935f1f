"""Scheduled faults happen where they were scheduled, once, and say whether they changed anything."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from company_lab.agents.protocol import Session, Task, ToolError
from company_lab.traces import Trace
from depot import results, run, settled

Call = tuple[str, dict[str, Any]]
GET: Call = ("depot.get", {"id": "P-1"})
OTHER: Call = ("depot.get", {"id": "P-2"})
SHIP: Call = ("depot.ship", {"id": "P-1"})


def trying(calls: Iterable[Call], codes: list[str] | None = None) -> Any:
    def agent(task: Task, session: Session) -> str:
        for tool, args in calls:
            try:
                session.call(tool, **args)
                code = ""
            except ToolError as error:
                code = f"{error.code}:{error.reason}"
            if codes is not None:
                codes.append(code)
        return "done"

    return agent


def fault_calls(trace: Trace) -> list[tuple[int, str, str]]:
    return [
        (record["fault"], record["what"], record.get("call") or record["event"])
        for record in trace.by_kind("fault")
    ]


def test_an_error_comes_before_the_effect() -> None:
    codes: list[str] = []
    trace = run(trying([SHIP, SHIP], codes), faults=[{"on": "depot.ship", "kind": "error"}])
    assert codes == ["failed:unavailable", ""]
    assert results(trace) == [("failed", "failed"), ("executed", "")]
    assert fault_calls(trace) == [(0, "error", "c1")]
    assert len(settled(trace)["ledgers"]["carrier"]) == 1
    assert settled(trace)["faults"] == [{"index": 0, "fired": True, "changed": True}]


def test_an_error_can_have_a_name_and_take_its_time() -> None:
    codes: list[str] = []
    fault = {"on": "depot.ship", "kind": "error", "error": "rate_limited", "by": "20s"}
    trace = run(trying([SHIP], codes), faults=[fault])
    assert codes == ["failed:rate_limited"]
    assert settled(trace)["simulated_ms"] == 21_000


@pytest.mark.fault("D12")
def test_a_lost_answer_comes_after_the_effect() -> None:
    codes: list[str] = []
    trace = run(trying([SHIP], codes), faults=[{"on": "depot.ship", "kind": "lost_ack"}])
    assert codes == ["timed_out:timed_out"]
    (result,) = trace.by_kind("result")
    assert (result["outcome"], result["delivery"], result["error"]["code"]) == (
        "executed",
        "timed_out",
        "timed_out",
    )
    assert result["value"] == {"id": "P-1", "status": "done", "again": False}
    assert [change["fields"] for change in result["changes"]] == [{"status": ["waiting", "sent"]}]
    assert len(settled(trace)["ledgers"]["carrier"]) == 1
    assert settled(trace)["simulated_ms"] == 30_000


@pytest.mark.parametrize(("keys", "shipped"), [(("k", "k"), 1), (("k-1", "k-2"), 2), ((None, None), 2)])
@pytest.mark.fault("D12")
def test_only_the_same_key_makes_a_retry_after_a_lost_answer_safe(
    keys: tuple[Any, Any], shipped: int
) -> None:
    calls = [("depot.ship", {"id": "P-1", "key": key}) for key in keys]
    trace = run(trying(calls), faults=[{"on": "depot.ship", "kind": "lost_ack"}])
    assert results(trace) == [("executed", "timed_out"), ("executed", "")]
    assert len(settled(trace)["ledgers"]["carrier"]) == shipped
    assert [record["replayed"] for record in trace.by_kind("effect")] == [False, shipped == 1]


@pytest.mark.parametrize(
    ("occurrence", "attempt", "calls", "hit"),
    [
        (1, 1, [GET, OTHER, GET, OTHER], "c1"),
        (1, 2, [GET, OTHER, GET, OTHER], "c3"),
        (2, 1, [GET, OTHER, GET, OTHER], "c2"),
        (2, 2, [GET, OTHER, GET, OTHER], "c4"),
        (1, 2, [OTHER, GET, GET, OTHER], "c4"),
        (1, 1, [SHIP, GET], "c2"),
    ],
)
def test_a_new_target_is_an_occurrence_and_a_repeat_an_attempt(
    occurrence: int, attempt: int, calls: list[Call], hit: str
) -> None:
    fault = {"on": "depot.get", "kind": "error", "occurrence": occurrence, "attempt": attempt}
    assert fault_calls(run(trying(calls), faults=[fault])) == [(0, "error", hit)]


def test_arguments_that_are_no_target_do_not_make_an_occurrence() -> None:
    calls: list[Call] = [("depot.note", {"id": "P-1", "text": text}) for text in ("a", "b", "c")]
    trace = run(trying(calls), faults=[{"on": "depot.note", "kind": "error", "attempt": 3}])
    assert fault_calls(trace) == [(0, "error", "c3")]


def test_a_tool_without_targets_counts_all_its_arguments() -> None:
    calls: list[Call] = [("depot.find", {"status": status}) for status in ("waiting", "lost", "waiting")]
    trace = run(trying(calls), faults=[{"on": "depot.find", "kind": "error", "occurrence": 1, "attempt": 2}])
    assert fault_calls(trace) == [(0, "error", "c3")]


def test_an_attempt_that_never_reached_its_tool_is_not_counted() -> None:
    calls: list[Call] = [
        ("depot.ship", {"id": "P-1", "kee": "k"}),
        ("depot.ship", {"id": 1}),
        ("depot.ship", {"id": "P-2"}),  # held
        ("depot.ship", {"id": "P-3"}),  # denied
        SHIP,
    ]
    trace = run(trying(calls), faults=[{"on": "depot.ship", "kind": "error"}])
    assert results(trace)[:4] == [("malformed", "bad_arguments")] * 2 + [
        ("held", "held"),
        ("refused", "refused"),
    ]
    assert fault_calls(trace) == [(0, "error", "c5")]


def test_two_faults_of_one_tool_hit_different_attempts() -> None:
    faults = [
        {"on": "depot.ship", "kind": "lost_ack", "attempt": 2},
        {"on": "depot.ship", "kind": "error", "attempt": 1},
    ]
    trace = run(trying([SHIP, SHIP, SHIP]), faults=faults)
    assert fault_calls(trace) == [(1, "error", "c1"), (0, "lost_ack", "c2")]
    assert [state["fired"] for state in settled(trace)["faults"]] == [True, True]


@pytest.mark.parametrize(
    "fault",
    [
        {"on": "depot.ship", "kind": "error", "attempt": 2},
        {"on": "depot.ship", "kind": "error", "occurrence": 2},
        {"on": "depot.remove", "kind": "lost_ack"},
        {"on": "evt_9", "kind": "duplicate"},
        {"on": "evt_1", "kind": "reorder"},  # nothing comes after it
        {"on": "evt_1", "kind": "late", "by": "90d"},  # beyond what is settled
    ],
)
def test_a_fault_that_is_never_reached_has_not_fired(fault: dict[str, Any]) -> None:
    trace = run(trying([SHIP]), faults=[fault], events=[arrival("evt_1", "+0s", "P-7")])
    assert settled(trace)["faults"] == [{"index": 0, "fired": False, "changed": False}]
    assert list(trace.by_kind("fault")) == []


def arrival(id: str, at: str, parcel: str, receiver: str = "a", wakes: bool = False) -> dict[str, Any]:
    data = {"parcel": parcel, "receiver": receiver}
    return {"at": at, "id": id, "type": "parcel.arrived", "data": data, "wakes": wakes}


def arrivals(trace: Trace) -> list[tuple[str, int, str]]:
    return [(record["id"], record["delivery"], record["at"][11:19]) for record in trace.by_kind("event")]


def test_a_duplicate_is_delivered_again_under_the_same_id() -> None:
    trace = run(
        trying([("clock.wait", {"duration": "5m"}), GET]),
        events=[arrival("evt_1", "+0s", "P-7")],
        faults=[{"on": "evt_1", "kind": "duplicate", "by": "40s"}],
    )
    assert arrivals(trace) == [("evt_1", 1, "08:00:00"), ("evt_1", 2, "08:05:00")]
    assert fault_calls(trace) == [(0, "duplicate", "evt_1")]
    assert [len(record["changes"]) for record in trace.by_kind("event")] == [1, 0]
    assert settled(trace)["faults"] == [{"index": 0, "fired": True, "changed": True}]


def test_a_duplicate_nobody_could_notice_has_changed_nothing() -> None:
    trace = run(
        trying([]),
        events=[arrival("evt_1", "+0s", "P-7")],
        faults=[{"on": "evt_1", "kind": "duplicate", "by": "2h"}],
    )
    assert settled(trace)["faults"] == [{"index": 0, "fired": True, "changed": False}]


def test_a_late_event_comes_later() -> None:
    trace = run(
        trying([("clock.wait", {"duration": "1h"}), GET]),
        events=[arrival("evt_1", "+0s", "P-7"), arrival("evt_2", "+1s", "P-8")],
        faults=[{"on": "evt_1", "kind": "late", "by": "2h"}],
    )
    assert arrivals(trace) == [("evt_2", 1, "09:00:00"), ("evt_1", 1, "10:00:00")]
    assert settled(trace)["faults"] == [{"index": 0, "fired": True, "changed": True}]


def test_reordered_events_change_places() -> None:
    events = [arrival("evt_1", "+1s", "P-7", "first"), arrival("evt_2", "+2s", "P-7", "second")]
    plain = run(trying([("clock.wait", {"duration": "5s"}), GET]), events=events)
    turned = run(
        trying([("clock.wait", {"duration": "5s"}), GET]),
        events=events,
        faults=[{"on": "evt_1", "kind": "reorder"}],
    )
    assert [one[0] for one in arrivals(plain)] == ["evt_1", "evt_2"]
    assert [one[0] for one in arrivals(turned)] == ["evt_2", "evt_1"]
    receivers = [settled(trace)["changes"][0]["fields"]["receiver"][1] for trace in (plain, turned)]
    assert receivers == ["second", "first"]
    assert fault_calls(turned) == [(0, "reorder", "evt_1")]


def test_events_of_the_same_second_can_be_reordered() -> None:
    events = [arrival("evt_1", "+0s", "P-7", "first"), arrival("evt_2", "+0s", "P-7", "second")]
    trace = run(trying([]), events=events, faults=[{"on": "evt_1", "kind": "reorder"}])
    assert [one[0] for one in arrivals(trace)] == ["evt_2", "evt_1"]


def test_faults_leave_the_scenario_as_it_was() -> None:
    events = [arrival("evt_1", "+1s", "P-7"), arrival("evt_2", "+2s", "P-8")]
    faults = [{"on": "evt_1", "kind": "duplicate"}, {"on": "evt_2", "kind": "late"}]
    texts = {run(trying([GET]), events=events, faults=faults).text() for _ in range(3)}
    assert len(texts) == 1
