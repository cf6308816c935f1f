"""Many episodes in a row: in order, each handed over before the next, none lost to an agent that hangs."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from company_lab.agents.functions import function_agent
from company_lab.agents.protocol import Agent, Session, Task
from company_lab.episodes import Episode, play
from company_lab.episodes.player import Job, play_each
from company_lab.worlds.fixture import Fixture
from depot import scenario, settled, world


def fixture(**keys: Any) -> Fixture:
    return world.prepare(scenario(**keys))


def job(tag: int, act: Any, on: Fixture, *, trial: int = 1) -> Job[int]:
    agent = act if isinstance(act, Agent) else function_agent(act, name="tests:agent")
    return Job(tag=tag, fixture=on, agent=agent, trial=trial, seed=7)


def ships(task: Task, session: Session) -> str:
    session.call("depot.ship", id="P-1")
    return "done"


def hangs(task: Task, session: Session) -> str:
    session.call("depot.ship", id="P-1")
    while True:
        pass


def sleeps(task: Task, session: Session) -> str:
    session.call("depot.ship", id="P-1")
    time.sleep(1)
    session.call("depot.remove", id="P-1")
    return "done"


def fails(task: Task, session: Session) -> str:
    raise SystemExit(1)


def all_of(jobs: list[Job[int]]) -> list[tuple[int, str | None]]:
    found: list[tuple[int, str | None]] = []
    play_each(jobs, lambda one, episode: found.append((one.tag, episode.trace.stop)))
    return found


def test_every_job_is_played_in_order_and_gives_the_bytes_it_gives_alone() -> None:
    on = fixture()
    alone = [
        play(on, function_agent(ships, name="tests:agent"), trial=trial, seed=7).trace.bytes()
        for trial in range(50)
    ]
    found: list[tuple[int, bytes]] = []
    play_each(
        (job(number, ships, on, trial=number) for number in range(50)),
        lambda one, episode: found.append((one.tag, episode.trace.bytes())),
    )
    assert found == list(enumerate(alone))


def test_no_jobs_are_no_episodes() -> None:
    assert all_of([]) == []


def test_a_contract_request_needs_no_agent() -> None:
    found: list[str | None] = []
    request = Job(tag=0, fixture=fixture(stimulus={"agent_request": "ship_p1"}), agent=None, trial=1, seed=0)
    play_each([request], lambda one, episode: found.append(episode.trace.stop))
    assert found == ["finished"]


@pytest.mark.wall_time
@pytest.mark.parametrize("stuck", [hangs, sleeps])
def test_an_agent_that_hangs_is_left_behind_and_the_row_goes_on(stuck: Any) -> None:
    short = fixture(limits={"wall": "150ms"})
    found: list[tuple[int, Episode]] = []
    started = time.monotonic()
    play_each(
        [
            job(0, ships, short),
            job(1, stuck, short),
            job(2, fails, short),
            job(3, stuck, short),
            job(4, ships, short),
        ],
        lambda one, episode: found.append((one.tag, episode)),
    )
    assert time.monotonic() - started < 2
    assert [(tag, episode.trace.stop) for tag, episode in found] == [
        (0, "finished"),
        (1, "wall_limit"),
        (2, "agent_error"),
        (3, "wall_limit"),
        (4, "finished"),
    ]
    before = [episode.trace.bytes() for _, episode in found]
    time.sleep(0.1)
    assert [episode.trace.bytes() for _, episode in found] == before
    assert [len(settled(episode.trace)["ledgers"].get("carrier", [])) for _, episode in found] == [
        1,
        1,
        0,
        1,
        1,
    ]


def test_jobs_are_taken_one_at_a_time() -> None:
    on = fixture()
    made: list[int] = []
    seen: list[int] = []

    def jobs() -> Iterator[Job[int]]:
        for number in range(5):
            made.append(number)
            yield job(number, ships, on)

    def done(one: Job[int], episode: Episode) -> None:
        seen.append(one.tag)
        assert made[-1] == one.tag

    play_each(jobs(), done)
    assert seen == list(range(5))


def test_what_taking_an_episode_raises_ends_the_row_and_reaches_the_caller() -> None:
    on = fixture()
    seen: list[int] = []

    def done(one: Job[int], episode: Episode) -> None:
        seen.append(one.tag)
        if one.tag == 1:
            raise OSError("the disk is full")

    with pytest.raises(OSError, match="the disk is full"):
        play_each([job(number, ships, on) for number in range(5)], done)
    assert seen == [0, 1]


def test_whoever_watches_can_interrupt_and_nothing_is_handed_over_afterwards() -> None:
    long = fixture(limits={"wall": "30s"})
    begun = threading.Event()
    seen: list[int] = []

    def waits(task: Task, session: Session) -> str:
        begun.set()
        time.sleep(0.6)
        session.call("depot.ship", id="P-1")
        return "done"

    def watch() -> None:
        if begun.is_set():
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play_each(
            [job(0, ships, long), job(1, waits, long), job(2, ships, long)],
            lambda one, _: seen.append(one.tag),
            watch=watch,
        )
    time.sleep(0.8)
    assert seen == [0]


def test_who_interrupts_while_an_episode_is_taken_sees_no_other_begun() -> None:
    on = fixture()
    taking, interrupted = threading.Event(), threading.Event()
    played: list[int] = []

    def acts(task: Task, session: Session) -> str:
        played.append(task.turn)
        return "done"

    def done(one: Job[int], episode: Episode) -> None:
        taking.set()
        interrupted.wait(10)
        time.sleep(0.2)

    def watch() -> None:
        if taking.is_set():
            interrupted.set()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play_each([job(number, acts, on) for number in range(3)], done, watch=watch)
    time.sleep(0.2)
    assert played == [1]
