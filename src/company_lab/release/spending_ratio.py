"""Cost and latency of two runs as ratios, candidate over baseline, paired by scenario."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal

from company_lab.evaluation.statistics import Figure, paired_ratio
from company_lab.release.comparable import Side


def cost_ratio(after: Side, before: Side, scenarios: Iterable[str], confidence: float) -> Figure:
    """Geometric mean over scenarios of the ratio of mean costs, or why there is none."""
    return _ratio("cost ratio", after, before, tuple(scenarios), confidence, _mean_cost)


def latency_ratio(after: Side, before: Side, scenarios: Iterable[str], confidence: float) -> Figure:
    """Geometric mean over scenarios of the ratio of mean wall times, or why there is none."""
    return _ratio("latency ratio", after, before, tuple(scenarios), confidence, _mean_wall)


def mean_cost(side: Side, scenarios: Iterable[str]) -> Decimal | None:
    """Plain mean over scenarios of the mean cost of an episode, in USD; None where one is unknown."""
    means = [_cost_of(side, id) for id in scenarios]
    known = [mean for mean in means if mean is not None]
    return sum(known, Decimal(0)) / len(known) if known and len(known) == len(means) else None


def _cost_of(side: Side, id: str) -> Decimal | None:
    known = [cost for cost in side.costs.get(id, ()) if cost is not None]
    whole = known and len(known) == side.plan.planned()[id]
    return sum(known, Decimal(0)) / len(known) if whole else None


def _mean_cost(side: Side, id: str) -> float | None:
    mean = _cost_of(side, id)
    return None if mean is None else float(mean)


def _mean_wall(side: Side, id: str) -> float | None:
    walls = [wall for wall in side.walls.get(id, ()) if wall is not None]
    return sum(walls) / len(walls) if walls and len(walls) == side.plan.planned()[id] else None


def _above_0(means: dict[str, float]) -> bool:
    return any(mean > 0 for mean in means.values())


def _ratio(
    name: str,
    after: Side,
    before: Side,
    scenarios: tuple[str, ...],
    confidence: float,
    mean: Callable[[Side, str], float | None],
) -> Figure:
    values: list[dict[str, float]] = []
    unknown = not_above_0 = 0
    for side in (after, before):
        known = {id: value for id in scenarios if (value := mean(side, id)) is not None}
        unknown += len(scenarios) - len(known)
        not_above_0 += sum(value <= 0 for value in known.values())
        values.append(known)
    if unknown or not_above_0:
        return Figure(
            name=name,
            estimator="geometric mean over scenarios of A/B",
            value=None,
            n=0,
            N=len(scenarios),
            of="scenarios",
            reason=f"unknown for {unknown} of {2 * len(scenarios)} means"
            if unknown
            else f"0 on {'both sides' if not any(map(_above_0, values)) else 'one side'}: no ratio",
        )
    return paired_ratio(*values, families=after.families, confidence=confidence, name=name).difference
