from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal

import pytest

from company_lab.evaluation import Failure
from company_lab.evaluation.figures import EpisodeSummary
from company_lab.reports.console import to_text
from company_lab.reports.sections import sections_of
from company_lab.reports.terminal import render
from company_lab.runs.plan import AgentIdentity, Cell, RunPlan, every_cell


def plan_of(scenarios: Iterable[str], trials: int, cells: tuple[Cell, ...] | None = None) -> RunPlan:
    return RunPlan(
        run="20260305-081500-412-k3x9w7mh",
        created="2026-03-05T08:15:00+00:00",
        suite="scenarios/",
        suite_digest="0" * 64,
        agent=AgentIdentity(name="my_agents:agent", kind="scripted"),
        trials=trials,
        seed=7,
        cells=every_cell(scenarios, trials) if cells is None else cells,
        evidence=("deterministic simulation",),
    )


def summary(
    scenario: str,
    trial: int,
    outcome: str = "passed",
    *,
    stop: str = "finished",
    layer: str | None = "runtime",
    evidence: str = "deterministic simulation",
    error: bool = False,
    failure: Failure | None = None,
) -> EpisodeSummary:
    return EpisodeSummary(
        scenario=scenario,
        trial=trial,
        outcome=outcome,  # type: ignore[arg-type]
        stop=stop,
        layer=layer,
        evidence=evidence,
        error=error,
        recovered=error and outcome == "passed",
        failures=(failure,) if failure else (),
        cost_usd=Decimal(0),
        trajectory=str(trial),
    )


def report(plan: RunPlan, episodes: list[EpisodeSummary], width: int = 120) -> str:
    sections = sections_of(plan, lambda: episodes, why=lambda scenario, trial: f"why of {scenario} {trial}")
    return to_text(render(plan, sections), width=width)


CRITICAL = Failure(
    code="forbidden_action",
    severity="critical",
    failure_class="other",
    check="expected.forbidden[0]",
    message="invoices.mark_paid was attempted",
    evidence=(7, 9),
)
MINOR = Failure(code="limit_exceeded", severity="minor", check="expected.limits.turns", message="5 turns")


def test_the_first_line_is_what_it_is_evidence_of_with_n_of_planned() -> None:
    text = report(plan_of(["a"], 2), [summary("a", 1), summary("a", 2)])
    assert text.splitlines()[0] == (
        "Deterministic simulation; no model inference: 2 of 2 planned episodes scored, runtime layer"
    )


def test_figures_of_a_scenario_stand_in_its_row() -> None:
    episodes = [summary("a", 1), summary("a", 2), summary("a", 3, "failed", failure=MINOR), summary("a", 4)]
    text = report(plan_of(["a"], 4), episodes)
    (head,) = (line for line in text.splitlines() if line.startswith("scenario"))
    (row,) = (line for line in text.splitlines() if line.startswith("a "))
    assert head.split() == [
        "scenario",
        "n/N",
        "c",
        "rate",
        "Wilson",
        "95",
        "%",
        "pass^2",
        "pass^3",
        "pass^4",
        "pass@2",
        "pass@3",
        "pass@4",
    ]
    assert row.split() == [
        "a",
        "4/4",
        "3",
        "0.750",
        "0.301",
        "to",
        "0.954",
        "0.500",
        "0.250",
        "0.000",
        "1.000",
        "1.000",
        "1.000",
    ]
    assert "pass^1 0.750  pass@1 0.750" in text


def test_critical_failures_come_with_their_evidence_before_any_figure() -> None:
    otherwise = replace(CRITICAL, evidence=(4,))
    failed = [
        ("a", 1, CRITICAL),
        ("a", 2, CRITICAL),
        ("a", 3, otherwise),
        ("a", 4, CRITICAL),
        ("b", 1, CRITICAL),
    ]
    episodes = [summary(scenario, trial, "failed", failure=one) for scenario, trial, one in failed]
    text = report(plan_of(["a", "b"], 4), episodes)
    assert text.index("CRITICAL FAILURES by class: other 5") < text.index("across 2 scenarios")
    assert text.count("forbidden_action (class other): invoices.mark_paid was attempted") == 3
    for trials, records, shown in (
        ("a, trials 1, 2, 4", "7, 9", "a 1"),
        ("a, trial 3", "4", "a 3"),
        ("b, trial 1", "7, 9", "b 1"),
    ):
        told = text[text.index(f"  {trials}\n") :]
        assert told.index(f"evidence: expected.forbidden[0], record {records}\n") < told.index(
            "company-lab show"
        )
        assert told[told.index("company-lab show") :].startswith(f"company-lab show k3x9w7mh {shown}\n")
    assert "a, trials 1 to 4: forbidden_action" in text


def test_a_failure_that_is_not_critical_is_no_critical_failure() -> None:
    text = report(plan_of(["a"], 1), [summary("a", 1, "failed", failure=MINOR)])
    assert "critical failures: none in 1 scored episodes" in text
    assert "a, trial 1: limit_exceeded" in text


