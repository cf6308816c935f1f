"""Reliability: floors of pass^k, scenario by scenario and across, and of pass@k for drafts that somebody checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple

from company_lab.evaluation.scenario_figures import Estimate, ScenarioFigures
from company_lab.evaluation.statistics import Figure, all_passed, mean_over_scenarios, wilson
from company_lab.evaluation.statistics.figure import decimals
from company_lab.release.decision import MOST_NAMED, Outcome, Ruling, counted, worst
from company_lab.release.enough import least_episodes, least_trials
from company_lab.release.policy import PassAtK, PassK
from company_lab.release.rulings.case import Case

MOST_DETAILS = 8


class _Found(NamedTuple):
    outcome: Outcome
    said: str


def reliability(case: Case) -> Iterator[Ruling]:
    """The floors a policy sets. pass@k is never looked at for unattended use."""
    pass_k, pass_at_k = case.policy.pass_k, case.policy.pass_at_k
    scenarios = case.pooled.scenarios
    if pass_k is not None:
        if pass_k.each is not None:
            yield _each("pass_k.each", scenarios, _judge_each(pass_k, pass_k.each, case.policy.trials))
        if pass_k.across is not None:
            yield _across("pass_k.across", scenarios, pass_k, pass_k.across, case.run.families)
        if pass_k.held_out is not None:
            own = set(case.run.held_out)
            held_out = [figure for figure in scenarios if figure.scenario in own]
            yield _across("pass_k.held_out", held_out, pass_k, pass_k.held_out, case.run.families)
    if pass_at_k is not None and case.policy.use == "supervised_draft":
        if pass_at_k.each is not None:
            yield _each("pass_at_k.each", scenarios, _judge_draft(pass_at_k, pass_at_k.each))
        if pass_at_k.across is not None:
            yield _drafts_across(scenarios, pass_at_k, pass_at_k.across)


def _each(
    key: str, scenarios: Iterable[ScenarioFigures], judge: Callable[[ScenarioFigures], _Found]
) -> Ruling:
    found = {figure.scenario: judge(figure) for figure in scenarios}
    outcome = worst(one.outcome for one in found.values())
    short = {name: one for name, one in found.items() if one.outcome != "pass"}
    ordered = sorted(short, key=lambda name: found[name].outcome != "block")
    details = tuple(f"{name}: {found[name].said}" for name in ordered[:MOST_DETAILS])
    if len(short) > MOST_DETAILS:
        details += (f"and {len(short) - MOST_DETAILS} more",)
    blocked = sum(one.outcome == "block" for one in found.values())
    said = f"{len(found) - len(short)} of {counted(len(found), 'scenario')} reach the floor"
    if blocked:
        said += f", {blocked} are below it"
    needed = "more trials of the scenarios named" if outcome == "hold" and found else ""
    return Ruling(key=key, outcome=outcome, said=said, needed=needed, details=details)


def _judge_each(rule: PassK, floor: float, trials: int) -> Callable[[ScenarioFigures], _Found]:
    by_bound = rule.measure == "lower_bound"
    needed = (
        max(trials, least_trials(k=rule.k, floor=floor, confidence=rule.confidence)) if by_bound else rule.k
    )

    def judge(figure: ScenarioFigures) -> _Found:
        estimate = figure.pass_k.get(rule.k)
        if estimate is None:
            return _Found("hold", f"pass^{rule.k} n/a, {figure.planned} trials; needs {max(needed, rule.k)}")
        if not by_bound:
            return _Found(
                _held(estimate, floor), f"pass^{rule.k} {_said(estimate)}, {_counts(figure)}; floor {floor:g}"
            )
        unknown = figure.planned - figure.n
        worst_case = wilson(successes=figure.passed, trials=figure.planned, confidence=rule.confidence)
        best_case = wilson(
            successes=figure.passed + unknown, trials=figure.planned, confidence=rule.confidence
        )
        low, high = worst_case[0] ** rule.k, best_case[1] ** rule.k
        said = (
            f"pass^{rule.k} {_said(estimate)}, at least {decimals(low)}, {_counts(figure)}; floor {floor:g}"
        )
        if low >= floor:
            return _Found("pass", said)
        if high < floor:
            return _Found("block", said)
        if figure.n < needed:
            return _Found("hold", f"{said}; too few trials to tell, {needed} all passed would do")
        return _Found("hold" if best_case[0] ** rule.k >= floor else "block", said)

    return judge


def _judge_draft(rule: PassAtK, floor: float) -> Callable[[ScenarioFigures], _Found]:
    def judge(figure: ScenarioFigures) -> _Found:
        estimate = figure.pass_at_k.get(rule.k)
        if estimate is None:
            return _Found("hold", f"pass@{rule.k} n/a, {figure.planned} trials")
        return _Found(
            _held(estimate, floor), f"pass@{rule.k} {_said(estimate)}, {_counts(figure)}; floor {floor:g}"
        )

    return judge


def _held(estimate: Estimate, floor: float) -> Outcome:
    """An estimate, or the bounds that unknown cells leave, against a floor written in decimals."""
    exact = Fraction(str(floor))
    if estimate.low >= exact:
        return "pass"
    return "block" if estimate.high < exact else "hold"


def _said(estimate: Estimate) -> str:
    if estimate.point is not None:
        return decimals(estimate.point)
    return f"{decimals(estimate.low)} to {decimals(estimate.high)} (cells without a score)"


def _counts(figure: ScenarioFigures) -> str:
    return f"{figure.passed} of {figure.planned} passed"


def _estimates(
    key: str, scenarios: Iterable[ScenarioFigures], k: int, *, drafts: bool = False
) -> dict[str, Estimate] | Ruling:
    """pass^k of every scenario, or why there is no mean of it."""
    known: dict[str, Estimate] = {}
    lacking: list[str] = []
    for figure in scenarios:
        estimate = (figure.pass_at_k if drafts else figure.pass_k).get(k)
        if estimate is None:
            lacking.append(figure.scenario)
        else:
            known[figure.scenario] = estimate
    if known and not lacking:
        return known
    said = (
        f"no mean: fewer than {k} trials of {counted(len(lacking), 'scenario')}"
        if lacking
        else "there are no scenarios"
    )
    return Ruling(
        key=key,
        outcome="hold",
        said=said,
        needed=f"at least {k} trials of every scenario" if lacking else "such scenarios in the run",
        details=tuple(lacking[:MOST_NAMED]),
    )


def _across(
    key: str, scenarios: Iterable[ScenarioFigures], rule: PassK, floor: float, families: Mapping[str, str]
) -> Ruling:
    listed = list(scenarios)
    values = _estimates(key, listed, rule.k)
    if isinstance(values, Ruling):
        return values
    mean = _mean(values)
    name = f"mean pass^{rule.k}"
    if rule.measure == "estimate":
        outcome = _held(mean, floor)
        said = f"{name} {_said(mean)} over {counted(len(values), 'scenario')}; floor {floor:g}"
        return Ruling(
            key=key, outcome=outcome, said=said, needed="" if outcome != "hold" else "every cell scored"
        )
    cells = sum(figure.planned for figure in listed)
    if all(figure.passed == figure.planned for figure in listed):
        figure = all_passed(runs=cells, k=rule.k, confidence=rule.confidence, scenarios=len(listed))
        return _all_passed(key, figure, rule, floor)
    # Every cell without a score counts as failed.
    lowest = {scenario: value.low for scenario, value in values.items()}
    figure = mean_over_scenarios(lowest, families=families, confidence=rule.confidence, name=name)
    said = (
        f"{figure if mean.point is not None else f'{name} {_said(mean)}'}; floor of its lower bound {floor:g}"
    )
    if figure.low is not None and figure.low >= floor:
        return Ruling(key=key, outcome="pass", said=said)
    if mean.high < Fraction(str(floor)):
        return Ruling(
            key=key, outcome="block", said=said, needed="another candidate, or a floor that was meant"
        )
    return Ruling(
        key=key,
        outcome="hold",
        said=said,
        needed="more scenarios, which narrow the interval, and every cell scored",
    )


def _all_passed(key: str, figure: Figure, rule: PassK, floor: float) -> Ruling:
    said = f"{figure}; floor of its lower bound {floor:g}"
    if figure.low is not None and figure.low >= floor:
        return Ruling(key=key, outcome="pass", said=said)
    if floor >= 1:
        return Ruling(key=key, outcome="hold", said=said, needed="a floor below 1: no number of runs shows 1")
    runs = least_episodes(k=rule.k, floor=floor, confidence=rule.confidence)
    return Ruling(
        key=key, outcome="hold", said=said, needed=f"{runs:,} episodes that all pass; there are {figure.n:,}"
    )


def _drafts_across(scenarios: Iterable[ScenarioFigures], rule: PassAtK, floor: float) -> Ruling:
    key = "pass_at_k.across"
    values = _estimates(key, scenarios, rule.k, drafts=True)
    if isinstance(values, Ruling):
        return values
    mean = _mean(values)
    outcome = _held(mean, floor)
    said = f"mean pass@{rule.k} {_said(mean)} over {counted(len(values), 'scenario')}; floor {floor:g}"
    return Ruling(
        key=key, outcome=outcome, said=said, needed="" if outcome != "hold" else "every cell scored"
    )


def _mean(values: Mapping[str, Estimate]) -> Estimate:
    count = len(values)
    low = sum((value.low for value in values.values()), Fraction(0)) / count
    high = sum((value.high for value in values.values()), Fraction(0)) / count
    return Estimate(low, high)
