"""Several hands: the same results, and nobody waits for one who does not come back."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import stat
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import company_lab.cli
from command import COMMAND, environment
from company_lab.agents.protocol import Session, Task
from company_lab.episodes.confined import Confinement
from company_lab.formats.errors import WrongUse
from company_lab.runs import Ending, RunPlan, Store, begin, execute
from company_lab.runs.budget import Budget
from company_lab.runs.processes import WorkerError
from played_run import prepared
from processes import children, eventually

STARTER = Path(company_lab.cli.__file__).parent / "starter"
ISOLATED = {"isolation": Confinement(), "workers": 3}
HANDS: list[dict[str, Any]] = [{}, {"workers": 4}, {"processes": 2}, ISOLATED]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "runs.db") as opened:
        yield opened


def played(store: Store, act: Any, *, hands: dict[str, Any], **options: Any) -> tuple[RunPlan, Ending]:
    plan, castings = prepared(act, **options)
    begin(plan, castings, store)
    return plan, execute(plan, castings, store, **hands)


def sends(task: Task, session: Session) -> str:
    session.call("depot.ship", id="P-1")
    return "It is on its way."


@pytest.mark.parametrize("act", [None, sends])
@pytest.mark.fault("A35")
def test_results_are_the_same_whoever_plays(store: Store, act: Any) -> None:
    runs = [played(store, act, hands=hands, trials=15)[0] for hands in HANDS]
    traces = [[stored.trace.bytes() for stored in store.stored(plan.run)] for plan in runs]
    assert traces[0] == traces[1] == traces[2]
    assert len(traces[0]) == 30
    verdicts = [[stored.verdict for stored in store.stored(plan.run)] for plan in runs]
    assert verdicts[0] == verdicts[1] == verdicts[2]


def test_agents_that_wait_do_so_at_the_same_time(store: Store) -> None:
    waiting = 0
    everybody = asyncio.Event()

    async def meets(task: Task, session: Session) -> str:
        nonlocal waiting
        waiting += 1
        if waiting == 10:
            everybody.set()
        await asyncio.wait_for(everybody.wait(), 20)
        return sends(task, session)

    plan, _ = played(store, meets, hands={"workers": 10}, ids=["send_p1"], trials=10)
    assert store.entry(plan.run).outcomes == {"passed": 10}


def test_no_more_are_under_way_than_there_are_hands(store: Store) -> None:
    lock, now, most = threading.Lock(), 0, 0

    def counting(task: Task, session: Session) -> str:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.01)
        with lock:
            now -= 1
        return sends(task, session)

    played(store, counting, hands={"workers": 3}, trials=10)
    assert 1 < most <= 3


def test_an_agent_that_ends_its_process_loses_its_episode_and_no_other(store: Store) -> None:
    def leaves(task: Task, session: Session) -> str:
        if session.call("depot.get", id="P-1")["weight"] == 6:
            os._exit(1)
        return sends(task, session)

    before = children()
    heavy = {"P-1": {"receiver": "ida@holm.example.test", "weight": 6, "status": "waiting"}}
    plan, (light, _) = prepared(leaves, ids=["send_p1", "heavy"], trials=5)
    _, (fatal,) = prepared(leaves, ids=["heavy"], initial={"parcels": heavy})
    castings = (light, fatal)
    begin(plan, castings, store)
    ending = execute(plan, castings, store, processes=2)
    assert (ending.status, ending.died) == ("finished", 5)
    assert sorted(ending.deaths) == [
        f"heavy trial {trial}: the process that played it ended with exit code 1" for trial in range(1, 6)
    ]
    assert store.entry(plan.run).outcomes == {"passed": 5}
    assert {cell.scenario for cell in store.missing(plan.run)} == {"heavy"}
    assert children() == before


def test_a_worker_that_ends_in_the_middle_of_what_it_says_loses_its_episode_and_no_other(
    store: Store,
) -> None:
    def leaves(task: Task, session: Session) -> str:
        for name in os.listdir("/dev/fd"):
            with suppress(OSError):
                if stat.S_ISSOCK(os.fstat(int(name)).st_mode):
                    os.write(int(name), b"\0\0\0\x63the beginning")
        os._exit(1)

    plan, ending = played(store, leaves, hands={"processes": 1}, ids=["send_p1"], trials=2)
    assert (ending.status, ending.died) == ("finished", 2)
    assert len(store.missing(plan.run)) == 2


def test_isolated_the_same_agent_fails_and_nothing_is_lost(store: Store) -> None:
    def leaves(task: Task, session: Session) -> str:
        sends(task, session)
        os._exit(1)

    before = children()
    plan, ending = played(store, leaves, hands=ISOLATED, ids=["send_p1"], trials=6)
    assert (ending.status, ending.died) == ("finished", 0)
    assert store.entry(plan.run).outcomes == {"failed": 6}
    for stored in store.stored(plan.run):
        assert stored.trace.stop == "agent_error"
        assert [failure.code for failure in stored.verdict.failures] == ["not_finished"]
    assert children() == before


def test_a_worker_that_is_killed_from_outside_loses_its_cell_and_says_so(
    store: Store, tmp_path: Path
) -> None:
    def waits_to_be_killed(task: Task, session: Session) -> str:
        (tmp_path / str(os.getpid())).touch()
        time.sleep(0.2)
        return sends(task, session)

    def kill_one() -> None:
        eventually(lambda: any(tmp_path.glob("[0-9]*")))
        os.kill(int(next(tmp_path.glob("[0-9]*")).name), signal.SIGKILL)

    killer = threading.Timer(0, kill_one)
    killer.start()
    plan, ending = played(store, waits_to_be_killed, hands={"processes": 2}, ids=["send_p1"], trials=6)
    killer.join()
    assert ending.died == 1
    assert "was ended by SIGKILL" in ending.deaths[0]
    assert store.entry(plan.run).outcomes == {"passed": 5}
    assert len(store.missing(plan.run)) == 1


@pytest.mark.wall_time
@pytest.mark.parametrize("hands", HANDS[1:])
def test_an_interrupt_does_not_wait_for_agents(store: Store, hands: dict[str, Any]) -> None:
    def slow(task: Task, session: Session) -> str:
        time.sleep(20)
        return sends(task, session)

    async def slow_async(task: Task, session: Session) -> str:
        await asyncio.sleep(20)
        return sends(task, session)

    before = children()
    for act in (slow, slow_async):
        timer = threading.Timer(0.4, os.kill, (os.getpid(), signal.SIGINT))
        plan, castings = prepared(act, trials=2)
        begin(plan, castings, store)
        started = time.monotonic()
        ending = execute(plan, castings, store, begun=timer.start, **hands)
        timer.join()
        assert ending.status == "interrupted"
        assert time.monotonic() - started < 5
        assert store.entry(plan.run).stored == 0
        assert children() == before


@pytest.mark.parametrize("hands", HANDS)
def test_a_failure_of_the_lab_itself_is_raised(
    store: Store, hands: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("the judge is ill")

    monkeypatch.setattr("company_lab.runs.playing.judge", broken)
    with pytest.raises((RuntimeError, WorkerError), match="the judge is ill"):
        played(store, None, hands=hands)
    (entry,) = store.runs()
    assert (entry.status, entry.stored) == ("broken", 0)


@pytest.mark.parametrize(
    "hands",
    [
        {"workers": 0},
        {"processes": 0},
        {"workers": 2, "processes": 2},
        {"processes": 2, "isolation": Confinement()},
    ],
)
def test_sizes_that_make_no_sense_are_refused(store: Store, hands: dict[str, Any]) -> None:
    with pytest.raises(WrongUse):
        played(store, None, hands=hands)


@pytest.mark.parametrize(
    "hands", [{"workers": 5}, {"processes": 5}, {"workers": 5, "isolation": Confinement()}]
)
def test_no_more_episodes_are_begun_than_the_budget_has_room_for(store: Store, hands: dict[str, Any]) -> None:
    plan, castings = prepared(sends, ids=["send_p1"], trials=20)
    begin(plan, castings, store)
    ending = execute(plan, castings, store, budget=Budget(episodes=7), **hands)
    assert (ending.status, store.entry(plan.run).stored) == ("stopped", 7)


@pytest.mark.wall_time
def test_an_async_agent_that_blocks_costs_the_others_nothing(store: Store) -> None:
    async def blocks_once(task: Task, session: Session) -> str:
        if not blocked:
            blocked.append(True)
            session.call("depot.ship", id="P-1")
            time.sleep(1.5)
        await asyncio.sleep(0.05)
        return sends(task, session)

    blocked: list[bool] = []
    plan, _ = played(
        store, blocks_once, hands={"workers": 10}, ids=["send_p1"], trials=20, limits={"wall": "400ms"}
    )
    stops = [stored.trace.stop for stored in store.stored(plan.run)]
    assert sorted(map(str, stops)) == ["finished"] * 19 + ["wall_limit"]
    assert store.missing(plan.run) == ()


SLOW_TO_IMPORT = """
import time
time.sleep(0.3)
with open("imported", "a") as file:
    file.write(".")

from company_lab import declare

@declare(kind="scripted")
def agent(task, session):
    session.call("repairs.get", id="R-7")
    session.call("repairs.write_to_owner", id="R-7", text="We are still working on your bicycle.")
    return "I wrote to the owner."
"""


@pytest.mark.wall_time
@pytest.mark.parametrize("how", [["--processes", "2"], ["--isolate", "--workers", "2"]])
def test_what_an_agents_module_does_at_import_is_paid_for_once(tmp_path: Path, how: list[str]) -> None:
    shutil.copytree(STARTER, tmp_path, dirs_exist_ok=True)
    (tmp_path / "slow_agent.py").write_text(SLOW_TO_IMPORT)
    started = time.monotonic()
    arguments = ["run", "scenarios", "--agent", "slow_agent:agent", "--trials", "200", "--quiet", *how]
    done = subprocess.run(
        [*COMMAND, *arguments], cwd=tmp_path, env=environment(), capture_output=True, timeout=150, check=False
    )
    assert done.returncode == 0, done.stderr
    assert time.monotonic() - started < 20  # once for each episode would be 60 s, or 30 s on two hands
    assert (tmp_path / "imported").read_text() == "."
