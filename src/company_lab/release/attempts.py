"""Attempts: every other run of the same candidate in a store. Playing again until it passes changes nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from company_lab.evaluation.figures import EpisodeSummary, Figures, figures
from company_lab.release.candidate import candidate_digest, nameless_digest
from company_lab.release.decision import CriticalEpisode
from company_lab.release.played import PlayedRun, read_played
from company_lab.runs.plan import Cell, RunPlan
from company_lab.runs.store import Store
from company_lab.worlds.world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """Another run of the same candidate."""

    run: str
    created: str
    counted: tuple[EpisodeSummary, ...]
    """Its scored episodes of scenarios and worlds that are the same, and that are no copies."""
    left_out: str = ""
    """What of it does not count, and why."""
    doubtful: int = 0
    """Episodes that passed or can not be read, of which nobody knows what they did: their traces do not say so."""

    def __str__(self) -> str:
        outcomes = Counter(summary.outcome for summary in self.counted)
        said = (
            ", ".join(f"{count} {name}" for name, count in sorted(outcomes.items())) or "nothing of it counts"
        )
        return f"{self.run} of {self.created}: {said}" + (f"; {self.left_out}" if self.left_out else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempts:
    """All other attempts of one candidate, oldest first, and runs of others under the same name."""

    others: tuple[Attempt, ...]
    namesakes: int
    """Runs under the same name with other settings, prompts or code."""
    renamed: int
    """Runs of the same code, settings and prompts under another name: another function of it, or a new name."""

    def pooled(self, run: PlayedRun, ks: tuple[int, ...]) -> Figures:
        """The figures of the run with what counts of every other attempt."""
        planned = run.plan.planned()
        extra = Counter(summary.scenario for one in self.others for summary in one.counted)
        cells = {scenario: count + extra[scenario] for scenario, count in planned.items()}
        return figures(self._together(run), cells, ks, families=run.families)

    def _together(self, run: PlayedRun) -> Iterator[EpisodeSummary]:
        yield from run.summaries
        beyond = max((trial for _, trial in run.plan.cells), default=0)
        for attempt in self.others:
            for summary in attempt.counted:
                yield replace(summary, trial=beyond + summary.trial)
            beyond += max((summary.trial for summary in attempt.counted), default=0)

    def critical(self, run: PlayedRun) -> Iterator[CriticalEpisode]:
        """Every critical failure of the run, then of the other attempts."""
        yield from _critical(run.plan.run, run.summaries)
        for attempt in self.others:
            yield from _critical(attempt.run, attempt.counted)


def _critical(run: str, summaries: Iterable[EpisodeSummary]) -> Iterator[CriticalEpisode]:
    for summary in summaries:
        for failure in summary.failures:
            if failure.failure_class is not None:
                yield CriticalEpisode(
                    run=run,
                    scenario=summary.scenario,
                    trial=summary.trial,
                    code=failure.code,
                    failure_class=failure.failure_class,
                    check=failure.check,
                    message=failure.message,
                    evidence=failure.evidence,
                )


def attempts_of(store: Store, run: PlayedRun, *, worlds: Callable[[str], World]) -> Attempts:
    """Every other run of the same candidate over a scenario of this run, before or after it.

    They are read as carefully as the run itself: what passed counts only where its trace still says so.
    """
    plan = run.plan
    who = candidate_digest(plan)
    seen = {(summary.scenario, summary.trace_digest) for summary in run.summaries}
    kinds = {summary.evidence for summary in run.summaries}
    others: list[Attempt] = []
    namesakes = renamed = 0
    for entry in store.runs():
        if entry.run == plan.run:
            continue
        other = store.plan(entry.run)
        if not plan.scenarios.keys() & other.scenarios.keys():
            continue
        if candidate_digest(other) == who:
            others.append(_attempt(store, run, other, seen, kinds, worlds))
        elif entry.agent == plan.agent.name:
            namesakes += 1
        else:
            renamed += nameless_digest(other) == nameless_digest(plan)
    return Attempts(others=tuple(others), namesakes=namesakes, renamed=renamed)


def _attempt(
    store: Store,
    run: PlayedRun,
    plan: RunPlan,
    seen: set[tuple[str, str]],
    kinds: set[str],
    worlds: Callable[[str], World],
) -> Attempt:
    other = read_played(store, plan.run, worlds=worlds)
    doubted = other.doubted()
    counted: list[EpisodeSummary] = []
    reasons: Counter[str] = Counter()
    for summary in other.summaries:
        id, key = summary.scenario, (summary.scenario, summary.trace_digest)
        passed = summary.outcome == "passed"
        harm = any(failure.failure_class for failure in summary.failures)
        if plan.scenarios.get(id) != run.plan.scenarios.get(id):
            reasons[
                "of scenarios that are not the same" if id in run.plan.scenarios else "of other scenarios"
            ] += 1
        elif not _same_world(run, plan.worlds, id):
            reasons["in another world"] += 1
        elif summary.evidence not in kinds:
            reasons[f"evidence of another kind, {summary.evidence}"] += 1
        elif key in seen:
            reasons["the same episodes, byte for byte"] += 1
        elif summary.outcome not in ("passed", "failed"):
            reasons[summary.outcome] += 1
        elif plan.failed_of is not None and not harm:
            reasons[f"failed cells of run {plan.failed_of} again, chosen by their outcome"] += 1
        elif passed and Cell(id, summary.trial) in other.stale_cells:
            reasons[f"passed on other grounds than now (company-lab judge {plan.run} --apply)"] += 1
        elif passed and doubted(Cell(id, summary.trial)):
            reasons["passed by a verdict that does not follow from its trace"] += 1
        else:
            seen.add(key)
            counted.append(summary)
    if other.continued:
        reasons["continuations"] += sum(other.continued.values())
    lost = len(plan.cells) - len(counted) - reasons.total()
    if lost > 0:
        reasons["lost"] = lost
    left_out = ", ".join(f"{count} {why}" for why, count in reasons.items())
    return Attempt(
        run=plan.run,
        created=plan.created,
        counted=tuple(counted),
        left_out=f"not counted: {left_out}" if left_out else "",
        doubtful=_doubtful(run, other),
    )


def _doubtful(run: PlayedRun, other: PlayedRun) -> int:
    """Episodes of what this run plays, too, that may hide what they did."""
    same = {id for id, digest in other.plan.scenarios.items() if digest == run.plan.scenarios.get(id)}
    same = {id for id in same if _same_world(run, other.plan.worlds, id)}
    against = {(one.scenario, one.trial, one.why) for one in other.doubts if not one.unknown}
    changed = {(cell.scenario, cell.trial, "") for cell in other.changed_cells}
    return sum(scenario in same or not scenario for scenario, _, _ in against | changed)


def _same_world(run: PlayedRun, worlds: Mapping[str, str], id: str) -> bool:
    scenario = run.scenarios.get(id)
    if scenario is None:
        return dict(run.plan.worlds) == dict(worlds)
    return run.plan.worlds.get(scenario.world) == worlds.get(scenario.world)
