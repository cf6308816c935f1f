"""Where the variance of outcomes lies: between scenarios, or between the trials of one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import fsum

from company_lab.evaluation.statistics.arguments import BadCounts, reals


@dataclass(frozen=True, slots=True, kw_only=True)
class VarianceSplit:
    """One-way random effects, by analysis of variance."""

    scenarios: int
    runs: int
    mean_square_between: float
    mean_square_within: float
    between_raw: float
    """(MSB-MSW)/m; negative where chance alone explains the differences."""
    between: float
    """The same, at least 0; `negative` says that it was raised to 0."""
    negative: bool
    within: float
    icc: float | None
    """ICC(1): share of variance between scenarios, at least 0. None where nothing varies."""
    design_effect: float | None
    """1 + (m-1) ICC: how many runs one independent run is worth."""
    effective_runs: float | None
    """Runs divided by the design effect."""

    def __str__(self) -> str:
        said = f"between scenarios {self.between:.4f}, within {self.within:.4f}"
        if self.icc is not None and self.effective_runs is not None:
            said += (
                f", ICC(1) {self.icc:.3f}, {self.runs} runs worth {self.effective_runs:.1f} independent ones"
            )
        else:
            said += ", ICC undefined (nothing varies)"
        if self.negative:
            said += f" (the estimate between scenarios was {self.between_raw:.4f} and is shown as 0)"
        return f"variance {said}; {self.scenarios} scenarios"


def variance_split(runs: Mapping[str, Iterable[float]]) -> VarianceSplit:
    """Split the variance of outcomes. m is the mean number of trials, corrected where they differ.

    Raises `BadCounts` with fewer than two scenarios, or where none has two trials.
    """
    groups = [reals(f"runs of {scenario}", list(outcomes)) for scenario, outcomes in runs.items()]
    count, size = len(groups), sum(map(len, groups))
    if count < 2 or size == count:
        raise BadCounts(
            f"{count} scenarios with {size} runs; a split needs at least 2 scenarios and one with 2 trials"
        )
    grand = fsum(value for group in groups for value in group) / size
    means = [fsum(group) / len(group) for group in groups]
    between = fsum(len(group) * (mean - grand) ** 2 for group, mean in zip(groups, means, strict=True))
    within = fsum((value - mean) ** 2 for group, mean in zip(groups, means, strict=True) for value in group)
    msb, msw = between / (count - 1), within / (size - count)
    m = (size - sum(len(group) ** 2 for group in groups) / size) / (count - 1)
    whole = msb + (m - 1) * msw
    icc = max(0.0, (msb - msw) / whole) if whole else None
    effect = None if icc is None else 1 + (m - 1) * icc
    raw = (msb - msw) / m
    return VarianceSplit(
        scenarios=count,
        runs=size,
        mean_square_between=msb,
        mean_square_within=msw,
        between_raw=raw,
        between=max(0.0, raw),
        negative=raw < 0,
        within=msw,
        icc=icc,
        design_effect=effect,
        effective_runs=None if effect is None else size / effect,
    )
