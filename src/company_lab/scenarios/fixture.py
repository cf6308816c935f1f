"""Checks of what exists and happens: role, people, records, events, stimulus, provider answers, faults."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from company_lab.formats.canonical import Json
from company_lab.formats.shapes import Shape
from company_lab.formats.yaml import Path
from company_lab.scenarios.faults import check_faults
from company_lab.scenarios.inspection import Inspection, note_repeated
from company_lab.scenarios.known import listing, mapping
from company_lab.scenarios.model import DEFAULT_TENANT
from company_lab.scenarios.short_form import STIMULUS_KEYS


def check_fixture(at: Inspection) -> None:
    """Everything but expectations and conducts."""
    check_people(at)
    check_initial(at)
    check_events(at)
    check_stimulus(at)
    check_providers(at)
    check_faults(at)


def check_people(at: Inspection) -> None:
    """Permissions, approvable tools and tenants exist."""
    role = mapping(at.document.get("role"))
    _names(at, ("role", "permissions"), role.get("permissions"), at.spec.permissions, "permission")
    tenants = {own_tenant(at), *at.known.foreign}
    for name, entry in mapping(at.document.get("people")).items():
        person, path = mapping(entry), ("people", name)
        _names(at, (*path, "permissions"), person.get("permissions"), at.spec.permissions, "permission")
        _names(at, (*path, "approves"), person.get("approves"), at.spec.tools, "tool")
        at.name((*path, "tenant"), person.get("tenant"), tenants, "tenant")


def own_tenant(at: Inspection) -> str:
    """The tenant the role belongs to."""
    tenant = mapping(at.document.get("role")).get("tenant")
    return tenant if isinstance(tenant, str) else DEFAULT_TENANT


def check_initial(at: Inspection) -> None:
    """Tables, records, facts and other tenants' records are as the world declares them."""
    tables, facts = at.spec.tables, at.spec.facts
    if "crowd" in at.document and not at.spec.crowd:
        at.findings.add(("crowd",), f"the world {at.spec.name} has no crowd", key=True)
    settable = [name for name, fact in facts.items() if fact.settable]
    for name, value in mapping(at.document.get("initial")).items():
        path: Path = ("initial", name)
        if name in tables:
            _check_records(at, path, name, value, foreign=False)
        elif name in facts and not facts[name].settable:
            at.findings.add(path, f"the fact {name} can be expected but not set", key=True)
        elif at.name(path, name, [*tables, *settable], "table or fact", key=True):
            at.value(path, value, facts[name].shape, named=name)
    for tenant, own in mapping(at.document.get("other_tenants")).items():
        if tenant == own_tenant(at):
            at.findings.add(
                ("other_tenants", tenant), f"{tenant} is the tenant of the role", key=True, fix="use initial"
            )
        for name, value in mapping(own).items():
            path = ("other_tenants", tenant, name)
            if at.name(path, name, tables, "table", key=True):
                _check_records(at, path, name, value, foreign=True)


def _check_records(at: Inspection, path: Path, table: str, records: Json, *, foreign: bool) -> None:
    shape = at.spec.tables[table].shape
    for id, record in mapping(records).items():
        if isinstance(record, dict):
            at.value((*path, id), record, shape)
            if not foreign:
                at.references((*path, id), record, shape, anywhere=False, generated=False)


def check_events(at: Inspection) -> None:
    """Types and data are declared, ids are unique."""
    seen: dict[str, int] = {}
    for index, entry in enumerate(listing(at.document.get("events"))):
        event, path = mapping(entry), ("events", index)
        note_repeated(at, (*path, "id"), event.get("id"), seen, "event")
        _sender(at, path, event)
        if at.name((*path, "type"), event.get("type"), at.spec.events, "event"):
            shape = at.spec.events[str(event["type"])].shape
            data = event.get("data", {})
            if isinstance(data, dict):
                at.value((*path, "data"), data, shape)
                at.references((*path, "data"), data, shape, anywhere=False, generated=False)


def check_stimulus(at: Inspection) -> None:
    """Something sets the agent to work, and it is something the world knows."""
    stimulus = mapping(at.document.get("stimulus"))
    _sender(at, ("stimulus",), stimulus)
    stimuli = at.spec.stimuli
    for name, value in stimulus.items():
        path: Path = ("stimulus", name)
        if name not in STIMULUS_KEYS and at.name(
            path, name, [*stimuli, *STIMULUS_KEYS], "stimulus", key=True
        ):
            at.value(path, value, stimuli[name].shape, named=name)
    request = stimulus.get("agent_request")
    at.name(("stimulus", "agent_request"), request, at.spec.requests, "request")
    for index, entry in enumerate(listing(stimulus.get("then"))):
        follow, place = mapping(entry), ("stimulus", "then", index)
        _sender(at, place, follow)
        when = mapping(follow.get("when"))
        at.name((*place, "when", "asks"), when.get("asks"), at.spec.questions, "question")
        at.name((*place, "when", "after"), when.get("after"), at.spec.tools, "tool")
    wakes = any(mapping(event).get("wakes") is True for event in listing(at.document.get("events")))
    if "message" not in stimulus and "agent_request" not in stimulus and not wakes:
        at.findings.add(
            ("stimulus",),
            "nothing sets the agent to work",
            key=True,
            expected="a message, an agent_request, or an event with wakes: true",
        )


def _sender(at: Inspection, path: Path, holder: Mapping[str, Json]) -> None:
    """Who speaks is a person of the scenario, or somebody outside with an address."""
    sender = holder.get("from")
    if isinstance(sender, str) and "@" not in sender:
        at.name((*path, "from"), sender, mapping(at.document.get("people")), "person")


def check_providers(at: Inspection) -> None:
    """Planned answers are for operations that exist, and of kinds the provider can give."""
    for name, operations in mapping(at.document.get("providers")).items():
        if not at.name(("providers", name), name, at.spec.providers, "provider", key=True):
            continue
        provider = at.spec.providers[name]
        for op, answers in mapping(operations).items():
            path: Path = ("providers", name, op)
            at.name(path, op, provider.operations, f"operation of {name} called", key=True)
            if answers == []:
                at.findings.add(
                    path, "an empty list of answers", expected="at least one; the last one repeats"
                )
            for index, answer in enumerate(listing(answers)):
                _check_answer(at, (*path, index), answer, provider.answers)


def _check_answer(at: Inspection, path: Path, answer: Json, answers: Collection[str]) -> None:
    if not isinstance(answer, dict):
        return
    kind = answer.get("answer")
    if not isinstance(kind, str):
        at.findings.add(path, "an answer says which it is", expected="the key answer")
    else:
        at.name((*path, "answer"), kind, answers, "answer")
    at.value(path, answer, Shape())


def _names(at: Inspection, path: Path, values: Json | None, names: Collection[str], what: str) -> None:
    for index, value in enumerate(listing(values)):
        at.name((*path, index), value, names, what)
