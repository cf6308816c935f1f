"""What of two runs can be compared, what is left out, and what makes them no pair at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import NamedTuple

from company_lab.evaluation.codes import FailureClass
from company_lab.formats.errors import WrongUse
from company_lab.release.played import PlayedRun
from company_lab.runs.place import store_words
from company_lab.runs.plan import Cell, RunPlan
from company_lab.traces.record import REPLAYED


class LeftOut(NamedTuple):
    """A scenario that is not compared."""

    scenario: str
    why: str
    unscored: bool = False
    """Whether both runs planned it alike, and one has no score for some of its cells."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of two runs, added up by scenario."""

    plan: RunPlan
    walls: Mapping[str, list[float | None]]
    """Wall times of its episodes by scenario, in ms; None for one that was cut off, which would have taken longer."""
    classes: Mapping[str, str | None]
    families: Mapping[str, str]
    held_out: tuple[str, ...]
    gradings: Mapping[str, frozenset[str]]
    """By scenario, what the verdicts of its episodes rest on."""
    continued: frozenset[str]
    """Scenarios with continuations."""
    kinds: set[tuple[str, str | None]] = field(default_factory=set)
    """Evidence and layer of its episodes."""
    passed: Counter[str] = field(default_factory=Counter)
    scored: Counter[str] = field(default_factory=Counter)
    critical: dict[str, dict[FailureClass, set[int]]] = field(default_factory=dict)
    """By scenario and class, the trials with such a failure."""
    stops: dict[str, Counter[str]] = field(default_factory=dict)
    costs: dict[str, list[Decimal | None]] = field(default_factory=dict)

    def critical_episodes(self, scenarios: Iterable[str]) -> dict[str, int]:
        """Episodes with a critical failure, by class."""
        counts: Counter[str] = Counter()
        for id in scenarios:
            for failure_class, trials in self.critical.get(id, {}).items():
                counts[failure_class] += len(trials)
        return dict(sorted(counts.items()))


def sides_of(candidate: PlayedRun, baseline: PlayedRun) -> tuple[Side, Side]:
    """Both runs added up, candidate first. Raises `WrongUse` where they are no pair, or not what their traces say."""
    if candidate.plan.run == baseline.plan.run:
        raise WrongUse(f"run {candidate.plan.run} would be compared with itself: name two runs")
    for run in (candidate, baseline):
        _check(run)
    after, before = _side(candidate), _side(baseline)
    differences = [*_other_worlds(after.plan, before.plan), *_other_kinds(after, before)]
    if differences:
        raise WrongUse(
            f"runs {after.plan.run} and {before.plan.run} can not be compared: {'; '.join(differences)}; "
            "play both under the same conditions"
        )
    return after, before


def _check(run: PlayedRun) -> None:
    id, plan = run.plan.run, run.plan
    if plan.failed_of is not None:
        raise WrongUse(
            f"run {id} has the failed cells of run {plan.failed_of}: it was chosen by its outcome and "
            "is no measure of anything; compare whole runs"
        )
    against = [doubt for doubt in run.doubts if not doubt.unknown]
    if against:
        more = f", and {len(against) - 1} more" if len(against) > 1 else ""
        raise WrongUse(
            f"run {id} holds verdicts that its traces do not give ({against[0]}{more}): it is no measure of "
            "anything; play it again"
        )
    if run.changed_cells:
        scenario, trial = min(run.changed_cells)
        raise WrongUse(
            f"run {id} was judged on other grounds than now, and {len(run.changed_cells)} of its verdicts come out "
            f"differently ({scenario}, trial {trial}): "
            f"company-lab judge {id} --apply{store_words(run.store)} judges it again"
        )
    if any(summary.evidence == REPLAYED for summary in run.summaries):
        raise WrongUse(
            f"run {id} holds replayed model traffic: answers to what another agent had asked are no "
            "evidence about this one; play it anew"
        )


