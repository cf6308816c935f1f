"""Checks of faults: they happen to something that exists, and say what their kind needs."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from company_lab.formats.canonical import Json
from company_lab.formats.yaml import Path
from company_lab.scenarios.fault_kinds import EVENT_FAULTS, KEYS, KINDS, TOOL_FAULTS, FaultKind
from company_lab.scenarios.inspection import Inspection, field_shape, note_repeated
from company_lab.scenarios.known import listing, mapping


def check_faults(at: Inspection) -> None:
    """Every fault has a kind, a place where that kind can happen, and the keys that the kind needs."""
    events = {str(mapping(event).get("id")): event for event in listing(at.document.get("events"))}
    seen: dict[str, int] = {}
    for index, entry in enumerate(listing(at.document.get("faults"))):
        fault, path = mapping(entry), ("faults", index)
        name, on = fault.get("kind"), fault.get("on")
        if not at.name((*path, "kind"), name, at.spec.fault_kinds, "kind of fault") or not isinstance(
            on, str
        ):
            continue
        kind = KINDS.get(str(name))
        if kind is None:  # a kind that a world brought along
            names = [*at.spec.tools, *events, *at.spec.providers, *at.spec.departments]
            at.name((*path, "on"), on, names, "tool, event or provider")
            continue
        _check_place(at, path, kind, fault, events)
        _check_keys(at, path, kind, fault)
        if fault.get("change") == {}:
            at.findings.add((*path, "change"), "nobody changes anything", expected=_WANTED["change"])
        elif kind.name == "forged":
            _check_forgery(at, (*path, "change"), fault.get("change"), mapping(events.get(on)))
        else:
            _check_change(at, (*path, "change"), fault.get("change"))
        point = f"{on} {name} {fault.get('occurrence', 1)} {fault.get('attempt', 1)}"
        note_repeated(at, path, f"{point} {fault['at']}" if "at" in fault else point, seen, "fault")


def _check_place(
    at: Inspection, path: Path, kind: FaultKind, fault: Mapping[str, Json], events: Collection[str]
) -> None:
    tools, on = at.spec.tools, str(fault["on"])
    if kind.happens_to == "events":
        if on in tools:
            _misplaced(at, path, f"{kind.name} happens to events, and {on} is a tool", TOOL_FAULTS)
        else:
            at.name((*path, "on"), on, events, "event in this scenario with the id")
    elif on in events:
        _misplaced(at, path, f"{kind.name} happens to tools, and {on} is an event", EVENT_FAULTS)
    elif not kind.providers_too:
        at.name((*path, "on"), on, tools, "tool")
    elif on not in at.spec.providers:
        at.name((*path, "on"), on, [*tools, *at.spec.providers], "tool or provider")
    elif "occurrence" in fault:
        at.findings.add(
            (*path, "occurrence"),
            f"{on} is a provider, and its operations are counted by attempt alone",
            key=True,
            fix="remove it",
        )
    if kind.reads_only and on in tools and tools[on].writes:
        at.findings.add(
            (*path, "on"), f"{kind.name} happens to tools that read, and {on} writes", expected="a read"
        )


def _misplaced(at: Inspection, path: Path, message: str, kinds: frozenset[str]) -> None:
    known = sorted(kinds & at.spec.fault_kinds) or sorted(kinds)
    at.findings.add((*path, "kind"), message, expected="one of " + ", ".join(known))


def _check_keys(at: Inspection, path: Path, kind: FaultKind, fault: Mapping[str, Json]) -> None:
    for key in KEYS:
        if key in fault and key not in kind.takes:
            takers = ", ".join(
                name for name, one in KINDS.items() if key in one.takes and name in at.spec.fault_kinds
            )
            at.findings.add(
                (*path, key),
                f"a fault of kind {kind.name} has no {key}",
                key=True,
                fix=f"remove it; {key} belongs to {takers}" if takers else "remove it",
            )
        elif key in kind.needs and key not in fault:
            at.findings.add(path, f"a fault of kind {kind.name} needs {key}", expected=_WANTED[key])


_WANTED = {
    "by": "a duration, such as by: 25h",
    "at": "at: before, after, answered or saved",
    "change": "change: {table: {id: {field: value}}}",
}


def _check_change(at: Inspection, path: Path, change: Json | None) -> None:
    """What somebody else changes: fields of records that are there or come with an event."""
    for table, records in mapping(change).items():
        if not at.name((*path, table), table, at.spec.tables, "table", key=True):
            continue
        for id, patch in mapping(records).items():
            place = (*path, table, id)
            if not at.known.has(table, id) and not at.known.may_arise(table, id):
                at.record_missing(place, table, id, key=True)
            if not isinstance(patch, dict) or not patch:
                at.findings.add(place, "a change names fields", expected="{field: value}")
            for name, value in mapping(patch).items():
                inner = field_shape(at.spec.tables[table].shape, name)
                if inner is None:
                    at.name((*place, name), name, at.spec.tables[table].shape.fields or (), "field", key=True)
                else:
                    at.value((*place, name), value, inner, named=name)
        if not isinstance(records, dict):
            at.findings.add((*path, table), "records stand by their ids", expected=_WANTED["change"])


def _check_forgery(at: Inspection, path: Path, change: Json | None, event: Mapping[str, Json]) -> None:
    """What a forger writes into the data of an event has the shape of that data."""
    declared = at.spec.events.get(str(event.get("type")))
    if change is None or declared is None:
        return
    data = mapping(event.get("data"))
    at.value(path, {**data, **mapping(change)}, declared.shape)
    for name, value in mapping(change).items():
        if name in data and data[name] == value:
            at.findings.add((*path, name), "the forger writes what is there already", found=str(value))
