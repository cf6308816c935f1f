"""Before a run: how many scenarios and runs a claim needs, and what a gate would let through."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import asin, ceil, sqrt

from company_lab.evaluation.statistics.arguments import BadCounts, level, real, share, whole
from company_lab.evaluation.statistics.distributions import binomial_at_most, normal_quantile, normal_tail

DEFAULT_RATES = (0.0, 0.0001, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
"""Failure rates at which an operating curve is drawn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleSize:
    """How many scenarios a paired comparison needs."""

    exact: float
    scenarios: int
    """The same, rounded up."""
    least: int
    """Needed even with endless trials; more trials can not push the number below it."""


def scenarios_needed(
    *,
    between_variance: float,
    within_variance_a: float,
    within_variance_b: float,
    trials_a: int,
    trials_b: int,
    difference: float,
    alpha: float = 0.05,
    power: float = 0.8,
) -> SampleSize:
    """Scenarios for a paired comparison: (z_(1-alpha/2) + z_power)^2 (w^2 + s_a^2/K_a + s_b^2/K_b)/d^2 (Miller 2024).

    `between_variance` is the variance over scenarios of the true difference, the other two are those of one
    trial within a scenario. A normal approximation.
    """
    between = _not_negative("between_variance", between_variance)
    noise = _not_negative("within_variance_a", within_variance_a) / whole("trials_a", trials_a, least=1)
    noise += _not_negative("within_variance_b", within_variance_b) / whole("trials_b", trials_b, least=1)
    d = real("difference", difference)
    if d == 0:
        raise BadCounts("difference is 0; no number of scenarios shows a difference of 0")
    z, z_power = _levels(alpha, power)
    factor = (z + z_power) ** 2 / d**2
    needed = factor * (between + noise)
    return SampleSize(exact=needed, scenarios=max(2, ceil(needed)), least=max(2, ceil(factor * between)))


def runs_per_side_needed(*, rate_a: float, rate_b: float, alpha: float = 0.05, power: float = 0.8) -> float:
    """Runs on each side to tell two independent rates apart, by Cohen's h (1988): 2 (x/h)^2, unrounded.

    h = 2 asin(sqrt(p1)) - 2 asin(sqrt(p2)), and x solves P(Z > z-x) + P(Z < -z-x) = power. For different scenarios
    on the two sides, or one scenario; paired scenarios need fewer.
    """
    h = 2 * asin(sqrt(share("rate_a", rate_a))) - 2 * asin(sqrt(share("rate_b", rate_b)))
    if h == 0:
        raise BadCounts(f"both rates are {rate_a}; no number of runs tells equal rates apart")
    z, z_power = _levels(alpha, power)
    low, high = 0.0, z + max(0.0, z_power) + 1
    for _ in range(80):
        middle = (low + high) / 2
        if normal_tail(middle - z) + normal_tail(-middle - z) < power:
            low = middle
        else:
            high = middle
    return 2 * (high / h) ** 2


def gate_pass_probability(*, runs: int, allowed: int, rate: float) -> float:
    """The chance that a gate of `runs` runs with `allowed` failures passes an agent with this failure rate."""
    n, a = whole("runs", runs, least=1), whole("allowed", allowed)
    return binomial_at_most(a, n, share("rate", rate))


def operating_curve(
    *, runs: int, allowed: int = 0, rates: Iterable[float] = DEFAULT_RATES
) -> tuple[tuple[float, float], ...]:
    """(failure rate, chance to pass) for each rate: what the gate lets through, and what it blocks in error."""
    return tuple((rate, gate_pass_probability(runs=runs, allowed=allowed, rate=rate)) for rate in rates)


def chance_over_attempts(*, chance: float, attempts: int) -> float:
    """1-(1-chance)^attempts: what repeating a failed gate does to the chance to pass. 0.05 becomes 0.14 in three."""
    return float(1 - (1 - share("chance", chance)) ** whole("attempts", attempts, least=1))


def _levels(alpha: float, power: float) -> tuple[float, float]:
    """The normal quantiles of a two-sided test at `alpha` and of its power, which chance alone gives up to `alpha`."""
    error, reached = level(alpha, name="alpha", like="0.05"), level(power, name="power", like="0.8")
    if reached <= error:
        raise BadCounts(f"power is {power} with alpha {alpha}; expected a power above alpha")
    return -normal_quantile(error / 2), normal_quantile(reached)


def _not_negative(name: str, value: float) -> float:
    number = real(name, value)
    if number < 0:
        raise BadCounts(f"{name} is {value!r}; expected 0 or more")
    return number
