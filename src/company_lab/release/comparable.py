"""What of two runs can be compared, what is left out, and what makes them no pair at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import NamedTuple

from company_lab.evaluation.codes import FailureClass
from company_lab.formats.errors import CompanyLabError, WrongUse
from company_lab.runs.documents import kept_scenario
from company_lab.runs.plan import RunPlan
from company_lab.runs.store import Store
from company_lab.traces.record import REPLAYED
from company_lab.worlds.world import World


class LeftOut(NamedTuple):
    """A scenario that is not compared."""

    scenario: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of two runs, added up by scenario."""

    plan: RunPlan
    walls: Mapping[str, list[float | None]]
    """Wall times of its episodes by scenario, in ms."""
    classes: Mapping[str, str | None]
    families: Mapping[str, str]
    held_out: tuple[str, ...]
    kinds: set[tuple[str, str | None]] = field(default_factory=set)
    """Evidence and layer of its episodes."""
    continued: set[str] = field(default_factory=set)
    passed: Counter[str] = field(default_factory=Counter)
    scored: Counter[str] = field(default_factory=Counter)
    gradings: dict[str, set[str]] = field(default_factory=dict)
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


def sides_of(
    store: Store, candidate: str, baseline: str, worlds: Callable[[str], World]
) -> tuple[Side, Side]:
    """Both runs added up, candidate first. Raises `WrongUse` where they are no pair."""
    if candidate == baseline:
        raise WrongUse(f"run {candidate} would be compared with itself: name two runs")
    for run in (candidate, baseline):
        plan = store.plan(run)
        if plan.failed_of is not None:
            raise WrongUse(
                f"run {run} has the failed cells of run {plan.failed_of}: it was chosen by its outcome and "
                "is no measure of anything; compare whole runs"
            )
    after, before = (_side(store, run, worlds) for run in (candidate, baseline))
    for side in (after, before):
        if any(evidence == REPLAYED for evidence, _ in side.kinds):
            raise WrongUse(
                f"run {side.plan.run} holds replayed model traffic: answers to what another agent had asked are no "
                "evidence about this one; play it anew"
            )
    differences = [*_other_worlds(after.plan, before.plan), *_other_kinds(after, before)]
    if differences:
        raise WrongUse(
            f"runs {candidate} and {baseline} can not be compared: {'; '.join(differences)}; "
            "play both under the same conditions"
        )
    return after, before


def _side(store: Store, run: str, worlds: Callable[[str], World]) -> Side:
    plan = store.plan(run)
    classes: dict[str, str | None] = {}
    families: dict[str, str] = {}
    held_out: list[str] = []
    for id in plan.planned():
        try:
            scenario = kept_scenario(store, plan, id, worlds=worlds)
        except CompanyLabError:  # this version, or its world, no longer understands it
            scenario = None
        if scenario is not None:
            classes[id] = scenario.failure_class
            if scenario.split == "held_out":
                held_out.append(id)
            if scenario.family is not None:
                families[id] = scenario.family
    walls: dict[str, list[float | None]] = {}
    for cell, wall in store.wall_times(run).items():
        walls.setdefault(cell.scenario, []).append(wall)
    side = Side(plan=plan, walls=walls, classes=classes, families=families, held_out=tuple(held_out))
    for counted in store.counted(run):
        summary = counted.summary
        id = summary.scenario
        if summary.episode != "fresh":
            side.continued.add(id)
            continue
        side.kinds.add((summary.evidence, summary.layer))
        side.scored[id] += summary.outcome in ("passed", "failed")
        side.passed[id] += summary.outcome == "passed"
        side.gradings.setdefault(id, set()).add(counted.grading)
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
        why = _why_not(id, after, before, k)
        if why is None:
            shared.append(id)
        else:
            left_out.append(LeftOut(id, why))
    return tuple(shared), tuple(left_out), tuple(_differs(after.plan, before.plan))


def _why_not(id: str, after: Side, before: Side, k: int) -> str | None:
    sides = {"candidate": after, "baseline": before}
    for name, other in (("candidate", before), ("baseline", after)):
        if id not in sides[name].plan.planned():
            return f"only in the {'baseline' if other is before else 'candidate'}"
    if after.plan.scenarios.get(id) != before.plan.scenarios.get(id) or id not in after.plan.scenarios:
        return "it has changed between the runs"
    for name, side in sides.items():
        cells = side.plan.planned()[id]
        if id in side.continued:
            return f"the {name} has continuations of it, which start from another state"
        if side.scored[id] < cells:
            return f"{cells - side.scored[id]} of {cells} cells of the {name} have no score"
        if cells < k:
            return f"the {name} has {cells} trials of it, and pass^{k} needs {k}"
    if after.gradings.get(id) != before.gradings.get(id):
        return "the runs were judged on different grounds: company-lab judge RUN --apply judges one again"
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
