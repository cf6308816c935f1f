"""Quantiles and tails of distributions, from scipy, which is loaded at the first call and not before.

Only `scipy.special` is used: `scipy.stats` gives the same numbers and takes three times as long to load.
"""

from __future__ import annotations

from math import exp, lgamma, log, log1p
from statistics import NormalDist

from company_lab.evaluation.statistics.arguments import level

_NORMAL = NormalDist()


def two_sided_z(confidence: float) -> float:
    """The normal quantile at 1 - (1 - confidence)/2. Raises `BadCounts` for a confidence outside (0, 1)."""
    return -_NORMAL.inv_cdf((1 - level(confidence)) / 2)


def normal_quantile(probability: float) -> float:
    """The standard normal quantile, from the standard library."""
    return _NORMAL.inv_cdf(probability)


def normal_tail(z: float) -> float:
    """P(Z <= z)."""
    return _NORMAL.cdf(z)


def t_quantile(probability: float, freedom: int) -> float:
    """The quantile of Student's t with `freedom` degrees of freedom."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, probability))


def t_two_sided(t: float, freedom: int) -> float:
    """P(|T| >= |t|)."""
    from scipy.special import stdtr

    return float(2 * stdtr(freedom, -abs(t)))


def beta_quantile(probability: float, a: float, b: float) -> float:
    """The quantile of Beta(a, b)."""
    from scipy.special import betaincinv

    return float(betaincinv(a, b, probability))


def beta_below(x: float, a: float, b: float) -> float:
    """P(B <= x) for B from Beta(a, b)."""
    from scipy.special import betainc

    return float(betainc(a, b, x))


def log_beta(a: float, b: float) -> float:
    """The logarithm of the beta function."""
    from scipy.special import betaln

    return float(betaln(a, b))


def binomial_at_most(x: int, n: int, rate: float) -> float:
    """P(X <= x) for X from Binomial(n, rate)."""
    if x < 0:
        return 0.0
    if x >= n:
        return 1.0
    if rate == 0:
        return 1.0
    if x == 0 and rate < 1:  # what every report asks, so that none of them loads scipy for it
        return exp(n * log1p(-rate))
    return beta_below(1 - rate, n - x, x + 1)


def binomial_chances(n: int, rate: float) -> list[float]:
    """P(X = x) for x from 0 to n, X from Binomial(n, rate)."""
    if rate in (0, 1):
        return [float(x == n * rate) for x in range(n + 1)]
    whole, a, b = lgamma(n + 1), log(rate), log1p(-rate)
    return [exp(whole - lgamma(x + 1) - lgamma(n - x + 1) + x * a + (n - x) * b) for x in range(n + 1)]
