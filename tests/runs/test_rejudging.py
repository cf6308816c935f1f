"""Judging stored episodes again: a pure reading of what is stored."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from company_lab.agents.protocol import Session, Task
from company_lab.evaluation import Verdict
from company_lab.runs import Cell, RunPlan, Store, begin, execute
from company_lab.runs.regrading import WaveringVerdict
from company_lab.runs.rejudging import Rejudged, changes_since, rejudge, scenarios_of
from company_lab.scenarios.differences import differences
from company_lab.scenarios.model import Scenario
from company_lab.worlds.world import World
from depot import PARCELS, world
from played_run import SEND, document, prepared, scenario


def depot(_: str) -> World:
    return world


def sends_once(task: Task, session: Session) -> str:
    session.call("depot.ship", id="P-1")
    return "It is on its way."


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "runs.db") as opened:
        yield opened


@pytest.fixture
def plan(store: Store) -> RunPlan:
    plan, castings = prepared(sends_once, ids=["send_p1"], trials=3)
    begin(plan, castings, store)
    execute(plan, castings, store)
    return plan


def again(store: Store, plan: RunPlan, *edited: Scenario) -> list[Rejudged]:
    scenarios = {one.id: one for one in edited} or scenarios_of(store, plan.run, worlds=depot)
    return list(rejudge(store, plan.run, scenarios, worlds=depot))


def stricter() -> Scenario:
    expected = document()["expected"] | {"actions": [SEND | {"times": 2}]}
    return scenario(expected=expected)


def traces(store: Store, plan: RunPlan) -> list[bytes]:
    return [stored.trace.bytes() for stored in store.stored(plan.run)]


@pytest.mark.fault("A28")
def test_judging_twice_and_in_any_order_gives_the_same_bytes_and_leaves_the_record_alone(
    store: Store, plan: RunPlan
) -> None:
    before = traces(store, plan)
    first = [one.after.to_json() for one in again(store, plan)]
    second = {one.trial: one.after.to_json() for one in random.Random(1).sample(again(store, plan), 3)}
    assert [second[trial] for trial in (1, 2, 3)] == first
    assert [one.before.to_json() for one in again(store, plan)] == first
    assert all(one.known and not one.differs for one in again(store, plan))
    assert traces(store, plan) == before


@pytest.mark.fault("E24")
def test_an_edited_scenario_changes_verdicts_only_when_they_are_stored_and_under_another_grading(
    store: Store, plan: RunPlan
) -> None:
    before = store.episode(plan.run, "send_p1", 1)
    found = again(store, plan, stricter())
    assert {(one.before.outcome, one.after.outcome, one.known) for one in found} == {
        ("passed", "failed", False)
    }
    assert store.entry(plan.run).outcomes == {"passed": 3}
    store.regrade(plan.run, [(Cell(one.scenario, one.trial), one.grading, one.after) for one in found])
    assert store.entry(plan.run).outcomes == {"failed": 3}
    after = store.episode(plan.run, "send_p1", 1)
    assert after.grading != before.grading
    assert after.trace.bytes() == before.trace.bytes()
    assert [one.after.outcome for one in again(store, plan)] == ["passed"] * 3


def test_the_reasons_are_named(store: Store, plan: RunPlan) -> None:
    found = dict(changes_since(store, plan.run, {"send_p1": stricter()}, worlds=depot))
    assert found == {"the scenario send_p1": ["expected.actions[0].times: absent -> 2"]}
    assert not list(changes_since(store, plan.run, {"send_p1": scenario()}, worlds=depot))


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"initial": {"parcels": PARCELS | {"P-9": PARCELS["P-1"]}}}, "initial"),
        ({"stimulus": {"message": "Please send P-1 today."}}, "stimulus"),
        ({"clock": "2026-03-06T08:00:00+01:00"}, "clock"),
        ({"limits": {"calls": 3}}, "limits"),
    ],
)
def test_episodes_of_another_situation_are_not_judged_by_this_one(
    store: Store, plan: RunPlan, change: dict[str, Any], key: str
) -> None:
    found = again(store, plan, scenario(**change))
    assert {one.left_out for one in found} == {f"it was played with another {key}: play it again instead"}
    assert all(one.after == one.before for one in found)


@pytest.mark.parametrize(
    "change", [{"title": "Another title"}, {"severity": "critical"}, {"tags": ["mail"]}, {"locale": "de"}]
)
def test_what_only_readers_and_judges_see_may_change(
    store: Store, plan: RunPlan, change: dict[str, Any]
) -> None:
    assert {one.left_out for one in again(store, plan, scenario(**change))} == {None}


def test_a_verdict_is_never_written_over_by_another_on_the_same_grounds(store: Store, plan: RunPlan) -> None:
    one = again(store, plan)[0]
    with pytest.raises(WaveringVerdict, match="judged twice"):
        store.regrade(plan.run, [(Cell("send_p1", 1), one.grading, Verdict(outcome="invalid"))])
    assert store.entry(plan.run).outcomes == {"passed": 3}


def test_differences_are_told_place_by_place() -> None:
    assert list(differences(scenario(), scenario())) == []
    other = scenario(tags=["mail"], expected=document()["expected"] | {"actions": [SEND, SEND]})
    assert list(differences(scenario(), other)) == [
        'expected.actions[1]: absent -> {"args":{"id":"P-1"},"tool":"depot.ship"}',
        'tags: absent -> ["mail"]',
    ]
