"""MCP on the wire, without any SDK: a request over HTTP, lines on a local socket."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from company_lab.agents.mcp_host import Host

HELLO = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    },
}


def post(
    host: Host, path: str, body: bytes | dict[str, Any], more: Mapping[str, str] | None = None
) -> tuple[int, Any]:
    line = http.client.HTTPConnection("127.0.0.1", host.port)
    sent = {
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": "2025-06-18",
        **(more or {}),
    }
    line.request("POST", path, body if isinstance(body, bytes) else json.dumps(body), sent)
    answer = line.getresponse()
    text = answer.read()
    line.close()
    return answer.status, json.loads(text) if text[:1] == b"{" else text


def call(tool: str, args: object, id: int | str = 1) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": args}}


def spelled(message: object) -> bytes:
    return json.dumps(message).encode()


def path_of(url: str) -> str:
    return "/" + url.split("/", 3)[3]


def spoken(path: Path, *lines: bytes, answers: int = 1_000_000, until: object = None) -> list[Any]:
    """So many answers on a local socket to these lines, or all until one with this id, or until it is closed."""
    line = socket.socket(socket.AF_UNIX)
    line.connect(str(path))
    line.settimeout(5)
    heard = b""
    with suppress(ConnectionError):
        line.sendall(b"".join(one + b"\n" for one in lines))
        last = f'"id":{json.dumps(until)},'.encode()
        while heard.count(b"\n") < answers and (data := line.recv(1 << 16)):
            heard += data
            if until is not None and heard.endswith(b"\n") and last in heard:
                break
    line.close()
    return [json.loads(one) for one in heard.splitlines()]
