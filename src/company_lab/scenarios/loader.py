"""Loader: from the text of a scenario file to checked scenarios, or to everything that is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from pydantic import ValidationError

from company_lab.formats.canonical import Json, boundary, digest
from company_lab.formats.errors import CompanyLabError, Problem, Problems
from company_lab.formats.yaml import Document, collection_paused, scan_yaml
from company_lab.scenarios.findings import Findings
from company_lab.scenarios.model import Scenario, Source
from company_lab.scenarios.short_form import STIMULUS_KEYS, expand
from company_lab.scenarios.spec import WorldSpec
from company_lab.scenarios.structure import note_structure
from company_lab.scenarios.validation import validate

Worlds: TypeAlias = Callable[[str], WorldSpec]
"""Finds the world of a name; raises `WrongUse` where there is none."""


CORE_KEYS = frozenset({"id", "initial", "stimulus", "expected", "reference"})
"""A document with none of these is something else, such as the configuration of another program."""


@dataclass(slots=True)
class Reading:
    """One document on its way to a scenario: what could be made of it, and what is wrong with it."""

    document: Document
    findings: Findings
    scenario: Scenario | None = None

    @property
    def id(self) -> str | None:
        """The id, even of a scenario that could not be loaded."""
        return self.text("id")

    def text(self, key: str) -> str | None:
        """A text at the top of the document."""
        value = self.document.value
        found = value.get(key) if isinstance(value, dict) else None
        return found if isinstance(found, str) else None


def load_scenarios(text: str | bytes, *, file: str = "", worlds: Worlds) -> tuple[Scenario, ...]:
    """The scenarios of a YAML text, one for each document, in order.

    `file` names the text in messages. Raises `Problems` with everything that is wrong, in document order.
    """
    with collection_paused(len(text)):
        readings, problems = read_scenarios(text, file=file, worlds=worlds)
    note_repeated_ids(readings)
    return finish(readings, problems)


def load_document(document: Mapping[str, Json], *, worlds: Worlds, file: str = "") -> Scenario:
    """A scenario from a document that never was a text, such as one made from a correction.

    Raises `Problems`, without lines, and `NotJson` for a value that JSON can not carry.
    """
    value = boundary(document)
    placeless = Document(file=file, value=value, floats=_holds_floats(value))
    return finish([read_scenario(placeless, worlds)], [])[0]


def _holds_floats(value: Json) -> bool:
    if isinstance(value, (dict, list)):
        return any(map(_holds_floats, value.values() if isinstance(value, dict) else value))
    return isinstance(value, float)


def content_digest(document: Mapping[str, Json]) -> str:
    """SHA-256 over the content of a scenario as it was written.

    Key order, comments, line ends and spelling of scalars never matter; values and the order of lists do, and
    of several stimuli the order too, as they happen in it. A default written out is content: it stays when a
    later version changes the default.
    """
    stimulus = document.get("stimulus")
    names = [name for name in stimulus if name not in STIMULUS_KEYS] if isinstance(stimulus, dict) else []
    if len(names) < 2:
        return digest(document)
    return digest([document, names])


def read_scenarios(text: str | bytes, *, file: str, worlds: Worlds) -> tuple[list[Reading], list[Problem]]:
    """Every document of a text with its findings, and the problems of the text itself."""
    documents, problems = scan_yaml(text, file=file)
    return [read_scenario(document, worlds) for document in documents], problems


def read_scenario(document: Document, worlds: Worlds) -> Reading:
    """One document with everything that is wrong with it, and the scenario if nothing is."""
    reading = Reading(document, Findings(document))
    value = document.value
    if not isinstance(value, dict):
        reading.findings.add((), "a scenario is a mapping", found=reading.findings.shown((), value))
        return reading
    if value and CORE_KEYS.isdisjoint(value):
        reading.findings.add(
            (),
            "this is no scenario",
            found=f"the keys {', '.join(list(value)[:5])}",
            expected=f"at least one of {', '.join(sorted(CORE_KEYS))}",
            fix="a suite is a folder of scenarios alone: name that folder, or move this file out of it",
        )
        return reading
    spec = _world(value, worlds, reading.findings)
    scenario = _build(value, spec, reading.findings)
    if spec is not None:
        validate(value, spec, reading.findings)
    if scenario is None or reading.findings:
        return reading
    if document.floats:
        value = dict(boundary(value))  # type: ignore[arg-type]
        scenario = Scenario.model_validate(expand(value, spec))
    scenario._source = Source(file=document.file, line=document.line)
    scenario._document = value
    scenario._digest = content_digest(value)
    reading.scenario = scenario
    return reading


def note_repeated_ids(readings: list[Reading]) -> None:
    """Note every id that several scenarios have, at the later ones."""
    first: dict[str, Reading] = {}
    for reading in readings:
        if reading.id is None:
            continue
        earlier = first.setdefault(reading.id, reading)
        if earlier is not reading:
            line, _ = earlier.document.position(("id",))
            where = Source(file=earlier.document.file, line=line or 0)
            reading.findings.add(
                ("id",), f"the id {reading.id} stands twice, first in {where}", fix="rename one"
            )


def finish(
    readings: list[Reading], problems: list[Problem], files: Sequence[str] = ()
) -> tuple[Scenario, ...]:
    """The scenarios, if nothing is wrong; else raises `Problems` with all there is, by file and position."""
    found = [*problems, *(problem for reading in readings for problem in reading.findings.problems())]
    if found:
        order = {file: position for position, file in enumerate(files)}
        raise Problems(
            sorted(found, key=lambda one: (order.get(one.file, -1), one.line or 0, one.column or 0))
        )
    return tuple(reading.scenario for reading in readings if reading.scenario is not None)


def _world(document: Mapping[str, Json], worlds: Worlds, findings: Findings) -> WorldSpec | None:
    name = document.get("world", "company")
    if not isinstance(name, str):
        return None
    try:
        return worlds(name)
    except CompanyLabError as error:
        findings.add(("world",) if "world" in document else (), str(error), found=name)
        return None


def _build(document: Mapping[str, Json], spec: WorldSpec | None, findings: Findings) -> Scenario | None:
    try:
        return Scenario.model_validate(expand(document, spec))
    except ValidationError as error:
        note_structure(error, document, findings)
        return None
