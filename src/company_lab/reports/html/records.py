"""Records before and after, with what changed told apart from what stayed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from company_lab.formats.canonical import canonical
from company_lab.reports.steps import Context
from company_lab.reports.wording import ABSENT, label, value

OPERATIONS = {"create": "new", "update": "changed", "delete": "deleted"}
MOST_FIELDS = 24

Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class FieldRow:
    """One field of a record; `changed` False where it stayed."""

    name: str
    before: str
    after: str
    changed: bool


@dataclass(frozen=True, slots=True)
class RecordChange:
    """A record that was made, changed or deleted."""

    title: str
    operation: str
    rows: tuple[FieldRow, ...]
    stayed: str
    """Fields that did not change, in one line."""


class Books:
    """The records of an episode as they are at the moment that is being told."""

    def __init__(self, tables: Mapping[str, Mapping[str, Mapping[str, Any]]], context: Context) -> None:
        self._context = context
        self._initial = tables
        self._records: dict[Key, dict[str, Any]] = {}

    def apply(self, changes: Iterable[Mapping[str, Any]]) -> tuple[RecordChange, ...]:
        """Tell changes of records, and remember them."""
        return tuple(self._apply(change) for change in changes)

    def told(self, changes: Iterable[Mapping[str, Any]]) -> tuple[RecordChange, ...]:
        """Tell changes against the beginning, as the settled books list them; nothing is remembered."""
        return tuple(self._change(change, {}) for change in changes)

    def _apply(self, change: Mapping[str, Any]) -> RecordChange:
        tenant, table, id = str(change.get("tenant") or ""), str(change.get("table")), str(change.get("id"))
        key = (tenant, table, id)
        if key not in self._records:
            start = self._initial.get(table, {}).get(id, {}) if not tenant else {}
            self._records[key] = dict(start)
        record = self._records[key]
        told = self._change(change, record)
        for name, (_, after) in change["fields"].items():
            if after == ABSENT:
                record.pop(name, None)
            else:
                record[name] = after
        if change["op"] == "delete":
            record.clear()
        return told

    def _change(self, change: Mapping[str, Any], record: Mapping[str, Any]) -> RecordChange:
        touched: Mapping[str, Any] = change["fields"]
        tenant = change.get("tenant")
        owner = f"{tenant}/" if tenant and tenant != self._context.tenant else ""
        now = {**record, **{name: pair[1] for name, pair in touched.items()}}
        currency = self._context.currencies.of_call(now) or self._context.currencies.of(str(change["id"]))

        def said(name: str, found: Any) -> str:
            return value(found, name=name, currency=currency)

        rows = [
            FieldRow(label(name), said(name, old), said(name, new), canonical(old) != canonical(new))
            for name, (old, new) in list(touched.items())[:MOST_FIELDS]
        ]
        if len(touched) > MOST_FIELDS:
            rows.append(FieldRow(f"and {len(touched) - MOST_FIELDS} more fields", "", "", False))
        stayed = [(name, found) for name, found in record.items() if name not in touched and name != "id"]
        words = [f"{label(name)} {said(name, found)}" for name, found in stayed[:MOST_FIELDS]]
        if len(stayed) > MOST_FIELDS:
            words.append(f"and {len(stayed) - MOST_FIELDS} more")
        return RecordChange(
            title=f"{owner}{change['table']} {change['id']}",
            operation=OPERATIONS.get(str(change["op"]), str(change["op"])),
            rows=tuple(rows),
            stayed=", ".join(words),
        )
