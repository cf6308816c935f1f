"""Rates where some outcomes are unknown: the worst and the best case (Manski bounds)."""

from __future__ import annotations

from dataclasses import dataclass

from company_lab.evaluation.statistics.arguments import BadCounts, whole
from company_lab.evaluation.statistics.figure import Figure
from company_lab.evaluation.statistics.intervals import success_rate, wilson


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeBounds:
    """Where a success rate can lie when some runs could not be judged."""

    lowest: float
    """Every unknown run failed: passed/N."""
    highest: float
    """Every unknown run passed: (passed+unknown)/N."""
    scored_only: float | None
    """Unknown runs left out; another estimand, never to be shown alone. None where nothing was scored."""
    low: float
    """Lower Wilson limit of the worst case."""
    high: float
    """Upper Wilson limit of the best case."""
    figure: Figure


def outcome_bounds(*, passed: int, failed: int, unknown: int, confidence: float = 0.95) -> OutcomeBounds:
    """Bounds of the success rate over all planned runs; unknown runs stay in the denominator."""
    c, f, u = whole("passed", passed), whole("failed", failed), whole("unknown", unknown)
    planned = c + f + u
    if planned == 0:
        raise BadCounts("there are no runs; bounds need at least one")
    return OutcomeBounds(
        lowest=c / planned,
        highest=(c + u) / planned,
        scored_only=c / (c + f) if c + f else None,
        low=wilson(successes=c, trials=planned, confidence=confidence)[0],
        high=wilson(successes=c + u, trials=planned, confidence=confidence)[1],
        figure=success_rate(successes=c, trials=c + f, planned=planned, confidence=confidence),
    )
