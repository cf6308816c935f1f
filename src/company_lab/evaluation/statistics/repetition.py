"""Repetition: pass^k and pass@k of one scenario, and their plain mean over scenarios.

Each figure takes the counts of one scenario. Across scenarios the values are averaged, the counts never pooled.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import comb, exp, expm1, fsum, log1p, perm
from typing import Literal

from company_lab.evaluation.statistics.arguments import BadCounts, level, part_of, share, whole
from company_lab.evaluation.statistics.figure import Figure
from company_lab.evaluation.statistics.intervals import interval_of

_EXACT_FACTORS = 4096
"""Up to this many factors a float is rounded once from the exact value; beyond, summed logarithms."""


def pass_k(*, successes: int, trials: int, k: int) -> float:
    """Chance that k different trials out of these all passed: C(c,k)/C(n,k) (Yao et al. 2024).

    The unbiased estimate of p^k; (c/n)^k is not. Raises `BadCounts` for k < 1, k > n, n = 0, c > n,
    negative or non-integer counts: with fewer than k trials there is no estimate, neither 0 nor 1.
    """
    c, n, k = _counts(successes, trials, k)
    return _share(c, n, k)


def pass_k_exact(*, successes: int, trials: int, k: int) -> Fraction:
    """`pass_k` as a fraction, nothing rounded."""
    c, n, k = _counts(successes, trials, k)
    return _exact_share(c, n, k)


def pass_at_k(*, successes: int, trials: int, k: int) -> float:
    """Chance that at least one of k different trials passed: 1 - C(n-c,k)/C(n,k) (Chen et al. 2021).

    Raises `BadCounts` where `pass_k` does.
    """
    c, n, k = _counts(successes, trials, k)
    if min(k, c) <= _EXACT_FACTORS:
        exact = 1 - _exact_share(n - c, n, k)
        return exact.numerator / exact.denominator
    logarithm = _log_share(n - c, n, k)
    return 1.0 if logarithm is None else -expm1(logarithm)


def pass_at_k_exact(*, successes: int, trials: int, k: int) -> Fraction:
    """`pass_at_k` as a fraction, nothing rounded."""
    c, n, k = _counts(successes, trials, k)
    return 1 - _exact_share(n - c, n, k)


def all_passed_bound(*, trials: int, k: int = 1, confidence: float = 0.95) -> float:
    """One-sided lower bound on the mean pass^k when all of `trials` runs passed: alpha^(k/N).

    `trials` counts the runs of all scenarios together. The exact zero-failure bound on the mean rate, then
    Jensen; it speaks of these scenarios only, weighted by their share of the runs.
    """
    n, k = whole("trials", trials), whole("k", k)
    if n == 0 or k == 0:
        raise BadCounts(f"{n} trials, k={k}; the bound needs at least one trial and k of at least 1")
    return float((1 - level(confidence)) ** (k / n))


def mean_pass_k(counts: Iterable[tuple[int, int]], k: int) -> float:
    """The plain mean over scenarios of pass^k, from (successes, trials) of each.

    Raises `BadCounts` where one scenario has fewer than k trials: leaving it out, or lowering k, would
    estimate something else.
    """
    return _mean([pass_k_exact(successes=c, trials=n, k=k) for c, n in counts])


def mean_pass_at_k(counts: Iterable[tuple[int, int]], k: int) -> float:
    """The plain mean over scenarios of pass@k, from (successes, trials) of each; see `mean_pass_k`."""
    return _mean([pass_at_k_exact(successes=c, trials=n, k=k) for c, n in counts])


def pass_k_interval(
    *,
    successes: int,
    trials: int,
    k: int,
    confidence: float = 0.95,
    method: Literal["wilson", "clopper_pearson", "jeffreys"] = "wilson",
) -> tuple[float, float]:
    """Interval of p^k for one scenario: the interval of p, both ends to the power k.

    Right for one scenario, whose p is one number. The power of an interval pooled over scenarios is wrong:
    in simulations of 20 scenarios it covers 0.36 to 0.83 at a nominal 0.95 for k = 4.
    """
    c, n, k = _counts(successes, trials, k)
    low, high = interval_of(method)(successes=c, trials=n, confidence=confidence)
    return low**k, high**k


def reliability(
    *, successes: int, trials: int, k: int, planned: int | None = None, confidence: float = 0.95
) -> Figure:
    """pass^k of one scenario as a `Figure`, with the Wilson interval to the power k.

    Of `planned` trials those beyond `trials` are unknown: there is then no value, and the interval runs from
    the worst case (all of them failed) to the best (all passed).
    """
    c, n = part_of("successes", successes, "trials", trials, none_allowed=True)
    cells = n if planned is None else whole("planned", planned, least=n)
    worst = pass_k_interval(successes=c, trials=cells, k=k, confidence=confidence)
    best = pass_k_interval(successes=c + cells - n, trials=cells, k=k, confidence=confidence)
    return Figure(
        name=f"pass^{k}",
        estimator="C(c,k)/C(n,k)",
        value=pass_k(successes=c, trials=n, k=k) if cells == n else None,
        n=n,
        N=cells,
        low=worst[0],
        high=best[1],
        interval=f"Wilson to the power {k}" if k > 1 else "Wilson",
        level=confidence,
        reason="" if cells == n else f"{cells - n} of {cells} outcomes unknown",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """What two estimators of p^k give on average over all runs, beside the truth."""

    unbiased: float
    """Mean of C(c,k)/C(n,k)."""
    plug_in: float
    """Mean of (c/n)^k, which is too friendly."""
    truth: float
    """p^k."""


def expected_pass_k(*, trials: int, k: int, rate: float | Fraction) -> Expectation:
    """Exact means of both estimators of p^k over c from Binomial(n, p): why (c/n)^k is never used."""
    _, n, k = _counts(0, trials, k)
    share("rate", rate)
    p = Fraction(rate)
    chances = [comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)]
    unbiased = sum((chance * _exact_share(c, n, k) for c, chance in enumerate(chances)), Fraction(0))
    plug_in = sum((chance * Fraction(c, n) ** k for c, chance in enumerate(chances)), Fraction(0))
    return Expectation(unbiased=float(unbiased), plug_in=float(plug_in), truth=float(p**k))


def _mean(values: list[Fraction]) -> float:
    if not values:
        raise BadCounts("there are no scenarios; a mean needs at least one")
    return float(sum(values, Fraction(0)) / len(values))


def _counts(successes: int, trials: int, k: int) -> tuple[int, int, int]:
    c, n = part_of("successes", successes, "trials", trials)
    k = whole("k", k, least=1)
    if k > n:
        raise BadCounts(f"k is {k} with {n} trials; no estimate exists for k > n (run at least {k} trials)")
    return c, n, k


def _exact_share(c: int, n: int, k: int) -> Fraction:
    # C(c,k)/C(n,k) = C(n-k,m)/C(n,m) with m = n-c: whichever side has fewer factors
    if k > c:
        return Fraction(0)
    misses = n - c
    if misses < k:
        return Fraction(perm(n - k, misses), perm(n, misses))
    return Fraction(perm(c, k), perm(n, k))


def _share(c: int, n: int, k: int) -> float:
    if min(k, n - c) <= _EXACT_FACTORS:
        exact = _exact_share(c, n, k)
        return exact.numerator / exact.denominator
    logarithm = _log_share(c, n, k)
    return 0.0 if logarithm is None else exp(logarithm)


def _log_share(c: int, n: int, k: int) -> float | None:
    if k > c:
        return None
    few, many = sorted((k, n - c))
    return fsum(log1p(-many / (n - i)) for i in range(few))
