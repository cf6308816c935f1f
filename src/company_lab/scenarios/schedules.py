"""Schedules: faults outside a scenario file, as plain documents and back, checked like those of a file."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import ValidationError

from company_lab.formats.canonical import Json
from company_lab.formats.errors import Problems
from company_lab.formats.time import format_duration
from company_lab.formats.yaml import Document
from company_lab.scenarios.faults import check_faults
from company_lab.scenarios.findings import Findings
from company_lab.scenarios.inspection import Inspection
from company_lab.scenarios.known import known_records
from company_lab.scenarios.model import Fault, Scenario
from company_lab.scenarios.part import Part
from company_lab.scenarios.spec import WorldSpec
from company_lab.scenarios.structure import note_structure


def fault_document(fault: Fault) -> dict[str, Json]:
    """A fault as it would be written in a scenario: what is not said is left out, durations are texts."""
    document: dict[str, Json] = fault.model_dump(by_alias=True, exclude_defaults=True)
    if fault.by_ms is not None:
        document["by"] = format_duration(fault.by_ms)
    return document


class _Schedule(Part):
    """Faults where they stand in a scenario, so that what is said about them names the same places."""

    faults: tuple[Fault, ...]


def read_schedule(documents: Iterable[Json], scenario: Scenario, spec: WorldSpec) -> tuple[Fault, ...]:
    """Faults from documents, for a scenario. Raises `Problems`, whose paths begin with `faults`."""
    listed: list[Json] = list(documents)
    whole: dict[str, Json] = {**scenario.document, "faults": listed}
    findings = Findings(Document(file="", value=whole))
    faults: tuple[Fault, ...] = ()
    try:
        faults = _Schedule.model_validate({"faults": listed}).faults
    except ValidationError as error:
        note_structure(error, whole, findings)
    check_faults(Inspection(document=whole, spec=spec, findings=findings, known=known_records(whole, spec)))
    if findings:
        raise Problems(findings.problems())
    return faults
