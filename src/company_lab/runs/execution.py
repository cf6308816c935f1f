"""Playing a plan: every cell, judged and stored, each episode in a transaction of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from company_lab.agents.pacing import Rate, paced
from company_lab.episodes.confined import Confinement
from company_lab.formats.errors import CompanyLabError
from company_lab.runs.budget import Budget
from company_lab.runs.casting import Casting
from company_lab.runs.crew import crew
from company_lab.runs.documents import keep_prompts, keep_scenario
from company_lab.runs.holding import holding
from company_lab.runs.hosts import rates_of
from company_lab.runs.interruption import Interruption
from company_lab.runs.plan import RunPlan
from company_lab.runs.playing import Todo
from company_lab.runs.redacting import keep_rules, rules_of
from company_lab.runs.staying import staying
from company_lab.runs.store import Store
from company_lab.runs.under_way import Ending, Progress, Redacting, UnderWay
from company_lab.runs.waiting import Patience
from company_lab.traces.redaction import Redaction

__all__ = ["Ending", "Progress", "begin", "execute"]


def begin(
    plan: RunPlan, castings: Iterable[Casting], store: Store, *, redaction: Redaction | None = None
) -> None:
    """Store the plan and, once each, the scenarios it is about, so that the store explains itself.

    `redaction`: the rules the plan names, unless the store has them already.
    """
    if redaction is not None:
        keep_rules(store, redaction)
    store.begin(plan)
    for casting in castings:
        keep_scenario(store, casting.scenario)
        if casting.agent is not None:
            keep_prompts(store, plan, casting.agent)


def execute(
    plan: RunPlan,
    castings: Sequence[Casting],
    store: Store,
    *,
    cells: Iterable[Todo] | None = None,
    workers: int = 1,
    processes: int | None = None,
    isolation: Confinement | None = None,
    rates: Mapping[str, Rate] | None = None,
    patience: Patience | None = None,
    budget: Budget | None = None,
    begun: Callable[[], None] | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Ending:
    """Play a plan that `store` has begun, or those of its cells that `cells` names.

    One episode after another, or as many at once as there are `workers` (threads) or `processes`; with
    `isolation` each agent in a process of its own. `rates` limits how often models' hosts are asked and goes
    before what an agent declares; `patience` is the time before an attempt that an outage ended is repeated.
    `begun` is called before the first episode, when everything that has to be forked from this process has been:
    whoever shows progress starts threads there and not earlier.

    An interrupted run keeps every episode that was complete. Whatever the lab itself can not do (a store that
    takes no more) is raised, with the run marked `broken`. Raises `RunHeld` where somebody else is playing
    this run right now.

    Of `cells`, those that somebody has finished meanwhile are passed over. Traces are redacted by the rules
    the plan names, which the store holds.
    """
    limits = rates_of(castings, rates or {})
    limited = {host: rate for host, rate in limits.items() if rate is not None}
    with holding(store.path, plan.run), paced(limits, limited) as gates:
        hands = crew(
            {casting.scenario.id: casting for casting in castings},
            plan.seed,
            workers=workers,
            processes=processes,
            isolation=isolation,
        )
        try:
            if begun is not None:
                begun()
            with Interruption() as interruption, staying():
                try:
                    under_way = UnderWay(
                        plan,
                        (Todo(cell) for cell in plan.cells)
                        if cells is None
                        else _still_open(store, plan, cells),
                        store,
                        interruption,
                        budget=budget or Budget(),
                        patience=patience or Patience(),
                        redacting=_redacting(store, plan, castings),
                        progress=progress,
                    )
                    ending = under_way.by(hands)
                except BaseException:
                    with suppress(CompanyLabError):  # the error that broke the run is the one to tell
                        store.finish(plan.run, "broken")
                    raise
                store.finish(plan.run, ending.status)
        finally:
            hands.close()
        return replace(
            ending, unasked=tuple(host for host in limited if host in gates and not gates[host].asked)
        )


def _redacting(store: Store, plan: RunPlan, castings: Iterable[Casting]) -> Redacting | None:
    rules = rules_of(store, plan)
    if rules is None:
        return None
    return Redacting(rules=rules, scenarios={casting.scenario.id: casting.scenario for casting in castings})


def _still_open(store: Store, plan: RunPlan, cells: Iterable[Todo]) -> list[Todo]:
    there = store.attempts(plan.run)
    return [job for job in cells if job.cell not in there or there[job.cell].attempt < job.attempt]
