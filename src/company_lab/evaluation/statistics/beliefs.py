"""Beliefs about one success rate after its trials, from a beta prior; an optional second opinion.

A flat prior for every scenario ruins pass^k across them: after 8 of 8 it says 9/17.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, fsum

from company_lab.evaluation.statistics.arguments import beta_prior, level, part_of, whole
from company_lab.evaluation.statistics.distributions import beta_quantile, log_beta


@dataclass(frozen=True, slots=True, kw_only=True)
class Posterior:
    """Beta(a, b) over the success rate of one scenario."""

    a: float
    b: float

    @property
    def mean(self) -> float:
        """The expected rate."""
        return self.a / (self.a + self.b)

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """The equal-tailed interval."""
        tail = (1 - level(confidence)) / 2
        return beta_quantile(tail, self.a, self.b), 1 - beta_quantile(tail, self.b, self.a)

    def mean_power(self, k: int) -> float:
        """The expected p^k: B(a+k, b)/B(a, b)."""
        return exp(log_beta(self.a + whole("k", k, least=1), self.b) - log_beta(self.a, self.b))


def posterior(*, successes: int, trials: int, prior: tuple[float, float] = (1.0, 1.0)) -> Posterior:
    """The posterior of one scenario's success rate. `prior` is (1, 1) for flat, (0.5, 0.5) for Jeffreys'."""
    c, n = part_of("successes", successes, "trials", trials, none_allowed=True)
    a, b = beta_prior(prior)
    return Posterior(a=a + c, b=b + n - c)


def probability_better(*, successes_a: int, trials_a: int, successes_b: int, trials_b: int) -> float:
    """P(rate of A > rate of B) under independent flat priors, in closed form.

    For one scenario on each side. It is no p-value and no licence: 5 of 5 against 5 of 5 gives 0.5.
    """
    a, m = part_of("successes_a", successes_a, "trials_a", trials_a)
    b, n = part_of("successes_b", successes_b, "trials_b", trials_b)
    alpha_a, beta_a, alpha_b, beta_b = a + 1, m - a + 1, b + 1, n - b + 1
    return min(
        1.0,
        fsum(
            exp(log_beta(alpha_b + i, beta_a + beta_b) - log_beta(1 + i, beta_a) - log_beta(alpha_b, beta_b))
            / (beta_a + i)
            for i in range(alpha_a)
        ),
    )
