"""An agent that crashes around a call comes back to a world that outlived it, with what it is allowed to remember."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest

from company_lab.agents.conducts import reference
from company_lab.agents.functions import function_agent
from company_lab.agents.protocol import Crashed, Restart, Session, Task, ToolError
from company_lab.episodes import Episode
from company_lab.episodes.looping import EventLoop
from company_lab.episodes.play import LiveEpisode
from company_lab.episodes.player import Job, play_each
from company_lab.evaluation import judge
from company_lab.traces import Trace
from depot import episode, results, scenario, settled, world

SHIPPING: dict[str, Any] = {"actions": [{"tool": "depot.ship", "args": {"id": "P-1", "key": {"any": True}}}]}
POINTS = ("before", "after", "answered", "saved")
MODES = ("task", "transcript", "checkpoint")


def crash(at: str, restart: str | None = None, *, on: str = "depot.ship", **more: Any) -> dict[str, Any]:
    return {"on": on, "kind": "crash", "at": at, **({} if restart is None else {"restart": restart}), **more}


def stop(trace: Trace) -> str:
    (record,) = trace.by_kind("stopped")
    return str(record["reason"])


def shipped(trace: Trace) -> int:
    return len(settled(trace)["ledgers"].get("carrier", []))


def happened(trace: Trace) -> list[str]:
    """What the agent did and what became of it, in order."""
    words = {"action": "tool", "crash": "point", "restart": "mode", "memory": "kind", "reply": "kind"}
    return [str(record[words[record["kind"]]]) for record in trace.records if record["kind"] in words]


class Worker:
    """Ships P-1 under a key and saves that it has; keeps what it was told at each beginning."""

    def __init__(self) -> None:
        self.restarts: list[Restart | None] = []
        self.memories: list[Any] = []
        self.seen: list[list[Any]] = []

    def __call__(self, task: Task, session: Session) -> str:
        self.restarts.append(task.restart)
        self.memories.append(session.memory)
        self.seen.append([event["id"] for event in task.events])
        if not session.memory:
            session.call("depot.get", id="P-1")
            session.call("depot.ship", id="P-1", key="ship-P-1")
            session.memory = {"shipped": ["P-1"]}
        session.call("depot.find", status="sent")
        return "P-1 is on its way."


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("point", POINTS)
def test_the_agent_comes_back_and_ends_and_its_effect_happens_once(point: str, mode: str) -> None:
    trace = episode(Worker(), faults=[crash(point, mode)]).trace
    assert (stop(trace), shipped(trace)) == ("finished", 1)
    assert [record["point"] for record in trace.by_kind("crash")] == [point]
    assert [(record["mode"], record["crash"], record["turn"]) for record in trace.by_kind("restart")] == [
        (mode, 1, 1)
    ]
    assert settled(trace)["faults"] == [{"index": 0, "fired": True, "changed": True}]


def test_what_has_happened_by_then_differs_from_point_to_point() -> None:
    def until_the_crash(point: str) -> tuple[int, str, bool]:
        """Effects, the delivery of the call's result, and whether anything was saved."""
        records = episode(Worker(), faults=[crash(point)]).trace.records
        end = next(at for at, record in enumerate(records) if record["kind"] == "crash")
        kinds = [record["kind"] for record in records[:end]]
        (result,) = [
            record for record in records[:end] if record["kind"] == "result" and record["call"] == "c2"
        ]
        return kinds.count("effect"), result["delivery"], "memory" in kinds

    assert until_the_crash("before") == (0, "lost", False)
    assert until_the_crash("after") == (1, "lost", False)
    assert until_the_crash("answered") == (1, "delivered", False)
    assert until_the_crash("saved") == (1, "delivered", True)


def test_memory_comes_back_only_with_the_checkpoint() -> None:
    found = {}
    for mode in MODES:
        worker = Worker()
        episode(worker, faults=[crash("saved", mode)])
        found[mode] = worker.memories
    assert found["checkpoint"] == [None, {"shipped": ["P-1"]}]
    assert found["task"] == found["transcript"] == [None, None]


