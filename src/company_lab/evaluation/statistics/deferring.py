"""Deferring the unsure: the error among the most confident share, and how large a share keeps a bound."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, fsum

from company_lab.evaluation.statistics.arguments import BadCounts, level, reals, same_length, share, whole
from company_lab.evaluation.statistics.bounds import failure_bound
from company_lab.evaluation.statistics.figure import Figure
from company_lab.evaluation.statistics.probabilities import zeros_and_ones


@dataclass(frozen=True, slots=True, kw_only=True)
class Acceptance:
    """Accepting every decision at least as confident as `threshold`."""

    threshold: float
    accepted: int
    errors: int
    coverage: float
    risk: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskCoverage:
    """The curve, from the most confident decision to all of them. Equal confidences move together."""

    n: int
    curve: tuple[Acceptance, ...]
    aurc: float
    """Mean risk over the coverages 1/n to 1 (area under the curve)."""

    def largest_coverage(self, risk: float) -> float:
        """The largest coverage whose error rate here is at most `risk`; 0 where none is. No bound: see `certified`."""
        most = share("risk", risk)
        return max((point.coverage for point in self.curve if point.risk <= most), default=0.0)

    def certified(self, risk: float, *, confidence: float = 0.95, steps: int = 20) -> Figure:
        """The largest coverage whose error rate is shown to be at most `risk`.

        `steps` coverages are tried, each with the exact one-sided bound at 1-(1-confidence)/steps, so that picking
        the best among them keeps the level. The figure's value is the coverage; None where none can be shown.
        """
        most, tried = share("risk", risk), whole("steps", steps, least=1)
        each = 1 - (1 - level(confidence)) / tried
        best: Acceptance | None = None
        for step in range(1, tried + 1):
            wanted = ceil(self.n * step / tried)
            point = next(point for point in self.curve if point.accepted >= wanted)
            bound = failure_bound(failures=point.errors, runs=point.accepted, confidence=each)
            if bound <= most and (best is None or point.accepted > best.accepted):
                best = point
        said = f"error rate at most {most * 100:g} % at {confidence * 100:g} %"
        if best is None:
            reason = f"no coverage of {tried} tried shows an {said}"
        else:
            reason = f"{said}; confidence of at least {best.threshold:.3f}, {best.errors} errors in {best.accepted}"
        return Figure(
            name="certified coverage",
            estimator=f"exact bound, {tried} coverages tried",
            value=None if best is None else best.coverage,
            n=self.n,
            N=self.n,
            of="decisions",
            unit="%",
            level=confidence,
            reason=reason,
        )


def risk_coverage(confidences: Iterable[float], errors: Iterable[bool | int]) -> RiskCoverage:
    """The risk-coverage curve (El-Yaniv, Wiener 2010) of decisions with a confidence; `errors` are 1 where wrong."""
    sure, wrong = reals("confidences", confidences), zeros_and_ones("an error", errors)
    same_length(sure, wrong, "confidences and errors")
    n = len(sure)
    if n == 0:
        raise BadCounts("there are no decisions; a curve needs at least one")
    ranked = sorted(zip(sure, wrong, strict=True), key=lambda pair: -pair[0])
    curve: list[Acceptance] = []
    area: list[float] = []
    accepted = seen = 0
    for index, (confidence, error) in enumerate(ranked):
        seen += error
        if index + 1 < n and ranked[index + 1][0] == confidence:
            continue
        together = index + 1 - accepted
        accepted = index + 1
        curve.append(
            Acceptance(
                threshold=confidence,
                accepted=accepted,
                errors=seen,
                coverage=accepted / n,
                risk=seen / accepted,
            )
        )
        area.extend([seen / accepted] * together)
    return RiskCoverage(n=n, curve=tuple(curve), aurc=fsum(area) / n)
