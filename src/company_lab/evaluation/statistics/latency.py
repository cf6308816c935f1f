"""Quantiles of how long runs take. A run that timed out is known to be longer, and is never dropped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from math import ceil, floor, inf
from typing import Literal, NamedTuple

from company_lab.evaluation.statistics.arguments import BadCounts, level, reals, share, whole
from company_lab.evaluation.statistics.bounds import fewest_runs
from company_lab.evaluation.statistics.distributions import binomial_at_most
from company_lab.evaluation.statistics.figure import Figure

Definition = Literal["inverted_cdf", "linear", "median_unbiased"]
"""Types 1, 7 and 8 of Hyndman and Fan (1996), by numpy's names."""


class Ranks(NamedTuple):
    """Ranks in the sorted sample, from 1; None where there are too few runs for that side."""

    low: int | None
    high: int | None


def quantile(values: Iterable[float], q: float, *, definition: Definition = "inverted_cdf") -> float:
    """A sample quantile. `inverted_cdf` is always one of the values; `linear` is what numpy does by default."""
    return _quantile(sorted(reals("values", values)), Fraction(str(share("q", q))), definition)


def quantile_ranks(*, runs: int, q: float, confidence: float = 0.95) -> Ranks:
    """The ranks between which the true quantile lies, whatever the distribution (Wilks 1941).

    The largest r with P(Bin(n,q) <= r-1) <= a/2 and the smallest s with P(Bin(n,q) >= s) <= a/2.
    """
    n, p, tail = whole("runs", runs, least=1), share("q", q, open_ends=True), (1 - level(confidence)) / 2
    low = _last(n, lambda r: binomial_at_most(r - 1, n, p) <= tail)
    above = _last(n, lambda s: 1 - binomial_at_most(s - 1, n, p) > tail)
    return Ranks(low or None, above + 1 if above < n else None)


def runs_needed_for_quantile(*, q: float, confidence: float = 0.95, sides: Literal[1, 2] = 1) -> int:
    """Runs until the slowest is an upper bound of the quantile: q^n <= 1-confidence, or half of it for `sides` 2."""
    alpha = 1 - Fraction(str(level(confidence)))
    if sides not in (1, 2):
        raise BadCounts(f"sides is {sides!r}; expected 1 or 2")
    return fewest_runs(1 - Fraction(str(share("q", q, open_ends=True))), alpha / sides, 0)


def latency_quantile(
    seconds: Iterable[float],
    *,
    q: float,
    timeouts: Iterable[float] = (),
    confidence: float = 0.95,
    definition: Definition = "inverted_cdf",
    planned: int | None = None,
) -> Figure:
    """A quantile of latency in seconds, with a distribution-free interval.

    `timeouts` are the times at which runs were cut off: each would have taken at least so long. They stay in the
    sample, so the quantile has a value only where they can not move it. Runs that were `planned` and have no time
    at all are unknown: there is then no value, and the interval holds whatever they took.
    """
    done, cut_off = reals("seconds", seconds, least=0), reals("timeouts", timeouts, least=0)
    n = len(done) + len(cut_off)
    cells = n if planned is None else whole("planned", planned, least=n)
    part = Fraction(str(share("q", q, open_ends=True)))
    name = f"p{float(part * 100):g} latency"
    how = f"order statistic, {definition}"
    if n == 0:
        return Figure(
            name=name, estimator=how, value=None, n=0, N=cells, unit="s", reason="no run has a time"
        )
    unknown = cells - n
    shortest = sorted([*done, *cut_off, *[-inf] * unknown])
    longest = sorted([*done, *[inf] * (len(cut_off) + unknown)])
    ranks = quantile_ranks(runs=cells, q=q, confidence=confidence)
    low = shortest[ranks.low - 1] if ranks.low is not None else -inf
    high = longest[ranks.high - 1] if ranks.high is not None else inf
    value: float | None = None
    notes = []
    if cut_off:
        notes.append(f"{len(cut_off)} of {n} runs were cut off and count as longer")
    if unknown:
        notes.append(f"{unknown} of {cells} runs have no time")
    else:
        least, most = _quantile(shortest, part, definition), _quantile(longest, part, definition)
        if least == most:
            value = least
        else:
            notes.append(f"the quantile is at least {least:g} s")
    if ranks.high is None:
        needed = runs_needed_for_quantile(q=q, confidence=confidence, sides=2)
        notes.append(f"an upper bound needs {needed} runs")
    return Figure(
        name=name,
        estimator=how,
        value=value,
        n=n,
        N=cells,
        low=None if low == -inf else low,
        high=None if high == inf else high,
        interval="ranks",
        level=confidence,
        unit="s",
        reason="; ".join(notes),
    )


def _quantile(ordered: Sequence[float], q: Fraction, definition: Definition) -> float:
    n = len(ordered)
    if definition == "inverted_cdf":
        return ordered[max(0, ceil(n * q) - 1)]
    if definition == "linear":
        place = (n - 1) * q
    elif definition == "median_unbiased":
        place = min(max(n * q + (1 + q) / 3 - 1, Fraction(0)), Fraction(n - 1))
    else:
        raise BadCounts(f"definition is {definition!r}; expected inverted_cdf, linear or median_unbiased")
    first = floor(place)
    rest = float(place - first)
    if rest == 0:
        return ordered[first]
    if ordered[first + 1] == inf:
        return inf
    return ordered[first] + rest * (ordered[first + 1] - ordered[first])


def _last(n: int, holds: Callable[[int], bool]) -> int:
    """The largest i from 1 to n for which `holds`, which turns false once; 0 where it never holds."""
    low, high = 0, n
    while low < high:
        middle = (low + high + 1) // 2
        if holds(middle):
            low = middle
        else:
            high = middle - 1
    return low
