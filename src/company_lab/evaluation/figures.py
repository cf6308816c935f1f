"""Figures of a run: per scenario first, then across scenarios, every one with its n and N.

The plan is the reference. A planned cell that has no episode, or one that could not be scored, is unknown,
and turns a figure into bounds: the lower counts the unknown cells as failed, the upper as passed. Everything
is exact until it is printed, and memory grows with the scenarios, not with the episodes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal

from company_lab.evaluation.codes import FailureClass
from company_lab.evaluation.scenario_figures import Estimate, ScenarioCount, ScenarioFigures
from company_lab.evaluation.statistics.across import mean_over_scenarios
from company_lab.evaluation.statistics.bounds import failure_rate
from company_lab.evaluation.statistics.figure import Figure
from company_lab.evaluation.statistics.repetition import all_passed_bound
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

MOST_FAULT_KINDS = 100
"""Kinds of fault are told apart up to here."""


@dataclass(frozen=True, slots=True)
class Mean:
    """A plain mean over scenarios, or the reason why there is none."""

    value: Estimate | None
    scenarios: int
    reason: str = ""
    values: Mapping[str, Estimate] = field(default_factory=dict)
    """What the mean is of, by scenario; empty where there is none."""
    families: Mapping[str, str] = field(default_factory=dict)
    """The family of those scenarios that have one."""

    def figure(
        self,
        *,
        name: str = "mean over scenarios",
        confidence: float = 0.95,
        method: Literal["t", "bca"] = "t",
        seed: int = 0,
    ) -> Figure:
        """The mean with an interval for scenarios like these, families kept together.

        Between bounds there is no value, and the interval runs from the lower end of the worst case to the upper
        end of the best. Where nothing varies there is no interval; `Figures.all_passed` is the bound then.
        """
        if self.value is None:
            return Figure(
                name=name,
                estimator="plain mean over scenarios",
                value=None,
                n=0,
                N=self.scenarios,
                of="scenarios",
                reason=self.reason,
            )
        worst, best = (
            mean_over_scenarios(
                {scenario: getattr(value, side) for scenario, value in self.values.items()},
                families=self.families,
                confidence=confidence,
                method=method,
                name=name,
                seed=seed,
            )
            for side in ("low", "high")
        )
        if self.value.point is not None:
            return worst
        low = worst.value if worst.low is None else worst.low
        high = best.value if best.high is None else best.high
        one_sided = worst.low is None or best.high is None
        return replace(
            worst,
            value=None,
            low=low,
            high=high,
            interval="worst and best case" if one_sided else f"{worst.interval}, worst and best case",
            reason="outcomes unknown",
        )


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
    """By kind of fault: episodes in which a call failed under it, once each, and how many of them passed. That is no
    claim that whatever the agent did about it helped."""
    fired_by_fault: Mapping[str, tuple[int, int]]
    """By kind of fault: episodes in which it occurred, with an error or without, and how many of them passed."""
    stops: Mapping[str, int]
    critical: tuple[CriticalFailure, ...]
    critical_counts: Mapping[str, int]
    """Critical failures by class; classes are never summed."""
    critical_episodes: Mapping[str, int]
    """Episodes with a critical failure, by its class."""
    critical_unscored: Mapping[str, int]
    """Of those, the ones without a score: replayed answers, say."""
    critical_left_out: int
    """Critical failures beyond the first `MOST_CRITICAL`, counted but not listed."""
    evidence: tuple[str, ...]
    """What the episodes are evidence of; more than one kind is never pooled."""

    @property
    def unrepeated(self) -> tuple[str, ...]:
        """Scenarios about whose repeated reliability nothing is established."""
        return tuple(figure.scenario for figure in self.scenarios if not figure.repeated)

    def critical_rate(self, failure_class: FailureClass, *, confidence: float = 0.95) -> Figure:
        """What the rate of episodes with a critical failure of this class is below: an exact one-sided bound.

        Of the average over these scenarios, by their share of the episodes. Planned cells without a score count as
        failures, and those seen to fail so are among the runs. Takes episodes to be independent. Raises `BadCounts`
        where no cell is planned.
        """
        return failure_rate(
            failures=self.critical_episodes.get(failure_class, 0),
            runs=self.n + self.critical_unscored.get(failure_class, 0),
            planned=self.planned,
            confidence=confidence,
            name=failure_class,
        )


def figures(
    summaries: Iterable[EpisodeSummary],
    planned: Mapping[str, int],
    ks: Sequence[int] = (1,),
    *,
    families: Mapping[str, str] | None = None,
) -> Figures:
    """Add up a run. `planned` gives the number of trials of each scenario, in the order to report.

    `families` names the family of the scenarios that have one; intervals over scenarios keep them together.

    Raises `WrongUse` for an episode of an unplanned scenario, a cell given twice, more episodes than planned,
    a continuation among fresh episodes, or a k below 1.
    """
    for k in ks:
        if isinstance(k, bool) or not isinstance(k, int) or k < 1:
            raise WrongUse(f"k is {k!r}; expected whole numbers of at least 1")
    begun: str | None = None
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
        if begun not in (None, summary.episode):
            raise WrongUse(
                f"trial {summary.trial} of {summary.scenario!r} is a {summary.episode} episode among {begun} ones; "
                "continuations start from what another episode left, so they are added up by themselves"
            )
        begun = summary.episode
        count.add(summary)
        total.add(summary)
    return _figures([count.figures(ks) for count in counts.values()], total, ks, families or {})


@dataclass(slots=True)
class _Total:
    errors: int = 0
    recovered: int = 0
    failed_under: dict[str, tuple[int, int]] = field(default_factory=dict)
    fired: dict[str, tuple[int, int]] = field(default_factory=dict)
    stops: Counter[str] = field(default_factory=Counter)
    critical: list[CriticalFailure] = field(default_factory=list)
    classes: Counter[str] = field(default_factory=Counter)
    critical_episodes: Counter[str] = field(default_factory=Counter)
    critical_unscored: Counter[str] = field(default_factory=Counter)

    def add(self, summary: EpisodeSummary) -> None:
        self.stops[summary.stop or "unknown"] += 1
        if summary.error:
            self.errors += 1
            self.recovered += summary.recovered
        passed = summary.outcome == "passed"
        _count(self.failed_under, summary.fault_errors, passed)
        _count(self.fired, summary.fault_kinds, passed)
        if summary.failures:
            classes = {item.failure_class for item in summary.failures if item.failure_class}
            self.critical_episodes.update(classes)
            if summary.outcome not in ("passed", "failed"):
                self.critical_unscored.update(classes)
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


def _count(by_kind: dict[str, tuple[int, int]], kinds: Iterable[str], passed: bool) -> None:
    for name in kinds:
        # Kinds come from traces, of which some were written elsewhere: how many there are is bounded all the same.
        kind = name if name in by_kind or len(by_kind) < MOST_FAULT_KINDS else "others"
        had, well = by_kind.get(kind, (0, 0))
        by_kind[kind] = had + 1, well + passed


def _figures(
    scenarios: Sequence[ScenarioFigures], total: _Total, ks: Sequence[int], families: Mapping[str, str]
) -> Figures:
    kinds = tuple(sorted({kind for figure in scenarios for kind in figure.evidence}))
    cells = sum(figure.planned for figure in scenarios)
    passed = sum(figure.passed for figure in scenarios)
    everything_passed = cells > 0 and passed == cells

    def mean(estimates: Iterable[Estimate | None], needed: str) -> Mean:
        named = zip((figure.scenario for figure in scenarios), estimates, strict=True)
        return _mean(dict(named), kinds, needed, families)

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
        mean_rate=mean((figure.rate for figure in scenarios), "planned trials"),
        mean_pass_k={k: mean((figure.pass_k[k] for figure in scenarios), f"{k} planned trials") for k in ks},
        mean_pass_at_k={
            k: mean((figure.pass_at_k[k] for figure in scenarios), f"{k} planned trials") for k in ks
        },
        all_passed={k: all_passed_bound(trials=cells, k=k) for k in ks} if everything_passed else None,
        errors=total.errors,
        recovered=total.recovered,
        recovered_by_fault=dict(sorted(total.failed_under.items())),
        fired_by_fault=dict(sorted(total.fired.items())),
        stops=dict(sorted(total.stops.items())),
        critical=tuple(total.critical),
        critical_counts=dict(sorted(total.classes.items())),
        critical_episodes=dict(sorted(total.critical_episodes.items())),
        critical_unscored=dict(sorted(total.critical_unscored.items())),
        critical_left_out=total.classes.total() - len(total.critical),
        evidence=kinds,
    )


def _mean(
    values: Mapping[str, Estimate | None], kinds: Sequence[str], needed: str, families: Mapping[str, str]
) -> Mean:
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
    known = {scenario: value for scenario, value in values.items() if value is not None}
    count = len(known)
    low = sum((value.low for value in known.values()), Fraction(0)) / count
    high = sum((value.high for value in known.values()), Fraction(0)) / count
    own = {scenario: families[scenario] for scenario in known if scenario in families}
    return Mean(Estimate(low, high), count, values=known, families=own)
