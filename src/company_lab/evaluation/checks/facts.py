"""Facts: named values of the world, as the short form expects them."""

from __future__ import annotations

from dataclasses import dataclass

from company_lab.evaluation.case import Case
from company_lab.evaluation.findings import Place
from company_lab.evaluation.matching import ABSENT, Matcher
from company_lab.formats.shapes import shown


@dataclass(frozen=True, slots=True)
class FactStands:
    """A fact has the expected value when all has settled. A fact the world could not determine fails."""

    place: Place
    name: str
    wanted: Matcher

    def __call__(self, case: Case) -> None:
        settled = case.index.settled
        if settled is None:
            case.findings.undecided(self.place, "the trace ends before the state was settled")
            return
        found = (settled.get("facts") or {}).get(self.name, ABSENT)
        if found is ABSENT or not self.wanted.test(found):
            words = "not determined" if found is ABSENT else shown(found)
            case.findings.fail(
                self.place,
                "state_mismatch",
                f"{self.name} is {words}; expected {self.wanted.words}",
                (case.index.end,),
                found=found,
                expected=self.wanted.written,
            )
        elif case.findings.explaining:
            case.findings.hold(self.place, f"{self.name} is {shown(found)}", (case.index.end,))
