"""Known: the records a scenario can speak of."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from company_lab.formats.canonical import Json
from company_lab.scenarios.spec import WorldSpec

Tables: TypeAlias = Mapping[str, Mapping[str, Json]]
"""Records by table and id."""


def mapping(value: Json | None) -> Mapping[str, Json]:
    """A mapping as it is; nothing for anything else, whose type the structure check reports."""
    return value if isinstance(value, dict) else {}


def listing(value: Json | None) -> list[Json]:
    """A list as it is; nothing for anything else."""
    return value if isinstance(value, list) else []


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """Records that exist at the start, that events bring, and that facts may build."""

    spec: WorldSpec
    own: Tables
    foreign: Mapping[str, Tables]
    """Tables of other tenants."""
    brought: Mapping[str, Mapping[str, Mapping[str, Json]]] = field(default_factory=dict)
    """The event data that bring a record, by table and id."""
    misplaced: frozenset[str] = frozenset()
    """Ids under names of tables and in events that do not exist: the wrong name is said once, not for every id."""
    open: bool = False
    """Facts and happenings build records that only the world knows, so no id can be called unknown."""

    def has(self, table: str, id: str, *, anywhere: bool = False) -> bool:
        """Whether a record is there at the start or comes with an event; `anywhere`: in any tenant."""
        if (
            self.open
            or id in self.misplaced
            or id in self.own.get(table, ())
            or id in self.brought.get(table, ())
        ):
            return True
        return anywhere and any(id in tables.get(table, ()) for tables in self.foreign.values())

    def may_arise(self, table: str, id: str) -> bool:
        """Whether the world could generate the id: `<singular>_<n>`."""
        declared = self.spec.tables.get(table)
        return declared is not None and bool(re.fullmatch(f"{re.escape(declared.singular)}_[1-9][0-9]*", id))

    def ids(self, table: str) -> Collection[str]:
        """The ids that can be named, for finding the nearest."""
        return [*self.own.get(table, ()), *self.brought.get(table, ())]


def known_records(document: Mapping[str, Json], spec: WorldSpec) -> Known:
    """What records the scenario in `document` has, however much else is wrong with it."""
    initial = mapping(document.get("initial"))
    stimulus = mapping(document.get("stimulus"))
    brought: dict[str, dict[str, Mapping[str, Json]]] = {}
    foreign = {tenant: mapping(one) for tenant, one in mapping(document.get("other_tenants")).items()}
    misplaced = {id for tables in (initial, *foreign.values()) for id in _misplaced(tables, spec)}
    for event in listing(document.get("events")):
        declared = spec.events.get(str(mapping(event).get("type")))
        data = mapping(mapping(event).get("data"))
        if declared is None:
            misplaced.update(value for value in data.values() if isinstance(value, str))
        for key, table in declared.brings.items() if declared is not None else ():
            id = data.get(key)
            if isinstance(id, str):
                brought.setdefault(table, {})[id] = data
    return Known(
        spec=spec,
        own=_tables(initial, spec),
        foreign={tenant: _tables(tables, spec) for tenant, tables in foreign.items()},
        brought=brought,
        misplaced=frozenset(misplaced),
        open=any(name in spec.facts and name not in spec.tables for name in initial)
        or any(name in spec.stimuli for name in stimulus),
    )


def _misplaced(initial: Mapping[str, Json], spec: WorldSpec) -> Iterator[str]:
    for name, records in initial.items():
        if name not in spec.tables and name not in spec.facts:
            yield from mapping(records)


def _tables(initial: Mapping[str, Json], spec: WorldSpec) -> dict[str, Mapping[str, Json]]:
    return {
        name: records
        for name, records in initial.items()
        if name in spec.tables and isinstance(records, dict)
    }
