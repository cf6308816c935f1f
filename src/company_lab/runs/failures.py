"""What can go wrong with a store, told so that a person can do something about it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from company_lab.formats.errors import CompanyLabError, WrongUse


class StoreUnusable(WrongUse):
    """The place named can not serve as a store; nothing was changed."""


class StoreFailed(CompanyLabError):
    """The store stopped working in the middle; what was stored before is still there."""


class DuplicateEpisode(CompanyLabError):
    """The cell already has a row that counts."""


class UnknownRun(WrongUse):
    """No run of this id is in the store."""


class DuplicateRun(WrongUse):
    """A run with this id is already in the store."""


class DamagedEpisode(CompanyLabError):
    """What is stored of an episode is not what was once written."""


class FileIdentity:
    """Which file a store was opened as, since SQLite goes on writing to one that has been deleted."""

    __slots__ = ("_identity", "_path", "_place")

    def __init__(self, path: Path) -> None:
        self._path = path
        self._place = os.fspath(path)
        self._identity = self._now()

    def check(self) -> None:
        """Raise `StoreFailed` where the file has gone or another has taken its place."""
        if self._now() != self._identity:
            raise StoreFailed(
                f"the store {self._path} was deleted or replaced while it was in use: "
                "what was stored in it is gone, and nothing more can be stored"
            )

    def _now(self) -> tuple[int, int] | None:
        try:
            there = os.stat(self._place)
        except OSError:
            return None
        return there.st_dev, there.st_ino


_REMEDIES = (
    ("disk is full", "there is no space left on the disk: make room and go on"),
    ("disk i/o error", "the disk took no more: is there space left, or a limit on file sizes?"),
    ("locked", "another process has been writing to it for too long: try again, or use another --store"),
    ("readonly", "it may not be written: check its permissions, or use another --store"),
    ("unable to open", "it can not be opened: check that the folder exists and may be written"),
    ("not a database", "it is no SQLite database: name another place with --store"),
    ("malformed", "it is damaged: keep a copy, and use another --store"),
)


def remedy(error: BaseException) -> str:
    """What a database error means for the person who reads it."""
    text = str(getattr(error, "orig", None) or error)
    for sign, advice in _REMEDIES:
        if sign in text.lower():
            return f"{advice} ({text})"
    return text


def failed(path: Path, error: BaseException) -> NoReturn:
    """Raise `StoreFailed` for a database error that came after the store was opened."""
    raise StoreFailed(f"the store {path}: {remedy(error)}; what was stored before is still there") from error


@contextmanager
def database_errors(path: Path) -> Iterator[None]:
    """Turns errors of the database inside the block into `StoreFailed`."""
    import sqlite3

    from sqlalchemy.exc import DBAPIError, IntegrityError

    try:
        yield
    except IntegrityError:
        raise
    except (DBAPIError, sqlite3.Error) as error:
        failed(path, error)
