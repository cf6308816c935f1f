"""Every step of an episode is a record, in order, and the records are plain JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest

from company_lab.agents.protocol import Session, Task, ToolError, declare
from company_lab.traces import Trace
from depot import episode, kinds, run, settled


def everything(task: Task, session: Session) -> str:
    """One agent that makes every kind of record appear."""
    session.usage(input_tokens=10, output_tokens=5, cost_usd="0.0100", model="some-model")
    session.choice({"question": "which tool?"}, {"tool": "depot.get", "probability": 0.75})
    session.attempt("depot.get", '{"id": "P-1"}', by="selector", hint="call_7")
    session.memory = {"seen": ["P-1"]}
    for tool, args in (
        ("depot.tell", {"id": "P-1", "text": "soon"}),
        ("depot.ship", {"id": "P-2"}),
        ("depot.ship", {"id": "P-3"}),
    ):
        try:
            session.call(tool, **args)
        except ToolError:
            continue
    session.observe()
    return "done"


KEYS: dict[str, Any] = {
    "events": [
        {
            "at": "+0s",
            "id": "e1",
            "type": "parcel.arrived",
            "data": {"parcel": "P-7", "receiver": "a"},
            "from": "carrier",
        },
        {"at": "+2s", "id": "e2", "type": "memo.written", "data": {"text": "hi"}},
    ],
    "faults": [{"on": "depot.tell", "kind": "lost_ack"}],
    "stimulus": {"from": "lead", "message": "Please see to it."},
    "people": {"lead": {}},
    "expected": {"facts": {"shipments": 0}},
}

FIELDS = {
    "started": {
        "format", "scenario", "trial", "seed", "episode", "layer", "evidence", "agent", "tenant", "digests",
    },
    "turn": {"turn", "because", "sender", "message"},
    "observation": {"turn", "events", "message"},
    "choice": {"request", "answer", "observation"},
    "action": {"call", "turn", "tool", "args", "by", "hint", "supplied"},
    "guard": {"call", "tool", "decision", "reason", "rule", "objections", "touched", "approval"},
    "fault": {"fault", "what", "call"},
    "approval": {"call", "id", "decision", "tool", "changes"},
    "effect": {"call", "provider", "op", "key", "payload", "replayed", "status", "text", "facts"},
    "result": {"call", "outcome", "delivery", "value", "error", "changes"},
    "event": {"id", "type", "data", "delivery", "visible", "sender", "changes"},
    "memory": {"value"},
    "usage": {"input_tokens", "output_tokens", "cost_usd", "model"},
    "reply": {"turn", "to", "text", "facts"},
    "stopped": {"reason", "detail"},
    "settled": {
        "changes", "writers", "ledgers", "facts", "faults", "cost_usd", "simulated_ms", "calls", "turns",
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def trace() -> Trace:
    return episode(everything, trial=3, seed=11, **KEYS).trace


def test_the_records_come_in_the_order_in_which_things_happened(trace: Trace) -> None:
    assert kinds(trace) == [
        "started",
        "event",
        "turn",
        "observation",
        "usage",
        "choice",
        *("action", "guard", "result"),
        "memory",
        *("action", "guard", "effect", "fault", "result"),
        "event",
        *("action", "guard", "approval", "result"),
        *("action", "guard", "result"),
        "observation",
        "reply",
        "stopped",
        "settled",
    ]
    assert [record["seq"] for record in trace.records] == list(range(len(trace)))
    moments = [record["at"] for record in trace.records]
    assert moments == sorted(moments)


def test_every_record_has_the_fields_of_its_kind_and_no_others(trace: Trace) -> None:
    found: dict[str, set[str]] = {}
    for record in trace.records:
        found.setdefault(record["kind"], set()).update(record.keys() - {"seq", "at", "kind"})
    assert found == FIELDS


def test_the_trace_is_plain_json_without_wall_time(trace: Trace) -> None:
    assert [json.loads(line) for line in trace.text().splitlines()] == trace.records
    assert {record["at"][:10] for record in trace.records} == {"2026-03-05"}


def test_the_first_record_says_what_was_played(trace: Trace) -> None:
    header = dict(trace.header)
    lengths = {name: len(digest) for name, digest in header.pop("digests").items()}
    # this scenario was not loaded from a file, so it has no digest
    assert lengths == {"scenario": 0, "world": 64, "agent": 64, "code": 64, "initial": 64}
    assert header == {
        "seq": 0,
        "at": "2026-03-05T08:00:00+01:00",
        "kind": "started",
        "format": 1,
        "scenario": "parcel_for_ida",
        "trial": 3,
        "seed": 11,
        "episode": "fresh",
        "layer": "runtime",
        "evidence": "undeclared agent",
        "agent": {"name": "tests:agent", "kind": "undeclared", "settings": {}},
        "tenant": "northquay",
    }


def test_a_choice_is_kept_apart_from_what_was_executed(trace: Trace) -> None:
    (choice,) = trace.by_kind("choice")
    assert choice["answer"] == {"tool": "depot.get", "probability": 0.75}
    assert trace.records[choice["observation"]]["kind"] == "observation"
    action = next(trace.by_kind("action"))
    assert (action["by"], action["hint"], action["supplied"], action["args"]) == (
        "selector",
        "call_7",
        '{"id": "P-1"}',
        {"id": "P-1"},
    )


def test_requested_calls_and_what_came_of_them_are_joined_by_the_call_id(trace: Trace) -> None:
    calls = [record["call"] for record in trace.by_kind("action")]
    assert calls == ["c1", "c2", "c3", "c4"]
    for kind in ("guard", "result"):
        assert [record["call"] for record in trace.by_kind(kind)] == calls
    assert [record["call"] for record in trace.by_kind("effect")] == ["c2"]
    assert [record["call"] for record in trace.by_kind("fault")] == ["c2"]


def test_the_last_record_says_what_was_left_behind(trace: Trace) -> None:
    last = settled(trace)
    assert (last["calls"], last["turns"], last["cost_usd"], last["facts"]) == (
        4,
        1,
        "0.0100",
        {"shipments": 0},
    )
    assert last["simulated_ms"] == 1000 + 30_000 + 1000 + 1000
    assert [change["id"] for change in last["changes"]] == ["P-7", "approval_1"]
    assert list(last["ledgers"]) == ["carrier"]


def test_timings_lie_outside_the_trace() -> None:
    first, second = (episode(everything, **KEYS) for _ in range(2))
    assert set(first.timings) == {"wall_ms", "cpu_ms"}
    assert all(isinstance(value, float) and value >= 0 for value in first.timings.values())
    assert first.trace.bytes() == second.trace.bytes()


def test_an_agent_that_replies_before_acting_is_recorded_as_it_is() -> None:
    def agent(task: Task, session: Session) -> str:
        if task.turn == 2:
            session.call("depot.ship", id="P-1")
        return "It has been sent."

    events = [{"at": "+1m", "id": "e1", "type": "memo.written", "data": {"text": "hi"}, "wakes": True}]
    trace = run(agent, events=events)
    order = [record["kind"] for record in trace.records if record["kind"] in ("reply", "effect")]
    assert order == ["reply", "effect", "reply"]
    assert [record["facts"]["parcel_sent"]["P-1"] for record in trace.by_kind("reply")] == [False, True]


def test_silence_is_a_reply_without_words() -> None:
    for silent in (None, ""):
        trace = run(lambda task, session, said=silent: said)
        assert [record["text"] for record in trace.by_kind("reply")] == [""]
        assert trace.stop == "finished"


def test_spaces_are_kept_as_they_are() -> None:
    assert [record["text"] for record in run(lambda task, session: "  \n").by_kind("reply")] == ["  \n"]


def test_the_cost_of_what_calls_no_model_is_an_observed_zero_and_otherwise_unknown() -> None:
    @declare(kind="scripted")
    def scripted(task: Task, session: Session) -> str:
        return "done"

    assert settled(run(scripted))["cost_usd"] == "0"
    assert settled(run(lambda task, session: "done"))["cost_usd"] is None
