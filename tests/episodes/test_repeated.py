"""What is saved or shown whole each time counts for the limit on output once, and without end for nothing."""

from __future__ import annotations

from typing import Any

import pytest

from company_lab.agents.functions import function_agent
from company_lab.agents.protocol import Session, Task
from company_lab.episodes import play
from company_lab.episodes.repeated import Repeated
from company_lab.traces import Trace
from depot import run, scenario, world

LIMITED = {"output": 10_000, "wall": "30s"}


def saving(*sizes: int) -> Trace:
    def act(task: Task, session: Session) -> str:
        for size in sizes:
            session.memory = "x" * size
        return "done"

    return run(act, limits=LIMITED)


def test_a_conversation_that_grows_is_saved_whole_after_every_step() -> None:
    trace = saving(*range(100, 6_000, 100))
    assert trace.stop == "finished"
    assert sum(len(record["value"]) for record in trace.by_kind("memory")) > 17 * 10_000


def test_what_is_new_in_a_memory_counts() -> None:
    assert saving(4_000, 9_900).stop == "finished"
    assert saving(4_000, 10_100).stop == "output_limit"
    assert saving(6_000, 10, 6_000).stop == "output_limit"


def test_nobody_fills_a_disk_with_the_same_memory() -> None:
    trace = saving(*[9_000] * 1_000)
    assert trace.stop == "output_limit"
    assert len(trace.bytes()) < 25 * 10_000


@pytest.mark.parametrize(("shown", "stop"), [("request", "finished"), ("answer", "output_limit")])
def test_a_selector_is_shown_the_whole_state_each_time_and_what_it_answers_is_new(
    shown: str, stop: str
) -> None:
    def act(task: Task, session: Session) -> str:
        for _ in range(20):
            said: dict[str, Any] = {"request": "?", "answer": "!", shown: "x" * 5_000}
            session.choice(said["request"], said["answer"])
        return "done"

    assert run(act, limits=LIMITED).stop == stop


def test_a_crash_does_not_let_anybody_begin_anew() -> None:
    def act(task: Task, session: Session) -> str:
        session.memory = "x" * 6_000
        session.call("depot.get", id="P-1")
        session.memory = "x" * 9_000
        return "done"

    crash = {"on": "depot.get", "kind": "crash", "at": "answered", "restart": "checkpoint"}
    fixture = world.prepare(scenario(faults=[crash], limits=LIMITED))
    assert play(fixture, function_agent(act)).trace.stop == "finished"


def test_another_process_counts_on() -> None:
    first = Repeated()
    assert first.counted({"memory": "xyz"}) == 5
    again = Repeated()
    again.restore(first.kept())
    assert again.counted({"memory": "xyzab", "answer": "!"}) == 2 + 3
    assert again.kept() == {"last": {"memory": 7}, "bytes": 200}
    assert not again.beyond(10)
    assert again.beyond(9)
