"""Where findings stand: file and line of the place in the scenario."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path as File

from company_lab.formats.yaml import Document, Path, scan_yaml
from company_lab.probing.audit.finding import Finding
from company_lab.scenarios.model import Scenario

_STEP = re.compile(r"\[(\d+)\]|\[?\"([^\"]*)\"\]?|([^.\[\]]+)")


def positioned(findings: Sequence[Finding], scenarios: Sequence[Scenario]) -> tuple[Finding, ...]:
    """The findings with file and line; files are read again only where something was found."""
    by_id = {scenario.id: scenario for scenario in scenarios}
    documents: dict[str, dict[str, Document]] = {}
    placed = []
    for finding in findings:
        scenario = by_id.get(finding.scenario or "")
        if scenario is None:
            placed.append(finding)
            continue
        file, line = scenario.source.file, scenario.source.line
        if file and finding.path:
            if file not in documents:
                documents[file] = _documents(file)
            document = documents[file].get(scenario.id)
            if document is not None:
                line = _line(document, finding.path) or line
        placed.append(replace(finding, file=file, line=line))
    return tuple(placed)


def _documents(file: str) -> dict[str, Document]:
    try:
        documents, _ = scan_yaml(File(file).read_bytes(), file=file)
    except OSError:
        return {}
    return {
        str(document.value["id"]): document
        for document in documents
        if isinstance(document.value, dict) and "id" in document.value
    }


def _line(document: Document, written: str) -> int | None:
    """The line of a place, or of the nearest place around it that is written down."""
    path: list[str | int] = []
    value = document.value
    for index, quoted, name in _STEP.findall(written):
        step: str | int = int(index) if index else quoted or name
        if isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        elif isinstance(value, dict) and step in value:
            value = value[str(step)]
        else:
            break
        path.append(step)
    place: Path = tuple(path)
    return document.position(place, key=isinstance(path[-1], str))[0] if place else None
