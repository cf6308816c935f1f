"""A stored episode repeated up to one of its calls; another agent takes over from there."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

from company_lab.agents.functions import function_agent
from company_lab.agents.protocol import Agent, Session, Task, ToolError, declare
from company_lab.episodes import play
from company_lab.formats.errors import WrongUse
from company_lab.probing.explore import Subject, subject
from company_lab.probing.going_on import go_on
from company_lab.scenarios.loader import load_document
from company_lab.traces.record import Trace
from gate_runs import document, world

TOLD: list[tuple[str, int]] = []


@declare(kind="scripted")
def looks_then_fails(task: Task, session: Session) -> str:
    session.call("depot.get", id="P-1")
    with suppress(ToolError):
        session.call("depot.nothing")
    session.call("depot.get", id="P-2")
    return "I could not."


@declare(kind="scripted")
def sends(task: Task, session: Session) -> str:
    assert task.restart is not None
    TOLD.append((task.restart.mode, len(task.restart.transcript)))
    session.call("depot.ship", id="P-1")
    return "It is on its way."


def prepared(agent: Agent, **changes: Any) -> Subject:
    return subject(load_document(document("a", **changes), worlds=lambda _: world.spec), world, agent)


@pytest.fixture
def recorded() -> Trace:
    return play(prepared(function_agent(looks_then_fails)).fixture, function_agent(looks_then_fails)).trace


@pytest.mark.parametrize(("after", "heard"), [("c1", 1), ("c3", 3)])
def test_who_takes_over_is_told_what_was_done_and_decides_what_comes(
    recorded: Trace, after: str, heard: int
) -> None:
    TOLD.clear()
    explored, episode = go_on(prepared(function_agent(sends)), recorded, after=after)
    assert (explored.outcome, TOLD) == ("passed", [("transcript", heard)])
    assert episode.trace.header["episode"] == "continuation"
    assert episode.trace.header["replayed_prefix"]["trace"] == recorded.digest
    tools = [record["tool"] for record in episode.trace.by_kind("action")]
    before = [record["tool"] for record in recorded.by_kind("action")][: int(after[1:])]
    assert tools == [*before, "depot.ship"]


def test_who_takes_over_and_does_nothing_fails(recorded: Trace) -> None:
    idle = Agent(name="idle", kind="conduct", act=lambda task, session: "")
    assert go_on(prepared(idle), recorded, after="c1")[0].outcome == "failed"


@pytest.mark.parametrize(
    ("after", "said"),
    [
        ("c2", "call c2 was never carried out, so nothing follows from it; it can be one of: c1, c3"),
        ("c9", r"the episode has no call c9 \(calls: c1, c3\)"),
    ],
)
def test_a_call_that_nothing_follows_from_is_refused(recorded: Trace, after: str, said: str) -> None:
    with pytest.raises(WrongUse, match=said):
        go_on(prepared(function_agent(sends)), recorded, after=after)


def test_a_scenario_that_begins_elsewhere_or_crashes_by_itself_is_refused(recorded: Trace) -> None:
    elsewhere = prepared(function_agent(sends), other_tenants={})
    with pytest.raises(WrongUse, match="another state"):
        go_on(elsewhere, recorded, after="c1")
    crash = {"on": "depot.ship", "kind": "crash", "at": "after"}
    with pytest.raises(WrongUse, match="a crash of its own"):
        go_on(prepared(function_agent(sends), faults=[crash]), recorded, after="c1")
