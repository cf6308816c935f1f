"""Stored runs of a pytest session: one for each agent, shared by all the processes that play."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from company_lab.agents.protocol import Agent
from company_lab.formats.canonical import digest
from company_lab.pytest_plugin.collecting import SCENARIO, TRIAL
from company_lab.pytest_plugin.settings import trials_of
from company_lab.runs import Cell, Store, begin, cast, plan_run
from company_lab.runs.episode import StoredEpisode
from company_lab.runs.failures import DuplicateRun
from company_lab.runs.plan import RunPlan, new_run_id
from company_lab.scenarios.model import Scenario

RUN = "company_lab_run"
"""Under which name a session's id is handed to processes of its own."""


class StoredRuns:
    """Stores episodes as they come. The plan is stored by whichever process is first."""

    def __init__(self, path: Path, config: pytest.Config) -> None:
        self._store = Store(path)
        self._session = session_id(config)
        self._runs: dict[str, str] = {}
        self._trials = trials_of(config)
        self._root = config.rootpath

    def begin(self, session: pytest.Session, agent: Agent | None, seed: int) -> str:
        """The run of an agent in this session, planned over everything that was collected."""
        who = digest(
            None if agent is None else {"name": agent.name, "kind": agent.kind, "settings": agent.settings}
        )
        if who not in self._runs:
            run = f"{self._session}{who[:8]}"
            plan = replace(self._plan(session, agent, seed), run=run)
            with suppress(DuplicateRun):  # another process was faster
                begin(plan, self._castings, self._store)
            self._runs[who] = run
        return self._runs[who]

    def add(self, run: str, episode: StoredEpisode) -> None:
        """Store an episode."""
        self._store.add(run, episode)

    def close(self) -> None:
        """Give back the store."""
        self._store.close()

    def _plan(self, session: pytest.Session, agent: Agent | None, seed: int) -> RunPlan:
        scenarios = _scenarios(session)
        self._castings = cast(scenarios.values(), agent=agent)
        plan = plan_run(
            self._castings,
            suite=_folder(session, self._root),
            suite_digest=digest({id: one.digest for id, one in scenarios.items()}),
            agent=agent,
            trials=self._trials,
            seed=seed,
            note="played by pytest",
        )
        chosen = set(_cells(session))
        return replace(plan, cells=tuple(cell for cell in plan.cells if cell in chosen))


def session_id(config: pytest.Config) -> str:
    """The beginning of the ids of a session's runs, the same in every process of it."""
    given: str | None = getattr(config, "workerinput", {}).get(RUN)
    return given if given is not None else own_id(config)


_OWN: pytest.StashKey[str] = pytest.StashKey()


def own_id(config: pytest.Config) -> str:
    """The id that this process gives its session."""
    return config.stash.setdefault(_OWN, new_run_id()[:-8])


def end_runs(path: Path, session: str, *, interrupted: bool) -> list[str]:
    """Say of every run of a session that it has ended; their ids."""
    if not path.exists():
        return []
    with Store(path, create=False) as store:
        ended = [entry.run for entry in store.runs() if entry.run.startswith(session)]
        for run in ended:
            whole = not store.missing(run)
            store.finish(run, "finished" if whole else "interrupted" if interrupted else "stopped")
    return ended


def _items(session: pytest.Session) -> Iterator[tuple[pytest.Item, Scenario]]:
    for item in session.items:
        scenario = item.stash.get(SCENARIO, None)
        if scenario is not None:
            yield item, scenario


def _scenarios(session: pytest.Session) -> dict[str, Scenario]:
    found: dict[str, Scenario] = {}
    for _, scenario in _items(session):
        other = found.setdefault(scenario.id, scenario)
        if other.source != scenario.source:
            raise pytest.UsageError(
                f"{other.source} and {scenario.source} have the same id {scenario.id}: a stored run knows "
                "scenarios by their ids, so give one of them another"
            )
    return found


def _cells(session: pytest.Session) -> Iterator[Cell]:
    for item, scenario in _items(session):
        yield Cell(scenario.id, item.stash[TRIAL])


def _folder(session: pytest.Session, root: Path) -> Path:
    files = {str(item.path) for item, _ in _items(session)}
    folder = Path(os.path.commonpath(files)) if files else root
    return folder.relative_to(root) if folder.is_relative_to(root) else folder
