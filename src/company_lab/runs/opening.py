"""Opening a store: one SQLite file in WAL mode, made whole or not at all, also by many processes at once."""

from __future__ import annotations

import os
import sqlite3
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, event, inspect, select
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import QueuePool

from company_lab.runs.failures import StoreUnusable, remedy
from company_lab.runs.place import store_words
from company_lab.runs.schema import FORMAT, about, metadata

PATIENCE = 30.0
"""Seconds to wait while another process writes."""
WRITES = {"company_lab_writes": True}
"""Execution options of a connection whose transactions write: they wait for their turn before they read."""


def open_engine(path: Path, *, create: bool, patience: float = PATIENCE) -> Engine:
    """An engine on the store at `path`.

    Raises `StoreUnusable` where there is none and `create` is false, where the file is something else or was
    written by a later version, and where it can not be read or written.
    """
    if not path.exists():
        if not create:
            raise StoreUnusable(
                f"there is no store at {path}: `company-lab run SUITE{store_words(path)}` makes one, "
                "--store names another place"
            )
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreUnusable(f"the store {path} can not be made: {error.strerror}") from error
    elif create and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        raise StoreUnusable(f"the store {path} may not be written: check permissions, or use another --store")
    engine = _engine(path, writes=create, patience=patience)
    try:
        with engine.connect() as connection, connection.begin():
            there = _is_store(path, connection)
        if not there and not create:
            raise StoreUnusable(
                f"the store {path} is empty: `company-lab run SUITE{store_words(path)}` fills it"
            )
        if not there:
            with engine.connect().execution_options(**WRITES) as connection, connection.begin():
                if not _is_store(path, connection):  # another process may have been faster
                    metadata.create_all(connection)
                    connection.execute(
                        about.insert().values(format=FORMAT, written_by=version("company-lab"))
                    )
    except DBAPIError as error:
        engine.dispose()
        raise StoreUnusable(f"the store {path}: {remedy(error)}") from error
    except BaseException:
        engine.dispose()
        raise
    return engine


def _engine(path: Path, *, writes: bool, patience: float) -> Engine:
    may_write = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
    read_only = not writes and not may_write
    name = _read_only_address(path) if read_only else str(path)

    def connect() -> sqlite3.Connection:
        return sqlite3.connect(
            name, timeout=patience, isolation_level=None, check_same_thread=False, uri=read_only
        )

    engine = create_engine("sqlite+pysqlite://", creator=connect, poolclass=QueuePool)

    def set_up(connection: Any, _: object) -> None:
        if read_only:
            connection.execute("PRAGMA query_only=ON")
            return
        _use_wal(connection, patience)
        # At NORMAL a killed process loses nothing; a power cut can take back the last transactions, whole.
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("PRAGMA foreign_keys=ON")
        # A page that many episodes touch is then copied into the database once and not every few episodes.
        connection.execute("PRAGMA wal_autocheckpoint=4000")

    event.listen(engine, "connect", set_up)
    event.listen(engine, "begin", _begin)
    return engine


def _read_only_address(path: Path) -> str:
    """How to open a store that may not be written, without missing what is not yet in its main file."""
    log, index = (path.with_name(f"{path.name}-{end}") for end in ("wal", "shm"))
    if index.exists():  # somebody has it open, or was killed: both files are needed
        return f"{path.as_uri()}?mode=ro"
    if log.exists() and log.stat().st_size:
        raise StoreUnusable(
            f"the store {path} was not closed, and may not be written here: the last episodes lie in "
            f"{log.name} beside it. Let somebody who may write it run `company-lab runs{store_words(path)}` once"
        )
    # Nobody has it open. Without write access SQLite could not make the files it shares with others.
    return f"{path.as_uri()}?mode=ro&immutable=1"


def _use_wal(connection: Any, patience: float) -> None:
    # Changing the journal mode does not wait for a busy database by itself.
    until = time.monotonic() + patience
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(0.01)


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get("company_lab_writes")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _is_store(path: Path, connection: Connection) -> bool:
    names = set(inspect(connection).get_table_names())
    if about.name not in names:
        if names:
            raise StoreUnusable(
                f"{path} is a database, but no store of company-lab (it holds "
                f"{', '.join(sorted(names)[:3])}): name another place with --store"
            )
        return False
    formats = connection.execute(select(about.c.format)).scalars().all()
    if len(formats) != 1:
        raise StoreUnusable(
            f"the store {path} is damaged: it says {len(formats)} times what its format is, and once is expected; "
            "keep a copy, and name another place with --store"
        )
    found = formats[0]
    if found != FORMAT:
        raise StoreUnusable(
            f"the store {path} has format {found}; this version reads format {FORMAT}: "
            "use a newer company-lab, or name another place with --store"
        )
    return True
