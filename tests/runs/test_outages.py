"""Outages of a model's host: repeated as often as is said, after a bounded time, and every attempt is kept."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from company_lab.agents.functions import function_agent
from company_lab.agents.pacing import Rate
from company_lab.agents.protocol import Agent, Infrastructure, Session, Task
from company_lab.episodes.confined import Confinement
from company_lab.formats.errors import WrongUse
from company_lab.runs import Progress, Store, begin, execute
from company_lab.runs.hosts import rates_of
from company_lab.runs.waiting import Patience
from played_run import SEND, prepared

pytestmark = pytest.mark.wall_time

HASTY = Patience(first_s=0.02, most_s=0.3)
HANDS: list[dict[str, Any]] = [
    {},
    {"workers": 4},
    {"processes": 2},
    {"isolation": Confinement(), "workers": 2},
]
HOST = "api.example.test"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "runs.db") as opened:
        yield opened


def ships(task: Task, session: Session) -> str:
    session.call("depot.ship", id="P-1")
    return "It is on its way."


def down_at_first(times: int, folder: Path, *, retry_after: object = None) -> Any:
    """An agent whose host is down the first times, counted in a file since it may run anywhere."""

    def agent(task: Task, session: Session) -> str:
        with (folder / "asked").open("a+b") as file:
            file.write(b".")
            file.flush()
            if file.tell() <= times:
                raise Infrastructure("429 Too Many Requests", retry_after=retry_after)
        return ships(task, session)

    return agent


@pytest.mark.parametrize("hands", HANDS)
def test_an_outage_is_repeated_and_every_attempt_kept(
    store: Store, tmp_path: Path, hands: dict[str, Any]
) -> None:
    plan, castings = prepared(down_at_first(2, tmp_path), ids=["send_p1"], trials=1, attempts=4)
    begin(plan, castings, store)
    seen: list[Progress] = []
    ending = execute(plan, castings, store, patience=HASTY, progress=seen.append, **hands)
    assert ending.status == "finished"
    assert store.entry(plan.run).outcomes == {"passed": 1}
    assert store.episode(plan.run, "send_p1", 1).attempt == 3
    assert [(one.done, one.again) for one in seen] == [(1, 2)]


def test_attempts_end_somewhere(store: Store, tmp_path: Path) -> None:
    plan, castings = prepared(down_at_first(99, tmp_path), ids=["send_p1"], trials=1, attempts=3)
    begin(plan, castings, store)
    seen: list[Progress] = []
    execute(plan, castings, store, patience=HASTY, progress=seen.append)
    assert [(one.done, one.failed, one.unscored) for one in seen] == [(1, 0, 1)]
    assert (tmp_path / "asked").stat().st_size == 3
    assert store.entry(plan.run).outcomes == {"unscored": 1}
    assert store.episode(plan.run, "send_p1", 1).trace.stop == "infrastructure_error"


def test_what_was_done_before_an_outage_is_not_repeated_away(store: Store) -> None:
    def harms(task: Task, session: Session) -> str:
        session.call("depot.remove", id="P-1")
        raise Infrastructure("down", retry_after="1")

    expected = {"actions": [SEND], "forbidden": [{"tool": "depot.remove"}]}
    plan, castings = prepared(harms, ids=["send_p1"], trials=1, attempts=5, expected=expected)
    begin(plan, castings, store)
    execute(plan, castings, store, patience=HASTY)
    assert store.entry(plan.run).outcomes == {"failed": 1}
    assert store.episode(plan.run, "send_p1", 1).attempt == 1


@pytest.mark.parametrize(
    ("asked", "hands"),
    [
        *(
            (asked, {})
            for asked in ("-5", "Wed, 21 Oct 2015 07:28:00 GMT", "999999999", float("nan"), object())
        ),
        *(("999999999", hands) for hands in HANDS[1:]),
    ],
)
def test_awkward_forms_of_retry_after_are_survived_in_a_bounded_time(
    store: Store, tmp_path: Path, asked: object, hands: dict[str, Any]
) -> None:
    agent = down_at_first(1, tmp_path, retry_after=asked)
    plan, castings = prepared(agent, ids=["send_p1"], trials=1, attempts=2)
    begin(plan, castings, store)
    started = time.monotonic()
    execute(plan, castings, store, patience=HASTY, **hands)
    assert time.monotonic() - started < 2
    assert store.entry(plan.run).outcomes == {"passed": 1}


def test_what_a_host_asks_for_is_kept_to(store: Store, tmp_path: Path) -> None:
    agent = down_at_first(1, tmp_path, retry_after="0.25")
    plan, castings = prepared(agent, ids=["send_p1"], trials=1, attempts=2)
    begin(plan, castings, store)
    started = time.monotonic()
    execute(plan, castings, store, patience=HASTY)
    assert 0.25 <= time.monotonic() - started < 1


def test_waiting_times_double_up_to_a_bound() -> None:
    patience = Patience(first_s=1, most_s=10)
    for attempt, longest in [(2, 1), (3, 2), (4, 4), (5, 8), (6, 10), (1000, 10)]:
        for _ in range(20):
            assert longest / 2 <= patience.before(attempt) <= longest
    assert patience.before(2, asked_s=3) == 3
    assert patience.before(2, asked_s=500) == 10
    assert patience.before(9, asked_s=0) == 0


def test_others_are_played_while_one_waits(store: Store) -> None:
    order: list[int] = []

    def agent(task: Task, session: Session) -> str:
        order.append(len(order))
        if len(order) == 1:
            raise Infrastructure("down", retry_after="0.3")
        return ships(task, session)

    plan, castings = prepared(agent, ids=["send_p1"], trials=4, attempts=2)
    begin(plan, castings, store)
    trials: list[int] = []
    execute(
        plan, castings, store, patience=HASTY, progress=lambda progress: trials.append(progress.latest.trial)
    )
    assert trials == [2, 3, 4, 1]


@pytest.mark.parametrize("hands", [{}, {"workers": 2}, {"processes": 2}])
def test_an_interrupt_does_not_wait_for_what_is_put_off(store: Store, hands: dict[str, Any]) -> None:
    def agent(task: Task, session: Session) -> str:
        raise Infrastructure("down", retry_after="60")

    plan, castings = prepared(agent, ids=["send_p1"], trials=1, attempts=2)
    begin(plan, castings, store)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    started = time.monotonic()
    ending = execute(plan, castings, store, begun=timer.start, **hands)
    timer.join()
    assert (ending.status, store.entry(plan.run).stored) == ("interrupted", 1)
    assert time.monotonic() - started < 3


# Rates


def asks(task: Task, session: Session) -> str:
    with session.pace(HOST):
        return ships(task, session)


async def asks_async(task: Task, session: Session) -> str:
    async with session.pace(HOST):
        return ships(task, session)


@pytest.mark.parametrize(
    ("act", "hands"),
    [
        (asks, {}),
        (asks, {"workers": 8}),
        (asks, {"processes": 3}),
        (asks, {"isolation": Confinement(), "workers": 4}),
        (asks_async, {"workers": 8}),
        (asks_async, {"isolation": Confinement(), "workers": 4}),
    ],
)
def test_a_rate_holds_over_everything_that_plays(store: Store, hands: dict[str, Any], act: Any) -> None:
    plan, castings = prepared(act, ids=["send_p1"], trials=9, limits={"wall": "300ms"})
    begin(plan, castings, store)
    started = time.monotonic()
    ending = execute(plan, castings, store, rates={HOST: Rate(20)}, **hands)
    took = time.monotonic() - started
    assert 8 / 20 <= took < 8 / 20 + 6
    assert ending.unasked == ()
    assert store.entry(plan.run).outcomes == {"passed": 9}  # waiting for a turn is nobody's wall limit
    paced = [stored.timings.get("paced_ms", 0) for stored in store.stored(plan.run)]
    if (
        hands and "isolation" not in hands
    ):  # processes may begin more slowly than the rate, and wait for nothing
        assert sum(map(float, paced)) > 200  # type: ignore[arg-type]


def test_a_rate_that_limited_nothing_is_told(store: Store) -> None:
    plan, castings = prepared(ships, ids=["send_p1"], trials=2)
    begin(plan, castings, store)
    assert execute(plan, castings, store, rates={HOST: Rate(20)}).unasked == (HOST,)


def declaring(hosts: dict[str, str | None]) -> Agent:
    agent = function_agent(asks, name="tests:agent")
    return Agent(name=agent.name, kind="scripted", act=asks, hosts=hosts)


def test_rates_come_from_the_agent_and_what_is_given_goes_first() -> None:
    _, castings = prepared(declaring({HOST: "5/s", "other.example.test": None}))
    assert rates_of(castings, {}) == {HOST: Rate(5), "other.example.test": None}
    assert rates_of(castings, {HOST: Rate(1)})[HOST] == Rate(1)
    with pytest.raises(WrongUse, match=r"did you mean api\.example\.test\?"):
        rates_of(castings, {"api.exampel.test": Rate(1)})


def test_a_declared_rate_is_kept(store: Store) -> None:
    plan, castings = prepared(declaring({HOST: "20/s"}), ids=["send_p1"], trials=5)
    begin(plan, castings, store)
    started = time.monotonic()
    execute(plan, castings, store, workers=5)
    assert time.monotonic() - started >= 4 / 20


def test_attempts_of_all_cells_are_counted(store: Store) -> None:
    counts: Counter[str] = Counter()
    lock = threading.Lock()

    def agent(task: Task, session: Session) -> str:
        with lock:
            counts["asked"] += 1
            odd = counts["asked"] % 2
        if odd:
            raise Infrastructure("down")
        return ships(task, session)

    plan, castings = prepared(agent, ids=["send_p1"], trials=10, attempts=50)
    begin(plan, castings, store)
    execute(plan, castings, store, workers=3, patience=Patience(first_s=0.001, most_s=0.002))
    assert store.entry(plan.run).outcomes == {"passed": 10}
    assert sum(stored.attempt for stored in store.stored(plan.run)) == counts["asked"]
