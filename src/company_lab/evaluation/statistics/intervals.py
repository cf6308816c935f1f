"""Intervals of one success rate: Wilson, Clopper-Pearson, Jeffreys, and how often each holds the truth."""

from __future__ import annotations

from math import fsum, sqrt
from typing import Literal, Protocol

from company_lab.evaluation.statistics.arguments import BadCounts, level, part_of, share, whole
from company_lab.evaluation.statistics.distributions import (
    beta_quantile,
    binomial_chances,
    two_sided_z,
)
from company_lab.evaluation.statistics.figure import Figure

Method = Literal["wilson", "clopper_pearson", "jeffreys"]


class RateInterval(Protocol):
    """A function that makes an interval of a rate from counts."""

    def __call__(self, *, successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
        """The lower and the upper end."""
        ...


def wilson(*, successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """The Wilson score interval of a success rate (Wilson 1927), two-sided, exactly 0 or 1 at the ends.

    Covers on average, not always: 0.914 at n=10, p=0.95. Where a gate rests on it, use an exact interval.
    Raises `BadCounts` for n = 0, c > n, negative or non-integer counts, a confidence outside (0, 1).
    """
    c, n = part_of("successes", successes, "trials", trials)
    z = two_sided_z(confidence)
    rate, z2 = c / n, z * z
    middle = rate + z2 / (2 * n)
    reach = z * sqrt(rate * (1 - rate) / n + z2 / (4 * n * n))
    scale = 1 + z2 / n
    low = 0.0 if c == 0 else max(0.0, (middle - reach) / scale)
    high = 1.0 if c == n else min(1.0, (middle + reach) / scale)
    return low, high


def clopper_pearson(*, successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """The exact interval (Clopper, Pearson 1934), two-sided with equal tails, from beta quantiles.

    Never covers less than it says, usually more (0.977 to 0.991 on average over rates for n = 5 to 20). For
    guarantees; raises as `wilson` does.
    """
    c, n = part_of("successes", successes, "trials", trials)
    tail = (1 - level(confidence)) / 2
    low = 0.0 if c == 0 else _exact_low(c, n, tail)
    high = 1.0 if c == n else 1 - _exact_low(n - c, n, tail)
    return low, high


def _exact_low(c: int, n: int, tail: float) -> float:
    # all of n: the closed form keeps digits that the beta quantile loses
    return float(tail ** (1 / n)) if c == n else beta_quantile(tail, c, n - c + 1)


def jeffreys(
    *, successes: int, trials: int, confidence: float = 0.95, edge_rule: bool = True
) -> tuple[float, float]:
    """Equal-tailed interval of the Beta(c+1/2, n-c+1/2) posterior (Brown, Cai, DasGupta 2001).

    With `edge_rule` exactly 0 at c = 0 and 1 at c = n. Shorter than Clopper-Pearson; can dip to 0.885 coverage
    (n = 50, p = 0.95). Raises as `wilson` does; for n = 0 there is a prior and no figure.
    """
    c, n = part_of("successes", successes, "trials", trials)
    tail = (1 - level(confidence)) / 2
    low = 0.0 if edge_rule and c == 0 else beta_quantile(tail, c + 0.5, n - c + 0.5)
    high = 1.0 if edge_rule and c == n else 1 - beta_quantile(tail, n - c + 0.5, c + 0.5)
    return low, high


_METHODS: dict[str, tuple[RateInterval, str]] = {
    "wilson": (wilson, "Wilson"),
    "clopper_pearson": (clopper_pearson, "Clopper-Pearson"),
    "jeffreys": (jeffreys, "Jeffreys"),
}


def interval_of(method: str) -> RateInterval:
    """The function behind a method's name. Raises `BadCounts` for another name."""
    if method not in _METHODS:
        raise BadCounts(f"method is {method!r}; expected one of {', '.join(_METHODS)}")
    return _METHODS[method][0]


def success_rate(
    *,
    successes: int,
    trials: int,
    planned: int | None = None,
    confidence: float = 0.95,
    method: Method = "wilson",
) -> Figure:
    """The success rate of one scenario as a `Figure`.

    Of `planned` trials those beyond `trials` are unknown: there is then no value, and the interval runs from
    the worst case (all of them failed) to the best (all passed).
    """
    c, n = part_of("successes", successes, "trials", trials, none_allowed=True)
    cells = n if planned is None else whole("planned", planned, least=n)
    if cells == 0:
        raise BadCounts("there are no trials; the figure needs at least one")
    interval = interval_of(method)
    return Figure(
        name="success rate",
        estimator="c/N",
        value=c / n if cells == n else None,
        n=n,
        N=cells,
        low=interval(successes=c, trials=cells, confidence=confidence)[0],
        high=interval(successes=c + cells - n, trials=cells, confidence=confidence)[1],
        interval=_METHODS[method][1],
        level=confidence,
        reason="" if cells == n else f"{cells - n} of {cells} outcomes unknown",
    )


def exact_coverage(interval: RateInterval, *, trials: int, rate: float, confidence: float = 0.95) -> float:
    """How often `interval` holds `rate`, exactly: binomial probabilities of the counts whose interval does."""
    n, p = whole("trials", trials, least=1), share("rate", rate)

    def holds(c: int) -> bool:
        low, high = interval(successes=c, trials=n, confidence=confidence)
        return low <= p <= high

    return fsum(chance for c, chance in enumerate(binomial_chances(n, p)) if holds(c))
