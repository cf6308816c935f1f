"""Verdict: what judging an episode says, as data that survives saving and loading unchanged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, cast

from company_lab.evaluation.codes import CODES, FailureClass, Severity, class_of
from company_lab.evaluation.precedence import outcome as outcome_of
from company_lab.formats.canonical import Json
from company_lab.formats.errors import WrongUse, nearest

Outcome = Literal["passed", "failed", "unscored", "invalid"]
OUTCOMES: tuple[Outcome, ...] = ("passed", "failed", "unscored", "invalid")


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One expectation that does not hold."""

    code: str
    severity: Severity
    failure_class: FailureClass | None = None
    """The class a critical failure counts under; None where the failure is not critical."""
    check: str
    """The expectation's place in the scenario, such as `expected.actions[0]`."""
    message: str
    evidence: tuple[int, ...] = ()
    """`seq` of the trace records that show it."""
    found: Json = None
    expected: Json = None

    def to_json(self) -> dict[str, Json]:
        """As a JSON object; every key always present."""
        return {
            "code": self.code,
            "severity": self.severity,
            "failure_class": self.failure_class,
            "check": self.check,
            "message": self.message,
            "evidence": list(self.evidence),
            "found": self.found,
            "expected": self.expected,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Json]) -> Failure:
        """Read `to_json` back. Raises `WrongUse` for codes or severities that do not exist, and missing keys."""
        _check_keys(data, _FAILURE_KEYS, "a failure")
        code, severity = str(data["code"]), str(data["severity"])
        if code not in CODES:
            raise WrongUse(f"{code!r} is no failure code{_hint(code, CODES)}")
        if severity not in ("critical", "major", "minor"):
            raise WrongUse(f"{severity!r} is no severity; expected critical, major or minor")
        known = cast(Severity, severity)
        return cls(
            code=code,
            severity=known,
            failure_class=class_of(code, known),
            check=str(data["check"]),
            message=str(data["message"]),
            evidence=_seqs(data["evidence"]),
            found=data["found"],
            expected=data["expected"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """What a check says besides failing: why it holds, why it is undecided, what makes the episode void."""

    check: str
    message: str
    evidence: tuple[int, ...] = ()

    def to_json(self) -> dict[str, Json]:
        """As a JSON object."""
        return {"check": self.check, "message": self.message, "evidence": list(self.evidence)}

    @classmethod
    def from_json(cls, data: Mapping[str, Json]) -> Note:
        """Read `to_json` back. Raises `WrongUse` for missing keys."""
        _check_keys(data, _NOTE_KEYS, "a note")
        return cls(check=str(data["check"]), message=str(data["message"]), evidence=_seqs(data["evidence"]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Passed, failed, unscored or invalid, and everything that led there."""

    outcome: Outcome
    failures: tuple[Failure, ...] = ()
    unscored: tuple[Note, ...] = ()
    invalid: tuple[Note, ...] = ()
    held: tuple[Note, ...] = ()
    """Why each expectation holds; filled by `explain`, empty from `judge`."""
    advisories: tuple[Failure, ...] = ()
    """Advisory checks that do not hold. They never change the outcome."""
    alternative: str | None = None
    """Id of the alternative that was taken, or came closest; None for the main expectation."""

    @property
    def passed(self) -> bool:
        """True only for the outcome `passed`."""
        return self.outcome == "passed"

    @property
    def codes(self) -> tuple[str, ...]:
        """Each failure code once, in the order of the list of codes."""
        found = {failure.code for failure in self.failures}
        return tuple(code for code in CODES if code in found)

    def to_json(self) -> dict[str, Json]:
        """As a JSON object; `from_json` gives an equal verdict."""
        return {
            "outcome": self.outcome,
            "failures": [failure.to_json() for failure in self.failures],
            "unscored": [note.to_json() for note in self.unscored],
            "invalid": [note.to_json() for note in self.invalid],
            "held": [note.to_json() for note in self.held],
            "advisories": [failure.to_json() for failure in self.advisories],
            "alternative": self.alternative,
        }

    @classmethod
    def from_json(cls, data: object) -> Verdict:
        """Read a stored verdict. Raises `WrongUse` for missing or unknown keys, and one better than its findings."""
        if not isinstance(data, Mapping):
            raise WrongUse("a stored verdict is a JSON object")
        for key in data:
            if key not in _KEYS:
                raise WrongUse(f"{key!r} is no key of a verdict{_hint(str(key), _KEYS)}")
        _check_keys(data, _KEYS, "a verdict")
        outcome = data["outcome"]
        if outcome not in OUTCOMES:
            raise WrongUse(f"{outcome!r} is no outcome; expected {', '.join(OUTCOMES)}")
        failures = tuple(map(Failure.from_json, _objects(data["failures"])))
        unscored = tuple(map(Note.from_json, _objects(data["unscored"])))
        invalid = tuple(map(Note.from_json, _objects(data["invalid"])))
        follows = outcome_of(failures=failures, unscored=unscored, invalid=invalid)
        if _FROM_BEST.index(outcome) < _FROM_BEST.index(follows):
            raise WrongUse(f"a stored verdict says {outcome}; by what it lists it is {follows}")
        alternative = data["alternative"]
        return cls(
            outcome=cast(Outcome, outcome),
            failures=failures,
            unscored=unscored,
            invalid=invalid,
            held=tuple(map(Note.from_json, _objects(data["held"]))),
            advisories=tuple(map(Failure.from_json, _objects(data["advisories"]))),
            alternative=None if alternative is None else str(alternative),
        )


PASSED = Verdict(outcome="passed")
"""The verdict on an episode about which there is nothing more to say."""

_KEYS = ("outcome", "failures", "unscored", "invalid", "held", "advisories", "alternative")
_FROM_BEST: tuple[str, ...] = ("passed", "invalid", "unscored", "failed")
_FAILURE_KEYS = ("code", "severity", "check", "message", "evidence", "found", "expected")
_NOTE_KEYS = ("check", "message", "evidence")


def _check_keys(data: Mapping[str, object], keys: Iterable[str], what: str) -> None:
    for key in keys:
        if key not in data:
            raise WrongUse(f"{what} as stored has no {key!r}")


def _objects(value: object) -> Iterable[Mapping[str, Json]]:
    if not isinstance(value, list) or not all(isinstance(item, Mapping) for item in value):
        raise WrongUse("a stored verdict lists its failures and notes as objects")
    return cast("list[Mapping[str, Json]]", value)


def _seqs(value: Json) -> tuple[int, ...]:
    if not isinstance(value, list):
        raise WrongUse("evidence is a list of record numbers")
    return tuple(seq for seq in value if isinstance(seq, int) and not isinstance(seq, bool))


def _hint(name: str, names: Iterable[str]) -> str:
    close = nearest(name, names)
    return f"; did you mean {close}?" if close else ""
