from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from company_lab.agents.protocol import Session, Task
from company_lab.runs import RunPlan, Store, begin, execute
from company_lab.runs.budget import Budget
from company_lab.runs.execution import Ending
from company_lab.runs.resume import still_to_play
from played_run import prepared


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "runs.db") as opened:
        yield opened


def priced(task: Task, session: Session) -> str:
    session.usage(input_tokens=100, output_tokens=10, cost_usd="0.40", model="m-1")
    session.call("depot.ship", id="P-1")
    return "It is on its way."


def unpriced(task: Task, session: Session) -> str:
    session.call("depot.ship", id="P-1")
    return "It is on its way."


def played(store: Store, act: object, budget: Budget) -> tuple[RunPlan, Ending]:
    plan, castings = prepared(act, ids=["send_p1"], trials=6)  # type: ignore[arg-type]
    begin(plan, castings, store)
    return plan, execute(plan, castings, store, budget=budget)


def test_a_run_stops_after_as_many_episodes_as_may_be_and_can_be_resumed(store: Store) -> None:
    plan, ending = played(store, unpriced, Budget(episodes=2))
    assert (ending.status, store.entry(plan.run).stored) == ("stopped", 2)
    assert len(still_to_play(store, plan)) == 4


def test_the_episode_that_goes_beyond_the_cost_is_the_last(store: Store) -> None:
    plan, ending = played(store, priced, Budget(cost_usd=Decimal("1.00")))
    assert ending.status == "stopped"
    assert ending.reason == "1.20 USD were spent of a budget of 1.00"
    assert store.entry(plan.run).stored == 3


@pytest.mark.fault("D10")
def test_a_budget_over_an_unknown_cost_can_not_be_kept(store: Store) -> None:
    plan, ending = played(store, unpriced, Budget(cost_usd=Decimal("1.00")))
    assert "unknown" in ending.reason
    assert store.entry(plan.run).stored == 1


@pytest.mark.fault("E25")
def test_a_budget_of_nothing_plays_nothing(store: Store) -> None:
    for budget in (Budget(episodes=0), Budget(cost_usd=Decimal(0))):
        plan, ending = played(store, priced, budget)
        assert (ending.status, store.entry(plan.run).stored) == ("stopped", 0)


def test_a_budget_that_is_enough_changes_nothing(store: Store) -> None:
    plan, ending = played(store, priced, Budget(episodes=6, cost_usd=Decimal("2.50")))
    assert (ending.status, ending.reason) == ("finished", "")
    assert store.missing(plan.run) == ()
