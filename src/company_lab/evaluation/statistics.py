"""Figures of repetition for one scenario: pass^k, pass@k, the Wilson interval.

Each takes counts of one scenario. Across scenarios the values are averaged, the counts never pooled.
"""

from __future__ import annotations

import operator
from fractions import Fraction
from math import exp, expm1, fsum, isfinite, log1p, perm, sqrt
from statistics import NormalDist

from company_lab.formats.errors import WrongUse

_EXACT_FACTORS = 4096
"""Up to this many factors a float is rounded once from the exact value; beyond, summed logarithms."""


class BadCounts(WrongUse, ValueError):
    """Counts for which the figure asked for does not exist."""


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


def wilson(*, successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """The Wilson score interval of a success rate (Wilson 1927), two-sided, exactly 0 or 1 at the ends.

    Covers on average, not always: 0.914 at n=10, p=0.95. Where a gate rests on it, use an exact interval.
    Raises `BadCounts` for n = 0, c > n, negative or non-integer counts, a confidence outside (0, 1).
    """
    n = _count("trials", trials)
    c = _count("successes", successes)
    if n == 0:
        raise BadCounts("there are no trials; an interval needs at least one")
    if c > n:
        raise BadCounts(f"{c} successes in {n} trials; expected at most as many successes as trials")
    z = _quantile(confidence)
    rate, z2 = c / n, z * z
    middle = rate + z2 / (2 * n)
    reach = z * sqrt(rate * (1 - rate) / n + z2 / (4 * n * n))
    scale = 1 + z2 / n
    low = 0.0 if c == 0 else max(0.0, (middle - reach) / scale)
    high = 1.0 if c == n else min(1.0, (middle + reach) / scale)
    return low, high


def all_passed_bound(*, trials: int, k: int = 1, confidence: float = 0.95) -> float:
    """One-sided lower bound on the mean pass^k when all of `trials` runs passed: alpha^(k/N).

    `trials` counts the runs of all scenarios together. The exact zero-failure bound on the mean rate, then
    Jensen; it speaks of these scenarios only, weighted by their share of the runs.
    """
    n, k = _count("trials", trials), _count("k", k)
    if n == 0 or k == 0:
        raise BadCounts(f"{n} trials, k={k}; the bound needs at least one trial and k of at least 1")
    _quantile(confidence)
    return float((1 - confidence) ** (k / n))


def _counts(successes: int, trials: int, k: int) -> tuple[int, int, int]:
    c, n, k = _count("successes", successes), _count("trials", trials), _count("k", k)
    if n == 0:
        raise BadCounts("there are no trials; the figure needs at least k of them")
    if c > n:
        raise BadCounts(f"{c} successes in {n} trials; expected at most as many successes as trials")
    if k < 1:
        raise BadCounts(f"k is {k}; expected at least 1")
    if k > n:
        raise BadCounts(f"k is {k} with {n} trials; no estimate exists for k > n (run at least {k} trials)")
    return c, n, k


def _count(name: str, value: object) -> int:
    if isinstance(value, bool):
        raise BadCounts(f"{name} is {value!r}; expected a whole number")
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise BadCounts(f"{name} is {value!r}; expected a whole number") from None
    if number < 0:
        raise BadCounts(f"{name} is {number}; expected 0 or more")
    return number


def _quantile(confidence: object) -> float:
    if isinstance(confidence, bool) or not isinstance(confidence, (int, float)):
        raise BadCounts(f"confidence is {confidence!r}; expected a number between 0 and 1, such as 0.95")
    tail = (1 - confidence) / 2
    if not (isfinite(confidence) and 0 < confidence < 1 and 0 < tail < 0.5):
        raise BadCounts(f"confidence is {confidence!r}; expected a number between 0 and 1, such as 0.95")
    return -NormalDist().inv_cdf(tail)


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
