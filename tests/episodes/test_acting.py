"""Agents may raise, hang, run in threads or event loops: the episode ends in order and the next one works."""

from __future__ import annotations

import asyncio
import contextvars
import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from company_lab.agents.protocol import Session, Task, ToolError
from company_lab.traces import Trace
from depot import results, run, settled

pytestmark = pytest.mark.wall_time


class Unshowable(Exception):
    def __str__(self) -> str:
        raise KeyboardInterrupt

    __repr__ = __str__


class OfItsOwn(BaseException):
    pass


@pytest.mark.parametrize(
    "error",
    [
        ValueError("no idea"),
        SystemExit(3),
        KeyboardInterrupt(),
        GeneratorExit(),
        StopIteration(),
        asyncio.CancelledError(),
        MemoryError(),
        RecursionError("too deep"),
        OfItsOwn("own"),
        Unshowable(),
    ],
    ids=lambda error: type(error).__name__,
)
def test_whatever_an_agent_raises_is_its_error_and_its_deeds_stand(error: BaseException) -> None:
    def agent(task: Task, session: Session) -> str:
        session.call("depot.ship", id="P-1")
        raise error

    async def waiting(task: Task, session: Session) -> str:
        session.call("depot.ship", id="P-1")
        raise error

    for act in (agent,) if isinstance(error, StopIteration) else (agent, waiting):
        trace = run(act)
        assert trace.stop == "agent_error"
        (stopped,) = trace.by_kind("stopped")
        assert type(error).__name__ in stopped["detail"]
        assert results(trace) == [("executed", "")]
        assert len(settled(trace)["ledgers"]["carrier"]) == 1
        assert list(trace.by_kind("reply")) == []
    assert run(lambda task, session: "done").stop == "finished"


def test_an_agent_that_can_not_even_be_called_has_failed() -> None:
    def takes_nothing() -> str:
        return "done"

    assert run(takes_nothing).stop == "agent_error"


SHORT = {"limits": {"wall": "200ms"}}


def hanging(how: Callable[[Session], object], released: threading.Event) -> Callable[[Task, Session], str]:
    def agent(task: Task, session: Session) -> str:
        session.call("depot.ship", id="P-1")
        try:
            how(session)
            session.call("depot.remove", id="P-1")
        finally:
            released.set()
        return "done"

    return agent


def spinning(session: Session) -> None:
    while True:
        pass


def swallowing(session: Session) -> None:
    while True:
        try:
            session.call("clock.wait", duration="1ms")
        except BaseException:  # noqa: BLE001 - it does not take an end for an end
            continue


def dying_slowly(session: Session) -> None:
    try:
        spinning(session)
    finally:
        session.call("depot.remove", id="P-1")


class SlowMapping(Mapping[str, Any]):
    """Arguments that take for ever to be read."""

    def __getitem__(self, key: str) -> Any:
        return key

    def __iter__(self) -> Iterator[str]:
        time.sleep(2)
        return iter(())

    def __len__(self) -> int:
        return 0


def reading_slowly(session: Session) -> None:
    session.attempt("depot.label", SlowMapping())


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        (spinning, "wall_limit"),
        (swallowing, "call_limit"),  # the first limit that was reached is the reason
        (dying_slowly, "wall_limit"),
        (reading_slowly, "wall_limit"),
        (lambda session: time.sleep(1), "wall_limit"),
    ],
)
def test_an_agent_that_hangs_is_left_behind_and_changes_nothing_more(
    how: Callable[[Session], object], reason: str
) -> None:
    released = threading.Event()
    started = time.monotonic()
    trace = run(hanging(how, released), **SHORT)
    assert time.monotonic() - started < 1.5
    assert trace.stop == reason
    assert results(trace)[0] == ("executed", "")
    before = trace.bytes()
    assert [change["fields"] for change in settled(trace)["changes"]] == [{"status": ["waiting", "sent"]}]
    assert run(lambda task, session: str(session.call("depot.get", id="P-1")["status"])).stop == "finished"
    released.wait(0.2)
    assert trace.bytes() == before


