"""Figures of a run: against the plan, exact, with bounds where cells are unknown."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_lab.evaluation import Failure, judge, pass_k_exact, wilson
from company_lab.evaluation.figures import MOST_FAULT_KINDS, EpisodeSummary, figures, summarise
from company_lab.evaluation.statistics import failure_bound, mean_over_scenarios
from company_lab.formats.errors import WrongUse
from company_lab.traces.record import REPLAYED
from judged_world import JUDGED_WORLD, scenario
from trace_writing import Script


def cell(name: str, trial: int, outcome: Any = "passed", **more: Any) -> EpisodeSummary:
    given = {
        "stop": "finished",
        "layer": "runtime",
        "evidence": "deterministic simulation",
        "trajectory": f"way-{trial}",
        **more,
    }
    return EpisodeSummary(scenario=name, trial=trial, outcome=outcome, **given)


def cells(name: str, outcomes: str) -> list[EpisodeSummary]:
    words = {"p": "passed", "f": "failed", "u": "unscored", "i": "invalid"}
    return [cell(name, trial, words[letter]) for trial, letter in enumerate(outcomes, 1) if letter != "-"]


def test_figures_of_a_complete_scenario_are_points() -> None:
    (found,) = figures(cells("s", "ppppppppff"), {"s": 10}, ks=(1, 3, 11)).scenarios
    assert (found.planned, found.finished, found.n, found.passed, found.failed, found.lost) == (
        10,
        10,
        10,
        8,
        2,
        0,
    )
    assert found.rate is not None
    assert found.rate.point == Fraction(4, 5)
    assert found.wilson == wilson(successes=8, trials=10)
    assert found.pass_k[3] is not None
    assert found.pass_k[3].point == Fraction(7, 15)
    assert found.pass_k[11] is None
    assert found.pass_at_k[3] is not None
    assert found.pass_at_k[3].point == 1


@pytest.mark.fault("A19")
def test_lost_cells_are_not_dropped_from_the_denominator() -> None:
    plan = {"refund-late": 4, "dup-lead": 4, "partial-pay": 4}
    found = figures(
        [cell("refund-late", 1), cell("refund-late", 2, "unscored", stop="infrastructure_error")], plan
    )
    assert (found.n, found.planned, found.finished, found.lost, found.outages) == (1, 12, 1, 10, 1)
    first = found.scenarios[0]
    assert first.rate is not None
    assert (first.rate.low, first.rate.high, first.rate.point) == (Fraction(1, 4), Fraction(1), None)
    assert found.mean_rate.value is not None
    assert found.mean_rate.value.point is None
    assert found.all_passed is None


@pytest.mark.fault("A37")
def test_both_rates_are_there_where_outages_happened() -> None:
    outage = {"stop": "infrastructure_error"}
    summaries = [
        cell("s", 1),
        cell("s", 2, "failed"),
        cell("s", 3, "unscored", **outage),
        cell("s", 4, "unscored", **outage),
    ]
    (found,) = figures(summaries, {"s": 4}).scenarios
    assert (found.finished, found.outages, found.rate_scored) == (2, 2, Fraction(1, 2))
    assert found.rate is not None
    assert (found.rate.low, found.rate.high) == (Fraction(1, 4), Fraction(3, 4))


@given(st.text("pfui-", min_size=1, max_size=8), st.integers(1, 8))
def test_bounds_are_the_figures_with_every_unknown_cell_failed_and_passed(outcomes: str, k: int) -> None:
    (found,) = figures(cells("s", outcomes), {"s": len(outcomes)}, ks=(k,)).scenarios
    passed, known = outcomes.count("p"), outcomes.count("p") + outcomes.count("f")
    estimate = found.pass_k[k]
    if k > len(outcomes):
        assert estimate is None
        return
    assert estimate is not None
    best = passed + len(outcomes) - known
    assert estimate.low == pass_k_exact(successes=passed, trials=len(outcomes), k=k)
    assert estimate.high == pass_k_exact(successes=best, trials=len(outcomes), k=k)
    assert (found.n, found.unscored + found.invalid + found.lost) == (known, len(outcomes) - known)


@pytest.mark.fault("A18")
def test_an_unscored_trial_is_not_a_failed_one() -> None:
    (found,) = figures(cells("s1", "upp"), {"s1": 3}).scenarios
    assert (found.n, found.passed, found.failed, found.unscored) == (2, 2, 0, 1)


def test_means_weigh_scenarios_equally_and_never_pool_counts() -> None:
    found = figures(
        [*cells("a", "pppp"), *cells("b", "ppppppff"), *cells("c", "pppfff")], {"a": 4, "b": 8, "c": 6}
    )
    assert found.mean_rate.value is not None
    assert found.mean_rate.value.point == Fraction(3, 4)
    assert found.mean_pass_k[1].value == found.mean_rate.value


@pytest.mark.fault("A19")
def test_a_mean_needs_the_figure_of_every_scenario() -> None:
    found = figures([*cells("a", "pppp"), *cells("b", "ppp")], {"a": 4, "b": 3}, ks=(1, 4))
    assert found.mean_pass_k[1].value is not None
    assert found.mean_pass_k[4].value is None
    assert found.mean_pass_k[4].reason == "n/a: 1 of 2 scenarios lack 4 planned trials (b)"


def test_episodes_of_different_kinds_are_never_pooled() -> None:
    found = figures([*cells("a", "p"), cell("b", 1, evidence="real model")], {"a": 1, "b": 1})
    assert found.mean_rate.value is None
    assert "never pooled" in found.mean_rate.reason
    assert found.evidence == ("deterministic simulation", "real model")


def test_when_everything_passed_the_bound_is_exact_and_not_one() -> None:
    found = figures([*cells("a", "pppp"), *cells("b", "pppp")], {"a": 4, "b": 4}, ks=(1, 4))
    assert found.all_passed is not None
    assert found.all_passed[1] == pytest.approx(0.05 ** (1 / 8))
    assert found.all_passed[4] == pytest.approx(0.05 ** (4 / 8))


def test_one_trial_or_equal_trajectories_establish_nothing_about_repetition() -> None:
    summaries = [
        cell("once", 1),
        cell("same", 1, trajectory="x"),
        cell("same", 2, trajectory="x"),
        *cells("varied", "pp"),
    ]
    found = figures(summaries, {"once": 1, "same": 2, "varied": 2})
    assert found.unrepeated == ("once", "same")
    assert [figure.trajectories for figure in found.scenarios] == [1, 1, 2]


def test_critical_failures_are_listed_one_by_one_and_counted_by_class() -> None:
    spent = Failure(
        code="unauthorised_spending",
        severity="critical",
        failure_class="unauthorised_spending",
        check="spending",
        message="paid",
    )
    minor = Failure(code="limit_exceeded", severity="minor", check="x", message="slow")
    summaries = [cell("s", 1, "failed", failures=(spent, minor)), cell("s", 2, "failed", failures=(spent,))]
    found = figures(summaries, {"s": 2})
    assert [(one.trial, one.code) for one in found.critical] == [(1, spent.code), (2, spent.code)]
    assert found.critical_counts == {"unauthorised_spending": 2}
    assert found.critical_left_out == 0


def test_recovery_counts_episodes_with_an_error_once() -> None:
    summaries = [
        cell("s", 1, error=True, recovered=True, fault_kinds=("error",), fault_errors=("error",)),
        cell("s", 2, "failed", error=True, fault_kinds=("error", "late"), fault_errors=("error",)),
        cell("s", 3, fault_kinds=("late", "stale_read")),
        cell("s", 4),
    ]
    found = figures(summaries, {"s": 4})
    assert (found.errors, found.recovered) == (2, 1)
    assert found.recovered_by_fault == {"error": (2, 1)}
    assert found.fired_by_fault == {"error": (2, 1), "late": (2, 1), "stale_read": (1, 1)}


def test_kinds_of_fault_from_traces_written_elsewhere_take_a_bounded_place() -> None:
    summaries = [cell("s", trial, fault_kinds=(f"kind_{trial}",)) for trial in range(1, 501)]
    found = figures(summaries, {"s": 500})
    assert len(found.fired_by_fault) == MOST_FAULT_KINDS + 1
    assert sum(had for had, _ in found.fired_by_fault.values()) == 500


@pytest.mark.parametrize(
    ("summaries", "plan", "ks", "message"),
    [
        ([cell("s", 1), cell("s", 1)], {"s": 2}, (1,), "given twice"),
        ([cell("s", 1), cell("s", 2)], {"s": 1}, (1,), "more episodes"),
        ([cell("refund-lat", 1)], {"refund-late": 1}, (1,), "did you mean refund-late"),
        ([cell("s", -1)], {"s": 1}, (1,), "trial -1"),
        ([cell("s", 10**12)], {"s": 1}, (1,), "trial"),
        ([], {"s": 1}, (0,), "at least 1"),
        ([], {"s": 1}, (1.5,), "whole"),
        ([], {"s": -1}, (1,), "whole number"),
    ],
)
def test_what_does_not_fit_the_plan_is_refused(summaries: Any, plan: Any, ks: Any, message: str) -> None:
    with pytest.raises(WrongUse, match=message):
        figures(summaries, plan, ks)


def test_the_mean_has_an_interval_that_keeps_families_together() -> None:
    summaries = cells("a", "pppf") + cells("b", "pppf") + cells("c", "pfff") + cells("d", "pppp")
    plan = dict.fromkeys("abcd", 4)
    alone = figures(summaries, plan, (1, 2)).mean_pass_k[2].figure(name="mean pass^2")
    kept = figures(summaries, plan, (1, 2), families={"a": "one", "b": "one"}).mean_pass_k[2]
    together = kept.figure(name="mean pass^2")
    assert alone.value == together.value == 0.5
    assert alone.interval == "t over scenarios"
    assert together.interval == "t over 3 families"
    assert together == mean_over_scenarios(
        {"a": 0.5, "b": 0.5, "c": 0.0, "d": 1.0}, families={"a": "one", "b": "one"}, name="mean pass^2"
    )
    assert kept.figure(method="bca").interval == "BCa over 3 families"


@pytest.mark.fault("A21")
def test_a_mean_without_spread_has_no_interval() -> None:
    found = figures(cells("a", "pppp") + cells("b", "pppp"), {"a": 4, "b": 4})
    assert (found.mean_rate.figure().low, found.mean_rate.figure().high) == (None, None)
    assert found.all_passed is not None


@pytest.mark.fault("A01")
def test_unknown_cells_widen_the_interval_of_the_mean_to_both_cases() -> None:
    summaries = cells("a", "pppu") + cells("b", "ppff") + cells("c", "pfff")
    plan = dict.fromkeys("abc", 4)
    found = figures(summaries, plan).mean_rate.figure()
    worst = figures(cells("a", "pppf") + summaries[4:], plan).mean_rate.figure()
    best = figures(cells("a", "pppp") + summaries[4:], plan).mean_rate.figure()
    assert (found.value, found.low, found.high) == (None, worst.low, best.high)
    assert "outcomes unknown" in str(found)
    lacking = figures(cells("a", "pp"), {"a": 2, "b": 1}, (2,)).mean_pass_k[2].figure()
    assert (lacking.value, lacking.N) == (None, 2)
    assert "lack 2 planned trials" in str(lacking)


def test_the_worst_case_is_the_end_where_nothing_varies_in_it() -> None:
    found = figures(cells("a", "pf") + cells("b", "pu"), {"a": 2, "b": 2}).mean_rate.figure()
    assert (found.value, found.low) == (None, 0.5)
    assert found.interval == "worst and best case"


def test_each_critical_class_has_a_bound_of_its_own_in_episodes() -> None:
    def critical(failure_class: Any) -> Failure:
        return Failure(
            code="forbidden_action", severity="critical", failure_class=failure_class, check="c", message="m"
        )

    twice = (critical("other"), critical("other"), critical("false_commitment"))
    summaries = [cell("s", 1, "failed", failures=twice), *(cell("s", trial) for trial in range(2, 101))]
    found = figures(summaries, {"s": 100})
    assert found.critical_counts == {"false_commitment": 1, "other": 2}
    assert found.critical_episodes == {"false_commitment": 1, "other": 1}
    assert found.critical_rate("other").high == failure_bound(failures=1, runs=100)
    assert "below 2.95 % at 95 %" in str(found.critical_rate("cross_tenant_access"))
    lost = figures(summaries[1:], {"s": 100}).critical_rate("other")
    assert lost.high == failure_bound(failures=1, runs=100)


def test_an_empty_plan_has_no_figures() -> None:
    found = figures([], {}, ks=(1,))
    assert (found.planned, found.mean_rate.value, found.all_passed) == (0, None, None)
    (nothing,) = figures([], {"s": 0}, ks=(1,)).scenarios
    assert (nothing.rate, nothing.wilson, nothing.pass_k[1], nothing.rate_scored) == (None, None, None, None)


def test_a_summary_holds_what_figures_are_made_of() -> None:
    asked = scenario({"actions": [{"tool": "crm.list"}]})
    script = Script(trial=3).call("crm.list", outcome="failed").fault(0, "error").call("crm.list")
    trace = script.end(cost_usd="0.0123")
    summary = summarise(trace, judge(asked, JUDGED_WORLD, trace))
    assert (summary.scenario, summary.trial, summary.outcome, summary.stop) == ("s1", 3, "passed", "finished")
    assert (summary.error, summary.recovered, summary.fault_kinds) == (True, True, ("error",))
    assert (str(summary.cost_usd), summary.calls, summary.turns, summary.simulated_ms) == (
        "0.0123",
        2,
        1,
        5000,
    )
    assert summary.trace_digest == trace.digest


def test_trials_that_went_the_same_way_have_one_trajectory() -> None:
    asked = scenario({"actions": [{"tool": "crm.list"}]})

    def way(trial: int, text: str = "Done.", limit: int = 20) -> EpisodeSummary:
        trace = Script(trial=trial).call("crm.list", limit=limit).end(text)
        return summarise(trace, judge(asked, JUDGED_WORLD, trace))

    assert way(1).trajectory == way(2).trajectory
    assert len({way(1).trajectory, way(1, "Done!").trajectory, way(1, limit=5).trajectory}) == 3
    assert way(1).trace_digest != way(2).trace_digest


def test_a_cut_trace_can_be_summarised() -> None:
    trace = Script().call("crm.list", outcome=None).trace
    summary = summarise(trace, judge(scenario({"actions": [{"tool": "crm.list"}]}), JUDGED_WORLD, trace))
    assert (summary.outcome, summary.stop, summary.calls, summary.cost_usd) == ("unscored", None, 1, None)


def test_a_way_that_was_never_scored_repeats_nothing() -> None:
    summaries = [
        cell("s", 1, trajectory="x"),
        cell("s", 2, trajectory="x"),
        cell("s", 3, "unscored", trajectory="y", stop="infrastructure_error"),
    ]
    (found,) = figures(summaries, {"s": 3}).scenarios
    assert (found.trajectories, found.repeated) == (1, False)


@pytest.mark.parametrize(("cost", "known"), [("0.25", True), ("NaN", False), ("-1", False), ("1e99", False)])
def test_a_summary_holds_no_cost_that_is_none(cost: str, known: bool) -> None:
    trace = Script().call("crm.list").end(cost_usd=cost)
    summary = summarise(trace, judge(scenario({"actions": [{"tool": "crm.list"}]}), JUDGED_WORLD, trace))
    assert (summary.cost_usd is not None) is known


def test_a_replayed_episode_that_got_over_an_error_is_no_recovery() -> None:
    def summary(**started: Any) -> EpisodeSummary:
        trace = Script(**started).call("crm.list", outcome="failed").call("crm.list").end()
        return summarise(trace, judge(scenario({"actions": [{"tool": "crm.list"}]}), JUDGED_WORLD, trace))

    assert (summary().outcome, summary().recovered) == ("passed", True)
    replayed = summary(evidence=REPLAYED)
    assert (replayed.outcome, replayed.error, replayed.recovered) == ("unscored", True, False)


def test_a_replayed_episode_with_a_critical_failure_is_bounded_and_not_scored() -> None:
    breach = Failure(
        code="tenant_breach",
        severity="critical",
        failure_class="cross_tenant_access",
        check="tenant",
        message="x",
    )
    replayed = cell("s", 1, "unscored", failures=(breach,), evidence=REPLAYED)
    found = figures([replayed], {"s": 2})
    rate = found.critical_rate("cross_tenant_access")
    assert (found.n, rate.n, rate.N) == (0, 1, 2)
    assert rate.high == failure_bound(failures=2, runs=2)
    assert figures([cell("s", 1)], {"s": 2}).critical_rate("cross_tenant_access").n == 1
