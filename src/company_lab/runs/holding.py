"""Holding a run while it is played, so that no second process plays it too."""

from __future__ import annotations

import fcntl
import hashlib
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from company_lab.formats.errors import WrongUse
from company_lab.runs.place import store_words

PATIENCE = 0.5
"""Seconds in which somebody who only looks whether a run is held lets go again."""

_held: set[Path] = set()
_guard = threading.Lock()


class RunHeld(WrongUse):
    """The run is being played already."""


@contextmanager
def holding(store: Path, run: str) -> Iterator[None]:
    """Hold a run of the store at this path. Raises `RunHeld` where somebody else does.

    The lock belongs to the process and goes with it, however it ends; the processes it starts do not
    inherit it. On a file system without locks nobody is kept out.
    """
    path = _lock_file(store, run)
    with _guard:
        if path in _held:
            raise RunHeld(_told(store, run))
        _held.add(path)
    handle: int | None = None
    try:
        handle = _locked(path, store, run)
        yield
    finally:
        if handle is not None:
            with suppress(OSError):
                path.unlink()
            os.close(handle)
        with _guard:  # not before: whoever took it meanwhile would have the file taken away that it locked
            _held.discard(path)


def is_held(store: Path, run: str) -> bool:
    """Whether somebody is playing the run right now."""
    path = _lock_file(store, run)
    with _guard:  # all the while: closing the file gives away whatever lock this process has on it
        if path in _held:
            return True
        try:
            handle = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            return not _lock(handle)
        finally:
            os.close(handle)


def clear(store: Path, run: str) -> None:
    """Take away what a killed process left of its lock."""
    if not is_held(store, run):
        with suppress(OSError):
            _lock_file(store, run).unlink()


def _lock_file(store: Path, run: str) -> Path:
    real = store.resolve()  # two ways to one file are one lock
    # An id never becomes a path.
    return real.with_name(f"{real.name}-{hashlib.sha256(run.encode()).hexdigest()[:16]}.lock")


def _locked(path: Path, store: Path, run: str) -> int | None:
    until = time.monotonic() + PATIENCE
    while True:
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError:
            return None
        if _lock(handle):
            if _is(path, handle):
                return handle
            os.close(handle)  # somebody let go of it and took the file away in between
            continue
        os.close(handle)
        if time.monotonic() > until:
            raise RunHeld(_told(store, run))
        time.sleep(0.02)


def _lock(handle: int) -> bool:
    try:
        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:  # no locks here
        return True
    return True


def _is(path: Path, handle: int) -> bool:
    try:
        there, ours = os.stat(path), os.fstat(handle)
    except OSError:
        return False
    return (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino)


def _told(store: Path, run: str) -> str:
    return (
        f"run {run} in {store} is being played right now: wait until it has ended, or stop it; "
        f"`company-lab run SUITE{store_words(store)}` starts another run beside it"
    )
