"""An agent in a process of its own is really killed at its crash point, and a new process takes over."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from company_lab.agents import wire
from company_lab.agents.protocol import Session, Task, ToolError
from company_lab.episodes.confined import Confinement, Line, use_streams
from company_lab.formats.canonical import parse
from company_lab.scenarios.model import Fault
from company_lab.traces import Trace
from depot import episode, settled
from isolation import isolated
from processes import children, is_alive

POINTS = ("before", "after", "answered", "saved")
MODES = ("task", "transcript", "checkpoint")
ROOMY = Confinement(cpu_s=10)


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Iterator[None]:
    before, descriptors = children(), len(os.listdir("/dev/fd"))
    yield
    assert children() == before
    assert len(os.listdir("/dev/fd")) == descriptors


def crash(at: str, restart: str = "checkpoint", **more: Any) -> dict[str, Any]:
    return {"on": "depot.ship", "kind": "crash", "at": at, "restart": restart, **more}


def works(task: Task, session: Session) -> str:
    """Ships P-1 under a key, saves, and says at each beginning which process it is and what it knows."""
    known = None if task.restart is None else [exchange.tool for exchange in task.restart.transcript]
    print(os.getpid(), session.memory, known, flush=True)  # noqa: T201 - the test reads it
    if not session.memory:
        session.call("depot.get", id="P-1")
        try:
            session.call("depot.ship", id="P-1", key="ship-P-1")
        except BaseException as error:
            print("caught", type(error).__name__, flush=True)  # noqa: T201 - as above
            raise
        session.memory = {"shipped": "P-1"}
    session.call("depot.find", status="sent")
    return "P-1 is on its way."


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("point", POINTS)
def test_the_trace_is_the_same_as_with_an_agent_that_was_dropped(point: str, mode: str) -> None:
    apart = isolated(works, confinement=ROOMY, faults=[crash(point, mode)])
    here = episode(works, faults=[crash(point, mode)])
    assert apart.trace.bytes() == here.trace.bytes()


@pytest.mark.parametrize("point", POINTS)
def test_the_process_is_killed_there_and_is_gone(point: str) -> None:
    played = isolated(works, confinement=ROOMY, faults=[crash(point)])
    (killed,) = played.timings["killed"]
    pids = [int(line.split()[0]) for line in played.timings["stdout"].splitlines()]
    assert pids[0] == killed
    assert len(set(pids)) == 2
    assert not is_alive(killed)
    assert not is_alive(pids[1])


def test_no_code_of_the_agent_runs_when_it_crashes() -> None:
    played = isolated(works, confinement=ROOMY, faults=[crash("after")])
    assert "caught" not in played.timings["stdout"]


def test_what_it_had_started_is_killed_with_it(tmp_path: Path) -> None:
    started = tmp_path / "pid"

    def starts_another(task: Task, session: Session) -> str:
        if task.restart is None:
            pid = os.fork()
            if pid == 0:
                time.sleep(60)
                os._exit(0)
            started.write_text(str(pid))
        session.call("depot.ship", id="P-1", key="k")
        return "P-1 is on its way."

    isolated(starts_another, confinement=ROOMY, faults=[crash("after")])
    assert not is_alive(int(started.read_text()))


def test_the_new_process_remembers_what_was_saved_and_nothing_else() -> None:
    counted = {"calls": 0}

    def counts(task: Task, session: Session) -> str:
        counted["calls"] += 1
        print(counted["calls"], session.memory)  # noqa: T201 - as above
        session.call("depot.ship", id="P-1", key="k")
        session.memory = "shipped"
        return "Done."

    played = isolated(counts, confinement=ROOMY, faults=[crash("saved")])
    assert played.timings["stdout"].splitlines() == ["1 None", "1 shipped"]


def test_a_schedule_takes_the_place_of_the_faults_of_the_scenario() -> None:
    schedule = (Fault.model_validate(crash("after")),)
    played = isolated(works, confinement=ROOMY, schedule=schedule, faults=[crash("before")])
    assert len(played.timings["killed"]) == 1
    assert [one["point"] for one in played.trace.by_kind("crash")] == ["after"]
    assert [fault["at"] for fault in played.trace.header["schedule"]] == ["after"]


def test_each_crash_costs_a_process() -> None:
    faults = [crash("after"), crash("before", attempt=2), crash("answered", attempt=3)]
    played = isolated(works, confinement=ROOMY, faults=faults)
    assert len(set(played.timings["killed"])) == 3
    assert len(settled(played.trace)["ledgers"]["carrier"]) == 1


def test_too_many_crashes_end_it_with_no_process_left() -> None:
    played = isolated(
        works, confinement=ROOMY, faults=[crash("after"), crash("after", attempt=2)], limits={"crashes": 1}
    )
    assert _stop(played.trace) == "crash_limit"
    assert len(played.timings["killed"]) == 2


def test_an_error_is_an_answer_too() -> None:
    def agent(task: Task, session: Session) -> str:
        if task.restart is None:
            session.call("depot.ship", id="P-9")
        return str(task.restart and task.restart.transcript[0].error)

    played = isolated(agent, confinement=ROOMY, faults=[crash("answered", "transcript")])
    here = episode(agent, faults=[crash("answered", "transcript")])
    assert _stop(played.trace) == "finished"
    assert played.trace.bytes() == here.trace.bytes()


def test_an_async_agent_is_killed_too() -> None:
    async def agent(task: Task, session: Session) -> str:
        try:
            session.call("depot.ship", id="P-1", key="k")
        except ToolError:
            return "Never said."
        return "P-1 is on its way."

    played = isolated(agent, confinement=ROOMY, faults=[crash("after")])
    assert _stop(played.trace) == "finished"
    assert len(played.timings["killed"]) == 1


def test_a_program_that_knows_only_the_line_is_told_of_its_restart() -> None:
    def program(job: str, descriptors: list[int]) -> None:
        hears, says, output, errors = descriptors
        use_streams(output, errors)
        line = Line(hears, says)
        task = line.hear()
        assert task is not None
        line.say({"kind": "call", "id": 1, "tool": "depot.ship", "args": {"id": "P-1", "key": "k"}})
        if line.hear() is not None:
            line.say({"kind": "recall", "id": 2})
            recalled = line.hear()
            told: wire.Message = {
                "restart": task.get("restart"),
                "tools": "tools" in task,
                "recalled": recalled,
            }
            line.say({"kind": "reply", "text": wire.spell(told).decode()})
            line.hear()

    played = isolated(works, confinement=ROOMY, faults=[crash("after", "transcript")], body=program)
    (reply,) = played.trace.by_kind("reply")
    assert parse(reply["text"]) == {
        "restart": {"mode": "transcript", "crashes": 1, "transcript": []},
        "tools": True,
        "recalled": {"kind": "result", "id": 2, "value": None},
    }


@pytest.mark.wall_time
def test_ten_restarts_and_more_a_second() -> None:
    faults = [crash("after", attempt=number) for number in range(1, 11)]
    begun = time.monotonic()
    played = isolated(works, confinement=ROOMY, faults=faults, limits={"crashes": 10, "repeats": 20})
    assert len(played.timings["killed"]) == 10
    assert time.monotonic() - begun < 5  # a second on a machine that does nothing else


def _stop(trace: Trace) -> str:
    (record,) = trace.by_kind("stopped")
    return str(record["reason"])
