"""A trained decision model, served on loopback in a process of its own, and a proxy that makes it conform."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

_STARTS_S = 30.0


@contextmanager
def decider() -> Iterator[str]:
    """The address of `sparrow-decider serve`."""
    with _serving("sparrow_decider.cli", "serve", "--port", "{port}") as url:
        yield url


@contextmanager
def proxy(upstream: str) -> Iterator[str]:
    """The address of `jevcompat proxy` in front of another server."""
    with _serving("jevcompat.cli", "proxy", upstream, "--port", "{port}") as url:
        yield url


@contextmanager
def _serving(module: str, *arguments: str) -> Iterator[str]:
    port = free_port()
    words = [argument.format(port=port) for argument in arguments]
    command = [
        sys.executable,
        "-c",
        f"import sys; from {module} import main; sys.exit(main(sys.argv[1:]))",
        *words,
    ]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    try:
        _wait(url, process)
        yield url
    finally:
        process.terminate()
        process.wait(10)


def free_port() -> int:
    """A port of this machine that nothing listens on."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


def _wait(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _STARTS_S
    while time.monotonic() < deadline:
        assert process.poll() is None, "the server ended before it answered"
        try:
            with urllib.request.urlopen(url, timeout=2):
                return
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.05)
    raise AssertionError(f"nothing answers at {url}")
