"""Writing episodes: one transaction each, on a connection of its own, with statements compiled once.

SQLAlchemy's execution costs several times what the four inserts cost, so here its compiled statements go
straight to the driver. They still come from the tables of `schema`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, Table, bindparam

from company_lab.evaluation import Verdict
from company_lab.evaluation.figures import EpisodeSummary
from company_lab.formats.canonical import Json, canonical
from company_lab.runs import schema
from company_lab.runs.episode import StoredEpisode
from company_lab.runs.failures import DuplicateEpisode, UnknownRun, failed
from company_lab.runs.packing import CODEC, pack

REPEATABLE_STOPS = frozenset({"infrastructure_error", "cancelled"})
"""Stop reasons of an attempt that says nothing about the agent."""


def repeatable(stop: str | None, outcome: str) -> bool:
    """Whether a cell may be played again: an outage ended it, and what was done until then harmed nobody."""
    return stop in REPEATABLE_STOPS and outcome != "failed"


_PASSED = Verdict(outcome="passed")
_PASSED_TEXT = canonical(_PASSED.to_json())
_CELL = ("run", "scenario", "trial", "schedule", "life")


class EpisodeWriter:
    """Adds episodes to one store. Belongs to one thread at a time."""

    def __init__(self, engine: Engine, path: Path) -> None:
        self._path = path
        self._connection = engine.raw_connection()
        driver = self._connection.driver_connection
        assert driver is not None
        self._execute = driver.execute
        self._driver = driver
        dialect = engine.dialect
        self._error = dialect.loaded_dbapi.Error
        self._integrity = dialect.loaded_dbapi.IntegrityError
        columns = schema.episodes.c
        self._episode = str(
            schema.episodes.insert()
            .returning(columns.episode)
            .compile(dialect=dialect, column_keys=columns.keys()[1:])
        )
        self._trace, self._verdict, self._timing = (
            _insert(table, dialect) for table in (schema.traces, schema.verdicts, schema.timings)
        )
        cell = [columns[name] == bindparam(f"its_{name}") for name in _CELL]
        self._supersede = str(
            schema.episodes.update()
            .where(*cell, columns.superseded == bindparam("counts"))
            .values(superseded=bindparam("now"))
            .compile(dialect=dialect)
        )
        self._effective = str(
            schema.episodes.select()
            .with_only_columns(columns.attempt, columns.stop, columns.outcome)
            .where(*cell, columns.superseded == bindparam("counts"))
            .compile(dialect=dialect)
        )

    def add(self, run: str, stored: StoredEpisode, summary: EpisodeSummary, trace: bytes) -> None:
        """Store one episode, whole or not at all. Raises `DuplicateEpisode` and `StoreFailed`."""
        packed = pack(trace)
        passed = stored.verdict == _PASSED
        verdict = _PASSED_TEXT if passed else canonical(stored.verdict.to_json())
        times = _times(stored.timings)
        execute = self._execute
        try:
            execute("BEGIN IMMEDIATE")
            try:
                if stored.attempt > 1:
                    self._make_room(run, stored)
                (episode,) = execute(self._episode, _row(run, stored, summary)).fetchone()
                execute(self._trace, (episode, CODEC, packed))
                execute(self._verdict, (episode, stored.grading, stored.verdict.outcome, verdict))
                execute(self._timing, (episode, *times))
                execute("COMMIT")
            except BaseException:
                if self._driver.in_transaction:
                    execute("ROLLBACK")
                raise
        except self._integrity as error:
            if "FOREIGN KEY" in str(error):
                raise UnknownRun(f"run {run} is not in the store {self._path}: begin it first") from None
            raise DuplicateEpisode(
                f"{stored.scenario} trial {stored.trial} of run {run} is already stored "
                f"(attempt {stored.attempt}): a cell counts once"
            ) from None
        except self._error as error:
            failed(self._path, error)

    def _make_room(self, run: str, stored: StoredEpisode) -> None:
        cell = (run, stored.scenario, stored.trial, stored.schedule, stored.life)
        found = self._execute(self._effective, (*cell, 0)).fetchone()
        if found is None:
            return
        attempt, stop, outcome = found
        if stored.attempt <= attempt:
            raise DuplicateEpisode(
                f"attempt {stored.attempt} of {stored.scenario} trial {stored.trial} is already stored"
            )
        if not repeatable(stop, outcome):
            how = "finished" if stop not in REPEATABLE_STOPS else "failed by what it did before the outage"
            raise DuplicateEpisode(
                f"attempt {stored.attempt} of {stored.scenario} trial {stored.trial} ignored: "
                f"attempt {attempt} {how}, and stands"
            )
        self._execute(self._supersede, (1, *cell, 0))

    def close(self) -> None:
        """Give the connection back."""
        self._connection.close()


def _insert(table: Table, dialect: Any) -> str:
    return str(table.insert().compile(dialect=dialect, column_keys=[column.name for column in table.c]))


def _times(timings: Mapping[str, Json]) -> tuple[Json, Json, str]:
    """Wall and CPU time in columns, anything else as an object."""
    rest = {name: value for name, value in timings.items() if name not in ("wall_ms", "cpu_ms")}
    return timings.get("wall_ms"), timings.get("cpu_ms"), canonical(rest) if rest else "{}"


def _row(run: str, stored: StoredEpisode, summary: EpisodeSummary) -> tuple[Any, ...]:
    return (
        run,
        stored.scenario,
        stored.trial,
        stored.schedule,
        stored.attempt,
        stored.life,
        0,
        summary.outcome,
        summary.stop,
        summary.layer,
        summary.evidence,
        int(summary.error),
        int(summary.recovered),
        None if summary.cost_usd is None else str(summary.cost_usd),
        summary.simulated_ms,
        summary.calls,
        summary.turns,
        summary.trace_digest,
        summary.trajectory,
        " ".join(summary.fault_kinds),
        stored.grading,
    )
