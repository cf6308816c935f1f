"""Comparison: two stored runs over the scenarios they share, candidate minus baseline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Literal

from company_lab.evaluation.codes import FailureClass
from company_lab.evaluation.statistics import (
    Figure,
    NonInferiority,
    both_passed,
    holm,
    newcombe,
    non_inferiority,
    paired_difference,
    pass_k_exact,
)
from company_lab.formats.canonical import Json
from company_lab.formats.errors import WrongUse
from company_lab.release.comparable import LeftOut, Side, comparable, sides_of
from company_lab.release.played import PlayedRun, read_played
from company_lab.release.spending_ratio import cost_ratio, latency_ratio, mean_cost
from company_lab.release.use_log import log_use
from company_lab.runs.plan import Cell
from company_lab.runs.store import Store
from company_lab.worlds.registry import resolve_world
from company_lab.worlds.world import World

Reading = Literal["better", "worse", "no difference shown", "undecided"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassDifference:
    """The difference over the scenarios of one failure class."""

    failure_class: str
    difference: Figure
    p: float
    """Sign-flip, as it is."""
    p_adjusted: float
    """The same after Holm over all classes."""
    reading: Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class NewCritical:
    """A class of critical failure that the candidate shows in a scenario where the baseline did not."""

    scenario: str
    failure_class: FailureClass
    trials: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedStops:
    """Stop reasons of a scenario's trials, where their shares are not the same."""

    scenario: str
    before: Mapping[str, int]
    after: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What comes of comparing a candidate with a baseline."""

    candidate: str
    baseline: str
    evidence: tuple[str, ...]
    """What the episodes of both are evidence of."""
    outcome: Reading
    statement: str
    """One sentence: what follows, with the margin it is held against."""
    margin: float | None
    k: int
    difference: Figure
    """Mean pass^k of the candidate minus that of the baseline."""
    before: Fraction
    """Mean pass^k of the baseline over the scenarios compared."""
    after: Fraction
    p: float | None
    """Sign-flip test of no difference; None where scenarios do not vary."""
    held_to_margin: NonInferiority | None
    by_class: tuple[ClassDifference, ...]
    new_critical: tuple[NewCritical, ...]
    critical_before: Mapping[str, int]
    """Episodes with a critical failure, by class."""
    critical_after: Mapping[str, int]
    changed_stops: tuple[ChangedStops, ...]
    cost: Figure
    cost_before: Decimal | None
    """What an episode of the baseline cost in USD: the mean over scenarios, None where one is unknown."""
    cost_after: Decimal | None
    latency: Figure
    compared: tuple[str, ...]
    held_out: tuple[str, ...]
    """The held-out scenarios of the candidate."""
    left_out: tuple[LeftOut, ...]
    differs: tuple[str, ...]
    """What else is not the same about the two runs."""
    not_judged_again: tuple[str, ...]
    """Verdicts that had to be believed, since there is nothing to judge them by."""

    @property
    def complete(self) -> bool:
        """Whether no scenario is left out for want of scores: what an outage took may be what was worst."""
        return not any(one.unscored for one in self.left_out)

    def to_json(self) -> dict[str, Json]:
        """As a JSON object, for other programs."""
        difference: dict[str, Json] = {
            "value": self.difference.value,
            "low": self.difference.low,
            "high": self.difference.high,
            "level": self.difference.level,
            "said": str(self.difference),
        }
        return {
            "format": 1,
            "candidate": self.candidate,
            "baseline": self.baseline,
            "evidence": list(self.evidence),
            "outcome": self.outcome,
            "statement": self.statement,
            "margin": self.margin,
            "k": self.k,
            "difference": difference,
            "p": self.p,
            "by_class": [
                {
                    "class": one.failure_class,
                    "reading": one.reading,
                    "said": str(one.difference),
                    "p": one.p_adjusted,
                }
                for one in self.by_class
            ],
            "new_critical": [
                {"scenario": one.scenario, "class": one.failure_class, "trials": list(one.trials)}
                for one in self.new_critical
            ],
            "critical_before": dict(self.critical_before),
            "critical_after": dict(self.critical_after),
            "changed_stops": [
                {"scenario": one.scenario, "before": dict(one.before), "after": dict(one.after)}
                for one in self.changed_stops
            ],
            "cost": str(self.cost),
            "latency": str(self.latency),
            "compared": list(self.compared),
            "left_out": [{"scenario": one.scenario, "why": one.why} for one in self.left_out],
            "complete": self.complete,
            "differs": list(self.differs),
            "not_judged_again": list(self.not_judged_again),
        }


def compare(
    store: Store,
    candidate: str,
    baseline: str,
    *,
    margin: float | None = None,
    k: int = 1,
    confidence: float = 0.95,
    worlds: Callable[[str], World] = resolve_world,
) -> Comparison:
    """Compare two stored runs, by their whole ids, over the scenarios whose digests agree.

    A scenario counts where every planned cell of both runs was scored. `margin` is how much lower the mean of
    pass^k may be, fixed before the runs. A use of held-out scenarios is written into the store's log. Raises
    `WrongUse`, naming what differs, for runs over different worlds, layers or kinds of evidence, replayed traces, cells
    chosen by their outcome, runs that share nothing, and stored verdicts that are not what their traces give.
    """
    after, before = (read_played(store, run, worlds=worlds) for run in (candidate, baseline))
    found = compared(after, before, margin=margin, k=k, confidence=confidence)
    log_use(store, after.plan, found.held_out, what="compare", outcome=found.outcome)
    return found


def compared(
    candidate: PlayedRun,
    baseline: PlayedRun,
    *,
    margin: float | None = None,
    k: int = 1,
    confidence: float = 0.95,
) -> Comparison:
    """As `compare`, of two runs that were read, without a word in the log."""
    after, before = sides_of(candidate, baseline)
    shared, left_out, differs = comparable(after, before, k)
    runs = candidate.plan.run, baseline.plan.run
    if not shared:
        why = "; ".join(f"{one.scenario}: {one.why}" for one in left_out[:5])
        raise WrongUse(f"runs {runs[0]} and {runs[1]} share no scenario that can be compared ({why})")
    values_after, values_before = _pass_k(after, shared, k), _pass_k(before, shared, k)
    difference, p = _difference(after, before, values_after, values_before, k, confidence)
    held = None if margin is None else non_inferiority(difference, margin=margin)
    outcome = _reading(difference, margin)
    return Comparison(
        candidate=runs[0],
        baseline=runs[1],
        evidence=tuple(sorted({evidence for evidence, _ in (*after.kinds, *before.kinds)})),
        outcome=outcome,
        statement=_statement(outcome, difference, held, k) + _unscored(left_out),
        margin=margin,
        k=k,
        difference=difference,
        before=sum(values_before.values(), Fraction(0)) / len(shared),
        after=sum(values_after.values(), Fraction(0)) / len(shared),
        p=p,
        held_to_margin=held,
        by_class=tuple(_by_class(after, before, values_after, values_before, k, confidence, margin)),
        new_critical=tuple(_new_critical(after, before)),
        critical_before=before.critical_episodes(shared),
        critical_after=after.critical_episodes(shared),
        changed_stops=tuple(_changed_stops(after, before, shared)),
        cost=cost_ratio(after, before, shared, confidence),
        cost_before=mean_cost(before, shared),
        cost_after=mean_cost(after, shared),
        latency=latency_ratio(after, before, shared, confidence),
        compared=shared,
        held_out=after.held_out,
        left_out=left_out,
        differs=differs,
        not_judged_again=tuple(_not_judged_again(candidate, baseline)),
    )


def _not_judged_again(candidate: PlayedRun, baseline: PlayedRun) -> Iterator[str]:
    for name, run in (("candidate", candidate), ("baseline", baseline)):
        doubted = run.doubted()
        count = sum(doubted(Cell(one.scenario, one.trial)) for one in run.summaries)
        if count:
            yield f"{count} of {len(run.summaries)} verdicts of the {name} ({run.doubts[0]})"


def _pass_k(side: Side, scenarios: Iterable[str], k: int) -> dict[str, Fraction]:
    return {
        id: pass_k_exact(successes=side.passed[id], trials=side.plan.planned()[id], k=k) for id in scenarios
    }


def _difference(
    after: Side,
    before: Side,
    values_after: Mapping[str, Fraction],
    values_before: Mapping[str, Fraction],
    k: int,
    confidence: float,
) -> tuple[Figure, float | None]:
    if all(value == 1 for value in (*values_after.values(), *values_before.values())):
        runs = (sum(side.plan.planned()[id] for id in values_after) for side in (after, before))
        return both_passed(runs_a=next(runs), runs_b=next(runs), k=k, confidence=confidence), None
    found = paired_difference(
        values_after,
        values_before,
        families=after.families,
        confidence=confidence,
        name=f"difference of mean pass^{k}",
    )
    if found.difference.low is None and k == 1:
        # A test over scenarios has nothing to say here: its smallest p is 1.
        return _of_these_alone(after, before, tuple(values_after), found.difference, confidence), None
    return found.difference, found.sign_flip.p


def _of_these_alone(
    after: Side, before: Side, scenarios: tuple[str, ...], difference: Figure, confidence: float
) -> Figure:
    """Where scenarios do not vary, or there is one: an interval over runs, which says nothing about other scenarios.

    Pooling takes scenarios to be alike, which only widens it while each weighs the same.
    """
    trials = [[side.plan.planned()[id] for id in scenarios] for side in (after, before)]
    if any(len(set(each)) > 1 for each in trials):
        return difference
    figure = newcombe(
        successes_a=sum(after.passed[id] for id in scenarios),
        trials_a=sum(trials[0]),
        successes_b=sum(before.passed[id] for id in scenarios),
        trials_b=sum(trials[1]),
        confidence=confidence,
    )
    return replace(figure, name=difference.name, reason="of exactly these scenarios, not of others like them")


def _reading(difference: Figure, margin: float | None) -> Reading:
    """better or worse where the interval excludes 0; without a margin nothing more can be told apart."""
    low, high = difference.low, difference.high
    if low is None or high is None:
        return "undecided"
    if low > 0:
        return "better"
    if high < 0:
        return "worse"
    return "undecided" if margin is not None and low <= -margin else "no difference shown"


def _statement(outcome: Reading, difference: Figure, held: NonInferiority | None, k: int) -> str:
    if held is None:
        margin = "no margin was fixed, so nothing is said about whether it may replace the baseline"
    else:
        margin = f"held against a margin of {held.margin:g} it is {held}"
    meaning = {
        "better": f"the mean of pass^{k} is higher",
        "worse": f"the mean of pass^{k} is lower",
        "no difference shown": "no difference is shown, which does not say that there is none",
        "undecided": "the data do not decide" + (f" ({difference.reason})" if difference.reason else ""),
    }
    return f"{meaning[outcome]}; {margin}"


def _unscored(left_out: Iterable[LeftOut]) -> str:
    count = sum(one.unscored for one in left_out)
    return f"; {count} scenario{'' if count == 1 else 's'} left out for want of scores" if count else ""


def _by_class(
    after: Side,
    before: Side,
    values_after: Mapping[str, Fraction],
    values_before: Mapping[str, Fraction],
    k: int,
    confidence: float,
    margin: float | None,
) -> Iterator[ClassDifference]:
    groups: dict[str, list[str]] = {}
    for id in values_after:
        groups.setdefault(after.classes.get(id) or "without a class", []).append(id)
    found = []
    for name, ids in sorted(groups.items()):
        mine, theirs = ({id: values[id] for id in ids} for values in (values_after, values_before))
        difference, p = _difference(after, before, mine, theirs, k, confidence)
        found.append((name, difference, 1.0 if p is None else p))
    adjusted = holm([p for _, _, p in found])
    for (name, difference, p), holm_p in zip(found, adjusted, strict=True):
        yield ClassDifference(
            failure_class=name,
            difference=difference,
            p=p,
            p_adjusted=holm_p,
            reading=_reading(difference, margin),
        )


def _new_critical(after: Side, before: Side) -> Iterator[NewCritical]:
    """In every scenario of the candidate: one that is left out of the averages did its harm all the same."""
    for id in after.plan.planned():
        for failure_class, trials in sorted(after.critical.get(id, {}).items()):
            if failure_class not in before.critical.get(id, {}):
                yield NewCritical(scenario=id, failure_class=failure_class, trials=tuple(sorted(trials)))


def _changed_stops(after: Side, before: Side, shared: Iterable[str]) -> Iterator[ChangedStops]:
    for id in shared:
        mine, theirs = after.stops.get(id, Counter()), before.stops.get(id, Counter())
        if _shares(mine) != _shares(theirs):
            yield ChangedStops(scenario=id, before=dict(theirs), after=dict(mine))


def _shares(counts: Counter[str]) -> dict[str, Fraction]:
    return {name: Fraction(count, counts.total()) for name, count in counts.items()}
