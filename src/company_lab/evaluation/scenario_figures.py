"""Figures of one scenario: counts against the plan, and exact values or bounds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol

from company_lab.evaluation.statistics.intervals import wilson
from company_lab.evaluation.statistics.repetition import pass_at_k_exact, pass_k_exact
from company_lab.evaluation.summaries import EpisodeSummary
from company_lab.formats.errors import WrongUse

MOST_TRAJECTORIES = 1000
"""Distinct trajectories of one scenario are counted up to here."""
_MOST_TRIALS = 10_000_000


@dataclass(frozen=True, slots=True)
class Estimate:
    """An exact value, or the bounds between which unknown cells leave it."""

    low: Fraction
    high: Fraction

    @property
    def point(self) -> Fraction | None:
        """The value where every planned cell was scored; None where only bounds are known."""
        return self.low if self.low == self.high else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioFigures:
    """What the trials of one scenario say."""

    scenario: str
    planned: int
    """N: planned cells."""
    finished: int
    """Cells with an episode that no outage ended."""
    n: int
    """Scored cells: passed or failed."""
    passed: int
    failed: int
    unscored: int
    invalid: int
    outages: int
    """Episodes that an outage ended, however they were scored."""
    lost: int
    """Planned cells without an episode."""
    rate: Estimate | None
    """Success rate over the planned cells; None where none is planned."""
    rate_scored: Fraction | None
    """Success rate over the scored cells alone."""
    wilson: tuple[float, float] | None
    """95 % Wilson interval of the success rate; with unknown cells, its worst and its best case."""
    pass_k: Mapping[int, Estimate | None]
    """C(c,k)/C(n,k); None where k > N."""
    pass_at_k: Mapping[int, Estimate | None]
    """1 - C(n-c,k)/C(n,k); None where k > N."""
    pass_k_interval: Mapping[int, tuple[float, float] | None]
    """The Wilson interval of the rate, raised to the power k."""
    trajectories: int
    """Distinct ways the scored trials went; `MOST_TRAJECTORIES` means at least so many."""
    stops: Mapping[str, int]
    evidence: tuple[str, ...]
    layers: tuple[str, ...]

    @property
    def repeated(self) -> bool:
        """Whether anything about repeated reliability is established: not by one trial, nor by equal ones."""
        return self.n > 1 and self.trajectories > 1


class _Estimator(Protocol):
    def __call__(self, *, successes: int, trials: int, k: int) -> Fraction: ...


@dataclass(slots=True)
class ScenarioCount:
    """Adds up the episodes of one scenario; a bit for each trial and a bounded set of trajectories."""

    scenario: str
    planned: int
    outcomes: Counter[str] = field(default_factory=Counter)
    outages: int = 0
    seen: int = 0
    """A bit for each trial."""
    trajectories: set[str] = field(default_factory=set)
    stops: Counter[str] = field(default_factory=Counter)
    evidence: set[str] = field(default_factory=set)
    layers: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        if isinstance(self.planned, bool) or not isinstance(self.planned, int) or self.planned < 0:
            raise WrongUse(f"{self.planned!r} trials planned for {self.scenario}; expected a whole number")

    def add(self, summary: EpisodeSummary) -> None:
        """Count one episode. Raises `WrongUse` for a cell given twice or not planned."""
        trial = summary.trial
        if not 0 <= trial <= _MOST_TRIALS:
            raise WrongUse(f"trial {trial} of {self.scenario}; expected 0 to {_MOST_TRIALS}")
        if self.seen >> trial & 1:
            raise WrongUse(f"trial {trial} of {self.scenario} is given twice; each planned cell counts once")
        self.seen |= 1 << trial
        self.outcomes[summary.outcome] += 1
        if self.outcomes.total() > self.planned:
            raise WrongUse(f"{self.scenario} has more episodes than the {self.planned} planned")
        self.outages += summary.stop == "infrastructure_error"
        if summary.outcome in ("passed", "failed") and len(self.trajectories) < MOST_TRAJECTORIES:
            self.trajectories.add(summary.trajectory)
        self.stops[summary.stop or "unknown"] += 1
        self.evidence.add(summary.evidence)
        if summary.layer is not None:
            self.layers.add(summary.layer)

    def figures(self, ks: Sequence[int]) -> ScenarioFigures:
        """The figures of everything added so far."""
        c, failed = self.outcomes["passed"], self.outcomes["failed"]
        cells, n = self.planned, c + failed
        best = c + cells - n
        interval = None
        if cells:
            interval = wilson(successes=c, trials=cells)[0], wilson(successes=best, trials=cells)[1]
        return ScenarioFigures(
            scenario=self.scenario,
            planned=cells,
            finished=self.outcomes.total() - self.outages,
            n=n,
            passed=c,
            failed=failed,
            unscored=self.outcomes["unscored"],
            invalid=self.outcomes["invalid"],
            outages=self.outages,
            lost=cells - self.outcomes.total(),
            rate=Estimate(Fraction(c, cells), Fraction(best, cells)) if cells else None,
            rate_scored=Fraction(c, n) if n else None,
            wilson=interval,
            pass_k={k: self._estimate(pass_k_exact, c, best, k) for k in ks},
            pass_at_k={k: self._estimate(pass_at_k_exact, c, best, k) for k in ks},
            pass_k_interval={
                k: (interval[0] ** k, interval[1] ** k) if interval is not None and k <= cells else None
                for k in ks
            },
            trajectories=len(self.trajectories),
            stops=dict(sorted(self.stops.items())),
            evidence=tuple(sorted(self.evidence)),
            layers=tuple(sorted(self.layers)),
        )

    def _estimate(self, estimator: _Estimator, worst: int, best: int, k: int) -> Estimate | None:
        if k > self.planned:
            return None
        return Estimate(
            estimator(successes=worst, trials=self.planned, k=k),
            estimator(successes=best, trials=self.planned, k=k),
        )
