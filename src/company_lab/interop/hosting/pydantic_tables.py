"""Databases that are pydantic models: records are copied when somebody asks for them, and only those are compared."""

from __future__ import annotations

import pickle
from collections.abc import ItemsView, Iterator, Mapping, ValuesView
from typing import Any

from pydantic import BaseModel

_MISSING = object()


class ModelTable(dict[Any, Any]):
    """Models by id that share those of a base until somebody asks for one and gets a copy of it."""

    __slots__ = ("base", "touched")

    def __init__(self, base: Mapping[Any, Any]) -> None:
        super().__init__(base)
        self.base = base
        self.touched: dict[Any, None] = {}

    def __getitem__(self, key: Any, /) -> Any:
        value = dict.__getitem__(self, key)
        if value is self.base.get(key, _MISSING):
            value = copied(value)
            self[key] = value
        return value

    def __setitem__(self, key: Any, value: Any, /) -> None:
        self.touched[key] = None
        dict.__setitem__(self, key, value)

    def __delitem__(self, key: Any, /) -> None:
        self.touched[key] = None
        dict.__delitem__(self, key)

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

    def pop(self, key: Any, default: Any = _MISSING, /) -> Any:
        if key not in self and default is not _MISSING:
            return default
        value = self[key]
        del self[key]
        return value

    def popitem(self) -> tuple[Any, Any]:
        key = next(reversed(self))
        return key, self.pop(key)

    def clear(self) -> None:
        for key in list(self):
            del self[key]

    def setdefault(self, key: Any, default: Any = None, /) -> Any:
        if key not in self:
            self[key] = default
        return self[key]

    def update(self, *others: Any, **more: Any) -> None:
        for key, value in dict(*others, **more).items():
            self[key] = value

    def __ior__(self, other: Any, /) -> Any:
        self.update(other)
        return self

    def __or__(self, other: Any, /) -> Any:
        return {**self.copy(), **other}

    def copy(self) -> dict[Any, Any]:
        return {key: self[key] for key in self}

    __copy__ = copy

    def __reduce__(self) -> Any:
        return dict, (dict(dict.items(self)),)


def copied(value: Any) -> Any:
    """A copy of its own."""
    return pickle.loads(pickle.dumps(value, pickle.HIGHEST_PROTOCOL))  # noqa: S301  (made in this line)


def opened(database: Any) -> Any:
    """A database to write to, over one that nobody may write to."""
    tables: dict[str, Any] = {}
    for name in type(database).model_fields:
        value = getattr(database, name)
        of_models = isinstance(value, dict) and all(isinstance(one, BaseModel) for one in value.values())
        tables[name] = ModelTable(value) if of_models else copied(value)
    return database.model_copy(update=tables)


def differing(one: Any, other: Any) -> Iterator[str]:
    """The places, `table/id` or `table`, in which two databases over the same base differ."""
    for name in type(one).model_fields:
        mine, theirs = getattr(one, name), getattr(other, name)
        if isinstance(mine, ModelTable) and isinstance(theirs, ModelTable) and mine.base is theirs.base:
            for key in dict.fromkeys((*mine.touched, *theirs.touched)):
                if dict.get(mine, key, _MISSING) != dict.get(theirs, key, _MISSING):
                    yield f"{name}/{key}"
        elif mine != theirs:
            yield name
