from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_lab.formats.canonical import canonical, parse_own
from company_lab.runs.plan import AgentIdentity, Cell, NewerFormat, RunPlan, every_cell, new_run_id

names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)


def plan(**changes: object) -> RunPlan:
    fields: dict[str, object] = {
        "run": "r1",
        "created": "2026-03-05T08:00:00+00:00",
        "suite": "scenarios",
        "suite_digest": "d",
        "agent": AgentIdentity(name="a", kind="scripted", settings={"temperature": 0}),
        "trials": 2,
        "seed": 7,
        "cells": every_cell(["s1", "s2"], 2),
        "scenarios": {"s1": "d1", "s2": "d2"},
        "worlds": {"company": "w"},
        "code": {"commit": None},
        "prompts": {"system": "p1"},
        "prices": {"m-1": {"input": "2.00"}},
        "failed_of": "r0",
        "redaction": "r",
        "evidence": ("deterministic simulation",),
    }
    return RunPlan(**(fields | changes))  # type: ignore[arg-type]


@given(st.lists(st.tuples(names, st.integers(1, 30)), unique=True, max_size=40))
def test_a_plan_survives_saving_and_loading(cells: list[tuple[str, int]]) -> None:
    ordered = tuple(Cell(scenario, trial) for scenario, trial in sorted(cells))
    before = plan(cells=ordered)
    document = parse_own(before.text())
    assert isinstance(document, dict)
    assert RunPlan.from_json(document) == before


def test_a_plan_of_many_trials_stays_small() -> None:
    assert len(plan(cells=every_cell(["s1"], 100_000), trials=100_000).text()) < 1000


def test_a_plan_of_a_later_format_is_refused() -> None:
    document = plan().to_json() | {"format": 2}
    with pytest.raises(NewerFormat, match="format 2"):
        RunPlan.from_json(document)


@pytest.mark.parametrize(
    "change", [{"seed": 8}, {"scenarios": {"s1": "d1", "s2": "other"}}, {"cells": every_cell(["s1"], 2)}]
)
def test_the_digest_of_a_plan_follows_what_it_says(change: dict[str, object]) -> None:
    assert plan(**change).digest != plan().digest
    assert plan().digest == plan().digest


def test_agents_with_other_settings_are_other_agents() -> None:
    one = AgentIdentity(name="a", kind="scripted", settings={"temperature": 0})
    other = AgentIdentity(name="a", kind="scripted", settings={"temperature": 1})
    assert one.digest != other.digest


def test_planned_episodes_are_counted_by_scenario_in_the_order_of_the_plan() -> None:
    assert plan(cells=every_cell(["s2", "s1"], 3)).planned() == {"s2": 3, "s1": 3}
    assert canonical(list(every_cell(["s"], 2))) == '[["s",1],["s",2]]'


def test_run_ids_sort_by_time_and_never_collide() -> None:
    early = [new_run_id(datetime(2026, 3, 5, 8, 0, 0, 999_000, tzinfo=UTC)) for _ in range(500)]
    late = [new_run_id(datetime(2026, 3, 5, 8, 0, 1, 0, tzinfo=UTC)) for _ in range(500)]
    assert max(early) < min(late)
    assert len({*early, *late}) == 1000
