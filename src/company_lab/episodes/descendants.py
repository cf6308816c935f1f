"""Descendants: what the processes of a process leave behind, and how none of it stays.

Ending a process group reaches every process that did not leave it on purpose. Linux lets one process adopt
orphans, so that those that did leave are found too; elsewhere they are out of reach.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Collection
from contextlib import suppress

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def adopt_orphans() -> None:
    """Become the parent of every orphan among the descendants of this process. Linux only; elsewhere nothing."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent() -> None:
    """Let this process be ended when its parent is. Linux only; elsewhere nothing."""
    _prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL))


def _prctl(option: int, value: int) -> None:
    if sys.platform != "linux":
        return
    import ctypes

    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


class Strays:
    """Children that this process adopted and never started.

    Nobody can tell whose they were, so each is ended when every process that ran when it was first seen has.
    """

    def __init__(self) -> None:
        self._waiting_for: dict[int, set[int]] = {}

    def ended(self, pid: int) -> None:
        """A process that was started has ended."""
        for waiting in self._waiting_for.values():
            waiting.discard(pid)

    def look(self, running: Collection[int]) -> None:
        """Find new ones among the children of this process, which runs `running`; end those that are due."""
        for pid in _children():
            if pid not in running and pid not in self._waiting_for:
                self._waiting_for[pid] = set(running)
        for pid, waiting in list(self._waiting_for.items()):
            if not waiting:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            if _waited_for(pid):
                del self._waiting_for[pid]

    def end_all(self) -> None:
        """End every one, and whatever becomes an orphan by that."""
        for _ in range(100):
            self.look(())
            for pid, waiting in list(self._waiting_for.items()):
                waiting.clear()
                with suppress(ProcessLookupError, ChildProcessError):
                    os.kill(pid, signal.SIGKILL)
                    os.waitpid(pid, 0)
                del self._waiting_for[pid]
            if not _children():
                return


def _waited_for(pid: int) -> bool:
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    except ChildProcessError:
        return True


def _children() -> list[int]:
    try:
        with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as file:
            return [int(pid) for pid in file.read().split()]
    except OSError:
        return []
