"""Copy-on-write tables: data that tools change in place, opened in microseconds and compared by what was touched.

A tool of tau-bench takes the whole data as dicts of records and writes into it. It gets a `WritableTable` for each
table: the dict it expects, whose records are handed out as copies the first time anybody asks for them. Opening
copies no record, and only records that somebody could have written to are ever compared.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import ItemsView, Iterator, KeysView, Mapping, ValuesView
from typing import Any

MISSING = object()


def plain(value: Any) -> Any:
    """A deep copy of JSON-like data, as ordinary dicts and lists."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in dict.items(value)}
    if isinstance(value, list):
        return [plain(item) for item in list.__iter__(value)]
    return value if isinstance(value, (str, int, float, bool, type(None), tuple)) else copy.deepcopy(value)


class _Own(dict[Any, Any], ABC):
    """A dict that shares its values with another one until they are asked for.

    Everything that could hand out a value goes through `_own`. Iteration is written out so that `dict(...)` and `**`
    ask too, instead of taking what lies inside.
    """

    __slots__ = ()

    @abstractmethod
    def _own(self, key: Any, value: Any) -> Any:
        """A value that may be written to, in the place of one that may be shared."""

    @abstractmethod
    def _note(self, key: Any) -> None:
        """Remember that what stands under a key may differ from now on."""

    def __getitem__(self, key: Any, /) -> Any:
        value = dict.__getitem__(self, key)
        kind = type(value)
        return self._own(key, value) if kind is dict or kind is list else value

    def get(self, key: Any, default: Any = None, /) -> Any:
        if key not in self:
            return default
        return self[key]

    def __iter__(self) -> Iterator[Any]:
        return dict.__iter__(self)

    def values(self) -> ValuesView[Any]:  # type: ignore[override]
        return ValuesView(self)

    def items(self) -> ItemsView[Any, Any]:  # type: ignore[override]
        return ItemsView(self)

    def keys(self) -> KeysView[Any]:  # type: ignore[override]
        return KeysView(self)

    def __setitem__(self, key: Any, value: Any, /) -> None:
        self._note(key)
        dict.__setitem__(self, key, value)

    def __delitem__(self, key: Any, /) -> None:
        self._note(key)
        dict.__delitem__(self, key)

    def setdefault(self, key: Any, default: Any = None, /) -> Any:
        if key not in self:
            self[key] = default
        return self[key]

    def pop(self, key: Any, default: Any = MISSING, /) -> Any:
        if key not in self:
            if default is MISSING:
                raise KeyError(key)
            return default
        value = self[key]
        del self[key]
        return value

    def popitem(self) -> tuple[Any, Any]:
        key = list(self)[-1] if self else None
        if key is None:
            raise KeyError("the dictionary is empty")
        return key, self.pop(key)

    def clear(self) -> None:
        for key in list(self):
            del self[key]

    def update(self, *others: Any, **more: Any) -> None:
        for key, value in dict(*others, **more).items():
            self[key] = value

    def __ior__(self, other: Any, /) -> Any:
        self.update(other)
        return self

    def __or__(self, other: Any, /) -> Any:
        return {**dict(self), **other}

    def copy(self) -> dict[Any, Any]:
        return {key: self[key] for key in self}

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> Any:
        return plain(self)

    def __reduce__(self) -> Any:
        return dict, (plain(self),)


class Record(_Own):
    """A record of a table, or an object in one; notes its id in `touched` when something in it could change."""

    __slots__ = ("_key", "_mine", "_touched")

    def __init__(self, shared: Mapping[Any, Any], touched: dict[Any, None] | None, key: Any) -> None:
        dict.__init__(self, shared)
        self._touched = touched
        self._key = key
        self._mine: set[Any] | None = None

    def _own(self, key: Any, value: Any) -> Any:
        if self._mine is not None and key in self._mine:
            return value
        self._note(key)
        own = Record(value, None, None) if type(value) is dict else plain(value)
        dict.__setitem__(self, key, own)
        return own

    def _note(self, key: Any) -> None:
        if self._mine is None:
            self._mine = set()
        self._mine.add(key)
        if self._touched is not None:
            self._touched[self._key] = None
            self._touched = None


class WritableTable(_Own):
    """The records of one table during one episode."""

    __slots__ = ("base", "touched")

    def __init__(self, base: Mapping[str, Any]) -> None:
        dict.__init__(self, base)
        self.base = base
        self.touched: dict[Any, None] = {}
        """Ids of the records that may differ from the base, in the order in which they were touched."""

    def _own(self, key: Any, value: Any) -> Any:
        if value is not self.base.get(key):
            return value
        if type(value) is not dict:
            self.touched[key] = None
            own: Any = plain(value)
        else:
            own = Record(value, self.touched, key)
        dict.__setitem__(self, key, own)
        return own

    def _note(self, key: Any) -> None:
        self.touched[key] = None

    def changes(self) -> dict[str, Any]:
        """Records that differ from the base, by id, as they are now; `MISSING` for those that are gone."""
        changed: dict[str, Any] = {}
        for key in self.touched:
            now, before = dict.get(self, key, MISSING), self.base.get(key, MISSING)
            if not alike(now, before):
                changed[key] = now
        return changed


def open_data(base: Mapping[str, Any]) -> dict[str, Any]:
    """Data to write to, over data that nobody may write to."""
    return {
        table: WritableTable(records) if type(records) is dict else plain(records)
        for table, records in base.items()
    }


def changes_of(data: Mapping[str, Any], base: Mapping[str, Any]) -> dict[tuple[str, str], Any]:
    """Everything that differs from the base, by table and id; a table that is no dict of records counts whole."""
    changed: dict[tuple[str, str], Any] = {}
    for table, records in data.items():
        if isinstance(records, WritableTable):
            changed |= {(table, key): record for key, record in records.changes().items()}
        elif not alike(records, base.get(table, MISSING)):
            changed[table, ""] = records
    for table in base:
        if table not in data:
            changed[table, ""] = MISSING
    return changed


def alike(one: Any, other: Any) -> bool:
    """Whether two values are the same to a suite that compares them by their spelling.

    5 and 5.0 differ, the order of lists matters, that of keys does not.
    """
    if one is other:
        return True
    if isinstance(one, dict):
        return (
            isinstance(other, dict)
            and len(one) == len(other)
            and all(
                alike(item, dict.get(other, key, MISSING)) if key in other else False
                for key, item in dict.items(one)
            )
        )
    if isinstance(one, (list, tuple)):
        return (
            isinstance(other, (list, tuple))
            and len(one) == len(other)
            and all(alike(a, b) for a, b in zip(list(one), list(other), strict=True))
        )
    return type(one) is type(other) and bool(one == other)
