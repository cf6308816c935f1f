"""Databases that are pydantic models: records are copied when somebody asks for them, and only those are compared."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from company_lab.interop.hosting.copy_on_write import MISSING, WritableTable


class ModelTable(WritableTable):
    """Models by id that share those of a base until somebody asks for one and gets a copy of it."""

    __slots__ = ()

    def __getitem__(self, key: Any, /) -> Any:
        return self._own(key, dict.__getitem__(self, key))

    def _own(self, key: Any, value: Any) -> Any:
        if value is self.base.get(key, MISSING):
            value = copied(value)
            self[key] = value
        return value

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
                if dict.get(mine, key, MISSING) != dict.get(theirs, key, MISSING):
                    yield f"{name}/{key}"
        elif mine != theirs:
            yield name
