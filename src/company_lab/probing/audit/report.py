"""What an audit of a suite says as a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from company_lab.formats.canonical import Json
from company_lab.probing.audit.finding import Finding, Level, Mutants, summed
from company_lab.runs.audits import audit_of, store_audit
from company_lab.runs.code import package_digest
from company_lab.runs.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditReport:
    """The findings about a suite, and how many small wrongs its verdicts noticed."""

    suite: str
    """The digest of the suite."""
    scenarios: int
    audits: tuple[str, ...]
    """Codes of those that looked."""
    findings: tuple[Finding, ...]
    mutants: Mapping[str, Mutants] = field(default_factory=dict)
    """By scenario."""
    worlds: Mapping[str, str] = field(default_factory=dict)
    """Digests of the worlds it was played in, by the name scenarios give them."""

    def of_level(self, level: Level) -> tuple[Finding, ...]:
        """The findings of a level that nobody has accepted."""
        return tuple(one for one in self.findings if one.level == level and one.counts)

    @property
    def blocking(self) -> bool:
        """Whether anything found keeps the suite from deciding."""
        return bool(self.of_level("block"))

    @property
    def killed(self) -> Mutants:
        """Mutants of all scenarios together."""
        return summed(self.mutants.values())

    def counts(self) -> Counter[tuple[str, Level]]:
        """How often each audit found something of each level, accepted findings left out."""
        return Counter((one.audit, one.level) for one in self.findings if one.counts)

    def to_json(self) -> dict[str, Json]:
        """The document that is stored and that `--json` prints."""
        total = self.killed
        return {
            "format": 1,
            "suite": self.suite,
            "code": package_digest("company_lab"),
            "worlds": dict(self.worlds),
            "scenarios": self.scenarios,
            "audits": list(self.audits),
            "blocking": len(self.of_level("block")),
            "warnings": len(self.of_level("warn")),
            "accepted": sum(not one.counts for one in self.findings),
            "findings": [one.to_json() for one in self.findings],
            "killed": total.killed,
            "mutants": total.total,
            "by_scenario": {
                id: {"killed": one.killed, "mutants": one.total} for id, one in self.mutants.items()
            },
        }


def keep(store: Store, report: AuditReport) -> None:
    """Store what an audit found under the digest of its suite."""
    store_audit(store, report.suite, report.to_json())


def stored(store: Store, suite_digest: str) -> Mapping[str, Json] | None:
    """What the last audit of a suite found, if the code has not changed since; otherwise None."""
    found = audit_of(store, suite_digest)
    return found if found is not None and found.get("code") == package_digest("company_lab") else None
