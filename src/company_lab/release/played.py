"""PlayedRun: a stored run as the gate reads it, from traces, with every verdict judged again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import isfinite
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


class Doubt(NamedTuple):
    """Why a stored episode can not be relied on. `trial` 0 means all of a scenario."""

    scenario: str
    trial: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedRun:
    """Everything about one run that decides."""

    plan: RunPlan
    status: str
    scenarios: Mapping[str, Scenario]
    """As they were played; without those the store does not hold."""
    summaries: tuple[EpisodeSummary, ...]
    """Of every fresh episode that counts, read from its trace and its verdict."""
    walls: Mapping[Cell, float | None]
    """Wall time in ms, None where nobody measured."""
    stale_cells: frozenset[Cell]
    """Episodes whose verdict rests on another scenario, world or judging than now."""
    continued: int
    """Continuations, which never count."""
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
    continued = 0
    try:
        for stored in store.stored(run):
            summary = summarise(stored.trace, stored.verdict)
            if summary.episode != "fresh":
                continued += 1
                continue
            why = _misplaced(plan, stored, began)
            if stored.scenario in scenarios and why is None:
                judged = again(stored)
                if not judged.known:
                    stale.add(Cell(stored.scenario, stored.trial))
                why = judged.left_out
            if why is not None:
                doubts.append(Doubt(stored.scenario, stored.trial, why))
            summaries.append(replace(summary, scenario=stored.scenario, trial=stored.trial))
            wall = stored.timings.get("wall_ms")
            walls[Cell(stored.scenario, stored.trial)] = _milliseconds(wall)
    except (CompanyLabError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        # A damaged episode, whose trace may hold anything: nothing behind it can be relied on either.
        doubts.append(Doubt("", 0, str(error)))
    doubts.extend(_rows_that_differ(store, run, summaries))
    return PlayedRun(
        plan=plan,
        status=store.entry(run).status,
        scenarios=scenarios,
        summaries=tuple(summaries),
        walls=walls,
        stale_cells=frozenset(stale),
        continued=continued,
        doubts=tuple(doubts),
        superseded=store.superseded(run),
    )


def _milliseconds(value: object) -> float | None:
    """A measured time; what can be none, such as a negative one, is unknown."""
    known = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if known and isfinite(value) and value >= 0 else None  # type: ignore[arg-type, operator]


def _rows_that_differ(store: Store, run: str, summaries: Iterable[EpisodeSummary]) -> Iterator[Doubt]:
    """Reports and comparisons read rows beside the traces; these must say the same."""
    rows = {(row.scenario, row.trial): _counts_as(row) for row in store.episodes(run)}
    for summary in summaries:
        row = rows.get((summary.scenario, summary.trial))
        if row != _counts_as(summary):
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
            doubts.append(Doubt(id, 0, f"it can not be read any more: {error}"))
            continue
        if scenario is None:
            doubts.append(
                Doubt(id, 0, "the store does not hold the scenario, so nothing can be judged again")
            )
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
    if not isinstance(digests, dict):
        return None
    if digests.get("scenario") not in (None, plan.scenarios.get(stored.scenario)):
        return "it was played with another scenario than the one planned"
    initial = digests.get("initial")
    if began.setdefault(stored.scenario, initial) != initial:
        return "it did not begin in the state in which the other trials began"
    return None
