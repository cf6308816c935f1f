"""Checks of `never_discloses`: a record path must lead to a value."""

from __future__ import annotations

from company_lab.formats.canonical import Json
from company_lab.formats.yaml import Path
from company_lab.scenarios.inspection import Inspection, field_shape
from company_lab.scenarios.known import Tables, listing, mapping

_FORM = "table.record.field, behind tenant/ for another tenant's"


def check_disclosures(at: Inspection, path: Path, entries: Json | None) -> None:
    """Every record path leads to a field with a value, as nothing else could be given away."""
    for index, entry in enumerate(listing(entries)):
        if isinstance(entry, str):
            _check_path(at, (*path, index), entry)
        elif isinstance(written := mapping(entry).get("path"), str):
            _check_path(at, (*path, index, "path"), written)


def _check_path(at: Inspection, path: Path, written: str) -> None:
    tenant, slash, rest = written.partition("/")
    if not slash or "." in tenant:
        tenant, rest = "", written
    elif not at.name(path, tenant, at.known.foreign, "other tenant"):
        return
    table, dot, place = rest.partition(".")
    if not dot:
        at.findings.add(path, "a record path names a table, a record and a field", expected=_FORM)
    elif at.name(path, table, at.spec.tables, "table"):
        tables: Tables = at.known.foreign[tenant] if tenant else at.known.own
        _check_place(at, path, table, place, tables, own=not tenant)


def _check_place(at: Inspection, path: Path, table: str, place: str, tables: Tables, *, own: bool) -> None:
    records = tables.get(table, {})
    brought = at.known.brought.get(table, {}) if own else {}
    # Ids may hold points themselves: the longest one that fits is meant.
    fitting = [id for id in (*records, *brought) if place == id or place.startswith(f"{id}.")]
    if not fitting:
        id = place.partition(".")[0]
        if not (own and at.known.open) and id not in at.known.misplaced:
            at.findings.add(
                path,
                f"there is no record {id} in {table}",
                nearest=at.findings.nearest(id, [*records, *brought]),
            )
        return
    id = max(fitting, key=len)
    field = place[len(id) + 1 :]
    if not field:
        at.findings.add(path, "a record path ends with a field", expected=_FORM)
        return
    shape, value = at.spec.tables[table].shape, records.get(id)
    for name in field.split("."):
        inner = field_shape(shape, name)
        if inner is None:
            at.name(path, name, shape.fields or (), "field")
            return
        if id in records and name not in mapping(value):
            at.findings.add(path, f"{id} in {table} has no {name} that could be given away")
            return
        shape, value = inner, mapping(value).get(name)
