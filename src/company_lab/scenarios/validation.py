"""Validation: a scenario document against the world it names."""

from __future__ import annotations

from collections.abc import Mapping

from company_lab.formats.canonical import Json
from company_lab.scenarios.conducts import check_conducts
from company_lab.scenarios.expectations import check_expectations
from company_lab.scenarios.falsifiable import check_falsifiable
from company_lab.scenarios.findings import Findings
from company_lab.scenarios.fixture import check_fixture
from company_lab.scenarios.inspection import Inspection
from company_lab.scenarios.known import known_records
from company_lab.scenarios.spec import WorldSpec

CHECKS = (check_fixture, check_expectations, check_falsifiable, check_conducts)


def validate(document: Mapping[str, Json], spec: WorldSpec, findings: Findings) -> None:
    """Note everything in a document that does not fit the world."""
    known = known_records(document, spec)
    inspection = Inspection(document=document, spec=spec, findings=findings, known=known)
    for check in CHECKS:
        check(inspection)