def _side(run: PlayedRun) -> Side:
    walls: dict[str, list[float | None]] = {}
    for summary in run.summaries:
        wall = run.walls.get(Cell(summary.scenario, summary.trial))
        walls.setdefault(summary.scenario, []).append(None if summary.cut_off else wall)
    side = Side(
        plan=run.plan,
        walls=walls,
        classes={id: scenario.failure_class for id, scenario in run.scenarios.items()},
        families=run.families,
        held_out=run.held_out,
        gradings=run.gradings,
        continued=frozenset(run.continued),
    )
    for summary in run.summaries:
        id = summary.scenario
        side.kinds.add((summary.evidence, summary.layer))
        side.scored[id] += summary.outcome in ("passed", "failed")
        side.passed[id] += summary.outcome == "passed"
        side.stops.setdefault(id, Counter())[summary.stop or "unknown"] += 1
        cost = summary.cost_usd
        known = cost is not None and cost.is_finite() and cost >= 0
        side.costs.setdefault(id, []).append(cost if known else None)
        for failure in summary.failures:
            if failure.failure_class is not None:
                of_class = side.critical.setdefault(id, {}).setdefault(failure.failure_class, set())
                of_class.add(summary.trial)
    return side


def _other_worlds(after: RunPlan, before: RunPlan) -> Iterator[str]:
    both = set(after.worlds) & set(before.worlds)
    if (after.worlds or before.worlds) and not both:
        mine, theirs = (", ".join(sorted(plan.worlds)) or "none" for plan in (after, before))
        yield f"they play in other worlds ({mine}, and {theirs})"
    for name in sorted(both):
        if after.worlds[name] != before.worlds[name]:
            yield f"the world {name} is another one (its code or what it declares has changed)"


def _other_kinds(after: Side, before: Side) -> Iterator[str]:
    if not after.kinds or not before.kinds:
        return
    for place, what in ((0, "evidence"), (1, "layer")):
        mine, theirs = (sorted({str(kind[place]) for kind in side.kinds}) for side in (after, before))
        if mine != theirs:
            yield f"the {what} is not the same ({', '.join(mine)}, and {', '.join(theirs)})"
        elif len(mine) > 1:
            yield f"each has several kinds of {what}, which are never pooled ({', '.join(mine)})"


def comparable(
    after: Side, before: Side, k: int
) -> tuple[tuple[str, ...], tuple[LeftOut, ...], tuple[str, ...]]:
    """The scenarios to compare, those left out with the reason, and what else differs between the runs."""
    left_out: list[LeftOut] = []
    shared: list[str] = []
    both = dict.fromkeys([*after.plan.planned(), *before.plan.planned()])
    for id in both:
        out = _why_not(id, after, before, k)
        if out is None:
            shared.append(id)
        else:
            left_out.append(out)
    return tuple(shared), tuple(left_out), tuple(_differs(after.plan, before.plan))


def _why_not(id: str, after: Side, before: Side, k: int) -> LeftOut | None:
    sides = {"candidate": after, "baseline": before}
    for name, other in (("candidate", before), ("baseline", after)):
        if id not in sides[name].plan.planned():
            return LeftOut(id, f"only in the {'baseline' if other is before else 'candidate'}")
    if after.plan.scenarios.get(id) != before.plan.scenarios.get(id) or id not in after.plan.scenarios:
        return LeftOut(id, "it has changed between the runs")
    for name, side in sides.items():
        cells = side.plan.planned()[id]
        if id in side.continued:
            return LeftOut(id, f"the {name} has continuations of it, which start from another state")
        if side.scored[id] < cells:
            missing = f"{cells - side.scored[id]} of {cells} cells of the {name} have no score"
            return LeftOut(id, missing, unscored=True)
        if cells < k:
            return LeftOut(id, f"the {name} has {cells} trials of it, and pass^{k} needs {k}")
    if after.gradings.get(id) != before.gradings.get(id):
        other_grounds = "the runs were judged on different grounds"
        return LeftOut(id, f"{other_grounds}: company-lab judge RUN --apply judges one again")
    return None


def _differs(after: RunPlan, before: RunPlan) -> Iterator[str]:
    pairs = {
        "agent": (after.agent.name, before.agent.name),
        "kind of agent": (after.agent.kind, before.agent.kind),
        "trials": (after.trials, before.trials),
        "seed": (after.seed, before.seed),
        "attempts after an outage": (after.attempts, before.attempts),
        "crowd": (after.crowd, before.crowd),
    }
    for what, (mine, theirs) in pairs.items():
        if mine != theirs:
            yield f"{what}: {theirs} before, {mine} after"
    whole = {
        "settings of the agent": (after.agent.settings, before.agent.settings),
        "prompts": (after.prompts, before.prompts),
        "prices": (after.prices, before.prices),
        "code": (after.code.get("modules"), before.code.get("modules")),
        "version of company-lab": (after.code.get("company_lab"), before.code.get("company_lab")),
    }
    for what, (ours, others) in whole.items():
        if ours != others:
            yield f"{what}: changed"
