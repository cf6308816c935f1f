"""Looking at the processes of this machine, for tests that must leave none behind."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable


def is_alive(pid: int) -> bool:
    """Whether a process runs; a zombie does not."""
    listed = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, encoding="ascii", check=False
    ).stdout.strip()
    return listed != "" and not listed.startswith("Z")


def children() -> set[int]:
    """The children of this process, zombies among them, without the `ps` that looks."""
    listed = subprocess.run(
        ["ps", "-A", "-o", "pid=,ppid=,comm="], capture_output=True, encoding="utf-8", check=True
    ).stdout
    rows = [line.split(None, 2) for line in listed.splitlines()]
    return {int(pid) for pid, parent, name in rows if int(parent) == os.getpid() and name.strip() != "ps"}


def eventually(holds: Callable[[], bool], *, seconds: float = 20.0) -> bool:
    """Whether something becomes true within a time."""
    until = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True
