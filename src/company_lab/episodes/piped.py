"""A process of the fork server with pipes to it, none of which blocks on this side."""

from __future__ import annotations

import os

from company_lab.episodes.forkserver import Forked, ForkServer


def start_piped(server: ForkServer, job: str, *, reads: int) -> tuple[Forked, tuple[int, ...]]:
    """A process, and this side's ends: the one to write to, then as many to read from.

    The process gets the other ends in the same order. Nothing stays open where it can not be started.
    """
    ours: list[int] = []
    theirs: list[int] = []
    try:
        theirs_end, end = os.pipe()
        ours.append(end)
        theirs.append(theirs_end)
        for _ in range(reads):
            end, theirs_end = os.pipe()
            ours.append(end)
            theirs.append(theirs_end)
        process = server.start(job, theirs)
    except BaseException:
        for descriptor in ours:
            os.close(descriptor)
        raise
    finally:
        for descriptor in theirs:
            os.close(descriptor)
    for descriptor in ours:
        os.set_blocking(descriptor, False)
    return process, tuple(ours)
