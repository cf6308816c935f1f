"""Judging again: verdicts from stored traces. Traces are never changed, old verdicts are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from company_lab.evaluation import Verdict, judge
from company_lab.formats.errors import CompanyLabError, WrongUse
from company_lab.runs.documents import kept_scenario
from company_lab.runs.episode import StoredEpisode
from company_lab.runs.grading import grading_digest
from company_lab.runs.plan import RunPlan
from company_lab.runs.redacting import is_redacted, redacted_verdict, rules_of, tenants_of
from company_lab.runs.store import Store
from company_lab.scenarios.differences import differences, played_differently
from company_lab.scenarios.model import Scenario
from company_lab.scenarios.spec import WorldSpec
from company_lab.traces.redaction import Redaction, Redactor
from company_lab.worlds.registry import resolve_world
from company_lab.worlds.world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejudged:
    """An episode and its two verdicts: the stored one, and the one that follows from the scenario now."""

    scenario: str
    trial: int
    before: Verdict
    after: Verdict
    """The stored one where `left_out` says why no other can be given."""
    grading: str
    """What the new verdict rests on."""
    known: bool
    """Whether that is what the stored one rests on too."""
    left_out: str | None = None
    """Why the episode can not be judged again."""
    contradicted: bool = False
    """Whether the trace gives another verdict than the stored one, on the very grounds that one names."""

    @property
    def decides_otherwise(self) -> bool:
        """Whether it comes out differently, whatever the words are."""
        return _gist(self.before) != _gist(self.after)

    @property
    def differs(self) -> bool:
        """Whether anything a reader would see has changed."""
        return self.before.to_json() != self.after.to_json()


def scenarios_of(
    store: Store, run: str, *, worlds: Callable[[str], World] = resolve_world
) -> dict[str, Scenario]:
    """The scenarios of a run as they were when it was played. Raises `WrongUse` where the store lacks one."""
    found: dict[str, Scenario] = {}
    plan = store.plan(run)
    for id in plan.scenarios:
        scenario = kept_scenario(store, plan, id, worlds=worlds)
        if scenario is None:
            raise WrongUse(f"run {run} does not hold the scenario {id}: it was recorded elsewhere")
        found[id] = scenario
    return found


def changes_since(
    store: Store,
    run: str,
    scenarios: Mapping[str, Scenario],
    *,
    worlds: Callable[[str], World] = resolve_world,
) -> Iterator[tuple[str, list[str]]]:
    """What has changed since a run was played, by scenario or world: the reasons verdicts may change."""
    plan = store.plan(run)
    for name, digest in plan.worlds.items():
        if any(scenario.world == name for scenario in scenarios.values()) and worlds(name).digest != digest:
            yield f"the world {name}", ["its code or what it declares"]
    for id in plan.scenarios:
        now = scenarios.get(id)
        if now is None or now.digest == plan.scenarios[id]:
            continue
        before = _played(store, plan, id, worlds)
        yield f"the scenario {id}", list(differences(before, now)) if before is not None else []


def rejudge(
    store: Store,
    run: str,
    scenarios: Mapping[str, Scenario],
    *,
    worlds: Callable[[str], World] = resolve_world,
) -> Iterator[Rejudged]:
    """Judge every counting episode of a run again, by scenario and trial. Changes nothing.

    An episode keeps its verdict, with the reason, where its scenario is now played in another way, and where
    what was redacted from its trace is needed to judge it. Raises `WrongUse` for a played scenario that
    `scenarios` lacks.
    """
    again = judging_again(store, run, scenarios, worlds=worlds)
    return (again(stored) for stored in store.stored(run))


def judging_again(
    store: Store,
    run: str,
    scenarios: Mapping[str, Scenario],
    *,
    worlds: Callable[[str], World] = resolve_world,
) -> Callable[[StoredEpisode], Rejudged]:
    """What judges any episode of a run again, as `rejudge` does with all of them."""
    plan = store.plan(run)
    rules = rules_of(store, plan)
    benches: dict[str, _Bench] = {}

    def again(stored: StoredEpisode) -> Rejudged:
        scenario = scenarios.get(stored.scenario)
        if scenario is None:
            raise WrongUse(f"the suite has no scenario {stored.scenario}, which run {run} has played")
        bench = benches.get(stored.scenario)
        if bench is None:
            same = scenario.digest == plan.scenarios.get(stored.scenario)
            played = scenario if same else _played(store, plan, stored.scenario, worlds)
            bench = benches[stored.scenario] = _Bench(scenario, worlds(scenario.world).spec, played, rules)
        return bench.judged(stored)

    return again


def _played(store: Store, plan: RunPlan, id: str, worlds: Callable[[str], World]) -> Scenario | None:
    try:
        return kept_scenario(store, plan, id, worlds=worlds)
    except CompanyLabError:  # this version, or its world, no longer understands it
        return None


class _Bench:
    """Everything it takes to judge the episodes of one scenario again."""

    def __init__(
        self, scenario: Scenario, spec: WorldSpec, played: Scenario | None, rules: Redaction | None
    ) -> None:
        self._scenario = scenario
        self._spec = spec
        self._played = played
        self._rules = rules
        self._grading = grading_digest(scenario, spec)
        changed = () if played is None else played_differently(played, scenario)
        self._unfit = (
            f"it was played with another {', '.join(changed)}: play it again instead" if changed else None
        )

    def judged(self, stored: StoredEpisode) -> Rejudged:
        known = self._grading == stored.grading
        left_out = self._unfit or self._redacted_away(stored)
        after = stored.verdict
        contradicted = False
        if left_out is None:
            after = self._again(self._scenario, stored)
            if known and _gist(after) == _gist(stored.verdict) and is_redacted(stored.trace):
                after = stored.verdict  # its placeholders may be numbered in another way
            if known and after.to_json() != stored.verdict.to_json():
                contradicted = True
                left_out = f"judged twice on the same grounds: {stored.verdict.outcome}, now {after.outcome}"
                after = stored.verdict
        return Rejudged(
            scenario=stored.scenario,
            trial=stored.trial,
            before=stored.verdict,
            after=after,
            grading=self._grading,
            known=known,
            left_out=left_out,
            contradicted=contradicted,
        )

    def _again(self, scenario: Scenario, stored: StoredEpisode) -> Verdict:
        verdict = judge(scenario, self._spec, stored.trace, stored.timings)
        if self._rules is None or not is_redacted(stored.trace):
            return verdict
        return redacted_verdict(Redactor(self._rules, stored.trace, tenants_of(scenario)), verdict)

    def _redacted_away(self, stored: StoredEpisode) -> str | None:
        if not is_redacted(stored.trace):
            return None
        if self._played is not None and _gist(self._again(self._played, stored)) == _gist(stored.verdict):
            return None
        return "it was judged before it was redacted, and what is left no longer gives its verdict"


def _gist(verdict: Verdict) -> tuple[object, ...]:
    """A verdict without its words. How bad a failure is belongs to it: what is critical blocks."""
    return verdict.outcome, [
        (failure.code, failure.check, failure.severity, failure.failure_class) for failure in verdict.failures
    ]
