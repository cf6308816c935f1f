"""JSON Schema (2020-12) of the scenario format, for editors; with a world, its names are filled in.

It is made from the model. What no schema can say (references between records, zones of times inside patterns,
whether a scenario can fail) is left to the loader, so a document that fits may still be refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from company_lab.formats.canonical import Json
from company_lab.formats.shapes import Shape
from company_lab.scenarios.fault_kinds import KEYS, KINDS
from company_lab.scenarios.matchers import MATCHERS
from company_lab.scenarios.model import Scenario
from company_lab.scenarios.schema_sharing import NAME, share
from company_lab.scenarios.spec import WorldSpec

DIALECT = "https://json-schema.org/draft/2020-12/schema"
EDITOR_HEADER = "# yaml-language-server: $schema={schema}"
"""The first line of a file, for editors: `EDITOR_HEADER.format(schema="scenario.schema.json")`."""

_Schema: TypeAlias = dict[str, Any]


def scenario_schema(spec: WorldSpec | None = None) -> dict[str, Json]:
    """The schema of one scenario document in long or short form.

    Without a world, any table, fact, stimulus and tool name fits.
    """
    schema = Scenario.model_json_schema(by_alias=True)
    # The loader takes the title from the id.
    schema["required"] = [key for key in schema["required"] if key != "title"]
    filled = share(_fill(schema, spec))
    return {"$schema": DIALECT, "title": "Company Lab scenario", **filled}


def _fill(value: Any, spec: WorldSpec | None) -> Any:
    """The schema with the world's names, without the noise of generated titles and null defaults."""
    if isinstance(value, list):
        return [_fill(item, spec) for item in value]
    if not isinstance(value, dict):
        return value
    filled = {
        key: {name: _fill(item, spec) for name, item in inner.items()}
        if key in ("properties", "$defs")
        else _fill(inner, spec)
        for key, inner in value.items()
        if key not in ("x-names", "title", "default")
    }
    kind = value.get("x-names")
    if kind is None:
        return filled
    if spec is None:
        return filled | _OPEN.get(kind, {})
    return _FILLINGS[kind](filled, spec)


def _one_of(names: Callable[[WorldSpec], Any]) -> Callable[[_Schema, WorldSpec], _Schema]:
    return lambda schema, spec: {**schema, "enum": sorted(names(spec))}


def _keyed(shape: Callable[[Shape], _Schema]) -> Callable[[_Schema, WorldSpec], _Schema]:
    """An object with the world's tables as keys."""

    def fill(schema: _Schema, spec: WorldSpec) -> _Schema:
        tables = {name: shape(table.shape) for name, table in spec.tables.items()}
        return _closed(tables)

    return fill


def _closed(properties: Mapping[str, Any]) -> _Schema:
    return {"type": "object", "properties": dict(properties), "additionalProperties": False}


def _by_id(schema: _Schema) -> _Schema:
    return {"type": "object", "additionalProperties": schema}


def _partial(shape: Shape) -> _Schema:
    """Some fields of a record, with values or matchers."""
    if shape.fields is None:
        return {"type": "object"}
    return _closed({name: _expectation(inner) for name, inner in shape.fields.items()})


def _expectation(shape: Shape) -> _Schema:
    literal = _partial(shape) if shape.kind == "object" else shape.json_schema()
    # What it means stands where it is given; without that, most expectations are spelled alike and stated once.
    literal.pop("description", None)
    return {"anyOf": [_MATCHER, literal], NAME: shape.kind}


_MATCHER: Mapping[str, Any] = {
    NAME: "matcher",
    "type": "object",
    "minProperties": 1,
    "maxProperties": 1,
    "properties": dict.fromkeys(MATCHERS, True),
    "additionalProperties": False,
}


def _when(key: str, cases: Mapping[str, _Schema]) -> list[_Schema]:
    """One condition for every value that `key` may have."""
    return [
        {"if": {"properties": {key: {"const": name}}, "required": [key]}, "then": {"properties": then}}
        for name, then in sorted(cases.items())
    ]


def _initial(schema: _Schema, spec: WorldSpec) -> _Schema:
    facts = {name: fact.shape.json_schema() for name, fact in spec.facts.items() if fact.settable}
    tables = {name: _by_id(table.shape.json_schema()) for name, table in spec.tables.items()}
    return {**schema, **_closed(facts | tables)}


def _expected(schema: _Schema, spec: WorldSpec) -> _Schema:
    facts = {
        name: fact.shape.json_schema() | {"description": fact.description}
        for name, fact in spec.facts.items()
        if fact.expectable
    }
    return {**schema, "properties": facts | schema["properties"]}


