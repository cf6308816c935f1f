"""Everything a run needs before its first episode: what is wrong shows here, and nothing was played."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from pathlib import Path

from company_lab.agents.protocol import Agent
from company_lab.agents.resolve import adapter_again, resolve_agent
from company_lab.cli.suites import open_suite
from company_lab.episodes.programs import program_again
from company_lab.formats.errors import WrongUse
from company_lab.runs import Casting, Cell, RunPlan, Store, cast, plan_run, select
from company_lab.runs.budget import Budget
from company_lab.runs.playing import Todo
from company_lab.runs.resume import refuse_changed, still_to_play
from company_lab.scenarios.crowding import crowded
from company_lab.traces.redaction import Redaction

REFERENCE = "reference"
RECORDED = "recorded elsewhere"


def new_run(
    path: Path,
    *,
    agent: str | Agent | None,
    trials: int,
    seed: int,
    only: Sequence[str],
    attempts: int,
    redaction: Redaction | None = None,
    crowd: int | None = None,
) -> tuple[RunPlan, tuple[Casting, ...]]:
    """The plan of a new run and all it takes to play it."""
    suite = open_suite(path)
    acting = _acting(agent)
    castings = cast(crowded(select(suite.scenarios, only), crowd), agent=acting)
    plan = plan_run(
        castings,
        suite=path,
        suite_digest=suite.digest,
        agent=acting,
        trials=trials,
        seed=seed,
        attempts=attempts,
        note=f"only {', '.join(only)}" if only else None,
        redaction=None if redaction is None else redaction.digest,
        crowd=crowd,
    )
    return plan, castings


def resumed_run(
    store: Store, name: str, *, suite: Path | None, agent: str | Agent | None
) -> tuple[RunPlan, tuple[Casting, ...], list[Todo]]:
    """The stored plan of a run, all it takes to play it, and the cells that are still to be played.

    Suite and agent are those of the plan unless given. Raises `WrongUse` that names everything that changed.
    """
    plan, now, castings = _again(store, name, suite=suite, agent=agent)
    refuse_changed(plan, now)
    return plan, castings, still_to_play(store, plan)


def failed_run(
    store: Store, name: str, *, suite: Path | None, agent: str | Agent | None
) -> tuple[RunPlan, tuple[Casting, ...]]:
    """A new plan over the cells that failed in an earlier run, marked as such, and what it takes to play it.

    The agent, its settings and the scenarios may have changed since.
    """
    plan = store.plan(store.resolve(name))
    failed = tuple(
        Cell(summary.scenario, summary.trial)
        for summary in store.episodes(plan.run)
        if summary.outcome == "failed"
    )
    if not failed:
        raise WrongUse(f"nothing failed in run {plan.run}")
    _, now, castings = _again(
        store, plan.run, suite=suite, agent=agent, only={cell.scenario for cell in failed}
    )
    note = f"only the {len(failed)} cells that failed in run {plan.run}: no measure of reliability"
    return replace(now, cells=failed, note=note, failed_of=plan.run), castings


def budget_of(max_episodes: int | None, max_cost: str | None) -> Budget:
    """The budget the command line gives. Raises `WrongUse` for a cost that is no amount."""
    if max_cost is None:
        return Budget(episodes=max_episodes)
    try:
        cost = Decimal(max_cost)
    except InvalidOperation:
        cost = Decimal(-1)
    if not cost.is_finite() or cost < 0:
        raise WrongUse(f"--max-cost {max_cost}: give an amount in USD, such as 2.50")
    return Budget(episodes=max_episodes, cost_usd=cost)


def _again(
    store: Store,
    name: str,
    *,
    suite: Path | None,
    agent: str | Agent | None,
    only: Collection[str] | None = None,
) -> tuple[RunPlan, RunPlan, tuple[Casting, ...]]:
    """An earlier plan, the plan that the same command would make now, and what it takes to play it.

    `only` names the scenarios that are needed; otherwise those of the plan.
    """
    plan = store.plan(store.resolve(name))
    if RECORDED in plan.evidence:
        raise WrongUse(f"run {plan.run} was recorded elsewhere and can not be played here")
    acting = _acting(
        agent
        or program_again(plan.agent.kind, plan.agent.settings)
        or adapter_again(plan.agent.name, plan.agent.settings)
        or plan.agent.name
    )
    loaded = open_suite(suite or Path(plan.suite))
    by_id = {scenario.id: scenario for scenario in loaded.scenarios}
    needed = [id for id in plan.planned() if only is None or id in only]
    gone = [id for id in needed if id not in by_id]
    if gone:
        raise WrongUse(f"{loaded.path} no longer has {', '.join(gone)}, which run {plan.run} plays")
    castings = cast(crowded((by_id[id] for id in needed), plan.crowd), agent=acting)
    now = plan_run(
        castings,
        suite=loaded.path,
        suite_digest=loaded.digest,
        agent=acting,
        trials=plan.trials,
        seed=plan.seed,
        attempts=plan.attempts,
        redaction=plan.redaction,
        crowd=plan.crowd,
    )
    return plan, now, castings


def _acting(agent: str | Agent | None) -> Agent | None:
    if isinstance(agent, Agent):
        return agent
    # Playing references is what happens without an agent: contract scenarios are their own reference.
    return None if agent is None or agent == REFERENCE else resolve_agent(agent)
