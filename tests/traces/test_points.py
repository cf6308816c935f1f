"""Every call of an episode can be named so that a fault meets exactly that call."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from company_lab.agents.protocol import Session, Task, ToolError
from company_lab.traces import Trace
from company_lab.traces.points import call_points
from depot import run, world

Call = tuple[str, dict[str, Any]]
CALLS = st.lists(
    st.sampled_from(
        [
            ("depot.ship", {"id": "P-1", "key": "k"}),
            ("depot.ship", {"id": "P-2"}),  # held
            ("depot.ship", {"id": "P-3"}),  # denied
            ("depot.ship", {"id": 7}),  # malformed
            ("depot.sip", {"id": "P-1"}),  # no tool
            ("depot.get", {"id": "P-1"}),
            ("depot.get", {"id": "P-9"}),  # not found
            ("depot.find", {"status": "waiting"}),
            ("depot.find", {"status": "lost"}),
        ]
    ),
    max_size=10,
)


def played(calls: list[Call], faults: list[dict[str, Any]]) -> Trace:
    def agent(task: Task, session: Session) -> str:
        for tool, args in calls:
            try:
                session.call(tool, **args)
            except ToolError:
                continue
        return "done"

    return run(agent, faults=faults)


@settings(max_examples=60, deadline=None)
@given(calls=CALLS)
def test_a_fault_at_a_point_happens_to_that_call_and_no_other(calls: list[Call]) -> None:
    points = list(call_points(played(calls, []).records, world.spec))
    for point in points:
        fault = {
            "on": point.tool,
            "kind": "error",
            "occurrence": point.occurrence,
            "attempt": point.attempt,
        }
        (record,) = played(calls, [fault]).by_kind("fault")
        assert record["call"] == point.call
    assert len({(point.tool, point.occurrence, point.attempt) for point in points}) == len(points)


def test_what_never_reached_its_tool_is_no_point() -> None:
    calls: list[Call] = [
        ("depot.ship", {"id": "P-3"}),
        ("depot.ship", {"id": 7}),
        ("depot.sip", {"id": "P-1"}),
        ("depot.ship", {"id": "P-1"}),
        ("depot.ship", {"id": "P-1"}),
    ]
    points = list(call_points(played(calls, []).records, world.spec))
    assert [(one.call, one.occurrence, one.attempt, one.writes) for one in points] == [
        ("c4", 1, 1, True),
        ("c5", 1, 2, True),
    ]


def test_a_call_that_a_crash_kept_from_the_world_counts() -> None:
    calls: list[Call] = [("depot.ship", {"id": "P-1", "key": "k"})]
    crash = {"on": "depot.ship", "kind": "crash", "at": "before"}
    points = list(call_points(played(calls, [crash]).records, world.spec))
    assert [(one.call, one.attempt) for one in points] == [("c1", 1), ("c2", 2)]