def _stimulus(schema: _Schema, spec: WorldSpec) -> _Schema:
    happenings = {
        name: stimulus.shape.json_schema() | {"description": stimulus.description}
        for name, stimulus in spec.stimuli.items()
    }
    return {**schema, "properties": happenings | schema["properties"]}


def _event(schema: _Schema, spec: WorldSpec) -> _Schema:
    cases = {name: {"data": event.shape.json_schema()} for name, event in spec.events.items()}
    return {**schema, "allOf": _when("type", cases)}


def _arguments(schema: _Schema, spec: WorldSpec) -> _Schema:
    cases = {
        name: {
            "args": _closed(
                {key: _expectation(item.shape) for key, item in tool.signature.parameters.items()}
            )
        }
        for name, tool in spec.tools.items()
    }
    return {**schema, "allOf": [{NAME: "arguments", "allOf": _when("tool", cases)}]}


def _action(schema: _Schema, spec: WorldSpec) -> _Schema:
    return {**_arguments(schema, spec), "properties": {"tool": {"enum": sorted(spec.tools)}}}


def _forbidden(schema: _Schema, spec: WorldSpec) -> _Schema:
    return {**_arguments(schema, spec), "properties": {"tool": {"enum": ["any", *sorted(spec.tools)]}}}


def _step(schema: _Schema, spec: WorldSpec) -> _Schema:
    cases = {name: {"args": tool.json_schema()} for name, tool in spec.tools.items()}
    tool = {"properties": {"tool": {"enum": sorted(spec.tools)}}}
    malformed = {"properties": {"malformed": {"const": True}}, "required": ["malformed"]}
    return {**schema, "if": malformed, "else": {**tool, "allOf": _when("tool", cases)}}


def _effect(schema: _Schema, spec: WorldSpec) -> _Schema:
    cases = {name: {"op": {"enum": sorted(provider.operations)}} for name, provider in spec.providers.items()}
    return {**schema, "allOf": _when("provider", cases)}


def _answers(schema: _Schema, spec: WorldSpec) -> _Schema:
    return _closed(
        {
            name: _closed(
                {op: {"type": "array", "items": _answer(provider.answers)} for op in provider.operations}
            )
            for name, provider in spec.providers.items()
        }
    )


def _answer(answers: tuple[str, ...]) -> _Schema:
    return {"type": "object", "properties": {"answer": {"enum": list(answers)}}, "required": ["answer"]}


def _may_change(shape: Shape) -> _Schema:
    fields = {"type": "array", "items": {"enum": list(shape.fields)} if shape.fields else {"type": "string"}}
    return {"anyOf": [{"const": "any"}, _by_id({"anyOf": [{"const": "any"}, fields]})]}


def _fault(schema: _Schema, spec: WorldSpec) -> _Schema:
    """Each kind with the keys it needs and without those it has no use for."""
    cases = []
    for kind in (KINDS[name] for name in sorted(spec.fault_kinds) if name in KINDS):
        properties: _Schema = {key: False for key in KEYS if key not in kind.takes}
        then: _Schema = {"properties": properties}
        if kind.needs:
            then["required"] = sorted(kind.needs)
        case = {"properties": {"kind": {"const": kind.name}}, "required": ["kind"]}
        cases.append({"if": case, "then": then})
    return {**schema, "allOf": cases}


_OPEN: Mapping[str, _Schema] = {
    "expected": {"additionalProperties": True},
    "stimulus": {"additionalProperties": True},
}
_FILLINGS: Mapping[str, Callable[[_Schema, WorldSpec], _Schema]] = {
    "permissions": _one_of(lambda spec: spec.permissions),
    "tools": _one_of(lambda spec: spec.tools),
    "providers": _one_of(lambda spec: spec.providers),
    "amount_roles": _one_of(lambda spec: spec.amount_roles),
    "questions": _one_of(lambda spec: spec.questions),
    "claims": _one_of(lambda spec: spec.claims),
    "events": _one_of(lambda spec: spec.events),
    "requests": _one_of(lambda spec: spec.requests),
    "fault_kinds": _one_of(lambda spec: spec.fault_kinds),
    "records": _keyed(lambda shape: _by_id(shape.json_schema())),
    "patches": _keyed(lambda shape: _by_id(_partial(shape))),
    "created": _keyed(lambda shape: {"type": "array", "items": _partial(shape)}),
    "deleted": _keyed(lambda shape: {"type": "array", "items": {"type": "string"}}),
    "may_change": _keyed(_may_change),
    "fault": _fault,
    "provider_answers": _answers,
    "initial": _initial,
    "expected": _expected,
    "stimulus": _stimulus,
    "event": _event,
    "action": _action,
    "forbidden": _forbidden,
    "arguments": _arguments,
    "effect": _effect,
    "step": _step,
}
