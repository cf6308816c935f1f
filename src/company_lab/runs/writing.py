"""Writing episodes: one transaction each, on a connection of its own, with statements compiled once.

SQLAlchemy's execution costs several times what the insert costs, so here its compiled statements go straight to
the driver. They still come from the tables of `schema`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Engine, bindparam

from company_lab.evaluation.figures import EpisodeSummary
from company_lab.formats.canonical import Json, canonical
from company_lab.runs import schema
from company_lab.runs.episode import StoredEpisode
from company_lab.runs.failures import DuplicateEpisode, UnknownRun, failed
from company_lab.runs.faults import fault_text
from company_lab.runs.packing import TRACE_CODEC, pack_trace
from company_lab.runs.verdict_texts import verdict_text

REPEATABLE_STOPS = frozenset({"infrastructure_error", "cancelled"})
"""Stop reasons of an attempt that says nothing about the agent."""


def repeatable(stop: str | None, outcome: str) -> bool:
    """Whether a cell may be played again: an outage ended it, and what was done until then harmed nobody."""
    return stop in REPEATABLE_STOPS and outcome != "failed"


_CELL = ("run", "scenario", "trial", "schedule", "life")


class Entry(NamedTuple):
    """An episode about to be stored, what figures need of it, and the bytes of its trace."""

    stored: StoredEpisode
    summary: EpisodeSummary
    trace: bytes


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
        self._episode = str(schema.episodes.insert().compile(dialect=dialect, column_keys=columns.keys()[1:]))
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

    def add(self, run: str, entries: Sequence[Entry]) -> None:
        """Store one episode, or several attempts at one cell, whole or not at all.

        Raises `DuplicateEpisode` and `StoreFailed`.
        """
        rows = [_row(run, stored, summary, pack_trace(trace)) for stored, summary, trace in entries]
        stored = entries[-1].stored
        try:
            if stored.attempt == 1:  # a statement outside a transaction is one by itself
                self._execute(self._episode, rows[0])
            else:
                self._replace(run, entries, rows)
        except self._integrity as error:
            if "FOREIGN KEY" in str(error):
                raise UnknownRun(f"run {run} is not in the store {self._path}: begin it first") from None
            raise DuplicateEpisode(
                f"{stored.scenario} trial {stored.trial} of run {run} is already stored "
                f"(attempt {stored.attempt}): a cell counts once"
            ) from None
        except self._error as error:
            failed(self._path, error)

    def _replace(self, run: str, entries: Sequence[Entry], rows: Sequence[tuple[Any, ...]]) -> None:
        """Store further attempts, each of which supersedes the one it follows, all or none."""
        execute = self._execute
        execute("BEGIN IMMEDIATE")
        try:
            for entry, row in zip(entries, rows, strict=True):
                self._make_room(run, entry.stored)
                execute(self._episode, row)
            execute("COMMIT")
        except BaseException:
            if self._driver.in_transaction:
                execute("ROLLBACK")
            raise

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


def _further_times(timings: Mapping[str, Json]) -> str | None:
    """What was measured besides wall and CPU time, which have columns of their own."""
    if len(timings) == ("wall_ms" in timings) + ("cpu_ms" in timings):
        return None
    return canonical({name: value for name, value in timings.items() if name not in ("wall_ms", "cpu_ms")})


def _row(run: str, stored: StoredEpisode, summary: EpisodeSummary, packed: bytes) -> tuple[Any, ...]:
    timings = stored.timings
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
        fault_text(summary),
        stored.grading,
        verdict_text(stored.verdict),
        timings.get("wall_ms"),
        timings.get("cpu_ms"),
        _further_times(timings),
        TRACE_CODEC,
        packed,
    )
