"""Crowd: many records around those of a scenario, so that whoever searches meets more than what matters.

The bulk of a crowd is made once and shared by all fixtures of a process; what a scenario needs of its own (records
that resemble its own, and records of the bulk that would answer its questions and are left out) is small.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from typing import Any, TypeAlias

from company_lab.formats.canonical import Json, digest
from company_lab.scenarios.model import Scenario
from company_lab.worlds.index import Index, Key, Tables

Record: TypeAlias = Mapping[str, Json]


@dataclass(frozen=True)
class Bulk:
    """Records that many fixtures share. Nobody writes to them."""

    tables: Tables

    @cached_property
    def index(self) -> Index:
        """Where they are; built once for all fixtures."""
        return Index(self.tables)

    @cached_property
    def digest(self) -> str:
        """SHA-256 over the records."""
        return digest({table: dict(records) for table, records in self.tables.items()})


@dataclass(frozen=True, slots=True, kw_only=True)
class Crowd:
    """What surrounds the records of one scenario."""

    bulk: Bulk
    left_out: Mapping[str, frozenset[str]]
    """By table: ids of the bulk that this scenario does without."""
    near: Tables
    """Records that resemble those of the scenario."""

    @property
    def digest(self) -> str:
        """SHA-256 over all of it."""
        near = {table: dict(records) for table, records in self.near.items()}
        return digest([self.bulk.digest, {name: sorted(ids) for name, ids in self.left_out.items()}, near])


CrowdMaker: TypeAlias = Callable[[Scenario, Tables], Crowd]
"""Makes the crowd that a scenario asks for around its tables."""


class Crowded(Mapping[str, Record]):
    """A table of a scenario with its crowd: the scenario's records stand among those that resemble them, the bulk
    comes after."""

    __slots__ = ("_behind", "_left_out", "front", "own")

    def __init__(self, own: Mapping[str, Record], crowd: Crowd, table: str) -> None:
        self.own = own
        """The scenario's own records."""
        self.front = _merged(own, crowd.near.get(table, {}))
        """The records that stand before the bulk."""
        self._behind = crowd.bulk.tables.get(table, {})
        self._left_out = crowd.left_out.get(table, frozenset())

    def __getitem__(self, id: str) -> Record:
        record: Record | None = self.get(id)
        if record is None:
            raise KeyError(id)
        return record

    def get(self, id: str, default: Any = None) -> Any:
        """The record, or the default; asked for more often than anything else."""
        record = self.front.get(id)
        if record is None and id not in self._left_out:
            record = self._behind.get(id)
        return default if record is None else record

    def __contains__(self, id: object) -> bool:
        return id in self.front or (id in self._behind and id not in self._left_out)

    def __iter__(self) -> Iterator[str]:
        behind = self._behind
        if self._left_out:
            return chain(self.front, (id for id in behind if id not in self._left_out))
        return chain(self.front, behind)

    def __len__(self) -> int:
        return len(self.front) + len(self._behind) - len(self._left_out)


def _merged(own: Mapping[str, Record], near: Mapping[str, Record]) -> dict[str, Record]:
    """One of the near records, then one of the scenario's, and so on: the first find is not always the right one."""
    merged: dict[str, Record] = {}
    waiting = iter(near.items())
    for id, record in own.items():
        merged.update(islice(waiting, 1))
        merged[id] = record
    merged.update(waiting)
    return merged


def own_records(records: Mapping[str, Record]) -> Mapping[str, Record]:
    """The records of a table that are the scenario's own."""
    return records.own if isinstance(records, Crowded) else records


class CrowdedIndex(Index):
    """An index over crowded tables: one of the few records in front, and that of the bulk, which is shared."""

    def __init__(self, tables: Tables, crowd: Crowd) -> None:
        super().__init__(tables)
        self._fronts = {
            name: table.front if isinstance(table, Crowded) else table for name, table in tables.items()
        }
        self._front = Index(self._fronts)
        self._bulk = crowd.bulk.index
        self._left_out = crowd.left_out

    def ids(self, table: str, where: Mapping[str, Json], key: Key) -> list[str]:
        """See `Index.ids`."""
        return [*self._front.ids(table, where, key), *self._kept(table, self._bulk.ids(table, where, key))]

    def with_words(self, table: str, field: str, wanted: list[str]) -> list[str]:
        """See `Index.with_words`."""
        front = self._front.with_words(table, field, wanted)
        return [*front, *self._kept(table, self._bulk.with_words(table, field, wanted))]

    def place(self, table: str, id: str) -> int:
        """See `Index.place`."""
        front = self._fronts.get(table, {})
        return self._front.place(table, id) if id in front else len(front) + self._bulk.place(table, id)

    def _kept(self, table: str, ids: list[str]) -> list[str]:
        left_out = self._left_out.get(table)
        return [id for id in ids if id not in left_out] if left_out else ids
