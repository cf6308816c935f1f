"""Against the baseline: not worse than the margin allows, nor much dearer or slower."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from company_lab.evaluation.statistics import Figure
from company_lab.release.comparison import Comparison
from company_lab.release.decision import Outcome, Ruling, counted, named
from company_lab.release.policy import BaselineRule
from company_lab.release.rulings.case import Case

MOST_DETAILS = 8
_OUTCOMES: dict[str, Outcome] = {"not_worse": "pass", "worse": "block", "undecided": "hold"}


def against(case: Case) -> Iterator[Ruling]:
    """Rulings on the comparison that the policy asks for."""
    rule, comparison = case.policy.baseline, case.comparison
    if rule is None:
        return
    if comparison is None:
        yield Ruling(
            key="baseline",
            outcome="hold",
            said="no baseline was named",
            needed="--baseline RUN, a run of what is deployed now",
        )
        return
    if isinstance(comparison, str):
        yield Ruling(
            key="baseline", outcome="hold", said=comparison, needed="a baseline that can be compared"
        )
        return
    yield _margin(rule, comparison)
    if rule.cost_ratio is not None:
        yield _ratio("baseline.cost_ratio", comparison.cost, rule.cost_ratio)
    if rule.latency_ratio is not None:
        yield _ratio("baseline.latency_ratio", comparison.latency, rule.latency_ratio)


def _margin(rule: BaselineRule, comparison: Comparison) -> Ruling:
    held = comparison.held_to_margin
    outcome = "hold" if held is None else _OUTCOMES[held.outcome]
    count = len(comparison.compared)
    if count < rule.scenarios and outcome == "pass":
        outcome = "hold"
    left_out = _some(f"left out, {one.scenario}: {one.why}" for one in comparison.left_out)
    new = _some(
        f"new critical failure, {one.scenario}: {one.failure_class} in trials {named(map(str, one.trials))}"
        for one in comparison.new_critical
    )
    return Ruling(
        key="baseline.margin",
        outcome=outcome,
        said=f"{comparison.outcome}: {comparison.difference}; may be lower by {rule.margin:g}; "
        f"{counted(count, 'scenario')} compared, asked for: {rule.scenarios}",
        needed="more scenarios or trials in both runs: company-lab plan says how many"
        if outcome == "hold"
        else "",
        details=new + left_out,
    )


def _some(details: Iterable[str]) -> tuple[str, ...]:
    found = tuple(details)
    more = len(found) - MOST_DETAILS
    return (*found[:MOST_DETAILS], f"and {more} more like that") if more > 0 else found


def _ratio(key: str, figure: Figure, bound: float) -> Ruling:
    said = f"{figure}; at most {bound:g} times"
    if figure.high is not None and figure.high <= bound:
        return Ruling(key=key, outcome="pass", said=said)
    if figure.low is not None and figure.low > bound:
        return Ruling(key=key, outcome="block", said=said, needed="a candidate that takes less")
    return Ruling(
        key=key, outcome="hold", said=said, needed="known values of both runs, in more scenarios or trials"
    )
