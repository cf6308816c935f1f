"""Mirror: the environment of a hosted suite as tables of records, so that what changed in it can be seen.

The environment itself stays what it is, an object of its own program; the records are a view that follows it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from company_lab.formats.canonical import Json, same
from company_lab.worlds.context import Context
from company_lab.worlds.state import ABSENT, Absent

Tables = dict[str, dict[str, dict[str, Json]]]
SELF = "self"
"""The id of the record that holds the plain fields of a part."""
_KEYS = ("id_", "id", "name")


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
    known: Mapping[str, Mapping[str, Mapping[str, Json]]],
    now: Tables,
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
            elif old != record:
                gone: dict[str, Json | Absent] = {name: ABSENT for name in old if name not in record}
                new = {name: item for name, item in record.items() if not same(old.get(name), item)}
                context.update(table, id, **gone, **new)
        for id in before:
            if id not in records:
                context.delete(table, id)
