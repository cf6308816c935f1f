"""Means over scenarios with an interval: by Student's t, by BCa, and by the exact bound where all passed.

Scenarios of one family share a template or records, so they are not separate evidence: families are the units
that vary, and the interval speaks of scenarios like these. Trials are never resampled, since that centres pass^k
at (c/n)^k instead of C(c,k)/C(n,k).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import fsum, sqrt
from typing import Literal, TypeVar

from company_lab.evaluation.statistics.arguments import BadCounts, level, real, reals, whole
from company_lab.evaluation.statistics.distributions import normal_quantile, normal_tail, t_quantile
from company_lab.evaluation.statistics.figure import Figure
from company_lab.evaluation.statistics.repetition import all_passed_bound
from company_lab.evaluation.statistics.resampling import resamples

Value = TypeVar("Value")

FEW_FAMILIES = 5
"""Below so many, an interval over families is printed with a warning."""


def grouped(
    values: Mapping[str, float | Fraction], families: Mapping[str, str] | None = None
) -> tuple[tuple[float, ...], ...]:
    """The values family by family; a scenario without a family is one of its own."""
    numbers = {scenario: real(f"the value of {scenario}", value) for scenario, value in values.items()}
    return tuple(map(tuple, by_family(numbers, families)))


def by_family(values: Mapping[str, Value], families: Mapping[str, str] | None) -> list[list[Value]]:
    """As `grouped`, for values of any kind."""
    groups: dict[tuple[bool, str], list[Value]] = {}
    for scenario, value in values.items():
        family = (families or {}).get(scenario)
        groups.setdefault((family is None, scenario if family is None else family), []).append(value)
    return list(groups.values())


def plain_mean(groups: Sequence[Sequence[float]]) -> float:
    """The mean over all values; each scenario counts the same, however large its family."""
    return fsum(value for group in groups for value in group) / sum(map(len, groups))


def clustered_error(groups: Sequence[Sequence[float]]) -> float:
    """Standard error of the plain mean with families kept together (CR1).

    sqrt(sum over families of (sum of deviations)^2)/N, times sqrt(G/(G-1)) (Miller 2024, appendix). With one
    scenario in each family it is sd/sqrt(T). Raises `BadCounts` for fewer than two families.
    """
    count = len(groups)
    if count < 2:
        raise BadCounts(f"{count} families; a standard error needs at least 2")
    mean = plain_mean(groups)
    size = sum(map(len, groups))
    squares = fsum(fsum(value - mean for value in group) ** 2 for group in groups)
    return sqrt(squares) / size * sqrt(count / (count - 1))


def nothing_varies(groups: Sequence[Sequence[float]]) -> bool:
    """Whether the families differ by no more than rounding does, so that an interval would have no width."""
    largest = max(abs(value) for group in groups for value in group)
    return clustered_error(groups) <= 1e-14 * max(1.0, largest)


def t_interval(groups: Sequence[Sequence[float]], *, confidence: float = 0.95) -> tuple[float, float]:
    """Mean plus and minus t(G-1) standard errors, unclipped. Raises `BadCounts` for fewer than two families."""
    reach = t_quantile((1 + level(confidence)) / 2, len(groups) - 1) * clustered_error(groups)
    mean = plain_mean(groups)
    return mean - reach, mean + reach


def resampled_means(
    groups: Sequence[Sequence[float]], *, times: int = 9_999, seed: int = 0, purpose: str = "means"
) -> list[float]:
    """Means of `times` resamples of families, sorted. The exact bootstrap standard error is sqrt(sum d^2)/T."""
    import numpy

    if not groups:
        raise BadCounts("there are no scenarios; resampling needs at least one")
    sums = numpy.array([fsum(group) for group in groups])
    sizes = numpy.array([float(len(group)) for group in groups])
    found: list[float] = []
    for rows in resamples(
        items=len(groups), times=whole("times", times, least=1), seed=seed, purpose=purpose
    ):
        found.extend((sums[rows].sum(axis=1) / sizes[rows].sum(axis=1)).tolist())
    found.sort()
    return found


def bca_interval(
    groups: Sequence[Sequence[float]], *, confidence: float = 0.95, times: int = 9_999, seed: int = 0
) -> tuple[float, float]:
    """Bias-corrected and accelerated bootstrap (Efron 1987) of the mean, resampling whole families.

    Raises `BadCounts` for fewer than two families, or where all have the same mean: nothing varies then.
    """
    count = len(groups)
    if count < 2:
        raise BadCounts(f"{count} families; resampling needs at least 2")
    mean = plain_mean(groups)
    if nothing_varies(groups):
        raise BadCounts("every family has the same mean; resampling shows no variation")
    means = resampled_means(groups, times=times, seed=seed, purpose="bca")
    slack = 1e-12 * max(1.0, abs(mean))
    below = sum(value < mean - slack for value in means)
    level_with = sum(abs(value - mean) <= slack for value in means)
    share = min(max((below + level_with / 2) / times, 0.5 / times), 1 - 0.5 / times)
    shift = normal_quantile(share)
    acceleration = _acceleration(groups)

    def end(z: float) -> float:
        moved = shift + z
        return _quantile(means, normal_tail(shift + moved / (1 - acceleration * moved)))

    z = normal_quantile((1 + level(confidence)) / 2)
    return end(-z), end(z)


def _acceleration(groups: Sequence[Sequence[float]]) -> float:
    total = fsum(value for group in groups for value in group)
    size = sum(map(len, groups))
    left = [(total - fsum(group)) / (size - len(group)) for group in groups]
    middle = fsum(left) / len(left)
    gaps = [middle - value for value in left]
    squares = fsum(gap**2 for gap in gaps)
    return fsum(gap**3 for gap in gaps) / (6 * squares**1.5) if squares else 0.0


def _quantile(ordered: Sequence[float], share: float) -> float:
    place = share * (len(ordered) - 1)
    first = min(int(place), len(ordered) - 1)
    second = min(first + 1, len(ordered) - 1)
    return ordered[first] + (place - first) * (ordered[second] - ordered[first])


def mean_over_scenarios(
    values: Mapping[str, float | Fraction],
    *,
    families: Mapping[str, str] | None = None,
    confidence: float = 0.95,
    method: Literal["t", "bca"] = "t",
    within: tuple[float, float] | None = (0.0, 1.0),
    name: str = "mean over scenarios",
    planned: int | None = None,
    seed: int = 0,
) -> Figure:
    """The plain mean over scenarios with an interval for scenarios like these.

    `values` are one figure for each scenario, such as its pass^k; `families` names the family of those that
    have one. The interval is clipped to `within`. There is none, and `reason` says why, with fewer than two
    families or where no two differ: a width of 0 would claim certainty. Where every run passed use
    `all_passed`. Of `planned` scenarios those beyond `values` are missing, and there is then no value.
    """
    groups = grouped(values, families)
    size = len(values)
    expected = size if planned is None else whole("planned", planned, least=size)
    bare = Figure(
        name=name,
        estimator="plain mean over scenarios",
        value=None,
        n=size,
        N=expected,
        of="scenarios",
        level=level(confidence),
    )
    if not size:
        return replace(bare, reason="no scenarios")
    if size < expected:
        return replace(bare, reason=f"{expected - size} of {expected} scenarios have no figure")
    mean = plain_mean(groups)
    if len(groups) < 2:
        return replace(
            bare, value=mean, reason="no interval: one scenario or family says nothing about others"
        )
    if nothing_varies(groups):
        same = "scenario has the same value" if len(groups) == size else "family has the same mean"
        return replace(bare, value=mean, reason=f"no interval: every {same}")
    if method == "bca":
        low, high = bca_interval(groups, confidence=confidence, seed=seed)
    else:
        low, high = t_interval(groups, confidence=confidence)
    if within is not None:
        low, high = max(low, within[0]), min(high, within[1])
    unit = "scenarios" if len(groups) == size else f"{len(groups)} families"
    few = f"{len(groups)} units are few for an interval" if len(groups) < FEW_FAMILIES else ""
    label = f"{'BCa' if method == 'bca' else 't'} over {unit}"
    return replace(bare, value=mean, low=low, high=high, interval=label, reason=few)


def all_passed(*, runs: int, k: int = 1, confidence: float = 0.95, scenarios: int | None = None) -> Figure:
    """Mean pass^k where every one of `runs` runs passed: at least alpha^(k/N), never an interval of width 0.

    Speaks of exactly these scenarios, weighted by their share of the runs.
    """
    over = f" over these {scenarios} scenarios" if scenarios is not None else ""
    return Figure(
        name=f"mean pass^{k}{over}",
        estimator="plain mean over scenarios",
        value=1.0,
        n=runs,
        N=runs,
        low=all_passed_bound(trials=runs, k=k, confidence=confidence),
        interval="exact one-sided, alpha^(k/N)",
        level=confidence,
        sides="lower",
        reason="every run passed",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class StandardErrors:
    """The mean over runs and over scenarios, with and without regard to which scenario a run belongs to."""

    run_mean: float
    """Mean over all runs; scenarios with more runs weigh more."""
    scenario_mean: float
    """Mean of the scenario means; each scenario weighs the same."""
    naive: float | None
    """As if all runs were independent; too small where scenarios differ. None for one run."""
    clustered: float
    """CR0: sqrt(sum over scenarios of (sum of deviations)^2)/N."""
    clustered_corrected: float | None
    """CR1: CR0 times sqrt(G/(G-1)). None for one scenario."""
    over_scenarios: float | None
    """sd of the scenario means over sqrt(T); the default here. None for one scenario."""


def standard_errors(runs: Mapping[str, Iterable[float]]) -> StandardErrors:
    """Standard errors of the mean outcome, from the outcomes (0 or 1, or scores) of each scenario's runs."""
    groups = [reals(f"runs of {scenario}", list(outcomes)) for scenario, outcomes in runs.items()]
    if not groups:
        raise BadCounts("there are no scenarios; a mean needs at least one")
    every = [value for group in groups for value in group]
    size, count = len(every), len(groups)
    mean = plain_mean(groups)
    means = [[fsum(group) / len(group)] for group in groups]
    plain = sqrt(fsum(fsum(value - mean for value in group) ** 2 for group in groups)) / size
    spread = fsum((value - mean) ** 2 for value in every)
    return StandardErrors(
        run_mean=mean,
        scenario_mean=plain_mean(means),
        naive=sqrt(spread / (size - 1) / size) if size > 1 else None,
        clustered=plain,
        clustered_corrected=clustered_error(groups) if count > 1 else None,
        over_scenarios=clustered_error(means) if count > 1 else None,
    )
