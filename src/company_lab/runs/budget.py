"""Budget: how much a run may use up before it stops of itself."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from company_lab.evaluation.figures import EpisodeSummary


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Bounds over all episodes of one execution. None leaves a side open."""

    episodes: int | None = None
    cost_usd: Decimal | None = None
    """USD as agents report it. When an episode goes beyond it no other is begun."""


@dataclass(slots=True)
class Spending:
    """What has been used up of a budget."""

    budget: Budget
    episodes: int = 0
    cost_usd: Decimal = Decimal(0)
    unpriced: int = 0
    """Episodes whose cost nobody knows."""

    def add(self, summary: EpisodeSummary) -> None:
        """Count an episode, whatever became of it."""
        self.episodes += 1
        if summary.cost_usd is None:
            self.unpriced += 1
        else:
            self.cost_usd += summary.cost_usd

    def used_up(self, *, under_way: int = 0) -> str | None:
        """Why no further episode may be begun while so many are under way, or None."""
        budget = self.budget
        if budget.episodes is not None and self.episodes + under_way >= budget.episodes:
            return f"{self.episodes} episodes were played, as many as may be"
        if budget.cost_usd is None:
            return None
        if self.unpriced:
            return (
                "the cost of an episode is unknown, so the budget can not be kept: "
                "let the agent report its usage, or declare that it calls no model"
            )
        if self.cost_usd >= budget.cost_usd:
            return f"{self.cost_usd} USD were spent of a budget of {budget.cost_usd}"
        return None
