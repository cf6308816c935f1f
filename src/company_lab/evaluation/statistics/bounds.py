"""Bounds of a failure rate, and how many runs a claim needs. Exact and one-sided."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import expm1, log, log1p

from company_lab.evaluation.statistics.arguments import BadCounts, level, part_of, share, whole
from company_lab.evaluation.statistics.distributions import beta_quantile, binomial_at_most
from company_lab.evaluation.statistics.figure import Figure

MOST_RUNS = 100_000_000
"""A claim that would need more runs than this is refused."""


def failure_bound(*, failures: int, runs: int, confidence: float = 0.95) -> float:
    """One-sided exact upper bound of the failure rate: quantile `confidence` of Beta(x+1, N-x).

    Clopper and Pearson (1934), one side. For x = 0 it is 1 - (1-confidence)^(1/N). Takes runs to be independent
    draws of one agent, suite and world; scenarios may differ in their rates, since the product of (1-q) is
    at most (1 - mean q)^N. Raises `BadCounts` for N = 0, x > N, negative or non-integer counts.
    """
    x, n = part_of("failures", failures, "runs", runs)
    alpha = 1 - level(confidence)
    if x == n:
        return 1.0
    if x == 0:
        return -expm1(log(alpha) / n)
    return beta_quantile(confidence, x + 1, n - x)


def failure_rate(
    *,
    failures: int,
    runs: int,
    planned: int | None = None,
    confidence: float = 0.95,
    name: str = "failure rate",
) -> Figure:
    """The failure rate as a `Figure` that says what it is below; 0 of 100 says 2.95 % at 95 %, never zero.

    Runs that were planned and have no known outcome count as failures in the bound.
    """
    x, n = part_of("failures", failures, "runs", runs, none_allowed=True)
    cells = n if planned is None else whole("planned", planned, least=n)
    unknown = cells - n
    if cells == 0:
        raise BadCounts("there are no runs; the figure needs at least one")
    seen = f"{x} failures seen" if x != 1 else "1 failure seen"
    return Figure(
        name=name,
        estimator="x/N",
        value=x / n if n and not unknown else None,
        n=n,
        N=cells,
        high=failure_bound(failures=x + unknown, runs=cells, confidence=confidence),
        interval="exact one-sided",
        level=confidence,
        sides="upper",
        unit="%",
        reason=seen + (f", {unknown} unknown runs counted as failures" if unknown else ""),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ZeroFailureBounds:
    """What zero failures in N runs says, by five formulas. Quote `exact`; the others are here to be recognised."""

    exact: float
    """1 - (1-confidence)^(1/N), one-sided."""
    logarithmic: float
    """-ln(1-confidence)/N, always a little above the exact value."""
    rule_of_three: float | None
    """3/N (Hanley, Lippman-Hand 1983), at 95 % only; above 1 for N below 3."""
    two_sided: float
    """Upper end of the two-sided Clopper-Pearson interval."""
    uniform_prior: float
    """Upper posterior quantile under a uniform prior: 1 - (1-confidence)^(1/(N+1))."""


def zero_failure_bounds(*, runs: int, confidence: float = 0.95) -> ZeroFailureBounds:
    """Bounds of the failure rate after no failure in `runs` runs."""
    n = whole("runs", runs, least=1)
    alpha = 1 - level(confidence)
    return ZeroFailureBounds(
        exact=failure_bound(failures=0, runs=n, confidence=confidence),
        logarithmic=-log(alpha) / n,
        rule_of_three=3 / n if abs(confidence - 0.95) < 1e-12 else None,
        two_sided=-expm1(log(alpha / 2) / n),
        uniform_prior=-expm1(log(alpha) / (n + 1)),
    )


def runs_needed(*, rate: float, confidence: float = 0.95, allowed: int = 0) -> int:
    """The fewest runs so that at most `allowed` failures show a rate below `rate`: P(X <= allowed) <= 1-confidence.

    `allowed` must be fixed before the runs. In exact fractions of the decimals given, so 0.05 is 1/20.
    Raises `BadCounts` for a rate of 0 (no number of runs shows that), of 1, or one that needs over
    `MOST_RUNS`.
    """
    p = Fraction(str(share("rate", rate, open_ends=True)))
    return fewest_runs(p, 1 - Fraction(str(level(confidence))), whole("allowed", allowed))


def fewest_runs(p: Fraction, alpha: Fraction, allowed: int) -> int:
    """The smallest n with P(X <= allowed) <= alpha for X from Binomial(n, p)."""
    if log(float(alpha)) / log1p(-float(p)) + allowed / float(p) > MOST_RUNS:
        raise BadCounts(
            f"a rate below {float(p):g} needs over {MOST_RUNS:,} runs; expected a rate that can be shown"
        )
    low, high = allowed, allowed + 1
    while binomial_at_most(allowed, high, float(p)) > float(alpha):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if binomial_at_most(allowed, middle, float(p)) > float(alpha):
            low = middle
        else:
            high = middle
    # the search in floats may be one off where both sides nearly agree; fractions settle it
    while high - 1 > allowed and _settles(allowed, high - 1, p, alpha):
        high -= 1
    while not _settles(allowed, high, p, alpha):
        high += 1
    return high


def _settles(allowed: int, runs: int, p: Fraction, alpha: Fraction) -> bool:
    if runs > 20_000:
        return binomial_at_most(allowed, runs, float(p)) <= float(alpha)
    q, d = p.denominator - p.numerator, p.denominator
    # Each term out of the one before: powers and binomials anew would take seconds for thousands of failures.
    term = tail = q**runs
    for x in range(min(allowed, runs)):
        term = term * (runs - x) // (x + 1) // q * p.numerator
        tail += term
    return bool(tail * alpha.denominator <= alpha.numerator * d**runs)


@dataclass(frozen=True, slots=True, kw_only=True)
class ByScenario:
    """What no failure in S scenarios of m runs each bounds: four questions, four answers."""

    average: float
    """The failure rate averaged over exactly these scenarios."""
    one_named: float
    """The failure rate of one scenario named beforehand."""
    every_one: float
    """The failure rate of every scenario at once (Bonferroni)."""
    always_failing: float
    """The share of scenarios that always fail, among scenarios like these."""


def zero_failures_by_scenario(*, scenarios: int, runs_each: int, confidence: float = 0.95) -> ByScenario:
    """Four bounds after S scenarios of m runs each without a failure; the average says little about each."""
    s, m = whole("scenarios", scenarios, least=1), whole("runs_each", runs_each, least=1)
    alpha = 1 - level(confidence)
    return ByScenario(
        average=-expm1(log(alpha) / (s * m)),
        one_named=-expm1(log(alpha) / m),
        every_one=-expm1(log(alpha / s) / m),
        always_failing=-expm1(log(alpha) / s),
    )
