"""Findings: what the checks of one verdict have to say, collected while they run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast

from company_lab.evaluation.codes import Severity, class_of, severity_of
from company_lab.evaluation.matching import ABSENT
from company_lab.evaluation.verdicts import Failure, Note
from company_lab.formats.canonical import Json, canonical

_LONGEST = 2000
"""Characters of a found or expected value that a verdict keeps."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where an expectation stands in its scenario, and how a failure of it counts."""

    path: str
    scenario: Severity
    override: Severity | None = None
    """What the expectation says for itself."""
    advisory: bool = False


@dataclass(slots=True)
class Findings:
    """Failures and notes in the order in which checks made them."""

    explaining: bool = False
    """Whether checks should say why they hold; off on the hot path."""
    failures: list[Failure] = field(default_factory=list)
    advisories: list[Failure] = field(default_factory=list)
    unscored: list[Note] = field(default_factory=list)
    invalid: list[Note] = field(default_factory=list)
    held: list[Note] = field(default_factory=list)

    def fail(
        self,
        place: Place,
        code: str,
        message: str,
        evidence: tuple[int, ...] = (),
        *,
        found: object = None,
        expected: object = None,
    ) -> None:
        """The expectation does not hold."""
        severity = severity_of(code, place.scenario, place.override)
        failure = Failure(
            code=code,
            severity=severity,
            failure_class=class_of(code, severity),
            check=place.path,
            message=message,
            evidence=tuple(sorted(set(evidence))),
            found=_json(found),
            expected=_json(expected),
        )
        (self.advisories if place.advisory else self.failures).append(failure)

    def undecided(self, place: Place, message: str, evidence: tuple[int, ...] = ()) -> None:
        """The trace does not tell. An advisory expectation leaves the verdict alone here too."""
        if not place.advisory:
            self.unscored.append(Note(check=place.path, message=message, evidence=evidence))

    def void(self, place: Place, message: str, evidence: tuple[int, ...] = ()) -> None:
        """The episode is no test of the agent."""
        self.invalid.append(Note(check=place.path, message=message, evidence=evidence))

    def hold(self, place: Place, message: str, evidence: tuple[int, ...] = ()) -> None:
        """The expectation holds, and why. Call only while `explaining`."""
        self.held.append(Note(check=place.path, message=message, evidence=evidence))


def _json(value: object) -> Json:
    """A value as a verdict keeps it: whole where it is short, else its beginning."""
    if value is ABSENT:
        return {"is": "absent"}
    if isinstance(value, (str, list, dict)):
        text = value if isinstance(value, str) else canonical(value)
        if len(text) > _LONGEST:
            return f"{text[:_LONGEST]}…"
    return cast(Json, value)
