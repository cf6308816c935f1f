"""Async agents on one event loop: they wait at the same time, and one that blocks costs the others nothing."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from company_lab.agents.functions import function_agent
from company_lab.agents.pacing import Rate, paced
from company_lab.agents.protocol import Infrastructure, Session, Task
from company_lab.episodes import Episode
from company_lab.episodes.looping import Displaced, EventLoop, is_async
from company_lab.episodes.play import LiveEpisode
from depot import episode, results, scenario, settled, world

pytestmark = pytest.mark.wall_time

SHORT = {"limits": {"wall": "300ms"}}


@pytest.fixture
def loop() -> Iterator[EventLoop]:
    opened = EventLoop()
    yield opened
    opened.close()


def played(loop: EventLoop, act: Any, **keys: Any) -> Episode:
    agent = function_agent(act, name="tests:agent")
    live = LiveEpisode(world.prepare(scenario(**keys)), agent, trial=1, seed=0)
    live.run(loop.act)
    return live.finish()


def together(*plays: Callable[[], Any]) -> list[Any]:
    """What each comes to when all are played at the same time; an exception where it raised one."""

    def one(play: Callable[[], Any]) -> Any:
        try:
            return play()
        except Displaced as error:
            return error

    with ThreadPoolExecutor(len(plays)) as pool:
        return list(pool.map(one, plays))


async def ships(task: Task, session: Session) -> str:
    await asyncio.sleep(0)
    session.call("depot.ship", id="P-1")
    return "It is on its way."


async def waits(task: Task, session: Session) -> str:
    await asyncio.sleep(0.1)
    return await ships(task, session)


class Awaited:
    async def __call__(self, task: Task, session: Session) -> str:
        return "done"

    async def method(self, task: Task, session: Session) -> str:
        return "done"


def plain(task: Task, session: Session) -> str:
    return "done"


def test_async_functions_are_told_from_others() -> None:
    for act in (
        ships,
        Awaited(),
        Awaited().method,
        functools.partial(ships),
        functools.partial(Awaited()),
    ):
        assert is_async(act)
    others: list[Any] = [plain, functools.partial(plain), lambda task, session: ships(task, session), Awaited]
    assert not any(map(is_async, others))


def test_the_trace_is_the_same_as_on_a_thread(loop: EventLoop) -> None:
    assert played(loop, ships).trace.text() == episode(ships).trace.text()


def test_episodes_wait_at_the_same_time_on_one_loop(loop: EventLoop) -> None:
    loops = set()

    async def agent(task: Task, session: Session) -> str:
        loops.add(id(asyncio.get_running_loop()))
        return await waits(task, session)

    started = time.monotonic()
    found = together(*[lambda: played(loop, agent)] * 20)
    assert time.monotonic() - started < 1.0  # one after another would be 2 s
    assert [one.trace.stop for one in found] == ["finished"] * 20
    assert len(loops) == 1


def test_what_belongs_to_the_loop_outlives_turns_and_episodes(loop: EventLoop) -> None:
    queue: list[asyncio.Queue[str]] = []

    async def agent(task: Task, session: Session) -> str:
        if not queue:
            queue.append(asyncio.Queue(1))
        async with asyncio.timeout(2):
            await queue[0].put("held")
            return await queue[0].get()

    event = {"at": "+1h", "id": "e1", "type": "memo.written", "data": {"text": "x"}, "wakes": True}
    found = together(*[lambda: played(loop, agent, events=[event])] * 6)
    assert [one.trace.stop for one in found] == ["finished"] * 6


class OfItsOwn(BaseException):
    pass


@pytest.mark.parametrize(
    "error",
    [
        ValueError("no idea"),
        SystemExit(3),
        KeyboardInterrupt(),
        GeneratorExit(),
        asyncio.CancelledError(),
        TimeoutError("late"),
        OfItsOwn("own"),
        Infrastructure("down", retry_after="3"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_whatever_an_agent_raises_is_its_own_and_the_loop_goes_on(
    loop: EventLoop, error: BaseException
) -> None:
    async def agent(task: Task, session: Session) -> str:
        session.call("depot.ship", id="P-1")
        await asyncio.sleep(0.01)
        raise error

    async def in_a_task(task: Task, session: Session) -> str:
        return str(await asyncio.gather(agent(task, session)))

    bad, worse, good = together(
        lambda: played(loop, agent), lambda: played(loop, in_a_task), lambda: played(loop, waits)
    )
    assert bad.trace.text() == episode(agent).trace.text()
    assert worse.trace.stop == bad.trace.stop
    assert results(worse.trace) == [("executed", "")]
    assert good.trace.text() == episode(waits).trace.text()
    assert bad.timings.get("retry_after_s") == (3.0 if isinstance(error, Infrastructure) else None)


def test_an_agent_that_never_comes_back_is_cancelled_and_its_tasks_with_it(loop: EventLoop) -> None:
    ended = threading.Event()

    async def lingers() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    async def agent(task: Task, session: Session) -> str:
        session.call("depot.ship", id="P-1")
        await asyncio.gather(lingers(), lingers())
        return "never"

    trace = played(loop, agent, **SHORT).trace
    assert (trace.stop, results(trace)) == ("wall_limit", [("executed", "")])
    assert ended.wait(2)


def test_tasks_that_an_agent_left_running_end_with_its_turn(loop: EventLoop) -> None:
    ended = threading.Event()

    async def goes_on(session: Session) -> None:
        try:
            while True:
                await asyncio.sleep(0.001)
                session.call("clock.wait", duration="1s")
        finally:
            ended.set()

    async def agent(task: Task, session: Session) -> str:
        kept.append(asyncio.create_task(goes_on(session)))
        await asyncio.sleep(0)
        return "done"

    kept: list[asyncio.Task[None]] = []
    trace = played(loop, agent).trace
    before = trace.text()
    assert ended.wait(2)
    assert (trace.stop, trace.text()) == ("finished", before)


def test_cancelling_can_be_swallowed_and_changes_nothing_more(loop: EventLoop) -> None:
    async def stubborn(task: Task, session: Session) -> str:
        for _ in range(5):
            try:
                await asyncio.sleep(0.2)
            except asyncio.CancelledError:
                continue
        session.call("depot.remove", id="P-1")
        return "done"

    trace = played(loop, stubborn, **SHORT).trace
    before = trace.text()
    time.sleep(1.2)
    assert (trace.stop, trace.text()) == ("wall_limit", before)
    assert played(loop, ships).trace.stop == "finished"


async def spins(task: Task, session: Session) -> str:
    session.call("depot.ship", id="P-1")
    while True:
        pass


async def spins_in_a_task(task: Task, session: Session) -> str:
    return str(await asyncio.gather(spins(task, session)))


async def swallows(task: Task, session: Session) -> str:
    session.call("depot.ship", id="P-1")
    while True:
        try:
            session.call("clock.wait", duration="0s")
        except BaseException:  # noqa: BLE001 - it does not take an end for an end
            continue


async def blocks(task: Task, session: Session) -> str:
    session.call("depot.ship", id="P-1")
    time.sleep(1.5)
    session.call("depot.remove", id="P-1")
    return "done"


@pytest.mark.parametrize("stuck", [spins, spins_in_a_task, swallows, blocks])
def test_an_agent_that_blocks_the_loop_is_left_behind_and_its_deeds_stand(
    loop: EventLoop, stuck: Any
) -> None:
    keys: dict[str, Any] = {"limits": {"wall": "300ms", "calls": 10_000_000}}
    started = time.monotonic()
    trace = played(loop, stuck, **keys).trace
    assert time.monotonic() - started < 1.4
    assert trace.stop == "wall_limit"
    assert results(trace)[0] == ("executed", "")
    assert [change["fields"] for change in settled(trace)["changes"]] == [{"status": ["waiting", "sent"]}]
    before = trace.text()
    assert played(loop, ships).trace.text() == episode(ships).trace.text()
    time.sleep(0.3)
    assert trace.text() == before


@pytest.mark.parametrize("stuck", [spins, blocks])
def test_the_others_finish_or_are_displaced_and_never_blamed(loop: EventLoop, stuck: Any) -> None:
    found = together(
        lambda: played(loop, stuck, **SHORT),
        *[lambda: played(loop, waits)] * 5,
        *[lambda: played(loop, waits, **SHORT)] * 5,
    )
    assert found[0].trace.stop == "wall_limit"
    for other in found[1:]:
        assert isinstance(other, Displaced) or other.trace.stop == "finished", other.trace.stop
    again = together(*[lambda: played(loop, waits)] * 5)
    assert [one.trace.text() for one in again] == [episode(waits).trace.text()] * 5


def test_waiting_for_a_host_counts_for_no_limit(loop: EventLoop) -> None:
    async def asks(task: Task, session: Session) -> str:
        async with session.pace("api.example.test"):
            return await ships(task, session)

    keys = {"limits": {"wall": "1s"}}
    with paced((), {"api.example.test": Rate(4)}):
        found = together(*[lambda: played(loop, asks, **keys)] * 8)
    assert [one.trace.stop for one in found] == ["finished"] * 8
    assert max(one.timings.get("paced_ms", 0) for one in found) > 1200


def test_blocking_work_in_threads_is_not_cut_short_by_a_small_pool(loop: EventLoop) -> None:
    async def in_threads(task: Task, session: Session) -> str:
        await asyncio.gather(*(asyncio.to_thread(time.sleep, 0.2) for _ in range(3)))
        return "done"

    started = time.monotonic()
    together(*[lambda: played(loop, in_threads)] * 8)
    assert time.monotonic() - started < 0.9


ENDING = """
import asyncio, sys, time
sys.path.insert(0, sys.argv[1])
from test_looping import EventLoop, SHORT, played

async def asks_in_a_thread(task, session):
    await asyncio.to_thread(time.sleep, 30)

print(played(EventLoop(), asks_in_a_thread, **SHORT).trace.stop)
"""


def test_a_call_that_nobody_waits_for_does_not_keep_the_process_from_ending() -> None:
    here = Path(__file__).parent
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", ENDING, str(here)],
        env=os.environ | {"PYTHONPATH": str(here.parent / "support")},
        capture_output=True,
        encoding="utf-8",
        timeout=100,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("wall_limit\n", "")
    assert time.monotonic() - started < 20


where = contextvars.ContextVar("where", default="nowhere")


def test_what_an_agent_sets_for_its_context_stays_with_it(loop: EventLoop) -> None:
    async def agent(task: Task, session: Session) -> str:
        found = where.get()
        where.set("inside")
        await asyncio.sleep(0.01)
        return found

    found = together(*[lambda: played(loop, agent)] * 4)
    assert {next(one.trace.by_kind("reply"))["text"] for one in found} == {"nowhere"}
