"""Figures of a run: per scenario first, then across scenarios, every one with its n and N.

The plan is the reference. A planned cell that has no episode, or one that could not be scored, is unknown,
and turns a figure into bounds: the lower counts the unknown cells as failed, the upper as passed. Everything
is exact until it is printed, and memory grows with the scenarios, not with the episodes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from company_lab.evaluation.codes import FailureClass
from company_lab.evaluation.scenario_figures import Estimate, ScenarioCount, ScenarioFigures
from company_lab.evaluation.statistics import all_passed_bound
from company_lab.evaluation.summaries import EpisodeSummary, summarise
from company_lab.formats.errors import WrongUse, nearest

__all__ = [
    "CriticalFailure",
    "EpisodeSummary",
    "Estimate",
    "Figures",
    "Mean",
    "ScenarioFigures",
    "figures",
    "summarise",
]

MOST_CRITICAL = 10_000
"""Critical failures are listed up to here and counted beyond."""


@dataclass(frozen=True, slots=True)
class Mean:
    """A plain mean over scenarios, or the reason why there is none."""

    value: Estimate | None
    scenarios: int
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CriticalFailure:
    """One critical failure, never averaged away."""

    scenario: str
    trial: int
    code: str
    failure_class: FailureClass
    check: str
    message: str
    evidence: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What a run says."""

    scenarios: tuple[ScenarioFigures, ...]
    """In the order of the plan."""
    planned: int
    finished: int
    n: int
    passed: int
    failed: int
    unscored: int
    invalid: int
    outages: int
    lost: int
    mean_rate: Mean
    mean_pass_k: Mapping[int, Mean]
    mean_pass_at_k: Mapping[int, Mean]
    all_passed: Mapping[int, float] | None
    """Where every planned cell passed: 95 % lower bound on mean pass^k, alpha^(k/N). None otherwise."""
    errors: int
    """Episodes with at least one error."""
    recovered: int
    """Of those, how many passed."""
    recovered_by_fault: Mapping[str, tuple[int, int]]
    """By kind of fault: episodes with an error under it, and how many of them passed."""
    stops: Mapping[str, int]
    critical: tuple[CriticalFailure, ...]
    critical_counts: Mapping[str, int]
    """Critical failures by class; classes are never summed."""
    critical_left_out: int
    """Critical failures beyond the first `MOST_CRITICAL`, counted but not listed."""
    evidence: tuple[str, ...]
    """What the episodes are evidence of; more than one kind is never pooled."""

    @property
    def unrepeated(self) -> tuple[str, ...]:
        """Scenarios about whose repeated reliability nothing is established."""
        return tuple(figure.scenario for figure in self.scenarios if not figure.repeated)


def figures(
    summaries: Iterable[EpisodeSummary], planned: Mapping[str, int], ks: Sequence[int] = (1,)
) -> Figures:
    """Add up a run. `planned` gives the number of trials of each scenario, in the order to report.

    Raises `WrongUse` for an episode of an unplanned scenario, a cell given twice, more episodes than planned,
    or a k below 1.
    """
    for k in ks:
        if isinstance(k, bool) or not isinstance(k, int) or k < 1:
            raise WrongUse(f"k is {k!r}; expected whole numbers of at least 1")
    counts = {scenario: ScenarioCount(scenario, cells) for scenario, cells in planned.items()}
    total = _Total()
    for summary in summaries:
        count = counts.get(summary.scenario)
        if count is None:
            close = nearest(summary.scenario, counts)
            raise WrongUse(
                f"an episode of {summary.scenario!r}, which the plan does not have"
                + (f"; did you mean {close}?" if close else "")
            )
        count.add(summary)
        total.add(summary)
    return _figures([count.figures(ks) for count in counts.values()], total, ks)


@dataclass(slots=True)
class _Total:
    errors: int = 0
    recovered: int = 0
    by_fault: dict[str, tuple[int, int]] = field(default_factory=dict)
    stops: Counter[str] = field(default_factory=Counter)
    critical: list[CriticalFailure] = field(default_factory=list)
    classes: Counter[str] = field(default_factory=Counter)

    def add(self, summary: EpisodeSummary) -> None:
        self.stops[summary.stop or "unknown"] += 1
        if summary.error:
            self.errors += 1
            self.recovered += summary.recovered
            for kind in summary.fault_kinds:
                had, passed = self.by_fault.get(kind, (0, 0))
                self.by_fault[kind] = had + 1, passed + summary.recovered
        for failure in summary.failures:
            if failure.failure_class is None:
                continue
            self.classes[failure.failure_class] += 1
            if len(self.critical) < MOST_CRITICAL:
                self.critical.append(
                    CriticalFailure(
                        scenario=summary.scenario,
                        trial=summary.trial,
                        code=failure.code,
                        failure_class=failure.failure_class,
                        check=failure.check,
                        message=failure.message,
                        evidence=failure.evidence,
                    )
                )


def _figures(scenarios: Sequence[ScenarioFigures], total: _Total, ks: Sequence[int]) -> Figures:
    kinds = tuple(sorted({kind for figure in scenarios for kind in figure.evidence}))
    cells = sum(figure.planned for figure in scenarios)
    passed = sum(figure.passed for figure in scenarios)
    everything_passed = cells > 0 and passed == cells
    return Figures(
        scenarios=tuple(scenarios),
        planned=cells,
        finished=sum(figure.finished for figure in scenarios),
        n=sum(figure.n for figure in scenarios),
        passed=passed,
        failed=sum(figure.failed for figure in scenarios),
        unscored=sum(figure.unscored for figure in scenarios),
        invalid=sum(figure.invalid for figure in scenarios),
        outages=sum(figure.outages for figure in scenarios),
        lost=sum(figure.lost for figure in scenarios),
        mean_rate=_mean({figure.scenario: figure.rate for figure in scenarios}, kinds, "planned trials"),
        mean_pass_k={
            k: _mean(
                {figure.scenario: figure.pass_k[k] for figure in scenarios}, kinds, f"{k} planned trials"
            )
            for k in ks
        },
        mean_pass_at_k={
            k: _mean(
                {figure.scenario: figure.pass_at_k[k] for figure in scenarios}, kinds, f"{k} planned trials"
            )
            for k in ks
        },
        all_passed={k: all_passed_bound(trials=cells, k=k) for k in ks} if everything_passed else None,
        errors=total.errors,
        recovered=total.recovered,
        recovered_by_fault=dict(sorted(total.by_fault.items())),
        stops=dict(sorted(total.stops.items())),
        critical=tuple(total.critical),
        critical_counts=dict(sorted(total.classes.items())),
        critical_left_out=total.classes.total() - len(total.critical),
        evidence=kinds,
    )


def _mean(values: Mapping[str, Estimate | None], kinds: Sequence[str], needed: str) -> Mean:
    """Without a scenario that lacks the figure something else would be estimated; there is then no mean."""
    if not values:
        return Mean(None, 0, "n/a: no scenarios")
    lacking = [scenario for scenario, value in values.items() if value is None]
    if lacking:
        named = ", ".join(lacking[:3]) + (", ..." if len(lacking) > 3 else "")
        return Mean(
            None, len(values), f"n/a: {len(lacking)} of {len(values)} scenarios lack {needed} ({named})"
        )
    if len(kinds) > 1:
        return Mean(
            None, len(values), f"n/a: episodes of different kinds are never pooled ({', '.join(kinds)})"
        )
    known = [value for value in values.values() if value is not None]
    count = len(known)
    low = sum((value.low for value in known), Fraction(0)) / count
    high = sum((value.high for value in known), Fraction(0)) / count
    return Mean(Estimate(low, high), count)
