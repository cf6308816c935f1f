"""Faults: a scheduled misbehaviour that never came makes the episode no test of it."""

from __future__ import annotations

from dataclasses import dataclass

from company_lab.evaluation.case import Case
from company_lab.evaluation.findings import Place


@dataclass(frozen=True, slots=True)
class FaultTookEffect:
    """A scheduled fault fired and changed something."""

    place: Place
    position: int
    words: str

    def __call__(self, case: Case) -> None:
        settled = case.index.settled
        if settled is None:
            return
        entry = next(
            (item for item in settled.get("faults") or () if item.get("index") == self.position), None
        )
        if entry is None or not entry.get("fired"):
            case.findings.void(self.place, f"the fault {self.words} did not fire", (case.index.end,))
        elif not entry.get("changed"):
            case.findings.void(
                self.place, f"the fault {self.words} fired but changed nothing", (case.index.end,)
            )
        elif case.findings.explaining:
            case.findings.hold(self.place, f"the fault {self.words} fired", (case.index.end,))
