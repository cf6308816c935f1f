"""Fields: reading values out of records with their types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from company_lab.formats.canonical import Json


def whole(record: Mapping[str, Json], field: str, default: int = 0) -> int:
    """A whole number of a record; `default` where the field is absent or null."""
    value = record.get(field)
    return value if isinstance(value, int) and not isinstance(value, bool) else default


def words(record: Mapping[str, Json], field: str) -> str | None:
    """A text of a record; None where it is absent or null."""
    value = record.get(field)
    return value if isinstance(value, str) else None


def listed(record: Mapping[str, Json], field: str) -> Sequence[Json]:
    """A list of a record; empty where it is absent or null."""
    value = record.get(field)
    return value if isinstance(value, list) else ()


def given(**fields: Json) -> dict[str, Any]:
    """The fields that are not null: what a caller really named."""
    return {name: value for name, value in fields.items() if value is not None}
