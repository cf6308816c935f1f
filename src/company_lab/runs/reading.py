"""What is asked of a store: rows become summaries, episodes, entries."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, TypeAlias

from sqlalchemy import ColumnElement, Row, Select, and_, bindparam, func, select
from sqlalchemy.engine import Connection

from company_lab.evaluation import Note, Verdict
from company_lab.evaluation.figures import EpisodeSummary
from company_lab.evaluation.summaries import counts_as
from company_lab.formats.canonical import parse_own
from company_lab.formats.errors import CompanyLabError
from company_lab.runs import schema
from company_lab.runs.episode import StoredEpisode
from company_lab.runs.failures import DamagedEpisode
from company_lab.runs.faults import kinds_in
from company_lab.runs.packing import sha256, trace_of, unpack
from company_lab.runs.plan import Cell
from company_lab.runs.verdict_texts import verdict_in
from company_lab.runs.writing import repeatable

Status: TypeAlias = Literal["running", "finished", "interrupted", "stopped", "broken"]
"""`interrupted` by a person, `stopped` by a budget, `broken` by the lab; a killed run stays `running`."""

_DAMAGED = (CompanyLabError, KeyError, TypeError, ValueError, AttributeError, ArithmeticError)
"""What arises from a row that somebody has changed."""
_episode, _run = schema.episodes.c, schema.runs.c


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEntry:
    """A run in the list of runs."""

    run: str
    created: str
    ended: str | None
    status: Status
    evidence: tuple[str, ...]
    agent: str
    suite: str
    planned: int
    outcomes: Mapping[str, int]
    """Number of counting episodes by outcome."""
    failed_of: str | None = None
    """The run whose failed cells these are, where it is such a run."""

    @property
    def stored(self) -> int:
        """Cells that have an episode."""
        return sum(self.outcomes.values())


def _counts(run: str) -> ColumnElement[bool]:
    return and_(_episode.run == run, _episode.superseded == 0, _episode.life == 1)


def entries(connection: Connection, run: str | None = None) -> list[RunEntry]:
    """Every run, oldest first, or the one that is named."""
    counting = (
        select(_episode.run, _episode.outcome, func.count())
        .where(_episode.superseded == 0, _episode.life == 1)
        .group_by(_episode.run, _episode.outcome)
    )
    wanted = select(schema.runs).order_by(_run.number)
    if run is not None:
        counting, wanted = counting.where(_episode.run == run), wanted.where(_run.run == run)
    outcomes: dict[str, dict[str, int]] = {}
    for its_run, outcome, count in connection.execute(counting):
        outcomes.setdefault(its_run, {})[outcome] = count
    rows = connection.execute(wanted)
    return [_entry(row, outcomes.get(row.run, {})) for row in rows]


def _entry(row: Row[Any], outcomes: Mapping[str, int]) -> RunEntry:
    try:
        plan: Any = parse_own(row.plan)
        return RunEntry(
            run=row.run,
            created=row.created,
            ended=row.ended,
            status=row.status,
            evidence=tuple(plan["evidence"]),
            agent=plan["agent"]["name"],
            suite=plan["suite"]["path"],
            planned=row.planned,
            outcomes=outcomes,
            failed_of=plan["failed_of"],
        )
    except _DAMAGED as error:
        raise DamagedEpisode(f"the plan of run {row.run} is damaged: {error}") from error


def names(connection: Connection) -> list[str]:
    """The ids of all runs, oldest first."""
    return list(connection.execute(select(_run.run).order_by(_run.number)).scalars())


def cells(connection: Connection, run: str) -> Iterator[Cell]:
    """The cells that have a counting episode, by scenario and trial."""
    wanted = select(_episode.scenario, _episode.trial).where(_counts(run))
    for scenario, trial in connection.execute(wanted.order_by(_episode.scenario, _episode.trial)):
        yield Cell(scenario, trial)


def outcomes(connection: Connection, run: str, planned: Collection[Cell]) -> dict[str, int]:
    """Number of counting episodes of planned cells by outcome."""
    wanted = select(_episode.scenario, _episode.trial, _episode.outcome).where(_counts(run))
    found: dict[str, int] = {}
    for scenario, trial, outcome in connection.execute(wanted):
        if (scenario, trial) in planned:
            found[outcome] = found.get(outcome, 0) + 1
    return found


def superseded(connection: Connection, run: str) -> int:
    """Number of attempts that a later one has taken the place of."""
    wanted = select(func.count()).where(_episode.run == run, _episode.superseded != 0)
    return int(connection.execute(wanted).scalar_one())


@dataclass(frozen=True, slots=True)
class Attempt:
    """The attempt that counts for a cell, and whether a further one may take its place."""

    attempt: int
    repeatable: bool


def taken(connection: Connection, run: str) -> list[tuple[str, int, str | None, float | None]]:
    """What the counting episodes of a run took, by scenario and cost: how many, that cost, wall time in all, in ms."""
    wanted = (
        select(_episode.scenario, func.count(), _episode.cost_usd, func.sum(_episode.wall_ms))
        .where(_counts(run))
        .group_by(_episode.scenario, _episode.cost_usd)
    )
    return [(scenario, count, cost, wall) for scenario, count, cost, wall in connection.execute(wanted)]


def wall_times(connection: Connection, run: str) -> Iterator[tuple[Cell, float | None]]:
    """How long every counting episode took, in ms of wall time; None where nobody measured."""
    wanted = select(_episode.scenario, _episode.trial, _episode.wall_ms).where(_counts(run))
    for scenario, trial, wall in connection.execute(wanted):
        yield Cell(scenario, trial), wall


def attempts(connection: Connection, run: str) -> dict[Cell, Attempt]:
    """The counting attempt of every cell that has one."""
    wanted = select(
        _episode.scenario,
        _episode.trial,
        _episode.attempt,
        _episode.stop,
        _episode.outcome,
    ).where(_counts(run))
    return {
        Cell(scenario, trial): Attempt(attempt, repeatable(stop, outcome))
        for scenario, trial, attempt, stop, outcome in connection.execute(wanted)
    }


@dataclass(frozen=True, slots=True)
class Counted:
    """What figures need of a counting episode, the number of its attempt, and what its verdict rests on."""

    summary: EpisodeSummary
    attempt: int
    grading: str
    open: tuple[Note, ...] = ()
    """Why it has no score, where it has none."""
    wall_ms: float | None = None
    """What it took in wall time; None where nobody measured."""


def summaries(connection: Connection, run: str) -> Iterator[Counted]:
    """What figures need of every counting episode, by scenario and trial, one at a time. Raises `DamagedEpisode`."""
    wanted = select(*schema.narrow).where(_counts(run)).order_by(_episode.scenario, _episode.trial)
    for row in connection.execution_options(yield_per=500).execute(wanted):
        yield _counted(run, row)


def _counted(run: str, row: Row[Any]) -> Counted:
    try:
        verdict = _verdict(row)
        kinds, failed_under = kinds_in(row.fault_kinds)
        summary = EpisodeSummary(
            scenario=row.scenario,
            trial=row.trial,
            outcome=row.outcome,
            stop=row.stop,
            layer=row.layer,
            evidence=row.evidence,
            error=bool(row.error),
            recovered=bool(row.recovered),
            failures=verdict.failures if row.outcome == "failed" else (),
            cost_usd=None if row.cost_usd is None else Decimal(row.cost_usd),
            simulated_ms=row.simulated_ms,
            calls=row.calls,
            turns=row.turns,
            trace_digest=row.trace_digest,
            trajectory=row.trajectory,
            fault_kinds=kinds,
            fault_errors=failed_under,
        )
    except _DAMAGED as error:
        raise _damaged(run, row, error) from error
    notes = (*verdict.unscored, *verdict.invalid)
    return Counted(summary, row.attempt, row.grading, notes, row.wall_ms)


def stored_episodes(
    connection: Connection,
    run: str,
    *,
    scenario: str | None = None,
    trial: int | None = None,
    damaged: Callable[[DamagedEpisode], None] | None = None,
) -> Iterator[StoredEpisode]:
    """Counting episodes with trace and verdict, by scenario and trial.

    Those that can not be read are told to `damaged`, and passed over; without it, raises `DamagedEpisode`.
    """
    wanted: Select[Any] = (
        select(schema.episodes).where(_counts(run)).order_by(_episode.scenario, _episode.trial)
    )
    if scenario is not None:
        wanted = wanted.where(_episode.scenario == scenario)
    if trial is not None:
        wanted = wanted.where(_episode.trial == trial)
    for row in connection.execution_options(yield_per=50).execute(wanted):
        try:
            episode = _stored(run, row)
        except DamagedEpisode as error:
            if damaged is None:
                raise
            damaged(error)
        else:
            yield episode


_ONE = select(schema.episodes).where(
    _episode.run == bindparam("run"),
    _episode.superseded == 0,
    _episode.life == 1,
    _episode.scenario == bindparam("scenario"),
    _episode.trial == bindparam("trial"),
)


def some_episodes(connection: Connection, run: str, cells: Iterable[Cell]) -> Iterator[StoredEpisode]:
    """The counting episodes of these cells in their order, one at a time. Raises `DamagedEpisode`."""
    for scenario, trial in cells:
        asked = {"run": run, "scenario": scenario, "trial": trial}
        row = connection.execute(_ONE, asked).first()
        if row is not None:
            yield _stored(run, row)


def _stored(run: str, row: Row[Any]) -> StoredEpisode:
    try:
        data = unpack(row.trace, row.codec)
        if sha256(data) != row.trace_digest:
            raise DamagedEpisode("its trace is not the one that was stored")
        return StoredEpisode(
            scenario=row.scenario,
            trial=row.trial,
            trace=trace_of(data),
            verdict=_verdict(row),
            grading=row.grading,
            timings=_times(row),
            schedule=row.schedule,
            attempt=row.attempt,
            life=row.life,
        )
    except _DAMAGED as error:
        raise _damaged(run, row, error) from error


def _verdict(row: Row[Any]) -> Verdict:
    verdict = verdict_in(row.verdict)
    counted = counts_as(verdict.outcome, {"evidence": row.evidence})
    if counted != row.outcome:
        raise DamagedEpisode(f"its verdict counts as {counted}, and it is stored as {row.outcome}")
    return verdict


def _damaged(run: str, row: Row[Any], error: Exception) -> DamagedEpisode:
    said = str(error) if isinstance(error, CompanyLabError) else f"it is damaged ({error!r})"
    return DamagedEpisode(f"{row.scenario} trial {row.trial} of run {run} can not be read: {said}")


def _times(row: Row[Any]) -> dict[str, Any]:
    known = {"wall_ms": row.wall_ms, "cpu_ms": row.cpu_ms}
    times = {name: value for name, value in known.items() if value is not None}
    more = {} if row.timings is None else parse_own(row.timings)
    if not isinstance(more, dict):
        raise DamagedEpisode("its timings are no object")
    return times | more
