"""A stored episode with what explains it: its scenario as it was played, and why each check holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from company_lab.evaluation import Verdict, explain
from company_lab.formats.errors import CompanyLabError
from company_lab.runs.documents import kept_scenario
from company_lab.runs.plan import RunPlan
from company_lab.runs.store import Store
from company_lab.scenarios.model import Scenario
from company_lab.scenarios.spec import WorldSpec
from company_lab.traces import Trace
from company_lab.worlds.registry import resolve_world
from company_lab.worlds.world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """An episode to be shown. Scenario and spec are missing where the store or this version lacks them."""

    scenario: Scenario | None
    spec: WorldSpec | None
    trace: Trace
    verdict: Verdict
    remarks: tuple[str, ...] = ()
    """What a reader must know about it."""


def explained(
    store: Store, run: str, scenario: str, trial: int, *, worlds: Callable[[str], World] = resolve_world
) -> Explained:
    """The counting episode of a cell. The verdict is the stored one, with the reasons for what holds."""
    stored = store.episode(run, scenario, trial)
    remarks: list[str] = []
    asked, spec = _asked(store, store.plan(run), scenario, worlds, remarks)
    verdict = stored.verdict
    redacted = stored.trace.header.get("redacted")
    if redacted is not None:
        remarks.append(
            f"{redacted['values']} values were replaced by placeholders before this episode was stored; "
            "it was judged before that"
        )
    elif asked is not None and spec is not None:
        today = explain(asked, spec, stored.trace, stored.timings)
        if (today.outcome, today.failures) == (verdict.outcome, verdict.failures):
            verdict = today
        else:
            remarks.append(
                f"judged again now this episode would be {today.outcome}, not {verdict.outcome}: "
                "the world or the judging has changed since; the stored verdict is shown"
            )
    return Explained(scenario=asked, spec=spec, trace=stored.trace, verdict=verdict, remarks=tuple(remarks))


def _asked(
    store: Store, plan: RunPlan, scenario: str, worlds: Callable[[str], World], remarks: list[str]
) -> tuple[Scenario | None, WorldSpec | None]:
    try:
        found = kept_scenario(store, plan, scenario, worlds=worlds)
        return (None, None) if found is None else (found, worlds(found.world).spec)
    except CompanyLabError as error:
        remarks.append(f"the scenario can not be read as it was played: {error}")
        return None, None
