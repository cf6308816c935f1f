"""Two rates: McNemar where it is right, Newcombe for independent runs, and non-inferiority to a margin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb, fsum, sqrt
from typing import Literal

from company_lab.evaluation.statistics.arguments import BadCounts, level, part_of, real, share, whole
from company_lab.evaluation.statistics.distributions import binomial_at_most, binomial_chances
from company_lab.evaluation.statistics.figure import Figure, decimals
from company_lab.evaluation.statistics.intervals import wilson
from company_lab.evaluation.statistics.paired import BadComparison


@dataclass(frozen=True, slots=True, kw_only=True)
class McNemar:
    """The exact test on scenarios where exactly one of two agents passed."""

    only_a: int
    only_b: int
    p: float
    """Two-sided, exact. 1 with no such scenario, which does not say that the two are equal."""
    p_mid: float | None
    """The mid-p version (Fagerland 2013); None where both counts are equal."""


def mcnemar(*, only_a: int, only_b: int) -> McNemar:
    """McNemar's exact test (1947) from the scenarios that only A, and that only B, passed.

    One pair for each scenario. With several trials use `mcnemar_of`, which refuses them, or `paired_difference`.
    """
    a, b = whole("only_a", only_a), whole("only_b", only_b)
    n, fewer = a + b, min(a, b)
    if a == b:
        return McNemar(only_a=a, only_b=b, p=1.0, p_mid=None)
    tail = sum(comb(n, x) for x in range(fewer + 1))
    return McNemar(
        only_a=a,
        only_b=b,
        p=min(1.0, 2 * tail / 2**n),
        p_mid=(2 * tail - comb(n, fewer)) / 2**n,
    )


def mcnemar_of(a: Mapping[str, Sequence[bool]], b: Mapping[str, Sequence[bool]]) -> McNemar:
    """McNemar's test from the outcomes of each scenario's trials.

    Raises `BadComparison` where a scenario has several trials on either side: trial i of A is not paired with
    trial i of B, and scenarios differ, so the test would be wrong (9 and 27 % false alarms at a nominal 5 % in two
    simulations); use `paired_difference`. Raises it also where the scenarios are not the same.
    """
    if set(a) != set(b):
        raise BadComparison("the scenarios of the two sides are not the same; compare those that both have")
    if not a:
        raise BadComparison("there are no scenarios; the test needs pairs")
    several = [scenario for scenario in a if len(a[scenario]) != 1 or len(b[scenario]) != 1]
    if several:
        raise BadComparison(
            f"{several[0]} has {len(a[several[0]])} and {len(b[several[0]])} trials; McNemar's test takes one "
            "pair for each scenario, and trials of different agents are no pairs (use paired_difference)"
        )
    pairs = [(bool(a[scenario][0]), bool(b[scenario][0])) for scenario in a]
    return mcnemar(only_a=pairs.count((True, False)), only_b=pairs.count((False, True)))


def mcnemar_power(*, pairs: int, p_only_a: float, p_only_b: float, alpha: float = 0.05) -> float:
    """Exact chance that McNemar's exact test finds a difference: all counts of discordant pairs enumerated."""
    n = whole("pairs", pairs, least=1)
    pa, pb = share("p_only_a", p_only_a), share("p_only_b", p_only_b)
    if pa + pb > 1:
        raise BadCounts(f"p_only_a and p_only_b add up to {pa + pb:g}; expected at most 1")
    error = level(alpha, name="alpha", like="0.05")
    if pa + pb == 0:
        return 0.0
    chances = binomial_chances(n, min(1.0, pa + pb))
    return fsum(
        chance * _chance_to_reject(discordant, pa / (pa + pb), error)
        for discordant, chance in enumerate(chances)
    )


def _chance_to_reject(discordant: int, rate: float, error: float) -> float:
    """The chance that the exact test rejects, given how many pairs are discordant."""
    most, ways, tail = -1, 1, 0
    limit = int((error + 1e-12) * 2**60) * 2**discordant >> 61
    for x in range((discordant + 1) // 2):
        tail += ways
        if tail > limit:
            break
        most, ways = x, ways * (discordant - x) // (x + 1)
    if most < 0:
        return 0.0
    return binomial_at_most(most, discordant, rate) + binomial_at_most(most, discordant, 1 - rate)


def newcombe(
    *, successes_a: int, trials_a: int, successes_b: int, trials_b: int, confidence: float = 0.95
) -> Figure:
    """Difference A-B of two independent rates, Newcombe's hybrid score interval (1998, method 10).

    Only where the two sides ran different scenarios, or there is one scenario; otherwise pairing is lost, and the
    interval takes scenarios to be alike.
    """
    a, m = part_of("successes_a", successes_a, "trials_a", trials_a)
    b, n = part_of("successes_b", successes_b, "trials_b", trials_b)
    low_a, high_a = wilson(successes=a, trials=m, confidence=confidence)
    low_b, high_b = wilson(successes=b, trials=n, confidence=confidence)
    rate_a, rate_b = a / m, b / n
    difference = rate_a - rate_b
    return Figure(
        name="difference of rates",
        estimator="c1/n1 - c2/n2",
        value=difference,
        n=m + n,
        N=m + n,
        low=max(-1.0, difference - sqrt((rate_a - low_a) ** 2 + (high_b - rate_b) ** 2)),
        high=min(1.0, difference + sqrt((high_a - rate_a) ** 2 + (rate_b - low_b) ** 2)),
        interval="Newcombe",
        level=confidence,
    )


def fisher_exact(*, successes_a: int, trials_a: int, successes_b: int, trials_b: int) -> float:
    """Fisher's exact two-sided p for two independent rates, in whole numbers; for different scenarios only."""
    a, m = part_of("successes_a", successes_a, "trials_a", trials_a)
    b, n = part_of("successes_b", successes_b, "trials_b", trials_b)
    passed = a + b
    ways = [comb(m, x) * comb(n, passed - x) for x in range(max(0, passed - n), min(m, passed) + 1)]
    seen = comb(m, a) * comb(n, b)
    return sum(count for count in ways if count <= seen) / sum(ways)


@dataclass(frozen=True, slots=True, kw_only=True)
class NonInferiority:
    """Whether A may replace B, given how much worse it may be."""

    outcome: Literal["not_worse", "worse", "undecided"]
    margin: float
    difference: Figure
    reason: str

    def __str__(self) -> str:
        return f"{self.outcome.replace('_', ' ')}: {self.reason}"


def non_inferiority(difference: Figure, *, margin: float) -> NonInferiority:
    """Hold a difference A-B against a margin fixed beforehand.

    Not worse where the interval lies above -margin, worse where it lies below, undecided otherwise, and where
    there is no interval. That no difference was found is never a reason to pass. With a two-sided interval at level
    c the chance to pass a truly worse agent is at most (1-c)/2.
    """
    bound = real("margin", margin)
    if bound < 0:
        raise BadCounts(f"margin is {margin!r}; expected how much worse is acceptable, 0 or more")
    low, high = difference.low, difference.high
    if low is None or high is None:
        why = difference.reason or "the difference has no interval"
        return NonInferiority(outcome="undecided", margin=bound, difference=difference, reason=why)
    where = (
        f"the difference lies between {decimals(low)} and {decimals(high)}, the margin is {decimals(-bound)}"
    )
    if low > -bound:
        return NonInferiority(outcome="not_worse", margin=bound, difference=difference, reason=where)
    if high < -bound:
        return NonInferiority(outcome="worse", margin=bound, difference=difference, reason=where)
    return NonInferiority(outcome="undecided", margin=bound, difference=difference, reason=where)
