"""Faults: a scheduled misbehaviour that never came makes the episode no test of it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from company_lab.evaluation.case import Case
from company_lab.evaluation.findings import Place


@dataclass(frozen=True, slots=True)
class FaultTookEffect:
    """A fault of the scenario fired and changed something; nothing to say where another schedule took its place."""

    place: Place
    position: int
    words: str

    def __call__(self, case: Case) -> None:
        if not isinstance(case.index.started.get("schedule"), list):
            _look(case, self.place, self.position, self.words)


@dataclass(frozen=True, slots=True)
class ScheduleTookEffect:
    """Every fault of the schedule an episode was played under, if it was, fired and changed something."""

    place: Place

    def __call__(self, case: Case) -> None:
        schedule = case.index.started.get("schedule")
        for position, fault in enumerate(schedule if isinstance(schedule, list) else ()):
            place = replace(self.place, path=f"{self.place.path}[{position}]")
            named = fault if isinstance(fault, dict) else {}
            _look(case, place, position, f"{named.get('kind')} on {named.get('on')}")


def _look(case: Case, place: Place, position: int, words: str) -> None:
    settled, findings = case.index.settled, case.findings
    if settled is None:
        return
    entry = next((item for item in settled.get("faults") or () if item.get("index") == position), None)
    if entry is None or not entry.get("fired"):
        findings.void(place, f"the fault {words} did not fire", (case.index.end,))
    elif not entry.get("changed"):
        findings.void(place, f"the fault {words} fired but changed nothing", (case.index.end,))
    elif findings.explaining:
        findings.hold(place, f"the fault {words} fired", (case.index.end,))
