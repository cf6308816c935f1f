"""Store: runs and their episodes in one SQLite file."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, Self

from sqlalchemy import select
from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from company_lab.evaluation import Verdict
from company_lab.evaluation.figures import EpisodeSummary, summarise
from company_lab.formats.canonical import Json, NotJson, canonical, parse_own
from company_lab.formats.errors import WrongUse, nearest
from company_lab.runs import filing, forgetting, holding, reading, regrading, schema
from company_lab.runs.episode import StoredEpisode
from company_lab.runs.failures import DamagedEpisode, DuplicateRun, FileIdentity, database_errors
from company_lab.runs.filing import Filed
from company_lab.runs.opening import PATIENCE, WRITES, open_engine
from company_lab.runs.packing import CODEC, pack, sha256, unpack
from company_lab.runs.place import store_path, store_words
from company_lab.runs.plan import Cell, RunPlan, now
from company_lab.runs.reading import Attempt, RunEntry, Status
from company_lab.runs.writing import Entry, EpisodeWriter


class Store:
    """Runs, their plans, episodes, traces and verdicts. Use it as a context manager, or close it.

    Any number of processes may write to one store at once. Within a process, one thread adds episodes.
    Errors of the database arrive as `StoreUnusable` (on opening) and `StoreFailed` (later).
    """

    def __init__(
        self, path: str | PathLike[str] | None = None, *, create: bool = True, patience: float = PATIENCE
    ) -> None:
        """Open the store at `path` (see `store_path`); make it unless `create` is false.

        `patience`: seconds to wait while another process writes.
        """
        self.path = store_path(path)
        self._engine = open_engine(self.path, create=create, patience=patience)
        self._file = FileIdentity(self.path)
        self._writer: EpisodeWriter | None = None

    @classmethod
    def temporary(cls) -> Self:
        """A store on disk that vanishes when it is closed, or with the process."""
        folder = tempfile.TemporaryDirectory(prefix="company-lab-")
        store = cls(Path(folder.name) / "runs.db")
        store._folder = folder
        return store

    _folder: tempfile.TemporaryDirectory[str] | None = None

    @property
    def vanishes(self) -> bool:
        """Whether it goes when it is closed, so that no later command finds what lies in it."""
        return self._folder is not None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give back connections and files. A closed store can not be used."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None
        self._engine.dispose()
        if self._folder is not None:
            self._folder.cleanup()

    # Writing

    def begin(self, plan: RunPlan) -> None:
        """Store the plan of a run, before its first episode. Raises `DuplicateRun`."""
        row = {
            "run": plan.run,
            "created": plan.created,
            "status": "running",
            "planned": len(plan.cells),
            "evidence": canonical(list(plan.evidence)),
            "plan": plan.text(),
        }
        try:
            with self._transaction() as connection:
                connection.execute(schema.runs.insert().values(row))
        except IntegrityError:
            raise DuplicateRun(
                f"run {plan.run} is already in the store {self.path}: a run has one plan"
            ) from None

    def add(self, run: str, stored: StoredEpisode, *, after: Sequence[StoredEpisode] = ()) -> EpisodeSummary:
        """Store one episode in one transaction, and return what figures need of it.

        `after`: earlier attempts at the cell that were not stored yet; they are stored with it, or not at all.
        Raises `DuplicateEpisode` where its cell already counts, unless this is a further attempt after an
        outage that did no harm: then the earlier attempt is kept, superseded.
        """
        if self._writer is None:
            with database_errors(self.path):
                self._writer = EpisodeWriter(self._engine, self.path)
        entries = [_entry(one) for one in after]
        entries.append(_entry(stored))
        self._file.check()
        self._writer.add(run, entries)
        return entries[-1].summary

    def finish(self, run: str, status: Status) -> None:
        """Say how the run ended. Episodes stay as they are."""
        change = schema.runs.update().where(schema.runs.c.run == run)
        with self._transaction() as connection:
            connection.execute(change.values(status=status, ended=now()))

    def reopen(self, run: str) -> None:
        """Say that a run goes on."""
        change = schema.runs.update().where(schema.runs.c.run == self._known(run))
        with self._transaction() as connection:
            connection.execute(change.values(status="running", ended=None))

    def regrade(self, run: str, verdicts: Iterable[tuple[Cell, str, Verdict]]) -> int:
        """Let counting episodes have these verdicts, each with its grading digest; how many there were.

        Traces and earlier verdicts stay; all are changed or none.
        """
        count = 0
        with self._transaction() as connection:
            for cell, grading, verdict in verdicts:
                regrading.regrade(connection, run, cell, grading, verdict)
                count += 1
        return count

    def forget(self, runs: Iterable[str]) -> None:
        """Delete runs with everything about them, all or none. The file shrinks when nobody else uses it."""
        gone = [self._known(run) for run in runs]
        with self._transaction() as connection:
            forgetting.forget(connection, gone)
        for run in gone:
            holding.clear(self.path, run)
        raw = self._engine.raw_connection()
        try:
            with suppress(self._engine.dialect.loaded_dbapi.OperationalError):  # somebody else is reading
                raw.cursor().execute("VACUUM")
        finally:
            raw.close()

    def keep(self, content: str, *, under: str | None = None) -> str:
        """Store a text once and return the digest it lies under: its SHA-256, or one of what it means."""
        data = content.encode("utf-8", "surrogatepass")
        digest = under or sha256(data)
        known = select(schema.blobs.c.digest).where(schema.blobs.c.digest == digest)
        with self._transaction() as connection:
            if connection.execute(known).first() is None:
                connection.execute(schema.blobs.insert().values(digest=digest, codec=CODEC, data=pack(data)))
        return digest

    def file(self, kind: str, key: str, document: Mapping[str, Json]) -> None:
        """Append a document about a suite, such as an audit. What was filed is never changed."""
        with self._transaction() as connection:
            filing.file_document(connection, kind, key, document)

    # Reading

    def filed(self, kind: str, key: str | None = None) -> list[Filed]:
        """The documents of a kind, oldest first, under `key` or under any."""
        with self._reading() as connection:
            return filing.filed(connection, kind, key)

    def kept(self, digest: str) -> str | None:
        """The text stored under `digest`, or None. Raises `CompanyLabError` where it is damaged."""
        with self._reading() as connection:
            row = connection.execute(select(schema.blobs).where(schema.blobs.c.digest == digest)).first()
        try:
            return None if row is None else unpack(row.data, row.codec).decode("utf-8", "surrogatepass")
        except UnicodeDecodeError as error:
            raise DamagedEpisode(f"the text {digest} in {self.path} is damaged: {error}") from error

    def runs(self) -> list[RunEntry]:
        """Every run, oldest first."""
        with self._reading() as connection:
            return reading.entries(connection)

    def resolve(self, name: str = "last") -> str:
        """The run that `name` means: its id, the beginning or end of one, or `last` for the newest.

        Raises `WrongUse` where it means none, or several.
        """
        with self._reading() as connection:
            names = reading.names(connection)
        if not names:
            raise WrongUse(
                f"the store {self.path} holds no run yet: `company-lab run SUITE{store_words(self.path)}` makes one"
            )
        if name == "last":
            return names[-1]
        matches = [run for run in names if run == name] or [
            run for run in names if run.startswith(name) or run.endswith(name)
        ]
        if len(matches) == 1:
            return matches[0]
        if matches:
            raise WrongUse(f"{name!r} is the beginning of {len(matches)} runs: {', '.join(matches[:4])}")
        close = nearest(name, names)
        raise WrongUse(
            f"no run {name!r} in the store {self.path}"
            + (f"; did you mean {close}?" if close else self._listed())
        )

    def entry(self, run: str) -> RunEntry:
        """The run as `runs` lists it, by its whole id, counting only what its plan has."""
        known = self._known(run)
        planned = set(self.plan(known).cells)
        with self._reading() as connection:
            (entry,) = reading.entries(connection, known)
            return replace(entry, outcomes=reading.outcomes(connection, known, planned))

    def plan(self, run: str) -> RunPlan:
        """The plan of a run, by its whole id."""
        wanted = select(schema.runs.c.plan).where(schema.runs.c.run == self._known(run))
        with self._reading() as connection:
            text = connection.execute(wanted).scalar_one()
        try:
            document: Any = parse_own(text)
            return RunPlan.from_json(document)
        except (NotJson, KeyError, TypeError, ValueError, AttributeError) as error:
            raise DamagedEpisode(f"the plan of run {run} in {self.path} is damaged: {error}") from error

    def episodes(self, run: str) -> Iterator[EpisodeSummary]:
        """What figures need of every counting episode of the plan, by scenario and trial, one at a time."""
        return (counted.summary for counted in self.counted(run))

    def counted(self, run: str) -> Iterator[reading.Counted]:
        """As `episodes`, with the number of the attempt and the grading digest."""
        planned = set(self.plan(run).cells)
        with self._reading() as connection:
            for counted in reading.summaries(connection, run):
                if (counted.summary.scenario, counted.summary.trial) in planned:
                    yield counted

    def stored(
        self, run: str, *, damaged: Callable[[DamagedEpisode], None] | None = None
    ) -> Iterator[StoredEpisode]:
        """Every counting episode of the plan with trace and verdict, by scenario and trial, one at a time.

        Those that can not be read are told to `damaged`, and passed over; without it, raises `DamagedEpisode`.
        """
        planned = set(self.plan(run).cells)
        with self._reading() as connection:
            for stored in reading.stored_episodes(connection, run, damaged=damaged):
                if (stored.scenario, stored.trial) in planned:
                    yield stored

    def episode(self, run: str, scenario: str, trial: int) -> StoredEpisode:
        """The counting episode of a cell. Raises `WrongUse` where there is none, `DamagedEpisode`."""
        with self._reading() as connection:
            found = next(reading.stored_episodes(connection, run, scenario=scenario, trial=trial), None)
        if found is None:
            raise self._no_episode(run, scenario, trial)
        return found

    def some(self, run: str, cells: Iterable[Cell]) -> Iterator[StoredEpisode]:
        """The counting episodes of these cells in their order, one at a time; faster than asking for each.

        Cells without one are passed over. Raises `DamagedEpisode`.
        """
        with self._reading() as connection:
            yield from reading.some_episodes(connection, run, cells)

    def taken(self, run: str) -> list[tuple[str, int, str | None, float | None]]:
        """What the counting episodes of a run took, see `reading.taken`."""
        with self._reading() as connection:
            return reading.taken(connection, run)

    def wall_times(self, run: str) -> dict[Cell, float | None]:
        """How long every counting episode took, in ms of wall time; None where nobody measured."""
        with self._reading() as connection:
            return dict(reading.wall_times(connection, run))

    def attempts(self, run: str) -> dict[Cell, Attempt]:
        """The attempt that counts for every cell that has one."""
        with self._reading() as connection:
            return reading.attempts(connection, run)

    def missing(self, run: str) -> tuple[Cell, ...]:
        """Planned cells without a counting episode, in the order of the plan."""
        stored = self._cells(run)
        return tuple(cell for cell in self.plan(run).cells if cell not in stored)

    def foreign(self, run: str) -> tuple[Cell, ...]:
        """Cells with a counting episode that the plan does not have."""
        planned = set(self.plan(run).cells)
        return tuple(cell for cell in self._cells(run) if cell not in planned)

    def superseded(self, run: str) -> int:
        """How many attempts are kept of which a later one has taken the place."""
        with self._reading() as connection:
            return reading.superseded(connection, run)

    def _cells(self, run: str) -> dict[Cell, None]:
        with self._reading() as connection:
            return dict.fromkeys(reading.cells(connection, run))

    def _known(self, run: str) -> str:
        wanted = select(schema.runs.c.run).where(schema.runs.c.run == run)
        with self._reading() as connection:
            if connection.execute(wanted).first() is None:
                raise WrongUse(f"no run {run!r} in the store {self.path}{self._listed()}")
        return run

    def _listed(self) -> str:
        return f"; `company-lab runs{store_words(self.path)}` lists them"

    def _no_episode(self, run: str, scenario: str, trial: int) -> WrongUse:
        plan = self.plan(run)
        trials = [cell.trial for cell in plan.cells if cell.scenario == scenario]
        if not trials:
            close = nearest(scenario, plan.planned())
            hint = f"; did you mean {close}?" if close else f"; it has {', '.join(list(plan.planned())[:5])}"
            return WrongUse(f"run {run} has no scenario {scenario!r}{hint}")
        if trial not in trials:
            return WrongUse(
                f"run {run} has trials {trials[0]} to {trials[-1]} of {scenario}, no trial {trial}"
            )
        return WrongUse(
            f"{scenario} trial {trial} of run {run} was planned and never finished: nothing to show"
        )

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with database_errors(self.path), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        self._file.check()
        with (
            database_errors(self.path),
            self._engine.connect().execution_options(**WRITES) as connection,
            connection.begin(),
        ):
            yield connection


def _entry(stored: StoredEpisode) -> Entry:
    data = stored.trace.bytes()
    stored.trace.digest = sha256(data)  # spares spelling the trace a second time
    return Entry(stored, summarise(stored.trace, stored.verdict), data)
