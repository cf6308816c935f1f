"""Looking while runs come in: figures that stay valid at every look, and what happens to those that do not."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp, inf, log, log1p
from typing import Literal

from company_lab.evaluation.statistics.arguments import (
    BadCounts,
    beta_prior,
    level,
    part_of,
    share,
    whole,
)
from company_lab.evaluation.statistics.bounds import MOST_RUNS, fewest_runs
from company_lab.evaluation.statistics.distributions import beta_below, log_beta
from company_lab.evaluation.statistics.figure import Figure
from company_lab.evaluation.statistics.intervals import RateInterval


def confidence_sequence(
    *, successes: int, trials: int, confidence: float = 0.95, prior: tuple[float, float] = (1.0, 1.0)
) -> tuple[float, float]:
    """An interval of a rate that holds at every look at once (beta-binomial mixture; Ville, Robbins).

    {p : p^c (1-p)^(n-c) >= alpha B(a+c, b+n-c)/B(a, b)}. Wider than Wilson, which excludes the truth at some look
    with probability 0.25 where one looks after each of 10 to 100 runs. Raises `BadCounts` as `wilson` does.
    """
    c, n = part_of("successes", successes, "trials", trials)
    alpha = 1 - level(confidence)
    a, b = beta_prior(prior)
    floor = log(alpha) + log_beta(a + c, b + n - c) - log_beta(a, b)

    def inside(p: float) -> bool:
        if (p == 0 and c) or (p == 1 and c < n):
            return False
        likelihood = (c * log(p) if c else 0.0) + ((n - c) * log1p(-p) if c < n else 0.0)
        return likelihood >= floor

    best = c / n
    low = 0.0 if c == 0 else _edge(inside, best, 0.0)
    high = 1.0 if c == n else _edge(inside, best, 1.0)
    return low, high


def rate_at_any_look(*, successes: int, trials: int, confidence: float = 0.95) -> Figure:
    """The success rate with its confidence sequence, to be looked at as often as one likes."""
    low, high = confidence_sequence(successes=successes, trials=trials, confidence=confidence)
    return Figure(
        name="success rate",
        estimator="c/n",
        value=successes / trials,
        n=trials,
        N=trials,
        low=low,
        high=high,
        interval="at any look",
        level=confidence,
    )


def mixture_e_value(*, failures: int, runs: int, rate: float) -> float:
    """Evidence that the failure rate is below `rate`, valid at any look, failures tolerated.

    The likelihood ratio against `rate`, averaged evenly over all lower rates. Where it reaches 1/alpha, a rate
    of `rate` or more is rejected at level alpha, whenever one stopped.
    """
    x, n = part_of("failures", failures, "runs", runs, none_allowed=True)
    p = share("rate", rate, open_ends=True)
    below = beta_below(p, x + 1, n - x + 1)
    if below <= 0:
        return 0.0
    logarithm = log_beta(x + 1, n - x + 1) + log(below) - log(p) - x * log(p) - (n - x) * log1p(-p)
    return exp(logarithm) if logarithm < 709 else inf


def runs_needed_at_any_look(*, rate: float, failures: int = 0, alpha: float = 0.05) -> int:
    """The first number of runs at which `mixture_e_value` reaches 1/alpha with so many failures among them."""
    goal = 1 / level(alpha, name="alpha", like="0.05")
    low, high = failures - 1, max(1, failures)
    while mixture_e_value(failures=failures, runs=high, rate=rate) < goal:
        low, high = high, 2 * high
        if high > MOST_RUNS:
            raise BadCounts(
                f"a rate below {rate} needs over {MOST_RUNS:,} runs; expected one that can be shown"
            )
    while high - low > 1:
        middle = (low + high) // 2
        if mixture_e_value(failures=failures, runs=middle, rate=rate) < goal:
            low = middle
        else:
            high = middle
    return high


@dataclass(frozen=True, slots=True, kw_only=True)
class ZeroFailureRule:
    """Block at the first failure, pass after `runs` without one; needs no correction for looking."""

    rate: float
    alpha: float
    runs: int

    def e_value(self, *, failures: int, runs: int) -> float:
        """The test martingale: product of (1-X)/(1-rate); 0 from the first failure on."""
        x, n = part_of("failures", failures, "runs", runs, none_allowed=True)
        return 0.0 if x else exp(-n * log1p(-self.rate))

    def decide(self, *, failures: int, runs: int) -> Literal["pass", "block", "go_on"]:
        """What to do after so many runs."""
        x, n = part_of("failures", failures, "runs", runs, none_allowed=True)
        if x:
            return "block"
        return "pass" if n >= self.runs else "go_on"


def zero_failure_rule(*, rate: float, alpha: float = 0.05) -> ZeroFailureRule:
    """The sequential gate for a failure rate below `rate`: it needs as many runs as the fixed plan (299 for 1 %)."""
    p = Fraction(str(share("rate", rate, open_ends=True)))
    error = Fraction(str(level(alpha, name="alpha", like="0.05")))
    return ZeroFailureRule(rate=rate, alpha=alpha, runs=fewest_runs(p, error, 0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Sprt:
    """Wald's sequential test of a good failure rate against a bad one."""

    bad_rate: float
    good_rate: float
    step_pass: float
    """Added to the logarithm of the likelihood ratio, good over bad, by a run that passes."""
    step_failure: float
    accept_at: float
    reject_at: float

    def passes_to_accept(self, failures: int = 0) -> int:
        """Runs that must pass before the agent is accepted, where so many others fail."""
        needed = self.accept_at - whole("failures", failures) * self.step_failure
        return ceil(needed / self.step_pass - 1e-12)

    def decide(self, *, failures: int, runs: int) -> Literal["accept", "reject", "go_on"]:
        """What to do after so many runs."""
        x, n = part_of("failures", failures, "runs", runs, none_allowed=True)
        reached = (n - x) * self.step_pass + x * self.step_failure
        if reached >= self.accept_at:
            return "accept"
        return "reject" if reached <= self.reject_at else "go_on"


