"""Sharing: a JSON Schema in which what stands in several places is stated once, under `$defs`.

The shared schema accepts the same documents. Editors follow its references, so they complete the same names.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, TypeAlias

NAME = "x-name"
"""What a part is to be called if it is shared; never in what comes out."""
SHORTEST = 56
"""Parts spelled shorter than this are repeated: a reference would be as long."""

_Schema: TypeAlias = dict[str, Any]
_MAPS = frozenset({"properties", "$defs"})
_LISTS = frozenset({"allOf", "anyOf", "oneOf"})
_SINGLE = frozenset({"items", "additionalProperties"})
_CONDITIONS = frozenset({"if", "then", "else"})


def share(schema: _Schema) -> _Schema:
    """The same schema with repeated parts under `$defs`, called by their `x-name` or by the key they stand under."""
    return _Sharing(schema).shared()


def schema_text(schema: _Schema) -> str:
    """A schema as it is written to a file: every key of the schema and every definition on a line of its own."""
    lines = [f'  "{key}": {_compact(value)}' for key, value in schema.items() if key != "$defs"]
    definitions = [
        f'    "{name}": {_compact(definition)}' for name, definition in schema.get("$defs", {}).items()
    ]
    if definitions:
        lines.append('  "$defs": {\n' + ",\n".join(definitions) + "\n  }")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"))


class _Sharing:
    def __init__(self, schema: _Schema) -> None:
        self._schema = schema
        self._spellings: dict[int, str] = {}
        self._uses: dict[str, int] = {}
        self._names: dict[str, str] = {}
        self._definitions: dict[str, Any] = {}
        self._taken = {*schema.get("$defs", ())}

    def shared(self) -> _Schema:
        self._count(self._schema)
        top = self._inside(self._schema, "scenario")
        definitions = top.pop("$defs", {}) | self._definitions
        return top | ({"$defs": definitions} if definitions else {})

    def _count(self, schema: _Schema) -> None:
        """Count how often each part is used by different parts: what stands in a shared part stands there once."""
        spelling = self._spelling(schema)
        self._uses[spelling] = self._uses.get(spelling, 0) + 1
        if self._uses[spelling] == 1:
            for part in _parts(schema):
                self._count(part)

    def _spelling(self, schema: _Schema) -> str:
        known = self._spellings.get(id(schema))
        if known is None:
            known = self._spellings[id(schema)] = _compact(schema)
        return known

    def _reference(self, schema: _Schema, key: str) -> _Schema:
        """The part itself, or a reference to it where it is shared."""
        spelling, key = self._spelling(schema), str(schema.get(NAME, key))
        if self._uses[spelling] < 2 or len(spelling) < SHORTEST:
            return self._inside(schema, key)
        if spelling not in self._names:
            name = self._names[spelling] = self._free(key)
            self._definitions[name] = self._inside(schema, key)
        return {"$ref": f"#/$defs/{self._names[spelling]}"}

    def _free(self, wanted: str) -> str:
        name, number = wanted, 1
        while name in self._taken:
            number += 1
            name = f"{wanted}_{number}"
        self._taken.add(name)
        return name

    def _inside(self, schema: _Schema, under: str) -> _Schema:
        inside: _Schema = {}
        for key, value in schema.items():
            if key == NAME:
                continue
            if key in _MAPS:
                inside[key] = {
                    name: self._inside(part, name) if key == "$defs" else self._placed(part, name)
                    for name, part in value.items()
                }
            elif key in _LISTS:
                inside[key] = [self._placed(part, under) for part in value]
            elif key in _SINGLE:
                inside[key] = self._placed(value, under)
            elif key in _CONDITIONS:
                inside[key] = self._inside(value, under)
            else:
                inside[key] = value
        return inside

    def _placed(self, part: Any, key: str) -> Any:
        return self._reference(part, key) if isinstance(part, dict) else part


def _parts(schema: _Schema) -> Iterator[_Schema]:
    for key, value in schema.items():
        inner: Iterator[Any] = iter(())
        if key in _MAPS:
            inner = iter(value.values())
        elif key in _LISTS:
            inner = iter(value)
        elif key in _SINGLE or key in _CONDITIONS:
            inner = iter((value,))
        yield from (part for part in inner if isinstance(part, dict))
