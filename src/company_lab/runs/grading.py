"""The grading digest: what a verdict rests on besides the trace."""

from __future__ import annotations

from company_lab.formats.canonical import digest
from company_lab.runs.code import package_digest
from company_lab.scenarios.model import Scenario
from company_lab.scenarios.spec import WorldSpec

_JUDGING = ("evaluation", "traces", "scenarios", "formats")
"""The floors that judging stands on: how an amount is read decides verdicts too."""


def grading_digest(scenario: Scenario, spec: WorldSpec) -> str:
    """SHA-256 over scenario, world (its rules included) and the code that judges."""
    return digest(
        {
            "scenario": scenario.digest,
            "world": spec.digest,
            "judging": {floor: package_digest(f"company_lab.{floor}") for floor in _JUDGING},
        }
    )
