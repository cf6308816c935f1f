"""The structure of a scenario document: keys and types, said in the format's own words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from company_lab.formats.yaml import Path
from company_lab.scenarios.findings import Findings
from company_lab.scenarios.model import Scenario

_EXPECTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "tuple_type": "a list",
}


def note_structure(error: ValidationError, document: object, findings: Findings) -> None:
    """Note what the model could not take of `document`, at the places where it stands there."""
    for detail in error.errors(include_url=False, include_input=True):
        path = _path(detail["loc"], document)
        if detail["type"] == "missing":
            name = str(detail["loc"][-1])
            # `turns` is the form of the model; what the document lacks is said by the check of conducts.
            if name != "turns":
                findings.add(path, f"the key {name} is missing", key=True)
        elif detail["type"] == "extra_forbidden":
            keys = known_keys(detail["loc"][:-1])
            name = str(detail["loc"][-1])
            findings.add(
                path,
                f"unknown key {name}",
                key=True,
                expected="one of " + ", ".join(keys) if keys else None,
                nearest=findings.nearest(name, keys),
            )
        else:
            _note_value(detail, path, findings)


def _note_value(detail: ErrorDetails, path: Path, findings: Findings) -> None:
    kind, value, context = detail["type"], detail["input"], detail.get("ctx", {})
    found = findings.shown(path, value)
    if kind == "unfit":
        plain = found if not isinstance(value, (dict, list)) and not hasattr(value, "model_fields") else None
        findings.add(path, context["message"], found=plain, expected=context["expected"], fix=context["fix"])
    elif kind == "string_type":
        findings.add(path, "a wrong type", found=found, expected="text", fix=findings.quoting(path, value))
    elif kind in _EXPECTED:
        expected = _EXPECTED[kind]
        findings.add(path, "a wrong type", found=found, expected=expected)
    elif kind == "literal_error":
        choices = str(context["expected"]).replace("'", "").replace(" or ", ", ")
        close = findings.nearest(value, choices.split(", ")) if isinstance(value, str) else None
        findings.add(path, "a wrong value", found=found, expected=f"one of {choices}", nearest=close)
    elif kind == "too_short":
        # Pydantic counts only entries that fit; those that do not are reported for themselves.
        if not value:
            findings.add(path, "an empty list", expected="at least one entry")
    elif kind == "string_too_short":
        findings.add(path, "an empty text", expected="text")
    elif kind == "greater_than_equal":
        findings.add(path, "the number is too small", found=found, expected=f"at least {context['ge']}")
    else:
        findings.add(path, detail["msg"], found=found)


def _path(location: tuple[int | str, ...], document: object) -> Path:
    """Where a location of the model stands in the document; what only the model has is left out."""
    path: list[str | int] = []
    place: Any = document
    for part in location:
        if isinstance(place, dict):
            inside = part in place
        else:
            inside = isinstance(place, list) and isinstance(part, int) and part < len(place)
        if inside:
            path.append(part)
            place = place[part]
    return tuple(path)


@cache
def _schema() -> dict[str, Any]:
    return Scenario.model_json_schema(by_alias=True)


def known_keys(location: tuple[int | str, ...]) -> tuple[str, ...]:
    """The keys that the format knows at a location of the model."""
    places = list(_forms(_schema()))
    for part in location:
        inner = [form for place in places for step in _steps(place, part) for form in _forms(step)]
        places = inner or places
    return tuple(dict.fromkeys(key for place in places for key in place.get("properties", ())))


def _steps(place: Mapping[str, Any], part: int | str) -> Iterator[dict[str, Any]]:
    step = place.get("items") if isinstance(part, int) else place.get("properties", {}).get(part)
    if step is None and isinstance(part, str):
        step = place.get("additionalProperties")
    if isinstance(step, dict):
        yield step


def _forms(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if "$ref" in schema:
        yield from _forms(_schema()["$defs"][schema["$ref"].rpartition("/")[2]])
    yield schema
    for form in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        yield from _forms(form)
