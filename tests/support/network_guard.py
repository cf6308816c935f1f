"""Keeps every test off the network.

An audit hook sees each connection and each name look-up of this process, also those made below the `socket`
module. Processes that a test starts, and libraries that talk to the system without Python, are out of its
sight.
"""

from __future__ import annotations

import ipaddress
import socket
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

_SENDING = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg"})
_LOOKING_UP = frozenset({"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"})


class NetworkRefused(RuntimeError):
    """A test reached for the network. Not an `OSError`: what survives an outage must not survive this."""


@dataclass(slots=True)
class NetworkGuard:
    loopback: bool = False
    """Whether the running test may connect to this machine."""
    refused: list[str] = field(default_factory=list)
    """What was attempted and refused since the test began."""

    def examine(self, event: str, arguments: tuple[object, ...]) -> None:
        """Raise `NetworkRefused` if an audit event is a connection that the running test may not make."""
        if event in _SENDING:
            connection, address = arguments[:2]
            if not isinstance(connection, socket.SocketType) or not isinstance(address, tuple):
                return  # a local (AF_UNIX) address, or a datagram on a socket whose connection was examined
            if connection.family in (socket.AF_INET, socket.AF_INET6):
                self._refuse_unless(self.loopback and is_loopback(address[0]), f"{address[0]}:{address[1]}")
        elif event in _LOOKING_UP:
            host = arguments[0]
            self._refuse_unless(host is None or is_loopback(host), f"the address of {host!r}")

    def _refuse_unless(self, permitted: bool, target: str) -> None:
        if permitted:
            return
        self.refused.append(target)
        raise NetworkRefused(
            f"this test reached for {target}, but tests stay off the network; give it a simulated answer, "
            "or a server on 127.0.0.1 and the mark @pytest.mark.loopback"
        )


def is_loopback(host: object) -> bool:
    """Whether a host, as handed to the socket module, is this machine itself."""
    name = host.decode("ascii", "replace") if isinstance(host, bytes) else str(host)
    if name in ("", "localhost", "0.0.0.0", "::"):  # the last two and the first: listening, on any address
        return True
    try:
        return ipaddress.ip_address(name.partition("%")[0]).is_loopback
    except ValueError:
        return False


_guard = NetworkGuard()


def _audit(event: str, arguments: tuple[object, ...]) -> None:
    if event.startswith("socket."):
        _guard.examine(event, arguments)


sys.addaudithook(_audit)


@pytest.fixture(autouse=True)
def network(request: pytest.FixtureRequest) -> Iterator[NetworkGuard]:
    """The guard. A refused connection fails the test even where the code under test swallowed the refusal."""
    _guard.loopback = request.node.get_closest_marker("loopback") is not None
    _guard.refused.clear()
    yield _guard
    # Frameworks that serve on loopback probe for the machine's own address, and expect that it may fail.
    unnoticed = [] if _guard.loopback else list(_guard.refused)
    _guard.loopback = False
    assert not unnoticed, f"the test reached for the network and went on: {', '.join(unnoticed)}"
