"""State: copy-on-write records over a fixture, with a journal of changes by actor.

Opening costs nothing and the difference costs what changed, however many records the fixture holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from company_lab.formats.canonical import Json, boundary, duplicate, same
from company_lab.formats.errors import WrongUse, nearest
from company_lab.worlds.crowd import Crowded, own_records
from company_lab.worlds.index import Index, Key, Tables, exactly, has_words

Change = dict[str, Any]
"""table, id, op (create, update, delete), fields: name to [before, after]; tenant where it is a foreign one."""


FEW = 64
"""Whoever finds more records than this at once has not looked at any of them yet."""


class Absent:
    """The value of a field that is not there; assigning it removes the field."""

    _only: Absent | None = None

    def __new__(cls) -> Absent:
        if cls._only is None:
            cls._only = super().__new__(cls)
        return cls._only

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = Absent()
_ABSENT_JSON: dict[str, Json] = {"is": "absent"}


class NoSuchRecord(Exception):
    """A tool looked for a record that is not there; the agent sees a failed call."""

    def __init__(self, table: str, record: str) -> None:
        self.table = table
        self.record = record
        super().__init__(f"there is no {record} in {table}")


class DoesNotFit(Exception):
    """A recorded change was made to another state than this one."""


def _read_only(record: dict[str, Json]) -> Mapping[str, Json]:
    """A view for whoever must not write; lists and objects inside are copies, for nothing guards them."""
    for value in record.values():
        if type(value) is list or type(value) is dict:
            return MappingProxyType({name: duplicate(item) for name, item in record.items()})
    return MappingProxyType(record)


class State:
    """The records of one tenant during one episode.

    Records are handed out read-only; writing goes through `update`, `create` and `delete`, each of
    which notes who did it. `changes` collects the changes since it was last taken.
    """

    __slots__ = (
        "_base",
        "_counters",
        "_index",
        "_over",
        "_singular",
        "actor",
        "changes",
        "tenant",
        "touched",
        "versions",
        "writers",
    )

    def __init__(
        self,
        base: Tables,
        index: Index,
        singular: Mapping[str, str],
        *,
        tenant: str | None,
        writers: dict[str, list[str]],
    ) -> None:
        self._base = base
        self._index = index
        self._singular = singular
        self._over: dict[str, dict[str, dict[str, Json] | None]] = {}
        self._counters: dict[str, int] = {}
        self.tenant = tenant
        """The tenant, where it is not the one the episode plays for."""
        self.actor = "world"
        """Who the next change is written down to."""
        self.changes: list[Change] = []
        self.writers = writers
        """Who wrote which leaf, `table/id/field`, in order."""
        self.touched: dict[tuple[str, str], None] = {}
        """Records read or changed in this episode."""
        self.versions: dict[str, int] = {}
        """How often each table was written to."""

    def get(self, table: str, id: str) -> Mapping[str, Json] | None:
        """The record, read-only, or None."""
        record = self._raw(table, id)
        if record is None:
            return None
        self.touched[(table, id)] = None
        return _read_only(record)

    def copy(self, table: str, id: str) -> dict[str, Json]:
        """The record as an object of its own, with its id in front. Raises `NoSuchRecord`."""
        record = self._raw(table, id)
        if record is None:
            raise NoSuchRecord(table, id)
        self.touched[(table, id)] = None
        copy: dict[str, Json] = {"id": id, **record}
        for name, value in record.items():
            if type(value) is dict or type(value) is list:
                copy[name] = duplicate(value)
        return copy

    def _raw(self, table: str, id: str) -> dict[str, Json] | None:
        over = self._over.get(table)
        if over is not None and id in over:
            return over[id]
        try:
            return self._base[table].get(id)  # type: ignore[return-value]
        except KeyError:
            self._check_table(table)
            return None

    def _check_table(self, table: str) -> None:
        if table not in self._base and table not in self._singular:
            close = nearest(table, self._singular)
            hint = f"; did you mean {close}?" if close else ""
            raise WrongUse(f"this world has no table {table}{hint}")

    def before(self, table: str, id: str) -> Mapping[str, Json] | None:
        """The record as the fixture holds it, or None where the episode created it."""
        self._check_table(table)
        record = self._base.get(table, {}).get(id)
        return None if record is None else _read_only(record)  # type: ignore[arg-type]

    def ids(self, table: str) -> Iterator[str]:
        """Every id of a table: the scenario's in its order, then what the episode created. Its crowd is left out."""
        self._check_table(table)
        over = self._over.get(table) or {}
        base = self._base.get(table, {})
        for id in own_records(base):
            if id not in over or over[id] is not None:
                yield id
        for id, record in over.items():
            if record is not None and id not in base:
                yield id

    def count(self, table: str) -> int:
        """How many records a table holds, its crowd aside."""
        self._check_table(table)
        base = self._base.get(table, {})
        own = own_records(base)
        total = len(own)
        for id, record in (self._over.get(table) or {}).items():
            if id in own or id not in base:
                total += (record is not None) - (id in own)
        return total

    def crowded(self, table: str) -> bool:
        """Whether there are more records than the scenario's own and those the episode created."""
        return isinstance(self._base.get(table), Crowded)

    def find(self, table: str, where: Mapping[str, Json], key: Key = exactly) -> list[str]:
        """Ids of the records whose fields have the values of `where`, compared through `key`, in order.

        The crowd of a table is found too. An index over the fixture does the work, so it costs what it finds.
        """
        self._check_table(table)
        wanted = {field: key(value) for field, value in where.items()}

        def fits(record: Mapping[str, Json]) -> bool:
            return all(field in record and same(key(record[field]), value) for field, value in wanted.items())

        indexed = self._index.ids(table, where, key) if where else self._index.every(table)
        return self._as_it_stands(table, indexed, fits)

    def search(self, table: str, field: str, words: list[str]) -> list[str]:
        """Ids of the records in whose field each of the words begins some word, in the order of `find`."""
        self._check_table(table)
        indexed = self._index.with_words(table, field, words)
        return self._as_it_stands(table, indexed, lambda record: has_words(record.get(field), words))

    def _as_it_stands(
        self, table: str, indexed: list[str], fits: Callable[[Mapping[str, Json]], bool]
    ) -> list[str]:
        """What was found in the fixture, put right by what the episode has changed since."""
        over = self._over.get(table)
        found = self._put_right(table, over, indexed, fits) if over else indexed.copy()
        if len(found) <= FEW:
            for id in found:
                self.touched[(table, id)] = None
        return found

    def _put_right(
        self,
        table: str,
        over: Mapping[str, dict[str, Json] | None],
        indexed: list[str],
        fits: Callable[[Mapping[str, Json]], bool],
    ) -> list[str]:
        base = self._base.get(table, {})
        gone: set[str] = set()
        moved: list[str] = []
        new: list[str] = []
        for id, record in over.items():
            before = base.get(id)
            fitted = before is not None and fits(before)
            if record is None or not fits(record):
                if fitted:
                    gone.add(id)
            elif before is None:
                new.append(id)
            elif not fitted:
                moved.append(id)
        found = [id for id in indexed if id not in gone] if gone else indexed.copy()
        if moved:
            found = sorted([*found, *moved], key=lambda id: self._index.place(table, id))
        return found + new

    def update(self, table: str, id: str, fields: Mapping[str, Json | Absent]) -> None:
        """Write fields of an existing record; `ABSENT` removes one. Raises `NoSuchRecord`."""
        before = self._raw(table, id)
        if before is None:
            raise NoSuchRecord(table, id)
        after = dict(before)
        changed: dict[str, list[Json]] = {}
        for name, value in fields.items():
            old: Json | Absent = before.get(name, ABSENT)
            if isinstance(value, Absent):
                if not isinstance(old, Absent):
                    del after[name]
                    changed[name] = [old, _ABSENT_JSON]
                continue
            value = boundary(value, name)
            if isinstance(old, Absent) or not same(old, value):
                after[name] = value
                changed[name] = [_ABSENT_JSON if isinstance(old, Absent) else old, value]
        if changed:
            self._write(table, id, after, "update", changed)

    def create(self, table: str, record: Mapping[str, Json], id: str | None = None) -> str:
        """Add a record and return its id: the given one, or the next `<singular>_<n>` of the table."""
        self._check_table(table)
        if id is None:
            id = self._next_id(table)
        elif self._raw(table, id) is not None:
            raise WrongUse(f"{table} already has a record {id}")
        copy = {name: boundary(value, name) for name, value in record.items()}
        self._write(table, id, copy, "create", {name: [_ABSENT_JSON, value] for name, value in copy.items()})
        return id

    def _next_id(self, table: str) -> str:
        base, over = self._base.get(table, {}), self._over.get(table, {})
        number = self._counters.get(table, 0) + 1
        # An id that was ever used is not used again, also where its record is gone.
        while (id := f"{self._singular[table]}_{number}") in base or id in over:
            number += 1
        self._counters[table] = number
        return id

    def delete(self, table: str, id: str) -> None:
        """Remove a record. Raises `NoSuchRecord`."""
        before = self._raw(table, id)
        if before is None:
            raise NoSuchRecord(table, id)
        self._write(
            table, id, None, "delete", {name: [value, _ABSENT_JSON] for name, value in before.items()}
        )

    def _write(
        self, table: str, id: str, after: dict[str, Json] | None, op: str, fields: dict[str, list[Json]]
    ) -> None:
        self._over.setdefault(table, {})[id] = after
        self.versions[table] = self.versions.get(table, 0) + 1
        self.touched[(table, id)] = None
        change: Change = {"table": table, "id": id, "op": op, "fields": fields}
        prefix = f"{table}/{id}/"
        if self.tenant is not None:
            change["tenant"] = self.tenant
            prefix = f"{self.tenant}:{prefix}"
        self.changes.append(change)
        for name in fields:
            self.writers.setdefault(prefix + name, []).append(self.actor)

    def repeat(self, change: Change) -> None:
        """Apply a change that was recorded in an earlier episode; nobody is noted as its author.

        Raises `DoesNotFit` where the record is not as the change found it.
        """
        table, id, op, fields = change["table"], change["id"], change["op"], change["fields"]
        before = self._raw(table, id)
        if (before is None) != (op == "create"):
            raise DoesNotFit(f"{table} {id}: {op}, but there is {'no' if before is None else 'a'} record")
        after: dict[str, Json] | None = None if op == "delete" else dict(before or {})
        for name, (old, new) in fields.items():
            if not same(_ABSENT_JSON if before is None or name not in before else before[name], old):
                raise DoesNotFit(f"{table} {id}: {name} is not as the change found it")
            if after is not None and new == _ABSENT_JSON:
                after.pop(name, None)
            elif after is not None:
                after[name] = new
        self._over.setdefault(table, {})[id] = after
        self.versions[table] = self.versions.get(table, 0) + 1

    def copy_of_now(self) -> State:
        """The same records in a state of its own, which nothing that happens here reaches any more."""
        copy = State(self._base, self._index, self._singular, tenant=self.tenant, writers={})
        copy._over = {table: dict(over) for table, over in self._over.items()}
        return copy

    def take_back(self, changes: Sequence[Change]) -> None:
        """Undo changes, the last of them first, as if they had never been made."""
        for change in reversed(changes):
            table, id = change["table"], change["id"]
            record = dict(self._raw(table, id) or {})
            for name, (old, _) in change["fields"].items():
                if old == _ABSENT_JSON:
                    record.pop(name, None)
                else:
                    record[name] = old
            self._over.setdefault(table, {})[id] = None if change["op"] == "create" else record
            self.versions[table] = self.versions.get(table, 0) + 1

    def take_changes(self) -> list[Change]:
        """The changes since this was last called."""
        if not self.changes:
            return []
        taken, self.changes = self.changes, []
        return taken

    def forget_touched(self, keep: int) -> None:
        """Forget the records touched since there were `keep` of them: looking at a fact touches nothing."""
        while len(self.touched) > keep:
            self.touched.popitem()

    def net_changes(self) -> list[Change]:
        """The difference between now and the fixture, one entry a record, net per field."""
        net: list[Change] = []
        for table, over in self._over.items():
            base = self._base.get(table, {})
            for id, after in over.items():
                before = base.get(id)
                if before is after or (before is None and after is None):
                    continue
                op = "create" if before is None else "delete" if after is None else "update"
                fields = _differences(before or {}, after or {})
                if fields or op != "update":
                    change: Change = {"table": table, "id": id, "op": op, "fields": fields}
                    if self.tenant is not None:
                        change["tenant"] = self.tenant
                    net.append(change)
        return net


def _differences(old: Mapping[str, Json], new: Mapping[str, Json]) -> dict[str, list[Json]]:
    fields: dict[str, list[Json]] = {}
    for name, value in old.items():
        if name not in new:
            fields[name] = [value, _ABSENT_JSON]
        elif new[name] is not value and not same(value, new[name]):
            fields[name] = [value, new[name]]
    for name in new:
        if name not in old:
            fields[name] = [_ABSENT_JSON, new[name]]
    return fields
