"""MCP connections: how many programs may hold open at once, so that none takes all that this process can have.

Each open connection is a descriptor of the process that also keeps the store. All worlds of a process share one port,
so the connection that gives way is one nobody waits on, and of those the one that was silent longest.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

MOST = 128
"""Open connections over HTTP, of all worlds of a process."""


def bounded(most: int = MOST) -> type[asyncio.Protocol]:
    """The protocol of a server with at most so many connections."""
    by_silence: dict[Connection, None] = {}
    """Whoever was heard last stands last."""

    class Connection(H11Protocol):
        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            by_silence[self] = None
            if len(by_silence) > most:
                idle = (one for one in by_silence if one.cycle is None or one.cycle.response_complete)
                gives_way = next(idle, self)
                if gives_way is self:  # everybody else waits for something, or keeps us waiting
                    gives_way = next(iter(by_silence))
                del by_silence[gives_way]
                gives_way.transport.abort()

        def data_received(self, data: bytes) -> None:
            if self in by_silence:
                del by_silence[self]
                by_silence[self] = None
            super().data_received(data)

        def connection_lost(self, exc: Exception | None) -> None:
            by_silence.pop(self, None)
            super().connection_lost(exc)

    return Connection
