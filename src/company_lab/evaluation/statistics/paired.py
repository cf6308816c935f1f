"""Two agents on the same scenarios: the difference scenario by scenario, never trial by trial.

Trial i of one agent has nothing to do with trial i of the other, so the pair is the scenario, and the family
where scenarios share one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import exp, fsum, lcm, log, sqrt

from company_lab.evaluation.statistics.across import (
    by_family,
    clustered_error,
    grouped,
    mean_over_scenarios,
    nothing_varies,
    plain_mean,
)
from company_lab.evaluation.statistics.arguments import BadCounts, exact, level, real, whole
from company_lab.evaluation.statistics.distributions import t_two_sided
from company_lab.evaluation.statistics.figure import Figure, decimals
from company_lab.evaluation.statistics.repetition import all_passed_bound
from company_lab.evaluation.statistics.resampling import signs
from company_lab.formats.errors import WrongUse

MOST_SUMS = 200_000
"""Sign flips are exact as long as their sums take at most so many values; beyond, they are sampled."""


class BadComparison(WrongUse, ValueError):
    """A comparison that the data does not allow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignFlip:
    """The sign-flip permutation test of a mean difference of 0."""

    p: float
    """Two-sided: the share of sign patterns whose mean is at least as far from 0 as the one seen."""
    smallest: float
    """The smallest p that so many units can give, 2/2^G."""
    exact: bool
    """Whether all patterns were counted; otherwise they were sampled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paired:
    """A minus B over the same scenarios."""

    difference: Figure
    """Mean difference with its t interval, families together."""
    standard_error: float | None
    """None with fewer than two families."""
    unpaired_error: float | None
    """What the error would be had the pairing been ignored; for orientation only."""
    t: float | None
    """None where no two families differ."""
    t_p: float | None
    sign_flip: SignFlip

    def __str__(self) -> str:
        t = f", paired t p {decimals(self.t_p)}" if self.t_p is not None else ""
        return f"{self.difference}, sign-flip p {decimals(self.sign_flip.p)}{t}"


def paired_difference(
    a: Mapping[str, float | Fraction],
    b: Mapping[str, float | Fraction],
    *,
    families: Mapping[str, str] | None = None,
    confidence: float = 0.95,
    name: str = "mean difference",
    within: tuple[float, float] | None = (-1.0, 1.0),
    seed: int = 0,
) -> Paired:
    """Compare two agents by a figure of each scenario, A minus B.

    Raises `BadComparison` where the scenarios are not the same, and `BadCounts` where there are none.
    """
    different = sorted(set(a) ^ set(b))
    if different:
        named = ", ".join(different[:5]) + (", ..." if len(different) > 5 else "")
        raise BadComparison(
            f"{len(different)} scenarios are on one side only ({named}); compare those that both sides have"
        )
    if not a:
        raise BadCounts("there are no scenarios; a comparison needs at least one")
    differences = {scenario: exact(a[scenario]) - exact(b[scenario]) for scenario in a}
    groups = grouped(differences, families)
    difference = mean_over_scenarios(
        differences, families=families, confidence=confidence, within=within, name=name
    )
    error = clustered_error(groups) if len(groups) > 1 else None
    alone = [[[real(scenario, value)] for scenario, value in side.items()] for side in (a, b)]
    t = None if error is None or nothing_varies(groups) else plain_mean(groups) / error
    return Paired(
        difference=difference,
        standard_error=error,
        unpaired_error=sqrt(fsum(clustered_error(side) ** 2 for side in alone)) if len(a) > 1 else None,
        t=t,
        t_p=None if t is None else t_two_sided(t, len(groups) - 1),
        sign_flip=sign_flip(
            [sum(group, Fraction(0)) for group in by_family(differences, families)], seed=seed
        ),
    )


def paired_ratio(
    a: Mapping[str, float],
    b: Mapping[str, float],
    *,
    families: Mapping[str, str] | None = None,
    confidence: float = 0.95,
    name: str = "ratio",
    seed: int = 0,
) -> Paired:
    """Compare cost or latency: the geometric mean of A/B over scenarios, by paired differences of logarithms.

    `difference` then holds the ratio; errors and t are those of the logarithm. Raises `BadCounts` where a value
    is not above 0 (a cost of 0 has no ratio), and as `paired_difference` does.
    """
    for side in (a, b):
        for scenario, value in side.items():
            if real(f"the value of {scenario}", value) <= 0:
                raise BadCounts(f"the value of {scenario} is {value!r}; a ratio needs values above 0")
    logs = [{scenario: log(value) for scenario, value in side.items()} for side in (a, b)]
    found = paired_difference(
        *logs, families=families, confidence=confidence, name=name, within=None, seed=seed
    )
    figure = found.difference
    return Paired(
        difference=replace(
            figure,
            estimator="geometric mean over scenarios of A/B",
            value=None if figure.value is None else exp(figure.value),
            low=None if figure.low is None else exp(figure.low),
            high=None if figure.high is None else exp(figure.high),
            interval=f"{figure.interval} of logarithms" if figure.interval else "",
            unit="times",
        ),
        standard_error=found.standard_error,
        unpaired_error=found.unpaired_error,
        t=found.t,
        t_p=found.t_p,
        sign_flip=found.sign_flip,
    )


def both_passed(*, runs_a: int, runs_b: int, k: int = 1, confidence: float = 0.95) -> Figure:
    """The difference of mean pass^k where every run of both agents passed: bounded, not 0.

    Two exact one-sided bounds, each at half the error: A-B lies between alpha_half^(k/N_a) - 1 and
    1 - alpha_half^(k/N_b). Nobody has shown that the two are equal.
    """
    half = (1 + level(confidence)) / 2
    return Figure(
        name=f"difference of mean pass^{k}",
        estimator="plain mean over scenarios",
        value=0.0,
        n=whole("runs_a", runs_a) + whole("runs_b", runs_b),
        N=runs_a + runs_b,
        low=all_passed_bound(trials=runs_a, k=k, confidence=half) - 1,
        high=1 - all_passed_bound(trials=runs_b, k=k, confidence=half),
        interval="exact, both sides",
        level=confidence,
        reason="every run of both passed",
    )


def sign_flip(differences: Sequence[float | Fraction], *, seed: int = 0, times: int = 19_999) -> SignFlip:
    """The sign-flip permutation test (Fisher): under no difference each sign is as likely as the other.

    Give one sum of differences for each family. All 2^G patterns are counted; only where their sums take more
    than `MOST_SUMS` values are `times` of them sampled, and p is then (hits+1)/(times+1).
    """
    if not differences:
        raise BadCounts("there are no differences; the test needs at least one")
    values = [exact(value) for value in differences]
    scale = lcm(*(value.denominator for value in values))
    whole_values = [int(value * scale) for value in values]
    seen = abs(sum(whole_values))
    smallest = min(1.0, 2.0 ** (1 - len(values)))
    counts = _sums([abs(value) for value in whole_values if value])
    if counts is not None:
        total = sum(counts.values())
        hits = sum(count for reached, count in counts.items() if abs(reached) >= seen)
        return SignFlip(p=hits / total, smallest=smallest, exact=True)
    import numpy

    sizes = numpy.array([float(value) for value in values])
    least = abs(float(sum(values))) * (1 - 1e-12)
    hits = sum(
        int((numpy.abs(table @ sizes) >= least).sum())
        for table in signs(items=len(values), times=times, seed=seed, purpose="sign flips")
    )
    return SignFlip(p=(hits + 1) / (times + 1), smallest=max(smallest, 1 / (times + 1)), exact=False)


def _sums(sizes: Sequence[int]) -> dict[int, int] | None:
    counts = {0: 1}
    for size in sizes:
        following: dict[int, int] = {}
        for reached, count in counts.items():
            following[reached + size] = following.get(reached + size, 0) + count
            following[reached - size] = following.get(reached - size, 0) + count
        if len(following) > MOST_SUMS:
            return None
        counts = following
    return counts
