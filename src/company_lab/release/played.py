"""PlayedRun: a stored run as gate and comparison read it, from traces, with every verdict judged again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import NamedTuple

from company_lab.evaluation.figures import EpisodeSummary, Figures, figures, summarise
from company_lab.formats.errors import CompanyLabError
from company_lab.runs.documents import kept_scenario
from company_lab.runs.episode import StoredEpisode
from company_lab.runs.plan import Cell, RunPlan
from company_lab.runs.rejudging import judging_again
from company_lab.runs.store import Store
from company_lab.scenarios.model import Scenario
from company_lab.worlds.world import World

_DAMAGE = (CompanyLabError, ArithmeticError, LookupError, TypeError, ValueError, AttributeError)
"""What arises from an episode whose trace may hold anything."""


class Doubt(NamedTuple):
    """Why a stored episode can not be relied on. `trial` 0 means all of a scenario."""

    scenario: str
    trial: int
    why: str
    unknown: bool = False
    """Whether nothing speaks against it but that it can not be judged again."""

    def __str__(self) -> str:
        trial = f", trial {self.trial}" if self.trial else ""
        return f"{self.scenario}{trial}: {self.why}".lstrip(": ")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedRun:
    """Everything about one run that decides."""

    plan: RunPlan
    store: Path
    """The file it lies in."""
    status: str
    scenarios: Mapping[str, Scenario]
    """As they were played; without those the store does not hold."""
    summaries: tuple[EpisodeSummary, ...]
    """Of every fresh episode that counts, read from its trace and its verdict."""
    walls: Mapping[Cell, float | None]
    """Wall time in ms, None where nobody measured."""
    stale_cells: frozenset[Cell]
    """Episodes whose verdict rests on another scenario, world or judging than now."""
    changed_cells: frozenset[Cell]
    """Those among them that come out differently when they are judged now."""
    gradings: Mapping[str, frozenset[str]]
    """By scenario, what the stored verdicts of its episodes rest on."""
    continued: Mapping[str, int]
    """By scenario, continuations, which never count."""
    doubts: tuple[Doubt, ...]
    superseded: int
    """Attempts that an outage ended and a later one has taken the place of."""

    @property
    def stale(self) -> int:
        """How many verdicts rest on other grounds than now."""
        return len(self.stale_cells)

    def doubted(self) -> Callable[[Cell], bool]:
        """Tells of an episode whether something speaks against relying on it."""
        doubted = {Cell(doubt.scenario, doubt.trial) for doubt in self.doubts}
        return lambda cell: cell in doubted or Cell(cell.scenario, 0) in doubted

    @property
    def families(self) -> dict[str, str]:
        """The family of each scenario that has one."""
        return {id: one.family for id, one in self.scenarios.items() if one.family is not None}

    @property
    def held_out(self) -> tuple[str, ...]:
        """The held-out scenarios, in the order of the plan."""
        return tuple(
            id
            for id in self.plan.planned()
            if id in self.scenarios and self.scenarios[id].split == "held_out"
        )

    def figures(self, ks: tuple[int, ...] = (1,)) -> Figures:
        """The figures of this run alone."""
        return figures(self.summaries, self.plan.planned(), ks, families=self.families)


def read_played(store: Store, run: str, *, worlds: Callable[[str], World]) -> PlayedRun:
    """Read a run, by its whole id, episode by episode, and judge each again.

    What does not belong together (a trace of another cell, a scenario that is not the one planned, fresh episodes
    that did not begin alike, a verdict the trace does not give) becomes a doubt, not an error.
    """
    plan = store.plan(run)
    scenarios, doubts = _scenarios(store, plan, worlds)
    again = judging_again(store, run, scenarios, worlds=worlds)
    began: dict[str, object] = {}
    summaries: list[EpisodeSummary] = []
    walls: dict[Cell, float | None] = {}
    stale: set[Cell] = set()
    changed: set[Cell] = set()
    gradings: dict[str, set[str]] = {}
    continued: Counter[str] = Counter()

    def take(stored: StoredEpisode) -> None:
        summary = summarise(stored.trace, stored.verdict)
        if summary.episode != "fresh":
            continued[stored.scenario] += 1
            return
        cell = Cell(stored.scenario, stored.trial)
        unknown = False
        why = _misplaced(plan, stored, began)
        if stored.scenario in scenarios and why is None:
            judged = again(stored)
            if not judged.known:
                stale.add(cell)
                if judged.decides_otherwise:
                    changed.add(cell)
            why, unknown = judged.left_out, not judged.contradicted
        if why is not None:
            doubts.append(Doubt(stored.scenario, stored.trial, why, unknown))
        gradings.setdefault(stored.scenario, set()).add(stored.grading)
        summaries.append(replace(summary, scenario=stored.scenario, trial=stored.trial))
        walls[cell] = _milliseconds(stored.timings.get("wall_ms"))

    def doubt(error: Exception) -> None:
        doubts.append(Doubt("", 0, str(error)))

    try:
        for stored in store.stored(run, damaged=doubt):
            try:
                take(stored)
            except _DAMAGE as error:  # the harm that stands behind it is seen all the same
                doubt(error)
    except _DAMAGE as error:
        doubt(error)
    rows = {(row.scenario, row.trial): row for row in store.episodes(run)}
    doubts.extend(_rows_that_differ(rows, summaries))
    for summary in summaries:
        rows.pop((summary.scenario, summary.trial), None)
    # Of what can not be read any more, a critical failure that is listed stands.
    summaries += filter(_lists_harm, rows.values())
    return PlayedRun(
        plan=plan,
        store=store.path,
        status=store.entry(run).status,
        scenarios=scenarios,
        summaries=tuple(summaries),
        walls=walls,
        stale_cells=frozenset(stale),
        changed_cells=frozenset(changed),
        gradings={id: frozenset(each) for id, each in gradings.items()},
        continued=continued,
        doubts=tuple(doubts),
        superseded=store.superseded(run),
    )


def _lists_harm(row: EpisodeSummary) -> bool:
    return row.episode == "fresh" and any(failure.failure_class for failure in row.failures)


def _milliseconds(value: object) -> float | None:
    """A measured time; what can be none, such as a negative one, is unknown."""
    known = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if known and isfinite(value) and value >= 0 else None  # type: ignore[arg-type, operator]


def _rows_that_differ(
    rows: Mapping[tuple[str, int], EpisodeSummary], summaries: Iterable[EpisodeSummary]
) -> Iterator[Doubt]:
    """Reports read rows beside the traces; these must say the same."""
    for summary in summaries:
        row = rows.get((summary.scenario, summary.trial))
        if row is None or _counts_as(row) != _counts_as(summary):
            yield Doubt(summary.scenario, summary.trial, "what is listed of it is not what its trace says")


def _counts_as(summary: EpisodeSummary) -> tuple[object, ...]:
    return (
        summary.outcome,
        summary.stop,
        summary.evidence,
        summary.layer,
        summary.cost_usd,
        tuple((failure.code, failure.failure_class) for failure in summary.failures),
    )


def _scenarios(
    store: Store, plan: RunPlan, worlds: Callable[[str], World]
) -> tuple[dict[str, Scenario], list[Doubt]]:
    found: dict[str, Scenario] = {}
    doubts: list[Doubt] = []
    for id in plan.planned():
        try:
            scenario = kept_scenario(store, plan, id, worlds=worlds)
        except CompanyLabError as error:
            doubts.append(Doubt(id, 0, f"it can not be read any more: {error}", unknown=True))
            continue
        if scenario is None:
            why = "the store does not hold the scenario, so nothing can be judged again"
            doubts.append(Doubt(id, 0, why, unknown=True))
        elif scenario.id != id or scenario.digest != plan.scenarios.get(id):
            doubts.append(Doubt(id, 0, "the scenario in the store is not the one that was planned"))
        else:
            found[id] = scenario
    return found, doubts


def _misplaced(plan: RunPlan, stored: StoredEpisode, began: dict[str, object]) -> str | None:
    header = stored.trace.header
    if (header.get("scenario"), header.get("trial")) != (stored.scenario, stored.trial):
        return "its trace is of another episode"
    if "schedule" in header or stored.schedule:
        return "it was played with other faults than its scenario's"
    digests = header.get("digests")
    if not isinstance(digests, dict) or digests.get("scenario") != plan.scenarios.get(stored.scenario):
        return "its trace does not name the scenario that was planned"
    initial = digests.get("initial")
    if began.setdefault(stored.scenario, initial) != initial:
        return "it did not begin in the state in which the other trials began"
    return None
