"""Turns begin with the stimulus, with an event that wakes the agent, or with a person's answer."""

from __future__ import annotations

from typing import Any

import pytest

from company_lab.agents.protocol import Session, Task, ToolError
from company_lab.formats.canonical import NotJson
from company_lab.traces import Trace
from depot import ALL, run, settled


def turns(trace: Trace) -> list[tuple[int, str, str | None, str]]:
    return [(one["turn"], one["because"], one["sender"], one["message"]) for one in trace.by_kind("turn")]


def saying(*replies: str) -> Any:
    """An agent that ships P-1 in its first turn and says one thing a turn."""

    def agent(task: Task, session: Session) -> str:
        if task.turn == 1:
            session.call("depot.ship", id="P-1")
        return replies[min(task.turn, len(replies)) - 1]

    return agent


def memo(id: str, at: str, wakes: bool = True) -> dict[str, Any]:
    return {"at": at, "id": id, "type": "memo.written", "data": {"text": "x"}, "wakes": wakes}


ASKED = {"when": {"asks": "which_parcel"}, "message": "P-1, please."}
SHIPPED = {"when": {"after": "depot.ship"}, "message": "Thank you. And P-2?"}


def test_one_message_is_one_turn() -> None:
    trace = run(saying("done"), stimulus={"from": "lead", "message": "Ship it."}, people={"lead": {}})
    assert turns(trace) == [(1, "stimulus", "lead", "Ship it.")]
    assert [record["to"] for record in trace.by_kind("reply")] == ["lead"]


@pytest.mark.parametrize(
    ("reply", "answered"),
    [
        ("Which parcel do you mean?", True),
        ("Please tell me which parcel is meant.", True),
        ("I know which parcel you mean.", False),
        ("", False),
        ("You asked which parcel it was.", False),
    ],
)
def test_a_question_is_answered_when_it_is_asked(reply: str, answered: bool) -> None:
    trace = run(saying(reply, "done"), stimulus={"message": "Ship it.", "then": [ASKED]})
    assert len(turns(trace)) == 1 + answered
    if answered:
        assert turns(trace)[1] == (2, "answer", None, "P-1, please.")


def test_a_question_in_a_message_that_left_the_company_is_a_question_too() -> None:
    def agent(task: Task, session: Session) -> str:
        if task.turn == 1:
            session.call("depot.tell", id="P-1", text="Which parcel do you mean?")
        return "done"

    assert len(turns(run(agent, stimulus={"message": "Ship it.", "then": [ASKED]}))) == 2


def test_an_answer_is_given_once_and_only_to_this_turns_question() -> None:
    trace = run(saying("Which parcel do you mean?"), stimulus={"message": "Ship it.", "then": [ASKED]})
    assert len(turns(trace)) == 2
    two = run(saying("Which parcel do you mean?"), stimulus={"message": "Ship it.", "then": [ASKED, ASKED]})
    assert len(turns(two)) == 3


def test_a_message_can_follow_a_tool() -> None:
    trace = run(saying("done"), stimulus={"message": "Ship it.", "then": [SHIPPED]})
    assert [one[1:] for one in turns(trace)] == [
        ("stimulus", None, "Ship it."),
        ("answer", None, "Thank you. And P-2?"),
    ]
    never = run(lambda task, session: "done", stimulus={"message": "Ship it.", "then": [SHIPPED]})
    assert len(turns(never)) == 1


@pytest.mark.parametrize(("fault", "follows"), [("error", False), ("lost_ack", True)])
def test_it_follows_what_happened_and_not_what_was_attempted(fault: str, follows: bool) -> None:
    def agent(task: Task, session: Session) -> str:
        if task.turn == 1:
            with pytest.raises(ToolError):
                session.call("depot.ship", id="P-1")
        return "done"

    trace = run(
        agent,
        stimulus={"message": "Ship it.", "then": [SHIPPED]},
        faults=[{"on": "depot.ship", "kind": fault}],
    )
    assert len(turns(trace)) == 1 + follows


