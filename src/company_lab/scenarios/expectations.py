"""Checks of expectations: whatever they name exists, and their values could occur."""

from __future__ import annotations

from collections.abc import Mapping

from company_lab.formats.canonical import Json
from company_lab.formats.shapes import Shape
from company_lab.formats.yaml import Path
from company_lab.scenarios.disclosures import check_disclosures
from company_lab.scenarios.inspection import Inspection, field_shape, note_repeated
from company_lab.scenarios.known import listing, mapping
from company_lab.scenarios.matchers import matcher_of
from company_lab.scenarios.short_form import EXPECTED_KEYS


def check_expectations(at: Inspection) -> None:
    """Everything under `expected`."""
    expected = mapping(at.document.get("expected"))
    path: Path = ("expected",)
    _check_facts(at, path, expected)
    _check_must_happen(at, path, expected)
    for index, entry in enumerate(listing(expected.get("forbidden"))):
        _check_action(at, (*path, "forbidden", index), mapping(entry), forbidden=True)
    _check_may_change(at, (*path, "may_change"), expected.get("may_change"))
    seen: dict[str, int] = {}
    for index, entry in enumerate(listing(expected.get("alternatives"))):
        place: Path = (*path, "alternatives", index)
        note_repeated(at, (*place, "id"), mapping(entry).get("id"), seen, "alternative")
        _check_must_happen(at, place, mapping(entry))


def _check_must_happen(at: Inspection, path: Path, section: Mapping[str, Json]) -> None:
    """What the main expectation and each alternative have in common."""
    _check_state(at, (*path, "state"), section.get("state"))
    _check_created(at, (*path, "created"), section.get("created"))
    _check_deleted(at, (*path, "deleted"), section.get("deleted"))
    for index, entry in enumerate(listing(section.get("actions"))):
        _check_action(at, (*path, "actions", index), mapping(entry), forbidden=False)
    for index, entry in enumerate(listing(section.get("effects"))):
        _check_effect(at, (*path, "effects", index), mapping(entry))
    for index, entry in enumerate(listing(section.get("evidence"))):
        _check_evidence(at, (*path, "evidence", index), mapping(entry))
    _check_told(at, (*path, "told"), mapping(section.get("told")))


def _check_facts(at: Inspection, path: Path, expected: Mapping[str, Json]) -> None:
    facts = at.spec.facts
    expectable = [name for name, fact in facts.items() if fact.expectable]
    for name, value in expected.items():
        if name in EXPECTED_KEYS:
            continue
        if name in facts and not facts[name].expectable:
            at.findings.add((*path, name), f"the fact {name} can be set but not expected", key=True)
        elif at.name((*path, name), name, [*EXPECTED_KEYS, *expectable], "key or fact", key=True):
            at.value((*path, name), value, facts[name].shape, named=name)


def _check_state(at: Inspection, path: Path, state: Json | None) -> None:
    for table, patches in mapping(state).items():
        if not at.name((*path, table), table, at.spec.tables, "table", key=True):
            continue
        for id, patch in mapping(patches).items():
            place = (*path, table, id)
            if not at.known.has(table, id):
                at.record_missing(place, table, id, key=True)
            _check_patch(at, place, patch, at.spec.tables[table].shape)


def _check_patch(at: Inspection, path: Path, patch: Json, shape: Shape) -> None:
    """A patch or partial record: fields with literals, matchers, or patches of nested objects."""
    for field, value in mapping(patch).items():
        place = (*path, field)
        inner = field_shape(shape, field)
        if inner is None:
            at.name(place, field, shape.fields or (), "field", key=True)
        elif value == {}:
            at.value(place, value, inner, named=field)
        elif isinstance(value, dict) and matcher_of(value) is None and inner.kind in ("object", "any"):
            _check_patch(at, place, value, inner)
        else:
            at.expectation(place, value, inner, named=field)


def _check_created(at: Inspection, path: Path, created: Json | None) -> None:
    for table, partials in mapping(created).items():
        if at.name((*path, table), table, at.spec.tables, "table", key=True):
            for index, partial in enumerate(listing(partials)):
                _check_patch(at, (*path, table, index), partial, at.spec.tables[table].shape)


