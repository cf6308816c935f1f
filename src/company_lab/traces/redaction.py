"""Redaction: what must not be stored of a trace, replaced by placeholders that keep equal things equal.

A placeholder such as `[email 2]` counts the distinct values of its kind within one episode, in order of
appearance. It can not be computed back, and the same value in another episode may have another number.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from company_lab.formats.canonical import Json, canonical
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
_PLAIN_OF_KIND = {
    "stopped": {"reason"},
    "guard": {"reason"},
    "event": {"type"},
    "settled": {"simulated_ms", "calls", "turns", "faults"},
    "usage": {"input_tokens", "output_tokens", "cached_tokens"},
    "choice": {"observation"},
    "reply": {"bytes"},
    "crash": {"point", "crash"},
    "restart": {"mode", "crash"},
}
_TELLING_DIGITS = 3
_PLAIN_OF_CHANGE = frozenset(["table", "op", "tenant"])


@dataclass(frozen=True, slots=True)
class Pattern:
    """Every part of a text that matches is replaced."""

    name: str
    regex: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class RecordPath:
    """What stands in this field of these records is replaced: texts, and numbers of at least three digits,
    wherever else they are quoted too; smaller numbers, true and false under the name of the field."""

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
        self._names, self._of_field, spellings = _values(rules.records, trace, tenants)
        # As they were written and folded: an expression does not know that Weiß and WEISS are one name.
        self._spelled = sorted({*spellings, *self._names}, key=lambda text: (-len(text), text))
        alternatives = "|".join(map(re.escape, self._spelled))
        self._values = (
            re.compile(rf"(?<!\w)(?:{alternatives})(?!\w)", re.IGNORECASE) if alternatives else None
        )

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
            return {
                self.text(key): self._under(self._of_field[key], item)
                if key in self._of_field
                else self.json(item)
                for key, item in sorted(value.items())
            }
        if isinstance(value, (list, tuple)):
            return [self.json(item) for item in value]
        return self._scalar(value, self._names)

    def _under(self, names: Mapping[str, str], value: Json) -> Json:
        """What stands under the name of a field that a rule names."""
        if isinstance(value, (list, tuple)):
            return [self._under(names, item) for item in value]
        if isinstance(value, Mapping):
            return {self.text(key): self._under(names, item) for key, item in sorted(value.items())}
        return self.text(value) if isinstance(value, str) else self._scalar(value, {**names, **self._names})

    def _scalar(self, value: Json, names: Mapping[str, str]) -> Json:
        spelling = _spelling(value)
        name = None if spelling is None else names.get(spelling)
        return value if name is None or spelling is None else self._placeholder(name, spelling)

    def text(self, text: str) -> str:
        """A redacted text. What JSON within it spells with escapes is found too; the text is then kept without them."""
        redacted, found = self._redacted(text)
        if "\\" in text:
            plain = _ESCAPE.sub(_unescaped, text)
            if plain != text and self._matches(plain) > found:
                return self._redacted(plain)[0]
        return redacted

    def _matches(self, text: str) -> int:
        """How many values would be replaced in a text, none of which is given a number yet."""
        total = 0
        for regex in (self._values, *(pattern.regex for pattern in self._rules.patterns)):
            if regex is not None:
                total += sum(1 for match in regex.finditer(text) if match.group())
                text = regex.sub(lambda match: "\0" if match.group() else "", text)
        return total

    def _redacted(self, text: str) -> tuple[str, int]:
        parts = [(text, False)]
        if self._values is not None:
            parts = list(self._split(parts, self._values, None))
        for pattern in self._rules.patterns:
            parts = list(self._split(parts, pattern.regex, pattern.name))
        return "".join(part for part, _ in parts), sum(done for _, done in parts)

    def _record(self, record: Record) -> Record:
        kind = record.get("kind")
        if kind == "started":
            redacted = dict(record)
            if isinstance(agent := record.get("agent"), Mapping):
                redacted["agent"] = {**agent, "settings": self.json(agent.get("settings"))}
            if "schedule" in record:
                redacted["schedule"] = self.json(record["schedule"])
            return redacted
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
                value = self._folded(found) if name is None else found
                yield self._placeholder(name or self._names[value], value), True
                end = match.end()
            yield part[end:], False

    def _folded(self, found: str) -> str:
        """The value, folded, that was found in a text."""
        folded = found.casefold()
        if folded in self._names:
            return folded
        # Expressions fold characters by rules of their own: to them a dotless i is an i.
        same = (text for text in self._spelled if re.fullmatch(re.escape(text), found, re.IGNORECASE))
        return next(same).casefold()

    def _placeholder(self, name: str, value: str) -> str:
        number = self._numbers.get((name, value))
        if number is None:
            number = self._numbers[name, value] = self._counts[name] = self._counts.get(name, 0) + 1
        return f"[{name} {number}]"


_ESCAPE = re.compile(
    r'(?<!\\)\\+(?:(["/])|u([dD][89abAB][0-9a-fA-F]{2})\\+u([dD][c-fC-F][0-9a-fA-F]{2})|u([0-9a-fA-F]{4}))'
)
"""A character as JSON may spell it, in a text that may be quoted in another one."""


def _unescaped(match: re.Match[str]) -> str:
    as_it_is, high, low, single = match.groups()
    if high:
        return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00)
    return as_it_is or chr(int(single, 16))


def _values(
    paths: Iterable[RecordPath], trace: Trace, tenants: Iterable[Tables]
) -> tuple[dict[str, str], dict[str, dict[str, str]], set[str]]:
    """Every value at one of these places, before, during or after the episode, and what it is called.

    First those that are known wherever they stand, folded; then by field those that are known only under its name;
    at last how the first ones were written.
    """
    names: dict[str, str] = {}
    of_field: dict[str, dict[str, str]] = {}
    spellings: set[str] = set()
    paths = tuple(paths)
    if paths:
        for table, id, field, value in (*_initial(tenants), *_changed(trace)):
            if any(path.table == table and path.field == field and path.id in (None, id) for path in paths):
                for spelling, telling in _scalars(value):
                    if telling:
                        spellings.add(spelling)
                        names.setdefault(spelling.casefold(), f"{table}.{field}")
                    else:
                        of_field.setdefault(field, {}).setdefault(spelling, f"{table}.{field}")
    return names, of_field, spellings


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


def _scalars(value: Json) -> Iterator[tuple[str, bool]]:
    """Every text and other value in a field, spelled, with whether it tells by itself what it is."""
    if isinstance(value, str):
        if text := value.strip():
            yield text, True
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _scalars(item)
    elif isinstance(value, Mapping):
        if value.keys() != {"is"}:  # {"is": "absent"} is no content
            for item in value.values():
                yield from _scalars(item)
    else:
        spelling = _spelling(value)
        if spelling is not None:
            yield spelling, sum(map(str.isdigit, spelling)) >= _TELLING_DIGITS


def _spelling(value: Json) -> str | None:
    """A number, true or false as it stands in JSON; None for anything else."""
    return canonical(value) if isinstance(value, (bool, int, float)) else None
