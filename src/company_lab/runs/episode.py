"""StoredEpisode: one attempt at one cell, as it lies in a store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from company_lab.evaluation import Verdict
from company_lab.formats.canonical import Json
from company_lab.formats.errors import WrongUse
from company_lab.traces import Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredEpisode:
    """What happened in one episode and what was made of it.

    `schedule`, `attempt` and `life` tell apart what shares a cell: another schedule of faults, a further
    attempt after an outage, a continuation on the state an earlier life left.
    """

    scenario: str
    trial: int
    trace: Trace
    verdict: Verdict
    grading: str
    """Digest of what the verdict rests on: scenario, world, judging."""
    timings: Mapping[str, Json] = field(default_factory=dict)
    """Wall times; part of no digest."""
    schedule: str = ""
    attempt: int = 1
    life: int = 1

    def __post_init__(self) -> None:
        continues = self.trace.header.get("episode") == "continuation"
        if continues != (self.life > 1):
            found = "a continuation" if continues else "a fresh episode"
            wanted = "2 or more: continuations never count among fresh ones" if continues else "1"
            raise WrongUse(
                f"{self.scenario} trial {self.trial} is {found}, and its life {self.life}; expected {wanted}"
            )
