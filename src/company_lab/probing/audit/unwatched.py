"""B2: parts of the final world that may come out wrong without anybody noticing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from company_lab.formats.canonical import Json, same
from company_lab.probing.audit.declared import is_free
from company_lab.probing.audit.finding import Found, Mutants
from company_lab.probing.audit.leaves import STRANGE
from company_lab.probing.audit.subject import Subject, replaced
from company_lab.traces.record import Record

_ABSENT: dict[str, Json] = {"is": "absent"}
_BY_AGENT = "agent"


def unwatched_world(subject: Subject) -> Iterator[Found]:
    """Let the agent have written every field and row of the final world differently: a verdict must notice.

    Unless `may_change` declares it irrelevant, or the record is a new one whose making is itself an expected action.
    """
    if not subject.asks_agent or not subject.reference.passed or not subject.reference.settled:
        return
    settled = subject.reference.settled
    originals = {(one.get("tenant"), one["table"], one["id"]): one for one in settled["changes"]}
    for tenant, table, id, field, change, writers in _wrongs(subject, settled):
        original = originals.get((tenant, table, id), change)
        others = [
            other
            for other in settled["changes"]
            if (other.get("tenant"), other["table"], other["id"]) != (tenant, table, id)
        ]
        records = replaced(
            subject.reference.trace.records,
            settled["seq"],
            changes=[*others, change],
            writers={**settled["writers"], **writers},
        )
        killed = not subject.judged(records).passed
        left_free = tenant is None and is_free(subject, table, id, field)
        if not killed and (left_free or _is_of_the_world(subject, original, field)):
            continue
        yield Mutants(killed=killed, total=1)
        if not killed:
            what = f"{field} of {table}/{id}" if field else f"the record {table}/{id}"
            yield subject.finding(
                "B2",
                "block",
                f"the reference passes although the agent left {what} different",
                "expect the value, expect the call that writes it under `actions`, or declare it under `may_change`",
                path=f"expected.{'created' if change['op'] == 'create' else 'state'}.{table}",
            )


def _wrongs(
    subject: Subject, settled: Record
) -> Iterator[tuple[str | None, str, str, str | None, Record, dict[str, list[str]]]]:
    """Changes that are not those of the reference: tenant, table, id, field, the change, and who wrote it."""
    own = subject.scenario.role.tenant
    changed = {(change.get("tenant"), change["table"], change["id"]): change for change in settled["changes"]}
    crowded = subject.scenario.crowd is not None
    tenants: Mapping[str, Any] = subject.fixture.tenants
    for name, tables in tenants.items():
        tenant = None if name == own else name
        for table, records in tables.items() if not crowded else ():
            for id, record in records.items():
                known = changed.get((tenant, table, id))
                if known is not None and known["op"] == "delete":
                    continue
                yield from _fields(tenant, table, id, record, known)
                yield _row(tenant, table, id, record)
    for (tenant, table, id), change in changed.items():
        if change["op"] == "create":
            yield from _fields(tenant, table, id, {}, change)


def _fields(
    tenant: str | None, table: str, id: str, before: Mapping[str, Any], known: Record | None
) -> Iterator[tuple[str | None, str, str, str | None, Record, dict[str, list[str]]]]:
    written = dict(known["fields"]) if known is not None else {}
    for field in dict.fromkeys((*before, *written)):
        pair = written.get(field, [before.get(field), before.get(field)])
        fields = {**written, field: [pair[0], _other(pair[1])]}
        change = {
            "table": table,
            "id": id,
            "op": known["op"] if known is not None else "update",
            "fields": fields,
        }
        yield tenant, table, id, field, _of(tenant, change), {_key(tenant, table, id, field): [_BY_AGENT]}


def _row(
    tenant: str | None, table: str, id: str, record: Mapping[str, Any]
) -> tuple[str | None, str, str, str | None, Record, dict[str, list[str]]]:
    fields = {field: [value, _ABSENT] for field, value in record.items()}
    change = {"table": table, "id": id, "op": "delete", "fields": fields}
    return (
        tenant,
        table,
        id,
        None,
        _of(tenant, change),
        {_key(tenant, table, id, field): [_BY_AGENT] for field in record},
    )


def _of(tenant: str | None, change: Record) -> Record:
    return change if tenant is None else {**change, "tenant": tenant}


def _key(tenant: str | None, table: str, id: str, field: str) -> str:
    return f"{table}/{id}/{field}" if tenant is None else f"{tenant}:{table}/{id}/{field}"


def _other(value: Json) -> Json:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    return STRANGE


def _is_of_the_world(subject: Subject, change: Record, field: str | None) -> bool:
    """Whether the agent had no say in a field of a new record, or an expected action looks at what it said.

    It has a say in what it gave as an argument, prose left out: the rest is written by the world.
    """
    if change["op"] != "create" or change.get("tenant"):
        return False
    expected = {entry.tool for entry in subject.scenario.expected.actions}
    for action, result in subject.records_of_steps:
        for made in result.get("changes") or ():
            if (made["table"], made["id"], made["op"]) == (change["table"], change["id"], "create"):
                parameters = subject.spec.tools[action["tool"]].signature.parameters
                given = [
                    value
                    for name, value in (action["args"] or {}).items()
                    if name in parameters and not parameters[name].shape.prose
                ]
                value = made["fields"].get(field, [None, None])[1] if field is not None else None
                return action["tool"] in expected or not any(same(value, one) for one in given)
    return True