@pytest.mark.parametrize(
    ("point", "known"),
    [("before", ["depot.get"]), ("after", ["depot.get"]), ("answered", ["depot.get", "depot.ship"])],
)
def test_the_transcript_ends_with_the_last_answer(point: str, known: list[str]) -> None:
    worker = Worker()
    episode(worker, faults=[crash(point, "transcript")])
    _, restart = worker.restarts
    assert restart is not None
    assert [exchange.tool for exchange in restart.transcript] == known
    assert restart.transcript[0].args == {"id": "P-1"}
    assert restart.transcript[0].result["weight"] == 5  # type: ignore[call-overload,index]
    assert restart.crashes == 1


def test_the_other_restarts_have_no_transcript() -> None:
    worker = Worker()
    episode(worker, faults=[crash("answered", "checkpoint")])
    assert worker.restarts == [None, Restart(mode="checkpoint", crashes=1)]


def test_the_transcript_holds_the_errors_too() -> None:
    told: list[Any] = []

    def agent(task: Task, session: Session) -> str:
        if task.restart is None:
            with pytest.raises(ToolError):
                session.call("depot.get", id="P-9")
            session.call("depot.ship", id="P-1")
        told.append(task.restart)
        return "Done."

    episode(agent, faults=[crash("after", "transcript")])
    (exchange,) = told[0].transcript
    assert exchange.result is None
    assert (exchange.error["code"], exchange.error["reason"]) == ("failed", "not_found")


def test_a_crash_without_a_restart_named_comes_back_with_the_checkpoint() -> None:
    worker = Worker()
    episode(worker, faults=[crash("saved")])
    assert worker.restarts[1] == Restart(mode="checkpoint", crashes=1)


def test_the_events_of_the_turn_are_handed_over_again() -> None:
    worker = Worker()
    events = [
        {
            "at": "+0s",
            "id": "evt_1",
            "type": "parcel.arrived",
            "data": {"parcel": "P-4", "receiver": "a@b.test"},
        }
    ]
    trace = episode(worker, events=events, faults=[crash("after")]).trace
    assert worker.seen == [["evt_1"], ["evt_1"]]
    assert [record["delivery"] for record in trace.by_kind("event")] == [1]


def test_turns_keep_their_numbers() -> None:
    turns: list[tuple[int, str]] = []

    def agent(task: Task, session: Session) -> str:
        turns.append((task.turn, task.message))
        if task.turn == 2:
            session.call("depot.ship", id="P-1", key="k")
        return "Which parcel is it?"

    follow = {"when": {"asks": "which_parcel"}, "message": "P-1."}
    trace = episode(
        agent,
        stimulus={"message": "Ship it.", "then": [follow]},
        faults=[crash("after", "task")],
        limits={"turns": 2},
    ).trace
    assert turns == [(1, "Ship it."), (2, "P-1."), (2, "P-1.")]
    assert (stop(trace), settled(trace)["turns"]) == ("finished", 2)
    assert [record["turn"] for record in trace.by_kind("reply")] == [1, 2]


def test_keys_grow_older_while_the_agent_is_down() -> None:
    def effects(by: str) -> int:
        return shipped(episode(Worker(), faults=[crash("after", by=by)]).trace)

    assert (effects("23h"), effects("25h")) == (1, 2)


def test_each_crash_names_its_call_by_occurrence_and_attempt() -> None:
    trace = episode(
        Worker(), faults=[crash("after"), crash("before", attempt=2), crash("answered", attempt=3)]
    ).trace
    assert [(record["call"], record["point"], record["crash"]) for record in trace.by_kind("crash")] == [
        ("c2", "after", 1),
        ("c4", "before", 2),
        ("c6", "answered", 3),
    ]
    assert (stop(trace), shipped(trace)) == ("finished", 1)


def test_too_many_crashes_end_the_episode() -> None:
    faults = [crash("after"), crash("after", attempt=2)]
    trace = episode(Worker(), faults=faults, limits={"crashes": 1}).trace
    assert stop(trace) == "crash_limit"
    assert len(list(trace.by_kind("restart"))) == 1
    assert stop(episode(Worker(), faults=faults, limits={"crashes": 2}).trace) == "finished"
    assert stop(episode(Worker(), faults=faults[:1], limits={"crashes": 0}).trace) == "crash_limit"


