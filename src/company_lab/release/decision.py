"""Decision: pass, block or hold, with every ruling it is made of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from company_lab.evaluation.codes import FailureClass
from company_lab.formats.canonical import Json

if TYPE_CHECKING:
    from company_lab.evaluation.statistics import Figure
    from company_lab.release.comparison import Comparison

Outcome = Literal["pass", "block", "hold"]
_GRAVITY: dict[Outcome, int] = {"pass": 0, "hold": 1, "block": 2}

MOST_NAMED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """What one key of the policy comes to."""

    key: str
    """Its place in the policy, such as `critical.other`."""
    outcome: Outcome
    """hold: the evidence for either is missing."""
    said: str
    """What was found."""
    needed: str = ""
    """What would turn a hold into a pass; what a block means."""
    details: tuple[str, ...] = ()
    """Scenario by scenario, where that says more."""

    def to_json(self) -> dict[str, Json]:
        """As a JSON object."""
        return {
            "key": self.key,
            "outcome": self.outcome,
            "said": self.said,
            "needed": self.needed,
            "details": list(self.details),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class CriticalEpisode:
    """A critical failure and the episode it is in. It is listed one by one and never averaged away."""

    run: str
    scenario: str
    trial: int
    code: str
    failure_class: FailureClass
    check: str
    message: str
    evidence: tuple[int, ...]

    def to_json(self) -> dict[str, Json]:
        """As a JSON object."""
        return {
            "run": self.run,
            "scenario": self.scenario,
            "trial": self.trial,
            "code": self.code,
            "class": self.failure_class,
            "check": self.check,
            "message": self.message,
            "evidence": list(self.evidence),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The release decision on one run."""

    outcome: Outcome
    run: str
    baseline: str | None
    agent: str
    use: str
    policy: str
    """Digest of the policy."""
    evidence: tuple[str, ...]
    n: int
    """Scored episodes of the run."""
    planned: int
    rulings: tuple[Ruling, ...]
    critical: tuple[CriticalEpisode, ...]
    """Of every attempt that counts, the first `MOST_CRITICAL` of them."""
    critical_total: int
    attempts: tuple[str, ...]
    """Other runs of the same candidate, in words, counted or not."""
    bounds: tuple[Figure, ...]
    """What each class of critical failure is rarer than, over all attempts that count."""
    curve: tuple[tuple[float, float], ...]
    """(failure rate, chance to pass): what so many episodes would let through, and block in error."""
    not_established: tuple[str, ...]
    comparison: Comparison | None = None
    """With the baseline, where there is one that can be compared."""

    @property
    def needed(self) -> tuple[str, ...]:
        """What would be needed to move from hold to pass."""
        return tuple(
            f"{one.key}: {one.needed}" for one in self.rulings if one.outcome == "hold" and one.needed
        )

    def to_json(self) -> dict[str, Json]:
        """As a JSON object, for other programs."""
        return {
            "format": 1,
            "outcome": self.outcome,
            "run": self.run,
            "baseline": self.baseline,
            "agent": self.agent,
            "use": self.use,
            "policy": self.policy,
            "evidence": list(self.evidence),
            "n": self.n,
            "N": self.planned,
            "rulings": [ruling.to_json() for ruling in self.rulings],
            "needed": list(self.needed),
            "critical": [one.to_json() for one in self.critical],
            "critical_total": self.critical_total,
            "attempts": list(self.attempts),
            "bounds": [str(bound) for bound in self.bounds],
            "curve": [[rate, chance] for rate, chance in self.curve],
            "not_established": list(self.not_established),
        }


def worst(outcomes: Iterable[Outcome]) -> Outcome:
    """block before hold before pass; hold where there is nothing."""
    found = list(outcomes)
    return max(found, key=_GRAVITY.__getitem__) if found else "hold"


def named(names: Iterable[str]) -> str:
    """The first few of some names, and how many more there are."""
    found = list(names)
    more = f" and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
    return ", ".join(found[:MOST_NAMED]) + more


def counted(number: int, thing: str) -> str:
    """Such as `1 scenario` or `1,200 scenarios`."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
