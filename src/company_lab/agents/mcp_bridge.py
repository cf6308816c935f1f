"""MCP bridge: standard input and output joined to the local socket of a running episode.

For programs that know MCP servers only as commands to be started. It carries bytes and looks at none of them.
"""

from __future__ import annotations

import os
import socket
import threading
from contextlib import suppress

from company_lab.formats.errors import WrongUse

SOCKET = "COMPANY_LAB_MCP_SOCKET"
_READ = 1 << 16


def bridge(path: str | None = None, *, reads: int = 0, writes: int = 1) -> None:
    """Carry what comes on one descriptor to the socket and back, until the lab closes it.

    `path` is the socket; without it COMPANY_LAB_MCP_SOCKET names it. Raises `WrongUse` where nobody listens there.
    """
    found = path or os.environ.get(SOCKET)
    if not found:
        raise WrongUse(f"which episode? Give the socket, or start this where {SOCKET} is set")
    line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        line.connect(found)
    except OSError as error:
        line.close()
        reason = error.strerror or str(error)
        raise WrongUse(f"no episode listens at {found} ({reason}); it is over, or was never there") from None
    with line:
        threading.Thread(target=_carry_in, args=(reads, line), daemon=True).start()
        with suppress(BrokenPipeError, ConnectionError):
            while data := line.recv(_READ):
                left = memoryview(data)
                while left:
                    left = left[os.write(writes, left) :]


def _carry_in(reads: int, line: socket.socket) -> None:
    with suppress(OSError):
        while data := os.read(reads, _READ):
            line.sendall(data)
        line.shutdown(socket.SHUT_WR)