def test_what_an_agent_that_was_left_behind_calls_later_is_refused_and_changes_nothing() -> None:
    later: list[object] = []
    woke = threading.Event()

    def agent(task: Task, session: Session) -> str:
        def afterwards() -> None:
            time.sleep(0.5)
            woke.set()
            later.append(session.call("depot.remove", id="P-1"))

        threading.Thread(target=afterwards, daemon=True).start()
        time.sleep(3)
        return "done"

    trace = run(agent, **SHORT)
    before = trace.bytes()
    assert trace.stop == "wall_limit"
    assert woke.wait(2)
    time.sleep(0.1)
    assert (later, trace.bytes()) == ([], before)


def test_an_agent_that_comes_back_in_time_is_not_left_behind() -> None:
    def agent(task: Task, session: Session) -> str:
        time.sleep(0.02)
        return "done"

    assert run(agent, **SHORT).stop == "finished"


def test_an_agent_that_hangs_in_an_event_loop_is_left_behind() -> None:
    async def agent(task: Task, session: Session) -> str:
        session.call("depot.ship", id="P-1")
        await asyncio.sleep(2)
        return "done"

    trace = run(agent, **SHORT)
    assert (trace.stop, results(trace)) == ("wall_limit", [("executed", "")])


def consistent(trace: Trace) -> None:
    """Requested calls, guard answers and results belong together, whoever made them."""
    assert [record["seq"] for record in trace.records] == list(range(len(trace)))
    calls = [record["call"] for record in trace.by_kind("action")]
    assert calls == [f"c{number}" for number in range(1, len(calls) + 1)]
    triples = [record["kind"] for record in trace.records if record["kind"] in ("action", "guard", "result")]
    assert triples == ["action", "guard", "result"] * len(calls)
    moments = [record["at"] for record in trace.records]
    assert moments == sorted(moments)


def test_calls_at_the_same_time_run_one_after_another() -> None:
    def agent(task: Task, session: Session) -> str:
        with ThreadPoolExecutor(8) as pool:
            list(
                pool.map(
                    lambda number: session.call("depot.add", receiver=f"r{number}", weight=number), range(40)
                )
            )
        return "done"

    trace = run(agent)
    consistent(trace)
    created = settled(trace)["changes"]
    assert [change["id"] for change in created] == [f"parcel_{number}" for number in range(1, 41)]
    assert sorted(change["fields"]["weight"][1] for change in created) == list(range(40))


def test_an_async_agent_may_gather_its_calls() -> None:
    async def agent(task: Task, session: Session) -> str:
        async def call(number: int) -> Any:
            await asyncio.sleep(0)
            return session.call("depot.label", size="s", anything=number)

        async def call_in_a_thread(number: int) -> Any:
            return await asyncio.to_thread(session.call, "depot.label", size="m", anything=number)

        answers = await asyncio.gather(
            *(call(number) for number in range(10)), *(call_in_a_thread(n) for n in range(10))
        )
        return " ".join(str(answer["anything"]) for answer in answers)

    trace = run(agent)
    consistent(trace)
    numbers = " ".join(str(number) for number in range(10))
    assert next(trace.by_kind("reply"))["text"] == f"{numbers} {numbers}"


def test_a_limit_reached_among_gathered_calls_ends_the_episode() -> None:
    async def agent(task: Task, session: Session) -> str:
        async def call(number: int) -> Any:
            return session.call("depot.label", size="s", anything=number)

        await asyncio.gather(*(call(number) for number in range(30)), return_exceptions=True)
        return "done"

    trace = run(agent, limits={"calls": 7})
    assert (trace.stop, settled(trace)["calls"]) == ("call_limit", 7)


def test_a_call_that_is_made_twice_is_two_calls() -> None:
    def agent(task: Task, session: Session) -> str:
        for _ in range(2):
            session.attempt("depot.tell", {"id": "P-1", "text": "soon"}, hint="call_1")
        session.attempt("depot.tell", {"id": "P-1", "text": "now"}, hint="")
        return "done"

    trace = run(agent)
    assert [(record["call"], record["hint"]) for record in trace.by_kind("action")] == [
        ("c1", "call_1"),
        ("c2", "call_1"),
        ("c3", ""),
    ]
    assert len(settled(trace)["ledgers"]["carrier"]) == 3


