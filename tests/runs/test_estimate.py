"""What a run is going to take, as far as earlier runs of the same store tell."""

from __future__ import annotations

import time
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from company_lab.agents.protocol import Agent, Session, Task
from company_lab.runs import RunPlan, Store, begin, execute
from company_lab.runs.estimate import estimate
from played_run import prepared


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "runs.db") as opened:
        yield opened


def priced(cost: str | None, *, wait_s: float = 0.0, name: str = "tests:agent", **settings: Any) -> Agent:
    def act(task: Task, session: Session) -> str:
        time.sleep(wait_s)
        session.usage(input_tokens=10, output_tokens=1, cost_usd=cost, model="m-1")
        session.call("depot.ship", id="P-1")
        return "It is on its way."

    return Agent(name=name, kind="real_model", act=act, settings=settings)


def played(store: Store, agent: Agent, **options: Any) -> RunPlan:
    plan, castings = prepared(agent, **options)
    begin(plan, castings, store)
    execute(plan, castings, store)
    return plan


def test_the_first_run_is_unknown(store: Store) -> None:
    plan, _ = prepared(priced("0.10"), ids=["send_p1"], trials=3)
    found = estimate(store, plan, plan.cells)
    assert (found.episodes, found.known, found.rests_on) == (3, 0, 0)
    assert (found.wall_s, found.cost_usd) == (None, None)


def test_time_and_cost_come_from_what_the_agent_took_before(store: Store) -> None:
    before = played(store, priced("0.10", wait_s=0.05), ids=["send_p1", "send_again"], trials=2)
    plan, _ = prepared(priced("0.10"), ids=["send_p1", "send_again"], trials=10)
    found = estimate(store, plan, plan.cells)
    assert (found.episodes, found.known, found.rests_on) == (20, 20, 4)
    assert found.cost_usd == Decimal("2.00")
    took_s = sum(wall_ms or 0 for wall_ms in store.wall_times(before.run).values()) / 1000
    assert took_s > 4 * 0.05
    assert found.wall_s == pytest.approx(took_s / 4 * 20)
    at_once = estimate(store, plan, plan.cells, hands=4)
    assert found.wall_s is not None
    assert at_once.wall_s == pytest.approx(found.wall_s / 4)
    assert at_once.cost_usd == found.cost_usd


def test_scenarios_are_added_up_one_by_one(store: Store) -> None:
    played(store, priced("0.10"), ids=["send_p1"], trials=5)
    played(store, priced("0.40"), ids=["send_again"], trials=1)
    plan, _ = prepared(priced("0.10"), ids=["send_p1", "send_again"], trials=2)
    assert estimate(store, plan, plan.cells).cost_usd == Decimal("1.00")


def test_what_was_never_played_is_unknown(store: Store) -> None:
    played(store, priced("0.10"), ids=["send_p1"], trials=2)
    plan, _ = prepared(priced("0.10"), ids=["send_p1", "new_one"], trials=3)
    found = estimate(store, plan, plan.cells)
    assert (found.episodes, found.known, found.cost_usd) == (6, 3, Decimal("0.30"))


def test_one_unknown_cost_makes_the_cost_unknown_and_not_the_time(store: Store) -> None:
    played(store, priced("0.10"), ids=["send_p1"], trials=2)
    played(store, priced(None), ids=["send_p1"], trials=1)
    plan, _ = prepared(priced("0.10"), ids=["send_p1"], trials=3)
    found = estimate(store, plan, plan.cells)
    assert found.cost_usd is None
    assert found.wall_s is not None


@pytest.mark.parametrize(
    "other", [priced("0.10", name="tests:another"), priced("0.10", temperature=1)], ids=["name", "settings"]
)
def test_another_agent_tells_nothing(store: Store, other: Agent) -> None:
    played(store, other, ids=["send_p1"], trials=2)
    plan, _ = prepared(priced("0.10"), ids=["send_p1"], trials=2)
    assert estimate(store, plan, plan.cells).known == 0


def test_a_scenario_that_was_edited_since_tells_nothing(store: Store) -> None:
    played(store, priced("0.10"), ids=["send_p1"], trials=2)
    plan, _ = prepared(priced("0.10"), ids=["send_p1"], trials=2, title="Another title")
    assert estimate(store, plan, plan.cells).known == 0


def test_what_is_left_of_a_run_is_reckoned_from_the_run_itself(store: Store) -> None:
    plan = played(store, priced("0.10"), ids=["send_p1"], trials=4)
    found = estimate(store, plan, plan.cells[:1])
    assert (found.episodes, found.rests_on, found.cost_usd) == (1, 4, Decimal("0.10"))


def test_an_estimate_of_nothing_is_nothing(store: Store) -> None:
    plan = played(store, priced("0.10"), ids=["send_p1"], trials=1)
    found = estimate(store, plan, ())
    assert (found.episodes, found.known, found.wall_s, found.cost_usd) == (0, 0, None, None)
