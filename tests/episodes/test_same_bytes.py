"""Same seed, same bytes: whoever plays beside it, in whatever order, in whatever process."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from company_lab.agents.functions import function_agent
from company_lab.agents.protocol import Session, Task, ToolError
from company_lab.episodes import play
from depot import scenario, world

KEYS: dict[str, Any] = {
    "events": [
        {"at": "+0s", "id": "e1", "type": "parcel.arrived", "data": {"parcel": "P-7", "receiver": "a"}},
        {
            "at": "+5s",
            "id": "e2",
            "type": "parcel.arrived",
            "data": {"parcel": "P-8", "receiver": "b"},
            "wakes": True,
        },
    ],
    "faults": [{"on": "depot.ship", "kind": "lost_ack"}, {"on": "e2", "kind": "duplicate", "by": "1m"}],
    "expected": {"facts": {"shipments": 1, "heaviest_is_known": True}},
    "other_tenants": {"southquay": {"parcels": {}}},
}


def agent(task: Task, session: Session) -> str:
    for tool, args in (
        ("depot.add", {"receiver": "new", "weight": 3}),
        ("depot.ship", {"id": "P-1", "key": "k"}),
        ("depot.ship", {"id": "P-1", "key": "k"}),
        ("depot.ship", {"id": "P-2"}),
        ("depot.tell", {"id": "P-1", "text": "on its way"}),
        ("depot.find", {"status": "waiting"}),
        ("depot.peek", {"tenant": "southquay", "id": "P-1"}),
    ):
        try:
            session.call(tool, **args)
        except ToolError:
            continue
    return f"turn {task.turn}"


def played(trial: int, seed: int = 7) -> bytes:
    fixture = world.prepare(scenario(**KEYS))
    return play(fixture, function_agent(agent, name="tests:agent"), trial=trial, seed=seed).trace.bytes()


def test_the_same_seed_and_trial_give_the_same_bytes() -> None:
    assert played(1) == played(1)


def test_the_seed_and_the_trial_stand_in_the_record() -> None:
    assert len({played(1), played(2), played(1, seed=8)}) == 3


def test_neither_order_nor_interleaving_changes_a_byte() -> None:
    alone = {trial: played(trial) for trial in range(12)}
    backwards = {trial: played(trial) for trial in reversed(range(12))}
    fixture = world.prepare(scenario(**KEYS))
    made = function_agent(agent, name="tests:agent")
    with ThreadPoolExecutor(6) as pool:
        together = dict(
            pool.map(lambda trial: (trial, play(fixture, made, trial=trial, seed=7).trace.bytes()), range(12))
        )
    assert backwards == alone
    assert together == alone


def test_two_episodes_that_take_turns_call_by_call_do_not_touch_each_other() -> None:
    barrier = threading.Barrier(2, timeout=10)

    def in_step(task: Task, session: Session) -> str:
        for number in range(10):
            barrier.wait()
            session.call("depot.add", receiver=f"r{number}", weight=number)
        return "done"

    def keeping_step() -> bytes:
        made = function_agent(in_step, name="tests:in_step")
        return play(world.prepare(scenario()), made).trace.bytes()

    with ThreadPoolExecutor(2) as pool:
        first, second = (pool.submit(keeping_step) for _ in range(2))
        assert first.result(20) == second.result(20)


@pytest.mark.fault("A36")
def test_the_common_generator_and_the_wall_clock_play_no_part(monkeypatch: Any) -> None:
    random.seed(1)
    before = played(1)
    random.seed(2)
    monkeypatch.setenv("TZ", "Pacific/Kiritimati")
    assert played(1) == before


IN_A_PROCESS = """
import hashlib, sys
sys.path[:0] = sys.argv[1:]
from test_same_bytes import played
print(hashlib.sha256(played(1)).hexdigest())
"""


def test_the_order_of_sets_in_a_process_plays_no_part() -> None:
    here = Path(__file__).parent
    paths = [str(here), str(here.parent / "support")]
    printed = {
        subprocess.run(
            [sys.executable, "-c", IN_A_PROCESS, *paths],
            check=True,
            capture_output=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "4242")
    }
    assert len(printed) == 1