def test_a_crash_that_waits_for_a_save_waits_in_vain_where_nothing_is_saved() -> None:
    def never_saves(task: Task, session: Session) -> str:
        session.call("depot.ship", id="P-1")
        return "Done."

    keys: dict[str, Any] = {"faults": [crash("saved")], "expected": SHIPPING}
    trace = episode(never_saves, **keys).trace
    assert settled(trace)["faults"] == [{"index": 0, "fired": False, "changed": False}]
    assert judge(scenario(**keys), world.spec, trace).outcome == "invalid"


def test_a_call_the_guard_turns_away_is_not_the_one() -> None:
    def agent(task: Task, session: Session) -> str:
        with pytest.raises(ToolError):
            session.call("depot.ship", id="P-3")
        return "It is lost."

    assert not list(episode(agent, faults=[crash("after")]).trace.by_kind("crash"))


def test_without_crashes_a_trace_is_as_it_always_was() -> None:
    agent = reference(
        scenario(reference=[{"do": [{"tool": "depot.ship", "args": {"id": "P-1"}}], "reply": "Done."}])
    )
    trace = episode(agent).trace
    assert not {"memory", "crash", "restart"} & {record["kind"] for record in trace.records}


# Dropping agents in this process


def swallowing(then: Callable[[Task, Session], object]) -> Callable[[Task, Session], str]:
    def agent(task: Task, session: Session) -> str:
        if task.restart is not None:
            return "Back."
        try:
            session.call("depot.ship", id="P-1")
        except BaseException:  # noqa: BLE001 - this is what must not help
            then(task, session)
        return "I go on as if nothing had been."

    return agent


def test_an_agent_that_swallows_its_crash_gets_nothing_done_any_more() -> None:
    raised: list[type[BaseException]] = []

    def tries_everything(task: Task, session: Session) -> None:
        def save() -> None:
            session.memory = 1

        attempts: list[Callable[[], object]] = [
            lambda: session.call("depot.ship", id="P-2"),
            session.observe,
            lambda: session.usage(input_tokens=1),
            lambda: session.choice("a", "b"),
            save,
        ]
        for attempt in attempts:
            with pytest.raises(BaseException) as caught:  # noqa: PT011 - which one is what this is about
                attempt()
            raised.append(caught.type)

    trace = episode(swallowing(tries_everything), faults=[crash("after")]).trace
    assert raised == [Crashed] * 5
    assert happened(trace) == ["depot.ship", "after", "checkpoint", "reply"]
    assert [record["text"] for record in trace.by_kind("reply")] == ["Back."]


@pytest.mark.wall_time
def test_an_agent_that_never_lets_go_is_left_behind_at_once() -> None:
    def clings(task: Task, session: Session) -> None:
        while True:
            try:
                session.call("depot.ship", id="P-2")
            except BaseException:  # noqa: BLE001 - it is to be a nuisance
                time.sleep(0.001)

    begun = time.monotonic()
    trace = episode(swallowing(clings), faults=[crash("after")]).trace
    assert time.monotonic() - begun < 5
    assert (stop(trace), shipped(trace)) == ("finished", 1)


def test_one_that_never_lets_go_does_not_hold_up_a_row_of_episodes() -> None:
    def clings(task: Task, session: Session) -> None:
        threading.Event().wait()

    fixture = world.prepare(scenario(faults=[crash("after")]))
    agent = function_agent(swallowing(clings), name="tests:agent")
    jobs = [Job(tag=trial, fixture=fixture, agent=agent, trial=trial, seed=0) for trial in (1, 2)]
    done: list[Episode] = []
    play_each(jobs, lambda _, played: done.append(played))
    assert [stop(played.trace) for played in done] == ["finished", "finished"]


