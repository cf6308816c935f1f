"""Estimate: what a run is going to take, from what the same agent has taken in earlier runs of a store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal

from company_lab.runs.plan import Cell, RunPlan
from company_lab.runs.store import Store

_RUNS = 100
"""Earlier runs that are looked at, the newest ones."""
_ENOUGH = 50
"""Earlier episodes of a scenario after which older runs no longer count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What the episodes of a plan are going to take. Wall time and cost are None where nobody can know."""

    episodes: int
    known: int
    """Episodes whose scenario this agent has played before, as the scenario is now."""
    rests_on: int
    """Earlier episodes looked at."""
    wall_s: float | None
    """Of the known episodes, as many at once as there are hands, without waiting for models' rate limits."""
    cost_usd: Decimal | None
    """Of the known episodes. None where the cost of an earlier one is unknown."""


@dataclass(slots=True)
class _Past:
    """What earlier episodes of one scenario took."""

    episodes: int = 0
    wall_ms: float = 0.0
    timed: int = 0
    cost_usd: Decimal | None = field(default_factory=Decimal)

    def add(self, episodes: int, cost: str | None, wall_ms: float | None) -> None:
        self.episodes += episodes
        if wall_ms is not None:
            self.wall_ms += wall_ms
            self.timed += episodes
        if cost is None or self.cost_usd is None:
            self.cost_usd = None
        else:
            self.cost_usd += Decimal(cost) * episodes


def estimate(store: Store, plan: RunPlan, cells: Iterable[Cell], *, hands: int = 1) -> Estimate:
    """Look at earlier runs of the plan's agent, with the same settings and prompts, and add up per scenario.

    Means of what scenarios took before, times the number of their cells; of the plan's own earlier episodes too.
    """
    wanted = Counter(cell.scenario for cell in cells)
    past = _past(store, plan, set(wanted))
    known = {name: count for name, count in wanted.items() if name in past}
    wall_ms: float | None = 0.0 if known else None
    cost: Decimal | None = Decimal(0) if known else None
    for name, count in known.items():
        before = past[name]
        wall_ms = (
            None if wall_ms is None or not before.timed else wall_ms + count * before.wall_ms / before.timed
        )
        cost = (
            None
            if cost is None or before.cost_usd is None
            else cost + before.cost_usd * count / before.episodes
        )
    at_once = max(1, min(hands, sum(known.values())))
    return Estimate(
        episodes=wanted.total(),
        known=sum(known.values()),
        rests_on=sum(before.episodes for before in past.values()),
        wall_s=None if wall_ms is None else wall_ms / 1000 / at_once,
        cost_usd=cost,
    )


def _past(store: Store, plan: RunPlan, scenarios: set[str]) -> dict[str, _Past]:
    past: dict[str, _Past] = {}
    open_ones = set(scenarios)
    for entry in reversed(store.runs()[-_RUNS:]):
        if not open_ones:
            break
        if entry.agent != plan.agent.name or not entry.stored:
            continue
        earlier = store.plan(entry.run)
        if (earlier.agent, dict(earlier.prompts)) != (plan.agent, dict(plan.prompts)):
            continue
        same = {name for name in open_ones if earlier.scenarios.get(name) == plan.scenarios.get(name)}
        if not same:
            continue
        for scenario, episodes, cost, wall_ms in store.taken(earlier.run):
            if scenario in same:
                past.setdefault(scenario, _Past()).add(episodes, cost, wall_ms)
        open_ones -= {name for name, before in past.items() if before.episodes >= _ENOUGH}
    return past
