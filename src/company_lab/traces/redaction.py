"""Redaction: what must not be stored of a trace, replaced by placeholders that keep equal things equal.

A placeholder such as `[email 2]` counts the distinct values of its kind within one episode, in order of
appearance. It can not be computed back, and the same value in another episode may have another number.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from company_lab.formats.canonical import Json
from company_lab.traces.record import Record, Trace

Tables: TypeAlias = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""Table, id, record."""

_PLAIN = frozenset(
    (
        "seq",
        "at",
        "kind",
        "turn",
        "because",
        "call",
        "tool",
        "by",
        "decision",
        "rule",
        "touched",
        "objections",
    )
).union(("provider", "op", "outcome", "delivery", "fault", "what", "cost_usd"))
"""Fields of a record that other parts rest on: moments, numbers of calls, names from closed lists."""
_PLAIN_OF_KIND = {"stopped": {"reason"}, "guard": {"reason"}, "event": {"type"}}
_PLAIN_OF_CHANGE = frozenset(["table", "op", "tenant"])


@dataclass(frozen=True, slots=True)
class Pattern:
    """Every part of a text that matches is replaced."""

    name: str
    regex: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class RecordPath:
    """Texts in this field of these records are replaced, wherever else they are quoted too."""

    table: str
    id: str | None
    """None: of every record."""
    field: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Redaction:
    """What to replace. `digest` tells one set of rules from another."""

    patterns: tuple[Pattern, ...]
    records: tuple[RecordPath, ...]
    digest: str


class Redactor:
    """Replaces what the rules name in everything that belongs to one episode."""

    def __init__(self, rules: Redaction, trace: Trace, tenants: Iterable[Tables] = ()) -> None:
        """`tenants`: the records the episode began with, where they are known."""
        self._rules = rules
        self._numbers: dict[tuple[str, str], int] = {}
        self._counts: dict[str, int] = {}
        self._names = _values(rules.records, trace, tenants)
        spelled = sorted(self._names, key=len, reverse=True)
        alternatives = "|".join(map(re.escape, spelled))
        self._values = re.compile(rf"(?<!\w)(?:{alternatives})(?!\w)", re.IGNORECASE) if spelled else None

    def trace(self, trace: Trace) -> Trace:
        """A redacted copy. Its first record says by which rules, and how many values were replaced."""
        records = [self._record(record) for record in trace.records]
        if records and records[0].get("kind") == "started":
            records[0]["redacted"] = {"rules": self._rules.digest, "values": len(self._numbers)}
        return Trace(records)

    def json(self, value: Json) -> Json:
        """A redacted copy of a value."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            # Sorted: the numbers must not depend on the order in which somebody built an object.
            return {self.text(key): self.json(item) for key, item in sorted(value.items())}
        if isinstance(value, (list, tuple)):
            return [self.json(item) for item in value]
        return value

    def text(self, text: str) -> str:
        """A redacted text."""
        parts = [(text, False)]
        if self._values is not None:
            parts = list(self._split(parts, self._values, None))
        for pattern in self._rules.patterns:
            parts = list(self._split(parts, pattern.regex, pattern.name))
        return "".join(part for part, _ in parts)

    def _record(self, record: Record) -> Record:
        kind = record.get("kind")
        if kind == "started":
            agent = record.get("agent")
            if not isinstance(agent, Mapping):
                return dict(record)
            return {**record, "agent": {**agent, "settings": self.json(agent.get("settings"))}}
        plain = _PLAIN | _PLAIN_OF_KIND.get(str(kind), set())
        return {
            key: item if key in plain else self._changes(item) if key == "changes" else self.json(item)
            for key, item in sorted(record.items())
        }

    def _changes(self, changes: Any) -> list[Json]:
        return [
            {
                key: item if key in _PLAIN_OF_CHANGE else self.json(item)
                for key, item in sorted(change.items())
            }
            for change in changes or ()
        ]

    def _split(
        self, parts: Iterable[tuple[str, bool]], regex: re.Pattern[str], name: str | None
    ) -> Iterator[tuple[str, bool]]:
        """Parts of a text, each with whether it is a placeholder, in which no rule looks again."""
        for part, done in parts:
            if done:
                yield part, True
                continue
            end = 0
            for match in regex.finditer(part):
                if match.end() == match.start():
                    continue
                yield part[end : match.start()], False
                found = match.group()
                folded = found.casefold()
                yield self._placeholder(name or self._names[folded], folded if name is None else found), True
                end = match.end()
            yield part[end:], False

    def _placeholder(self, name: str, value: str) -> str:
        number = self._numbers.get((name, value))
        if number is None:
            number = self._numbers[name, value] = self._counts[name] = self._counts.get(name, 0) + 1
        return f"[{name} {number}]"


def _values(paths: Iterable[RecordPath], trace: Trace, tenants: Iterable[Tables]) -> dict[str, str]:
    """Every text at one of these places, before, during or after the episode, and what it is called."""
    paths = tuple(paths)
    if not paths:
        return {}
    names: dict[str, str] = {}
    for table, id, field, value in (*_initial(tenants), *_changed(trace)):
        for path in paths:
            if path.table == table and path.field == field and path.id in (None, id):
                for text in _texts(value):
                    names.setdefault(text.casefold(), f"{table}.{field}")
    return names


def _initial(tenants: Iterable[Tables]) -> Iterator[tuple[str, str, str, Json]]:
    for tables in tenants:
        for table, records in tables.items():
            for id, record in records.items():
                for field, value in record.items():
                    yield table, id, field, value


def _changed(trace: Trace) -> Iterator[tuple[str, str, str, Json]]:
    for record in trace.records:
        for change in record.get("changes") or ():
            for field, values in (change.get("fields") or {}).items():
                for value in values:
                    yield change["table"], change["id"], field, value


def _texts(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        if value.strip():
            yield value
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, Mapping) and value.keys() != {"is"}:  # {"is": "absent"} is no content
        for item in value.values():
            yield from _texts(item)
