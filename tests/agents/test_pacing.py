"""Rates of models' hosts: kept by all threads and processes together."""

from __future__ import annotations

import asyncio
import os
import threading
import time

import pytest

from company_lab.agents import pacing
from company_lab.agents.pacing import Paced, Rate, paced, parse_rate
from company_lab.agents.protocol import Infrastructure, declare
from company_lab.formats.errors import WrongUse

HOST = "api.example.test"


@pytest.mark.parametrize(
    ("text", "per_second"), [("5/s", 5), ("0.5/s", 0.5), ("90/m", 1.5), ("1800/h", 0.5), ("1000/s", 1000)]
)
def test_rates(text: str, per_second: float) -> None:
    assert parse_rate(text).per_second == per_second


@pytest.mark.parametrize(
    "text", ["", "5", "5/d", "0/s", "-1/s", "/s", "5 /s", "1e3/s", "٥/s", "nan/s", "5/s "]
)
def test_what_is_no_rate_is_refused(text: str) -> None:
    with pytest.raises(WrongUse, match="no rate such as"):
        parse_rate(text)


def places(host: str, number: int) -> list[float]:
    return [pacing.reserve(host) for _ in range(number)]


def test_places_are_evenly_spaced_and_begin_at_once() -> None:
    with paced((), {HOST: Rate(100)}):
        waits = places(HOST, 5)
    assert waits[0] == 0
    for number, wait in enumerate(waits):
        assert wait == pytest.approx(number * 0.01, abs=0.009)
    assert places(HOST, 3) == [0, 0, 0]  # the limit has gone with the run


def test_a_host_without_a_rate_is_not_limited_until_it_asks_for_a_pause() -> None:
    with paced([HOST], {}) as gates:
        assert places(HOST, 3) == [0, 0, 0]
        pacing.hold(HOST, 5)
        assert places(HOST, 2) == pytest.approx([5, 5], abs=0.1)
        assert gates[HOST].asked == 5


def test_threads_share_a_rate() -> None:
    waits: list[float] = []
    with paced((), {HOST: Rate(1000)}):
        threads = [threading.Thread(target=lambda: waits.extend(places(HOST, 25))) for _ in range(8)]
        started = time.monotonic()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        took = time.monotonic() - started
        last = pacing.reserve(HOST)
    assert last + took >= 200 / 1000  # no place was given twice


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_forked_processes_share_a_rate_and_one_that_is_killed_holds_up_nobody() -> None:
    with paced((), {HOST: Rate(1000)}) as gates:
        children = []
        for number in range(4):
            child = os.fork()
            if child == 0:
                if number:
                    places(HOST, 50)
                    os._exit(0)
                while True:
                    pacing.reserve(HOST)
            children.append(child)
        for child in children[1:]:
            assert os.waitpid(child, 0)[1] == 0
        os.kill(children[0], 9)
        os.waitpid(children[0], 0)
        assert gates[HOST].asked >= 150
        assert pacing.reserve(HOST) >= 0


@pytest.mark.wall_time
def test_entering_waits_for_the_turn() -> None:
    started = time.monotonic()
    with paced((), {HOST: Rate(20)}):
        for _ in range(3):
            with Paced(HOST, pacing.reserve, pacing.hold):
                pass
    assert 0.1 <= time.monotonic() - started < 0.5


def test_async_agents_wait_without_holding_up_the_loop() -> None:
    ticks = 0

    async def asks() -> None:
        async with Paced(HOST, pacing.reserve, pacing.hold):
            pass

    async def both() -> None:
        nonlocal ticks
        waiting = asyncio.gather(*(asks() for _ in range(4)))
        while not waiting.done():
            await asyncio.sleep(0.005)
            ticks += 1
        await waiting

    with paced((), {HOST: Rate(20)}):
        asyncio.run(both())
    assert ticks > 5


def test_the_blocking_form_is_refused_inside_an_event_loop() -> None:
    async def asks() -> None:
        with Paced(HOST, pacing.reserve, pacing.hold):
            pass

    with pytest.raises(WrongUse, match="write `async with"):
        asyncio.run(asks())


@pytest.mark.parametrize(
    ("asked", "seconds"), [("2", 2), ("-5", 0), ("Wed, 21 Oct 2015 07:28:00 GMT", 0), (None, 0)]
)
def test_a_host_that_asks_for_time_is_left_alone_by_everybody(asked: str | None, seconds: int) -> None:
    with paced([HOST], {}):
        with pytest.raises(Infrastructure), Paced(HOST, pacing.reserve, pacing.hold):
            raise Infrastructure("429 Too Many Requests", retry_after=asked)
        assert pacing.reserve(HOST) == pytest.approx(seconds, abs=0.1)


def test_an_agents_own_error_holds_nobody_up() -> None:
    with paced([HOST], {}):
        with pytest.raises(ValueError, match="no"), Paced(HOST, pacing.reserve, pacing.hold):
            raise ValueError("no")
        assert pacing.reserve(HOST) == 0


def test_hosts_are_declared_with_or_without_rates() -> None:
    def agent() -> None: ...

    def hosts(declared: object) -> object:
        return vars(declare(kind="real_model", hosts=declared)(agent))["company_lab_hosts"]  # type: ignore[arg-type]

    assert hosts(("a", "b")) == {"a": None, "b": None}
    assert hosts({"a": "5/s", "b": None}) == {"a": "5/s", "b": None}
    with pytest.raises(WrongUse, match="no rate such as"):
        hosts({"a": "often"})
    with pytest.raises(WrongUse, match="hosts are several"):
        hosts("api.example.test")
