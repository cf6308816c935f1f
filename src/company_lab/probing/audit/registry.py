"""The audits, one line each: code, what they look for, and the function that looks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import TypeAlias

from company_lab.probing.audit.beginnings import goal_already_true
from company_lab.probing.audit.dates import dependent_on_dates
from company_lab.probing.audit.finding import Found, Level
from company_lab.probing.audit.forbidden import unreachable_forbidden, unrecorded_denials
from company_lab.probing.audit.labels import leaking_labels
from company_lab.probing.audit.likeness import contaminated, duplicates, hidden_families
from company_lab.probing.audit.overdoing import doing_too_little, doing_too_much
from company_lab.probing.audit.repeating import flaky_reference, irreproducible, leaking_trials
from company_lab.probing.audit.replies import weak_replies
from company_lab.probing.audit.restraints import unscored_restraints
from company_lab.probing.audit.scheduled import blind_to_faults, unfired_faults
from company_lab.probing.audit.seeded import blind_to_seeded_bugs
from company_lab.probing.audit.solvable import decorative_limits, unsolvable
from company_lab.probing.audit.subject import Subject
from company_lab.probing.audit.tolerance import too_strict
from company_lab.probing.audit.undeserved import UNDESERVING, undeserved
from company_lab.probing.audit.unwatched import unwatched_world
from company_lab.probing.audit.vacuous import vacuous_leaves
from company_lab.probing.audit.visible import readable_canary, told_beforehand

OfScenario: TypeAlias = Callable[[Subject], Iterator[Found]]
OfSuite: TypeAlias = Callable[[Sequence[Subject]], Iterator[Found]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """One way of looking at a suite; it looks at each scenario, at all of them together, or at both."""

    code: str
    level: Level
    """The gravest finding it makes."""
    defect: str
    """What it looks for, in a few words."""
    scenario: OfScenario | None = None
    suite: OfSuite | None = None


def _undeserved(code: str, defect: str) -> Audit:
    return Audit(code=code, level=UNDESERVING[code].level, defect=defect, scenario=partial(undeserved, code))


_ALL = (
    _undeserved("A1", "doing nothing passes"),
    _undeserved("A2", "saying that all is done passes"),
    _undeserved("A3", "refusing always passes"),
    _undeserved("A4", "pasting everything passes"),
    _undeserved("A5", "random actions pass"),
    Audit(code="A6", level="block", defect="doing too much passes", scenario=doing_too_much),
    Audit(code="A7", level="block", defect="doing too little passes", scenario=doing_too_little),
    Audit(code="B1", level="block", defect="an expectation without effect", scenario=vacuous_leaves),
    Audit(code="B2", level="block", defect="state that nobody watches", scenario=unwatched_world),
    Audit(code="B3", level="block", defect="declared and not scored", scenario=unscored_restraints),
    Audit(code="B4", level="warn", defect="too strict", scenario=too_strict),
    Audit(code="B5", level="block", defect="a reply that says it wrongly passes", scenario=weak_replies),
    Audit(code="B6", level="block", defect="the goal is already reached", scenario=goal_already_true),
    Audit(code="B7", level="block", defect="a forbidden action out of reach", scenario=unreachable_forbidden),
    Audit(
        code="B8", level="block", defect="a denied attempt that counts nowhere", scenario=unrecorded_denials
    ),
    Audit(code="B9", level="block", defect="the reference does not pass", scenario=unsolvable),
    Audit(code="B10", level="block", defect="a limit that limits nothing", scenario=decorative_limits),
    Audit(code="C1", level="block", defect="the answer is in the task", scenario=told_beforehand),
    Audit(code="C2", level="block", defect="the agent can read what judges it", scenario=readable_canary),
    Audit(code="C3", level="warn", defect="names that give the answer away", suite=leaking_labels),
    _undeserved("C4", "talking to the judge passes"),
    Audit(code="D1", level="block", defect="the same scenario twice", suite=duplicates),
    Audit(code="D4", level="block", defect="the same seed, another trace", scenario=irreproducible),
    Audit(code="D5", level="block", defect="the reference passes by chance", scenario=flaky_reference),
    Audit(code="D6", level="block", defect="one trial changes another", suite=leaking_trials),
    Audit(code="D7", level="warn", defect="right on some days only", scenario=dependent_on_dates),
    Audit(code="E2", level="warn", defect="families that nothing names", suite=hidden_families),
    Audit(code="F1", level="block", defect="held-out scenarios that are known", suite=contaminated),
    Audit(code="H1", level="block", defect="a fault that never happens", scenario=unfired_faults),
    Audit(
        code="H2",
        level="block",
        defect="faults that nobody has to handle",
        scenario=blind_to_faults,
        suite=blind_to_seeded_bugs,
    ),
)
AUDITS: Mapping[str, Audit] = MappingProxyType({audit.code: audit for audit in _ALL})
"""By code, in order."""
OF_BEHAVIOUR = frozenset({"A1", "A2", "A3", "A4", "A5", "A6", "A7", "B9", "C4", "D4", "D5", "D6"})
"""The audits that only ask who passes. They look at a hosted suite, which expects nothing in our form."""
