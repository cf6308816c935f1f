"""A run in sections: episodes of one kind of evidence and one layer, never pooled with others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from company_lab.evaluation.figures import EpisodeSummary, Figures, figures
from company_lab.runs.documents import kept_families
from company_lab.runs.plan import Cell, RunPlan
from company_lab.runs.store import Store
from company_lab.traces.record import REPLAYED

MOST_COLUMNS = 4
MOST_LISTED = 20
"""Failed and open cells are listed up to here and counted beyond."""

_OUTAGES = frozenset({"infrastructure_error", "cancelled"})


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedCell:
    """A failed episode and the codes of its failures, each once."""

    scenario: str
    trial: int
    codes: tuple[str, ...]
    ended: str = ""
    """What ended it, where that was not the agent's own reply."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenCell:
    """A planned cell that is neither passed nor failed, and why."""

    scenario: str
    trial: int
    state: str
    """`unscored`, `invalid` or `lost`."""
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Figures of one kind of evidence and one layer."""

    evidence: str
    layer: str | None
    figures: Figures
    ks: tuple[int, ...]
    failed: tuple[FailedCell, ...]
    """The first failed episodes; `figures.failed` says how many there are."""
    open: tuple[OpenCell, ...]
    """The first cells without a score; the figures say how many there are."""


def sections_of(
    plan: RunPlan,
    episodes: Callable[[], Iterable[EpisodeSummary]],
    *,
    why: Callable[[str, int], str] | None = None,
    families: Mapping[str, str] | None = None,
) -> tuple[Section, ...]:
    """Sections, in the order in which their scenarios come in the plan.

    `episodes` gives the summaries of the counting episodes and is asked several times; none is kept. `why`
    tells why an episode could not be scored, and `families` which scenarios belong together. A planned scenario
    without episodes is in the first section.
    """
    kinds: dict[str, dict[tuple[str, str | None], int]] = {}
    for summary in episodes():
        key = (summary.evidence, summary.layer)
        of_scenario = kinds.setdefault(summary.scenario, {})
        of_scenario[key] = of_scenario.get(key, 0) + 1
    planned = plan.planned()
    order: dict[tuple[str, str | None], None] = {}
    for scenario in planned:
        order.update(dict.fromkeys(kinds.get(scenario, {})))
    if not order:
        order[(plan.evidence[0] if plan.evidence else "undeclared agent", None)] = None
    first = next(iter(order))
    found = []
    for key in order:
        cells_of = {
            scenario: cells - _others(kinds.get(scenario, {}), key)
            for scenario, cells in planned.items()
            if key in kinds.get(scenario, {first: 0})
        }
        found.append(_section(key, cells_of, plan, episodes, why, families))
    return tuple(found)


def _others(counts: Mapping[tuple[str, str | None], int], key: tuple[str, str | None]) -> int:
    return sum(count for other, count in counts.items() if other != key)


def stored_sections(store: Store, run: str) -> tuple[Section, ...]:
    """The sections of a stored run, by its whole id."""

    def why(scenario: str, trial: int) -> str:
        verdict = store.episode(run, scenario, trial).verdict
        notes = verdict.unscored or verdict.invalid
        return "; ".join(f"{note.check}: {note.message}" for note in notes[:2])

    plan = store.plan(run)
    return sections_of(plan, lambda: store.episodes(run), why=why, families=kept_families(store, plan))


def _section(
    key: tuple[str, str | None],
    planned: Mapping[str, int],
    plan: RunPlan,
    episodes: Callable[[], Iterable[EpisodeSummary]],
    why: Callable[[str, int], str] | None,
    families: Mapping[str, str] | None,
) -> Section:
    failed: list[FailedCell] = []
    undecided: list[OpenCell] = []
    seen: set[Cell] = set()

    def watched() -> Iterator[EpisodeSummary]:
        for summary in episodes():
            if (summary.evidence, summary.layer) != key:
                continue
            seen.add(Cell(summary.scenario, summary.trial))
            if summary.outcome == "failed" and len(failed) < MOST_LISTED:
                codes = tuple(dict.fromkeys(failure.code for failure in summary.failures))
                ended = next((item.message for item in summary.failures if item.code == "not_finished"), "")
                failed.append(
                    FailedCell(scenario=summary.scenario, trial=summary.trial, codes=codes, ended=ended)
                )
            elif summary.outcome in ("unscored", "invalid") and len(undecided) < MOST_LISTED:
                undecided.append(_open(summary, why))
            yield summary

    most = max(planned.values(), default=0)
    ks = tuple(range(1, min(most, MOST_COLUMNS) + 1)) or (1,)
    result = figures(watched(), planned, ks, families=families)
    if result.lost:
        lost = (cell for cell in plan.cells if cell.scenario in planned and cell not in seen)
        for cell in lost:
            if len(undecided) >= MOST_LISTED:
                break
            undecided.append(
                OpenCell(scenario=cell.scenario, trial=cell.trial, state="lost", why="no episode is stored")
            )
    return Section(
        evidence=key[0],
        layer=key[1],
        figures=result,
        ks=ks,
        failed=tuple(failed),
        open=tuple(undecided),
    )


def _open(summary: EpisodeSummary, why: Callable[[str, int], str] | None) -> OpenCell:
    if summary.evidence == REPLAYED:
        reason = "its model's answers were replayed from a recording, which is no trial of the model"
    else:
        reason = why(summary.scenario, summary.trial) if why is not None else ""
    if not reason:
        reason = f"stopped: {summary.stop}" if summary.stop in _OUTAGES else "no reason is stored"
    return OpenCell(scenario=summary.scenario, trial=summary.trial, state=summary.outcome, why=reason)