def test_other_threads_of_a_crashed_agent_get_nothing_done() -> None:
    caught: list[BaseException] = []

    def agent(task: Task, session: Session) -> str:
        if task.restart is not None:
            return "Back."
        crashed = threading.Event()

        def beside() -> None:
            crashed.wait(5)
            try:
                session.call("depot.ship", id="P-2")
            except BaseException as error:  # noqa: BLE001 - it is looked at below
                caught.append(error)

        thread = threading.Thread(target=beside)
        thread.start()
        try:
            session.call("depot.ship", id="P-1")
        finally:
            crashed.set()
            thread.join()
        return "Never said."

    trace = episode(agent, faults=[crash("after")]).trace
    assert [type(error) for error in caught] == [Crashed]
    assert (stop(trace), shipped(trace)) == ("finished", 1)


async def waits_then_ships(task: Task, session: Session) -> str:
    """An async agent with a second task that swallows everything."""

    async def beside() -> None:
        for _ in range(20):
            try:
                session.observe()
            except BaseException:  # noqa: BLE001 - it is to be a nuisance
                await asyncio.sleep(0.01)

    if task.restart is None:
        other = asyncio.create_task(beside())
        await asyncio.sleep(0)
        session.call("depot.ship", id="P-1", key="k")
        await other
    return "P-1 is on its way."


@pytest.fixture
def loop() -> Iterator[EventLoop]:
    running = EventLoop()
    yield running
    running.close()


def test_async_agents_are_dropped_too(loop: EventLoop) -> None:
    assert stop(episode(waits_then_ships, faults=[crash("after")]).trace) == "finished"
    live = LiveEpisode(
        world.prepare(scenario(faults=[crash("after")])), function_agent(waits_then_ships), trial=1, seed=0
    )
    live.run(loop.act)
    trace = live.finish().trace
    assert (stop(trace), shipped(trace)) == ("finished", 1)


async def blocks_the_loop(task: Task, session: Session) -> str:
    if task.restart is not None:
        return "Back."
    while True:
        try:
            session.call("depot.ship", id="P-1")
        except BaseException:  # noqa: BLE001 - it is to be a nuisance
            time.sleep(0.001)


async def clings_on_the_loop(task: Task, session: Session) -> str:
    if task.restart is not None:
        return "Back."
    while True:
        with suppress(BaseException):
            session.call("depot.ship", id="P-1")
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("clinging", [clings_on_the_loop, blocks_the_loop])
def test_an_async_agent_that_never_lets_go_is_left_on_its_loop(
    loop: EventLoop, clinging: Callable[[Task, Session], object]
) -> None:
    live = LiveEpisode(
        world.prepare(scenario(faults=[crash("after")])), function_agent(clinging), trial=1, seed=0
    )
    live.run(loop.act)
    trace = live.finish().trace
    assert (stop(trace), shipped(trace)) == ("finished", 1)


def test_what_an_agent_is_bound_to_is_made_anew() -> None:
    from company_lab.agents.protocol import Agent

    made: list[int] = []

    def bound(_: object) -> Agent:
        made.append(len(made))
        return function_agent(Worker(), name="tests:bound")

    trace = episode(
        Agent(name="tests:bound", kind="scripted", act=Worker(), bound=bound), faults=[crash("after")]
    ).trace
    assert (made, stop(trace)) == ([0, 1], "finished")


# Judging


def test_who_crashes_and_does_not_come_to_an_end_has_left_things_unresolved() -> None:
    def gives_up(task: Task, session: Session) -> str:
        if task.restart is not None:
            raise RuntimeError("I do not know where I was")
        session.call("depot.ship", id="P-1")
        return "Done."

    told = scenario(faults=[crash("after")], expected=SHIPPING)
    keys: dict[str, Any] = {"faults": [crash("after")], "expected": SHIPPING}
    verdict = judge(told, world.spec, episode(gives_up, **keys).trace)
    (failure,) = verdict.failures
    assert (failure.code, failure.severity) == ("unresolved_after_restart", "major")
    assert "after 1 crash" in failure.message
    assert judge(told, world.spec, episode(Worker(), **keys).trace).outcome == "passed"


