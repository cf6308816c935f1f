"""Where failed episodes went wrong, and how a decision model's choices compare with the reference, for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from company_lab.evaluation.choices import ComparedChoices, compare_choices
from company_lab.evaluation.diagnosis import FAULTS, Diagnosis, diagnose
from company_lab.evaluation.verdicts import Verdict
from company_lab.formats.errors import CompanyLabError
from company_lab.formats.hostile import one_line
from company_lab.release.decision import counted
from company_lab.runs.documents import kept_scenario
from company_lab.runs.episode import StoredEpisode
from company_lab.runs.plan import RunPlan
from company_lab.runs.store import Store
from company_lab.scenarios.model import Scenario
from company_lab.scenarios.spec import WorldSpec
from company_lab.traces import Trace
from company_lab.worlds.registry import resolve_world

MOST_READ = 500
"""Failed episodes whose traces a report reads; the first so many."""
MOST_CHOSEN = 2000
"""Episodes whose choices a report compares."""
_MEANING = {
    "choice": "the wrong next step",
    "arguments": "the right tool with wrong arguments",
    "recovery": "what came after an error",
    "loop": "going round in circles",
    "reply": "what it said in the end",
    "outside": "not the agent",
    "undetermined": "the trace does not tell",
}


class Diagnoses:
    """Diagnoses stored episodes of one run, by the scenarios as they were played."""

    def __init__(self, store: Store, plan: RunPlan) -> None:
        self._store = store
        self._plan = plan
        self._kept: dict[str, Scenario | None] = {}
        self._specs: dict[str, WorldSpec | None] = {}

    def of(self, stored: StoredEpisode) -> Diagnosis | None:
        """Where an episode first went wrong; None where it did not fail or its scenario is not known."""
        if stored.verdict.outcome != "failed":
            return None
        scenario = self.scenario(stored.scenario)
        if scenario is None:
            return None
        return diagnose(scenario, stored.trace.records, stored.verdict, self._spec(scenario.world))

    def choices(self, stored: StoredEpisode) -> ComparedChoices:
        """The choices of an episode beside the reference."""
        scenario = self.scenario(stored.scenario)
        spec = None if scenario is None else self._spec(scenario.world)
        if scenario is None or spec is None:
            return ComparedChoices()
        return compare_choices(scenario, spec, stored.trace.records)

    def scenario(self, id: str) -> Scenario | None:
        """The scenario as it was played, where this version still understands it."""
        if id not in self._kept:
            self._kept[id] = None
            with suppress(CompanyLabError):
                self._kept[id] = kept_scenario(self._store, self._plan, id, worlds=resolve_world)
        return self._kept[id]

    def _spec(self, world: str) -> WorldSpec | None:
        if world not in self._specs:  # looking a world up reads what is installed, each time
            self._specs[world] = _spec_of(world)
        return self._specs[world]


def _spec_of(world: str) -> WorldSpec | None:
    """The world as it is here; None where there is none of that name."""
    with suppress(CompanyLabError):
        return resolve_world(world).spec
    return None


def diagnosis_lines(store: Store, plan: RunPlan) -> Iterator[RenderableType]:
    """Where the failed episodes of a run first went wrong, and how its decision model's choices were calibrated."""
    if "recorded elsewhere" in plan.evidence:
        return
    reader = Diagnoses(store, plan)
    failed = [
        (summary.scenario, summary.trial)
        for summary in store.episodes(plan.run)
        if summary.outcome == "failed"
    ]
    counts: Counter[tuple[str, str]] = Counter()
    for scenario, trial in failed[:MOST_READ]:
        found = reader.of(store.episode(plan.run, scenario, trial))
        if found is not None:
            counts[found.fault, found.by] += 1
    if counts:
        read = min(len(failed), MOST_READ)
        some = "" if read == len(failed) else f", the first {read} of {len(failed)}"
        yield Text()
        yield Text(
            f"where {one_line(plan.agent.name)} first went wrong, in {counted(counts.total(), 'failed episode')}{some}",
            "bold",
        )
        for fault in FAULTS:
            by = {who: count for (what, who), count in counts.items() if what == fault}
            if by:
                suppliers = ", ".join(f"{one_line(who)} {count}" for who, count in sorted(by.items()))
                line = f"{fault} {sum(by.values())}: {_MEANING[fault]}; by {suppliers}"
                yield Padding(Text(line, overflow="fold"), (0, 0, 0, 2))
    yield from _choice_lines(store, plan, reader)


def _choice_lines(store: Store, plan: RunPlan, reader: Diagnoses) -> Iterator[RenderableType]:
    if plan.agent.name != "decision":
        return
    choices = ComparedChoices()
    for number, stored in enumerate(store.stored(plan.run)):
        if number >= MOST_CHOSEN:
            break
        choices.add(reader.choices(stored))
    total = len(choices.compared) + choices.left_out.total()
    if not total:
        return
    n = len(choices.compared)
    yield Text()
    yield Text(f"choices beside the reference: {choices.agreed} of {n} compared, {total} made", "bold")
    lines = [str(choices.calibration())] if n else []
    lines += [f"left out {count}: {why}" for why, count in choices.left_out.most_common()]
    lines.append("another route may be as right; choices of one episode are no independent sample")
    for line in lines:
        yield Padding(Text(line, "dim", overflow="fold"), (0, 0, 0, 2))


def episode_diagnosis(scenario: Scenario, trace: Trace, verdict: Verdict) -> Text:
    """The diagnosis of one episode in a line; empty where it did not fail."""
    found = diagnose(scenario, trace.records, verdict, _spec_of(scenario.world))
    if found is None:
        return Text("")
    return Text(
        f"first went wrong: {found.fault} ({_MEANING[found.fault]}), record {found.seq}, by the {one_line(found.by)}: "
        f"{one_line(found.rule)} ({found.code})",
        overflow="fold",
    )
