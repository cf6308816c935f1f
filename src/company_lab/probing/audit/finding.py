"""Finding: something about a suite that lets a verdict say less than it seems to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast

from company_lab.formats.canonical import Json

Level: TypeAlias = Literal["block", "warn", "info"]
"""A suite with a finding that blocks decides nothing; a warning is shown; the rest is for whoever looks closer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One defect, where it stands, what shows it, and what to do."""

    audit: str
    """The audit's code, such as A6."""
    level: Level
    scenario: str | None
    """None where it is about the suite as a whole."""
    path: str = ""
    """The place inside the scenario, such as `expected.actions[0]`."""
    evidence: str
    remedy: str
    file: str = ""
    line: int | None = None
    accepted: str | None = None
    """The reason for which the scenario accepts it. An accepted finding is shown and neither blocks nor warns."""

    @property
    def counts(self) -> bool:
        """Whether it is a defect that nobody has accepted."""
        return self.accepted is None

    def to_json(self) -> dict[str, Json]:
        """As a JSON object."""
        return {
            "audit": self.audit,
            "level": self.level,
            "scenario": self.scenario,
            "location": {"file": self.file, "line": self.line, "path": self.path},
            "evidence": self.evidence,
            "remedy": self.remedy,
            "accepted": self.accepted,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Json]) -> Finding:
        """Read `to_json` back."""
        location = cast(Mapping[str, Json], data["location"])
        return cls(
            audit=str(data["audit"]),
            level=cast(Level, data["level"]),
            scenario=_text(data["scenario"]),
            path=str(location["path"]),
            evidence=str(data["evidence"]),
            remedy=str(data["remedy"]),
            file=str(location["file"]),
            line=cast("int | None", location["line"]),
            accepted=_text(data["accepted"]),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutants:
    """How many small wrongs were tried, and how many of them a verdict noticed."""

    killed: int = 0
    total: int = 0

    def __add__(self, other: Mutants) -> Mutants:
        return Mutants(killed=self.killed + other.killed, total=self.total + other.total)

    def __str__(self) -> str:
        return f"{self.killed} of {self.total}"


def summed(parts: Iterable[Mutants]) -> Mutants:
    """All of them together."""
    return sum(parts, Mutants())


Found: TypeAlias = Finding | Mutants
"""What an audit yields."""


def _text(value: Json) -> str | None:
    return None if value is None else str(value)
