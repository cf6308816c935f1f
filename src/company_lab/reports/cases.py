"""Every planned cell of a run as a case: what came of it, or that nothing did."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Literal, TypeAlias

from company_lab.evaluation import Failure, Note
from company_lab.evaluation.figures import EpisodeSummary
from company_lab.runs.store import Store

CaseOutcome: TypeAlias = Literal["passed", "failed", "unscored", "invalid", "lost"]

NO_EPISODE = "no episode is stored for it: it was not played to its end"
REPLAYED_NOTE = "it has no score and the verdict does not say why, as where a model's answers were replayed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A planned cell. Without an episode it is lost."""

    scenario: str
    trial: int
    outcome: CaseOutcome
    summary: EpisodeSummary | None = None
    attempt: int = 1
    wall_ms: float | None = None
    open: tuple[Note, ...] = ()

    @property
    def failures(self) -> tuple[Failure, ...]:
        """What failed in it, worst first."""
        found = () if self.summary is None else self.summary.failures
        return tuple(sorted(found, key=lambda one: one.failure_class is None))

    @property
    def critical(self) -> bool:
        """Whether one of its failures is critical."""
        return any(one.failure_class for one in self.failures)

    @property
    def why(self) -> str:
        """Why it neither passed nor failed; empty where it did."""
        if self.outcome in ("passed", "failed"):
            return ""
        if self.summary is None:
            return NO_EPISODE
        said = "; ".join(f"{note.check}: {note.message}" for note in self.open[:3])
        return said or REPLAYED_NOTE


def cases(store: Store, run: str) -> Iterator[Case]:
    """The planned cells of a run, scenario by scenario, one at a time. In each, trials that are lost come last."""
    planned: dict[str, dict[int, None]] = {}
    for scenario, trial in store.plan(run).cells:
        planned.setdefault(scenario, {})[trial] = None
    for scenario, group in groupby(store.counted(run), key=lambda counted: counted.summary.scenario):
        missing = planned.pop(scenario)
        for counted in group:
            missing.pop(counted.summary.trial)
            yield Case(
                scenario=scenario,
                trial=counted.summary.trial,
                outcome=counted.summary.outcome,
                summary=counted.summary,
                attempt=counted.attempt,
                wall_ms=counted.wall_ms,
                open=counted.open,
            )
        yield from (_lost(scenario, trial) for trial in missing)
    for scenario, trials in planned.items():
        yield from (_lost(scenario, trial) for trial in trials)


def _lost(scenario: str, trial: int) -> Case:
    return Case(scenario=scenario, trial=trial, outcome="lost")
