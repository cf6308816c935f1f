"""KeptWorld: an interrupted episode in a database file, from which another process goes on.

The file is SQLite. What a person may want to look at has tables of its own (`records`, `ledger`, `keys` with their age,
`inbox`, `trace`); whatever else is needed stands in `about`.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from company_lab.formats.canonical import NotJson, parse_own
from company_lab.formats.errors import CompanyLabError

FORMAT = 1
_TABLES = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE records (tenant TEXT, "table" TEXT, id TEXT, record TEXT NOT NULL, PRIMARY KEY (tenant, "table", id));
CREATE TABLE ledger (provider TEXT, place INTEGER, entry TEXT NOT NULL, PRIMARY KEY (provider, place));
CREATE TABLE keys (
  provider TEXT, key TEXT, asked TEXT NOT NULL, since_ms INTEGER NOT NULL, entry INTEGER NOT NULL,
  PRIMARY KEY (provider, key)
);
CREATE TABLE inbox (place INTEGER PRIMARY KEY, due_ms INTEGER NOT NULL, delivery TEXT NOT NULL);
CREATE TABLE trace (seq INTEGER PRIMARY KEY, record TEXT NOT NULL);
"""
# Keys keep their order: error texts and answers of tools follow it.
_spell = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode


class NotKept(CompanyLabError):
    """A file that holds no interrupted episode, or not this one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptWorld:
    """What an interrupted episode has become."""

    about: dict[str, Any]
    """Which episode it is, and what its session and its turn were."""
    world: dict[str, Any]
    """See `worlds.snapshot`."""
    records: list[dict[str, Any]]
    """The trace until then."""


def write(kept: KeptWorld, path: Path) -> None:
    """Write a file, whole or not at all; one that stands there is replaced."""
    new = path.with_name(f"{path.name}.new")
    new.unlink(missing_ok=True)
    try:
        with closing(sqlite3.connect(new)) as database:
            # Nobody sees the file before it is whole, so it needs no journal.
            database.executescript(f"PRAGMA journal_mode = OFF; BEGIN; {_TABLES}")
            with database:
                _fill(database, kept)
        os.replace(new, path)
    except (OSError, sqlite3.Error) as error:
        new.unlink(missing_ok=True)
        raise CompanyLabError(f"the world can not be kept in {path}: {error}") from error


def _fill(database: sqlite3.Connection, kept: KeptWorld) -> None:
    world = dict(kept.world)
    states, providers, inbox = world.pop("states"), world.pop("providers"), world.pop("inbox")
    rest = {
        "states": {tenant: _without(state, "records") for tenant, state in states.items()},
        "given": {name: provider["given"] for name, provider in providers.items()},
        "counts": inbox["counts"],
    }

    def rows(table: str, values: Iterable[tuple[object, ...]]) -> None:
        for row in values:
            places = ", ".join("?" * len(row))
            database.execute(f"INSERT INTO {table} VALUES ({places})", row)  # noqa: S608 - one of the tables above

    rows("about", [("format", str(FORMAT)), *((name, _spell(value)) for name, value in kept.about.items())])
    rows("about", [("world", _spell(world)), ("rest", _spell(rest))])
    rows(
        "records",
        (
            (tenant, table, id, _spell(record))
            for tenant, state in states.items()
            for table, id, record in state["records"]
        ),
    )
    for name, provider in providers.items():
        rows("ledger", ((name, place, _spell(entry)) for place, entry in enumerate(provider["ledger"])))
        rows(
            "keys",
            ((name, key["key"], key["asked"], key["since_ms"], key["entry"]) for key in provider["keys"]),
        )
    rows(
        "inbox",
        ((place, delivery["due_ms"], _spell(delivery)) for place, delivery in enumerate(inbox["planned"])),
    )
    rows("trace", ((record["seq"], _spell(record)) for record in kept.records))


def _without(mapping: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in mapping.items() if key != name}


def read(path: Path) -> KeptWorld:
    """Read a file. Raises `NotKept` where it holds no interrupted episode that this version can go on with."""
    if not path.is_file():
        raise NotKept(f"there is no file {path}; an interrupted episode is kept by `play_until_crash`")
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
            return _read(database, path)
    except (sqlite3.Error, NotJson, KeyError, TypeError, ValueError, AttributeError) as error:
        raise NotKept(f"{path} holds no interrupted episode: {error}") from error


def _read(database: sqlite3.Connection, path: Path) -> KeptWorld:
    about: dict[str, Any] = {
        name: parse_own(value) for name, value in database.execute("SELECT * FROM about")
    }
    if about.pop("format", None) != FORMAT:
        raise NotKept(f"{path} was kept in another format; this version reads format {FORMAT}")
    world, rest = about.pop("world"), about.pop("rest")
    world["states"] = {tenant: {**state, "records": []} for tenant, state in rest["states"].items()}
    world["providers"] = {
        name: {"ledger": [], "keys": [], "given": given} for name, given in rest["given"].items()
    }
    for tenant, table, id, record in database.execute("SELECT * FROM records ORDER BY rowid"):
        world["states"][tenant]["records"].append([table, id, parse_own(record)])
    for provider, _, entry in database.execute("SELECT * FROM ledger ORDER BY provider, place"):
        world["providers"][provider]["ledger"].append(parse_own(entry))
    for provider, key, asked, since_ms, place in database.execute("SELECT * FROM keys ORDER BY rowid"):
        world["providers"][provider]["keys"].append(
            {"key": key, "asked": asked, "since_ms": since_ms, "entry": place}
        )
    planned = [parse_own(row) for (row,) in database.execute("SELECT delivery FROM inbox ORDER BY place")]
    world["inbox"] = {"planned": planned, "counts": rest["counts"]}
    return KeptWorld(about=about, world=world, records=list(_trace(database)))


def _trace(database: sqlite3.Connection) -> Iterator[dict[str, Any]]:
    for (row,) in database.execute("SELECT record FROM trace ORDER BY seq"):
        record = parse_own(row)
        if not isinstance(record, dict):
            raise ValueError("a record of the trace is no object")
        yield record
