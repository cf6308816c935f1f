"""No test reaches the network, and none can hide that it tried."""

from __future__ import annotations

import socket
import socketserver
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from network_guard import NetworkGuard, NetworkRefused, is_loopback

SUPPORT = Path(__file__).parents[1] / "support"
ELSEWHERE = ("192.0.2.1", 9)  # an address reserved for documentation


@pytest.fixture
def server() -> Iterator[tuple[str, int]]:
    class Greeting(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.sendall(b"hello")

    with socketserver.TCPServer(("127.0.0.1", 0), Greeting) as listening:
        threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield "127.0.0.1", listening.server_address[1]
        listening.shutdown()


def test_a_connection_elsewhere_is_refused(network: NetworkGuard) -> None:
    with socket.socket() as connection, pytest.raises(NetworkRefused, match=r"192\.0\.2\.1:9"):
        connection.connect(ELSEWHERE)
    assert network.refused == ["192.0.2.1:9"]
    network.refused.clear()


def test_a_datagram_elsewhere_is_refused(network: NetworkGuard) -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as datagrams, pytest.raises(NetworkRefused):
        datagrams.sendto(b"x", ELSEWHERE)
    network.refused.clear()


def test_a_name_is_not_looked_up(network: NetworkGuard) -> None:
    with pytest.raises(NetworkRefused, match=r"host\.example\.test"):
        socket.create_connection(("host.example.test", 80))
    network.refused.clear()


def test_loopback_is_refused_without_the_mark(server: tuple[str, int], network: NetworkGuard) -> None:
    with socket.socket() as connection, pytest.raises(NetworkRefused, match=r"pytest\.mark\.loopback"):
        connection.connect(server)
    network.refused.clear()


@pytest.mark.loopback
def test_loopback_is_open_with_the_mark(server: tuple[str, int]) -> None:
    with socket.create_connection(server) as connection:
        assert connection.recv(5) == b"hello"


@pytest.mark.loopback
def test_the_mark_opens_nothing_else() -> None:
    with socket.socket() as connection, pytest.raises(NetworkRefused):
        connection.connect(ELSEWHERE)


def test_processes_may_still_talk_over_local_sockets() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.send(b"x")
        assert theirs.recv(1) == b"x"


def test_a_swallowed_refusal_still_fails_the_test(pytester: pytest.Pytester) -> None:
    pytester.makeini(f"[pytest]\npythonpath = {SUPPORT}\nmarkers = loopback")
    pytester.makeconftest('pytest_plugins = ["network_guard"]')
    pytester.makepyfile(
        """
        import contextlib, socket

        def test_tries():
            with contextlib.suppress(Exception), socket.socket() as connection:
                connection.connect(("192.0.2.1", 9))

        def test_does_not_try():
            pass
        """
    )
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=2, errors=1)
    result.stdout.fnmatch_lines(["*reached for the network and went on: 192.0.2.1:9*"])


@pytest.mark.parametrize("host", ["127.0.0.1", b"127.8.8.8", "::1", "localhost", ""])
def test_this_machine_is_known_by(host: str | bytes) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["192.0.2.1", "10.0.0.1", "localhost.example.test", "::ffff:192.0.2.1"])
def test_other_machines_are_not(host: str) -> None:
    assert not is_loopback(host)
