"""The library's front door: run a suite from Python and look at what came of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, Self, TextIO

from company_lab.agents.frameworks import framework_agent
from company_lab.agents.functions import function_agent
from company_lab.agents.protocol import Agent
from company_lab.agents.resolve import resolve_agent
from company_lab.episodes.confined import Confinement
from company_lab.evaluation import Verdict
from company_lab.evaluation.figures import Figures, figures
from company_lab.formats.errors import WrongUse
from company_lab.formats.whole_files import whole_file
from company_lab.reports import console, terminal
from company_lab.reports.forms import form_named
from company_lab.runs import Cell, RunPlan, Status, Store, begin, cast, execute, plan_run, select
from company_lab.runs.documents import kept_families
from company_lab.scenarios.crowding import crowded
from company_lab.scenarios.suite import load_suite
from company_lab.traces.redaction_rules import load_redaction
from company_lab.worlds.registry import resolve_world

MOST_K = 10
"""pass^k and pass@k are given up to the number of trials, and up to here."""


def figures_of(store: Store, plan: RunPlan) -> Figures:
    """The figures of a run, read one episode at a time."""
    most = max(plan.planned().values(), default=1)
    ks = tuple(range(1, min(most, MOST_K) + 1))
    return figures(store.episodes(plan.run), plan.planned(), ks, families=kept_families(store, plan))


def print_report(store: Store, plan: RunPlan, stream: TextIO | None = None) -> None:
    """Print the report of a run on `stream` (standard output)."""
    console.show(terminal.report_of(store, plan.run), stream)


class Run:
    """A run that has ended: its plan, its figures, its episodes. Its store is open until `close`."""

    def __init__(self, *, plan: RunPlan, status: Status, store: Store) -> None:
        self.plan = plan
        self.status = status
        self.store = store

    @property
    def id(self) -> str:
        """The run's id in its store."""
        return self.plan.run

    @cached_property
    def figures(self) -> Figures:
        """Reliability per scenario and across scenarios."""
        return figures_of(self.store, self.plan)

    @property
    def passed(self) -> bool:
        """True only if every planned episode is there and passed."""
        outcomes = self.store.entry(self.id).outcomes
        return 0 < len(self.plan.cells) == outcomes.get("passed", 0)

    def verdicts(self) -> Iterator[tuple[Cell, Verdict]]:
        """The verdict of every episode, by scenario and trial, one at a time."""
        for stored in self.store.stored(self.id):
            yield Cell(stored.scenario, stored.trial), stored.verdict

    def report(self, stream: TextIO | None = None, **files: str | PathLike[str]) -> None:
        """Print the report on `stream` (standard output), or write it to files, as `html="report.html"`.

        Forms are those of `company-lab report`: html, junit, annotations, markdown, json, csv, parquet. A page needs
        the extra `report`, Parquet the extra `parquet`. Raises `WrongUse` where one is missing, and for another form.
        """
        if not files:
            print_report(self.store, self.plan, stream)
            return
        forms = {name: form_named(name) for name in files}
        for name, path in files.items():
            with whole_file(Path(path)) as file:
                forms[name].write(self.store, self.id, file)

    def close(self) -> None:
        """Close the store; a temporary one vanishes."""
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def run(
    suite: str | PathLike[str],
    *,
    agent: Agent | Callable[..., Any] | str | object | None = None,
    trials: int = 1,
    seed: int = 0,
    only: Sequence[str] = (),
    crowd: int | None = None,
    workers: int = 1,
    isolate: bool = False,
    attempts: int = 1,
    redact: str | PathLike[str] | None = None,
    store: str | PathLike[str] | None = None,
) -> Run:
    """Play every scenario of `suite` `trials` times and judge each episode.

    `agent` is a function of (task, session), sync or async, an `Agent`, an agent of pydantic-ai or of the OpenAI
    Agents SDK, a factory of graphs, or a name as the command takes it.
    Without one, requests of contract scenarios go to the guard and references play the rest. `only` selects
    by id, tag, failure class, family or split. `crowd` surrounds the records of every scenario with so many more of
    each kind.

    `workers` is the number of episodes at once: async agents share an event loop, others get a thread each. With
    `isolate` each episode's agent gets a process of its own. An episode that an outage of a model's host ended is
    played up to `attempts` times. None of this changes what comes out.

    `redact` names a file of rules, as `--redact` does: what they name is replaced before anything is stored.

    Without `store` the episodes lie in a temporary file that goes with the `Run`; with it they are added to
    the store at that path, where `company-lab show` finds them. Raises `Problems` for a suite that can not be
    read and `WrongUse` for anything else that can not be done, both before anything is played, and
    KeyboardInterrupt where somebody interrupts: what was finished is then in the store.
    """
    path = Path(suite)
    rules = None if redact is None else load_redaction(Path(redact))
    loaded = load_suite(path, worlds=lambda name: resolve_world(name).spec)
    acting = _agent(agent)
    words = [only] if isinstance(only, str) else only
    castings = cast(crowded(select(loaded.scenarios, words), crowd), agent=acting)
    plan = plan_run(
        castings,
        suite=path,
        suite_digest=loaded.digest,
        agent=acting,
        trials=trials,
        seed=seed,
        note=f"only {', '.join(words)}" if words else None,
        crowd=crowd,
        attempts=attempts,
        redaction=None if rules is None else rules.digest,
    )
    opened = Store.temporary() if store is None else Store(store)
    try:
        begin(plan, castings, opened, redaction=rules)
        isolation = Confinement() if isolate else None
        ending = execute(plan, castings, opened, workers=workers, isolation=isolation)
        if ending.status == "interrupted":
            raise KeyboardInterrupt
    except BaseException:
        opened.close()
        raise
    return Run(plan=plan, status=ending.status, store=opened)


def _agent(agent: object) -> Agent | None:
    if agent is None or isinstance(agent, Agent):
        return agent
    if isinstance(agent, str):
        return None if agent == "reference" else resolve_agent(agent)
    if (made := framework_agent(agent)) is not None:
        return made
    if callable(agent):
        return function_agent(agent)
    found = type(agent).__name__
    raise WrongUse(f"an agent is a function of (task, session), an Agent or a name; found a {found}")
