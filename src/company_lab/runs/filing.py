"""Filing: documents about suites, beside the runs of a store. They are appended, and never changed or deleted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import inspect, select
from sqlalchemy.engine import Connection

from company_lab.formats.canonical import Json, NotJson, canonical, parse_own
from company_lab.runs import schema
from company_lab.runs.failures import DamagedEpisode
from company_lab.runs.plan import now


@dataclass(frozen=True, slots=True, kw_only=True)
class Filed:
    """One document and when it was filed."""

    key: str
    at: str
    """Wall time, UTC."""
    document: Mapping[str, Json]


def file_document(connection: Connection, kind: str, key: str, document: Mapping[str, Json]) -> None:
    """Append a document under a kind and a key. A store of an earlier version gets the table it lacks."""
    schema.filed.create(connection, checkfirst=True)
    row = {"kind": kind, "key": key, "at": now(), "document": canonical(dict(document))}
    connection.execute(schema.filed.insert().values(row))


def filed(connection: Connection, kind: str, key: str | None = None) -> list[Filed]:
    """The documents of a kind, oldest first, under `key` or under any. Raises `DamagedEpisode`."""
    if not inspect(connection).has_table(schema.filed.name):
        return []
    wanted = select(schema.filed).where(schema.filed.c.kind == kind).order_by(schema.filed.c.number)
    if key is not None:
        wanted = wanted.where(schema.filed.c.key == key)
    found = []
    for row in connection.execute(wanted):
        try:
            document = parse_own(row.document)
        except NotJson as error:
            raise DamagedEpisode(f"what is filed as {kind} under {row.key} is damaged: {error}") from error
        if not isinstance(document, dict):
            raise DamagedEpisode(f"what is filed as {kind} under {row.key} is damaged: it is no object")
        found.append(Filed(key=row.key, at=row.at, document=document))
    return found
