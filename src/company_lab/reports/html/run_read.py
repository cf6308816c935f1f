"""A stored run read once, as far as a page about it needs it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from company_lab.evaluation.figures import EpisodeSummary
from company_lab.formats.canonical import NotJson, parse_own
from company_lab.formats.hostile import cut
from company_lab.reports.sections import Section, sections_of
from company_lab.runs.plan import Cell, RunPlan
from company_lab.runs.store import Store

LONGEST_MESSAGE = 600
UNCLASSED = "no class"


@dataclass(frozen=True, slots=True)
class Described:
    """What a stored scenario says about itself."""

    title: str = ""
    failure_class: str = UNCLASSED
    severity: str = ""
    family: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRun:
    """The plan of a run, the summaries of its counting episodes, and what its scenarios say they are."""

    plan: RunPlan
    sections: tuple[Section, ...]
    summaries: Mapping[Cell, EpisodeSummary]
    scenarios: Mapping[str, Described]
    wall_ms: Mapping[Cell, float | None]
    superseded: int
    strangers: tuple[Cell, ...]
    status: str

    def of(self, section: Section) -> list[EpisodeSummary]:
        """The episodes of a section, by scenario and trial."""
        key = (section.evidence, section.layer)
        return [one for one in self.summaries.values() if (one.evidence, one.layer) == key]


def read_run(store: Store, run: str) -> ReadRun:
    """Read everything but traces, which are read one by one where they are shown."""
    plan = store.plan(run)
    summaries = {Cell(one.scenario, one.trial): _slim(one) for one in store.episodes(run)}

    def why(scenario: str, trial: int) -> str:
        verdict = store.episode(run, scenario, trial).verdict
        return "; ".join(
            f"{note.check}: {note.message}" for note in (verdict.unscored or verdict.invalid)[:2]
        )

    scenarios = {id: _described(store, digest) for id, digest in plan.scenarios.items()}
    families = {id: one.family for id, one in scenarios.items() if one.family is not None}
    return ReadRun(
        plan=plan,
        sections=sections_of(plan, summaries.values, why=why, families=families),
        summaries=summaries,
        scenarios=scenarios,
        wall_ms=store.wall_times(run),
        superseded=store.superseded(run),
        strangers=store.foreign(run),
        status=store.entry(run).status,
    )


def _slim(summary: EpisodeSummary) -> EpisodeSummary:
    """Without what was found and expected, which may be as large as a record; a timeline reads it again."""
    if not summary.failures:
        return summary
    failures = (
        replace(one, message=cut(one.message, LONGEST_MESSAGE), found=None, expected=None)
        for one in summary.failures
    )
    return replace(summary, failures=tuple(failures))


def _described(store: Store, digest: str) -> Described:
    text = store.kept(digest)
    try:
        document = None if text is None else parse_own(text)
    except NotJson:
        document = None
    if not isinstance(document, dict):
        return Described()
    return Described(
        title=str(document.get("title") or ""),
        failure_class=str(document.get("failure_class") or UNCLASSED),
        severity=str(document.get("severity") or ""),
        family=str(document["family"]) if document.get("family") else None,
    )