@pytest.mark.parametrize(
    "marks", [{"hint": object()}, {"hint": 7}, {"by": object()}, {"hint": "x" * 10, "by": "writer"}]
)
def test_an_adapters_marks_are_kept_as_text(marks: dict[str, Any]) -> None:
    def agent(task: Task, session: Session) -> str:
        session.attempt("depot.get", {"id": "P-1"}, **marks)
        return "done"

    trace = run(agent)
    trace.bytes()
    (action,) = trace.by_kind("action")
    assert isinstance(action["by"], str)
    assert action["hint"] is None or isinstance(action["hint"], str)


@pytest.fixture
def _hasty_threads() -> Iterator[None]:
    """Threads take turns as often as the interpreter can, so that what is not guarded is torn."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("_hasty_threads")
def test_threads_that_outlive_their_turn_do_not_tear_the_trace() -> None:
    finished = threading.Event()

    def agent(task: Task, session: Session) -> str:
        def go_on() -> None:
            try:
                while True:
                    session.call("clock.wait", duration="0s")
            except BaseException:  # noqa: BLE001 - whatever ended it, it has ended
                finished.set()

        if task.turn == 1:
            threading.Thread(target=go_on, daemon=True).start()
        time.sleep(0.001)
        return "done"

    events = [
        {"at": f"+{n}s", "id": f"e{n}", "type": "memo.written", "data": {"text": "x"}, "wakes": True}
        for n in range(1, 30)
    ]
    trace = run(agent, limits={"turns": 40, "calls": 100_000}, events=events)
    assert finished.wait(5)
    consistent(trace)
    assert len(list(trace.by_kind("turn"))) == 30


where = contextvars.ContextVar("where", default="nowhere")


def test_what_the_caller_set_for_its_context_holds_for_the_agent_and_not_the_other_way_round() -> None:
    def agent(task: Task, session: Session) -> str:
        found = where.get()
        where.set("inside the agent")
        return found

    token = where.set("outside")
    try:
        replies = [next(run(agent).by_kind("reply"))["text"] for _ in range(2)]
    finally:
        where.reset(token)
    assert replies == ["outside", "outside"]


def _play_in_a_child(done: Any) -> None:
    done.put(run(lambda task, session: "done").stop)


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_forked_process_plays_too() -> None:
    run(lambda task, session: "done")
    context = multiprocessing.get_context("fork")
    done = context.Queue()
    child = context.Process(target=_play_in_a_child, args=(done,))
    child.start()
    assert done.get(timeout=10) == "finished"
    child.join(10)


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
@pytest.mark.parametrize("goes_on", [False, True], ids=["plain", "async"])
def test_a_process_that_an_agent_forks_off_does_not_play_on(goes_on: bool) -> None:
    """Both come back from the agent; only the one that plays the run goes on with it."""
    forked: list[int] = []

    def split() -> str:
        forked.append(os.fork())
        return "done"

    async def split_later(task: Task, session: Session) -> str:
        return split()

    agent = split_later if goes_on else lambda task, session: split()
    trace = run(agent)
    if forked[0] == 0:
        os._exit(1)
    _, status = os.waitpid(forked[0], 0)
    assert (trace.stop, os.waitstatus_to_exitcode(status)) == ("finished", 0)


def test_a_refusal_that_is_not_caught_is_the_agents_error() -> None:
    trace = run(lambda task, session: session.call("depot.ship", id="P-3"))
    assert trace.stop == "agent_error"
    assert "ToolError: refused: lost" in next(trace.by_kind("stopped"))["detail"]


def test_a_refusal_can_be_caught() -> None:
    def agent(task: Task, session: Session) -> str:
        try:
            session.call("depot.ship", id="P-3")
        except ToolError as error:
            return error.reason
        return "done"

    assert next(run(agent).by_kind("reply"))["text"] == "lost"
