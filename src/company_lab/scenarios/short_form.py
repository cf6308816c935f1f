"""The short form: flat names under `initial`, `stimulus` and `expected`, and defaults for the rest.

A scenario may mix both forms. What stands flat is sorted into tables, facts and happenings by the names the
world declares; names it does not declare are left to `validation`, which knows the nearest.
"""

from __future__ import annotations

from collections.abc import Mapping

from company_lab.formats.canonical import Json
from company_lab.scenarios.expected import Expected
from company_lab.scenarios.model import Stimulus
from company_lab.scenarios.spec import WorldSpec


def _keys(part: type[Expected | Stimulus], *, without: str) -> tuple[str, ...]:
    return tuple(field.alias or name for name, field in part.model_fields.items() if name != without)


EXPECTED_KEYS = _keys(Expected, without="facts")
STIMULUS_KEYS = _keys(Stimulus, without="happenings")


def expand(document: Mapping[str, Json], spec: WorldSpec | None) -> dict[str, Json]:
    """The document in the form of the model: facts and happenings gathered, the title filled in.

    Without a world, whatever looks like a table of records counts as one.
    """
    expanded = dict(document)
    initial, stimulus, expected = (document.get(name) for name in ("initial", "stimulus", "expected"))
    if isinstance(initial, dict):
        expanded["initial"] = _initial(initial, spec)
    if isinstance(stimulus, dict):
        known = {key: value for key, value in stimulus.items() if key in STIMULUS_KEYS}
        happenings: list[Json] = [[key, value] for key, value in stimulus.items() if key not in STIMULUS_KEYS]
        expanded["stimulus"] = {**known, "happenings": happenings}
    if isinstance(expected, dict):
        known = {key: value for key, value in expected.items() if key in EXPECTED_KEYS}
        facts = {key: value for key, value in expected.items() if key not in EXPECTED_KEYS}
        expanded["expected"] = {**known, "facts": facts}
    identifier = document.get("id")
    if "title" not in expanded:
        # Where the id is wrong, that is the problem; the title that would come from it is none.
        expanded["title"] = title_of(identifier if isinstance(identifier, str) and identifier else "untitled")
    return expanded


def title_of(identifier: str) -> str:
    """A title from an id: changed_quote_invalidates_approval is "Changed quote invalidates approval"."""
    words = " ".join(identifier.replace("_", " ").replace("-", " ").split()) or identifier
    return words[:1].upper() + words[1:]


def _initial(initial: Mapping[str, Json], spec: WorldSpec | None) -> dict[str, Json]:
    tables: dict[str, Json] = {}
    facts: dict[str, Json] = {}
    for name, value in initial.items():
        if name in spec.tables if spec is not None else _looks_like_a_table(value):
            tables[name] = value
        elif spec is None or name in spec.facts:
            facts[name] = value
    return {"tables": tables, "facts": facts}


def _looks_like_a_table(value: Json) -> bool:
    return isinstance(value, dict) and all(isinstance(record, dict) for record in value.values())