def sprt(*, bad_rate: float, good_rate: float, accept_bad: float = 0.05, reject_good: float = 0.1) -> Sprt:
    """Wald's test (1945). `accept_bad` and `reject_good` are the two errors; Wald's thresholds are approximate.

    Raises `BadCounts` where the good rate is not below the bad one, or either is 0 or 1.
    """
    bad, good = share("bad_rate", bad_rate, open_ends=True), share("good_rate", good_rate, open_ends=True)
    if good >= bad:
        raise BadCounts(
            f"good_rate is {good_rate} and bad_rate {bad_rate}; expected the good one to be lower"
        )
    alpha = share("accept_bad", accept_bad, open_ends=True)
    beta = share("reject_good", reject_good, open_ends=True)
    if alpha + beta >= 1:
        raise BadCounts(f"accept_bad and reject_good add up to {alpha + beta:g}; expected less than 1")
    return Sprt(
        bad_rate=bad,
        good_rate=good,
        step_pass=log1p(-good) - log1p(-bad),
        step_failure=log(good / bad),
        accept_at=log((1 - beta) / alpha),
        reject_at=log(beta / (1 - alpha)),
    )


def peeking_miss(
    *, interval: RateInterval, rate: float, looks: Iterable[int], confidence: float = 0.95
) -> float:
    """The chance that `interval` excludes the true rate at one look at least: exact, over all ways to go.

    `looks` are the numbers of runs after which somebody looks, increasing. Both ends of `interval` must rise with
    the count.
    """
    p = share("rate", rate)
    chances = {0: 1.0}
    missed, runs = 0.0, 0
    for look in looks:
        if look <= runs:
            raise BadCounts(f"a look after {look} runs follows one after {runs}; expected increasing numbers")
        for _ in range(look - runs):
            following: dict[int, float] = {}
            for c, chance in chances.items():
                following[c] = following.get(c, 0.0) + chance * (1 - p)
                following[c + 1] = following.get(c + 1, 0.0) + chance * p
            chances = following
        runs = look
        for from_above in (False, True):
            for c in sorted(chances, reverse=from_above):
                low, high = interval(successes=c, trials=look, confidence=confidence)
                if low <= p <= high:
                    break
                missed += chances.pop(c)
    return missed


def _edge(inside: Callable[[float], bool], start: float, end: float) -> float:
    within, without = start, end
    while True:
        middle = (within + without) / 2
        if middle in (within, without):
            return within
        if inside(middle):
            within = middle
        else:
            without = middle
