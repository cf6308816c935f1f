"""Facts: named values of the world, as the short form expects them."""

from __future__ import annotations

from dataclasses import dataclass

from company_lab.evaluation.case import Case
from company_lab.evaluation.findings import Place
from company_lab.evaluation.matching import ABSENT, Matcher
from company_lab.formats.shapes import shown


@dataclass(frozen=True, slots=True)
class FactStands:
    """A fact has the expected value when all has settled. A fact the world could not determine fails.

    With `unknown_fails` False it is undecided instead: in a hosted suite a fact is a part of that suite's own verdict,
    and a part that nobody reckons here (a model would have to) is neither right nor wrong.
    """

    place: Place
    name: str
    wanted: Matcher
    unknown_fails: bool = True

    def __call__(self, case: Case) -> None:
        settled = case.index.settled
        if settled is None:
            case.findings.undecided(self.place, "the trace ends before the state was settled")
            return
        found = (settled.get("facts") or {}).get(self.name, ABSENT)
        if found is ABSENT and not self.unknown_fails:
            case.findings.undecided(
                self.place, f"{self.name} was not determined; expected {self.wanted.words}"
            )
            return
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
