"""Planning: how much a claim takes, before anything is run."""

from __future__ import annotations

from decimal import Decimal

import pytest

from company_lab.formats.errors import WrongUse
from company_lab.release.planning import past_run, plan_release
from company_lab.reports.console import to_text
from company_lab.reports.plan_page import plan_page
from company_lab.runs import Store
from gate_runs import played, policy


@pytest.mark.parametrize(
    ("below", "allowed", "scenarios", "trials"),
    [(0.01, 0, 1, 299), (0.01, 0, 20, 15), (0.01, 1, 1, 473), (0.05, 2, 10, 13)],
)
def test_a_bound_takes_so_many_trials(below: float, allowed: int, scenarios: int, trials: int) -> None:
    found = plan_release(scenarios=scenarios, below=below, allowed=allowed)
    assert (found.trials, found.episodes) == (trials, trials * scenarios)


def test_the_operating_curve_says_what_passes_and_what_is_blocked_in_error() -> None:
    curve = dict(plan_release(scenarios=1, trials=299).curve)
    assert round(curve[0.001], 2) == 0.74
    assert round(curve[0.01], 3) == 0.05
    assert round(dict(plan_release(scenarios=1, trials=473, allowed=1).curve)[0.001], 2) == 0.92


def test_a_policy_is_read_for_its_claims() -> None:
    rules = policy(
        trials=5,
        pass_k="{k: 3, each: 0.5, across: 0.9}",
        critical="{every: {below: 0.01}, other: {allowed: 1, below: 0.05}}",
        latency="{p95: 20s}",
    )
    found = plan_release(scenarios=10, policy=rules)
    needs = {need.claim.partition(" at ")[0]: (need.episodes, need.trials) for need in found.needs}
    assert needs["cross_tenant_access below 1.00 %"] == (299, 30)
    assert needs["other below 5.00 %"] == (93, 10)
    assert needs["pass^3 of every scenario"] == (None, 15)
    assert needs["mean pass^3"] == (86, 9)
    assert needs["an upper bound of the p95 latency"] == (72, 8)
    assert found.trials == 30
    few = plan_release(scenarios=10, policy=rules, trials=10)
    assert any(note.startswith("10 trials are too few for: cross_tenant_access") for note in few.notes)


def test_cost_time_and_variance_come_from_an_earlier_run() -> None:
    with Store.temporary() as store:
        past = past_run(store, played(store, {"a": "pfpp", "b": "ppff"}, cost="0.02", wall_ms=500.0))
    found = plan_release(scenarios=10, trials=30, difference=0.1, past=past)
    assert found.cost_usd == Decimal("6.00")
    assert found.wall_s == pytest.approx(150)
    assert past.within is not None
    assert past.between is not None
    page = to_text(plan_page(found), width=160)
    assert page.startswith("A calculation: nothing was run")
    assert "6.00 USD" in page
    assert f"by what run {past.run} varied" in page


def test_a_cost_that_one_episode_did_not_report_is_unknown() -> None:
    with Store.temporary() as store:
        past = past_run(store, played(store, {"a": "pu"}, wall_ms=None))
    found = plan_release(scenarios=1, trials=2, past=past)
    assert found.cost_usd is None
    assert found.wall_s is None
    page = to_text(plan_page(found), width=160)
    assert "\n\n\n" not in page  # nothing is claimed, and no gap stands for it


def test_the_margin_of_a_policy_is_what_a_comparison_is_to_find() -> None:
    found = plan_release(scenarios=10, policy=policy(baseline="{margin: 0.03}"), trials=100_000)
    assert "endless trials would still take 969 scenarios" in found.compared


def test_a_plan_of_nothing_is_refused() -> None:
    with pytest.raises(WrongUse, match="at least one scenario"):
        plan_release(scenarios=0, below=0.1)
    with pytest.raises(WrongUse, match="nothing was claimed"):
        plan_release(scenarios=1)