def test_the_crash_limit_leaves_things_unresolved() -> None:
    keys: dict[str, Any] = {
        "faults": [crash("after"), crash("after", attempt=2)],
        "limits": {"crashes": 1},
        "expected": SHIPPING,
    }
    trace = episode(Worker(), **keys).trace
    assert [failure.code for failure in judge(scenario(**keys), world.spec, trace).failures] == [
        "unresolved_after_restart"
    ]


def test_who_gives_up_without_a_crash_is_only_not_finished() -> None:
    def gives_up(task: Task, session: Session) -> str:
        session.call("depot.get", id="P-1")
        raise RuntimeError("no")

    (failure,) = judge(scenario(), world.spec, episode(gives_up).trace).failures
    assert failure.code == "not_finished"


@pytest.mark.fault("D12")
def test_doing_it_twice_after_a_crash_is_a_duplicate() -> None:
    def forgets(task: Task, session: Session) -> str:
        session.call("depot.ship", id="P-1")
        return "P-1 is on its way."

    keys: dict[str, Any] = {
        "faults": [crash("after")],
        "expected": {
            "state": {"parcels": {"P-1": {"status": "sent"}}},
            "effects": [{"provider": "carrier", "op": "ship", "times": 1}],
        },
    }
    found = judge(scenario(**keys), world.spec, episode(forgets, **keys).trace)
    assert "duplicate_effect" in {failure.code for failure in found.failures}
    assert judge(scenario(**keys), world.spec, episode(Worker(), **keys).trace).outcome == "passed"


# Conducts


STEPS = [
    {"tool": "depot.get", "args": {"id": "P-1"}},
    {"tool": "depot.ship", "args": {"id": "P-1", "key": "ship-P-1"}},
    {"tool": "depot.tell", "args": {"id": "P-1", "text": "Yours is on its way."}},
]


def conduct(faults: list[dict[str, Any]]) -> Trace:
    keys: dict[str, Any] = {"reference": [{"do": STEPS, "reply": "Done."}], "faults": faults}
    return episode(reference(scenario(**keys)), **keys).trace


def test_a_conduct_goes_on_after_its_last_saved_step() -> None:
    tools = ["depot.get", "depot.ship", "depot.tell"]
    assert [record["tool"] for record in conduct([crash("saved")]).by_kind("action")] == tools
    again = conduct([crash("after")])
    assert [record["tool"] for record in again.by_kind("action")] == [tools[0], tools[1], *tools[1:]]
    assert results(again) == [("executed", "")] * 4
    assert shipped(again) == 2  # the parcel and the message, each once


def test_a_conduct_reads_its_place_from_the_transcript() -> None:
    actions = conduct([crash("answered", "transcript")]).by_kind("action")
    assert [record["tool"] for record in actions] == ["depot.get", "depot.ship", "depot.tell"]


def test_a_conduct_with_its_task_alone_begins_again() -> None:
    actions = conduct([crash("answered", "task", on="depot.tell")]).by_kind("action")
    assert [record["tool"] for record in actions] == ["depot.get", "depot.ship", "depot.tell"] * 2


def test_a_step_without_a_key_that_was_crashed_away_happens_twice() -> None:
    assert shipped(conduct([crash("after", on="depot.tell")])) == 3


def test_a_conduct_finds_its_place_after_crashes_of_several_kinds() -> None:
    trace = conduct([crash("answered", "task"), crash("answered", "transcript", attempt=2)])
    assert [record["tool"] for record in trace.by_kind("action")] == [
        "depot.get",
        "depot.ship",
        "depot.get",
        "depot.ship",
        "depot.tell",
    ]
    assert stop(trace) == "finished"


def test_rules_are_not_asked_about_what_was_never_sent() -> None:
    from company_lab.worlds.replay import Replay

    keys: dict[str, Any] = {"faults": [crash("before")]}
    trace = episode(Worker(), **keys).trace
    replay = Replay(world.prepare(scenario(**keys)), trace.records)
    assert [attempted.action["call"] for attempted in replay.attempts()] == ["c1", "c3", "c4", "c5"]
    assert replay.lost == ""
