"""MCP host: where programs on this machine reach the worlds of running episodes, over HTTP and over a local socket.

One thread and one port for all episodes of a process. Each episode is behind a path nobody can guess, which is gone
when the episode is; the port listens on the loopback address only.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import socket
import threading
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from company_lab.agents.daemon_threads import DaemonThreads
from company_lab.agents.mcp_arrivals import Arrivals
from company_lab.agents.mcp_desk import Desk
from company_lab.agents.mcp_lines import serve_lines
from company_lab.agents.mcp_messages import LONGEST
from company_lab.agents.mcp_posts import answer_post
from company_lab.agents.mcp_server import require_mcp, serve_desk
from company_lab.formats.errors import WrongUse

if TYPE_CHECKING:
    from collections.abc import Coroutine

_PATIENCE_S = 30.0
_MOST_CLIENTS = 32
"""Clients of one world on its local socket at once."""


class Door:
    """The way to one world while it is open."""

    def __init__(self, host: Host, token: str, socket_path: Path | None) -> None:
        self._host = host
        self._token = token
        self.url = f"http://127.0.0.1:{host.port}/{token}/mcp"
        """Where it is served over HTTP (streamable)."""
        self.socket_path = socket_path
        """The local socket on which it is served as over stdio, where one was asked for."""

    def close(self) -> None:
        """Close it; whoever is still connected is cut off."""
        self._host.shut(self._token)


class Host:
    """Serves desks over MCP. `shared` is the one of this process."""

    def __init__(self, port: int = 0) -> None:
        require_mcp()
        import uvicorn

        from company_lab.agents.mcp_connections import bounded

        # What programs send that makes no sense is not for the terminal, where it could steer it.
        logging.getLogger("mcp").addHandler(logging.NullHandler())

        # Event loops send small answers at once (TCP_NODELAY) only on sockets that say they are TCP.
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._socket.bind(("127.0.0.1", port))
        except OSError as error:
            self._socket.close()
            raise WrongUse(f"port {port} can not be used: {error.strerror}") from None
        self._socket.listen(128)
        self.port: int = self._socket.getsockname()[1]
        self._open: dict[str, _Opened] = {}
        self._loop = asyncio.new_event_loop()
        self._loop.set_default_executor(DaemonThreads())
        config = uvicorn.Config(
            self._answer,
            interface="asgi3",
            http=bounded(),
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            ws="none",
            timeout_graceful_shutdown=1,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._run, name="company-lab-mcp", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._server.serve(sockets=[self._socket]))
        with suppress(RuntimeError):
            self._loop.close()

    def open(self, desk: Desk, *, socket_path: Path | None = None, token: str | None = None) -> Door:
        """Let programs in to a desk; also on a local socket at `socket_path`, where that is given.

        `token` is the part of the address that nobody should guess; a random one unless given.
        """
        token = secrets.token_urlsafe(24) if token is None else token
        opened = _Opened(desk, socket_path)
        self._wait(opened.begin())
        self._open[token] = opened
        return Door(self, token, socket_path)

    def shut(self, token: str) -> None:
        """Close a door."""
        opened = self._open.pop(token, None)
        if opened is not None:
            self._wait(opened.end())

    def close(self) -> None:
        """Stop serving."""
        for token in list(self._open):
            self.shut(token)
        self._server.should_exit = True
        self._thread.join(_PATIENCE_S)
        self._socket.close()

    def _wait(self, work: Coroutine[Any, Any, None]) -> None:
        future: Future[None] = asyncio.run_coroutine_threadsafe(work, self._loop)
        future.result(_PATIENCE_S)

    async def _answer(self, scope: Any, receive: Any, send: Any) -> None:
        token = str(scope.get("path", "")).strip("/").removesuffix("/mcp")
        opened = self._open.get(token)
        if scope["type"] != "http" or opened is None:
            await send({"type": "http.response.start", "status": 404, "headers": []})
            await send({"type": "http.response.body", "body": b""})
            return
        await opened.answer(scope, receive, send)


class _Opened:
    """One world being served. Its methods run on the host's event loop."""

    def __init__(self, desk: Desk, socket_path: Path | None) -> None:
        self._arrivals = Arrivals(desk)
        self._server = serve_desk(desk, self._arrivals)
        self._path = socket_path
        self._over = asyncio.Event()
        self._connections: set[asyncio.Task[None]] = set()

    async def begin(self) -> None:
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
        from mcp.server.transport_security import TransportSecuritySettings

        # A page in a browser on this machine must not reach a world: names that resolve to loopback are turned away.
        security = TransportSecuritySettings(
            allowed_hosts=["127.0.0.1:*", "localhost:*"],
            allowed_origins=["http://127.0.0.1:*", "http://localhost:*"],
        )
        self._manager = StreamableHTTPSessionManager(
            app=self._server, json_response=True, stateless=True, security_settings=security
        )
        ready = asyncio.Event()
        self._serving = asyncio.create_task(self._serve(ready))
        await ready.wait()
        if self._path is not None:
            try:
                self._listener = await asyncio.start_unix_server(self._connected, self._path, limit=LONGEST)
            except OSError:
                self._over.set()
                raise

    async def _serve(self, ready: asyncio.Event) -> None:
        async with self._manager.run():
            ready.set()
            await self._over.wait()

    async def answer(self, scope: Any, receive: Any, send: Any) -> None:
        await answer_post(self._manager.handle_request, self._arrivals, scope, receive, send)

    async def end(self) -> None:
        self._over.set()
        if self._path is not None:
            self._listener.close()
            with suppress(OSError):  # a program may have put something else there
                self._path.unlink()
        for connection in list(self._connections):
            connection.cancel()
        await self._arrivals.close()
        await asyncio.gather(self._serving, *self._connections, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        if len(self._connections) >= _MOST_CLIENTS:
            writer.close()
            return
        self._connections.add(task)
        try:
            await serve_lines(self._server, self._arrivals, reader, writer)
        except asyncio.CancelledError:
            pass  # the door was closed; whoever comes from outside is not told more
        finally:
            self._connections.discard(task)
            writer.close()


_shared: dict[int, Host] = {}


def shared() -> Host:
    """The host of this process, started when it is first asked for."""
    with _starting:
        pid = os.getpid()
        if pid not in _shared:
            _shared.clear()  # of the process this one was forked from: its thread is not here
            _shared[pid] = Host()
        return _shared[pid]


_starting = threading.Lock()


def _forked() -> None:
    global _starting
    _starting = threading.Lock()


os.register_at_fork(after_in_child=_forked)
