from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from company_lab.formats.errors import WrongUse
from company_lab.runs.plan import AgentIdentity, RunPlan, every_cell
from company_lab.runs.resume import differences, refuse_changed

BEFORE = RunPlan(
    run="r1",
    created="2026-03-05T08:00:00+00:00",
    suite="scenarios",
    suite_digest="d",
    agent=AgentIdentity(name="a", kind="real_model", settings={"model": "m-1", "temperature": 0}),
    trials=2,
    seed=7,
    cells=every_cell(["s1"], 2),
    scenarios={"s1": "aaa1", "s2": "ccc3"},
    worlds={"company": "w1"},
    prompts={"system": "p1"},
    prices={"m-1": {"input": "2.00", "output": "8.00"}},
    code={"company_lab": {"version": "0.1.0", "digest": "x"}, "modules": {"agent": "m"}, "commit": None},
)


@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"scenarios": {"s1": "bbb2", "s2": "ccc3"}}, ["scenarios.s1"]),
        (
            {"agent": replace(BEFORE.agent, settings={"model": "m-2", "temperature": 0})},
            ["agent.settings.model"],
        ),
        ({"agent": replace(BEFORE.agent, settings={"model": "m-1"})}, ["agent.settings.temperature"]),
        ({"worlds": {"company": "w2"}}, ["worlds.company"]),
        ({"seed": 8}, ["seed"]),
        ({"prompts": {"system": "p2"}}, ["prompts.system"]),
        ({"prices": {"m-1": {"input": "3.00", "output": "8.00"}}}, ["prices.m-1.input"]),
        ({"redaction": "r2"}, ["redaction"]),
        ({"code": {**BEFORE.code, "commit": {"id": "c2", "uncommitted": None}}}, ["code.commit"]),
        ({"code": {**BEFORE.code, "modules": {"agent": "changed"}}}, ["code.modules.agent"]),
        (
            {"scenarios": {"s1": "bbb2"}, "agent": replace(BEFORE.agent, kind="scripted")},
            ["agent.kind", "scenarios.s1", "scenarios.s2"],
        ),
    ],
)
@pytest.mark.fault("A23")
def test_every_difference_is_named(change: dict[str, Any], names: list[str]) -> None:
    now = replace(BEFORE, **change)
    assert [difference.name for difference in differences(BEFORE, now)] == names
    with pytest.raises(WrongUse) as refused:
        refuse_changed(BEFORE, now)
    assert all(name in str(refused.value) for name in names)


@pytest.mark.parametrize(
    "change",
    [{"run": "r2"}, {"created": "later"}, {"suite": "elsewhere"}, {"cells": ()}, {"note": "only s1"}],
)
def test_what_no_episode_depends_on_is_no_difference(change: dict[str, Any]) -> None:
    assert differences(BEFORE, replace(BEFORE, **change)) == ()
    refuse_changed(BEFORE, replace(BEFORE, **change))