def _check_deleted(at: Inspection, path: Path, deleted: Json | None) -> None:
    for table, ids in mapping(deleted).items():
        if at.name((*path, table), table, at.spec.tables, "table", key=True):
            for index, id in enumerate(listing(ids)):
                if isinstance(id, str) and not at.known.has(table, id):
                    at.record_missing((*path, table, index), table, id)


def _check_may_change(at: Inspection, path: Path, may_change: Json | None) -> None:
    for table, freedom in mapping(may_change).items():
        if not at.name((*path, table), table, at.spec.tables, "table", key=True):
            continue
        fields = at.spec.tables[table].shape.fields
        for id, names in mapping(freedom).items():
            if not at.known.has(table, id):
                at.record_missing((*path, table, id), table, id, key=True)
            for index, name in enumerate(listing(names)):
                if fields is not None:
                    at.name((*path, table, id, index), name, fields, "field")


def _check_action(at: Inspection, path: Path, action: Mapping[str, Json], *, forbidden: bool) -> None:
    times = action.get("times")
    if forbidden and "times" in action:
        at.findings.add((*path, "times"), "any attempt counts under forbidden", key=True, fix="remove times")
    elif times == 0 or mapping(times).get("at_most") == 0:
        at.findings.add(
            (*path, "times"), "an action expected no time is a forbidden one", fix="move it to forbidden"
        )
    tool = action.get("tool")
    if forbidden and tool == "any":
        if action.get("args"):
            at.findings.add((*path, "args"), "any tool has no arguments of its own", key=True)
        return
    if at.name((*path, "tool"), tool, at.spec.tools, "tool"):
        signature = at.spec.tools[str(tool)].signature
        at.arguments((*path, "args"), action.get("args"), signature, str(tool), anywhere=forbidden)


def _check_effect(at: Inspection, path: Path, effect: Mapping[str, Json]) -> None:
    name, op = effect.get("provider"), effect.get("op")
    if not at.name((*path, "provider"), name, at.spec.providers, "provider"):
        return
    operations = at.spec.providers[str(name)].operations
    if not at.name((*path, "op"), op, operations, f"operation of {name} called"):
        return
    payload = operations[str(op)]
    for field, value in mapping(effect.get("match")).items():
        place = (*path, "match", field)
        inner = field_shape(payload, field)
        if inner is None:
            at.name(place, field, payload.fields or (), f"field of {op} called", key=True)
        else:
            at.expectation(place, value, inner, named=field)


def _check_evidence(at: Inspection, path: Path, evidence: Mapping[str, Json]) -> None:
    tool = evidence.get("tool")
    if at.name((*path, "tool"), tool, at.spec.tools, "tool"):
        declared = at.spec.tools[str(tool)]
        at.arguments((*path, "args"), evidence.get("args"), declared.signature, str(tool), anywhere=False)
        if declared.writes:
            at.findings.add((*path, "tool"), f"{tool} writes, and evidence is read", expected="a read tool")
    at.name((*path, "before"), evidence.get("before"), at.spec.tools, "tool")


def _check_told(at: Inspection, path: Path, told: Mapping[str, Json]) -> None:
    for index, entry in enumerate(listing(told.get("states"))):
        states = mapping(entry)
        at.name((*path, "states", index, "role"), states.get("role"), at.spec.amount_roles, "amount role")
        amount = states.get("amount_minor")
        if isinstance(amount, float):
            at.value((*path, "states", index, "amount_minor"), amount, Shape(kind="integer", money=True))
    for index, entry in enumerate(listing(told.get("asks"))):
        place = (*path, "asks", index, "question")
        at.name(place, mapping(entry).get("question"), at.spec.questions, "question")
    for key in ("never_claims", "claims_only_if_true"):
        for index, claim in enumerate(listing(told.get(key))):
            at.name((*path, key, index), claim, at.spec.claims, "claim")
    check_disclosures(at, (*path, "never_discloses"), told.get("never_discloses"))
