"""Played: an episode and its verdict, judged alike on every machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from company_lab.evaluation import Verdict
from company_lab.traces.record import Record, Trace

TIMINGS: Mapping[str, Any] = {"wall_ms": 0.0, "cpu_ms": 0.0}
"""What every episode is taken to have lasted: no finding and no mutation may hang on how busy this machine is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """An episode and its verdict."""

    trace: Trace
    verdict: Verdict

    @property
    def passed(self) -> bool:
        """Whether it passed."""
        return self.verdict.passed

    @property
    def settled(self) -> Record:
        """What the world had become; empty where the trace ends before."""
        return next(self.trace.by_kind("settled"), {})

    @property
    def why(self) -> tuple[str, str]:
        """The message and the place of the first thing that speaks against it; empty where nothing does."""
        verdict = self.verdict
        for failure in verdict.failures:
            return failure.message, failure.check
        for note in (*verdict.unscored, *verdict.invalid):
            return note.message, note.check
        return "", ""

    def results(self) -> dict[str, Record]:
        """The results by call."""
        return {record["call"]: record for record in self.trace.by_kind("result")}