def test_cells_without_a_score_are_listed_with_why_and_leave_bounds() -> None:
    episodes = [summary("a", 1), summary("a", 2, "unscored"), summary("a", 3, "invalid")]
    text = report(plan_of(["a"], 4), episodes)
    assert "a, trial 2: unscored, why of a 2" in text
    assert "a, trial 3: invalid, why of a 3" in text
    assert "a, trial 4: lost, no episode is stored" in text
    assert "0.250..1.000" in text
    assert "1 of 4 planned episodes scored" in text


def test_one_trial_or_identical_trials_establish_no_repeated_reliability() -> None:
    said = "no repeated reliability established for any scenario"
    assert said in report(plan_of(["a"], 1), [summary("a", 1)])
    assert said not in report(plan_of(["a"], 2), [summary("a", 1), summary("a", 2)])


def test_layers_and_kinds_of_evidence_are_separate_sections() -> None:
    episodes = [
        summary("a", 1),
        summary("b", 1, "failed", layer="contract", failure=MINOR),
        summary("c", 1, evidence="real model", layer="reasoning"),
    ]
    text = report(plan_of(["a", "b", "c"], 1), episodes)
    assert text.splitlines()[0].startswith(
        "3 sections, never pooled: deterministic simulation, runtime layer; "
    )
    assert text.count("across 1 scenario: plain mean, n 1 of N 1") == 3
    assert "Real model in a simulated company: 1 of 1 planned" in text


def test_a_scenario_with_episodes_of_two_kinds_is_split() -> None:
    episodes = [summary("a", 1), summary("a", 2, evidence="real model", layer="reasoning")]
    text = report(plan_of(["a"], 2), episodes)
    assert text.count("1/1") == 2


def test_one_failure_in_thousands_never_reads_as_none() -> None:
    found = [summary("paid", trial, "failed" if trial == 9 else "passed") for trial in range(1, 5001)]
    text = report(plan_of(["paid"], 5000), found)
    (row,) = (line for line in text.splitlines() if line.startswith("paid "))
    assert row.split()[:6] == ["paid", "5000/5000", "4999", ">0.999", "0.999", "to"]
    assert row.split()[6] == ">0.999"
    assert "pass^1 >0.999  pass@1 >0.999" in text


def test_recovery_and_stop_reasons_are_counted() -> None:
    episodes = [
        summary("a", 1, error=True),
        summary("a", 2, "failed", stop="turn_limit", error=True, failure=MINOR),
    ]
    text = report(plan_of(["a"], 2), episodes)
    assert "error episodes: 2, recovered (passed all the same): 1" in text
    assert text.count("stop reasons: finished 1, turn_limit 1") == 2


def test_a_run_without_any_episode_gives_no_figure_but_bounds() -> None:
    text = report(plan_of(["a"], 2), [])
    assert "0 of 2 planned episodes scored" in text
    assert "0.000..1.000" in text
    assert "WITHOUT A SCORE: 2 of 2" in text


def test_every_report_says_what_it_does_not_say() -> None:
    for evidence in (
        "deterministic simulation",
        "test model",
        "real model",
        "undeclared agent",
        "recorded elsewhere",
    ):
        assert "Not said: " in report(plan_of(["a"], 1), [summary("a", 1, evidence=evidence)])


def test_verdicts_given_elsewhere_say_nothing_about_critical_failures() -> None:
    text = report(plan_of(["a"], 1), [summary("a", 1, evidence="recorded elsewhere", layer=None)])
    assert "critical failures: none recorded; the verdicts were given elsewhere" in text


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_line_is_wider_than_the_terminal_and_no_figure_is_lost(width: int) -> None:
    name = "duplicate_refund_after_lost_acknowledgement_of_the_provider"
    episodes = [
        summary(name, trial, "failed" if trial == 3 else "passed", failure=CRITICAL if trial == 3 else None)
        for trial in range(1, 6)
    ]
    text = report(plan_of([name], 5), episodes, width)
    assert max(map(len, text.splitlines())) <= width
    for figure in ("5/5", "0.800", "0.376 to 0.964", "0.600", "0.400", "0.200"):
        assert figure in text


@pytest.mark.fault("E21")
def test_hostile_names_and_messages_are_spelled_out() -> None:
    hostile = "FAIL\x1b[2K\x1b[1G PASS\u202e[green]\n"
    failure = Failure(
        code="false_commitment",
        severity="critical",
        failure_class="false_commitment",
        check=hostile,
        message=hostile,
    )
    text = report(plan_of([hostile], 2), [summary(hostile, 1, "failed", stop=hostile, failure=failure)])
    assert all(ord(character) >= 0x20 and character != "\u202e" for character in text.replace("\n", ""))
    assert "FAIL\\x1b[2K" in text
    assert "[green]" in text