def test_whoever_answers_without_a_name_is_the_person_who_asked_with_that_persons_rights() -> None:
    outcomes: list[str] = []

    def agent(task: Task, session: Session) -> str:
        try:
            session.call("depot.ship", id="P-1")
        except ToolError as error:
            outcomes.append(error.reason)
        return "Which parcel do you mean?"

    trace = run(
        agent,
        role={"tenant": "northquay", "permissions": ALL},
        people={"visitor": {"permissions": ["depot.read"]}, "lead": {}},
        stimulus={
            "from": "visitor",
            "message": "Ship it.",
            "then": [ASKED, ASKED | {"from": "lead"}],
        },
    )
    assert [one[2] for one in turns(trace)] == ["visitor", "visitor", "lead"]
    assert outcomes == ["requester_permission"] * 2
    assert len(settled(trace)["ledgers"]["carrier"]) == 1


def test_an_event_that_wakes_begins_a_turn_when_it_is_due() -> None:
    seen: list[list[Any]] = []

    def agent(task: Task, session: Session) -> str:
        seen.append([event["id"] for event in task.events])
        return "done"

    trace = run(
        agent, events=[memo("e1", "+1h", wakes=False), memo("e2", "+2h"), memo("e3", "+3h", wakes=False)]
    )
    assert turns(trace) == [(1, "stimulus", None, "Please see to it."), (2, "event", None, "")]
    assert seen == [[], ["e1", "e2"]]
    assert [one["at"][11:19] for one in trace.by_kind("turn")] == ["08:00:00", "10:00:00"]
    assert settled(trace)["simulated_ms"] == 2 * 3_600_000


def test_an_event_that_wakes_is_not_lost_when_it_comes_during_a_turn() -> None:
    seen: list[list[Any]] = []

    def agent(task: Task, session: Session) -> str:
        seen.append([event["id"] for event in task.events])
        if task.turn == 1:
            session.call("clock.wait", duration="1m")
            session.call("depot.get", id="P-1")
        return "done"

    trace = run(agent, events=[memo("e1", "+30s")])
    assert seen == [[], ["e1"]]
    assert [one[1] for one in turns(trace)] == ["stimulus", "event"]


def test_an_event_the_agent_has_looked_at_does_not_wake_it_again() -> None:
    def agent(task: Task, session: Session) -> str:
        session.call("clock.wait", duration="1m")
        assert [event["id"] for event in session.observe()] == ["e1"]
        return "done"

    assert len(turns(run(agent, events=[memo("e1", "+30s")]))) == 1


def test_a_duplicate_wakes_again() -> None:
    trace = run(
        lambda task, session: "done",
        events=[memo("e1", "+1h")],
        faults=[{"on": "e1", "kind": "duplicate", "by": "1h"}],
    )
    assert [one[1] for one in turns(trace)] == ["stimulus", "event", "event"]


def test_an_event_can_be_the_stimulus() -> None:
    trace = run(saying("done"), stimulus={}, events=[memo("e1", "+0s", wakes=False)])
    assert turns(trace) == [(1, "event", None, "")]
    assert [event["id"] for event in next(trace.by_kind("observation"))["events"]] == ["e1"]


def test_a_request_becomes_the_task_of_a_real_agent() -> None:
    trace = run(saying("done"), stimulus={"agent_request": "ship_p1"})
    assert turns(trace) == [(1, "request", None, "Ship P-1.")]
    assert trace.header["layer"] == "runtime"


def test_an_answer_comes_before_time_passes() -> None:
    trace = run(
        saying("Which parcel do you mean?", "done"),
        stimulus={"message": "Ship it.", "then": [ASKED]},
        events=[memo("e1", "+1h")],
    )
    assert [one[1] for one in turns(trace)] == ["stimulus", "answer", "event"]


def test_memory_lasts_from_turn_to_turn_and_not_to_the_next_episode() -> None:
    def agent(task: Task, session: Session) -> str:
        before = session.memory
        session.memory = [*(before or []), task.turn]  # type: ignore[misc]
        return str(before)

    for _ in range(2):
        trace = run(agent, events=[memo("e1", "+1h"), memo("e2", "+2h")])
        assert [one["text"] for one in trace.by_kind("reply")] == ["None", "[1]", "[1, 2]"]
        assert [one["value"] for one in trace.by_kind("memory")] == [[1], [1, 2], [1, 2, 3]]


def test_memory_is_json() -> None:
    def agent(task: Task, session: Session) -> str:
        with pytest.raises(NotJson):
            session.memory = {"when": object()}  # type: ignore[dict-item]
        return str(session.memory)

    trace = run(agent)
    assert next(trace.by_kind("reply"))["text"] == "None"
    assert list(trace.by_kind("memory")) == []
