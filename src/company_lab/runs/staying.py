"""Staying: an agent that plays in this process can not end it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn


@contextmanager
def staying() -> Iterator[None]:
    """Inside, `os._exit` raises `SystemExit` in this process, which is then the agent's own failure.

    Else an agent could end a run in the middle with exit code 0, and nothing would have failed. Processes
    forked meanwhile end as ever.
    """
    leave, here = os._exit, os.getpid()

    def refuse(status: int) -> NoReturn:
        if os.getpid() != here:
            leave(status)
        raise SystemExit(f"os._exit({status}) was called")

    os._exit = refuse
    try:
        yield
    finally:
        os._exit = leave
