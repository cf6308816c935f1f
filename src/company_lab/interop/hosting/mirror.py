"""Mirror: the environment of a hosted suite as tables of records, so that what changed in it can be seen.

The environment itself stays what it is, an object of its own program; the records are a view that follows it.
"""

from __future__ import annotations

from collections.abc import Iterable

from company_lab.formats.canonical import MAX_DEPTH, Json, NotJson, boundary, same
from company_lab.worlds.context import Context
from company_lab.worlds.index import Tables as Records
from company_lab.worlds.state import ABSENT, Absent

Tables = dict[str, dict[str, dict[str, Json]]]
SELF = "self"
"""The id of the record that holds the plain fields of a part."""
_KEYS = ("id_", "id", "name")
_ROOM = 8
"""Levels left for the record, the table and the trace around a value."""


def shown(value: object) -> Json:
    """What an environment holds, as JSON; what JSON has no word for is written in words.

    An agent can bring an infinite amount or a number of a hundred digits into another program's data. That is its own
    doing, and no reason why the world should break.
    """
    try:
        return boundary(value)
    except NotJson:
        return _in_words(value, 0)


def _in_words(value: object, depth: int) -> Json:
    if depth > MAX_DEPTH - _ROOM:
        return "(nested deeper than a record can show)"
    if isinstance(value, dict):
        return {str(key): _in_words(item, depth + 1) for key, item in dict.items(value)}
    if isinstance(value, list | tuple):
        return [_in_words(item, depth + 1) for item in value]
    try:
        return boundary(value)
    except NotJson:
        if isinstance(value, int):  # in hexadecimal, as Python refuses to write out the longest in decimal
            return hex(value)
        return str(value) if isinstance(value, float) else f"({type(value).__name__})"


def tables_of(part: str, value: Json) -> Tables:
    """The records of one part of an environment.

    Its lists and objects of several items become tables `part_field`; what is left is the record `self` of the
    table `part`. Items are known by their key, by their own id where it is unique, else by their place.
    """
    if isinstance(value, list):
        return {part: dict(zip(_ids(value), map(_record, value), strict=True))}
    if not isinstance(value, dict):
        return {part: {SELF: {"value": value}}}
    tables: Tables = {part: {}}
    plain: dict[str, Json] = {}
    for name, inner in value.items():
        if isinstance(inner, dict):
            tables[f"{part}_{name}"] = {str(key): _record(item) for key, item in inner.items()}
        elif isinstance(inner, list):
            tables[f"{part}_{name}"] = dict(zip(_ids(inner), map(_record, inner), strict=True))
        else:
            plain[name] = inner
    if plain:
        tables[part][SELF] = plain
    return tables


def _record(item: Json) -> dict[str, Json]:
    return item if isinstance(item, dict) else {"value": item}


def _ids(items: list[Json]) -> list[str]:
    first = items[0] if items and isinstance(items[0], dict) else {}
    for key in (*_KEYS, *(name for name in first if name.endswith("_id"))):
        ids = [str(item[key]) for item in items if isinstance(item, dict) and key in item]
        if len(set(ids)) == len(items):
            return ids
    return [str(place) for place in range(1, len(items) + 1)]


def follow(
    context: Context,
    known: Records,
    now: Records,
    *,
    known_tables: Iterable[str],
) -> None:
    """Write down, as changes of the call that is being carried out, how `now` differs from `known`.

    A table nobody declared is left out: no scenario can speak of it.
    """
    declared = frozenset(known_tables)
    for table, records in now.items():
        before = known.get(table, {})
        if table not in declared or before == records:
            continue
        for id, record in records.items():
            old = before.get(id)
            if old is None:
                context.create(table, with_id=id, **record)
            elif old is not record and old != record:
                gone: dict[str, Json | Absent] = {name: ABSENT for name in old if name not in record}
                new = {name: item for name, item in record.items() if not same(old.get(name), item)}
                context.update(table, id, **gone, **new)
        for id in before:
            if id not in records:
                context.delete(table, id)
